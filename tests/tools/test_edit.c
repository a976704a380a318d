/* `vitrail edit` over captures of every family: a program, uniforms and a texture are replaced, what is written plays as it
 * was shown, what is not touched stays to the bit; what cannot be replaced is refused, and no file is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/replay.h"
#include "tests/tools/command.h"
#include "tools/tool.h"
#include "util/bits.h"
#include "util/image.h"

#define CAPTURES SOURCE_DIR "/tests/captures/"

/* A picture of 256x256 pixels in which one thing was drawn. */
static const struct row {
    const char *capture;
    const char *program, *from, *to; /* a fragment program: its text, of which a part becomes another */
    uint32_t bytes;                  /* that are written for it */
    const char *uniforms;            /* of the vertices of picture 2; NULL: none */
    const char *texture;             /* of 64x64 texels */
    uint32_t frame;
} rows[] = {
    {"gltest.vtc", "0x001a2000", "tlb_color, r3", "tlb_color, r2", 128, NULL, "0x0019e000", 3},
    {"mali400/gltest.vtc", "0x021f6000", "r0, tex", "r0, tex.zyxw", 24, "0x020f2110=64.0", "0x021ff000", 3},
    {"t860/gltest.vtc", "0x0a003380", "in0.xyxx", "in0.xxxx", 64, NULL, "0x0a1cd000", 3},
    /* longer than it was */
    {"g52/gltest.vtc", "0x0a005780", "ds(0)",
     "ds(0) nbb ncph next_atest dwb(0, 6, 7) {\n*MOV.i32 r0:t0, 0x00003c00\n+NOP t1\nconst 0x0, "
     "0x3c00\n}\nds(0)",
     64, NULL, "0x0a18e000", 3},
    {"g57/gltest.vtc", "0x0a003500", "BLEND", "IADD_IMM.i32 r0, 0x0, #0x3c003c00\nBLEND", 72,
     "0x0a0656c0=64.0,0x42000000", "0x0a17c000", 3},
    {"libresoc/gltest.vtc", "0x00015d80", "x32v, 24", "x32v, 25", 194, NULL, NULL, 1},
};

/* ---- pictures ---- */

static struct util_image replayed(const char *path, uint32_t frame)
{
    const struct gpu_options options = {.numeric = ISA_USUAL};
    struct util_error error = {0};
    struct util_image image = {0};
    struct capture_reader *reader;
    struct capture_frame at;
    struct replay *replay;
    assert_int_equal(capture_reader_open(path, &reader, &error), 0);
    assert_int_equal(replay_create(reader, &options, &replay, &error), 0);
    for (uint32_t n = 0; n < frame; n++)
        assert_int_equal(replay_next_frame(replay, false, &at, &error), 1);
    assert_int_equal(replay_picture(replay, &at, &image), 0);
    replay_destroy(replay);
    return image;
}

/* Part `n` of the three that stand side by side. */
static struct util_image part_of(const char *path, unsigned n)
{
    struct util_image all, part;
    assert_int_equal(util_image_read_png(&all, path), 0);
    assert_int_equal(all.width % 3, 0);
    assert_int_equal(util_image_init(&part, all.width / 3, all.height), 0);
    for (uint32_t y = 0; y < all.height; y++)
        memcpy(part.pixels + 4ull * y * part.width,
               all.pixels + 4 * ((size_t)y * all.width + (size_t)n * part.width), 4ull * part.width);
    util_image_finish(&all);
    return part;
}

/* How many pixels differ; both are finished. */
static uint64_t differing(struct util_image a, struct util_image b)
{
    struct util_image_diff diff;
    assert_int_equal(util_image_compare(&a, &b, 0, 0, &diff), 0);
    util_image_finish(&a);
    util_image_finish(&b);
    return diff.beyond;
}

static void solid(const char *path, uint32_t side, const uint8_t rgb[3])
{
    struct util_image image;
    assert_int_equal(util_image_init(&image, side, side), 0);
    for (uint32_t n = 0; n < side * side; n++)
        memcpy(image.pixels + 4ull * n, (uint8_t[]){rgb[0], rgb[1], rgb[2], 255}, 4);
    assert_int_equal(util_image_write_png(&image, path, 0), 0);
    util_image_finish(&image);
}

/* ---- the command ---- */

/* Its exit status; OUT and SIDES in the folder. */
static int edit(const char *capture, uint32_t frame, const char *option, const char *value)
{
    char number[16];
    snprintf(number, sizeof number, "%u", frame);
    return command_run(tool_edit,
                       (const char *[]){"edit", capture, "--threads", "0", "--interpreter", "--frame", number,
                                        option, value, "-o", command_at("out.vtc"), "--compare",
                                        command_at("sides.png"), NULL},
                       command_at("out"), command_at("err"));
}

static const char *capture_of(const struct row *r)
{
    static char path[COMMAND_PATH];
    snprintf(path, sizeof path, "%s%s", CAPTURES, r->capture);
    return path;
}

/* The pictures beside each other are those of the two captures, and differ; pictures before are as they were. */
static void shows(const struct row *r, uint32_t frame)
{
    const char *out = command_at("out.vtc"), *sides = command_at("sides.png");
    assert_int_equal(differing(part_of(sides, 0), replayed(capture_of(r), frame)), 0);
    assert_int_equal(differing(part_of(sides, 1), replayed(out, frame)), 0);
    if (!differing(part_of(sides, 0), part_of(sides, 1)))
        fail_msg("%s: nothing changed", r->capture);
    for (uint32_t n = 1; n < frame; n++)
        assert_int_equal(differing(replayed(capture_of(r), n), replayed(out, n)), 0);
}

/* The program's text with `from` as `to`, into the folder. */
static void write_program(const struct row *r, const char *to)
{
    size_t size;
    assert_int_equal(command_run(tool_edit,
                                 (const char *[]){"edit", capture_of(r), "--print", r->program, NULL},
                                 command_at("print"), NULL),
                     0);
    char *text = command_read(command_at("print"), &size);
    char *at = strstr(text, r->from);
    assert_non_null(at);
    FILE *file = fopen(command_at("new.s"), "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(r->from));
    assert_int_equal(fclose(file), 0);
    free(text);
}

static const char *with(const char *address, const char *name)
{
    static char text[COMMAND_PATH + 32];
    snprintf(text, sizeof text, "%s=%s", address, command_at(name));
    return text;
}

static void programs_are_replaced(void **state)
{
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        const struct row *r = &rows[n];
        char told[64];
        write_program(r, r->to);
        assert_int_equal(edit(capture_of(r), r->frame, "--program", with(r->program, "new.s")), TOOL_OK);
        snprintf(told, sizeof told, "%s: %u bytes, written before", r->program, r->bytes);
        assert_true(command_has(command_at("out"), told));
        shows(r, r->frame);
        write_program(r, r->from);
        assert_int_equal(edit(capture_of(r), r->frame, "--program", with(r->program, "new.s")), TOOL_OK);
        assert_true(command_has(command_at("out"), "the same as before"));
        assert_true(command_has(command_at("out"), ": 0 of"));
    }
}

static void uniforms_are_replaced(void **state)
{
    unsigned met = 0;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        if (!rows[n].uniforms)
            continue;
        assert_int_equal(edit(capture_of(&rows[n]), 2, "--uniforms", rows[n].uniforms), TOOL_OK);
        shows(&rows[n], 2);
        met++;
    }
    assert_int_equal(met, 2);
}

/* Where it changed the picture shows what is in the texture: green, on all levels. */
static void textures_are_replaced(void **state)
{
    unsigned met = 0;
    solid(command_at("green.png"), 64, (uint8_t[]){0, 255, 0});
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        const struct row *r = &rows[n];
        if (!r->texture)
            continue;
        assert_int_equal(edit(capture_of(r), r->frame, "--texture", with(r->texture, "green.png")), TOOL_OK);
        shows(r, r->frame);
        struct util_image was = part_of(command_at("sides.png"), 0), is = part_of(command_at("sides.png"), 1);
        for (size_t p = 0; p < 4ull * is.width * is.height; p += 4) {
            if (!memcmp(was.pixels + p, is.pixels + p, 3))
                continue;
            assert_memory_equal(is.pixels + p, ((uint8_t[]){0, 255, 0}), 3);
            met++;
        }
        util_image_finish(&was);
        util_image_finish(&is);
    }
    assert_true(met > 5 * 15000);
}

/* Faces side by side: a row of a colour each, all of which the picture then has. */
static void faces_are_replaced(void **state)
{
    static const struct row cubes[] = {{.capture = "features.vtc", .texture = "0x00228000"},
                                       {.capture = "mali400/features.vtc", .texture = "0x022a0000"},
                                       {.capture = "t860/features.vtc", .texture = "0x0a264000"},
                                       {.capture = "g57/features.vtc", .texture = "0x0a204000"}};
    enum { SIDE = 32, FACES = 6 };
    struct util_image faces;
    assert_int_equal(util_image_init(&faces, SIDE * FACES, SIDE), 0);
    for (uint32_t n = 0; n < SIDE * SIDE * FACES; n++) {
        const uint32_t color = n % (SIDE * FACES) / SIDE + 1;
        memcpy(faces.pixels + 4ull * n,
               ((uint8_t[]){color & 1 ? 255 : 0, color & 2 ? 255 : 0, color & 4 ? 255 : 0, 255}), 4);
    }
    assert_int_equal(util_image_write_png(&faces, command_at("faces.png"), 1), 0);
    util_image_finish(&faces);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cubes); n++) {
        uint32_t met[8] = {0};
        assert_int_equal(edit(capture_of(&cubes[n]), 9, "--texture", with(cubes[n].texture, "faces.png")),
                         TOOL_OK);
        struct util_image was = part_of(command_at("sides.png"), 0), is = part_of(command_at("sides.png"), 1);
        for (size_t p = 0; p < 4ull * is.width * is.height; p += 4) {
            const uint8_t *rgb = is.pixels + p;
            bool whole = true;
            for (unsigned c = 0; c < 3; c++)
                whole &= rgb[c] == 0 || rgb[c] == 255;
            if (whole && memcmp(was.pixels + p, rgb, 3) != 0)
                met[(rgb[0] & 1) | (rgb[1] & 2) | (rgb[2] & 4)]++;
        }
        for (unsigned color = 1; color <= FACES; color++)
            assert_true(met[color] > 1000);
        assert_int_equal(met[0] + met[7], 0);
        util_image_finish(&was);
        util_image_finish(&is);
    }
}

/* A green one has the same block everywhere, of which the program makes one colour: a quarter brighter. */
static void etc1_is_replaced(void **state)
{
    static const struct row textures[] = {{.capture = "features.vtc", .texture = "0x0024f000"},
                                          {.capture = "mali400/features.vtc", .texture = "0x0221e000"}};
    solid(command_at("green.png"), 64, (uint8_t[]){0, 255, 0});
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(textures); n++) {
        unsigned met = 0;
        assert_int_equal(
            edit(capture_of(&textures[n]), 10, "--texture", with(textures[n].texture, "green.png")), TOOL_OK);
        struct util_image was = part_of(command_at("sides.png"), 0), is = part_of(command_at("sides.png"), 1);
        for (size_t p = 0; p < 4ull * is.width * is.height; p += 4) {
            if (!memcmp(was.pixels + p, is.pixels + p, 3))
                continue;
            assert_in_range(is.pixels[p], 62, 66);
            assert_in_range(is.pixels[p + 1], 253, 255);
            assert_in_range(is.pixels[p + 2], 62, 66);
            met++;
        }
        assert_true(met > 1000);
        util_image_finish(&was);
        util_image_finish(&is);
    }
}

static void is_refused(const char *capture, const char *option, const char *value, int code, const char *why)
{
    assert_int_equal(edit(capture, 1, option, value), code);
    assert_true(command_has(command_at("err"), why));
    assert_int_not_equal(access(command_at("out.vtc"), F_OK), 0);
}

static void what_cannot_be_is_refused(void **state)
{
    const char *mali400 = CAPTURES "mali400/gltest.vtc", *t860 = CAPTURES "t860/gltest.vtc";
    unlink(command_at("out.vtc"));
    solid(command_at("small.png"), 8, (uint8_t[]){1, 2, 3});
    is_refused(mali400, "--program", with("0x021f6001", "small.png"), TOOL_BAD_FILE,
               "no job from picture 1 on has a program at 0x021f6001, but at 0x");
    is_refused(mali400, "--texture", with("0x021ff000", "small.png"), TOOL_BAD_FILE,
               "small.png is 8x8, the texture at 0x021ff000 64x64");
    is_refused(CAPTURES "g57/features.vtc", "--texture", with("0x0a204000", "small.png"), TOOL_BAD_FILE,
               "small.png is 8x8, the texture at 0x0a204000 192x32");
    is_refused(mali400, "--texture", with("0x021ff040", "small.png"), TOOL_BAD_FILE,
               "no fragment from picture 1 on was seen to read a texture at 0x021ff040");
    command_write_text(command_at("other.s"), "var r0, v0 ; stop\n");
    is_refused(mali400, "--program", with("0x021f6000", "other.s"), TOOL_BAD_FILE,
               "the first instruction's length");
    command_write_text(command_at("tag.s"), "idle ; next alu1\nidle ; stop\n");
    is_refused(t860, "--program", with("0x0a003200", "tag.s"), TOOL_BAD_FILE, "the first word's tag");
    is_refused(mali400, "--uniforms", "0x90000000=1", TOOL_BAD_FILE, "no job from picture 1 on found there");
    is_refused(mali400, "--uniforms", "0x020f2111=1", TOOL_USAGE, "a multiple of 4");
    is_refused(mali400, "--uniforms", "0x020f2110=1,x", TOOL_USAGE, "'x' is no uniform");
    is_refused(mali400, "--uniforms", "0x020f2110", TOOL_USAGE, "takes an address, = and words");
    is_refused(mali400, "--all", "--threads=0", TOOL_USAGE, "nothing is to be replaced");
}

static void longer_programs_need_room(void **state)
{
    FILE *file = fopen(command_at("long.s"), "w");
    assert_non_null(file);
    for (unsigned n = 0; n < 200; n++)
        fprintf(file, "NOP\n");
    fprintf(file, "NOP.end\n");
    assert_int_equal(fclose(file), 0);
    is_refused(CAPTURES "g57/gltest.vtc", "--program", with("0x0a003500", "long.s"), TOOL_BAD_FILE,
               "long.s: 1608 bytes; the program at 0x0a003500 is 64, and ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_replaced),     cmocka_unit_test(uniforms_are_replaced),
        cmocka_unit_test(textures_are_replaced),     cmocka_unit_test(faces_are_replaced),
        cmocka_unit_test(etc1_is_replaced),          cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(longer_programs_need_room),
    };
    return cmocka_run_group_tests(tests, command_begin, command_end);
}

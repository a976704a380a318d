/* Areas that become what their image has: they are left alone, and nothing that differs from that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/utgard_scene.h"

enum { BYTES = 0x100000 };

static unsigned drawn;

/* Compiled frames ask for triangles where they draw. */
static uint32_t no_triangles(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most)
{
    (void)ctx;
    (void)cursor;
    (void)index;
    (void)most;
    drawn++;
    return 0;
}

/* A frame that reloads SOURCE and goes back there. */
static void own_open(struct scene *s)
{
    scene_open(s);
    fill_source(s, 1);
    write_back(s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s->frame.wb[0][1] = SOURCE;
    add_reload(s, 0, 0x16, 15, NULL);
    s->frame.of.reader.triangles = no_triangles;
    s->frame.of.pool = NULL;
}

static void flip(struct scene *s, uint32_t address, unsigned bit)
{
    put_word(&s->g, address + bit / 32 * 4, guest_word(&s->g, address + bit / 32 * 4) ^ 1u << bit % 32);
}

static void put_floats(struct scene *s, uint32_t address, const float *values)
{
    guest_put(&s->g, address, values, 12 * sizeof *values);
}

/* ---- what differs ---- */

static void elsewhere(struct scene *s)
{
    s->frame.wb[0][1] = IMAGE;
}
static void blue_for_red(struct scene *s)
{
    flip(s, DESCRIPTOR, 7);
}
static void red_for_blue(struct scene *s)
{
    s->frame.wb[0][6] = UTGARD_WB_FLAG_SWAP;
}
static void reversed(struct scene *s)
{
    s->frame.wb[0][6] = UTGARD_WB_FLAG_REVERSE;
}
static void big_endian(struct scene *s)
{
    s->frame.wb[0][6] = UTGARD_WB_FLAG_BIG_ENDIAN;
}
static void longer_rows(struct scene *s)
{
    s->frame.wb[0][5] += 2;
}
static void tiled(struct scene *s)
{
    s->frame.wb[0][4] = 2;
    s->frame.wb[0][5] = SIDE * 4; /* the same number as of bytes a row */
}
static void smaller(struct scene *s)
{
    s->frame.wb[0][3] = 1 << 8;
}
static void other_format(struct scene *s)
{
    s->frame.wb[0][2] = UTGARD_WB_BGR565;
}
static void depths_too(struct scene *s)
{
    write_back(s, 1, UTGARD_WB_ZS, UTGARD_WB_Z24S8, SIDE * 4 / 8);
}
static void two_images(struct scene *s)
{
    memcpy(s->frame.wb[1], s->frame.wb[0], sizeof s->frame.wb[0]);
    s->frame.wb[0][1] = IMAGE;
}
static void four_planes(struct scene *s)
{
    s->frame.wb[0][7] = 15;
    s->frame.wb[0][8] = PLANE;
}
static void shifted(struct scene *s)
{
    put_floats(s, VARYINGS, (const float[]){SIDE + 1, 0, 0, 0, 1, SIDE, 0, 0, 0, 0, 0, 0});
}
static void upside_down(struct scene *s)
{
    put_floats(s, VARYINGS, (const float[]){SIDE, SIDE, 0, SIDE, 0, 0, 0, 0, 0, 0, 0, 0});
}
static void a_part(struct scene *s)
{
    put_floats(s, POSITIONS, (const float[]){20, 0, 0, 1, 0, 0, 0, 1, 0, SIDE, 0, 1});
    put_floats(s, VARYINGS, (const float[]){20, 0, 0, 0, 0, SIDE, 0, 0, 0, 0, 0, 0});
}
static void slanted(struct scene *s)
{
    put_floats(s, POSITIONS, (const float[]){SIDE, 0, 0, 1, 8, 0, 0, 1, 0, SIDE, 0, 1});
    put_floats(s, VARYINGS, (const float[]){SIDE, 0, 8, 0, 0, SIDE, 0, 0, 0, 0, 0, 0});
}
static void perspective(struct scene *s)
{
    put_floats(s, POSITIONS, (const float[]){SIDE, 0, 0, 1, 0, 0, 0, 0.5f, 0, SIDE, 0, 1});
}
static void clipped(struct scene *s)
{
    s->items[0].state.clip.x1 = 30;
}
static void blended(struct scene *s)
{
    flip(s, STATE, 2 * 32 + 11);
}
static void masked(struct scene *s)
{
    flip(s, STATE, 2 * 32 + 28);
}
static void not_written(struct scene *s)
{
    put_word(&s->g, STATE + 2 * 4, guest_word(&s->g, STATE + 2 * 4) & 0x0fffffff);
}
static void never(struct scene *s)
{
    put_word(&s->g, STATE + 3 * 4, guest_word(&s->g, STATE + 3 * 4) & ~14u);
}
static void filtered(struct scene *s)
{
    flip(s, DESCRIPTOR, 76);
}
static void of_one(struct scene *s)
{
    flip(s, DESCRIPTOR, 39);
}
static void narrower(struct scene *s)
{
    flip(s, DESCRIPTOR, 86 + 3); /* 32 texels */
}
static void lower(struct scene *s)
{
    flip(s, DESCRIPTOR, 99 + 3);
}
static void opaque_texels(struct scene *s)
{
    flip(s, DESCRIPTOR, 0); /* 0x17: alpha is one */
}
static void triangle(struct scene *s)
{
    s->items[1].kind = TILER_ITEM_TRIANGLE;
}
static void one_more(struct scene *s)
{
    s->items[2] = s->items[1];
    s->items[2].kind = TILER_ITEM_TRIANGLE;
    s->script.count = 3;
    guest_put(&s->g, POSITIONS + 48, (const float[]){8, 8, 0, 1}, 16);
    s->items[2].index[1] = 3;
}
static void doubled(struct scene *s)
{
    put_program(s, "var coords.xy, v0.xy ; tex2d 0 ; mul.v0 r0, tex, tex ; sync ; stop\n");
}
static void turned(struct scene *s)
{
    put_program(s, "var coords.xy, v0.xy ; tex2d 0 ; mov.v1 r0, tex.yxzw ; sync ; stop\n");
}
static void not_all(struct scene *s)
{
    put_program(s, "var coords.xy, v0.xy ; tex2d 0 ; mov.v1 r0.xyz, tex ; sync ; stop\n");
}
static void in_order(struct scene *s)
{
    s->frame.in_order = true;
}
static const struct difference {
    void (*make)(struct scene *);
    const char *name;
} differences[] = {
#define DIFFERENCE(name) {name, #name}
    DIFFERENCE(elsewhere),    DIFFERENCE(blue_for_red), DIFFERENCE(red_for_blue),  DIFFERENCE(reversed),
    DIFFERENCE(big_endian),   DIFFERENCE(longer_rows),  DIFFERENCE(tiled),         DIFFERENCE(smaller),
    DIFFERENCE(other_format), DIFFERENCE(depths_too),   DIFFERENCE(two_images),    DIFFERENCE(four_planes),
    DIFFERENCE(shifted),      DIFFERENCE(upside_down),  DIFFERENCE(a_part),        DIFFERENCE(slanted),
    DIFFERENCE(perspective),  DIFFERENCE(clipped),      DIFFERENCE(blended),       DIFFERENCE(masked),
    DIFFERENCE(not_written),  DIFFERENCE(never),        DIFFERENCE(filtered),      DIFFERENCE(of_one),
    DIFFERENCE(narrower),     DIFFERENCE(lower),        DIFFERENCE(opaque_texels), DIFFERENCE(triangle),
    DIFFERENCE(one_more),     DIFFERENCE(doubled),      DIFFERENCE(turned),        DIFFERENCE(not_all),
    DIFFERENCE(in_order),
};

/* ---- tests ---- */

/* What memory holds after the frame, in `out` of BYTES from IMAGE on; returns whether anything was drawn. */
static bool memory_after(const struct difference *d, bool reference, uint8_t *out, uint64_t *executed)
{
    struct scene s;

    own_open(&s);
    if (d)
        d->make(&s);
    if (reference)
        s.frame.engine = NULL;
    *executed = 0;
    s.frame.of.instructions = executed;
    drawn = 0;
    render(&s);
    memcpy(out, s.g.memory.base + IMAGE, BYTES);
    scene_close(&s);
    return drawn;
}

static void test_returned(void **unused)
{
    uint8_t *out = malloc(BYTES), *expected = malloc(BYTES);
    uint64_t executed, wanted;

    (void)unused;
    assert_true(out && expected);
    assert_false(memory_after(NULL, false, out, &executed));
    memory_after(NULL, true, expected, &wanted);
    assert_memory_equal(out, expected, BYTES);
    assert_int_equal(executed, 100); /* blocks of 40x40 pixels */
    free(out);
    free(expected);
}

/* Two differences that make none. */
static void swapped_twice(struct scene *s)
{
    blue_for_red(s);
    red_for_blue(s);
}
static void in_tiles(struct scene *s)
{
    uint32_t words[16];

    memcpy(words, s->g.memory.base + DESCRIPTOR, sizeof words);
    guest_field(words, 205, 2, 3);
    guest_put(&s->g, DESCRIPTOR, words, sizeof words);
    s->frame.wb[0][4] = 2;
    s->frame.wb[0][5] = 3;
}

static void test_returned_too(void **unused)
{
    static const struct difference none[] = {{swapped_twice, "swapped twice"}, {in_tiles, "in tiles"}};
    uint8_t *out = malloc(BYTES), *expected = malloc(BYTES);
    uint64_t executed;

    (void)unused;
    assert_true(out && expected);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(none); n++) {
        if (memory_after(&none[n], false, out, &executed))
            fail_msg("%s: drawn", none[n].name);
        memory_after(&none[n], true, expected, &executed);
        assert_memory_equal(out, expected, BYTES);
    }
    free(out);
    free(expected);
}

static void test_drawn(void **unused)
{
    uint8_t *out = malloc(BYTES), *expected = malloc(BYTES);
    uint64_t executed;

    (void)unused;
    assert_true(out && expected);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(differences); n++) {
        if (!memory_after(&differences[n], false, out, &executed))
            fail_msg("%s: not drawn", differences[n].name);
        memory_after(&differences[n], true, expected, &executed);
        if (memcmp(out, expected, BYTES))
            fail_msg("%s: other bytes", differences[n].name);
    }
    free(out);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_returned), cmocka_unit_test(test_returned_too),
                                       cmocka_unit_test(test_drawn)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

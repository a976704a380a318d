/* The Malis' compiled fragment path against the reference path: submissions of the stock driver with random
 * tests, samples, targets and blend shaders, at every vector level of the host. All of guest memory is the same.
 * VITRAIL_DIFF_PROGRAMS sets how many states (default 60), VITRAIL_DIFF_SEED the first. */
#include <stdio.h>

#include "isa/midgard/asm.h"
#include "tests/diff/random.h"
#include "tests/gpu/mali/scene.h"

enum {
    SHADER = 0x30000000,
    LOOP = 0x30100000,
    IMAGES = 0x31000000,
    SIDE = 256,
    IMAGE_BYTES = SIDE * SIDE * 16
};
enum { FIRST = 96, LAST = FIRST + 63, TILE = 16, SAMPLES_MOST = 8 }; /* pixels that are drawn */

static const struct {
    const char *folder;
    enum mali_kind kind;
} scenes[] = {{"t720/triangle", MALI_T720},
              {"t720/cube", MALI_T720},
              {"t760/triangle", MALI_T760},
              {"t860/triangle", MALI_T860},
              {"t860/cube", MALI_T860}};

/* What a target is in the tile, and written back as; numbers of both versions where they differ. */
static const struct {
    uint8_t internal[MALI_VERSION_COUNT], writeback[MALI_VERSION_COUNT], bytes;
} formats[] = {
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R8G8B8A8},
     {MALI_COLOR_FORMAT_R8G8B8A8, MALI_COLOR_FORMAT_R8G8B8A8},
     4},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R10G10B10A2},
     {MALI_COLOR_FORMAT_R10G10B10A2, MALI_COLOR_FORMAT_R10G10B10A2},
     4},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_R4G4B4A4, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R4G4B4A4},
     {MALI_COLOR_FORMAT_R4G4B4A4, MALI_COLOR_FORMAT_R4G4B4A4},
     2},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G6B5A0},
     {MALI_COLOR_FORMAT_R5G6B5, MALI_COLOR_FORMAT_R5G6B5},
     2},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G5B5A1, MALI_COLOR_BUFFER_INTERNAL_FORMAT_R5G5B5A1},
     {MALI_COLOR_FORMAT_R5G5B5A1, MALI_COLOR_FORMAT_R5G5B5A1},
     2},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE, MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW16},
     {MALI_COLOR_FORMAT_V4_1_16B_CHANNEL, MALI_COLOR_FORMAT_RAW16},
     2},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE, MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW32},
     {MALI_COLOR_FORMAT_V4_1_32B_CHANNEL, MALI_COLOR_FORMAT_RAW32},
     4},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE, MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW64},
     {MALI_COLOR_FORMAT_V4_2_32B_CHANNELS, MALI_COLOR_FORMAT_RAW64},
     8},
    {{MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW_VALUE, MALI_COLOR_BUFFER_INTERNAL_FORMAT_RAW128},
     {MALI_COLOR_FORMAT_V4_4_32B_CHANNELS, MALI_COLOR_FORMAT_RAW128},
     16},
};

/* What a state was made of. */
struct drawn {
    struct scene scene;
    uint64_t random;
    enum mali_version version;
    unsigned format, samples;
    bool shader, loops, gives; /* gives: its program has depth or stencil */
};

static uint32_t below(struct drawn *d, uint32_t n)
{
    return (uint32_t)(random_next(&d->random) % n);
}

/* ---- descriptors ---- */

static void set(struct drawn *d, const struct mali_desc *desc, uint64_t address, const char *name,
                uint32_t bits)
{
    const struct gpu_record_field *f = desc->fields[d->version];
    unsigned n = 0;
    while (n < desc->count[d->version] && strcmp(f[n].name, name) != 0)
        n++;
    if (n == desc->count[d->version])
        fail_msg("%s has no field '%s'", desc->name, name);
    uint8_t *at = scene_at(&d->scene, address) + f[n].at / 32 * 4;
    const uint32_t width = f[n].bits > 32 ? 32 : f[n].bits, shift = f[n].at % 32;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1) << shift;
    util_store32(at, (util_load32(at) & ~mask) | (bits << shift & mask));
}

/* ---- blend shaders ---- */

/* What drivers make of a blend equation or a logic operation: the tile is read, met with the colour, and written as
 * bits, of as many parts as the samples need. Most are of no format at hand, which the bits need not be. */
static void make_shader(struct drawn *d, char *text)
{
    static const char *const meets[] = {
        "vmul.fmul.16 r24.xyzw, r5.rl, #0.39990234375 ; vadd.fadd.16.sat r6.xyzw, r0.rl, r24.rl",
        "vmul.imov.32 r24, r24.xxxx, r5 ; vadd.ixor.32 r6, r24, r0",
        "vadd.iadd.32 r6, r5, r2 ; sadd.imov.full r6.w, r24.x, r0.y",
        "vmul.fmul.32.sat r24, r0, r0.wwww ; vadd.fadd.32 r6, r24, r23",
        "vmul.fmul.16 r24.xyzw, r5.rl, #255.0 ; vadd.f2u_rtz.16.lo r6.xyzw, r24.rl, #0.0"};
    const bool v4 = d->version == MALI_V4, tags = d->scene.guest.device->kind == MALI_T860;
    const bool raw = below(d, 2) && (d->format == 0 || d->format > 4);
    const char *next = tags ? "alu2w" : "alu2", *end = tags ? " ; writeout" : "";
    const uint32_t many = 16 / (d->format > 0 && d->format < 5 ? 4 : formats[d->format].bytes);
    const uint32_t parts = (d->samples + many - 1) / many;
    if (v4)
        text += sprintf(text, "%s r5, %s, zero.x, %s ; next alu2\n", raw ? "ld_special_32u" : "ld_special_16",
                        below(d, 2) ? "al0.x" : "zero.x", raw ? "16:0" : "1:0");
    else
        text += sprintf(text, "%s r5, al0.%c, al0.x, 0 ; next alu2\n", raw ? "ld_tile_raw" : "ld_tile_16f",
                        "xyzw"[below(d, 4)]);
    text += sprintf(text, "%s ; next %s\n", meets[below(d, UTIL_ARRAY_SIZE(meets))], next);
    for (uint32_t part = 0; part < parts; part++)
        text += sprintf(text,
                        "vmul.imov.32 r0, r24.xxxx, r6 ; sadd.imov.full r1.z, r24.x, #%u ; "
                        "writex.always L%u, %s%s ; %s%s\nL%u:\n",
                        part, part, next, end, part + 1 == parts ? "stop" : "next ",
                        part + 1 == parts ? "" : next, part);
}

static void place(struct drawn *d, uint64_t address, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s\n%s", error.text, text);
    memcpy(guest_map(&d->scene.guest, address, GPU_PAGE, RIGHT_READ), words,
           (size_t)count * MIDGARD_WORD_BYTES);
    free(words);
}

/* ---- programs that loop ---- */

/* Each lane goes round as often as bits of a varying say; of some states those with none of these bits go on until
 * their fuel is used up. */
static void make_loop(struct drawn *d, char *text)
{
    static const char *const steps[] = {
        "vadd.fadd.16 r3.xyzw, r3.rl, #0.125", "vmul.fmul.32 r3, r3, #0.75",
        "vmul.fmul.16 r3.xyzw, r3.rl, r4.rl ; vadd.fadd.16 r3.xy, r3.rl, r24.rl"};
    const bool tags = d->scene.guest.device->kind == MALI_T860;
    const uint32_t bits = below(d, 3) ? 7 : 3, at = 16 + below(d, 8);
    text += sprintf(
        text,
        "ld_vary_32 r3, zero.x, zero.x.u32, 0:80 ; nop ; next alu1\n"
        "vadd.iand.32 r4, r3, r26.xyzw ; const 0x3fffffff, 0x3fffffff, 0x3fffffff, 0x3fffffff ; next alu1\n"
        "vadd.ilsr.32 r5.x, r3.xxxx, #%u ; next alu1\n"
        "vadd.iand.32 r5.x, r5.xxxx, #%u ; next alu1\n",
        at, bits);
    if (below(d, 8))
        text += sprintf(text, "vadd.iadd.32 r5.x, r5.xxxx, #1 ; next alu1\n");
    text += sprintf(text, "L0:\n%s ; next alu1\n", steps[below(d, UTIL_ARRAY_SIZE(steps))]);
    text += sprintf(text, "vadd.isub.32 r5.x, r5.xxxx, #1 ; next alu2\n"
                          "vadd.ine.32 r31.w, r5.xxxx, #0 ; br.true L0, alu1 ; next alu2\n");
    const char *write = tags ? "alu2w" : "alu2", *marks = tags ? " ; writeout" : "";
    if (d->gives) { /* depth or stencil, of some lanes */
        text += sprintf(text, "vadd.iand.32 r5.x, r4.xxxx, #%u ; next alu1\n", 1u << below(d, 12));
        text += sprintf(text,
                        "vmul.fmov.32 r0, r24.xxxx, r3 ; next alu2\n"
                        "vadd.ine.32 r31.w, r5.xxxx, #0 ; br.true L1, %s ; next %s\n",
                        write, write);
        text += sprintf(text, "sadd.imov.full r1.%c, r24.x, %s ; writex.always L1, %s%s ; stop\n",
                        "xy"[below(d, 2)], below(d, 2) ? "r4.x" : "r3.x", write, marks);
    }
    sprintf(text, "%sL1:\nwritex.always L1, %s%s ; stop\n",
            d->gives ? ""
            : tags   ? "vmul.fmov.32 r0, r24.xxxx, r3 ; next alu2w\n"
                     : "vmul.fmov.32 r0, r24.xxxx, r3 ; next alu2\n",
            write, marks);
}

/* ---- a state ---- */

static void change_tests(struct drawn *d, uint64_t state)
{
    static const char *const threes[] = {"depth function",
                                         "stencil front compare function",
                                         "stencil front depth pass",
                                         "stencil back compare function",
                                         "stencil back stencil fail",
                                         "stencil front depth fail"};
    const struct mali_desc *desc = &mali_desc_state;
    set(d, desc, state, "force early-z", below(d, 2));
    set(d, desc, state, "depth write mask", below(d, 2));
    set(d, desc, state, "stencil enable", below(d, d->loops ? 4 : 2) == 1);
    set(d, desc, state, "stencil front reference value", below(d, 4));
    set(d, desc, state, "stencil front mask", below(d, 256));
    set(d, desc, state, "stencil mask back", below(d, 256));
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(threes); n++)
        set(d, desc, state, threes[n], below(d, 3) ? 7 - (n == 2) : below(d, 8));
    set(d, desc, state, "alpha test compare function", below(d, 3) ? 7 : below(d, 8));
    set(d, desc, state, "alpha reference", util_f2u((float)below(d, 256) / 256));
    set(d, desc, state, "sample mask", below(d, 2) ? 0xffff : below(d, 0x10000));
    set(d, desc, state, "multisample enable", below(d, 2));
    set(d, desc, state, "alpha-to-coverage", !below(d, 3));
    set(d, desc, state, "evaluate per-sample", !below(d, 8));
    set(d, desc, state, "stencil from shader", d->gives && below(d, 2));
    set(d, desc, state, "depth source",
        d->gives && below(d, 2) ? MALI_DEPTH_SOURCE_SHADER : MALI_DEPTH_SOURCE_FIXED_FUNCTION);
}

static void change_blend(struct drawn *d, uint64_t state)
{
    const bool v4 = d->version == MALI_V4;
    const struct mali_desc *desc = v4 ? &mali_desc_state : &mali_desc_blend;
    const uint64_t at = v4 ? state : state + mali_desc_state.bytes[MALI_V5];
    set(d, desc, at, v4 ? "write enable" : "enable", 1);
    set(d, desc, at, "alpha to one", !below(d, 4));
    set(d, desc, at, "color mask", below(d, 2) ? 15 : below(d, 16));
    set(d, desc, at, "RGB c", MALI_BLEND_OPERAND_C_SRC_ALPHA);
    set(d, desc, at, "alpha b", below(d, 2) ? MALI_BLEND_OPERAND_B_DEST : MALI_BLEND_OPERAND_B_SRC);
    if (!d->shader)
        return;
    set(d, desc, at, v4 ? "blend by shader" : "blend shader", 1);
    set(d, desc, at, v4 ? "blend shader" : "shader PC", SHADER);
    char text[4096];
    make_shader(d, text);
    place(d, SHADER, text);
}

/* Each sample stands in a plane of its own, so that all of them are seen. */
static void change_frame(struct drawn *d, uint64_t frame)
{
    const enum mali_version v = d->version;
    const bool v4 = v == MALI_V4;
    const uint64_t parameters = frame + mali_frame_at(v, MALI_FRAME_PARAMETERS);
    const uint64_t behind = frame + mali_frame_at(v, MALI_FRAME_BEHIND);
    const struct mali_desc *desc = v4 ? &mali_desc_sfb : &mali_desc_target;
    const uint64_t at = v4 ? parameters : behind + mali_desc_zs_crc.bytes[v];
    const uint32_t row = SIDE * formats[d->format].bytes;
    set(d, v4 ? desc : &mali_desc_mfb, parameters, "sample count", (uint32_t)__builtin_ctz(d->samples));
    set(d, desc, at, "internal format", formats[d->format].internal[v]);
    set(d, desc, at, v4 ? "color writeback format" : "writeback format", formats[d->format].writeback[v]);
    set(d, desc, at, "swizzle", MALI_ORDER_RGBA);
    set(d, desc, at, v4 ? "MSAA" : "writeback MSAA", d->samples > 1 ? MALI_MSAA_LAYERED : MALI_MSAA_SINGLE);
    set(d, desc, at, v4 ? "color block format" : "writeback block format", MALI_BLOCK_FORMAT_LINEAR);
    set(d, desc, at, v4 ? "color writeback base" : "writeback base", IMAGES);
    set(d, desc, at, v4 ? "color writeback row stride" : "writeback row stride", row);
    set(d, desc, at, v4 ? "color writeback surface stride" : "writeback surface stride", row * SIDE);
    guest_map(&d->scene.guest, IMAGES, d->samples * row * SIDE, RIGHT_BOTH);
}

static void change(struct drawn *d)
{
    const uint64_t job = scene_tiler_job(&d->scene);
    struct mali_stop stop = {0};
    struct util_arena *arena;
    const struct mali_reader reader = {mali_as_space(d->scene.guest.device, 0, &stop), d->version, "test",
                                       NULL};
    struct mali_job_header header;
    union mali_payload read;
    assert_int_equal(util_arena_create(&arena), 0);
    assert_true(mali_desc_read(&reader, &mali_desc_job_header, job, &header, &stop));
    assert_true(mali_payload_read(&reader, job, &header, arena, &read, &stop));
    const struct mali_draw draw = read.tiler.draw;
    util_arena_destroy(arena);
    set(d, &mali_desc_viewport, draw.viewport, "scissor minimum X", FIRST);
    set(d, &mali_desc_viewport, draw.viewport, "scissor minimum Y", FIRST);
    set(d, &mali_desc_viewport, draw.viewport, "scissor maximum X", LAST);
    set(d, &mali_desc_viewport, draw.viewport, "scissor maximum Y", LAST);
    change_frame(d, read.tiler.frame.address);
    change_tests(d, draw.state);
    if (d->loops) {
        char text[4096];
        make_loop(d, text);
        place(d, LOOP, text);
        set(d, &mali_desc_state, draw.state, "shader", LOOP);
    }
    change_blend(d, draw.state);
    guest_flush_as(&d->scene.guest, 0);
}

static void play(struct drawn *d, uint64_t number, struct jit_engine *engine)
{
    *d = (struct drawn){.random = number};
    const unsigned n = below(d, UTIL_ARRAY_SIZE(scenes));
    const struct mali_options options = {.kind = scenes[n].kind, .gpu = {.engine = engine, .fuel = 200}};
    d->version = scenes[n].kind == MALI_T720 ? MALI_V4 : MALI_V5;
    d->format = below(d, UTIL_ARRAY_SIZE(formats));
    d->samples = below(d, 2) ? 1 : below(d, 2) ? 4 : d->version == MALI_V5 ? 8 : 4;
    d->loops = strstr(scenes[n].folder, "cube") && below(d, 4); /* it has a varying */
    d->shader = below(d, 4) || d->format > 4;
    if (d->loops && below(d, 4)) { /* these run side by side */
        d->format = below(d, 5);
        d->samples = 1;
        d->shader = false;
    }
    d->gives = d->loops && below(d, 2);
    scene_load(&d->scene, scenes[n].folder, &options);
    change(d);
    guest_run(&d->scene.guest, 1, d->scene.chain[1]);
    guest_run(&d->scene.guest, 0, d->scene.chain[0]);
}

/* ---- both ways ---- */

static uint64_t compiled(struct jit_engine *engine)
{
    struct jit_stats stats;
    jit_engine_stats(engine, &stats);
    return stats.compiled;
}

struct counts {
    unsigned states, blended, compiled, stopped;
};

static void attempt(const struct random_turn *turn, void *data)
{
    struct counts *counts = data;
    struct drawn plain, coded;
    char said[2][400];
    uint64_t before = compiled(turn->engine);
    play(&plain, turn->number, NULL);
    play(&coded, turn->number, turn->engine);
    struct gpu_fault faults[2] = {guest_fault(&plain.scene.guest), guest_fault(&coded.scene.guest)};
    for (unsigned n = 0; n < 2; n++)
        gpu_fault_format(&faults[n], said[n], sizeof said[n]);
    if (strcmp(said[0], said[1]) != 0)
        fail_msg("state %llu: '%s', expected '%s'", (unsigned long long)turn->number, said[1], said[0]);
    assert_int_equal(plain.scene.guest.pages, coded.scene.guest.pages);
    for (uint32_t at = 0; at < plain.scene.guest.pages; at += 4)
        if (memcmp(plain.scene.guest.memory.base + at, coded.scene.guest.memory.base + at, 4) != 0)
            fail_msg("state %llu (format %u, %u samples, %s): physical 0x%x is %08x, expected %08x",
                     (unsigned long long)turn->number, plain.format, plain.samples,
                     plain.shader ? "blend shader" : "equation", at,
                     util_load32(coded.scene.guest.memory.base + at),
                     util_load32(plain.scene.guest.memory.base + at));
    counts->states++;
    counts->stopped += faults[0].kind != 0;
    counts->blended += plain.shader;
    counts->compiled += plain.shader && compiled(turn->engine) > before;
    guest_destroy(&plain.scene.guest);
    guest_destroy(&coded.scene.guest);
}

/* Most of the blend shaders are compiled, and few states mean nothing. */
static void test_random(void **state)
{
    struct counts counts = {0};
    uint64_t programs = random_number_of("VITRAIL_DIFF_PROGRAMS", 60);
    (void)state;
    random_programs(random_number_of("VITRAIL_DIFF_SEED", 1), programs, 2, attempt, &counts);
    print_message("%u states, %u with a blend shader, of which %u compiled; %u stopped\n", counts.states,
                  counts.blended, counts.compiled, counts.stopped);
    assert_true(counts.compiled * 2 >= counts.blended);
    assert_true(counts.stopped * 4 <= counts.states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

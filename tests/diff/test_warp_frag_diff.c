/* Compiled fragments of isa/warp against the reference path: a draw of v9 of random state, samples, targets and blending, whose
 * random program reads varyings in each way, asks other lanes, discards, loops, stores to memory and reads it, tests and
 * emits, reads and writes the tile and goes to blend shaders, in any order. All of guest memory is the same, and what is
 * told of faults. VITRAIL_DIFF_PROGRAMS sets how many (default 150), VITRAIL_DIFF_SEED the first. */
#include <stdio.h>

#include "gpu/mali/world_internal.h"
#include "tests/diff/random.h"
#include "tests/gpu/mali/whole.h"

enum {
    TARGETS = 2,
    MEMORY = LATE_DATA + 0x200000,
    IMAGE = 0x80000, /* bytes of a target's */
    TEXT = 8192
};

/* Words of the uniforms; an instruction reads one pair of them. The first four are colours. */
enum { X_LEFT = 4, AT = 6, SIXTEEN = 8, LOW, RAW, OWN, SCALE, THREE, FIVE, TWO };

/* Where text goes, and labels so far. */
struct writer {
    char text[TEXT];
    size_t used;
    unsigned labels;
};

struct drawn {
    struct whole whole;
    struct writer program;
    uint64_t random;
    uint32_t samples;
    bool raw[TARGETS], wide[TARGETS]; /* a word of integers, or four */
    bool shader[TARGETS], stores, deep, kept;
};

static uint32_t below(struct drawn *d, uint32_t n)
{
    return (uint32_t)(random_next(&d->random) % n);
}

/* The conversion of a target's colours, as programs say it. */
static uint32_t conversion(const struct drawn *d, uint32_t t)
{
    const uint32_t format = d->wide[t] ? MALI_FORMAT_RGBA32UI : MALI_FORMAT_R32UI;
    return d->raw[t] ? mali_conversion_word(format, false, 0) | MALI_REGISTER_FILE_FORMAT_U32 << 24
                     : 0x010ED000;
}

/* ---- programs ---- */

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
    va_end(args);
    assert_true(w->used < sizeof w->text);
}

/* r0 to r3: colours about 0 to 1. */
static void put_colors(struct drawn *d, struct writer *w)
{
    static const char *const samples[] = {"center", "centroid", "sample", "explicit"};
    const uint32_t kind = below(d, 6);
    if (kind < 4) {
        put(w, "LD_VAR_IMM.slot0.v4.f32.%s.%s.wait0 @r0:r1:r2:r3, %s, table:0x1, index:0x0\n", samples[kind],
            below(d, 2) ? "store" : "clobber", kind == 3 && below(d, 2) ? "r59" : "r61");
        for (unsigned c = 0; c < 4; c++)
            put(w, "FMA.f32 r%u, r%u, u%u, 0x0.neg\nFADD.f32 r%u, r%u, u%u\n", c, c, SCALE, c, c,
                below(d, 4));
    } else if (kind == 4) {
        put(w, "LD_VAR_SPECIAL.v2.f32.%s.clobber.slot0.wait0 @r0:r1, r61, index:0x%x\n", samples[below(d, 3)],
            below(d, 3));
        put(w, "MOV.i32 r2, u2\nMOV.i32 r3, u3\n");
    } else {
        for (unsigned c = 0; c < 4; c++)
            put(w, "MOV.i32 r%u, u%u\n", c, below(d, 4));
    }
}

/* r20: where the pixel is, in a row of 32 words for each of theirs; r24: its word of memory. */
static void put_place(struct writer *w)
{
    put(w,
        "RSHIFT_AND.i32 r21, r59, 0x0.b00, u%u\nRSHIFT_AND.i32 r22, r59, u%u.b00, u%u\n"
        "LSHIFT_OR.i32 r20, r22, u%u.b00, r21\nLSHIFT_OR.i32 r22, r20, u%u.b00, 0x0\n"
        "IADD.u32 r24, r22, u%u\nMOV.i32 r25, u%u\n",
        LOW, SIXTEEN, LOW, FIVE, TWO, AT, AT + 1);
}

static void put_memory(struct drawn *d, struct writer *w)
{
    static const char *const atomics[] = {"aadd", "aor", "aumax", "axchg"};
    d->stores = true;
    put_place(w);
    switch (below(d, 4)) {
    case 0: put(w, "STORE.i32.slot0.wait0 @r%u, r24, offset:0\n", below(d, 4)); break;
    case 1:
        put(w,
            "LOAD.i32.unsigned.slot0.wait0 @r%u, r24, offset:0\nSTORE.i32.slot0.wait0 @r0, r24, "
            "offset:4096\n",
            below(d, 4));
        break;
    case 2:
        put(w, "ATOM_RETURN.i32.slot0.%s.wait0 @r%u, @r0, u%u, offset:0x%x\n", atomics[below(d, 4)], 26, AT,
            4 * below(d, 4));
        break;
    default: put(w, "STORE.i64.slot0.wait0 @r2:r3, r24, offset:8192\n"); break;
    }
}

/* What other lanes have, or which there are. */
static void put_lanes(struct drawn *d, struct writer *w)
{
    static const uint32_t sizes[] = {2, 4, 8};
    const uint32_t size = sizes[below(d, 3)];
    if (below(d, 2))
        put(w, "CLPER.i32.subgroup%u.xor%s r%u, r%u, 0x1000000.b3\n", size, below(d, 2) ? ".umax" : "",
            below(d, 4), below(d, 4));
    else
        put(w, "WMASK.subgroup%u r5, r%u\nU16_TO_F32 r5, r5\nFMA.f32 r%u, r5, u%u, 0x0.neg\n", size,
            below(d, 2) ? 59 : 60, below(d, 4), SCALE);
}

static void put_loop(struct drawn *d, struct writer *w)
{
    const unsigned n = w->labels++;
    put(w, "RSHIFT_AND.i32 r28, r59, 0x0.b00, u%u\nIADD_IMM.i32 r28, r28, #0x1\nL%u: FADD.f32 r%u, r0, u1\n",
        THREE, n, below(d, 4));
    put(w, "IADD_IMM.i32 r28, r28, #0xFFFFFFFF\nBRANCHZ r28, offset:L%u\n", n);
}

static void put_discard(struct drawn *d, struct writer *w)
{
    put(w, "RSHIFT_AND.i32 r4, r59, %s.b00, u%u\nU16_TO_F32 r4, r4\n", below(d, 2) ? "0x0" : "u8", LOW);
    put(w, "FADD.f32 r5, r4, u%u.neg\nDISCARD.f32.%s r5, 0x0\n", X_LEFT, below(d, 2) ? "lt" : "gt");
}

/* r8: the pixel of a target, of a sample that is known or is the fragment's; r9: the conversion. */
static void put_spot(struct drawn *d, struct writer *w, uint32_t t, bool shader)
{
    const uint32_t word = conversion(d, t);
    const uint32_t sample = below(d, 6) ? below(d, d->samples) : below(d, 20);
    put(w, "IADD_IMM.i32 r8, 0x0, #0x%X\n", 0xff000000u | t << 8 | (below(d, 3) ? sample : 0));
    if (!below(d, 3) && !shader)
        put(w,
            "RSHIFT_AND.i32 r7, r61, u%u.b00, u%u\nLSHIFT_OR.i32 r7, r7, 0x0.b00, u%u\nIADD_IMM.i32 r8, r7, "
            "#0x%X\n",
            SIXTEEN, LOW, OWN, t << 8);
    if (!below(d, 40))
        put(w, "IADD.u32 r8, r8, r59\n"); /* of other pixels: a fault */
    if (shader || !d->raw[t] || (t && d->raw[0]) || below(d, 2))
        put(w, "IADD_IMM.i32 r9, 0x0, #0x%X\n", word);
    else
        put(w, "MOV.i32 r9, u%u\n", RAW);
}

static void put_tile(struct drawn *d, struct writer *w, bool shader)
{
    const uint32_t t = below(d, TARGETS);
    put_spot(d, w, t, shader);
    if (below(d, 2))
        put(w, "LD_TILE.v4.%s.slot0.wait0 @r12:r13:r14:r15, r8, r60, r9\nFADD.f32 r%u, r%u, r%u\n",
            d->raw[t] ? "u32" : "f32", below(d, 4), below(d, 4), 12 + below(d, 4));
    else
        put(w, "ST_TILE.v4.%s.slot0.wait0 @r0:r1:r2:r3, r8, r60, r9\n", d->raw[t] ? "u32" : "f32");
}

static void put_emit(struct drawn *d, struct writer *w)
{
    static const char *const gives[] = {".z", ".stencil", ".z.stencil"};
    put(w, "ZS_EMIT%s.slot0.wait0 @r60, r%u, r59, r60\n", gives[below(d, 3)], below(d, 4));
}

/* Of a target with a blend shader a branch to it follows. */
static void put_blend(struct drawn *d, struct writer *w, uint32_t t, bool last)
{
    const char *type = d->raw[t] ? "u32" : below(d, 4) ? "f32" : NULL;
    if (!type)
        put(w, "V2F32_TO_V2F16.rte r0, r0, r1\nV2F32_TO_V2F16.rte r1, r2, r3\n");
    put(w, "BLEND.slot0.v4.%s%s @r0:r1%s, blend_descriptor_%u.w0, r%u, target:0x%x\n", type ? type : "f16",
        last && !d->shader[t] ? ".end" : "", type ? ":r2:r3" : "", t, below(d, 8) ? 60 : 61,
        d->shader[t] ? 2 : 0);
    if (d->shader[t])
        put(w,
            "IADD_IMM.i32 r48, program_counter.w0, #0x8\nBRANCHZI.eq.absolute 0x0, blend_descriptor_%u.w1\n",
            t);
    if (last && d->shader[t])
        put(w, "NOP.end\n");
}

/* Such as several blocks run side by side: what it does to the tile is kept to its end. */
static void make_kept(struct drawn *d, struct writer *w)
{
    put_colors(d, w);
    for (unsigned n = below(d, 7); n > 0; n--)
        switch (below(d, 8)) {
        case 0: put_lanes(d, w); break;
        case 1: put_loop(d, w); break;
        case 2: put_discard(d, w); break;
        default: put_colors(d, w);
        }
    if (below(d, 2))
        put(w, "ATEST @r60, r60, r%u, atest_datum.w0\n", below(d, 4));
    put_blend(d, w, below(d, TARGETS), true);
}

static void make_program(struct drawn *d, struct writer *w)
{
    const unsigned count = below(d, 7);
    put_colors(d, w);
    for (unsigned n = 0; n < count; n++)
        switch (below(d, 12)) {
        case 0: put_memory(d, w); break;
        case 1: put_lanes(d, w); break;
        case 2: put_loop(d, w); break;
        case 3: put_discard(d, w); break;
        case 4:
        case 5: put_tile(d, w, false); break;
        case 6:
            if (d->deep)
                put_emit(d, w);
            break;
        case 7: put_blend(d, w, below(d, TARGETS), false); break;
        case 8: put_colors(d, w); break;
        default: put(w, "ATEST @r60, r60, r%u, atest_datum.w0\n", below(d, 4));
        }
    put_blend(d, w, below(d, TARGETS), true);
}

/* What drivers make of a blend equation, and what they do not: it comes back to r48. */
static void make_shader(struct drawn *d, struct writer *w, uint32_t t)
{
    for (unsigned n = below(d, 3); n > 0; n--)
        put_tile(d, w, true);
    if (!below(d, 4))
        put_loop(d, w);
    put(w, "IADD_IMM.i32 r10, 0x0, #0x%X\n", MALI_BLEND_MODE_OPAQUE | 3 << 3 | t << 16);
    put(w, "IADD_IMM.i32 r11, 0x0, #0x%X\n", conversion(d, t));
    put(w, "BLEND.slot0.v4.%s @r0:r1:r2:r3, r10, r60, target:0x0\n", d->raw[t] ? "u32" : "f32");
    if (!below(d, 60))
        put(w, "MOV.i32 r48, r59\n"); /* goes astray */
    put(w, "BRANCHZI.absolute r48, r48\nNOP.end\n");
}

/* ---- state ---- */

static void set_tests(struct drawn *d)
{
    static const uint32_t kinds[] = {MALI_Z_INTERNAL_FORMAT_D16, MALI_Z_INTERNAL_FORMAT_D24,
                                     MALI_Z_INTERNAL_FORMAT_D32};
    static const char *const funcs[] = {"depth function", "front compare function", "back compare function"};
    static const char *const ops[] = {"front stencil fail", "front depth fail", "front depth pass",
                                      "back stencil fail",  "back depth fail",  "back depth pass"};
    struct whole *w = &d->whole;
    late_set(&w->late, "Z internal format", kinds[below(d, 3)]);
    late_set(&w->late, "Z clear", util_f2u(0.5f));
    late_set(&w->late, "S clear", below(d, 4));
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(funcs); n++)
        whole_depth(w, funcs[n], below(d, 2) ? MALI_FUNC_ALWAYS : below(d, 8));
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(ops); n++)
        whole_depth(w, ops[n], below(d, 8));
    whole_depth(w, "depth write enable", below(d, 2));
    whole_depth(w, "stencil test enable", below(d, 2));
    whole_depth(w, "front write mask", below(d, 256));
    whole_depth(w, "back write mask", below(d, 256));
    whole_depth(w, "front value mask", below(d, 256));
    whole_depth(w, "front reference value", below(d, 4));
    whole_depth(w, "stencil from shader", below(d, 2));
    whole_depth(w, "depth source", below(d, 2) ? MALI_DEPTH_SOURCE_SHADER : MALI_DEPTH_SOURCE_FIXED_FUNCTION);
    whole_draw(w, "pixel kill operation",
               below(d, 2) ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY);
    whole_draw(w, "ZS update operation",
               below(d, 2) ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_STRONG_EARLY);
}

static void set_target(struct drawn *d, unsigned t)
{
    static const uint32_t modes[] = {MALI_BLEND_MODE_OPAQUE, MALI_BLEND_MODE_OPAQUE,
                                     MALI_BLEND_MODE_FIXED_FUNCTION, MALI_BLEND_MODE_OFF};
    struct whole *w = &d->whole;
    const uint32_t mode = modes[below(d, d->raw[t] ? 2 : 4)];
    late_target(&w->late, t, "clear color 0", (uint32_t)random_next(&d->random));
    late_target(&w->late, t, "writeback MSAA", d->samples > 1 ? MALI_MSAA_LAYERED : MALI_MSAA_SINGLE);
    late_target(&w->late, t, "writeback base", LATE_DATA + t * IMAGE);
    late_target(&w->late, t, "writeback surface stride",
                WHOLE_FRAME_SIDE * WHOLE_FRAME_SIDE * (d->wide[t] ? 16 : 4));
    if (d->raw[t])
        whole_raw(w, t);
    if (d->wide[t])
        whole_wide(w, t);
    whole_blend(w, t, "alpha to one", !below(d, 3));
    whole_blend(w, t, "mode", mode);
    if (mode == MALI_BLEND_MODE_FIXED_FUNCTION) {
        whole_blend(w, t, "color mask", below(d, 16));
        whole_blend(w, t, "RGB a", MALI_BLEND_OPERAND_A_SRC);
        whole_blend(w, t, "RGB b", MALI_BLEND_OPERAND_B_DEST);
        whole_blend(w, t, "RGB c",
                    below(d, 2) ? MALI_BLEND_OPERAND_C_SRC_ALPHA : MALI_BLEND_OPERAND_C_CONSTANT);
        whole_blend(w, t, "alpha a", MALI_BLEND_OPERAND_A_SRC);
        whole_blend(w, t, "alpha b", MALI_BLEND_OPERAND_B_SRC);
        whole_blend(w, t, "alpha c", MALI_BLEND_OPERAND_C_ZERO);
        whole_blend(w, t, "constant unorm", below(d, 0x10000));
    }
    if (!d->shader[t])
        return;
    struct writer shader = {.used = 0};
    make_shader(d, &shader, t);
    whole_blend(w, t, "mode", MALI_BLEND_MODE_SHADER);
    whole_blend(w, t, "shader PC", WHOLE_SHADER + t * 0x200);
    whole_program(w, WHOLE_SHADER + t * 0x200, shader.text);
}

static void set_uniforms(struct drawn *d)
{
    struct whole *w = &d->whole;
    for (unsigned c = 0; c < 4; c++)
        whole_uniform(w, c, util_f2u((float)below(d, 256) / 200));
    whole_uniform(w, X_LEFT, util_f2u((float)below(d, WHOLE_FRAME_SIDE)));
    whole_uniform(w, AT, MEMORY);
    whole_uniform(w, AT + 1, 0);
    whole_uniform(w, RAW, conversion(d, d->raw[0] ? 0 : 1));
    whole_uniform(w, SIXTEEN, 16);
    whole_uniform(w, LOW, 31);
    whole_uniform(w, OWN, 0xff000000);
    whole_uniform(w, SCALE, util_f2u(1.0f / WHOLE_FRAME_SIDE));
    whole_uniform(w, THREE, 3);
    whole_uniform(w, FIVE, 5);
    whole_uniform(w, TWO, 2);
}

static void play(struct drawn *d, uint64_t number, struct jit_engine *engine)
{
    static const uint32_t samples[] = {1, 1, 1, 4, 4, 8, 16};
    *d = (struct drawn){.random = number};
    struct whole *w = &d->whole;
    whole_engine = engine;
    whole_begin(w, TARGETS);
    w->late.guest.device->options.fuel = 2000;
    d->samples = samples[below(d, UTIL_ARRAY_SIZE(samples))];
    d->deep = below(d, 2);
    d->kept = !below(d, 3);
    for (unsigned t = 0; t < TARGETS; t++) {
        d->raw[t] = !below(d, 3);
        d->wide[t] = d->raw[t] && d->samples < 8 && below(d, 2);
        d->shader[t] = !d->kept && !below(d, 4);
    }
    if (d->samples > 1) {
        late_samples(&w->late, d->samples);
        late_set(&w->late, "effective tile size", 256);
        whole_draw(w, "multisample enable", below(d, 4) != 0);
        whole_draw(w, "evaluate per-sample", below(d, 2));
        whole_draw(w, "alpha-to-coverage", !below(d, 3));
        whole_draw(w, "sample mask", below(d, 2) ? 0xffff : below(d, 0x10000));
    }
    set_uniforms(d);
    if (d->deep || below(d, 2))
        set_tests(d);
    for (unsigned t = 0; t < TARGETS; t++)
        set_target(d, t);
    if (d->kept)
        make_kept(d, &d->program);
    else
        make_program(d, &d->program);
    whole_program(w, WHOLE_CODE, d->program.text);
    if (d->stores)
        whole_allow_stores(w);
    guest_run(&w->late.guest, 0, LATE_JOB);
}

/* ---- both ways ---- */

struct counts {
    unsigned programs, compiled, stopped, stored, shaders;
};

static uint64_t compiled(struct jit_engine *engine)
{
    struct jit_stats stats;
    jit_engine_stats(engine, &stats);
    return stats.compiled;
}

static void expect_same_memory(uint64_t number, const struct drawn *plain, const struct drawn *coded)
{
    const struct guest *a = &plain->whole.late.guest, *b = &coded->whole.late.guest;
    assert_int_equal(a->pages, b->pages);
    for (uint32_t at = 0; at < a->pages; at += 4)
        if (memcmp(a->memory.base + at, b->memory.base + at, 4) != 0)
            fail_msg("program %llu of %u samples: physical 0x%x is %08x, expected %08x\n%s",
                     (unsigned long long)number, plain->samples, at, util_load32(b->memory.base + at),
                     util_load32(a->memory.base + at), plain->program.text);
}

static void attempt(const struct random_turn *turn, void *data)
{
    struct counts *counts = data;
    static struct drawn plain, coded;
    char said[2][400];
    const uint64_t before = compiled(turn->engine);
    play(&plain, turn->number, NULL);
    play(&coded, turn->number, turn->engine);
    const struct gpu_fault faults[2] = {guest_fault(&plain.whole.late.guest),
                                        guest_fault(&coded.whole.late.guest)};
    for (unsigned n = 0; n < 2; n++)
        gpu_fault_format(&faults[n], said[n], sizeof said[n]);
    if (strcmp(said[0], said[1]) != 0)
        fail_msg("program %llu: '%s', expected '%s'\n%s", (unsigned long long)turn->number, said[1], said[0],
                 plain.program.text);
    if (!faults[0].kind)
        expect_same_memory(turn->number, &plain, &coded);
    counts->programs++;
    counts->stopped += faults[0].kind != 0;
    counts->stored += plain.stores;
    counts->shaders += plain.shader[0] || plain.shader[1];
    counts->compiled += compiled(turn->engine) > before;
    whole_end(&plain.whole);
    whole_end(&coded.whole);
}

/* Nearly all programs are compiled, and few mean nothing. */
static void test_random(void **state)
{
    struct counts c = {0};
    (void)state;
    random_programs(random_number_of("VITRAIL_DIFF_SEED", 1), random_number_of("VITRAIL_DIFF_PROGRAMS", 150),
                    2, attempt, &c);
    print_message("%u programs, %u compiled; %u with a blend shader, %u that store; %u stopped\n", c.programs,
                  c.compiled, c.shaders, c.stored, c.stopped);
    assert_true(c.compiled * 10 >= c.programs * 9);
    assert_true(c.stopped * 4 <= c.programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

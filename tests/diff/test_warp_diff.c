/* Arithmetic of Bifrost and Valhall: one lane at a time (isa/warp/alu.c, function.c) against the same as IR, at every
 * vector level of this host. Every operation, with operands taken in every way and every modifier that it heeds, by
 * chance. A few values worked out by hand, and whole sequences as drivers have them against the C library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "isa/ports.h"
#include "isa/random.h"
#include "isa/warp/alu.h"
#include "isa/warp/ops.h"
#include "isa/warp/trans_alu.h"
#include "tests/diff/levels.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { VARIANTS = 12, VECTORS = 100, WORDS_BYTES = 64 };

/* Two words of each source: the second is the upper half of 64 bits. */
struct place {
    _Alignas(64) uint32_t word[WARP_SOURCES][2][ISA_LANES];
    _Alignas(64) uint64_t out[VARIANTS][ISA_LANES];
};
typedef void (*code_fn)(struct place *);

/* ---- instructions by chance ---- */

static void choose_source(struct isa_random *r, const struct warp_type_info *type, struct warp_source *s)
{
    const unsigned bits = isa_shape_width(type->shape), elements = isa_shape_elements(type->shape);
    unsigned widths[4], count = 0;
    memset(s, 0, sizeof *s);
    widths[count++] = bits;
    if (type->shape == ISA_F32)
        widths[count++] = 16;
    for (unsigned width = 8; !type->is_float && width < bits; width *= 2)
        widths[count++] = width;
    s->width = (uint8_t)widths[isa_random_below(r, count)];
    const unsigned raw = s->width == 64 ? 64 : 32;
    for (unsigned e = 0; e < 4; e++)
        s->lane[e] = (uint8_t)(e < elements ? isa_random_below(r, raw / s->width) : 0);
    if (s->width == bits && isa_random_one_in(r, 2)) /* as it stands */
        for (unsigned e = 0; e < elements; e++)
            s->lane[e] = (uint8_t)e;
    s->absolute = type->is_float && isa_random_one_in(r, 3);
    s->negate = type->is_float && isa_random_one_in(r, 3);
    s->invert = !type->is_float && isa_random_one_in(r, 3);
}

static void choose(struct isa_random *r, enum warp_op op, struct warp_insn *i)
{
    const bool rounds = warp_rows[op].class == WARP_ROUND;
    *i = (struct warp_insn){.op = (uint16_t)op};
    for (unsigned n = 0; n < warp_source_count(op); n++)
        choose_source(r, &warp_types[warp_rows[op].source[n]], &i->source[n]);
    i->condition = (uint8_t)isa_random_below(r, 8);
    i->truth = (uint8_t)isa_random_below(r, 3);
    if (i->truth == WARP_F1 && isa_shape_width(warp_types[warp_rows[op].type].shape) == 8)
        i->truth = WARP_I1; /* there are no floats of a byte */
    i->clamp = (uint8_t)isa_random_below(r, 4);
    i->round = (uint8_t)isa_random_below(r, rounds ? 5 : 4);
    i->mux = (uint8_t)isa_random_below(r, 4);
    i->shift = (uint8_t)isa_random_below(r, 8);
    i->saturate = isa_random_one_in(r, 2);
    i->up = isa_random_one_in(r, 2);
    i->arithmetic = isa_random_one_in(r, 2);
    i->not_result = isa_random_one_in(r, 2);
    i->propagate = isa_random_one_in(r, 2);
    i->sqrt = isa_random_one_in(r, 3);
    i->log = !i->sqrt && isa_random_one_in(r, 2);
    i->subtract = isa_random_one_in(r, 2);
    i->preserve_null = isa_random_one_in(r, 2);
    i->nan = (uint8_t)isa_random_below(r, 3);
    i->flush_subnormal = isa_random_one_in(r, 2);
    i->flush_infinite = isa_random_one_in(r, 2);
}

/* ---- compiled ---- */

struct variants {
    struct warp_insn insn[VARIANTS];
    unsigned count;
};

static LLVMValueRef raw_of(struct jit_builder *b, const struct warp_source *s, unsigned n)
{
    LLVMValueRef word[2];
    for (unsigned k = 0; k < 2; k++)
        word[k] =
            jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, 0), (uint64_t)(n * 2 + k) * WORDS_BYTES),
                     64, false);
    if (s->width != 64)
        return word[0];
    for (unsigned k = 0; k < 2; k++)
        word[k] = LLVMBuildZExt(b->ir, word[k], b->i64x16, "");
    return LLVMBuildOr(b->ir, word[0], LLVMBuildShl(b->ir, word[1], jit_splat(b, jit_i64(b, 32)), ""), "");
}

static int emit(struct jit_builder *b, void *data)
{
    const struct variants *v = data;
    LLVMTypeRef params[1] = {b->ptr};
    jit_begin_function(b, b->void_, params, 1);
    for (unsigned n = 0; n < v->count; n++) {
        const struct warp_insn *i = &v->insn[n];
        LLVMValueRef operand[WARP_SOURCES] = {NULL};
        for (unsigned k = 0; k < warp_source_count(i->op); k++)
            operand[k] = warp_trans_operand(b, i, k, raw_of(b, &i->source[k], k));
        LLVMValueRef out = warp_trans_compute(b, i, operand);
        out = LLVMBuildZExtOrBitCast(b->ir, out, b->i64x16, "");
        jit_store(b, out,
                  jit_offset_const(b, jit_param(b, 0), offsetof(struct place, out[0]) + (uint64_t)n * 128),
                  64);
    }
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static code_fn compile(struct variants *v, unsigned level, uint64_t seed)
{
    const uint64_t key[] = {v->insn[0].op, seed};
    struct jit_request request = {
        .key = key, .key_size = sizeof key, .name = "warp", .emit = emit, .data = v};
    struct util_error error = {0};
    void *code = NULL;
    if (jit_engine_get(engines[level], &request, &code, &error))
        fail_msg("%s: %s", warp_rows[v->insn[0].op].name, error.text);
    return (code_fn)code;
}

/* ---- one lane ---- */

static uint64_t expected(const struct warp_insn *i, const struct place *p, unsigned l)
{
    uint64_t operand[WARP_SOURCES] = {0};
    for (unsigned k = 0; k < warp_source_count(i->op); k++) {
        const bool pair = i->source[k].width == 64;
        uint64_t raw = p->word[k][0][l] | (pair ? (uint64_t)p->word[k][1][l] << 32 : 0);
        operand[k] = warp_operand(i, k, raw);
    }
    return warp_compute(i, operand);
}

/* Words that mean something as floats, halves, bytes or numbers. */
static uint32_t word(struct isa_random *r)
{
    static const uint32_t some[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x7f800001, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
                                    0xffffffff, 0x7fffffff, 0x3c003c00, 0x7c00fc00, 0x7e010001, 0x80000001,
                                    0x0000ffff, 0x43000000, 0x3f400000};
    uint32_t x = (uint32_t)isa_random_next(r);
    switch (isa_random_below(r, 5)) {
    case 0: return some[x % UTIL_ARRAY_SIZE(some)];
    case 1: return (x & 0x807fffff) | (112 + isa_random_below(r, 32)) << 23;
    case 2:
        return (x & 0x83ff83ff) | (8 + isa_random_below(r, 16)) << 10 | (8 + isa_random_below(r, 16)) << 26;
    case 3: return isa_random_below(r, 70);
    default: return x;
    }
}

static void fill(struct isa_random *r, struct place *p)
{
    for (unsigned k = 0; k < WARP_SOURCES; k++)
        for (unsigned h = 0; h < 2; h++)
            for (unsigned l = 0; l < ISA_LANES; l++)
                p->word[k][h][l] = k && isa_random_one_in(r, 8) ? p->word[0][h][l] : word(r);
}

static void compare(const struct variants *v, unsigned level, code_fn code, struct place *p)
{
    code(p);
    for (unsigned n = 0; n < v->count; n++)
        for (unsigned l = 0; l < ISA_LANES; l++) {
            const uint64_t want = expected(&v->insn[n], p, l), got = p->out[n][l];
            if (want != got)
                fail_msg("%s, %s, variant %u: of %08x %08x %08x %08x: IR gives %llx, one lane %llx",
                         warp_rows[v->insn[n].op].name, jit_level_name(level), n, p->word[0][0][l],
                         p->word[1][0][l], p->word[2][0][l], p->word[3][0][l], (unsigned long long)got,
                         (unsigned long long)want);
        }
}

static void both_agree(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (unsigned op = 0; op < WARP_OP_COUNT; op++) {
        struct isa_random r = {op + 1};
        struct variants v = {.count = VARIANTS};
        static struct place place;
        for (unsigned n = 0; n < VARIANTS; n++)
            choose(&r, op, &v.insn[n]);
        for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
            code_fn code = engines[level] ? compile(&v, level, 0) : NULL;
            for (unsigned n = 0; code && n < VECTORS; n++) {
                fill(&r, &place);
                compare(&v, level, code, &place);
            }
        }
    }
    util_fpenv_leave(saved);
}

/* ---- by hand ---- */

#define WHOLE(bits) {.width = (bits), .lane = {0, 1, 2, 3}}

static const struct {
    struct warp_insn insn;
    uint64_t in[WARP_SOURCES], out;
} known[] = {
    {{.op = WARP_FADD_F32, .source = {WHOLE(32), {.width = 16, .lane = {1}, .negate = true}}},
     {0x40400000, 0x3c000000},
     0x40000000},
    {{.op = WARP_FADD_V2F16, .source = {WHOLE(16), {.width = 16, .lane = {1, 0}}}},
     {0x3c004000, 0x40003c00},
     0x40004400},
    {{.op = WARP_FMA_F32, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}, .clamp = WARP_CLAMP_0_1},
     {0x40000000, 0x40000000, 0},
     0x3f800000},
    {{.op = WARP_IADD_S32, .source = {WHOLE(32), {.width = 8, .lane = {3}}}}, {5, 0xff000000}, 4},
    {{.op = WARP_IADD_U32, .source = {WHOLE(32), {.width = 8, .lane = {3}}}, .saturate = true},
     {0xffffffff, 0xff000000},
     0xffffffff},
    {{.op = WARP_IMUL_S32, .source = {WHOLE(32), WHOLE(32)}, .saturate = true}, {0x80000000, 2}, 0x80000000},
    {{.op = WARP_IMULD_U64, .source = {WHOLE(32), WHOLE(32)}}, {0xffffffff, 0xffffffff}, 0xfffffffe00000001},
    {{.op = WARP_SHADDX_U64, .source = {WHOLE(64), {.width = 32}}, .shift = 2},
     {0x100000000, 0x80000001},
     0x300000004},
    {{.op = WARP_SHADDX_S64, .source = {WHOLE(64), {.width = 32}}, .shift = 2},
     {0x100000000, 0xffffffff},
     0xfffffffc},
    {{.op = WARP_LSHIFT_OR_I32, .source = {WHOLE(32), {.width = 8}, WHOLE(32)}}, {1, 0xff21, 0x100}, 0x102},
    {{.op = WARP_RSHIFT_XOR_I32,
      .source = {WHOLE(32), {.width = 8}, WHOLE(32)},
      .arithmetic = true,
      .not_result = true},
     {0x80000000, 31, 0},
     0},
    {{.op = WARP_RSHIFT_AND_I32, .source = {WHOLE(32), {.width = 8}, {.width = 32, .invert = true}}},
     {0xff00, 4, 0x0f0},
     0xf00},
    {{.op = WARP_ICMP_OR_U32,
      .source = {WHOLE(32), WHOLE(32), WHOLE(32)},
      .condition = WARP_LT,
      .truth = WARP_M1},
     {1, 0xffffffff, 0},
     0xffffffff},
    {{.op = WARP_ICMP_AND_S32,
      .source = {WHOLE(32), WHOLE(32), WHOLE(32)},
      .condition = WARP_GT,
      .truth = WARP_I1},
     {1, 0xffffffff, 0xffffffff},
     1},
    {{.op = WARP_FCMP_OR_V2F16,
      .source = {WHOLE(16), WHOLE(16), WHOLE(16)},
      .condition = WARP_GE,
      .truth = WARP_F1},
     {0x3c004000, 0x40003c00, 0},
     0x3c00},
    /* 0x100000002 < 0x100000003, low words first */
    {{.op = WARP_ICMP_MULTI_S32,
      .source = {WHOLE(32), WHOLE(32), WHOLE(32)},
      .condition = WARP_LT,
      .truth = WARP_M1},
     {1, 1, 7},
     0xffffffff},
    {{.op = WARP_ICMP_MULTI_U32,
      .source = {WHOLE(32), WHOLE(32), WHOLE(32)},
      .condition = WARP_GE,
      .truth = WARP_F1},
     {1, 1, 0},
     0},
    {{.op = WARP_FLUSH_F32, .source = {WHOLE(32)}, .flush_subnormal = true}, {0x80000001}, 0x80000000},
    {{.op = WARP_FLUSH_F32, .source = {WHOLE(32)}}, {0x7f800001}, 0x7f800001},
    {{.op = WARP_FLUSH_F32, .source = {WHOLE(32)}, .nan = WARP_NAN_QUIET}, {0xff800001}, 0xffc00001},
    {{.op = WARP_FLUSH_F32, .source = {WHOLE(32)}, .flush_infinite = true}, {0xff800000}, 0xff7fffff},
    {{.op = WARP_FLUSH_V2F16, .source = {WHOLE(16)}, .nan = WARP_NAN_ZERO, .flush_infinite = true},
     {0xfe007c00},
     0x00007bff},
    {{.op = WARP_FLUSH_V2F16, .source = {WHOLE(16)}, .flush_subnormal = true}, {0x83ff0400}, 0x80000400},
    {{.op = WARP_CSEL_S32, .source = {WHOLE(32), WHOLE(32), WHOLE(32), WHOLE(32)}, .condition = WARP_LT},
     {0xffffffff, 0, 3, 4},
     3},
    {{.op = WARP_CSEL_F32, .source = {WHOLE(32), WHOLE(32), WHOLE(32), WHOLE(32)}, .condition = WARP_TOTAL},
     {0x7fc00000, 0, 3, 4},
     4},
    {{.op = WARP_MUX_I32, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}, .mux = WARP_MUX_INT_ZERO},
     {3, 4, 0},
     3},
    {{.op = WARP_MUX_I32, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}, .mux = WARP_MUX_INT_ZERO},
     {3, 4, 0x80000000},
     4},
    {{.op = WARP_MUX_I32, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}, .mux = WARP_MUX_FP_ZERO},
     {3, 4, 0x80000000},
     3},
    {{.op = WARP_MUX_V2I16, .source = {WHOLE(16), WHOLE(16), WHOLE(16)}, .mux = WARP_MUX_NEG},
     {0x00010002, 0x00030004, 0x80000000},
     0x00010004},
    {{.op = WARP_MUX_V4I8, .source = {WHOLE(8), WHOLE(8), WHOLE(8)}, .mux = WARP_MUX_BIT},
     {0x12345678, 0x9abcdef0, 0xff00ff00},
     0x12bc56f0},
    {{.op = WARP_HADD_V4U8, .source = {WHOLE(8), WHOLE(8)}, .up = true},
     {0x00ff0001, 0x00ff0100},
     0x00ff0101},
    {{.op = WARP_V2F32_TO_V2F16, .source = {WHOLE(32), WHOLE(32)}}, {0x3f800000, 0x40000000}, 0x40003c00},
    {{.op = WARP_F32_TO_S32, .source = {WHOLE(32)}, .round = WARP_RTN}, {0xc0200000}, 0xfffffffd},
    {{.op = WARP_S8_TO_F32, .source = {{.width = 8, .lane = {2}}}}, {0x00fe0000}, 0xc0000000},
    {{.op = WARP_V2S8_TO_V2F16, .source = {{.width = 8, .lane = {3, 0}}}}, {0xff000001}, 0x3c00bc00},
    {{.op = WARP_FROUND_F32, .source = {WHOLE(32)}, .round = WARP_RTNA}, {0x40200000}, 0x40400000},
    {{.op = WARP_MKVEC_V2I16, .source = {{.width = 16, .lane = {1}}, {.width = 16, .lane = {0}}}},
     {0x12345678, 0x9abcdef0},
     0xdef01234},
    {{.op = WARP_MKVEC_V2I8, .source = {{.width = 8, .lane = {1}}, {.width = 8, .lane = {3}}, WHOLE(16)}},
     {0x1234, 0xff000000, 0xabcd},
     0xabcdff12},
    {{.op = WARP_IDP_V4S8, .source = {WHOLE(8), WHOLE(8), WHOLE(32)}}, {0xff020304, 0x01010101, 10}, 18},
    {{.op = WARP_IDP_V4SU8, .source = {WHOLE(8), WHOLE(8), WHOLE(32)}}, {0xff, 0xff, 1}, 0xffffff02},
    {{.op = WARP_FRCP_APPROX_F32, .source = {WHOLE(32)}}, {0xc0800000}, 0xc0000000}, /* 1 / -(1/2) */
    {{.op = WARP_FRSQ_APPROX_F32, .source = {WHOLE(32)}}, {0x40800000}, 0x40000000}, /* of 1/4 */
    {{.op = WARP_FRCP_APPROX_F32, .source = {WHOLE(32)}}, {0x7f800000}, 0},
    {{.op = WARP_FEXP_TABLE_U4, .source = {WHOLE(32)}}, {0x49400010}, 0x3f800000},
    {{.op = WARP_FLOG_TABLE_RED_F32, .source = {WHOLE(32)}}, {0x3fa00000}, 0x3f500000}, /* of 5/4 */
    {{.op = WARP_FLOG_TABLE_BASE2_F32, .source = {WHOLE(32)}}, {0}, 0xff800000},
    {{.op = WARP_FMA_RSCALE_N_F32, .source = {WHOLE(32), WHOLE(32), WHOLE(32), WHOLE(32)}, .round = WARP_RTZ},
     {0x3f800001, 0x3f800001, 0, 1},
     0x40000002},
    {{.op = WARP_FREXPM_F32, .source = {WHOLE(32)}}, {0xc0400000}, 0xbf400000}, /* -3 = -3/4 * 2^2 */
    {{.op = WARP_FREXPE_F32, .source = {WHOLE(32)}}, {0xc0400000}, 2},
    {{.op = WARP_FREXPM_F32, .source = {WHOLE(32)}, .log = true},
     {0x3f000000},
     0x3f800000}, /* 1/2 = 1 * 2^-1 */
    {{.op = WARP_FREXPE_F32, .source = {WHOLE(32)}, .log = true}, {0x3f000000}, 0xffffffff},
    {{.op = WARP_FREXPM_F32, .source = {WHOLE(32)}, .sqrt = true},
     {0x40000000},
     0x3f000000}, /* 2 = 1/2 * 4^1 */
    {{.op = WARP_FREXPE_F32, .source = {WHOLE(32)}, .sqrt = true}, {0x40000000}, 1},
    {{.op = WARP_CUBEFACE1, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}},
     {0xc0000000, 0x3f800000, 0},
     0x40000000},
    {{.op = WARP_CUBEFACE2, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}},
     {0x3f800000, 0xc0000000, 0},
     0x60000000},
    {{.op = WARP_CUBE_SSEL, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}}, {1, 2, 0x20000000}, 1},
    {{.op = WARP_CUBE_TSEL, .source = {WHOLE(32), WHOLE(32), WHOLE(32)}}, {1, 2, 0x40000000}, 2},
};

static void by_hand(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(known); n++) {
        const struct warp_insn *i = &known[n].insn;
        uint64_t operand[WARP_SOURCES] = {0};
        for (unsigned k = 0; k < warp_source_count(i->op); k++)
            operand[k] = warp_operand(i, k, known[n].in[k]);
        const uint64_t got = warp_compute(i, operand);
        if (got != known[n].out)
            fail_msg("line %u, %s: %llx, not %llx", n, warp_rows[i->op].name, (unsigned long long)got,
                     (unsigned long long)known[n].out);
    }
    util_fpenv_leave(saved);
}

/* ---- sequences (Mesa's bifrost_compile.c) ---- */

static uint32_t op(enum warp_op op, uint32_t a, uint32_t b, uint32_t c)
{
    const struct warp_insn i = {.op = (uint16_t)op, .log = true};
    const uint64_t operand[WARP_SOURCES] = {a, b, c, 24};
    return (uint32_t)warp_compute(&i, operand);
}

static float logarithm(float x)
{
    const uint32_t bits = util_f2u(x), e = op(WARP_S32_TO_F32, op(WARP_FREXPE_F32, bits, 0, 0), 0, 0);
    return util_u2f(
        op(WARP_FMA_F32, op(WARP_FLOGD_F32, bits, 0, 0), op(WARP_FADD_LSCALE_F32, util_f2u(-1), bits, 0), e));
}

/* bi_fexp_32: the float that goes with the fixed point number is 2^24 times the power. */
static float power(float x)
{
    const uint32_t scaled = op(WARP_FMA_RSCALE_F32, util_f2u(x), util_f2u(1), 0);
    return util_u2f(op(WARP_FEXP_F32, op(WARP_F32_TO_S32, scaled, 0, 0), scaled, 0));
}

static void sequences_come_near(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (float x = 1e-30f; x < 1e30f; x *= 1.01f)
        assert_true(fabs(logarithm(x) - log2((double)x)) <= 2e-7 * fmax(fabs(log2((double)x)), 0.05));
    for (float x = -120; x < 120; x += 0.37f)
        assert_true(fabs(power(x) / exp2((double)x) - 1) < 1e-6);
    for (unsigned k = 0; k < 64; k++) {
        assert_true(fabs(util_u2f(op(WARP_FSIN_TABLE_U6, k, 0, 0)) - sin(k * M_PI / 32)) < 3e-7);
        assert_true(fabs(util_u2f(op(WARP_FCOS_TABLE_U6, k, 0, 0)) - cos(k * M_PI / 32)) < 3e-7);
    }
    assert_true(isinf(logarithm(0)) && logarithm(0) < 0);
    assert_true(isinf(logarithm(INFINITY)) && logarithm(INFINITY) > 0);
    assert_true(isnan(logarithm(-1)));
    assert_true(power(-INFINITY) == 0 && isinf(power(INFINITY)) && isnan(power(NAN)));
    assert_true(power(-200) == 0 && isinf(power(128)) && isinf(power(200)) && power(127.99999f) < INFINITY);
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(sequences_come_near),
                                       cmocka_unit_test(both_agree)};
    return cmocka_run_group_tests(tests, start_levels, stop_levels);
}

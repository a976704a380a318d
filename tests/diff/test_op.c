/* Lane operations as scalars (isa/op.c) against the same as IR (isa/trans_op.c), at every vector level of this
 * host: every operation in every shape and policy. Halves go through all values of the first operand, with
 * some of the others; all else is random, with special values. NaNs count as one but where the policy fixes
 * their bits. A few values worked out by hand stand beside, for what both might have wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "isa/random.h"
#include "isa/trans_op.h"
#include "tests/diff/levels.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { POLICIES = 12, OTHERS = 6, VECTORS = 400 };

/* Lanes of a shape stand in its own width. */
struct lanes {
    _Alignas(64) uint8_t bytes[128];
};
struct place {
    struct lanes in[3], out[POLICIES];
};
typedef void (*op_fn)(struct place *);

struct variant {
    enum isa_op op;
    enum isa_shape shape;
    unsigned count;
    uint8_t policies[POLICIES];
    unsigned constants; /* bit an operand: it is `constant` in all lanes, and known when code is made */
    bool repeats;       /* the second operand is the first */
    bool as_singles;    /* halves are widened before, and become bits behind it */
    uint64_t constant[3];
    op_fn code[JIT_LEVEL_COUNT];
};

static unsigned bytes_of(enum isa_shape shape)
{
    return isa_shape_width(shape) * isa_shape_elements(shape) / 8;
}

static uint64_t get(const struct lanes *v, enum isa_shape shape, unsigned l)
{
    uint64_t out = 0;
    memcpy(&out, &v->bytes[l * bytes_of(shape)], bytes_of(shape));
    return out;
}

static void set(struct lanes *v, enum isa_shape shape, unsigned l, uint64_t value)
{
    memcpy(&v->bytes[l * bytes_of(shape)], &value, bytes_of(shape));
}

/* ---- compiled ---- */

static LLVMValueRef splat(LLVMTypeRef type, uint64_t value)
{
    LLVMValueRef all[16];
    for (unsigned l = 0; l < 16; l++)
        all[l] = LLVMConstInt(LLVMGetElementType(type), value, false);
    return LLVMConstVector(all, 16);
}

static LLVMValueRef op_of_singles(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef in[3])
{
    LLVMValueRef single[3] = {NULL};
    for (unsigned n = 0; n < isa_op_rows[op.op].sources; n++)
        single[n] = isa_trans_half_of_bits(b, in[n]);
    LLVMValueRef out = isa_trans_half(b, op, single, true);
    return LLVMTypeOf(out) == b->f32x16 ? isa_trans_half_bits(b, out) : out;
}

static int emit(struct jit_builder *b, void *data)
{
    const struct variant *v = data;
    LLVMTypeRef params[1] = {b->ptr};
    LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(b->context, bytes_of(v->shape) * 8), 16);
    LLVMValueRef in[3] = {NULL};
    jit_begin_function(b, b->void_, params, 1);
    for (unsigned n = 0; n < isa_op_rows[v->op].sources; n++)
        in[n] = v->constants >> n & 1 ? splat(type, v->constant[n])
                : n == 1 && v->repeats
                    ? in[0]
                    : jit_load(b, type,
                               jit_offset_const(b, jit_param(b, 0), offsetof(struct place, in[0]) + n * 128),
                               64, false);
    for (unsigned n = 0; n < v->count; n++) {
        const struct isa_lane_op op = {v->op, v->shape, v->policies[n]};
        LLVMValueRef out = v->as_singles ? op_of_singles(b, op, in) : isa_trans_op(b, op, in);
        jit_store(b, out, jit_offset_const(b, jit_param(b, 0), offsetof(struct place, out[0]) + n * 128), 64);
    }
    LLVMBuildRetVoid(b->ir);
    return 0;
}

static void choose_policies(struct variant *v)
{
    static const uint8_t of[][POLICIES] = {
        [ISA_OP_FLOAT... ISA_OP_ARITHMETIC] = {0, 1, 2, 3, ISA_OP_FLUSH, ISA_OP_QUIET, ISA_OP_FLUSH | 1,
                                               ISA_OP_FLUSH | 2, ISA_OP_FLUSH | 3, ISA_OP_QUIET | 1,
                                               ISA_OP_FLUSH | ISA_OP_QUIET | ISA_OP_PROPAGATE},
        [ISA_OP_FTEST] = {0, ISA_OP_I1, ISA_OP_F1, ISA_OP_FLUSH},
        [ISA_OP_INT] = {0},
        [ISA_OP_ITEST] = {0, ISA_OP_I1},
        [ISA_OP_CONVERT] = {0, 1, 2, 3, ISA_OP_FLUSH, ISA_OP_FLUSH | 1, ISA_OP_FLUSH | 2, ISA_OP_FLUSH | 3,
                            ISA_OP_QUIET, ISA_OP_QUIET | ISA_OP_FLUSH},
    };
    enum isa_op_kind kind = isa_op_rows[v->op].kind;
    memcpy(v->policies, of[kind], POLICIES);
    for (v->count = 1; v->count < POLICIES && v->policies[v->count]; v->count++)
        continue;
}

static void compile(struct variant *v)
{
    uint64_t key[] = {v->op,      v->shape,       v->count,       v->policies[0], v->constants,
                      v->repeats, v->constant[0], v->constant[1], v->constant[2], v->as_singles};
    struct jit_request request = {.key = key, .key_size = sizeof key, .name = "op", .emit = emit, .data = v};
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct util_error error = {0};
        void *code = NULL;
        if (engines[level] && jit_engine_get(engines[level], &request, &code, &error))
            fail_msg("%s: %s", isa_op_rows[v->op].name, error.text);
        v->code[level] = (op_fn)code;
    }
}

/* ---- comparing ---- */

static bool is_nan(unsigned width, uint64_t x)
{
    return width == 16   ? (x & 0x7fff) > 0x7c00
           : width == 32 ? (x & 0x7fffffff) > 0x7f800000
                         : (x & ~0ull >> 1) > 0x7ffull << 52;
}

static bool same(enum isa_shape gives, unsigned policy, uint64_t x, uint64_t y)
{
    unsigned width = isa_shape_width(gives);
    bool any = gives <= ISA_V2F16 && !(policy & ISA_OP_QUIET);
    for (unsigned e = 0; e < isa_shape_elements(gives); e++) {
        uint64_t a = x >> e * width & (~0ull >> (64 - width)), b = y >> e * width & (~0ull >> (64 - width));
        if (a != b && !(any && is_nan(width, a) && is_nan(width, b)))
            return false;
    }
    return true;
}

/* All policies of one set of operands. */
static void compare(const struct variant *v, struct place *place)
{
    enum isa_shape gives = isa_op_gives(v->op, v->shape);
    uint64_t expected[POLICIES][16];
    for (unsigned l = 0; l < 16; l++) {
        uint64_t in[3];
        for (unsigned k = 0; k < 3; k++)
            in[k] = get(&place->in[k], v->shape, l);
        for (unsigned n = 0; n < v->count; n++)
            expected[n][l] = isa_op_lane((struct isa_lane_op){v->op, v->shape, v->policies[n]}, in);
    }
    for (unsigned level = 0; level < JIT_LEVEL_COUNT; level++) {
        if (!v->code[level])
            continue;
        v->code[level](place);
        for (unsigned n = 0; n < v->count; n++)
            for (unsigned l = 0; l < 16; l++) {
                uint64_t got = get(&place->out[n], gives, l);
                if (!same(isa_op_rows[v->op].kind == ISA_OP_FTEST ? ISA_I64 : gives, v->policies[n],
                          expected[n][l], got))
                    fail_msg("%s, shape %u, policy %u, %s: of %llx, %llx, %llx: IR gives %llx, scalar %llx",
                             isa_op_rows[v->op].name, v->shape, v->policies[n], jit_level_name(level),
                             (unsigned long long)get(&place->in[0], v->shape, l),
                             (unsigned long long)get(&place->in[1], v->shape, l),
                             (unsigned long long)get(&place->in[2], v->shape, l), (unsigned long long)got,
                             (unsigned long long)expected[n][l]);
            }
    }
}

/* Of a width, for one element. */
static uint64_t interesting(struct isa_random *r, unsigned width, bool floats)
{
    static const uint32_t singles[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
        1,          0x807fffff, 0x00800000, 0x7f7fffff, 0x3f000000, 0x3effffff, 0xbf000000, 0x4b000000,
        0x4b000001, 0x4affffff, 0xcf000000, 0x4f000000, 0x4effffff, 0x4f800000, 0x38800000, 0x387fffff,
        0x33000000, 0x33000001, 0x477fefff, 0x477ff000, 0x42fe0000, 0xc3000000};
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
                                      1,      0x8001, 0x3ff,  0x400,  0x8400, 0x7bff, 0xfbff, 0x3800,
                                      0x37ff, 0xb800, 0x6400, 0x63ff, 0x5bf8, 0x5bff, 0xd800, 0x7bfe};
    static const uint64_t doubles[] = {0,
                                       1ull << 63,
                                       0x3ffull << 52,
                                       0xbffull << 52,
                                       0x7ffull << 52,
                                       0xfffull << 52,
                                       0xfffull << 51,
                                       0x7ff0000000000001,
                                       1,
                                       0x800fffffffffffff,
                                       1ull << 52,
                                       0x7fefffffffffffff,
                                       0x3feull << 52,
                                       0x381ull << 52,
                                       0x380fffffffffffff,
                                       0x3810000000000001,
                                       0x380ffffff0000000,
                                       0x47efffffe0000000,
                                       0x47efffffefffffff,
                                       0x47effffff0000000,
                                       0x43eull << 52,
                                       0xc3eull << 52,
                                       0x43dfffffffffffff,
                                       0x43full << 52,
                                       0x36a0000000000000,
                                       0x3ff0000010000000,
                                       0x3ff0000010000001,
                                       0x4330000000000001,
                                       0x4340000000000001};
    uint64_t x = isa_random_next(r);
    unsigned kind = isa_random_below(r, 8);
    if (floats && kind < 2 && width == 64)
        return doubles[x % UTIL_ARRAY_SIZE(doubles)];
    if (floats && kind < 6 && width == 64)
        return (x & ~(0x7ffull << 52)) | (uint64_t)(isa_random_one_in(r, 4) ? 890 + isa_random_below(r, 270)
                                                                            : 1008 + isa_random_below(r, 70))
                                             << 52;
    if (floats && kind < 2)
        return width == 16 ? halves[x % UTIL_ARRAY_SIZE(halves)] : singles[x % UTIL_ARRAY_SIZE(singles)];
    if (floats && kind < 6 && width == 32) /* of near sizes */
        return (x & 0x807fffff) | (uint64_t)(112 + isa_random_below(r, 40)) << 23;
    if (!floats && kind < 3) { /* near the ends */
        uint64_t end = isa_random_one_in(r, 2) ? 1ull << (width - 1) : 0;
        return end + isa_random_below(r, 5) - 2;
    }
    if (!floats && kind == 3)
        return isa_random_below(r, 80);
    return x;
}

static uint64_t random_lane(struct isa_random *r, enum isa_shape shape, bool floats)
{
    unsigned width = isa_shape_width(shape);
    uint64_t out = 0;
    for (unsigned e = 0; e < isa_shape_elements(shape); e++)
        out |= (interesting(r, width, floats) & (~0ull >> (64 - width))) << e * width;
    return out;
}

static void fill(struct isa_random *r, const struct variant *v, struct lanes *lanes, unsigned operand)
{
    bool floats = v->shape <= ISA_V2F16 && !(v->op == ISA_OP_fldexp && operand == 1);
    for (unsigned l = 0; l < 16; l++)
        set(lanes, v->shape, l, random_lane(r, v->shape, floats));
}

/* Its policies are chosen. */
static void try_variant(struct variant *v)
{
    struct isa_random r = {v->op * 16 + v->shape};
    struct place place;
    memset(&place, 0, sizeof place);
    compile(v);
    for (unsigned n = 0; n < VECTORS; n++) {
        for (unsigned k = 0; k < isa_op_rows[v->op].sources; k++)
            fill(&r, v, &place.in[k], k);
        compare(v, &place);
    }
    for (unsigned first = 0; v->shape == ISA_F16 && first < 1 << 16; first += 16)
        for (unsigned n = 0; n < (isa_op_rows[v->op].sources > 1 ? OTHERS : 1); n++) {
            for (unsigned l = 0; l < 16; l++)
                set(&place.in[0], ISA_F16, l, first + l);
            for (unsigned k = 1; k < isa_op_rows[v->op].sources; k++)
                fill(&r, v, &place.in[k], k);
            compare(v, &place);
        }
}

static void both_agree(void **state)
{
    unsigned saved = util_fpenv_enter(), tried = 0;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (unsigned shape = 0; shape < ISA_SHAPE_COUNT; shape++) {
            struct variant v = {.op = op, .shape = shape};
            if (!isa_op_takes(op, shape))
                continue;
            choose_policies(&v);
            try_variant(&v);
            tried++;
        }
    util_fpenv_leave(saved);
    print_message("%u operations, %u with their shapes\n", ISA_OP_COUNT, tried);
}

/* Nothing is to be tried of what halves as singles do not do. */
static struct variant of_halves(unsigned op)
{
    struct variant v = {.op = op, .shape = ISA_F16, .as_singles = true};
    for (unsigned propagates = 0; propagates < 2 && isa_op_takes(op, ISA_F16); propagates++) {
        const uint8_t policy = ISA_OP_QUIET | (propagates ? ISA_OP_PROPAGATE : 0);
        if (isa_op_by_singles((struct isa_lane_op){op, ISA_F16, policy}))
            v.policies[v.count++] = policy;
    }
    return v;
}

static void halves_stand_as_singles(void **state)
{
    unsigned saved = util_fpenv_enter(), tried = 0;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        struct variant v = of_halves(op);
        if (v.count)
            try_variant(&v);
        tried += v.count != 0;
    }
    util_fpenv_leave(saved);
    assert_true(tried >= 20);
}

/* ---- constants ---- */

/* By what the compiler may fold an operation: units, zeros, denormals, and what is no number. */
enum { CONSTANTS = 10, TRIES = 6 };
static const uint64_t constants[][CONSTANTS] = {
    [ISA_F32] = {0x3f800000, 0xbf800000, 0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x40000000, 0x7f800000,
                 0x7fc00000},
    [ISA_F16] = {0x3c00, 0xbc00, 0, 0x8000, 1, 0x83ff, 0x0400, 0x4000, 0x7c00, 0x7e00},
    [ISA_F64] = {0x3ffull << 52, 0xbffull << 52, 0, 1ull << 63, 1, 0x800fffffffffffff, 1ull << 52, 1ull << 62,
                 0x7ffull << 52, 0xfffull << 51},
};

/* The operands that are not constant: random, or of the constants, too. */
static void fill_beside(struct isa_random *r, const struct variant *v, struct place *place, bool random)
{
    memset(place, 0, sizeof *place);
    for (unsigned k = 0; k < isa_op_rows[v->op].sources; k++) {
        fill(r, v, &place->in[k], k);
        for (unsigned l = 0; l < 16; l++)
            if (v->constants >> k & 1)
                set(&place->in[k], v->shape, l, v->constant[k]);
            else if (k == 1 && v->repeats)
                set(&place->in[1], v->shape, l, get(&place->in[0], v->shape, l));
            else if (!random)
                set(&place->in[k], v->shape, l, constants[v->shape][isa_random_below(r, CONSTANTS)]);
    }
}

static void try_folding(struct variant *v)
{
    struct isa_random r = {v->op};
    struct place place;
    compile(v);
    for (unsigned n = 0; n < TRIES; n++) {
        fill_beside(&r, v, &place, n & 1);
        compare(v, &place);
    }
}

static void try_constants(struct variant *v)
{
    unsigned sources = isa_op_rows[v->op].sources;
    for (v->constants = 1; v->constants < 1u << sources; v->constants++)
        for (unsigned c = 0; c < CONSTANTS; c++) {
            for (unsigned k = 0; k < 3; k++)
                v->constant[k] = constants[v->shape][(c + k * 3) % CONSTANTS];
            try_folding(v);
        }
    v->constants = 0;
    v->repeats = sources > 1;
    try_folding(v);
}

/* Where operands are known when code is made, or are the same, LLVM folds: by rules that keep denormals.
 * Halves stand as singles, of which none is denormal; what computes of halves themselves keeps theirs. */
static void folding_keeps_the_rules(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        for (unsigned shape = ISA_F32; shape <= ISA_F64; shape++) {
            bool test = isa_op_rows[op].kind == ISA_OP_FTEST;
            struct variant v = {
                .op = op, .shape = shape, .count = test ? 1 : 3, .policies = {0, ISA_OP_RTP, ISA_OP_FLUSH}};
            if (shape == ISA_F16)
                v = of_halves(op);
            if (isa_op_takes(op, shape) && v.count)
                try_constants(&v);
        }
    util_fpenv_leave(saved);
}

/* ---- by hand ---- */

static const struct {
    struct isa_lane_op op;
    uint64_t in[3], out;
} known[] = {
    {{ISA_OP_fadd, ISA_F32, 0}, {0x3f800000, 0x33800000}, 0x3f800000}, /* 1 + 2^-24: to even */
    {{ISA_OP_fadd, ISA_F32, 0}, {0x00800000, 0x807fffff}, 0x00800000}, /* a denormal is zero */
    {{ISA_OP_ffma, ISA_F32, 0},
     {0x3f800001, 0x3f800001, 0xbf800002},
     0x28800000}, /* 2^-46: not rounded between */
    /* below halfway by less than a double's, and a single's, last place */
    {{ISA_OP_ffma, ISA_F32, 0}, {0x397ffffe, 0x39800001, 0x3f800001}, 0x3f800001},
    {{ISA_OP_ffma, ISA_F16, 0}, {0x27fe, 0x2401, 0x3c01}, 0x3c01},
    {{ISA_OP_fmul, ISA_F16, 0}, {0x0400, 0x3800}, 0x0200}, /* a denormal half */
    {{ISA_OP_fmul, ISA_F16, ISA_OP_FLUSH}, {0x0400, 0x3800}, 0},
    {{ISA_OP_fadd, ISA_V2F16, 0}, {0x3c007bff, 0x40007bff}, 0x42007c00}, /* 3 above, infinity below */
    {{ISA_OP_fmin, ISA_F32, 0}, {0x7fc00000, 0x40000000}, 0x40000000},
    {{ISA_OP_fmin, ISA_F32, ISA_OP_PROPAGATE}, {0x40000000, 0x7f800001}, 0x7fc00000},
    {{ISA_OP_fround, ISA_F32, 0}, {0x40200000}, 0x40400000},     /* 2.5: 3 */
    {{ISA_OP_froundeven, ISA_F32, 0}, {0x40200000}, 0x40000000}, /* 2.5: 2 */
    {{ISA_OP_fclamp_m1_1, ISA_F32, 0}, {0x7fc00000}, 0xbf800000},
    {{ISA_OP_fne, ISA_F32, 0}, {0x7fc00000, 0x7fc00000}, 0xffffffff},
    {{ISA_OP_flg, ISA_F32, 0}, {0x7fc00000, 0x7fc00000}, 0},
    {{ISA_OP_feq, ISA_F32, ISA_OP_F1}, {0, 0x80000000}, 0x3f800000},
    {{ISA_OP_imul_hi, ISA_I32, 0}, {0x80000000, 0x80000000}, 0x40000000},
    {{ISA_OP_umul_hi, ISA_I64, 0}, {~0ull, ~0ull}, ~1ull},
    {{ISA_OP_iavg, ISA_I8, 0}, {0x80, 0x81}, 0x80},
    {{ISA_OP_iavg_up, ISA_I8, 0}, {0x80, 0x81}, 0x81},
    {{ISA_OP_iadd_sat, ISA_V4I8, 0}, {0x7f80017f, 0x01ff0101}, 0x7f80027f},
    {{ISA_OP_clz, ISA_V2I16, 0}, {0x00010000}, 0x000f0010},
    {{ISA_OP_rotl, ISA_I16, 0}, {0x8001, 17}, 0x0003},
    {{ISA_OP_mux, ISA_I32, 0}, {0xff00ff00, 0x12345678, 0x9abcdef0}, 0x12bc56f0},
    {{ISA_OP_f32_to_i32, ISA_F32, ISA_OP_RTE}, {0x40200000}, 2},
    {{ISA_OP_f32_to_i32, ISA_F32, ISA_OP_RTP}, {0x40200000}, 3},
    {{ISA_OP_f32_to_u8, ISA_F32, 0}, {0x43960000}, 255}, /* 300 */
    {{ISA_OP_f32_to_i32, ISA_F32, 0}, {0x7fc00000}, 0},
    {{ISA_OP_f32_to_f16, ISA_F32, ISA_OP_RTZ}, {0x477ff000}, 0x7bff},
    {{ISA_OP_f32_to_f16, ISA_F32, ISA_OP_RTP}, {0x30000000}, 0x0001},
    {{ISA_OP_i32_to_f32, ISA_I32, ISA_OP_RTZ}, {0x01000003}, 0x4b800001},
    {{ISA_OP_i32_to_f32, ISA_I32, ISA_OP_RTP}, {0x01000003}, 0x4b800002},
    {{ISA_OP_i32_to_u8_sat, ISA_I32, 0}, {0xffffffff}, 0},
    /* sums in a direction: 1 + 2^-24, 1 - 2^-60, products beyond the greatest, denormal ones */
    {{ISA_OP_fadd, ISA_F32, ISA_OP_RTP}, {0x3f800000, 0x33800000}, 0x3f800001},
    {{ISA_OP_fadd, ISA_F32, ISA_OP_RTZ}, {0x3f800000, 0xa1800000}, 0x3f7fffff},
    {{ISA_OP_fsub, ISA_F32, ISA_OP_RTN}, {0xbf800000, 0x21800000}, 0xbf800001},
    {{ISA_OP_fmul, ISA_F32, ISA_OP_RTZ}, {0x7f000000, 0x7f000000}, 0x7f7fffff},
    {{ISA_OP_fmul, ISA_F32, ISA_OP_RTP}, {0x00800000, 0x3f000000}, 0},
    {{ISA_OP_ffma, ISA_F32, ISA_OP_RTZ}, {0x3f800001, 0x3f800001, 0}, 0x3f800002},
    {{ISA_OP_ffma, ISA_F32, ISA_OP_RTP}, {0x3f800001, 0x3f800001, 0}, 0x3f800003},
    {{ISA_OP_fadd, ISA_F16, ISA_OP_RTP}, {0x3c00, 0x0001}, 0x3c01},
    {{ISA_OP_fadd, ISA_F64, 0}, {0x3ff0000000000000, 0x3ca0000000000000}, 0x3ff0000000000000},
    {{ISA_OP_fmin, ISA_F64, ISA_OP_PROPAGATE}, {0x3ff0000000000000, 0x7ff0000000000001}, 0x7ff8000000000000},
    {{ISA_OP_f64_to_f32, ISA_F64, 0}, {0x3ff0000010000000}, 0x3f800000},
    {{ISA_OP_f64_to_f32, ISA_F64, ISA_OP_RTP}, {0x3ff0000010000000}, 0x3f800001},
    {{ISA_OP_f64_to_f32, ISA_F64, ISA_OP_RTP}, {0x380fffffffffffff}, 0},
    {{ISA_OP_f64_to_i64, ISA_F64, 0}, {0x43e0000000000000}, 0x7fffffffffffffff},
    {{ISA_OP_f64_to_u64, ISA_F64, 0}, {0xbff0000000000000}, 0},
    {{ISA_OP_u64_to_f64, ISA_I64, ISA_OP_RTZ}, {~0ull}, 0x43efffffffffffff},
    {{ISA_OP_i64_to_f64, ISA_I64, ISA_OP_RTN}, {0xffdfffffffffffff}, 0xc340000000000001},
    {{ISA_OP_ishl_sat, ISA_I8, 0}, {0x41, 1}, 0x7f},
    {{ISA_OP_ishl_sat, ISA_I8, 0}, {0xbf, 1}, 0x80},
    {{ISA_OP_ushl_sat, ISA_I16, 0}, {0x4000, 2}, 0xffff},
};

static void by_hand(void **state)
{
    unsigned saved = util_fpenv_enter();
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(known); n++) {
        struct isa_lane_op op = known[n].op;
        struct variant v = {.op = op.op, .shape = op.shape, .count = 1, .policies = {op.policy}};
        uint64_t got = isa_op_lane(op, known[n].in);
        struct place place;
        if (got != known[n].out)
            fail_msg("%s of %llx, %llx: %llx, not %llx", isa_op_rows[op.op].name,
                     (unsigned long long)known[n].in[0], (unsigned long long)known[n].in[1],
                     (unsigned long long)got, (unsigned long long)known[n].out);
        memset(&place, 0, sizeof place);
        for (unsigned k = 0; k < 3; k++)
            for (unsigned l = 0; l < 16; l++)
                set(&place.in[k], op.shape, l, known[n].in[k]);
        compile(&v);
        compare(&v, &place);
    }
    util_fpenv_leave(saved);
}

static void shapes(void **state)
{
    assert_true(isa_op_takes(ISA_OP_fadd, ISA_V2F16) && !isa_op_takes(ISA_OP_fadd, ISA_I32));
    assert_true(isa_op_takes(ISA_OP_f16_to_i16, ISA_V2F16) && !isa_op_takes(ISA_OP_f16_to_i32, ISA_V2F16));
    assert_int_equal(isa_op_gives(ISA_OP_i16_to_f16, ISA_V2I16), ISA_V2F16);
    assert_int_equal(isa_op_gives(ISA_OP_f16_to_f32, ISA_F16), ISA_F32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(shapes), cmocka_unit_test(both_agree),
        cmocka_unit_test(halves_stand_as_singles), cmocka_unit_test(folding_keeps_the_rules)};
    return cmocka_run_group_tests(tests, start_levels, stop_levels);
}

/* Special functions of exact mode (README, rule 8x). */
#include "isa/vc4_qpu/trans_internal.h"

#define SEGMENTS 64
#define SIGN     (UINT32_C(1) << 31)

enum function { RECIP, RSQRT_EVEN, RSQRT_ODD, EXP2, LOG2, FUNCTIONS };

static const struct {
    int32_t base, step;
} chords[FUNCTIONS][SEGMENTS] = {
#include "isa/vc4_qpu/exact_sfu.inc"
};

static LLVMValueRef splat(struct vc4_qpu_trans *t, uint32_t n)
{
    return jit_splat_u32(t->b, n);
}

static LLVMValueRef compare(struct vc4_qpu_trans *t, LLVMIntPredicate how, LLVMValueRef i, uint32_t with)
{
    return LLVMBuildICmp(t->b->ir, how, i, splat(t, with), "");
}

/* All chords, one word each: base in the upper 18 bits, step in the lower 14. */
static LLVMValueRef chord_words(struct vc4_qpu_trans *t)
{
    uint32_t words[FUNCTIONS * SEGMENTS];
    for (unsigned i = 0; i < FUNCTIONS * SEGMENTS; i++) {
        uint32_t base = (uint32_t)chords[i / SEGMENTS][i % SEGMENTS].base;
        uint32_t step = (uint32_t)chords[i / SEGMENTS][i % SEGMENTS].step;
        words[i] = base << 14 | (step & 0x3fff);
    }
    return jit_table(t->b, "vc4_qpu_chords", words, FUNCTIONS * SEGMENTS);
}

static LLVMValueRef chord_of(struct vc4_qpu_trans *t, enum function function, LLVMValueRef number)
{
    return jit_table_word(t->b, chord_words(t), function * SEGMENTS, number);
}

/* The point of a chord word at a fraction of 16 digits, in 15 digits. */
static LLVMValueRef along(struct vc4_qpu_trans *t, LLVMValueRef word, LLVMValueRef fraction)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef step = LLVMBuildAShr(ir, vc4_qpu_trans_shl(t, word, 18), splat(t, 18), "");
    LLVMValueRef rise = LLVMBuildMul(ir, step, vc4_qpu_trans_and(t, fraction, 1023), "");
    LLVMValueRef r =
        LLVMBuildAdd(ir, vc4_qpu_trans_shr(t, word, 14), LLVMBuildAShr(ir, rise, splat(t, 10), ""), "");
    return vc4_qpu_trans_shr(t, r, 3);
}

static LLVMValueRef along_chord(struct vc4_qpu_trans *t, enum function function, LLVMValueRef fraction)
{
    return along(t, chord_of(t, function, vc4_qpu_trans_shr(t, fraction, 10)), fraction);
}

static LLVMValueRef exponent_of(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    return vc4_qpu_trans_and(t, vc4_qpu_trans_shr(t, i, 23), 255);
}

static LLVMValueRef fraction_of(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    return vc4_qpu_trans_and(t, vc4_qpu_trans_shr(t, i, 7), 0xffff);
}

static LLVMValueRef assemble(struct vc4_qpu_trans *t, LLVMValueRef exponent, LLVMValueRef digits)
{
    return LLVMBuildOr(t->b->ir, vc4_qpu_trans_shl(t, exponent, 23), vc4_qpu_trans_shl(t, digits, 8), "");
}

static LLVMValueRef recip(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef e = exponent_of(t, i), sign = vc4_qpu_trans_and(t, i, SIGN),
                 size = vc4_qpu_trans_and(t, i, ~SIGN);
    LLVMValueRef r =
        assemble(t, LLVMBuildSub(ir, splat(t, 253), e, ""), along_chord(t, RECIP, fraction_of(t, i)));

    r = jit_select(t->b, compare(t, LLVMIntUGE, e, 253), splat(t, 0), r);
    r = jit_select(t->b, compare(t, LLVMIntEQ, e, 0), splat(t, 0x7f800000), r);
    r = jit_select(t->b, compare(t, LLVMIntEQ, size, 0x3f800000), size, r);
    return LLVMBuildOr(ir, r, sign, "");
}

static LLVMValueRef rsqrt(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef e = exponent_of(t, i);
    LLVMValueRef even = compare(t, LLVMIntNE, vc4_qpu_trans_and(t, e, 1), 0); /* the bias is odd */
    LLVMValueRef fraction = fraction_of(t, i), number = vc4_qpu_trans_shr(t, fraction, 10);
    LLVMValueRef word =
        jit_select(t->b, even, chord_of(t, RSQRT_EVEN, number), chord_of(t, RSQRT_ODD, number));
    LLVMValueRef exponent = vc4_qpu_trans_shr(t, LLVMBuildSub(ir, splat(t, 380), e, ""), 1);
    LLVMValueRef r = assemble(t, exponent, along(t, word, fraction));

    r = jit_select(t->b, compare(t, LLVMIntEQ, e, 255), splat(t, 0), r);
    return jit_select(t->b, compare(t, LLVMIntEQ, e, 0), splat(t, 0x7f800000), r);
}

/* |x| below 128 in 16 binary places, of a negative x all digits inverted. */
static LLVMValueRef binary_places(struct vc4_qpu_trans *t, LLVMValueRef i, LLVMValueRef e)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef digits = LLVMBuildOr(ir, vc4_qpu_trans_and(t, i, 0x7fffff), splat(t, 1u << 23), "");
    LLVMValueRef right = LLVMBuildSub(ir, splat(t, 134), e, "");
    LLVMValueRef places =
        LLVMBuildLShr(ir, digits, vc4_qpu_trans_binary(t, "llvm.umin", right, splat(t, 31)), "");
    LLVMValueRef negative = LLVMBuildAShr(ir, i, splat(t, 31), "");

    return LLVMBuildXor(ir, places, negative, "");
}

static LLVMValueRef exp2_(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef e = exponent_of(t, i), zero = splat(t, 0), infinite = splat(t, 0x7f800000);
    LLVMValueRef none = compare(t, LLVMIntEQ, e, 0), great = compare(t, LLVMIntUGE, e, 134);
    LLVMValueRef places = jit_select(t->b, none, zero, binary_places(t, i, e));
    LLVMValueRef whole = LLVMBuildAShr(ir, places, splat(t, 16), "");
    LLVMValueRef exponent = LLVMBuildAdd(ir, whole, splat(t, 127), "");
    LLVMValueRef r = assemble(t, exponent, along_chord(t, EXP2, vc4_qpu_trans_and(t, places, 0xffff)));

    r = jit_select(t->b, compare(t, LLVMIntSLE, exponent, 0), zero, r);
    return jit_select(t->b, great, jit_select(t->b, compare(t, LLVMIntSLT, i, 0), zero, infinite), r);
}

static LLVMValueRef log2_(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef e = exponent_of(t, i);
    LLVMValueRef whole = vc4_qpu_trans_shl(t, LLVMBuildSub(ir, e, splat(t, 127), ""), 16);
    LLVMValueRef part = vc4_qpu_trans_shl(t, along_chord(t, LOG2, fraction_of(t, i)), 1);
    LLVMValueRef places = LLVMBuildAdd(ir, whole, part, "");
    LLVMValueRef negative = LLVMBuildAShr(ir, places, splat(t, 31), "");
    LLVMValueRef size = jit_i32_to_f32(t->b, LLVMBuildXor(ir, places, negative, ""));
    LLVMValueRef scaled = LLVMBuildFMul(ir, size, jit_splat_f32(t->b, 0x1p-16f), "");
    LLVMValueRef r = LLVMBuildOr(ir, jit_as_i32(t->b, scaled), vc4_qpu_trans_and(t, negative, SIGN), "");

    r = jit_select(t->b, compare(t, LLVMIntEQ, e, 255), splat(t, 0x7f800000), r);
    return jit_select(t->b, compare(t, LLVMIntEQ, e, 0), splat(t, 0xff800000), r);
}

struct vc4_qpu_value *vc4_qpu_trans_exact_sfu(struct vc4_qpu_trans *t, unsigned waddr,
                                              struct vc4_qpu_value *x)
{
    LLVMValueRef i = vc4_qpu_trans_i(t, x), r;

    switch (waddr) {
    case VC4_QPU_W_SFU_RECIP: r = recip(t, i); break;
    case VC4_QPU_W_SFU_RSQRT: r = rsqrt(t, i); break;
    case VC4_QPU_W_SFU_EXP2: r = exp2_(t, i); break;
    default: r = log2_(t, i); break;
    }
    struct vc4_qpu_value *v = vc4_qpu_trans_int(t, r);
    v->clean = true; /* no NaN comes out */
    return v;
}

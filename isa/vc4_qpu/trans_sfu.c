/* Special functions (README, rule 8): the sequences there, step by step. */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef constant(struct trans *t, uint32_t bits)
{
    return LLVMBuildBitCast(t->b->ir, jit_splat_u32(t->b, bits), t->b->f32x16, "");
}

/* p = p * x + c, two roundings */
static LLVMValueRef step(struct trans *t, LLVMValueRef p, LLVMValueRef x, uint32_t c)
{
    return LLVMBuildFAdd(t->b->ir, LLVMBuildFMul(t->b->ir, p, x, ""), constant(t, c), "");
}

static LLVMValueRef nan_through(struct trans *t, LLVMValueRef x, LLVMValueRef result)
{
    LLVMValueRef nan = LLVMBuildFCmp(t->b->ir, LLVMRealUNO, x, x, "");
    return jit_select(t->b, nan, constant(t, TRANS_NAN), result);
}

static LLVMValueRef magnitude(struct trans *t, LLVMValueRef x)
{
    return trans_and(t, jit_as_i32(t->b, x), 0x7fffffff);
}

static LLVMValueRef recip(struct trans *t, LLVMValueRef x)
{
    return LLVMBuildFDiv(t->b->ir, constant(t, 0x3f800000), x, "");
}

static LLVMValueRef rsqrt(struct trans *t, LLVMValueRef x)
{
    return nan_through(t, x, recip(t, jit_sqrt(t->b, jit_as_f32(t->b, magnitude(t, x)))));
}

/* floor of |x| <= 128 as an integer and a float. Rounding down by comparison makes a denormal zero. */
static LLVMValueRef small_floor(struct trans *t, LLVMValueRef x, LLVMValueRef *as_float)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef cut = jit_f32_to_i32(t->b, x);
    LLVMValueRef above = LLVMBuildFCmp(ir, LLVMRealOGT, jit_i32_to_f32(t->b, cut), x, "");
    LLVMValueRef floor = LLVMBuildAdd(ir, cut, LLVMBuildSExt(ir, above, t->b->i32x16, ""), "");

    *as_float = jit_i32_to_f32(t->b, floor);
    return floor;
}

static LLVMValueRef exp2_(struct trans *t, LLVMValueRef x)
{
    static const uint32_t c[] = {0x3c16b907, 0x3d63f8a7, 0x3e75f8e0, 0x3f31721e, 0x3f800000};
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef low = constant(t, 0xc2fe0000), high = constant(t, 0x43000000), whole;

    /* a NaN becomes -127 here, and a NaN again at the end */
    LLVMValueRef y = jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealOGT, x, low, ""), x, low);
    y = jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealOLT, y, high, ""), y, high);
    LLVMValueRef i = small_floor(t, y, &whole), f = LLVMBuildFSub(ir, y, whole, "");
    LLVMValueRef p = constant(t, 0x3aea67b3);
    for (unsigned k = 0; k < 5; k++)
        p = step(t, p, f, c[k]);
    /* i = -127 gives the pattern of 0, i = 128 that of infinity */
    LLVMValueRef scale = trans_shl(t, LLVMBuildAdd(ir, i, jit_splat_u32(t->b, 127), ""), 23);
    return nan_through(t, x, LLVMBuildFMul(ir, p, jit_as_f32(t->b, scale), ""));
}

/* log2 of a positive, finite, normal number given by its bits */
static LLVMValueRef log2_normal(struct trans *t, LLVMValueRef bits)
{
    static const uint32_t c[] = {0x3f13a39b, 0x3f763873, 0x4038aa3b};
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef one = jit_splat_u32(t->b, 0x3f800000);
    LLVMValueRef e = LLVMBuildSub(ir, trans_shr(t, bits, 23), jit_splat_u32(t->b, 127), "");
    LLVMValueRef m = LLVMBuildOr(ir, trans_and(t, bits, 0x7fffff), one, "");
    LLVMValueRef big = LLVMBuildICmp(ir, LLVMIntUGT, m, jit_splat_u32(t->b, 0x3fb504f3), "");

    /* halving is one less in the exponent */
    m = LLVMBuildSub(ir, m, jit_select(t->b, big, jit_splat_u32(t->b, 1u << 23), jit_splat_u32(t->b, 0)), "");
    e = LLVMBuildSub(ir, e, LLVMBuildSExt(ir, big, t->b->i32x16, ""), "");
    LLVMValueRef d = LLVMBuildFSub(ir, jit_as_f32(t->b, m), constant(t, 0x3f800000), "");
    LLVMValueRef s = LLVMBuildFDiv(ir, d, LLVMBuildFAdd(ir, constant(t, 0x40000000), d, ""), "");
    LLVMValueRef s2 = LLVMBuildFMul(ir, s, s, ""), p = constant(t, 0x3edd0a1a);
    for (unsigned k = 0; k < 3; k++)
        p = step(t, p, s2, c[k]);
    return LLVMBuildFAdd(ir, jit_i32_to_f32(t->b, e), LLVMBuildFMul(ir, p, s, ""), "");
}

static LLVMValueRef log2_(struct trans *t, LLVMValueRef x)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = magnitude(t, x);
    LLVMValueRef tiny = LLVMBuildICmp(ir, LLVMIntULT, a, jit_splat_u32(t->b, 0x00800000), "");
    LLVMValueRef infinite = LLVMBuildICmp(ir, LLVMIntEQ, a, jit_splat_u32(t->b, 0x7f800000), "");
    LLVMValueRef r = log2_normal(t, a);

    r = jit_select(t->b, infinite, constant(t, 0x7f800000), r);
    r = jit_select(t->b, tiny, constant(t, 0xff800000), r);
    return nan_through(t, x, r);
}

struct trans_value *trans_sfu(struct trans *t, unsigned waddr, struct trans_value *v)
{
    LLVMValueRef x, r;

    if (t->exact)
        return trans_exact_sfu(t, waddr, v);
    x = trans_operand(t, v);
    switch (waddr) {
    case VC4_QPU_W_SFU_RECIP: r = recip(t, x); break;
    case VC4_QPU_W_SFU_RSQRT: r = rsqrt(t, x); break;
    case VC4_QPU_W_SFU_EXP2: r = exp2_(t, x); break;
    default: r = log2_(t, x); break;
    }
    /* the selects among them may become constants */
    return trans_float(t, r, true, waddr == VC4_QPU_W_SFU_RECIP);
}

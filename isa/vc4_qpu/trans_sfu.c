/* Special functions (README, rule 8): the sequences there, step by step. */
#include "isa/vc4_qpu/trans_internal.h"
#include "jit/math.h"

static LLVMValueRef constant(struct vc4_qpu_trans *t, uint32_t bits)
{
    return LLVMBuildBitCast(t->b->ir, jit_splat_u32(t->b, bits), t->b->f32x16, "");
}

/* p = p * x + c, two roundings */
static LLVMValueRef step(struct vc4_qpu_trans *t, LLVMValueRef p, LLVMValueRef x, uint32_t c)
{
    return LLVMBuildFAdd(t->b->ir, LLVMBuildFMul(t->b->ir, p, x, ""), constant(t, c), "");
}

static LLVMValueRef nan_through(struct vc4_qpu_trans *t, LLVMValueRef x, LLVMValueRef result)
{
    LLVMValueRef nan = LLVMBuildFCmp(t->b->ir, LLVMRealUNO, x, x, "");
    return jit_select(t->b, nan, constant(t, TRANS_NAN), result);
}

static LLVMValueRef magnitude(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    return vc4_qpu_trans_and(t, jit_as_i32(t->b, x), 0x7fffffff);
}

static LLVMValueRef recip(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    return LLVMBuildFDiv(t->b->ir, constant(t, 0x3f800000), x, "");
}

static LLVMValueRef rsqrt(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    return recip(t, jit_sqrt(t->b, jit_as_f32(t->b, magnitude(t, x))));
}

/* p * 2^i for whole i of -127..128 and 1 <= p < 2: 0 and infinity at the ends, a NaN for a NaN. */
static LLVMValueRef scale(struct vc4_qpu_trans *t, LLVMValueRef p, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;

    if (t->b->level >= JIT_AVX512)
        return jit_scalef(t->b, p, i);
    /* i = -127 gives the pattern of 0, i = 128 that of infinity */
    LLVMValueRef exponent = LLVMBuildAdd(ir, jit_f32_to_i32(t->b, i), jit_splat_u32(t->b, 127), "");
    return LLVMBuildFMul(ir, p, jit_as_f32(t->b, vc4_qpu_trans_shl(t, exponent, 23)), "");
}

static LLVMValueRef exp2_(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    static const uint32_t c[] = {0x3c16b907, 0x3d63f8a7, 0x3e75f8e0, 0x3f31721e, 0x3f800000};
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef low = constant(t, 0xc2fe0000), high = constant(t, 0x43000000);
    bool nan_goes_through = t->b->level >= JIT_AVX512; /* else it would be made an integer */

    LLVMValueRef y =
        nan_goes_through ? x : jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealORD, x, x, ""), x, low);
    y = jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealOLT, y, low, ""), low, y);
    y = jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealOGT, y, high, ""), high, y);
    LLVMValueRef i = jit_floor(t->b, y), f = LLVMBuildFSub(ir, y, i, "");
    LLVMValueRef p = constant(t, 0x3aea67b3);
    for (unsigned k = 0; k < 5; k++)
        p = step(t, p, f, c[k]);
    p = scale(t, p, i);
    return nan_goes_through ? p : nan_through(t, x, p);
}

/* The exponent as a number and the significand in [1, 2) of |x|, which is positive, finite and normal. */
static LLVMValueRef split(struct vc4_qpu_trans *t, LLVMValueRef x, LLVMValueRef *m)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef bits = magnitude(t, x);
    LLVMValueRef e = LLVMBuildSub(ir, vc4_qpu_trans_shr(t, bits, 23), jit_splat_u32(t->b, 127), "");

    *m = LLVMBuildOr(ir, vc4_qpu_trans_and(t, bits, 0x7fffff), jit_splat_u32(t->b, 0x3f800000), "");
    *m = jit_as_f32(t->b, *m);
    return jit_i32_to_f32(t->b, e);
}

/* The same of any x by AVX-512's instructions: of 0 -infinity and 1, of infinities +infinity and 1, of a NaN
 * that NaN. */
static LLVMValueRef split_any(struct vc4_qpu_trans *t, LLVMValueRef x, LLVMValueRef *m)
{
    enum { WITHOUT_SIGN = 1 << 2 };
    LLVMValueRef all = LLVMConstInt(t->b->i16, 0xffff, false), rounding = jit_i32(t->b, JIT_ROUND_AS_SET);
    LLVMValueRef exponent[] = {x, x, all, rounding};
    LLVMValueRef significand[] = {x, jit_i32(t->b, WITHOUT_SIGN), x, all, rounding};

    *m = jit_intrinsic(t->b, "llvm.x86.avx512.mask.getmant.ps.512", NULL, 0, significand, 5);
    return jit_intrinsic(t->b, "llvm.x86.avx512.mask.getexp.ps.512", NULL, 0, exponent, 4);
}

/* log2 of m * 2^e */
static LLVMValueRef log2_parts(struct vc4_qpu_trans *t, LLVMValueRef e, LLVMValueRef m)
{
    static const uint32_t c[] = {0x3f13a39b, 0x3f763873, 0x4038aa3b};
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef one = constant(t, 0x3f800000), half = constant(t, 0x3f000000);
    LLVMValueRef big = LLVMBuildFCmp(ir, LLVMRealOGT, m, constant(t, 0x3fb504f3), "");

    m = jit_select(t->b, big, LLVMBuildFMul(ir, m, half, ""), m);
    e = jit_select(t->b, big, LLVMBuildFAdd(ir, e, one, ""), e);
    LLVMValueRef d = LLVMBuildFSub(ir, m, one, "");
    LLVMValueRef s = LLVMBuildFDiv(ir, d, LLVMBuildFAdd(ir, constant(t, 0x40000000), d, ""), "");
    LLVMValueRef s2 = LLVMBuildFMul(ir, s, s, ""), p = constant(t, 0x3edd0a1a);
    for (unsigned k = 0; k < 3; k++)
        p = step(t, p, s2, c[k]);
    return LLVMBuildFAdd(ir, e, LLVMBuildFMul(ir, p, s, ""), "");
}

static LLVMValueRef log2_(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef e, m;

    if (t->b->level >= JIT_AVX512) {
        e = split_any(t, x, &m);
        return log2_parts(t, e, m);
    }
    LLVMValueRef a = magnitude(t, x);
    LLVMValueRef tiny = LLVMBuildICmp(ir, LLVMIntULT, a, jit_splat_u32(t->b, 0x00800000), "");
    LLVMValueRef infinite = LLVMBuildICmp(ir, LLVMIntEQ, a, jit_splat_u32(t->b, 0x7f800000), "");

    e = split(t, x, &m);
    LLVMValueRef r = log2_parts(t, e, m);
    r = jit_select(t->b, infinite, constant(t, 0x7f800000), r);
    r = jit_select(t->b, tiny, constant(t, 0xff800000), r);
    return nan_through(t, x, r);
}

struct vc4_qpu_value *vc4_qpu_trans_sfu(struct vc4_qpu_trans *t, unsigned waddr, struct vc4_qpu_value *v)
{
    LLVMValueRef x, r;

    if (t->exact)
        return vc4_qpu_trans_exact_sfu(t, waddr, v);
    if (vc4_qpu_trans_is_loose(t, v)) /* of all functions only recip tells zeros apart */
        x = vc4_qpu_trans_number(t, v, waddr == VC4_QPU_W_SFU_RECIP ? LLVMRealONE : LLVMRealORD);
    else
        x = vc4_qpu_trans_operand(t, v);
    switch (waddr) {
    case VC4_QPU_W_SFU_RECIP: r = recip(t, x); break;
    case VC4_QPU_W_SFU_RSQRT:
        v = vc4_qpu_trans_raw(t, rsqrt(t, x), TRANS_RAW_NAN);
        v->unbounded = true;
        return v;
    case VC4_QPU_W_SFU_EXP2: r = exp2_(t, x); break;
    default: r = log2_(t, x); break;
    }
    /* the selects among them may become constants */
    v = vc4_qpu_trans_float(t, r, true, waddr == VC4_QPU_W_SFU_RECIP);
    v->unbounded = waddr == VC4_QPU_W_SFU_RECIP;
    return v;
}

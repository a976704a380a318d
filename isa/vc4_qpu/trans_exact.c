/* Float arithmetic of exact mode (README, rules 1x to 4x and 7x). AVX-512 rounds each operation as it is
 * told; elsewhere operations are done in double precision, where nothing is lost that cannot be found out. */
#include "isa/vc4_qpu/trans_internal.h"
#include "jit/math.h"

static LLVMValueRef bits(struct vc4_qpu_trans *t, LLVMValueRef f)
{
    return jit_as_i32(t->b, f);
}

static LLVMValueRef splat_float(struct vc4_qpu_trans *t, uint32_t pattern)
{
    return jit_as_f32(t->b, jit_splat_u32(t->b, pattern));
}

static LLVMValueRef compare(struct vc4_qpu_trans *t, LLVMIntPredicate how, LLVMValueRef i, uint32_t with)
{
    return LLVMBuildICmp(t->b->ir, how, i, jit_splat_u32(t->b, with), "");
}

static LLVMValueRef with_sign_of(struct vc4_qpu_trans *t, LLVMValueRef magnitude, LLVMValueRef i)
{
    return LLVMBuildOr(t->b->ir, magnitude, vc4_qpu_trans_and(t, i, UINT32_C(1) << 31), "");
}

/* Patterns of NaN are infinities. */
static LLVMValueRef operand(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    if (!v->operand && !v->clean) {
        LLVMValueRef i = bits(t, vc4_qpu_trans_factor(t, v)), size = vc4_qpu_trans_and(t, i, 0x7fffffff);
        size = vc4_qpu_trans_binary(t, "llvm.umin", size, jit_splat_u32(t->b, 0x7f800000));
        v->operand = jit_as_f32(t->b, with_sign_of(t, size, i));
    }
    return v->operand ? v->operand : vc4_qpu_trans_factor(t, v);
}

/* ---- in double precision ---- */

static LLVMTypeRef doubles(struct vc4_qpu_trans *t)
{
    return LLVMVectorType(LLVMDoubleTypeInContext(t->b->context), JIT_LANES);
}

static LLVMValueRef splat_u64(struct vc4_qpu_trans *t, uint64_t v)
{
    LLVMValueRef lanes[JIT_LANES];

    for (unsigned i = 0; i < JIT_LANES; i++)
        lanes[i] = jit_i64(t->b, v);
    return LLVMConstVector(lanes, JIT_LANES);
}

/* Drops the 29 digits that a single has not; what remains converts without rounding. From 2^128 on that gives
 * an infinity, below 2^-126 zero. */
static LLVMValueRef cut_off(struct vc4_qpu_trans *t, LLVMValueRef i64s)
{
    LLVMValueRef kept = LLVMBuildAnd(t->b->ir, i64s, splat_u64(t, ~UINT64_C(0x1fffffff)), "");
    return LLVMBuildFPTrunc(t->b->ir, LLVMBuildBitCast(t->b->ir, kept, doubles(t), ""), t->b->f32x16, "");
}

static LLVMValueRef widen(struct vc4_qpu_trans *t, LLVMValueRef f)
{
    return LLVMBuildFPExt(t->b->ir, f, doubles(t), "");
}

/* The sum rounded to a double, and what that lost (Knuth's two-sum). Where the loss points toward zero the
 * true sum is less in magnitude: one unit less cuts off as the true sum does. */
static LLVMValueRef double_sum(struct vc4_qpu_trans *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef x = widen(t, a), y = widen(t, b), s = LLVMBuildFAdd(ir, x, y, "");
    LLVMValueRef y2 = LLVMBuildFSub(ir, s, x, ""), x2 = LLVMBuildFSub(ir, s, y2, "");
    LLVMValueRef lost = LLVMBuildFAdd(ir, LLVMBuildFSub(ir, x, x2, ""), LLVMBuildFSub(ir, y, y2, ""), "");
    LLVMValueRef si = LLVMBuildBitCast(ir, s, t->b->i64x16, "");
    LLVMValueRef signs = LLVMBuildXor(ir, si, LLVMBuildBitCast(ir, lost, t->b->i64x16, ""), "");
    LLVMValueRef less = LLVMBuildAnd(ir, LLVMBuildICmp(ir, LLVMIntSLT, signs, splat_u64(t, 0), ""),
                                     LLVMBuildFCmp(ir, LLVMRealONE, lost, LLVMConstNull(doubles(t)), ""),
                                     ""); /* no NaN: infinities */

    return cut_off(t, LLVMBuildAdd(ir, si, LLVMBuildSExt(ir, less, t->b->i64x16, ""), ""));
}

static LLVMValueRef double_product(struct vc4_qpu_trans *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef p = LLVMBuildFMul(t->b->ir, widen(t, a), widen(t, b), "");
    return cut_off(t, LLVMBuildBitCast(t->b->ir, p, t->b->i64x16, ""));
}

/* ---- rounded as told ---- */

static LLVMValueRef told(struct vc4_qpu_trans *t, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = {a, b, jit_i32(t->b, JIT_ROUND_TO_ZERO)};
    return jit_intrinsic(t->b, name, NULL, 0, args, 3);
}

static LLVMValueRef halved(struct vc4_qpu_trans *t, LLVMValueRef f)
{
    return LLVMBuildFMul(t->b->ir, f, splat_float(t, 0x3f000000), "");
}

/* Rounding toward zero ends at the greatest finite number. Twice `half`, the same operation's half, is
 * infinite from 2^128 on. */
static LLVMValueRef with_infinities(struct vc4_qpu_trans *t, LLVMValueRef r, LLVMValueRef half)
{
    return jit_fix_special(t->b, r, LLVMBuildFAdd(t->b->ir, half, half, ""),
                           JIT_SPECIAL(JIT_IS_LOW_INFINITE, JIT_GIVES_X) |
                               JIT_SPECIAL(JIT_IS_INFINITE, JIT_GIVES_X));
}

/* r; but +0 for either zero, and `otherwise` for a NaN. */
static LLVMValueRef fixed(struct vc4_qpu_trans *t, LLVMValueRef r, LLVMValueRef otherwise)
{
    return jit_fix_special(
        t->b, otherwise, r,
        JIT_SPECIAL(JIT_IS_ZERO, JIT_GIVES_ZERO) | JIT_SPECIAL(JIT_IS_ONE, JIT_GIVES_X) |
            JIT_SPECIAL(JIT_IS_LOW_INFINITE, JIT_GIVES_X) | JIT_SPECIAL(JIT_IS_INFINITE, JIT_GIVES_X) |
            JIT_SPECIAL(JIT_IS_NEGATIVE, JIT_GIVES_X) | JIT_SPECIAL(JIT_IS_POSITIVE, JIT_GIVES_X));
}

static LLVMValueRef told_sum(struct vc4_qpu_trans *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = {a, splat_float(t, 0x3f000000), halved(t, b), jit_i32(t->b, JIT_ROUND_TO_ZERO)};
    LLVMValueRef half = jit_intrinsic(t->b, "llvm.x86.avx512.vfmadd.ps.512", NULL, 0, args, 4);
    return fixed(t, with_infinities(t, told(t, "llvm.x86.avx512.add.ps.512", a, b), half), b);
}

static LLVMValueRef told_product(struct vc4_qpu_trans *t, LLVMValueRef a, LLVMValueRef b)
{
    static const char multiply[] = "llvm.x86.avx512.mul.ps.512";
    LLVMValueRef half = told(t, multiply, halved(t, a), b);
    return fixed(t, with_infinities(t, told(t, multiply, a, b), half), LLVMConstNull(t->b->f32x16));
}

/* ---- operations ---- */

/* Two infinities of unlike sign, the only sum that is no number, give the second; -0 is +0. */
struct vc4_qpu_value *vc4_qpu_trans_exact_sum(struct vc4_qpu_trans *t, bool minus, struct vc4_qpu_value *x,
                                              struct vc4_qpu_value *y)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = operand(t, x), b = operand(t, y), r;

    if (minus) {
        LLVMValueRef flipped = LLVMBuildXor(ir, bits(t, b), jit_splat_u32(t->b, UINT32_C(1) << 31), "");
        b = jit_as_f32(t->b, flipped);
    }
    if (t->b->level >= JIT_AVX512)
        return vc4_qpu_trans_float(t, told_sum(t, a, b), true, true);
    r = double_sum(t, a, b);
    r = jit_select(t->b, LLVMBuildFCmp(ir, LLVMRealUNO, r, r, ""), b, r);
    return vc4_qpu_trans_float(t, LLVMBuildFAdd(ir, r, LLVMConstNull(t->b->f32x16), ""), true, true);
}

/* Nothing times infinity, the only product that is no number, is +0, and so is -0. */
struct vc4_qpu_value *vc4_qpu_trans_exact_product(struct vc4_qpu_trans *t, struct vc4_qpu_value *x,
                                                  struct vc4_qpu_value *y)
{
    LLVMValueRef a = operand(t, x), b = operand(t, y), zero = LLVMConstNull(t->b->f32x16), r, kept;

    if (t->b->level >= JIT_AVX512)
        return vc4_qpu_trans_float(t, told_product(t, a, b), true, true);
    r = double_product(t, a, b);
    kept = LLVMBuildFCmp(t->b->ir, LLVMRealONE, r, zero, "");
    return vc4_qpu_trans_float(t, jit_select(t->b, kept, r, zero), true, true);
}

struct vc4_qpu_value *vc4_qpu_trans_exact_itof(struct vc4_qpu_trans *t, struct vc4_qpu_value *x)
{
    LLVMValueRef i = vc4_qpu_trans_i(t, x), wide;

    if (t->b->level >= JIT_AVX512) {
        LLVMTypeRef types[] = {t->b->f32x16, t->b->i32x16};
        LLVMValueRef args[] = {i, jit_i32(t->b, JIT_ROUND_TO_ZERO)};
        return vc4_qpu_trans_float(t, jit_intrinsic(t->b, "llvm.x86.avx512.sitofp.round", types, 2, args, 2),
                                   true, false);
    }
    wide = LLVMBuildSIToFP(t->b->ir, i, doubles(t), "");
    return vc4_qpu_trans_float(t, cut_off(t, LLVMBuildBitCast(t->b->ir, wide, t->b->i64x16, "")), true,
                               false);
}

/* The digits go to their place, by 31 to the left at most. */
LLVMValueRef vc4_qpu_trans_shifted(struct vc4_qpu_trans *t, LLVMValueRef i)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef exponent = vc4_qpu_trans_and(t, vc4_qpu_trans_shr(t, i, 23), 255);
    LLVMValueRef digits =
        LLVMBuildOr(ir, vc4_qpu_trans_and(t, i, 0x7fffff), jit_splat_u32(t->b, 1u << 23), "");
    LLVMValueRef left = LLVMBuildSub(ir, exponent, jit_splat_u32(t->b, 150), "");
    LLVMValueRef right = LLVMBuildSub(ir, jit_splat_u32(t->b, 150), exponent, "");
    LLVMValueRef most = jit_splat_u32(t->b, 31), zero = jit_splat_u32(t->b, 0);
    /* counts out of range belong to the other direction, or leave nothing */
    LLVMValueRef up = LLVMBuildShl(ir, digits, vc4_qpu_trans_binary(t, "llvm.umin", left, most), "");
    LLVMValueRef down = LLVMBuildLShr(ir, digits, vc4_qpu_trans_binary(t, "llvm.umin", right, most), "");
    LLVMValueRef r = jit_select(t->b, compare(t, LLVMIntUGE, exponent, 150), up, down);

    r = jit_select(t->b, compare(t, LLVMIntEQ, exponent, 255), zero, r);
    return jit_select(t->b, compare(t, LLVMIntSLT, i, 0), LLVMBuildSub(ir, zero, r, ""), r);
}

/* Patterns as integers in their order; zeros and denormals count without sign. */
LLVMValueRef vc4_qpu_trans_exact_rank(struct vc4_qpu_trans *t, struct vc4_qpu_value *v)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef i = vc4_qpu_trans_i(t, v);

    if (v->positive)
        return i;
    LLVMValueRef size = vc4_qpu_trans_and(t, i, 0x7fffffff);
    LLVMValueRef negative = LLVMBuildSub(ir, jit_splat_u32(t->b, 0), size, "");
    return jit_select(t->b, compare(t, LLVMIntUGE, i, (UINT32_C(1) << 31) + (1u << 23)), negative, size);
}

struct vc4_qpu_value *vc4_qpu_trans_exact_min_max(struct vc4_qpu_trans *t, bool max, struct vc4_qpu_value *x,
                                                  struct vc4_qpu_value *y)
{
    LLVMValueRef greater = LLVMBuildICmp(t->b->ir, LLVMIntSGT, vc4_qpu_trans_exact_rank(t, x),
                                         vc4_qpu_trans_exact_rank(t, y), "");
    return vc4_qpu_trans_merge(t, greater, max ? x : y, max ? y : x);
}

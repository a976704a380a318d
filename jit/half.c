/* Rounding to halves: the processor's conversions where a level has them, the same numbers from plain
 * arithmetic where it has none; and halves by their bits. */
#include <string.h>

#include "jit/math.h"

#define NEAREST_EVEN  0u    /* immediate of VCVTPS2PH: whatever MXCSR says */
#define CUT_TO_2_14   0xebu /* immediate of VRNDSCALEPS: to multiples of 2^-14, toward zero */
#define NARROW_AVX512 "llvm.x86.avx512.mask.vcvtps2ph.512"
#define WIDEN_AVX512  "llvm.x86.avx512.mask.vcvtph2ps.512"
#define LEAST_NORMAL  0x38800000u /* 2^-14, a single */

static LLVMValueRef call(struct jit_builder *b, const char *name, LLVMValueRef *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(b->module, id, NULL, 0);

    return LLVMBuildCall2(b->ir, LLVMIntrinsicGetType(b->context, id, NULL, 0), function, args, count, "");
}

/* Lanes of at least the least normal half, infinities and NaN; without regard to what the rounding gives. */
static LLVMValueRef normal(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef size = LLVMBuildAnd(b->ir, jit_as_i32(b, x), jit_splat_u32(b, 0x7fffffff), "");

    return LLVMBuildICmp(b->ir, LLVMIntUGE, size, jit_splat_u32(b, LEAST_NORMAL), "");
}

static LLVMValueRef zero_of(struct jit_builder *b, LLVMValueRef x)
{
    return jit_as_f32(b, LLVMBuildAnd(b->ir, jit_as_i32(b, x), jit_splat_u32(b, 0x80000000), ""));
}

/* What is cut to a multiple of the least normal half is zero, with its sign, where the number is less. */
static LLVMValueRef round_avx512(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef steps[5] = {x, jit_i32(b, CUT_TO_2_14), LLVMConstNull(b->f32x16), LLVMConstAllOnes(b->i16),
                             jit_i32(b, JIT_ROUND_AS_SET)};
    LLVMValueRef cut = call(b, "llvm.x86.avx512.mask.rndscale.ps.512", steps, 5);
    LLVMValueRef normal = LLVMBuildFCmp(b->ir, LLVMRealUNE, cut, LLVMConstNull(b->f32x16), "");
    LLVMValueRef narrow[4] = {x, jit_i32(b, NEAREST_EVEN), LLVMConstNull(b->i16x16),
                              LLVMConstAllOnes(b->i16)};
    LLVMValueRef wide[4] = {call(b, NARROW_AVX512, narrow, 4), cut, jit_mask_to_bits(b, normal),
                            jit_i32(b, JIT_ROUND_AS_SET)};

    return call(b, WIDEN_AVX512, wide, 4);
}

/* Eight halves, by their bits, as singles. LLVM must not see that they are: it would compare and round halves
 * instead, lane by lane where the processor has no such instruction, and lose the sign of zeros. */
static LLVMValueRef widen_eight(struct jit_builder *b, LLVMValueRef bits)
{
    LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(b->context), 8);
    LLVMTypeRef singles = LLVMVectorType(b->f32, 8);
    LLVMValueRef wide = LLVMBuildBitCast(b->ir, bits, halves, "");

    return jit_fence(b, LLVMBuildFPExt(b->ir, wide, singles, ""));
}

/* Halves, by their bits, as i16x16: of singles, and as singles. */
static LLVMValueRef narrow_f16c(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef part[2], order[16];

    for (unsigned n = 0; n < 16; n++)
        order[n] = jit_i32(b, n);
    for (unsigned n = 0; n < 2; n++) {
        LLVMValueRef eight =
            LLVMBuildShuffleVector(b->ir, x, LLVMGetPoison(b->f32x16), LLVMConstVector(order + 8 * n, 8), "");
        LLVMValueRef args[2] = {eight, jit_i32(b, NEAREST_EVEN)};

        part[n] = call(b, "llvm.x86.vcvtps2ph.256", args, 2);
    }
    return LLVMBuildShuffleVector(b->ir, part[0], part[1], LLVMConstVector(order, 16), "");
}

static LLVMValueRef widen_f16c(struct jit_builder *b, LLVMValueRef bits)
{
    LLVMValueRef part[2], order[16];

    for (unsigned n = 0; n < 16; n++)
        order[n] = jit_i32(b, n);
    for (unsigned n = 0; n < 2; n++)
        part[n] = widen_eight(b, LLVMBuildShuffleVector(b->ir, bits, LLVMGetPoison(b->i16x16),
                                                        LLVMConstVector(order + 8 * n, 8), ""));
    return LLVMBuildShuffleVector(b->ir, part[0], part[1], LLVMConstVector(order, 16), "");
}

static LLVMValueRef narrow_avx512(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef args[4] = {x, jit_i32(b, NEAREST_EVEN), LLVMConstNull(b->i16x16), LLVMConstAllOnes(b->i16)};

    return call(b, NARROW_AVX512, args, 4);
}

static LLVMValueRef widen_avx512(struct jit_builder *b, LLVMValueRef bits)
{
    LLVMValueRef args[4] = {bits, LLVMConstNull(b->f32x16), LLVMConstAllOnes(b->i16),
                            jit_i32(b, JIT_ROUND_AS_SET)};

    return call(b, WIDEN_AVX512, args, 4);
}

static LLVMValueRef round_f16c(struct jit_builder *b, LLVMValueRef x)
{
    return jit_select(b, normal(b, x), widen_f16c(b, narrow_f16c(b, x)), zero_of(b, x));
}

/* A number added whose last place is the half's rounds there, to even, and is taken off again exactly: its
 * exponent is the single's plus 13, and at most that of 2^16. */
static LLVMValueRef round_by_addition(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef bits = jit_as_i32(b, x), most = jit_splat_u32(b, 0x47800000), magic, inf;
    LLVMValueRef size = jit_as_f32(b, LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, 0x7fffffff), ""));

    magic = LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, 0x7f800000), "");
    magic = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntULT, magic, most, ""), magic, most);
    magic = jit_as_f32(b, LLVMBuildAdd(b->ir, magic, jit_splat_u32(b, 13u << 23), ""));
    size = LLVMBuildFSub(b->ir, LLVMBuildFAdd(b->ir, size, magic, ""), magic, "");
    inf = LLVMBuildFCmp(b->ir, LLVMRealOGE, size, jit_as_f32(b, most), "");
    size = jit_select(b, inf, jit_as_f32(b, jit_splat_u32(b, 0x7f800000)), size);
    bits = LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, 0x80000000), "");
    bits = jit_as_f32(b, LLVMBuildOr(b->ir, jit_as_i32(b, size), bits, ""));
    return jit_select(b, normal(b, x), bits, zero_of(b, x));
}

LLVMValueRef jit_round_to_half(struct jit_builder *b, LLVMValueRef x)
{
    switch (b->level) {
    case JIT_AVX512:
    case JIT_AVX512FP16: return round_avx512(b, x);
    case JIT_AVX2: return round_f16c(b, x);
    default: return round_by_addition(b, x);
    }
}

/* A number added whose last place is the half's rounds there, and is taken off again: its exponent is the
 * single's plus 13, and its sign the single's. Of what is no number or infinite the sum of exponents wraps
 * round to a number that changes nothing. */
LLVMValueRef jit_round_plain_to_half(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef power = LLVMBuildAnd(b->ir, jit_as_i32(b, x), jit_splat_u32(b, 0xff800000), "");
    LLVMValueRef magic = jit_as_f32(b, LLVMBuildAdd(b->ir, power, jit_splat_u32(b, 13u << 23), ""));

    return LLVMBuildFSub(b->ir, LLVMBuildFAdd(b->ir, x, magic, ""), magic, "");
}

/* Scaled so that the greatest half is the greatest single, or the least normal half the least normal single,
 * what is beyond is infinity, or zero: code runs with denormals flushed. */
LLVMValueRef jit_limit_to_half(struct jit_builder *b, LLVMValueRef x, bool great)
{
    float there = great ? 0x1p112f : 0x1p-112f, back = great ? 0x1p-112f : 0x1p112f;

    x = LLVMBuildFMul(b->ir, jit_fence(b, x), jit_splat_f32(b, there), "");
    return LLVMBuildFMul(b->ir, x, jit_splat_f32(b, back), "");
}

/* ---- bits ---- */

static LLVMValueRef mask(struct jit_builder *b, LLVMValueRef x, uint32_t bits)
{
    return LLVMBuildAnd(b->ir, x, jit_splat_u32(b, bits), "");
}

static LLVMValueRef plus(struct jit_builder *b, LLVMValueRef x, uint32_t n)
{
    return LLVMBuildAdd(b->ir, x, jit_splat_u32(b, n), "");
}

static LLVMValueRef shift_right(struct jit_builder *b, LLVMValueRef x, uint32_t n)
{
    return LLVMBuildLShr(b->ir, x, jit_splat_u32(b, n), "");
}

static LLVMValueRef where_less(struct jit_builder *b, LLVMValueRef x, uint32_t than, LLVMValueRef yes,
                               LLVMValueRef no)
{
    return jit_select(b, LLVMBuildICmp(b->ir, LLVMIntULT, x, jit_splat_u32(b, than), ""), yes, no);
}

static LLVMValueRef half_to_single_by_bits(struct jit_builder *b, LLVMValueRef half)
{
    LLVMValueRef size = mask(b, half, 0x7fff), fraction = jit_i32_to_f32(b, size);
    LLVMValueRef bits = LLVMBuildShl(b->ir, size, jit_splat_u32(b, 13), "");
    LLVMValueRef sign = LLVMBuildShl(b->ir, mask(b, half, 0x8000), jit_splat_u32(b, 16), "");
    LLVMValueRef denormal = jit_as_i32(b, LLVMBuildFMul(b->ir, fraction, jit_splat_f32(b, 0x1p-24f), ""));
    LLVMValueRef quiet = LLVMBuildOr(b->ir, plus(b, bits, 224u << 23), jit_splat_u32(b, 0x400000), "");
    LLVMValueRef special = where_less(b, size, 0x7c01, jit_splat_u32(b, 0x7f800000), quiet);

    bits = where_less(b, size, 0x7c00, plus(b, bits, 112u << 23), special);
    bits = where_less(b, size, 0x400, denormal, bits);
    return jit_as_f32(b, LLVMBuildOr(b->ir, bits, sign, ""));
}

LLVMValueRef jit_half_to_single(struct jit_builder *b, LLVMValueRef half)
{
    if (b->level == JIT_SSE41 || LLVMIsConstant(half)) /* which folds */
        return half_to_single_by_bits(b, half);
    half = LLVMBuildTrunc(b->ir, half, b->i16x16, "");
    return b->level >= JIT_AVX512 ? widen_avx512(b, half) : widen_f16c(b, half);
}

/* Below the least normal half, 0.5 added leaves the half's last place as the single's. */
static LLVMValueRef single_to_half_by_bits(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef bits = jit_as_i32(b, x), size = mask(b, bits, 0x7fffffff);
    LLVMValueRef sign = shift_right(b, mask(b, bits, 0x80000000), 16);
    LLVMValueRef even = mask(b, shift_right(b, size, 13), 1);
    LLVMValueRef normal = LLVMBuildAdd(b->ir, plus(b, size, 0xfff - (112u << 23)), even, "");
    LLVMValueRef sum = LLVMBuildFAdd(b->ir, jit_as_f32(b, size), jit_splat_f32(b, 0.5f), "");
    LLVMValueRef denormal = plus(b, jit_as_i32(b, sum), 0 - 0x3f000000u);
    LLVMValueRef special =
        where_less(b, size, 0x7f800001, jit_splat_u32(b, 0x7c00), jit_splat_u32(b, 0x7e00));
    LLVMValueRef half = where_less(b, size, 0x477ff000, shift_right(b, normal, 13), special);

    half = where_less(b, size, 0x38800000, denormal, half);
    return LLVMBuildOr(b->ir, half, sign, "");
}

LLVMValueRef jit_quiet_to_half(struct jit_builder *b, LLVMValueRef x)
{
    if (b->level == JIT_SSE41 || LLVMIsConstant(x))
        return single_to_half_by_bits(b, x);
    x = b->level >= JIT_AVX512 ? narrow_avx512(b, x) : narrow_f16c(b, x);
    return LLVMBuildZExt(b->ir, x, b->i32x16, "");
}

/* The processor would keep a NaN's upper bits. */
LLVMValueRef jit_single_to_half(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef none, nan;

    if (b->level == JIT_SSE41 || LLVMIsConstant(x))
        return single_to_half_by_bits(b, x);
    none = LLVMBuildFCmp(b->ir, LLVMRealUNO, x, x, "");
    nan = LLVMBuildOr(b->ir, jit_as_i32(b, zero_of(b, x)), jit_splat_u32(b, 0x7fc00000), "");
    return jit_quiet_to_half(b, jit_select(b, none, jit_as_f32(b, nan), x));
}

/* ---- what was rounded ---- */

static LLVMValueRef argument_of(LLVMValueRef v, const char *name)
{
    return jit_calls(v, name) ? LLVMGetOperand(v, 0) : NULL;
}

bool jit_is_half(LLVMValueRef v)
{
    return jit_calls(v, WIDEN_AVX512);
}

LLVMValueRef jit_half_of(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef half = argument_of(v, WIDEN_AVX512);

    return b->level >= JIT_AVX512 && half ? LLVMBuildZExt(b->ir, half, b->i32x16, "") : NULL;
}

LLVMValueRef jit_before_half(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef half = argument_of(v, WIDEN_AVX512);

    if (b->level < JIT_AVX512 || !half)
        return NULL;
    while (LLVMIsATruncInst(half) || LLVMIsAZExtInst(half))
        half = LLVMGetOperand(half, 0);
    return argument_of(half, NARROW_AVX512);
}

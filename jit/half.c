/* Rounding to halves: the processor's conversions where a level has them, the same numbers from plain
 * arithmetic where it has none. */
#include <string.h>

#include "jit/math.h"

/* Immediate of VCVTPS2PH: to nearest even, whatever MXCSR says. */
#define NEAREST_EVEN 0u
#define FENCE        "llvm.arithmetic.fence"

static LLVMValueRef call(struct jit_builder *b, const char *name, LLVMValueRef *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(b->module, id, NULL, 0);

    return LLVMBuildCall2(b->ir, LLVMIntrinsicGetType(b->context, id, NULL, 0), function, args, count, "");
}

/* `count` halves, by their bits, as singles. LLVM must not see that they were halves: it computes on with
 * halves then, and a choice between one and a zero it takes for the smaller or greater of both, forgetting
 * which of two zeros the choice gives (InstCombine of LLVM 19: a cast behind a "min" or "max"). */
static LLVMValueRef widen(struct jit_builder *b, LLVMValueRef bits, unsigned count)
{
    LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(b->context), count);
    LLVMTypeRef singles = LLVMVectorType(b->f32, count);
    LLVMValueRef wide = LLVMBuildFPExt(b->ir, LLVMBuildBitCast(b->ir, bits, halves, ""), singles, "");
    unsigned id = LLVMLookupIntrinsicID(FENCE, strlen(FENCE));
    LLVMValueRef fence = LLVMGetIntrinsicDeclaration(b->module, id, &singles, 1);

    return LLVMBuildCall2(b->ir, LLVMIntrinsicGetType(b->context, id, &singles, 1), fence, &wide, 1, "");
}

static LLVMValueRef round_avx512(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef args[4] = {x, jit_i32(b, NEAREST_EVEN), LLVMConstNull(b->i16x16), LLVMConstAllOnes(b->i16)};

    return widen(b, call(b, "llvm.x86.avx512.mask.vcvtps2ph.512", args, 4), 16);
}

static LLVMValueRef round_f16c(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef poison = LLVMGetPoison(b->f32x16), part[2], order[16];

    for (unsigned n = 0; n < 16; n++)
        order[n] = jit_i32(b, n);
    for (unsigned n = 0; n < 2; n++) {
        LLVMValueRef eight = LLVMBuildShuffleVector(b->ir, x, poison, LLVMConstVector(order + 8 * n, 8), "");
        LLVMValueRef args[2] = {eight, jit_i32(b, NEAREST_EVEN)};

        part[n] = widen(b, call(b, "llvm.x86.vcvtps2ph.256", args, 2), 8);
    }
    return LLVMBuildShuffleVector(b->ir, part[0], part[1], LLVMConstVector(order, 16), "");
}

/* A number added whose last place is the half's rounds there, to even, and is taken off again exactly. Its
 * exponent is the single's plus 13, at least that of the least normal half, at most that of 2^16. */
static LLVMValueRef round_by_addition(struct jit_builder *b, LLVMValueRef x)
{
    LLVMValueRef bits = jit_as_i32(b, x), sign = jit_splat_u32(b, 0x80000000), magic, inf;
    LLVMValueRef least = jit_splat_u32(b, 0x38800000), most = jit_splat_u32(b, 0x47800000);
    LLVMValueRef size = jit_as_f32(b, LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, 0x7fffffff), ""));

    magic = LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, 0x7f800000), "");
    magic = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntUGT, magic, least, ""), magic, least);
    magic = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntULT, magic, most, ""), magic, most);
    magic = jit_as_f32(b, LLVMBuildAdd(b->ir, magic, jit_splat_u32(b, 13u << 23), ""));
    size = LLVMBuildFSub(b->ir, LLVMBuildFAdd(b->ir, size, magic, ""), magic, "");
    inf = LLVMBuildFCmp(b->ir, LLVMRealOGE, size, jit_as_f32(b, most), "");
    size = jit_select(b, inf, jit_as_f32(b, jit_splat_u32(b, 0x7f800000)), size);
    return jit_as_f32(b, LLVMBuildOr(b->ir, jit_as_i32(b, size), LLVMBuildAnd(b->ir, bits, sign, ""), ""));
}

LLVMValueRef jit_round_to_half(struct jit_builder *b, LLVMValueRef x)
{
    switch (b->level) {
    case JIT_AVX512: return round_avx512(b, x);
    case JIT_AVX2: return round_f16c(b, x);
    default: return round_by_addition(b, x);
    }
}

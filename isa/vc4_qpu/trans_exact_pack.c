/* Packs and unpacks of exact mode (README, rule 9x). */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef compare(struct trans *t, LLVMIntPredicate how, LLVMValueRef i, uint32_t with)
{
    return LLVMBuildICmp(t->b->ir, how, i, jit_splat_u32(t->b, with), "");
}

static LLVMValueRef plus(struct trans *t, LLVMValueRef i, uint32_t n)
{
    return LLVMBuildAdd(t->b->ir, i, jit_splat_u32(t->b, n), "");
}

/* A half in the low 16 bits: the fraction's bits stay, exponent 0 stays 0, exponent 31 is 255. */
struct trans_value *trans_exact_half_to_float(struct trans *t, LLVMValueRef h)
{
    LLVMValueRef sign = trans_shl(t, trans_and(t, h, 0x8000), 16);
    LLVMValueRef size = trans_shl(t, trans_and(t, h, 0x7fff), 13);
    LLVMValueRef r = plus(t, size, 112u << 23);

    r = jit_select(t->b, compare(t, LLVMIntULT, size, 1u << 23), size, r);
    r = jit_select(t->b, compare(t, LLVMIntUGE, size, 31u << 23), plus(t, size, 224u << 23), r);
    return trans_int(t, LLVMBuildOr(t->b->ir, r, sign, ""));
}

/* byte / 255 cut off is the byte repeated behind the point, but for 255. As many bits as the byte has leading
 * zeros come from a fourth copy of it. */
LLVMValueRef trans_exact_unit(struct trans *t, LLVMValueRef byte)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef args[2], copies = LLVMBuildMul(ir, byte, jit_splat_u32(t->b, 0x01010101), ""), zeros, r;

    args[0] = LLVMBuildOr(ir, copies, jit_splat_u32(t->b, 1), ""); /* leading zeros of 0 do not matter */
    args[1] = LLVMConstInt(t->b->i1, 1, false);
    zeros = jit_intrinsic(t->b, "llvm.ctlz", &t->b->i32x16, 1, args, 2);
    /* the leading one falls on bit 23 and counts in the exponent */
    LLVMValueRef down = LLVMBuildSub(ir, jit_splat_u32(t->b, 8), zeros, "");
    r = LLVMBuildLShr(ir, copies, trans_and(t, down, 31), "");
    r = LLVMBuildAdd(ir, r, trans_shl(t, LLVMBuildSub(ir, jit_splat_u32(t->b, 125), zeros, ""), 23), "");
    r = jit_select(t->b, compare(t, LLVMIntEQ, byte, 0), jit_splat_u32(t->b, 0), r);
    r = jit_select(t->b, compare(t, LLVMIntEQ, byte, 255), jit_splat_u32(t->b, 0x3f800000), r);
    return r;
}

/* Away from zero; +0 where no normal half is. */
LLVMValueRef trans_exact_float_to_half(struct trans *t, LLVMValueRef x)
{
    LLVMValueRef sign = trans_shr(t, trans_and(t, x, UINT32_C(1) << 31), 16);
    LLVMValueRef up = plus(t, trans_and(t, x, 0x7fffffff), 0x1fff);
    LLVMValueRef r = trans_shr(t, plus(t, up, 0 - (112u << 23)), 13);

    r = jit_select(t->b, compare(t, LLVMIntUGE, up, 143u << 23), jit_splat_u32(t->b, 0x7c00), r);
    r = LLVMBuildOr(t->b->ir, r, sign, "");
    return jit_select(t->b, compare(t, LLVMIntULT, up, 113u << 23), jit_splat_u32(t->b, 0), r);
}

static LLVMValueRef clamp(struct trans *t, LLVMValueRef i, uint32_t low, uint32_t high)
{
    LLVMValueRef r = trans_binary(t, "llvm.smax", i, jit_splat_u32(t->b, low));
    return trans_binary(t, "llvm.smin", r, jit_splat_u32(t->b, high));
}

/* The result of an add or sub in `bits` bits. Where it overflowed: the bound that the carry names, and what
 * saturation makes of the wrapped result, if that is outside. */
LLVMValueRef trans_exact_narrow(struct trans *t, const struct trans_overflow *o, LLVMValueRef i,
                                unsigned bits, bool saturate)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    uint32_t low = bits == 8 ? 0 : 0 - (1u << (bits - 1)), high = mask >> (bits != 8);
    LLVMValueRef field = saturate ? clamp(t, i, low, high) : i, bound;

    bound = jit_select(t->b, o->carry, jit_splat_u32(t->b, low), jit_splat_u32(t->b, high));
    if (saturate) {
        LLVMValueRef outside = LLVMBuildICmp(t->b->ir, LLVMIntNE, field, i, "");
        LLVMValueRef both = LLVMBuildAnd(t->b->ir, field, bound, "");
        bound = jit_select(t->b, outside, both, bound);
    }
    return trans_and(t, jit_select(t->b, o->overflow, bound, field), mask);
}

/* Signed overflow and the C flag of an add or sub. */
struct trans_overflow trans_exact_overflow(struct trans *t, bool minus, struct trans_value *x,
                                           struct trans_value *y, struct trans_value *sum)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef a = trans_i(t, x), b = trans_i(t, y), r = trans_i(t, sum);
    LLVMValueRef from_a = LLVMBuildXor(ir, a, r, "");
    LLVMValueRef other = LLVMBuildXor(ir, minus ? a : b, minus ? b : r, "");

    return (struct trans_overflow){
        .overflow = compare(t, LLVMIntSLT, LLVMBuildAnd(ir, from_a, other, ""), 0),
        .carry = LLVMBuildICmp(ir, LLVMIntULT, minus ? a : r, minus ? b : a, ""),
    };
}

/* Packs and unpacks of exact mode (README, rule 9x). */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef compare(struct vc4_qpu_trans *t, LLVMIntPredicate how, LLVMValueRef i, uint32_t with)
{
    return LLVMBuildICmp(t->b->ir, how, i, jit_splat_u32(t->b, with), "");
}

static LLVMValueRef plus(struct vc4_qpu_trans *t, LLVMValueRef i, uint32_t n)
{
    return LLVMBuildAdd(t->b->ir, i, jit_splat_u32(t->b, n), "");
}

/* byte / 255 cut off is the byte repeated behind the point, but for 255. As many bits as the byte has leading
 * zeros come from a fourth copy of it. */
LLVMValueRef vc4_qpu_trans_exact_unit(struct vc4_qpu_trans *t, LLVMValueRef byte)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef args[2], copies = LLVMBuildMul(ir, byte, jit_splat_u32(t->b, 0x01010101), ""), zeros, r;

    args[0] = LLVMBuildOr(ir, copies, jit_splat_u32(t->b, 1), ""); /* leading zeros of 0 do not matter */
    args[1] = LLVMConstInt(t->b->i1, 1, false);
    zeros = jit_intrinsic(t->b, "llvm.ctlz", &t->b->i32x16, 1, args, 2);
    /* the leading one falls on bit 23 and counts in the exponent */
    LLVMValueRef down = LLVMBuildSub(ir, jit_splat_u32(t->b, 8), zeros, "");
    r = LLVMBuildLShr(ir, copies, vc4_qpu_trans_and(t, down, 31), "");
    r = LLVMBuildAdd(ir, r, vc4_qpu_trans_shl(t, LLVMBuildSub(ir, jit_splat_u32(t->b, 125), zeros, ""), 23),
                     "");
    r = jit_select(t->b, compare(t, LLVMIntEQ, byte, 0), jit_splat_u32(t->b, 0), r);
    r = jit_select(t->b, compare(t, LLVMIntEQ, byte, 255), jit_splat_u32(t->b, 0x3f800000), r);
    return r;
}

/* Away from zero; +0 where no normal half is. */
LLVMValueRef vc4_qpu_trans_exact_float_to_half(struct vc4_qpu_trans *t, LLVMValueRef x)
{
    LLVMValueRef sign = vc4_qpu_trans_shr(t, vc4_qpu_trans_and(t, x, UINT32_C(1) << 31), 16);
    LLVMValueRef up = plus(t, vc4_qpu_trans_and(t, x, 0x7fffffff), 0x1fff);
    LLVMValueRef r = vc4_qpu_trans_shr(t, plus(t, up, 0 - (112u << 23)), 13);

    r = jit_select(t->b, compare(t, LLVMIntUGE, up, 143u << 23), jit_splat_u32(t->b, 0x7c00), r);
    r = LLVMBuildOr(t->b->ir, r, sign, "");
    return jit_select(t->b, compare(t, LLVMIntULT, up, 113u << 23), jit_splat_u32(t->b, 0), r);
}

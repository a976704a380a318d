#include "raster/samples_ir.h"

LLVMValueRef raster_samples_alpha_ir(struct jit_builder *b, uint32_t samples, uint32_t sample,
                                     LLVMValueRef alpha)
{
    LLVMValueRef share = LLVMBuildFMul(b->ir, alpha, jit_splat_f32(b, (float)samples), "");

    return LLVMBuildFCmp(b->ir, LLVMRealOGE, share, jit_splat_f32(b, (float)sample + 0.5f), "");
}

LLVMValueRef raster_samples_mask_ir(struct jit_builder *b, uint32_t sample, LLVMValueRef mask)
{
    LLVMValueRef bit = LLVMBuildAnd(b->ir, mask, jit_splat_u32(b, 1u << sample), "");

    return LLVMBuildICmp(b->ir, LLVMIntNE, bit, jit_splat_u32(b, 0), "");
}

void raster_query_ir(struct jit_builder *b, enum raster_query query, LLVMValueRef lanes, LLVMValueRef passed)
{
    LLVMValueRef bits, old, n;

    if (query == RASTER_QUERY_NONE)
        return;
    bits = jit_mask_to_bits(b, lanes);
    old = jit_load(b, b->i64, passed, 8, false);
    if (query == RASTER_QUERY_COUNT) {
        bits = jit_intrinsic(b, "llvm.ctpop", &b->i16, 1, &bits, 1);
        n = LLVMBuildAdd(b->ir, old, LLVMBuildZExt(b->ir, bits, b->i64, ""), "");
    } else {
        bits = LLVMBuildICmp(b->ir, LLVMIntNE, bits, LLVMConstNull(b->i16), "");
        n = LLVMBuildOr(b->ir, old, LLVMBuildZExt(b->ir, bits, b->i64, ""), "");
    }
    jit_store(b, n, passed, 8);
}

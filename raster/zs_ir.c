#include "raster/zs_ir.h"

#include <string.h>

/* Depths and stencil values are below 2^31, so signed comparison, which every vector level has, is exact. */
static LLVMValueRef compare(struct jit_builder *b, uint8_t func, LLVMValueRef new, LLVMValueRef old)
{
    static const LLVMIntPredicate predicate[8] = {
        [RASTER_LESS] = LLVMIntSLT,    [RASTER_EQUAL] = LLVMIntEQ,    [RASTER_LEQUAL] = LLVMIntSLE,
        [RASTER_GREATER] = LLVMIntSGT, [RASTER_NOTEQUAL] = LLVMIntNE, [RASTER_GEQUAL] = LLVMIntSGE,
    };

    if (func == RASTER_NEVER)
        return LLVMConstNull(b->i1x16);
    if (func == RASTER_ALWAYS)
        return LLVMConstAllOnes(b->i1x16);
    return LLVMBuildICmp(b->ir, predicate[func & 7], new, old, "");
}

/* What `op` makes of the stencil values (0..255). */
static LLVMValueRef update(struct jit_builder *b, uint8_t op, uint8_t ref, LLVMValueRef stencil)
{
    LLVMValueRef one = jit_splat_u32(b, 1), full = jit_splat_u32(b, 255), edge;

    switch (op) {
    case RASTER_OP_ZERO: return jit_splat_u32(b, 0);
    case RASTER_OP_REPLACE: return jit_splat_u32(b, ref);
    case RASTER_OP_INCR_SAT:
        edge = LLVMBuildICmp(b->ir, LLVMIntEQ, stencil, full, "");
        return LLVMBuildSelect(b->ir, edge, stencil, LLVMBuildAdd(b->ir, stencil, one, ""), "");
    case RASTER_OP_DECR_SAT:
        edge = LLVMBuildICmp(b->ir, LLVMIntEQ, stencil, jit_splat_u32(b, 0), "");
        return LLVMBuildSelect(b->ir, edge, stencil, LLVMBuildSub(b->ir, stencil, one, ""), "");
    case RASTER_OP_INVERT: return LLVMBuildXor(b->ir, stencil, full, "");
    case RASTER_OP_INCR: return LLVMBuildAnd(b->ir, LLVMBuildAdd(b->ir, stencil, one, ""), full, "");
    case RASTER_OP_DECR: return LLVMBuildAnd(b->ir, LLVMBuildSub(b->ir, stencil, one, ""), full, "");
    default: return stencil;
    }
}

/* Bits under the mask from `value`, the others from `old`. */
static LLVMValueRef merge(struct jit_builder *b, uint32_t mask, LLVMValueRef value, LLVMValueRef old)
{
    LLVMValueRef in = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, mask), "");

    return LLVMBuildOr(b->ir, in, LLVMBuildAnd(b->ir, old, jit_splat_u32(b, ~mask), ""), "");
}

/* One face's test: the lanes that pass and the word that they and the failing ones leave. */
static LLVMValueRef test_face(struct jit_builder *b, const struct raster_zs *zs,
                              const struct raster_stencil *face, LLVMValueRef depth, LLVMValueRef stored,
                              LLVMValueRef *updated)
{
    LLVMValueRef depth_pass =
        compare(b, zs->depth_func, depth, LLVMBuildLShr(b->ir, stored, jit_splat_u32(b, 8), ""));
    LLVMValueRef pass = depth_pass;

    *updated = stored;
    if (face->enable) {
        LLVMValueRef stencil = LLVMBuildAnd(b->ir, stored, jit_splat_u32(b, 255), "");
        LLVMValueRef masked = LLVMBuildAnd(b->ir, stencil, jit_splat_u32(b, face->func_mask), "");
        LLVMValueRef ref = jit_splat_u32(b, face->ref & face->func_mask);
        LLVMValueRef stencil_pass = compare(b, face->func, ref, masked);
        LLVMValueRef on_depth = LLVMBuildSelect(b->ir, depth_pass, update(b, face->zpass, face->ref, stencil),
                                                update(b, face->zfail, face->ref, stencil), "");
        LLVMValueRef value =
            LLVMBuildSelect(b->ir, stencil_pass, on_depth, update(b, face->fail, face->ref, stencil), "");

        *updated = merge(b, face->write_mask, value, stored);
        pass = LLVMBuildAnd(b->ir, stencil_pass, depth_pass, "");
    }
    if (zs->depth_write) {
        LLVMValueRef high = LLVMBuildShl(b->ir, depth, jit_splat_u32(b, 8), "");

        *updated = LLVMBuildSelect(b->ir, pass, merge(b, 0xff, *updated, high), *updated, "");
    }
    return pass;
}

LLVMValueRef raster_zs_ir(struct jit_builder *b, const struct raster_zs *zs, LLVMValueRef reverse,
                          LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef stored, LLVMValueRef *updated)
{
    const struct raster_stencil *front = &zs->face[0], *back = &zs->face[1];
    LLVMValueRef word, pass = test_face(b, zs, front, depth, stored, &word);

    if (memcmp(front, back, sizeof *front) != 0) {
        LLVMValueRef back_word, back_pass = test_face(b, zs, back, depth, stored, &back_word);

        pass = LLVMBuildSelect(b->ir, reverse, back_pass, pass, "");
        word = LLVMBuildSelect(b->ir, reverse, back_word, word, "");
    }
    *updated = LLVMBuildSelect(b->ir, lanes, word, stored, "");
    return LLVMBuildAnd(b->ir, lanes, pass, "");
}

#include "raster/zs_ir.h"

#include <string.h>

#include "raster/depth_ir.h"
#include "raster/texture/texel_ir.h"

/* Depths of 24 bits and stencil values are below 2^31, so signed comparison, which every vector level has, is
 * exact. */
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
static LLVMValueRef update(struct jit_builder *b, uint8_t op, LLVMValueRef ref, LLVMValueRef stencil)
{
    LLVMValueRef one = jit_splat_u32(b, 1), full = jit_splat_u32(b, 255), edge;

    switch (op) {
    case RASTER_OP_ZERO: return jit_splat_u32(b, 0);
    case RASTER_OP_REPLACE: return ref;
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

/* The stencil value that a face's test leaves; *pass, that of depth, becomes that of both. `given`: or NULL. */
static LLVMValueRef test_stencil(struct jit_builder *b, const struct raster_stencil *face, LLVMValueRef given,
                                 LLVMValueRef stencil, LLVMValueRef *pass)
{
    LLVMValueRef ref = given ? given : jit_splat_u32(b, face->ref);
    LLVMValueRef masked = LLVMBuildAnd(b->ir, stencil, jit_splat_u32(b, face->func_mask), "");
    LLVMValueRef masked_ref = LLVMBuildAnd(b->ir, ref, jit_splat_u32(b, face->func_mask), "");
    LLVMValueRef stencil_pass = compare(b, face->func, masked_ref, masked);
    LLVMValueRef on_depth = LLVMBuildSelect(b->ir, *pass, update(b, face->zpass, ref, stencil),
                                            update(b, face->zfail, ref, stencil), "");

    *pass = LLVMBuildAnd(b->ir, stencil_pass, *pass, "");
    return LLVMBuildSelect(b->ir, stencil_pass, on_depth, update(b, face->fail, ref, stencil), "");
}

/* One face's test: the lanes that pass and the word that they and the failing ones leave. */
static LLVMValueRef test_face(struct jit_builder *b, const struct raster_zs *zs,
                              const struct raster_stencil *face, LLVMValueRef ref, LLVMValueRef depth,
                              LLVMValueRef stored, LLVMValueRef *updated)
{
    LLVMValueRef pass =
        compare(b, zs->depth_func, depth, LLVMBuildLShr(b->ir, stored, jit_splat_u32(b, 8), ""));

    *updated = stored;
    if (face->enable) {
        LLVMValueRef stencil = LLVMBuildAnd(b->ir, stored, jit_splat_u32(b, 255), "");

        *updated = merge(b, face->write_mask, test_stencil(b, face, ref, stencil, &pass), stored);
    }
    if (zs->depth_write) {
        LLVMValueRef high = LLVMBuildShl(b->ir, depth, jit_splat_u32(b, 8), "");

        *updated = LLVMBuildSelect(b->ir, pass, merge(b, 0xff, *updated, high), *updated, "");
    }
    return pass;
}

LLVMValueRef raster_zs_ir(struct jit_builder *b, const struct raster_zs *zs, LLVMValueRef reverse,
                          LLVMValueRef ref, LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef stored,
                          LLVMValueRef *updated)
{
    const struct raster_stencil *front = &zs->face[0], *back = &zs->face[1];
    LLVMValueRef word, pass = test_face(b, zs, front, ref, depth, stored, &word);

    if (memcmp(front, back, sizeof *front) != 0) {
        LLVMValueRef back_word, back_pass = test_face(b, zs, back, ref, depth, stored, &back_word);

        pass = LLVMBuildSelect(b->ir, reverse, back_pass, pass, "");
        word = LLVMBuildSelect(b->ir, reverse, back_word, word, "");
    }
    *updated = LLVMBuildSelect(b->ir, lanes, word, stored, "");
    return LLVMBuildAnd(b->ir, lanes, pass, "");
}

/* ---- depths of 32 bits ---- */

/* As unsigned numbers: both sides' upper bits are turned. */
static LLVMValueRef compare_32(struct jit_builder *b, uint8_t func, LLVMValueRef new, LLVMValueRef old)
{
    LLVMValueRef upper = jit_splat_u32(b, 1u << 31);

    return compare(b, func, LLVMBuildXor(b->ir, new, upper, ""), LLVMBuildXor(b->ir, old, upper, ""));
}

LLVMValueRef raster_zs_ir_32(struct jit_builder *b, const struct raster_zs *zs, LLVMValueRef reverse,
                             LLVMValueRef ref, LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef stored,
                             LLVMValueRef stencil, LLVMValueRef *updated, LLVMValueRef *new_stencil)
{
    const LLVMValueRef depth_pass = compare_32(b, zs->depth_func, depth, stored);
    LLVMValueRef pass[2], value[2];
    bool same = memcmp(&zs->face[0], &zs->face[1], sizeof zs->face[0]) == 0;

    for (unsigned f = 0; f < (same ? 1 : 2); f++) {
        const struct raster_stencil *face = &zs->face[f];

        pass[f] = depth_pass;
        value[f] = stencil;
        if (face->enable)
            value[f] = merge(b, face->write_mask, test_stencil(b, face, ref, stencil, &pass[f]), stencil);
    }
    if (!same) {
        pass[0] = LLVMBuildSelect(b->ir, reverse, pass[1], pass[0], "");
        value[0] = LLVMBuildSelect(b->ir, reverse, value[1], value[0], "");
    }
    pass[0] = LLVMBuildAnd(b->ir, lanes, pass[0], "");
    *updated = zs->depth_write ? LLVMBuildSelect(b->ir, pass[0], depth, stored, "") : stored;
    *new_stencil = LLVMBuildSelect(b->ir, lanes, value[0], stencil, "");
    return pass[0];
}

LLVMValueRef raster_depth_encode_ir(struct jit_builder *b, enum raster_depth_kind kind, LLVMValueRef z)
{
    static const enum raster_format rows[RASTER_DEPTH_KIND_COUNT] = {
        [RASTER_DEPTH_UNORM32] = RASTER_Z32_UNORM, [RASTER_DEPTH_FLOAT32] = RASTER_Z32_FLOAT};
    LLVMValueRef channel[4], depth;

    if (!raster_depth_is_32(kind)) {
        depth = raster_depth_of_ir(b, z);
        return kind == RASTER_DEPTH_UNORM24 ? depth : raster_depth_16_ir(b, depth);
    }
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, z, jit_splat_f32(b, 0), ""), z,
                        jit_splat_f32(b, 0), "");
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, z, jit_splat_f32(b, 1), ""), z,
                        jit_splat_f32(b, 1), "");
    for (unsigned n = 0; n < 4; n++)
        channel[n] = jit_as_i32(b, z);
    raster_texel_pack_ir(b, &raster_texels[rows[kind]], channel, &depth);
    return depth;
}

LLVMValueRef raster_depth_16_ir(struct jit_builder *b, LLVMValueRef depth)
{
    return LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, depth, jit_splat_u32(b, 0xffff00), ""),
                       LLVMBuildLShr(b->ir, depth, jit_splat_u32(b, 16), ""), "");
}

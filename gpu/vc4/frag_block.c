/* What every block of a fragment variant begins with: its place in the tile, its planes, the test of the
 * payload's depth. */
#include "gpu/vc4/frag_emit.h"
#include "raster/zs_ir.h"

/* Position and payload: pixel coordinates, W and the 24-bit depth. */
static void block_planes(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y,
                         LLVMValueRef *w)
{
    uint32_t lane_x[16], lane_y[16];
    LLVMValueRef half = jit_splat_f32(b, 0.5f), zero = jit_splat_f32(b, 0), one = jit_splat_f32(b, 1), z;

    for (uint32_t l = 0; l < 16; l++) {
        lane_x[l] = (l & 1) | (l >> 1 & 2);
        lane_y[l] = (l >> 1 & 1) | (l >> 2 & 2);
    }
    e->px = LLVMBuildAdd(b->ir, jit_splat(b, x), jit_vector_u32(b, lane_x), "");
    e->py = LLVMBuildAdd(b->ir, jit_splat(b, y), jit_vector_u32(b, lane_y), "");
    e->fx = LLVMBuildFAdd(b->ir, jit_i32_to_f32(b, e->px), half, "");
    e->fy = LLVMBuildFAdd(b->ir, jit_i32_to_f32(b, e->py), half, "");
    e->fx = LLVMBuildFSub(b->ir, e->fx, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, x0)), "fx");
    e->fy = LLVMBuildFSub(b->ir, e->fy, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, y0)), "fy");

    *w = vc4_frag_plane(e, b, offsetof(struct raster_prim, inv_w_a), offsetof(struct raster_prim, inv_w_b));
    *w = LLVMBuildFAdd(b->ir, *w, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, inv_w_c)), "");
    *w = LLVMBuildFDiv(b->ir, one, *w, "w");

    z = vc4_frag_plane(e, b, offsetof(struct raster_prim, z_a), offsetof(struct raster_prim, z_b));
    z = LLVMBuildFAdd(b->ir, z, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, z_c)), "");
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, z, zero, ""), z, zero, "");
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, z, one, ""), z, one, "");
    z = LLVMBuildFMul(b->ir, z, jit_splat_f32(b, 16777215.0f), "");
    z = jit_f32_to_i32(b, LLVMBuildFAdd(b->ir, z, half, ""));
    /* 2^24 is the one value above: 16777215.5 rounds to it. */
    e->depth = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, z, jit_splat_u32(b, 0xffffff), ""), z,
                               jit_splat_u32(b, 0xffffff), "depth");
}

static LLVMValueRef block_byte(struct jit_builder *b, LLVMValueRef block, size_t offset)
{
    LLVMValueRef v = jit_load(b, b->i8, jit_offset_const(b, block, offset), 1, true);

    return LLVMBuildZExt(b->ir, v, b->i32, "");
}

static LLVMValueRef tile_word(struct vc4_frag_emit *e, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, e->tile, offset), 4, true);
}

void vc4_frag_block_place(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index, LLVMValueRef *w)
{
    unsigned samples = e->variant->samples;
    LLVMValueRef block, x, y, row, four = jit_i32(b, 2), at;

    at = LLVMBuildMul(b->ir, index, jit_i32(b, sizeof(struct raster_block)), "");
    block = jit_offset(b, e->blocks, at);
    x = block_byte(b, block, offsetof(struct raster_block, x));
    y = block_byte(b, block, offsetof(struct raster_block, y));
    row = LLVMBuildLShr(b->ir, tile_word(e, b, offsetof(struct raster_tile, width)), four, "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, (uint32_t)(samples * VC4_FRAG_SAMPLE_BYTES)), "");
    e->color = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, color)), at);
    e->zs = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, zs)), at);
    for (unsigned k = 0; k < samples; k++) {
        uint64_t mask_at = offsetof(struct raster_block, sample) + k * sizeof(uint16_t);

        at = jit_load(b, b->i16, jit_offset_const(b, block, mask_at), 2, true);
        e->covered[k] = jit_mask_from_bits(b, at);
    }
    x = LLVMBuildShl(b->ir, x, four, "");
    y = LLVMBuildShl(b->ir, y, four, "");
    x = LLVMBuildAdd(b->ir, x, tile_word(e, b, offsetof(struct raster_tile, x)), "");
    y = LLVMBuildAdd(b->ir, y, tile_word(e, b, offsetof(struct raster_tile, y)), "");
    block_planes(e, b, x, y, w);
}

void vc4_frag_block_begin(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index, LLVMValueRef *w)
{
    vc4_frag_block_place(e, b, index, w);
    for (unsigned k = 0; k < e->variant->samples; k++)
        jit_store(b, e->covered[k], e->live[k], 2);
}

LLVMValueRef vc4_frag_test_early(struct vc4_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef any = LLVMConstNull(b->i1x16);

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef changed;

        e->early_stored[k] = vc4_frag_load_sample(b, e->zs, k);
        e->early_pass[k] = raster_zs_ir(b, &e->variant->zs, e->reverse, e->covered[k], e->depth,
                                        e->early_stored[k], &e->early_word[k]);
        any = LLVMBuildOr(b->ir, any, e->early_pass[k], "");
        if (e->variant->zs.face[0].enable || e->variant->zs.face[1].enable) {
            changed = LLVMBuildICmp(b->ir, LLVMIntNE, e->early_word[k], e->early_stored[k], "");
            any = LLVMBuildOr(b->ir, any, changed, "");
        }
    }
    e->tested_early = true;
    return jit_mask_any(b, any);
}

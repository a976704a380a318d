/* What every block of a fragment variant begins with: its place in the tile, its planes, the test of the
 * payload's depth. */
#include <assert.h>

#include "gpu/vc4/frag_emit.h"
#include "raster/centre_ir.h"
#include "raster/zs_ir.h"

/* ---- the primitive ---- */

static size_t offset_in_prim(unsigned plane, unsigned k)
{
    static const size_t z[3] = {offsetof(struct raster_prim, z_a), offsetof(struct raster_prim, z_b),
                                offsetof(struct raster_prim, z_c)};
    static const size_t inv_w[3] = {offsetof(struct raster_prim, inv_w_a),
                                    offsetof(struct raster_prim, inv_w_b),
                                    offsetof(struct raster_prim, inv_w_c)};
    static const size_t vary[3] = {offsetof(struct raster_prim, vary_a), offsetof(struct raster_prim, vary_b),
                                   offsetof(struct raster_prim, vary_c)};

    if (plane < VC4_FRAG_VARY)
        return plane == VC4_FRAG_Z ? z[k] : inv_w[k];
    return vary[k] + (plane - VC4_FRAG_VARY) * sizeof(float);
}

static size_t offset_in_planes(unsigned plane, unsigned k)
{
    size_t at = plane == VC4_FRAG_Z ? offsetof(struct raster_planes, z)
                : plane == VC4_FRAG_INV_W
                    ? offsetof(struct raster_planes, inv_w)
                    : offsetof(struct raster_planes, vary) + (plane - VC4_FRAG_VARY) * 4 * sizeof(float);

    return at + k * sizeof(float);
}

static LLVMValueRef prim_float(struct vc4_frag_emit *e, struct jit_builder *b, size_t offset)
{
    if (e->variant->quads)
        return vc4_frag_quads_float(e, b, offset);
    return jit_splat(b, jit_load(b, b->f32, jit_offset_const(b, e->prim, offset), 4, true));
}

LLVMValueRef vc4_frag_coefficient(struct vc4_frag_emit *e, struct jit_builder *b, unsigned plane, unsigned k)
{
    return prim_float(e, b, e->variant->visible ? offset_in_planes(plane, k) : offset_in_prim(plane, k));
}

LLVMValueRef vc4_frag_plane(struct vc4_frag_emit *e, struct jit_builder *b, unsigned plane)
{
    LLVMValueRef x = LLVMBuildFMul(b->ir, vc4_frag_coefficient(e, b, plane, 0), e->fx, "");
    LLVMValueRef y = LLVMBuildFMul(b->ir, vc4_frag_coefficient(e, b, plane, 1), e->fy, "");

    return LLVMBuildFAdd(b->ir, x, y, "");
}

/* The primitive of a block of visible pixels. */
static void find_prim(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef block)
{
    LLVMValueRef at = jit_offset_const(b, block, offsetof(struct raster_visible_block, planes));

    e->prim = jit_offset(b, e->prims, jit_load(b, b->i32, at, 4, true));
}

/* ---- the block ---- */

static LLVMValueRef tile_word(struct vc4_frag_emit *e, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, e->tile, offset), 4, true);
}

/* Payload: W and the 24-bit depth, at the centres fx, fy. */
static void payload(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef *w)
{
    LLVMValueRef one = jit_splat_f32(b, 1), z;

    *w = vc4_frag_plane(e, b, VC4_FRAG_INV_W);
    *w = LLVMBuildFAdd(b->ir, *w, vc4_frag_coefficient(e, b, VC4_FRAG_INV_W, 2), "");
    *w = LLVMBuildFDiv(b->ir, one, *w, "w");

    z = vc4_frag_plane(e, b, VC4_FRAG_Z);
    z = LLVMBuildFAdd(b->ir, z, vc4_frag_coefficient(e, b, VC4_FRAG_Z, 2), "");
    e->depth = raster_depth_ir(b, z);
}

/* Pixel coordinates and centres; the block is (x, y) of the tile. */
static void block_centres(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    bool visible = e->variant->visible;
    LLVMValueRef left = tile_word(e, b, offsetof(struct raster_tile, x));
    LLVMValueRef top = tile_word(e, b, offsetof(struct raster_tile, y)), x0, y0;

    x0 = prim_float(e, b, visible ? offsetof(struct raster_planes, x0) : offsetof(struct raster_prim, x0));
    y0 = prim_float(e, b, visible ? offsetof(struct raster_planes, y0) : offsetof(struct raster_prim, y0));
    e->px = raster_pixel_ir(b, false, left, x);
    e->py = raster_pixel_ir(b, true, top, y);
    e->fx = LLVMBuildFSub(b->ir, raster_centre_ir(b, false, left, x), x0, "fx");
    e->fy = LLVMBuildFSub(b->ir, raster_centre_ir(b, true, top, y), y0, "fy");
}

static LLVMValueRef block_byte(struct jit_builder *b, LLVMValueRef block, size_t offset)
{
    LLVMValueRef v = jit_load(b, b->i8, jit_offset_const(b, block, offset), 1, true);

    return LLVMBuildZExt(b->ir, v, b->i32, "");
}

void vc4_frag_block_place(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index, LLVMValueRef *w)
{
    unsigned samples = e->variant->samples;
    bool visible = e->variant->visible;
    size_t size = visible ? sizeof(struct raster_visible_block) : sizeof(struct raster_block);
    LLVMValueRef block, x, y, row, at;

    if (e->variant->quads) {
        vc4_frag_quads_place(e, b, index);
        payload(e, b, w);
        return;
    }
    static_assert(offsetof(struct raster_visible_block, x) == offsetof(struct raster_block, x) &&
                      offsetof(struct raster_visible_block, y) == offsetof(struct raster_block, y),
                  "");
    at = LLVMBuildMul(b->ir, index, jit_i32(b, (uint32_t)size), "");
    block = jit_offset(b, e->blocks, at);
    if (visible)
        find_prim(e, b, block);
    else
        e->prim = e->prims;
    at = jit_offset_const(b, e->prim,
                          visible ? offsetof(struct raster_planes, reverse)
                                  : offsetof(struct raster_prim, reverse));
    e->reverse = LLVMBuildICmp(b->ir, LLVMIntNE, jit_load(b, b->i32, at, 4, true), jit_i32(b, 0), "");
    x = block_byte(b, block, offsetof(struct raster_block, x));
    y = block_byte(b, block, offsetof(struct raster_block, y));
    row = LLVMBuildLShr(b->ir, tile_word(e, b, offsetof(struct raster_tile, width)), jit_i32(b, 2), "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, (uint32_t)(samples * VC4_FRAG_SAMPLE_BYTES)), "");
    e->color = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, color)), at);
    e->zs = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, zs)), at);
    for (unsigned k = 0; k < samples; k++) {
        uint64_t mask_at = visible ? offsetof(struct raster_visible_block, mask)
                                   : offsetof(struct raster_block, sample) + k * sizeof(uint16_t);

        at = jit_load(b, b->i16, jit_offset_const(b, block, mask_at), 2, true);
        e->covered[k] = jit_mask_from_bits(b, at);
    }
    block_centres(e, b, x, y);
    payload(e, b, w);
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

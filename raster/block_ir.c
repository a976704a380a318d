#include "raster/block_ir.h"

#include <assert.h>

#include "raster/centre_ir.h"
#include "raster/depth_ir.h"
#include "raster/quads_ir.h"
#include "raster/deferred.h"
#include "raster/samples.h"

/* ---- the primitive ---- */

static size_t offset_in_prim(unsigned plane, unsigned k)
{
    static const size_t inv_w[3] = {offsetof(struct raster_prim, inv_w_a),
                                    offsetof(struct raster_prim, inv_w_b),
                                    offsetof(struct raster_prim, inv_w_c)};
    static const size_t vary[3] = {offsetof(struct raster_prim, vary_a), offsetof(struct raster_prim, vary_b),
                                   offsetof(struct raster_prim, vary_c)};

    if (plane < RASTER_VALUE_VARY)
        return inv_w[k];
    return vary[k] + (plane - RASTER_VALUE_VARY) * sizeof(float);
}

static size_t offset_in_planes(unsigned plane, unsigned k)
{
    size_t at = plane == RASTER_VALUE_INV_W
                    ? offsetof(struct raster_planes, inv_w)
                    : offsetof(struct raster_planes, vary) + (plane - RASTER_VALUE_VARY) * 4 * sizeof(float);

    return at + k * sizeof(float);
}

static LLVMValueRef tile_word(struct raster_block_ir *r, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, r->tile, offset), 4, true);
}

static LLVMValueRef prim_float(struct raster_block_ir *r, struct jit_builder *b, size_t in_prim,
                               size_t in_planes)
{
    if (r->form == RASTER_IR_QUADS)
        return raster_quads_ir_float(r, b, in_planes);
    if (r->form == RASTER_IR_DEFERRED)
        in_prim = in_planes;
    return jit_splat(b, jit_load(b, b->f32, jit_offset_const(b, r->prim, in_prim), 4, true));
}

LLVMValueRef raster_block_ir_coefficient(struct raster_block_ir *r, struct jit_builder *b, unsigned plane,
                                         unsigned k)
{
    return prim_float(r, b, offset_in_prim(plane, k), offset_in_planes(plane, k));
}

LLVMValueRef raster_block_ir_plane(struct raster_block_ir *r, struct jit_builder *b, unsigned plane)
{
    LLVMValueRef x = LLVMBuildFMul(b->ir, raster_block_ir_coefficient(r, b, plane, 0), r->fx, "");
    LLVMValueRef y = LLVMBuildFMul(b->ir, raster_block_ir_coefficient(r, b, plane, 1), r->fy, "");

    return LLVMBuildFAdd(b->ir, x, y, "");
}

LLVMValueRef raster_block_ir_value(struct raster_block_ir *r, struct jit_builder *b, unsigned plane)
{
    LLVMValueRef t = raster_block_ir_plane(r, b, plane);

    return LLVMBuildFAdd(b->ir, t, raster_block_ir_coefficient(r, b, plane, 2), "");
}

LLVMValueRef raster_block_ir_w(struct raster_block_ir *r, struct jit_builder *b)
{
    LLVMValueRef inv_w = raster_block_ir_value(r, b, RASTER_VALUE_INV_W);

    return LLVMBuildFDiv(b->ir, jit_splat_f32(b, 1), inv_w, "w");
}

/* ---- depth ---- */

/* The plane as seen from the tile's first pixel. */
static struct raster_depth_ir depth_plane(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef prim,
                                          size_t offset)
{
    struct raster_depth_ir plane = raster_depth_load_ir(b, jit_offset_const(b, prim, offset));

    return raster_depth_move_ir(b, &plane, tile_word(r, b, offsetof(struct raster_tile, x)),
                                tile_word(r, b, offsetof(struct raster_tile, y)));
}

static struct raster_depth_sums_ir depth_sums(struct raster_block_ir *r, struct jit_builder *b)
{
    bool deferred = r->form == RASTER_IR_DEFERRED;
    struct raster_depth_ir plane[4];

    for (uint32_t q = 0; r->form == RASTER_IR_QUADS && q < 4; q++) {
        LLVMValueRef x = LLVMBuildExtractElement(b->ir, r->x, jit_i32(b, q), "");
        LLVMValueRef y = LLVMBuildExtractElement(b->ir, r->y, jit_i32(b, q), "");

        plane[q] = depth_plane(r, b, r->quad_planes[q], offsetof(struct raster_planes, depth));
        plane[q] = raster_depth_move_ir(b, &plane[q], LLVMBuildShl(b->ir, x, jit_i32(b, 1), ""),
                                        LLVMBuildShl(b->ir, y, jit_i32(b, 1), ""));
    }
    if (r->form == RASTER_IR_QUADS)
        return raster_depth_quads_ir(b, plane);
    plane[0] =
        depth_plane(r, b, r->prim,
                    deferred ? offsetof(struct raster_planes, depth) : offsetof(struct raster_prim, depth));
    plane[0] = raster_depth_move_ir(b, &plane[0], LLVMBuildShl(b->ir, r->x, jit_i32(b, 2), ""),
                                    LLVMBuildShl(b->ir, r->y, jit_i32(b, 2), ""));
    return raster_depth_block_ir(b, &plane[0]);
}

LLVMValueRef raster_block_ir_depth(struct raster_block_ir *r, struct jit_builder *b)
{
    struct raster_depth_sums_ir sums = depth_sums(r, b);

    return raster_depth_of_sums_ir(b, &sums);
}

LLVMValueRef raster_block_ir_z(struct raster_block_ir *r, struct jit_builder *b)
{
    struct raster_depth_sums_ir sums = depth_sums(r, b);

    return raster_depth_z_ir(b, &sums);
}

/* ---- facing ---- */

LLVMValueRef raster_block_ir_reverse(struct raster_block_ir *r, struct jit_builder *b)
{
    size_t at = r->form == RASTER_IR_DEFERRED ? offsetof(struct raster_planes, reverse)
                                              : offsetof(struct raster_prim, reverse);
    LLVMValueRef word = jit_load(b, b->i32, jit_offset_const(b, r->prim, at), 4, true);

    return LLVMBuildICmp(b->ir, LLVMIntNE, word, jit_i32(b, 0), "");
}

LLVMValueRef raster_block_ir_by_face(struct raster_block_ir *r, struct jit_builder *b, uint32_t front,
                                     uint32_t back)
{
    LLVMValueRef word;

    if (r->form != RASTER_IR_QUADS)
        return jit_splat(b, LLVMBuildSelect(b->ir, raster_block_ir_reverse(r, b), jit_i32(b, back),
                                            jit_i32(b, front), ""));
    word = jit_as_i32(b, raster_quads_ir_float(r, b, offsetof(struct raster_planes, reverse)));
    word = LLVMBuildICmp(b->ir, LLVMIntNE, word, jit_splat_u32(b, 0), "");
    return jit_select(b, word, jit_splat_u32(b, back), jit_splat_u32(b, front));
}

/* ---- the block ---- */

static void find_prim(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef block)
{
    bool deferred = r->form == RASTER_IR_DEFERRED;
    LLVMValueRef at;

    r->prim = r->prims;
    if (deferred) {
        at = jit_offset_const(b, block, offsetof(struct raster_deferred_block, planes));
        r->prim = jit_offset(b, r->prims, jit_load(b, b->i32, at, 4, true));
    }
}

/* Pixels and centres; the block is (x, y) of the tile. */
static void place_centres(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef left = tile_word(r, b, offsetof(struct raster_tile, x));
    LLVMValueRef top = tile_word(r, b, offsetof(struct raster_tile, y)), x0, y0;

    x0 = prim_float(r, b, offsetof(struct raster_prim, x0), offsetof(struct raster_planes, x0));
    y0 = prim_float(r, b, offsetof(struct raster_prim, y0), offsetof(struct raster_planes, y0));
    r->px = raster_pixel_ir(b, false, left, x);
    r->py = raster_pixel_ir(b, true, top, y);
    r->cx = raster_centre_ir(b, false, left, x);
    r->cy = raster_centre_ir(b, true, top, y);
    r->fx = LLVMBuildFSub(b->ir, r->cx, x0, "fx");
    r->fy = LLVMBuildFSub(b->ir, r->cy, y0, "fy");
}

static LLVMValueRef block_byte(struct jit_builder *b, LLVMValueRef block, size_t offset)
{
    LLVMValueRef v = jit_load(b, b->i8, jit_offset_const(b, block, offset), 1, true);

    return LLVMBuildZExt(b->ir, v, b->i32, "");
}

static void find_words(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef row, at, color;

    row = LLVMBuildLShr(b->ir, tile_word(r, b, offsetof(struct raster_tile, width)), jit_i32(b, 2), "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, (uint32_t)(r->samples * RASTER_SAMPLE_BYTES)), "");
    r->at = at;
    color = r->words == 1 ? at : LLVMBuildMul(b->ir, at, jit_i32(b, r->words), "");
    r->color = jit_offset(b, jit_offset_const(b, r->tile, offsetof(struct raster_tile, color)), color);
    r->zs = jit_offset(b, jit_offset_const(b, r->tile, offsetof(struct raster_tile, zs)), at);
}

void raster_block_ir_place(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef index)
{
    bool deferred = r->form == RASTER_IR_DEFERRED;
    size_t size = deferred                             ? sizeof(struct raster_deferred_block)
                  : raster_samples_is_many(r->samples) ? sizeof(struct raster_samples_block)
                                                       : sizeof(struct raster_block);
    LLVMValueRef block;

    r->index = index;
    if (r->form == RASTER_IR_QUADS) {
        raster_quads_ir_place(r, b, index);
        return;
    }
    static_assert(offsetof(struct raster_deferred_block, x) == offsetof(struct raster_block, x) &&
                      offsetof(struct raster_deferred_block, y) == offsetof(struct raster_block, y),
                  "");
    static_assert(offsetof(struct raster_samples_block, sample) == offsetof(struct raster_block, sample), "");
    block = jit_offset(b, r->blocks, LLVMBuildMul(b->ir, index, jit_i32(b, (uint32_t)size), ""));
    find_prim(r, b, block);
    r->x = block_byte(b, block, offsetof(struct raster_block, x));
    r->y = block_byte(b, block, offsetof(struct raster_block, y));
    find_words(r, b, r->x, r->y);
    for (unsigned k = 0; k < r->samples; k++) {
        uint64_t at = deferred ? offsetof(struct raster_deferred_block, mask)
                               : offsetof(struct raster_block, sample) + k * sizeof(uint16_t);

        r->covered[k] = jit_mask_from_bits(b, jit_load(b, b->i16, jit_offset_const(b, block, at), 2, true));
    }
    place_centres(r, b, r->x, r->y);
}

void raster_block_ir_store_color(struct raster_block_ir *r, struct jit_builder *b, unsigned n,
                                 LLVMValueRef value, LLVMValueRef lanes)
{
    if (r->form == RASTER_IR_QUADS) {
        raster_quads_ir_store(r, b, value, lanes);
        return;
    }
    value = LLVMBuildSelect(b->ir, lanes, value, raster_block_ir_load(b, r->color, n), "");
    jit_store(b, value, raster_block_ir_sample(b, r->color, n), 64);
}

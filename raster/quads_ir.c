#include "raster/quads_ir.h"

#include "raster/deferred.h"

/* Four values as sixteen lanes, one a quad. */
static LLVMValueRef spread(struct jit_builder *b, LLVMValueRef four)
{
    uint32_t quad[16];

    for (uint32_t l = 0; l < 16; l++)
        quad[l] = l / 4;
    return LLVMBuildShuffleVector(b->ir, four, LLVMGetUndef(LLVMTypeOf(four)), jit_vector_u32(b, quad), "");
}

/* Constants 0, 1, ... from `first` on, `count` of them, `step` apart. */
static LLVMValueRef indices(struct jit_builder *b, uint32_t first, uint32_t count)
{
    LLVMValueRef values[16];

    for (uint32_t i = 0; i < count; i++)
        values[i] = jit_i32(b, first + i);
    return LLVMConstVector(values, count);
}

/* The quads' positions in the tile along one axis. */
static LLVMValueRef positions(struct jit_builder *b, LLVMValueRef quads, size_t offset)
{
    LLVMValueRef at = jit_load(b, LLVMVectorType(b->i8, 4), jit_offset_const(b, quads, offset), 1, true);

    return LLVMBuildZExt(b->ir, at, LLVMVectorType(b->i32, 4), "");
}

/* Pixels along one axis, of quads in a tile that begins at `origin`. */
static LLVMValueRef pixels(struct jit_builder *b, LLVMValueRef at, LLVMValueRef origin, bool vertical)
{
    LLVMValueRef lanes;
    uint32_t lane[16];

    for (uint32_t l = 0; l < 16; l++)
        lane[l] = vertical ? l >> 1 & 1 : l & 1;
    lanes = LLVMBuildShl(b->ir, spread(b, at), jit_splat_u32(b, 1), "");
    lanes = LLVMBuildAdd(b->ir, lanes, jit_vector_u32(b, lane), "");
    return LLVMBuildAdd(b->ir, lanes, jit_splat(b, origin), "");
}

static LLVMValueRef centres(struct jit_builder *b, LLVMValueRef pixel)
{
    return LLVMBuildFAdd(b->ir, jit_i32_to_f32(b, pixel), jit_splat_f32(b, 0.5f), "");
}

/* From the reference points; exact up to the difference. */
static LLVMValueRef from_origin(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef centre,
                                size_t origin)
{
    return LLVMBuildFSub(b->ir, centre, raster_quads_ir_float(r, b, origin), "");
}

static LLVMValueRef half_word(struct jit_builder *b, LLVMValueRef quads, size_t offset)
{
    return LLVMBuildZExt(b->ir, jit_load(b, b->i16, jit_offset_const(b, quads, offset), 2, true), b->i32, "");
}

void raster_quads_ir_place(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef index)
{
    LLVMValueRef quads, at, color, tile[2];

    at = LLVMBuildMul(b->ir, index, jit_i32(b, sizeof(struct raster_deferred_quads)), "");
    quads = jit_offset(b, r->blocks, at);
    color = jit_offset_const(b, r->tile, offsetof(struct raster_tile, color));
    for (uint32_t q = 0; q < 4; q++) {
        size_t place = q * sizeof(uint16_t);

        at = half_word(b, quads, offsetof(struct raster_deferred_quads, planes) + place);
        r->quad_planes[q] = jit_offset(b, r->prims, LLVMBuildShl(b->ir, at, jit_i32(b, 4), ""));
        at = half_word(b, quads, offsetof(struct raster_deferred_quads, at) + place);
        r->quad_color[q] = jit_offset(b, color, at);
    }
    at = jit_offset_const(b, quads, offsetof(struct raster_deferred_quads, mask));
    r->covered[0] = jit_mask_from_bits(b, jit_load(b, b->i16, at, 2, true));
    tile[0] = jit_load(b, b->i32, jit_offset_const(b, r->tile, offsetof(struct raster_tile, x)), 4, true);
    tile[1] = jit_load(b, b->i32, jit_offset_const(b, r->tile, offsetof(struct raster_tile, y)), 4, true);
    r->x = positions(b, quads, offsetof(struct raster_deferred_quads, x));
    r->y = positions(b, quads, offsetof(struct raster_deferred_quads, y));
    r->px = pixels(b, r->x, tile[0], false);
    r->py = pixels(b, r->y, tile[1], true);
    r->cx = centres(b, r->px);
    r->cy = centres(b, r->py);
    r->fx = from_origin(r, b, r->cx, offsetof(struct raster_planes, x0));
    r->fy = from_origin(r, b, r->cy, offsetof(struct raster_planes, y0));
}

LLVMValueRef raster_quads_ir_float(struct raster_block_ir *r, struct jit_builder *b, size_t offset)
{
    LLVMTypeRef four = LLVMVectorType(b->f32, 4);
    LLVMValueRef part[4], pair[2], all;
    uint32_t lane[16];

    for (uint32_t q = 0; q < 4; q++)
        part[q] = jit_load(b, four, jit_offset_const(b, r->quad_planes[q], offset & ~(size_t)15), 16, true);
    for (uint32_t i = 0; i < 2; i++)
        pair[i] = LLVMBuildShuffleVector(b->ir, part[2 * i], part[2 * i + 1], indices(b, 0, 8), "");
    all = LLVMBuildShuffleVector(b->ir, pair[0], pair[1], indices(b, 0, 16), "");
    for (uint32_t l = 0; l < 16; l++)
        lane[l] = (l & ~3u) + (uint32_t)(offset & 15) / 4;
    return LLVMBuildShuffleVector(b->ir, all, LLVMGetUndef(LLVMTypeOf(all)), jit_vector_u32(b, lane), "");
}

/* One after the other: some may be the same place, with other lanes. */
void raster_quads_ir_store(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef value,
                           LLVMValueRef lanes)
{
    for (uint32_t q = 0; q < 4; q++) {
        LLVMValueRef some = indices(b, 4 * q, 4), new, old, mask;

        new = LLVMBuildShuffleVector(b->ir, value, LLVMGetUndef(LLVMTypeOf(value)), some, "");
        mask = LLVMBuildShuffleVector(b->ir, lanes, LLVMGetUndef(LLVMTypeOf(lanes)), some, "");
        old = jit_load(b, LLVMTypeOf(new), r->quad_color[q], 16, false);
        jit_store(b, LLVMBuildSelect(b->ir, mask, new, old, ""), r->quad_color[q], 16);
    }
}

/* What code that runs over blocks of pixels begins each with, as IR: its place in the tile, its lanes, the
 * planes of its primitive; and the storing of its colours. Blocks come in three forms, which give a pixel the
 * same numbers. */
#ifndef VITRAIL_RASTER_BLOCK_IR_H
#define VITRAIL_RASTER_BLOCK_IR_H

#include <stddef.h>

#include "jit/builder.h"
#include "raster/tile.h"

enum raster_ir_form {
    RASTER_IR_PRIM, /* struct raster_block (samples.h: or raster_samples_block), of one struct raster_prim */
    RASTER_IR_DEFERRED, /* struct raster_deferred_block, each of its own struct raster_planes (deferred.h) */
    RASTER_IR_QUADS     /* struct raster_deferred_quads: each quad is of its own struct raster_planes */
};

#define RASTER_SAMPLE_BYTES (16 * sizeof(uint32_t)) /* of a block, in the tile's color and zs */

struct raster_block_ir {
    enum raster_ir_form form;
    unsigned samples; /* of the tile; 1 but for RASTER_IR_PRIM */
    unsigned words;   /* of a sample's colour (raster_target_words, raster_targets.total); 1 of quads */
    LLVMValueRef prims, tile, blocks; /* ptr: the primitive, or the planes of all; the tile; the blocks */
    /* The block at hand, filled by raster_block_ir_place: */
    LLVMValueRef index;     /* its number, i32 */
    LLVMValueRef pass;      /* of several (shader_ir.h), i32; else NULL */
    LLVMValueRef prim;      /* ptr: struct raster_prim or raster_planes; none of quads */
    LLVMValueRef x, y;      /* the block in the tile, i32; of quads their positions, i32x4 */
    LLVMValueRef px, py;    /* window pixels, i32x16 */
    LLVMValueRef cx, cy;    /* their centres, f32x16 */
    LLVMValueRef fx, fy;    /* from the reference point */
    LLVMValueRef color, zs; /* ptr to the first sample; none of quads */
    LLVMValueRef at;        /* of zs in the tile's, bytes, i32; likewise */
    LLVMValueRef covered[RASTER_TARGET_SAMPLES]; /* i1x16 */
    LLVMValueRef quad_planes[4], quad_color[4];  /* of quads, instead of `prim` and `color` */
};

/* What a primitive has planes of, but for depth; varying n is RASTER_VALUE_VARY + n. */
enum { RASTER_VALUE_INV_W, RASTER_VALUE_VARY };

/* Takes up block `index` (i32). */
void raster_block_ir_place(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef index);
/* A coefficient of the primitive's, in all lanes: 0 a, 1 b, 2 c. */
LLVMValueRef raster_block_ir_coefficient(struct raster_block_ir *r, struct jit_builder *b, unsigned value,
                                         unsigned k);
/* a * fx + b * fy (prim.h): each product and the sum rounded. */
LLVMValueRef raster_block_ir_plane(struct raster_block_ir *r, struct jit_builder *b, unsigned value);
/* That plus c. */
LLVMValueRef raster_block_ir_value(struct raster_block_ir *r, struct jit_builder *b, unsigned value);
/* w: 1 / (1 / w). */
LLVMValueRef raster_block_ir_w(struct raster_block_ir *r, struct jit_builder *b);
/* Its depths, i32x16, and z before it is rounded, f32x16 (depth.h). */
LLVMValueRef raster_block_ir_depth(struct raster_block_ir *r, struct jit_builder *b);
LLVMValueRef raster_block_ir_z(struct raster_block_ir *r, struct jit_builder *b);
/* Whether the primitive is back-facing: i1, not of quads. A load each time: in AVX-512 code that is not
 * optimised LLVM 19 goes in circles over a choice of masks whose condition comes from another basic block. */
LLVMValueRef raster_block_ir_reverse(struct raster_block_ir *r, struct jit_builder *b);
/* i32x16: `back` in lanes of back-facing primitives. */
LLVMValueRef raster_block_ir_by_face(struct raster_block_ir *r, struct jit_builder *b, uint32_t front,
                                     uint32_t back);

/* Word `n` of each pixel's at `base`, which is r->color or r->zs: sample n, or of more words a colour word
 * n % words of sample n / words. */
static inline LLVMValueRef raster_block_ir_sample(struct jit_builder *b, LLVMValueRef base, unsigned n)
{
    return jit_offset_const(b, base, n * RASTER_SAMPLE_BYTES);
}
static inline LLVMValueRef raster_block_ir_load(struct jit_builder *b, LLVMValueRef base, unsigned n)
{
    return jit_load(b, b->i32x16, raster_block_ir_sample(b, base, n), 64, false);
}
/* Stores `lanes` (i1x16) of such words of colours. */
void raster_block_ir_store_color(struct raster_block_ir *r, struct jit_builder *b, unsigned n,
                                 LLVMValueRef value, LLVMValueRef lanes);

#endif

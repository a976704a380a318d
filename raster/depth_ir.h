/* depth.h as IR over 16 lanes. */
#ifndef VITRAIL_RASTER_DEPTH_IR_H
#define VITRAIL_RASTER_DEPTH_IR_H

#include "jit/builder.h"
#include "raster/depth.h"

/* A struct raster_depth: i64, and i32. */
struct raster_depth_ir {
    LLVMValueRef a, b, c, shift;
};

/* Sums at sixteen lanes: two vectors of i64x8, and their planes' shift, i32x16. */
struct raster_depth_sums_ir {
    LLVMValueRef half[2], shift;
};

struct raster_depth_ir raster_depth_load_ir(struct jit_builder *b, LLVMValueRef plane);
/* The plane as seen from pixel (px, py), i32: c is its value there. Moved to a tile first and to its blocks
 * then, what the tile alone decides leaves a loop over blocks. */
struct raster_depth_ir raster_depth_move_ir(struct jit_builder *b, const struct raster_depth_ir *plane,
                                            LLVMValueRef px, LLVMValueRef py);
/* At a block's lanes, of a plane moved to its first pixel. */
struct raster_depth_sums_ir raster_depth_block_ir(struct jit_builder *b, const struct raster_depth_ir *plane);
/* At four quads' lanes, of planes moved to their first pixels. */
struct raster_depth_sums_ir raster_depth_quads_ir(struct jit_builder *b,
                                                  const struct raster_depth_ir plane[4]);

/* The depth, i32x16. */
LLVMValueRef raster_depth_of_sums_ir(struct jit_builder *b, const struct raster_depth_sums_ir *sums);
/* f32x16, 0 to 1. */
LLVMValueRef raster_depth_z_ir(struct jit_builder *b, const struct raster_depth_sums_ir *sums);
/* The depth (i32x16) of numbers (f32x16). */
LLVMValueRef raster_depth_of_ir(struct jit_builder *b, LLVMValueRef z);

#endif

/* depth.h as IR over 16 lanes. */
#ifndef VITRAIL_RASTER_DEPTH_IR_H
#define VITRAIL_RASTER_DEPTH_IR_H

#include "jit/builder.h"
#include "raster/depth.h"

/* Sixteen doubles, as two vectors of f64x8: over vectors that no register holds LLVM 19 goes in circles (-O0,
 * AVX-512: their conversion to integers where another basic block compares these). */
struct raster_steps_ir {
    LLVMValueRef half[2];
};

/* A plane of depth at the block at hand, f64; c has the bias. */
struct raster_depth_plane_ir {
    LLVMValueRef a, b, c;
};

/* From the reference point to the centre of a pixel, f64: of the first of block `at` of a tile whose first
 * pixel is `origin` (i32); `reference` is f32. What depends on the tile and the primitive alone stands
 * apart, so that it leaves a loop over blocks. */
LLVMValueRef raster_depth_distance_ir(struct jit_builder *b, LLVMValueRef origin, LLVMValueRef at,
                                      LLVMValueRef reference);
/* What the plane has at a block's first pixel: (a * bx + b * by) + c. */
LLVMValueRef raster_depth_base_ir(struct jit_builder *b, const struct raster_depth_plane_ir *plane,
                                  LLVMValueRef bx, LLVMValueRef by);
/* What a block's lanes add to that: the same in all blocks. */
struct raster_steps_ir raster_depth_lanes_ir(struct jit_builder *b,
                                             const struct raster_depth_plane_ir *plane);
/* base + lanes. */
struct raster_steps_ir raster_depth_steps_ir(struct jit_builder *b, LLVMValueRef base,
                                             const struct raster_steps_ir *lanes);
/* Of steps with RASTER_DEPTH_ROUND: the depth, i32x16. */
LLVMValueRef raster_depth_ir(struct jit_builder *b, const struct raster_steps_ir *steps);
/* Of steps without bias: f32x16, 0 to 1. */
LLVMValueRef raster_depth_z_ir(struct jit_builder *b, const struct raster_steps_ir *steps);
/* The depth (i32x16) of numbers (f32x16). */
LLVMValueRef raster_depth_of_ir(struct jit_builder *b, LLVMValueRef z);

#endif

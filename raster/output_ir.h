/* output.h as IR over 16 lanes of one sample. */
#ifndef VITRAIL_RASTER_OUTPUT_IR_H
#define VITRAIL_RASTER_OUTPUT_IR_H

#include "raster/block_ir.h"
#include "raster/output.h"

/* i32x16 words of red, green, blue and alpha; src1 may be NULLs where no factor names it. constant: f32x16;
 * may be NULLs likewise. */
struct raster_output_ir {
    LLVMValueRef src[4], src1[4], constant[4];
};

/* `word`: the tile's words, i32x16, as many as the format has; NULLs when raster_output_reads is false.
 * Becomes the new ones. */
void raster_output_ir_words(struct jit_builder *b, enum raster_format format,
                            const struct raster_blend *blend, const struct raster_output_ir *colors,
                            LLVMValueRef *word);
/* Depths of the block's lanes, for the test: the primitive's. i32x16. */
LLVMValueRef raster_output_ir_depth(struct raster_block_ir *r, struct jit_builder *b,
                                    const struct raster_targets *targets);
/* Tests `lanes` (i1x16) of one sample of the block at hand, with what writes of depth and stencil that has.
 * `reverse`: i1; `depth`: as above, or of raster_depth_encode_ir. Returns the lanes that pass. Not of quads. */
LLVMValueRef raster_output_ir_test(struct raster_block_ir *r, struct jit_builder *b,
                                   const struct raster_targets *targets, unsigned sample,
                                   const struct raster_zs *zs, LLVMValueRef reverse, LLVMValueRef depth,
                                   LLVMValueRef lanes);

/* Reads, blends and stores `lanes` (i1x16) of one sample of target t in the block at hand, whose r->words is
 * targets->total and r->samples targets->samples. Not of quads. */
void raster_output_ir_store(struct raster_block_ir *r, struct jit_builder *b,
                            const struct raster_targets *targets, unsigned t, unsigned sample,
                            const struct raster_blend *blend, const struct raster_output_ir *colors,
                            LLVMValueRef lanes);
/* Words of a sample of target t as they stand in the tile, i32x16, as raster_targets_get and _put have them:
 * targets->words[t] of them. The latter stores `lanes`. */
void raster_output_ir_get(struct raster_block_ir *r, struct jit_builder *b,
                          const struct raster_targets *targets, unsigned t, unsigned sample,
                          LLVMValueRef word[4]);
void raster_output_ir_put(struct raster_block_ir *r, struct jit_builder *b,
                          const struct raster_targets *targets, unsigned t, unsigned sample,
                          const LLVMValueRef word[4], LLVMValueRef lanes);
/* What a sample of target t holds: red, green, blue and alpha as raster_texel_unpack has them. */
void raster_output_ir_load(struct raster_block_ir *r, struct jit_builder *b,
                           const struct raster_targets *targets, unsigned t, unsigned sample,
                           LLVMValueRef out[4]);

#endif

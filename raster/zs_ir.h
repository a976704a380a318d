/* zs.h's test as IR over 16 lanes of one sample of a block. */
#ifndef VITRAIL_RASTER_ZS_IR_H
#define VITRAIL_RASTER_ZS_IR_H

#include "jit/builder.h"
#include "raster/zs.h"

/* depth: i32x16, stored: i32x16 as loaded from the tile, reverse: i1 scalar, lanes: i1x16 that take part; ref: i32x16,
 * each lane's reference value of 0 to 255 for either face, or NULL: the faces' own.
 * Returns the lanes that pass; *updated is the word to store (unchanged in lanes that do not take part). */
LLVMValueRef raster_zs_ir(struct jit_builder *b, const struct raster_zs *zs, LLVMValueRef reverse,
                          LLVMValueRef ref, LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef stored,
                          LLVMValueRef *updated);
/* raster_zs_test_32: `stored` are depths and `stencil` 0 to 255 in words, i32x16; *new_stencil likewise. */
LLVMValueRef raster_zs_ir_32(struct jit_builder *b, const struct raster_zs *zs, LLVMValueRef reverse,
                             LLVMValueRef ref, LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef stored,
                             LLVMValueRef stencil, LLVMValueRef *updated, LLVMValueRef *new_stencil);
/* raster_depth_16, i32x16; raster_depth_encode of f32x16: i32x16. */
LLVMValueRef raster_depth_16_ir(struct jit_builder *b, LLVMValueRef depth);
LLVMValueRef raster_depth_encode_ir(struct jit_builder *b, enum raster_depth_kind kind, LLVMValueRef z);

#endif

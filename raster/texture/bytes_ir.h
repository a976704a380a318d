/* Texels of four bytes each, in words, blended byte by byte: of both samplers' emitters. 16 lanes. */
#ifndef VITRAIL_RASTER_TEXTURE_BYTES_IR_H
#define VITRAIL_RASTER_TEXTURE_BYTES_IR_H

#include "jit/builder.h"

/* The even and the odd bytes, a half (i16x32) each. */
struct raster_bytes_ir {
    LLVMValueRef even, odd;
};

struct raster_bytes_ir raster_bytes_ir_split(struct jit_builder *b, LLVMValueRef word);
LLVMValueRef raster_bytes_ir_join(struct jit_builder *b, struct raster_bytes_ir bytes);
/* The low byte of each lane (i32x16), in 1/256, as lerp takes it; the other bytes do not count. */
LLVMValueRef raster_bytes_ir_weight(struct jit_builder *b, LLVMValueRef weight);
/* (x * (256 - w) + y * w + 128) >> 8 of each byte. */
struct raster_bytes_ir raster_bytes_ir_lerp(struct jit_builder *b, struct raster_bytes_ir x,
                                            struct raster_bytes_ir y, LLVMValueRef weight);

#endif

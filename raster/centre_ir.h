/* Pixel centres of a block as IR. */
#ifndef VITRAIL_RASTER_CENTRE_IR_H
#define VITRAIL_RASTER_CENTRE_IR_H

#include "jit/builder.h"

/* (float)p + 0.5f for the sixteen pixels p of a block along one axis (f32x16): `origin` is the tile's
 * position in pixels, `at` the block's in blocks, 0..15 (scalars i32). What depends on the tile alone stands
 * apart, so that it leaves a loop over blocks; every sum is exact. */
LLVMValueRef raster_centre_ir(struct jit_builder *b, bool vertical, LLVMValueRef origin, LLVMValueRef at);
/* The pixels themselves, i32x16. */
LLVMValueRef raster_pixel_ir(struct jit_builder *b, bool vertical, LLVMValueRef origin, LLVMValueRef at);

#endif

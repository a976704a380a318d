/* blend.h as IR over 16 pixels. */
#ifndef VITRAIL_RASTER_BLEND_IR_H
#define VITRAIL_RASTER_BLEND_IR_H

#include "jit/builder.h"
#include "raster/blend.h"

/* constant: scalar i32; src, src1, dst: i32x16 words. `src1` may be NULL when no factor names it, `dst` when
 * the result does not depend on it. Returns i32x16. */
LLVMValueRef raster_blend_ir(struct jit_builder *b, const struct raster_blend *blend, LLVMValueRef constant,
                             LLVMValueRef src, LLVMValueRef src1, LLVMValueRef dst);

/* Four channels as floats, f32x16, to words: clamped to 0..1 (NaN: 0), times 255, rounded to nearest even. */
LLVMValueRef raster_pack_ir(struct jit_builder *b, const LLVMValueRef channel[4]);

#endif

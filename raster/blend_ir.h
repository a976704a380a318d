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

/* Colours of RGBA16F tiles, f32x16. `word`: the tile's two words, i32x16, NULL when the result does not
 * depend on them; becomes the new ones. `src1` counts for its factors only. */
struct raster_rgba16f_ir {
    LLVMValueRef constant[4], src[4], src1[4];
};
void raster_blend_rgba16f_ir(struct jit_builder *b, const struct raster_blend *blend,
                             const struct raster_rgba16f_ir *colors, LLVMValueRef word[2]);

#endif

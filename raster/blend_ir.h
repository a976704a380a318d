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

/* The same logic operation of i32x16, `dst` NULL where it does not count. */
LLVMValueRef raster_blend_logic_ir(struct jit_builder *b, uint8_t op, LLVMValueRef src, LLVMValueRef dst);

/* Colours that are numbers, f32x16; `src1` counts for its factors only. `dst` may be NULLs when the result
 * does not depend on them. */
struct raster_blend_colors_ir {
    LLVMValueRef constant[4], src[4], src1[4];
};
void raster_blend_float_ir(struct jit_builder *b, const struct raster_blend *blend,
                           const struct raster_blend_colors_ir *colors, const LLVMValueRef dst[4],
                           LLVMValueRef out[4]);
/* Of RGBA16F tiles. `word`: the tile's two words, i32x16, NULL when the result does not depend on them;
 * becomes the new ones. */
void raster_blend_rgba16f_ir(struct jit_builder *b, const struct raster_blend *blend,
                             const struct raster_blend_colors_ir *colors, LLVMValueRef word[2]);

#endif

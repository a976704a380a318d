/* texel.h as IR over 16 pixels, for PLAIN formats. */
#ifndef VITRAIL_RASTER_TEXEL_IR_H
#define VITRAIL_RASTER_TEXEL_IR_H

#include "jit/builder.h"
#include "raster/texture/texel.h"

/* `word`: as many words (i32x16) as the format has, at most four; bits above the pixel's do not count. `out`:
 * red, green, blue and alpha, i32x16 as raster_texel_unpack has them. */
void raster_texel_unpack_ir(struct jit_builder *b, const struct raster_texel *texel, const LLVMValueRef *word,
                            LLVMValueRef out[4]);
/* The other way: fills those words, bits above the pixel's with 0. */
void raster_texel_pack_ir(struct jit_builder *b, const struct raster_texel *texel, const LLVMValueRef in[4],
                          LLVMValueRef *word);

/* raster_texel_sampled in two steps, of formats that raster_texel_is_8888 is true of, and ETC1's words. The
 * first fills the bytes of channels that have fewer bits. The second, which moves whole bytes and sets those
 * that are constant, may as well come after texels were blended. Of one channel alone neither does anything.
 */
LLVMValueRef raster_texel_bytes_ir(struct jit_builder *b, const struct raster_texel *texel,
                                   LLVMValueRef word);
LLVMValueRef raster_texel_finish_ir(struct jit_builder *b, const struct raster_texel *texel,
                                    LLVMValueRef word);

/* The byte (i32x16) of which v, a single or its bits, was unpacked, rounded to a half since or not: packed it is that byte
 * again. NULL: v is something else. */
LLVMValueRef raster_texel_byte_ir(struct jit_builder *b, LLVMValueRef v);
/* A single that is v but for the NaN that it may be, for who makes one number of all NaNs. */
LLVMValueRef raster_texel_any_nan_ir(struct jit_builder *b, LLVMValueRef v);

#endif

/* texture.h's sampling as IR, specialised on the key. */
#ifndef VITRAIL_RASTER_TEXTURE_IR_H
#define VITRAIL_RASTER_TEXTURE_IR_H

#include "jit/builder.h"
#include "raster/texture/texture.h"

/* `texture` is a ptr to struct raster_texture that nothing changes while the function runs; s, t, r, bias are
 * f32x16 (NULL as in raster_texture_sample). Returns i32x16 words, of formats of more of them one vector
 * behind the other (raster_texture_ir_word), or NULL for what is left to the scalar path (README.md section 6:
 * formats, and R16 where a filter is linear). A half that is no number may have the other sign. The compiled
 * code may read any aligned word, and any utile of a tiled level that is aligned to 64 bytes, which holds a
 * texel: memory_size is a multiple of 4.
 *
 * `requests`: how many samples the program takes: for many it is a call of a function of the module's, one
 * for all of a key, as their code would no more fit the processor's caches. */
LLVMValueRef raster_texture_ir(struct jit_builder *b, const struct raster_texture_key *key,
                               LLVMValueRef texture, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                               LLVMValueRef bias, unsigned requests);
/* Word `n` of 16 samples: i32x16. */
LLVMValueRef raster_texture_ir_word(struct jit_builder *b, LLVMValueRef sample, unsigned n);

#endif

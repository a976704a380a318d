/* Elements of arrays as IR, apart from array.c and bit for bit what that does. */
#include "gpu/array_ir.h"

#include <math.h>

#include "raster/texture/texel_ir.h"

/* ---- attributes ---- */

/* One to three bytes of each element, in words. */
static LLVMValueRef load_rest(struct jit_builder *b, const LLVMValueRef at[16], uint32_t offset,
                              uint32_t bytes)
{
    LLVMValueRef out = LLVMGetPoison(b->i32x16);
    for (uint32_t l = 0; l < 16; l++) {
        LLVMValueRef from = jit_offset_const(b, at[l], offset);
        LLVMValueRef v = jit_load(b, bytes == 1 ? b->i8 : b->i16, from, 1, false);
        v = LLVMBuildZExt(b->ir, v, b->i32, "");
        if (bytes == 3) {
            LLVMValueRef third = jit_load(b, b->i8, jit_offset_const(b, from, 2), 1, false);
            third = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, third, b->i32, ""), jit_i32(b, 16), "");
            v = LLVMBuildOr(b->ir, v, third, "");
        }
        out = LLVMBuildInsertElement(b->ir, out, v, jit_i32(b, l), "");
    }
    return out;
}

static LLVMValueRef flush(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef exponent = LLVMBuildAnd(b->ir, v, jit_splat_u32(b, 0x7f800000), "");
    LLVMValueRef tiny = LLVMBuildICmp(b->ir, LLVMIntEQ, exponent, jit_splat_u32(b, 0), "");
    return jit_select(b, tiny, LLVMBuildAnd(b->ir, v, jit_splat_u32(b, 0x80000000), ""), v);
}

static LLVMValueRef scale(struct jit_builder *b, LLVMValueRef v, int exponent)
{
    LLVMValueRef factor = jit_splat_f32(b, ldexpf(1, exponent));
    return jit_as_i32(b, LLVMBuildFMul(b->ir, jit_as_f32(b, v), factor, ""));
}

/* Of other numbers none is too small. */
static bool has_tiny(const struct raster_texel *texel, unsigned c)
{
    return texel->from[c] < 4 && texel->channel[texel->from[c]].kind == RASTER_KIND_FLOAT &&
           texel->channel[texel->from[c]].bits == 32;
}

void gpu_array_ir_load(struct jit_builder *b, const LLVMValueRef at[16], uint32_t bytes, LLVMValueRef *word)
{
    if (bytes >= 4)
        jit_load_records(b, at, bytes / 4, word);
    if (bytes % 4)
        word[bytes / 4] = load_rest(b, at, bytes & ~3u, bytes % 4);
}

void gpu_array_ir_fetch(struct jit_builder *b, struct gpu_array_form form, const LLVMValueRef at[16],
                        LLVMValueRef out[4])
{
    const struct raster_texel *texel = &raster_texels[form.format];
    LLVMValueRef word[4] = {0};
    gpu_array_ir_load(b, at, texel->bits / 8u, word);
    raster_texel_unpack_ir(b, texel, word, out);
    for (unsigned c = 0; c < 4; c++) {
        if (form.exponent && texel->from[c] < 4)
            out[c] = scale(b, out[c], form.exponent);
        if (form.flush && has_tiny(texel, c))
            out[c] = flush(b, out[c]);
    }
}

/* ---- varyings ---- */

/* Whole words, and what is left, lane after lane. */
static void store_odd(struct jit_builder *b, const LLVMValueRef at[16], const LLVMValueRef word[4],
                      uint32_t bytes)
{
    for (uint32_t l = 0; l < 16; l++)
        for (uint32_t done = 0, size; done < bytes; done += size) {
            LLVMValueRef v = LLVMBuildExtractElement(b->ir, word[done / 4], jit_i32(b, l), "");
            uint32_t left = bytes - done;
            size = left >= 4 ? 4 : left >= 2 ? 2 : 1;
            if (done % 4)
                v = LLVMBuildLShr(b->ir, v, jit_i32(b, done % 4 * 8), "");
            if (size < 4)
                v = LLVMBuildTrunc(b->ir, v, size == 2 ? b->i16 : b->i8, "");
            jit_store(b, v, jit_offset_const(b, at[l], done), 1);
        }
}

void gpu_array_ir_put(struct jit_builder *b, const LLVMValueRef at[16], uint32_t bytes,
                      const LLVMValueRef *word)
{
    if (bytes % 4)
        store_odd(b, at, word, bytes);
    else
        jit_store_records(b, at, bytes / 4, word);
}

void gpu_array_ir_store(struct jit_builder *b, struct gpu_array_form form, const LLVMValueRef at[16],
                        const LLVMValueRef in[4])
{
    const struct raster_texel *texel = &raster_texels[form.format];
    LLVMValueRef word[4];
    raster_texel_pack_ir(b, texel, in, word);
    gpu_array_ir_put(b, at, texel->bits / 8u, word);
}

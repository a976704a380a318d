/* Texels of up to four halves, two a word (README.md section 7). */
#include "jit/math.h"
#include "raster/texture/texture_ir_internal.h"

static LLVMValueRef shuffled(struct jit_builder *b, LLVMValueRef v, LLVMValueRef other, unsigned first,
                             unsigned count, unsigned modulo)
{
    LLVMValueRef lanes[16 * RASTER_SAMPLED_WORDS];

    for (unsigned n = 0; n < count; n++)
        lanes[n] = jit_i32(b, first + n % modulo);
    return LLVMBuildShuffleVector(b->ir, v, other, LLVMConstVector(lanes, count), "");
}

LLVMValueRef raster_texture_ir_word(struct jit_builder *b, LLVMValueRef sample, unsigned n)
{
    if (LLVMGetVectorSize(LLVMTypeOf(sample)) == 16)
        return sample;
    return shuffled(b, sample, LLVMGetPoison(LLVMTypeOf(sample)), 16 * n, 16, 16);
}

LLVMValueRef raster_texture_ir_widen(struct raster_texture_ir *t, LLVMValueRef lanes)
{
    if (t->words == 1)
        return lanes;
    return shuffled(t->b, lanes, LLVMGetPoison(LLVMTypeOf(lanes)), 0, 32, 16);
}

LLVMValueRef raster_texture_ir_join(struct raster_texture_ir *t, const LLVMValueRef *word)
{
    return t->words == 1 ? word[0] : shuffled(t->b, word[0], word[1], 0, 32, 32);
}

/* Of three halves the last word stands two bytes early, as what is behind it may be no memory. */
LLVMValueRef raster_texture_ir_halves_at(struct raster_texture_ir *t, LLVMValueRef memory,
                                         LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    uint32_t bytes = raster_format_bytes((enum raster_format)t->key->format);
    LLVMValueRef word[RASTER_SAMPLED_WORDS] = {NULL}, all = LLVMConstAllOnes(b->i1x16), second;

    word[0] = jit_gather_u32(b, memory, address, all);
    if (t->words == 2) {
        second = LLVMBuildAdd(b->ir, address, jit_splat_u32(b, bytes - 4), "");
        word[1] = raster_ir_shr(b, jit_gather_u32(b, memory, second, all), 64 - 8 * bytes);
    }
    return raster_texture_ir_join(t, word);
}

static LLVMValueRef splat(struct raster_texture_ir *t, uint16_t value)
{
    LLVMValueRef lanes[32 * RASTER_SAMPLED_WORDS];

    for (unsigned n = 0; n < 32 * t->words; n++)
        lanes[n] = LLVMConstInt(t->b->i16, value, false);
    return LLVMConstVector(lanes, 32 * t->words);
}

LLVMValueRef raster_texture_ir_halves_flush(struct raster_texture_ir *t, LLVMValueRef texel)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMTypeRef type = LLVMVectorType(t->b->i16, 32 * t->words);
    LLVMValueRef v = LLVMBuildBitCast(ir, texel, type, "");
    LLVMValueRef size = LLVMBuildAnd(ir, v, splat(t, 0x7fff), ""), sign = LLVMBuildXor(ir, v, size, "");
    LLVMValueRef denormal = LLVMBuildICmp(ir, LLVMIntULT, size, splat(t, 0x400), "");
    LLVMValueRef strange = LLVMBuildICmp(ir, LLVMIntUGT, size, splat(t, 0x7c00), "");

    v = LLVMBuildSelect(ir, strange, LLVMBuildOr(ir, sign, splat(t, 0x7e00), ""), v, "");
    v = LLVMBuildSelect(ir, denormal, sign, v, "");
    return LLVMBuildBitCast(ir, v, LLVMTypeOf(texel), "");
}

/* Half `high` of each word as a single. */
static LLVMValueRef single(struct jit_builder *b, LLVMValueRef word, bool high)
{
    return jit_half_to_single(b, high ? raster_ir_shr(b, word, 16) : raster_ir_and(b, word, 0xffff));
}

LLVMValueRef raster_texture_ir_halves_lerp(struct raster_texture_ir *t, LLVMValueRef x, LLVMValueRef y,
                                           LLVMValueRef weight)
{
    struct jit_builder *b = t->b;
    unsigned halves = raster_format_bytes((enum raster_format)t->key->format) / 2;
    LLVMValueRef number = raster_ir_and(b, weight, 255), word[RASTER_SAMPLED_WORDS] = {NULL};
    LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, number, jit_splat_u32(b, 0), "");
    LLVMValueRef scale = LLVMBuildFMul(b->ir, jit_i32_to_f32(b, number), jit_splat_f32(b, 0x1p-8f), "");

    for (unsigned n = 0; n < halves; n++) {
        LLVMValueRef from = single(b, raster_texture_ir_word(b, x, n / 2), n % 2);
        LLVMValueRef to = single(b, raster_texture_ir_word(b, y, n / 2), n % 2), v;

        v = LLVMBuildFMul(b->ir, LLVMBuildFSub(b->ir, to, from, ""), scale, "");
        v = jit_select(b, none, from, LLVMBuildFAdd(b->ir, from, v, ""));
        v = jit_single_to_half(b, v);
        word[n / 2] = n % 2 ? raster_ir_or(b, word[n / 2], raster_ir_shl(b, v, 16)) : v;
    }
    return raster_texture_ir_halves_flush(t, raster_texture_ir_join(t, word));
}

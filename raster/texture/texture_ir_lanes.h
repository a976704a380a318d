/* Vectors of sixteen lanes, or of eight in half a register: as words, as halves (x low, y high in each lane), as
 * bytes. */
#ifndef VITRAIL_RASTER_TEXTURE_IR_LANES_H
#define VITRAIL_RASTER_TEXTURE_IR_LANES_H

#include "jit/builder.h"

/* Shorthand for vector integer arithmetic with constants. */
static inline LLVMValueRef raster_ir_and(struct jit_builder *b, LLVMValueRef v, uint32_t mask)
{
    return LLVMBuildAnd(b->ir, v, jit_splat_u32(b, mask), "");
}
static inline LLVMValueRef raster_ir_shl(struct jit_builder *b, LLVMValueRef v, uint32_t bits)
{
    return bits ? LLVMBuildShl(b->ir, v, jit_splat_u32(b, bits), "") : v;
}
static inline LLVMValueRef raster_ir_shr(struct jit_builder *b, LLVMValueRef v, uint32_t bits)
{
    return bits ? LLVMBuildLShr(b->ir, v, jit_splat_u32(b, bits), "") : v;
}
static inline LLVMValueRef raster_ir_or(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildOr(b->ir, x, y, "");
}
/* `count` bits of v from bit lo. */
static inline LLVMValueRef raster_ir_bits(struct jit_builder *b, LLVMValueRef v, uint32_t lo, uint32_t count)
{
    return raster_ir_and(b, raster_ir_shr(b, v, lo), (1u << count) - 1);
}
/* Bits of a vector: 512, or 256 of eight lanes. */
static inline unsigned raster_ir_size(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetVectorSize(type) * LLVMGetIntTypeWidth(LLVMGetElementType(type));
}

static inline LLVMValueRef raster_ir_as_halves(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildBitCast(b->ir, v, LLVMVectorType(b->i16, raster_ir_size(v) / 16), "");
}

static inline LLVMValueRef raster_ir_as_bytes(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildBitCast(b->ir, v, LLVMVectorType(b->i8, raster_ir_size(v) / 8), "");
}

static inline LLVMValueRef raster_ir_as_words(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildBitCast(b->ir, v, LLVMVectorType(b->i32, raster_ir_size(v) / 32), "");
}

/* Lanes from[0] to from[7] of words or halves, as such. */
static inline LLVMValueRef raster_ir_eight(struct jit_builder *b, LLVMValueRef v, const uint32_t from[8])
{
    LLVMValueRef lanes[8], words = raster_ir_as_words(b, v);

    for (uint32_t l = 0; l < 8; l++)
        lanes[l] = jit_i32(b, from[l]);
    words =
        LLVMBuildShuffleVector(b->ir, words, LLVMGetPoison(LLVMTypeOf(words)), LLVMConstVector(lanes, 8), "");
    return LLVMTypeOf(v) == LLVMTypeOf(raster_ir_as_words(b, v)) ? words : raster_ir_as_halves(b, words);
}

static inline LLVMValueRef raster_ir_lower(struct jit_builder *b, LLVMValueRef v)
{
    return raster_ir_eight(b, v, (const uint32_t[8]){0, 1, 2, 3, 4, 5, 6, 7});
}

static inline LLVMValueRef raster_ir_upper(struct jit_builder *b, LLVMValueRef v)
{
    return raster_ir_eight(b, v, (const uint32_t[8]){8, 9, 10, 11, 12, 13, 14, 15});
}

/* As many lanes of 16 that are the same as v has. */
static inline LLVMValueRef raster_ir_like(struct jit_builder *b, LLVMValueRef v, LLVMValueRef same)
{
    return raster_ir_size(v) == 512 ? same : raster_ir_lower(b, same);
}

/* Constants: x in the low, y in the high half of each lane. */
static inline uint32_t raster_ir_pair(uint32_t x, uint32_t y)
{
    return (x & 0xffff) | y << 16;
}

static inline LLVMValueRef raster_ir_both(struct jit_builder *b, uint32_t x, uint32_t y)
{
    return raster_ir_as_halves(b, jit_splat_u32(b, raster_ir_pair(x, y)));
}

/* Words of 16 or 8 lanes with a constant. */
static inline LLVMValueRef raster_ir_and_bits(struct jit_builder *b, LLVMValueRef words, uint32_t mask)
{
    return LLVMBuildAnd(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, mask)), "");
}

static inline LLVMValueRef raster_ir_left(struct jit_builder *b, LLVMValueRef words, uint32_t bits)
{
    return LLVMBuildShl(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, bits)), "");
}

static inline LLVMValueRef raster_ir_right(struct jit_builder *b, LLVMValueRef words, uint32_t bits)
{
    return LLVMBuildLShr(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, bits)), "");
}

#endif

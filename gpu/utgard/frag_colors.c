/* Colours between words of bytes and the registers of a compiled program. */
#include "gpu/utgard/frag_emit.h"
#include "jit/math.h"
#include "raster/blend_ir.h"

static LLVMValueRef times(struct jit_builder *b, LLVMValueRef x, float by)
{
    return LLVMBuildFMul(b->ir, x, jit_splat_f32(b, by), "");
}

/* A whole number of up to 24 bits over `top`. The half nearest to the quotient is that of the product with
 * the reciprocal too, up to 16 bits. */
static LLVMValueRef over(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef v, unsigned count,
                         float top)
{
    if (e->head->numeric != ISA_EXACT)
        return LLVMBuildFDiv(b->ir, v, jit_splat_f32(b, top), "");
    v = count <= 16 ? times(b, v, 1.0f / top) : LLVMBuildFDiv(b->ir, v, jit_splat_f32(b, top), "");
    return jit_round_to_half(b, v);
}

LLVMValueRef utgard_frag_part(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                              unsigned low, unsigned count)
{
    LLVMValueRef v = LLVMBuildLShr(b->ir, word, jit_splat_u32(b, low), "");
    uint32_t top = (1u << count) - 1;

    v = jit_i32_to_f32(b, LLVMBuildAnd(b->ir, v, jit_splat_u32(b, top), ""));
    return jit_as_i32(b, over(e, b, v, count, (float)top));
}

/* v / 255 of a byte. A half: a number 2^13 times as large leaves the sum the places of one. A single: of the
 * reciprocal's two parts the first has so few bits that its product is exact. Both hold for all 256
 * (tests/gpu/utgard/test_frag_colors.c). */
static LLVMValueRef over_255(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef v)
{
    const float first = 0x1.01p-8f;
    LLVMValueRef far;

    if (e->head->numeric != ISA_EXACT)
        return LLVMBuildFAdd(b->ir, times(b, v, first), times(b, v, (float)(1.0 / 255.0 - first)), "");
    far = times(b, v, 8192.0f / 255.0f);
    return LLVMBuildFSub(b->ir, LLVMBuildFAdd(b->ir, times(b, v, 1.0f / 255.0f), far, ""), far, "");
}

LLVMValueRef utgard_frag_byte(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                              unsigned c)
{
    LLVMValueRef v = LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 8 * c), "");
    unsigned at = e->given_count++ % UTGARD_FRAG_GIVEN;

    v = jit_i32_to_f32(b, LLVMBuildAnd(b->ir, v, jit_splat_u32(b, 255), ""));
    v = jit_as_i32(b, over_255(e, b, v));
    e->given[at].value = v;
    e->given[at].word = word;
    e->given[at].byte = c;
    return v;
}

/* ---- the other way ---- */

/* Where in `given` a value is, or UTGARD_FRAG_GIVEN. */
static unsigned find_given(const struct utgard_frag_emit *e, LLVMValueRef value)
{
    unsigned n = 0;

    while (n < UTGARD_FRAG_GIVEN && (n >= e->given_count || e->given[n].value != value))
        n++;
    return n;
}

/* Bytes of each lane's word; 4: zero. */
static LLVMValueRef pick_bytes(struct jit_builder *b, LLVMValueRef word, const unsigned from[4])
{
    LLVMTypeRef type = LLVMVectorType(b->i8, 64);
    LLVMValueRef lanes[64];

    for (unsigned n = 0; n < 64; n++)
        lanes[n] = jit_i32(b, from[n & 3] < 4 ? (n & ~3u) + from[n & 3] : 64);
    word = LLVMBuildBitCast(b->ir, word, type, "");
    word = LLVMBuildShuffleVector(b->ir, word, LLVMConstNull(type), LLVMConstVector(lanes, 64), "");
    return LLVMBuildBitCast(b->ir, word, b->i32x16, "");
}

/* What a program only passes on, as those do that copy or compose pictures, is the byte that it was. */
LLVMValueRef utgard_frag_color_word(struct utgard_frag_emit *e, struct jit_builder *b, uint8_t reg)
{
    LLVMValueRef channel[4], word = NULL, packed;
    unsigned from[4] = {4, 4, 4, 4};

    if (reg == UTGARD_NO_COLOR)
        return jit_splat_u32(b, 0);
    for (unsigned c = 0; c < 4; c++) {
        unsigned n = find_given(e, e->end.reg[reg][c]);

        channel[c] = jit_as_f32(b, e->end.reg[reg][c]);
        if (n == UTGARD_FRAG_GIVEN || (word && e->given[n].word != word))
            continue;
        word = e->given[n].word;
        from[c] = e->given[n].byte;
        channel[c] = jit_splat_f32(b, 0);
    }
    packed = raster_pack_ir(b, channel);
    return word ? LLVMBuildOr(b->ir, packed, pick_bytes(b, word, from), "") : packed;
}

/* ---- RGBA16F ---- */

LLVMValueRef utgard_frag_color_number(struct utgard_frag_emit *e, struct jit_builder *b, uint8_t reg,
                                      unsigned c)
{
    return reg == UTGARD_NO_COLOR ? jit_splat_f32(b, 0.0f) : jit_as_f32(b, e->end.reg[reg][c]);
}

LLVMValueRef utgard_frag_half(struct jit_builder *b, LLVMValueRef word)
{
    LLVMValueRef half = LLVMBuildAnd(b->ir, word, jit_splat_u32(b, 0xffff), "");
    LLVMValueRef exponent = LLVMBuildAnd(b->ir, half, jit_splat_u32(b, 0x7c00), "");
    LLVMValueRef sign = LLVMBuildAnd(b->ir, half, jit_splat_u32(b, 0x8000), "");
    LLVMValueRef normal = LLVMBuildICmp(b->ir, LLVMIntNE, exponent, jit_splat_u32(b, 0), "");

    return jit_as_i32(b, jit_half_to_single(b, jit_select(b, normal, half, sign)));
}

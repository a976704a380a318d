/* ETC1 texels, each lane from its own block (README.md section 6; Khronos OES_compressed_ETC1_RGB8_texture).
 */
#include "raster/texture/texture_ir_internal.h"

static LLVMValueRef swap_bytes(struct jit_builder *b, LLVMValueRef v)
{
    return jit_intrinsic(b, "llvm.bswap", &b->i32x16, 1, &v, 1);
}

static LLVMValueRef is_set(struct jit_builder *b, LLVMValueRef v, uint32_t mask)
{
    return LLVMBuildICmp(b->ir, LLVMIntNE, raster_ir_and(b, v, mask), jit_splat_u32(b, 0), "");
}

/* Byte `n` (0..3 in each lane) of a constant word that two lane masks choose out of four. */
static LLVMValueRef pick_byte(struct jit_builder *b, const uint32_t words[4], LLVMValueRef high,
                              LLVMValueRef large, LLVMValueRef n)
{
    LLVMValueRef small_word =
        LLVMBuildSelect(b->ir, high, jit_splat_u32(b, words[1]), jit_splat_u32(b, words[0]), "");
    LLVMValueRef large_word =
        LLVMBuildSelect(b->ir, high, jit_splat_u32(b, words[3]), jit_splat_u32(b, words[2]), "");
    LLVMValueRef word = LLVMBuildSelect(b->ir, large, large_word, small_word, "");

    return raster_ir_and(b, LLVMBuildLShr(b->ir, word, raster_ir_shl(b, n, 3), ""), 255);
}

/* The base colour of a channel whose fields start at bit `lo` (the lower end of its byte) of hi. */
static LLVMValueRef base_channel(struct jit_builder *b, LLVMValueRef hi, uint32_t lo,
                                 LLVMValueRef differential, LLVMValueRef second)
{
    LLVMValueRef first4 = raster_ir_bits(b, hi, lo + 4, 4), second4 = raster_ir_bits(b, hi, lo, 4);
    LLVMValueRef four = LLVMBuildSelect(b->ir, second, second4, first4, "");
    LLVMValueRef five = raster_ir_bits(b, hi, lo + 3, 5), delta, sum;

    delta = raster_ir_bits(b, hi, lo, 3); /* sign-extended: (d ^ 4) - 4 */
    delta = LLVMBuildSub(b->ir, LLVMBuildXor(b->ir, delta, jit_splat_u32(b, 4), ""), jit_splat_u32(b, 4), "");
    sum = raster_ir_and(b, LLVMBuildAdd(b->ir, five, delta, ""), 31);
    five = LLVMBuildSelect(b->ir, second, sum, five, "");
    five = raster_ir_or(b, raster_ir_shl(b, five, 3), raster_ir_shr(b, five, 2));
    four = raster_ir_or(b, four, raster_ir_shl(b, four, 4));
    return LLVMBuildSelect(b->ir, differential, five, four, "");
}

static LLVMValueRef clamp255(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef zero = jit_splat_u32(b, 0), full = jit_splat_u32(b, 255);

    v = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSGT, v, zero, ""), v, zero, "");
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, v, full, ""), v, full, "");
}

LLVMValueRef raster_texture_ir_etc1(struct raster_texture_ir *t, LLVMValueRef hi, LLVMValueRef lo,
                                    LLVMValueRef x, LLVMValueRef y)
{
    /* small and large modifiers of tables 0..3, 4..7, a byte each */
    static const uint32_t modifiers[4] = {0x0d090502, 0x2f211812, 0x2a1d1108, 0xb76a503c};
    struct jit_builder *b = t->b;
    LLVMValueRef dx = raster_ir_and(b, x, 3), dy = raster_ir_and(b, y, 3);
    LLVMValueRef flip, differential, along, second, table, table2, bit, negative, large, m, word;

    if (!t->key->etc_flip)
        dy = LLVMBuildXor(b->ir, dy, jit_splat_u32(b, 3), "");
    hi = swap_bytes(b, hi);
    lo = swap_bytes(b, lo);
    differential = is_set(b, hi, 2);
    flip = is_set(b, hi, 1);
    along = LLVMBuildSelect(b->ir, flip, dy, dx, "");
    second = is_set(b, along, 2);
    table = raster_ir_bits(b, hi, 5, 3);
    table2 = raster_ir_bits(b, hi, 2, 3);
    table = LLVMBuildSelect(b->ir, second, table2, table, "");
    bit = raster_ir_or(b, raster_ir_shl(b, dx, 2), dy);
    lo = LLVMBuildLShr(b->ir, lo, bit, "");
    large = is_set(b, lo, 1);
    negative = is_set(b, lo, 1u << 16);
    m = pick_byte(b, modifiers, is_set(b, table, 4), large, raster_ir_and(b, table, 3));
    m = LLVMBuildSelect(b->ir, negative, LLVMBuildNeg(b->ir, m, ""), m, "");
    word = jit_splat_u32(b, 0);
    for (uint32_t c = 0; c < 3; c++) {
        LLVMValueRef value = base_channel(b, hi, 24 - 8 * c, differential, second);

        value = clamp255(b, LLVMBuildAdd(b->ir, value, m, ""));
        word = raster_ir_or(b, word, raster_ir_shl(b, value, 8 * c));
    }
    return word;
}

/* S3TC and RGTC blocks (Khronos Data Format Specification, "S3TC Compressed Texture Image Formats" and "RGTC"). Colours
 * between the ends are rounded down to eight bits. */
#include "raster/texture/block.h"
#include "util/bits.h"

/* ---- S3TC ---- */

static uint32_t expand_565(uint32_t v, unsigned c)
{
    const uint32_t five = v >> (c ? 0 : 11) & 31, six = v >> 5 & 63;

    return c == 1 ? six << 2 | six >> 4 : five << 3 | five >> 2;
}

/* Four colours of one channel; with `three` the last is black. */
static void colors(uint32_t a, uint32_t b, bool three, uint32_t out[4])
{
    out[0] = a;
    out[1] = b;
    out[2] = three ? (a + b) / 2 : (2 * a + b) / 3;
    out[3] = three ? 0 : (a + 2 * b) / 3;
}

static void decode_colors(const uint8_t *block, bool may_be_three, bool transparent, uint32_t out[16])
{
    uint32_t ends[2] = {util_load16(block), util_load16(block + 2)}, indices = util_load32(block + 4);
    bool three = may_be_three && ends[0] <= ends[1];
    uint32_t color[3][4];

    for (unsigned c = 0; c < 3; c++)
        colors(expand_565(ends[0], c), expand_565(ends[1], c), three, color[c]);
    for (unsigned n = 0; n < 16; n++) {
        unsigned index = indices >> 2 * n & 3;
        uint32_t alpha = three && transparent && index == 3 ? 0 : 255;

        out[n] = color[0][index] | color[1][index] << 8 | color[2][index] << 16 | alpha << 24;
    }
}

/* Eight numbers out of two: six between them, or four and the ends of the range. */
static int between(int a, int b, unsigned index, int least, int most)
{
    if (index < 2)
        return index ? b : a;
    if (a > b)
        return (a * (int)(8 - index) + b * (int)(index - 1)) / 7;
    if (index >= 6)
        return index == 6 ? least : most;
    return (a * (int)(6 - index) + b * (int)(index - 1)) / 5;
}

static unsigned three_bits(const uint8_t *block, unsigned n)
{
    return (unsigned)(util_load64(block) >> (16 + 3 * n) & 7);
}

void raster_block_s3tc(enum raster_format format, const uint8_t *block, uint32_t out[16])
{
    bool one_bit = format == RASTER_DXT1_RGBA || format == RASTER_DXT1_SRGBA;
    bool four_bits = format == RASTER_DXT3_RGBA || format == RASTER_DXT3_SRGBA;

    if (raster_texels[format].bits == 64) {
        decode_colors(block, true, one_bit, out);
        return;
    }
    decode_colors(block + 8, false, false, out);
    for (unsigned n = 0; n < 16; n++) {
        uint32_t alpha = four_bits ? (uint32_t)(util_load64(block) >> 4 * n & 15) * 17
                                   : (uint32_t)between(block[0], block[1], three_bits(block, n), 0, 255);
        out[n] = (out[n] & 0xffffff) | alpha << 24;
    }
}

/* ---- RGTC ---- */

void raster_block_rgtc(enum raster_format format, const uint8_t *block, uint8_t *out)
{
    bool is_signed = format == RASTER_RGTC1_SNORM || format == RASTER_RGTC2_SNORM;
    unsigned count = raster_format_bytes(format) / 8;

    for (unsigned c = 0; c < count; c++, block += 8) {
        int a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];

        for (unsigned n = 0; n < 16; n++)
            out[n * count + c] =
                (uint8_t)between(a, b, three_bits(block, n), is_signed ? -127 : 0, is_signed ? 127 : 255);
    }
}

/* Blocks of every coding as texels of a plain format. */
#include "raster/texture/block.h"

#include <string.h>

#include "util/bits.h"

static bool is_srgb(enum raster_format format)
{
    return strstr(raster_texels[format].name, "SRGB") != NULL;
}

static enum raster_format plain_etc2(enum raster_format format)
{
    switch (format) {
    case RASTER_ETC2_R11_UNORM: return RASTER_R16_UNORM;
    case RASTER_ETC2_R11_SNORM: return RASTER_R16_SNORM;
    case RASTER_ETC2_RG11_UNORM: return RASTER_R16G16_UNORM;
    case RASTER_ETC2_RG11_SNORM: return RASTER_R16G16_SNORM;
    default: return is_srgb(format) ? RASTER_R8G8B8A8_SRGB : RASTER_R8G8B8A8_UNORM;
    }
}

static enum raster_format plain_rgtc(enum raster_format format)
{
    switch (format) {
    case RASTER_RGTC1_UNORM: return RASTER_R8_UNORM;
    case RASTER_RGTC1_SNORM: return RASTER_R8_SNORM;
    case RASTER_RGTC2_UNORM: return RASTER_R8G8_UNORM;
    default: return RASTER_R8G8_SNORM;
    }
}

static bool is_float(enum raster_format format)
{
    return format == RASTER_BPTC_RGB_FLOAT || format == RASTER_BPTC_RGB_UFLOAT;
}

enum raster_format raster_block_plain(enum raster_format format)
{
    switch (raster_texels[format].coding) {
    case RASTER_CODING_PLAIN: return RASTER_FORMAT_NONE;
    case RASTER_CODING_ETC2: return plain_etc2(format);
    case RASTER_CODING_RGTC: return plain_rgtc(format);
    case RASTER_CODING_ASTC: return is_srgb(format) ? RASTER_R8G8B8A8_SRGB : RASTER_R16G16B16A16_FLOAT;
    case RASTER_CODING_BPTC:
        if (is_float(format))
            return RASTER_R16G16B16X16_FLOAT;
        break;
    default: break;
    }
    return is_srgb(format) ? RASTER_R8G8B8A8_SRGB : RASTER_R8G8B8A8_UNORM;
}

/* Two pixels: luminance as red, the differences, which they share, as green and blue. */
static void decode_yuv(const uint8_t *block, unsigned luminance, uint32_t out[2])
{
    unsigned color = 1 - luminance;

    for (unsigned n = 0; n < 2; n++)
        out[n] = block[luminance + 2 * n] | (uint32_t)block[color] << 8 | (uint32_t)block[color + 2] << 16 |
                 0xff000000;
}

/* A number of 16 bits between 0 and 1 as a half, rounded down; all ones are one. */
static uint16_t half_of(uint32_t v)
{
    if (v == 0xffff)
        return 0x3c00;
    if (v < 4) /* denormal: steps of 2^-24 */
        return (uint16_t)(v << 8);
    unsigned zeros = (unsigned)__builtin_clz(v) - 16; /* above the leading one */
    return (uint16_t)((14 - zeros) << 10 | ((v << (zeros + 1) & 0xffff) >> 6));
}

static void decode_astc(enum raster_format format, const uint8_t *block, uint8_t *out)
{
    const struct raster_texel *texel = &raster_texels[format];
    uint16_t number[4 * RASTER_BLOCK_TEXELS];
    bool srgb = is_srgb(format);

    raster_block_astc(texel, srgb, block, number);
    for (unsigned n = 0; n < 4u * texel->width * texel->height; n++)
        if (srgb) {
            out[n] = (uint8_t)(number[n] >> 8);
        } else {
            uint16_t half = half_of(number[n]);
            memcpy(out + 2ull * n, &half, 2);
        }
}

void raster_block_decode(enum raster_format format, const uint8_t *block, uint8_t *out)
{
    uint16_t halves[64];
    uint32_t words[16];

    switch (raster_texels[format].coding) {
    case RASTER_CODING_ETC1:
    case RASTER_CODING_ETC2:
        if (raster_block_plain(format) != RASTER_R8G8B8A8_UNORM && !is_srgb(format)) {
            raster_block_eac(format, block, halves);
            memcpy(out, halves, 16ull * raster_format_bytes(raster_block_plain(format)));
            return;
        }
        raster_block_etc2(format, block, words);
        break;
    case RASTER_CODING_S3TC: raster_block_s3tc(format, block, words); break;
    case RASTER_CODING_RGTC: raster_block_rgtc(format, block, out); return;
    case RASTER_CODING_ASTC: decode_astc(format, block, out); return;
    case RASTER_CODING_BPTC:
        if (is_float(format)) {
            raster_block_bptc_float(block, format == RASTER_BPTC_RGB_FLOAT, halves);
            memcpy(out, halves, sizeof halves);
            return;
        }
        raster_block_bptc(block, words);
        break;
    default:
        decode_yuv(block, raster_texels[format].coding == RASTER_CODING_UYVY, words);
        memcpy(out, words, 8);
        return;
    }
    memcpy(out, words, sizeof words);
}

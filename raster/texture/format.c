/* Texels in memory to 8888 words (README.md section 6). */
#include "raster/texture/texture_internal.h"

#define OPAQUE 0xff000000u

unsigned raster_format_bits(enum raster_format format)
{
    switch (format) {
    case RASTER_BW1:
    case RASTER_A1: return 1;
    case RASTER_A4: return 4;
    case RASTER_L8:
    case RASTER_A8:
    case RASTER_S8: return 8;
    case RASTER_RGBA4444:
    case RASTER_RGBA5551:
    case RASTER_BGRA5551:
    case RASTER_RGB565:
    case RASTER_LA88:
    case RASTER_R16F:
    case RASTER_R16:
    case RASTER_L16:
    case RASTER_YUYV422: return 16;
    case RASTER_RGBA8888:
    case RASTER_RGBX8888:
    case RASTER_RGBA32R:
    case RASTER_Z24X8:
    case RASTER_RG16F: return 32;
    case RASTER_ETC1:
    case RASTER_RGBA16F: return 64;
    default: return 0;
    }
}

unsigned raster_key_bits(const struct raster_texture_key *key)
{
    return key->texel_bytes ? key->texel_bytes * 8u : raster_format_bits((enum raster_format)key->format);
}

uint32_t raster_format_bytes(enum raster_format format)
{
    return raster_format_bits(format) / 8;
}

static uint32_t pack(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    return r | g << 8 | b << 16 | a << 24;
}

static uint32_t widen5(uint32_t c)
{
    return c << 3 | c >> 2;
}

static uint32_t widen6(uint32_t c)
{
    return c << 2 | c >> 4;
}

static uint32_t decode_8(enum raster_format format, uint32_t v)
{
    switch (format) {
    case RASTER_L8: return v * 0x010101u | OPAQUE;
    case RASTER_A8: return v << 24;
    default: return v; /* S8 */
    }
}

static uint32_t decode_16(enum raster_format format, uint32_t v)
{
    switch (format) {
    case RASTER_RGBA4444: return pack(v >> 12, v >> 8 & 15, v >> 4 & 15, v & 15) * 17;
    case RASTER_RGBA5551:
        return pack(widen5(v >> 11), widen5(v >> 6 & 31), widen5(v >> 1 & 31), v & 1 ? 255 : 0);
    case RASTER_BGRA5551:
        return pack(widen5(v >> 10 & 31), widen5(v >> 5 & 31), widen5(v & 31), v >> 15 ? 255 : 0);
    case RASTER_RGB565: return pack(widen5(v >> 11), widen6(v >> 5 & 63), widen5(v & 31), 255);
    case RASTER_LA88: return (v & 255) * 0x010101u | v >> 8 << 24;
    default: return v; /* R16, R16F, L16 */
    }
}

/* Formats of less than a byte: `v` is the byte that holds the texel. */
static uint32_t decode_bits(enum raster_format format, uint32_t v, uint32_t x)
{
    switch (format) {
    case RASTER_A4: return (x & 1 ? v >> 4 : v & 15) * 17 << 24;
    case RASTER_A1: return v >> (x & 7) & 1 ? OPAQUE : 0;
    default: return v >> (x & 7) & 1 ? 0xffffffffu : OPAQUE; /* BW1 */
    }
}

uint32_t raster_key_offset(const struct raster_texture_key *key, const struct raster_level *level, uint32_t x,
                           uint32_t y)
{
    unsigned bits = raster_key_bits(key);
    bool etc = key->format == RASTER_ETC1;
    uint32_t bx = etc ? x >> 2 : x, by = etc ? y >> 2 : y;
    enum raster_layout layout = (enum raster_layout)level->layout;

    if (layout == RASTER_UTGARD_TILED && key->texel_bytes) /* tiles of 16x16, where ETC1's blocks have 4x4 */
        return raster_texel_offset(layout, 1, level->stride, bx, by) * key->texel_bytes;
    if (layout == RASTER_UTGARD_TILED)
        return raster_texel_offset(layout, bits / 8, level->stride, bx, by);
    return raster_byte_offset(layout, raster_utile_row_log2(bits), level->stride, bx * bits / 8, by);
}

uint32_t raster_fetch(const struct raster_texture_key *key, const struct raster_level *level,
                      const uint8_t *start, uint32_t x, uint32_t y)
{
    enum raster_format format = (enum raster_format)key->format;
    unsigned bits = raster_key_bits(key);
    const uint8_t *at = start + raster_key_offset(key, level, x, y) + key->texel_at;

    switch (format) {
    case RASTER_RGBA8888:
    case RASTER_RGBA32R: return util_load32(at);
    case RASTER_Z24X8: return util_load32(at) & 0xffffff;
    case RASTER_RGBX8888: return util_load32(at) | OPAQUE;
    case RASTER_ETC1: return raster_etc1_pixel(at, x & 3, key->etc_flip ? y & 3 : 3 - (y & 3)) | OPAQUE;
    case RASTER_YUYV422: {
        /* The pair of an odd last pixel lies inside: rows are whole words (raster_texture_validate). */
        const uint8_t *pair = at - (x & 1) * 2;
        return pack(pair[(x & 1) * 2], pair[1], pair[3], 255);
    }
    default: break;
    }
    if (bits == 16 || key->texel_bytes)
        return decode_16(format, util_load16(at));
    if (bits == 8)
        return decode_8(format, *at);
    return decode_bits(format, *at, x);
}

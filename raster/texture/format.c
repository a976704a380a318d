/* Texels in memory to what samplers take of them (README.md section 6). */
#include "raster/texture/texture_internal.h"

#include <string.h>

bool raster_format_is_sampled(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    bool whole = texel->bits && texel->bits <= 32 && !(texel->bits & (texel->bits - 1));
    bool alone = raster_texel_kind(texel, 1) == RASTER_KIND_X && raster_texel_kind(texel, 0) != RASTER_KIND_X;

    if (texel->coding != RASTER_CODING_PLAIN)
        return texel->coding == RASTER_CODING_ETC1 || texel->coding == RASTER_CODING_YUYV;
    return (whole && (alone || raster_texel_is_8888(texel))) || raster_format_is_halves(format);
}

bool raster_format_is_halves(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    bool all = texel->coding == RASTER_CODING_PLAIN && texel->bits;

    for (unsigned c = 0; c < 4; c++)
        all &= !texel->channel[c].bits ||
               (texel->channel[c].bits == 16 && texel->channel[c].kind == RASTER_KIND_FLOAT);
    return all;
}

unsigned raster_sampled_words(enum raster_format format)
{
    return raster_format_is_halves(format) ? (raster_texels[format].bits + 31u) / 32 : 1;
}

uint32_t raster_last_word(enum raster_format format)
{
    return raster_format_is_halves(format) && raster_texels[format].bits % 32 ? 0xffff : UINT32_MAX;
}

/* Texels of YUYV share blocks, but each has its own half of one. */
unsigned raster_key_bits(const struct raster_texture_key *key)
{
    const struct raster_texel *texel = &raster_texels[key->format];

    return texel->coding == RASTER_CODING_YUYV ? texel->bits / 2u : texel->bits;
}

uint32_t raster_key_offset(const struct raster_texture_key *key, const struct raster_level *level, uint32_t x,
                           uint32_t y)
{
    unsigned bits = raster_key_bits(key);
    bool etc = key->format == RASTER_ETC1_RGB8;
    uint32_t bx = etc ? x >> 2 : x, by = etc ? y >> 2 : y;
    enum raster_layout layout = (enum raster_layout)level->layout;

    if (layout == RASTER_UTGARD_TILED && !etc) /* tiles of 16x16, where ETC1's blocks have 4x4 */
        return raster_texel_offset(layout, 1, level->stride, bx, by) * (bits / 8);
    if (layout == RASTER_UTGARD_TILED)
        return raster_texel_offset(layout, bits / 8, level->stride, bx, by);
    return raster_byte_offset(layout, raster_utile_row_log2(bits), level->stride, bx * bits / 8, by);
}

/* `at`: the texel's first byte, or the byte that it is part of. */
static uint32_t load(const uint8_t *at, unsigned bits, uint32_t x)
{
    switch (bits) {
    case 32: return util_load32(at);
    case 16: return util_load16(at);
    case 8: return *at;
    default: return *at >> x * bits % 8;
    }
}

/* What is sampled in one word. */
static uint32_t fetch_word(const struct raster_texture_key *key, const uint8_t *at, uint32_t x, uint32_t y)
{
    const struct raster_texel *texel = &raster_texels[key->format];

    switch (key->format) {
    case RASTER_R8G8B8A8_UNORM:
    case RASTER_R32_UINT: return util_load32(at);
    case RASTER_ETC1_RGB8:
        return raster_etc1_pixel(at, x & 3, key->etc_flip ? y & 3 : 3 - (y & 3)) | 0xff000000u;
    case RASTER_YUYV: {
        /* The pair of an odd last pixel lies inside: rows are whole words (raster_texture_validate). */
        const uint8_t *pair = at - (x & 1) * 2;
        return pair[(x & 1) * 2] | (uint32_t)pair[1] << 8 | (uint32_t)pair[3] << 16 | 0xff000000u;
    }
    default: return raster_texel_sampled(texel, load(at, texel->bits, x));
    }
}

struct raster_sampled raster_fetch(const struct raster_texture_key *key, const struct raster_level *level,
                                   const uint8_t *start, uint32_t x, uint32_t y)
{
    const uint8_t *at = start + raster_key_offset(key, level, x, y);
    struct raster_sampled out = {{0}};

    if (raster_format_is_halves((enum raster_format)key->format))
        memcpy(out.word, at, raster_format_bytes((enum raster_format)key->format));
    else
        out.word[0] = fetch_word(key, at, x, y);
    return out;
}

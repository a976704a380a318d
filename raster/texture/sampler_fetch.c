/* Texels of the general sampler, scalar: where one stands, and its four components (README.md, "The general
 * sampler", 5). */
#include "raster/texture/sampler_internal.h"

#include <string.h>

#include "util/bits.h"
#include "util/checked.h"

/* Texels (of blocks: blocks) along a tile, which is 16 by 16 texels, or 4 by 4 blocks. */
static uint32_t tile_side(const struct raster_texel *texel)
{
    return texel->coding == RASTER_CODING_PLAIN ? 16 : 4;
}

void raster_sampler_rows(const struct raster_sampler_key *key, const struct raster_image_level *level,
                         uint32_t *rows, uint64_t *bytes)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    uint32_t x = util_div_up(level->width, texel->width), y = util_div_up(level->height, texel->height);
    uint32_t side = key->layout == RASTER_UTGARD_TILED ? tile_side(texel) : 1;

    *rows = util_div_up(y, side);
    *bytes = (uint64_t)util_div_up(x, side) * side * side * (texel->bits / 8);
}

bool raster_sampler_span(const struct raster_sampler_key *key, const struct raster_image_level *level,
                         uint64_t *bytes)
{
    uint64_t row;
    uint32_t rows;

    raster_sampler_rows(key, level, &rows, &row);
    if (rows > 1 && level->row_stride < row)
        return false;
    return util_mul(rows - 1, level->row_stride, bytes) && util_add(*bytes, row, bytes);
}

const uint8_t *raster_sampler_surface(const struct raster_sampler_key *key, const struct raster_image *image,
                                      uint32_t number, uint32_t slice, uint32_t sample)
{
    const struct raster_image_level *level = &image->level[number];

    if (key->listed)
        return image->memory + image->surface[level->first_surface + slice * image->samples + sample];
    return image->memory + level->offset + (uint64_t)slice * level->slice_stride +
           (uint64_t)sample * level->sample_stride;
}

const uint8_t *raster_sampler_find(const struct raster_sampler_key *key, uint32_t row_stride,
                                   const uint8_t *surface, uint32_t x, uint32_t y)
{
    const struct raster_texel *texel = &raster_texels[key->format];
    uint32_t bytes = texel->bits / 8u, side = tile_side(texel);

    if (key->layout == RASTER_LINEAR)
        return surface + (uint64_t)y * row_stride + (uint64_t)x * bytes;
    surface += (uint64_t)(y / side) * row_stride + (uint64_t)(x / side) * side * side * bytes;
    return surface + raster_texel_offset(RASTER_UTGARD_TILED, 1, 1, x % side, y % side) * bytes;
}

static const uint8_t *find(const struct raster_sampler_key *key, const struct raster_image *image,
                           uint32_t number, uint32_t slice, uint32_t sample, uint32_t x, uint32_t y)
{
    return raster_sampler_find(key, image->level[number].row_stride,
                               raster_sampler_surface(key, image, number, slice, sample), x, y);
}

uint32_t raster_sampler_packed(const struct raster_sampler_key *key, const struct raster_image *image,
                               uint32_t level, uint32_t slice, uint32_t x, uint32_t y)
{
    uint32_t word = 0;

    memcpy(&word, find(key, image, level, slice, 0, x, y),
           raster_format_bytes((enum raster_format)key->format));
    return word;
}

void raster_sampler_texel(const struct raster_sampler_key *key, const struct raster_image *image,
                          uint32_t level, uint32_t slice, uint32_t sample, uint32_t x, uint32_t y,
                          uint32_t out[4])
{
    uint32_t word[4] = {0};

    memcpy(word, find(key, image, level, slice, sample, x, y),
           raster_format_bytes((enum raster_format)key->format));
    raster_texel_unpack(&raster_texels[key->format], word, out);
    if (raster_sampler_depth_alone((enum raster_format)key->format))
        out[1] = 0;
}

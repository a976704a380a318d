/* Loads and stores pixel by pixel: the definition, and the fast path's way with what is left at the edges. */
#include "raster/surface_internal.h"

#include <assert.h>

#include "util/bits.h"

/* (2t + 1) * 255 / 32 of the 4x4 Bayer matrix t = {0 8 2 10, 12 4 14 6, 3 11 1 9, 15 7 13 5}. */
const uint16_t surface_dither[4][4] = {
    {7, 135, 39, 167}, {199, 71, 231, 103}, {55, 183, 23, 151}, {247, 119, 215, 87}};

uint32_t surface_to_565(uint32_t word, uint32_t bias)
{
    uint32_t r = ((word & 255) * 31 + bias) / 255, g = ((word >> 8 & 255) * 63 + bias) / 255;
    uint32_t b = ((word >> 16 & 255) * 31 + bias) / 255;
    return r << 11 | g << 5 | b;
}

/* The average, per channel, of the `count` samples that pixel (x, y) of the decimated tile covers. */
static uint32_t average(const struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t side, uint32_t count)
{
    uint32_t sum[4] = {0}, word = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = i % tile->samples, p = i / tile->samples;
        uint32_t v = tile->color[raster_pixel_index(tile, x * side + p % side, y * side + p / side, s)];
        for (unsigned c = 0; c < 4; c++)
            sum[c] += v >> 8 * c & 255;
    }
    for (unsigned c = 0; c < 4; c++)
        word |= (sum[c] + count / 2) / count << 8 * c;
    return word;
}

/* Tile pixels a side that make one image pixel of `count` samples. */
static uint32_t side_of(uint32_t count, uint32_t samples)
{
    return count <= samples ? 1 : count == 4 * samples ? 2 : 4;
}

const struct raster_texel *raster_surface_texel(uint32_t format)
{
    static const uint16_t texels[] = {
        [RASTER_SURFACE_RGBA8888] = RASTER_R8G8B8A8_UNORM,    [RASTER_SURFACE_BGR565] = RASTER_B5G6R5_UNORM,
        [RASTER_SURFACE_BGR565_DITHER] = RASTER_B5G6R5_UNORM, [RASTER_SURFACE_ZS] = RASTER_S8_UINT_Z24_UNORM,
        [RASTER_SURFACE_RGBA16F] = RASTER_R16G16B16A16_FLOAT, [RASTER_SURFACE_A8] = RASTER_R8_UINT};
    return &raster_texels[format < UTIL_ARRAY_SIZE(texels) ? texels[format] : RASTER_FORMAT_NONE];
}

uint32_t surface_bytes_per_pixel(uint32_t format)
{
    return raster_surface_texel(format)->bits / 8u;
}

bool surface_visible(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t side,
                     struct surface_part *part)
{
    int64_t x = tile->x / (int32_t)side, y = tile->y / (int32_t)side;
    int64_t right = UTIL_MIN((int64_t)surface->width - x, (int64_t)(tile->width / side));
    int64_t bottom = UTIL_MIN((int64_t)surface->height - y, (int64_t)(tile->height / side));
    int64_t left = UTIL_MAX(-x, 0), top = UTIL_MAX(-y, 0);
    if (left >= right || top >= bottom)
        return false;
    *part = (struct surface_part){(uint32_t)left, (uint32_t)top, (uint32_t)right, (uint32_t)bottom};
    return true;
}

void surface_store_part(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t count,
                        bool z_only, const struct surface_part *part)
{
    uint32_t side = side_of(count, tile->samples), bytes = surface_bytes_per_pixel(surface->format);
    uint32_t left = (uint32_t)(tile->x / (int32_t)side), top = (uint32_t)(tile->y / (int32_t)side);
    for (uint32_t y = part->y0; y < part->y1; y++) {
        for (uint32_t x = part->x0; x < part->x1; x++) {
            uint32_t ix = left + x, iy = top + y;
            uint8_t *at = surface->base + raster_texel_offset((enum raster_layout)surface->layout, bytes,
                                                              surface->stride, ix, iy);
            if (surface->format == RASTER_SURFACE_ZS) {
                uint32_t zs = tile->zs[raster_pixel_index(tile, x, y, 0)];
                util_store32(at, z_only ? (zs & ~255u) | *at : zs);
                continue;
            }
            if (surface->format == RASTER_SURFACE_A8) {
                *at = tile->mask[raster_mask_index(tile, x, y)];
                continue;
            }
            if (surface->format == RASTER_SURFACE_RGBA16F) {
                uint64_t pixel = raster_rgba16f_average(tile, x * side, y * side, side, side,
                                                        UTIL_MIN(count, tile->samples));
                memcpy(at, &pixel, sizeof pixel);
                continue;
            }
            uint32_t word = average(tile, x, y, side, count);
            if (bytes == 4) {
                util_store32(at, word);
                continue;
            }
            bool dither = surface->format == RASTER_SURFACE_BGR565_DITHER;
            uint32_t packed = surface_to_565(word, dither ? surface_dither[iy & 3][ix & 3] : 127);
            at[0] = (uint8_t)packed;
            at[1] = (uint8_t)(packed >> 8);
        }
    }
}

void surface_load_part(const struct raster_surface *surface, struct raster_tile *tile,
                       const struct surface_part *part)
{
    uint32_t bytes = surface_bytes_per_pixel(surface->format);
    uint32_t *plane = surface->format == RASTER_SURFACE_ZS ? tile->zs : tile->color;
    for (uint32_t y = part->y0; y < part->y1; y++) {
        for (uint32_t x = part->x0; x < part->x1; x++) {
            const uint8_t *at =
                surface->base + raster_texel_offset((enum raster_layout)surface->layout, bytes,
                                                    surface->stride, (uint32_t)tile->x + x,
                                                    (uint32_t)tile->y + y);
            if (surface->format == RASTER_SURFACE_A8) {
                tile->mask[raster_mask_index(tile, x, y)] = *at;
                continue;
            }
            if (surface->format == RASTER_SURFACE_RGBA16F) {
                for (uint32_t s = 0; s < tile->samples * 2; s++)
                    tile->color[raster_rgba16f_index(tile, x, y, s / 2, s % 2)] = util_load32(at + s % 2 * 4);
                continue;
            }
            uint32_t word = bytes == 4
                                ? util_load32(at)
                                : raster_texel_sampled(&raster_texels[RASTER_B5G6R5_UNORM], util_load16(at));
            for (uint32_t s = 0; s < tile->samples; s++)
                plane[raster_pixel_index(tile, x, y, s)] = word;
        }
    }
}

void raster_surface_store_ref(const struct raster_surface *surface, const struct raster_tile *tile,
                              enum raster_decimate decimate)
{
    bool one = surface->format == RASTER_SURFACE_ZS || surface->format == RASTER_SURFACE_A8;
    uint32_t count = one ? 1 : 1u << 2 * decimate;
    struct surface_part part;
    if (surface_visible(surface, tile, side_of(count, tile->samples), &part))
        surface_store_part(surface, tile, count, false, &part);
}

void raster_surface_store_z_only_ref(const struct raster_surface *surface, const struct raster_tile *tile)
{
    struct surface_part part;
    assert(surface->format == RASTER_SURFACE_ZS);
    if (surface_visible(surface, tile, 1, &part))
        surface_store_part(surface, tile, 1, true, &part);
}

void raster_surface_load_ref(const struct raster_surface *surface, struct raster_tile *tile)
{
    struct surface_part part;
    if (surface_visible(surface, tile, 1, &part))
        surface_load_part(surface, tile, &part);
}

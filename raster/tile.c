#include "raster/tile.h"

#include <string.h>

#include "util/half.h"

static uint32_t words(const struct raster_tile *tile)
{
    return tile->width * tile->height * tile->samples;
}

/* A string store is as wide as the host allows, at every feature level that this file is compiled for. */
static void fill(uint32_t *at, uint64_t count, uint32_t word)
{
    __asm__ volatile("rep stosl" : "+D"(at), "+c"(count) : "a"(word) : "memory");
}

void raster_tile_clear_color(struct raster_tile *tile, uint32_t color)
{
    fill(tile->color, words(tile), color);
}

void raster_tile_clear_rgba16f(struct raster_tile *tile, uint64_t color)
{
    uint32_t n = words(tile) * 2;
    for (uint32_t i = 0; i < n; i++)
        tile->color[i] = (uint32_t)(i & 16 ? color >> 32 : color);
}

void raster_tile_clear_mask(struct raster_tile *tile, uint8_t mask)
{
    memset(tile->mask, mask, tile->width * tile->height);
}

void raster_tile_clear_zs(struct raster_tile *tile, uint32_t zs, uint32_t mask)
{
    uint32_t n = words(tile);
    if (mask == UINT32_MAX) {
        fill(tile->zs, n, zs);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        tile->zs[i] = (tile->zs[i] & ~mask) | (zs & mask);
}

void raster_tile_clear(struct raster_tile *tile, uint32_t color, uint32_t zs)
{
    raster_tile_clear_color(tile, color);
    raster_tile_clear_zs(tile, zs, UINT32_MAX);
}

uint64_t raster_rgba16f_average(const struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t across,
                                uint32_t down, uint32_t samples)
{
    uint32_t count = across * down * samples;
    uint64_t pixel = 0;
    if (count == 1)
        return tile->color[raster_rgba16f_index(tile, x, y, 0, 0)] |
               (uint64_t)tile->color[raster_rgba16f_index(tile, x, y, 0, 1)] << 32;
    for (unsigned c = 0; c < 4; c++) {
        float sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t s = i % samples, p = i / samples;
            uint32_t at = raster_rgba16f_index(tile, x + p % across, y + p / across, s, c / 2);
            sum += util_half_to_float((uint16_t)(tile->color[at] >> c % 2 * 16));
        }
        pixel |= (uint64_t)util_float_to_half(sum * (1.0f / (float)count)) << 16 * c;
    }
    return pixel;
}

#include "raster/tile.h"

#include <string.h>

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

/* ---- as it stands ---- */

/* The four words of a quad's sample: lanes 4q to 4q+3 of a block, in the dump's order. */
static size_t quad_index(const struct raster_tile *tile, uint32_t qx, uint32_t qy, uint32_t s)
{
    return raster_pixel_index(tile, qx * 2, qy * 2, s);
}

/* What a plane keeps of a quad's sample: `size` bytes for four pixels, in `parts` places 64 bytes apart. */
struct quad {
    size_t at; /* bytes from the plane's beginning */
    uint32_t size, parts;
};

static struct quad quad_of(const struct raster_tile *tile, enum raster_plane plane, uint32_t qx, uint32_t qy,
                           uint32_t s)
{
    size_t word = quad_index(tile, qx, qy, s);
    if (plane == RASTER_PLANE_MASK)
        return (struct quad){raster_mask_index(tile, qx * 2, qy * 2), 4, 1};
    if (plane == RASTER_PLANE_COLOR && tile->target == RASTER_TARGET_RGBA16F)
        return (struct quad){raster_rgba16f_index(tile, qx * 2, qy * 2, s, 0) * sizeof(uint32_t), 16, 2};
    return (struct quad){word * sizeof(uint32_t), 16, 1};
}

static const void *plane_of(const struct raster_tile *tile, enum raster_plane plane)
{
    return plane == RASTER_PLANE_ZS     ? (const void *)tile->zs
           : plane == RASTER_PLANE_MASK ? (const void *)tile->mask
                                        : (const void *)tile->color;
}

uint32_t raster_tile_dump_bytes(const struct raster_tile *tile, enum raster_plane plane)
{
    uint32_t pixels = tile->width * tile->height;
    bool wide = plane == RASTER_PLANE_COLOR && tile->target == RASTER_TARGET_RGBA16F;
    return plane == RASTER_PLANE_MASK ? pixels : pixels * tile->samples * 4 * (wide ? 2 : 1);
}

void raster_tile_dump(const struct raster_tile *tile, enum raster_plane plane, uint8_t *bytes)
{
    const uint8_t *from = plane_of(tile, plane);
    uint32_t samples = plane == RASTER_PLANE_MASK ? 1 : tile->samples;
    for (uint32_t qy = 0; qy < tile->height / 2; qy++)
        for (uint32_t qx = 0; qx < tile->width / 2; qx++)
            for (uint32_t s = 0; s < samples; s++) {
                struct quad q = quad_of(tile, plane, qx, qy, s);
                for (uint32_t p = 0; p < q.parts; p++, bytes += q.size)
                    memcpy(bytes, from + q.at + p * 64, q.size);
            }
}

void raster_tile_undump(struct raster_tile *tile, enum raster_plane plane, const uint8_t *bytes)
{
    uint8_t *to = (uint8_t *)plane_of(tile, plane);
    uint32_t samples = plane == RASTER_PLANE_MASK ? 1 : tile->samples;
    for (uint32_t qy = 0; qy < tile->height / 2; qy++)
        for (uint32_t qx = 0; qx < tile->width / 2; qx++)
            for (uint32_t s = 0; s < samples; s++) {
                struct quad q = quad_of(tile, plane, qx, qy, s);
                for (uint32_t p = 0; p < q.parts; p++, bytes += q.size)
                    memcpy(to + q.at + p * 64, bytes, q.size);
            }
}

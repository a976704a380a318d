/* Loads and stores of tiles: between the tile buffer and images in guest memory, in every layout and, by the
 * rows of texel.inc, in every format whose pixels stand each for itself. README.md of this folder writes the
 * conversions down.
 *
 * Each operation has a fast path and a scalar twin (_ref) that leave the same bytes. They touch only bytes of
 * pixels inside both the image and the tile. Fast stores go past the caches: a fence comes before another
 * thread is told that a tile is stored (util_pool_run has one for all that its steps stored). */
#ifndef VITRAIL_RASTER_SURFACE_H
#define VITRAIL_RASTER_SURFACE_H

#include <stddef.h>

#include "raster/prim.h"
#include "raster/texture/texture.h"
#include "raster/tile.h"

/* An image: `width` x `height` pixels, tiles that stick out are cut. `base` is host memory, validated by the
 * caller with raster_surface_size. What is zero asks for nothing. */
struct raster_surface {
    uint8_t *base;
    uint32_t width, height; /* pixels */
    uint32_t layout;        /* enum raster_layout */
    uint32_t format;        /* enum raster_format: PLAIN, of whole bytes, at most 8 */
    uint32_t stride;        /* linear: bytes a row; tiled: tiles or utiles a row */
    uint8_t plane;          /* enum raster_plane: what of the tile it is an image of */
    bool dither;            /* stores of channels below a byte: ordered, 4x4 */
    bool swap;              /* stores: the tile's red and blue change places */
    bool big_endian;        /* stores: a pixel's bytes from the highest on */
};

/* Bytes the surface spans from base, at most 4 GiB; false on overflow (what is above 4 GiB is still told), an
 * unknown layout or format, or a stride too small for tiles of the width. */
bool raster_surface_size(const struct raster_surface *surface, uint64_t *bytes);

/* What a pixel of the image is made of: of 2^shrink_x by 2^shrink_y of the tile's pixels the `count` samples
 * from `first` on, of those that there are; a tile without `first` has sample 0. Then the tile lands at its
 * position divided by as much. Bytes are averaged channel by channel, (sum + n / 2) / n. Halves likewise:
 * their sum in order, as singles, times one over their number, rounded to nearest even; a single one is as it
 * is. Of zs and of the mask, and so of all zeros, it is the first alone. */
struct raster_resolve {
    uint8_t shrink_x, shrink_y, first, count;
};

/* What a pixel of an image becomes: bits that are set, and those of its own that stay, which are zero in `set`. */
struct raster_pixel {
    uint8_t set[16], kept[16];
};

/* Stores the tile at tile->x, y. Colours become pixels by raster_texel_from_8888 where the image has such
 * channels, halves as they are where it has halves; otherwise unpacked by the tile's row and packed by the
 * image's. Of depths a narrower channel has the upper bits. */
void raster_surface_store(const struct raster_surface *surface, const struct raster_tile *tile,
                          struct raster_resolve resolve);
/* The same of tiles whose plane would hold `color` throughout (a word of an 8888 tile or of zs, or four halves
 * of an RGBA16F tile), for all pixels in a rectangle of whole pixels of the image; no tile is read. False, and
 * nothing is done, where pixels are not all alike or halves are averaged. */
bool raster_surface_fill(const struct raster_surface *surface, enum raster_target target, uint64_t color,
                         const struct raster_rect *pixels, struct raster_resolve resolve);
/* The same with a pixel of the image, of 1, 2, 4, 8 or 16 bytes. */
void raster_surface_fill_pixel(const struct raster_surface *surface, const struct raster_pixel *pixel,
                               const struct raster_rect *pixels);
/* Load fills all samples alike; pixels outside the image keep their words. Of depth and stencil
 * S8_UINT_Z24_UNORM. */
void raster_surface_load(const struct raster_surface *surface, struct raster_tile *tile);

void raster_surface_store_ref(const struct raster_surface *surface, const struct raster_tile *tile,
                              struct raster_resolve resolve);
void raster_surface_load_ref(const struct raster_surface *surface, struct raster_tile *tile);
/* The bytes that a store makes of one pixel: that of the tile's pixels from (x, y) on. */
void raster_surface_pixel(const struct raster_surface *surface, const struct raster_tile *tile,
                          struct raster_resolve resolve, uint32_t x, uint32_t y, uint8_t pixel[8]);

/* Byte offset of a pixel from the surface's base. */
static inline size_t raster_surface_offset(const struct raster_surface *surface, uint32_t x, uint32_t y)
{
    uint32_t bytes = raster_format_bytes((enum raster_format)surface->format);
    if (surface->layout == RASTER_UTGARD_TILED) /* whose pixels of 8 bytes are not ETC1's blocks */
        return (size_t)raster_texel_offset(RASTER_UTGARD_TILED, 1, surface->stride, x, y) * bytes;
    return raster_texel_offset((enum raster_layout)surface->layout, bytes, surface->stride, x, y);
}

#endif

/* What the files of loads and stores share: the scalar path over a part of a tile, and how the fast paths
 * walk over an image. */
#ifndef VITRAIL_RASTER_SURFACE_INTERNAL_H
#define VITRAIL_RASTER_SURFACE_INTERNAL_H

#include "raster/surface.h"
#include "util/bits.h"

/* Pixels of the image (or of the tile after decimation), x1, y1 exclusive. */
struct surface_part {
    uint32_t x0, y0, x1, y1;
};

/* Ordered dither: what is added to v * (levels - 1) before the division by 255, for threshold t of 16:
 * (2t + 1) * 255 / 32, rounded down. [y & 3][x & 3] of the image. */
extern const uint16_t surface_dither[4][4];

/* `bias`: what is added before the division by 255; 127 rounds to nearest. */
uint32_t surface_to_565(uint32_t word, uint32_t bias);
uint32_t surface_bytes_per_pixel(uint32_t format);
/* Pixels of the tile that lie in the image; false when none. `side`: tile pixels a pixel of the image. */
bool surface_visible(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t side,
                     struct surface_part *part);

void surface_store_part(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t count,
                        bool z_only, const struct surface_part *part);
void surface_load_part(const struct raster_surface *surface, struct raster_tile *tile,
                       const struct surface_part *part);

/* The whole units of a transfer, and the pixels it leaves to the scalar path. A unit is 64 bytes that are
 * four rows of 16 bytes in every layout, a utile of VideoCore IV where the layout is tiled. */
struct surface_plan {
    uint32_t bytes, width;  /* of a pixel; of a unit in pixels */
    uint32_t u, v;          /* of the first unit in the image, in units */
    uint32_t columns, rows; /* of units */
    size_t pitch;           /* between the rows of a unit */
    size_t step, drop;      /* inside a group: to the unit at the right, to the one below */
    struct surface_part right, below;
};

/* false when nothing of the tile is in the image. */
bool surface_plan(const struct raster_surface *s, const struct raster_tile *tile, struct surface_plan *plan);

/* Units in groups of four by four, those of an aligned one in the image, lie `step` and `drop` apart in every
 * layout. The end of the group with the tile's unit `at`, of `count`; `first` is plan->u or v. */
static inline uint32_t surface_group_end(uint32_t first, uint32_t at, uint32_t count)
{
    return UTIL_MIN(((first + at) | 3) + 1 - first, count);
}

static inline uint8_t *surface_unit(const struct raster_surface *s, const struct surface_plan *plan,
                                    uint32_t u, uint32_t v)
{
    return s->base + raster_texel_offset((enum raster_layout)s->layout, plan->bytes, s->stride,
                                         (plan->u + u) * plan->width, (plan->v + v) * 4);
}

#endif

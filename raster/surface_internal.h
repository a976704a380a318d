/* What surface.c and surface_ref.c share: the scalar path over a part of a tile. */
#ifndef VITRAIL_RASTER_SURFACE_INTERNAL_H
#define VITRAIL_RASTER_SURFACE_INTERNAL_H

#include "raster/surface.h"

/* Pixels of the image (or of the tile after decimation), x1, y1 exclusive. */
struct surface_part {
    uint32_t x0, y0, x1, y1;
};

/* Ordered dither: what is added to v * (levels - 1) before the division by 255, for threshold t of 16:
 * (2t + 1) * 255 / 32, rounded down. [y & 3][x & 3] of the image. */
extern const uint16_t surface_dither[4][4];

uint32_t surface_bytes_per_pixel(uint32_t format);
/* Pixels of the tile that lie in the image; false when none. `side`: tile pixels a pixel of the image. */
bool surface_visible(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t side,
                     struct surface_part *part);

void surface_store_part(const struct raster_surface *surface, const struct raster_tile *tile, uint32_t count,
                        bool z_only, const struct surface_part *part);
void surface_load_part(const struct raster_surface *surface, struct raster_tile *tile,
                       const struct surface_part *part);

#endif

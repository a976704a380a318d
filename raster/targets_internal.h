/* What the files of targets' loads and stores share. */
#ifndef VITRAIL_RASTER_TARGETS_INTERNAL_H
#define VITRAIL_RASTER_TARGETS_INTERNAL_H

#include "raster/surface_internal.h"
#include "raster/targets.h"

struct raster_transfer {
    const struct raster_targets *targets;
    const struct raster_surface *surface;
    const struct raster_texel *texel; /* the image's */
    enum raster_format format;        /* the target's */
    uint32_t of, first, end;          /* samples */
};

struct raster_transfer raster_transfer_of(const struct raster_targets *targets, uint32_t of,
                                          const struct raster_surface *surface, uint32_t first,
                                          uint32_t count);
/* What of the tile lies in the image; false: nothing, or the tile has nothing of the kind. */
bool raster_transfer_begin(const struct raster_transfer *t, const struct raster_tile *tile,
                           struct raster_surface_part *part);
/* Whether depth (0) or stencil (1) is moved. */
bool raster_transfer_takes(const struct raster_transfer *t, unsigned component);
/* Stores pixel (x, y) of the tile. */
void raster_transfer_pixel(const struct raster_transfer *t, const struct raster_tile *tile, uint32_t x,
                           uint32_t y, uint8_t *pixel);
void raster_transfer_store(const struct raster_transfer *t, const struct raster_tile *tile,
                           const struct raster_surface_part *part);
void raster_transfer_load(const struct raster_transfer *t, struct raster_tile *tile,
                          const struct raster_surface_part *part);

#endif

/* What triangles.c shares with the compilations of triangles_tmpl.h, and with the test that compares them. */
#ifndef VITRAIL_RASTER_TRIANGLES_INTERNAL_H
#define VITRAIL_RASTER_TRIANGLES_INTERNAL_H

#include "raster/cover.h"
#include "raster/triangles.h"

/* What all triangles of a call have in common. */
struct raster_triangles_frame {
    int32_t left, top;      /* of the tile, 1/16 pixel */
    int32_t x0, y0, x1, y1; /* the clip rectangle: pixels of the tile, inclusive */
    int32_t first, last;    /* sample positions in a pixel, 1/16: the least and the greatest */
    uint32_t samples;
    int32_t round;                                 /* 3: areas may be rounded to whole blocks */
    int32_t clockwise, cull_forward, cull_reverse; /* 0 or -1 */
    double offset_factor, offset_units;            /* of depth, steps */
};

/* raster_triangles_setup at a given level, which then serves what is set up. */
void raster_triangles_setup_at(enum raster_cover_level level, struct raster_triangles *t,
                               const struct raster_setup *setup, const struct raster_tile *tile,
                               const struct raster_rect *clip);

#endif

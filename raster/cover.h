/* What cover.c shares with its two compilations of cover_tmpl.h, and with the test that compares them. */
#ifndef VITRAIL_RASTER_COVER_H
#define VITRAIL_RASTER_COVER_H

#include "raster/prim.h"

/* One primitive in one tile, reduced to 32 bits.
 *
 * Pixels are 16 units apart, so with E0 the edge's value at a sample of the tile's pixel (0,0), the value at
 * the same sample of pixel (i, j) is 16 * (a*i + b*j) + E0, and it is >= 0 exactly when a*i + b*j +
 * floor(E0 / 16) >= 0. An edge that all of the area passes is left out; when all of the area fails one,
 * nothing is drawn. So each edge kept changes sign inside the area of at most 64x64 pixels, and with |a|, |b|
 * < 2^22 its value anywhere in the tile is below 64 * 2^23 = 2^29. */
struct cover_job {
    uint32_t samples;
    uint32_t edge_count;
    int32_t a[4], b[4];                    /* change for a pixel to the right, and down */
    int32_t origin[4][RASTER_MAX_SAMPLES]; /* value at pixel (0,0) */
    int32_t low[4], high[4];               /* of origin, over the samples */
    int32_t x0, y0, x1, y1;                /* the area: pixels of the tile, inclusive */
};

enum cover_level { COVER_SSE41, COVER_AVX2, COVER_LEVELS }; /* wider vectors gain nothing here */

/* The highest level this CPU runs. */
enum cover_level raster_cover_level(void);
/* raster_cover at a given level; the same bytes at each. */
uint32_t raster_cover_at(enum cover_level level, const struct raster_prim *prim,
                         const struct raster_tile *tile, const struct raster_rect *clip,
                         struct raster_block *blocks);

#endif

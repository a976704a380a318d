/* What cover.c shares with its two compilations of cover_tmpl.h, and with the test that compares them. */
#ifndef VITRAIL_RASTER_COVER_H
#define VITRAIL_RASTER_COVER_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "raster/prim.h"

/* One primitive in one tile, reduced to 32 bits.
 *
 * Pixels are 16 units apart, so with E0 the edge's value at a sample of the tile's pixel (0,0), the value at
 * the same sample of pixel (i, j) is 16 * (a*i + b*j) + E0, and it is >= 0 exactly when a*i + b*j +
 * floor(E0 / 16) >= 0. An edge that all of the area passes is left out; when all of the area fails one,
 * nothing is drawn. So each edge kept changes sign inside the area of at most 64x64 pixels, and with |a|, |b|
 * < 2^22 its value anywhere in the tile is below 64 * 2^23 = 2^29. */
struct raster_cover_job {
    uint32_t samples;
    uint32_t edge_count;
    int32_t a[4], b[4];                    /* change for a pixel to the right, and down */
    int32_t origin[4][RASTER_MAX_SAMPLES]; /* value at pixel (0,0) */
    int32_t low[4], high[4];               /* of origin, over the samples */
    int32_t x0, y0, x1, y1;                /* the area: pixels of the tile, inclusive */
};

enum raster_cover_level { COVER_SSE41, COVER_AVX2, COVER_AVX512, COVER_LEVELS };

/* The highest level this CPU runs. */
enum raster_cover_level raster_cover_level(void);
/* raster_cover at a given level; the same bytes at each. */
uint32_t raster_cover_at(enum raster_cover_level level, const struct raster_prim *prim,
                         const struct raster_tile *tile, const struct raster_rect *clip,
                         struct raster_block *blocks);
/* The blocks of a job. */
uint32_t raster_cover_job(enum raster_cover_level level, const struct raster_cover_job *job,
                          struct raster_block *blocks);

/* ---- parts of an area that are not whole blocks ---- */

/* Lanes with lane_x >= n, lane_x <= n, and the same for lane_y (tile.h). */
static const uint16_t cover_from_x[4] = {0xffff, 0xfafa, 0xf0f0, 0xa0a0},
                      cover_to_x[4] = {0x0505, 0x0f0f, 0x5f5f, 0xffff};
static const uint16_t cover_from_y[4] = {0xffff, 0xffcc, 0xff00, 0xcc00},
                      cover_to_y[4] = {0x0033, 0x00ff, 0x33ff, 0xffff};

/* Lanes of the blocks of column bx, and of row by, that lie in an area. */
static inline uint32_t cover_column(int32_t x0, int32_t x1, int32_t bx)
{
    uint32_t lanes = bx == x0 >> 2 ? cover_from_x[x0 & 3] : 0xffff;
    return bx == x1 >> 2 ? lanes & cover_to_x[x1 & 3] : lanes;
}

static inline uint32_t cover_row(int32_t y0, int32_t y1, int32_t by)
{
    uint32_t lanes = by == y0 >> 2 ? cover_from_y[y0 & 3] : 0xffff;
    return by == y1 >> 2 ? lanes & cover_to_y[y1 & 3] : lanes;
}

/* Writes a block; `samples` holds its four masks, sample 0 lowest, `lanes` their union. */
static inline void cover_put(struct raster_block *out, int32_t bx, int32_t by, uint32_t lanes,
                             uint64_t samples)
{
    uint32_t head = (uint32_t)bx | (uint32_t)by << 8 | lanes << 16;
    static_assert(offsetof(struct raster_block, mask) == 2 && offsetof(struct raster_block, sample) == 4, "");
    memcpy(out, &head, sizeof head);
    memcpy(out->sample, &samples, sizeof samples);
}

#endif

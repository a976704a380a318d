/* Triangles of one draw in one tile, sixteen at a time: set-up and coverage by vectors.
 *
 * Only triangles near the tile take part: all vertices within RASTER_TRIANGLE_REACH of its corner, where 32
 * bits hold every edge's value exactly. The others are left to prim.h. What is drawn, and every plane, is
 * what raster_setup_triangle and raster_cover give. */
#ifndef VITRAIL_RASTER_TRIANGLES_H
#define VITRAIL_RASTER_TRIANGLES_H

#include <stdalign.h>

#include "raster/prim.h"

#define RASTER_TRIANGLES      16u
#define RASTER_TRIANGLE_REACH (1 << 14) /* 1/16 pixel */
#define RASTER_VARY_GROUP     8u        /* varyings are read in whole groups */

struct raster_triangles;

/* The functions of one instruction set; the same bytes from each. */
struct raster_triangles_level {
    uint32_t (*cover)(const struct raster_triangles *t, uint32_t i, struct raster_block *blocks);
    void (*prim)(const struct raster_triangles *t, const struct raster_setup *setup, uint32_t i,
                 struct raster_prim *out);
};

struct raster_triangles {
    /* The caller's; of triangles that do not exist, any value. */
    uint32_t count;
    alignas(64) int32_t x[3][RASTER_TRIANGLES], y[3][RASTER_TRIANGLES]; /* 1/16 pixel; |value| < 2^30 */
    float z[3][RASTER_TRIANGLES], inv_w[3][RASTER_TRIANGLES];
    /* The vertices' varyings, one after the other; readable up to whole groups. */
    const float *vary[3][RASTER_TRIANGLES];

    /* raster_triangles_setup's. Bit i stands for triangle i. */
    uint32_t far;     /* for raster_setup_triangle to judge */
    uint32_t drawn;   /* of the others, those that may cover something */
    uint32_t clipped; /* 1: the clip rectangle cuts through blocks */

    /* The rest is for triangles.c. The area: pixels of the tile, inclusive; whole blocks unless clipped.
     * Edges: a in the low half, b in the high one; values at the samples of the tile's pixel (0,0), floor(E /
     * 16) as in cover.h; `inside` those that all of the area passes. */
    const struct raster_triangles_level *level;
    uint32_t samples, reverse, inside[3], coarse;
    alignas(64) int32_t x0[RASTER_TRIANGLES], y0[RASTER_TRIANGLES], x1[RASTER_TRIANGLES],
        y1[RASTER_TRIANGLES];
    int32_t edge[3][RASTER_TRIANGLES], origin[RASTER_MAX_SAMPLES][3][RASTER_TRIANGLES];
    int32_t side[7][RASTER_TRIANGLES];  /* dx1, dy1, dx2, dy2, twice the area; from the first vertex to the
                                         * centre  of its pixel, 1/16 pixel */
    float plane[4][RASTER_TRIANGLES];   /* inv_w_a, inv_w_b, x0, y0 */
    int64_t depth[3][RASTER_TRIANGLES]; /* a, b, c, but of `coarse` ones */
    double gradient[4][RASTER_TRIANGLES];
};

/* Sets up `count` triangles for a tile. */
void raster_triangles_setup(struct raster_triangles *t, const struct raster_setup *setup,
                            const struct raster_tile *tile, const struct raster_rect *clip);

/* The blocks of triangle i, one of t->drawn, in raster order; their number. `blocks`: RASTER_BLOCKS_MAX. */
static inline uint32_t raster_triangles_cover(const struct raster_triangles *t, uint32_t i,
                                              struct raster_block *blocks)
{
    return t->level->cover(t, i, blocks);
}

/* Whether it covers every pixel of the tile, the one that was set up for. */
static inline bool raster_triangles_fills(const struct raster_triangles *t, uint32_t i,
                                          const struct raster_tile *tile)
{
    return t->inside[0] & t->inside[1] & t->inside[2] & 1u << i && t->x0[i] == 0 && t->y0[i] == 0 &&
           t->x1[i] == (int32_t)tile->width - 1 && t->y1[i] == (int32_t)tile->height - 1;
}

/* Writes its planes, and nothing of `out` that only coverage needs: edges and bounds. */
static inline void raster_triangles_prim(const struct raster_triangles *t, const struct raster_setup *setup,
                                         uint32_t i, struct raster_prim *out)
{
    t->level->prim(t, setup, i, out);
}

#endif

/* Culling of assembled triangles, four at a time: those that cannot be seen are dropped and counted, the
 * others come out with the tiles they may touch, in order. It reads shaded vertices and writes its results,
 * nothing else: pieces of a draw can be culled by several threads at once. */
#ifndef VITRAIL_TILER_CULL_H
#define VITRAIL_TILER_CULL_H

#include "tiler/clip.h"
#include "tiler/cover.h"

/* A shaded vertex as binning sees it. */
struct tiler_vertex {
    uint32_t xy;   /* int16 x in the low half, y in the high one: 1/16 pixel from the viewport's centre */
    uint32_t code; /* outcode (clip.h), TILER_FAR, TILER_WIDE */
};

/* Beyond TILER_NEAR_MAX in x or y: areas with this vertex do not fit 32 bits. */
#define TILER_FAR      128u
#define TILER_NEAR_MAX 16383
/* Beyond 16 bits: xy means nothing. Triangles with this vertex are the caller's, as clipped ones are. */
#define TILER_WIDE 256u

struct tiler_cull {
    const struct tiler_vertex *vertex; /* by index */
    bool keep_positive, keep_negative; /* triangles by the sign of their area in window coordinates */
    int32_t x, y;                      /* the viewport's centre, 1/16 pixel in the window */
    struct tiler_grid grid;            /* of at most 256 x 256 tiles */
};

/* A triangle that may be seen. */
struct tiler_triangle {
    uint16_t index[3];
    uint16_t code; /* planes to clip it against, and TILER_WIDE; 0: whole, and only then has it a box */
    struct {
        uint8_t x0, y0, x1, y1; /* tiles, inclusive */
    } box;
};

struct tiler_culled {
    uint32_t reversed; /* dropped for their facing, not those without area */
    uint32_t outside;  /* beyond one plane, or in no tile of the grid */
};

/* Culls `count` triangles. out[0..n-1], with room for `count`, are those that may be
 * seen; returns n and adds to *culled. Triangles with a vertex that is no number vanish uncounted. */
uint32_t tiler_cull(const struct tiler_cull *cull, const uint16_t (*index)[3], uint32_t count,
                    struct tiler_triangle *out, struct tiler_culled *culled);
/* The same one by one: what the other is tested against. */
uint32_t tiler_cull_scalar(const struct tiler_cull *cull, const uint16_t (*index)[3], uint32_t count,
                           struct tiler_triangle *out, struct tiler_culled *culled);

static inline int32_t tiler_vertex_x(const struct tiler_vertex *v)
{
    return (int16_t)(v->xy & 0xffff);
}

static inline int32_t tiler_vertex_y(const struct tiler_vertex *v)
{
    return (int16_t)(v->xy >> 16);
}

#endif

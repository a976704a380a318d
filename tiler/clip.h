/* Clipping in clip coordinates: triangles and lines against near and far (z = -w, z = w) and a guard band in
 * x and y, with each new vertex given as weights of the original ones.
 *
 * Two primitives that share an edge cut it at the same points: an intersection is always computed from the
 * inside end towards the outside one, planes in a fixed order, in double precision. Vertices with NaN
 * coordinates, or without w > 0 after clipping, make a primitive vanish. */
#ifndef VITRAIL_TILER_CLIP_H
#define VITRAIL_TILER_CLIP_H

#include <stdbool.h>
#include <stdint.h>

/* Outcode bits: on the outer side of a plane. */
enum {
    TILER_OUT_NEAR = 1,
    TILER_OUT_FAR = 2,
    TILER_OUT_LEFT = 4,
    TILER_OUT_RIGHT = 8,
    TILER_OUT_BOTTOM = 16,
    TILER_OUT_TOP = 32,
    TILER_OUT_NAN = 64, /* some coordinate is no number, or w is not above 0 inside all planes */
};

/* The guard band: |x| * scale_x <= limit * w, |y| * scale_y <= limit * w. */
struct tiler_guard {
    float scale_x, scale_y; /* >= 0: clip to window units */
    float limit;            /* in window units, from the viewport's centre */
};

struct tiler_clip_vertex {
    float position[4]; /* x, y, z, w */
    float weight[3];   /* of the primitive's own vertices; they sum to 1 */
    int32_t source;    /* the own vertex this is, or -1 for a new one */
};

#define TILER_CLIP_MAX 9 /* vertices of a triangle cut by six planes */

/* Which planes a vertex is outside of. */
static inline uint32_t tiler_outcode(const struct tiler_guard *g, float x, float y, float z, float w)
{
    float limit = g->limit * w, sx = x * g->scale_x, sy = y * g->scale_y;
    uint32_t code = (uint32_t)(z < -w) * TILER_OUT_NEAR | (uint32_t)(z > w) * TILER_OUT_FAR |
                    (uint32_t)(sx < -limit) * TILER_OUT_LEFT | (uint32_t)(sx > limit) * TILER_OUT_RIGHT |
                    (uint32_t)(sy < -limit) * TILER_OUT_BOTTOM | (uint32_t)(sy > limit) * TILER_OUT_TOP;
    bool number = sx - sx == 0 && sy - sy == 0 && z - z == 0 && limit - limit == 0;
    return code | (uint32_t)(!number || (!(w > 0) && !code)) * TILER_OUT_NAN;
}

/* The same of 16 vertices: clip[k][n] is coordinate k of vertex n. */
void tiler_outcodes(const struct tiler_guard *guard, const float clip[4][16], uint32_t code[16]);

/* Clip against the planes in `planes` (the union of the vertices' outcodes, without TILER_OUT_NAN). The
 * triangle becomes a convex polygon of out[0..n-1], in the same winding; n is 0 or 3..TILER_CLIP_MAX. */
uint32_t tiler_clip_triangle(const struct tiler_guard *guard, uint32_t planes, const float position[3][4],
                             struct tiler_clip_vertex out[TILER_CLIP_MAX]);
/* The line becomes out[0..1], in the same direction; false when nothing is left. */
bool tiler_clip_line(const struct tiler_guard *guard, uint32_t planes, const float position[2][4],
                     struct tiler_clip_vertex out[2]);

#endif

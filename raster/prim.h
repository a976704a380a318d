/* A primitive set up for drawing: edges for coverage, planes for depth, 1/w and varyings.
 *
 * Positions are fixed point, 1/16 of a pixel, in window coordinates (pixel (0,0) covers [0,16) x [0,16), its
 * centre is at (8,8)). Plane values at a pixel centre: fx = (float)px + 0.5f - x0, fy likewise (px, py window
 * pixel; x0, y0 the reference vertex in pixels); t = a*fx + b*fy, each product and the sum rounded once,
 * never fused. Then
 *   w    = 1.0f / (t + inv_w_c)
 *   vary = t, and C beside it: the program computes vary * w + C (Guide section 6).
 * Depth takes more bits: depth.h. The interpreter's and the compiled path both use exactly this.
 *
 * For that to be the perspective-correct value, a varying's plane is that of (v - C) / w, which is linear on
 * the screen and zero at the reference vertex: C is the reference vertex's v.
 *
 * Set-up runs in the guest floating-point environment (util/fpenv.h); no input is undefined behaviour. */
#ifndef VITRAIL_RASTER_PRIM_H
#define VITRAIL_RASTER_PRIM_H

#include <stdbool.h>
#include <stdint.h>

#include "raster/tile.h"

/* In whole groups (triangles.h): of Midgard 32 slots of four, and a point's coordinates. */
#define RASTER_MAX_VARYINGS 136

#define RASTER_POSITION_LIMIT (1 << 20) /* 1/16 pixel: set-up draws nothing that reaches beyond */

struct raster_vertex {
    int32_t x, y; /* 1/16 pixel, |value| < RASTER_POSITION_LIMIT */
    float z, inv_w;
    const float *vary; /* vary[n * vary_stride] is varying n */
    uint32_t vary_stride;
};

/* The plane of depth, fixed point: depth.h. */
struct raster_depth {
    int64_t a, b, c;
    uint32_t shift, unused;
};

struct raster_prim {
    float x0, y0; /* reference point of the other planes, pixels */
    float inv_w_a, inv_w_b, inv_w_c;
    uint32_t vary_count; /* those prepended for points and lines included */
    uint32_t reverse;    /* 1 for a back-facing primitive: the program's reverse flag */
    struct raster_depth depth;
    /* Coverage: pixel (or sample) position p is inside when edge[i].a * px + edge[i].b * py + edge[i].c >= 0
     * for every i < edge_count, in 1/16 pixel and exact 64-bit integers; top-left rule folded into c.
     * |a|, |b| < 2^22 and |c| < 2^44. */
    uint32_t edge_count;
    struct {
        int32_t a, b;
        int64_t c;
    } edge[4];
    int32_t min_x, min_y, max_x, max_y; /* pixels that can be covered, inclusive, window coordinates */
    float vary_a[RASTER_MAX_VARYINGS], vary_b[RASTER_MAX_VARYINGS], vary_c[RASTER_MAX_VARYINGS];
};

/* Triangles that have a depth offset, by the way they face. */
enum raster_offset { RASTER_OFFSET_FORWARD = 1, RASTER_OFFSET_REVERSE = 2, RASTER_OFFSET_BOTH = 3 };

struct raster_setup {
    uint32_t flat_mask;   /* bit n: the vertices' varying n takes the provoking vertex's value, a = b = 0 */
    uint32_t flat_below;  /* as do all of lower numbers than this */
    bool flat_first;      /* the first vertex provokes, not the last */
    uint32_t vary_count;  /* the vertices' own; more than RASTER_MAX_VARYINGS in all are cut */
    uint8_t depth_offset; /* enum raster_offset */
    float offset_factor, offset_units; /* units in steps of depth */
    float offset_clamp; /* steps; what an offset is at most, below 0: at least; 0: what it comes to */
    float line_width;   /* pixels */
    bool cull_forward, cull_reverse;
    bool clockwise_forward; /* which winding is forward facing: see raster_setup_triangle */
    bool point_down;        /* point coordinates count their y down the buffer */
    bool centres_only;      /* only pixel centres count, as in tiles of one sample: refuses more, sooner */
    bool sixteen; /* samples may be anywhere in a pixel: the 16 of coverage.h, 2, 8 or 16 of samples.h */
};

static inline bool raster_setup_is_flat(const struct raster_setup *setup, uint32_t n)
{
    return n < setup->flat_below || (n < 32 && setup->flat_mask >> n & 1);
}

/* Each returns false when nothing is drawn (culled, zero area, NaN in z or 1/w, out of range, between all
 * samples).
 * Forward facing: with clockwise_forward, the signed area (x1-x0)*(y2-y0) - (x2-x0)*(y1-y0) in window
 * coordinates (y as in memory) is negative; without, positive. */
bool raster_setup_triangle(struct raster_prim *out, const struct raster_setup *setup,
                           const struct raster_vertex v[3]);
/* A line is a parallelogram: line_width pixels (rounded to a whole number, 1..4096) along the minor axis, cut
 * across the major axis where the diamond-exit rule of GL says. Values vary along the major axis only. With
 * `extra_varying`, varying 0 is the line coordinate that VideoCore IV line programs read first: 0 at the
 * lower edge of the minor axis, 1 at the upper one; the vertices' own follow. Never culled. */
bool raster_setup_line(struct raster_prim *out, const struct raster_setup *setup,
                       const struct raster_vertex v[2], bool extra_varying);
/* A point is a square of `size` pixels (in steps of 1/16, 1/16..4096) about its vertex; `extra_varyings`
 * prepends the point coordinates (0..1, x right, y up the buffer or, with `point_down`, down: drivers take
 * 1 - y where GL's origin is the other one). Never culled. */
bool raster_setup_point(struct raster_prim *out, const struct raster_setup *setup,
                        const struct raster_vertex *v, float size, bool extra_varyings);

/* Sample positions in a pixel, 1/16 pixel: its centre; or with four samples the rotated grid (3/8,1/8)
 * (7/8,3/8) (1/8,5/8) (5/8,7/8), which llvmpipe draws and V3D 4 reports; the Guide does not say. */
static inline int32_t raster_sample_x(uint32_t samples, uint32_t sample)
{
    return samples == 1 ? 8 : (int32_t)(0xa2e6u >> 4 * sample & 15);
}
static inline int32_t raster_sample_y(uint32_t samples, uint32_t sample)
{
    return samples == 1 ? 8 : (int32_t)(0xea62u >> 4 * sample & 15);
}

/* One 4x4 block of pixels with something to shade. */
struct raster_block {
    uint8_t x, y;       /* block position in the tile, in blocks */
    uint16_t mask;      /* lanes with any sample covered: never 0 */
    uint16_t sample[4]; /* lanes covered per sample; with one sample, sample[0] == mask, the others are 0 */
};

#define RASTER_BLOCKS_MAX 256 /* blocks of a 64x64 tile */

struct raster_rect {
    int32_t x0, y0, x1, y1; /* pixels, window coordinates; x1, y1 exclusive */
};

/* Shades `count` blocks of one primitive. Returns 0, or nonzero to stop the tile (the shader has recorded a
 * fault). */
typedef uint32_t (*raster_shade_fn)(void *args, const struct raster_prim *prim, struct raster_tile *tile,
                                    const struct raster_block *blocks, uint32_t count);

/* a * fx + b * fy at a lane of the block whose first pixel is window pixel (px, py). */
static inline float raster_plane_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane,
                                    float a, float b)
{
    float fx = (float)(px + (int32_t)raster_lane_x(lane)) + 0.5f - prim->x0;
    float fy = (float)(py + (int32_t)raster_lane_y(lane)) + 0.5f - prim->y0;
    float x = a * fx, y = b * fy;
    return x + y;
}
static inline float raster_w_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane)
{
    return 1.0f / (raster_plane_at(prim, px, py, lane, prim->inv_w_a, prim->inv_w_b) + prim->inv_w_c);
}
/* Varying n before w: t. */
static inline float raster_vary_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane,
                                   unsigned n)
{
    return raster_plane_at(prim, px, py, lane, prim->vary_a[n], prim->vary_b[n]);
}

/* Finds the blocks of `prim` inside the tile and the clip rectangle, in raster order, and writes them to
 * blocks (RASTER_BLOCKS_MAX). Returns their number. The fast path and its scalar twin give the same blocks.
 */
uint32_t raster_cover(const struct raster_prim *prim, const struct raster_tile *tile,
                      const struct raster_rect *clip, struct raster_block *blocks);
uint32_t raster_cover_ref(const struct raster_prim *prim, const struct raster_tile *tile,
                          const struct raster_rect *clip, struct raster_block *blocks);

#endif

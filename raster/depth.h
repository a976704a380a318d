/* Depth of 24 bits, every one of them true. A single has no place for a fraction beside those from 0.5 up, so
 * a primitive's plane is fixed point, in steps of 1 / (2^24 - 1): integers add up to the same wherever one
 * begins.
 *
 *   at    = c + a * px + b * py modulo 2^64, of window pixel (px, py)
 *   depth = at / 2^32, rounded down, clamped to [0, (2^24 - 1) / 2^shift], times 2^shift
 *   z     = (at / 2^32 * 2^shift - RASTER_DEPTH_ROUND), clamped to [0, 2^24 - 1], times 1 / (2^24 - 1), as a
 *           single; each product and sum in double
 *
 * c holds what rounds depths to the nearest step. The upper half of `at` is a signed integer: a pixel whose
 * centre is no further than one from its primitive lies within its range. Slopes are rounded to 2^-32 steps:
 * a thousand pixels from the reference vertex that is 2^-22 of a step. `shift` is 0 but for primitives that
 * go through 32 times all depths, in a pixel or at a vertex: theirs are coarser. depth_ir.h has the same as
 * IR. */
#ifndef VITRAIL_RASTER_DEPTH_H
#define VITRAIL_RASTER_DEPTH_H

#include <math.h>

#include "raster/prim.h"

#define RASTER_DEPTH_MAX   0xffffffu
#define RASTER_DEPTH_STEPS 16777215.0
/* To the nearest step. z = 1/2 lies half way between two and goes up, as Mesa's lrint makes it of clear
 * values: also where the plane's own rounding leaves it short of the half. The single next to d / (2^24 - 1)
 * comes no closer to half a step above d than 2^-24. */
#define RASTER_DEPTH_ROUND (0.5 + 0x1p-25)
#define RASTER_DEPTH_REACH 0x1p29 /* that slopes and vertices stay below, in units of 2^shift steps */
#define RASTER_DEPTH_SHIFT 23     /* the greatest: one depth is left beside 0 */

static inline double raster_depth_clamp(double steps)
{
    steps = steps > 0.0 ? steps : 0.0;
    return steps < RASTER_DEPTH_STEPS ? steps : RASTER_DEPTH_STEPS;
}

/* ---- the plane ---- */

/* The shift of a plane that reaches further, whose numbers become units of it. A plane that no shift helps,
 * or that is not finite, has one depth, that of its reference vertex. */
uint32_t raster_depth_coarse(double *a, double *b, double *c, double reach);

/* |v| < 2^31. */
static inline int64_t raster_depth_fixed(double v)
{
    return llrint(v * 0x1p32);
}

/* Of slopes a and b, steps a pixel, that has c steps at (x, y), 1/16 pixel, offset included, and no more than
 * `reach` of either sign at its vertices. triangles_tmpl.h has these sums by sixteens. */
static inline struct raster_depth raster_depth_plane(double a, double b, double c, double reach, int32_t x,
                                                     int32_t y)
{
    struct raster_depth plane = {0};
    c += RASTER_DEPTH_ROUND;
    if (!(fabs(a) + fabs(b) < RASTER_DEPTH_REACH && reach < RASTER_DEPTH_REACH))
        plane.shift = raster_depth_coarse(&a, &b, &c, reach);
    c += (a * (8 - (x & 15)) + b * (8 - (y & 15))) * 0.0625;
    plane.a = raster_depth_fixed(a);
    plane.b = raster_depth_fixed(b);
    plane.c = (int64_t)((uint64_t)raster_depth_fixed(c) - (uint64_t)plane.a * (uint64_t)(x >> 4) -
                        (uint64_t)plane.b * (uint64_t)(y >> 4));
    return plane;
}

/* What depth offset adds to the depths of a triangle of slopes a and b, in steps: "the smallest value that is
 * guaranteed to produce a resolvable offset" is one (GL ES 2.0 section 3.5.2). Clamped as EXT_polygon_offset_clamp
 * says. */
static inline double raster_depth_offset(const struct raster_setup *setup, double a, double b)
{
    double slope = fmax(fabs(a), fabs(b)), clamp = setup->offset_clamp;
    double offset = setup->offset_factor * slope + setup->offset_units;
    return clamp > 0 && offset > clamp ? clamp : clamp < 0 && offset < clamp ? clamp : offset;
}

/* Of a primitive with z at its vertices, the first of them at (x, y), whose slopes are x_of[0] * d1 + x_of[1]
 * * d2 and y_of likewise of the others' differences to it. `offset`: whose depth offset counts, or NULL. */
static inline struct raster_depth raster_depth_through(const double x_of[2], const double y_of[2],
                                                       const float z[3], const struct raster_setup *offset,
                                                       int32_t x, int32_t y)
{
    double d1 = ((double)z[1] - z[0]) * RASTER_DEPTH_STEPS, d2 = ((double)z[2] - z[0]) * RASTER_DEPTH_STEPS;
    double a = x_of[0] * d1 + x_of[1] * d2, b = y_of[0] * d1 + y_of[1] * d2;
    double further = offset ? raster_depth_offset(offset, a, b) : 0.0;
    float z0 = fabsf(z[0]), z1 = fabsf(z[1]), z2 = fabsf(z[2]), most = z0 > z1 ? z0 : z1;
    most = most > z2 ? most : z2;
    return raster_depth_plane(a, b, z[0] * RASTER_DEPTH_STEPS + further,
                              most * RASTER_DEPTH_STEPS + fabs(further), x, y);
}

/* ---- at a pixel ---- */

/* At a lane of the block whose first pixel is window pixel (px, py). */
static inline int64_t raster_depth_sum(const struct raster_depth *plane, int32_t px, int32_t py,
                                       unsigned lane)
{
    uint64_t x = (uint64_t)(px + (int32_t)raster_lane_x(lane)),
             y = (uint64_t)(py + (int32_t)raster_lane_y(lane));
    return (int64_t)((uint64_t)plane->c + (uint64_t)plane->a * x + (uint64_t)plane->b * y);
}

static inline uint32_t raster_depth_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane)
{
    const struct raster_depth *plane = &prim->depth;
    int64_t units = raster_depth_sum(plane, px, py, lane) >> 32, top = RASTER_DEPTH_MAX >> plane->shift;
    units = units > 0 ? units : 0;
    return (uint32_t)(units < top ? units : top) << plane->shift;
}

/* The same before it is rounded, 0 to 1. */
static inline float raster_depth_z_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane)
{
    int64_t at = raster_depth_sum(&prim->depth, px, py, lane);
    double units = (double)(at >> 32) + (double)(at >> 1 & 0x7fffffff) * 0x1p-31;
    double steps = units * (double)(1u << prim->depth.shift) - RASTER_DEPTH_ROUND;
    return (float)(raster_depth_clamp(steps) * (1.0 / RASTER_DEPTH_STEPS));
}

/* The depth of a number, such as programs give. */
static inline uint32_t raster_depth_of(float z)
{
    return (uint32_t)raster_depth_clamp((double)z * RASTER_DEPTH_STEPS + RASTER_DEPTH_ROUND);
}

#endif

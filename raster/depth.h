/* Depth of 24 bits, every one of them true: a single has no place for a fraction beside them, so planes are
 * doubles in steps of 1 / (2^24 - 1).
 *
 * At a pixel of a block of 4x4, whose first pixel is (px, py) and in which it stands at (lx, ly),
 *   bx    = px + 0.5 - x0, by likewise (exact)
 *   steps = ((z_a * bx + z_b * by) + (z_c + bias)) + (z_a * lx + z_b * ly), each product and sum rounded
 *           once, never fused: what the lanes add is the same in all blocks of a primitive
 *   depth = steps with RASTER_DEPTH_ROUND as bias, clamped to [0, 2^24 - 1] (NaN: 0) and cut
 *   z     = steps without bias, clamped likewise, times 1 / (2^24 - 1), as a single
 * depth_ir.h has the same as IR. */
#ifndef VITRAIL_RASTER_DEPTH_H
#define VITRAIL_RASTER_DEPTH_H

#include "raster/prim.h"

#define RASTER_DEPTH_MAX   0xffffffu
#define RASTER_DEPTH_STEPS 16777215.0
/* To the nearest step. z = 1/2 lies half way between two and goes up, as Mesa's lrint makes it of clear
 * values: also where the plane's own rounding leaves it short of the half. The single next to d / (2^24 - 1)
 * comes no closer to half a step above d than 2^-24. */
#define RASTER_DEPTH_ROUND (0.5 + 0x1p-25)

static inline double raster_depth_clamp(double steps)
{
    steps = steps > 0.0 ? steps : 0.0;
    return steps < RASTER_DEPTH_STEPS ? steps : RASTER_DEPTH_STEPS;
}

static inline double raster_depth_steps(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane,
                                        double bias)
{
    double bx = px + 0.5 - prim->x0, by = py + 0.5 - prim->y0;
    double lx = (lane & 1) | (lane >> 1 & 2), ly = (lane >> 1 & 1) | (lane >> 2 & 2);
    double base = (prim->z_a * bx + prim->z_b * by) + (prim->z_c + bias);
    return base + (prim->z_a * lx + prim->z_b * ly);
}

/* The depth of a primitive at a lane of the block whose first pixel is window pixel (px, py). */
static inline uint32_t raster_depth_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane)
{
    return (uint32_t)raster_depth_clamp(raster_depth_steps(prim, px, py, lane, RASTER_DEPTH_ROUND));
}

/* The same before it is rounded, 0 to 1. */
static inline float raster_depth_z_at(const struct raster_prim *prim, int32_t px, int32_t py, unsigned lane)
{
    double steps = raster_depth_clamp(raster_depth_steps(prim, px, py, lane, 0.0));
    return (float)(steps * (1.0 / RASTER_DEPTH_STEPS));
}

/* The depth of a number, such as programs give. */
static inline uint32_t raster_depth_of(float z)
{
    return (uint32_t)raster_depth_clamp((double)z * RASTER_DEPTH_STEPS + RASTER_DEPTH_ROUND);
}

#endif

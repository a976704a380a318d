/* What the files of the general sampler share; README.md, "The general sampler", holds the arithmetic and its
 * section numbers. Not for users. */
#ifndef VITRAIL_RASTER_SAMPLER_INTERNAL_H
#define VITRAIL_RASTER_SAMPLER_INTERNAL_H

#include "raster/texture/sampler.h"

#define RASTER_LOOKUP_LIMIT  1048576.0f /* texels that a clamped coordinate goes beyond the image at most */
#define RASTER_LOOKUP_OFFSET 65536      /* and an offset */

/* ---- what keys say (sampler_key.c) ---- */

/* Whether anything is blended: filters of one level, or of two. */
bool raster_sampler_filters(const struct raster_sampler_key *key);
/* Whether the level of detail counts. */
bool raster_sampler_leveled(const struct raster_sampler_key *key);
bool raster_sampler_crosses(const struct raster_sampler_key *key); /* a seamless cube */
/* How many axes a slice has: 1 or 2. */
static inline unsigned raster_sampler_axes(const struct raster_sampler_key *key)
{
    return key->dim == RASTER_DIM_1D || key->dim == RASTER_DIM_BUFFER ? 1 : 2;
}
/* Depths of fixed point: references are held between 0 and 1. */
bool raster_sampler_fixed_depth(const struct raster_sampler_key *key);
/* Whether the stencil beside a depth is left out. */
bool raster_sampler_depth_alone(enum raster_format format);

/* ---- sampler_coord.c ---- */

struct raster_cube_point {
    uint32_t face;
    float s, t;        /* on it, 0 to 1 */
    float p, q, major; /* the same from -1 to 1; the coordinate that they were divided by, without its sign */
};
void raster_cube_point(const struct raster_sampler_key *key, const struct raster_lookup_lanes *in,
                       unsigned lane, struct raster_cube_point *out);

struct raster_level_choice {
    bool linear;
    uint32_t level, level1; /* level1 counts where `weight` is not 0 */
    float weight;
    float computed, used; /* levels of detail */
};
/* `point`: of cubes, of 16 lanes. */
void raster_sampler_levels(const struct raster_sampler_key *key, const struct raster_image *image,
                           const struct raster_lookup_lanes *in, const struct raster_cube_point *point,
                           struct raster_level_choice out[16]);

struct raster_axis {
    int32_t x[2]; /* texels; outside the image the border's, or of a seamless cube the next face's */
    float weight; /* of x[1] */
};
/* `wrap`: enum raster_wrap; of seamless cubes RASTER_HALF_BORDER is meant, of which `outside` is left to the
 * caller. */
void raster_sampler_axis(const struct raster_sampler_key *key, uint8_t wrap, bool linear, uint32_t size,
                         float s, int32_t offset, struct raster_axis *out);
/* A texel one beyond an edge of a face, but not of two: the one of the next face. */
void raster_cube_cross(uint32_t size, uint32_t *face, int32_t *x, int32_t *y);

/* ---- sampler_fetch.c ---- */

/* Four components of texel (x, y), which lies inside. */
void raster_sampler_texel(const struct raster_sampler_key *key, const struct raster_image *image,
                          uint32_t level, uint32_t slice, uint32_t sample, uint32_t x, uint32_t y,
                          uint32_t out[4]);
/* The same as it is packed, of formats of bytes. */
uint32_t raster_sampler_packed(const struct raster_sampler_key *key, const struct raster_image *image,
                               uint32_t level, uint32_t slice, uint32_t x, uint32_t y);
/* Of formats of blocks the same of blocks: how many rows a slice has (of tiles, where it is tiled) and how many bytes
 * each; how many the slice spans, false when the stride is too small or numbers overflow; where it begins; and where in
 * it texel or block (x, y) stands. */
void raster_sampler_rows(const struct raster_sampler_key *key, const struct raster_image_level *level,
                         uint32_t *rows, uint64_t *bytes);
bool raster_sampler_span(const struct raster_sampler_key *key, const struct raster_image_level *level,
                         uint64_t *bytes);
const uint8_t *raster_sampler_surface(const struct raster_sampler_key *key, const struct raster_image *image,
                                      uint32_t number, uint32_t slice, uint32_t sample);
const uint8_t *raster_sampler_find(const struct raster_sampler_key *key, uint32_t row_stride,
                                   const uint8_t *surface, uint32_t x, uint32_t y);

#endif

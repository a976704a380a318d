/* Samples of a pixel: 1, 2, 4, 8 or 16; where they are, which of them a primitive covers, which an alpha or a
 * mask leaves, how many pass. */
#ifndef VITRAIL_RASTER_SAMPLES_H
#define VITRAIL_RASTER_SAMPLES_H

#include "raster/prim.h"

/* Position of a sample in 1/16 pixel from the pixel's corner. One, four, eight and sixteen as Mali has them
 * (Mesa's pan_samples.c: the centre, the rotated grid, Direct3D's grids), four also as raster_sample_x; of two,
 * which Mali has not, Direct3D's. */
void raster_samples_position(uint32_t samples, uint32_t sample, int32_t *x, int32_t *y);

/* Whether blocks are struct raster_samples_block. */
static inline bool raster_samples_is_many(uint32_t samples)
{
    return samples != 1 && samples != 4;
}

/* A block of tiles of 2, 8 or 16 samples: what struct raster_block is of those of 1 or 4, and begins like it. */
struct raster_samples_block {
    uint8_t x, y;
    uint16_t mask; /* lanes with any sample covered */
    uint16_t sample[RASTER_TARGET_SAMPLES];
};

/* Block n of an array of blocks of tiles of so many samples; and the lanes of each of its samples. */
static inline const struct raster_block *raster_samples_block_at(const struct raster_block *blocks,
                                                                 uint32_t samples, uint32_t n)
{
    const struct raster_samples_block *many = (const void *)blocks;
    return raster_samples_is_many(samples) ? (const void *)&many[n] : &blocks[n];
}
static inline const uint16_t *raster_samples_covered(const struct raster_block *block, uint32_t samples)
{
    const struct raster_samples_block *many = (const void *)block;
    return raster_samples_is_many(samples) ? many->sample : block->sample;
}

/* As raster_cover, of so many samples; `tile` is the tile with one sample (as raster_worker.centre). Primitives
 * of more than four samples or of two are set up with raster_setup.sixteen. `reference`: by the scalar
 * twin. `blocks` and `scratch` have room for RASTER_BLOCKS_MAX. */
uint32_t raster_samples_cover(const struct raster_prim *prim, const struct raster_tile *tile,
                              uint32_t samples, const struct raster_rect *clip, bool reference,
                              struct raster_samples_block *blocks, struct raster_block *scratch);

/* Alpha to coverage: sample k of `samples` stays where alpha * samples >= k + 1/2 (NaN: nowhere; ours: GL asks
 * for a share of them that grows with alpha). */
bool raster_samples_alpha(uint32_t samples, uint32_t sample, float alpha);

/* What occlusion queries want. */
enum raster_query {
    RASTER_QUERY_NONE,
    RASTER_QUERY_ANY,  /* not zero once any sample has passed */
    RASTER_QUERY_COUNT /* samples that have passed */
};
/* Adds the lanes of one sample that pass depth and stencil. */
static inline void raster_query_add(enum raster_query query, uint16_t lanes, uint64_t *passed)
{
    if (query == RASTER_QUERY_COUNT)
        *passed += (uint64_t)__builtin_popcount(lanes);
    else if (query == RASTER_QUERY_ANY)
        *passed |= lanes != 0;
}

#endif

/* Sixteen samples a pixel, for vector graphics: coverage accumulated in the depth and stencil memory (Guide
 * sections 2 and 5), and primitives that are drawn where any of the samples is covered.
 *
 * A tile's zs word holds 16 counters of two bits, sample s in bits 2s and 2s + 1 (ours: the Guide gives 16
 * samples and 32 bits a pixel). A sample counts as covered when its counter is not zero. Only tiles of one
 * sample a pixel have coverage. */
#ifndef VITRAIL_RASTER_COVERAGE_H
#define VITRAIL_RASTER_COVERAGE_H

#include "raster/prim.h"

#define RASTER_COVERAGE_SAMPLES 16u

/* Positions in 1/16 pixel (ours: the Guide names none): one sample in each column and in each row of a 16x16
 * grid, and one in each 4x4 part of it; y is x with its four bits in reverse order. */
static inline int32_t raster_coverage_x(uint32_t sample)
{
    return (int32_t)sample;
}
static inline int32_t raster_coverage_y(uint32_t sample)
{
    return (int32_t)((sample & 1) << 3 | (sample & 2) << 1 | (sample & 4) >> 1 | (sample & 8) >> 3);
}

/* Numbered as in record 96, "coverage update mode" (Guide table 38). */
enum raster_coverage_update {
    RASTER_COVERAGE_NONZERO, /* forward primitives count up, reverse ones down, modulo 4 */
    RASTER_COVERAGE_ODD,     /* the counter becomes 1 where it was even, 0 where it was odd */
    RASTER_COVERAGE_OR,      /* 1 */
    RASTER_COVERAGE_ZERO,    /* 0 */
};

/* Updates the counters of the samples that `prim` covers in the tile and the clip rectangle. `positions` is 1
 * (the pixel's centre stands for all sixteen), 4 (each of raster_sample_x's for four: position k for samples
 * 4k to 4k + 3) or 16. `blocks` is scratch space of RASTER_BLOCKS_MAX. The scalar twin (`reference`) leaves
 * the same words. */
void raster_coverage_add(const struct raster_prim *prim, struct raster_tile *tile,
                         const struct raster_rect *clip, uint32_t positions,
                         enum raster_coverage_update update, bool reference, struct raster_block *blocks);

/* As raster_cover, for tiles of one sample that stands at (x, y), 1/16 pixel, of each pixel. */
uint32_t raster_cover_position(const struct raster_prim *prim, const struct raster_tile *tile,
                               const struct raster_rect *clip, int32_t x, int32_t y, bool reference,
                               struct raster_block *blocks);

/* As raster_cover, for tiles of one sample: a pixel is covered where any of its sixteen samples is. */
uint32_t raster_cover_any(const struct raster_prim *prim, const struct raster_tile *tile,
                          const struct raster_rect *clip, bool reference, struct raster_block *blocks);

/* Bit s: sample s of a zs word is covered. */
static inline uint32_t raster_coverage_mask(uint32_t word)
{
    uint32_t covered = (word | word >> 1) & 0x55555555, mask = 0;
    for (uint32_t s = 0; s < RASTER_COVERAGE_SAMPLES; s++)
        mask |= (covered >> 2 * s & 1) << s;
    return mask;
}

/* 0 to 255: the covered samples' share, (n * 255 + 8) / 16 (ours: rounded to nearest). */
static inline uint32_t raster_coverage_level(uint32_t word)
{
    return ((uint32_t)__builtin_popcount((word | word >> 1) & 0x55555555) * 255 + 8) >> 4;
}

#endif

/* The fixed stages around a fragment program, of GPUs that have them: alpha test, alpha to coverage, depth and
 * stencil, blending, of one block of 4x4 pixels. Scalar, for the reference path of any family; what is compiled
 * is made apart from this (zs_ir.h, blend_ir.h). Calls are made in the guest floating-point environment. */
#ifndef VITRAIL_RASTER_STAGES_H
#define VITRAIL_RASTER_STAGES_H

#include "raster/blend.h"
#include "raster/prim.h"
#include "raster/zs.h"

/* Of a draw. */
struct raster_stages {
    const struct raster_zs *zs;
    const struct raster_blend *blend;
    uint32_t constant; /* the blend colour, an 8888 word */
    uint8_t samples;
    uint8_t alpha_func, alpha_ref; /* enum raster_func, of 255 */
    bool alpha_to_coverage, alpha_to_one;
    uint8_t stencil_mask; /* bits of the stencil that the program gives, where it does */
};

/* A block at hand. */
struct raster_stages_block {
    struct raster_tile *tile;
    uint32_t index; /* of sample 0's words in the tile */
    bool reverse;   /* of a back-facing primitive */
    uint32_t depth[16];
    uint16_t live[RASTER_MAX_SAMPLES]; /* lanes of each sample that are still to be drawn */
};

/* Tests the samples that are live, with what writes of depth and stencil that has; those that fail no longer
 * are. `stencil`: the program's, by lane, or NULL: it gives none. */
void raster_stages_test(const struct raster_stages *stages, struct raster_stages_block *block,
                        const uint8_t stencil[16]);

/* A colour of the program's as four bytes, red lowest. */
uint32_t raster_stages_word(const float color[4]);
/* The lanes whose alpha leaves sample k to alpha to coverage; all without it. */
uint16_t raster_stages_alpha_left(const struct raster_stages *stages, unsigned k, const uint32_t word[16]);
/* Sample k's colours, as words, meet the alpha test and alpha to coverage: of `lanes`, which the program left,
 * those that go on stay live. Returns the lanes that passed the alpha test. */
uint16_t raster_stages_alpha(const struct raster_stages *stages, struct raster_stages_block *block,
                             unsigned k, uint16_t lanes, uint32_t word[16]);
/* Sample k of a lane takes the colour; `second`: what factors of a second source read. */
void raster_stages_blend(const struct raster_stages *stages, const struct raster_stages_block *block,
                         unsigned k, unsigned lane, uint32_t word, uint32_t second);

/* The same of a tile of halves, which has one sample: the colour as it comes, and channel c of a lane. */
void raster_stages_blend_halves(const struct raster_stages *stages, const struct raster_stages_block *block,
                                unsigned lane, const float color[4], const float second[4]);
uint16_t *raster_stages_half(const struct raster_stages_block *block, unsigned lane, unsigned c);

#endif

/* Depth and stencil tests: the scalar twin (zs.c) and the IR emitter (zs_ir.c) of one definition.
 *
 * A stencil configuration is a plain struct so that every family can fill it; operations and functions are
 * numbered as in Guide tables 27 and 38 (VideoCore IV), other families translate. Order: stencil test; on
 * failure `fail`; else depth test; on failure `zfail`, on success `zpass` and the depth write. Updates touch
 * only bits in write_mask. */
#ifndef VITRAIL_RASTER_ZS_H
#define VITRAIL_RASTER_ZS_H

#include <stdbool.h>
#include <stdint.h>

enum raster_func {
    RASTER_NEVER,
    RASTER_LESS,
    RASTER_EQUAL,
    RASTER_LEQUAL,
    RASTER_GREATER,
    RASTER_NOTEQUAL,
    RASTER_GEQUAL,
    RASTER_ALWAYS
};
/* Whether `a` passes beside `b` by an enum raster_func: of depths, stencils, alphas. */
bool raster_compare(uint8_t func, uint32_t a, uint32_t b);

enum raster_stencil_op {
    RASTER_OP_ZERO,
    RASTER_OP_KEEP,
    RASTER_OP_REPLACE,
    RASTER_OP_INCR_SAT,
    RASTER_OP_DECR_SAT,
    RASTER_OP_INVERT,
    RASTER_OP_INCR,
    RASTER_OP_DECR
};

struct raster_stencil {
    bool enable;
    uint8_t func, fail, zfail, zpass;
    uint8_t ref, func_mask, write_mask;
};

struct raster_zs {
    bool depth_write;
    uint8_t depth_func;
    struct raster_stencil face[2]; /* 0 front, 1 back */
};

/* Tests one sample: `stored` is depth << 8 | stencil, `depth` the new 24-bit depth. Sets *stored to the
 * updated word and returns whether the sample passes. */
bool raster_zs_test(const struct raster_zs *zs, bool reverse, uint32_t depth, uint32_t *stored);

/* What a tile's depths are. Those of 16 and 24 bits stand beside stencil in zs words of 24 bits, of 16 as the
 * 24 that unpack to the nearest number; the others fill zs, stencil stands in the tile's bytes. */
enum raster_depth_kind {
    RASTER_DEPTH_UNORM24,
    RASTER_DEPTH_UNORM16,
    RASTER_DEPTH_UNORM32,
    RASTER_DEPTH_FLOAT32, /* 0 to 1, never -0: they compare as their bits do */
    RASTER_DEPTH_KIND_COUNT
};
static inline bool raster_depth_is_32(enum raster_depth_kind kind)
{
    return kind >= RASTER_DEPTH_UNORM32;
}

/* A depth for the tests: z, clamped to 0..1 (NaN: 0), as the kind has it; of UNORM24 raster_depth_of. */
uint32_t raster_depth_encode(enum raster_depth_kind kind, float z);
/* Of 24 bits, those that 16 keep: the upper ones, repeated. */
static inline uint32_t raster_depth_16(uint32_t depth)
{
    return (depth & 0xffff00) | depth >> 16;
}

/* raster_zs_test of depths of 32 bits, with stencil apart. */
bool raster_zs_test_32(const struct raster_zs *zs, bool reverse, uint32_t depth, uint32_t *stored,
                       uint8_t *stencil);

#endif

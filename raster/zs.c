/* Depth and stencil of one sample (README.md). */
#include "raster/zs.h"

#include <math.h>

#include "raster/depth.h"
#include "util/bits.h"

bool raster_compare(uint8_t func, uint32_t a, uint32_t b)
{
    switch (func) {
    case RASTER_NEVER: return false;
    case RASTER_LESS: return a < b;
    case RASTER_EQUAL: return a == b;
    case RASTER_LEQUAL: return a <= b;
    case RASTER_GREATER: return a > b;
    case RASTER_NOTEQUAL: return a != b;
    case RASTER_GEQUAL: return a >= b;
    default: return true;
    }
}

static uint32_t apply(uint8_t op, uint32_t s, uint32_t ref)
{
    switch (op) {
    case RASTER_OP_ZERO: return 0;
    case RASTER_OP_REPLACE: return ref;
    case RASTER_OP_INCR_SAT: return s < 255 ? s + 1 : 255;
    case RASTER_OP_DECR_SAT: return s > 0 ? s - 1 : 0;
    case RASTER_OP_INVERT: return ~s & 255;
    case RASTER_OP_INCR: return (s + 1) & 255;
    case RASTER_OP_DECR: return (s - 1) & 255;
    default: return s; /* KEEP */
    }
}

/* One face's: `z` and `s` become what stays. */
static bool test_face(const struct raster_zs *zs, bool reverse, uint32_t depth, uint32_t *z, uint32_t *s)
{
    const struct raster_stencil *st = &zs->face[reverse];
    bool pass_s = !st->enable || raster_compare(st->func, st->ref & st->func_mask, *s & st->func_mask);
    bool pass_z = raster_compare(zs->depth_func, depth, *z);

    if (st->enable) {
        uint8_t op = !pass_s ? st->fail : !pass_z ? st->zfail : st->zpass;
        *s = (*s & ~(uint32_t)st->write_mask) | (apply(op, *s, st->ref) & st->write_mask);
    }
    if (pass_s && pass_z && zs->depth_write)
        *z = depth;
    return pass_s && pass_z;
}

bool raster_zs_test(const struct raster_zs *zs, bool reverse, uint32_t depth, uint32_t *stored)
{
    uint32_t z = *stored >> 8, s = *stored & 255;
    bool pass = test_face(zs, reverse, depth & 0xffffff, &z, &s);

    *stored = z << 8 | s;
    return pass;
}

bool raster_zs_test_32(const struct raster_zs *zs, bool reverse, uint32_t depth, uint32_t *stored,
                       uint8_t *stencil)
{
    uint32_t s = *stencil;
    bool pass = test_face(zs, reverse, depth, stored, &s);

    *stencil = (uint8_t)s;
    return pass;
}

uint32_t raster_depth_encode(enum raster_depth_kind kind, float z)
{
    z = z > 0.0f ? z : 0.0f;
    z = z < 1.0f ? z : 1.0f;
    switch (kind) {
    case RASTER_DEPTH_FLOAT32: return util_f2u(z);
    case RASTER_DEPTH_UNORM32: return (uint32_t)(int64_t)rint((double)z * UINT32_MAX);
    case RASTER_DEPTH_UNORM16: return raster_depth_16(raster_depth_of(z));
    default: return raster_depth_of(z);
    }
}

/* Blending, channel by channel: the reference. */
#include "raster/blend.h"

const struct raster_blend raster_blend_replace = {
    .color = {RASTER_BLEND_ADD, RASTER_FACTOR_ONE, RASTER_FACTOR_ZERO},
    .alpha = {RASTER_BLEND_ADD, RASTER_FACTOR_ONE, RASTER_FACTOR_ZERO},
    .write_mask = 15};

struct colors {
    uint32_t constant, src, src1, dst;
};

static uint32_t channel(uint32_t word, unsigned n)
{
    return word >> 8 * n & 255;
}

static uint32_t factor(const struct colors *c, uint8_t code, unsigned n)
{
    uint32_t sa = channel(c->src, 3), room = 255 - channel(c->dst, 3), value = 0;
    switch (code & ~RASTER_FACTOR_INVERT) {
    case RASTER_FACTOR_SRC: value = channel(c->src, n); break;
    case RASTER_FACTOR_DST: value = channel(c->dst, n); break;
    case RASTER_FACTOR_CONST: value = channel(c->constant, n); break;
    case RASTER_FACTOR_SRC1: value = channel(c->src1, n); break;
    case RASTER_FACTOR_SRC_ALPHA: value = sa; break;
    case RASTER_FACTOR_DST_ALPHA: value = channel(c->dst, 3); break;
    case RASTER_FACTOR_CONST_ALPHA: value = channel(c->constant, 3); break;
    case RASTER_FACTOR_SRC1_ALPHA: value = channel(c->src1, 3); break;
    case RASTER_FACTOR_ALPHA_SATURATE: value = n == 3 ? 255 : sa < room ? sa : room; break;
    default: break; /* ZERO */
    }
    return code & RASTER_FACTOR_INVERT ? 255 - value : value;
}

static uint32_t multiply(uint32_t a, uint32_t b)
{
    return (2 * a * b + 255) / 510;
}

static uint32_t blend_channel(const struct raster_equation *e, const struct colors *c, unsigned n)
{
    uint32_t raw = channel(c->dst, n);
    uint32_t s = multiply(channel(c->src, n), factor(c, e->src, n)), d = multiply(raw, factor(c, e->dst, n));
    switch (e->func) {
    case RASTER_BLEND_SUB: return s > d ? s - d : 0;
    case RASTER_BLEND_RSUB: return d > s ? d - s : 0;
    case RASTER_BLEND_MIN: return s < raw ? s : raw;
    case RASTER_BLEND_MAX: return s > raw ? s : raw;
    default: return s + d < 255 ? s + d : 255;
    }
}

uint32_t raster_blend_logic(uint8_t op, uint32_t s, uint32_t d)
{
    switch (op) {
    case RASTER_LOGIC_AND: return s & d;
    case RASTER_LOGIC_AND_REVERSE: return s & ~d;
    case RASTER_LOGIC_COPY: return s;
    case RASTER_LOGIC_AND_INVERTED: return ~s & d;
    case RASTER_LOGIC_NOOP: return d;
    case RASTER_LOGIC_XOR: return s ^ d;
    case RASTER_LOGIC_OR: return s | d;
    case RASTER_LOGIC_NOR: return ~(s | d);
    case RASTER_LOGIC_EQUIV: return ~(s ^ d);
    case RASTER_LOGIC_INVERT: return ~d;
    case RASTER_LOGIC_OR_REVERSE: return s | ~d;
    case RASTER_LOGIC_COPY_INVERTED: return ~s;
    case RASTER_LOGIC_OR_INVERTED: return ~s | d;
    case RASTER_LOGIC_NAND: return ~(s & d);
    case RASTER_LOGIC_SET: return 0xffffffff;
    default: return 0; /* CLEAR */
    }
}

static bool equation_replaces(const struct raster_equation *e)
{
    return e->func <= RASTER_BLEND_SUB && e->src == RASTER_FACTOR_ONE && e->dst == RASTER_FACTOR_ZERO;
}

bool raster_blend_is_replace(const struct raster_blend *blend)
{
    return equation_replaces(&blend->color) && equation_replaces(&blend->alpha);
}

static bool equation_reads(const struct raster_equation *e)
{
    uint8_t s = e->src & (uint8_t)~RASTER_FACTOR_INVERT;
    return e->func >= RASTER_BLEND_MIN || e->dst != RASTER_FACTOR_ZERO || s == RASTER_FACTOR_DST ||
           s == RASTER_FACTOR_DST_ALPHA || s == RASTER_FACTOR_ALPHA_SATURATE;
}

bool raster_blend_reads(const struct raster_blend *blend)
{
    if ((blend->write_mask & 15) != 15)
        return true;
    if (blend->logic)
        return blend->logic_op != RASTER_LOGIC_CLEAR && blend->logic_op != RASTER_LOGIC_COPY &&
               blend->logic_op != RASTER_LOGIC_COPY_INVERTED && blend->logic_op != RASTER_LOGIC_SET;
    return equation_reads(&blend->color) || equation_reads(&blend->alpha);
}

uint32_t raster_blend_pixel(const struct raster_blend *blend, uint32_t constant, uint32_t src, uint32_t src1,
                            uint32_t dst)
{
    const struct colors c = {constant, src, src1, dst};
    uint32_t result = 0;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t value = blend->logic ? raster_blend_logic(blend->logic_op, src, dst) >> 8 * n & 255
                                      : blend_channel(n < 3 ? &blend->color : &blend->alpha, &c, n);
        result |= (blend->write_mask >> n & 1 ? value : channel(dst, n)) << 8 * n;
    }
    return result;
}

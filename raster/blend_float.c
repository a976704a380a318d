/* Blending of singles, and of halves as such. */
#include "raster/blend.h"

#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#define ONE_NAN 0x7fc00000u /* the sign of one depends on the order of operands, which compilers choose */

struct meeting {
    const struct raster_blend_colors *colors;
    float dst[4];
};

static float factor(const struct meeting *m, uint8_t code, unsigned n)
{
    const struct raster_blend_colors *c = m->colors;
    float value = 0, room = 1.0f - m->dst[3];

    switch (code & ~RASTER_FACTOR_INVERT) {
    case RASTER_FACTOR_SRC: value = c->src[n]; break;
    case RASTER_FACTOR_DST: value = m->dst[n]; break;
    case RASTER_FACTOR_CONST: value = c->constant[n]; break;
    case RASTER_FACTOR_SRC1: value = c->src1[n]; break;
    case RASTER_FACTOR_SRC_ALPHA: value = c->src[3]; break;
    case RASTER_FACTOR_DST_ALPHA: value = m->dst[3]; break;
    case RASTER_FACTOR_CONST_ALPHA: value = c->constant[3]; break;
    case RASTER_FACTOR_SRC1_ALPHA: value = c->src1[3]; break;
    case RASTER_FACTOR_ALPHA_SATURATE: value = n == 3 ? 1.0f : c->src[3] < room ? c->src[3] : room; break;
    default: break; /* ZERO */
    }
    return code & RASTER_FACTOR_INVERT ? 1.0f - value : value;
}

static float product(const struct meeting *m, float x, uint8_t code, unsigned n)
{
    return code == RASTER_FACTOR_ZERO ? 0.0f : x * factor(m, code, n);
}

static float blend_channel(const struct raster_equation *e, const struct meeting *m, unsigned n)
{
    float s = product(m, m->colors->src[n], e->src, n), d = product(m, m->dst[n], e->dst, n);

    switch (e->func) {
    case RASTER_BLEND_SUB: return s - d;
    case RASTER_BLEND_RSUB: return d - s;
    case RASTER_BLEND_MIN: return s < m->dst[n] ? s : m->dst[n];
    case RASTER_BLEND_MAX: return s > m->dst[n] ? s : m->dst[n];
    default: return s + d;
    }
}

void raster_blend_float(const struct raster_blend *blend, const struct raster_blend_colors *colors,
                        const float dst[4], float out[4])
{
    struct meeting m = {.colors = colors};

    memcpy(m.dst, dst, sizeof m.dst);
    for (unsigned n = 0; n < 4; n++) {
        out[n] = blend->logic ? colors->src[n] : blend_channel(n < 3 ? &blend->color : &blend->alpha, &m, n);
        if (out[n] != out[n])
            out[n] = util_u2f(ONE_NAN);
    }
}

void raster_blend_rgba16f(const struct raster_blend *blend, const struct raster_blend_colors *colors,
                          uint16_t dst[4])
{
    float old[4], new[4];

    for (unsigned n = 0; n < 4; n++)
        old[n] = util_half_to_float(dst[n]);
    raster_blend_float(blend, colors, old, new);
    for (unsigned n = 0; n < 4; n++)
        if (blend->write_mask >> n & 1)
            dst[n] = util_float_to_half(new[n]);
}

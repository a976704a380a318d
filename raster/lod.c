/* Level of detail: from differences inside a quad to levels and weights (README.md section 2). */
#include "raster/texture_internal.h"

#include <math.h>

/* The order of the operands decides what becomes of a NaN. */
static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Differences of c to the right and below, scaled, joined to rho. */
static float join(float rho, const float *c, float scale)
{
    rho = larger(rho, fabsf(c[1] - c[0]) * scale);
    return larger(rho, fabsf(c[2] - c[0]) * scale);
}

/* log2 to about 1/1000: exponent plus a cubic in the fraction whose coefficients sum to 1. */
static float log2_level(float rho)
{
    const float a = util_u2f(0x3fb5c000), b = util_u2f(0xbf126000), c = util_u2f(0x3e1b8000);
    uint32_t bits = util_f2u(rho);
    float e = (float)((int32_t)(bits >> 23) - 127);
    float f = util_u2f((bits & 0x7fffff) | 0x3f800000) - 1.0f;
    float p = f * c;

    p = b + p;
    p = f * p;
    p = a + p;
    p = f * p;
    return e + p;
}

static float quad_level(const struct raster_texture_key *key, const struct raster_texture *texture,
                        const float *s, const float *t, const float *r)
{
    float w = key->unnormalized ? 1.0f : texture->width, h = key->unnormalized ? 1.0f : texture->height;
    float rho;

    if (key->cube) {
        /* The surface of the cube is continuous: differences of the vector itself need no faces. */
        rho = larger(fabsf(s[1] - s[0]), fabsf(s[2] - s[0]));
        rho = join(join(rho, t, 1.0f), r, 1.0f);
        rho = rho * (w * 0.5f);
    } else {
        rho = larger(fabsf(s[1] - s[0]) * w, fabsf(s[2] - s[0]) * w);
        rho = join(rho, t, h);
    }
    rho = rho < 0x1p64f ? rho : 0x1p64f;
    return log2_level(rho);
}

static void choose(const struct raster_texture_key *key, const struct raster_texture *texture, float lambda,
                   struct raster_lod_result *out)
{
    *out = (struct raster_lod_result){.linear = lambda > 0.0f ? key->min_linear : key->mag_linear};
    if (key->mip == RASTER_MIP_NONE)
        return;
    lambda = lambda > 0.0f ? lambda : 0.0f;
    lambda = lambda < texture->max_level ? lambda : texture->max_level;
    if (key->mip == RASTER_MIP_NEAREST || key->format == RASTER_R16) {
        out->level = (uint32_t)(lambda + 0.5f);
        return;
    }
    uint32_t fixed = (uint32_t)(lambda * 256.0f);
    out->level = fixed >> 8;
    out->weight = fixed & 255;
    out->level1 = UTIL_MIN(out->level + 1, texture->level_count - 1);
}

void raster_select_levels(const struct raster_texture_key *key, const struct raster_texture *texture,
                          const float s[16], const float t[16], const float r[16], const float bias[16],
                          struct raster_lod_result out[16])
{
    for (unsigned quad = 0; quad < 16; quad += 4) {
        float lambda = 0.0f;

        if (key->lod != RASTER_LOD_EXPLICIT)
            lambda = quad_level(key, texture, s + quad, t + quad, r + quad);
        for (unsigned lane = quad; lane < quad + 4; lane++) {
            float level = key->lod == RASTER_LOD_IMPLICIT ? lambda
                          : key->lod == RASTER_LOD_BIAS   ? lambda + bias[lane]
                                                          : bias[lane];
            choose(key, texture, level, &out[lane]);
        }
    }
}

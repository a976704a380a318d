/* Level of detail: from differences inside a quad to levels and weights (README.md section 2). */
#include "raster/texture/cube.h"
#include "raster/texture/texture_internal.h"

/* Half of log2, straight between powers of two. */
static float half_log2(float x)
{
    return (float)(int32_t)(util_f2u(x) - util_f2u(1.0f)) * 0x1p-24f;
}

/* What the straight lines lack of half of log2, to 0.00044. */
static float log2_curve(float x)
{
    float m = util_u2f((util_f2u(x) & 0x7fffff) | util_f2u(1.0f)) - 1.0f;
    return m * (1.0f - m) * (0.2114313f - m * 0.0796063f);
}

static float square(float x)
{
    return x * x;
}

/* The gradient towards lane `to`, squared. */
static float gradient(const struct raster_texture_key *key, const struct raster_texture *texture,
                      const float *s, const float *t, const float *r, unsigned to)
{
    float ds = s[to] - s[0], dt = t[to] - t[0];

    if (key->cube)
        return square(ds) + square(dt) + square(r[to] - r[0]);
    if (key->unnormalized)
        return square(ds) + square(dt);
    float area = square(ds * texture->width) + square(dt * texture->height);
    return key->volume ? area + square((r[to] - r[0]) * texture->depth) : area;
}

static float quad_level(const struct raster_texture_key *key, const struct raster_texture *texture,
                        const float *s, const float *t, const float *r)
{
    float plane[3][3];
    if (key->cube) {
        raster_cube_plane(s, t, r, plane);
        s = plane[0];
        t = plane[1];
        r = plane[2];
    }
    float x = gradient(key, texture, s, t, r, 1), y = gradient(key, texture, s, t, r, 2);
    float longer = x > y ? x : y; /* squared, as all here */

    if (key->cube)
        longer = longer * square(key->unnormalized ? 0.5f : texture->width * 0.5f);
    longer = longer < 0x1p64f ? longer : 0x1p64f; /* a NaN too */
    return key->smooth_log2 ? half_log2(longer) + log2_curve(longer) : half_log2(longer);
}

/* Which filter is decided before the limits: they hold the level alone. */
static void choose(const struct raster_texture_key *key, const struct raster_texture *texture, float lambda,
                   struct raster_lod_result *out)
{
    bool minified;

    if (key->lod_limits)
        lambda += texture->lod_bias;
    minified = lambda > (key->minify_above_half ? 0.5f : 0.0f);
    *out = (struct raster_lod_result){.linear = minified ? key->min_linear : key->mag_linear};
    if (key->mip == RASTER_MIP_NONE)
        return;
    if (key->minify_above_half && !minified)
        lambda = 0.0f;
    if (key->lod_limits) {
        lambda = lambda > texture->lod_min ? lambda : texture->lod_min;
        lambda = lambda < texture->lod_max ? lambda : texture->lod_max;
    }
    lambda = lambda > 0.0f ? lambda : 0.0f;
    lambda = lambda < texture->max_level ? lambda : texture->max_level;
    if (key->mip == RASTER_MIP_NEAREST || key->format == RASTER_R16_UINT) {
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

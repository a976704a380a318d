/* Levels of detail (raster/texture/README.md section 2): logarithm, switch-over, limits, levels and weights.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/raster/texture_image.h"

/* 8x8 down to 1x1, level n filled with n + 1. */
static void pyramid_init(struct image *image)
{
    uint32_t at = 0;

    image_init(image, RASTER_R8G8B8A8_UNORM, 8, 8, 32);
    image->key.pot = 1;
    image->texture.level_count = 4;
    image->texture.max_level = 3;
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t size = 8u >> n;
        image->texture.level[n] =
            (struct raster_level){.offset = at, .width = size, .height = size, .stride = size * 4};
        for (uint32_t i = 0; i < size * size; i++, at += 4)
            util_store32(image->bytes + at, (n + 1) * 16);
    }
}

/* One texel of level 0 a lane times `step`, quads laid out as fragment lanes are. */
static void quad_steps(float step, float s[16], float t[16])
{
    for (unsigned i = 0; i < 16; i++) {
        s[i] = (float)(i & 1) * step / 8 + 0.01f;
        t[i] = (float)(i >> 1 & 1) * step / 8 + 0.02f;
    }
}

static void levels_follow_derivatives(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16], bias[16];
    uint32_t out[16];
    static const struct {
        float step;
        uint32_t nearest, linear;
    } cases[] = {{0.25f, 16, 16}, {1, 16, 16}, {1.4f, 16, 24}, {1.5f, 32, 25},
                 {2, 32, 32},     {4, 48, 48}, {64, 64, 64}};

    pyramid_init(image);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        quad_steps(cases[i].step, s, t);
        image->key.mip = RASTER_MIP_NEAREST;
        sample16(image, s, t, NULL, NULL, out);
        assert_int_equal(out[0], cases[i].nearest);
        image->key.mip = RASTER_MIP_LINEAR;
        sample16(image, s, t, NULL, NULL, out);
        assert_in_range(out[7], cases[i].linear - (cases[i].linear > 16), cases[i].linear);
    }
    /* turned by 45 degrees the gradient is its length: 2 * sqrt(2) texels a pixel */
    for (unsigned i = 0; i < 16; i++) {
        s[i] = ((float)(i & 1) + (float)(i >> 1 & 1)) * 0.25f;
        t[i] = ((float)(i & 1) - (float)(i >> 1 & 1)) * 0.25f;
    }
    sample16(image, s, t, NULL, NULL, out);
    assert_in_range(out[0], 39, 40);
    /* bias of one level; explicit levels a lane, also mad ones */
    quad_steps(2, s, t);
    for (unsigned i = 0; i < 16; i++)
        bias[i] = i & 1 ? 1.0f : -1.0f;
    image->key.mip = RASTER_MIP_NEAREST;
    image->key.lod = RASTER_LOD_BIAS;
    sample16(image, s, t, NULL, bias, out);
    assert_int_equal(out[0], 16);
    assert_int_equal(out[1], 48);
    image->key.lod = RASTER_LOD_EXPLICIT;
    bias[0] = 1e30f, bias[1] = -INFINITY, bias[2] = NAN, bias[3] = INFINITY, bias[4] = 1.49f, bias[5] = 1.5f;
    sample16(image, s, t, NULL, bias, out);
    assert_int_equal(out[0], 64);
    assert_int_equal(out[1], 16);
    assert_int_equal(out[2], 16);
    assert_int_equal(out[3], 64);
    assert_int_equal(out[4], 32);
    assert_int_equal(out[5], 48);
    image->key.mip = RASTER_MIP_LINEAR;
    sample16(image, s, t, NULL, bias, out);
    assert_int_equal(out[5], 40); /* half way from 32 to 48 */
    free(image);
}

static void level_error_is_small(void **state)
{
    /* Trilinear over level values 16 apart shows lambda to a 16th of a level. How far lambda may be off, low
     * and high: straight lines lie below log2. */
    static const double low[] = {0.0431, 0.0005}, high[] = {0, 0.0005};
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16];
    uint32_t out[16];

    pyramid_init(image);
    image->key.mip = RASTER_MIP_LINEAR;
    for (uint8_t smooth = 0; smooth < 2; smooth++)
        for (float step = 1; step < 8; step *= 1.003f) {
            image->key.smooth_log2 = smooth;
            quad_steps(step, s, t);
            sample16(image, s, t, NULL, NULL, out);
            double error = out[0] - 16 * (1 + log2((double)step));
            /* rounded to nearest, the weight cut to 1/256 */
            if (error > 0.5 + 16 * high[smooth] || error < -0.5 - 16.0 / 256 - 16 * low[smooth])
                fail_msg("%g texels a pixel: %u, %g off", (double)step, out[0], error);
        }
    free(image);
}

/* Level 0 has stripes of 100 and 200 a texel, level 1 is 40, level 2 is 80, level 3 is 120. */
static void stripes_init(struct image *image)
{
    pyramid_init(image);
    image->key.wrap_s = RASTER_CLAMP;
    for (uint32_t i = 0; i < 64; i++)
        util_store32(image->bytes + 4 * i, i & 1 ? 200 : 100);
    for (uint32_t n = 1; n < 4; n++)
        for (uint32_t i = 0; i < 64u >> 2 * n; i++)
            util_store32(image->bytes + image->texture.level[n].offset + 4 * i, 40 * n);
}

/* Between the stripes: 150 where the filter is linear, 200 where it is not. */
static uint32_t between_stripes(struct image *image, float lambda, struct raster_lookup *where)
{
    float s[16], t[16] = {0}, level[16];
    uint32_t out[16];
    unsigned saved;

    for (unsigned i = 0; i < 16; i++)
        s[i] = 0.125f, level[i] = lambda;
    image->key.lod = RASTER_LOD_EXPLICIT;
    sample16(image, s, t, NULL, level, out);
    saved = util_fpenv_enter();
    raster_texture_lookup(&image->key, &image->texture, s, t, NULL, level, 3, where);
    util_fpenv_leave(saved);
    return out[3];
}

static void minified_above_half(void **state)
{
    static const struct {
        float lambda;
        uint32_t late[3], soon[3]; /* by mip */
    } cases[] = {
        {-1, {150, 150, 150}, {150, 150, 150}},    {0, {150, 150, 150}, {150, 150, 150}},
        {0.25f, {150, 150, 150}, {200, 200, 160}}, {0.5f, {150, 150, 150}, {200, 40, 120}},
        {0.625f, {200, 40, 100}, {200, 40, 100}},  {1.75f, {200, 80, 70}, {200, 80, 70}},
        {NAN, {150, 150, 150}, {150, 150, 150}},
    };
    struct image *image = calloc(1, sizeof *image);
    struct raster_lookup where;

    stripes_init(image);
    image->key.mag_linear = 1;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        for (unsigned mip = RASTER_MIP_NONE; mip <= RASTER_MIP_LINEAR; mip++) {
            image->key.mip = (uint8_t)mip;
            image->key.minify_above_half = 0;
            assert_int_equal(between_stripes(image, cases[i].lambda, &where), cases[i].soon[mip]);
            image->key.minify_above_half = 1;
            assert_int_equal(between_stripes(image, cases[i].lambda, &where), cases[i].late[mip]);
            assert_int_equal(where.linear, cases[i].late[mip] == 150);
            assert_true(!where.linear || (where.level == 0 && where.weight == 0));
        }
    free(image);
}

/* Limits hold the level, the bias moves lambda: only the bias has to do with the filter. */
static void limits_choose_no_filter(void **state)
{
    static const struct {
        float lambda, bias, min, max;
        bool linear;
        uint32_t level;
    } cases[] = {
        {3, 0, 0, 0, true, 0},     {0.01f, 0, 0, 0, true, 0},     {0, 0, 0, 0, false, 0},
        {-3, 0, 2, 2, false, 2},   {-3, 4, 0, 0, true, 0},        {1, -1, 0, 3, false, 0},
        {1, -0.5f, 2, 3, true, 2}, {NAN, 0, 1, 3, false, 1},      {-1, 0, 1, 3, false, 1},
        {9, 0, 0, 2, true, 2},     {INFINITY, -1, 0, 9, true, 3},
    };
    struct image *image = calloc(1, sizeof *image);
    struct raster_lookup where;

    pyramid_init(image);
    image->key.mip = RASTER_MIP_NEAREST;
    image->key.lod_limits = 1;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        for (uint8_t min_linear = 0; min_linear < 2; min_linear++) {
            image->key.min_linear = min_linear;
            image->key.mag_linear = !min_linear;
            image->texture.lod_bias = cases[i].bias;
            image->texture.lod_min = cases[i].min;
            image->texture.lod_max = cases[i].max;
            assert_int_equal(between_stripes(image, cases[i].lambda, &where), 16 * (cases[i].level + 1));
            if (where.linear != (cases[i].linear == min_linear) || where.level != cases[i].level)
                fail_msg("case %zu: linear %d, level %u", i, where.linear, where.level);
        }
    free(image);
}

static void minify_chooses_the_filter(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16];
    uint32_t out[16];

    image_init(image, RASTER_L8_UNORM, 8, 8, 8);
    for (uint32_t i = 0; i < 64; i++)
        image->bytes[i] = i & 1 ? 200 : 100;
    image->key.mag_linear = 1;
    quad_steps(1, s, t); /* s of lane 0 is 0.01: between texels 7 and 0 */
    sample16(image, s, t, NULL, NULL, out);
    assert_int_equal(out[0] & 255,
                     142); /* j = trunc(0.01 * 2048) - 128 = -108: weight 148 of the second; 200 -> 100 */
    quad_steps(1.25f, s, t);
    sample16(image, s, t, NULL, NULL, out);
    assert_int_equal(out[0] & 255, 100);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_follow_derivatives), cmocka_unit_test(level_error_is_small),
        cmocka_unit_test(minified_above_half),       cmocka_unit_test(limits_choose_no_filter),
        cmocka_unit_test(minify_chooses_the_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

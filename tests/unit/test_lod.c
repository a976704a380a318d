/* Levels of detail (raster/README.md section 2): levels and weights. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "texture_image.h"

/* 8x8 down to 1x1, level n filled with n + 1. */
static void pyramid_init(struct image *image)
{
    uint32_t at = 0;

    image_init(image, RASTER_RGBA8888, 8, 8, 32);
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
    /* Trilinear over level values 16 apart shows lambda to a 16th of a level. */
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16];
    uint32_t out[16];

    pyramid_init(image);
    image->key.mip = RASTER_MIP_LINEAR;
    for (float step = 1; step < 8; step *= 1.003f) {
        quad_steps(step, s, t);
        sample16(image, s, t, NULL, NULL, out);
        double error = out[0] - 16 * (1 + log2((double)step));
        /* rounded to nearest, the weight cut to 1/256, lambda at most 0.0431 low */
        assert_true(error <= 0.5 && error >= -0.5 - 16.0 / 256 - 16 * 0.0431);
    }
    free(image);
}

static void minify_chooses_the_filter(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16];
    uint32_t out[16];

    image_init(image, RASTER_L8, 8, 8, 8);
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
        cmocka_unit_test(levels_follow_derivatives),
        cmocka_unit_test(level_error_is_small),
        cmocka_unit_test(minify_chooses_the_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

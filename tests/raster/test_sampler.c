/* The general sampler by values worked out by hand from the OpenGL ES 3.2 specification, section 8.14: wraps, offsets,
 * levels of detail, cubes. The compiled form is compared with this one in tests/diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/raster/sampler_image.h"

/* ---- 8.14.2: wraps ---- */

static void wraps(void **unused)
{
    static const float four[4] = {10, 20, 30, 40};
    static const struct {
        uint8_t wrap;
        float s, nearest, linear;
    } rows[] = {{RASTER_REPEAT, 1.125f, 10, 10},
                {RASTER_REPEAT, -0.125f, 40, 40},
                {RASTER_REPEAT, 0, 10, 25},
                {RASTER_REPEAT, -7.5f, 30, 25},
                {RASTER_CLAMP, 1.5f, 40, 40},
                {RASTER_CLAMP, -3, 10, 10},
                {RASTER_CLAMP, 0.25f, 20, 15},
                {RASTER_MIRROR, 1.125f, 40, 40},
                {RASTER_MIRROR, -0.125f, 10, 10},
                {RASTER_MIRROR, 1.5f, 20, 25},
                {RASTER_MIRROR, 0, 10, 10},
                {RASTER_BORDER, 1.125f, 7, 7},
                {RASTER_BORDER, 0, 10, 8.5f},
                {RASTER_BORDER, 1, 7, 23.5f},
                {RASTER_HALF_BORDER, 9, 40, 23.5f},
                {RASTER_MIRROR_CLAMP, -0.375f, 20, 20},
                {RASTER_MIRROR_CLAMP, -2, 40, 40},
                {RASTER_MIRROR_CLAMP, 0, 10, 10},
                {RASTER_MIRROR_BORDER, -0.5f, 20, 25},
                {RASTER_MIRROR_BORDER, -1.25f, 7, 7},
                {RASTER_MIRROR_HALF_BORDER, -5, 40, 23.5f}};

    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(rows); n++)
        for (unsigned linear = 0; linear < 2; linear++) {
            float got;

            start(RASTER_R32_FLOAT, RASTER_DIM_1D, 4, 1, 1);
            floats(four, 4);
            border(7);
            p.key.wrap[0] = rows[n].wrap;
            p.key.mag_linear = p.key.min_linear = (uint8_t)linear;
            got = at(rows[n].s, 0, 0);
            if (got != (linear ? rows[n].linear : rows[n].nearest))
                fail_msg("row %u, linear %u: %g", n, linear, (double)got);
        }
}

/* Texel offsets come before the wrap. */
static void offsets(void **unused)
{
    static const float four[4] = {10, 20, 30, 40};

    start(RASTER_R32_FLOAT, RASTER_DIM_1D, 4, 1, 1);
    floats(four, 4);
    p.key.offset = 1;
    for (unsigned l = 0; l < 16; l++)
        p.in.offset[0][l] = (uint32_t)-7;
    assert_true(at(2.125f, 0, 0) == 20); /* texel 8 - 7 */
    p.key.wrap[0] = RASTER_REPEAT;
    assert_true(at(0.125f, 0, 0) == 20); /* texel -7 of four */
    p.key.wrap[0] = RASTER_MIRROR;
    assert_true(at(0.125f, 0, 0) == 20); /* texel -7 is 1 of eight, mirrored */
}

static void unnormalized(void **unused)
{
    static const float four[4] = {10, 20, 30, 40};

    start(RASTER_R32_FLOAT, RASTER_DIM_1D, 4, 1, 1);
    floats(four, 4);
    p.key.unnormalized = 1;
    assert_true(at(2.5f, 0, 0) == 30);
    p.key.mag_linear = p.key.min_linear = 1;
    assert_true(at(2.0f, 0, 0) == 25);
    border(7); /* half of which a clamp to the image's edge takes in, a coordinate of 0 or below */
    p.key.wrap[0] = RASTER_HALF_BORDER;
    assert_true(at(-3.0f, 0, 0) == 8.5f);
    assert_true(at(9.0f, 0, 0) == 23.5f);
    assert_true(at(2.0f, 0, 0) == 25);
    p.key.wrap[0] = RASTER_MIRROR_HALF_BORDER;
    assert_true(at(-2.0f, 0, 0) == 25);
    assert_true(at(-9.0f, 0, 0) == 23.5f);
    p.key.wrap[0] = RASTER_MIRROR_CLAMP;
    assert_true(at(-2.0f, 0, 0) == 25);
    assert_true(at(-9.0f, 0, 0) == 40);
    p.key.wrap[0] = RASTER_MIRROR_BORDER;
    assert_true(at(-4.0f, 0, 0) == 23.5f);
    assert_true(at(-9.0f, 0, 0) == 7);
}

/* ---- 8.14.1: levels of detail ---- */

/* Coordinates of quads whose pixels are so many texels of level 0 apart. */
static void spread(float across, float down)
{
    float side = (float)p.image.level[0].width;

    for (unsigned l = 0; l < 16; l++) {
        p.in.coordinate[0][l] = util_f2u(0.5f + (float)(l & 1) * across / side);
        p.in.coordinate[1][l] = util_f2u(0.5f + (float)(l >> 1 & 1) * down / side);
    }
}

static float level_at(float across, float down)
{
    spread(across, down);
    run();
    return util_u2f(p.out[0][0]);
}

static void levels(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_2D, 16, 5, 1);
    for (uint32_t n = 0; n < 5; n++)
        paint(n, 0, (float)n);
    p.key.mip = RASTER_MIP_NEAREST;
    p.key.lod = RASTER_LOOKUP_IMPLICIT;
    assert_true(level_at(1, 1) == 0);
    assert_true(level_at(2, 1) == 1);
    assert_true(level_at(1, 4) == 2); /* the longer derivative counts */
    assert_true(level_at(2.8f, 1) == 1);
    assert_true(level_at(2.9f, 1) == 2);
    assert_true(level_at(1000, 1) == 4);
    p.key.mip = RASTER_MIP_LINEAR;
    assert_true(level_at(2, 2) == 1);
    assert_true(fabsf(level_at(2.8284271f, 0) - 1.5f) < 0.001f);
    assert_true(fabsf(level_at(6, 0) - 2.5849625f) < 0.001f);
    p.image.lod_bias = 0.5f;
    assert_true(level_at(2, 2) == 1.5f);
    p.image.lod_max = 1.25f;
    assert_true(level_at(2, 2) == 1.25f);
    p.image.lod_bias = 0;
    p.image.lod_min = 0.75f;
    assert_true(level_at(1, 1) == 0.75f);
    p.key.lod = RASTER_LOOKUP_EXPLICIT;
    set(p.in.lod, 1.125f);
    assert_true(level_at(1, 1) == 1.125f);
    p.key.lod = RASTER_LOOKUP_GRADIENTS;
    set(p.in.gradient[1][0], 1.0f / 8); /* two texels a pixel */
    assert_true(level_at(1, 1) == 1);
    p.key.lod = RASTER_LOOKUP_BIAS;
    p.image.lod_max = 1000;
    set(p.in.lod, 2);
    assert_true(level_at(2, 2) == 3);
    p.key.op = RASTER_QUERY_LOD;
    set(p.in.lod, -4);
    spread(2, 2);
    run();
    assert_true(util_u2f(p.out[0][0]) == 0.75f && util_u2f(p.out[1][0]) == -3);
}

/* 8.15: c is 0.5 or 0, as the key says. */
static void magnified(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_2D, 2, 2, 1);
    floats((float[]){0, 8, 0, 8}, 4);
    paint(1, 0, 4);
    p.key.mag_linear = 1;
    p.key.mip = RASTER_MIP_NEAREST;
    p.key.lod = RASTER_LOOKUP_EXPLICIT;
    set(p.in.lod, 0);
    assert_true(at(0.5f, 0.5f, 0) == 4); /* between two texels */
    set(p.in.lod, 0.25f);
    assert_true(at(0.5f, 0.5f, 0) == 8); /* the nearest of level 0 */
    p.key.minify_above_half = 1;
    assert_true(at(0.5f, 0.5f, 0) == 4);
}

/* ---- 8.13, 8.14: cubes ---- */

static void cubes(void **unused)
{
    static const float d[6][3] = {{2, 1, 1}, {-2, 1, 1}, {1, 2, 1}, {1, -2, 1}, {1, 1, 2}, {1, 1, -2}};

    start(RASTER_R32_FLOAT, RASTER_DIM_CUBE, 2, 1, 1);
    p.key.seamless = 1;
    for (uint32_t f = 0; f < 6; f++)
        for (uint32_t k = 0; k < 4; k++)
            util_store32(p.memory + 16ull * f + 4ull * k, util_f2u((float)(10 * f + k)));
    /* Table 8.17: (sc, tc) are (-r, -t), (r, -t), (s, r), (s, -r), (s, -t), (-s, -t). */
    const float want[6] = {0, 11, 23, 31, 41, 50};
    for (unsigned f = 0; f < 6; f++)
        near(at(d[f][0], d[f][1], d[f][2]), want[f]);
    p.key.faced = 1;
    set(p.in.coordinate[0], 0.75f);
    set(p.in.coordinate[1], 0.25f);
    for (unsigned l = 0; l < 16; l++)
        p.in.coordinate[2][l] = l % 6;
    run();
    for (unsigned l = 0; l < 16; l++)
        assert_true(util_u2f(p.out[0][l]) == (float)(10 * (l % 6) + 1));
}

/* Filters reach the neighbours across edges; at corners three texels are left. */
static void seams(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_CUBE, 1, 1, 1);
    p.key.seamless = p.key.mag_linear = p.key.min_linear = 1;
    for (uint32_t f = 0; f < 6; f++)
        paint(0, f, (float)(1u << f));
    near(at(1, 0, 0), 1);
    near(at(1, 0, 1), (1 + 16) / 2.0f);
    near(at(1, 0, -1), (1 + 32) / 2.0f);
    near(at(-1, 1, 0), (2 + 4) / 2.0f);
    near(at(0, -1, 1), (8 + 16) / 2.0f);
    near(at(0, -1, -1), (8 + 32) / 2.0f);
    near(at(1, 1, 1), (1 + 4 + 16) / 3.0f);
    near(at(-1, -1, -1), (2 + 8 + 32) / 3.0f);
    near(at(1, 0, 0.5f), 0.75f * 1 + 0.25f * 16);
    p.key.seamless = 0;
    near(at(1, 0, 1), 1);
}

/* Derivatives of a direction are those of its point on the face. */
static void cube_levels(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_CUBE, 16, 5, 1);
    for (uint32_t n = 0; n < 5; n++)
        for (uint32_t f = 0; f < 6; f++)
            paint(n, f, (float)n);
    p.key.seamless = 1;
    p.key.mip = RASTER_MIP_LINEAR;
    p.key.lod = RASTER_LOOKUP_GRADIENTS;
    set(p.in.gradient[0][1], 0.5f); /* across a face twice as long as it is far: four of sixteen texels */
    near(at(-1, 0, 0), 2);
    near(at(-2, 0, 0), 1);
    set(p.in.gradient[0][1], 0);
    set(p.in.gradient[0][0], 0.5f); /* along the direction nothing moves, but what is aside */
    near(at(1, 0, 0), 0);
    near(at(1, 1 - 0x1p-20f, 0), 2);
    p.key.lod = RASTER_LOOKUP_IMPLICIT;
    for (unsigned l = 0; l < 16; l++) {
        p.in.coordinate[0][l] = util_f2u(3);
        p.in.coordinate[1][l] = util_f2u(l & 1 ? 0.75f : 0);
        p.in.coordinate[2][l] = util_f2u(0);
    }
    run();
    near(util_u2f(p.out[0][5]), 1);
}

/* A quad of which some points lie beyond an edge, on the next faces, has the level of the plane that they were interpolated
 * on, whichever lanes these are; given as directions, or by their faces. */
static void cube_levels_across_edges(void **unused)
{
    enum { NEXT_RIGHT = 0, NEXT_LEFT = 1, NEXT_UP = 4, NEXT_DOWN = 5, FACE = 2 };
    static const float shifts[][2] = {{-1.25f, 0}, {0.75f, 0}, {0, -1.25f}, {0, 0.75f}, {-1.25f, -1.25f}};
    start(RASTER_R32_FLOAT, RASTER_DIM_CUBE, 16, 5, 1);
    for (uint32_t n = 0; n < 5; n++)
        for (uint32_t f = 0; f < 6; f++)
            paint(n, f, (float)n);
    p.key.lod = RASTER_LOOKUP_IMPLICIT;
    p.key.mip = RASTER_MIP_LINEAR;
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(shifts); n++) {
        p.key.faced = n & 1;
        for (unsigned l = 0; l < 16; l++) {
            /* on +Y, half a unit a pixel: four of sixteen texels */
            const float x = shifts[n / 2][0] + (l & 1) * 0.5f, z = shifts[n / 2][1] + (l >> 1 & 1) * 0.5f;
            const float ax = fabsf(x), az = fabsf(z), most = ax > az ? ax : az;
            const bool is_x = most > 1 && ax >= az, is_z = most > 1 && !is_x;
            const uint32_t face = is_x   ? (x < 0 ? NEXT_LEFT : NEXT_RIGHT)
                                  : is_z ? (z < 0 ? NEXT_DOWN : NEXT_UP)
                                         : FACE;
            const float ma = most > 1 ? most : 1;
            /* table 8.17 */
            const float sc = is_x ? (x < 0 ? z : -z) : is_z ? (z < 0 ? -x : x) : x;
            const float tc = is_x || is_z ? -1 : z;
            p.in.coordinate[0][l] = util_f2u(n & 1 ? sc / ma * 0.5f + 0.5f : x);
            p.in.coordinate[1][l] = util_f2u(n & 1 ? tc / ma * 0.5f + 0.5f : 1);
            p.in.coordinate[2][l] = n & 1 ? face : util_f2u(z);
        }
        run();
        for (unsigned l = 0; l < 16; l++)
            near(util_u2f(p.out[0][l]), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps),  cmocka_unit_test(offsets),     cmocka_unit_test(unnormalized),
        cmocka_unit_test(levels), cmocka_unit_test(magnified),   cmocka_unit_test(cubes),
        cmocka_unit_test(seams),  cmocka_unit_test(cube_levels), cmocka_unit_test(cube_levels_across_edges)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

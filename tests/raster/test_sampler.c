/* The general sampler by values worked out by hand from the OpenGL ES 3.2 specification, sections 8.14 (wraps, levels of
 * detail, filters, cubes), 8.15 and 8.20 (comparison), and what keys and images are refused. The compiled form is compared
 * with this one in tests/diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "raster/texture/sampler.h"
#include "util/bits.h"
#include "util/fpenv.h"

struct probe {
    struct raster_sampler_key key;
    struct raster_image image;
    struct raster_lookup_lanes in;
    uint8_t memory[65536];
    uint32_t out[4][16];
};

static struct probe p;

/* One level after the other, halved; slices behind each other. */
static void start(enum raster_format format, enum raster_dim dim, uint32_t side, uint32_t levels,
                  uint32_t layers)
{
    uint32_t bytes = raster_format_bytes(format), end = 0;

    memset(&p, 0, sizeof p);
    p.key = (struct raster_sampler_key){.format = (uint16_t)format,
                                        .dim = (uint8_t)dim,
                                        .array = layers > 1,
                                        .layout = RASTER_LINEAR,
                                        .wrap = {RASTER_CLAMP, RASTER_CLAMP, RASTER_CLAMP},
                                        .swizzle = {0, 1, 2, 3}};
    p.image = (struct raster_image){.memory = p.memory,
                                    .memory_size = sizeof p.memory,
                                    .level_count = levels,
                                    .layers = layers,
                                    .samples = 1,
                                    .lod_min = -1000,
                                    .lod_max = 1000};
    for (uint32_t n = 0; n < levels; n++) {
        uint32_t w = UTIL_MAX(side >> n, 1u), h = dim == RASTER_DIM_1D || dim == RASTER_DIM_BUFFER ? 1 : w;
        uint32_t d = dim == RASTER_DIM_3D ? w : 1;

        p.image.level[n] = (struct raster_image_level){.offset = end,
                                                       .width = w,
                                                       .height = h,
                                                       .depth = d,
                                                       .row_stride = w * bytes,
                                                       .slice_stride = w * h * bytes};
        end += w * h * d * layers * bytes * (dim == RASTER_DIM_CUBE ? 6 : 1);
    }
}

/* Texels of level n as floats, all of a slice alike. */
static void paint(uint32_t level, uint32_t slice, float v)
{
    const struct raster_image_level *l = &p.image.level[level];

    for (uint32_t k = 0; k < l->width * l->height; k++)
        util_store32(p.memory + l->offset + slice * l->slice_stride + 4ull * k, util_f2u(v));
}

static void floats(const float *v, unsigned count)
{
    memcpy(p.memory, v, 4ull * count);
}

static void run(void)
{
    struct util_error error = {0};
    unsigned saved = util_fpenv_enter();

    if (raster_sampler_validate(&p.key, &error) || raster_image_validate(&p.key, &p.image, &error))
        fail_msg("%s", error.text);
    raster_sampler_run(&p.key, &p.image, &p.in, p.out);
    util_fpenv_leave(saved);
}

static void set(uint32_t lanes[16], float v)
{
    for (unsigned l = 0; l < 16; l++)
        lanes[l] = util_f2u(v);
}

/* Red of what is sampled at (s, t, r), the same in all lanes. */
static float at(float s, float t, float r)
{
    set(p.in.coordinate[0], s);
    set(p.in.coordinate[1], t);
    set(p.in.coordinate[2], r);
    run();
    return util_u2f(p.out[0][0]);
}

static void near(float got, float want)
{
    if (!(fabsf(got - want) <= fabsf(want) * 1e-6f + 1e-6f))
        fail_msg("%.9g, expected %.9g", (double)got, (double)want);
}

static void border(float v)
{
    for (unsigned n = 0; n < 4; n++)
        p.image.border[n] = util_f2u(v);
}

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

/* ---- arrays, volumes, fetches ---- */

static void layers(void **unused)
{
    static const struct {
        float r, want;
    } rows[] = {{-5, 0}, {0.5f, 0}, {0.51f, 1}, {1.5f, 2}, {2.5f, 2}, {3.5f, 4}, {99, 4}};

    start(RASTER_R32_FLOAT, RASTER_DIM_2D, 4, 1, 5);
    for (uint32_t n = 0; n < 5; n++)
        paint(0, n, (float)n);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        set(p.in.layer, rows[n].r);
        assert_true(at(0.5f, 0.5f, 0) == rows[n].want);
    }
    p.key.whole_layer = 1;
    p.in.layer[0] = 3;
    assert_true(at(0.5f, 0.5f, 0) == 3);
    p.in.layer[0] = (uint32_t)-1;
    assert_true(at(0.5f, 0.5f, 0) == 0);
}

static void volumes(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_3D, 2, 1, 1);
    floats((float[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
    assert_true(at(0.75f, 0.25f, 0.75f) == 5);
    p.key.mag_linear = p.key.min_linear = 1;
    assert_true(at(0.5f, 0.5f, 0.5f) == 3.5f);
    p.key.wrap[2] = RASTER_BORDER;
    border(100);
    assert_true(at(0.25f, 0.25f, 1) == 52); /* half of texel 4 and half of the border */
}

static void integers(uint32_t x, uint32_t y, uint32_t z)
{
    for (unsigned l = 0; l < 16; l++) {
        p.in.coordinate[0][l] = x;
        p.in.coordinate[1][l] = y;
        p.in.coordinate[2][l] = z;
    }
    run();
}

static void fetches(void **unused)
{
    start(RASTER_R8G8B8A8_UINT, RASTER_DIM_2D, 4, 2, 1);
    p.key.op = RASTER_FETCH;
    util_store32(p.memory + 4ull * 6, 0x04030201);
    util_store32(p.memory + 64 + 4, 0x08070605);
    integers(2, 1, 0);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(p.out[n][0], n + 1);
    integers(4, 1, 0); /* outside: zeros, alpha too */
    assert_int_equal(p.out[3][0], 0);
    integers(2, (uint32_t)-1, 0);
    assert_int_equal(p.out[0][0], 0);
    for (unsigned l = 0; l < 16; l++)
        p.in.lod[l] = l;
    integers(1, 0, 0);
    assert_int_equal(p.out[0][1], 5);
    assert_int_equal(p.out[0][2], 0);
    p.key.swizzle[0] = RASTER_SWIZZLE_1;
    integers(1, 0, 0);
    assert_int_equal(p.out[0][1], 1);
    assert_int_equal(p.out[0][2], 0);
    p.key.op = RASTER_QUERY_SIZE;
    run();
    assert_int_equal(p.out[0][0], 4);
    assert_int_equal(p.out[1][1], 2);
    assert_int_equal(p.out[0][2], 0);
    assert_int_equal(p.out[3][0], 2);
}

static void samples(void **unused)
{
    start(RASTER_R32_FLOAT, RASTER_DIM_2D, 2, 1, 3);
    p.key.op = RASTER_FETCH;
    p.key.multisampled = 1;
    p.image.samples = 4;
    p.image.level[0].sample_stride = 16;
    p.image.level[0].slice_stride = 64;
    for (uint32_t k = 0; k < 48; k++)
        util_store32(p.memory + 4ull * k, util_f2u((float)k));
    for (unsigned l = 0; l < 16; l++) {
        p.in.sample[l] = l;
        p.in.layer[l] = 2;
    }
    integers(1, 1, 0);
    assert_true(util_u2f(p.out[0][3]) == 2 * 16 + 3 * 4 + 3);
    assert_int_equal(p.out[0][4], 0);
    /* The same surfaces in another order, as a list says it. */
    static const uint32_t list[12] = {0, 16, 32, 48, 64, 80, 96, 112, 176, 160, 144, 128};
    p.key.listed = 1;
    p.image.surface = list;
    p.image.surface_count = 12;
    run();
    assert_true(util_u2f(p.out[0][3]) == 2 * 16 + 3);
}

static void buffers(void **unused)
{
    start(RASTER_R32G32B32_FLOAT, RASTER_DIM_BUFFER, 5, 1, 1);
    p.key.op = RASTER_FETCH;
    for (uint32_t k = 0; k < 15; k++)
        util_store32(p.memory + 4ull * k, util_f2u((float)k));
    integers(4, 9, 9);
    assert_true(util_u2f(p.out[2][0]) == 14 && util_u2f(p.out[3][0]) == 1);
    integers(5, 0, 0);
    assert_int_equal(p.out[3][0], 0);
}

/* ---- gather, comparison, kinds ---- */

static void gathers(void **unused)
{
    start(RASTER_R32G32_FLOAT, RASTER_DIM_2D, 2, 1, 1);
    floats((float[]){0, 10, 1, 11, 2, 12, 3, 13}, 8);
    p.key.op = RASTER_GATHER;
    at(0.5f, 0.5f, 0);
    const float order[4] = {2, 3, 1, 0}; /* (i0, j1), (i1, j1), (i1, j0), (i0, j0) */
    for (unsigned n = 0; n < 4; n++)
        assert_true(util_u2f(p.out[n][0]) == order[n]);
    p.key.component = 1;
    at(0.5f, 0.5f, 0);
    for (unsigned n = 0; n < 4; n++)
        assert_true(util_u2f(p.out[n][0]) == order[n] + 10);
    p.key.swizzle[1] = RASTER_SWIZZLE_1;
    assert_true(at(0.5f, 0.5f, 0) == 1);
    p.key.component = 0;
    p.key.compare = 1 + RASTER_LESS;
    set(p.in.reference, 1.5f);
    at(0.5f, 0.5f, 0);
    assert_true(util_u2f(p.out[1][0]) == 1 && util_u2f(p.out[2][0]) == 0);
}

static void comparisons(void **unused)
{
    static const uint8_t passes[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};

    for (unsigned func = 0; func < 8; func++)
        for (unsigned n = 0; n < 3; n++) {
            start(RASTER_Z32_FLOAT, RASTER_DIM_2D, 2, 1, 1);
            floats((float[]){0.5f, 0.5f, 0.5f, 0.5f}, 4);
            p.key.compare = (uint8_t)(1 + func);
            set(p.in.reference, 0.25f * (float)(n + 1));
            assert_true(at(0.5f, 0.5f, 0) == passes[func][n]);
        }
    /* The comparison comes before the filter: three of four texels pass, by their weights. */
    floats((float[]){0.9f, 0.9f, 0.9f, 0.1f}, 4);
    p.key.compare = 1 + RASTER_LEQUAL;
    p.key.mag_linear = p.key.min_linear = 1;
    set(p.in.reference, 0.5f);
    assert_true(at(0.5f, 0.5f, 0) == 0.75f);
    /* Of fixed point the reference is limited. */
    start(RASTER_Z16_UNORM, RASTER_DIM_2D, 1, 1, 1);
    p.memory[0] = p.memory[1] = 0xff;
    p.key.compare = 1 + RASTER_LEQUAL;
    set(p.in.reference, 1.5f);
    assert_true(at(0.5f, 0.5f, 0) == 1);
}

static void kinds(void **unused)
{
    start(RASTER_R8_SRGB, RASTER_DIM_1D, 2, 1, 1);
    p.memory[1] = 255;
    p.key.mag_linear = p.key.min_linear = 1;
    assert_true(at(0.5f, 0, 0) == 0.5f); /* numbers are decoded before they are blended */
    p.key.format = RASTER_R8_UNORM;
    near(at(0.5f, 0, 0), 128 / 255.0f); /* as bytes */
    p.key.format = RASTER_R8_SNORM;
    p.memory[0] = 0x80;
    p.memory[1] = 0x7f;
    assert_true(at(0.5f, 0, 0) == 0);
    assert_true(at(0, 0, 0) == -1);
    start(RASTER_R9G9B9E5_FLOAT, RASTER_DIM_1D, 1, 1, 1);
    util_store32(p.memory, 0x100 | 0x80 << 9 | 16u << 27);
    assert_true(at(0, 0, 0) == 1);
    assert_true(util_u2f(p.out[1][0]) == 0.5f && util_u2f(p.out[2][0]) == 0 && util_u2f(p.out[3][0]) == 1);
    start(RASTER_X32_S8X24_UINT, RASTER_DIM_1D, 1, 1, 1);
    p.memory[4] = 0xa5;
    p.key.swizzle[0] = RASTER_SWIZZLE_G;
    p.key.swizzle[3] = RASTER_SWIZZLE_1;
    at(0, 0, 0);
    assert_int_equal(p.out[0][0], 0xa5);
    assert_int_equal(p.out[3][0], 1);
    start(RASTER_Z24_UNORM_S8_UINT, RASTER_DIM_1D, 1, 1, 1);
    util_store32(p.memory, 0xa5ffffff);
    assert_true(at(0, 0, 0) == 1);
    assert_int_equal(p.out[1][0], 0);
    start(RASTER_R32_SINT, RASTER_DIM_1D, 1, 1, 1);
    p.key.wrap[0] = RASTER_BORDER;
    p.image.border[0] = (uint32_t)-3;
    at(2, 0, 0);
    assert_int_equal(p.out[0][0], (uint32_t)-3);
    assert_int_equal(p.out[3][0], 1);
}

/* ---- refusals ---- */

static void refused(void **unused)
{
    struct util_error error = {0};

    start(RASTER_R8_UINT, RASTER_DIM_2D, 4, 1, 1);
    p.key.mag_linear = 1;
    assert_int_equal(raster_sampler_validate(&p.key, &error), -EINVAL);
    assert_non_null(strstr(error.text, "R8_UINT"));
    static const uint16_t formats[] = {RASTER_FORMAT_NONE, RASTER_ETC1_RGB8, RASTER_A4_UNORM, RASTER_YUYV,
                                       RASTER_FORMAT_COUNT};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats); n++) {
        start(RASTER_R8_UNORM, RASTER_DIM_2D, 4, 1, 1);
        p.key.format = formats[n];
        assert_int_equal(raster_sampler_validate(&p.key, NULL), -EINVAL);
    }
#define REFUSE(field, value)                                                                                 \
    start(RASTER_R8_UNORM, RASTER_DIM_2D, 4, 1, 1);                                                          \
    assert_int_equal(raster_sampler_validate(&p.key, NULL), 0);                                              \
    p.key.field = value;                                                                                     \
    assert_int_equal(raster_sampler_validate(&p.key, NULL), -EINVAL)
    REFUSE(layout, RASTER_VC4_T);
    REFUSE(op, RASTER_QUERY_LOD + 1);
    REFUSE(wrap[1], RASTER_WRAP_COUNT);
    REFUSE(swizzle[3], 6);
    REFUSE(compare, 10);
    REFUSE(multisampled, 1);
    REFUSE(seamless, 1);
    REFUSE(faced, 1);
    REFUSE(min_linear, 2);
    REFUSE(dim, RASTER_DIM_BUFFER);
#define LEAVES(field, value)                                                                                 \
    start(RASTER_R8_UNORM, RASTER_DIM_2D, 4, 2, 1);                                                          \
    assert_int_equal(raster_image_validate(&p.key, &p.image, NULL), 0);                                      \
    p.image.field = value;                                                                                   \
    assert_int_equal(raster_image_validate(&p.key, &p.image, NULL), -EFAULT)
    LEAVES(level[1].offset, sizeof p.memory);
    LEAVES(level[0].row_stride, UINT32_MAX);
    LEAVES(level[0].row_stride, 3);
    LEAVES(level[1].width, 0);
    LEAVES(level[1].depth, 2);
    LEAVES(level_count, RASTER_IMAGE_LEVELS + 1);
    LEAVES(layers, 2);
    LEAVES(samples, 3);
    LEAVES(memory_size, 19);
    LEAVES(memory_size, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps),   cmocka_unit_test(offsets),     cmocka_unit_test(unnormalized),
        cmocka_unit_test(levels),  cmocka_unit_test(magnified),   cmocka_unit_test(cubes),
        cmocka_unit_test(seams),   cmocka_unit_test(cube_levels), cmocka_unit_test(layers),
        cmocka_unit_test(volumes), cmocka_unit_test(fetches),     cmocka_unit_test(samples),
        cmocka_unit_test(buffers), cmocka_unit_test(gathers),     cmocka_unit_test(comparisons),
        cmocka_unit_test(kinds),   cmocka_unit_test(refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The general sampler by values worked out by hand from the OpenGL ES 3.2 specification, sections 8.14 and 8.20: layers,
 * volumes, fetches, gathers, comparisons, kinds of texels; and what keys and images are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>

#include "tests/raster/sampler_image.h"

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

/* Where texels stand, for debuggers. */
static void places(void **unused)
{
    struct raster_lookup where;

    start(RASTER_R32_FLOAT, RASTER_DIM_2D, 4, 3, 3);
    p.key.mag_linear = p.key.min_linear = 1;
    p.key.wrap[0] = RASTER_BORDER;
    p.key.mip = RASTER_MIP_LINEAR;
    p.key.lod = RASTER_LOOKUP_EXPLICIT;
    set(p.in.lod, 1.25f);
    set(p.in.layer, 2);
    at(0.75f, 0.75f, 0);
    raster_sampler_lookup(&p.key, &p.image, &p.in, 5, &where);
    assert_true(where.level == 1 && where.level1 == 2 && where.weight == 64 && where.linear &&
                where.face == 2 && where.x == 1 && where.y == 1);
    assert_int_equal(where.offset, 3 * 64 + 2 * 16 + 12);
    assert_int_equal(where.bytes, 4);
    at(0, 0.75f, 0);
    raster_sampler_lookup(&p.key, &p.image, &p.in, 5, &where);
    assert_true(where.x == -1 && where.bytes == 0 && where.offset == 0);
    p.key.op = RASTER_FETCH;
    for (unsigned l = 0; l < 16; l++)
        p.in.lod[l] = p.in.layer[l] = 1;
    integers(1, 0, 0);
    raster_sampler_lookup(&p.key, &p.image, &p.in, 5, &where);
    assert_int_equal(where.offset, 3 * 64 + 16 + 4);
    integers(2, 0, 0);
    raster_sampler_lookup(&p.key, &p.image, &p.in, 5, &where);
    assert_int_equal(where.bytes, 0);
    start(RASTER_R32_FLOAT, RASTER_DIM_CUBE, 1, 1, 1);
    p.key.seamless = p.key.mag_linear = p.key.min_linear = 1;
    at(1, 0, 0.5f); /* towards the edge of +Z, whose texel is the first */
    raster_sampler_lookup(&p.key, &p.image, &p.in, 0, &where);
    assert_true(where.face == 4 && where.x == 0 && where.y == 0);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(layers),      cmocka_unit_test(volumes),
                                       cmocka_unit_test(fetches),     cmocka_unit_test(samples),
                                       cmocka_unit_test(buffers),     cmocka_unit_test(gathers),
                                       cmocka_unit_test(comparisons), cmocka_unit_test(kinds),
                                       cmocka_unit_test(places),      cmocka_unit_test(refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* vc4_texture_decode: set-up words to levels, worked out by hand from Guide section 4 and the layout rule of
 * Mesa's vc4_setup_slices; and what it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vc4/frag.h"
#include "util/bits.h"

struct setup {
    uint32_t params[4];
    unsigned count;
    bool has_r, has_b;
};

enum { LINEAR = 0, NEAREST = 1, NEAR_MIP_NEAR = 2, NEAR_MIP_LIN = 3, LIN_MIP_NEAR = 4, LIN_MIP_LIN = 5 };

static struct setup set_up(uint32_t base, unsigned type, uint32_t width, uint32_t height, unsigned levels,
                           unsigned min_filter)
{
    struct setup setup = {.count = 2};
    setup.params[0] = base | (type & 15) << 4 | (levels - 1);
    setup.params[1] = type >> 4 << 31 | (height & 2047) << 20 | (width & 2047) << 8 | min_filter << 4;
    return setup;
}

static bool decode(const struct setup *setup, struct raster_texture_key *key, struct raster_texture *texture,
                   struct gpu_fault *fault)
{
    static uint8_t bytes[1 << 20];
    struct gpu_memory memory = {.base = bytes, .size = sizeof bytes};
    *fault = (struct gpu_fault){0};
    return vc4_texture_decode(&memory, setup->params, setup->count, setup->has_r, setup->has_b, key, texture,
                              fault);
}

static void check_level(const struct raster_level *level, uint32_t offset, uint32_t width, uint32_t height,
                        uint32_t layout, uint32_t stride)
{
    assert_int_equal(level->offset, offset);
    assert_int_equal(level->width, width);
    assert_int_equal(level->height, height);
    assert_int_equal(level->layout, layout);
    assert_int_equal(level->stride, stride);
}

static void levels_stand_below_the_base(void **state)
{
    struct setup setup = set_up(0x10000, 0, 64, 64, 7, LIN_MIP_LIN);
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault;

    assert_true(decode(&setup, &key, &texture, &fault));
    assert_int_equal(texture.level_count, 7);
    check_level(&texture.level[0], 0x10000, 64, 64, RASTER_VC4_T, 2);
    check_level(&texture.level[1], 0x0f000, 32, 32, RASTER_VC4_T, 1);
    check_level(&texture.level[2], 0x0ec00, 16, 16, RASTER_VC4_LT, 4);
    check_level(&texture.level[3], 0x0eb00, 8, 8, RASTER_VC4_LT, 2);
    check_level(&texture.level[4], 0x0eac0, 4, 4, RASTER_VC4_LT, 1);
    check_level(&texture.level[5], 0x0ea80, 2, 2, RASTER_VC4_LT, 1);
    check_level(&texture.level[6], 0x0ea40, 1, 1, RASTER_VC4_LT, 1);
    assert_int_equal(key.format, RASTER_R8G8B8A8_UNORM);
    assert_int_equal(key.layout, RASTER_LAYOUT_MIXED);
    assert_int_equal(key.mip, RASTER_MIP_LINEAR);
    assert_true(key.mag_linear && key.min_linear && key.pot);
    assert_int_equal(key.lod, RASTER_LOD_IMPLICIT);
}

static void odd_sizes_have_padded_levels(void **state)
{
    struct setup setup = set_up(0x8000, 4, 100, 60, 3, NEAR_MIP_NEAR);
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault;

    assert_true(decode(&setup, &key, &texture, &fault));
    check_level(&texture.level[0], 0x8000, 100, 60, RASTER_VC4_T, 2);
    check_level(&texture.level[1], 0x7000, 50, 30, RASTER_VC4_T, 1);
    check_level(&texture.level[2], 0x6c00, 25, 15, RASTER_VC4_LT, 4);
    assert_false(key.pot);
    assert_int_equal(key.format, RASTER_B5G6R5_UNORM);

    setup = set_up(0x8000, 8, 40, 40, 2, NEAR_MIP_NEAR); /* ETC1: 10x10 blocks of 8 bytes; 8x8 */
    setup.params[1] |= 1u << 19;
    assert_true(decode(&setup, &key, &texture, &fault));
    check_level(&texture.level[0], 0x8000, 40, 40, RASTER_VC4_LT, 5);
    check_level(&texture.level[1], 0x8000 - 4 * 2 * 64, 20, 20, RASTER_VC4_LT, 4);
    assert_int_equal(key.etc_flip, 1);
    assert_int_equal(key.layout, RASTER_VC4_LT);
}

static void utiles_follow_the_texel_size(void **state)
{
    /* Of 65x33 texels; a tile is 64x32 for 16 bits, 64x64 for 8, 128x64 for 4. */
    static const struct {
        unsigned type;
        uint32_t format, layout, stride;
    } cases[] = {{2, RASTER_A4B4G4R4_UNORM, RASTER_VC4_T, 2}, {5, RASTER_L8_UNORM, RASTER_VC4_T, 2},
                 {7, RASTER_L8A8_UNORM, RASTER_VC4_T, 2},     {12, RASTER_L1_UNORM, RASTER_VC4_LT, 3},
                 {13, RASTER_A4_UNORM, RASTER_VC4_T, 1},      {16, RASTER_R32_UINT, RASTER_LINEAR, 272},
                 {17, RASTER_YUYV, RASTER_LINEAR, 144}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct setup setup = set_up(0x1000, cases[i].type, 65, 33, 1, NEAREST);
        struct raster_texture_key key;
        struct raster_texture texture;
        struct gpu_fault fault;
        assert_true(decode(&setup, &key, &texture, &fault));
        assert_int_equal(key.format, cases[i].format);
        check_level(&texture.level[0], 0x1000, 65, 33, cases[i].layout, cases[i].stride);
    }
}

/* GL ES 2.0 section 3.7.8: by the filters alone, also where there is but one level. */
static void nearest_of_levels_is_minified_above_half(void **state)
{
    for (unsigned min = LINEAR; min <= LIN_MIP_LIN; min++)
        for (unsigned mag_nearest = 0; mag_nearest < 2; mag_nearest++)
            for (unsigned levels = 1; levels < 6; levels += 4) {
                struct setup setup = set_up(0x8000, 0, 16, 16, levels, min);
                struct raster_texture_key key;
                struct raster_texture texture;
                struct gpu_fault fault;

                setup.params[1] |= mag_nearest << 7;
                assert_true(decode(&setup, &key, &texture, &fault));
                assert_int_equal(key.minify_above_half,
                                 !mag_nearest && (min == NEAR_MIP_NEAR || min == NEAR_MIP_LIN));
            }
}

static void keys_and_parameters(void **state)
{
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault;
    /* Mesa's explicit level: T, B, S; P2 = cube stride type with BSLOD, no stride. */
    struct setup setup = set_up(0x8000, 0, 16, 16, 5, LIN_MIP_NEAR);

    setup.params[1] |= 1 << 7 | 2 << 2 | 3; /* mag nearest, mirror, border */
    setup.params[2] = 1u << 30 | 1;
    setup.count = 3;
    setup.has_b = true;
    assert_true(decode(&setup, &key, &texture, &fault));
    assert_int_equal(key.lod, RASTER_LOD_EXPLICIT);
    assert_int_equal(key.wrap_s, RASTER_BORDER);
    assert_int_equal(key.wrap_t, RASTER_MIRROR);
    assert_false(key.mag_linear);
    assert_true(key.min_linear);
    assert_int_equal(key.mip, RASTER_MIP_NEAREST);
    setup.params[2] = 0;
    assert_true(decode(&setup, &key, &texture, &fault));
    assert_int_equal(key.lod, RASTER_LOD_BIAS);

    /* A cube: R, T, S; stride in P2. */
    setup = set_up(0x8000, 0, 16, 16, 1, LINEAR);
    setup.params[0] |= 1 << 9;
    setup.params[2] = 1u << 30 | 0x2000;
    setup.count = 3;
    setup.has_r = true;
    assert_true(decode(&setup, &key, &texture, &fault));
    assert_true(key.cube);
    assert_int_equal(texture.face_stride, 0x2000);

    setup = set_up(0, 0, 0, 1, 1, LINEAR); /* width 0 is 2048 */
    assert_true(decode(&setup, &key, &texture, &fault));
    assert_int_equal(texture.level[0].width, 2048);
    assert_int_equal(key.lod, RASTER_LOD_IMPLICIT);
}

static void refusals_are_named(void **state)
{
    struct raster_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault;
    static const struct {
        uint32_t base;
        unsigned type;
        uint32_t width, height;
        unsigned levels, min_filter;
        uint32_t p0, p2; /* p0 is or-ed in */
        unsigned count;
        enum gpu_fault_kind kind;
        const char *word;
    } cases[] = {
        {0xff000, 0, 64, 64, 1, LINEAR, 0, 0, 2, GPU_FAULT_MEMORY, "leaves memory"},
        {0x1000, 0, 64, 64, 7, LIN_MIP_LIN, 0, 0, 2, GPU_FAULT_MEMORY, "below address 0"},
        {0x8000, 18, 64, 64, 1, LINEAR, 0, 0, 2, GPU_FAULT_SHADER, "reserved texture type"},
        {0x8000, 15, 64, 64, 1, LINEAR, 0, 0, 2, GPU_FAULT_UNSUPPORTED, "64-bit"},
        {0x8000, 0, 64, 64, 1, 6, 0, 0, 2, GPU_FAULT_SHADER, "minification"},
        {0x8000, 0, 64, 64, 8, LIN_MIP_LIN, 0, 0, 2, GPU_FAULT_SHADER, "mip levels"},
        {0x8000, 0, 64, 64, 1, LINEAR, 0, 0, 1, GPU_FAULT_SHADER, "two words"},
        {0x8000, 0, 64, 64, 1, LINEAR, 1 << 9, 0, 2, GPU_FAULT_SHADER, "cube"},
        {0x8000, 0, 64, 64, 1, LINEAR, 0, 2u << 30, 3, GPU_FAULT_UNSUPPORTED, "child"},
        {0x8000, 0, 64, 64, 1, LINEAR, 1 << 9, 1u << 30 | 0x20000000, 3, GPU_FAULT_MEMORY, "leaves memory"},
    };

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        struct setup setup = set_up(cases[i].base, cases[i].type, cases[i].width, cases[i].height,
                                    cases[i].levels, cases[i].min_filter);
        setup.params[0] |= cases[i].p0;
        setup.params[2] = cases[i].p2;
        setup.count = cases[i].count;
        setup.has_r = true;
        assert_false(decode(&setup, &key, &texture, &fault));
        assert_int_equal(fault.kind, cases[i].kind);
        if (!strstr(fault.text, cases[i].word))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, fault.text, cases[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_stand_below_the_base),
        cmocka_unit_test(odd_sizes_have_padded_levels),
        cmocka_unit_test(utiles_follow_the_texel_size),
        cmocka_unit_test(keys_and_parameters),
        cmocka_unit_test(nearest_of_levels_is_minified_above_half),
        cmocka_unit_test(refusals_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Utgard's render states and texture descriptors: the tables, what lima writes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "gpu/utgard/rsw.h"
#include "gpu/utgard/texture.h"
#include "tests/gpu/utgard/space.h"

/* The state of lima's reload draws (lima_blit.c), colours. */
static const uint32_t reload[UTGARD_RSW_WORDS] = {0,      0,      0xf03b1ad2, 0x0000000e, 0xffff0000, 7,
                                                  7,      0,      0x0000f007, 0x2010105,  1,          0,
                                                  0x4000, 0x4021, 0,          0x5000};

/* Every bit of the sixteen words belongs to one field: fields of ones make words of ones, none twice. */
static void test_table(void **unused)
{
    uint32_t words[UTGARD_RSW_WORDS], total[UTGARD_RSW_WORDS] = {0};
    struct utgard_rsw rsw;

    (void)unused;
    for (size_t n = 0; n < sizeof rsw / 4; n++) {
        memset(&rsw, 0, sizeof rsw);
        ((uint32_t *)(void *)&rsw)[n] = UINT32_MAX;
        utgard_rsw_pack(&rsw, words);
        for (unsigned w = 0; w < UTGARD_RSW_WORDS; w++) {
            assert_int_equal(total[w] & words[w], 0);
            total[w] |= words[w];
        }
    }
    for (unsigned w = 0; w < UTGARD_RSW_WORDS; w++)
        assert_int_equal(total[w], UINT32_MAX);
    utgard_rsw_unpack(reload, &rsw);
    utgard_rsw_pack(&rsw, words);
    assert_memory_equal(words, reload, sizeof words);
}

static void test_reload(void **unused)
{
    struct utgard_state s;
    struct gpu_fault fault;

    (void)unused;
    assert_true(utgard_rsw_decode(reload, 0, &s, &fault));
    assert_memory_equal(&s.blend.color, &raster_blend_replace.color, sizeof s.blend.color);
    assert_int_equal(s.blend.write_mask, 15);
    assert_int_equal(s.zs.depth_func, RASTER_ALWAYS);
    assert_false(s.zs.depth_write || s.zs.face[0].enable || s.depth_program || s.early_z);
    assert_int_equal(s.sample_mask, 15);
    assert_int_equal(s.program, 0x2010100);
    assert_int_equal(s.slot_count, 1);
    assert_int_equal(s.slot[0].type, UTGARD_VARYING_F32X2);
    assert_int_equal(s.varying_stride, 8);
    assert_int_equal(s.varyings, 0x5000);
    assert_int_equal(s.texture_count, 1);
}

static void test_meaning(void **unused)
{
    struct utgard_rsw r;
    struct utgard_state s;
    struct gpu_fault fault;
    uint32_t words[UTGARD_RSW_WORDS];

    (void)unused;
    utgard_rsw_unpack(reload, &r);
    r.color_src = 16; /* source alpha */
    r.color_dst = 24; /* one minus it */
    r.alpha_src = 11;
    r.alpha_dst = 8;
    r.alpha_blend_func = 4;
    r.blend_red = 1;
    r.blend_alpha = 4;
    r.front_func = RASTER_EQUAL;
    r.front_zpass = 4;
    r.front_zfail = 7;
    r.front_ref = 0x12;
    r.front_write = 0xff;
    r.offset_factor = 0xfc;
    r.offset_units = 3;
    r.varying_types = 2 | 0 << 3 | 3 << 6;
    r.varying_stride = 5;
    r.uniforms = 0x700;
    r.has_uniforms = 1;
    r.uniform_size = 3;
    utgard_rsw_pack(&r, words);
    assert_true(utgard_rsw_decode(words, 0, &s, &fault));
    assert_int_equal(s.blend.color.src, RASTER_FACTOR_SRC_ALPHA);
    assert_int_equal(s.blend.color.dst, RASTER_FACTOR_SRC_ALPHA | RASTER_FACTOR_INVERT);
    assert_int_equal(s.blend.alpha.src, RASTER_FACTOR_ONE);
    assert_int_equal(s.blend.alpha.dst, RASTER_FACTOR_SRC_ALPHA | RASTER_FACTOR_INVERT);
    assert_int_equal(s.blend.alpha.func, RASTER_BLEND_MIN);
    assert_int_equal(s.blend_color, 0x04000001);
    assert_int_equal(s.zs.face[0].zpass, RASTER_OP_INCR);
    assert_int_equal(s.zs.face[0].zfail, RASTER_OP_DECR_SAT);
    assert_int_equal(s.zs.face[0].ref, 0x12);
    assert_float_equal(s.offset_factor, -1, 0);
    assert_float_equal(s.offset_units, 1.5f, 0);
    /* Singles begin on 16 bytes: halves of slot 0 in 0..7, slot 1 in 16..31, slot 2 behind it. */
    assert_int_equal(s.slot_count, 3);
    assert_int_equal(s.slot[1].offset, 16);
    assert_int_equal(s.slot[2].offset, 32);
    assert_int_equal(s.uniforms, 0x7000);
    assert_int_equal(s.uniform_bytes, 64);
}

/* What is not known is refused by name. */
static void test_refused(void **unused)
{
    static const struct {
        unsigned word;
        uint32_t bits;
        enum gpu_fault_kind kind;
    } cases[] = {
        {2, 0x6, GPU_FAULT_PACKET},          {2, 0x7 << 6, GPU_FAULT_PACKET},
        {3, 1 << 13, GPU_FAULT_PACKET},      {8, 1 << 9, GPU_FAULT_PACKET},
        {8, 14u << 28, GPU_FAULT_PACKET},    {13, 1 << 13, GPU_FAULT_PACKET},
        {13, 255 << 14, GPU_FAULT_PACKET},   {14, 1, GPU_FAULT_PACKET},
        {3, 1 << 12, GPU_FAULT_UNSUPPORTED},
    };
    struct utgard_state s;

    (void)unused;
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        uint32_t words[UTGARD_RSW_WORDS];
        struct gpu_fault fault = {0};

        memcpy(words, reload, sizeof words);
        words[cases[n].word] |= cases[n].bits;
        assert_false(utgard_rsw_decode(words, 0x1240, &s, &fault));
        assert_int_equal(fault.kind, cases[n].kind);
        assert_int_equal(fault.address, 0x1240);
        assert_true(strlen(fault.text) > 0);
    }
}

/* ---- textures ---- */

static void describe(uint32_t words[16], uint32_t format, uint32_t levels)
{
    memset(words, 0, 64);
    guest_field(words, 0, 6, format);
    guest_field(words, 42, 2, 1);
    guest_field(words, 52, 8, (levels - 1) * 16);
    guest_field(words, 86, 13, 32);
    guest_field(words, 99, 13, 16);
    guest_field(words, 112, 13, 1);
    guest_field(words, 205, 2, 3);
    for (uint32_t n = 0; n < levels; n++)
        guest_field(words, 222 + 26 * n, 26, (0x10000 + 0x1000 * n) >> 6);
}

static bool read_it(struct guest *g, const uint32_t words[16], struct utgard_texture_key *key,
                    struct raster_texture *texture, struct gpu_fault *fault)
{
    guest_put(g, 0x1000, words, 64);
    return utgard_texture_read(&g->space, 0x1000, RASTER_LOD_IMPLICIT, false, key, texture, fault);
}

/* One texel of each format, written as lima's formats have it, seen as red 1, green 0, blue 0. */
static void test_formats(void **unused)
{
    static const struct {
        uint32_t format;
        uint64_t word;
        float out[4];
    } cases[] = {
        {0x0e, 0xf800, {1, 0, 0, 1}},
        {0x0f, 0x7c00, {1, 0, 0, 0}},
        {0x10, 0x0f00, {1, 0, 0, 0}},
        {0x16, 0x00ff0000, {1, 0, 0, 0}},
        {0x17, 0x00ff0000, {1, 0, 0, 1}},
        {0x09, 0xff, {1, 1, 1, 1}},
        {0x0a, 0xff, {0, 0, 0, 1}},
        {0x0b, 0xff, {1, 1, 1, 1}},
        {0x11, 0xff00, {0, 0, 0, 1}},
        {0x12, 0xffff, {1, 1, 1, 1}},
        {0x13, 0xffff, {0, 0, 0, 1}},
        {0x22, 0x3800, {0.5f, 0.5f, 0.5f, 1}},
        {0x25, 0x38003c00, {1, 1, 1, 0.5f}},
        {0x26, 0x3800400034003c00, {2, 0.25f, 1, 0.5f}},
        {0x2f, 0x400034003c00, {2, 0.25f, 1, 1}},
        {0x2c, 0x12ffffff, {1, 1, 1, 1}},
        {0x32, 0x12000345, {0x45 / 255.0f, 3 / 255.0f, 0, 0x12 / 255.0f}},
    };
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        const float at[3][16] = {{0}};
        uint32_t words[16];
        float seen[4][16];

        describe(words, cases[n].format, 1);
        guest_field(words, 75, 2, 3);
        if (!read_it(&g, words, &key, &texture, &fault))
            fail_msg("format 0x%02x: %s", cases[n].format, fault.text);
        guest_put(&g, 0x10000, &cases[n].word, 8);
        utgard_texture_sample(&key, &texture, at, NULL, seen);
        for (unsigned c = 0; c < 4; c++)
            if (fabsf(seen[c][0] - cases[n].out[c]) > 0)
                fail_msg("format 0x%02x channel %u is %g", cases[n].format, c, (double)seen[c][0]);
    }
    guest_close(&g);
}

static void test_descriptor(void **unused)
{
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    uint32_t words[16];
    struct guest g;

    (void)unused;
    guest_open(&g);
    describe(words, 0x16, 4);
    guest_field(words, 7, 1, 1);      /* red and blue swapped: R8G8B8A8 */
    guest_field(words, 60, 9, 0x1f8); /* -1/2 */
    guest_field(words, 73, 2, 3);
    guest_field(words, 77, 3, 7);
    guest_field(words, 80, 3, 2);
    guest_field(words, 125, 16, 0xffff);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.layout, RASTER_UTGARD_TILED);
    assert_int_equal(key.raster.mip, RASTER_MIP_LINEAR);
    assert_true(key.raster.mag_linear && key.raster.min_linear && key.raster.smooth_log2);
    assert_int_equal(key.raster.wrap_s, RASTER_MIRROR_BORDER);
    assert_int_equal(key.raster.wrap_t, RASTER_HALF_BORDER);
    assert_int_equal(key.swizzle[0], 0);
    assert_int_equal(key.swizzle[2], 2);
    assert_int_equal(texture.border[0], 0x000000ff);
    assert_int_equal(texture.level_count, 4);
    assert_int_equal(texture.level[3].offset, 0x13000);
    assert_int_equal(texture.level[3].width, 4);
    assert_float_equal(texture.lod_bias, -0.5f, 0);
    assert_float_equal(texture.lod_max, 3, 0);
    /* Nearest minification: lima's half a level is taken off again. */
    guest_field(words, 75, 1, 1);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_float_equal(texture.lod_bias, -1, 0);
    /* All nearest: its 1/16 is added again; but not of one level. */
    words[2] &= ~(3u << 9);
    guest_field(words, 76, 1, 1);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_float_equal(texture.lod_bias, -0.5f + 1 / 16.0f, 0);
    words[1] &= ~(0xffu << 20);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_float_equal(texture.lod_bias, -1, 0);
    guest_field(words, 52, 8, 3 * 16);
    guest_field(words, 73, 2, 3);
    words[2] &= ~(1u << 12);
    /* Limits that are one: between levels they are mixed, on a level there is nothing to mix. */
    guest_field(words, 44, 8, 2 * 16 + 8);
    words[1] &= ~(0xffu << 20);
    guest_field(words, 52, 8, 2 * 16 + 8);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.mip, RASTER_MIP_LINEAR);
    assert_int_equal(texture.level_count, 4);
    words[1] &= ~(8u << 12 | 8u << 20);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.mip, RASTER_MIP_NEAREST);
    words[1] &= ~(0xffu << 12 | 0xffu << 20);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.mip, RASTER_MIP_NONE);
    guest_field(words, 52, 8, 3 * 16);
    /* One dimension: the second has neither border nor repeats. Words of 16 bits are filtered. */
    words[1] &= ~(3u << 10);
    words[0] = (words[0] & ~63u) | 0x12;
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.wrap_s, RASTER_MIRROR_BORDER);
    assert_int_equal(key.raster.wrap_t, RASTER_CLAMP);
    assert_int_equal(key.raster.format, RASTER_L16_UNORM);
    assert_int_equal(texture.border[0], 0xffff);
    assert_true(key.raster.mag_linear && key.raster.mip == RASTER_MIP_LINEAR);
    words[2] = (words[2] & ~(15u << 9)) | 12u << 9; /* nearest, levels too */
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.format, RASTER_R16_UINT);
    words[0] = (words[0] & ~63u) | 0x2c; /* depth: red alone is its border */
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.format, RASTER_R32_UINT);
    assert_int_equal(texture.border[0], 0xffffff);
    words[2] &= ~(1u << 12);
    assert_true(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(key.raster.format, RASTER_Z24X8_UNORM);
    guest_close(&g);
}

/* One level, as lima describes textures without mipmaps (both limits 0; half a level for a nearest filter):
 * minified by twice or magnified, the filter is the one asked for. Red between the columns is half of it. */
static void test_filters_of_one_level(void **unused)
{
    static const struct {
        bool mag_nearest, min_nearest;
        float step, red; /* texels a pixel */
    } cases[] = {{false, true, 2, 1},       {false, true, 0.5f, 0.5f}, {true, false, 2, 0.5f},
                 {true, false, 0.5f, 1},    {false, true, 1.1f, 1},    {false, true, 0.9f, 0.5f},
                 {true, false, 1.1f, 0.5f}, {true, false, 0.9f, 1},    {true, true, 2, 1},
                 {false, false, 0.5f, 0.5f}};
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(cases); n++) {
        float at[3][16] = {{0}}, seen[4][16];
        uint32_t words[16];

        describe(words, 0x16, 1);
        words[205 / 32] &= ~(3u << 205 % 32); /* linear: rows of 32 texels */
        guest_field(words, 60, 9, cases[n].min_nearest ? 8 : 0);
        guest_field(words, 75, 1, cases[n].min_nearest);
        guest_field(words, 76, 1, cases[n].mag_nearest);
        assert_true(read_it(&g, words, &key, &texture, &fault));
        for (uint32_t i = 0; i < 32 * 16; i++)
            guest_put(&g, 0x10000 + 4 * i, i % 32 < 16 ? "\0\0\0\0" : "\0\0\xff\0", 4);
        for (unsigned lane = 0; lane < 16; lane++)
            at[0][lane] = (16 + (float)(lane & 1) * cases[n].step) / 32;
        utgard_texture_sample(&key, &texture, at, NULL, seen);
        if (fabsf(seen[0][0] - cases[n].red) > 0.005f)
            fail_msg("case %zu: red is %g", n, (double)seen[0][0]);
    }
    guest_close(&g);
}

/* Kind and depth, over what stood there. */
static void make_volume(uint32_t words[16], uint32_t depth)
{
    words[42 / 32] &= ~(3u << 42 % 32);
    words[112 / 32] &= ~(0x1fffu << 112 % 32);
    guest_field(words, 42, 2, 2);
    guest_field(words, 112, 13, depth);
}

/* Two slices of 32x16 texels, 0 and 200 in red: near, between, far; and the border in front of the first. */
static void test_volumes(void **unused)
{
    static const float depths[] = {0.25f, 0.5f, 0.75f, -1.0f};
    static const float want[] = {0, 100 / 255.0f, 200 / 255.0f, 0};
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    float at[3][16] = {{0}}, seen[4][16];
    uint32_t words[16];
    struct guest g;

    (void)unused;
    guest_open(&g);
    describe(words, 0x16, 1);
    make_volume(words, 2);
    guest_field(words, 83, 3, 1); /* clamped to the edge */
    if (!read_it(&g, words, &key, &texture, &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(texture.level[0].face_stride, 32 * 16 * 4);
    for (uint32_t n = 0; n < 32 * 16; n++) {
        const uint32_t far = 200 << 16;
        guest_put(&g, 0x10000 + texture.level[0].face_stride + 4 * n, &far, 4);
    }
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(depths); n++) {
        for (unsigned lane = 0; lane < 16; lane++)
            at[2][lane] = depths[n];
        utgard_texture_sample(&key, &texture, (const float(*)[16])at, NULL, seen);
        assert_float_equal(seen[0][0], want[n], 1e-6f);
    }
    guest_close(&g);
}

static void test_textures_refused(void **unused)
{
    struct utgard_texture_key key;
    struct raster_texture texture;
    struct gpu_fault fault = {0};
    uint32_t words[16];
    struct guest g;

    (void)unused;
    guest_open(&g);
    describe(words, 0x3f, 1);
    assert_false(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
    describe(words, 0x16, 1); /* a volume without slices */
    make_volume(words, 0);
    assert_false(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
    describe(words, 0x16, 1);
    guest_field(words, 222, 26, (GUEST_SIZE - 64) >> 6);
    assert_false(read_it(&g, words, &key, &texture, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_false(utgard_texture_read(&g.space, GUEST_SIZE, 0, false, &key, &texture, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    guest_close(&g);
}

/* The places of a tile, beside the rule's own words: bit by bit. */
static void test_tiles(void **unused)
{
    bool seen[256] = {false};

    (void)unused;
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++) {
            uint32_t at = raster_texel_offset(RASTER_UTGARD_TILED, 1, 1, x, y), want = 0;

            for (unsigned n = 0; n < 4; n++)
                want |= ((x ^ y) >> n & 1) << 2 * n | (y >> n & 1) << (2 * n + 1);
            assert_int_equal(at, want);
            assert_false(seen[at]);
            seen[at] = true;
        }
    assert_int_equal(raster_texel_offset(RASTER_UTGARD_TILED, 4, 3, 17, 33), (2 * 3 + 1) * 1024 + 2 * 4);
    assert_int_equal(raster_texel_offset(RASTER_UTGARD_TILED, 8, 3, 5, 4), (3 + 1) * 128 + 1 * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_reload),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_descriptor),
        cmocka_unit_test(test_filters_of_one_level),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_textures_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* raster/texture/texture.h against values worked out by hand from raster/texture/README.md, the Guide and the
 * ETC1 extension, against exact arithmetic in doubles, and for staying inside memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "tests/raster/texture_image.h"
#include "util/half.h"

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static uint32_t random_u32(void)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 32);
}

/* ---- layouts ---- */

static void tiled_offsets_by_hand(void **state)
{
    /* 32 bits a texel, two tiles a row: a tile is 32x32, a subtile 16x16, a utile 4x4. */
    static const struct {
        uint32_t x, y, offset;
    } cases[] = {{0, 0, 0},
                 {1, 1, 20},
                 {4, 0, 64},
                 {0, 4, 256},
                 {0, 16, 1024},
                 {16, 16, 2048},
                 {16, 0, 3072},
                 {32, 0, 4096},
                 {63, 0, 7168 + 204},
                 {0, 32, 12288 + 2048},
                 {16, 32, 12288 + 1024},
                 {0, 48, 12288 + 3072},
                 {16, 48, 12288},
                 {32, 32, 8192 + 2048},
                 {0, 64, 16384}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        assert_int_equal(raster_texel_offset(RASTER_VC4_T, 4, 2, cases[i].x, cases[i].y), cases[i].offset);
    /* LT, three utiles a row: 16 bits is 8x4, 8 bits 8x8, 64 bits 2x4. */
    assert_int_equal(raster_texel_offset(RASTER_VC4_LT, 2, 3, 9, 5), (1 * 3 + 1) * 64 + 16 + 2);
    assert_int_equal(raster_texel_offset(RASTER_VC4_LT, 1, 3, 17, 9), (1 * 3 + 2) * 64 + 8 + 1);
    assert_int_equal(raster_texel_offset(RASTER_VC4_LT, 8, 3, 3, 6), (1 * 3 + 1) * 64 + 32 + 8);
    assert_int_equal(raster_texel_offset(RASTER_LINEAR, 4, 100, 3, 2), 212);
}

static void tiled_offsets_are_bijective(void **state)
{
    static uint8_t seen[64 * 4096];

    for (uint32_t bpp = 1; bpp <= 8; bpp *= 2) {
        uint32_t row = bpp == 1 ? 8 : 16, width = 8 * row / bpp, height = 8 * (64 / row);
        for (uint32_t tiles = 1; tiles <= 5; tiles++) {
            memset(seen, 0, sizeof seen);
            for (uint32_t y = 0; y < height * 3; y++)
                for (uint32_t x = 0; x < width * tiles; x++) {
                    uint32_t t = raster_texel_offset(RASTER_VC4_T, bpp, tiles, x, y);
                    uint32_t lt = raster_texel_offset(RASTER_VC4_LT, bpp, tiles * 8, x, y);
                    assert_true(t < tiles * 3 * 4096 && lt < tiles * 3 * 4096 && t % bpp == 0);
                    assert_false(seen[t / bpp] & 1);
                    assert_false(seen[lt / bpp] & 2);
                    seen[t / bpp] |= 1;
                    seen[lt / bpp] |= 2;
                }
        }
    }
}

/* ---- one-level textures in linear memory ---- */

static uint32_t decode(enum raster_format format, uint64_t texel, uint32_t x)
{
    struct image *image = calloc(1, sizeof *image);
    image_init(image, format, 32, 1, 256);
    memcpy(image->bytes, &texel, sizeof texel);
    uint32_t out = sample1(image, ((float)x + 0.5f) / 32, 0.5f);
    free(image);
    return out;
}

static void formats_by_hand(void **state)
{
    assert_int_equal(decode(RASTER_R8G8B8A8_UNORM, 0x12345678, 0), 0x12345678);
    assert_int_equal(decode(RASTER_R8G8B8X8_UNORM, 0x12345678, 0), 0xff345678);
    assert_int_equal(decode(RASTER_R32_UINT, 0x1122334455667788, 1), 0x11223344);
    assert_int_equal(decode(RASTER_A4B4G4R4_UNORM, 0x1a5f, 0), 0xff55aa11);
    assert_int_equal(decode(RASTER_A1B5G5R5_UNORM, 0x8001, 0), 0xff000084); /* R 16 -> 0x84 */
    assert_int_equal(decode(RASTER_A1B5G5R5_UNORM, 0x07fe, 0), 0x00ffff00);
    assert_int_equal(decode(RASTER_B5G6R5_UNORM, 0x8410, 0), 0xff848284); /* 16, 32, 16 */
    assert_int_equal(decode(RASTER_B5G6R5_UNORM, 0xf800, 0), 0xff0000ff);
    assert_int_equal(decode(RASTER_B5G6R5_UNORM, 0x07e0, 0), 0xff00ff00);
    assert_int_equal(decode(RASTER_L8_UNORM, 0x5a01, 1), 0xff5a5a5a);
    assert_int_equal(decode(RASTER_A8_UNORM, 0x5a01, 1), 0x5a000000);
    assert_int_equal(decode(RASTER_L8A8_UNORM, 0xc35a, 0), 0xc35a5a5a);
    assert_int_equal(decode(RASTER_R8_SINT, 0x7f, 0), 0x7f);
    assert_int_equal(decode(RASTER_A4_UNORM, 0x4321, 3), 0x44000000);
    assert_int_equal(decode(RASTER_A1_UNORM, 0x0208, 3), 0xff000000);
    assert_int_equal(decode(RASTER_A1_UNORM, 0x0208, 9), 0xff000000);
    assert_int_equal(decode(RASTER_A1_UNORM, 0x0208, 8), 0);
    assert_int_equal(decode(RASTER_L1_UNORM, 0x80000000, 31), 0xffffffff);
    assert_int_equal(decode(RASTER_L1_UNORM, 0x80000000, 30), 0xff000000);
    assert_int_equal(decode(RASTER_YUYV, 0x44332211, 0), 0xff442211);
    assert_int_equal(decode(RASTER_YUYV, 0x44332211, 1), 0xff442233);
    assert_int_equal(decode(RASTER_R16_UINT, 0xbeef, 0), 0xbeef);
    assert_int_equal(decode(RASTER_R16_FLOAT, 0x3c00, 0), 0x3c00);
    assert_int_equal(decode(RASTER_R16_FLOAT, 0x8001, 0), 0x8000); /* denormal half: zero of its sign */
}

static uint32_t etc1(const uint8_t block[8], uint32_t x, uint32_t y, bool etc_flip)
{
    struct image *image = calloc(1, sizeof *image);
    image_init(image, RASTER_ETC1_RGB8, 8, 4, 16);
    image->key.etc_flip = etc_flip;
    memcpy(image->bytes + 8, block, 8); /* the second block */
    uint32_t out = sample1(image, (4 + (float)x + 0.5f) / 8, ((float)y + 0.5f) / 4);
    free(image);
    return out;
}

static void etc1_by_hand(void **state)
{
    /* Individual, side by side, tables 0 and 7; bases 4,8,12 (x17 = 68,136,204) and 15,0,1 (255,0,17).
     * Pixel a (0,0) index 0: +2. Pixel (0,1) = bit 1, index 1: +8. Pixel (3,0) = bit 12, index 3: -183.
     * Pixel (2,3) = bit 11, index 2: -47. */
    const uint8_t individual[8] = {0x4f, 0x80, 0xc1, 0 << 5 | 7 << 2, 0x18, 0x00, 0x10, 0x02};
    /* Differential, one above the other (flip), base 0 = 16,1,31, deltas -1, +2, 0; table 2 and 1. */
    const uint8_t differential[8] = {16 << 3 | 7, 1 << 3 | 2, 31 << 3 | 0, 2 << 5 | 1 << 2 | 3, 0, 0, 0, 0};

    assert_int_equal(etc1(individual, 0, 0, true), 0xff000000u | 206 << 16 | 138 << 8 | 70);
    assert_int_equal(etc1(individual, 0, 1, true), 0xff000000u | 212 << 16 | 144 << 8 | 76);
    assert_int_equal(etc1(individual, 3, 0, true), 0xff000000u | 0 << 16 | 0 << 8 | 72);
    assert_int_equal(etc1(individual, 2, 3, true), 0xff000000u | 0 << 16 | 0 << 8 | 208);
    assert_int_equal(etc1(individual, 0, 2, false), etc1(individual, 0, 1, true));
    /* 16 -> 0x84 = 132, 1 -> 8, 31 -> 255; +9.  Then 15 -> 123, 3 -> 24, 255; +5. */
    assert_int_equal(etc1(differential, 3, 1, true), 0xff000000u | 255 << 16 | 17 << 8 | 141);
    assert_int_equal(etc1(differential, 0, 2, true), 0xff000000u | 255 << 16 | 29 << 8 | 128);
}

/* ---- wraps and filters ---- */

static void nearest_wraps(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    image_init(image, RASTER_R8G8B8A8_UNORM, 4, 1, 16);
    for (uint32_t i = 0; i < 4; i++)
        util_store32(image->bytes + 4 * i, i + 1);
    image->texture.border[0] = 99;
    static const struct {
        float s;
        uint32_t texel[4]; /* repeat, clamp, mirror, border (which rounds to 2^-16 texel) */
    } cases[] = {{0.1f, {1, 1, 1, 1}},      {0.25f, {2, 2, 2, 2}},     {0.99f, {4, 4, 4, 4}},
                 {1.0f, {1, 4, 4, 99}},     {1.3f, {2, 4, 3, 99}},     {-0.1f, {4, 1, 1, 99}},
                 {-0.9f, {1, 1, 4, 99}},    {-1e-10f, {1, 1, 1, 1}},   {2.1f, {1, 4, 1, 99}},
                 {1e30f, {1, 4, 1, 99}},    {-1e30f, {1, 1, 1, 99}},   {NAN, {1, 1, 1, 99}},
                 {INFINITY, {1, 4, 1, 99}}, {-INFINITY, {1, 1, 1, 99}}};

    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++)
        for (uint8_t wrap = 0; wrap < 4; wrap++) {
            image->key.wrap_s = wrap;
            uint32_t got = sample1(image, cases[i].s, 0.5f);
            if (got != cases[i].texel[wrap])
                fail_msg("case %zu (%g), wrap %u: %u, expected %u", i, (double)cases[i].s, wrap, got,
                         cases[i].texel[wrap]);
        }
    free(image);
}

static void bilinear_by_hand(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    image_init(image, RASTER_R8G8B8A8_UNORM, 2, 2, 8);
    image->key.mag_linear = image->key.min_linear = 1;
    image->key.wrap_s = image->key.wrap_t = RASTER_CLAMP;
    util_store32(image->bytes, 0x00000000);
    util_store32(image->bytes + 4, 0x000000ff);
    util_store32(image->bytes + 8, 0x0000ff00);
    util_store32(image->bytes + 12, 0xff00ffff);
    assert_int_equal(sample1(image, 0.25f, 0.25f), 0);
    assert_int_equal(sample1(image, 0.75f, 0.75f), 0xff00ffff);
    /* Middle: weights 128: (0 + 255 * 128 + 128) >> 8 = 128; then (128 + 128 ...) = 128, G 0..255 -> 128, A:
     * 0 and 128 -> 64. */
    assert_int_equal(sample1(image, 0.5f, 0.5f), 0x40008080);
    /* A quarter: weight 64 in x only: (255 * 64 + 128) >> 8 = 64. */
    assert_int_equal(sample1(image, 0.375f, 0.25f), 0x00000040);
    assert_int_equal(sample1(image, 0.0f, 0.25f), 0);
    image->key.wrap_s = RASTER_REPEAT;
    assert_int_equal(sample1(image, 0.0f, 0.25f), 0x00000080);
    image->key.wrap_s = RASTER_BORDER;
    image->texture.border[0] = 0x10000000;
    assert_int_equal(sample1(image, 0.0f, 0.25f), 0x08000000);
    assert_int_equal(sample1(image, -1.0f, 0.25f), 0x10000000);
    image->key.flip_y = 1;
    assert_int_equal(sample1(image, 0.25f, 0.25f), 0x0000ff00);
    image->key.flip_y = 0;
    image->key.unnormalized = 1;
    assert_int_equal(sample1(image, 1.0f, 0.5f), 0x00000080);
    free(image);
}

static void bilinear_is_near_exact(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    image_init(image, RASTER_L8_UNORM, 37, 23, 37);
    image->key.mag_linear = image->key.min_linear = 1;
    for (uint32_t i = 0; i < 37 * 23; i++)
        image->bytes[i] = (uint8_t)random_u32();
    for (unsigned n = 0; n < 20000; n++) {
        float s = (float)(random_u32() % 4000) / 1000.0f - 2.0f, t = (float)(random_u32() % 997) / 997.0f;
        double u = ((double)s - floor((double)s)) * 37 - 0.5, v = (double)t * 23 - 0.5;
        double x0 = floor(u), y0 = floor(v), wx = u - x0, wy = v - y0, exact = 0;
        for (int k = 0; k < 4; k++) {
            int x = ((int)x0 + (k & 1) + 37) % 37, y = ((int)y0 + (k >> 1) + 23) % 23;
            exact += image->bytes[y * 37 + x] * (k & 1 ? wx : 1 - wx) * (k & 2 ? wy : 1 - wy);
        }
        uint32_t got = sample1(image, s, t) & 255;
        /* Weights of 8 bits cost at most 255 / 256 an axis, two roundings half a step each. */
        assert_true(fabs(got - exact) <= 3.0);
    }
    free(image);
}

static void half_floats_filter(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    const uint16_t texels[2] = {0x3c00, 0x4400}; /* 1, 4 */
    image_init(image, RASTER_R16_FLOAT, 2, 1, 4);
    image->key.mag_linear = image->key.min_linear = 1;
    image->key.wrap_s = RASTER_CLAMP;
    memcpy(image->bytes, texels, sizeof texels);
    assert_int_equal(sample1(image, 0.25f, 0.5f), 0x3c00);
    assert_int_equal(sample1(image, 0.5f, 0.5f), 0x4100); /* 2.5 */
    free(image);
}

static void single_channels_filter(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    const uint16_t texels[2] = {0x1000, 0xf003};
    const uint32_t depths[2] = {0x12ffffff, 0x34100001};
    image_init(image, RASTER_L16_UNORM, 2, 1, 4);
    image->key.mag_linear = image->key.min_linear = 1;
    image->key.wrap_s = RASTER_CLAMP;
    memcpy(image->bytes, texels, sizeof texels);
    assert_int_equal(sample1(image, 0.25f, 0.5f), 0x1000);
    assert_int_equal(sample1(image, 0.5f, 0.5f), 0x8002);
    memcpy(image->bytes, depths, sizeof depths);
    image->key.format = RASTER_Z24X8_UNORM;
    image->texture.level[0].stride = 8;
    assert_int_equal(sample1(image, 0.25f, 0.5f), 0xffffff);
    assert_int_equal(sample1(image, 0.5f, 0.5f), 0x880000);
    memcpy(image->bytes, texels, sizeof texels);
    image->key.format = RASTER_R16_UINT; /* VideoCore IV's: sampled at a point */
    assert_int_equal(sample1(image, 0.5f, 0.5f), 0xf003);
    free(image);
}

/* ---- cubes and borders ---- */

static void cube_faces(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    static const struct {
        float s, t, r;
        uint32_t face, x, y; /* in 4x4 faces */
    } cases[] = {{1, 0.6f, 0.1f, 0, 1, 0},  {-1, 0.6f, 0.1f, 1, 2, 0}, {0.1f, 1, 0.9f, 2, 2, 3},
                 {0.1f, -1, 0.9f, 3, 2, 0}, {0.9f, -0.9f, 1, 4, 3, 3}, {0.9f, -0.9f, -1, 5, 0, 3},
                 {1, 1, 1, 0, 0, 0},        {0.5f, 1, -1, 2, 3, 0},    {NAN, 0.5f, -1, 5, 0, 1}};

    image_init(image, RASTER_L8_UNORM, 4, 4, 4);
    image->key.cube = 1;
    image->key.wrap_s = image->key.wrap_t = RASTER_CLAMP;
    image->texture.face_stride = 1024;
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t i = 0; i < 16; i++)
            image->bytes[face * 1024 + i] = (uint8_t)(face * 16 + i);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
        float s[16], t[16], r[16];
        uint32_t out[16], expected = cases[i].face * 16 + cases[i].y * 4 + cases[i].x;
        for (unsigned k = 0; k < 16; k++)
            s[k] = cases[i].s, t[k] = cases[i].t, r[k] = cases[i].r;
        sample16(image, s, t, r, NULL, out);
        if ((out[0] & 255) != expected)
            fail_msg("case %zu: face %u texel %u, expected %u", i, (out[0] & 255) / 16, out[0] & 15,
                     expected);
    }
    free(image);
}

static void border_comes_from_r(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    float s[16], t[16], r[16] = {0};
    uint32_t out[RASTER_SAMPLED_WORDS * 16];

    image_init(image, RASTER_R8G8B8A8_UNORM, 4, 4, 16);
    image->key.wrap_s = image->key.wrap_t = RASTER_BORDER;
    for (unsigned i = 0; i < 16; i++)
        s[i] = 2, t[i] = 0.5f;
    r[0] = util_u2f(0x11223344);
    r[1] = 5;
    sample16(image, s, t, r, NULL, out);
    assert_int_equal(out[1], 0x11223344);
    free(image);
}

/* ---- bounds ---- */

static void invalid_textures_are_named(void **state)
{
    struct image *image = calloc(1, sizeof *image);
    struct util_error error = {0};

    image_init(image, RASTER_R8G8B8A8_UNORM, 128, 128, 512);
    assert_int_equal(raster_texture_validate(&image->key, &image->texture, &error), 0);
    image->texture.level[0].offset = 4;
    assert_true(raster_texture_validate(&image->key, &image->texture, &error) < 0);
    assert_non_null(strstr(error.text, "level 0"));
    image->texture.level[0].offset = 0;
    image->key.cube = 1;
    image->texture.face_stride = 0x40000000;
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0);
    image->key.cube = 0;
    image->texture.level[0].stride = UINT32_MAX;
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0);
    image->texture.level[0].stride = 512;
    image->texture.level[0].width = 0;
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0);
    image->texture.level[0].width = 129;
    image->key.pot = 1;
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0);
    image->key = (struct raster_texture_key){.format = RASTER_R16G16B16A16_FLOAT};
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0);
    image->key = (struct raster_texture_key){.format = RASTER_R8G8B8A8_UNORM, .layout = RASTER_VC4_T};
    image->texture.level[0] =
        (struct raster_level){.width = 128, .height = 128, .stride = 3, .layout = RASTER_VC4_T};
    assert_true(raster_texture_validate(&image->key, &image->texture, NULL) < 0); /* four tiles wide */
    image->texture.level[0].stride = 4;
    assert_int_equal(raster_texture_validate(&image->key, &image->texture, NULL), 0);
    free(image);
}

static float random_float(void)
{
    switch (random_u32() % 4) {
    case 0: return util_u2f(random_u32());
    case 1: return (float)(int32_t)random_u32() * 0x1p-16f;
    default: return (float)(random_u32() & 0xffffff) * 0x1p-23f - 0.5f;
    }
}

static void random_key(struct raster_texture_key *key)
{
    key->format = (uint16_t)(1 + random_u32() % (RASTER_FORMAT_COUNT - 1));
    key->layout = (uint8_t)(random_u32() % RASTER_MIXED_LAYOUTS);
    key->wrap_s = random_u32() & 3;
    key->wrap_t = random_u32() & 3;
    key->mag_linear = random_u32() & 1;
    key->min_linear = random_u32() & 1;
    key->mip = (uint8_t)(random_u32() % 3);
    key->lod = (uint8_t)(random_u32() % 3);
    key->cube = random_u32() % 4 == 0;
    key->flip_y = random_u32() & 1;
    key->etc_flip = random_u32() & 1;
}

/* A set-up whose last byte is the last byte of memory, found by shrinking the memory until it no longer
 * validates, then sampled at 16 wild places: a guard page catches a byte too many. */
static void samples_stay_in_memory(void **state)
{
    const size_t size = 1u << 20;
    uint8_t *map = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned saved = util_fpenv_enter(), sampled = 0;

    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + size, 4096, PROT_NONE), 0);
    for (size_t i = 0; i < size; i += 4)
        util_store32(map + i, random_u32());
    for (unsigned n = 0; n < 40000; n++) {
        struct raster_texture_key key = {0};
        random_key(&key);
        struct raster_texture texture = {.level_count = 1 + random_u32() % 4,
                                         .border = {random_u32(), random_u32()}};
        texture.max_level = (float)(texture.level_count - 1);
        texture.face_stride = random_u32() & 0x3ff0;
        for (uint32_t k = 0; k < texture.level_count; k++)
            texture.level[k] = (struct raster_level){.offset = random_u32() & 0xfff,
                                                     .width = 1 + random_u32() % 70,
                                                     .height = 1 + random_u32() % 70,
                                                     .stride = 1 + random_u32() % (key.layout ? 12 : 300),
                                                     .layout = key.layout};
        texture.width = (float)texture.level[0].width;
        texture.height = (float)texture.level[0].height;
        uint64_t low = 0, high = size;
        texture.memory_size = size;
        if (raster_texture_validate(&key, &texture, NULL) < 0)
            continue;
        while (low < high) {
            texture.memory_size = (low + high) / 2;
            if (raster_texture_validate(&key, &texture, NULL) < 0)
                low = texture.memory_size + 1;
            else
                high = texture.memory_size;
        }
        texture.memory_size = high;
        texture.memory = map + size - high;
        float s[16], t[16], r[16], bias[16];
        uint32_t out[RASTER_SAMPLED_WORDS * 16];
        for (unsigned i = 0; i < 16; i++)
            s[i] = random_float(), t[i] = random_float(), r[i] = random_float(), bias[i] = random_float();
        raster_texture_sample(&key, &texture, s, t, r, bias, out);
        sampled++;
    }
    util_fpenv_leave(saved);
    munmap(map, size + 4096);
    assert_true(sampled > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_offsets_by_hand),  cmocka_unit_test(tiled_offsets_are_bijective),
        cmocka_unit_test(formats_by_hand),        cmocka_unit_test(etc1_by_hand),
        cmocka_unit_test(nearest_wraps),          cmocka_unit_test(bilinear_by_hand),
        cmocka_unit_test(bilinear_is_near_exact), cmocka_unit_test(half_floats_filter),
        cmocka_unit_test(single_channels_filter), cmocka_unit_test(cube_faces),
        cmocka_unit_test(border_comes_from_r),    cmocka_unit_test(invalid_textures_are_named),
        cmocka_unit_test(samples_stay_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

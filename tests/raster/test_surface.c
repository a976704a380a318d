/* Loads and stores: the fast paths against their scalar twins, and both against what the formats mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raster/surface.h"
#include "util/bits.h"

static uint64_t state = 4711;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static struct raster_tile tile, other;

static void random_tile(uint32_t width, uint32_t height, uint32_t samples)
{
    tile.width = width;
    tile.height = height;
    tile.samples = samples;
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
        tile.color[i] = random32();
        tile.zs[i] = random32();
    }
}

/* An image of `w` x `h` with the least stride, or a little more; exactly as much memory as it says it spans.
 */
static struct raster_surface new_image(uint32_t layout, uint32_t format, uint32_t w, uint32_t h,
                                       uint64_t *bytes)
{
    bool narrow = format == RASTER_SURFACE_BGR565 || format == RASTER_SURFACE_BGR565_DITHER;
    uint32_t cpp = format == RASTER_SURFACE_RGBA16F ? 8
                   : narrow                         ? 2
                                                    : 4,
             utile = 16 / cpp, more = random32() % 3;
    struct raster_surface s = {.width = w, .height = h, .layout = layout, .format = format};
    s.stride = layout == RASTER_LINEAR  ? (w + more) * cpp
               : layout == RASTER_VC4_T ? util_div_up(w, utile * 8) + more
                                        : util_div_up(w, utile) + more;
    assert_true(raster_surface_size(&s, bytes));
    s.base = malloc(*bytes);
    assert_non_null(s.base);
    for (uint64_t i = 0; i < *bytes; i++)
        s.base[i] = (uint8_t)random32();
    return s;
}

static struct raster_surface copy_image(const struct raster_surface *s, uint64_t bytes)
{
    struct raster_surface copy = *s;
    copy.base = malloc(bytes);
    assert_non_null(copy.base);
    memcpy(copy.base, s->base, bytes);
    return copy;
}

static void same(const char *what, const struct raster_surface *a, const struct raster_surface *b,
                 uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (a->base[i] != b->base[i])
            fail_msg(
                "%s: layout %u format %u image %ux%u stride %u tile %ux%ux%u at %d,%d: byte %llu is %02x, "
                "expected %02x",
                what, a->layout, a->format, a->width, a->height, a->stride, tile.width, tile.height,
                tile.samples, tile.x, tile.y, (unsigned long long)i, a->base[i], b->base[i]);
}

static void fast_equals_scalar(void **unused)
{
    static const uint8_t shapes[][3] = {{64, 64, 1}, {32, 32, 4}, {16, 16, 1}, {12, 8, 1}, {16, 16, 4}};
    for (unsigned round = 0; round < 1500; round++) {
        const uint8_t *shape = shapes[random32() % 5];
        uint32_t layout = round % RASTER_UTGARD_TILED, format = round / 3 % 5;
        uint64_t bytes;
        /* Of halves there is room for half the rows. */
        random_tile(shape[0], format == RASTER_SURFACE_RGBA16F ? shape[1] / 2u & ~3u : shape[1], shape[2]);
        struct raster_surface fast =
            new_image(layout, format, 1 + random32() % 200, 1 + random32() % 150, &bytes);
        struct raster_surface slow = copy_image(&fast, bytes);
        tile.x = (int32_t)(random32() % 5 * tile.width);
        tile.y = (int32_t)(random32() % 5 * tile.height);
        if (round % 7 == 0) { /* nowhere in particular */
            tile.x = (int32_t)(random32() % 256) - 48;
            tile.y = (int32_t)(random32() % 256) - 48;
        }
        enum raster_decimate decimate = (enum raster_decimate)(random32() % 3);
        raster_surface_store_decimated(&fast, &tile, decimate);
        raster_surface_store_ref(&slow, &tile, decimate);
        same("store", &fast, &slow, bytes);
        raster_surface_store(&fast, &tile, round % 2);
        raster_surface_store_ref(&slow, &tile,
                                 round % 2 && tile.samples == 4 ? RASTER_DECIMATE_4 : RASTER_DECIMATE_NONE);
        same("store", &fast, &slow, bytes);
        if (format == RASTER_SURFACE_ZS) {
            random_tile(shape[0], shape[1], shape[2]);
            raster_surface_store_z_only(&fast, &tile);
            raster_surface_store_z_only_ref(&slow, &tile);
            same("Z-only store", &fast, &slow, bytes);
        }
        for (uint64_t i = 0; i < bytes; i++)
            fast.base[i] = (uint8_t)random32();
        other = tile;
        raster_surface_load(&fast, &tile);
        raster_surface_load_ref(&fast, &other);
        assert_memory_equal(&tile, &other, sizeof tile);
        free(fast.base);
        free(slow.base);
    }
}

/* A uniform store leaves what a store of the cleared tile does, whatever the tile has. */
static void uniform_stores(void **unused)
{
    static const uint8_t shapes[][3] = {{64, 64, 1}, {32, 32, 4}, {16, 16, 1}, {12, 8, 1}, {64, 32, 1}};
    for (unsigned round = 0; round < 1500; round++) {
        const uint8_t *shape = shapes[random32() % 5];
        uint32_t layout = round % RASTER_UTGARD_TILED, format = round / 3 % 4, word = random32();
        enum raster_decimate decimate = (enum raster_decimate)(random32() % 3);
        uint64_t bytes;
        random_tile(shape[0], shape[1], shape[2]);
        struct raster_surface fast =
            new_image(layout, format, 1 + random32() % 200, 1 + random32() % 150, &bytes);
        struct raster_surface slow = copy_image(&fast, bytes);
        tile.x = (int32_t)(random32() % 4 * tile.width);
        tile.y = (int32_t)(random32() % 4 * tile.height);
        if (round % 5 == 0) { /* whole units, elsewhere */
            tile.x = (int32_t)(random32() % 24 * 8);
            tile.y = (int32_t)(random32() % 24 * 4);
        }
        raster_surface_store_uniform(&fast, &tile, word, decimate);
        raster_tile_clear(&tile, word, word);
        raster_surface_store_ref(&slow, &tile, decimate);
        same("uniform store", &fast, &slow, bytes);
        free(fast.base);
        free(slow.base);
    }
}

/* Stores write the pixels of image and tile, and nothing else. */
static void stores_stay_inside(void **unused)
{
    for (unsigned round = 0; round < 200; round++) {
        uint32_t layout = round % RASTER_UTGARD_TILED, format = round / 3 % 4;
        uint64_t bytes;
        random_tile(64, 64, 1);
        struct raster_surface s =
            new_image(layout, format, 1 + random32() % 150, 1 + random32() % 150, &bytes);
        struct raster_surface before = copy_image(&s, bytes);
        uint8_t *mine = calloc(bytes, 1);
        assert_non_null(mine);
        tile.x = tile.y = 64;
        uint32_t cpp = format == RASTER_SURFACE_RGBA8888 || format == RASTER_SURFACE_ZS ? 4 : 2;
        for (uint32_t y = 64; y < 128 && y < s.height; y++)
            for (uint32_t x = 64; x < 128 && x < s.width; x++)
                memset(mine + raster_texel_offset((enum raster_layout)layout, cpp, s.stride, x, y), 1, cpp);
        raster_surface_store(&s, &tile, false);
        for (uint64_t i = 0; i < bytes; i++)
            if (!mine[i])
                assert_int_equal(s.base[i], before.base[i]);
        free(mine);
        free(before.base);
        free(s.base);
    }
}

/* What was stored is what is loaded: words always, 565 when it was representable. */
static void round_trips(void **unused)
{
    for (unsigned round = 0; round < 60; round++) {
        uint32_t layout = round % RASTER_UTGARD_TILED, samples = round % 2 ? 4 : 1,
                 side = samples == 4 ? 32 : 64;
        static const uint8_t formats[] = {RASTER_SURFACE_RGBA8888, RASTER_SURFACE_ZS, RASTER_SURFACE_BGR565};
        uint32_t format = formats[round / 6 % 3];
        uint64_t bytes;
        random_tile(side, side, samples);
        tile.x = tile.y = (int32_t)side;
        if (format == RASTER_SURFACE_BGR565)
            for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
                uint32_t r = random32() & 31, g = random32() & 63, b = random32() & 31;
                tile.color[i] =
                    (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16 | 0xff000000u;
            }
        struct raster_surface s = new_image(layout, format, side * 3, side * 2, &bytes);
        raster_surface_store(&s, &tile, false);
        other = tile;
        memset(other.color, 0x55, sizeof other.color);
        memset(other.zs, 0x55, sizeof other.zs);
        raster_surface_load(&s, &other);
        const uint32_t *want = format == RASTER_SURFACE_ZS ? tile.zs : tile.color;
        const uint32_t *got = format == RASTER_SURFACE_ZS ? other.zs : other.color;
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++)
                for (uint32_t i = 0; i < samples; i++)
                    assert_int_equal(got[raster_pixel_index(&tile, x, y, i)],
                                     want[raster_pixel_index(&tile, x, y, 0)]);
        const uint32_t *rest = format == RASTER_SURFACE_ZS ? other.color : other.zs;
        assert_int_equal(rest[5], 0x55555555);
        free(s.base);
    }
}

/* 565 rounds to the nearest level; dither keeps the mean of a 4x4 cell. */
static void levels_of_565(void **unused)
{
    uint64_t bytes;
    random_tile(64, 64, 1);
    tile.x = tile.y = 0;
    for (uint32_t v = 0; v < 256; v++)
        for (uint32_t i = 0; i < 16; i++)
            tile.color[v * 16 + i] = v * 0x10101u;
    struct raster_surface s = new_image(RASTER_LINEAR, RASTER_SURFACE_BGR565, 64, 64, &bytes);
    raster_surface_store(&s, &tile, false);
    for (uint32_t v = 0; v < 256; v++) {
        uint32_t x = v % 16 * 4, y = v / 16 * 4;
        uint16_t p = util_load16(s.base + y * s.stride + x * 2);
        assert_int_equal(p >> 11, lround(v * 31 / 255.0));
        assert_int_equal(p >> 5 & 63, lround(v * 63 / 255.0));
        assert_int_equal(p & 31, lround(v * 31 / 255.0));
    }
    s.format = RASTER_SURFACE_BGR565_DITHER;
    raster_surface_store(&s, &tile, false);
    for (uint32_t v = 0; v < 256; v++) {
        uint32_t sum[3] = {0};
        for (uint32_t i = 0; i < 16; i++) {
            uint16_t p = util_load16(s.base + (v / 16 * 4 + i / 4) * s.stride + (v % 16 * 4 + i % 4) * 2);
            sum[0] += p >> 11;
            sum[1] += p >> 5 & 63;
            sum[2] += p & 31;
        }
        assert_true(fabs(sum[0] / 16.0 - v * 31 / 255.0) <= 1 / 32.0 + 1e-9);
        assert_true(fabs(sum[1] / 16.0 - v * 63 / 255.0) <= 1 / 32.0 + 1e-9);
        assert_true(fabs(sum[2] / 16.0 - v * 31 / 255.0) <= 1 / 32.0 + 1e-9);
    }
    free(s.base);
}

/* The order of channels, and the average of samples and pixels, by hand. */
static void known_pixels(void **unused)
{
    uint64_t bytes;
    random_tile(32, 32, 4);
    tile.x = tile.y = 0;
    const uint32_t samples[4] = {0xff000102, 0xff040103, 0x00070204, 0x00000304};
    for (uint32_t i = 0; i < 4; i++)
        tile.color[raster_pixel_index(&tile, 5, 9, i)] = samples[i];
    struct raster_surface s = new_image(RASTER_LINEAR, RASTER_SURFACE_RGBA8888, 32, 32, &bytes);
    raster_surface_store(&s, &tile, true); /* sums 1fe, 0b, 07, 0d */
    assert_int_equal(util_load32(s.base + 9 * s.stride + 5 * 4), 0x80030203);
    raster_surface_store(&s, &tile, false);
    assert_int_equal(util_load32(s.base + 9 * s.stride + 5 * 4), 0xff000102);
    for (uint32_t i = 0; i < 16; i++) /* pixels (4,8) to (5,9): the sums are 136, 16 * 2 + 8 */
        tile.color[raster_pixel_index(&tile, 4 + (i >> 2 & 1), 8 + (i >> 3), i & 3)] = (i + 1) | (i % 2 + 2)
                                                                                                     << 8;
    raster_surface_store_decimated(&s, &tile, RASTER_DECIMATE_16);
    assert_int_equal(util_load32(s.base + 4 * s.stride + 2 * 4), 9 | 3 << 8);
    free(s.base);

    s = new_image(RASTER_LINEAR, RASTER_SURFACE_BGR565, 32, 32, &bytes);
    tile.color[raster_pixel_index(&tile, 2, 1, 0)] = 0x000000ff;
    tile.color[raster_pixel_index(&tile, 3, 1, 0)] = 0x00ff0000;
    raster_surface_store(&s, &tile, false);
    assert_int_equal(util_load16(s.base + s.stride + 4), 0xf800);
    assert_int_equal(util_load16(s.base + s.stride + 6), 0x001f);
    raster_surface_load(&s, &tile);
    assert_int_equal(tile.color[raster_pixel_index(&tile, 2, 1, 3)], 0xff0000ff);
    free(s.base);
}

/* Offsets in a raw tile as Mesa computes them when it samples one (vc4_nir_lower_txf_ms.c). */
static void raw_tiles(void **unused)
{
    static uint8_t dump[RASTER_TILE_DUMP_BYTES];
    random_tile(32, 32, 4);
    raster_tile_dump(&tile, RASTER_PLANE_COLOR, dump);
    for (uint32_t y = 0; y < 32; y++)
        for (uint32_t x = 0; x < 32; x++)
            for (uint32_t s = 0; s < 4; s++) {
                uint32_t offset = (x & ~1u) * 32 + (y & ~1u) * 512 + s * 16 + (y & 1) * 8 + (x & 1) * 4;
                assert_int_equal(util_load32(dump + offset), tile.color[raster_pixel_index(&tile, x, y, s)]);
            }
    for (unsigned round = 0; round < 4; round++) {
        enum raster_plane plane = round % 2 ? RASTER_PLANE_ZS : RASTER_PLANE_COLOR;
        random_tile(round / 2 ? 64 : 32, round / 2 ? 64 : 32, round / 2 ? 1 : 4);
        raster_tile_dump(&tile, plane, dump);
        other = tile;
        memset(plane == RASTER_PLANE_ZS ? other.zs : other.color, 0, sizeof other.color);
        raster_tile_undump(&other, plane, dump);
        assert_memory_equal(&tile, &other, sizeof tile);
    }
}

static void clears(void **unused)
{
    random_tile(64, 64, 1);
    other = tile;
    raster_tile_clear_zs(&tile, 0x12345678, 0xff);
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++)
        assert_int_equal(tile.zs[i], (other.zs[i] & ~0xffu) | 0x78);
    assert_memory_equal(tile.color, other.color, sizeof tile.color);
    raster_tile_clear(&tile, 1, 2);
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++)
        assert_true(tile.color[i] == 1 && tile.zs[i] == 2);
}

static void impossible_images(void **unused)
{
    uint64_t bytes;
    struct raster_surface s = {.width = 64, .height = 64, .layout = RASTER_VC4_T, .stride = 1};
    assert_false(raster_surface_size(&s, &bytes)); /* two tiles a row are needed */
    s.stride = 2;
    assert_true(raster_surface_size(&s, &bytes));
    assert_int_equal(bytes, 64 * 64 * 4);
    s.format = RASTER_SURFACE_BGR565;
    s.stride = 1;
    assert_true(raster_surface_size(&s, &bytes));
    assert_int_equal(bytes, 64 * 64 * 2);
    s.layout = RASTER_LINEAR;
    s.stride = 0x80000000u;
    assert_false(raster_surface_size(&s, &bytes));
    s.stride = 128;
    s.format = RASTER_SURFACE_A8 + 1;
    assert_false(raster_surface_size(&s, &bytes));
    s.format = RASTER_SURFACE_ZS;
    s.layout = RASTER_UTGARD_TILED;
    assert_false(raster_surface_size(&s, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_equals_scalar), cmocka_unit_test(uniform_stores),
        cmocka_unit_test(stores_stay_inside), cmocka_unit_test(round_trips),
        cmocka_unit_test(levels_of_565),      cmocka_unit_test(known_pixels),
        cmocka_unit_test(raw_tiles),          cmocka_unit_test(clears),
        cmocka_unit_test(impossible_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

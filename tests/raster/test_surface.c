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
#include "raster/targets.h"
#include "util/bits.h"

static uint64_t state = 4711;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static struct raster_tile tile, other;
static const struct raster_resolve sample0 = {.count = 1}, four = {.count = 4};

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

/* What drivers ask for: the fast paths, and one that has none. */
static const struct raster_surface kinds[] = {
    {.format = RASTER_R8G8B8A8_UNORM},
    {.format = RASTER_B5G6R5_UNORM},
    {.format = RASTER_B5G6R5_UNORM, .dither = true},
    {.format = RASTER_S8_UINT_Z24_UNORM, .plane = RASTER_PLANE_ZS},
    {.format = RASTER_R16G16B16A16_FLOAT},
    {.format = RASTER_S8_UINT_Z24_UNORM, .plane = RASTER_PLANE_DEPTH},
    {.format = RASTER_Z16_UNORM, .plane = RASTER_PLANE_ZS},
    {.format = RASTER_Z24_UNORM_S8_UINT, .plane = RASTER_PLANE_ZS},
    {.format = RASTER_R8G8B8A8_UNORM, .swap = true},
    {.format = RASTER_A8B8G8R8_UNORM, .swap = true, .big_endian = true},
    {.format = RASTER_R8G8B8X8_UNORM, .swap = true},
    {.format = RASTER_G8R8_UNORM, .swap = true},
    {.format = RASTER_R5G5B5A1_UNORM, .swap = true, .dither = true},
    {.format = RASTER_A4B4G4R4_UNORM, .big_endian = true},
    {.format = RASTER_A16B16G16R16_FLOAT, .swap = true, .big_endian = true},
    {.format = RASTER_R16G16_FLOAT},
    {.format = RASTER_R8_UNORM, .swap = true},
    {.format = RASTER_R10G10B10A2_UNORM},
    {.format = RASTER_R16G16B16_UNORM},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static bool is_halves(const struct raster_surface *s)
{
    return s->plane == RASTER_PLANE_COLOR && raster_format_is_halves((enum raster_format)s->format);
}

/* An image of `w` x `h` with the least stride, or a little more; exactly as much memory as it says it spans.
 */
static struct raster_surface new_image(uint32_t layout, const struct raster_surface *kind, uint32_t w,
                                       uint32_t h, uint64_t *bytes)
{
    uint32_t cpp = raster_format_bytes((enum raster_format)kind->format), utile = cpp == 1 ? 8 : 16 / cpp,
             more = random32() % 3;
    struct raster_surface s = *kind;
    s.width = w;
    s.height = h;
    s.layout = layout;
    s.stride = layout == RASTER_LINEAR         ? (w + more) * cpp
               : layout == RASTER_UTGARD_TILED ? util_div_up(w, 16) + more
               : layout == RASTER_VC4_T        ? util_div_up(w, utile * 8) + more
                                               : util_div_up(w, utile) + more;
    assert_true(raster_surface_size(&s, bytes));
    s.base = malloc(*bytes);
    assert_non_null(s.base);
    for (uint64_t i = 0; i < *bytes; i++)
        s.base[i] = (uint8_t)random32();
    return s;
}

/* A layout that the kind's pixels have a place in. */
static uint32_t random_layout(const struct raster_surface *kind)
{
    uint32_t bytes = raster_format_bytes((enum raster_format)kind->format);
    return bytes & (bytes - 1) ? RASTER_LINEAR : random32() % RASTER_LAYOUT_COUNT;
}

static struct raster_resolve random_resolve(const struct raster_surface *kind)
{
    struct raster_resolve r = {.count = 1};
    if (kind->plane != RASTER_PLANE_DEPTH && random32() % 2) {
        r.first = (uint8_t)(random32() % 4);
        r.count = (uint8_t)(random32() % 2 ? 1 : 4);
        r.shrink_x = random32() % 4 ? 0 : (uint8_t)(random32() % 3);
        r.shrink_y = random32() % 4 ? 0 : (uint8_t)(random32() % 3);
    } else if (random32() % 2) {
        r.count = 4;
    }
    return r;
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
    for (unsigned round = 0; round < 4000; round++) {
        const uint8_t *shape = shapes[random32() % 5];
        const struct raster_surface *kind = &kinds[round % KINDS];
        uint64_t bytes;
        /* Of halves there is room for half the rows. */
        random_tile(shape[0], is_halves(kind) ? shape[1] / 2u & ~3u : shape[1], shape[2]);
        tile.target = is_halves(kind) ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
        struct raster_surface fast =
            new_image(random_layout(kind), kind, 1 + random32() % 200, 1 + random32() % 150, &bytes);
        struct raster_surface slow = copy_image(&fast, bytes);
        tile.x = (int32_t)(random32() % 5 * tile.width);
        tile.y = (int32_t)(random32() % 5 * tile.height);
        if (round % 7 == 0) { /* nowhere in particular */
            tile.x = (int32_t)(random32() % 256) - 48;
            tile.y = (int32_t)(random32() % 256) - 48;
        }
        struct raster_resolve resolve = random_resolve(kind);
        raster_surface_store(&fast, &tile, resolve);
        raster_surface_store_ref(&slow, &tile, resolve);
        same("store", &fast, &slow, bytes);
        for (uint64_t i = 0; i < bytes; i++)
            fast.base[i] = (uint8_t)random32();
        if (kind->plane == RASTER_PLANE_COLOR || kind->format == RASTER_S8_UINT_Z24_UNORM) {
            other = tile;
            raster_surface_load(&fast, &tile);
            raster_surface_load_ref(&fast, &other);
            assert_memory_equal(&tile, &other, sizeof tile);
        }
        free(fast.base);
        free(slow.base);
    }
}

/* A fill leaves what a store of the cleared tile does, whatever the tile has. */
static void uniform_stores(void **unused)
{
    static const uint8_t shapes[][3] = {{64, 64, 1}, {32, 32, 4}, {16, 16, 1}, {12, 8, 1}, {64, 32, 1}};
    unsigned refused = 0;
    for (unsigned round = 0; round < 3000; round++) {
        const uint8_t *shape = shapes[random32() % 5];
        const struct raster_surface *kind = &kinds[round % KINDS];
        uint64_t word = random32() | (uint64_t)random32() << 32, bytes;
        struct raster_resolve resolve = random_resolve(kind);
        random_tile(shape[0], is_halves(kind) ? shape[1] / 2u & ~3u : shape[1], shape[2]);
        tile.target = is_halves(kind) ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
        struct raster_surface fast =
            new_image(random_layout(kind), kind, 1 + random32() % 200, 1 + random32() % 150, &bytes);
        struct raster_surface slow = copy_image(&fast, bytes);
        tile.x = (int32_t)(random32() % 4 * tile.width);
        tile.y = (int32_t)(random32() % 4 * tile.height);
        if (round % 5 == 0) { /* whole units, elsewhere */
            tile.x = (int32_t)(random32() % 24 * 8);
            tile.y = (int32_t)(random32() % 24 * 4);
        }
        const struct raster_rect pixels = {tile.x, tile.y, tile.x + (int32_t)tile.width,
                                           tile.y + (int32_t)tile.height};
        if (raster_surface_fill(&fast, (enum raster_target)tile.target, word, &pixels, resolve)) {
            if (is_halves(kind))
                raster_tile_clear_rgba16f(&tile, word);
            else
                raster_tile_clear_color(&tile, (uint32_t)word);
            raster_tile_clear_zs(&tile, (uint32_t)word, UINT32_MAX);
            raster_surface_store_ref(&slow, &tile, resolve);
            same("fill", &fast, &slow, bytes);
        } else {
            refused++;
        }
        free(fast.base);
        free(slow.base);
    }
    assert_true(refused < 1500);
}

/* Stores write the pixels of image and tile, and nothing else. */
static void stores_stay_inside(void **unused)
{
    for (unsigned round = 0; round < 200; round++) {
        const struct raster_surface *kind = &kinds[round % KINDS];
        uint32_t layout = random_layout(kind);
        uint64_t bytes;
        random_tile(64, is_halves(kind) ? 32 : 64, 1);
        tile.target = is_halves(kind) ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
        struct raster_surface s = new_image(layout, kind, 1 + random32() % 150, 1 + random32() % 150, &bytes);
        struct raster_surface before = copy_image(&s, bytes);
        uint8_t *mine = calloc(bytes, 1);
        assert_non_null(mine);
        tile.x = tile.y = 64;
        for (uint32_t y = 64; y < 64 + tile.height && y < s.height; y++)
            for (uint32_t x = 64; x < 128 && x < s.width; x++)
                memset(mine + raster_surface_offset(&s, x, y), 1,
                       raster_format_bytes((enum raster_format)s.format));
        raster_surface_store(&s, &tile, sample0);
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
        static const uint8_t some[] = {0, 3, 1};
        const struct raster_surface *kind = &kinds[some[round / 6 % 3]];
        bool zs = kind->plane == RASTER_PLANE_ZS;
        tile.target = RASTER_TARGET_8888;
        uint64_t bytes;
        random_tile(side, side, samples);
        tile.x = tile.y = (int32_t)side;
        if (kind->format == RASTER_B5G6R5_UNORM)
            for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
                uint32_t r = random32() & 31, g = random32() & 63, b = random32() & 31;
                tile.color[i] =
                    (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16 | 0xff000000u;
            }
        struct raster_surface s = new_image(layout, kind, side * 3, side * 2, &bytes);
        raster_surface_store(&s, &tile, sample0);
        other = tile;
        memset(other.color, 0x55, sizeof other.color);
        memset(other.zs, 0x55, sizeof other.zs);
        raster_surface_load(&s, &other);
        const uint32_t *want = zs ? tile.zs : tile.color;
        const uint32_t *got = zs ? other.zs : other.color;
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++)
                for (uint32_t i = 0; i < samples; i++)
                    assert_int_equal(got[raster_pixel_index(&tile, x, y, i)],
                                     want[raster_pixel_index(&tile, x, y, 0)]);
        const uint32_t *rest = zs ? other.color : other.zs;
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
    struct raster_surface s = new_image(RASTER_LINEAR, &kinds[1], 64, 64, &bytes);
    raster_surface_store(&s, &tile, sample0);
    for (uint32_t v = 0; v < 256; v++) {
        uint32_t x = v % 16 * 4, y = v / 16 * 4;
        uint16_t p = util_load16(s.base + y * s.stride + x * 2);
        assert_int_equal(p >> 11, lround(v * 31 / 255.0));
        assert_int_equal(p >> 5 & 63, lround(v * 63 / 255.0));
        assert_int_equal(p & 31, lround(v * 31 / 255.0));
    }
    s.dither = true;
    raster_surface_store(&s, &tile, sample0);
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
    struct raster_surface s = new_image(RASTER_LINEAR, &kinds[0], 32, 32, &bytes);
    raster_surface_store(&s, &tile, four); /* sums 1fe, 0b, 07, 0d */
    assert_int_equal(util_load32(s.base + 9 * s.stride + 5 * 4), 0x80030203);
    raster_surface_store(&s, &tile, sample0);
    assert_int_equal(util_load32(s.base + 9 * s.stride + 5 * 4), 0xff000102);
    for (uint32_t i = 0; i < 16; i++) /* pixels (4,8) to (5,9): the sums are 136, 16 * 2 + 8 */
        tile.color[raster_pixel_index(&tile, 4 + (i >> 2 & 1), 8 + (i >> 3), i & 3)] = (i + 1) | (i % 2 + 2)
                                                                                                     << 8;
    raster_surface_store(&s, &tile, (struct raster_resolve){1, 1, 0, 4});
    assert_int_equal(util_load32(s.base + 4 * s.stride + 2 * 4), 9 | 3 << 8);
    free(s.base);

    s = new_image(RASTER_LINEAR, &kinds[1], 32, 32, &bytes);
    tile.color[raster_pixel_index(&tile, 2, 1, 0)] = 0x000000ff;
    tile.color[raster_pixel_index(&tile, 3, 1, 0)] = 0x00ff0000;
    raster_surface_store(&s, &tile, sample0);
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
        memset(plane == RASTER_PLANE_ZS ? other.zs : other.color, 0, sizeof other.zs);
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
    struct raster_surface s = {
        .width = 64, .height = 64, .layout = RASTER_VC4_T, .format = RASTER_R8G8B8A8_UNORM, .stride = 1};
    assert_false(raster_surface_size(&s, &bytes)); /* two tiles a row are needed */
    s.stride = 2;
    assert_true(raster_surface_size(&s, &bytes));
    assert_int_equal(bytes, 64 * 64 * 4);
    s.format = RASTER_B5G6R5_UNORM;
    s.stride = 1;
    assert_true(raster_surface_size(&s, &bytes));
    assert_int_equal(bytes, 64 * 64 * 2);
    s.layout = RASTER_LINEAR;
    s.stride = 0x80000000u;
    assert_false(raster_surface_size(&s, &bytes));
    s.stride = 128;
    static const uint32_t none[] = {RASTER_FORMAT_NONE, RASTER_FORMAT_COUNT, RASTER_ETC1_RGB8,
                                    RASTER_A4_UNORM, RASTER_R32G32B32A32_UINT};
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(none); n++) {
        s.format = none[n];
        assert_false(raster_surface_size(&s, &bytes));
    }
    s.format = RASTER_R16G16B16A16_FLOAT;
    s.layout = RASTER_UTGARD_TILED;
    s.height = 50;
    s.stride = 4;
    assert_true(raster_surface_size(&s, &bytes));
    assert_int_equal(bytes, 64 * 64 * 8);
    s.stride = 3;
    assert_false(raster_surface_size(&s, &bytes));
}

static void images_of_targets(void **unused)
{
    struct raster_surface s = {.width = 17,
                               .height = 3,
                               .layout = RASTER_UTGARD_TILED,
                               .format = RASTER_R32G32B32A32_FLOAT,
                               .stride = 2};
    uint64_t bytes;
    assert_true(raster_targets_image_size(&s, &bytes));
    assert_int_equal(bytes, 2 * 256 * 16);
    assert_false(raster_surface_size(&s, &bytes));
    s.stride = 1;
    assert_false(raster_targets_image_size(&s, &bytes));
    s.layout = RASTER_VC4_LT;
    s.stride = 100;
    assert_false(raster_targets_image_size(&s, &bytes));
    s.format = RASTER_FORMAT_COUNT;
    assert_false(raster_targets_image_size(&s, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_equals_scalar), cmocka_unit_test(uniform_stores),
        cmocka_unit_test(stores_stay_inside), cmocka_unit_test(round_trips),
        cmocka_unit_test(levels_of_565),      cmocka_unit_test(known_pixels),
        cmocka_unit_test(raw_tiles),          cmocka_unit_test(clears),
        cmocka_unit_test(impossible_images),  cmocka_unit_test(images_of_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

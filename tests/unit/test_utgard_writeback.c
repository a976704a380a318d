/* Utgard's write-back: every format in both layouts and all orders, beside what they mean pixel by pixel;
 * smaller images. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/writeback.h"
#include "raster/texture/texture.h"
#include "tests/unit/utgard_space.h"
#include "util/bits.h"

enum { WIDTH = 61, HEIGHT = 43, ROOM = 1 << 16 };

static struct raster_tile tile;
static uint8_t got[ROOM], want[ROOM];
static uint32_t seed = 1;

static uint32_t random32(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed ^ seed >> 15;
}

static uint32_t level(uint32_t word, unsigned channel, unsigned bits)
{
    return ((word >> 8 * channel & 255) * ((1u << bits) - 1) + 127) / 255;
}

struct component {
    unsigned channel, bits; /* of the tile's words, red lowest */
};

/* What a unit is told, as far as its pixels' bits go. */
struct way {
    uint32_t source, format;
    bool swap, reversed, big_endian;
};

static uint32_t bytes_of(uint32_t format)
{
    return format == UTGARD_WB_B8 ? 1 : format == UTGARD_WB_BGRA8888 || format == UTGARD_WB_Z24S8 ? 4 : 2;
}

/* The format's from the lowest on; how many. */
static unsigned components(const struct way *way, struct component out[4])
{
    static const uint8_t bits[][4] = {[UTGARD_WB_BGR565] = {5, 6, 5},
                                      [UTGARD_WB_BGRA5551] = {5, 5, 5, 1},
                                      [UTGARD_WB_BGRA4444] = {4, 4, 4, 4},
                                      [UTGARD_WB_BGRA8888] = {8, 8, 8, 8},
                                      [UTGARD_WB_B8] = {8},
                                      [UTGARD_WB_GB88] = {8, 8}};
    const unsigned channels[4] = {way->swap ? 0 : 2, 1, way->swap ? 2 : 0, 3};
    unsigned count = 0;

    while (count < 4 && bits[way->format][count])
        count++;
    for (unsigned n = 0; n < count; n++)
        out[way->reversed ? count - 1 - n : n] = (struct component){channels[n], bits[way->format][n]};
    return count;
}

/* A pixel of the tile's words. */
static uint32_t meaning(const struct way *way, uint32_t word)
{
    struct component c[4];
    uint32_t pixel = 0, bytes = bytes_of(way->format);

    if (way->source == UTGARD_WB_ZS)
        pixel = way->format == UTGARD_WB_Z16 ? word >> 16 : word >> 8 | word << 24;
    else
        for (unsigned n = 0, count = components(way, c), at = 0; n < count; at += c[n++].bits)
            pixel |= level(word, c[n].channel, c[n].bits) << at;
    return way->big_endian ? __builtin_bswap32(pixel) >> (32 - 8 * bytes) : pixel;
}

static uint32_t word_of(const struct utgard_wb *wb, uint32_t x, uint32_t y)
{
    const uint32_t *plane = wb->source == UTGARD_WB_ZS ? tile.zs : tile.color;
    uint32_t sum[4] = {2, 2, 2, 2};

    if (tile.samples == 1 || wb->source == UTGARD_WB_ZS)
        return plane[raster_pixel_index(&tile, x, y, 0)];
    for (unsigned k = 0; k < 4; k++)
        for (unsigned c = 0; c < 4; c++)
            sum[c] += plane[raster_pixel_index(&tile, x, y, k)] >> 8 * c & 255;
    return sum[0] >> 2 | sum[1] >> 2 << 8 | sum[2] >> 2 << 16 | sum[3] >> 2 << 24;
}

static void expect(const struct utgard_wb *wb, const struct way *way)
{
    for (uint32_t y = 0; y < tile.height; y++)
        for (uint32_t x = 0; x < tile.width; x++) {
            uint32_t px = (uint32_t)tile.x + x, py = (uint32_t)tile.y + y, bytes = bytes_of(way->format),
                     pixel = meaning(way, word_of(wb, x, y));

            if (px < WIDTH && py < HEIGHT)
                memcpy(&want[wb->address + raster_texel_offset((enum raster_layout)wb->image.layout, bytes,
                                                               wb->image.stride, px, py)],
                       &pixel, bytes);
        }
}

/* A tile all of whose samples are the same, stored without it. */
static void check_uniform(const struct utgard_wb *wb)
{
    const struct raster_rect pixels = {tile.x, tile.y, tile.x + (int32_t)tile.width,
                                       tile.y + (int32_t)tile.height};
    uint32_t word = random32();

    memset(got, 0x5a, sizeof got);
    memset(want, 0x5a, sizeof want);
    raster_tile_clear(&tile, word, word);
    utgard_wb_store(wb, want, &tile);
    assert_true(utgard_wb_fill(wb, got, RASTER_TARGET_8888, word, &pixels));
    assert_memory_equal(got, want, sizeof got);
}

static void test_formats(void **unused)
{
    static const struct {
        uint8_t format, source, bytes;
    } kinds[] = {{UTGARD_WB_BGR565, UTGARD_WB_COLOR, 2},   {UTGARD_WB_BGRA5551, UTGARD_WB_COLOR, 2},
                 {UTGARD_WB_BGRA4444, UTGARD_WB_COLOR, 2}, {UTGARD_WB_BGRA8888, UTGARD_WB_COLOR, 4},
                 {UTGARD_WB_B8, UTGARD_WB_COLOR, 1},       {UTGARD_WB_GB88, UTGARD_WB_COLOR, 2},
                 {UTGARD_WB_Z16, UTGARD_WB_ZS, 2},         {UTGARD_WB_Z24S8, UTGARD_WB_ZS, 4}};

    struct gpu_fault fault;
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (unsigned way = 0; way < 256; way++) {
        uint32_t kind = way & 7, bytes = kinds[kind].bytes;
        const struct way told = {kinds[kind].source, kinds[kind].format, way & 16, way & 64, way & 128};
        const uint32_t words[UTGARD_WB_WORDS] = {told.source,
                                                 64 + way % 3 * 8,
                                                 told.format,
                                                 0,
                                                 way & 8 ? 2 : 0,
                                                 way & 8 ? 5 : 9 * bytes,
                                                 (told.swap ? 4u : 0) | (told.reversed ? 8u : 0) |
                                                     (told.big_endian ? 32u : 0)};
        struct utgard_wb wb;

        if (!utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault))
            fail_msg("%s", fault.text);
        tile.samples = way & 32 ? 4 : 1;
        tile.width = tile.height = tile.samples == 4 ? 32 : 64;
        for (uint32_t n = 0; n < RASTER_TILE_WORDS; n++) {
            tile.color[n] = random32();
            tile.zs[n] = random32();
        }
        for (tile.x = tile.y = 0; tile.y <= 16; tile.x += 16, tile.y += 16) {
            memset(got, 0x5a, sizeof got);
            memset(want, 0x5a, sizeof want);
            expect(&wb, &told);
            utgard_wb_store(&wb, got, &tile);
            assert_memory_equal(got, want, sizeof got);
        }
        check_uniform(&wb);
    }
    guest_close(&g);
}

/* ---- smaller images ---- */

/* `plane` alone, or all samples for -1. */
static uint32_t smaller_of(const struct utgard_wb *wb, uint32_t x, uint32_t y, int plane)
{
    uint32_t sum[4] = {0}, word = 0, across = 1u << wb->average.shrink_x, down = 1u << wb->average.shrink_y;
    uint32_t log = wb->average.shrink_x + wb->average.shrink_y + (plane < 0 && tile.samples == 4 ? 2u : 0u);

    if (wb->source == UTGARD_WB_ZS)
        return tile.zs[raster_pixel_index(&tile, x * across, y * down, 0) + (plane > 0 ? 16 * plane : 0)];
    for (uint32_t k = 0; k < tile.samples; k++) {
        if (plane >= 0 && k != (uint32_t)plane)
            continue;
        for (uint32_t at = 0; at < across * down; at++)
            for (unsigned c = 0; c < 4; c++)
                sum[c] += tile.color[raster_pixel_index(&tile, x * across + at % across,
                                                        y * down + at / across, k)] >>
                              8 * c &
                          255;
    }
    for (unsigned c = 0; c < 4; c++)
        word |= (sum[c] + (1u << log >> 1)) >> log << 8 * c;
    return word;
}

static void expect_smaller(const struct utgard_wb *wb, const struct way *way, int plane)
{
    uint32_t at = wb->address + (plane > 0 ? (uint32_t)plane * wb->sample_pitch : 0);
    uint8_t shrink_x = wb->average.shrink_x, shrink_y = wb->average.shrink_y;

    for (uint32_t y = 0; y < tile.height >> shrink_y; y++)
        for (uint32_t x = 0; x < tile.width >> shrink_x; x++) {
            uint32_t px = ((uint32_t)tile.x >> shrink_x) + x, py = ((uint32_t)tile.y >> shrink_y) + y,
                     bytes = bytes_of(way->format), pixel = meaning(way, smaller_of(wb, x, y, plane));

            if (px < wb->image.width && py < wb->image.height)
                memcpy(&want[at + raster_texel_offset((enum raster_layout)wb->image.layout, bytes,
                                                      wb->image.stride, px, py)],
                       &pixel, bytes);
        }
}

/* Through the registers: every factor, the average of all samples and planes of their own. */
static void test_smaller(void **unused)
{
    static const uint8_t formats[] = {UTGARD_WB_BGRA8888, UTGARD_WB_BGR565, UTGARD_WB_Z24S8};
    struct gpu_fault fault;
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (uint32_t way = 1; way < 4 * 5 * 3 * 8; way++) {
        uint32_t shrink_x = way & 3, shrink_y = way / 4 % 5, format = formats[way / 20 % 3], rest = way / 60;
        bool tiled = rest & 1, apart = rest & 4;
        uint32_t bytes = bytes_of(format), across = (WIDTH >> shrink_x) + 1;
        uint32_t words[UTGARD_WB_WORDS] = {format == UTGARD_WB_Z24S8 ? UTGARD_WB_ZS : UTGARD_WB_COLOR,
                                           64,
                                           format,
                                           shrink_x << 8 | shrink_y << 12,
                                           tiled ? 2 : 0,
                                           tiled ? (across + 15) / 16 : (across * bytes + 7) / 8,
                                           0,
                                           apart ? 9 : 0,
                                           0x4000};
        const struct way told = {words[0], format, false, false, false};
        struct utgard_wb wb;

        if (!utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault))
            fail_msg("%s", fault.text);
        assert_int_equal(wb.image.width, (WIDTH + (1u << shrink_x) - 1) >> shrink_x);
        assert_int_equal(wb.image.height, (HEIGHT + (1u << shrink_y) - 1) >> shrink_y);
        tile.samples = rest & 2 || apart ? 4 : 1;
        tile.width = tile.height = 32;
        tile.x = 32;
        tile.y = 16;
        for (uint32_t n = 0; n < RASTER_TILE_WORDS; n++) {
            tile.color[n] = random32();
            tile.zs[n] = random32();
        }
        memset(got, 0x5a, sizeof got);
        memset(want, 0x5a, sizeof want);
        expect_smaller(&wb, &told, apart ? 0 : -1);
        if (apart)
            expect_smaller(&wb, &told, 3);
        utgard_wb_store(&wb, got, &tile);
        assert_memory_equal(got, want, sizeof got);
        check_uniform(&wb);
    }
    guest_close(&g);
}

static void test_factors(void **unused)
{
    static const uint32_t strange[] = {1, 1u << 10, 5u << 12, 1u << 15};
    uint32_t words[UTGARD_WB_WORDS] = {UTGARD_WB_COLOR, 64, UTGARD_WB_BGRA8888, 0, 0, 64};
    struct gpu_fault fault;
    struct utgard_wb wb;
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(strange); n++) {
        words[3] = strange[n];
        assert_false(utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault));
        assert_int_equal(fault.kind, GPU_FAULT_PACKET);
    }
    /* Half as many rows need half the memory. */
    words[1] = (GUEST_SIZE - 22 * 512) & ~7u;
    words[3] = 0;
    assert_false(utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    words[3] = 1 << 12;
    assert_true(utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault));
    guest_close(&g);
}

/* Of the flags of word 6 dithering alone is not done; a place that may not be written is a fault of writing.
 */
static void test_flags(void **unused)
{
    uint32_t words[UTGARD_WB_WORDS] = {UTGARD_WB_COLOR, 64, UTGARD_WB_BGRA5551, 0, 0, 64};
    struct gpu_fault fault;
    struct utgard_wb wb;
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (uint32_t flags = 0; flags < 128; flags++) {
        words[6] = flags;
        fault = (struct gpu_fault){0};
        assert_int_equal(utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault),
                         !(flags & ~(4u | 8u | 32u)));
        assert_int_equal(fault.kind, flags & 67   ? GPU_FAULT_PACKET
                                     : flags & 16 ? GPU_FAULT_UNSUPPORTED
                                                  : GPU_FAULT_NONE);
        if (!fault.kind)
            assert_true(wb.image.swap != (flags >> 2 & 1) && wb.image.big_endian == flags >> 5 &&
                        wb.image.format == (flags & 8 ? RASTER_A1B5G5R5_UNORM : RASTER_R5G5B5A1_UNORM));
    }
    words[6] = 0;
    words[1] = GUEST_SIZE - 64;
    assert_false(utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_true(fault.write);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats), cmocka_unit_test(test_smaller),
                                       cmocka_unit_test(test_factors), cmocka_unit_test(test_flags)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

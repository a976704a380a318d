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
#include "tests/gpu/utgard/space.h"
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

/* The format's from the lowest on; how many. */
static unsigned components(const struct utgard_wb *wb, struct component out[4])
{
    static const uint8_t bits[][4] = {[UTGARD_WB_BGR565] = {5, 6, 5},
                                      [UTGARD_WB_BGRA5551] = {5, 5, 5, 1},
                                      [UTGARD_WB_BGRA4444] = {4, 4, 4, 4},
                                      [UTGARD_WB_BGRA8888] = {8, 8, 8, 8},
                                      [UTGARD_WB_B8] = {8},
                                      [UTGARD_WB_GB88] = {8, 8}};
    const unsigned channels[4] = {wb->swap ? 0 : 2, 1, wb->swap ? 2 : 0, 3};
    unsigned count = 0;

    while (count < 4 && bits[wb->format][count])
        count++;
    for (unsigned n = 0; n < count; n++)
        out[wb->reversed ? count - 1 - n : n] = (struct component){channels[n], bits[wb->format][n]};
    return count;
}

/* A pixel of the tile's words. */
static uint32_t meaning(const struct utgard_wb *wb, uint32_t word)
{
    struct component c[4];
    uint32_t pixel = 0, bytes = utgard_wb_bytes(wb->format);

    if (wb->source == UTGARD_WB_ZS)
        pixel = wb->format == UTGARD_WB_Z16 ? word >> 16 : word >> 8 | word << 24;
    else
        for (unsigned n = 0, count = components(wb, c), at = 0; n < count; at += c[n++].bits)
            pixel |= level(word, c[n].channel, c[n].bits) << at;
    return wb->big_endian ? __builtin_bswap32(pixel) >> (32 - 8 * bytes) : pixel;
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

static void expect(const struct utgard_wb *wb, uint32_t bytes)
{
    for (uint32_t y = 0; y < tile.height; y++)
        for (uint32_t x = 0; x < tile.width; x++) {
            uint32_t px = (uint32_t)tile.x + x, py = (uint32_t)tile.y + y,
                     pixel = meaning(wb, word_of(wb, x, y));

            if (px < WIDTH && py < HEIGHT)
                memcpy(
                    &want[wb->address + raster_texel_offset(wb->tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR,
                                                            bytes, wb->pitch, px, py)],
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
    utgard_wb_store_uniform(wb, got, &pixels, word);
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

    (void)unused;
    for (unsigned way = 0; way < 256; way++) {
        uint32_t kind = way & 7, bytes = kinds[kind].bytes;
        struct utgard_wb wb = {.source = (enum utgard_wb_source)kinds[kind].source,
                               .format = (enum utgard_wb_format)kinds[kind].format,
                               .address = 64 + way % 3 * 8,
                               .tiled = way & 8,
                               .swap = way & 16,
                               .reversed = way & 64,
                               .big_endian = way & 128,
                               .width = WIDTH,
                               .height = HEIGHT};

        wb.pitch = wb.tiled ? 5 : 72 * bytes;
        tile.samples = way & 32 ? 4 : 1;
        tile.width = tile.height = tile.samples == 4 ? 32 : 64;
        for (uint32_t n = 0; n < RASTER_TILE_WORDS; n++) {
            tile.color[n] = random32();
            tile.zs[n] = random32();
        }
        for (tile.x = tile.y = 0; tile.y <= 16; tile.x += 16, tile.y += 16) {
            memset(got, 0x5a, sizeof got);
            memset(want, 0x5a, sizeof want);
            expect(&wb, bytes);
            utgard_wb_store(&wb, got, &tile);
            assert_memory_equal(got, want, sizeof got);
        }
        check_uniform(&wb);
    }
}

/* ---- smaller images ---- */

/* `plane` alone, or all samples for -1. */
static uint32_t smaller_of(const struct utgard_wb *wb, uint32_t x, uint32_t y, int plane)
{
    uint32_t sum[4] = {0}, word = 0, across = 1u << wb->shrink_x, down = 1u << wb->shrink_y;
    uint32_t log = wb->shrink_x + wb->shrink_y + (plane < 0 && tile.samples == 4 ? 2u : 0u);

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

static void expect_smaller(const struct utgard_wb *wb, uint32_t bytes, int plane)
{
    uint32_t at = wb->address + (plane > 0 ? (uint32_t)plane * wb->sample_pitch : 0);

    for (uint32_t y = 0; y < tile.height >> wb->shrink_y; y++)
        for (uint32_t x = 0; x < tile.width >> wb->shrink_x; x++) {
            uint32_t px = ((uint32_t)tile.x >> wb->shrink_x) + x, py = ((uint32_t)tile.y >> wb->shrink_y) + y,
                     pixel = meaning(wb, smaller_of(wb, x, y, plane));

            if (px < wb->width && py < wb->height)
                memcpy(&want[at + raster_texel_offset(wb->tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR, bytes,
                                                      wb->pitch, px, py)],
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
        uint32_t bytes = utgard_wb_bytes((enum utgard_wb_format)format), across = (WIDTH >> shrink_x) + 1;
        uint32_t words[UTGARD_WB_WORDS] = {format == UTGARD_WB_Z24S8 ? UTGARD_WB_ZS : UTGARD_WB_COLOR,
                                           64,
                                           format,
                                           shrink_x << 8 | shrink_y << 12,
                                           tiled ? 2 : 0,
                                           tiled ? (across + 15) / 16 : (across * bytes + 7) / 8,
                                           0,
                                           apart ? 9 : 0,
                                           0x4000};
        struct utgard_wb wb;

        if (!utgard_wb_decode(words, WIDTH, HEIGHT, &g.space, &wb, &fault))
            fail_msg("%s", fault.text);
        assert_int_equal(wb.width, (WIDTH + (1u << shrink_x) - 1) >> shrink_x);
        assert_int_equal(wb.height, (HEIGHT + (1u << shrink_y) - 1) >> shrink_y);
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
        expect_smaller(&wb, bytes, apart ? 0 : -1);
        if (apart)
            expect_smaller(&wb, bytes, 3);
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
            assert_true(wb.swap == (flags >> 2 & 1) && wb.reversed == (flags >> 3 & 1) &&
                        wb.big_endian == flags >> 5);
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

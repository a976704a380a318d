/* Utgard's write-back: every format in both layouts, beside what they mean pixel by pixel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/writeback.h"
#include "raster/texture.h"
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

/* A pixel of the tile's words, red in the low byte unless the unit swaps. */
static uint32_t meaning(const struct utgard_wb *wb, uint32_t word)
{
    unsigned r = wb->swap ? 2 : 0, b = 2 - r;

    switch (wb->format) {
    case UTGARD_WB_BGR565: return level(word, b, 5) | level(word, 1, 6) << 5 | level(word, r, 5) << 11;
    case UTGARD_WB_BGRA5551:
        return level(word, b, 5) | level(word, 1, 5) << 5 | level(word, r, 5) << 10 | level(word, 3, 1) << 15;
    case UTGARD_WB_BGRA4444:
        return level(word, b, 4) | level(word, 1, 4) << 4 | level(word, r, 4) << 8 | level(word, 3, 4) << 12;
    case UTGARD_WB_BGRA8888:
        return level(word, b, 8) | level(word, 1, 8) << 8 | level(word, r, 8) << 16 | level(word, 3, 8) << 24;
    case UTGARD_WB_B8: return level(word, b, 8);
    case UTGARD_WB_GB88: return level(word, b, 8) | level(word, 1, 8) << 8;
    case UTGARD_WB_Z16: return word >> 16;
    default: return word >> 8 | word << 24;
    }
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

static void test_formats(void **unused)
{
    static const struct {
        uint8_t format, source, bytes;
    } kinds[] = {{UTGARD_WB_BGR565, UTGARD_WB_COLOR, 2},   {UTGARD_WB_BGRA5551, UTGARD_WB_COLOR, 2},
                 {UTGARD_WB_BGRA4444, UTGARD_WB_COLOR, 2}, {UTGARD_WB_BGRA8888, UTGARD_WB_COLOR, 4},
                 {UTGARD_WB_B8, UTGARD_WB_COLOR, 1},       {UTGARD_WB_GB88, UTGARD_WB_COLOR, 2},
                 {UTGARD_WB_Z16, UTGARD_WB_ZS, 2},         {UTGARD_WB_Z24S8, UTGARD_WB_ZS, 4}};

    (void)unused;
    for (unsigned way = 0; way < 64; way++) {
        uint32_t kind = way & 7, bytes = kinds[kind].bytes;
        struct utgard_wb wb = {.source = (enum utgard_wb_source)kinds[kind].source,
                               .format = (enum utgard_wb_format)kinds[kind].format,
                               .address = 64,
                               .tiled = way & 8,
                               .swap = way & 16,
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
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tiles of several targets, any formats and numbers of samples: how large they are and where things stand; loads and
 * stores against those pixel by pixel, and these against what formats say. VITRAIL_TARGETS_CASES: how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "raster/output.h"
#include "raster/targets.h"
#include "util/bits.h"
#include "util/fpenv.h"

static struct raster_tile tile, other;
static uint64_t state = 77;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint64_t cases(void)
{
    const char *text = getenv("VITRAIL_TARGETS_CASES");
    return text && *text ? strtoull(text, NULL, 0) : 3000;
}

static void place(const struct raster_targets *targets, struct raster_tile *at, int32_t x, int32_t y)
{
    raster_targets_size(targets, &at->width, &at->height);
    at->samples = targets->samples;
    at->x = x;
    at->y = y;
    at->target = RASTER_TARGET_8888;
    if (targets->count == 1 && targets->format[0] == RASTER_R16G16B16A16_FLOAT)
        at->target = RASTER_TARGET_RGBA16F;
}

/* Where a tile begins: mostly with a block of the image. */
static int32_t random_row(void)
{
    return (int32_t)(random32() % 4 ? random32() % 5 * 4 : random32() % 20);
}

static bool is_target(enum raster_format format)
{
    struct raster_targets targets;
    return format && raster_targets_init(&targets, &format, 1, 1, RASTER_DEPTH_UNORM24);
}

static enum raster_format random_format(void)
{
    enum raster_format format;
    do
        format = (enum raster_format)(random32() % RASTER_FORMAT_COUNT);
    while (!is_target(format));
    return format;
}

static struct raster_targets random_targets(void)
{
    struct raster_targets targets;
    enum raster_format formats[RASTER_TARGETS_MAX];
    uint32_t count = random32() & 1 ? 1 : random32() % (RASTER_TARGETS_MAX + 1);
    for (uint32_t t = 0; t < count; t++)
        formats[t] = random32() % 4 == 0   ? RASTER_R8G8B8A8_UNORM
                     : random32() % 8 == 0 ? RASTER_FORMAT_NONE
                                           : random_format();
    assert_true(raster_targets_init(&targets, formats, count, 1u << random32() % 5,
                                    (enum raster_depth_kind)(random32() % RASTER_DEPTH_KIND_COUNT)));
    return targets;
}

/* ---- where things stand ---- */

static void test_sizes(void **unused)
{
    static const struct {
        uint32_t words, samples, width, height;
    } expected[] = {{0, 1, 64, 64}, {1, 1, 64, 64},  {2, 1, 64, 32}, {1, 2, 64, 32}, {1, 4, 32, 32},
                    {4, 1, 32, 32}, {1, 16, 16, 16}, {32, 1, 16, 8}, {32, 4, 8, 4},  {32, 16, 4, 4}};
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(expected); i++) {
        struct raster_targets targets;
        enum raster_format formats[RASTER_TARGETS_MAX];
        uint32_t count = UTIL_MIN(expected[i].words, 8u), width, height;
        for (uint32_t t = 0; t < count; t++)
            formats[t] = expected[i].words == 32 ? RASTER_R32G32B32A32_UINT : RASTER_R32_UINT;
        assert_true(raster_targets_init(&targets, formats, count, expected[i].samples, RASTER_DEPTH_UNORM24));
        raster_targets_size(&targets, &width, &height);
        if (width != expected[i].width || height != expected[i].height)
            fail_msg("%u words of %u samples: %ux%u", expected[i].words, expected[i].samples, width, height);
    }
}

/* Every sample of every target has words of its own, within the tile. */
static void test_layout(void **unused)
{
    for (unsigned round = 0; round < 60; round++) {
        struct raster_targets targets = random_targets();
        uint8_t *seen = calloc(RASTER_COLOR_WORDS, 1);
        uint32_t width, height, used = 0;
        assert_non_null(seen);
        raster_targets_size(&targets, &width, &height);
        assert_true(width * height * targets.samples <= RASTER_TILE_WORDS);
        for (uint32_t block = 0; block < width * height; block += 16)
            for (uint32_t t = 0; t < targets.count; t++)
                for (uint32_t n = 0; n < (uint32_t)targets.samples * targets.words[t]; n++)
                    for (uint32_t lane = 0; lane < 16; lane++) {
                        uint32_t at = raster_targets_word(&targets, block, t, n / targets.words[t],
                                                          n % targets.words[t]) +
                                      lane;
                        assert_true(at < RASTER_COLOR_WORDS);
                        assert_int_equal(seen[at]++, 0);
                        used++;
                    }
        assert_int_equal(used, width * height * targets.samples * targets.total);
        free(seen);
    }
}

/* One target of tile.h's kinds stands as that. */
static void test_plain(void **unused)
{
    static const enum raster_format formats[] = {RASTER_R8G8B8A8_UNORM, RASTER_R16G16B16A16_FLOAT};
    for (unsigned n = 0; n < 4; n++) {
        struct raster_targets targets;
        assert_true(raster_targets_init(&targets, &formats[n & 1], 1, n & 2 ? 4 : 1, RASTER_DEPTH_UNORM24));
        place(&targets, &tile, 0, 0);
        for (uint32_t x = 0; x < tile.width; x++)
            for (uint32_t s = 0; s < tile.samples; s++) {
                uint32_t word[4] = {random32(), n & 1 ? random32() : 0}, y = random32() % tile.height;
                raster_targets_put(&targets, &tile, 0, x, y, s, word);
                assert_true(raster_tile_color(&tile, x, y, s) == (word[0] | (uint64_t)word[1] << 32));
            }
    }
}

static void test_formats(void **unused)
{
    static const enum raster_format bad[] = {RASTER_Z24_UNORM_S8_UINT, RASTER_Z16_UNORM, RASTER_S8_UINT,
                                             RASTER_Z32_FLOAT_S8X24_UINT};
    enum raster_format rgba8 = RASTER_R8G8B8A8_UNORM;
    struct raster_targets targets;
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(bad); i++)
        assert_false(is_target(bad[i]));
    for (unsigned f = 1; f < RASTER_FORMAT_COUNT; f++)
        if (raster_texels[f].coding != RASTER_CODING_PLAIN)
            assert_false(is_target((enum raster_format)f));
    assert_true(is_target(RASTER_R32G32B32A32_FLOAT) && is_target(RASTER_R11G11B10_FLOAT) &&
                is_target(RASTER_A8_UNORM) && is_target(RASTER_R8G8B8A8_SRGB) && is_target(RASTER_R8_SINT));
    assert_false(raster_targets_init(&targets, &rgba8, 1, 3, RASTER_DEPTH_UNORM24));
    assert_false(raster_targets_init(&targets, &rgba8, 1, 32, RASTER_DEPTH_UNORM24));
    assert_false(raster_targets_init(&targets, &rgba8, 9, 1, RASTER_DEPTH_UNORM24));
    assert_int_equal(raster_targets_format(RASTER_B8G8R8A8_UNORM), RASTER_R8G8B8A8_UNORM);
    assert_int_equal(raster_targets_format(RASTER_A8B8G8R8_UNORM), RASTER_R8G8B8A8_UNORM);
    assert_int_equal(raster_targets_format(RASTER_B8G8R8X8_UNORM), RASTER_R8G8B8X8_UNORM);
    assert_int_equal(raster_targets_format(RASTER_R8G8_UNORM), RASTER_R8G8_UNORM);
    assert_int_equal(raster_targets_format(RASTER_R8G8B8A8_SRGB), RASTER_R8G8B8A8_SRGB);
    assert_int_equal(raster_targets_format(RASTER_B5G6R5_UNORM), RASTER_B5G6R5_UNORM);
}

/* ---- images ---- */

/* An image about a tile, with bytes around it that nothing may touch. */
struct image {
    struct raster_surface surface;
    uint64_t bytes;
    uint8_t *memory, *expected;
};

static bool make_image(struct image *i, enum raster_format format, const struct raster_tile *at)
{
    uint32_t bytes = raster_format_bytes(format);
    i->surface = (struct raster_surface){
        .width = (uint32_t)(at->x + 1 + (int32_t)(random32() % 70)),
        .height = (uint32_t)(at->y + 1 + (int32_t)(random32() % 70)),
        .layout = random32() & 1 ? RASTER_LINEAR : RASTER_UTGARD_TILED,
        .format = format,
    };
    i->surface.stride = i->surface.layout == RASTER_LINEAR ? i->surface.width * bytes + random32() % 32
                                                           : (i->surface.width + 15) / 16 + random32() % 2;
    if (!raster_targets_image_size(&i->surface, &i->bytes))
        return false;
    i->memory = malloc(i->bytes);
    i->expected = malloc(i->bytes);
    assert_true(i->memory && i->expected);
    for (uint64_t n = 0; n < i->bytes; n++)
        i->memory[n] = (uint8_t)random32();
    memcpy(i->expected, i->memory, i->bytes);
    i->surface.base = i->memory;
    return true;
}

static void drop_image(struct image *i)
{
    free(i->memory);
    free(i->expected);
}

/* Another of pixels as wide, mostly of the same kind of channels; of bytes any that keeps some. */
static enum raster_format like_format(enum raster_format format)
{
    const struct raster_texel *texel = &raster_texels[format];
    for (unsigned n = 0; n < 1000; n++) {
        enum raster_format other_format = random_format();
        const struct raster_texel *as = &raster_texels[other_format];
        if (as->bits == texel->bits && (as->channel[0].kind == texel->channel[0].kind || random32() % 4 == 0))
            return other_format;
        if (raster_output_is_bytes(format) && raster_texel_is_8888(as) && as->channel[0].bits == 8)
            return other_format;
    }
    return format;
}

static enum raster_format image_format(const struct raster_targets *targets, uint32_t of)
{
    static const enum raster_format depths[] = {RASTER_Z16_UNORM,
                                                RASTER_Z24X8_UNORM,
                                                RASTER_X8Z24_UNORM,
                                                RASTER_Z24_UNORM_S8_UINT,
                                                RASTER_Z32_UNORM,
                                                RASTER_Z32_FLOAT,
                                                RASTER_Z32_FLOAT_S8X24_UINT,
                                                RASTER_S8_UINT_Z24_UNORM,
                                                RASTER_X24S8_UINT,
                                                RASTER_S8_UINT,
                                                RASTER_S8X24_UINT};
    if (of >= RASTER_TARGETS_MAX)
        return depths[random32() % UTIL_ARRAY_SIZE(depths)];
    if (raster_output_is_bytes((enum raster_format)targets->format[of]) && random32() & 1)
        return random32() & 1 ? RASTER_B8G8R8A8_UNORM : RASTER_B8G8R8X8_UNORM;
    if (of < targets->count && targets->format[of] && random32() % 3 == 0)
        return like_format((enum raster_format)targets->format[of]);
    return random32() % 4 && of < targets->count && targets->format[of]
               ? (enum raster_format)targets->format[of]
               : random_format();
}

static void random_words(struct raster_tile *at, const struct raster_targets *targets)
{
    for (uint32_t i = 0; i < RASTER_COLOR_WORDS; i++)
        at->color[i] = random32();
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
        at->zs[i] = targets->depth == RASTER_DEPTH_FLOAT32
                        ? raster_depth_encode(RASTER_DEPTH_FLOAT32, (float)random32() * 0x1p-32f)
                        : random32();
        at->stencil[i] = (uint8_t)random32();
    }
}

static void differ(const struct raster_targets *targets, uint32_t of, const struct image *i, const char *what,
                   uint64_t at)
{
    fail_msg("%s differs at %llu: %s of %u targets, %u samples, into %s, layout %u, %ux%u, tile at %d, %d",
             what, (unsigned long long)at,
             of < RASTER_TARGETS_MAX ? raster_texels[targets->format[of]].name : "depth or stencil",
             targets->count, targets->samples, raster_texels[i->surface.format].name, i->surface.layout,
             i->surface.width, i->surface.height, tile.x, tile.y);
}

static void same_image(const struct raster_targets *targets, uint32_t of, const struct image *i)
{
    for (uint64_t b = 0; b < i->bytes; b++)
        if (i->memory[b] != i->expected[b])
            differ(targets, of, i, "the image", b);
}

static void test_transfers(void **unused)
{
    unsigned saved = util_fpenv_enter();
    for (uint64_t n = 0; n < cases(); n++) {
        struct raster_targets targets = random_targets();
        uint32_t of = random32() % 3 || !targets.count ? RASTER_TARGETS_MAX + random32() % 3
                                                       : random32() % targets.count;
        uint32_t first = random32() % 3 ? 0 : random32() % 16, count = 1 + random32() % 16;
        struct image i;
        if (targets.count && random32() & 1)
            of = random32() % targets.count;
        place(&targets, &tile, (int32_t)(random32() % 8) * 4, random_row());
        random_words(&tile, &targets);
        if (!make_image(&i, image_format(&targets, of), &tile))
            continue;
        i.surface.base = i.expected;
        raster_targets_store_ref(&targets, &tile, of, &i.surface, first, count);
        i.surface.base = i.memory;
        raster_targets_store(&targets, &tile, of, &i.surface, first, count);
        same_image(&targets, of, &i);
        other = tile;
        raster_targets_load_ref(&targets, &other, of, &i.surface, first, count);
        raster_targets_load(&targets, &tile, of, &i.surface, first, count);
        for (uint32_t w = 0; w < RASTER_COLOR_WORDS; w++)
            if (tile.color[w] != other.color[w])
                differ(&targets, of, &i, "color", w);
        assert_memory_equal(tile.zs, other.zs, sizeof tile.zs);
        assert_memory_equal(tile.stencil, other.stencil, sizeof tile.stencil);
        drop_image(&i);
    }
    util_fpenv_leave(saved);
}

/* What is stored and loaded again in the tile's own format is what it was, pixel for pixel, at a place that
 * the layout alone decides. */
static void test_places(void **unused)
{
    for (unsigned n = 0; n < 200; n++) {
        enum raster_format format = random_format();
        uint32_t x, y, word[4] = {random32(), random32(), random32(), random32()}, color[4], got[4] = {0};
        struct raster_targets targets;
        struct image i;
        assert_true(raster_targets_init(&targets, (enum raster_format[]){RASTER_R32_UINT, format}, 2, 2,
                                        RASTER_DEPTH_UNORM24));
        raster_texel_unpack(&raster_texels[format], word, color);
        raster_texel_pack(&raster_texels[format], color, word);
        place(&targets, &tile, 16, 32);
        assert_true(make_image(&i, format, &tile));
        x = random32() % UTIL_MIN(tile.width, i.surface.width - 16);
        y = random32() % UTIL_MIN(tile.height, i.surface.height - 32);
        random_words(&tile, &targets);
        raster_targets_put(&targets, &tile, 1, x, y, 1, word);
        raster_targets_store(&targets, &tile, 1, &i.surface, 1, 1);
        memcpy(got, i.memory + raster_surface_offset(&i.surface, 16 + x, 32 + y),
               raster_format_bytes(format));
        if (format != RASTER_R8G8B8X8_UNORM)
            assert_memory_equal(got, word, sizeof got);
        raster_targets_put(&targets, &tile, 1, x, y, 0, (uint32_t[4]){0});
        raster_targets_load(&targets, &tile, 1, &i.surface, 0, 1);
        raster_targets_get(&targets, &tile, 1, x, y, 0, got);
        if (format != RASTER_R8G8B8X8_UNORM)
            assert_memory_equal(got, word, sizeof got);
        drop_image(&i);
    }
}

/* One pixel's samples become one. */
static void resolve(enum raster_format format, uint32_t samples, const uint32_t (*value)[4], uint32_t out[4])
{
    struct raster_targets targets;
    struct raster_surface surface = {
        .base = (uint8_t *)out, .width = 1, .height = 1, .format = format, .stride = 16};
    assert_true(raster_targets_init(&targets, &format, 1, samples, RASTER_DEPTH_UNORM24));
    place(&targets, &tile, 0, 0);
    for (uint32_t s = 0; s < samples; s++) {
        uint32_t word[4];
        raster_texel_pack(&raster_texels[format], value[s], word);
        raster_targets_put(&targets, &tile, 0, 0, 0, s, word);
    }
    memset(out, 0, 16);
    raster_targets_store(&targets, &tile, 0, &surface, 0, samples);
}

static void test_resolves(void **unused)
{
    uint32_t out[4], value[16][4] = {0};
    for (unsigned s = 0; s < 16; s++)
        value[s][0] = util_f2u((float)s);
    resolve(RASTER_R32_FLOAT, 16, value, out);
    assert_int_equal(out[0], util_f2u(7.5f));
    resolve(RASTER_R16_FLOAT, 8, value, out);
    assert_int_equal(out[0], 0x4300); /* 3.5 */
    for (unsigned s = 0; s < 16; s++)
        value[s][0] = util_f2u(s & 1 ? 1.0f : 0.0f);
    resolve(RASTER_R16_UNORM, 2, value, out);
    assert_int_equal(out[0], 0x8000);
    resolve(RASTER_R8G8B8A8_UNORM, 8, value, out);
    assert_int_equal(out[0], 0x80);
    resolve(RASTER_R8_SRGB, 2, value, out); /* half of the light */
    assert_int_equal(out[0], 188);
    for (unsigned s = 0; s < 16; s++)
        value[s][0] = 9 - s % 4;
    resolve(RASTER_R32_UINT, 8, value, out);
    assert_int_equal(out[0], 9);
}

/* A depth through an image of a format and back, in a tile of a kind. */
static uint32_t through(enum raster_depth_kind kind, enum raster_format format, uint32_t depth,
                        uint8_t stencil, uint32_t word[2])
{
    struct raster_targets targets;
    struct raster_surface surface = {
        .base = (uint8_t *)word, .width = 1, .height = 1, .format = format, .stride = 16};
    assert_true(raster_targets_init(&targets, NULL, 0, 2, kind));
    place(&targets, &tile, 0, 0);
    raster_targets_clear_depth(&targets, &tile, depth);
    raster_targets_clear_stencil(&targets, &tile, stencil);
    raster_targets_store(&targets, &tile, RASTER_OF_DEPTH_STENCIL, &surface, 0, 2);
    raster_targets_clear_depth(&targets, &tile, 0);
    raster_targets_clear_stencil(&targets, &tile, 0);
    raster_targets_load(&targets, &tile, RASTER_OF_DEPTH_STENCIL, &surface, 0, 2);
    assert_int_equal(tile.zs[16], tile.zs[0]); /* of both samples */
    return raster_depth_is_32(kind) ? tile.zs[0] : tile.zs[0] >> 8;
}

static void test_depths(void **unused)
{
    uint32_t word[2] = {0, 0xffffffff}, d;
    assert_int_equal(through(RASTER_DEPTH_FLOAT32, RASTER_Z32_FLOAT_S8X24_UINT, 0x3e4ccccd, 0xab, word),
                     0x3e4ccccd);
    assert_int_equal(word[0], 0x3e4ccccd);
    assert_int_equal(word[1], 0xffffffab);
    assert_int_equal(tile.stencil[0], 0xab);
    assert_int_equal(through(RASTER_DEPTH_UNORM24, RASTER_Z24_UNORM_S8_UINT, 0x123456, 0xcd, word), 0x123456);
    assert_int_equal(word[0], 0xcd123456);
    assert_int_equal(tile.zs[0], 0x123456cd);
    assert_int_equal(through(RASTER_DEPTH_UNORM32, RASTER_Z24X8_UNORM, 0x12345678, 0, word), 0x12345612);
    word[0] = 0xee000000;
    d = raster_depth_encode(RASTER_DEPTH_UNORM16, 0.3f);
    assert_int_equal(through(RASTER_DEPTH_UNORM16, RASTER_Z16_UNORM, d, 0, word), d);
    assert_int_equal(word[0], 0xee000000 | d >> 8);
    assert_int_equal(through(RASTER_DEPTH_FLOAT32, RASTER_Z16_UNORM, 0x3f800000, 0, word), 0x3f800000);
    word[0] = 0xbf800000; /* an image may have what a tile has not */
    struct raster_targets targets;
    struct raster_surface surface = {
        .base = (uint8_t *)word, .width = 1, .height = 1, .format = RASTER_Z32_FLOAT, .stride = 16};
    assert_true(raster_targets_init(&targets, NULL, 0, 1, RASTER_DEPTH_FLOAT32));
    place(&targets, &tile, 0, 0);
    raster_targets_load(&targets, &tile, RASTER_OF_DEPTH, &surface, 0, 1);
    assert_int_equal(tile.zs[0], 0);
    tile.zs[0] = 5;
    raster_targets_load(&targets, &tile, RASTER_OF_STENCIL, &surface, 0, 1);
    assert_int_equal(tile.zs[0], 5);
    for (uint32_t n = 0; n < 65536; n++) { /* of 16 bits each is itself again */
        d = raster_depth_encode(RASTER_DEPTH_UNORM16, (float)(n / 65535.0));
        assert_int_equal(d, n << 8 | n >> 8);
    }
    assert_int_equal(raster_depth_encode(RASTER_DEPTH_UNORM32, 1.0f), UINT32_MAX);
    assert_int_equal(raster_depth_encode(RASTER_DEPTH_UNORM32, 0.5f), 0x80000000);
    assert_int_equal(raster_depth_encode(RASTER_DEPTH_FLOAT32, -0.0f), 0);
    assert_int_equal(raster_depth_encode(RASTER_DEPTH_FLOAT32, util_u2f(0x7fc00000)), 0);
}

/* ---- clears ---- */

static void test_clears(void **unused)
{
    for (unsigned n = 0; n < 100; n++) {
        struct raster_targets targets = random_targets();
        uint32_t t = targets.count ? random32() % targets.count : 0, word[4], got[4];
        place(&targets, &tile, 0, 0);
        random_words(&tile, &targets);
        other = tile;
        for (unsigned k = 0; k < 4; k++)
            word[k] = random32();
        if (!targets.count || !targets.words[t])
            continue;
        raster_targets_clear(&targets, &tile, t, word);
        for (uint32_t y = 0; y < tile.height; y++)
            for (uint32_t x = 0; x < tile.width; x++)
                for (uint32_t u = 0; u < targets.count; u++)
                    for (uint32_t s = 0; s < targets.samples && targets.words[u]; s++) {
                        uint32_t want[4];
                        raster_targets_get(&targets, &other, u, x, y, s, want);
                        raster_targets_get(&targets, &tile, u, x, y, s, got);
                        assert_memory_equal(got, u == t ? word : want, targets.words[u] * 4u);
                    }
        raster_targets_clear_stencil(&targets, &tile, 0x5a);
        if (!raster_depth_is_32((enum raster_depth_kind)targets.depth))
            assert_int_equal(tile.zs[0], (other.zs[0] & 0xffffff00) | 0x5a);
        else
            assert_true(tile.stencil[0] == 0x5a && tile.zs[0] == other.zs[0]);
    }
}

/* A tile that is only cleared, stored and filled. */
static void test_fills(void **unused)
{
    unsigned saved = util_fpenv_enter(), filled = 0;
    for (uint64_t n = 0; n < cases() / 4; n++) {
        struct raster_targets targets = random_targets();
        uint32_t of = targets.count && random32() & 1 ? random32() % targets.count
                                                      : RASTER_TARGETS_MAX + random32() % 3;
        uint32_t first = random32() % 3 ? 0 : random32() % 16, count = 1 + random32() % 16;
        const uint32_t word[4] = {random32(), random32(), random32(), random32()};
        struct raster_pixel pixel;
        struct image i;
        place(&targets, &tile, (int32_t)(random32() % 8) * 4, random_row());
        random_words(&tile, &targets);
        if (of < targets.count && targets.words[of])
            raster_targets_clear(&targets, &tile, of, word);
        raster_targets_clear_zs(&targets, &tile, tile.zs[0] >> 8, (uint8_t)word[0]);
        if (!make_image(&i, image_format(&targets, of), &tile))
            continue;
        if (raster_targets_pixel(&targets, &tile, of, &i.surface, first, count, &pixel)) {
            const struct raster_rect all = {tile.x, tile.y, tile.x + (int32_t)tile.width,
                                            tile.y + (int32_t)tile.height};
            if (random32() & 1) { /* most of it is as it would become */
                raster_surface_fill_pixel(&i.surface, &pixel, &all);
                i.memory[random32() % i.bytes] ^= (uint8_t)(1u << random32() % 8);
                memcpy(i.expected, i.memory, i.bytes);
            }
            raster_surface_fill_pixel(&i.surface, &pixel, &all);
            i.surface.base = i.expected;
            raster_targets_store_ref(&targets, &tile, of, &i.surface, first, count);
            same_image(&targets, of, &i);
            filled++;
        }
        drop_image(&i);
    }
    assert_true(filled > cases() / 8);
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_layout),    cmocka_unit_test(test_plain),
        cmocka_unit_test(test_formats),  cmocka_unit_test(test_transfers), cmocka_unit_test(test_places),
        cmocka_unit_test(test_resolves), cmocka_unit_test(test_depths),    cmocka_unit_test(test_clears),
        cmocka_unit_test(test_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Compressed blocks against decodings of outside origin (blocks.inc), single ones by hand, and images of blocks in every
 * layout as the decoder keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "raster/texture/block.h"
#include "raster/texture/decode.h"
#include "util/bits.h"

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void random_block(enum raster_format format, uint8_t block[16])
{
    util_store64(block, next());
    util_store64(block + 8, next());
    if (raster_texels[format].coding == RASTER_CODING_ASTC && (util_load16(block) & 0x1ff) == 0x1fc)
        block[1] |= 0x0c; /* bits that have to be set */
}

static void outside(void **unused)
{
    static const struct {
        enum raster_format format;
        uint64_t hash;
        const char *texels;
    } rows[] = {
#define BLOCKS(format, hash, texels) {RASTER_##format, hash, texels},
#include "tests/raster/blocks.inc"
#undef BLOCKS
    };
    unsigned formats = 0;

    for (unsigned n = 0; n < RASTER_FORMAT_COUNT; n++)
        formats += raster_texels[n].coding >= RASTER_CODING_ETC1;
    assert_int_equal(formats, UTIL_ARRAY_SIZE(rows));
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        const struct raster_texel *texel = &raster_texels[rows[n].format];
        uint32_t pixel = raster_format_bytes(raster_block_plain(rows[n].format));
        uint32_t size = texel->width * texel->height * pixel;
        XXH3_state_t *hash = XXH3_createState();

        XXH3_64bits_reset(hash);
        state = 0;
        for (unsigned k = 0; k < 4096; k++) {
            uint8_t block[16], texels[RASTER_BLOCK_TEXELS * RASTER_BLOCK_BYTES];
            char text[2 * 32 + 1];

            random_block(rows[n].format, block);
            raster_block_decode(rows[n].format, block, texels);
            XXH3_64bits_update(hash, texels, size);
            for (size_t i = 0; k == 0 && i < strlen(rows[n].texels) / 2; i++)
                snprintf(text + 2 * i, 3, "%02x", texels[i]);
            if (k == 0 && *rows[n].texels)
                assert_string_equal(text, rows[n].texels);
        }
        if (XXH3_64bits_digest(hash) != rows[n].hash)
            fail_msg("%s: blocks differ", texel->name);
        XXH3_freeState(hash);
    }
}

/* ASTC by hand: a void extent, one with a reserved bit cleared, and a reserved mode. */
static void astc_by_hand(void **unused)
{
    uint8_t block[16] = {0xfc, 0xfd, 255, 255, 255, 255, 255, 255, 0, 0x80, 0xff, 0xff, 0, 0, 0, 0x40};
    uint16_t texels[64];

    raster_block_decode(RASTER_ASTC_4x4, block, (uint8_t *)texels);
    assert_int_equal(texels[60], 0x3800); /* 0.5 */
    assert_int_equal(texels[61], 0x3c00);
    assert_int_equal(texels[62], 0);
    assert_int_equal(texels[63], 0x3400);
    block[1] = 0xf5;
    raster_block_decode(RASTER_ASTC_4x4, block, (uint8_t *)texels);
    assert_int_equal(texels[0], 0x3c00);
    assert_int_equal(texels[1], 0);
    memset(block, 0, sizeof block);
    raster_block_decode(RASTER_ASTC_4x4_SRGB, block, (uint8_t *)texels);
    assert_int_equal(texels[0], 0x00ff);
    assert_int_equal(texels[1], 0xffff);
}

static void yuv_by_hand(void **unused)
{
    const uint8_t block[4] = {1, 2, 3, 4};
    uint32_t texels[2];

    raster_block_decode(RASTER_YUYV, block, (uint8_t *)texels);
    assert_int_equal(texels[0], 0xff040201);
    assert_int_equal(texels[1], 0xff040203);
    raster_block_decode(RASTER_UYVY, block, (uint8_t *)texels);
    assert_int_equal(texels[0], 0xff030102);
    assert_int_equal(texels[1], 0xff030104);
}

/* ---- images ---- */

#define SIDE 37 /* texels: blocks are cut at two sides, and tiles */

struct image {
    struct raster_sampler_key key, plain_key;
    struct raster_image image, plain;
    uint32_t surface[2];
    uint8_t memory[16384];
};

/* Two layers of one level, of random blocks. */
static void fill(struct image *i, enum raster_format format, bool tiled, bool listed)
{
    const struct raster_texel *texel = &raster_texels[format];
    uint32_t columns = util_div_up(SIDE, texel->width), rows = util_div_up(SIDE, texel->height);
    struct raster_image_level *level = &i->image.level[0];

    memset(i, 0, sizeof *i);
    i->key = (struct raster_sampler_key){.format = (uint16_t)format,
                                         .op = RASTER_FETCH,
                                         .dim = RASTER_DIM_2D,
                                         .array = 1,
                                         .layout = tiled ? RASTER_UTGARD_TILED : RASTER_LINEAR,
                                         .listed = listed,
                                         .swizzle = {0, 1, 2, 3}};
    i->image = (struct raster_image){.memory = i->memory,
                                     .memory_size = sizeof i->memory,
                                     .surface = i->surface,
                                     .surface_count = 2,
                                     .level_count = 1,
                                     .layers = 2,
                                     .samples = 1};
    *level = (struct raster_image_level){.offset = 16, .width = SIDE, .height = SIDE, .depth = 1};
    level->row_stride = columns * texel->bits / 8 + 16;
    if (tiled) {
        level->row_stride = util_div_up(columns, 4) * 16 * (texel->bits / 8);
        rows = util_div_up(rows, 4);
    }
    level->slice_stride = level->row_stride * rows + 32;
    i->surface[0] = level->offset + level->slice_stride;
    i->surface[1] = level->offset;
    assert_true(level->offset + 2 * level->slice_stride <= sizeof i->memory);
    for (size_t n = 0; n < sizeof i->memory; n += 8)
        util_store64(i->memory + n, next());
}

/* Where block (x, y) of a layer stands: in a tile, bits of x ^ y and of y in turns. */
static const uint8_t *block_at(const struct image *i, uint32_t layer, uint32_t x, uint32_t y)
{
    const struct raster_image_level *level = &i->image.level[0];
    uint32_t bytes = raster_texels[i->key.format].bits / 8u, at = level->offset, d = x ^ y;

    at += (i->key.listed ? !layer : layer) * level->slice_stride;
    if (i->key.layout == RASTER_LINEAR)
        return i->memory + at + y * level->row_stride + x * bytes;
    return i->memory + at + y / 4 * level->row_stride +
           (x / 4 * 16 + (d & 1) + (y & 1) * 2 + (d >> 1 & 1) * 4 + (y >> 1 & 1) * 8) * bytes;
}

static void check_image(struct raster_decoder *decoder, struct image *i, uint64_t epoch)
{
    enum raster_format format = (enum raster_format)i->key.format, plain = raster_block_plain(format);
    const struct raster_texel *texel = &raster_texels[format];
    struct util_error error = {0};

    if (raster_decoder_image(decoder, &i->key, &i->image, epoch, &i->plain_key, &i->plain, &error))
        fail_msg("%s: %s", texel->name, error.text);
    assert_int_equal(i->plain_key.format, plain);
    for (uint32_t n = 0; n < 2 * SIDE * SIDE; n++) {
        uint32_t layer = n / (SIDE * SIDE), x = n % SIDE, y = n / SIDE % SIDE, word[4] = {0}, want[4],
                 got[4][16];
        uint8_t texels[RASTER_BLOCK_TEXELS * RASTER_BLOCK_BYTES];
        struct raster_lookup_lanes in = {0};

        in.coordinate[0][0] = x;
        in.coordinate[1][0] = y;
        in.layer[0] = layer;
        raster_sampler_run(&i->plain_key, &i->plain, &in, got);
        raster_block_decode(format, block_at(i, layer, x / texel->width, y / texel->height), texels);
        memcpy(word,
               texels + (y % texel->height * texel->width + x % texel->width) * raster_format_bytes(plain),
               raster_format_bytes(plain));
        raster_texel_unpack(&raster_texels[plain], word, want);
        for (unsigned c = 0; c < 4; c++)
            if (got[c][0] != want[c])
                fail_msg("%s, tiled %u, texel (%u, %u) of layer %u: %08x, expected %08x", texel->name,
                         i->key.layout != RASTER_LINEAR, x, y, layer, got[c][0], want[c]);
    }
}

static void images(void **unused)
{
    struct image *i = malloc(sizeof *i);
    struct raster_decoder *decoder;

    state = 7;
    assert_int_equal(raster_decoder_create(1 << 20, &decoder), 0);
    for (unsigned n = 0; n < RASTER_FORMAT_COUNT; n++)
        for (unsigned form = 0; form < 4 && raster_texels[n].coding != RASTER_CODING_PLAIN; form++) {
            if (form & 1 && raster_texels[n].height == 1)
                continue;
            fill(i, (enum raster_format)n, form & 1, form & 2);
            check_image(decoder, i, n * 4ull + form);
        }
    raster_decoder_destroy(decoder);
    free(i);
}

/* What is decoded again, and what is not. */
static void kept(void **unused)
{
    struct image *i = malloc(sizeof *i);
    struct raster_decoder *decoder;
    uint64_t decoded, bytes;

    state = 9;
    assert_int_equal(raster_decoder_create(1, &decoder), 0);
    fill(i, RASTER_ETC2_RGBA8, true, false);
    check_image(decoder, i, 1);
    check_image(decoder, i, 1); /* the same epoch */
    check_image(decoder, i, 2); /* another, and the same bytes */
    raster_decoder_stats(decoder, &decoded, &bytes);
    assert_int_equal(decoded, 1);
    assert_int_equal(bytes, 2 * SIDE * SIDE * 4);
    i->memory[20] ^= 1; /* written to between draws */
    check_image(decoder, i, 3);
    raster_decoder_stats(decoder, &decoded, &bytes);
    assert_int_equal(decoded, 2);
    i->image.level[0].width = SIDE - 1; /* the same bytes, seen as another image */
    assert_int_equal(raster_decoder_image(decoder, &i->key, &i->image, 3, &i->plain_key, &i->plain, NULL), 0);
    raster_decoder_stats(decoder, &decoded, &bytes);
    assert_int_equal(decoded, 3);
    raster_decoder_trim(decoder);
    raster_decoder_stats(decoder, &decoded, &bytes);
    assert_int_equal(bytes, 0);
    raster_decoder_destroy(decoder);
    free(i);
}

static void refused(void **unused)
{
    struct image *i = malloc(sizeof *i);
    struct raster_decoder *decoder;

    assert_int_equal(raster_decoder_create(1 << 20, &decoder), 0);
    fill(i, RASTER_ASTC_5x4, false, false);
    i->image.level[0].slice_stride = sizeof i->memory;
    assert_int_equal(raster_decoder_image(decoder, &i->key, &i->image, 1, &i->plain_key, &i->plain, NULL),
                     -EFAULT);
    fill(i, RASTER_DXT1_RGB, false, false);
    i->image.level[0].row_stride = 79; /* ten blocks are 80 bytes */
    assert_int_equal(raster_decoder_image(decoder, &i->key, &i->image, 1, &i->plain_key, &i->plain, NULL),
                     -EFAULT);
    fill(i, RASTER_DXT1_RGB, false, false);
    i->key.multisampled = 1;
    assert_int_equal(raster_decoder_image(decoder, &i->key, &i->image, 1, &i->plain_key, &i->plain, NULL),
                     -EINVAL);
    i->key.multisampled = 0;
    i->key.format = RASTER_R8_UNORM;
    assert_int_equal(raster_decoder_image(decoder, &i->key, &i->image, 1, &i->plain_key, &i->plain, NULL),
                     -EINVAL);
    raster_decoder_destroy(decoder);
    free(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outside),     cmocka_unit_test(astc_by_hand),
                                       cmocka_unit_test(yuv_by_hand), cmocka_unit_test(images),
                                       cmocka_unit_test(kept),        cmocka_unit_test(refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

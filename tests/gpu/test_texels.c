/* gpu/texels.c: each pixel of a picture is the texel that was put there, of either sampler; what is no picture, and what is
 * too large, is told. gpu/texels_replace.c: what is written there reads as the picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gpu/texels.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

#define MOST 4096

static alignas(16) uint8_t memory[1 << 16];

static const uint8_t *pixel(const struct util_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + 4 * ((size_t)y * image->width + x);
}

static void assert_pixel(const struct util_image *image, uint32_t x, uint32_t y, uint8_t r, uint8_t g,
                         uint8_t b)
{
    const uint8_t want[4] = {r, g, b, 255};
    assert_memory_equal(pixel(image, x, y), want, 4);
}

/* Of the guest's environment, as a worker is in. */
static int draw(const struct gpu_texels *texels, struct util_image *out)
{
    const uint32_t before = util_fpenv_enter();
    const int err = gpu_texels_picture(texels, MOST, out);
    util_fpenv_leave(before);
    return err;
}

/* ---- packed bytes ---- */

static struct raster_texture texture_of(uint32_t width, uint32_t height, uint32_t stride)
{
    struct raster_texture texture = {
        .memory = memory, .memory_size = sizeof memory, .level_count = 2, .max_level = 1};
    texture.level[0] =
        (struct raster_level){.offset = 64, .width = width, .height = height, .stride = stride};
    texture.level[1] = (struct raster_level){.offset = 32, .width = 1, .height = 1, .stride = stride};
    return texture;
}

static void bytes_stand_where_they_were_put(void **state)
{
    struct raster_texture_key key = {.format = RASTER_R8G8B8A8_UNORM,
                                     .mip = RASTER_MIP_LINEAR,
                                     .mag_linear = 1,
                                     .wrap_s = RASTER_BORDER,
                                     .wrap_t = RASTER_MIRROR};
    struct raster_texture texture = texture_of(37, 5, 160);
    struct util_image image;
    for (uint32_t y = 0; y < 5; y++)
        for (uint32_t x = 0; x < 37; x++)
            util_store32(memory + 64 + 160 * y + 4 * x, x | y << 8 | (x ^ y) << 16 | x << 24);
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &image), 0);
    assert_int_equal(image.width, 37);
    assert_int_equal(image.height, 5);
    for (uint32_t y = 0; y < 5; y++)
        for (uint32_t x = 0; x < 37; x++)
            assert_pixel(&image, x, y, (uint8_t)x, (uint8_t)y, (uint8_t)(x ^ y));
    util_image_finish(&image);
    key.flip_y = 1; /* t = 0 is the image's last row */
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &image), 0);
    assert_pixel(&image, 3, 0, 3, 4, 3 ^ 4);
    util_image_finish(&image);
}

static void faces_are_side_by_side(void **state)
{
    struct raster_texture_key key = {.format = RASTER_R8G8B8A8_UNORM, .cube = 1};
    struct raster_texture texture = texture_of(4, 4, 16);
    struct util_image image;
    texture.face_stride = 256;
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t i = 0; i < 16; i++)
            util_store32(memory + 64 + 256 * face + 4 * i, (face + 1) | i << 8);
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &image), 0);
    assert_int_equal(image.width, 24);
    for (uint32_t x = 0; x < 24; x++)
        assert_pixel(&image, x, 2, (uint8_t)(x / 4 + 1), (uint8_t)(8 + x % 4), 0);
    util_image_finish(&image);
}

static void halves_are_cut_to_bytes(void **state)
{
    static const float values[4] = {0.5f, 2, -1, 1};
    struct raster_texture_key key = {.format = RASTER_R16G16B16A16_FLOAT};
    struct raster_texture texture = texture_of(2, 1, 16);
    struct util_image image;
    memset(memory, 0, 128);
    for (unsigned c = 0; c < 4; c++) {
        const uint16_t half = util_float_to_half(values[c]);
        memcpy(memory + 64 + 2 * c, &half, sizeof half);
    }
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &image), 0);
    assert_pixel(&image, 0, 0, 128, 255, 0);
    assert_pixel(&image, 1, 0, 0, 0, 0);
    util_image_finish(&image);
}

/* ---- the general sampler ---- */

static const uint8_t as_is[4] = {RASTER_SWIZZLE_R, RASTER_SWIZZLE_G, RASTER_SWIZZLE_B, RASTER_SWIZZLE_A};

static struct raster_image image_of(uint32_t width, uint32_t height, uint32_t stride, uint32_t slice)
{
    struct raster_image image = {
        .memory = memory, .memory_size = sizeof memory, .level_count = 1, .layers = 1, .samples = 1};
    image.level[0] = (struct raster_image_level){.offset = 64,
                                                 .width = width,
                                                 .height = height,
                                                 .depth = 1,
                                                 .row_stride = stride,
                                                 .slice_stride = slice};
    return image;
}

static void faces_of_images_are_side_by_side(void **state)
{
    struct raster_sampler_key key = {.format = RASTER_R8G8B8A8_UNORM,
                                     .op = RASTER_SAMPLE,
                                     .dim = RASTER_DIM_CUBE,
                                     .seamless = 1,
                                     .mag_linear = 1,
                                     .lod = RASTER_LOOKUP_IMPLICIT};
    struct raster_image image = image_of(4, 4, 16, 256);
    struct util_image out;
    memcpy(key.swizzle, (uint8_t[]){RASTER_SWIZZLE_B, RASTER_SWIZZLE_1, RASTER_SWIZZLE_R, RASTER_SWIZZLE_0},
           4);
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t i = 0; i < 16; i++)
            util_store32(memory + 64 + 256 * face + 4 * i, (face + 1) | i << 16);
    assert_int_equal(draw(&(struct gpu_texels){.sampler_key = &key, .image = &image}, &out), 0);
    assert_int_equal(out.width, 24);
    for (uint32_t x = 0; x < 24; x++) /* blue, one, red: as the program gets it */
        assert_pixel(&out, x, 3, (uint8_t)(12 + x % 4), 255, (uint8_t)(x / 4 + 1));
    util_image_finish(&out);
}

static void srgb_shows_its_bytes_and_integers_end_at_255(void **state)
{
    struct raster_sampler_key key = {
        .format = RASTER_R8G8B8A8_SRGB, .op = RASTER_SAMPLE, .dim = RASTER_DIM_2D};
    struct raster_image image = image_of(20, 1, 80, 0);
    struct util_image out;
    memcpy(key.swizzle, as_is, 4);
    for (uint32_t x = 0; x < 20; x++)
        util_store32(memory + 64 + 4 * x, x * 13 | (255 - x) << 8);
    assert_int_equal(draw(&(struct gpu_texels){.sampler_key = &key, .image = &image}, &out), 0);
    for (uint32_t x = 0; x < 20; x++)
        assert_pixel(&out, x, 0, (uint8_t)(x * 13), (uint8_t)(255 - x), 0);
    util_image_finish(&out);
    key.format = RASTER_R16G16_UINT;
    util_store32(memory + 64, 7 | 300u << 16);
    assert_int_equal(draw(&(struct gpu_texels){.sampler_key = &key, .image = &image}, &out), 0);
    assert_pixel(&out, 0, 0, 7, 255, 0);
    util_image_finish(&out);
}

/* ---- replaced ---- */

/* A picture of random bytes, opaque. */
static struct util_image noise(uint32_t width, uint32_t height)
{
    struct util_image image;
    uint32_t seed = width * 31 + height;
    assert_int_equal(util_image_init(&image, width, height), 0);
    for (size_t n = 0; n < 4ull * width * height; n++) {
        seed = seed * 1664525 + 1013904223;
        image.pixels[n] = n % 4 == 3 ? 255 : (uint8_t)(seed >> 24);
    }
    return image;
}

/* What the request reads after it was replaced; the levels' bytes stand in memory. */
static struct util_image replaced(const struct gpu_texels *texels, const struct util_image *picture,
                                  uint32_t levels)
{
    struct gpu_texels_level level[GPU_TEXELS_LEVELS];
    struct util_image out;
    uint32_t count;
    const uint32_t before = util_fpenv_enter();
    assert_int_equal(gpu_texels_replace(texels, picture, level, &count), 0);
    util_fpenv_leave(before);
    assert_int_equal(count, levels);
    for (uint32_t n = 0; n < count; n++) {
        assert_true(level[n].address + level[n].size <= sizeof memory);
        assert_memory_equal(memory + level[n].address, level[n].before, level[n].size);
        memcpy(memory + level[n].address, level[n].after, level[n].size);
        gpu_texels_level_finish(&level[n]);
    }
    assert_int_equal(draw(texels, &out), 0);
    return out;
}

static void assert_same(struct util_image a, struct util_image b)
{
    struct util_image_diff diff;
    assert_int_equal(a.width, b.width);
    assert_int_equal(a.height, b.height);
    assert_int_equal(util_image_compare(&a, &b, 0, 0, &diff), 0);
    assert_int_equal(diff.beyond, 0);
    util_image_finish(&a);
    util_image_finish(&b);
}

/* Of one byte of a channel, at a place of the picture. */
static unsigned channel(const struct util_image *picture, uint32_t x, uint32_t y)
{
    return pixel(picture, x, y)[1];
}

static void faces_are_replaced(void **state)
{
    struct raster_texture_key key = {.format = RASTER_R8G8B8A8_UNORM, .cube = 1, .mip = RASTER_MIP_LINEAR};
    struct raster_texture texture = texture_of(4, 4, 16);
    struct util_image picture = noise(24, 4);
    memset(memory, 0xa5, sizeof memory);
    texture.face_stride = 256;
    texture.level[1].width = texture.level[1].height = 2;
    texture.level[1].offset = 160;
    struct util_image is = replaced(&(struct gpu_texels){.key = &key, .texture = &texture}, &picture, 12);
    for (uint32_t face = 0; face < 6; face++) {
        const uint32_t left = 4 * face + 2; /* of the smaller level's texel (1, 0) */
        const unsigned sum = channel(&picture, left, 0) + channel(&picture, left + 1, 0) +
                             channel(&picture, left, 1) + channel(&picture, left + 1, 1);
        assert_int_equal(memory[160 + 256 * face + 4 + 1], (sum + 2) / 4);
        assert_int_equal(memory[160 + 256 * face + 8], 0xa5); /* between rows */
        assert_int_equal(memory[128 + 256 * face], 0xa5);     /* behind level 0 */
    }
    assert_same(is, picture);
}

static void volumes_are_replaced(void **state)
{
    struct raster_texture_key key = {.format = RASTER_R8G8B8A8_UNORM, .volume = 1, .mip = RASTER_MIP_LINEAR};
    struct raster_texture texture = texture_of(2, 2, 8);
    struct util_image picture = noise(8, 2);
    texture.level[0].depth = 4;
    texture.level[0].face_stride = 32;
    texture.level[1].depth = 2;
    texture.level[1].face_stride = 8;
    struct util_image is = replaced(&(struct gpu_texels){.key = &key, .texture = &texture}, &picture, 6);
    for (uint32_t slice = 0; slice < 2; slice++) {
        unsigned sum = 0;
        for (uint32_t n = 0; n < 8; n++)
            sum += channel(&picture, 4 * slice + n % 4, n / 4);
        assert_int_equal(memory[32 + 8 * slice + 1], (sum + 4) / 8);
    }
    assert_same(is, picture);
}

static void slices_of_images_are_replaced(void **state)
{
    static const struct {
        enum raster_dim dim;
        uint32_t layers, depth, slices, pieces;
    } rows[] = {{RASTER_DIM_2D, 1, 1, 1, 1},
                {RASTER_DIM_2D, 3, 1, 3, 3},
                {RASTER_DIM_CUBE, 1, 1, 6, 6},
                {RASTER_DIM_3D, 1, 4, 4, 4},
                {RASTER_DIM_1D, 2, 1, 2, 2}};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct raster_sampler_key key = {.format = RASTER_B8G8R8A8_UNORM,
                                         .op = RASTER_SAMPLE,
                                         .dim = rows[n].dim,
                                         .array = rows[n].layers > 1};
        const uint32_t height = rows[n].dim == RASTER_DIM_1D ? 1 : 4;
        struct raster_image image = image_of(4, height, 16, 64);
        struct util_image picture = noise(4 * rows[n].slices, height);
        memcpy(key.swizzle, as_is, 4);
        image.layers = rows[n].layers;
        image.level[0].depth = rows[n].depth;
        const struct gpu_texels texels = {.sampler_key = &key, .image = &image};
        assert_int_equal(gpu_texels_slices(&texels), rows[n].slices);
        assert_same(replaced(&texels, &picture, rows[n].pieces), picture);
    }
}

/* Colours of a block's halves that four bits hold, and shades 9 brighter, which a table has to 2. */
static void etc1_is_encoded(void **state)
{
    for (unsigned turned = 0; turned < 8; turned++) {
        struct raster_texture_key key = {
            .format = RASTER_ETC1_RGB8, .flip_y = turned & 1, .etc_flip = turned >> 1 & 1};
        struct raster_texture texture = texture_of(8, 8, 16);
        struct util_image picture;
        texture.level_count = 1;
        texture.max_level = 0;
        assert_int_equal(util_image_init(&picture, 8, 8), 0);
        for (uint32_t n = 0; n < 64; n++) {
            const uint32_t x = n % 8, y = n / 8, half = (turned & 4 ? x : y) / 2;
            const uint8_t shade = (x ^ y) & 1 ? 9 : 0;
            memcpy(picture.pixels + 4ull * n,
                   ((uint8_t[]){(uint8_t)(half * 51 + shade), (uint8_t)(102 + shade),
                                (uint8_t)(204 - half * 34 + shade), 255}),
                   4);
        }
        struct util_image is = replaced(&(struct gpu_texels){.key = &key, .texture = &texture}, &picture, 1);
        for (uint32_t n = 0; n < 64; n++)
            for (unsigned c = 0; c < 3; c++)
                assert_in_range(is.pixels[4 * n + c] + 256 - picture.pixels[4 * n + c], 256 - 2, 256 + 2);
        util_image_finish(&is);
        util_image_finish(&picture);
    }
}

static void what_cannot_be_replaced_is_told(void **state)
{
    struct raster_sampler_key key = {
        .format = RASTER_R8G8B8A8_UNORM, .op = RASTER_SAMPLE, .dim = RASTER_DIM_2D, .array = 1};
    struct raster_image image = image_of(4, 4, 16, 64);
    struct util_image picture = noise(28, 4);
    struct gpu_texels_level level[GPU_TEXELS_LEVELS];
    const struct gpu_texels texels = {.sampler_key = &key, .image = &image};
    uint32_t count;
    memcpy(key.swizzle, as_is, 4);
    image.layers = 7;
    assert_int_equal(gpu_texels_replace(&texels, &picture, level, &count), -ENOTSUP);
    image.layers = 6;
    assert_int_equal(gpu_texels_replace(&texels, &picture, level, &count), -ERANGE);
    assert_int_equal(count, 0);
    key.multisampled = 1;
    key.array = 0;
    assert_int_equal(gpu_texels_replace(&texels, &picture, level, &count), -ENOTSUP);
    assert_int_equal(gpu_texels_replace(&(struct gpu_texels){0}, &picture, level, &count), -ENOTSUP);
    util_image_finish(&picture);
}

/* ---- none ---- */

static void what_is_no_picture_is_told(void **state)
{
    struct raster_texture_key key = {.format = RASTER_R8G8B8A8_UNORM};
    struct raster_texture texture = texture_of(128, 128, 512);
    struct raster_sampler_key buffer = {.format = RASTER_R8G8B8A8_UNORM, .dim = RASTER_DIM_BUFFER};
    struct raster_image image = image_of(64, 1, 256, 0);
    struct util_image out;
    assert_int_equal(draw(&(struct gpu_texels){0}, &out), -ENOTSUP);
    assert_int_equal(draw(&(struct gpu_texels){.sampler_key = &buffer, .image = &image}, &out), -ENOTSUP);
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &out), -E2BIG);
    texture = texture_of(16, 16, 64);
    texture.level[0].offset = sizeof memory - 64;
    assert_int_equal(draw(&(struct gpu_texels){.key = &key, .texture = &texture}, &out), -EFAULT);
    assert_null(out.pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_stand_where_they_were_put),
        cmocka_unit_test(faces_are_side_by_side),
        cmocka_unit_test(halves_are_cut_to_bytes),
        cmocka_unit_test(faces_of_images_are_side_by_side),
        cmocka_unit_test(srgb_shows_its_bytes_and_integers_end_at_255),
        cmocka_unit_test(faces_are_replaced),
        cmocka_unit_test(volumes_are_replaced),
        cmocka_unit_test(slices_of_images_are_replaced),
        cmocka_unit_test(etc1_is_encoded),
        cmocka_unit_test(what_cannot_be_replaced_is_told),
        cmocka_unit_test(what_is_no_picture_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

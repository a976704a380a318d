/* gpu/texels.c: each pixel of a picture is the texel that was put there, of either sampler; what is no picture, and what is
 * too large, is told. */
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
        cmocka_unit_test(what_is_no_picture_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pictures for people out of images of every kind of format (gpu/picture.h): one pixel's bytes, and what shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gpu/picture.h"
#include "raster/targets.h"
#include "util/bits.h"

enum { BYTES = 1 << 16, ADDRESS = 0x1000, SIDE = 32 };

static const struct {
    uint32_t format, bytes;
    uint8_t pixel[16], rgba[4];
} rows[] = {
    {RASTER_R8G8B8A8_UNORM, 4, {1, 2, 3, 4}, {1, 2, 3, 4}},
    {RASTER_B8G8R8A8_UNORM, 4, {1, 2, 3, 4}, {3, 2, 1, 4}},
    {RASTER_B8G8R8X8_UNORM, 4, {1, 2, 3, 0}, {3, 2, 1, 255}},
    {RASTER_A8B8G8R8_UNORM, 4, {1, 2, 3, 4}, {4, 3, 2, 1}},
    {RASTER_R8G8B8A8_SRGB, 4, {1, 2, 200, 4}, {1, 2, 200, 4}},
    {RASTER_B8G8R8X8_SRGB, 4, {1, 2, 200, 4}, {200, 2, 1, 255}},
    {RASTER_R8G8B8_UNORM, 3, {1, 2, 3}, {1, 2, 3, 255}},
    {RASTER_R8G8_UNORM, 2, {1, 2}, {1, 2, 0, 255}},
    {RASTER_R8_UNORM, 1, {9}, {9, 0, 0, 255}},
    {RASTER_B5G6R5_UNORM, 2, {0x1f, 0xf8}, {255, 0, 255, 255}},
    {RASTER_R4G4B4A4_UNORM, 2, {0x21, 0x43}, {17, 34, 51, 68}},
    {RASTER_R10G10B10A2_UNORM, 4, {0xff, 0x03, 0x00, 0x40}, {255, 0, 0, 85}},
    {RASTER_R16G16B16A16_FLOAT, 8, {0, 0x3c, 0, 0x38, 0, 0xbc, 0, 0x44}, {255, 128, 0, 255}},
    {RASTER_R16_UINT, 2, {7, 1}, {255, 0, 0, 255}},
    {RASTER_R32G32B32A32_UINT, 16, {7, 0, 0, 0, 0, 1, 0, 0, 9, 0, 0, 0, 8}, {7, 255, 9, 8}},
    {RASTER_R16G16B16A16_SINT, 8, {7, 0, 0xff, 0xff, 0, 1, 5, 0}, {7, 0, 255, 5}},
};

static void each_format(void **state)
{
    static const uint32_t layouts[] = {RASTER_LINEAR, RASTER_UTGARD_TILED};
    struct gpu_memory m;
    assert_int_equal(gpu_memory_create(BYTES, &m), 0);
    for (unsigned n = 0; n < 2 * UTIL_ARRAY_SIZE(rows); n++) {
        const unsigned row = n / 2, x = 17, y = 5;
        const struct capture_frame frame = {
            .address = ADDRESS,
            .width = SIDE,
            .height = SIDE,
            .layout = layouts[n % 2],
            .format = rows[row].format,
            .stride = n % 2 ? SIDE / 16 : SIDE * rows[row].bytes,
        };
        const struct raster_surface surface = {
            .layout = frame.layout, .format = frame.format, .stride = frame.stride};
        uint8_t rgba[4], raw[SIDE * SIDE * 16];
        struct util_image image;
        memset(m.base, 0, BYTES);
        memcpy(m.base + ADDRESS + raster_surface_offset(&surface, x, y), rows[row].pixel, rows[row].bytes);
        assert_int_equal(gpu_picture_bytes(&frame), rows[row].bytes);
        assert_int_equal(gpu_picture(&m, &frame, &image), 0);
        assert_memory_equal(image.pixels + (y * SIDE + x) * 4, rows[row].rgba, 4);
        util_image_finish(&image);
        gpu_picture_pixel(&frame, rows[row].pixel, rgba);
        assert_memory_equal(rgba, rows[row].rgba, 4);
        assert_int_equal(gpu_picture_raw(&m, &frame, raw, SIDE * 16), 0);
        assert_memory_equal(raw + y * SIDE * 16 + x * rows[row].bytes, rows[row].pixel, rows[row].bytes);
    }
    gpu_memory_destroy(&m);
}

/* Depth, blocks, numbers beyond all formats; images that are not within memory. */
static void what_is_none(void **state)
{
    static const uint32_t formats[] = {
        RASTER_FORMAT_NONE, RASTER_S8_UINT_Z24_UNORM, RASTER_Z32_FLOAT, RASTER_ETC1_RGB8,
        RASTER_YUYV,        RASTER_FORMAT_COUNT,      UINT32_MAX};
    struct gpu_memory m;
    struct util_image image;
    struct capture_frame frame = {.address = ADDRESS, .width = SIDE, .height = SIDE, .stride = SIDE * 16};
    assert_int_equal(gpu_memory_create(BYTES, &m), 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(formats); n++) {
        frame.format = formats[n];
        assert_int_equal(gpu_picture_bytes(&frame), 0);
        assert_int_equal(gpu_picture(&m, &frame, &image), -EINVAL);
    }
    frame.format = RASTER_R32G32B32A32_UINT;
    frame.address = BYTES - SIDE * SIDE * 16 + 1;
    assert_int_equal(gpu_picture(&m, &frame, &image), -EFAULT);
    frame.address--;
    assert_int_equal(gpu_picture(&m, &frame, &image), 0);
    util_image_finish(&image);
    gpu_memory_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_format), cmocka_unit_test(what_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

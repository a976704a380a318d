#include "util/y4m.h"

#include <stdio.h>
#include <string.h>

#include "util/bits.h"

#define BEGIN "FRAME\n"
#define BLACK 16
#define GREY  128 /* no colour */

size_t util_y4m_header(uint32_t width, uint32_t height, uint32_t rate, uint32_t per,
                       char out[UTIL_Y4M_HEADER_MAX])
{
    int length = snprintf(out, UTIL_Y4M_HEADER_MAX, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C444\n", width, height,
                          rate, per);
    return (size_t)length;
}

size_t util_y4m_picture_bytes(uint32_t width, uint32_t height)
{
    return strlen(BEGIN) + (size_t)width * height * 3;
}

/* BT.601 with factors of 8 bits, rounded. */
static void convert_row(const uint8_t *from, uint32_t count, uint8_t *luma, uint8_t *blue, uint8_t *red)
{
    for (uint32_t x = 0; x < count; x++) {
        const int r = from[4 * x], g = from[4 * x + 1], b = from[4 * x + 2];
        luma[x] = (uint8_t)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
        blue[x] = (uint8_t)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
        red[x] = (uint8_t)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }
}

void util_y4m_picture(const struct util_image *image, uint32_t width, uint32_t height, uint8_t *out)
{
    const size_t plane = (size_t)width * height;
    uint8_t *luma = out + strlen(BEGIN), *blue = luma + plane, *red = blue + plane;
    const uint32_t columns = UTIL_MIN(width, image->width);
    memcpy(out, BEGIN, strlen(BEGIN));
    if (image->width < width || image->height < height) {
        memset(luma, BLACK, plane);
        memset(blue, GREY, 2 * plane);
    }
    for (uint32_t y = 0; y < UTIL_MIN(height, image->height); y++) {
        const size_t row = (size_t)y * width;
        convert_row(image->pixels + 4 * (size_t)y * image->width, columns, luma + row, blue + row, red + row);
    }
}

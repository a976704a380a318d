#include "tools/draw.h"

#include <stdlib.h>

#include "util/bits.h"

void draw_put(struct util_image *image, int64_t x, int64_t y, uint32_t color)
{
    if (x < 0 || y < 0 || x >= image->width || y >= image->height)
        return;
    uint8_t *to = image->pixels + ((size_t)y * image->width + (size_t)x) * 4;
    to[0] = (uint8_t)(color >> 16);
    to[1] = (uint8_t)(color >> 8);
    to[2] = (uint8_t)color;
    to[3] = 255;
}

void draw_fill(struct util_image *image, int64_t x, int64_t y, uint32_t w, uint32_t h, uint32_t color)
{
    for (int64_t v = y; v < y + h; v++)
        for (int64_t u = x; u < x + w; u++)
            draw_put(image, u, v, color);
}

void draw_line(struct util_image *image, int x0, int y0, int x1, int y1, unsigned width, uint32_t color)
{
    const int steps = UTIL_MAX(UTIL_MAX(abs(x1 - x0), abs(y1 - y0)), 1);
    for (int i = 0; i <= steps; i++)
        draw_fill(image, x0 + (x1 - x0) * i / steps - (int)width / 2,
                  y0 + (y1 - y0) * i / steps - (int)width / 2, width, width, color);
}

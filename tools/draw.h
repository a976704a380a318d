/* Pictures of figures: colours, and rectangles of them; text is font.h's. */
#ifndef VITRAIL_TOOLS_DRAW_H
#define VITRAIL_TOOLS_DRAW_H

#include "util/image.h"

/* 0xRRGGBB */
#define DRAW_TEXT       0xe8e8e8u
#define DRAW_FAINT      0x9a9aa5u
#define DRAW_GRID       0x2c2c36u
#define DRAW_BACKGROUND 0x16161cu

/* What lies outside the image is cut. */
void draw_put(struct util_image *image, int64_t x, int64_t y, uint32_t color);
void draw_fill(struct util_image *image, int64_t x, int64_t y, uint32_t w, uint32_t h, uint32_t color);
/* `width` pixels wide, from a pixel to another. */
void draw_line(struct util_image *image, int x0, int y0, int x1, int y1, unsigned width, uint32_t color);

#endif

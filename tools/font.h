/* A small font for pictures with labels: 5 by 7 pixels, a column and a row of space around. */
#ifndef VITRAIL_TOOLS_FONT_H
#define VITRAIL_TOOLS_FONT_H

#include "util/image.h"

#define FONT_WIDTH  6
#define FONT_HEIGHT 9

/* Writes `text` with its upper left corner at (x, y), every pixel `scale` wide; colour 0xRRGGBB. What lies
 * outside the image is cut; characters that the font lacks show as '?'. */
void font_draw(struct util_image *image, int x, int y, unsigned scale, uint32_t color, const char *text);
int font_width(const char *text, unsigned scale); /* pixels */

#endif

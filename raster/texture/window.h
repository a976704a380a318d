/* What compiled code that keeps windows of an image in registers (window_ir.h) takes from a level as it is. Pairs: x
 * in the low half, y in the high. Of sides of 1 to 65536 texels. */
#ifndef VITRAIL_RASTER_TEXTURE_WINDOW_H
#define VITRAIL_RASTER_TEXTURE_WINDOW_H

#include <stdint.h>

struct raster_window {
    uint32_t last_utile; /* pair, in utiles of 4x4 texels */
    uint32_t last_start; /* pair: the first texel of the last utile but one, or of the only one */
};

void raster_window_prepare(uint32_t width, uint32_t height, struct raster_window *out);

#endif

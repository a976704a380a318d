#include "raster/texture/window.h"

void raster_window_prepare(uint32_t width, uint32_t height, struct raster_window *out)
{
    const uint32_t size[2] = {width, height};

    *out = (struct raster_window){0};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t utile = (size[k] - 1) >> 2, start = utile ? (utile - 1) << 2 : 0;

        out->last_utile |= utile << 16 * k;
        out->last_start |= start << 16 * k;
    }
}

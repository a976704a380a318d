/* Stores of tiles that nothing was drawn on. */
#include "gpu/utgard/writeback.h"
#include "raster/fill.h"
#include "raster/texture/texture.h"
#include "util/bits.h"

#define TILE 16u /* pixels a side */

struct area {
    const struct utgard_wb *wb;
    uint8_t *plane;
    uint32_t x0, y0, x1, y1; /* pixels of the image, exclusive upper ends */
    struct raster_fill fill;
};

static void fill_rows(struct area *a)
{
    uint32_t bytes = utgard_wb_bytes(a->wb->format);

    for (uint32_t y = a->y0; y < a->y1; y++)
        raster_fill_add(&a->fill, a->plane + (size_t)y * a->wb->pitch + (size_t)a->x0 * bytes,
                        (size_t)(a->x1 - a->x0) * bytes);
}

/* What the area has of a square of 16, 4 or 1 pixels a side at a multiple of that: each stands in one piece.
 */
static void fill_square(struct area *a, uint32_t x, uint32_t y, uint32_t side)
{
    uint32_t bytes = utgard_wb_bytes(a->wb->format), step = side / 4;

    if (x >= a->x1 || y >= a->y1 || x + side <= a->x0 || y + side <= a->y0)
        return;
    if (x >= a->x0 && y >= a->y0 && x + side <= a->x1 && y + side <= a->y1) {
        raster_fill_add(&a->fill,
                        a->plane + raster_texel_offset(RASTER_UTGARD_TILED, bytes, a->wb->pitch, x, y),
                        (size_t)side * side * bytes);
        return;
    }
    for (uint32_t n = 0; n < 16; n++)
        fill_square(a, x + n % 4 * step, y + n / 4 * step, step);
}

static void fill_tiles(struct area *a)
{
    for (uint32_t y = a->y0 & ~(TILE - 1); y < a->y1; y += TILE)
        for (uint32_t x = a->x0 & ~(TILE - 1); x < a->x1; x += TILE)
            fill_square(a, x, y, TILE);
}

void utgard_wb_store_uniform(const struct utgard_wb *wb, uint8_t *memory, const struct raster_rect *pixels,
                             uint32_t word)
{
    struct area a = {.wb = wb,
                     .x0 = (uint32_t)pixels->x0 >> wb->shrink_x,
                     .y0 = (uint32_t)pixels->y0 >> wb->shrink_y,
                     .x1 = UTIL_MIN((uint32_t)pixels->x1 >> wb->shrink_x, wb->width),
                     .y1 = UTIL_MIN((uint32_t)pixels->y1 >> wb->shrink_y, wb->height),
                     .fill = {.word = utgard_wb_pixels(wb, word)}};

    if (wb->source == UTGARD_WB_OFF || a.x0 >= a.x1 || a.y0 >= a.y1)
        return;
    for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++) {
        a.plane = memory + wb->address + (uint64_t)k * wb->sample_pitch;
        if (wb->samples ? wb->samples >> k & 1 : k == 0)
            (wb->tiled ? fill_tiles : fill_rows)(&a);
    }
    raster_fill_flush(&a.fill);
}

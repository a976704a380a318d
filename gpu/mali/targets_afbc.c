/* Tiles stored to AFBC images: pixel by pixel into superblocks that are not compressed. */
#include <string.h>

#include "gpu/mali/targets.h"
#include "util/bits.h"

enum { PIXEL_BYTES = 4 };

/* Between a tile's rows, `row` bytes apart, and the image: out of it, or into it. */
static void move(const struct mali_afbc_target *to, const struct raster_rect *part, uint8_t *rows,
                 uint32_t row, bool out)
{
    const uint32_t bytes = to->image.bytes;
    for (int32_t y = part->y0; y < part->y1; y++)
        for (int32_t x = part->x0; x < part->x1; x++) {
            uint8_t *pixel = mali_afbc_pixel(to, (uint32_t)x, (uint32_t)y),
                    *at = rows + (size_t)(y - part->y0) * row + (size_t)(x - part->x0) * bytes;
            memcpy(out ? at : pixel, out ? pixel : at, bytes);
        }
}

static void open_superblocks(const struct gpu_space *space, const struct mali_afbc_target *to,
                             const struct raster_rect *part)
{
    const uint32_t width = to->image.block_width, height = to->image.block_height;
    for (uint32_t y = (uint32_t)part->y0 / height; y * height < (uint32_t)part->y1; y++)
        for (uint32_t x = (uint32_t)part->x0 / width; x * width < (uint32_t)part->x1; x++)
            mali_afbc_open(space, to, x, y);
}

void mali_targets_store_afbc(const struct mali_targets *targets, const struct mali_store *s,
                             const struct raster_tile *tile)
{
    uint8_t rows[RASTER_TILE_WORDS * PIXEL_BYTES];
    const struct raster_rect part = {tile->x, tile->y,
                                     UTIL_MIN(tile->x + (int32_t)tile->width, (int32_t)s->surface.width),
                                     UTIL_MIN(tile->y + (int32_t)tile->height, (int32_t)s->surface.height)};
    const uint32_t row = tile->width * s->to.image.bytes;
    if (part.x0 >= part.x1 || part.y0 >= part.y1)
        return;
    open_superblocks(targets->space, &s->to, &part);
    move(&s->to, &part, rows, row, true); /* stores of depth or stencil alone leave the other */
    /* A linear image whose pixel (tile->x, tile->y) is the first of `rows`. */
    struct raster_surface linear = s->surface;
    linear.layout = RASTER_LINEAR;
    linear.stride = row;
    linear.base =
        (uint8_t *)((uintptr_t)rows - raster_surface_offset(&linear, (uint32_t)tile->x, (uint32_t)tile->y));
    raster_targets_store(&targets->tile, tile, s->of, &linear, s->first, s->count);
    move(&s->to, &part, rows, row, false);
}

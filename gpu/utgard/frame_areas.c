/* Tiles of a frame as areas: a block of the PLBU's, or what of it lies in one square of the tile buffer, has
 * one list, and is drawn at once whichever processors own its tiles. */
#include <stdlib.h>

#include "gpu/utgard/frame_internal.h"

#define SIDE 4u /* tiles: 64 pixels */

static const struct utgard_tile *tile_at(const struct utgard_run *run, uint32_t x, uint32_t y)
{
    uint32_t n = run->tile_at[y * UTGARD_TILES + x];

    return n ? &run->frame->tiles[n - 1] : NULL;
}

/* Whether all tiles of the area are the frame's, and have its list. */
static bool is_full(const struct utgard_run *run, const struct utgard_area *area)
{
    for (uint32_t y = area->y; y < area->y + (uint32_t)area->height; y++)
        for (uint32_t x = area->x; x < area->x + (uint32_t)area->width; x++) {
            const struct utgard_tile *tile = tile_at(run, x, y);

            if (!tile || tile->list != area->list)
                return false;
        }
    return true;
}

/* The tiles of the square about `tile` that share its list, when they are a rectangle; or the tile alone. */
static struct utgard_area area_of(const struct utgard_run *run, const struct utgard_tile *tile)
{
    uint32_t left = tile->x & ~(SIDE - 1), top = tile->y & ~(SIDE - 1);
    uint32_t x0 = tile->x, y0 = tile->y, x1 = x0, y1 = y0;
    struct utgard_area area;

    for (uint32_t y = top; y < top + SIDE; y++)
        for (uint32_t x = left; x < left + SIDE; x++) {
            const struct utgard_tile *other = tile_at(run, x, y);

            if (!other || other->list != tile->list || run->frame->observer)
                continue;
            x0 = x < x0 ? x : x0;
            x1 = x > x1 ? x : x1;
            y0 = y < y0 ? y : y0;
            y1 = y > y1 ? y : y1;
        }
    area = (struct utgard_area){(uint8_t)x0, (uint8_t)y0, (uint8_t)(x1 - x0 + 1), (uint8_t)(y1 - y0 + 1),
                                tile->list};
    if (!is_full(run, &area))
        area = (struct utgard_area){(uint8_t)tile->x, (uint8_t)tile->y, 1, 1, tile->list};
    return area;
}

bool utgard_areas_make(struct utgard_run *run)
{
    const struct utgard_pp_frame *frame = run->frame;
    uint8_t *taken = calloc(UTGARD_TILES, UTGARD_TILES);

    run->tile_at = calloc((size_t)UTGARD_TILES * UTGARD_TILES, sizeof *run->tile_at);
    run->areas = malloc((frame->tile_count + 1) * sizeof *run->areas);
    if (!taken || !run->tile_at || !run->areas) {
        free(taken);
        return false;
    }
    for (uint32_t n = 0; n < frame->tile_count; n++)
        run->tile_at[frame->tiles[n].y * UTGARD_TILES + frame->tiles[n].x] = n + 1;
    for (uint32_t n = 0; n < frame->tile_count; n++) {
        const struct utgard_tile *tile = &frame->tiles[n];
        struct utgard_area area;

        if (tile_at(run, tile->x, tile->y) != tile || taken[tile->y * UTGARD_TILES + tile->x])
            continue;
        area = area_of(run, tile);
        for (uint32_t y = area.y; y < area.y + (uint32_t)area.height; y++)
            for (uint32_t x = area.x; x < area.x + (uint32_t)area.width; x++)
                taken[y * UTGARD_TILES + x] = 1;
        run->areas[run->area_count++] = area;
    }
    free(taken);
    return true;
}

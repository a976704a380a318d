/* Tiles of a frame as areas: a square of the tile buffer, or what of it has one list, is drawn at once
 * whoever owns its tiles. */
#include <stdlib.h>
#include <string.h>

#include "gpu/frame_internal.h"
#include "util/bits.h"

#define SIDE 4u  /* tiles: 64 pixels */
#define WIDE 32u /* tiles of an area that nothing is drawn on, at most: other workers want some, too */
#define NONE UINT64_MAX

/* The list of the tile at (x, y); NONE: the frame has no such tile. */
static uint64_t list_at(const struct gpu_frame *frame, uint32_t x, uint32_t y)
{
    const struct gpu_frame_run *run = frame->run;
    uint32_t n = x < run->columns && y < run->rows ? run->tile_at[y * run->columns + x] : 0;

    return n ? run->lists[n - 1] : NONE;
}

/* Whether all tiles of the area are the frame's, and have its list. */
static bool is_full(const struct gpu_frame *frame, const struct gpu_frame_area *area)
{
    for (uint32_t y = area->y; y < area->y + (uint32_t)area->height; y++)
        for (uint32_t x = area->x; x < area->x + (uint32_t)area->width; x++) {
            if (list_at(frame, x, y) != area->list)
                return false;
        }
    return true;
}

/* The tiles of the square about tile n that share its list, when they are a rectangle; or the tile alone. */
static struct gpu_frame_area area_of(const struct gpu_frame *frame, uint32_t n)
{
    const struct gpu_tile *tile = &frame->tiles[n];
    uint32_t list = frame->run->lists[n];
    uint32_t left = tile->x & ~(SIDE - 1), top = tile->y & ~(SIDE - 1);
    uint32_t x0 = tile->x, y0 = tile->y, x1 = x0, y1 = y0;
    struct gpu_frame_area area;

    for (uint32_t y = top; y < top + SIDE; y++)
        for (uint32_t x = left; x < left + SIDE; x++) {
            if (list_at(frame, x, y) != list || frame->observer)
                continue;
            x0 = UTIL_MIN(x0, x);
            x1 = UTIL_MAX(x1, x);
            y0 = UTIL_MIN(y0, y);
            y1 = UTIL_MAX(y1, y);
        }
    area = (struct gpu_frame_area){(uint16_t)x0, (uint16_t)y0, (uint16_t)(x1 - x0 + 1),
                                   (uint16_t)(y1 - y0 + 1), list};
    if (!is_full(frame, &area))
        area = (struct gpu_frame_area){(uint16_t)tile->x, (uint16_t)tile->y, 1, 1, list};
    return area;
}

/* Whether tile n begins a whole square whose tiles have its list, as most have where lists are of squares: *out. Rows of
 * a square's tiles have numbers that follow each other. */
static bool takes_square(const struct gpu_frame *frame, uint32_t n, bool *taken, struct gpu_frame_area *out)
{
    const struct gpu_frame_run *run = frame->run;
    const struct gpu_tile *tile = &frame->tiles[n];
    const uint32_t x = tile->x, y = tile->y, list = run->lists[n];
    uint32_t first[SIDE];
    if (x % SIDE || y % SIDE || x + SIDE > run->columns || y + SIDE > run->rows || frame->observer)
        return false;
    for (uint32_t row = 0; row < SIDE; row++) {
        const uint32_t *at = &run->tile_at[(y + row) * run->columns + x];
        bool same = at[0];
        first[row] = at[0] - 1;
        for (uint32_t k = 0; same && k < SIDE; k++)
            same = at[k] == at[0] + k && run->lists[first[row] + k] == list;
        if (!same)
            return false;
    }
    for (uint32_t row = 0; row < SIDE; row++)
        memset(taken + first[row], true, SIDE);
    *out = (struct gpu_frame_area){(uint16_t)x, (uint16_t)y, SIDE, SIDE, list};
    return true;
}

/* Squares that nothing is drawn on are filled together, where one is at the right of the other: in longer runs of memory. */
static void add(struct gpu_frame_run *run, const struct gpu_frame_area *area)
{
    struct gpu_frame_area *last = run->area_count ? &run->areas[run->area_count - 1] : NULL;

    if (last && area->list == GPU_TILE_EMPTY && last->list == GPU_TILE_EMPTY && last->y == area->y &&
        last->height == area->height && last->x + last->width == area->x &&
        last->width + (uint32_t)area->width <= WIDE)
        last->width = (uint16_t)(last->width + area->width);
    else
        run->areas[run->area_count++] = *area;
}

static bool allocate(const struct gpu_frame *frame)
{
    struct gpu_frame_run *run = frame->run;

    for (uint32_t n = 0; n < frame->tile_count; n++) {
        run->columns = UTIL_MAX(run->columns, frame->tiles[n].x + 1);
        run->rows = UTIL_MAX(run->rows, frame->tiles[n].y + 1);
    }
    run->tile_at = calloc((size_t)run->columns * run->rows + 1, sizeof *run->tile_at);
    run->areas = malloc((frame->tile_count + 1) * sizeof *run->areas);
    run->lists = malloc((frame->tile_count + 1) * sizeof *run->lists);
    return run->tile_at && run->areas && run->lists;
}

bool gpu_frame_areas_make(struct gpu_frame *frame)
{
    const struct gpu_tile_reader *reader = &frame->reader;
    struct gpu_frame_run *run = frame->run;
    bool *taken = calloc(frame->tile_count + 1, sizeof *taken);

    if (!taken || !allocate(frame)) {
        free(taken);
        return false;
    }
    for (uint32_t n = 0; n < frame->tile_count; n++) {
        const struct gpu_tile *tile = &frame->tiles[n];

        run->tile_at[tile->y * run->columns + tile->x] = n + 1;
        if (n && tile->list == tile[-1].list)
            run->lists[n] = run->lists[n - 1];
        else
            run->lists[n] = reader->resolve && tile->list != GPU_TILE_EMPTY
                                ? reader->resolve(reader->ctx, tile->list)
                                : tile->list;
    }
    for (uint32_t n = 0; n < frame->tile_count; n++) {
        const struct gpu_tile *tile = &frame->tiles[n];
        struct gpu_frame_area area;

        if (run->tile_at[tile->y * run->columns + tile->x] != n + 1 || taken[n])
            continue;
        if (takes_square(frame, n, taken, &area)) {
            add(run, &area);
            continue;
        }
        area = area_of(frame, n);
        for (uint32_t y = area.y; y < area.y + (uint32_t)area.height; y++)
            for (uint32_t x = area.x; x < area.x + (uint32_t)area.width; x++)
                taken[run->tile_at[y * run->columns + x] - 1] = true;
        run->areas[run->area_count++] = area;
    }
    free(taken);
    return true;
}

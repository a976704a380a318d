/* Headers of tile lists. */
#include "gpu/mali/tile_lists.h"

#include <string.h>

#include "util/bits.h"

_Static_assert(sizeof(struct mali_lists_header) == 32, "it is laid out in guest memory");
_Static_assert(sizeof(struct mali_list) == 24, "it is laid out in guest memory");

struct mali_lists_place mali_lists_of_context(enum mali_version version,
                                              const struct mali_tiler_context *context)
{
    struct mali_lists_place place = {.heap_start = context->heap.bottom,
                                     .heap_end = context->heap.top,
                                     .width = context->tiler.fb_width,
                                     .height = context->tiler.fb_height};
    if (context->address)
        place.header = context->address + mali_frame_at(version, MALI_FRAME_STATE);
    return place;
}

/* A heap of nothing says that there are no draws (Mesa's pan_cs.c): the polygon list need not be one then. */
static struct mali_lists_place place_in_frame(const struct mali_frame *frame)
{
    const struct mali_tiler *t = &frame->tiler;
    return (struct mali_lists_place){.header = t->heap_start == t->heap_end ? 0 : t->polygon_list,
                                     .heap_start = t->heap_start,
                                     .heap_end = t->heap_end};
}

struct mali_lists_place mali_lists_of_frame(enum mali_version version, const struct mali_frame *frame)
{
    struct mali_lists_place place =
        version <= MALI_V5 ? place_in_frame(frame) : mali_lists_of_context(version, &frame->context);
    mali_frame_size(version, frame, &place.width, &place.height);
    return place;
}

bool mali_lists_header_read(const struct gpu_space *space, const struct mali_lists_place *place,
                            const char *unit, struct mali_lists_header *out, struct mali_stop *stop)
{
    *out = (struct mali_lists_header){0};
    if (!place->header)
        return true;
    const uint8_t *at =
        mali_at(space, place->header, sizeof *out, GPU_RIGHT_READ, unit, "polygon list", stop);
    if (!at)
        return false;
    memcpy(out, at, sizeof *out);
    if (!out->mark) { /* a driver zeroes no more than that: the rest is whatever the memory had before */
        *out = (struct mali_lists_header){0};
        return true;
    }
    if (out->mark == MALI_LISTS_MARK && out->columns == util_div_up(place->width, MALI_LIST_PIXELS) &&
        out->rows == util_div_up(place->height, MALI_LIST_PIXELS) && out->columns <= MALI_LISTS_A_SIDE &&
        out->rows <= MALI_LISTS_A_SIDE)
        return true;
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_LIST, unit, place->header,
                         "the polygon list is none of a frame of %ux%u", place->width, place->height);
}

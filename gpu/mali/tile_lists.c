/* Headers of tile lists. */
#include "gpu/mali/tile_lists.h"

#include <string.h>

#include "util/bits.h"

_Static_assert(sizeof(struct mali_lists_header) == 32, "it is laid out in guest memory");
_Static_assert(sizeof(struct mali_list) == 24, "it is laid out in guest memory");

void mali_frame_size(enum mali_version version, const struct mali_frame *frame, uint32_t *width,
                     uint32_t *height)
{
    *width = version == MALI_V4 ? frame->single.bound_max_x + 1 : frame->several.width;
    *height = version == MALI_V4 ? frame->single.bound_max_y + 1 : frame->several.height;
}

bool mali_lists_header_read(const struct gpu_space *space, enum mali_version version,
                            const struct mali_frame *frame, const char *unit, struct mali_lists_header *out,
                            struct mali_stop *stop)
{
    const struct mali_tiler *t = &frame->tiler;
    uint32_t width, height;
    mali_frame_size(version, frame, &width, &height);
    *out = (struct mali_lists_header){0};
    if (t->heap_start == t->heap_end) /* a frame without draws (Mesa's pan_cs.c): its list need not be one */
        return true;
    const uint8_t *at =
        mali_at(space, t->polygon_list, sizeof *out, GPU_RIGHT_READ, unit, "polygon list", stop);
    if (!at)
        return false;
    memcpy(out, at, sizeof *out);
    if (!out->mark)
        return true;
    if (out->mark == MALI_LISTS_MARK && out->columns == util_div_up(width, MALI_LIST_PIXELS) &&
        out->rows == util_div_up(height, MALI_LIST_PIXELS) && out->columns <= MALI_LISTS_A_SIDE &&
        out->rows <= MALI_LISTS_A_SIDE)
        return true;
    return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_LIST, unit, t->polygon_list,
                         "the polygon list is none of a frame of %ux%u", width, height);
}

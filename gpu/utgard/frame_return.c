/* Areas whose list gives them what their image has there already: drivers reload all of a frame, and draw on
 * a part of it. Such an area is neither drawn nor stored. */
#include "gpu/utgard/frame_internal.h"
#include "util/bits.h"

/* The image's unit, if it is the only one that stores, and of whole pixels of four bytes as they are. */
static const struct utgard_wb *only_image(const struct utgard_run *run)
{
    const struct utgard_wb *only = NULL;

    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        const struct utgard_wb *wb = &run->wb[n];

        if (wb->source == UTGARD_WB_OFF)
            continue;
        if (only || wb->source != UTGARD_WB_COLOR || wb->image.format != RASTER_R8G8B8A8_UNORM ||
            wb->image.big_endian || wb->average.shrink_x || wb->average.shrink_y)
            return NULL;
        only = wb;
    }
    return only;
}

/* Whether texels are the image's pixels: from its place, in its layout, and their bytes go back to where they
 * came from. */
static bool is_image(const struct utgard_frag_copied *from, const struct utgard_wb *wb)
{
    static const uint8_t turned[4] = {2, 1, 0, 3}, as_is[4] = {0, 1, 2, 3};
    const uint8_t *stored = wb->image.swap ? turned : as_is; /* the colour's channel that each byte is of */

    for (unsigned n = 0; n < 4; n++)
        if (from->swizzle[stored[n]] != n)
            return false;
    return from->image->offset == wb->address && from->image->stride == wb->image.stride &&
           from->image->layout == wb->image.layout;
}

/* Pixels of the area that the image has. */
static struct raster_rect pixels_of(const struct utgard_area *area, const struct utgard_wb *wb)
{
    return (struct raster_rect){
        .x0 = area->x * (int32_t)UTGARD_TILE,
        .y0 = area->y * (int32_t)UTGARD_TILE,
        .x1 = (int32_t)UTIL_MIN((area->x + area->width) * UTGARD_TILE, wb->image.width),
        .y1 = (int32_t)UTIL_MIN((area->y + area->height) * UTGARD_TILE, wb->image.height),
    };
}

static bool holds(float x0, float y0, float x1, float y1, const struct raster_rect *inner)
{
    return x0 <= (float)inner->x0 && y0 <= (float)inner->y0 && x1 >= (float)inner->x1 &&
           y1 >= (float)inner->y1;
}

/* Whether the rectangle covers all pixels, and its varyings s and t are their places. */
static bool lays_out(const struct utgard_run *run, const struct tiler_item *item,
                     const struct utgard_tile_state *state, const struct utgard_frag *frag,
                     const struct utgard_frag_copied *from, const struct raster_rect *pixels)
{
    struct gpu_space_run near = {0};
    float x[3], y[3], vary[RASTER_MAX_VARYINGS];
    struct gpu_fault unheard;

    for (unsigned n = 0; n < 3; n++) {
        const uint8_t *at =
            gpu_space_at(run->frame->space, state->positions + item->index[n] * 16ull, 16, GPU_RIGHT_READ);

        if (!at || !utgard_frag_fetch(frag, run->frame->space, &near, item->index[n], vary, &unheard))
            return false;
        x[n] = util_u2f(util_load32(at));
        y[n] = util_u2f(util_load32(at + 4));
        if (vary[from->s] != x[n] || vary[from->t] != y[n] || util_u2f(util_load32(at + 12)) != 1.0f)
            return false;
    }
    if (!(x[0] == x[1] && y[1] == y[2]) && !(y[0] == y[1] && x[1] == x[2]))
        return false;
    return holds(UTIL_MIN(x[0], x[2]), UTIL_MIN(y[0], y[2]), UTIL_MAX(x[0], x[2]), UTIL_MAX(y[0], y[2]),
                 pixels);
}

/* A state, one rectangle, and the end. */
static bool read_rectangle(const struct utgard_run *run, uint32_t list, struct utgard_tile_state *state,
                           struct tiler_item *item)
{
    const struct utgard_tile_reader *reader = &run->frame->reader;
    struct tiler_cursor cursor = tiler_list_begin(list);
    struct tiler_item end;
    struct utgard_tile_state other;
    struct gpu_fault unheard;

    return reader->next(reader->ctx, &cursor, item, state, &unheard) && item->kind == TILER_ITEM_STATE &&
           reader->next(reader->ctx, &cursor, item, &other, &unheard) && item->kind == TILER_ITEM_RECTANGLE &&
           !item->clipped && reader->next(reader->ctx, &cursor, &end, &other, &unheard) &&
           end.kind == TILER_ITEM_END;
}

bool utgard_area_returns(struct utgard_run *run, const struct utgard_area *area, struct utgard_worker *w)
{
    const struct utgard_wb *wb = only_image(run);
    struct utgard_tile_state state;
    struct tiler_item item;
    struct utgard_frag_copied from;
    const struct utgard_draw *draw;
    struct gpu_fault unheard;
    struct raster_rect pixels;
    uint64_t blocks;

    if (!wb || !read_rectangle(run, area->list, &state, &item))
        return false;
    draw = utgard_draw_get(run, state.rsw, 1, false, &unheard);
    if (!draw || !utgard_frag_copies(draw->frag, &from) || !is_image(&from, wb))
        return false;
    pixels = pixels_of(area, wb);
    if (pixels.x0 >= pixels.x1 || pixels.y0 >= pixels.y1 ||
        !holds((float)state.clip.x0, (float)state.clip.y0, (float)state.clip.x1, (float)state.clip.y1,
               &pixels) ||
        pixels.x1 > (int32_t)from.image->width || pixels.y1 > (int32_t)from.image->height ||
        !lays_out(run, &item, &state, draw->frag, &from, &pixels))
        return false;
    blocks = (uint64_t)util_div_up((uint32_t)(pixels.x1 - pixels.x0), 4) *
             util_div_up((uint32_t)(pixels.y1 - pixels.y0), 4);
    w->raster.work.blocks += blocks;
    w->raster.work.executed += blocks;
    return true;
}

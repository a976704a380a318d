/* Areas whose list gives them what their image has there already: drivers reload all of a frame, and draw on
 * a part of it. Such an area is neither drawn nor stored. */
#include "gpu/frame_internal.h"
#include "util/bits.h"

/* Whether texels are the image's pixels: from its place, in its layout, and their bytes go back to where they
 * came from. */
static bool is_image(const struct gpu_frame_copied *from, const struct gpu_frame_image *image)
{
    for (unsigned n = 0; n < 4; n++)
        if (from->swizzle[image->channel[n]] != n)
            return false;
    return from->image->offset == image->address && from->image->stride == image->pitch &&
           from->image->layout == image->layout;
}

/* Pixels of the area that the image has. */
static struct raster_rect pixels_of(const struct gpu_frame_area *area, const struct gpu_frame_image *image)
{
    return (struct raster_rect){
        .x0 = area->x * (int32_t)GPU_TILE,
        .y0 = area->y * (int32_t)GPU_TILE,
        .x1 = (int32_t)UTIL_MIN((area->x + area->width) * GPU_TILE, image->width),
        .y1 = (int32_t)UTIL_MIN((area->y + area->height) * GPU_TILE, image->height),
    };
}

static bool holds(float x0, float y0, float x1, float y1, const struct raster_rect *inner)
{
    return x0 <= (float)inner->x0 && y0 <= (float)inner->y0 && x1 >= (float)inner->x1 &&
           y1 >= (float)inner->y1;
}

/* Whether the rectangle covers all pixels, and its varyings s and t are their places. */
static bool lays_out(const struct gpu_frame *frame, const struct tiler_item *item,
                     const struct gpu_tile_state *state, const struct gpu_frame_draw *draw,
                     const struct gpu_frame_copied *from, const struct raster_rect *pixels)
{
    struct gpu_space_run near = {0};
    float x[3], y[3], vary[RASTER_MAX_VARYINGS];
    struct gpu_fault unheard;

    for (unsigned n = 0; n < 3; n++) {
        const uint8_t *at =
            gpu_space_at(frame->space, state->positions + item->index[n] * 16ull, 16, GPU_RIGHT_READ);

        if (!at || !frame->family->fetch(draw, frame->space, &near, item->index[n], vary, &unheard))
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
static bool read_rectangle(const struct gpu_frame *frame, uint32_t list, struct gpu_tile_state *state,
                           struct tiler_item *item)
{
    const struct gpu_tile_reader *reader = &frame->reader;
    struct tiler_cursor cursor = tiler_list_begin(list);
    struct tiler_item end;
    struct gpu_tile_state other;
    struct gpu_fault unheard;

    return reader->next(reader->ctx, &cursor, item, state, &unheard) && item->kind == TILER_ITEM_STATE &&
           reader->next(reader->ctx, &cursor, item, &other, &unheard) && item->kind == TILER_ITEM_RECTANGLE &&
           !item->clipped && reader->next(reader->ctx, &cursor, &end, &other, &unheard) &&
           end.kind == TILER_ITEM_END;
}

bool gpu_frame_area_returns(struct gpu_frame *frame, const struct gpu_frame_area *area,
                            struct gpu_frame_worker *w)
{
    struct gpu_frame_image image;
    struct gpu_tile_state state;
    struct tiler_item item;
    struct gpu_frame_copied from;
    const struct gpu_frame_draw *draw;
    struct gpu_fault unheard;
    struct raster_rect pixels;
    uint64_t blocks;

    if (!frame->family->image(frame, &image) || !read_rectangle(frame, area->list, &state, &item))
        return false;
    draw = gpu_frame_draw_get(frame, &state, 1, false, &unheard);
    if (!draw || !frame->family->copies(draw, &from) || !is_image(&from, &image))
        return false;
    pixels = pixels_of(area, &image);
    if (pixels.x0 >= pixels.x1 || pixels.y0 >= pixels.y1 ||
        !holds((float)state.clip.x0, (float)state.clip.y0, (float)state.clip.x1, (float)state.clip.y1,
               &pixels) ||
        pixels.x1 > (int32_t)from.image->width || pixels.y1 > (int32_t)from.image->height ||
        !lays_out(frame, &item, &state, draw, &from, &pixels))
        return false;
    blocks = (uint64_t)util_div_up((uint32_t)(pixels.x1 - pixels.x0), 4) *
             util_div_up((uint32_t)(pixels.y1 - pixels.y0), 4);
    w->raster.work.blocks += blocks;
    w->raster.work.executed += blocks;
    return true;
}

/* Areas whose list first gives them what their image has there already: drivers reload all of a frame, and draw on
 * a part of it. Where nothing else is drawn such an area is neither drawn nor stored; elsewhere its tiles are
 * loaded from the image, which takes a fraction of what sampling it does. */
#include <math.h>

#include "gpu/frame_internal.h"
#include "util/bits.h"

/* Whether texels are the image's pixels: from its place, in its layout, and their bytes go back to where they
 * came from. */
static bool is_image(const struct gpu_frame_copied *from, const struct gpu_frame_image *image)
{
    for (unsigned n = 0; n < 4; n++)
        if (from->swizzle[image->channel[n]] != n)
            return false;
    return from->address == image->address && from->pitch == image->pitch && from->layout == image->layout;
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

/* ---- what is covered ---- */

#define SNAPPED (1.0 / 16) /* pixels by which set-up moves a vertex, at most */

/* The rectangle about three vertices. */
struct box {
    float x0, y0, x1, y1;
};

static struct box box_of(float at[3][2])
{
    return (struct box){.x0 = fminf(fminf(at[0][0], at[1][0]), at[2][0]),
                        .y0 = fminf(fminf(at[0][1], at[1][1]), at[2][1]),
                        .x1 = fmaxf(fmaxf(at[0][0], at[1][0]), at[2][0]),
                        .y1 = fmaxf(fmaxf(at[0][1], at[1][1]), at[2][1])};
}

static bool holds(const struct box *box, const struct raster_rect *inner)
{
    return box->x0 <= (float)inner->x0 && box->y0 <= (float)inner->y0 && box->x1 >= (float)inner->x1 &&
           box->y1 >= (float)inner->y1;
}

/* The corner of the box - bit 0 the right one, bit 1 the lower one - that is none of three vertices at its others; 4:
 * they are not such. */
static unsigned missing(const struct box *box, float at[3][2])
{
    unsigned there = 0;

    for (unsigned n = 0; n < 3; n++) {
        const bool right = at[n][0] == box->x1, low = at[n][1] == box->y1;

        if ((!right && at[n][0] != box->x0) || (!low && at[n][1] != box->y0))
            return 4;
        there |= 1u << (right | low << 1);
    }
    for (unsigned n = 0; n < 4; n++)
        if (there == (15u ^ 1u << n))
            return n;
    return 4;
}

/* Whether pixels lie in the half of the box without the corner that is missing, apart from the edge between. */
static bool half_holds(const struct box *box, unsigned corner, const struct raster_rect *pixels)
{
    const double width = (double)box->x1 - box->x0, height = (double)box->y1 - box->y0;
    const double x = corner & 1 ? pixels->x1 - (double)box->x0 : (double)box->x1 - pixels->x0;
    const double y = corner & 2 ? pixels->y1 - (double)box->y0 : (double)box->y1 - pixels->y0;

    return x * height + y * width < width * height - SNAPPED * (width + height);
}

/* ---- what is drawn first ---- */

/* The rectangle, or one or two triangles, that a list begins with. */
struct first {
    struct gpu_tile_state state;
    struct tiler_item item[2];
    unsigned count;
    bool last; /* nothing else is in the list */
    struct tiler_cursor behind;
    uint32_t items; /* before that */
};

static bool is_drawn(const struct tiler_item *item)
{
    return item->kind == TILER_ITEM_RECTANGLE || item->kind == TILER_ITEM_TRIANGLE;
}

/* They have a state of their own: what follows is another's, or the end. */
static bool read_first(const struct gpu_frame *frame, uint32_t list, struct first *out)
{
    const struct gpu_tile_reader *reader = &frame->reader;
    struct tiler_cursor cursor = tiler_list_begin(list);
    struct tiler_item item;
    struct gpu_tile_state other;
    struct gpu_fault unheard;

    out->count = 0;
    if (!reader->next(reader->ctx, &cursor, &item, &out->state, &unheard) || item.kind != TILER_ITEM_STATE)
        return false;
    for (out->items = 1;; out->items++) {
        out->behind = cursor;
        if (!reader->next(reader->ctx, &cursor, &item, &other, &unheard))
            return false;
        out->last = item.kind == TILER_ITEM_END;
        if (out->last || item.kind == TILER_ITEM_STATE)
            return out->count && (out->count == 1 || out->item[0].kind == out->item[1].kind) &&
                   (out->count == 1 || out->item[0].kind == TILER_ITEM_TRIANGLE);
        if (out->count == 2 || !is_drawn(&item) || item.clipped)
            return false;
        out->item[out->count++] = item;
    }
}

/* Where an item's vertices are; false: their varyings s and t are not their places. */
static bool lays_out(const struct gpu_frame *frame, const struct tiler_item *item,
                     const struct gpu_tile_state *state, const struct gpu_frame_draw *draw,
                     const struct gpu_frame_copied *from, float out[3][2])
{
    struct gpu_space_run near = {0};
    float vary[1][RASTER_MAX_VARYINGS];
    struct gpu_fault unheard;

    for (unsigned n = 0; n < 3; n++) {
        const uint8_t *at =
            gpu_space_at(frame->space, state->positions + item->index[n] * 16ull, 16, GPU_RIGHT_READ);

        const uint32_t number = state->first + item->index[n];

        if (!at || !frame->family->fetch(draw, frame->space, &near, &number, 1, vary, &unheard))
            return false;
        out[n][0] = util_u2f(util_load32(at));
        out[n][1] = util_u2f(util_load32(at + 4));
        if (vary[0][from->s] != out[n][0] || vary[0][from->t] != out[n][1] ||
            util_u2f(util_load32(at + 12)) != 1.0f)
            return false;
    }
    return true;
}

/* Of a rectangle vertex 1 is at the right angle; two triangles are the halves of one. */
static bool covers(const struct first *first, float at[2][3][2], const struct raster_rect *pixels)
{
    const struct box box = box_of(at[0]);
    const unsigned corner = missing(&box, at[0]);

    if (corner == 4 || !holds(&box, pixels))
        return false;
    if (first->item[0].kind == TILER_ITEM_RECTANGLE)
        return at[0][0][0] != at[0][2][0] && at[0][0][1] != at[0][2][1];
    return first->count == 2 ? missing(&box, at[1]) == (corner ^ 3) : half_holds(&box, corner, pixels);
}

void gpu_frame_reload_find(struct gpu_frame *frame, const struct gpu_frame_area *area,
                           struct gpu_frame_worker *w, struct gpu_frame_reload *out)
{
    struct gpu_frame_image image;
    struct first first;
    struct gpu_frame_copied from;
    const struct gpu_frame_draw *draw;
    struct gpu_fault unheard;
    struct raster_rect pixels;
    const struct raster_rect *clip = &first.state.clip;
    float at[2][3][2] = {{{0}}};

    *out = (struct gpu_frame_reload){.all = false};
    if (area->list == GPU_TILE_EMPTY || !frame->family->image || !frame->family->image(frame, &image) ||
        !read_first(frame, area->list, &first) || (!first.last && !image.loads))
        return;
    draw = gpu_frame_draw_get(frame, &first.state, 1, false, &unheard);
    if (!draw || !frame->family->copies(draw, &from) || !is_image(&from, &image))
        return;
    pixels = pixels_of(area, &image);
    if (pixels.x0 >= pixels.x1 || pixels.y0 >= pixels.y1 || clip->x0 > pixels.x0 || clip->y0 > pixels.y0 ||
        clip->x1 < pixels.x1 || clip->y1 < pixels.y1 || pixels.x1 > (int32_t)from.width ||
        pixels.y1 > (int32_t)from.height)
        return;
    for (unsigned n = 0; n < first.count; n++)
        if (!lays_out(frame, &first.item[n], &first.state, draw, &from, at[n]))
            return;
    if (!covers(&first, at, &pixels))
        return;
    out->cost = draw->shader->cost;
    out->all = first.last;
    out->part = !first.last;
    out->behind = first.behind;
    out->items = first.items;
    if (out->all)
        gpu_frame_reload_count(out, w, &pixels);
}

/* What it would have taken to shade them counts as done. */
void gpu_frame_reload_count(const struct gpu_frame_reload *reload, struct gpu_frame_worker *w,
                            const struct raster_rect *pixels)
{
    const uint64_t blocks = (uint64_t)util_div_up((uint32_t)(pixels->x1 - pixels->x0), 4) *
                            util_div_up((uint32_t)(pixels->y1 - pixels->y0), 4);

    w->raster.work.blocks += blocks;
    w->raster.work.executed += blocks * reload->cost;
}

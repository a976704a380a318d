/* Items of draws over the whole frame, put around those of a list. How far a list is read stands in its cursor:
 * below, as always, the place; above, the step that comes next. */
#include "gpu/mali/frame_draws.h"

#include "util/bits.h"

/* Of each draw a state and two triangles, in the order of enum mali_frame_draw; the list stands among them. */
enum { ITEMS = 3, LIST = MALI_POST_FRAME * ITEMS, STEPS = MALI_FRAME_DRAWS * ITEMS + 1, STEP_AT = 40 };

static uint32_t step_of(const struct tiler_cursor *cursor)
{
    return (uint32_t)(cursor->at >> STEP_AT);
}

static void set_step(struct tiler_cursor *cursor, uint32_t step)
{
    cursor->at = (cursor->at & ((UINT64_C(1) << STEP_AT) - 1)) | (uint64_t)step << STEP_AT;
}

/* ---- items ---- */

static struct tiler_clipped_vertex corner(const struct mali_frame_draws *draws, uint32_t index,
                                          unsigned number)
{
    struct tiler_clipped_vertex v = {
        .x = index & 1 ? (float)draws->width : 0, .y = index & 2 ? (float)draws->height : 0, .inv_w = 1};
    v.weight[number] = 1;
    return v;
}

/* Its triangles are pieces of themselves, so that no positions are looked for. */
static void make_item(const struct mali_frame_draws *draws, enum mali_frame_draw n, unsigned item,
                      struct tiler_item *out, struct gpu_tile_state *state)
{
    *out = (struct tiler_item){.kind = item ? TILER_ITEM_TRIANGLE : TILER_ITEM_STATE,
                               .place = draws->state[n].state,
                               .clipped = item};
    if (!item) {
        *state = draws->state[n];
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        out->index[k] = item == 1 ? k : 3 - k; /* 0 1 2, 3 2 1: turning alike */
        out->vertex[k] = corner(draws, out->index[k], k);
    }
}

static bool is_drawn(const struct mali_frame_draws *draws, enum mali_frame_draw n, uint32_t list)
{
    return list == MALI_TILE_ALONE ? draws->always[n] : draws->drawn[n];
}

/* ---- as a reader of lists ---- */

/* An item of the list; *over: it has no more. */
static bool next_of_list(const struct mali_frame_draws *draws, struct tiler_cursor *cursor,
                         struct tiler_item *item, struct gpu_tile_state *state, bool *over,
                         struct gpu_fault *fault)
{
    *over = (uint32_t)cursor->at == MALI_TILE_ALONE;
    if (*over)
        return true;
    set_step(cursor, 0);
    bool read = draws->lists.next(draws->lists.ctx, cursor, item, state, fault);
    set_step(cursor, LIST);
    *over = read && item->kind == TILER_ITEM_END;
    return read;
}

static bool next(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                 struct gpu_tile_state *state, struct gpu_fault *fault)
{
    const struct mali_frame_draws *draws = ctx;
    for (uint32_t step = step_of(cursor); step < STEPS; step++) {
        if (step == LIST) {
            bool over;
            if (!next_of_list(draws, cursor, item, state, &over, fault))
                return false;
            if (!over)
                return true;
            continue;
        }
        const uint32_t number = step > LIST ? step - 1 : step;
        const enum mali_frame_draw n = (enum mali_frame_draw)(number / ITEMS);
        if (!is_drawn(draws, n, (uint32_t)cursor->at))
            continue;
        make_item(draws, n, number % ITEMS, item, state);
        set_step(cursor, step + 1);
        return true;
    }
    set_step(cursor, STEPS);
    item->kind = TILER_ITEM_END;
    return true;
}

static uint32_t resolve(void *ctx, uint32_t list)
{
    const struct mali_frame_draws *draws = ctx;
    return list == MALI_TILE_ALONE ? list : draws->lists.resolve(draws->lists.ctx, list);
}

/* Of the list alone, once it is read. */
static uint32_t triangles(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most)
{
    const struct mali_frame_draws *draws = ctx;
    if (step_of(cursor) != LIST || (uint32_t)cursor->at == MALI_TILE_ALONE)
        return 0;
    set_step(cursor, 0);
    uint32_t count = draws->lists.triangles(draws->lists.ctx, cursor, index, most);
    set_step(cursor, LIST);
    return count;
}

struct gpu_tile_reader mali_frame_draws_reader(const struct mali_frame_draws *draws)
{
    return (struct gpu_tile_reader){
        .ctx = (void *)(uintptr_t)draws, .next = next, .resolve = resolve, .triangles = triangles};
}

/* ---- which there are ---- */

static struct raster_rect scissor_of(const struct mali_frame_draws *draws,
                                     const struct mali_bindings *bindings)
{
    const struct mali_viewport *v = &bindings->viewport;
    struct raster_rect r = {0, 0, (int32_t)draws->width, (int32_t)draws->height};
    if (!bindings->has_viewport)
        return r;
    r.x0 = (int32_t)UTIL_MIN(v->scissor_minimum_x, draws->width);
    r.y0 = (int32_t)UTIL_MIN(v->scissor_minimum_y, draws->height);
    r.x1 = (int32_t)UTIL_MIN(v->scissor_maximum_x + 1, draws->width);
    r.y1 = (int32_t)UTIL_MIN(v->scissor_maximum_y + 1, draws->height);
    return r;
}

void mali_frame_draws_init(struct mali_frame_draws *draws, enum mali_version version,
                           const struct mali_fragment_job *job, uint32_t number,
                           const struct gpu_tile_reader *lists)
{
    *draws = (struct mali_frame_draws){.lists = *lists};
    if (version < MALI_V6)
        return;
    mali_frame_size(version, &job->frame, &draws->width, &draws->height);
    for (enum mali_frame_draw n = 0; n < MALI_FRAME_DRAWS; n++) {
        const uint32_t mode = mali_frame_draw_mode(&job->frame.several, n);
        draws->drawn[n] = mode != MALI_PRE_POST_FRAME_SHADER_MODE_NEVER;
        draws->always[n] = draws->drawn[n] && mode != MALI_PRE_POST_FRAME_SHADER_MODE_INTERSECT;
        draws->dirties |= draws->always[n] && !job->whole[n].draw.clean_fragment_write;
        draws->state[n] =
            (struct gpu_tile_state){.state = (uint32_t)mali_frame_draw_at(version, &job->frame.several, n),
                                    .clip = scissor_of(draws, &job->whole[n].bindings),
                                    .draw = number};
    }
}

bool mali_frame_draws_any(const struct mali_frame_draws *draws)
{
    bool any = false;
    for (unsigned n = 0; n < MALI_FRAME_DRAWS; n++)
        any |= draws->drawn[n];
    return any;
}

uint32_t mali_frame_draws_alone(const struct mali_frame_draws *draws)
{
    for (unsigned n = 0; n < MALI_FRAME_DRAWS; n++)
        if (draws->always[n])
            return MALI_TILE_ALONE;
    return GPU_TILE_EMPTY;
}

enum mali_frame_draw mali_frame_draws_find(enum mali_version version, const struct mali_fragment_job *job,
                                           uint32_t state)
{
    enum mali_frame_draw n = version < MALI_V6 ? MALI_FRAME_DRAWS : 0;
    while (n < MALI_FRAME_DRAWS && (!mali_frame_draw_mode(&job->frame.several, n) ||
                                    mali_frame_draw_at(version, &job->frame.several, n) != state))
        n++;
    return n;
}

/* Draws: what commands and registers say of them, for tiler/bins.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/observe.h"
#include "gpu/utgard/plbu_internal.h"
#include "gpu/utgard/rsw.h"
#include "util/bits.h"

#define MULTISAMPLE_INSET 2        /* the first of four samples; centres lie further inside */
#define GUARD             16384.0f /* pixels from the frame's centre to where triangles are clipped */

/* ---- what can be drawn on ---- */

/* A viewport's side as a whole pixel of the frame. */
static int32_t side(float v, uint32_t frame, bool up)
{
    if (!(v > 0)) /* also what is no number */
        return 0;
    return v >= (float)frame ? (int32_t)frame : (int32_t)(up ? ceilf(v) : v);
}

static void set_area(struct utgard_plbu *p, struct tiler_draw *out)
{
    const struct utgard_plbu_registers *r = &p->reg;
    struct utgard_plbu_draw *d = &p->draw;
    uint32_t width = r->tiles_x * PLBU_TILE, height = r->tiles_y * PLBU_TILE;
    const uint32_t *s = r->scissor;
    uint32_t step_x = UTIL_MAX(r->shift_x, PLBU_LIST_SHIFT), step_y = UTIL_MAX(r->shift_y, PLBU_LIST_SHIFT);
    uint32_t grid = UTIL_MIN(step_x, step_y);
    int32_t x0 = UTIL_MAX((int32_t)s[UTGARD_SCISSOR_X0], side(r->left, width, false));
    int32_t y0 = UTIL_MAX((int32_t)s[UTGARD_SCISSOR_Y0], side(r->bottom, height, false));
    int32_t x1 = UTIL_MIN((int32_t)s[UTGARD_SCISSOR_X1], side(r->right, width, true));
    int32_t y1 = UTIL_MIN((int32_t)s[UTGARD_SCISSOR_Y1], side(r->top, height, true));
    d->join_x = step_x - r->shift_x;
    d->join_y = step_y - r->shift_y;
    out->grid = (struct tiler_grid){.shift = 4 + grid,
                                    .x0 = UTIL_MIN(x0, (int32_t)width),
                                    .y0 = UTIL_MIN(y0, (int32_t)height),
                                    .x1 = UTIL_MAX(x1, 0),
                                    .y1 = UTIL_MAX(y1, 0),
                                    .inset = MULTISAMPLE_INSET};
    out->window = (struct tiler_window){.centre_x = (float)width * 0.5f,
                                        .centre_y = (float)height * 0.5f,
                                        .near = r->near,
                                        .far = r->far,
                                        .guard = {.scale_x = 1, .scale_y = 1, .limit = GUARD}};
    out->shift_x = step_x - grid;
    out->shift_y = step_y - grid;
    out->column = 1u << d->join_x;
    out->row = r->stride << d->join_y;
    d->state.x0 = (uint16_t)out->grid.x0;
    d->state.y0 = (uint16_t)out->grid.y0;
    d->state.x1 = (uint16_t)out->grid.x1;
    d->state.y1 = (uint16_t)out->grid.y1;
}

/* The blocks that tiles belong to are there. */
static enum utgard_plbu_end check_blocks(struct utgard_plbu *p)
{
    const struct utgard_plbu_registers *r = &p->reg;
    bool sane = r->tiles_x && r->tiles_y && r->tiles_x <= PLBU_MAX_TILES && r->tiles_y <= PLBU_MAX_TILES &&
                r->shift_x <= 8 && r->shift_y <= 8;
    uint32_t last_x = sane ? (r->tiles_x - 1) >> r->shift_x : 0;
    uint32_t last_y = sane ? (r->tiles_y - 1) >> r->shift_y : 0;
    if (sane && last_x < r->stride && last_y * r->stride + last_x < p->block_count)
        return UTGARD_PLBU_DONE;
    gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at,
                  "%u x %u tiles in blocks of 2^%u x 2^%u do not stand in %u blocks, %u in a row", r->tiles_x,
                  r->tiles_y, r->shift_x, r->shift_y, p->block_count, r->stride);
    return UTGARD_PLBU_POINTER_ARRAY;
}

/* ---- the draw ---- */

/* What triangles need to be culled; only what is used of it costs memory. */
static bool make_room(struct utgard_plbu *p)
{
    struct tiler_bins_room **room = &p->bins.room;
    if (!*room && (*room = aligned_alloc(64, util_align(sizeof **room, 64))))
        memset(&(*room)->piece.marks, 0, sizeof(*room)->piece.marks);
    if (!*room)
        gpu_fault_set(&p->stop->fault, GPU_FAULT_LIST, PLBU_UNIT, p->at, "no host memory for vertices");
    return *room != NULL;
}

/* Where the point sizes of a draw without indices stand: what the VS draw with its positions wrote. The VS's
 * draws come in the same order, so the search begins where the last one ended. */
static bool find_point_sizes(struct utgard_plbu *p, struct utgard_plbu_draw *d)
{
    uint32_t count = p->results->count;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t at = (p->result_at + n) % count;
        if (p->results->result[at].positions != d->state.positions)
            continue;
        d->state.point_sizes = p->results->result[at].point_sizes;
        p->result_at = at;
        return utgard_plbu_pay(p, n);
    }
    return utgard_plbu_pay(p, count);
}

static bool set_sizes(struct utgard_plbu *p, struct utgard_plbu_draw *d)
{
    d->state.size = p->reg.size;
    if (p->reg.setup[UTGARD_SETUP_ONE_SIZE] || d->mode != TILER_POINTS)
        return true;
    d->state.point_sizes = p->reg.point_sizes;
    return d->indexed || find_point_sizes(p, d);
}

static bool read_render_state(struct utgard_plbu *p, struct tiler_draw *out)
{
    uint32_t words[UTGARD_RSW_WORDS];
    const uint8_t *at =
        utgard_at(p->space, p->reg.rsw, sizeof words, GPU_RIGHT_READ, PLBU_UNIT, "render state", p->stop);
    if (!at)
        return false;
    memcpy(words, at, sizeof words);
    out->four_samples = utgard_rsw_four_samples(words);
    return true;
}

/* What the tiler is to know; after state.size is set. */
static struct tiler_draw described(const struct utgard_plbu *p)
{
    const struct utgard_plbu_draw *d = &p->draw;
    const uint32_t *setup = p->reg.setup;
    bool rectangles = d->mode == PLBU_RECTANGLE;
    return (struct tiler_draw){
        .mode = rectangles ? TILER_TRIANGLES : (enum tiler_mode)d->mode,
        .rectangles = rectangles,
        .told = p->observer && (p->observer->binned || p->observer->culled),
        .indexed = d->indexed,
        .index_log2 = d->index_log2,
        .base = d->start,
        .count = d->count,
        .size = d->state.size,
        /* HARDWARE.md 2.4; x right, y down the buffer. */
        .keep_positive = !setup[UTGARD_SETUP_CULL_POSITIVE],
        .keep_negative = !setup[UTGARD_SETUP_CULL_NEGATIVE],
        .record = &d->state,
        .record_bytes = sizeof d->state,
    };
}

enum utgard_plbu_end utgard_plbu_draw_begin(struct utgard_plbu *p, const struct utgard_cl_command *c)
{
    const struct utgard_plbu_registers *r = &p->reg;
    struct utgard_plbu_draw *d = &p->draw;
    uint32_t mode = c->field[UTGARD_PRIMITIVES_MODE], count = c->field[UTGARD_PRIMITIVES_COUNT];
    if (mode < TILER_MODE_COUNT)
        count = tiler_mode_whole((enum tiler_mode)mode, count);
    if (!c->word || !count)
        return UTGARD_PLBU_DONE;
    p->draws++;
    if (mode >= TILER_MODE_COUNT && mode != PLBU_RECTANGLE) {
        gpu_fault_set(&p->stop->fault, GPU_FAULT_UNSUPPORTED, PLBU_UNIT, p->at, "draw mode %u is not known",
                      mode);
        return UTGARD_PLBU_FAULT;
    }
    enum utgard_plbu_end end = check_blocks(p);
    if (end != UTGARD_PLBU_DONE)
        return end;
    *d = (struct utgard_plbu_draw){.active = true,
                                   .indexed = c->id == UTGARD_PLBU_DRAW_ELEMENTS,
                                   .mode = mode,
                                   .count = count,
                                   .start = c->field[UTGARD_PRIMITIVES_START]};
    d->index_log2 = r->setup[UTGARD_SETUP_U32] ? 2 : r->setup[UTGARD_SETUP_U16] ? 1 : 0;
    d->index_at = r->indices;
    d->state = (struct gpu_bin_state){.state = r->rsw,
                                      .positions = d->indexed ? r->positions : r->array_positions,
                                      .near = r->near,
                                      .far = r->far,
                                      .draw = p->draws};
    if (!set_sizes(p, d))
        return UTGARD_PLBU_FAULT;
    struct tiler_draw draw = described(p);
    set_area(p, &draw);
    if (!read_render_state(p, &draw) || (tiler_draw_culls(&draw) && !make_room(p)))
        return UTGARD_PLBU_FAULT;
    tiler_bins_draw_begin(&p->bins, &draw);
    p->counters->draws++;
    if (p->observer)
        utgard_plbu_observe_draw(p);
    return UTGARD_PLBU_DONE;
}

enum utgard_plbu_end utgard_plbu_draw_go_on(struct utgard_plbu *p)
{
    struct tiler_bins *b = &p->bins;
    enum tiler_end end = tiler_bins_draw(b);
    p->counters->primitives_in += b->primitives_in;
    p->counters->primitives_binned += b->primitives_binned;
    b->primitives_in = b->primitives_binned = 0;
    switch (end) {
    case TILER_DONE: break;
    case TILER_NO_ROOM: return UTGARD_PLBU_OUT_OF_MEMORY;
    case TILER_BAD_INDEX:
        gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at,
                      "index %u lies before %u, or too far behind it", b->bad_index, p->draw.start);
        return UTGARD_PLBU_FAULT;
    default: return UTGARD_PLBU_FAULT;
    }
    p->draw.active = false;
    if (p->observer)
        utgard_plbu_observe_draw_end(p);
    return UTGARD_PLBU_DONE;
}

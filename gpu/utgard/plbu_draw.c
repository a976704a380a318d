/* Draws: from a command to assembled primitives, a chunk of indices at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/observe.h"
#include "gpu/utgard/plbu_internal.h"
#include "gpu/utgard/rsw.h"
#include "util/bits.h"

#define MULTISAMPLE_INSET 2 /* the first of four samples; centres lie further inside */

/* ---- what can be drawn on ---- */

/* A viewport's side as a whole pixel of the frame. */
static int32_t side(float v, uint32_t frame, bool up)
{
    if (!(v > 0)) /* also what is no number */
        return 0;
    return v >= (float)frame ? (int32_t)frame : (int32_t)(up ? ceilf(v) : v);
}

static void set_area(struct utgard_plbu *p, struct plbu_draw *d)
{
    const struct plbu_registers *r = &p->reg;
    uint32_t width = r->tiles_x * PLBU_TILE, height = r->tiles_y * PLBU_TILE;
    const uint32_t *s = r->scissor;
    uint32_t step_x = UTIL_MAX(r->shift_x, PLBU_LIST_SHIFT), step_y = UTIL_MAX(r->shift_y, PLBU_LIST_SHIFT);
    uint32_t grid = UTIL_MIN(step_x, step_y);
    int32_t x0 = UTIL_MAX((int32_t)s[UTGARD_SCISSOR_X0], side(r->left, width, false));
    int32_t y0 = UTIL_MAX((int32_t)s[UTGARD_SCISSOR_Y0], side(r->bottom, height, false));
    int32_t x1 = UTIL_MIN((int32_t)s[UTGARD_SCISSOR_X1], side(r->right, width, true));
    int32_t y1 = UTIL_MIN((int32_t)s[UTGARD_SCISSOR_Y1], side(r->top, height, true));
    d->grid = (struct tiler_grid){.shift = 4 + grid,
                                  .x0 = UTIL_MIN(x0, (int32_t)width),
                                  .y0 = UTIL_MIN(y0, (int32_t)height),
                                  .x1 = UTIL_MAX(x1, 0),
                                  .y1 = UTIL_MAX(y1, 0),
                                  .inset = MULTISAMPLE_INSET};
    d->guard = (struct tiler_guard){.scale_x = 1, .scale_y = 1, .limit = PLBU_GUARD};
    d->shift_x = step_x - grid;
    d->shift_y = step_y - grid;
    d->join_x = step_x - r->shift_x;
    d->join_y = step_y - r->shift_y;
    d->state.x0 = (uint16_t)d->grid.x0;
    d->state.y0 = (uint16_t)d->grid.y0;
    d->state.x1 = (uint16_t)d->grid.x1;
    d->state.y1 = (uint16_t)d->grid.y1;
}

/* The blocks that tiles belong to are there. */
static enum utgard_plbu_end check_blocks(struct utgard_plbu *p)
{
    const struct plbu_registers *r = &p->reg;
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

/* Triangles are culled a piece at a time, unless somebody wants to be told of each. The room for that only
 * costs what is used of it. */
static bool set_cull(struct utgard_plbu *p, struct plbu_draw *d)
{
    const struct plbu_registers *r = &p->reg;
    bool told = p->observer && (p->observer->binned || p->observer->culled);
    d->culls = !told && d->mode != PLBU_RECTANGLE && tiler_mode_vertices((enum tiler_mode)d->mode) == 3;
    if (!d->culls)
        return true;
    if (!p->vertices)
        p->vertices = aligned_alloc(64, sizeof *p->vertices);
    if (!p->list && (p->list = aligned_alloc(64, util_align(sizeof *p->list, 64))))
        memset(&p->list->marks, 0, sizeof p->list->marks);
    if (!p->vertices || !p->list) {
        gpu_fault_set(&p->stop->fault, GPU_FAULT_LIST, PLBU_UNIT, p->at, "no host memory for vertices");
        return false;
    }
    d->cull = (struct tiler_cull){.vertex = p->vertices->at,
                                  .keep_positive = !r->setup[UTGARD_SETUP_CULL_POSITIVE],
                                  .keep_negative = !r->setup[UTGARD_SETUP_CULL_NEGATIVE],
                                  .x = (int32_t)(plbu_centre(r->tiles_x) * 16),
                                  .y = (int32_t)(plbu_centre(r->tiles_y) * 16),
                                  .grid = d->grid};
    return true;
}

/* Where the point sizes of a draw without indices stand: what the VS draw with its positions wrote. The VS's
 * draws come in the same order, so the search begins where the last one ended. */
static bool find_point_sizes(struct utgard_plbu *p, struct plbu_draw *d)
{
    uint32_t count = p->results->count;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t at = (p->result_at + n) % count;
        if (p->results->result[at].positions != d->state.positions)
            continue;
        d->state.point_sizes = p->results->result[at].point_sizes;
        p->result_at = at;
        return plbu_pay(p, n);
    }
    return plbu_pay(p, count);
}

static bool set_sizes(struct utgard_plbu *p, struct plbu_draw *d)
{
    d->state.size = p->reg.size;
    if (p->reg.setup[UTGARD_SETUP_ONE_SIZE] || d->mode != TILER_POINTS)
        return true;
    d->state.point_sizes = p->reg.point_sizes;
    return d->indexed || find_point_sizes(p, d);
}

static bool read_render_state(struct utgard_plbu *p, struct plbu_draw *d)
{
    uint32_t words[UTGARD_RSW_WORDS];
    const uint8_t *at =
        utgard_at(p->space, p->reg.rsw, sizeof words, GPU_RIGHT_READ, PLBU_UNIT, "render state", p->stop);
    if (!at)
        return false;
    memcpy(words, at, sizeof words);
    d->four_samples = utgard_rsw_four_samples(words);
    return true;
}

enum utgard_plbu_end plbu_draw_begin(struct utgard_plbu *p, const struct utgard_cl_command *c)
{
    const struct plbu_registers *r = &p->reg;
    struct plbu_draw *d = &p->draw;
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
    *d = (struct plbu_draw){.active = true,
                            .indexed = c->id == UTGARD_PLBU_DRAW_ELEMENTS,
                            .mode = mode,
                            .count = count,
                            .start = c->field[UTGARD_PRIMITIVES_START],
                            .number = p->draws};
    d->index_log2 = r->setup[UTGARD_SETUP_U32] ? 2 : r->setup[UTGARD_SETUP_U16] ? 1 : 0;
    d->index_at = r->indices;
    d->state = (struct utgard_bin_state){.rsw = r->rsw,
                                         .positions = d->indexed ? r->positions : r->array_positions,
                                         .near = r->near,
                                         .far = r->far,
                                         .draw = p->draws};
    set_area(p, d);
    if (!set_sizes(p, d) || !read_render_state(p, d) || !set_cull(p, d))
        return UTGARD_PLBU_FAULT;
    tiler_assemble_begin(&d->assembler, mode == PLBU_RECTANGLE ? TILER_TRIANGLES : (enum tiler_mode)mode);
    p->counters->draws++;
    if (p->observer)
        plbu_observe_draw(p);
    return UTGARD_PLBU_DONE;
}

/* ---- indices and vertices ---- */

const uint8_t *plbu_indices(struct utgard_plbu *p, uint32_t first, uint32_t count)
{
    const struct plbu_draw *d = &p->draw;
    return utgard_at(p->space, d->index_at + ((uint64_t)first << d->index_log2),
                     (uint64_t)count << d->index_log2, GPU_RIGHT_READ, PLBU_UNIT, "indices", p->stop);
}

bool plbu_bad_index(struct utgard_plbu *p, uint32_t index)
{
    gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at,
                  "index %u lies before %u, or too far behind it", index, p->draw.start);
    return false;
}

/* `count` indices from d->next on, as numbers of stored vertices. */
static bool read_indices(struct utgard_plbu *p, struct plbu_draw *d, uint32_t count, uint32_t *index)
{
    const uint8_t *at = d->indexed ? plbu_indices(p, d->next, count) : NULL;
    if (d->indexed && !at)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t value = d->next + n + d->start;
        if (at)
            value = d->index_log2 == 2   ? util_load32(at + n * 4)
                    : d->index_log2 == 1 ? util_load16(at + n * 2)
                                         : at[n];
        index[n] = value - d->start;
        if (value < d->start || index[n] > UTGARD_BIN_INDEX_MAX)
            return plbu_bad_index(p, value);
    }
    return true;
}

bool plbu_check_vertices(struct utgard_plbu *p, uint32_t least, uint32_t greatest)
{
    const struct plbu_draw *d = &p->draw;
    uint64_t vertices = greatest - least + 1ull;
    if (!utgard_at(p->space, d->state.positions + least * 16ull, vertices * 16, GPU_RIGHT_READ, PLBU_UNIT,
                   "positions", p->stop))
        return false;
    return !d->state.point_sizes || utgard_at(p->space, d->state.point_sizes + least * 4ull, vertices * 4,
                                              GPU_RIGHT_READ, PLBU_UNIT, "point sizes", p->stop);
}

/* The vertices that a run of indices names are in memory. */
static bool check_run(struct utgard_plbu *p, const uint32_t *index, uint32_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t n = 0; n < count; n++) {
        least = UTIL_MIN(least, index[n]);
        most = UTIL_MAX(most, index[n]);
    }
    return plbu_check_vertices(p, least, most);
}

/* ---- primitives one by one ---- */

static bool next_chunk(struct utgard_plbu *p, struct plbu_draw *d)
{
    uint32_t index[PLBU_CHUNK], count = UTIL_MIN(PLBU_CHUNK, d->count - d->next);
    d->prim_at = d->prim_count = 0;
    if (!plbu_pay(p, count) || !read_indices(p, d, count, index) || !check_run(p, index, count))
        return false;
    d->prim_count = tiler_assemble(&d->assembler, index, count, p->prim);
    d->next += count;
    return true;
}

/* The next primitive becomes pieces. Once the list has stood still, what was checked before may have gone. */
static bool next_primitive(struct utgard_plbu *p, struct plbu_draw *d)
{
    const uint32_t *index = p->prim[d->prim_at];
    unsigned vertices = d->mode == PLBU_RECTANGLE ? 3 : tiler_mode_vertices((enum tiler_mode)d->mode);
    for (unsigned k = 0; d->resumed && k < vertices; k++)
        if (!plbu_check_vertices(p, index[k], index[k]))
            return false;
    plbu_make_pieces(p, index);
    p->counters->primitives_in++;
    d->prim_at++;
    return true;
}

static enum utgard_plbu_end bin_primitives(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    for (;;) {
        enum utgard_plbu_end end = plbu_bins_add_pieces(p);
        if (end != UTGARD_PLBU_DONE || d->prim_at == d->prim_count)
            return end;
        d->primitive = d->prim_number++;
        if (!next_primitive(p, d))
            return UTGARD_PLBU_FAULT;
    }
}

/* ---- the loop ---- */

/* More to bin; false with a fault. */
static bool next(struct utgard_plbu *p, struct plbu_draw *d)
{
    if (d->next < d->count)
        return d->culls ? plbu_piece_take(p) : next_chunk(p, d);
    d->prim_at = 0;
    d->prim_count = tiler_assemble_end(&d->assembler, p->prim);
    d->ended = true;
    return true;
}

enum utgard_plbu_end plbu_draw_go_on(struct utgard_plbu *p)
{
    struct plbu_draw *d = &p->draw;
    for (;;) {
        enum utgard_plbu_end end = d->culls ? plbu_piece_bin(p) : bin_primitives(p);
        if (end != UTGARD_PLBU_DONE)
            return end;
        if (d->ended) {
            d->active = false;
            if (p->observer)
                plbu_observe_draw_end(p);
            return UTGARD_PLBU_DONE;
        }
        if (!next(p, d))
            return UTGARD_PLBU_FAULT;
    }
}

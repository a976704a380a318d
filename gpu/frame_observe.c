/* What an observer is told of a frame (gpu/observe.h). */
#include "gpu/frame_internal.h"
#include "util/bits.h"

/* ---- before the frame is drawn ---- */

static void plan(const struct gpu_frame *frame, uint32_t job, struct gpu_observed_op *op)
{
    op->batch = frame->batch;
    op->job = job;
    frame->observer->planned(frame->observer->data, op);
}

uint32_t gpu_frame_observed_side(const struct gpu_frame *frame)
{
    const uint32_t side = frame->part_width ? UTIL_MIN(frame->part_width, frame->part_height) : GPU_TILE;
    return UTIL_MIN(side, GPU_TILE);
}

/* Part `part` of a tile, with its stores. */
static void plan_part(const struct gpu_frame *frame, uint32_t job, uint32_t part,
                      const struct gpu_observed_op *stores, uint32_t count)
{
    const struct gpu_tile *place = &frame->tiles[job];
    const uint32_t first = part * GPU_FRAME_OPS, side = gpu_frame_observed_side(frame);
    const uint32_t x = part % (GPU_TILE / side), y = part / (GPU_TILE / side);
    struct gpu_observed_op own[] = {{.number = first + GPU_FRAME_OP_CLEAR,
                                     .kind = part ? GPU_OBSERVED_CLEAR : GPU_OBSERVED_JOB,
                                     .color = true,
                                     .zs = true,
                                     .clear_color = frame->clear_color,
                                     .clear_zs = frame->clear_zs},
                                    {.number = first + GPU_FRAME_OP_TILE,
                                     .kind = GPU_OBSERVED_TILE,
                                     .x = (int32_t)(place->x * GPU_TILE + x * side),
                                     .y = (int32_t)(place->y * GPU_TILE + y * side),
                                     .size = side,
                                     .width = frame->width,
                                     .height = frame->height},
                                    {.number = first + GPU_FRAME_OP_DRAW,
                                     .kind = GPU_OBSERVED_DRAW,
                                     .what = "tile list",
                                     .address = place->list}};
    for (unsigned n = 0; n < sizeof own / sizeof *own; n++)
        plan(frame, job, &own[n]);
    for (uint32_t n = 0; n < count; n++) {
        struct gpu_observed_op store = stores[n];
        store.number += first;
        plan(frame, job, &store);
    }
}

void gpu_frame_observe(const struct gpu_frame *frame)
{
    const uint32_t side = gpu_frame_observed_side(frame), parts = GPU_TILE / side * (GPU_TILE / side);
    struct gpu_observed_op stores[GPU_FRAME_STORES];
    uint32_t count = 0;
    if (!frame->observer->planned)
        return;
    for (unsigned n = 0; n < frame->units; n++)
        count += frame->family->plan(frame, n, stores + count);
    for (uint32_t job = 0; job < frame->tile_count; job++)
        for (uint32_t part = 0; part < parts; part++)
            plan_part(frame, job, part, stores, count);
}

/* ---- a tile, on its worker ---- */

static void tell(const struct gpu_frame_worker *w, uint32_t number, enum gpu_observed_kind kind, bool done)
{
    gpu_watched_op(&w->watched, w->part * GPU_FRAME_OPS + number, kind, done);
}

void gpu_frame_observe_tile(const struct gpu_frame_worker *w, bool done)
{
    for (unsigned n = 0; !done && n < 2; n++)
        tell(w, GPU_FRAME_OP_TILE, GPU_OBSERVED_TILE, n);
    tell(w, GPU_FRAME_OP_DRAW, GPU_OBSERVED_DRAW, done);
}

void gpu_frame_observe_store(const struct gpu_frame *frame, const struct gpu_frame_worker *w, unsigned unit)
{
    struct gpu_observed_op op[GPU_FRAME_STORES];
    uint32_t count = frame->family->plan(frame, unit, op);
    for (uint32_t n = 0; n < count; n++)
        tell(w, op[n].number, GPU_OBSERVED_STORE, false);
    frame->family->store(frame, unit, &w->raster.tile);
    for (uint32_t n = 0; n < count; n++)
        tell(w, op[n].number, GPU_OBSERVED_STORE, true);
}

/* ---- primitives ---- */

static bool guest_address(const void *space, uint32_t address, uint32_t *out)
{
    uint64_t physical;
    if (!gpu_space_physical(space, address, &physical) || physical > UINT32_MAX)
        return false;
    *out = (uint32_t)physical;
    return true;
}

void gpu_frame_observe_list(const struct gpu_frame *frame, struct gpu_frame_worker *w,
                            const struct gpu_tile_state *state, const struct gpu_frame_draw *draw)
{
    struct gpu_frame_programs programs = {0};
    frame->family->programs(draw, &programs);
    const struct gpu_observed_list list = {.number = ++w->list,
                                           .what = frame->family->state,
                                           .address = state->state,
                                           .samples = (uint8_t)w->raster.tile.samples,
                                           .centre_only = draw->centre_only,
                                           .compiled = programs.compiled,
                                           .clip = state->clip,
                                           .program = programs.has ? &programs.program : NULL,
                                           .blend = programs.blend,
                                           .guest_address = guest_address,
                                           .space = frame->space};
    w->number = 0;
    gpu_watched_list(&w->watched, &list);
}

void gpu_frame_observe_primitive(struct gpu_frame_worker *w, const struct tiler_item *item)
{
    gpu_watched_primitive(&w->watched, item->place, w->number);
    w->number++;
    w->watched.primitives++;
}

static enum gpu_primitive kind_of(enum tiler_item_kind kind)
{
    switch (kind) {
    case TILER_ITEM_POINT: return GPU_POINTS;
    case TILER_ITEM_LINE: return GPU_LINES;
    case TILER_ITEM_RECTANGLE: return GPU_RECTANGLES;
    default: return GPU_TRIANGLES;
    }
}

bool gpu_frame_observe_shade(const struct gpu_frame *frame, struct gpu_frame_worker *w,
                             const struct tiler_item *item, const struct gpu_frame_draw *draw,
                             const struct raster_draw *raster, const struct raster_vertex *vertex)
{
    struct raster_worker *r = &w->raster;
    enum gpu_primitive kind = kind_of(item->kind);
    bool whole;
    uint32_t count = raster_draw_cover(raster, &whole);
    const struct gpu_observed_primitive it = {.kind = kind,
                                              .code = item->place,
                                              .number = w->number - 1,
                                              .vertices = kind < GPU_TRIANGLES ? kind + 1u : 3,
                                              .index = item->index,
                                              .vertex = vertex,
                                              .prepended = draw->wants_point ? 2 : 0,
                                              .setup = &raster->setup,
                                              .prim = &r->prim,
                                              .blocks = r->blocks,
                                              .block_count = count};
    const struct gpu_watch *watch = gpu_watched_covered(&w->watched, &it);
    if (!count)
        return true;
    if (watch)
        return !frame->family->shade_watched(draw, watch, &r->prim, &r->tile, r->blocks, count, &r->work);
    return !raster_shader_shade(raster->shader, &r->prim, &r->tile, r->blocks, count, &r->work);
}

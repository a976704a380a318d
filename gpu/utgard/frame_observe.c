/* What an observer is told of a frame (gpu/observe.h). Operations of a tile's job: 1 its place, 2 its list,
 * then the planes that write-back units store. */
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frame_internal.h"

enum { OP_TILE = 1, OP_DRAW, OP_STORE };
#define AVERAGE (-1) /* instead of a plane's number */
#define STORES  (UTGARD_WB_UNITS * RASTER_MAX_SAMPLES)

/* ---- stores ---- */

/* Calls `visit` for each plane that a unit stores. */
static void each_plane(const struct utgard_wb *wb, void (*visit)(void *data, int plane), void *data)
{
    if (wb->source == UTGARD_WB_OFF)
        return;
    if (!wb->samples)
        visit(data, AVERAGE);
    for (int plane = 0; plane < (int)RASTER_MAX_SAMPLES; plane++)
        if (wb->samples >> plane & 1)
            visit(data, plane);
}

static uint32_t store_number(unsigned unit, int plane)
{
    return OP_STORE + unit * RASTER_MAX_SAMPLES + (plane > 0 ? (uint32_t)plane : 0);
}

/* The stores of any tile of the frame. */
struct plan {
    const struct utgard_run *run;
    unsigned unit;
    struct gpu_observed_op op[STORES];
    uint32_t count;
};

/* An image in pages that do not follow each other, or made smaller by more in one direction, has no pixels
 * that could be looked for. */
static void plan_store(void *data, int plane)
{
    static const char *const units[UTGARD_WB_UNITS] = {"write-back unit 0", "write-back unit 1",
                                                       "write-back unit 2"};
    struct plan *plan = data;
    const struct utgard_wb *wb = &plan->run->wb[plan->unit];
    struct gpu_observed_op op = {.batch = plan->run->frame->batch,
                                 .number = store_number(plan->unit, plane),
                                 .kind = GPU_OBSERVED_STORE,
                                 .what = units[plan->unit],
                                 .color = wb->source == UTGARD_WB_COLOR,
                                 .zs = wb->source == UTGARD_WB_ZS,
                                 .surface = wb->image,
                                 .resolve = utgard_wb_plane(wb, plane),
                                 .averaged = plane == AVERAGE || wb->average.shrink_x || wb->average.shrink_y,
                                 .red_low = true};

    if (wb->average.shrink_x == wb->average.shrink_y &&
        utgard_wb_physical(wb, plan->run->frame->space, plane > 0 ? (unsigned)plane : 0, &op.image))
        op.pixel_bytes = raster_format_bytes((enum raster_format)wb->image.format);
    plan->op[plan->count++] = op;
}

/* ---- before the frame is drawn ---- */

static void plan_job(const struct utgard_run *run, uint32_t job, struct plan *plan)
{
    const struct gpu_observer *o = run->frame->observer;
    const struct utgard_tile *place = &run->frame->tiles[job];
    const struct gpu_observed_op own[] = {
        {.batch = run->frame->batch,
         .job = job,
         .kind = GPU_OBSERVED_JOB,
         .color = true,
         .zs = true,
         .clear_color = run->rgba16f ? run->clear_rgba16f : run->clear_color,
         .clear_zs = run->clear_zs},
        {.batch = run->frame->batch,
         .job = job,
         .number = OP_TILE,
         .kind = GPU_OBSERVED_TILE,
         .x = (int32_t)(place->x * UTGARD_TILE),
         .y = (int32_t)(place->y * UTGARD_TILE),
         .size = UTGARD_TILE,
         .width = run->width,
         .height = run->height},
        {.batch = run->frame->batch,
         .job = job,
         .number = OP_DRAW,
         .kind = GPU_OBSERVED_DRAW,
         .what = "tile list",
         .address = place->list}};

    for (unsigned n = 0; n < sizeof own / sizeof *own; n++)
        o->planned(o->data, &own[n]);
    for (uint32_t n = 0; n < plan->count; n++) {
        plan->op[n].job = job;
        o->planned(o->data, &plan->op[n]);
    }
}

void utgard_observe_frame(const struct utgard_run *run)
{
    struct plan plan = {.run = run};

    for (; plan.unit < UTGARD_WB_UNITS; plan.unit++)
        each_plane(&run->wb[plan.unit], plan_store, &plan);
    for (uint32_t job = 0; run->frame->observer->planned && job < run->frame->tile_count; job++)
        plan_job(run, job, &plan);
}

/* ---- a tile, on its worker ---- */

static struct gpu_observed_work work_of(const struct utgard_worker *w)
{
    return (struct gpu_observed_work){.primitives = w->primitives,
                                      .blocks = w->raster.work.blocks,
                                      .instructions = w->raster.work.executed};
}

void utgard_observe_job(const struct utgard_run *run, struct utgard_worker *w, unsigned worker, uint32_t job)
{
    const struct gpu_observer *o = run->frame->observer;

    w->watch = o->job ? o->job(o->data, worker, run->frame->batch, job) : NULL;
    w->list = 0;
}

void utgard_observe_job_end(const struct utgard_run *run, struct utgard_worker *w)
{
    const struct gpu_observer *o = run->frame->observer;
    struct gpu_observed_work work = work_of(w);

    if (o->job_end)
        o->job_end(w->watch, &work);
    w->watch = NULL;
}

static void tell(const struct utgard_run *run, struct utgard_worker *w, uint32_t number,
                 enum gpu_observed_kind kind, bool done)
{
    const struct gpu_observer *o = run->frame->observer;
    struct gpu_observed_work work = work_of(w);

    if (o->op)
        o->op(w->watch, number, kind, done, &w->raster.tile, &work);
}

void utgard_observe_tile(const struct utgard_run *run, struct utgard_worker *w)
{
    tell(run, w, OP_TILE, GPU_OBSERVED_TILE, false);
    tell(run, w, OP_TILE, GPU_OBSERVED_TILE, true);
}

void utgard_observe_draw(const struct utgard_run *run, struct utgard_worker *w, bool done)
{
    tell(run, w, OP_DRAW, GPU_OBSERVED_DRAW, done);
}

struct storing {
    const struct utgard_run *run;
    struct utgard_worker *worker;
    unsigned unit;
    bool done;
};

static void tell_store(void *data, int plane)
{
    const struct storing *s = data;

    tell(s->run, s->worker, store_number(s->unit, plane), GPU_OBSERVED_STORE, s->done);
}

void utgard_observe_store(const struct utgard_run *run, struct utgard_worker *w, unsigned unit)
{
    struct storing s = {.run = run, .worker = w, .unit = unit};

    each_plane(&run->wb[unit], tell_store, &s);
    utgard_wb_store(&run->wb[unit], run->frame->space->window.base, &w->raster.tile);
    s.done = true;
    each_plane(&run->wb[unit], tell_store, &s);
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

void utgard_observe_list(const struct utgard_run *run, struct utgard_worker *w,
                         const struct utgard_tile_state *state, const struct utgard_draw *draw)
{
    const struct gpu_observer *o = run->frame->observer;
    const struct gpu_observed_program program = utgard_frag_program(draw->frag);
    const struct gpu_observed_list list = {.number = ++w->list,
                                           .what = "render state",
                                           .address = state->rsw,
                                           .samples = (uint8_t)w->raster.tile.samples,
                                           .compiled = utgard_frag_compiled(draw->frag),
                                           .clip = state->clip,
                                           .program = &program,
                                           .guest_address = guest_address,
                                           .space = run->frame->space};

    w->number = 0;
    if (o->list)
        o->list(w->watch, &list);
}

void utgard_observe_primitive(const struct utgard_run *run, struct utgard_worker *w,
                              const struct tiler_item *item)
{
    const struct gpu_observer *o = run->frame->observer;
    struct gpu_observed_work work = work_of(w);

    if (o->primitive)
        o->primitive(w->watch, item->place, w->number, &work);
    w->number++;
    w->primitives++;
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

bool utgard_observe_shade(const struct utgard_run *run, struct utgard_worker *w,
                          const struct tiler_item *item, const struct utgard_draw *draw,
                          const struct raster_draw *raster, const struct raster_vertex *vertex)
{
    const struct gpu_observer *o = run->frame->observer;
    enum gpu_primitive kind = kind_of(item->kind);
    bool whole;
    uint32_t count = raster_draw_cover(raster, &whole);
    const struct raster_prim *prim = &w->raster.prim;
    struct raster_tile *tile = &w->raster.tile;
    const struct gpu_observed_primitive it = {.kind = kind,
                                              .code = item->place,
                                              .number = w->number - 1,
                                              .vertices = kind < GPU_TRIANGLES ? kind + 1u : 3,
                                              .index = item->index,
                                              .vertex = vertex,
                                              .prepended = utgard_frag_wants_point(draw->frag) ? 2 : 0,
                                              .setup = &raster->setup,
                                              .prim = prim,
                                              .blocks = w->raster.blocks,
                                              .block_count = count};
    const struct gpu_watch *watch = o->covered ? o->covered(w->watch, &it, tile) : NULL;

    if (!count)
        return true;
    if (watch)
        return !utgard_frag_shade_watched(draw->frag, watch, prim, tile, w->raster.blocks, count,
                                          &w->raster.work);
    return !raster_shader_shade(raster->shader, prim, tile, w->raster.blocks, count, &w->raster.work);
}

/* The loop over a frame's areas: shares of its bounds, the first fault of each owner, workers. */
#include "gpu/frame.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/frame_internal.h"
#include "raster/surface.h"
#include "util/bits.h"

#define UNIT        "frame"
#define LEAST_SHARE 65536u /* of the frame's bounds, for a tile */
#define AHEAD       2u     /* areas from the one whose list is fetched to the one at hand */

/* ---- faults ---- */

/* The tile is not stored: its owner hears of the first such. */
static void report_tile(struct gpu_frame *frame, uint32_t index, const struct gpu_fault *fault)
{
    struct gpu_frame_run *run = frame->run;
    uint32_t owner = frame->tiles[index].owner;
    if (index >= run->fault_index[owner])
        return;
    run->fault_index[owner] = index;
    run->fault[owner] = *fault;
}

static void report_part(struct gpu_frame *frame, const struct raster_rect *part,
                        const struct gpu_fault *fault)
{
    const struct gpu_frame_run *run = frame->run;
    const struct gpu_observer *o = frame->observer;
    const int32_t side = GPU_TILE;
    pthread_mutex_lock(&frame->maker.lock);
    for (int32_t y = part->y0 / side; y <= (part->y1 - 1) / side; y++)
        for (int32_t x = part->x0 / side; x <= (part->x1 - 1) / side; x++)
            report_tile(frame, run->tile_at[(uint32_t)y * run->columns + (uint32_t)x] - 1, fault);
    if (o && o->stopped)
        o->stopped(o->data, frame->batch, part);
    pthread_mutex_unlock(&frame->maker.lock);
}

static void report(struct gpu_frame *frame, const struct gpu_frame_area *area, const struct gpu_fault *fault)
{
    const struct raster_rect pixels = {
        .x0 = area->x * (int32_t)GPU_TILE,
        .y0 = area->y * (int32_t)GPU_TILE,
        .x1 = (area->x + area->width) * (int32_t)GPU_TILE,
        .y1 = (area->y + area->height) * (int32_t)GPU_TILE,
    };
    report_part(frame, &pixels, fault);
}

/* ---- areas ---- */

static void clear(const struct gpu_frame *frame, struct raster_tile *tile)
{
    tile->target = frame->target;
    if (frame->family->clear) {
        frame->family->clear(frame, tile);
        return;
    }
    raster_tile_clear_zs(tile, frame->clear_zs, UINT32_MAX);
    if (frame->target == RASTER_TARGET_RGBA16F)
        raster_tile_clear_rgba16f(tile, frame->clear_color);
    else
        raster_tile_clear_color(tile, (uint32_t)frame->clear_color);
}

/* What fits into the tile buffer, pixels of the area, is stored where the list could be drawn to its end. */
static void render_part(struct gpu_frame *frame, struct gpu_frame_worker *w,
                        const struct gpu_frame_area *area, const struct raster_rect *part, uint32_t samples,
                        const struct gpu_frame_reload *reload)
{
    const uint32_t width = (uint32_t)(part->x1 - part->x0), height = (uint32_t)(part->y1 - part->y0);
    struct gpu_fault fault;
    gpu_fault_clear(&fault);
    raster_worker_place(&w->raster, part->x0, part->y0, width, height, samples);
    clear(frame, &w->raster.tile);
    if (w->watched.job)
        gpu_frame_observe_tile(w, false);
    if (!gpu_frame_tile_draw(frame, w, area->list, UTIL_MAX(width * height / (GPU_TILE * GPU_TILE), 1u),
                             reload, &fault)) {
        report_part(frame, part, &fault);
        return;
    }
    if (w->watched.job)
        gpu_frame_observe_tile(w, true);
    for (unsigned n = 0; n < frame->units; n++)
        if (w->watched.job)
            gpu_frame_observe_store(frame, w, n);
        else
            frame->family->store(frame, n, &w->raster.tile);
}

/* What is only cleared needs no tile buffer, unless false. */
static bool fill_area(const struct gpu_frame *frame, const struct gpu_frame_area *area)
{
    const int32_t x = area->x * (int32_t)GPU_TILE, y = area->y * (int32_t)GPU_TILE;
    const struct raster_rect pixels = {x, y, x + area->width * (int32_t)GPU_TILE,
                                       y + area->height * (int32_t)GPU_TILE};
    return frame->family->fill(frame, &pixels);
}

/* The area in as many parts as tile buffers hold. */
static void render_parts(struct gpu_frame *frame, const struct gpu_frame_area *area,
                         struct gpu_frame_worker *w, uint32_t samples, bool half,
                         const struct gpu_frame_reload *reload)
{
    const int32_t side = half ? 2 * GPU_TILE : 4 * GPU_TILE;
    const int32_t observed = w->watched.job ? (int32_t)gpu_frame_observed_side(frame) : 0;
    const int32_t width = observed ? observed : frame->part_width ? frame->part_width : side;
    const int32_t height = observed ? observed : frame->part_height ? frame->part_height : side;
    const int32_t left = area->x * (int32_t)GPU_TILE, right = left + area->width * (int32_t)GPU_TILE;
    const int32_t top = area->y * (int32_t)GPU_TILE, bottom = top + area->height * (int32_t)GPU_TILE;
    for (int32_t y = top; y < bottom; y += height)
        for (int32_t x = left; x < right; x += width) {
            const struct raster_rect part = {x, y, UTIL_MIN(x + width, right), UTIL_MIN(y + height, bottom)};
            render_part(frame, w, area, &part, samples, reload);
            w->part++;
        }
}

static void render_area(struct gpu_frame *frame, const struct gpu_frame_area *area,
                        struct gpu_frame_worker *w)
{
    const bool halves = frame->target == RASTER_TARGET_RGBA16F;
    struct gpu_fault fault;
    struct gpu_tile_needs needs;
    gpu_fault_clear(&fault);
    if (!gpu_frame_tile_needs(frame, area->list, &needs, &fault)) {
        report(frame, area, &fault);
        return;
    }
    if (needs.nothing && !w->watched.job && fill_area(frame, area))
        return;
    bool four = needs.four_samples || frame->multisampled;
    if (four && halves) {
        gpu_fault_set(&fault, GPU_FAULT_UNSUPPORTED, UNIT, area->list, "four samples of tiles of halves");
        report(frame, area, &fault);
        return;
    }
    struct gpu_frame_reload reload = {.all = false};
    if (!four && frame->samples <= 1 && !w->watched.job)
        gpu_frame_reload_find(frame, area, w, &reload);
    if (!reload.all)
        render_parts(frame, area, w, frame->samples ? frame->samples : four ? 4 : 1, four || halves, &reload);
}

static void work(void *data, uint32_t index, unsigned worker)
{
    struct gpu_frame *frame = data;
    const struct gpu_frame_run *run = frame->run;
    struct gpu_frame_worker *w = &run->workers[worker];
    const struct gpu_frame_area *area = &run->areas[index];
    if (gpu_frame_cancelled(frame))
        return;
    if (index + AHEAD < run->area_count && area[AHEAD].list != GPU_TILE_EMPTY)
        __builtin_prefetch(frame->space->window.base + area[AHEAD].list);
    w->list = w->part = 0;
    if (frame->observer)
        gpu_watched_begin(&w->watched, frame->observer, &w->raster, worker, frame->batch,
                          run->tile_at[area->y * run->columns + area->x] - 1);
    render_area(frame, area, w);
    if (w->watched.job)
        gpu_watched_end(&w->watched);
}

/* ---- the frame ---- */

/* Several times what an even division gives: pictures are not even. */
static uint64_t share(uint64_t all, uint32_t tiles)
{
    return UTIL_MAX(tiles > 8 ? all / (tiles / 8) : all, LEAST_SHARE);
}

void gpu_frame_workers_free(struct gpu_frame_workers *workers)
{
    util_arena_destroy(workers->arena);
    free(workers->worker);
    *workers = (struct gpu_frame_workers){0};
}

static bool grow(struct gpu_frame_workers *workers, unsigned count)
{
    size_t bytes = util_align(count * sizeof *workers->worker, 64);
    if (workers->count >= count)
        return true;
    gpu_frame_workers_free(workers);
    workers->worker = aligned_alloc(64, bytes);
    if (!workers->worker || util_arena_create(&workers->arena)) {
        workers->arena = NULL;
        return false;
    }
    memset(workers->worker, 0, bytes);
    workers->count = count;
    return true;
}

static bool no_memory(const struct gpu_frame *frame, struct gpu_fault *fault)
{
    return gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, frame->list, "no host memory");
}

/* False: nothing was rendered, *fault. */
static bool render(struct gpu_frame *frame, struct gpu_fault *fault)
{
    struct gpu_frame_run *run = frame->run;
    if (!frame->family->begin(frame, fault))
        return false;
    if (!gpu_frame_areas_make(frame))
        return no_memory(frame, fault);
    for (unsigned n = 0; n < util_pool_workers(frame->pool); n++) {
        run->workers[n].draw = NULL;
        run->workers[n].entries = 0;
        run->workers[n].watched = (struct gpu_watched){0};
        run->workers[n].raster.work = (struct raster_shader_work){0};
    }
    run->fuel = share(frame->fuel, frame->tile_count);
    run->items = share(frame->packets, frame->tile_count);
    for (uint32_t n = 0; n <= frame->last_owner; n++)
        run->fault_index[n] = UINT32_MAX;
    if (frame->observer)
        gpu_frame_observe(frame);
    util_pool_run(frame->pool, run->area_count, work, frame);
    for (unsigned n = 0; n < util_pool_workers(frame->pool); n++) {
        if (frame->blocks)
            *frame->blocks += run->workers[n].raster.work.blocks;
        if (frame->instructions)
            *frame->instructions += run->workers[n].raster.work.executed;
        if (frame->entries)
            *frame->entries += run->workers[n].entries;
    }
    if (frame->family->end && !frame->family->end(frame, fault) && !run->fault[0].kind)
        run->fault[0] = *fault;
    return true;
}

/* `render` with what it works in; afterwards the frame's draws are gone. */
static bool render_with(struct gpu_frame *frame, struct gpu_frame_workers *workers, struct gpu_fault *fault)
{
    struct gpu_frame_run *run = frame->run;
    if (!run || !grow(workers, util_pool_workers(frame->pool)))
        return no_memory(frame, fault);
    run->workers = workers->worker;
    frame->arena = workers->arena;
    util_arena_alone(frame->arena, util_pool_workers(frame->pool) == 1);
    util_maker_init(&frame->maker);
    util_memo_init(&frame->draws, &frame->maker, frame->arena);
    frame->draws.recalls = true; /* tile after tile asks for the same ones */
    frame->draws.slots = UTIL_MAX(frame->draws.slots, workers->draw_slots);
    bool done = render(frame, fault);
    util_memo_clear(&frame->draws);
    workers->draw_slots = frame->draws.slots;
    util_arena_reset(frame->arena);
    util_maker_destroy(&frame->maker);
    free(run->tile_at);
    free(run->lists);
    free(run->areas);
    return done;
}

bool gpu_frame_render(struct gpu_frame *frame, struct gpu_fault *fault)
{
    struct gpu_frame_workers own = {0};
    struct gpu_fault whole = {0};
    bool done = true;
    frame->run = calloc(1, sizeof *frame->run);
    bool rendered = render_with(frame, frame->workers ? frame->workers : &own, &whole);
    for (uint32_t n = 0; n <= frame->last_owner; n++) {
        fault[n] = rendered ? frame->run->fault[n] : whole;
        done &= fault[n].kind == GPU_FAULT_NONE;
    }
    free(frame->run);
    frame->run = NULL;
    gpu_frame_workers_free(&own);
    return done;
}

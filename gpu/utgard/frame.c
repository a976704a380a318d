/* Frames: registers, master lists, and the loop over tiles. */
#include "gpu/utgard/frame.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "raster/surface.h"
#include "util/bits.h"
#include "util/half.h"

#define UNIT "frame"

/* ---- master lists ---- */

enum { CALL = 0xe0000002, RETURN = 0xb0000000, TILE = 0xb8000000, END = 0xbc000000 };

bool utgard_frame_tiles(const struct gpu_space *space, uint32_t list, uint32_t owner,
                        struct utgard_tile *tiles, uint32_t *count, struct gpu_fault *fault)
{
    uint32_t x = 0, y = 0;
    bool placed = false;

    for (uint32_t at = list;; at += 8) {
        const uint8_t *bytes = gpu_space_at(space, at, 8, GPU_RIGHT_READ);
        uint32_t low, high;

        if (!bytes)
            return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, at, "the list of tiles leaves memory");
        low = util_load32(bytes);
        high = util_load32(bytes + 4);
        if (high == END)
            return true;
        if ((high & 0xffff0000) == TILE && !low) {
            x = high & 255;
            y = high >> 8 & 255;
            placed = true;
        } else if (high == RETURN && (low & 0xe0000003) == CALL && placed) {
            if (*count == UTGARD_MAX_TILES)
                return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, at, "more than %u tiles",
                                        UTGARD_MAX_TILES);
            tiles[(*count)++] = (struct utgard_tile){x, y, (low & ~0xe0000003u) << 3, owner};
        } else {
            return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, at, "0x%08x 0x%08x in a list of tiles", low,
                                    high);
        }
    }
}

/* ---- the frame ---- */

/* Clear values of tiles of halves: fractions of 65535, as lima packs them. */
static uint64_t halves_of(const uint32_t words[2])
{
    uint64_t color = 0;

    for (unsigned c = 0; c < 4; c++) {
        uint32_t value = words[c / 2] >> c % 2 * 16 & 0xffff;

        color |= (uint64_t)util_float_to_half((float)value / 65535.0f) << 16 * c;
    }
    return color;
}

static bool decode(struct utgard_run *run, struct gpu_fault *fault)
{
    const struct utgard_pp_frame *frame = run->frame;
    const uint32_t *r = frame->registers;

    run->width = r[UTGARD_FRAME_WIDTH] + 1;
    run->height = r[UTGARD_FRAME_HEIGHT] + 1;
    /* From the lower left: programs count rows from the bottom, whose origin is given in half pixels. */
    run->y_scale = r[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_LOWER_LEFT ? -1.0f : 1.0f;
    run->y_offset = r[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_LOWER_LEFT
                        ? (float)((r[UTGARD_FRAME_ORIGIN_Y] & 0xffff) + 1) / 2.0f
                        : 0.0f;
    run->clear_color = r[UTGARD_FRAME_CLEAR_COLOR];
    run->rgba16f = r[UTGARD_FRAME_FLAGS] & UTGARD_FRAME_HALVES;
    run->clear_rgba16f = halves_of(&r[UTGARD_FRAME_CLEAR_COLOR]);
    run->clear_zs = (r[UTGARD_FRAME_CLEAR_DEPTH] & 0xffffff) << 8 | (r[UTGARD_FRAME_CLEAR_STENCIL] & 255);
    if (r[UTGARD_FRAME_WIDTH] > 4095 || r[UTGARD_FRAME_HEIGHT] > 4095)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, r[0], "a frame of %ux%u", run->width,
                                run->height);
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        if (!utgard_wb_decode(frame->wb[n], run->width, run->height, frame->space, &run->wb[n], fault) ||
            !utgard_wb_fits(&run->wb[n], run->rgba16f, fault))
            return false;
        run->multisampled |= run->wb[n].source != UTGARD_WB_OFF && run->wb[n].samples != 0;
    }
    return true;
}

/* The tile is not stored: its owner hears of the first such. */
static void report_tile(struct utgard_run *run, uint32_t index, const struct gpu_fault *fault)
{
    uint32_t owner = run->frame->tiles[index].owner;

    if (index >= run->fault_index[owner])
        return;
    run->fault_index[owner] = index;
    run->fault[owner] = *fault;
}

static void report(struct utgard_run *run, const struct utgard_area *part, const struct gpu_fault *fault)
{
    pthread_mutex_lock(&run->maker.lock);
    for (uint32_t y = part->y; y < part->y + (uint32_t)part->height; y++)
        for (uint32_t x = part->x; x < part->x + (uint32_t)part->width; x++)
            report_tile(run, run->tile_at[y * run->columns + x] - 1, fault);
    pthread_mutex_unlock(&run->maker.lock);
}

/* What fits into the tile buffer is written where the list could be drawn to its end. */
static void render_part(struct utgard_run *run, struct utgard_worker *w, const struct utgard_area *part,
                        uint32_t samples)
{
    struct raster_tile *tile = &w->raster.tile;
    struct gpu_fault fault = {0};

    raster_worker_place(&w->raster, part->x * (int32_t)UTGARD_TILE, part->y * (int32_t)UTGARD_TILE,
                        part->width * UTGARD_TILE, part->height * UTGARD_TILE, samples);
    tile->target = run->rgba16f ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    raster_tile_clear_zs(tile, run->clear_zs, UINT32_MAX);
    if (run->rgba16f)
        raster_tile_clear_rgba16f(tile, run->clear_rgba16f);
    else
        raster_tile_clear_color(tile, run->clear_color);
    if (w->watch) {
        utgard_observe_tile(run, w);
        utgard_observe_draw(run, w, false);
    }
    if (!utgard_tile_draw(run, w, part->list, (uint32_t)part->width * part->height, &fault)) {
        report(run, part, &fault);
        return;
    }
    if (w->watch)
        utgard_observe_draw(run, w, true);
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++)
        if (w->watch)
            utgard_observe_store(run, w, n);
        else
            utgard_wb_store(&run->wb[n], run->frame->space->window.base, tile);
}

/* What is only cleared needs no tile buffer, unless false. */
static bool clear_area(const struct utgard_run *run, const struct utgard_area *area)
{
    const int32_t x = area->x * (int32_t)UTGARD_TILE, y = area->y * (int32_t)UTGARD_TILE;
    const struct raster_rect pixels = {x, y, x + area->width * (int32_t)UTGARD_TILE,
                                       y + area->height * (int32_t)UTGARD_TILE};

    const enum raster_target target = run->rgba16f ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888;
    const uint64_t color = run->rgba16f ? run->clear_rgba16f : run->clear_color;
    bool done = true;

    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++)
        done &= utgard_wb_fill(&run->wb[n], run->frame->space->window.base, target,
                               run->wb[n].source == UTGARD_WB_ZS ? run->clear_zs : color, &pixels);
    return done;
}

static void render_area(struct utgard_run *run, const struct utgard_area *area, struct utgard_worker *w)
{
    struct gpu_fault fault = {0};
    struct utgard_tile_needs needs;
    bool four;
    uint32_t side;

    if (!utgard_tile_needs(run, area->list, &needs, &fault)) {
        report(run, area, &fault);
        return;
    }
    if (needs.nothing && !w->watch && clear_area(run, area))
        return;
    four = needs.four_samples || run->multisampled;
    if (four && run->rgba16f) {
        utgard_pp_refuse(&fault, GPU_FAULT_UNSUPPORTED, UNIT, area->list, "four samples of tiles of halves");
        report(run, area, &fault);
        return;
    }
    if (!four && !run->rgba16f && !w->watch && utgard_area_returns(run, area, w))
        return;
    side = four || run->rgba16f ? 2 : 4;
    for (uint32_t y = 0; y < area->height; y += side)
        for (uint32_t x = 0; x < area->width; x += side) {
            struct utgard_area part = {.x = (uint8_t)(area->x + x),
                                       .y = (uint8_t)(area->y + y),
                                       .width = (uint8_t)UTIL_MIN(area->width - x, side),
                                       .height = (uint8_t)UTIL_MIN(area->height - y, side),
                                       .list = area->list};

            render_part(run, w, &part, four ? 4 : 1);
        }
}

static void work(void *data, uint32_t index, unsigned worker)
{
    struct utgard_run *run = data;
    struct utgard_worker *w = &run->workers[worker];
    const struct utgard_area *area = &run->areas[index];

    if (utgard_run_cancelled(run))
        return;
    if (run->frame->observer)
        utgard_observe_job(run, w, worker, run->tile_at[area->y * run->columns + area->x] - 1);
    render_area(run, area, w);
    raster_surface_fence();
    if (w->watch)
        utgard_observe_job_end(run, w);
}

/* Several times what an even division gives: pictures are not even. */
static uint64_t share(uint64_t all, uint32_t tiles)
{
    return UTIL_MAX(tiles > 8 ? all / (tiles / 8) : all, UTGARD_LEAST_SHARE);
}

void utgard_workers_free(struct utgard_workers *workers)
{
    util_arena_destroy(workers->arena);
    free(workers->worker);
    *workers = (struct utgard_workers){0};
}

static bool grow(struct utgard_workers *workers, unsigned count)
{
    size_t bytes = util_align(count * sizeof *workers->worker, 64);

    if (workers->count >= count)
        return true;
    utgard_workers_free(workers);
    workers->worker = aligned_alloc(64, bytes);
    if (!workers->worker || util_arena_create(&workers->arena)) {
        workers->arena = NULL;
        return false;
    }
    memset(workers->worker, 0, bytes);
    workers->count = count;
    return true;
}

/* False: nothing was rendered, *fault. */
static bool render(struct utgard_run *run, struct gpu_fault *fault)
{
    const struct utgard_pp_frame *frame = run->frame;

    if (!decode(run, fault))
        return false;
    if (!utgard_areas_make(run))
        return utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, frame->registers[0], "no host memory");
    for (unsigned n = 0; n < util_pool_workers(frame->pool); n++) {
        run->workers[n].draw = NULL;
        run->workers[n].watch = NULL;
        run->workers[n].primitives = 0;
        run->workers[n].raster.work = (struct raster_shader_work){0};
    }
    run->fuel = share(frame->fuel, frame->tile_count);
    run->items = share(frame->packets, frame->tile_count);
    for (uint32_t n = 0; n <= frame->last_owner; n++)
        run->fault_index[n] = UINT32_MAX;
    if (frame->observer)
        utgard_observe_frame(run);
    util_pool_run(frame->pool, run->area_count, work, run);
    for (unsigned n = 0; n < util_pool_workers(frame->pool); n++) {
        if (frame->blocks)
            *frame->blocks += run->workers[n].raster.work.blocks;
        if (frame->instructions)
            *frame->instructions += run->workers[n].raster.work.executed;
    }
    return true;
}

bool utgard_frame_render(const struct utgard_pp_frame *frame, struct gpu_fault *fault)
{
    struct utgard_workers own = {0}, *workers = frame->workers ? frame->workers : &own;
    struct utgard_run *run = calloc(1, sizeof *run);
    struct gpu_fault whole = {0};
    bool done = true;

    if (run && grow(workers, util_pool_workers(frame->pool))) {
        run->frame = frame;
        run->workers = workers->worker;
        util_maker_init(&run->maker);
        util_memo_init(&run->draws, &run->maker, workers->arena);
        run->draws.slots = UTIL_MAX(run->draws.slots, workers->draw_slots);
        utgard_frag_shared_begin(&run->shared, &run->maker, workers->arena, frame->programs);
        render(run, &whole);
        util_memo_clear(&run->draws);
        workers->draw_slots = run->draws.slots;
        util_arena_reset(workers->arena);
        util_maker_destroy(&run->maker);
        free(run->tile_at);
        free(run->lists);
        free(run->areas);
    } else {
        utgard_pp_refuse(&whole, GPU_FAULT_SHADER, UNIT, frame->registers[0], "no host memory");
    }
    for (uint32_t n = 0; n <= frame->last_owner; n++) {
        fault[n] = whole.kind ? whole : run->fault[n];
        done &= fault[n].kind == GPU_FAULT_NONE;
    }
    free(run);
    utgard_workers_free(&own);
    return done;
}

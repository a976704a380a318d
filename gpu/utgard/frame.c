/* Frames: registers, master lists, and the loop over tiles. */
#include "gpu/utgard/frame.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT "frame"

/* Frame registers (lima's lima_pp_frame_reg). */
enum { FLAGS = 3, CLEAR_DEPTH, CLEAR_STENCIL, CLEAR_COLOR, WIDTH = 10, HEIGHT, ORIGIN_Y = 17 };
#define FLAG_HALVES     1u
#define FLAG_LOWER_LEFT 2u

/* ---- master lists ---- */

enum { CALL = 0xe0000002, RETURN = 0xb0000000, TILE = 0xb8000000, END = 0xbc000000 };

bool utgard_frame_tiles(const struct gpu_space *space, uint32_t list, struct utgard_tile *tiles,
                        uint32_t *count, struct gpu_fault *fault)
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
            tiles[(*count)++] = (struct utgard_tile){x, y, (low & ~0xe0000003u) << 3};
        } else {
            return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, at, "0x%08x 0x%08x in a list of tiles", low,
                                    high);
        }
    }
}

/* ---- the frame ---- */

static bool decode(struct utgard_run *run, struct gpu_fault *fault)
{
    const struct utgard_pp_frame *frame = run->frame;
    const uint32_t *r = frame->registers;

    run->width = r[WIDTH] + 1;
    run->height = r[HEIGHT] + 1;
    /* From the lower left: programs count rows from the bottom, whose origin is given in half pixels. */
    run->y_scale = r[FLAGS] & FLAG_LOWER_LEFT ? -1.0f : 1.0f;
    run->y_offset = r[FLAGS] & FLAG_LOWER_LEFT ? (float)((r[ORIGIN_Y] & 0xffff) + 1) / 2.0f : 0.0f;
    run->clear_color = r[CLEAR_COLOR];
    run->clear_zs = (r[CLEAR_DEPTH] & 0xffffff) << 8 | (r[CLEAR_STENCIL] & 255);
    if (r[WIDTH] > 4095 || r[HEIGHT] > 4095)
        return utgard_pp_refuse(fault, GPU_FAULT_PACKET, UNIT, r[0], "a frame of %ux%u", run->width,
                                run->height);
    if (r[FLAGS] & FLAG_HALVES)
        return utgard_pp_refuse(fault, GPU_FAULT_UNSUPPORTED, UNIT, r[0], "frames of halves");
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++) {
        if (!utgard_wb_decode(frame->wb[n], run->width, run->height, frame->space, &run->wb[n], fault))
            return false;
        run->multisampled |= run->wb[n].source != UTGARD_WB_OFF && run->wb[n].samples != 0;
    }
    return true;
}

static void report(struct utgard_run *run, uint32_t index, const struct gpu_fault *fault)
{
    pthread_mutex_lock(&run->lock);
    if (index < run->fault_index) {
        run->fault_index = index;
        run->fault = *fault;
    }
    pthread_mutex_unlock(&run->lock);
}

/* A tile is written where the list could be drawn to its end. */
static bool draw_tile(struct utgard_run *run, struct utgard_worker *w, const struct utgard_tile *place,
                      struct gpu_fault *fault)
{
    bool four = run->multisampled;

    w->tile.width = w->tile.height = UTGARD_TILE;
    w->tile.x = (int32_t)(place->x * UTGARD_TILE);
    w->tile.y = (int32_t)(place->y * UTGARD_TILE);
    if (!utgard_tile_samples(run, place->list, &four, fault))
        return false;
    w->tile.samples = four ? 4 : 1;
    raster_tile_clear(&w->tile, run->clear_color, run->clear_zs);
    if (w->watch)
        utgard_observe_tile(run, w);
    if (w->watch)
        utgard_observe_draw(run, w, false);
    if (!utgard_tile_draw(run, w, place->list, fault))
        return false;
    if (w->watch)
        utgard_observe_draw(run, w, true);
    for (unsigned n = 0; n < UTGARD_WB_UNITS; n++)
        if (w->watch)
            utgard_observe_store(run, w, n);
        else
            utgard_wb_store(&run->wb[n], run->frame->space->window.base, &w->tile);
    return true;
}

static void render_tile(void *data, uint32_t index, unsigned worker)
{
    struct utgard_run *run = data;
    struct utgard_worker *w = &run->workers[worker];
    struct gpu_fault fault = {0};

    if (run->frame->observer)
        utgard_observe_job(run, w, worker, index);
    if (!draw_tile(run, w, &run->frame->tiles[index], &fault))
        report(run, index, &fault);
    if (w->watch)
        utgard_observe_job_end(run, w);
}

/* Several times what an even division gives: pictures are not even. */
static uint64_t share(uint64_t all, uint32_t tiles)
{
    return UTIL_MAX(tiles > 8 ? all / (tiles / 8) : all, UTGARD_LEAST_SHARE);
}

bool utgard_frame_render(const struct utgard_pp_frame *frame, struct gpu_fault *fault)
{
    unsigned workers = util_pool_workers(frame->pool);
    struct utgard_run *run = calloc(1, sizeof *run);
    bool done;

    if (run)
        run->workers = aligned_alloc(64, util_align(workers * sizeof *run->workers, 64));
    if (!run || !run->workers) {
        free(run);
        return utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, frame->registers[0], "no host memory");
    }
    for (unsigned n = 0; n < workers; n++) {
        run->workers[n].watch = NULL;
        run->workers[n].primitives = run->workers[n].shaded = run->workers[n].executed = 0;
    }
    run->frame = frame;
    run->fault_index = UINT32_MAX;
    run->fuel = share(frame->fuel, frame->tile_count);
    run->items = share(frame->packets, frame->tile_count);
    pthread_mutex_init(&run->lock, NULL);
    done = decode(run, fault);
    if (done && frame->observer)
        utgard_observe_frame(run);
    if (done) {
        util_pool_run(frame->pool, frame->tile_count, render_tile, run);
        done = run->fault_index == UINT32_MAX;
        if (!done)
            *fault = run->fault;
    }
    utgard_run_forget(run);
    pthread_mutex_destroy(&run->lock);
    free(run->workers);
    free(run);
    return done;
}

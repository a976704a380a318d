/* A draw's primitives into the frame's tile lists (tiler/bins.h), which stand in the heap: one list for each square of 64x64
 * pixels. A heap that is full ends the job: who draws more gives it more. */
#include <stdlib.h>
#include <string.h>

#include "gpu/libresoc/job.h"
#include "util/bits.h"

#define UNIT        "tiler"
#define GUARD       16384.0f /* pixels from the frame's centre to where triangles are clipped */
#define INSET       8        /* centres alone are covered */
#define BLOCK_BYTES 256u

/* ---- ports ---- */

static enum tiler_end take_record(void *ctx, uint32_t bytes, uint32_t *place)
{
    *place = libresoc_job_take(ctx, bytes);
    return *place ? TILER_DONE : TILER_REFUSED;
}

static enum tiler_end take_block(void *ctx, struct tiler_bin *bin, uint32_t *place, uint32_t *bytes)
{
    struct libresoc_job *job = ctx;
    *bytes = BLOCK_BYTES;
    *place = libresoc_job_take(job, BLOCK_BYTES);
    job->machine->host->counters.bytes_tile_lists += *place ? BLOCK_BYTES : 0;
    return *place ? TILER_DONE : TILER_REFUSED;
}

/* All blocks are of the heap, which is in memory. */
static bool writable(void *ctx, struct tiler_bin *bin, uint32_t place, uint32_t bytes)
{
    return true;
}

static bool pay(void *ctx, uint64_t cost)
{
    return libresoc_job_pay(ctx, cost);
}

static const uint8_t *indices(void *ctx, uint32_t first, uint32_t count)
{
    struct libresoc_job *job = ctx;
    const uint32_t log2 = job->draw.index_type - 1;
    const uint64_t at = job->draw.indices + ((uint64_t)first << log2), bytes = (uint64_t)count << log2;
    const uint8_t *found = gpu_memory_at(job->machine->memory, at, bytes);
    if (!found || at < job->draw.indices || libresoc_is_written(&job->written, at, bytes)) {
        gpu_fault_set(job->fault, GPU_FAULT_MEMORY, UNIT, at, "indices are not in memory");
        return NULL;
    }
    return found;
}

static bool vertices(void *ctx, uint32_t least, uint32_t greatest, struct tiler_arrays *out)
{
    struct libresoc_job *job = ctx;
    *out = (struct tiler_arrays){.positions = job->machine->memory->base + job->state.positions};
    return greatest < job->draw.vertex_count ||
           gpu_fault_set(job->fault, GPU_FAULT_PACKET, UNIT, job->draw.indices, "index %u of %u vertices",
                         greatest, job->draw.vertex_count);
}

static void binned(void *ctx, uint32_t place, uint64_t primitive)
{
    const struct gpu_observer *o = ((const struct libresoc_job *)ctx)->machine->options->observer;
    if (o->binned)
        o->binned(o->data, place, primitive);
}

static void culled(void *ctx, uint64_t primitive, const int32_t x[3], const int32_t y[3])
{
    const struct gpu_observer *o = ((const struct libresoc_job *)ctx)->machine->options->observer;
    if (o->culled)
        o->culled(o->data, primitive, x, y);
}

static const struct tiler_bins_ports ports = {.record = take_record,
                                              .block = take_block,
                                              .writable = writable,
                                              .pay = pay,
                                              .indices = indices,
                                              .vertices = vertices,
                                              .binned = binned,
                                              .culled = culled};

/* ---- lists ---- */

bool libresoc_tiling_begin(struct libresoc_job *job)
{
    job->columns = util_div_up(job->frame.width, LIBRESOC_LIST_PIXELS);
    job->rows = util_div_up(job->frame.height, LIBRESOC_LIST_PIXELS);
    const uint32_t count = job->columns * job->rows;
    const uint32_t blocks = libresoc_job_take(job, (uint64_t)count * BLOCK_BYTES);
    if (!blocks)
        return false;
    job->bin = calloc(count, sizeof *job->bin);
    if (!job->bin)
        return gpu_fault_set(job->fault, GPU_FAULT_LIST, UNIT, job->address, "no host memory for tile lists");
    for (uint32_t n = 0; n < count; n++)
        tiler_bin_begin(&job->bin[n], blocks + n * BLOCK_BYTES, BLOCK_BYTES);
    job->bins.ports = &ports;
    job->bins.ctx = job;
    job->bins.base = job->machine->memory->base;
    job->bins.pool = job->machine->options->pool;
    job->bins.bin = job->bin;
    job->bins.room = *job->machine->room;
    return true;
}

bool libresoc_tiling_end(struct libresoc_job *job)
{
    for (uint32_t n = 0; n < job->columns * job->rows; n++)
        if (tiler_bin_end(&job->bins, &job->bin[n], NULL) != TILER_DONE)
            return false;
    return true;
}

/* ---- draws ---- */

/* What triangles need to be culled; only what is used of it costs memory. */
static bool make_room(struct libresoc_job *job)
{
    struct tiler_bins_room **room = job->machine->room;
    if (!*room && (*room = aligned_alloc(64, util_align(sizeof **room, 64))))
        memset(&(*room)->piece.marks, 0, sizeof(*room)->piece.marks);
    job->bins.room = *room;
    return *room ||
           gpu_fault_set(job->fault, GPU_FAULT_LIST, UNIT, job->draw_at, "no host memory for vertices");
}

static struct tiler_draw described(struct libresoc_job *job)
{
    const struct libresoc_draw_record *d = &job->draw;
    const struct gpu_observer *o = job->machine->options->observer;
    const uint32_t right = UTIL_MIN(d->clip_x1, job->frame.width);
    const uint32_t bottom = UTIL_MIN(d->clip_y1, job->frame.height);
    const struct tiler_grid grid = {.shift = 6,
                                    .x0 = (int32_t)UTIL_MIN(d->clip_x0, job->frame.width),
                                    .y0 = (int32_t)UTIL_MIN(d->clip_y0, job->frame.height),
                                    .x1 = (int32_t)right,
                                    .y1 = (int32_t)bottom,
                                    .inset = INSET};
    struct tiler_draw out = {
        .told = o && (o->binned || o->culled),
        .indexed = d->index_type != 0,
        .index_log2 = d->index_type ? d->index_type - 1 : 0,
        .count = d->count,
        .size = d->size,
        .first_provokes = d->flat_first,
        /* Positive areas run clockwise: x right, y down the image. */
        .keep_positive = !d->cull_clockwise,
        .keep_negative = !d->cull_counterclockwise,
        .window = {.centre_x = (float)job->frame.width * 0.5f,
                   .centre_y = (float)job->frame.height * 0.5f,
                   .near = d->translate_z - d->scale_z,
                   .far = d->translate_z + d->scale_z,
                   .guard = {.scale_x = 1, .scale_y = 1, .limit = GUARD}},
        .grid = grid,
        .column = 1,
        .row = job->columns,
        .record = &job->state,
        .record_bytes = sizeof job->state,
    };
    libresoc_draw_mode(d->mode, &out.mode);
    job->state.state = (uint32_t)job->draw_at;
    job->state.size = d->size;
    job->state.x0 = (uint16_t)grid.x0;
    job->state.y0 = (uint16_t)grid.y0;
    job->state.x1 = (uint16_t)right;
    job->state.y1 = (uint16_t)bottom;
    job->state.near = out.window.near;
    job->state.far = out.window.far;
    job->state.draw = job->number;
    return out;
}

static void observe(const struct libresoc_job *job, const struct tiler_draw *draw, bool done)
{
    const struct gpu_observer *o = job->machine->options->observer;
    const struct gpu_counters *c = &job->machine->host->counters;
    const struct gpu_observed_binning counts = {.vertices = c->vertices,
                                                .primitives_in = c->primitives_in,
                                                .primitives_binned = c->primitives_binned,
                                                .instructions = c->instructions};
    const struct gpu_observed_bin it = {.address = (uint32_t)job->draw_at,
                                        .mode = tiler_mode_name(draw->mode),
                                        .indexed = draw->indexed,
                                        .length = draw->count,
                                        .state = (uint32_t)job->draw_at,
                                        .shading = job->number};
    if (!o)
        return;
    if (!done && o->bin)
        o->bin(o->data, &it, &counts);
    if (done && o->bin_end)
        o->bin_end(o->data, NULL, &counts);
}

bool libresoc_tiling_draw(struct libresoc_job *job)
{
    struct gpu_counters *counters = &job->machine->host->counters;
    const struct tiler_draw draw = described(job);
    struct tiler_bins *b = &job->bins;
    if (draw.grid.x0 >= draw.grid.x1 || draw.grid.y0 >= draw.grid.y1)
        return true;
    if (tiler_draw_culls(&draw) && !make_room(job))
        return false;
    observe(job, &draw, false);
    tiler_bins_draw_begin(b, &draw);
    const enum tiler_end end = tiler_bins_draw(b);
    counters->primitives_in += b->primitives_in;
    counters->primitives_binned += b->primitives_binned;
    b->primitives_in = b->primitives_binned = 0;
    observe(job, &draw, true);
    if (end == TILER_BAD_INDEX)
        gpu_fault_set(job->fault, GPU_FAULT_PACKET, UNIT, job->draw.indices, "index %u of %u vertices",
                      b->bad_index, job->draw.vertex_count);
    return end == TILER_DONE;
}

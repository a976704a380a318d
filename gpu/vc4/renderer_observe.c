/* What an observer is told of a rendering list (gpu/observe.h). */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/vc4/renderer_internal.h"

/* ---- a batch, before it is drawn ---- */

static uint32_t guest_address(const struct vc4_device *device, const uint8_t *host)
{
    return host ? (uint32_t)(host - device->memory->base) : 0;
}

static enum gpu_observed_kind kind_of(const struct vc4_op *op)
{
    switch (op->type) {
    case VC4_OP_TILE: return GPU_OBSERVED_TILE;
    case VC4_OP_CLEAR: return GPU_OBSERVED_CLEAR;
    case VC4_OP_LOAD: return GPU_OBSERVED_LOAD;
    case VC4_OP_STORE: return GPU_OBSERVED_STORE;
    case VC4_OP_RAW: return op->store ? GPU_OBSERVED_RAW_STORE : GPU_OBSERVED_RAW_LOAD;
    default: return GPU_OBSERVED_DRAW;
    }
}

static void translate(const struct vc4_device *device, const struct vc4_op *op, struct gpu_observed_op *out)
{
    out->kind = kind_of(op);
    out->what = "record";
    out->address = op->address;
    uint32_t halves = op->type == VC4_OP_CLEAR ? op->buffer : vc4_op_halves(op);
    out->color = halves & VC4_HALF_COLOR;
    out->zs = halves & VC4_HALF_ZS;
    switch (op->type) {
    case VC4_OP_TILE:
        out->x = op->tile.x;
        out->y = op->tile.y;
        out->size = op->tile.size;
        out->width = op->tile.width;
        out->height = op->tile.height;
        break;
    case VC4_OP_CLEAR:
        out->clear_color = op->clear.color;
        out->clear_zs = op->clear.zs;
        break;
    case VC4_OP_LOAD:
    case VC4_OP_STORE:
        out->surface = op->surface;
        out->image = guest_address(device, op->surface.base);
        out->pixel_bytes = raster_format_bytes((enum raster_format)op->surface.format);
        out->resolve = op->resolve;
        out->averaged = op->resolve.count > 1 || op->resolve.shrink_x;
        break;
    case VC4_OP_RAW: out->image = guest_address(device, op->raw.bytes); break;
    default: break;
    }
}

void vc4_observe_batch(const struct vc4_device *device)
{
    const struct gpu_observer *o = device->options.observer;
    const struct vc4_batch *b = &device->renderer->batch;
    for (uint32_t j = 0; o->planned && j < b->job_count; j++) {
        const struct vc4_job *job = &b->jobs[j];
        struct gpu_observed_op op = {.batch = b->generation,
                                     .job = j,
                                     .kind = GPU_OBSERVED_JOB,
                                     .color = true,
                                     .zs = true,
                                     .continues = job->continues,
                                     .clear_color = job->color,
                                     .clear_zs = job->zs};
        o->planned(o->data, &op);
        for (uint32_t i = 0; i < job->count; i++) {
            op = (struct gpu_observed_op){.batch = b->generation, .job = j, .number = i + 1};
            const struct vc4_op *own = &b->ops[job->first + i];
            translate(device, own, &op);
            o->planned(o->data, &op);
        }
    }
}

/* ---- a job, on its worker ---- */

void vc4_observe_op(const struct vc4_worker *w, uint32_t number, const struct vc4_op *op, bool done)
{
    gpu_watched_op(&w->watched, number, kind_of(op), done);
}

/* ---- draws and primitives ---- */

void vc4_observe_list(const struct vc4_tile_run *run, const struct vc4_draw *draw, uint32_t address,
                      const struct raster_rect *clip)
{
    const struct vc4_draw_state *s = &run->state;
    struct gpu_observed_program program;
    bool stated = draw && draw->state;
    if (stated)
        program = vc4_observed_program(draw->state->fs.program, draw->state->fs.code);
    const struct gpu_observed_list list = {
        .number = run->draw,
        .what = "tile list",
        .address = address,
        .samples = (uint8_t)run->worker->raster.tile.samples,
        .centre_only = run->worker->raster.tile.samples > 1 && s->oversample == 1,
        .compiled = draw && vc4_frag_compiled(draw->frag),
        .clip = *clip,
        .program = stated ? &program : NULL,
    };
    gpu_watched_list(&run->worker->watched, &list);
}

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const uint32_t *vc4_observe_vertex(const struct vc4_tile_run *run, struct gpu_vertex_cache *cache,
                                   uint32_t index, uint32_t alone[GPU_CACHE_ALONE])
{
    uint64_t before = nanoseconds();
    const uint32_t *shaded = gpu_vertex_cache_shade(cache, index, alone, run->fault);
    run->worker->watched.vertex_ns += nanoseconds() - before;
    return shaded;
}

#include "gpu/libresoc/job.h"

#include <stdlib.h>

#include "gpu/observe.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define UNIT       "command processor"
#define HEAP_ALIGN 64u

/* ---- bounds ---- */

bool libresoc_job_pay(struct libresoc_job *job, uint64_t cost)
{
    if (gpu_host_cancelled(job->machine->host))
        return gpu_fault_set(job->fault, GPU_FAULT_TIMEOUT, UNIT, job->draw_at, "cancelled");
    if (job->packets < cost)
        return gpu_fault_set(job->fault, GPU_FAULT_TIMEOUT, UNIT, job->draw_at,
                             "more draws, indices and lists than a job may have");
    job->packets -= cost;
    return true;
}

uint32_t libresoc_job_take(struct libresoc_job *job, uint64_t bytes)
{
    const uint32_t at = job->heap_at;
    bytes = util_align(bytes, HEAP_ALIGN);
    if (bytes > job->heap_end - at) {
        gpu_fault_set(job->fault, GPU_FAULT_TILE_MEMORY, UNIT, job->frame.heap,
                      "the heap of %u bytes has no room for %llu more", job->frame.heap_bytes,
                      (unsigned long long)bytes);
        return 0;
    }
    job->heap_at += (uint32_t)bytes;
    return at;
}

/* ---- vertices ---- */

static struct libresoc_stage stage_of(const struct libresoc_job *job, enum libresoc_stage_kind kind)
{
    return (struct libresoc_stage){.kind = kind,
                                   .memory = job->machine->memory,
                                   .written = &job->written,
                                   .fuel = job->machine->options->fuel,
                                   .host = job->machine->host};
}

/* Each launch has the share of what is left that all others have. */
static uint64_t share(const struct libresoc_job *job)
{
    const uint64_t launches = util_div_up(job->draw.vertex_count, LIBRESOC_LANES);
    return job->fuel / launches;
}

/* Room for an instance's vertices, whose addresses the state takes. */
static bool place(struct libresoc_job *job, struct libresoc_vertices *v)
{
    const struct libresoc_draw_record *d = &job->draw;
    uint8_t *base = job->machine->memory->base;
    const uint64_t vary_bytes = (uint64_t)d->vertex_count * d->varying_count * sizeof(float);
    job->state.positions = libresoc_job_take(job, (uint64_t)d->vertex_count * sizeof *v->positions);
    job->state.varyings = job->state.positions ? libresoc_job_take(job, vary_bytes + HEAP_ALIGN) : 0;
    if (!job->state.varyings)
        return false;
    v->positions = (void *)(base + job->state.positions);
    v->varyings = (void *)(base + job->state.varyings);
    return true;
}

static void observe_shading(const struct libresoc_job *job, const struct libresoc_vertices *v, bool done)
{
    const struct gpu_observer *o = job->machine->options->observer;
    const struct gpu_observed_program program = libresoc_stage_observed(v->stage);
    const struct gpu_observed_shading it = {.number = job->number,
                                            .program = &program,
                                            .vertices = done ? job->draw.vertex_count : 0,
                                            .instructions = v->executed};
    if (o && o->shade)
        o->shade(o->data, &it, done);
}

static bool shade(struct libresoc_job *job, struct libresoc_vertices *v)
{
    struct gpu_counters *counters = &job->machine->host->counters;
    if (!libresoc_job_pay(job, util_div_up(job->draw.vertex_count, LIBRESOC_LANES)) || !place(job, v))
        return false;
    v->executed = v->burnt = 0;
    v->fuel = share(job);
    observe_shading(job, v, false);
    const bool done = libresoc_vertices_run(v, job->fault);
    job->fuel -= UTIL_MIN(v->burnt, job->fuel);
    counters->instructions += v->executed;
    counters->vertices += job->draw.vertex_count;
    observe_shading(job, v, true);
    return done;
}

/* ---- draws ---- */

static bool draw(struct libresoc_job *job)
{
    const struct libresoc_draw_record *d = &job->draw;
    if (!libresoc_draw_read(job->machine->memory, job->draw_at, &job->draw, job->fault) ||
        !libresoc_job_pay(job, 1))
        return false;
    job->machine->host->counters.draws++;
    if (!d->vertex_count || !d->count || !d->instance_count)
        return true;
    struct libresoc_stage stage = stage_of(job, LIBRESOC_VERTEX);
    struct libresoc_vertices vertices = {
        .draw = d, .stage = &stage, .host = job->machine->host, .pool = job->machine->options->pool};
    if (!libresoc_stage_take(job->machine->programs, job->machine->options->engine,
                             &d->stage[LIBRESOC_VERTEX], &stage, job->fault) ||
        !libresoc_vertices_begin(&vertices, job->fault))
        return false;
    for (uint32_t n = 0; n < d->instance_count; n++) {
        vertices.instance = n;
        if (!shade(job, &vertices) || !libresoc_tiling_draw(job))
            return false;
    }
    return true;
}

static bool draws(struct libresoc_job *job)
{
    for (uint32_t n = 0; n < job->frame.draw_count; n++) {
        job->number = n + 1;
        job->draw_at = job->frame.draws + n * (uint64_t)LIBRESOC_DRAW_WORDS * 4;
        if (!draw(job)) {
            job->fault->draw = job->number;
            return false;
        }
    }
    return true;
}

/* ---- the frame ---- */

/* What the frame writes is in memory, and no part of it is another. */
static bool take_written(struct libresoc_job *job, unsigned n, uint64_t address, uint64_t bytes,
                         const char *what)
{
    if (!gpu_memory_at(job->machine->memory, address, bytes))
        return gpu_fault_set(job->fault, GPU_FAULT_MEMORY, UNIT, address, "the %s is not in memory", what);
    if (libresoc_is_written(&job->written, address, bytes))
        return gpu_fault_set(job->fault, GPU_FAULT_PACKET, UNIT, address,
                             "the %s stands where the frame writes something else", what);
    job->written.span[n].from = address;
    job->written.span[n].to = address + bytes;
    return true;
}

static bool take_image(struct libresoc_job *job, unsigned n, bool depth)
{
    const struct raster_surface surface = libresoc_frame_surface(&job->frame, depth);
    const uint32_t pixel = raster_format_bytes((enum raster_format)surface.format);
    const uint64_t at = depth ? job->frame.depth : job->frame.color;
    uint64_t bytes;
    if (surface.stride % pixel || surface.stride < surface.width * pixel || at % pixel ||
        !raster_surface_size(&surface, &bytes))
        return gpu_fault_set(job->fault, GPU_FAULT_PACKET, UNIT, at,
                             "rows of %u bytes do not hold %u pixels of an image, or are not aligned to them",
                             surface.stride, surface.width);
    return take_written(job, n, at, bytes, depth ? "image of depths" : "image of colours");
}

static bool take_frame(struct libresoc_job *job)
{
    const struct libresoc_frame_record *f = &job->frame;
    if (!libresoc_frame_read(job->machine->memory, job->address, &job->frame, job->fault))
        return false;
    if (f->heap % HEAP_ALIGN || !f->heap)
        return gpu_fault_set(job->fault, GPU_FAULT_PACKET, UNIT, f->heap, "the heap is not aligned, or at 0");
    if (!take_written(job, 0, f->heap, f->heap_bytes, "heap") || !take_image(job, 1, false) ||
        (f->depth && !take_image(job, 2, true)))
        return false;
    job->heap_at = (uint32_t)f->heap;
    job->heap_end = (uint32_t)(f->heap + f->heap_bytes / HEAP_ALIGN * HEAP_ALIGN);
    return true;
}

static bool run(struct libresoc_job *job)
{
    return take_frame(job) && libresoc_tiling_begin(job) && draws(job) && libresoc_tiling_end(job) &&
           libresoc_frame_render(job);
}

/* Between two jobs: programs of which there are many, and all with the engine's code when that is full. */
static void forget_programs(const struct libresoc_machine *machine)
{
    struct jit_engine *engine = machine->options->engine;
    const bool renew = engine && jit_engine_is_full(engine);
    gpu_programs_begin(machine->programs);
    if (renew || gpu_programs_are_many(machine->programs))
        gpu_programs_empty(machine->programs);
    if (renew)
        (void)jit_engine_renew(engine); /* with other users it stays full: their programs are interpreted */
}

bool libresoc_job_run(const struct libresoc_machine *machine, uint64_t address, struct gpu_fault *fault)
{
    struct libresoc_job *job = calloc(1, sizeof *job);
    if (!job)
        return gpu_fault_set(fault, GPU_FAULT_SHADER, UNIT, address, "no host memory");
    job->machine = machine;
    job->address = job->draw_at = address;
    job->fault = fault;
    job->packets = machine->options->packet_budget;
    job->fuel = machine->options->job_fuel;
    forget_programs(machine);
    const unsigned saved = util_fpenv_enter();
    const bool done = run(job);
    util_fpenv_leave(saved);
    free(job->bin);
    free(job);
    return done;
}

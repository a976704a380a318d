/* Compute, vertex and geometry jobs: their program over all their invocations. */
#include "gpu/mali/device_internal.h"
#include "gpu/mali/threads.h"
#include "gpu/mali/world_ir.h"

static const char *unit_of(const struct mali_job *job)
{
    return job->header.type == MALI_JOB_TYPE_VERTEX     ? "vertex program"
           : job->header.type == MALI_JOB_TYPE_GEOMETRY ? "geometry program"
                                                        : "compute program";
}

static uint64_t threads_of(const struct mali_grid *grid)
{
    return grid->groups[0] * grid->groups[1] * grid->groups[2] * grid->threads;
}

static void count(struct mali_job *job, const struct mali_grid *grid)
{
    uint64_t threads = threads_of(grid);
    if (job->header.type == MALI_JOB_TYPE_VERTEX)
        job->device->host.counters.vertices += threads;
    job->device->event[MALI_EVENT_COMPUTE_TASKS] += grid->units;
    job->device->event[MALI_EVENT_COMPUTE_THREADS] += threads;
}

/* Of v9 vertices come with the tiler's jobs, and its grids say their sizes as they are. */
static bool set_grid(const struct mali_job *job, const struct mali_compute_job *p, struct mali_world *world,
                     struct mali_grid *grid, struct mali_stop *stop)
{
    const bool vertices = job->header.type == MALI_JOB_TYPE_VERTEX;
    const bool shares = world->group_bytes;
    world->kind = vertices && job->version <= MALI_V7 ? MALI_THREADS_VERTEX : MALI_THREADS_COMPUTE;
    if (job->version >= MALI_V9)
        return mali_grid_set_v9(grid, &p->grid, shares, world->unit, job->address, stop);
    return mali_grid_set(grid, &p->invocation, vertices ? p->draw.instance_size : 0, shares, world->unit,
                         job->address, stop);
}

/* A job that waited looks for its program again, and goes on with the unit that met the page fault. */
enum mali_end mali_job_compute(struct mali_job *job, const struct mali_compute_job *payload,
                               struct mali_stop *stop)
{
    struct mali_world world;
    struct mali_grid grid;
    const char *unit = unit_of(job);
    bool vertices = job->header.type == MALI_JOB_TYPE_VERTEX;
    struct util_arena *arena = job->device->programs.arena;
    mali_programs_begin(&job->device->programs, job->device->options.engine);
    if (!mali_world_begin(&world, job, &payload->draw, &payload->bindings, arena, unit, stop))
        return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
    if (!set_grid(job, payload, &world, &grid, stop))
        return MALI_END_FAULT;
    mali_speculation_open(job, &world, &grid);
    world.function = mali_thread_code(&world, job->device->options.engine, arena, &world.code);
    uint64_t shaded = vertices ? threads_of(&grid) : 0;
    bool observed = job->device->options.observer;
    if (observed)
        mali_observe_shading(job, &world, shaded, false);
    enum mali_end end = mali_grid_run(job, &world, &grid, &job->done, stop);
    mali_speculation_close(&world);
    if (end == MALI_END_DONE)
        count(job, &grid);
    if (observed && end == MALI_END_DONE)
        mali_observe_shading(job, &world, shaded, true);
    return end;
}

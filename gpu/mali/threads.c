/* Units on workers. */
#include "gpu/mali/threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/world_ir.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { SIXTEENS = MALI_GROUP_MOST / MIDGARD_LANES, UNITS_AT_ONCE = 1024, TEXTURES_FEW = 256 };

/* What a worker has for the units that it runs. */
struct worker {
    struct mali_threads *threads; /* one for each sixteen of a unit */
    struct midgard_state *state;  /* likewise, of programs with barriers */
    uint8_t *storage;             /* of threads, then of the workgroup */
    uint64_t executed;
    uint64_t failed; /* the lowest unit that did; UINT64_MAX: none */
    struct mali_stop stop;
};

struct run {
    struct mali_job *job;
    struct mali_world *world;
    const struct mali_grid *grid;
    uint32_t sixteens; /* of a unit */
    uint64_t from;     /* first unit of the batch */
    struct worker *workers;
    unsigned count;
};

/* ---- programs ---- */

/* Sixteen threads until they have ended or wait, compiled or not. `state`: where they begin, of programs with
 * barriers; NULL: at the program's beginning. */
static uint32_t interpret(struct mali_threads *t, uint16_t lanes, struct midgard_state *state,
                          struct midgard_report *report)
{
    struct midgard_state own;
    if (!state) {
        const struct midgard_input input = mali_world_input(t->world, lanes, 0);
        state = &own;
        midgard_start(&input, state);
    }
    return midgard_run(t->world->program, &t->ports, state, report, NULL, NULL);
}

static uint32_t run_code(struct mali_threads *t, uint16_t lanes, struct midgard_state *state,
                         struct midgard_report *report)
{
    struct jit_function *function = t->world->function;
    struct mali_code_call call = {.state = state, .fuel = t->world->fuel, .lanes = lanes};
    mali_code_fn code = (mali_code_fn)jit_function_code(function);
    struct isa_fault fault = isa_fault_unpack(code(t->world->code, t, &call));
    jit_function_ran(function, call.executed);
    *report = (struct midgard_report){.fault = (enum midgard_fault)fault.kind,
                                      .at = fault.pc,
                                      .place = {fault.lane, call.address},
                                      .executed = call.executed};
    return report->fault;
}

static bool run_sixteen(struct mali_threads *t, uint16_t lanes, struct midgard_state *state,
                        uint64_t *executed, struct mali_stop *stop)
{
    struct midgard_report report;
    bool good = !(t->world->function ? run_code : interpret)(t, lanes, state, &report);
    *executed += report.executed;
    return good || mali_world_fault(t, &report, stop);
}

/* ---- a unit ---- */

static void start_storage(struct run *r, struct worker *w)
{
    const struct mali_world *world = r->world;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        struct mali_threads *t = &w->threads[n];
        for (unsigned l = 0; t->touched && l < MIDGARD_LANES; l++)
            memset(t->thread_storage + (size_t)l * world->thread_bytes, 0, t->touched);
        t->touched = 0;
        t->stop.fault.kind = GPU_FAULT_NONE;
    }
    if (world->group_bytes)
        memset(w->threads[0].group_storage, 0, world->group_bytes);
}

/* All sixteens up to a barrier, and again, until all have ended. */
static bool run_group(struct run *r, struct worker *w, uint64_t unit, struct mali_stop *stop)
{
    bool left = true;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        uint16_t lanes = mali_grid_lanes(r->grid, unit, n * MIDGARD_LANES, &w->threads[n]);
        const struct midgard_input input = mali_world_input(r->world, lanes, 0);
        midgard_start_again(r->world->program, &input, &w->state[n]);
    }
    while (left) {
        left = false;
        for (uint32_t n = 0; n < r->sixteens; n++) {
            if (w->state[n].running &&
                !run_sixteen(&w->threads[n], w->state[n].running, &w->state[n], &w->executed, stop))
                return false;
            left |= w->state[n].running;
        }
    }
    return true;
}

static bool run_unit(struct run *r, struct worker *w, uint64_t unit, struct mali_stop *stop)
{
    if (gpu_host_cancelled(&r->job->device->host))
        return mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, r->world->unit, r->job->address,
                             "cancelled");
    start_storage(r, w);
    if (r->world->program->barriers)
        return run_group(r, w, unit, stop);
    for (uint32_t n = 0; n < r->sixteens; n++) {
        uint16_t lanes = mali_grid_lanes(r->grid, unit, n * MIDGARD_LANES, &w->threads[n]);
        if (!run_sixteen(&w->threads[n], lanes, NULL, &w->executed, stop))
            return false;
    }
    return true;
}

static void step(void *data, uint32_t index, unsigned number)
{
    struct run *r = data;
    struct worker *w = &r->workers[number];
    struct mali_stop stop = {0};
    uint64_t unit = r->from + index;
    if (run_unit(r, w, unit, &stop) || unit >= w->failed)
        return;
    w->failed = unit;
    w->stop = stop;
}

/* ---- workers ---- */

static void finish(struct run *r)
{
    for (unsigned n = 0; r->workers && n < r->count; n++) {
        free(r->workers[n].threads);
        free(r->workers[n].state);
        free(r->workers[n].storage);
    }
    free(r->workers);
}

static bool start_worker(struct run *r, struct worker *w)
{
    struct mali_world *world = r->world;
    size_t own = (size_t)world->thread_bytes * MIDGARD_LANES; /* both sizes are bounded by world.h */
    size_t storage = own * r->sixteens + world->group_bytes;
    w->failed = UINT64_MAX;
    w->threads = calloc(r->sixteens, sizeof *w->threads);
    w->state = world->program->barriers ? calloc(r->sixteens, sizeof *w->state) : NULL;
    w->storage = storage ? calloc(1, storage) : NULL;
    if (!w->threads || (world->program->barriers && !w->state) || (storage && !w->storage))
        return false;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        const struct midgard_input input = mali_world_input(world, 0, 0);
        mali_threads_begin(&w->threads[n], world);
        mali_grid_begin(r->grid, n * MIDGARD_LANES, &w->threads[n]);
        if (w->state)
            midgard_start(&input, &w->state[n]);
        w->threads[n].thread_storage = own ? w->storage + n * own : NULL;
        w->threads[n].group_storage = world->group_bytes ? w->storage + r->sixteens * own : NULL;
    }
    return true;
}

static bool start(struct run *r, unsigned workers)
{
    r->count = workers;
    r->workers = calloc(workers, sizeof *r->workers);
    if (!r->workers)
        return false;
    for (unsigned n = 0; n < workers; n++)
        if (!start_worker(r, &r->workers[n]))
            return false;
    return true;
}

/* ---- batches ---- */

/* Units of a batch: what they can execute at most is what the budget has left, or one unit. All of them run,
 * whichever fail, so that where a job ends does not depend on threads. */
static uint32_t batch_of(const struct run *r, uint64_t left)
{
    uint64_t most = ((uint64_t)r->world->fuel + r->world->program->insn_count) * MIDGARD_LANES * r->sixteens;
    uint64_t fit = UTIL_MAX(r->job->budget->fuel / UTIL_MAX(most, 1u), 1u);
    return (uint32_t)UTIL_MIN(UTIL_MIN(left, fit), (uint64_t)UNITS_AT_ONCE);
}

/* What the batch came to. NULL: all its units are done; else the worker with the lowest unit that failed. */
static const struct worker *gather(struct run *r)
{
    const struct worker *failed = NULL;
    struct mali_budget *budget = r->job->budget;
    for (unsigned n = 0; n < r->count; n++) {
        struct worker *w = &r->workers[n];
        r->job->device->host.counters.instructions += w->executed;
        budget->fuel -= UTIL_MIN(budget->fuel, w->executed);
        w->executed = 0;
        if (w->failed != UINT64_MAX && (!failed || w->failed < failed->failed))
            failed = w;
    }
    return failed;
}

static enum mali_end run_batches(struct run *r, bool parallel, uint64_t *done, struct mali_stop *stop)
{
    while (*done < r->grid->units) {
        uint32_t count = parallel ? batch_of(r, r->grid->units - *done) : 1;
        r->from = *done;
        r->world->fuel = (uint32_t)UTIL_MIN(r->world->fuel, r->job->budget->fuel);
        if (!r->job->budget->fuel) {
            mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, r->world->unit, r->job->address,
                          "programs execute too many instructions");
            return MALI_END_FAULT;
        }
        if (parallel)
            util_pool_run_spans(r->job->device->options.pool, count, step, r);
        else
            step(r, 0, 0);
        const struct worker *failed = gather(r);
        if (failed) {
            *stop = failed->stop;
            return stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
        }
        *done += count;
    }
    return MALI_END_DONE;
}

/* ---- who may run in parallel ---- */

static bool meets(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* A varying's records meet no other array's: buffers lie apart, or are the same one. */
static bool lies_apart(const struct mali_array *a, const struct mali_array *others, uint32_t count,
                       bool same_is_fine)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct mali_array *o = &others[n];
        bool same = o->pointer == a->pointer && o->stride == a->stride;
        if (o->kind == MALI_ARRAY_1D && !(same && same_is_fine) &&
            meets(a->pointer, a->size, o->pointer, o->size))
            return false;
    }
    return true;
}

/* Whether the varyings of different invocations are different bytes, none of which is an attribute's: parts of
 * records of their own in plain buffers. */
static bool varyings_are_own(const struct mali_bindings *b)
{
    for (uint32_t n = 0; n < b->state.varying_count; n++) {
        const struct mali_attribute_of *v = &b->varying[n];
        const struct mali_array *a = v->refused ? NULL : &b->varying_buffer[v->attribute.buffer_index];
        if (!a || a->refused || a->kind != MALI_ARRAY_1D || v->attribute.format == MALI_FORMAT_CONSTANT)
            continue;
        enum raster_format format = mali_format(v->attribute.format, false);
        uint32_t bytes = format ? raster_format_bytes(format) : 4 * (uint32_t)sizeof(float);
        int64_t offset = v->attribute.offset_enable ? v->attribute.offset : 0;
        if (!mali_array_is_linear(a) || offset < 0 || offset + bytes > a->stride ||
            !lies_apart(a, b->varying_buffer, b->varying_buffer_count, true) ||
            !lies_apart(a, b->attribute_buffer, b->attribute_buffer_count, false))
            return false;
    }
    return true;
}

/* Programs that choose textures by registers could ask for more lookups than there may be: which of them is the
 * one too many has an answer in order only. */
static bool textures_are_few(const struct mali_world *w)
{
    const struct mali_state *s = &w->bindings->state;
    return !w->program->any_texture || (uint64_t)s->texture_count * s->sampler_count <= TEXTURES_FEW;
}

enum mali_end mali_grid_run(struct mali_job *job, struct mali_world *world, const struct mali_grid *grid,
                            uint64_t *done, struct mali_stop *stop)
{
    struct run run = {.job = job, .world = world, .grid = grid};
    bool parallel =
        !world->program->shares && grid->own && varyings_are_own(world->bindings) && textures_are_few(world);
    enum mali_end end = MALI_END_FAULT;
    run.sixteens = grid->groups_of_unit > 1 ? 1 : util_div_up(grid->threads, MIDGARD_LANES);
    if (start(&run, parallel ? util_pool_workers(job->device->options.pool) : 1)) {
        unsigned saved = util_fpenv_enter();
        end = run_batches(&run, parallel, done, stop);
        util_fpenv_leave(saved);
    } else {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, world->unit, job->address,
                      "no host memory for threads");
    }
    finish(&run);
    return end;
}

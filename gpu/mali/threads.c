/* Units on workers. */
#include "gpu/mali/threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device_internal.h"
#include "gpu/mali/world_ir.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum { SIXTEENS = MALI_GROUP_MOST / ISA_LANES, UNITS_AT_ONCE = 1024, ROOM_ALIGN = 64 };

/* Instructions of all threads that are worth waking the workers for: some microseconds; ours. */
#define PARALLEL_LEAST 8000u

/* What a worker has for the units that it runs. */
struct worker {
    struct mali_threads *threads; /* one for each sixteen of a unit */
    union mali_sixteen *state;    /* likewise, of programs with barriers */
    uint8_t *storage;             /* of threads, then of the workgroup */
    uint8_t *unmarked;            /* where code marks what it stores outside of runs */
    struct mali_grid_place place; /* the unit at hand */
    uint64_t executed;
    uint64_t failed; /* the lowest unit that did; UINT64_MAX: none */
    struct mali_stop stop;
};

_Static_assert(sizeof(struct mali_threads) % _Alignof(struct worker) == 0, "workers stand behind threads");

struct run {
    struct mali_job *job;
    struct mali_world *world;
    const struct mali_grid *grid;
    uint32_t sixteens;      /* of a unit */
    uint64_t from;          /* first unit of the batch */
    bool tracked;           /* it is a run of the world's speculation */
    struct util_pool *pool; /* NULL: all run on the caller */
    struct worker *workers;
    unsigned count;
};

/* ---- programs ---- */

/* Sixteen threads until they have ended or wait, compiled or not. `state`: where they begin, of programs with
 * barriers; NULL: at the program's beginning. */
static bool interpret(struct mali_threads *t, uint16_t lanes, union mali_sixteen *state,
                      struct mali_report *report)
{
    union mali_sixteen own;
    if (!state) {
        state = &own;
        mali_sixteen_begin(t, lanes, 0, false, state);
    }
    return mali_interpret(t, state, report);
}

static bool run_code(struct mali_threads *t, uint16_t lanes, union mali_sixteen *state,
                     struct mali_report *report)
{
    struct jit_function *function = t->world->function;
    struct mali_code_call call = {.state = state, .fuel = t->world->fuel, .lanes = lanes};
    mali_code_fn code = (mali_code_fn)jit_function_code(function);
    struct isa_fault fault = isa_fault_unpack(code(t->world->code, t, &call));
    jit_function_ran(function, call.executed);
    *report = (struct mali_report){.fault = fault.kind,
                                   .at = fault.pc,
                                   .name = fault.kind ? mali_fault_name(t->world->program, fault.pc) : NULL,
                                   .place = {fault.lane, call.address},
                                   .executed = call.executed};
    return !fault.kind;
}

static bool run_sixteen(struct mali_threads *t, uint16_t lanes, union mali_sixteen *state, uint64_t *executed,
                        struct mali_stop *stop)
{
    struct mali_report report;
    bool good = (t->world->function ? run_code : interpret)(t, lanes, state, &report);
    *executed += report.executed;
    return good || mali_world_fault(t, &report, stop);
}

/* ---- a unit ---- */

static void start_storage(struct run *r, struct worker *w)
{
    const struct mali_world *world = r->world;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        struct mali_threads *t = &w->threads[n];
        for (unsigned l = 0; t->touched && l < ISA_LANES; l++)
            memset(t->thread_storage + (size_t)l * world->thread_bytes, 0, t->touched);
        t->touched = 0;
        t->stop.fault.kind = GPU_FAULT_NONE;
    }
    if (world->group_bytes)
        memset(w->threads[0].group_storage, 0, world->group_bytes);
}

/* Which threads a sixteen of the unit is; the lanes that there are. */
static uint16_t place_lanes(struct run *r, struct worker *w, uint32_t n)
{
    uint16_t lanes = mali_grid_lanes(r->grid, &w->place, n * ISA_LANES, &w->threads[n]);
    if (r->world->program->warp)
        mali_threads_preload(&w->threads[n]);
    return lanes;
}

/* All sixteens up to a barrier, and again, until all have ended. */
static bool run_group(struct run *r, struct worker *w, struct mali_stop *stop)
{
    bool left = true;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        uint16_t lanes = place_lanes(r, w, n);
        mali_sixteen_begin(&w->threads[n], lanes, 0, true, &w->state[n]);
    }
    while (left) {
        left = false;
        for (uint32_t n = 0; n < r->sixteens; n++) {
            uint16_t running = mali_sixteen_running(r->world, &w->state[n]);
            if (running && !run_sixteen(&w->threads[n], running, &w->state[n], &w->executed, stop))
                return false;
            left |= mali_sixteen_running(r->world, &w->state[n]);
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
    mali_grid_go(r->grid, unit, &w->place);
    if (r->world->program->barriers)
        return run_group(r, w, stop);
    for (uint32_t n = 0; n < r->sixteens; n++) {
        uint16_t lanes = place_lanes(r, w, n);
        if (!run_sixteen(&w->threads[n], lanes, NULL, &w->executed, stop))
            return false;
    }
    return true;
}

static void step(void *data, uint32_t index, unsigned number)
{
    struct run *r = data;
    struct worker *w = &r->workers[number];
    struct mali_stop stop; /* run_unit's, where it gives false */
    uint64_t unit = r->from + index;
    if (r->tracked && gpu_speculation_failed(r->world->speculation))
        return;
    if (run_unit(r, w, unit, &stop) || unit >= w->failed)
        return;
    if (r->tracked)
        gpu_speculation_fail(r->world->speculation);
    w->failed = unit;
    w->stop = stop;
}

/* ---- workers ---- */

static void finish(struct run *r)
{
    for (unsigned n = 0; r->workers && n < r->count; n++) {
        free(r->workers[n].state);
        free(r->workers[n].storage);
        free(r->workers[n].unmarked);
    }
}

void mali_grid_finish(struct mali_grid_room *room)
{
    free(room->at);
    *room = (struct mali_grid_room){0};
}

/* So many bytes of zeros, which the device keeps from job to job; NULL: no host memory. */
static void *take_room(struct mali_grid_room *room, size_t bytes)
{
    if (bytes > room->bytes) {
        mali_grid_finish(room);
        room->at = aligned_alloc(ROOM_ALIGN, util_align(bytes, ROOM_ALIGN));
        room->bytes = room->at ? bytes : 0;
    }
    return room->at ? memset(room->at, 0, bytes) : NULL;
}

static bool start_worker(struct run *r, struct worker *w)
{
    struct mali_world *world = r->world;
    size_t own = (size_t)world->thread_bytes * ISA_LANES; /* both sizes are bounded by world.h */
    size_t storage = own * r->sixteens + world->group_bytes;
    w->failed = UINT64_MAX;
    w->state = world->program->barriers ? calloc(r->sixteens, sizeof *w->state) : NULL;
    w->storage = storage ? calloc(1, storage) : NULL;
    w->unmarked = world->speculation ? calloc(1, GPU_SPECULATION_MARKS + GPU_SPECULATION_SLACK) : NULL;
    if ((world->speculation && !w->unmarked) || (world->program->barriers && !w->state) ||
        (storage && !w->storage))
        return false;
    for (uint32_t n = 0; n < r->sixteens; n++) {
        mali_threads_begin(&w->threads[n], world);
        mali_grid_begin(r->grid, n * ISA_LANES, &w->threads[n]);
        if (w->state)
            mali_sixteen_begin(&w->threads[n], 0, 0, false, &w->state[n]);
        w->threads[n].thread_storage = own ? w->storage + n * own : NULL;
        w->threads[n].group_storage = world->group_bytes ? w->storage + r->sixteens * own : NULL;
    }
    return true;
}

/* Who stores is tracked: marks count, and code looks for pages where the run grants them. */
static void track(struct run *r, bool runs)
{
    struct gpu_speculation *s = r->world->speculation;
    r->tracked = runs;
    if (r->world->code)
        r->world->code->page = runs ? gpu_speculation_pages(s) : r->world->space->page;
    for (unsigned n = 0; n < r->count; n++)
        for (uint32_t k = 0; k < r->sixteens; k++) {
            struct mali_threads *t = &r->workers[n].threads[k];
            t->worker = n;
            t->marks = runs ? gpu_speculation_marks(s, n) : r->workers[n].unmarked;
            t->marked_pages = runs ? UINT32_MAX : 0;
        }
}

static bool start(struct run *r, unsigned workers)
{
    const size_t count = (size_t)workers * r->sixteens;
    struct mali_threads *threads =
        take_room(&r->job->device->grid_room, count * sizeof *threads + workers * sizeof *r->workers);
    void *behind = threads ? threads + count : NULL;
    r->count = workers;
    r->workers = behind;
    if (!threads)
        return false;
    for (unsigned n = 0; n < workers; n++) {
        r->workers[n].threads = threads + (size_t)n * r->sixteens;
        if (!start_worker(r, &r->workers[n]))
            return false;
    }
    if (r->world->speculation)
        track(r, false);
    return true;
}

/* ---- speculation ---- */

/* A batch on all workers. False: nothing of it has happened, its units are to run in their order. */
static bool speculate(struct run *r, uint32_t count)
{
    struct gpu_speculation *s = r->world->speculation;
    gpu_speculation_begin(s);
    track(r, true);
    util_pool_run_spans(r->pool, count, step, r);
    track(r, false);
    bool good = gpu_speculation_end(s);
    for (unsigned n = 0; !good && n < r->count; n++) {
        r->workers[n].executed = 0;
        r->workers[n].failed = UINT64_MAX;
    }
    mali_speculated(r->world, good);
    return good;
}

/* ---- batches ---- */

/* Units of a batch: what they can execute at most is what the budget has left, or one unit. All of them run,
 * whichever fail, so that where a job ends does not depend on threads. */
static uint32_t batch_of(const struct run *r, uint64_t left)
{
    uint64_t most = ((uint64_t)r->world->fuel + r->world->program->insn_count) * ISA_LANES * r->sixteens;
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

static enum mali_end out_of_fuel(struct run *r, struct mali_stop *stop)
{
    mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, r->world->unit, r->job->address,
                  "programs execute too many instructions");
    return MALI_END_FAULT;
}

static enum mali_end run_batches(struct run *r, enum mali_order order, uint64_t *done, struct mali_stop *stop)
{
    uint64_t in_order = 0; /* the units below run one by one */
    while (*done < r->grid->units) {
        bool alone = order == MALI_IN_ORDER || *done < in_order;
        uint32_t count = alone ? 1 : batch_of(r, r->grid->units - *done);
        r->from = *done;
        r->world->fuel = (uint32_t)UTIL_MIN(r->world->fuel, r->job->budget->fuel);
        if (!r->job->budget->fuel)
            return out_of_fuel(r, stop);
        if (order == MALI_SPECULATED && !alone && !speculate(r, count)) {
            in_order = *done + count;
            continue;
        }
        if (order == MALI_PARALLEL)
            util_pool_run_spans(r->pool, count, step, r);
        else if (alone)
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

enum mali_end mali_grid_run(struct mali_job *job, struct mali_world *world, const struct mali_grid *grid,
                            uint64_t *done, struct mali_stop *stop)
{
    struct run run = {.job = job, .world = world, .grid = grid};
    enum mali_order order = mali_grid_order(world, grid);
    enum mali_end end = MALI_END_FAULT;
    run.sixteens = grid->groups_of_unit > 1 ? 1 : util_div_up(grid->threads, ISA_LANES);
    if (order == MALI_SPECULATED || (order == MALI_PARALLEL && mali_grid_work(world, grid) >= PARALLEL_LEAST))
        run.pool = job->device->options.pool;
    if (start(&run, util_pool_workers(run.pool))) {
        unsigned saved = util_fpenv_enter();
        end = run_batches(&run, order, done, stop);
        util_fpenv_leave(saved);
    } else {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, world->unit, job->address,
                      "no host memory for threads");
    }
    finish(&run);
    return end;
}

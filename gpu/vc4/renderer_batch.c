/* Jobs: built operation by operation as the rendering list is read, drawn a batch at a time on the pool. */
#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

#define TILE_SIZE    64u
#define TILE_SIZE_MS 32u

static enum vc4_outcome fail(struct vc4_reading *in, enum gpu_fault_kind kind, const char *what)
{
    gpu_fault_set(&in->fault, kind, VC4_RENDERER_UNIT, in->here, "%s", what);
    return VC4_STOP_FAULT;
}

bool vc4_array_grow(void **array, uint32_t *room, uint32_t count, size_t element)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 64;
    void *bigger = realloc(*array, more * element);
    if (!bigger)
        return false;
    *array = bigger;
    *room = more;
    return true;
}

/* ---- drawing a batch ---- */

static void run_job(void *data, uint32_t index, unsigned worker)
{
    struct vc4_device *device = data;
    struct vc4_renderer *r = device->renderer;
    struct vc4_worker *w = r->workers[worker];
    if (device->options.observer)
        gpu_watched_begin(&w->watched, device->options.observer, &w->raster, worker, r->batch.generation,
                          index);
    vc4_run_job(device, r->draws, w, &r->batch, &r->batch.jobs[index]);
    if (w->watched.job)
        gpu_watched_end(&w->watched);
}

/* Tiles run at once, so they cannot draw on one account and still end at the same place at any thread count:
 * each has a share, several times what an even division gives, for pictures are not even. So all the tiles of
 * a batch together take at most SHARES times what the job has left. */
#define SHARES          4u
#define SHARE_MIN       16u  /* parts that budgets are divided into at least */
#define TILE_BUDGET_MIN 256u /* records: hardly any work, and enough for what stands around it */

static void give_shares(struct vc4_renderer *r)
{
    struct vc4_batch *b = &r->batch;
    uint64_t parts = UTIL_MAX(b->job_count / SHARES, SHARE_MIN);
    for (uint32_t i = 0; i < b->job_count; i++) {
        b->jobs[i].budget = UTIL_MAX(r->budget / parts, (uint64_t)TILE_BUDGET_MIN);
        b->jobs[i].fuel = r->fuel / parts;
    }
}

static void take_back_shares(struct vc4_renderer *r)
{
    const struct vc4_batch *b = &r->batch;
    uint64_t parts = UTIL_MAX(b->job_count / SHARES, SHARE_MIN), budget = 0, fuel = 0;
    uint64_t given = UTIL_MAX(r->budget / parts, (uint64_t)TILE_BUDGET_MIN), given_fuel = r->fuel / parts;
    for (uint32_t i = 0; i < b->job_count; i++) {
        budget += given - b->jobs[i].budget;
        fuel += given_fuel - b->jobs[i].fuel;
    }
    r->budget -= UTIL_MIN(budget, r->budget);
    r->fuel -= UTIL_MIN(fuel, r->fuel);
}

static bool make_workers(struct vc4_device *device)
{
    struct vc4_renderer *r = device->renderer;
    unsigned count = util_pool_workers(device->options.pool);
    while (r->worker_count < count) {
        struct vc4_worker **bigger = realloc(r->workers, (r->worker_count + 1) * sizeof *bigger);
        if (!bigger)
            return false;
        r->workers = bigger;
        struct vc4_worker *w = aligned_alloc(64, util_align(sizeof *w, 64));
        if (!w)
            return false;
        memset(w, 0, sizeof *w);
        r->workers[r->worker_count++] = w;
    }
    return true;
}

/* Takes a worker's performance counts over. */
static void count_events(struct vc4_device *device, struct vc4_worker *w)
{
    uint64_t *event = device->perf.event;
    const struct vc4_frag_counts *q = &w->quads;
    event[VC4_EVENT_QPU_FRAGMENT] += w->raster.work.executed * VC4_PERF_CYCLES;
    vc4_perf_uniforms(&device->perf, w->uniform_reads);
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(w->event); i++)
        event[i] += w->event[i];
    event[VC4_EVENT_PSE_REVERSED] += w->reversed;
    event[VC4_EVENT_TLB_STENCIL_FAIL] += q->stencil_fail;
    event[VC4_EVENT_TLB_ZS_FAIL] += q->zs_fail;
    event[VC4_EVENT_TLB_ZS_PASS] += q->zs_pass;
    event[VC4_EVENT_TLB_NO_COVERAGE] += q->no_coverage;
    event[VC4_EVENT_TLB_COVERAGE] += q->coverage;
    event[VC4_EVENT_TLB_COLOR] += q->color;
    event[VC4_EVENT_TMU_QUADS] += q->texture;
    memset(w->event, 0, sizeof w->event);
    w->quads = (struct vc4_frag_counts){0};
    w->reversed = w->uniform_reads = 0;
}

static void count_work(struct vc4_device *device)
{
    struct vc4_renderer *r = device->renderer;
    for (unsigned i = 0; i < r->worker_count; i++) {
        device->host.counters.blocks_shaded += r->workers[i]->raster.work.blocks;
        device->host.counters.instructions += r->workers[i]->raster.work.executed;
        count_events(device, r->workers[i]);
        r->workers[i]->raster.work = (struct raster_shader_work){0};
        r->workers[i]->watched.primitives = 0;
        r->workers[i]->draw = NULL;
    }
    for (uint32_t i = 0; i < r->batch.job_count; i++)
        device->thread[1].returns += (uint16_t)r->batch.jobs[i].returns;
    for (uint32_t i = 0; i < r->batch.job_count; i++)
        device->host.counters.tiles += r->batch.jobs[i].count > 1; /* the first is its coordinates */
}

/* The fault of the job that stands first in the list: which others faulted does not matter, and so not how
 * many threads there were. */
static enum vc4_outcome first_fault(struct vc4_reading *in)
{
    const struct vc4_batch *b = &in->r->batch;
    for (uint32_t i = 0; i < b->job_count; i++) {
        if (b->jobs[i].faulted) {
            in->fault = b->jobs[i].fault;
            return VC4_STOP_FAULT;
        }
    }
    return VC4_GO_ON;
}

/* What the last job left is what the next batch takes over. */
static void take_over(struct vc4_renderer *r, bool left)
{
    struct raster_tile *taken = r->carry;
    r->carried = left;
    if (!left)
        return;
    r->carry = r->leave;
    r->leave = taken;
}

enum vc4_outcome vc4_batch_flush(struct vc4_reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_batch *b = &r->batch;
    enum vc4_outcome outcome = VC4_GO_ON;
    if (b->job_count) {
        struct vc4_job *last = &b->jobs[b->job_count - 1];
        last->leaves = r->job_open && r->uniform != VC4_HALF_ALL;
        if (!make_workers(in->device))
            return fail(in, GPU_FAULT_MEMORY, "no host memory");
        give_shares(r);
        if (in->device->options.observer)
            vc4_observe_batch(in->device);
        util_pool_run(in->device->options.pool, b->job_count, run_job, in->device);
        take_back_shares(r);
        take_over(r, last->leaves);
        outcome = first_fault(in);
        count_work(in->device);
        vc4_draws_forget(r->draws);
    }
    r->job_open = false;
    r->state_dirty = true;
    b->op_count = b->job_count = b->state_count = b->record_count = b->extent_count = 0;
    b->generation++;
    return outcome;
}

/* ---- building jobs ---- */

static enum vc4_outcome add_op(struct vc4_reading *in, const struct vc4_op *op)
{
    struct vc4_batch *b = &in->r->batch;
    if (!VC4_GROW(b->ops, b->op_room, b->op_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    b->ops[b->op_count++] = *op;
    b->jobs[b->job_count - 1].count++;
    return VC4_GO_ON;
}

enum vc4_outcome vc4_batch_add_tile(struct vc4_reading *in)
{
    const struct vc4_renderer *r = in->r;
    uint32_t samples = r->config.set ? r->config.samples : 1;
    uint32_t size = samples > 1 ? TILE_SIZE_MS : TILE_SIZE;
    uint32_t tall = size >> r->config.rgba16f >> r->config.flat;
    struct vc4_op op = {.type = VC4_OP_TILE,
                        .address = in->here,
                        .tile = {.x = (int32_t)(r->tile_x * size),
                                 .y = (int32_t)(r->tile_y * tall),
                                 .size = size,
                                 .tall = tall,
                                 .samples = samples,
                                 .width = r->config.width,
                                 .height = r->config.height,
                                 .rgba16f = r->config.rgba16f,
                                 .has_mask = r->config.has_mask}};
    return add_op(in, &op);
}

enum vc4_outcome vc4_batch_open_job(struct vc4_reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_batch *b = &r->batch;
    if (r->job_open)
        return VC4_GO_ON;
    if (!VC4_GROW(b->jobs, b->job_room, b->job_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    r->carried &= r->uniform != VC4_HALF_ALL;
    b->jobs[b->job_count++] = (struct vc4_job){
        .first = b->op_count,
        .color = r->uniform_color,
        .zs = r->uniform_zs,
        .mask = r->uniform_mask,
        .continues = r->carried,
    };
    if (!r->carried)
        r->due = 0;
    r->carried = false;
    r->job_open = true;
    enum vc4_outcome outcome = vc4_batch_add_tile(in);
    if (outcome) { /* a job has its tile at least */
        b->job_count--;
        r->job_open = false;
    }
    return outcome;
}

/* Opens a job if need be and does the clears that are due in it for the halves that come to use. */
static enum vc4_outcome prepare_buffer(struct vc4_reading *in, uint32_t halves)
{
    struct vc4_renderer *r = in->r;
    enum vc4_outcome outcome = vc4_batch_open_job(in);
    if (outcome || !(r->due & halves))
        return outcome;
    struct vc4_op op = {.type = VC4_OP_CLEAR,
                        .address = in->here,
                        .buffer = (uint8_t)(r->due & halves),
                        .clear = {.color = r->uniform_color, .zs = r->uniform_zs, .mask = r->uniform_mask}};
    r->due &= ~halves;
    return add_op(in, &op);
}

enum vc4_outcome vc4_batch_add_memory(struct vc4_reading *in, const struct vc4_op *op)
{
    struct vc4_renderer *r = in->r;
    const struct gpu_memory *memory = in->device->memory;
    uint32_t halves = vc4_op_halves(op);
    enum vc4_outcome outcome = prepare_buffer(in, halves);
    if (!outcome && vc4_batch_conflict(r, memory, op, r->batch.job_count - 1)) {
        outcome = vc4_batch_flush(in);
        if (!outcome)
            outcome = prepare_buffer(in, halves);
    }
    if (outcome)
        return outcome;
    if (!vc4_batch_note(r, memory, op, r->batch.job_count - 1))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    return add_op(in, op);
}

/* Index of the present state in the batch. */
static enum vc4_outcome keep_state(struct vc4_reading *in, uint32_t *index)
{
    struct vc4_renderer *r = in->r;
    struct vc4_batch *b = &r->batch;
    if (r->state_dirty) {
        if (!VC4_GROW(b->states, b->state_room, b->state_count))
            return fail(in, GPU_FAULT_MEMORY, "no host memory");
        b->states[b->state_count++] = r->state;
        r->state_dirty = false;
    }
    *index = b->state_count - 1;
    return VC4_GO_ON;
}

enum vc4_outcome vc4_batch_add_list(struct vc4_reading *in, struct vc4_op *op)
{
    struct vc4_renderer *r = in->r;
    if (!r->config.set || !r->has_tile)
        return fail(in, GPU_FAULT_PACKET, "drawing before the configuration or the tile coordinates");
    enum vc4_outcome outcome = prepare_buffer(in, VC4_HALF_ALL);
    if (!outcome)
        outcome = keep_state(in, &op->state);
    if (!outcome)
        outcome = add_op(in, op);
    r->uniform = r->config.has_mask ? 0 : VC4_HALF_MASK;
    return outcome;
}

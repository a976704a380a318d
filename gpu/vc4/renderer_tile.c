/* One job on a worker's tile buffer: clears, loads, lists, stores, in the order of the rendering list. */
#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

#define NESTING_MAX 2u /* "maximum of 2 levels of nesting" (Guide table 38, record 17) */

static bool fail(const struct vc4_tile_run *run, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    return gpu_fault_set(run->fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
}

/* ---- sub-lists ---- */

struct list_cursor {
    uint32_t at, stack[NESTING_MAX], depth; /* depth 1: in the tile's own list */
    uint32_t limit;                         /* depth it may reach */
};

static bool call(const struct vc4_tile_run *run, struct list_cursor *c, uint32_t target, uint32_t back)
{
    if (c->depth == c->limit)
        return fail(run, GPU_FAULT_LIST, c->at, "sub-lists nest more than two levels deep");
    c->stack[c->depth++] = back;
    c->at = target;
    return true;
}

static bool branch(struct vc4_tile_run *run, struct list_cursor *c, uint32_t target)
{
    if (util_walk_returns(&run->walk, vc4_list_place_of(target, c->stack, c->depth)))
        return gpu_fault_set(run->fault, GPU_FAULT_TIMEOUT, VC4_RENDERER_UNIT, c->at,
                             "the tile's list goes round: it has been at 0x%08x", target);
    c->at = target;
    return true;
}

/* Executes the record at the cursor. */
static bool step(struct vc4_tile_run *run, struct list_cursor *c)
{
    struct vc4_cl_record record;
    uint32_t here = c->at, after;
    if (!vc4_record_fetch(run->device->memory, here, &record, run->fault))
        return false;
    after = here + record.size;
    switch (record.id) {
    case VC4_CL_NOP: break;
    case VC4_CL_BRANCH: return branch(run, c, (uint32_t)record.field[VC4_BRANCH_ADDRESS]);
    case VC4_CL_BRANCH_TO_SUB_LIST: return call(run, c, (uint32_t)record.field[VC4_BRANCH_ADDRESS], after);
    case VC4_CL_RETURN:
        run->returns++;
        after = c->stack[--c->depth];
        break;
    case VC4_CL_INDEXED_PRIMITIVES:
    case VC4_CL_ARRAY_PRIMITIVES:
    case VC4_CL_COMPRESSED_PRIMITIVES:
    case VC4_CL_CLIPPED_PRIMITIVES:
    case VC4_CL_VG_COORDINATE_ARRAY:
    case VC4_CL_VG_INLINE:
        vc4_buffer_flush(run, VC4_HALF_ALL);
        if (!vc4_run_primitives(run, &record, here, &after))
            return false;
        break;
    default: {
        int applied = vc4_draw_state_apply(&run->state, &record, here, run->fault);
        if (applied < 0)
            return false;
        if (!applied)
            return gpu_fault_set(run->fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, here,
                                 "record %u (%s) inside a tile's list", record.id, vc4_cl_name(record.id));
    }
    }
    c->at = after;
    return true;
}

static bool run_list(struct vc4_tile_run *run, uint32_t address, uint32_t depth)
{
    struct list_cursor c = {.at = address, .depth = 1, .limit = NESTING_MAX - depth};
    while (c.depth) {
        if (vc4_tile_spent(run))
            return fail(run, GPU_FAULT_TIMEOUT, c.at, "the tile's lists exceed their budget");
        if (!run->walk.left)
            return fail(run, GPU_FAULT_TIMEOUT, c.at, "the tile's list repeats more than memory can hold");
        run->budget--;
        run->walk.left--;
        if (!step(run, &c))
            return false;
    }
    return true;
}

/* ---- operations ---- */

static bool draw_list(struct vc4_tile_run *run, const struct vc4_batch *batch, const struct vc4_op *op)
{
    run->state = batch->states[op->state];
    run->walk = util_walk_begin(run->device->memory->size);
    if (op->type == VC4_OP_LIST)
        return run_list(run, op->address, op->depth);
    const struct vc4_cl_record *record = &batch->records[op->record];
    uint32_t after = op->address + record->size;
    vc4_buffer_flush(run, VC4_HALF_ALL);
    return vc4_run_primitives(run, record, op->address, &after);
}

/* Runs what draws. False with *run->fault: what came before it is drawn. */
static bool draw(struct vc4_tile_run *run, const struct vc4_batch *batch, const struct vc4_op *op)
{
    bool ok = draw_list(run, batch, op);
    raster_worker_flush(&run->worker->raster);
    return ok;
}

void vc4_run_job(struct vc4_device *device, struct vc4_draws *draws, struct vc4_worker *worker,
                 const struct vc4_batch *batch, struct vc4_job *job)
{
    struct raster_tile *tile = &worker->raster.tile;
    struct vc4_tile_run run = {
        .device = device,
        .draws = draws,
        .worker = worker,
        .budget = job->budget,
        .fault = &job->fault,
    };
    worker->raster.work.fuel = job->fuel;
    worker->raster.work.fault = &job->fault;
    vc4_buffer_place(&run, &batch->ops[job->first]); /* a job opens with it */
    if (job->continues)
        memcpy(tile, device->renderer->carry, sizeof *tile);
    else
        vc4_buffer_clear(&run, VC4_HALF_ALL, job->color, job->zs, job->mask);
    for (uint32_t i = 0; i < job->count && !gpu_host_cancelled(&device->host); i++) {
        const struct vc4_op *op = &batch->ops[job->first + i];
        if (worker->watched.job) {
            vc4_buffer_flush(&run, VC4_HALF_ALL);
            vc4_observe_op(worker, i + 1, op, false);
        }
        switch (op->type) {
        case VC4_OP_TILE: vc4_buffer_place(&run, op); break;
        case VC4_OP_CLEAR:
            vc4_buffer_clear(&run, op->buffer, op->clear.color, op->clear.zs, op->clear.mask);
            break;
        case VC4_OP_LOAD: vc4_buffer_load(&run, op); break;
        case VC4_OP_STORE: vc4_buffer_store(&run, op); break;
        case VC4_OP_RAW:
            vc4_buffer_flush(&run, VC4_HALF_ALL); /* it may store over what is still to be loaded */
            vc4_raw_move(op, tile);
            break;
        case VC4_OP_LIST:
        case VC4_OP_RECORD:
            if (!job->faulted && !draw(&run, batch, op)) {
                job->faulted = true;
                job->fault.draw = run.draw;
            }
            break;
        }
        if (worker->watched.job) {
            vc4_buffer_flush(&run, VC4_HALF_ALL);
            vc4_observe_op(worker, i + 1, op, true);
        }
    }
    if (gpu_host_cancelled(&device->host) && !job->faulted)
        job->faulted = !fail(&run, GPU_FAULT_TIMEOUT, batch->ops[job->first].address, "cancelled");
    job->returns = run.returns;
    job->budget = run.budget;
    job->fuel = worker->raster.work.fuel;
    if (job->leaves) {
        vc4_buffer_flush(&run, VC4_HALF_ALL);
        memcpy(device->renderer->leave, tile, sizeof *tile);
    }
}

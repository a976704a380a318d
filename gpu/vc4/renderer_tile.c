/* One job on a worker's tile buffer: clears, loads, lists, stores, in the order of the rendering list. */
#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

#define NESTING_MAX 2u /* "maximum of 2 levels of nesting" (Guide table 38, record 17) */

static bool fail(const struct vc4_tile_run *run, enum gpu_fault_kind kind, uint32_t address, const char *what)
{
    vc4_fault_set(run->fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
    return false;
}

/* ---- clears ----
 *
 * A clear is done when something needs the buffer's words: until then the part is `cleared`, and a store of
 * it fills the image. */

static void settle(struct vc4_tile_run *run, uint32_t halves)
{
    struct raster_tile *tile = &run->worker->tile;
    if (run->cleared & halves & VC4_HALF_COLOR)
        raster_tile_clear_color(tile, run->color);
    if (run->cleared & halves & VC4_HALF_ZS)
        raster_tile_clear_zs(tile, run->zs, UINT32_MAX);
    run->cleared &= ~halves;
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
    case VC4_CL_BRANCH: after = (uint32_t)record.field[VC4_BRANCH_ADDRESS]; break;
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
        settle(run, VC4_HALF_ALL);
        if (!vc4_run_primitives(run, &record, here, &after))
            return false;
        break;
    default: {
        int applied = vc4_draw_state_apply(&run->state, &record, here, run->fault);
        if (applied < 0)
            return false;
        if (!applied) {
            vc4_fault_set(run->fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, here,
                          "record %u (%s) inside a tile's list", record.id, vc4_cl_name(record.id));
            return false;
        }
    }
    }
    c->at = after;
    return true;
}

static bool run_list(struct vc4_tile_run *run, uint32_t address, uint32_t depth)
{
    struct list_cursor c = {.at = address, .depth = 1, .limit = NESTING_MAX - depth};
    while (c.depth) {
        if (!run->budget)
            return fail(run, GPU_FAULT_TIMEOUT, c.at, "the tile's lists exceed their budget");
        run->budget--;
        if (!step(run, &c))
            return false;
    }
    return true;
}

/* The words of the buffer stay where they are: a clear that is due covers what the tile had. */
static void set_tile(struct vc4_tile_run *run, const struct vc4_op *op)
{
    struct raster_tile *tile = &run->worker->tile, *centre = &run->worker->centre;
    tile->width = op->tile.size;
    tile->height = op->tile.tall;
    tile->samples = op->tile.samples;
    tile->x = op->tile.x;
    tile->y = op->tile.y;
    centre->width = op->tile.size;
    centre->height = op->tile.tall;
    centre->samples = 1;
    centre->x = op->tile.x;
    centre->y = op->tile.y;
    raster_visible_begin(&run->worker->visible, tile->width, tile->height);
    run->wide = op->tile.wide;
    run->has_mask = op->tile.has_mask;
    run->frame = (struct raster_rect){.x1 = (int32_t)op->tile.width, .y1 = (int32_t)op->tile.height};
}

static void clear(struct vc4_tile_run *run, uint32_t halves, uint64_t color, uint32_t zs, uint8_t mask)
{
    if (halves & VC4_HALF_COLOR && run->wide)
        raster_tile_clear_wide(&run->worker->tile, color);
    else if (halves & VC4_HALF_COLOR)
        run->color = (uint32_t)color;
    if (halves & VC4_HALF_ZS)
        run->zs = zs;
    if (halves & VC4_HALF_MASK && run->has_mask)
        raster_tile_clear_mask(&run->worker->tile, mask);
    run->cleared |= halves & (run->wide ? VC4_HALF_ZS : VC4_HALF_COLOR | VC4_HALF_ZS);
}

/* ---- loads and stores ---- */

/* Words outside the image stay. */
static void load(struct vc4_tile_run *run, const struct vc4_op *op)
{
    struct raster_tile *tile = &run->worker->tile;
    settle(run, vc4_op_halves(op));
    if (run->device->options.reference)
        raster_surface_load_ref(&op->surface, tile);
    else
        raster_surface_load(&op->surface, tile);
}

static void store(struct vc4_tile_run *run, const struct vc4_op *op)
{
    struct raster_tile *tile = &run->worker->tile;
    enum raster_decimate decimate = (enum raster_decimate)op->decimate;
    bool reference = run->device->options.reference, z_only = op->buffer == VC4_BUFFER_Z;
    bool zs = op->buffer == VC4_BUFFER_ZS;
    if (run->cleared & vc4_op_halves(op) && !z_only && !reference) {
        raster_surface_store_uniform(&op->surface, tile, zs ? run->zs : run->color, decimate);
        return;
    }
    settle(run, vc4_op_halves(op));
    if (z_only && reference)
        raster_surface_store_z_only_ref(&op->surface, tile);
    else if (z_only)
        raster_surface_store_z_only(&op->surface, tile);
    else if (reference)
        raster_surface_store_ref(&op->surface, tile, decimate);
    else
        raster_surface_store_decimated(&op->surface, tile, decimate);
}

/* ---- operations ---- */

static bool draw_list(struct vc4_tile_run *run, const struct vc4_batch *batch, const struct vc4_op *op)
{
    run->state = batch->states[op->state];
    if (op->type == VC4_OP_LIST)
        return run_list(run, op->address, op->depth);
    const struct vc4_cl_record *record = &batch->records[op->record];
    uint32_t after = op->address + record->size;
    settle(run, VC4_HALF_ALL);
    return vc4_run_primitives(run, record, op->address, &after);
}

/* Runs what draws. False with *run->fault: what came before it is drawn. */
static bool draw(struct vc4_tile_run *run, const struct vc4_batch *batch, const struct vc4_op *op)
{
    bool ok = draw_list(run, batch, op);
    vc4_draw_visible(run->worker);
    return ok;
}

void vc4_run_job(struct vc4_device *device, struct vc4_draws *draws, struct vc4_worker *worker,
                 const struct vc4_batch *batch, struct vc4_job *job)
{
    struct raster_tile *tile = &worker->tile;
    struct vc4_tile_run run = {
        .device = device,
        .draws = draws,
        .worker = worker,
        .budget = job->budget,
        .fuel = job->fuel,
        .fault = &job->fault,
    };
    set_tile(&run, &batch->ops[job->first]); /* a job opens with it; a clear covers what the tile has */
    if (job->continues)
        memcpy(tile, device->renderer->carry, sizeof *tile);
    else
        clear(&run, VC4_HALF_ALL, job->color, job->zs, job->mask);
    for (uint32_t i = 0; i < job->count; i++) {
        const struct vc4_op *op = &batch->ops[job->first + i];
        if (worker->watch) {
            settle(&run, VC4_HALF_ALL);
            vc4_observe_op(device, worker, i + 1, op, false);
        }
        switch (op->type) {
        case VC4_OP_TILE: set_tile(&run, op); break;
        case VC4_OP_CLEAR: clear(&run, op->buffer, op->clear.color, op->clear.zs, op->clear.mask); break;
        case VC4_OP_LOAD: load(&run, op); break;
        case VC4_OP_STORE: store(&run, op); break;
        case VC4_OP_RAW:
            settle(&run, op->buffer);
            vc4_raw_move(op, run.wide, tile);
            break;
        case VC4_OP_LIST:
        case VC4_OP_RECORD:
            if (!job->faulted && !draw(&run, batch, op)) {
                job->faulted = true;
                job->fault.draw = run.draw;
            }
            break;
        }
        if (worker->watch) {
            settle(&run, VC4_HALF_ALL);
            vc4_observe_op(device, worker, i + 1, op, true);
        }
    }
    raster_surface_fence();
    job->returns = run.returns;
    job->budget = run.budget;
    job->fuel = run.fuel;
    if (job->leaves) {
        settle(&run, VC4_HALF_ALL);
        memcpy(device->renderer->carry, tile, sizeof *tile);
    }
}

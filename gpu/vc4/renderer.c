/* The rendering list, read into jobs; batches of jobs drawn on the pool. */
#include "gpu/vc4/renderer.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

#define TILE_SIZE    64u
#define TILE_SIZE_MS 32u

enum { HALF_COLOR = 1, HALF_ZS = 2, HALF_BOTH = 3 };

/* What a record of the main list led to. */
enum outcome { GO_ON, STOP_HALT, STOP_WAIT, STOP_FAULT };

struct reading {
    struct vc4_device *device;
    struct vc4_renderer *r;
    uint32_t here, next; /* addresses of the record and of what follows it */
    struct gpu_fault fault;
};

static enum outcome fail(struct reading *in, enum gpu_fault_kind kind, const char *what)
{
    vc4_fault_set(&in->fault, kind, VC4_RENDERER_UNIT, in->here, "%s", what);
    return STOP_FAULT;
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

struct batch_run {
    struct vc4_device *device;
    struct vc4_draws *draws;
};

static void run_job(void *data, uint32_t index, unsigned worker)
{
    const struct batch_run *run = data;
    struct vc4_renderer *r = run->device->renderer;
    vc4_run_job(run->device, run->draws, r->workers[worker], &r->batch, &r->batch.jobs[index]);
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

static void count_work(struct vc4_device *device, struct vc4_draws *draws)
{
    struct vc4_renderer *r = device->renderer;
    for (unsigned i = 0; i < r->worker_count; i++) {
        device->counters.blocks_shaded += r->workers[i]->blocks_shaded;
        r->workers[i]->blocks_shaded = r->workers[i]->primitives = 0;
        r->workers[i]->draw = NULL;
    }
    for (uint32_t i = 0; i < r->batch.job_count; i++)
        device->thread[1].returns += (uint16_t)r->batch.jobs[i].returns;
    device->counters.tiles += r->batch.job_count;
    device->counters.vertices += vc4_draws_vertices(draws);
}

/* The fault of the job that stands first in the list: which others faulted does not matter, and so not how
 * many threads there were. */
static enum outcome first_fault(struct reading *in)
{
    const struct vc4_batch *b = &in->r->batch;
    for (uint32_t i = 0; i < b->job_count; i++) {
        if (b->jobs[i].faulted) {
            in->fault = b->jobs[i].fault;
            return STOP_FAULT;
        }
    }
    return GO_ON;
}

/* Draws all jobs read so far. A job whose tile buffer is not uniform hands it to the next batch. */
static enum outcome flush(struct reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_batch *b = &r->batch;
    struct batch_run run = {.device = in->device};
    enum outcome outcome = GO_ON;
    if (b->job_count) {
        struct vc4_job *last = &b->jobs[b->job_count - 1];
        last->leaves = r->job_open && r->uniform != HALF_BOTH;
        if (!make_workers(in->device) || vc4_draws_create(in->device, &run.draws))
            return fail(in, GPU_FAULT_MEMORY, "no host memory");
        util_pool_run(in->device->options.pool, b->job_count, run_job, &run);
        r->carried = last->leaves;
        outcome = first_fault(in);
        count_work(in->device, run.draws);
        vc4_draws_destroy(run.draws);
    }
    r->job_open = false;
    r->state_dirty = true;
    b->op_count = b->job_count = b->state_count = b->record_count = b->extent_count = 0;
    b->generation++;
    return outcome;
}

/* ---- building jobs ---- */

static enum outcome add_op(struct reading *in, const struct vc4_op *op)
{
    struct vc4_batch *b = &in->r->batch;
    if (!VC4_GROW(b->ops, b->op_room, b->op_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    b->ops[b->op_count++] = *op;
    b->jobs[b->job_count - 1].count++;
    return GO_ON;
}

static enum outcome add_tile_op(struct reading *in)
{
    const struct vc4_renderer *r = in->r;
    uint32_t samples = r->config.set ? r->config.samples : 1;
    uint32_t size = samples > 1 ? TILE_SIZE_MS : TILE_SIZE;
    struct vc4_op op = {.type = VC4_OP_TILE,
                        .address = in->here,
                        .tile = {.x = (int32_t)(r->tile_x * size),
                                 .y = (int32_t)(r->tile_y * size),
                                 .size = size,
                                 .samples = samples,
                                 .width = r->config.width,
                                 .height = r->config.height}};
    return add_op(in, &op);
}

/* Makes sure that there is a job to add to. */
static enum outcome open_job(struct reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_batch *b = &r->batch;
    if (r->job_open)
        return GO_ON;
    if (!VC4_GROW(b->jobs, b->job_room, b->job_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    r->carried &= r->uniform != HALF_BOTH;
    b->jobs[b->job_count++] = (struct vc4_job){
        .first = b->op_count, .color = r->uniform_color, .zs = r->uniform_zs, .continues = r->carried};
    if (!r->carried)
        r->due = 0;
    r->carried = false;
    r->job_open = true;
    return add_tile_op(in);
}

/* Opens a job if need be and does the clears that are due in it for the halves that come to use. */
static enum outcome prepare_buffer(struct reading *in, uint32_t halves)
{
    struct vc4_renderer *r = in->r;
    enum outcome outcome = open_job(in);
    if (outcome || !(r->due & halves))
        return outcome;
    struct vc4_op op = {.type = VC4_OP_CLEAR,
                        .address = in->here,
                        .buffer = (uint8_t)(r->due & halves),
                        .clear = {.color = r->uniform_color, .zs = r->uniform_zs}};
    r->due &= ~halves;
    return add_op(in, &op);
}

/* Adds an operation that touches memory; what it might collide with is drawn first. */
static enum outcome add_memory_op(struct reading *in, const struct vc4_op *op)
{
    struct vc4_renderer *r = in->r;
    const struct gpu_memory *memory = in->device->memory;
    uint32_t halves = op->buffer == VC4_BUFFER_COLOR ? HALF_COLOR : HALF_ZS;
    enum outcome outcome = prepare_buffer(in, halves);
    if (!outcome && vc4_batch_conflict(r, memory, op, r->batch.job_count - 1)) {
        outcome = flush(in);
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
static enum outcome keep_state(struct reading *in, uint32_t *index)
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
    return GO_ON;
}

/* Adds a list to be drawn: a sub-list, or a primitive record of the main list. */
static enum outcome add_list(struct reading *in, struct vc4_op *op)
{
    struct vc4_renderer *r = in->r;
    if (!r->config.set || !r->has_tile)
        return fail(in, GPU_FAULT_PACKET, "drawing before the configuration or the tile coordinates");
    enum outcome outcome = prepare_buffer(in, HALF_BOTH);
    if (!outcome)
        outcome = keep_state(in, &op->state);
    if (!outcome)
        outcome = add_op(in, op);
    r->uniform = 0;
    return outcome;
}

/* The buffer after a store: `halves` are cleared with the clear values (Guide table 38, records 24 to 28). */
static void clear_on_store(struct vc4_renderer *r, uint32_t halves)
{
    r->uniform |= halves;
    r->due |= halves;
    if (halves & HALF_COLOR)
        r->uniform_color = r->clear_color;
    if (halves & HALF_ZS)
        r->uniform_zs = r->clear_zs;
}

/* ---- records ---- */

static enum outcome read_configuration(struct reading *in, const struct vc4_cl_record *record)
{
    const uint64_t *f = record->field;
    struct vc4_renderer *r = in->r;
    if (f[VC4_RENDER_64BIT])
        return fail(in, GPU_FAULT_UNSUPPORTED, "64-bit colour (HDR mode)");
    if (f[VC4_RENDER_VG_MASK] || f[VC4_RENDER_COVERAGE])
        return fail(in, GPU_FAULT_UNSUPPORTED, "VG mask or coverage mode");
    enum outcome outcome = r->batch.job_count ? flush(in) : GO_ON;
    r->config = (struct vc4_render_config){
        .set = true,
        .address = (uint32_t)f[VC4_RENDER_ADDRESS],
        .width = (uint32_t)f[VC4_RENDER_WIDTH],
        .height = (uint32_t)f[VC4_RENDER_HEIGHT],
        .samples = f[VC4_RENDER_MS] ? 4 : 1,
        .color_format = (uint8_t)f[VC4_RENDER_COLOR_FORMAT],
        .decimate = (uint8_t)f[VC4_RENDER_DECIMATE],
        .layout = (uint8_t)f[VC4_RENDER_LAYOUT],
    };
    return outcome;
}

static enum outcome read_clear_colors(struct reading *in, const struct vc4_cl_record *record)
{
    const uint64_t *f = record->field;
    if (f[VC4_CLEAR_COLOR] != f[VC4_CLEAR_COLOR_ODD])
        return fail(in, GPU_FAULT_UNSUPPORTED, "two clear colours that differ");
    in->r->clear_color = (uint32_t)f[VC4_CLEAR_COLOR];
    in->r->clear_zs = (uint32_t)f[VC4_CLEAR_Z] << 8 | (uint32_t)f[VC4_CLEAR_STENCIL];
    return GO_ON;
}

/* A load happens at the next tile coordinates. */
static enum outcome do_load(struct reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_op op = {0};
    bool general = r->load.id == VC4_CL_LOAD_GENERAL;
    if (general && !r->load.field[VC4_GENERAL_BUFFER])
        return GO_ON;
    if (general ? !vc4_general_surface(in->device, &r->config, &r->load, r->load_address, &op, &in->fault)
                : !vc4_raw_tile(in->device, &r->load, r->load_address, &op, &in->fault))
        return STOP_FAULT;
    if (op.type == VC4_OP_RAW && !op.raw)
        return GO_ON;
    enum outcome outcome = add_memory_op(in, &op);
    r->uniform &= op.buffer == VC4_BUFFER_COLOR ? ~(uint32_t)HALF_COLOR : ~(uint32_t)HALF_ZS;
    return outcome;
}

static enum outcome read_tile_coordinates(struct reading *in, const struct vc4_cl_record *record)
{
    struct vc4_renderer *r = in->r;
    uint32_t x = (uint32_t)record->field[VC4_TILE_X], y = (uint32_t)record->field[VC4_TILE_Y];
    bool moved = !r->has_tile || x != r->tile_x || y != r->tile_y;
    enum outcome outcome = GO_ON;
    if (moved && r->uniform == HALF_BOTH) {
        if (r->batch.op_count >= VC4_BATCH_OPS)
            outcome = flush(in);
        r->job_open = false;
    }
    r->tile_x = x;
    r->tile_y = y;
    r->has_tile = true;
    if (!outcome)
        outcome = r->job_open ? add_tile_op(in) : open_job(in);
    if (!outcome && r->has_load)
        outcome = do_load(in);
    r->has_load = false;
    return outcome;
}

static enum outcome read_load(struct reading *in, const struct vc4_cl_record *record)
{
    if (in->r->has_load)
        return fail(in, GPU_FAULT_PACKET, "a second load before the tile coordinates");
    in->r->load = *record;
    in->r->load_address = in->here;
    in->r->has_load = true;
    return GO_ON;
}

static void note_frame(struct vc4_renderer *r, const struct gpu_memory *memory, const struct vc4_op *op)
{
    if (op->buffer != VC4_BUFFER_COLOR)
        return;
    r->frame = (struct vc4_frame){.address = (uint32_t)(op->surface.base - memory->base),
                                  .width = op->surface.width,
                                  .height = op->surface.height,
                                  .layout = op->surface.layout,
                                  .format = op->surface.format};
    r->has_frame = true;
}

static enum outcome read_store(struct reading *in, const struct vc4_cl_record *record)
{
    struct vc4_renderer *r = in->r;
    const uint64_t *f = record->field;
    struct vc4_op op = {0};
    uint32_t halves = HALF_BOTH;
    bool ok = true, last = record->id == VC4_CL_STORE_MS_TILE_EOF, touches = true;
    if (record->id == VC4_CL_STORE_GENERAL) {
        halves =
            (f[VC4_GENERAL_NO_COLOR_CLEAR] ? 0 : HALF_COLOR) | (f[VC4_GENERAL_NO_ZS_CLEAR] ? 0 : HALF_ZS);
        last = f[VC4_GENERAL_LAST];
        touches = f[VC4_GENERAL_BUFFER] != 0;
        ok = !touches || vc4_general_surface(in->device, &r->config, record, in->here, &op, &in->fault);
    } else if (record->id == VC4_CL_STORE_FULL_RES) {
        halves = f[VC4_FULL_RES_NO_CLEAR] ? 0 : HALF_BOTH;
        last = f[VC4_FULL_RES_LAST];
        ok = vc4_raw_tile(in->device, record, in->here, &op, &in->fault);
        touches = op.raw != NULL;
    } else {
        ok = vc4_config_surface(in->device, &r->config, in->here, &op, &in->fault);
    }
    if (!ok)
        return STOP_FAULT;
    if (touches && !r->has_tile)
        return fail(in, GPU_FAULT_PACKET, "a store before the tile coordinates");
    enum outcome outcome = touches ? add_memory_op(in, &op) : GO_ON;
    if (touches && op.type == VC4_OP_STORE)
        note_frame(r, in->device->memory, &op);
    clear_on_store(r, halves);
    r->frames += last;
    return outcome;
}

/* A primitive list in the main list: kept as a record; one that follows inline is skipped here. */
static enum outcome read_primitives(struct reading *in, const struct vc4_cl_record *record)
{
    struct vc4_batch *b = &in->r->batch;
    if (!VC4_GROW(b->records, b->record_room, b->record_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    b->records[b->record_count++] = *record;
    struct vc4_op op = {.type = VC4_OP_RECORD, .address = in->here, .record = b->record_count - 1};
    if (record->id == VC4_CL_COMPRESSED_PRIMITIVES || record->id == VC4_CL_CLIPPED_PRIMITIVES) {
        struct vc4_list_reader reader;
        uint32_t index[3];
        int got;
        vc4_list_reader_init(&reader, in->device->memory, in->next, in->r->state.primitive, in->r->budget);
        while ((got = vc4_list_read(&reader, index, &in->fault)) > 0)
            ;
        if (got < 0)
            return STOP_FAULT;
        in->r->budget = reader.budget;
        in->next = reader.at;
    } else if (record->id == VC4_CL_VG_COORDINATE_ARRAY || record->id == VC4_CL_VG_INLINE) {
        return fail(in, GPU_FAULT_UNSUPPORTED, "VG primitives");
    }
    return add_list(in, &op);
}

static enum outcome read_wait(struct reading *in)
{
    if (in->device->semaphore) {
        in->device->semaphore--;
        return GO_ON;
    }
    enum outcome outcome = flush(in);
    return outcome ? outcome : STOP_WAIT;
}

static enum outcome read_increment(struct reading *in)
{
    enum outcome outcome = flush(in); /* the other thread may rely on what was drawn */
    in->device->binner_semaphore = UTIL_MIN(in->device->binner_semaphore + 1, (uint32_t)VC4_SEMAPHORE_MAX);
    return outcome;
}

static enum outcome read_record(struct reading *in, const struct vc4_cl_record *record)
{
    struct vc4_op op = {.type = VC4_OP_LIST};
    switch (record->id) {
    case VC4_CL_NOP:
    case VC4_CL_RETURN: return GO_ON; /* "ignored if nothing on the return stack" */
    case VC4_CL_HALT: return STOP_HALT;
    case VC4_CL_INCREMENT_SEMAPHORE: return read_increment(in);
    case VC4_CL_WAIT_ON_SEMAPHORE: return read_wait(in);
    case VC4_CL_BRANCH: in->next = (uint32_t)record->field[VC4_BRANCH_ADDRESS]; return GO_ON;
    case VC4_CL_BRANCH_TO_SUB_LIST:
        op.address = (uint32_t)record->field[VC4_BRANCH_ADDRESS];
        return add_list(in, &op);
    case VC4_CL_STORE_MS_TILE:
    case VC4_CL_STORE_MS_TILE_EOF:
    case VC4_CL_STORE_FULL_RES:
    case VC4_CL_STORE_GENERAL: return read_store(in, record);
    case VC4_CL_LOAD_FULL_RES:
    case VC4_CL_LOAD_GENERAL: return read_load(in, record);
    case VC4_CL_TILE_RENDERING_CONFIG: return read_configuration(in, record);
    case VC4_CL_CLEAR_COLORS: return read_clear_colors(in, record);
    case VC4_CL_TILE_COORDINATES: return read_tile_coordinates(in, record);
    case VC4_CL_INDEXED_PRIMITIVES:
    case VC4_CL_ARRAY_PRIMITIVES:
    case VC4_CL_VG_COORDINATE_ARRAY:
    case VC4_CL_VG_INLINE:
    case VC4_CL_COMPRESSED_PRIMITIVES:
    case VC4_CL_CLIPPED_PRIMITIVES: return read_primitives(in, record);
    default: {
        int applied = vc4_draw_state_apply(&in->r->state, record, in->here, &in->fault);
        in->r->state_dirty = true;
        if (applied)
            return applied < 0 ? STOP_FAULT : GO_ON;
        return fail(in, GPU_FAULT_PACKET, "a record that rendering lists do not have");
    }
    }
}

/* ---- the thread ---- */

/* Reads on until something stops the list; thread 1's current address follows. */
static enum outcome read_list(struct reading *in)
{
    struct vc4_thread *thread = &in->device->thread[1];
    enum outcome outcome = GO_ON;
    while (!outcome && thread->ca != thread->ea) {
        struct vc4_cl_record record;
        in->here = thread->ca;
        if (!in->r->budget--)
            return fail(in, GPU_FAULT_TIMEOUT, "the list exceeds its packet budget");
        if (!vc4_record_fetch(in->device->memory, in->here, &record, &in->fault))
            return STOP_FAULT;
        in->next = in->here + record.size;
        outcome = read_record(in, &record);
        if (outcome == GO_ON || outcome == STOP_HALT)
            thread->ca = in->next;
    }
    return outcome;
}

enum vc4_list_end vc4_renderer_run(struct vc4_device *device, uint32_t *frames)
{
    struct vc4_renderer *r = device->renderer;
    struct reading in = {.device = device, .r = r, .here = device->thread[1].ca};
    static const enum vc4_list_end ends[] = {VC4_LIST_END, VC4_LIST_HALT, VC4_LIST_WAIT, VC4_LIST_FAULT};

    r->budget = device->options.packet_budget;
    r->frames = 0;
    r->has_frame = false;
    enum outcome outcome = read_list(&in);
    /* What was read before a bad record is drawn; a fault in it comes first in the list's order. */
    struct gpu_fault read_fault = in.fault;
    if (flush(&in) == STOP_FAULT)
        outcome = STOP_FAULT;
    else
        in.fault = read_fault;
    if (outcome == STOP_FAULT) {
        vc4_fault_add(device, &in.fault);
        vc4_renderer_reset(device);
    }
    if (r->has_frame)
        device->frame = r->frame;
    device->has_frame |= r->has_frame;
    *frames = outcome == STOP_FAULT ? 0 : r->frames;
    return ends[outcome];
}

/* ---- life ---- */

void vc4_renderer_reset(struct vc4_device *device)
{
    struct vc4_renderer *r = device->renderer;
    vc4_draw_state_init(&r->state);
    r->state_dirty = true;
    r->config = (struct vc4_render_config){0};
    r->has_tile = r->has_load = r->job_open = r->carried = false;
    r->uniform = HALF_BOTH;
    r->due = 0;
    r->uniform_color = r->uniform_zs = r->clear_color = r->clear_zs = 0;
    r->tile_x = r->tile_y = 0;
}

int vc4_renderer_create(struct vc4_device *device)
{
    struct vc4_renderer *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    device->renderer = r;
    r->tile_owner = calloc(256 * 256, sizeof *r->tile_owner);
    r->carry = aligned_alloc(64, sizeof *r->carry);
    if (!r->tile_owner || !r->carry)
        return -ENOMEM; /* vc4_renderer_destroy frees the rest */
    memset(r->carry, 0, sizeof *r->carry);
    r->batch.generation = 1;
    vc4_renderer_reset(device);
    return 0;
}

void vc4_renderer_destroy(struct vc4_device *device)
{
    struct vc4_renderer *r = device->renderer;
    if (!r)
        return;
    for (unsigned i = 0; i < r->worker_count; i++)
        free(r->workers[i]);
    free(r->workers);
    free(r->batch.ops);
    free(r->batch.jobs);
    free(r->batch.states);
    free(r->batch.records);
    free(r->batch.extents);
    free(r->tile_owner);
    free(r->carry);
    free(r);
    device->renderer = NULL;
}

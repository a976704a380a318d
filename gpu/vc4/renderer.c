/* The rendering list: what each record of it means for the jobs, and the thread that reads it. */
#include "gpu/vc4/renderer.h"

#include <errno.h>
#include <stdlib.h>

#include "gpu/vc4/renderer_internal.h"
#include "util/bits.h"

static enum vc4_outcome fail(struct vc4_reading *in, enum gpu_fault_kind kind, const char *what)
{
    gpu_fault_set(&in->fault, kind, VC4_RENDERER_UNIT, in->here, "%s", what);
    return VC4_STOP_FAULT;
}

/* The buffer after a store: `halves` are cleared with the clear values (Guide table 38, records 24 to 28). */
static enum vc4_outcome clear_on_store(struct vc4_reading *in, uint32_t halves)
{
    struct vc4_renderer *r = in->r;
    if (halves & VC4_HALF_COLOR && !r->config.rgba16f && r->clear_color >> 32 != (uint32_t)r->clear_color)
        return fail(in, GPU_FAULT_UNSUPPORTED, "two clear colours that differ, of 32 bits each");
    halves &= r->config.has_mask ? VC4_HALF_ALL : VC4_HALF_COLOR | VC4_HALF_ZS;
    r->uniform |= halves;
    r->due |= halves;
    if (halves & VC4_HALF_MASK)
        r->uniform_mask = r->clear_mask;
    if (halves & VC4_HALF_COLOR)
        r->uniform_color = r->config.rgba16f ? r->clear_color : (uint32_t)r->clear_color;
    if (halves & VC4_HALF_ZS)
        r->uniform_zs = r->clear_zs;
    return VC4_GO_ON;
}

/* ---- records ---- */

static enum vc4_outcome read_configuration(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    const uint64_t *f = record->field;
    struct vc4_renderer *r = in->r;
    enum vc4_outcome outcome = r->batch.job_count ? vc4_batch_flush(in) : VC4_GO_ON;
    r->config = (struct vc4_render_config){
        .set = true,
        .address = (uint32_t)f[VC4_RENDER_ADDRESS],
        .width = (uint32_t)f[VC4_RENDER_WIDTH],
        .height = (uint32_t)f[VC4_RENDER_HEIGHT],
        .samples = f[VC4_RENDER_MS] ? 4 : 1,
        .color_format = (uint8_t)f[VC4_RENDER_COLOR_FORMAT],
        .decimate = (uint8_t)f[VC4_RENDER_DECIMATE],
        .layout = (uint8_t)f[VC4_RENDER_LAYOUT],
        .rgba16f = f[VC4_RENDER_64BIT],
        .has_mask = f[VC4_RENDER_VG_MASK],
        .flat = f[VC4_RENDER_DOUBLE_BUFFER] && !f[VC4_RENDER_MS],
    };
    if (!r->config.has_mask)
        r->uniform |= VC4_HALF_MASK;
    return outcome;
}

static enum vc4_outcome read_clear_colors(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    const uint64_t *f = record->field;
    in->r->clear_color = f[VC4_CLEAR_COLOR] | f[VC4_CLEAR_COLOR_ODD] << 32;
    in->r->clear_mask = (uint8_t)f[VC4_CLEAR_VG_MASK];
    in->r->clear_zs = (uint32_t)f[VC4_CLEAR_Z] << 8 | (uint32_t)f[VC4_CLEAR_STENCIL];
    return VC4_GO_ON;
}

/* A load happens at the next tile coordinates. */
static enum vc4_outcome do_load(struct vc4_reading *in)
{
    struct vc4_renderer *r = in->r;
    struct vc4_op op = {0};
    bool general = r->load.id == VC4_CL_LOAD_GENERAL;
    if (general && !r->load.field[VC4_GENERAL_BUFFER])
        return VC4_GO_ON;
    if (general ? !vc4_general_surface(in->device, &r->config, &r->load, r->load_address, &op, &in->fault)
                : !vc4_raw_tile(in->device, &r->config, &r->load, r->load_address, &op, &in->fault))
        return VC4_STOP_FAULT;
    if (!vc4_op_halves(&op))
        return VC4_GO_ON;
    enum vc4_outcome outcome = vc4_batch_add_memory(in, &op);
    r->uniform &= ~vc4_op_halves(&op);
    return outcome;
}

static enum vc4_outcome read_tile_coordinates(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    struct vc4_renderer *r = in->r;
    uint32_t x = (uint32_t)record->field[VC4_TILE_X], y = (uint32_t)record->field[VC4_TILE_Y];
    bool moved = !r->has_tile || x != r->tile_x || y != r->tile_y;
    enum vc4_outcome outcome = VC4_GO_ON;
    if (moved && r->uniform == VC4_HALF_ALL) {
        if (r->batch.op_count >= VC4_BATCH_OPS)
            outcome = vc4_batch_flush(in);
        r->job_open = false;
    }
    r->tile_x = x;
    r->tile_y = y;
    r->has_tile = true;
    if (!outcome)
        outcome = r->job_open ? vc4_batch_add_tile(in) : vc4_batch_open_job(in);
    if (!outcome && r->has_load)
        outcome = do_load(in);
    r->has_load = false;
    return outcome;
}

static enum vc4_outcome read_load(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    if (in->r->has_load)
        return fail(in, GPU_FAULT_PACKET, "a second load before the tile coordinates");
    in->r->load = *record;
    in->r->load_address = in->here;
    in->r->has_load = true;
    return VC4_GO_ON;
}

/* The buffer's words are taken as displays have them, with blue lowest. */
static void note_frame(struct vc4_renderer *r, const struct gpu_memory *memory, const struct vc4_op *op)
{
    if (op->buffer != VC4_BUFFER_COLOR)
        return;
    r->frame = (struct capture_frame){
        .address = (uint32_t)(op->surface.base - memory->base),
        .width = op->surface.width,
        .height = op->surface.height,
        .layout = op->surface.layout,
        .format = op->surface.format == RASTER_R8G8B8A8_UNORM ? RASTER_B8G8R8A8_UNORM : op->surface.format,
        .stride = op->surface.stride};
    r->has_frame = true;
}

static enum vc4_outcome read_store(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    struct vc4_renderer *r = in->r;
    const uint64_t *f = record->field;
    struct vc4_op op = {0};
    uint32_t halves = VC4_HALF_ALL;
    bool ok = true, last = record->id == VC4_CL_STORE_MS_TILE_EOF, touches = true;
    if (record->id == VC4_CL_STORE_GENERAL) {
        halves = (f[VC4_GENERAL_NO_COLOR_CLEAR] ? 0 : VC4_HALF_COLOR) |
                 (f[VC4_GENERAL_NO_ZS_CLEAR] ? 0 : VC4_HALF_ZS) |
                 (f[VC4_GENERAL_NO_VG_CLEAR] ? 0 : VC4_HALF_MASK);
        last = f[VC4_GENERAL_LAST];
        touches = f[VC4_GENERAL_BUFFER] != 0;
        ok = !touches || vc4_general_surface(in->device, &r->config, record, in->here, &op, &in->fault);
        touches = touches && ok && vc4_op_halves(&op);
    } else if (record->id == VC4_CL_STORE_FULL_RES) {
        halves = f[VC4_FULL_RES_NO_CLEAR] ? 0 : VC4_HALF_ALL;
        last = f[VC4_FULL_RES_LAST];
        ok = vc4_raw_tile(in->device, &r->config, record, in->here, &op, &in->fault);
        touches = ok && vc4_op_halves(&op);
    } else {
        ok = vc4_config_surface(in->device, &r->config, in->here, &op, &in->fault);
    }
    if (!ok)
        return VC4_STOP_FAULT;
    if (touches && !r->has_tile)
        return fail(in, GPU_FAULT_PACKET, "a store before the tile coordinates");
    enum vc4_outcome outcome = touches ? vc4_batch_add_memory(in, &op) : VC4_GO_ON;
    if (touches && op.type == VC4_OP_STORE)
        note_frame(r, in->device->memory, &op);
    if (!outcome)
        outcome = clear_on_store(in, halves);
    r->frames += last;
    return outcome;
}

/* Passes over a list that follows its record inline. */
static bool skip_inline(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    const struct gpu_memory *memory = in->device->memory;
    struct vc4_list_reader reader;
    struct vc4_vg_list list;
    uint32_t index[3];
    int got;
    if (record->id == VC4_CL_VG_INLINE) {
        if (!vc4_vg_list_begin(&list, memory, record, in->here, in->next, &in->r->fan, in->r->budget,
                               &in->fault))
            return false;
        while ((got = vc4_vg_list_next(&list, index, &in->fault)) > 0)
            ;
        in->r->budget = list.budget;
        in->next = (uint32_t)list.at;
        return got == 0;
    }
    struct util_walk *walk = &in->device->thread[1].walk;
    uint64_t codes = UTIL_MIN(in->r->budget, walk->left);
    vc4_list_reader_init(&reader, memory, in->next, vc4_list_format(&in->r->state), codes);
    while ((got = vc4_list_read(&reader, index, &in->fault)) > 0)
        ;
    in->r->budget -= codes - reader.budget;
    walk->left -= codes - reader.budget;
    in->next = reader.at;
    return got == 0;
}

/* A primitive list in the main list: kept as a record; one that follows inline is skipped here. */
static enum vc4_outcome read_primitives(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    struct vc4_batch *b = &in->r->batch;
    if (!VC4_GROW(b->records, b->record_room, b->record_count))
        return fail(in, GPU_FAULT_MEMORY, "no host memory");
    b->records[b->record_count++] = *record;
    struct vc4_op op = {.type = VC4_OP_RECORD, .address = in->here, .record = b->record_count - 1};
    bool is_inline = record->id == VC4_CL_COMPRESSED_PRIMITIVES || record->id == VC4_CL_CLIPPED_PRIMITIVES ||
                     record->id == VC4_CL_VG_INLINE;
    if (is_inline && !skip_inline(in, record))
        return VC4_STOP_FAULT;
    if (record->id == VC4_CL_VG_COORDINATE_ARRAY) /* a continuation finds its vertices when it is drawn */
        in->r->fan.count = 2;
    return vc4_batch_add_list(in, &op);
}

static enum vc4_outcome read_wait(struct vc4_reading *in)
{
    if (in->device->semaphore) {
        in->device->semaphore--;
        util_walk_forget(
            &in->device->thread[1].walk); /* a list may go round as long as the other one lets it */
        return VC4_GO_ON;
    }
    enum vc4_outcome outcome = vc4_batch_flush(in);
    return outcome ? outcome : VC4_STOP_WAIT;
}

static enum vc4_outcome read_increment(struct vc4_reading *in)
{
    enum vc4_outcome outcome = vc4_batch_flush(in); /* the other thread may rely on what was drawn */
    in->device->binner_semaphore = UTIL_MIN(in->device->binner_semaphore + 1, (uint32_t)VC4_SEMAPHORE_MAX);
    return outcome;
}

/* Sub-lists are a tile's, and read by whoever draws it, or a part of the rendering list itself: those begin
 * with a record that no tile's list holds ("each tile list must have one Tile Coordinates item at the start",
 * Guide section 9). */
static bool is_tile_list(const struct vc4_reading *in, uint32_t address)
{
    struct vc4_cl_record record;
    struct gpu_fault unused;
    for (unsigned i = 0; i < 16; i++) { /* more detours than that are a tile's */
        if (!vc4_record_fetch(in->device->memory, address, &record, &unused))
            return true; /* with the fault */
        switch (record.id) {
        case VC4_CL_NOP: address++; break;
        case VC4_CL_BRANCH:
        case VC4_CL_BRANCH_TO_SUB_LIST: address = (uint32_t)record.field[VC4_BRANCH_ADDRESS]; break;
        case VC4_CL_RETURN: return in->r->has_tile;
        case VC4_CL_HALT:
        case VC4_CL_INCREMENT_SEMAPHORE:
        case VC4_CL_WAIT_ON_SEMAPHORE:
        case VC4_CL_STORE_MS_TILE:
        case VC4_CL_STORE_MS_TILE_EOF:
        case VC4_CL_STORE_FULL_RES:
        case VC4_CL_LOAD_FULL_RES:
        case VC4_CL_STORE_GENERAL:
        case VC4_CL_LOAD_GENERAL:
        case VC4_CL_TILE_RENDERING_CONFIG:
        case VC4_CL_CLEAR_COLORS:
        case VC4_CL_TILE_COORDINATES: return false;
        default: return true;
        }
    }
    return true;
}

static enum vc4_outcome read_call(struct vc4_reading *in, uint32_t address)
{
    struct vc4_renderer *r = in->r;
    struct vc4_op op = {.type = VC4_OP_LIST, .address = address, .depth = (uint8_t)r->depth};
    if (r->depth == UTIL_ARRAY_SIZE(r->stack))
        return fail(in, GPU_FAULT_LIST, "sub-lists nest more than two levels deep");
    if (is_tile_list(in, address))
        return vc4_batch_add_list(in, &op);
    r->stack[r->depth++] = in->next;
    in->next = address;
    return VC4_GO_ON;
}

static enum vc4_outcome read_branch(struct vc4_reading *in, uint32_t target)
{
    const struct vc4_renderer *r = in->r;
    if (util_walk_returns(&in->device->thread[1].walk, vc4_list_place_of(target, r->stack, r->depth))) {
        gpu_fault_set(&in->fault, GPU_FAULT_TIMEOUT, VC4_RENDERER_UNIT, in->here,
                      "the list goes round: it has been at 0x%08x", target);
        return VC4_STOP_FAULT;
    }
    in->next = target;
    return VC4_GO_ON;
}

static enum vc4_outcome read_return(struct vc4_reading *in)
{
    struct vc4_renderer *r = in->r;
    if (!r->depth) /* "ignored if nothing on the return stack" */
        return VC4_GO_ON;
    in->next = r->stack[--r->depth];
    in->device->thread[1].returns++;
    return VC4_GO_ON;
}

static enum vc4_outcome read_record(struct vc4_reading *in, const struct vc4_cl_record *record)
{
    switch (record->id) {
    case VC4_CL_NOP: return VC4_GO_ON;
    case VC4_CL_RETURN: return read_return(in);
    case VC4_CL_HALT: return VC4_STOP_HALT;
    case VC4_CL_INCREMENT_SEMAPHORE: return read_increment(in);
    case VC4_CL_WAIT_ON_SEMAPHORE: return read_wait(in);
    case VC4_CL_BRANCH: return read_branch(in, (uint32_t)record->field[VC4_BRANCH_ADDRESS]);
    case VC4_CL_BRANCH_TO_SUB_LIST: return read_call(in, (uint32_t)record->field[VC4_BRANCH_ADDRESS]);
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
            return applied < 0 ? VC4_STOP_FAULT : VC4_GO_ON;
        return fail(in, GPU_FAULT_PACKET, "a record that rendering lists do not have");
    }
    }
}

/* ---- the thread ---- */

/* Reads on until something stops the list; thread 1's current address follows. */
static enum vc4_outcome read_list(struct vc4_reading *in, uint32_t end)
{
    struct vc4_thread *thread = &in->device->thread[1];
    enum vc4_outcome outcome = VC4_GO_ON;
    while (!outcome && thread->ca != end) {
        struct vc4_cl_record record;
        in->here = thread->ca;
        if (!in->r->budget || gpu_host_cancelled(&in->device->host))
            return fail(in, GPU_FAULT_TIMEOUT, "the list exceeds its packet budget");
        if (!thread->walk.left)
            return fail(in, GPU_FAULT_TIMEOUT, "the list repeats more than memory can hold");
        in->r->budget--;
        thread->walk.left--;
        if (!vc4_record_fetch(in->device->memory, in->here, &record, &in->fault))
            return VC4_STOP_FAULT;
        in->next = in->here + record.size;
        outcome = read_record(in, &record);
        if (outcome == VC4_GO_ON || outcome == VC4_STOP_HALT)
            vc4_thread_go(thread, in->next);
        thread->ra0 = in->r->depth ? in->r->stack[0] : 0;
    }
    return outcome;
}

enum vc4_list_end vc4_renderer_run(struct vc4_device *device, uint32_t *frames)
{
    struct vc4_renderer *r = device->renderer;
    struct vc4_reading in = {.device = device, .r = r, .here = device->thread[1].ca};
    static const enum vc4_list_end ends[] = {VC4_LIST_END, VC4_LIST_HALT, VC4_LIST_WAIT, VC4_LIST_FAULT};

    util_walk_forget(&device->thread[1].walk);
    r->budget = device->thread[1].budget;
    r->fuel = device->thread[1].fuel;
    r->frames = 0;
    r->has_frame = false;
    enum vc4_outcome outcome = read_list(&in, device->thread[1].ea);
    /* What was read before a bad record is drawn; a fault in it comes first in the list's order. */
    struct gpu_fault read_fault = in.fault;
    if (vc4_batch_flush(&in) == VC4_STOP_FAULT)
        outcome = VC4_STOP_FAULT;
    else
        in.fault = read_fault;
    if (outcome == VC4_STOP_FAULT) {
        gpu_host_fault(&device->host, &in.fault);
        vc4_renderer_reset(device);
    }
    device->thread[1].budget = r->budget;
    device->thread[1].fuel = r->fuel;
    if (r->has_frame)
        gpu_host_set_frame(&device->host, &r->frame);
    *frames = outcome == VC4_STOP_FAULT ? 0 : r->frames;
    return ends[outcome];
}

/* ---- life ---- */

void vc4_renderer_reset(struct vc4_device *device)
{
    struct vc4_renderer *r = device->renderer;
    struct vc4_batch *b = &r->batch;
    b->op_count = b->job_count = b->state_count = b->record_count = b->extent_count = 0;
    b->generation++;
    vc4_draw_state_init(&r->state);
    r->state_dirty = true;
    r->config = (struct vc4_render_config){0};
    r->has_tile = r->has_load = r->job_open = r->carried = false;
    r->uniform = VC4_HALF_ALL;
    r->due = 0;
    r->uniform_color = r->clear_color = 0;
    r->uniform_zs = r->clear_zs = r->uniform_mask = r->clear_mask = 0;
    r->fan.count = r->depth = 0;
    device->thread[1].ra0 = 0;
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
    r->leave = aligned_alloc(64, sizeof *r->leave);
    if (!r->tile_owner || !r->carry || !r->leave || vc4_draws_create(device, &r->draws))
        return -ENOMEM; /* vc4_renderer_destroy frees the rest */
    memset(r->carry, 0, sizeof *r->carry);
    memset(r->leave, 0, sizeof *r->leave);
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
    vc4_draws_destroy(r->draws);
    free(r->tile_owner);
    free(r->carry);
    free(r->leave);
    free(r);
    device->renderer = NULL;
}

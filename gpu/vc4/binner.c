/* Control thread 0: records of a binning list, one after the other (Guide section 9, table 38). */
#include "gpu/vc4/binner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define RECORD_BYTES 16u /* the longest record */

bool vc4_binner_fail(struct vc4_binner *b, enum gpu_fault_kind kind, uint32_t address, const char *format,
                     ...)
{
    char text[sizeof b->fault.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gpu_fault_set(&b->fault, kind, VC4_BINNER_UNIT, address, "%s", text);
    b->fault.draw = b->draws;
    return false;
}

bool vc4_binner_spend(struct vc4_binner *b, uint64_t units, uint32_t address)
{
    if (b->budget < units || gpu_host_cancelled(&b->device->host))
        return vc4_binner_fail(b, GPU_FAULT_TIMEOUT, address, "packet budget used up");
    b->budget -= units;
    return true;
}

/* ---- state records ---- */

static const uint8_t group_of[256] = {
    [VC4_CL_GL_SHADER_STATE] = VC4_GROUP_SHADER + 1,  [VC4_CL_CONFIGURATION_BITS] = VC4_GROUP_CONFIG + 1,
    [VC4_CL_FLAT_SHADE_FLAGS] = VC4_GROUP_FLAT + 1,   [VC4_CL_POINT_SIZE] = VC4_GROUP_POINT_SIZE + 1,
    [VC4_CL_LINE_WIDTH] = VC4_GROUP_LINE_WIDTH + 1,   [VC4_CL_DEPTH_OFFSET] = VC4_GROUP_DEPTH_OFFSET + 1,
    [VC4_CL_CLIP_WINDOW] = VC4_GROUP_CLIP_WINDOW + 1, [VC4_CL_VIEWPORT_OFFSET] = VC4_GROUP_VIEWPORT + 1,
    [VC4_CL_Z_CLIP] = VC4_GROUP_Z_CLIP + 1,           [VC4_CL_NV_SHADER_STATE] = VC4_GROUP_SHADER + 1,
    [VC4_CL_VG_SHADER_STATE] = VC4_GROUP_SHADER + 1,  [VC4_CL_VG_INLINE_SHADER] = VC4_GROUP_SHADER + 1,
};

/* Keeps a state record for the tile lists. Before the start of tile binning the counter stands still: such
 * state is what every list begins with, and is set by the rendering list (Guide section 8). */
static void keep_state(struct vc4_binner *b, unsigned group, const uint8_t *bytes, uint8_t size)
{
    struct vc4_bin_state *s = &b->state[group];
    bool same = s->size == size && !memcmp(s->bytes, bytes, size);
    if (same && (b->set_since_start >> group & 1))
        return;
    memcpy(s->bytes, bytes, size);
    s->size = size;
    b->set_since_start |= 1u << group;
    s->version = b->started ? ++b->version : 0;
}

static bool set_configuration(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    if (r->field[VC4_CONFIG_OVERSAMPLE] > 2)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address,
                               "reserved oversample mode (record 96, bits 7:6)");
    b->oversample = (uint8_t)r->field[VC4_CONFIG_OVERSAMPLE];
    b->forward = r->field[VC4_CONFIG_FORWARD];
    b->reverse = r->field[VC4_CONFIG_REVERSE];
    b->clockwise = r->field[VC4_CONFIG_CLOCKWISE];
    return true;
}

/* Each draw sets the format that its lists need: a binning list's own is for the prefix of the rendering
 * list.
 */
static bool set_format(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    uint64_t data = r->field[VC4_FORMAT_DATA], primitive = r->field[VC4_FORMAT_PRIMITIVE];
    if ((data != 1 && data != 3) || primitive > VC4_RHTS)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "reserved primitive list format (record 56)");
    return true;
}

static void set_shader(struct vc4_binner *b, const struct vc4_cl_record *r)
{
    b->has_shader = true;
    b->shader_read = false;
    b->shader_kind = (uint8_t)(r->id - VC4_CL_GL_SHADER_STATE);
    b->shader_address = (uint32_t)r->field[VC4_SHADER_ADDRESS];
    b->shader_extended = r->field[VC4_SHADER_EXTENDED];
    b->shader_attributes = (uint32_t)r->field[VC4_SHADER_ATTRIBUTES];
    if (!b->shader_attributes || b->shader_extended) /* "0 => all 8"; an extended record has all */
        b->shader_attributes = VC4_MAX_ATTRIBUTES;
}

static bool state_record(struct vc4_binner *b, const struct vc4_cl_record *r, const uint8_t *bytes,
                         uint32_t address)
{
    if (group_of[r->id])
        keep_state(b, group_of[r->id] - 1u, bytes, r->size);
    switch (r->id) {
    case VC4_CL_GL_SHADER_STATE:
    case VC4_CL_NV_SHADER_STATE:
    case VC4_CL_VG_SHADER_STATE:
    case VC4_CL_VG_INLINE_SHADER: set_shader(b, r); return true;
    case VC4_CL_CONFIGURATION_BITS: return set_configuration(b, r, address);
    case VC4_CL_PRIMITIVE_LIST_FORMAT: return set_format(b, r, address);
    case VC4_CL_POINT_SIZE: b->point_size = vc4_cl_float(r, VC4_VALUE); return true;
    case VC4_CL_LINE_WIDTH: b->line_width = vc4_cl_float(r, VC4_VALUE); return true;
    case VC4_CL_CLIP_WINDOW:
        b->clip_left = (uint32_t)r->field[VC4_CLIP_LEFT];
        b->clip_bottom = (uint32_t)r->field[VC4_CLIP_BOTTOM];
        b->clip_width = (uint32_t)r->field[VC4_CLIP_WIDTH];
        b->clip_height = (uint32_t)r->field[VC4_CLIP_HEIGHT];
        return true;
    case VC4_CL_VIEWPORT_OFFSET:
        b->viewport_x = (int16_t)r->field[VC4_VIEWPORT_X];
        b->viewport_y = (int16_t)r->field[VC4_VIEWPORT_Y];
        return true;
    case VC4_CL_CLIPPER_XY_SCALING:
        b->half_width = vc4_cl_float(r, VC4_XY_HALF_WIDTH);
        b->half_height = vc4_cl_float(r, VC4_XY_HALF_HEIGHT);
        return true;
    case VC4_CL_CLIPPER_Z_SCALING:
        b->z_scale = vc4_cl_float(r, VC4_Z_SCALE);
        b->z_offset = vc4_cl_float(r, VC4_Z_OFFSET);
        return true;
    default: return true; /* for the renderer alone, or for RHT primitives alone (record 100) */
    }
}

/* ---- configuration, start and flush ---- */

static bool configure(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    if (b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "tile binning mode configuration while binning");
    if (!r->field[VC4_BIN_AUTO_INIT])
        return vc4_binner_fail(b, GPU_FAULT_UNSUPPORTED, address,
                               "tile state data array initialised by the host (record 112)");
    b->alloc_address = (uint32_t)r->field[VC4_BIN_ALLOC_ADDRESS];
    b->alloc_size = (uint32_t)r->field[VC4_BIN_ALLOC_SIZE];
    b->state_address = (uint32_t)r->field[VC4_BIN_STATE_ADDRESS];
    b->tiles_x = (uint32_t)r->field[VC4_BIN_WIDTH];
    b->tiles_y = (uint32_t)r->field[VC4_BIN_HEIGHT];
    b->initial_block = 32u << r->field[VC4_BIN_INITIAL_BLOCK];
    b->block = 32u << r->field[VC4_BIN_BLOCK];
    b->ms = r->field[VC4_BIN_MS]; /* a tile holds 64x64 samples; fewer rows where a pixel takes more */
    b->grid = (struct tiler_grid){
        .shift = b->ms ? 5 : 6,
        .flat = (uint32_t)r->field[VC4_BIN_64BIT] + (r->field[VC4_BIN_DOUBLE_BUFFER] && !b->ms),
    };
    if (!b->tiles_x || !b->tiles_y)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "frame of %u x %u tiles", b->tiles_x,
                               b->tiles_y);
    if (b->alloc_address % VC4_LIST_LINE || b->state_address % 16)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address,
                               "tile memory 0x%08x or tile state 0x%08x is not aligned", b->alloc_address,
                               b->state_address);
    b->configured = true;
    return true;
}

static bool start(struct vc4_binner *b, uint32_t address)
{
    if (!b->configured || b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "start of tile binning %s",
                               b->started ? "twice" : "without a configuration");
    b->version = 1;
    for (unsigned g = 0; g < VC4_GROUP_COUNT; g++)
        b->state[g].version = 0;
    b->set_since_start = 0;
    b->started = vc4_binner_tiles_start(b, address);
    return b->started;
}

static bool flush(struct vc4_binner *b, bool all_state, uint32_t address)
{
    if (!b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "flush before start of tile binning");
    if (!vc4_binner_tiles_flush(b, all_state))
        return false;
    b->started = b->configured = false;
    b->device->semaphore += b->increments;
    b->increments = 0;
    return true;
}

/* ---- control flow ---- */

/* `next` is the address behind the record; it becomes where the list goes on. */
static bool flow_record(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address, uint32_t *next)
{
    struct vc4_thread *thread = &b->device->thread[0];
    switch (r->id) {
    case VC4_CL_BRANCH:
        *next = (uint32_t)r->field[VC4_BRANCH_ADDRESS];
        if (util_walk_returns(&thread->walk, vc4_list_place_of(*next, b->stack, b->depth)))
            return vc4_binner_fail(b, GPU_FAULT_TIMEOUT, address,
                                   "the list goes round: it has been at 0x%08x", *next);
        break;
    case VC4_CL_BRANCH_TO_SUB_LIST:
        if (b->depth == UTIL_ARRAY_SIZE(b->stack))
            return vc4_binner_fail(b, GPU_FAULT_LIST, address, "sub-lists nest deeper than two");
        b->stack[b->depth++] = *next;
        *next = (uint32_t)r->field[VC4_BRANCH_ADDRESS];
        break;
    case VC4_CL_RETURN: /* "ignored if nothing on the return stack" */
        if (b->depth) {
            *next = b->stack[--b->depth];
            thread->returns++;
        }
        break;
    default: break;
    }
    thread->ra0 = b->depth ? b->stack[0] : 0;
    return true;
}

/* Records that are neither flow nor end. */
static bool execute(struct vc4_binner *b, const struct vc4_cl_record *r, const uint8_t *bytes,
                    uint32_t address, uint32_t *next, uint32_t *flushes)
{
    switch (r->id) {
    case VC4_CL_NOP: return true;
    case VC4_CL_FLUSH:
    case VC4_CL_FLUSH_ALL:
        if (!flush(b, r->id == VC4_CL_FLUSH_ALL, address))
            return false;
        ++*flushes;
        return true;
    case VC4_CL_START_TILE_BINNING: return start(b, address);
    case VC4_CL_INCREMENT_SEMAPHORE: /* "after tile lists are flushed" */
        b->increments += b->started;
        b->device->semaphore += !b->started;
        return true;
    case VC4_CL_TILE_BINNING_CONFIG: return configure(b, r, address);
    case VC4_CL_INDEXED_PRIMITIVES:
    case VC4_CL_ARRAY_PRIMITIVES:
    case VC4_CL_VG_COORDINATE_ARRAY:
    case VC4_CL_VG_INLINE: return vc4_binner_draw(b, r, address, next);
    default: return state_record(b, r, bytes, address);
    }
}

/* ---- the list ---- */

/* A record, fetched once. */
static bool fetch(struct vc4_binner *b, uint32_t address, uint8_t bytes[RECORD_BYTES],
                  struct vc4_cl_record *out)
{
    const struct gpu_memory *m = b->device->memory;
    uint64_t left = address < m->size ? m->size - address : 0;
    uint32_t size = (uint32_t)UTIL_MIN(left, (uint64_t)RECORD_BYTES);
    if (!size)
        return vc4_binner_fail(b, GPU_FAULT_LIST, address, "list leaves memory");
    memcpy(bytes, m->base + address, size);
    int error = vc4_cl_decode(bytes, size, out);
    if (error == VC4_CL_UNKNOWN)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "reserved record %u", bytes[0]);
    if (error)
        return vc4_binner_fail(b, GPU_FAULT_LIST, address, "record %u (%s) runs out of memory", bytes[0],
                               vc4_cl_name(bytes[0]));
    if (!vc4_cl_allowed(out->id, false))
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address,
                               "record %u (%s) is not allowed in a binning list", out->id,
                               vc4_cl_name(out->id));
    return true;
}

static bool walk_on(struct vc4_binner *b, uint32_t address)
{
    struct util_walk *walk = &b->device->thread[0].walk;
    if (!walk->left)
        return vc4_binner_fail(b, GPU_FAULT_TIMEOUT, address, "the list repeats more than memory can hold");
    walk->left--;
    return true;
}

static enum vc4_list_end run(struct vc4_binner *b, uint32_t end, uint32_t *flushes)
{
    struct vc4_device *d = b->device;
    struct vc4_thread *thread = &d->thread[0];
    while (thread->ca != end) {
        struct vc4_cl_record record;
        uint8_t bytes[RECORD_BYTES];
        uint32_t address = thread->ca;
        if (!vc4_binner_spend(b, 1, address) || !walk_on(b, address) || !fetch(b, address, bytes, &record))
            return VC4_LIST_FAULT;
        uint32_t next = address + record.size;
        if (record.id == VC4_CL_HALT) {
            vc4_thread_go(thread, next);
            return VC4_LIST_HALT;
        }
        if (record.id == VC4_CL_WAIT_ON_SEMAPHORE) {
            if (!d->binner_semaphore)
                return VC4_LIST_WAIT;
            d->binner_semaphore--;
            util_walk_forget(&thread->walk); /* a list may go round as long as the other one lets it */
        } else if (record.id >= VC4_CL_BRANCH && record.id <= VC4_CL_RETURN) {
            if (!flow_record(b, &record, address, &next))
                return VC4_LIST_FAULT;
        } else if (!execute(b, &record, bytes, address, &next, flushes)) {
            return VC4_LIST_FAULT;
        }
        vc4_thread_go(thread, next);
    }
    return VC4_LIST_END;
}

static void count(struct vc4_binner *b)
{
    struct gpu_counters *c = &b->device->host.counters;
    c->draws += b->draws;
    c->vertices += b->vertices_shaded;
    c->primitives_in += b->primitives_in;
    c->primitives_binned += b->primitives_binned;
    c->instructions += b->executed;
    c->bytes_tile_lists += b->list_bytes;
    uint64_t *event = b->device->perf.event;
    event[VC4_EVENT_PTB_OUTSIDE] += b->outside;
    event[VC4_EVENT_PTB_CLIPPED] += b->cut;
    event[VC4_EVENT_PSE_REVERSED] += b->reversed;
    event[VC4_EVENT_QPU_VERTEX] += b->executed * VC4_PERF_CYCLES;
    b->outside = b->cut = b->reversed = 0;
    b->primitives_in = b->primitives_binned = b->vertices_shaded = b->executed = b->list_bytes = 0;
    b->draws = 0;
}

enum vc4_list_end vc4_binner_run(struct vc4_device *device, uint32_t *flushes)
{
    struct vc4_binner *b = device->binner;
    *flushes = 0;
    util_walk_forget(&device->thread[0].walk);
    b->budget = device->thread[0].budget;
    b->fuel = device->thread[0].fuel;
    b->running = true;
    b->host_fpenv = util_fpenv_enter();
    enum vc4_list_end how = run(b, device->thread[0].ea, flushes);
    util_fpenv_leave(b->host_fpenv);
    b->running = false;
    device->thread[0].budget = b->budget;
    device->thread[0].fuel = b->fuel;
    count(b);
    /* Memory that a record or a program stands in may change before the list goes on. */
    b->shader_read = false;
    if (how == VC4_LIST_FAULT)
        gpu_host_fault(&device->host, &b->fault);
    if (how == VC4_LIST_FAULT || b->reset) /* what stands half-made is given up */
        vc4_binner_reset(device);
    return how;
}

bool vc4_binner_is_reset(const struct vc4_device *device)
{
    return device->binner->reset;
}

bool vc4_binner_prefixing(const struct vc4_device *device)
{
    return device->binner->configured && !device->binner->started;
}

/* ---- life ---- */

void vc4_binner_reset(struct vc4_device *device)
{
    struct vc4_binner *b = device->binner;
    if (b->running) {
        b->reset = true;
        return;
    }
    struct vc4_bin_vertices *vertices = b->vertices;
    struct vc4_bin_piece *piece = b->piece;
    struct vc4_tile *tiles = b->tiles;
    uint32_t tile_room = b->tile_room;
    vc4_vertex_release(b->stage);
    *b = (struct vc4_binner){
        .device = device,
        .observer = device->options.observer,
        .vertices = vertices,
        .piece = piece,
        .tiles = tiles,
        .tile_room = tile_room,
        /* As the rendering thread's state at its beginning. */
        .forward = true,
        .reverse = true,
        .point_size = 1.0f,
        .line_width = 1.0f,
        .clip_width = UINT16_MAX,
        .clip_height = UINT16_MAX,
    };
}

int vc4_binner_create(struct vc4_device *device)
{
    device->binner = calloc(1, sizeof *device->binner);
    if (!device->binner)
        return -ENOMEM;
    vc4_binner_reset(device);
    return 0;
}

void vc4_binner_destroy(struct vc4_device *device)
{
    struct vc4_binner *b = device->binner;
    if (!b)
        return;
    vc4_vertex_release(b->stage);
    free(b->vertices);
    free(b->piece);
    free(b->tiles);
    free(b);
    device->binner = NULL;
}

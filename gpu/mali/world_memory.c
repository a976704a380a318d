/* Memory of programs: uniform buffers, loads, stores and atomics, of the guest's memory and of what threads
 * and workgroups have for themselves.
 *
 * A thread's storage is the worker's, and zero when a thread begins; so is a workgroup's. Who asks for it by a
 * space's name sees it; the addresses that programs may read for it are where the descriptors say, and what
 * stands there in guest memory is not it (ours: so the same bytes come at any number of threads). */
#include <string.h>

#include "gpu/mali/world_internal.h"
#include "util/bits.h"
#include "util/checked.h"

/* ---- where bytes are ---- */

uint8_t *mali_port_at(struct mali_threads *t, uint64_t address, uint32_t bytes, uint32_t rights,
                      const char *what, struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    uint8_t *found = mali_at(w->space, address, bytes, rights, w->unit, what, stop);
    if (!found || !w->speculation)
        return found;
    bool good = rights & GPU_RIGHT_WRITE ? gpu_speculation_store(w->speculation, t->worker, address, bytes)
                                         : gpu_speculation_load(w->speculation, t->worker, address, bytes);
    if (good)
        return found;
    mali_stop_set(stop, MALI_ACTIVE, GPU_FAULT_MEMORY, w->unit, address, "%s in another order", what);
    return NULL;
}

void mali_threads_ask(struct mali_threads *t, const uint64_t address[16], uint32_t lanes, uint32_t bytes,
                      uint32_t rights)
{
    for (unsigned l = 0; l < 16; l++)
        if (lanes >> l & 1 &&
            !gpu_speculation_ask(t->world->speculation, t->worker, address[l], bytes, rights))
            return;
}

static uint8_t *storage_at(struct mali_threads *t, uint8_t *storage, uint32_t room,
                           const struct isa_access *a, unsigned lane, struct mali_stop *stop)
{
    if (storage && util_in_range(a->address[lane], a->bytes, room))
        return storage + a->address[lane];
    mali_stop_set(stop, MALI_INSTR_TLS_FAULT, GPU_FAULT_MEMORY, t->world->unit, a->address[lane],
                  "%u bytes at 0x%llx of a storage of %u", a->bytes, (unsigned long long)a->address[lane],
                  storage ? room : 0);
    return NULL;
}

/* Host pointer to what a lane's access means. NULL with stop->fault.kind 0: it is nowhere. */
static uint8_t *at(struct mali_threads *t, const struct isa_access *a, unsigned lane, uint32_t rights,
                   struct mali_stop *stop)
{
    const struct mali_world *w = t->world;
    uint64_t address = a->address[lane];
    *stop = (struct mali_stop){0};
    if (a->space == ISA_SPACE_THREAD) {
        uint8_t *mine = t->thread_storage ? t->thread_storage + (size_t)lane * w->thread_bytes : NULL;
        uint8_t *found = storage_at(t, mine, w->thread_bytes, a, lane, stop);
        if (found && rights & GPU_RIGHT_WRITE)
            t->touched = UTIL_MAX(t->touched, (uint32_t)address + a->bytes);
        return found;
    }
    if (a->space == ISA_SPACE_WORKGROUP)
        return storage_at(t, t->group_storage, w->group_bytes, a, lane, stop);
    if (address >= MALI_NOWHERE)
        return NULL;
    return mali_port_at(t, address, a->bytes, rights, "memory", stop);
}

/* ---- loads and stores ---- */

static void put(uint32_t out[4][16], unsigned lane, const void *from, unsigned bytes)
{
    uint32_t word[4] = {0};
    memcpy(word, from, bytes);
    for (unsigned c = 0; c < 4; c++)
        out[c][lane] = word[c];
}

bool mali_port_load(void *ctx, const struct isa_access *a, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place)
{
    static const uint8_t zeros[16];
    struct mali_threads *t = ctx;
    struct mali_stop stop;
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        const uint8_t *from = at(t, a, l, GPU_RIGHT_READ, &stop);
        if (!from && stop.fault.kind)
            return mali_world_refuse(t, l, &stop, place);
        put(out, l, from ? from : zeros, a->bytes);
    }
    return true;
}

bool mali_port_store(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[4][16],
                     struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop;
    uint8_t *to[16] = {0};
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        to[l] = at(t, a, l, GPU_RIGHT_WRITE, &stop);
        if (!to[l] && stop.fault.kind)
            return mali_world_refuse(t, l, &stop, place);
    }
    for (unsigned l = 0; l < 16; l++)
        for (unsigned n = 0; to[l] && n < a->bytes; n++)
            if (a->enable >> n & 1)
                to[l][n] = (uint8_t)(value[n / 4][l] >> 8 * (n % 4));
    return true;
}

/* ---- atomics ---- */

static uint64_t turned(const struct isa_access *a, uint64_t value)
{
    if (!a->reversed)
        return value;
    return a->bytes == 8 ? __builtin_bswap64(value) : __builtin_bswap32((uint32_t)value);
}

/* Both numbers without sign have a->bytes. */
static uint64_t combined(const struct isa_access *a, uint64_t old, uint64_t value, uint64_t compare)
{
    unsigned up = 64 - 8 * a->bytes;
    bool less = (int64_t)(old << up) < (int64_t)(value << up);
    switch (a->op) {
    case ISA_ATOMIC_ADD: return old + value;
    case ISA_ATOMIC_AND: return old & value;
    case ISA_ATOMIC_OR: return old | value;
    case ISA_ATOMIC_XOR: return old ^ value;
    case ISA_ATOMIC_IMIN: return less ? old : value;
    case ISA_ATOMIC_UMIN: return UTIL_MIN(old, value);
    case ISA_ATOMIC_IMAX: return less ? value : old;
    case ISA_ATOMIC_UMAX: return UTIL_MAX(old, value);
    case ISA_ATOMIC_EXCHANGE: return value;
    default: return old == compare ? value : old;
    }
}

/* Whoever executes atomics does it alone (threads.h), so they are plain reads and writes; lanes may share a
 * place, and come one after the other. */
bool mali_port_atomic(void *ctx, const struct isa_access *a, uint16_t lanes, const uint32_t value[2][16],
                      const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop;
    uint64_t all = a->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    uint8_t *where[16] = {0};
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        where[l] = at(t, a, l, GPU_RIGHT_READ | GPU_RIGHT_WRITE, &stop);
        if (!where[l] && stop.fault.kind)
            return mali_world_refuse(t, l, &stop, place);
    }
    for (unsigned l = 0; l < 16; l++) {
        uint64_t old = 0;
        if (!(lanes >> l & 1))
            continue;
        if (where[l]) {
            memcpy(&old, where[l], a->bytes);
            old = turned(a, old);
            uint64_t new = turned(a, combined(a, old, (value[0][l] | (uint64_t)value[1][l] << 32) & all,
                                              (compare[0][l] | (uint64_t)compare[1][l] << 32) & all));
            memcpy(where[l], &new, a->bytes);
        }
        out[0][l] = (uint32_t)old;
        out[1][l] = (uint32_t)(old >> 32);
    }
    return true;
}

/* ---- uniform buffers ---- */

#define ENTRY_BYTES 16u

static bool listed_buffer(const struct mali_world *w, uint32_t buffer, uint64_t *address, uint64_t *size,
                          struct mali_stop *stop)
{
    if (buffer >= w->bindings->state.uniform_buffer_count)
        return true;
    const struct mali_uniform_of *of = &w->bindings->uniform_buffer[buffer];
    *address = of->buffer.pointer;
    *size = (uint64_t)of->buffer.entries * ENTRY_BYTES;
    if (of->refused)
        *stop = *of->refused;
    return !of->refused;
}

/* Of v9 one that stands in a table, in which there may be fewer. */
static bool entered_buffer(const struct mali_world *w, uint32_t handle, uint64_t *address, uint64_t *size,
                           struct mali_stop *stop)
{
    const uint32_t table = warp_handle_table(handle), number = warp_handle_number(handle);
    const struct mali_table *in = table < w->bindings->table_count ? &w->bindings->table[table] : NULL;
    if (!in || (!in->refused && number >= in->count))
        return true;
    const struct mali_resource_of *e = mali_world_entry(w, handle, MALI_DESCRIPTOR_TYPE_BUFFER, stop);
    if (!e)
        return false;
    *address = e->buffer.address;
    *size = e->buffer.size;
    return e->buffer.buffer_type == MALI_BUFFER_TYPE_SIMPLE ||
           mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, w->unit, e->buffer.address,
                         "a buffer of type %u is read as a simple one", e->buffer.buffer_type);
}

bool mali_world_buffer(const struct mali_world *w, uint32_t buffer, uint64_t *address, uint64_t *size,
                       struct mali_stop *stop)
{
    *address = *size = 0;
    return (w->version >= MALI_V9 ? entered_buffer : listed_buffer)(w, buffer, address, size, stop);
}

/* Words beyond a buffer, and of buffers that there are not, are zeros (ours: robust access). Compilers load more
 * than they use, and so across a buffer's end. */
static bool uniform_lane(struct mali_threads *t, uint32_t buffer, uint32_t offset, unsigned bytes,
                         uint8_t out[16], struct mali_stop *stop)
{
    uint64_t address, size;
    memset(out, 0, 16);
    if (!mali_world_buffer(t->world, buffer, &address, &size, stop))
        return false;
    while (bytes && !util_in_range(offset, bytes, size))
        bytes -= UTIL_MIN(bytes, 4u);
    if (!bytes)
        return true;
    const uint8_t *from = mali_port_at(t, address + offset, bytes, GPU_RIGHT_READ, "uniform buffer", stop);
    if (from)
        memcpy(out, from, bytes);
    return from;
}

bool mali_port_uniform(void *ctx, const uint32_t buffer[16], const uint32_t offset[16], unsigned bytes,
                       uint16_t lanes, uint32_t out[4][16], struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop;
    uint8_t value[16];
    uint32_t known_buffer = 0, known_offset = 0;
    bool known = false;
    for (unsigned l = 0; l < 16; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (!known || buffer[l] != known_buffer || offset[l] != known_offset) {
            if (!uniform_lane(t, buffer[l], offset[l], bytes, value, &stop))
                return mali_world_refuse(t, l, &stop, place);
            known = true;
            known_buffer = buffer[l];
            known_offset = offset[l];
        }
        put(out, l, value, sizeof value);
    }
    return true;
}

/* ---- arguments ---- */

static void splat(uint64_t value, uint32_t out[2][16])
{
    for (unsigned l = 0; l < 16; l++) {
        out[0][l] = (uint32_t)value;
        out[1][l] = (uint32_t)(value >> 32);
    }
}

void mali_port_argument(void *ctx, enum midgard_argument which, uint32_t out[4][16])
{
    const struct mali_threads *t = ctx;
    const struct mali_storage *s = &t->world->bindings->storage;
    memset(out, 0, 4 * sizeof *out);
    if (which == MIDGARD_A_STORAGE) {
        splat(s->tls_base_pointer, out);
        splat(s->wls_base_pointer, out + 2);
    }
    for (unsigned c = 0; c < 3; c++)
        for (unsigned l = 0; l < 16; l++)
            out[c][l] = which == MIDGARD_A_LOCAL_ID    ? t->local[c][l]
                        : which == MIDGARD_A_GROUP_ID  ? t->group[c][l]
                        : which == MIDGARD_A_GLOBAL_ID ? t->global[c][l]
                                                       : out[c][l];
}

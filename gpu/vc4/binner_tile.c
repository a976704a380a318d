/* Tile lists as they are written: memory, blocks and their chaining, state, primitives.
 *
 * Every write is bounded by the block it goes to, which was checked to lie in guest memory when it was taken.
 * Nothing that was written is ever read back: guest memory may change under us. */
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

/* ---- tile memory: BPCA and BPCS, refilled from BPOA and BPOS ---- */

#define REFILL_TRIES 16 /* pieces too small to be of use that the host may supply in a row */

/* Takes the overspill memory, asking the host for it when there is none (Guide tables 58 to 61). */
static bool take_spill(struct vc4_binner *b)
{
    struct vc4_device *d = b->device;
    if (!d->bpos)
        vc4_ask_for_memory(d);
    if (b->reset)
        return vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, d->bpca, "thread reset while out of tile memory");
    if (!d->bpos)
        return vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, d->bpca,
                               "tile memory is used up, and no overspill memory was supplied");
    uint32_t skew = (0u - d->bpoa) & (VC4_LIST_LINE - 1); /* blocks stand on lines */
    d->bpca = d->bpoa + skew;
    d->bpcs = d->bpos > skew ? d->bpos - skew : 0;
    d->bpos = 0;
    vc4_raise(d, VC4_INT_SPILLUSE);
    return !b->reset || vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, d->bpca, "thread reset while binning");
}

/* Interrupts run the host's code, in the host's floating-point environment. */
static bool refill(struct vc4_binner *b)
{
    util_fpenv_leave(b->host_fpenv);
    gpu_turns_pause(&b->device->host);
    const bool taken = take_spill(b);
    gpu_turns_resume(&b->device->host);
    b->host_fpenv = util_fpenv_enter();
    return taken;
}

/* `size` bytes, a multiple of a line; NULL with the fault. */
static uint8_t *allocate(struct vc4_binner *b, uint32_t size, uint32_t *address)
{
    struct vc4_device *d = b->device;
    for (unsigned tries = 0; d->bpcs < size; tries++) {
        if (tries == REFILL_TRIES) {
            vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, d->bpca,
                            "overspill memory comes in pieces smaller than %u bytes", size);
            return NULL;
        }
        if (!refill(b))
            return NULL;
    }
    uint8_t *host = gpu_memory_at(d->memory, d->bpca, size);
    if (!host) {
        vc4_binner_fail(b, GPU_FAULT_MEMORY, d->bpca, "tile memory lies outside memory");
        return NULL;
    }
    *address = d->bpca;
    d->bpca += size;
    d->bpcs -= size;
    b->list_bytes += size;
    return host;
}

/* ---- blocks ---- */

static uint32_t guest_address(const struct vc4_binner *b, const uint8_t *host)
{
    return (uint32_t)(host - b->device->memory->base);
}

static void put_bytes(struct vc4_tile *t, const void *bytes, uint32_t size)
{
    memcpy(t->at, bytes, size);
    t->at += size;
}

static void put_word(struct vc4_tile *t, uint8_t id, uint32_t word)
{
    t->at[0] = id;
    util_store32(t->at + 1, word);
    t->at += 5;
}

static void close_list(struct vc4_tile *t)
{
    if (t->open)
        *t->at++ = VC4_LIST_ESCAPE;
    t->open = false;
}

/* Goes on in a new block. An open list stays open when a relative branch reaches the block. */
static bool chain(struct vc4_binner *b, struct vc4_tile *t)
{
    uint32_t address;
    uint8_t *host = allocate(b, b->block, &address);
    if (!host)
        return false;
    int64_t from = guest_address(b, t->at) / VC4_LIST_LINE, lines = (int64_t)(address / VC4_LIST_LINE) - from;
    if (t->open && lines >= INT16_MIN && lines <= INT16_MAX) {
        uint16_t field = (uint16_t)(int16_t)lines;
        *t->at++ = VC4_LIST_BRANCH;
        put_bytes(t, &field, sizeof field);
    } else {
        close_list(t);
        put_word(t, VC4_CL_BRANCH, address);
    }
    t->at = host;
    t->limit = host + b->block - VC4_TILE_RESERVE;
    return true;
}

static inline bool room(struct vc4_binner *b, struct vc4_tile *t, uint32_t size)
{
    return t->at + size <= t->limit || chain(b, t);
}

/* ---- state ---- */

static const uint16_t relevant[] = {
    [VC4_POINTS] = (1u << VC4_GROUP_COUNT) - 1 - (1u << VC4_GROUP_LINE_WIDTH),
    [VC4_LINES] = (1u << VC4_GROUP_COUNT) - 1 - (1u << VC4_GROUP_POINT_SIZE),
    [VC4_TRIANGLES] =
        (1u << VC4_GROUP_COUNT) - 1 - (1u << VC4_GROUP_LINE_WIDTH) - (1u << VC4_GROUP_POINT_SIZE),
};

static void note_changes(const struct vc4_binner *b, struct vc4_tile *t)
{
    for (unsigned g = 0; g < VC4_GROUP_COUNT && t->seen != b->version; g++)
        if (b->state[g].version > t->seen)
            t->pending |= (uint16_t)(1u << g);
    t->seen = b->version;
}

static bool write_groups(struct vc4_binner *b, struct vc4_tile *t, uint32_t groups)
{
    if (groups && !room(b, t, 1))
        return false;
    if (groups)
        close_list(t);
    t->pending &= (uint16_t)~groups;
    for (; groups; groups &= groups - 1) {
        const struct vc4_bin_state *s = &b->state[__builtin_ctz(groups)];
        if (!room(b, t, s->size))
            return false;
        put_bytes(t, s->bytes, s->size);
    }
    return true;
}

/* Brings the list to where a primitive of the draw's kind may be added, except for record 48 or 49. */
static bool write_state(struct vc4_binner *b, struct vc4_tile *t)
{
    note_changes(b, t);
    uint32_t groups = t->pending & relevant[b->primitive];
    if (t->format != b->format) {
        if (!room(b, t, 3))
            return false;
        close_list(t);
        t->at[0] = VC4_CL_PRIMITIVE_LIST_FORMAT;
        t->at[1] = (uint8_t)(b->format | 1u << 4); /* 16-bit indices are 1, coordinates 3 */
        t->at += 2;
        t->format = b->format;
        groups |= 1u << VC4_GROUP_SHADER; /* "must be followed by a Shader State item to be recognized" */
    }
    return write_groups(b, t, groups);
}

/* ---- primitives ---- */

static inline bool ready(const struct vc4_binner *b, const struct vc4_tile *t)
{
    return t->seen == b->version && t->format == b->format;
}

static void open_list(struct vc4_tile *t)
{
    t->open = true;
    t->previous[0] = t->previous[1] = t->previous[2] = 0;
}

/* Tells the observer of the coding about to be written. */
__attribute__((noinline, cold)) static void tell(const struct vc4_binner *b, const struct vc4_tile *t)
{
    if (b->observer->binned)
        b->observer->binned(b->observer->data, guest_address(b, t->at), b->number);
}

/* The primitive in hand is coded at the list's next byte. */
static inline void write_code(struct vc4_binner *b, struct vc4_tile *t, const uint32_t index[3])
{
    if (b->observer)
        tell(b, t);
    t->at += vc4_list_code(b->format, t->previous, index, t->at);
}

static bool add_slow(struct vc4_binner *b, struct vc4_tile *t, const uint32_t index[3])
{
    if (!ready(b, t) && !write_state(b, t))
        return false;
    /* Closed once more when the next block is out of a relative branch's reach. */
    for (;;) {
        if (!room(b, t, b->max_code + !t->open))
            return false;
        if (t->open)
            break;
        *t->at++ = VC4_CL_COMPRESSED_PRIMITIVES;
        open_list(t);
    }
    write_code(b, t, index);
    return true;
}

bool vc4_binner_tile_add(struct vc4_binner *b, struct vc4_tile *t, const uint32_t index[3])
{
    if (!t->open || !ready(b, t) || t->at + b->max_code > t->limit)
        return add_slow(b, t, index);
    write_code(b, t, index);
    return true;
}

static bool write_clipped(struct vc4_binner *b, struct vc4_bin_clipped *c)
{
    uint32_t count = (uint32_t)__builtin_popcount(c->flags);
    uint8_t *host = allocate(b, count * sizeof(struct vc4_clipped_vertex), &c->address);
    if (!host)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (c->flags >> i & 1) {
            memcpy(host, &c->vertex[i], sizeof c->vertex[i]);
            host += sizeof c->vertex[i];
        }
    return true;
}

bool vc4_binner_tile_add_clipped(struct vc4_binner *b, struct vc4_tile *t, const uint32_t index[3],
                                 struct vc4_bin_clipped *c)
{
    if (!c->flags)
        return vc4_binner_tile_add(b, t, index);
    if (!c->address && !write_clipped(b, c))
        return false;
    if (!write_state(b, t))
        return false;
    /* The escape, the record and the primitive in one block. */
    if (!room(b, t, 1 + 5 + VC4_LIST_MAX_CODE))
        return false;
    close_list(t);
    put_word(t, VC4_CL_CLIPPED_PRIMITIVES, c->flags | c->address);
    open_list(t);
    write_code(b, t, index);
    return true;
}

/* ---- start and flush ---- */

bool vc4_binner_tiles_start(struct vc4_binner *b, uint32_t address)
{
    struct vc4_device *d = b->device;
    uint32_t count = b->tiles_x * b->tiles_y, size = count * b->initial_block;
    uint8_t *host = gpu_memory_at(d->memory, b->alloc_address, size);
    uint8_t *array = gpu_memory_at(d->memory, b->state_address, count * 48ull);
    if (size > b->alloc_size)
        return vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, address,
                               "%u bytes of tile memory do not hold the %u initial blocks of %u bytes",
                               b->alloc_size, count, b->initial_block);
    if (!host || !array)
        return vc4_binner_fail(b, GPU_FAULT_MEMORY, host ? b->state_address : b->alloc_address,
                               "%s lies outside memory", host ? "tile state data array" : "tile memory");
    if (count > b->tile_room) {
        struct vc4_tile *grown = realloc(b->tiles, count * sizeof *grown);
        if (!grown)
            return vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, address, "no host memory for %u tiles", count);
        b->tiles = grown;
        b->tile_room = count;
    }
    memset(array, 0, count * 48ull); /* what auto-initialise means; what a tile needs is kept by the host */
    for (uint32_t i = 0; i < count; i++)
        b->tiles[i] = (struct vc4_tile){
            .at = host + i * b->initial_block,
            .limit = host + (i + 1) * b->initial_block - VC4_TILE_RESERVE,
            .seen = b->version,
            .format = VC4_NO_PRIMITIVE,
        };
    d->bpca = b->alloc_address + size;
    d->bpcs = b->alloc_size - size;
    b->list_bytes += size;
    return true;
}

bool vc4_binner_tiles_flush(struct vc4_binner *b, bool all_state)
{
    for (uint32_t i = 0; i < b->tiles_x * b->tiles_y; i++) {
        struct vc4_tile *t = &b->tiles[i];
        if (all_state) {
            note_changes(b, t);
            if (!write_groups(b, t, t->pending))
                return false;
        }
        close_list(t);
        *t->at++ = VC4_CL_RETURN; /* the reserve holds both */
    }
    return true;
}

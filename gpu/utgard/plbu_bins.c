/* Where tile lists stand: in the blocks that the command list names, then in the heap; and what else their
 * builder reads of the guest's memory. */
#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"

/* ---- blocks ---- */

enum utgard_plbu_end utgard_plbu_bins_begin(struct utgard_plbu *p, uint32_t address, uint32_t count)
{
    p->block_bytes = 128u << p->reg.setup[UTGARD_SETUP_BLOCK_SIZE];
    if (count > PLBU_MAX_BLOCKS) {
        gpu_fault_set(&p->stop->fault, GPU_FAULT_PACKET, PLBU_UNIT, p->at, "%u blocks are more than %u",
                      count, PLBU_MAX_BLOCKS);
        return UTGARD_PLBU_POINTER_ARRAY;
    }
    const uint8_t *at =
        utgard_at(p->space, address, count * 4ull, GPU_RIGHT_READ, PLBU_UNIT, "array of blocks", p->stop);
    if (!at || !utgard_plbu_pay(p, count))
        return UTGARD_PLBU_FAULT;
    for (uint32_t n = 0; n < count; n++)
        tiler_bin_begin(&p->bins.bin[n], util_load32(at + n * 4) & ~(TILER_ENTRY - 1), p->block_bytes);
    p->block_count = count;
    return UTGARD_PLBU_DONE;
}

/* The block whose list block n goes on in: where squares are smaller than a list's, the first of the list's;
 * otherwise itself. */
static uint32_t first_of(const struct utgard_plbu *p, uint32_t n)
{
    const struct utgard_plbu_registers *r = &p->reg;
    uint32_t keep_x = UINT32_MAX, keep_y = UINT32_MAX;
    if (r->shift_x < PLBU_LIST_SHIFT)
        keep_x <<= PLBU_LIST_SHIFT - r->shift_x;
    if (r->shift_y < PLBU_LIST_SHIFT)
        keep_y <<= PLBU_LIST_SHIFT - r->shift_y;
    return r->stride ? (n / r->stride & keep_y) * r->stride + (n % r->stride & keep_x) : n;
}

enum utgard_plbu_end utgard_plbu_bins_end(struct utgard_plbu *p)
{
    for (uint32_t n = 0; n < p->block_count; n++) {
        uint32_t first = first_of(p, n);
        const struct tiler_bin *link = first == n ? NULL : &p->bins.bin[first];
        if (tiler_bin_end(&p->bins, &p->bins.bin[n], link) != TILER_DONE)
            return UTGARD_PLBU_FAULT;
    }
    return UTGARD_PLBU_DONE;
}

/* ---- room ---- */

/* Room in the heap: its address, or 0 when there is none left. A heap never begins at 0. */
static uint32_t heap_take(struct utgard_plbu *p, uint32_t bytes)
{
    uint32_t at = p->heap_at;
    if (at >= p->heap_end || p->heap_end - at < bytes)
        return 0;
    p->heap_at += bytes;
    return at;
}

static enum tiler_end take_record(void *ctx, uint32_t bytes, uint32_t *address)
{
    struct utgard_plbu *p = ctx;
    *address = heap_take(p, bytes);
    if (!*address)
        return TILER_NO_ROOM;
    return utgard_at(p->space, *address, bytes, GPU_RIGHT_WRITE, PLBU_UNIT, "record", p->stop)
               ? TILER_DONE
               : TILER_REFUSED;
}

/* Of the blocks of the list's square, the next that only names the list: what is behind that entry; 0: none.
 * bin->family counts those that were looked at. */
static uint32_t spare_block(struct utgard_plbu *p, struct tiler_bin *bin)
{
    const struct utgard_plbu_draw *d = &p->draw;
    uint32_t first = (uint32_t)(bin - p->bins.bin), stride = p->reg.stride, columns = 1u << d->join_x;
    while (++bin->family < columns << d->join_y) {
        uint32_t x = first % stride + bin->family % columns, y = first / stride + bin->family / columns;
        if (x < stride && y * stride + x < p->block_count)
            return p->bins.bin[y * stride + x].first + TILER_ENTRY;
    }
    return 0;
}

static enum tiler_end take_block(void *ctx, struct tiler_bin *bin, uint32_t *address, uint32_t *bytes)
{
    struct utgard_plbu *p = ctx;
    *address = spare_block(p, bin);
    *bytes = p->block_bytes - TILER_ENTRY;
    if (*address)
        return TILER_DONE;
    *address = heap_take(p, p->block_bytes);
    *bytes = p->block_bytes;
    p->counters->bytes_tile_lists += *address ? *bytes : 0;
    return *address ? TILER_DONE : TILER_NO_ROOM;
}

static bool writable(void *ctx, struct tiler_bin *bin, uint32_t address, uint32_t bytes)
{
    struct utgard_plbu *p = ctx;
    return utgard_at(p->space, address, bytes, GPU_RIGHT_WRITE, PLBU_UNIT, "block of a tile list", p->stop);
}

static bool pay(void *ctx, uint64_t cost)
{
    return utgard_plbu_pay(ctx, cost);
}

/* ---- indices and vertices ---- */

static const uint8_t *indices(void *ctx, uint32_t first, uint32_t count)
{
    struct utgard_plbu *p = ctx;
    const struct utgard_plbu_draw *d = &p->draw;
    return utgard_at(p->space, d->index_at + ((uint64_t)first << d->index_log2),
                     (uint64_t)count << d->index_log2, GPU_RIGHT_READ, PLBU_UNIT, "indices", p->stop);
}

static bool vertices(void *ctx, uint32_t least, uint32_t greatest, struct tiler_arrays *out)
{
    struct utgard_plbu *p = ctx;
    const struct gpu_bin_state *s = &p->draw.state;
    const uint8_t *base = p->space->window.base;
    uint64_t count = greatest - least + 1ull;
    *out = (struct tiler_arrays){.positions = base + s->positions,
                                 .sizes = s->point_sizes ? base + s->point_sizes : NULL};
    return utgard_at(p->space, s->positions + least * 16ull, count * 16, GPU_RIGHT_READ, PLBU_UNIT,
                     "positions", p->stop) &&
           (!s->point_sizes || utgard_at(p->space, s->point_sizes + least * 4ull, count * 4, GPU_RIGHT_READ,
                                         PLBU_UNIT, "point sizes", p->stop));
}

/* ---- looking on ---- */

static void binned(void *ctx, uint32_t address, uint64_t primitive)
{
    utgard_plbu_observe_entry(ctx, address, primitive);
}

static void culled(void *ctx, uint64_t primitive, const int32_t x[3], const int32_t y[3])
{
    utgard_plbu_observe_culled(ctx, primitive, x, y);
}

const struct tiler_bins_ports utgard_plbu_ports = {take_record, take_block, writable, pay,
                                                   indices,     vertices,   binned,   culled};

/* The lists of a frame while a tiler job works on them: taken out of guest memory and put back, blocks and
 * records out of the heap; and what else binning reads of guest memory. */
#include <string.h>

#include "gpu/mali/tiling_internal.h"
#include "util/bits.h"

#define UNIT        TILING_UNIT
#define BLOCK_BYTES 256u
#define HEAP_ALIGN  64u

bool mali_tiling_pay(struct mali_tiling *t, uint64_t cost)
{
    uint64_t *left = &t->job->budget->packets;
    if (gpu_host_cancelled(&t->job->device->host))
        return mali_stop_set(t->stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, UNIT, t->job->address, "cancelled");
    if (*left < cost)
        return mali_stop_set(t->stop, MALI_ACTIVE, GPU_FAULT_TIMEOUT, UNIT, t->job->address,
                             "more indices and lists than a chain may have");
    *left -= cost;
    return true;
}

/* ---- room ---- */

/* Room in the heap, which may be written; 0: there is none left, or its page is not there yet (*stop). */
static uint32_t heap_take(struct mali_tiling *t, uint32_t bytes)
{
    uint32_t at = t->heap_at;
    if (at >= t->heap_end || t->heap_end - at < bytes) {
        mali_stop_set(t->stop, MALI_OOM, GPU_FAULT_TILE_MEMORY, UNIT, t->heap_end,
                      "the heap has no room for tile lists");
        return 0;
    }
    if (!mali_at(t->job->space, at, bytes, GPU_RIGHT_WRITE, UNIT, "heap", t->stop))
        return 0;
    t->heap_at += bytes;
    return at;
}

static enum tiler_end take_record(void *ctx, uint32_t bytes, uint32_t *place)
{
    *place = heap_take(ctx, bytes);
    return *place ? TILER_DONE : TILER_NO_ROOM;
}

static enum tiler_end take_block(void *ctx, struct tiler_bin *bin, uint32_t *place, uint32_t *bytes)
{
    struct mali_tiling *t = ctx;
    (void)bin;
    *bytes = BLOCK_BYTES;
    *place = heap_take(t, BLOCK_BYTES);
    t->job->device->host.counters.bytes_tile_lists += *place ? BLOCK_BYTES : 0;
    return *place ? TILER_DONE : TILER_NO_ROOM;
}

static void note_written(struct mali_tiling *t, struct tiler_bin *bin)
{
    if (!bin->family)
        t->written[t->written_count++] = (uint16_t)(bin - t->bin);
    bin->family = true;
}

static bool writable(void *ctx, struct tiler_bin *bin, uint32_t place, uint32_t bytes)
{
    struct mali_tiling *t = ctx;
    note_written(t, bin);
    return mali_at(t->job->space, place, bytes, GPU_RIGHT_WRITE, UNIT, "tile list", t->stop);
}

static bool pay(void *ctx, uint64_t cost)
{
    return mali_tiling_pay(ctx, cost);
}

/* ---- indices and vertices ---- */

static const uint8_t *indices(void *ctx, uint32_t first, uint32_t count)
{
    struct mali_tiling *t = ctx;
    uint64_t number = (uint64_t)t->run_at + first;
    return mali_at(t->job->space, t->payload->primitive.indices + (number << t->index_log2),
                   (uint64_t)count << t->index_log2, GPU_RIGHT_READ, UNIT, "indices", t->stop);
}

static bool vertices(void *ctx, uint32_t least, uint32_t greatest, struct tiler_arrays *out)
{
    struct mali_tiling *t = ctx;
    const struct gpu_bin_state *r = &t->record;
    const uint8_t *base = t->job->space->window.base;
    uint64_t count = greatest - least + 1ull;
    uint32_t bytes = r->half_sizes ? 2 : 4;
    *out = (struct tiler_arrays){.positions = base + r->positions,
                                 .sizes = r->point_sizes ? base + r->point_sizes : NULL,
                                 .half_sizes = r->half_sizes};
    return mali_at(t->job->space, r->positions + (uint64_t)least * TILER_POSITION, count * TILER_POSITION,
                   GPU_RIGHT_READ, UNIT, "positions", t->stop) &&
           (!r->point_sizes || mali_at(t->job->space, r->point_sizes + (uint64_t)least * bytes, count * bytes,
                                       GPU_RIGHT_READ, UNIT, "point sizes", t->stop));
}

/* ---- what observers are told ---- */

static void binned(void *ctx, uint32_t place, uint64_t primitive)
{
    const struct gpu_observer *o = ((const struct mali_tiling *)ctx)->job->device->options.observer;
    if (o->binned)
        o->binned(o->data, place, primitive);
}

static void culled(void *ctx, uint64_t primitive, const int32_t x[3], const int32_t y[3])
{
    const struct gpu_observer *o = ((const struct mali_tiling *)ctx)->job->device->options.observer;
    if (o->culled)
        o->culled(o->data, primitive, x, y);
}

const struct tiler_bins_ports mali_tiling_ports = {.record = take_record,
                                                   .block = take_block,
                                                   .writable = writable,
                                                   .pay = pay,
                                                   .indices = indices,
                                                   .vertices = vertices,
                                                   .binned = binned,
                                                   .culled = culled};

/* ---- the lists ---- */

/* What stopped the job may come yet if it is a page. */
static enum mali_end stopped(const struct mali_tiling *t)
{
    return t->stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
}

/* A frame's first draw: a table at the beginning of the heap, and a block for each list. */
static enum mali_end make_lists(struct mali_tiling *t, const struct mali_lists_place *place)
{
    uint32_t count = t->columns * t->rows;
    if (place->heap_start > UINT32_MAX - HEAP_ALIGN || !place->heap_start) {
        mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, UNIT, place->heap_start,
                      "the heap is outside the address space");
        return MALI_END_FAULT;
    }
    t->heap_at = (uint32_t)util_align(place->heap_start, HEAP_ALIGN);
    t->table = heap_take(t, count * (uint32_t)sizeof(struct mali_list));
    uint32_t blocks = t->table ? heap_take(t, count * BLOCK_BYTES) : 0;
    if (!blocks)
        return stopped(t);
    for (uint32_t n = 0; n < count; n++) {
        tiler_bin_begin(&t->bin[n], blocks + n * BLOCK_BYTES, BLOCK_BYTES);
        note_written(t, &t->bin[n]);
    }
    t->listed = true;
    return MALI_END_DONE;
}

/* Whether a list goes on where it could: what its block's memory allows is asked for by the tiler. */
static bool is_sane(const struct mali_list *l)
{
    return l->at % TILER_ENTRY == 0 && l->first % TILER_ENTRY == 0 && l->at < l->end &&
           l->end - l->at >= TILER_ENTRY;
}

static bool take_table(struct mali_tiling *t, const struct mali_list *table, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        const struct mali_list *l = &table[n];
        if (!is_sane(l))
            return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_LIST, UNIT, t->table,
                                 "tile list %u goes on at 0x%08x before 0x%08x", n, l->at, l->end);
        t->bin[n] = (struct tiler_bin){.at = l->at,
                                       .end = l->end,
                                       .record = l->record,
                                       .first = l->first,
                                       .first_record = l->first_record,
                                       .four_samples = l->four_samples & 1};
    }
    return true;
}

/* Mostly the table is as the draw before has left it, and so are the lists. */
static enum mali_end load_lists(struct mali_tiling *t, const struct mali_lists_header *header, uint32_t kept)
{
    uint32_t count = t->columns * t->rows;
    uint64_t bytes = count * (uint64_t)sizeof(struct mali_list);
    const uint8_t *at =
        mali_at(t->job->space, header->table, bytes, GPU_RIGHT_READ, UNIT, "table of lists", t->stop);
    if (!at)
        return stopped(t);
    t->table = header->table;
    t->heap_at = header->heap;
    if (count > kept || memcmp(t->kept, at, bytes) != 0) {
        memcpy(t->kept, at, bytes);
        if (!take_table(t, t->kept, count))
            return MALI_END_FAULT;
    }
    t->listed = true;
    return MALI_END_DONE;
}

/* Since v6 no bit says so of a program, but pixels that may not be killed behind others are of such alone (Mesa:
 * allow_forward_pixel_to_be_killed is !writes_global). */
static bool may_store(enum mali_version version, const struct mali_state *s)
{
    return version < MALI_V6 ? s->shader_has_side_effects : s->shader && !s->allow_forward_pixel_to_be_killed;
}

enum mali_end mali_tiling_lists_begin(struct mali_tiling *t)
{
    const enum mali_version version = t->job->version;
    const struct mali_lists_place place = version <= MALI_V5
                                              ? mali_lists_of_frame(version, &t->payload->frame)
                                              : mali_lists_of_context(version, &t->payload->context);
    struct mali_lists_header header;
    uint32_t kept = t->kept_count;
    t->kept_count = t->written_count = 0;
    t->header = place.header;
    t->width = place.width;
    t->height = place.height;
    t->columns = util_div_up(t->width, MALI_LIST_PIXELS);
    t->rows = util_div_up(t->height, MALI_LIST_PIXELS);
    t->heap_end = (uint32_t)UTIL_MIN(place.heap_end, UINT32_MAX);
    if (t->columns > MALI_LISTS_A_SIDE || t->rows > MALI_LISTS_A_SIDE) {
        mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, t->job->address,
                      "a frame of %ux%u pixels: more than 8192 a side are not done", t->width, t->height);
        return MALI_END_FAULT;
    }
    if (!mali_lists_header_read(t->job->space, &place, UNIT, &header, t->stop))
        return stopped(t);
    t->alone = header.alone || may_store(version, &t->payload->bindings.state);
    return header.mark ? load_lists(t, &header, kept) : make_lists(t, &place);
}

/* Most draws are on few of the lists: the others are as guest memory has them. Those that were written to end
 * anew. */
static bool end_lists(struct mali_tiling *t)
{
    for (uint32_t n = 0; n < t->written_count; n++)
        if (tiler_bin_end(&t->bins, &t->bin[t->written[n]], NULL) != TILER_DONE)
            return false;
    return true;
}

static void store_table(struct mali_tiling *t, uint8_t *at)
{
    for (uint32_t n = 0; n < t->written_count; n++) {
        uint32_t number = t->written[n];
        struct tiler_bin *bin = &t->bin[number];
        const struct mali_list l = {bin->at,    bin->end,          bin->record,
                                    bin->first, bin->first_record, bin->four_samples};
        memcpy(at + number * sizeof l, &l, sizeof l);
        t->kept[number] = l;
        bin->checked = false;
        bin->family = false;
    }
    t->kept_count = t->columns * t->rows;
}

enum mali_end mali_tiling_lists_end(struct mali_tiling *t, enum mali_end end)
{
    struct mali_stop stop, *said = t->stop;
    const struct mali_lists_header header = {.mark = MALI_LISTS_MARK,
                                             .columns = t->columns,
                                             .rows = t->rows,
                                             .table = t->table,
                                             .heap = t->heap_at,
                                             .alone = t->alone};
    uint64_t bytes = t->columns * t->rows * (uint64_t)sizeof(struct mali_list);
    mali_stop_clear(&stop);
    t->stop = &stop;
    t->listed = false;
    uint8_t *table =
        end_lists(t) ? mali_at(t->job->space, t->table, bytes, GPU_RIGHT_WRITE, UNIT, "table of lists", &stop)
                     : NULL;
    uint8_t *at =
        table ? mali_at(t->job->space, t->header, sizeof header, GPU_RIGHT_WRITE, UNIT, "polygon list", &stop)
              : NULL;
    if (at) {
        store_table(t, table);
        memcpy(at, &header, sizeof header);
    }
    if (at || end != MALI_END_DONE)
        return end;
    *said = stop;
    return MALI_END_FAULT;
}

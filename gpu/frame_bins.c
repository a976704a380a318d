/* Tile lists (tiler/list.h) as they stand in the guest's memory, and the records that they name. */
#include <string.h>

#include "gpu/bin.h"
#include "gpu/frame.h"
#include "util/bits.h"

#define UNIT "tile list"

/* Whole pages are readable or not. */
static uint64_t look(const void *ctx, uint64_t place, uint32_t size)
{
    return gpu_space_at(ctx, place, size, GPU_RIGHT_READ)
               ? UTIL_MAX((place | (GPU_PAGE - 1)) + 1, place + size)
               : 0;
}

static struct tiler_list_memory memory_of(const struct gpu_space *space)
{
    return (struct tiler_list_memory){.base = space->window.base, .ctx = space, .look = look};
}

static bool no_memory(struct gpu_fault *fault, uint32_t address, uint32_t size)
{
    return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, address, "%u bytes of the list are not in memory",
                         size);
}

static bool refuse(enum tiler_read why, const struct tiler_read_error *e, struct gpu_fault *fault)
{
    switch (why) {
    case TILER_READ_MEMORY: return no_memory(fault, e->place, e->size);
    case TILER_READ_BROKEN:
        return gpu_fault_set(fault, GPU_FAULT_LIST, UNIT, e->place, "0x%016llx is no entry",
                             (unsigned long long)e->word);
    case TILER_READ_ROUND:
        return gpu_fault_set(fault, GPU_FAULT_TIMEOUT, UNIT, e->place,
                             "the list goes round: it has been at 0x%08x", e->to);
    default:
        return gpu_fault_set(fault, GPU_FAULT_TIMEOUT, UNIT, e->place,
                             "the list repeats more than memory can hold");
    }
}

static bool read_state(const struct gpu_space *space, const struct tiler_item *item,
                       struct gpu_tile_state *out, struct gpu_fault *fault)
{
    struct gpu_bin_state s;
    const void *at = gpu_space_at(space, item->record, sizeof s, GPU_RIGHT_READ);

    if (!at)
        return no_memory(fault, item->record, sizeof s);
    memcpy(&s, at, sizeof s);
    *out = (struct gpu_tile_state){.four_samples = item->four_samples,
                                   .state = s.state,
                                   .positions = s.positions,
                                   .point_sizes = s.point_sizes,
                                   .size = s.size,
                                   .first = s.first,
                                   .varyings = s.varyings,
                                   .half_sizes = s.half_sizes & 1,
                                   .clip = {s.x0, s.y0, s.x1, s.y1},
                                   .draw = s.draw};
    return true;
}

static bool next(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                 struct gpu_tile_state *state, struct gpu_fault *fault)
{
    const struct tiler_list_memory memory = memory_of(ctx);
    struct tiler_read_error error;
    enum tiler_read got = tiler_list_next(&memory, cursor, item, &error);

    if (got != TILER_READ_ITEM)
        return refuse(got, &error, fault);
    return item->kind != TILER_ITEM_STATE || read_state(ctx, item, state, fault);
}

static uint32_t resolve(void *ctx, uint32_t list)
{
    const struct tiler_list_memory memory = memory_of(ctx);

    return tiler_list_resolve(&memory, list);
}

static uint32_t triangles(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most)
{
    const struct tiler_list_memory memory = memory_of(ctx);

    return tiler_list_triangles(&memory, cursor, index, most);
}

struct gpu_tile_reader gpu_tile_lists(const struct gpu_space *space)
{
    return (struct gpu_tile_reader){
        .ctx = (void *)(uintptr_t)space, .next = next, .resolve = resolve, .triangles = triangles};
}

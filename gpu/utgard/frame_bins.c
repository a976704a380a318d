/* Tile lists in the format of bin.h, as items of frame.h. */
#include <assert.h>
#include <string.h>

#include "gpu/utgard/bin.h"
#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT "tile list"

static const void *fetch(const struct gpu_space *space, uint32_t address, uint32_t size,
                         struct gpu_fault *fault)
{
    const void *at = gpu_space_at(space, address, size, GPU_RIGHT_READ);

    if (!at)
        utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, address, "%u bytes of the list are not in memory",
                         size);
    return at;
}

static bool read_state(const struct gpu_space *space, uint64_t entry, struct utgard_tile_state *out,
                       struct gpu_fault *fault)
{
    struct utgard_bin_state s;
    const void *at = fetch(space, (uint32_t)entry, sizeof s, fault);

    if (!at)
        return false;
    memcpy(&s, at, sizeof s);
    *out = (struct utgard_tile_state){.four_samples = entry & UTGARD_BIN_FOUR_SAMPLES,
                                      .rsw = s.rsw,
                                      .positions = s.positions,
                                      .point_sizes = s.point_sizes,
                                      .size = s.size,
                                      .clip = {s.x0, s.y0, s.x1, s.y1},
                                      .draw = s.draw};
    return true;
}

static bool read_clipped(const struct gpu_space *space, uint32_t address, struct utgard_tile_item *item,
                         struct gpu_fault *fault)
{
    struct utgard_bin_clipped c;
    const void *at = fetch(space, address, sizeof c, fault);

    if (!at)
        return false;
    memcpy(&c, at, sizeof c);
    static_assert(sizeof item->vertex == sizeof c.vertex, "the same seven floats");
    item->clipped = true;
    memcpy(item->index, c.index, sizeof c.index);
    memcpy(item->vertex, c.vertex, sizeof c.vertex);
    return true;
}

static bool fill(const struct gpu_space *space, uint64_t entry, const struct utgard_bin_entry *e,
                 struct utgard_tile_item *item, struct gpu_fault *fault)
{
    static const uint8_t kinds[] = {
        [UTGARD_BIN_END] = UTGARD_TILE_END,
        [UTGARD_BIN_TRIANGLE] = UTGARD_TILE_TRIANGLE,
        [UTGARD_BIN_LINE] = UTGARD_TILE_LINE,
        [UTGARD_BIN_POINT] = UTGARD_TILE_POINT,
        [UTGARD_BIN_RECTANGLE] = UTGARD_TILE_RECTANGLE,
        [UTGARD_BIN_CLIPPED_TRIANGLE] = UTGARD_TILE_TRIANGLE,
        [UTGARD_BIN_CLIPPED_LINE] = UTGARD_TILE_LINE,
        [UTGARD_BIN_STATE] = UTGARD_TILE_STATE,
    };

    item->kind = (enum utgard_tile_kind)kinds[e->kind];
    item->clipped = false;
    memcpy(item->index, e->index, sizeof item->index);
    if (e->kind == UTGARD_BIN_STATE)
        return read_state(space, entry, &item->state, fault);
    if (e->kind == UTGARD_BIN_CLIPPED_TRIANGLE || e->kind == UTGARD_BIN_CLIPPED_LINE)
        return read_clipped(space, e->address, item, fault);
    return true;
}

static bool follow(struct util_walk *walk, uint64_t *at, uint32_t to, struct gpu_fault *fault)
{
    uint32_t from = (uint32_t)*at;
    bool on = utgard_walk_on(walk, UNIT, from, fault) && utgard_walk_jump(walk, UNIT, &from, to, fault);

    *at = from;
    return on;
}

bool utgard_frame_bins(void *ctx, uint64_t *at, struct util_walk *walk, struct utgard_tile_item *item,
                       struct gpu_fault *fault)
{
    const struct gpu_space *space = ctx;

    for (;;) {
        struct utgard_bin_entry e;
        uint64_t word[2] = {0};
        const void *bytes = fetch(space, (uint32_t)*at, 8, fault);

        if (!bytes)
            return false;
        memcpy(word, bytes, 8);
        if (utgard_bin_words(word[0]) == 2) {
            bytes = fetch(space, (uint32_t)*at, 16, fault);
            if (!bytes)
                return false;
            memcpy(word, bytes, 16);
        }
        utgard_bin_decode(word, &e);
        if (e.kind > UTGARD_BIN_NEXT)
            return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, (uint32_t)*at, "0x%016llx is no entry",
                                    (unsigned long long)word[0]);
        if (e.kind != UTGARD_BIN_NEXT) {
            item->code = (uint32_t)*at;
            *at = (uint32_t)(*at + 8ull * utgard_bin_words(word[0]));
            return fill(space, word[0], &e, item, fault);
        }
        if (!follow(walk, at, e.address, fault))
            return false;
    }
}

/* A list that begins with a link is the one that the link names. */
uint32_t utgard_frame_bins_resolve(void *ctx, uint32_t list)
{
    const struct gpu_space *space = ctx;
    const uint8_t *bytes = gpu_space_at(space, list, 8, GPU_RIGHT_READ);
    uint64_t word = 0;

    if (bytes)
        memcpy(&word, bytes, 8);
    return word >> 60 == UTGARD_BIN_NEXT ? (uint32_t)word : list;
}

/* Whole pages are readable or not: a page's entries are looked up together. */
uint32_t utgard_frame_bins_triangles(void *ctx, uint64_t *at, struct util_walk *walk, uint32_t index[][3],
                                     uint32_t most)
{
    const struct gpu_space *space = ctx;
    uint64_t from = *at, end = 0;
    uint32_t count = 0;

    for (uint32_t links = 0; count < most;) {
        uint64_t word;

        if (from + 8 > end) {
            if (!gpu_space_at(space, from, 8, GPU_RIGHT_READ))
                break;
            end = UTIL_MAX((from | (GPU_PAGE - 1)) + 1, from + 8);
        }
        memcpy(&word, space->window.base + from, 8);
        if (word >> 60 == UTGARD_BIN_TRIANGLE) {
            utgard_bin_triangle(word, index[count++]);
            from += 8;
        } else if (word >> 60 == UTGARD_BIN_NEXT && links < most &&
                   !utgard_walk_returns(walk, (uint32_t)word)) {
            from = (uint32_t)word;
            end = 0;
            links++;
        } else {
            break;
        }
    }
    *at = from;
    return count;
}

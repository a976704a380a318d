/* Frames of a Mali Utgard's PPs as `vitrail decode` lists them: registers, write-back, tiles and their lists.
 */
#include "tools/decode_utgard.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/bin.h"
#include "tiler/list.h"
#include "util/bits.h"

#define ENTRIES_MAX 1000000u /* of one tile's list */

/* ---- the list of a tile ---- */

static void list_bin_state(struct listing *l, const struct gpu_space *space, uint32_t at, uint32_t address)
{
    struct gpu_bin_state s;
    const uint8_t *bytes = gpu_space_at(space, address, sizeof s, GPU_RIGHT_READ);
    if (!bytes) {
        listing_line(l, "broken", "0x%08x  state at 0x%08x, outside memory", at, address);
        return;
    }
    memcpy(&s, bytes, sizeof s);
    listing_line(l, "primitive",
                 "0x%08x  draw %u: render state 0x%08x, positions 0x%08x, pixels %u,%u to %u,%u, size %g", at,
                 s.draw, s.state, s.positions, s.x0, s.y0, s.x1, s.y1, (double)s.size);
}

static void list_clipped(struct listing *l, const struct gpu_space *space, uint32_t at,
                         const struct tiler_entry *e)
{
    struct tiler_clipped c;
    const uint8_t *bytes = gpu_space_at(space, e->place, sizeof c, GPU_RIGHT_READ);
    const char *name = e->kind == TILER_ENTRY_CLIPPED_LINE ? "line" : "triangle";
    if (!bytes) {
        listing_line(l, "broken", "0x%08x  clipped %s at 0x%08x, outside memory", at, name, e->place);
        return;
    }
    memcpy(&c, bytes, sizeof c);
    listing_line(l, "primitive", "0x%08x  clipped %s of %u %u %u: %g,%g %g,%g %g,%g", at, name, c.index[0],
                 c.index[1], c.index[2], (double)c.vertex[0].x, (double)c.vertex[0].y, (double)c.vertex[1].x,
                 (double)c.vertex[1].y, (double)c.vertex[2].x, (double)c.vertex[2].y);
}

static void list_entry(struct listing *l, const struct gpu_space *space, uint32_t at,
                       const struct tiler_entry *e)
{
    const uint32_t *i = e->index;
    switch (e->kind) {
    case TILER_ENTRY_END: listing_line(l, "primitive", "0x%08x  end", at); break;
    case TILER_ENTRY_TRIANGLE:
        listing_line(l, "primitive", "0x%08x  triangle %u %u %u", at, i[0], i[1], i[2]);
        break;
    case TILER_ENTRY_RECTANGLE:
        listing_line(l, "primitive", "0x%08x  rectangle %u %u %u", at, i[0], i[1], i[2]);
        break;
    case TILER_ENTRY_LINE: listing_line(l, "primitive", "0x%08x  line %u %u", at, i[0], i[1]); break;
    case TILER_ENTRY_POINT: listing_line(l, "primitive", "0x%08x  point %u", at, i[0]); break;
    case TILER_ENTRY_STATE: list_bin_state(l, space, at, e->place); break;
    case TILER_ENTRY_NEXT: listing_line(l, "primitive", "0x%08x  goes on at 0x%08x", at, e->place); break;
    case TILER_ENTRY_CLIPPED_TRIANGLE:
    case TILER_ENTRY_CLIPPED_LINE: list_clipped(l, space, at, e); break;
    default: listing_line(l, "broken", "0x%08x  no entry", at);
    }
}

static void list_primitives(struct listing *l, const struct gpu_space *space, uint32_t at)
{
    for (uint32_t n = 0; n < ENTRIES_MAX; n++) {
        struct tiler_entry e;
        uint64_t word[2] = {0};
        const uint8_t *bytes = gpu_space_at(space, at, 8, GPU_RIGHT_READ);
        if (bytes)
            word[0] = util_load64(bytes);
        if (bytes && tiler_entry_words(word[0]) == 2)
            bytes = gpu_space_at(space, at, 16, GPU_RIGHT_READ);
        if (!bytes) {
            listing_line(l, "broken", "0x%08x  the list leaves memory", at);
            return;
        }
        memcpy(word, bytes, 8ull * tiler_entry_words(word[0]));
        tiler_entry_decode(word, &e);
        list_entry(l, space, at, &e);
        if (e.kind == TILER_ENTRY_END || e.kind > TILER_ENTRY_NEXT)
            return;
        at = e.kind == TILER_ENTRY_NEXT ? e.place : at + 8 * tiler_entry_words(word[0]);
    }
    listing_line(l, "broken", "(stopped after %u entries: the list does not end)", ENTRIES_MAX);
}

/* ---- the frame ---- */

static void list_tiles(struct utgard_decode *u, unsigned pp, const struct gpu_space *space)
{
    struct listing *l = &u->decode->listing;
    struct gpu_tile *tiles = malloc(GPU_FRAME_TILES * sizeof *tiles);
    struct gpu_fault fault = {0};
    uint32_t count = 0;
    bool whole = tiles && utgard_device_tiles(u->device, pp, space, tiles, &count, &fault);
    listing_open(l, "tiles", "%u tiles", count);
    for (uint32_t n = 0; n < count; n++) {
        const struct gpu_tile *t = &tiles[n];
        listing_open(l, "tile", "tile %u,%u: list at 0x%08x", t->x, t->y, t->list);
        if (u->decode->tiles)
            list_primitives(l, space, t->list);
        listing_close(l);
    }
    if (!whole)
        listing_line(l, "broken", "%s", tiles ? fault.text : "no memory");
    listing_close(l);
    free(tiles);
}

void utgard_list_frame(struct utgard_decode *u, unsigned pp)
{
    struct listing *l = &u->decode->listing;
    const uint32_t *words = utgard_device_words(u->device, (enum utgard_ip)(UTGARD_IP_PP0 + pp));
    struct gpu_field fields[UTGARD_FRAME_WORDS];
    struct gpu_fault fault = {0};
    const struct gpu_space *space = utgard_device_space(u->device, 1 + pp, &fault);
    listing_open(l, "frame", "job %llu, frame of PP %u", (unsigned long long)u->decode->job, pp);
    listing_table(l, fields, utgard_frame_fields(words, fields));
    for (unsigned unit = 0; unit < UTGARD_WB_UNITS; unit++) {
        const uint32_t *wb = utgard_device_writeback(u->device, pp, unit);
        if (wb[0] == UTGARD_WB_OFF)
            continue;
        listing_open(l, "write-back", "write-back %u", unit);
        listing_fields(l, fields, utgard_writeback_fields(wb, fields));
        listing_close(l);
    }
    if (!space) {
        listing_line(l, "broken", "%s", fault.text);
    } else {
        utgard_list_state(u, space, words[1]);
        for (uint32_t n = 0; n < u->state_count && !u->states_listed; n++)
            utgard_list_named(u, space, u->state[n]);
        u->states_listed = true;
        list_tiles(u, pp, space);
    }
    listing_close(l);
}

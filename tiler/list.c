/* Tile lists read, item by item or triangles many at a time. */
#include "tiler/list.h"

#include <string.h>

#include "util/bits.h"

static bool may_read(const struct tiler_list_memory *m, struct tiler_cursor *c, uint32_t size)
{
    if (c->at >= c->from && c->at + size <= c->to)
        return true;
    c->from = c->at;
    c->to = m->look(m->ctx, c->at, size);
    return c->to != 0;
}

static uint64_t word_at(const struct tiler_list_memory *m, uint64_t place)
{
    return util_load64(m->base + place);
}

static bool returns(struct util_walk *walk, uint32_t to)
{
    return util_walk_returns(walk, (struct util_walk_place){to, {UTIL_WALK_NOWHERE, UTIL_WALK_NOWHERE}});
}

uint32_t tiler_list_resolve(const struct tiler_list_memory *m, uint32_t list)
{
    uint64_t word = m->look(m->ctx, list, TILER_ENTRY) ? word_at(m, list) : 0;
    return tiler_entry_kind_of(word) == TILER_ENTRY_NEXT ? (uint32_t)word : list;
}

/* ---- items ---- */

static enum tiler_read no_memory(struct tiler_read_error *e, uint64_t place, uint32_t size)
{
    *e = (struct tiler_read_error){.place = (uint32_t)place, .size = size};
    return TILER_READ_MEMORY;
}

/* The words of the entry at hand. */
static enum tiler_read read_words(const struct tiler_list_memory *m, struct tiler_cursor *c, uint64_t word[2],
                                  struct tiler_read_error *e)
{
    if (!may_read(m, c, TILER_ENTRY))
        return no_memory(e, c->at, TILER_ENTRY);
    word[0] = word_at(m, c->at);
    if (tiler_entry_words(word[0]) == 1)
        return TILER_READ_ITEM;
    if (!may_read(m, c, 2 * TILER_ENTRY))
        return no_memory(e, c->at, 2 * TILER_ENTRY);
    word[1] = word_at(m, c->at + TILER_ENTRY);
    return TILER_READ_ITEM;
}

static enum tiler_read follow(struct tiler_cursor *c, uint32_t to, struct tiler_read_error *e)
{
    *e = (struct tiler_read_error){.place = (uint32_t)c->at, .to = to};
    if (!c->walk.left)
        return TILER_READ_LONG;
    c->walk.left--;
    if (returns(&c->walk, to))
        return TILER_READ_ROUND;
    c->at = to;
    return TILER_READ_ITEM;
}

static enum tiler_read read_clipped(const struct tiler_list_memory *m, uint32_t place,
                                    struct tiler_item *item, struct tiler_read_error *e)
{
    struct tiler_clipped clipped;
    if (!m->look(m->ctx, place, sizeof clipped))
        return no_memory(e, place, sizeof clipped);
    memcpy(&clipped, m->base + place, sizeof clipped);
    item->clipped = true;
    memcpy(item->index, clipped.index, sizeof item->index);
    memcpy(item->vertex, clipped.vertex, sizeof item->vertex);
    return TILER_READ_ITEM;
}

static enum tiler_read fill(const struct tiler_list_memory *m, uint64_t word, const struct tiler_entry *entry,
                            struct tiler_item *item, struct tiler_read_error *e)
{
    static const uint8_t kinds[] = {
        [TILER_ENTRY_END] = TILER_ITEM_END,
        [TILER_ENTRY_TRIANGLE] = TILER_ITEM_TRIANGLE,
        [TILER_ENTRY_LINE] = TILER_ITEM_LINE,
        [TILER_ENTRY_POINT] = TILER_ITEM_POINT,
        [TILER_ENTRY_RECTANGLE] = TILER_ITEM_RECTANGLE,
        [TILER_ENTRY_CLIPPED_TRIANGLE] = TILER_ITEM_TRIANGLE,
        [TILER_ENTRY_CLIPPED_LINE] = TILER_ITEM_LINE,
        [TILER_ENTRY_STATE] = TILER_ITEM_STATE,
    };
    item->kind = (enum tiler_item_kind)kinds[entry->kind];
    item->clipped = false;
    memcpy(item->index, entry->index, sizeof item->index);
    item->record = entry->place;
    item->four_samples = word & TILER_ENTRY_FOUR_SAMPLES;
    if (entry->kind == TILER_ENTRY_CLIPPED_TRIANGLE || entry->kind == TILER_ENTRY_CLIPPED_LINE)
        return read_clipped(m, entry->place, item, e);
    return TILER_READ_ITEM;
}

enum tiler_read tiler_list_next(const struct tiler_list_memory *m, struct tiler_cursor *c,
                                struct tiler_item *item, struct tiler_read_error *e)
{
    for (;;) {
        struct tiler_entry entry;
        uint64_t word[2] = {0};
        c->at = (uint32_t)c->at; /* places wrap around */
        enum tiler_read got = read_words(m, c, word, e);
        if (got != TILER_READ_ITEM)
            return got;
        tiler_entry_decode(word, &entry);
        if (entry.kind > TILER_ENTRY_NEXT) {
            *e = (struct tiler_read_error){.place = (uint32_t)c->at, .word = word[0]};
            return TILER_READ_BROKEN;
        }
        if (entry.kind != TILER_ENTRY_NEXT) {
            item->place = (uint32_t)c->at;
            c->at += (uint64_t)TILER_ENTRY * tiler_entry_words(word[0]);
            return fill(m, word[0], &entry, item, e);
        }
        got = follow(c, entry.place, e);
        if (got != TILER_READ_ITEM)
            return got;
    }
}

/* ---- triangles ---- */

uint32_t tiler_list_triangles(const struct tiler_list_memory *m, struct tiler_cursor *c, uint32_t index[][3],
                              uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t links = 0; count < most && may_read(m, c, TILER_ENTRY);) {
        uint64_t word = word_at(m, c->at);
        if (tiler_entry_kind_of(word) == TILER_ENTRY_TRIANGLE) {
            tiler_entry_triangle(word, index[count++]);
            c->at += TILER_ENTRY;
        } else if (tiler_entry_kind_of(word) == TILER_ENTRY_NEXT && links < most &&
                   !returns(&c->walk, (uint32_t)word)) {
            c->at = (uint32_t)word;
            links++;
        } else {
            break;
        }
    }
    return count;
}

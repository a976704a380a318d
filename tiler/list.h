/* Tile lists as they stand in memory, and how they are read. For GPUs whose own lists no driver ever sees:
 * the format is ours, and who writes a list reads it.
 *
 * A list is a run of 64-bit entries in memory that a family provides; places in that memory are 32 bits, and
 * where place 0 is, the family knows. Bits 63:60 of an entry say what it is, and never 11 or above. It holds
 * primitives in the order in which they were drawn. Before the first of a draw stands the draw's record,
 * bytes of the family's (a descriptor's address, where its vertices are), which holds until the next. */
#ifndef VITRAIL_TILER_LIST_H
#define VITRAIL_TILER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "util/walk.h"

#define TILER_ENTRY     8u         /* bytes */
#define TILER_LIST_MOST (1u << 29) /* entries: no more have places */

enum tiler_entry_kind {
    TILER_ENTRY_END,
    TILER_ENTRY_TRIANGLE,         /* index[0..2] */
    TILER_ENTRY_LINE,             /* index[0..1] */
    TILER_ENTRY_POINT,            /* index[0] */
    TILER_ENTRY_RECTANGLE,        /* index[0..2]: corners of a parallelogram, the fourth is 0 + 2 - 1 */
    TILER_ENTRY_CLIPPED_TRIANGLE, /* place of a struct tiler_clipped */
    TILER_ENTRY_CLIPPED_LINE,     /* likewise, of its vertices 0 and 1 */
    TILER_ENTRY_STATE,            /* place of the draw's record, for what follows in this list */
    TILER_ENTRY_NEXT,             /* place at which the list goes on */
    TILER_ENTRY_LONG,             /* triangle or rectangle whose indices lie far apart: two words */
};

/* A vertex that clipping has made: a varying's value there is the sum of weight[k] times the value at
 * index[k]. */
struct tiler_clipped_vertex {
    float x, y, z, inv_w; /* window coordinates, pixels */
    float weight[3];
};

/* A piece of a primitive that was clipped; a line has two vertices. */
struct tiler_clipped {
    uint32_t index[3];
    struct tiler_clipped_vertex vertex[3];
};

_Static_assert(sizeof(struct tiler_clipped) == 96, "it is laid out in memory");

/* In a STATE entry: the draw needs tiles of four samples. In a list's first entry: some draw of the list
 * does. */
#define TILER_ENTRY_FOUR_SAMPLES (1ull << 32)

#define TILER_INDEX_MAX 0xffffffu /* of index 0; the others in one word differ by at most: */
#define TILER_DELTA_MAX 0x1ffff

struct tiler_entry {
    enum tiler_entry_kind kind; /* LONG entries show as what they are */
    uint32_t index[3];
    uint32_t place;
};

static inline uint64_t tiler_entry_place(enum tiler_entry_kind kind, uint32_t place)
{
    return (uint64_t)kind << 60 | place;
}

/* Encodes a triangle, rectangle, line or point; returns the words, 1 or 2. */
static inline unsigned tiler_entry_encode(enum tiler_entry_kind kind, const uint32_t index[3],
                                          uint64_t word[2])
{
    int64_t d1 = (int64_t)index[1] - index[0], d2 = (int64_t)index[2] - index[0];
    if (kind == TILER_ENTRY_LINE || kind == TILER_ENTRY_POINT) {
        word[0] = (uint64_t)kind << 60 | (uint64_t)(index[1] & TILER_INDEX_MAX) << 24 | index[0];
        return 1;
    }
    word[0] = (uint64_t)kind << 60 | index[0];
    if (d1 >= -TILER_DELTA_MAX && d1 <= TILER_DELTA_MAX && d2 >= -TILER_DELTA_MAX && d2 <= TILER_DELTA_MAX) {
        word[0] |= (uint64_t)(d1 & 0x3ffff) << 24 | (uint64_t)(d2 & 0x3ffff) << 42;
        return 1;
    }
    word[0] = (uint64_t)TILER_ENTRY_LONG << 60 | (uint64_t)kind << 24 | index[0];
    word[1] = (uint64_t)index[2] << 32 | index[1];
    return 2;
}

/* Words of the entry that begins with `word`. */
static inline unsigned tiler_entry_words(uint64_t word)
{
    return word >> 60 == TILER_ENTRY_LONG ? 2 : 1;
}

/* The indices of a TRIANGLE or RECTANGLE. */
static inline void tiler_entry_triangle(uint64_t word, uint32_t index[3])
{
    index[0] = (uint32_t)word & TILER_INDEX_MAX;
    index[1] = index[0] + (uint32_t)((int32_t)((uint32_t)(word >> 24) << 14) >> 14);
    index[2] = index[0] + (uint32_t)((int32_t)((uint32_t)(word >> 42) << 14) >> 14);
}

/* Decodes an entry of tiler_entry_words words. Any words decode; a kind beyond LONG is no entry, and indices
 * of what is not a primitive mean nothing. */
static inline void tiler_entry_decode(const uint64_t *word, struct tiler_entry *out)
{
    uint32_t first = (uint32_t)word[0] & TILER_INDEX_MAX;
    *out = (struct tiler_entry){(enum tiler_entry_kind)(word[0] >> 60), {first, 0, 0}, (uint32_t)word[0]};
    if (out->kind == TILER_ENTRY_TRIANGLE || out->kind == TILER_ENTRY_RECTANGLE) {
        tiler_entry_triangle(word[0], out->index);
    } else if (out->kind == TILER_ENTRY_LINE) {
        out->index[1] = (uint32_t)(word[0] >> 24) & TILER_INDEX_MAX;
    } else if (out->kind == TILER_ENTRY_LONG) {
        out->kind = (enum tiler_entry_kind)(word[0] >> 24 & 15);
        out->index[1] = (uint32_t)word[1];
        out->index[2] = (uint32_t)(word[1] >> 32);
    }
}

/* ---- reading ---- */

/* Memory with lists in it. Any number of threads may read it, each its own list. */
struct tiler_list_memory {
    const uint8_t *base; /* host address of place 0 */
    const void *ctx;
    /* The end of what is known to be readable from `place` on, at least place + size; 0: it is not. */
    uint64_t (*look)(const void *ctx, uint64_t place, uint32_t size);
};

/* How far a list is read. */
struct tiler_cursor {
    uint64_t at;
    uint64_t from, to; /* places that are known to be readable */
    struct util_walk walk;
};

enum tiler_item_kind {
    TILER_ITEM_END,
    TILER_ITEM_STATE,
    TILER_ITEM_TRIANGLE,
    TILER_ITEM_LINE,
    TILER_ITEM_POINT,
    TILER_ITEM_RECTANGLE,
};

struct tiler_item {
    enum tiler_item_kind kind;
    uint32_t place; /* where it stands */
    uint32_t index[3];
    bool clipped; /* triangles and lines: `vertex` in place of their own */
    struct tiler_clipped_vertex vertex[3];
    /* Of STATE. */
    uint32_t record; /* its place; who reads on checks that it is in memory */
    bool four_samples;
};

enum tiler_read {
    TILER_READ_ITEM,
    /* The list cannot be read on: */
    TILER_READ_MEMORY, /* `size` bytes at `place` are not in memory */
    TILER_READ_BROKEN, /* `word` at `place` is no entry */
    TILER_READ_ROUND,  /* the link at `place` leads to `to`, where the list has been: it has no end */
    TILER_READ_LONG,   /* the link at `place` is one more than all memory holds */
};

struct tiler_read_error {
    uint32_t place, size, to;
    uint64_t word;
};

static inline struct tiler_cursor tiler_list_begin(uint32_t list)
{
    return (struct tiler_cursor){.at = list, .walk = util_walk_begin(TILER_LIST_MOST)};
}

/* The next item, of whatever kind; after END there is none. What is no list ends with an error, *error tells
 * which. Links are bounded by the walk; items that follow each other are for the caller to count. */
enum tiler_read tiler_list_next(const struct tiler_list_memory *memory, struct tiler_cursor *cursor,
                                struct tiler_item *item, struct tiler_read_error *error);
/* The indices of whole triangles, as many as come next, up to `most`; returns their number. What else comes,
 * and what cannot be read, is left to tiler_list_next. */
uint32_t tiler_list_triangles(const struct tiler_list_memory *memory, struct tiler_cursor *cursor,
                              uint32_t index[][3], uint32_t most);
/* The list's own place: one that begins with a link is the one that the link names. */
uint32_t tiler_list_resolve(const struct tiler_list_memory *memory, uint32_t list);

#endif

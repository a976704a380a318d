/* Tile lists as they stand in memory, and how they are read. For GPUs whose own lists no driver ever sees:
 * the format is ours, and who writes a list reads it.
 *
 * A list is a run of 64-bit entries in memory that a family provides; places in that memory are 32 bits, and
 * where place 0 is, the family knows. An entry's kind is never 11 or above. A list holds primitives in
 * the order in which they were drawn. Before the first of a draw stands the draw's record, bytes of the
 * family's (a descriptor's address, where its vertices are), which holds until the next. */
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

/* Fields of an entry: the lowest bit and how many there are. */
// clang-format off
#define TILER_FIELD_PLACE  0, 32
#define TILER_FIELD_FIRST  0, 24 /* index 0 */
#define TILER_FIELD_SECOND 24, 24 /* LINE: index 1 */
#define TILER_FIELD_DELTA1 24, 18 /* TRIANGLE, RECTANGLE: index 1 less index 0, signed */
#define TILER_FIELD_DELTA2 42, 18
#define TILER_FIELD_LONG   24, 4  /* LONG: the kind that it is; its second word has index 1 and 2: */
#define TILER_FIELD_LONG1  0, 32
#define TILER_FIELD_LONG2  32, 32
#define TILER_FIELD_FOUR   32, 1  /* STATE: TILER_ENTRY_FOUR_SAMPLES */
#define TILER_FIELD_KIND   60, 4
// clang-format on

static inline uint64_t tiler_field_mask(unsigned at, unsigned bits)
{
    return (UINT64_MAX >> (64 - bits)) << at;
}
static inline uint64_t tiler_field_put(uint64_t value, unsigned at, unsigned bits)
{
    return value << at & tiler_field_mask(at, bits);
}
static inline uint64_t tiler_field_get(uint64_t word, unsigned at, unsigned bits)
{
    return (word & tiler_field_mask(at, bits)) >> at;
}
static inline int64_t tiler_field_signed(uint64_t word, unsigned at, unsigned bits)
{
    return (int64_t)(word << (64 - bits - at)) >> (64 - bits);
}
/* Whether a signed field has room for the value and its negative. */
static inline bool tiler_field_fits(int64_t value, unsigned at, unsigned bits)
{
    int64_t most = (int64_t)(tiler_field_mask(at, bits) >> at >> 1);
    return value >= -most && value <= most;
}

/* In a STATE entry: the draw needs tiles of four samples. In a list's first entry: some draw of the list
 * does. */
#define TILER_ENTRY_FOUR_SAMPLES tiler_field_mask(TILER_FIELD_FOUR)

#define TILER_INDEX_MAX ((uint32_t)tiler_field_mask(TILER_FIELD_FIRST))

struct tiler_entry {
    enum tiler_entry_kind kind; /* LONG entries show as what they are */
    uint32_t index[3];
    uint32_t place;
};

static inline enum tiler_entry_kind tiler_entry_kind_of(uint64_t word)
{
    return (enum tiler_entry_kind)tiler_field_get(word, TILER_FIELD_KIND);
}

static inline uint64_t tiler_entry_place(enum tiler_entry_kind kind, uint32_t place)
{
    return tiler_field_put(kind, TILER_FIELD_KIND) | tiler_field_put(place, TILER_FIELD_PLACE);
}

/* Encodes a triangle, rectangle, line or point; returns the words, 1 or 2. */
static inline unsigned tiler_entry_encode(enum tiler_entry_kind kind, const uint32_t index[3],
                                          uint64_t word[2])
{
    int64_t d1 = (int64_t)index[1] - index[0], d2 = (int64_t)index[2] - index[0];
    word[0] = tiler_field_put(kind, TILER_FIELD_KIND) | tiler_field_put(index[0], TILER_FIELD_FIRST);
    if (kind == TILER_ENTRY_LINE || kind == TILER_ENTRY_POINT) {
        word[0] |= tiler_field_put(index[1], TILER_FIELD_SECOND);
        return 1;
    }
    if (tiler_field_fits(d1, TILER_FIELD_DELTA1) && tiler_field_fits(d2, TILER_FIELD_DELTA2)) {
        word[0] |= tiler_field_put((uint64_t)d1, TILER_FIELD_DELTA1) |
                   tiler_field_put((uint64_t)d2, TILER_FIELD_DELTA2);
        return 1;
    }
    word[0] = tiler_field_put(TILER_ENTRY_LONG, TILER_FIELD_KIND) | tiler_field_put(kind, TILER_FIELD_LONG) |
              tiler_field_put(index[0], TILER_FIELD_FIRST);
    word[1] = tiler_field_put(index[1], TILER_FIELD_LONG1) | tiler_field_put(index[2], TILER_FIELD_LONG2);
    return 2;
}

/* Words of the entry that begins with `word`. */
static inline unsigned tiler_entry_words(uint64_t word)
{
    return tiler_entry_kind_of(word) == TILER_ENTRY_LONG ? 2 : 1;
}

/* The indices of a TRIANGLE or RECTANGLE. */
static inline void tiler_entry_triangle(uint64_t word, uint32_t index[3])
{
    index[0] = (uint32_t)tiler_field_get(word, TILER_FIELD_FIRST);
    index[1] = index[0] + (uint32_t)tiler_field_signed(word, TILER_FIELD_DELTA1);
    index[2] = index[0] + (uint32_t)tiler_field_signed(word, TILER_FIELD_DELTA2);
}

/* Decodes an entry of tiler_entry_words words. Any words decode; a kind beyond LONG is no entry, and indices
 * of what is not a primitive mean nothing. */
static inline void tiler_entry_decode(const uint64_t *word, struct tiler_entry *out)
{
    uint32_t first = (uint32_t)tiler_field_get(word[0], TILER_FIELD_FIRST);
    *out = (struct tiler_entry){
        tiler_entry_kind_of(word[0]), {first, 0, 0}, (uint32_t)tiler_field_get(word[0], TILER_FIELD_PLACE)};
    if (out->kind == TILER_ENTRY_TRIANGLE || out->kind == TILER_ENTRY_RECTANGLE) {
        tiler_entry_triangle(word[0], out->index);
    } else if (out->kind == TILER_ENTRY_LINE) {
        out->index[1] = (uint32_t)tiler_field_get(word[0], TILER_FIELD_SECOND);
    } else if (out->kind == TILER_ENTRY_LONG) {
        out->kind = (enum tiler_entry_kind)tiler_field_get(word[0], TILER_FIELD_LONG);
        out->index[1] = (uint32_t)tiler_field_get(word[1], TILER_FIELD_LONG1);
        out->index[2] = (uint32_t)tiler_field_get(word[1], TILER_FIELD_LONG2);
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

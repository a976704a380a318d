/* What the tile list builder (PLBU) leaves for the pixel processors: the lists in a frame's blocks. The
 * format is ours: no driver reads it. README.md tells it in words.
 *
 * A list is a run of 64-bit entries, from the beginning of its block on; bits 63:60 say what an entry is, and
 * never 11 or above, as the commands of the master lists that call it have there. */
#ifndef VITRAIL_GPU_UTGARD_BIN_H
#define VITRAIL_GPU_UTGARD_BIN_H

#include <stdint.h>

enum utgard_bin_kind {
    UTGARD_BIN_END,
    UTGARD_BIN_TRIANGLE,         /* index[0..2] */
    UTGARD_BIN_LINE,             /* index[0..1] */
    UTGARD_BIN_POINT,            /* index[0] */
    UTGARD_BIN_RECTANGLE,        /* index[0..2]: corners of a parallelogram, the fourth is 0 + 2 - 1 */
    UTGARD_BIN_CLIPPED_TRIANGLE, /* address of a struct utgard_bin_clipped */
    UTGARD_BIN_CLIPPED_LINE,     /* likewise, of its vertices 0 and 1 */
    UTGARD_BIN_STATE,            /* address of a struct utgard_bin_state, for what follows in this list */
    UTGARD_BIN_NEXT,             /* address of the block in which the list goes on */
    UTGARD_BIN_LONG,             /* triangle or rectangle whose indices lie far apart: two words */
};

/* The state that a draw's primitives share, in guest memory. */
struct utgard_bin_state {
    uint32_t rsw;            /* render state word: address */
    uint32_t positions;      /* vertex n: x, y, z, 1/w as four floats at positions + 16 n */
    uint32_t point_sizes;    /* a float at point_sizes + 4 n; 0: all points have `size` */
    float size;              /* of points, or the width of lines, in pixels */
    uint16_t x0, y0, x1, y1; /* pixels that may be drawn; x1 and y1 exclusive: scissor, viewport and frame */
    float near, far;         /* depth range */
    uint32_t draw;           /* number in the job, from 1, for faults */
    uint32_t reserved[7];
};

/* A piece of a primitive that was clipped. A varying's value at a vertex is the sum of weight[k] times the
 * value at index[k]; a line has two. */
struct utgard_bin_clipped {
    uint32_t index[3];
    struct {
        float x, y, z, inv_w; /* window coordinates, pixels */
        float weight[3];
    } vertex[3];
};

_Static_assert(sizeof(struct utgard_bin_state) == 64 && sizeof(struct utgard_bin_clipped) == 96,
               "records are laid out in guest memory");

/* In a STATE entry: the draw needs tiles of four samples. In a list's first entry: some draw of the list
 * does. */
#define UTGARD_BIN_FOUR_SAMPLES (1ull << 32)

#define UTGARD_BIN_INDEX_MAX 0xffffffu /* of index 0; the others in one word differ by at most: */
#define UTGARD_BIN_DELTA     0x1ffff

struct utgard_bin_entry {
    enum utgard_bin_kind kind; /* LONG entries show as what they are */
    uint32_t index[3];
    uint32_t address;
};

static inline uint64_t utgard_bin_address(enum utgard_bin_kind kind, uint32_t address)
{
    return (uint64_t)kind << 60 | address;
}

/* Encodes a triangle, rectangle, line or point; returns the words, 1 or 2. */
static inline unsigned utgard_bin_encode(enum utgard_bin_kind kind, const uint32_t index[3], uint64_t word[2])
{
    int64_t d1 = (int64_t)index[1] - index[0], d2 = (int64_t)index[2] - index[0];
    if (kind == UTGARD_BIN_LINE || kind == UTGARD_BIN_POINT) {
        word[0] = (uint64_t)kind << 60 | (uint64_t)(index[1] & UTGARD_BIN_INDEX_MAX) << 24 | index[0];
        return 1;
    }
    word[0] = (uint64_t)kind << 60 | index[0];
    if (d1 >= -UTGARD_BIN_DELTA && d1 <= UTGARD_BIN_DELTA && d2 >= -UTGARD_BIN_DELTA &&
        d2 <= UTGARD_BIN_DELTA) {
        word[0] |= (uint64_t)(d1 & 0x3ffff) << 24 | (uint64_t)(d2 & 0x3ffff) << 42;
        return 1;
    }
    word[0] = (uint64_t)UTGARD_BIN_LONG << 60 | (uint64_t)kind << 24 | index[0];
    word[1] = (uint64_t)index[2] << 32 | index[1];
    return 2;
}

/* Words of the entry that begins with `word`. */
static inline unsigned utgard_bin_words(uint64_t word)
{
    return word >> 60 == UTGARD_BIN_LONG ? 2 : 1;
}

/* The indices of a TRIANGLE or RECTANGLE. */
static inline void utgard_bin_triangle(uint64_t word, uint32_t index[3])
{
    index[0] = (uint32_t)word & UTGARD_BIN_INDEX_MAX;
    index[1] = index[0] + (uint32_t)((int32_t)((uint32_t)(word >> 24) << 14) >> 14);
    index[2] = index[0] + (uint32_t)((int32_t)((uint32_t)(word >> 42) << 14) >> 14);
}

/* Decodes an entry of utgard_bin_words words. Any words decode; indices of what is not a primitive mean
 * nothing. */
static inline void utgard_bin_decode(const uint64_t *word, struct utgard_bin_entry *out)
{
    uint32_t first = (uint32_t)word[0] & UTGARD_BIN_INDEX_MAX;
    *out = (struct utgard_bin_entry){(enum utgard_bin_kind)(word[0] >> 60), {first, 0, 0}, (uint32_t)word[0]};
    if (out->kind == UTGARD_BIN_TRIANGLE || out->kind == UTGARD_BIN_RECTANGLE) {
        utgard_bin_triangle(word[0], out->index);
    } else if (out->kind == UTGARD_BIN_LINE) {
        out->index[1] = (uint32_t)(word[0] >> 24) & UTGARD_BIN_INDEX_MAX;
    } else if (out->kind == UTGARD_BIN_LONG) {
        out->kind = (enum utgard_bin_kind)(word[0] >> 24 & 15);
        out->index[1] = (uint32_t)word[1];
        out->index[2] = (uint32_t)(word[1] >> 32);
    }
}

#endif

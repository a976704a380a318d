/* Primitive lists, a piece at a time: indices fetched once into private memory, triangles assembled and
 * culled, all by several threads where that pays. What is left stands in order, whatever the number of
 * threads. Pools may be NULL. */
#ifndef VITRAIL_TILER_PIECE_H
#define VITRAIL_TILER_PIECE_H

#include "tiler/assemble.h"
#include "tiler/cull.h"
#include "tiler/marks.h"
#include "util/pool.h"

#define TILER_CHUNK  1536u /* indices that a thread takes at a time: whole triangles, and lines */
#define TILER_CHUNKS 128u
#define TILER_PIECE  (TILER_CHUNK * TILER_CHUNKS)

/* Where a list's indices come from; the guest may write there while they are fetched. */
struct tiler_source {
    const uint8_t *bytes; /* unaligned, little-endian; NULL: `first`, first + 1, ... */
    uint32_t log2;        /* of an index's bytes: 0, 1, 2 */
    uint32_t base;        /* is taken off each index */
    uint32_t first;
    uint64_t length; /* of the list */
};

/* Of indices as they stand in the source. */
struct tiler_range {
    uint32_t least, greatest;
};

/* A chunk's triangles: kept[number * TILER_CHUNK] and on. */
struct tiler_chunk {
    uint32_t primitives, kept;
    struct tiler_culled culled;
};

/* The piece in hand. It is large, but only what a list needs of it costs memory. */
struct tiler_piece {
    struct tiler_marks marks; /* begin as all zero */
    uint32_t first, count;    /* of a list without indices: first, first + 1, ... */
    bool indexed;             /* index[0..count-1], of 16 bits */
    uint16_t index[TILER_PIECE];
    struct tiler_chunk chunk[TILER_CHUNKS];
    struct tiler_triangle kept[TILER_PIECE];
};

static inline uint32_t tiler_piece_chunks(const struct tiler_piece *p)
{
    return (p->count + TILER_CHUNK - 1) / TILER_CHUNK;
}

static inline uint32_t tiler_piece_index(const struct tiler_piece *p, uint32_t i)
{
    return p->indexed ? p->index[i] : p->first + i;
}

/* Takes `count` (1..TILER_PIECE) indices of the source from number `at` on, with `name` into the marks too;
 * returns their range. Those that are not 0..65535 without the base have lost upper bits. */
struct tiler_range tiler_piece_fetch(struct tiler_piece *piece, const struct tiler_source *source,
                                     uint64_t at, uint32_t count, bool name, struct util_pool *pool);
/* Numbers count from vertex `origin`, of which those that were taken lie less than 65536 from it. */
void tiler_piece_number_from(struct tiler_piece *piece, uint32_t origin);
/* The assembler as it stands `count` indices into the piece, if `begin` is how it stood before. */
struct tiler_assembler tiler_piece_assembler(const struct tiler_piece *piece,
                                             const struct tiler_assembler *begin, uint32_t count);
/* The primitives that a chunk's indices complete; returns their number. */
uint32_t tiler_piece_assemble(const struct tiler_piece *piece, const struct tiler_assembler *begin,
                              uint32_t chunk, uint32_t out[TILER_CHUNK][3]);
/* Assembles and culls the piece's triangles: chunk[] and kept[]. Vertices have 16-bit indices. */
void tiler_piece_cull(struct tiler_piece *piece, const struct tiler_assembler *begin,
                      const struct tiler_cull *cull, struct util_pool *pool);

#endif

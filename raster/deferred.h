/* Hidden pixels are not shaded: of the primitives that only replace the colour of what they cover, the last
 * one at a pixel is all that is seen there. The depth and stencil tests of such primitives are done as they
 * come (zs_blocks.h), and the pixels that pass become theirs; their colours wait in this queue, until
 * something is to be drawn that reads colours, or the tile is done. Then each pixel is shaded once, for its
 * last owner: the same bytes as in order.
 *
 * For tiles of one sample. A queue belongs to one worker; all zero, it is ready for raster_deferred_begin. */
#ifndef VITRAIL_RASTER_DEFERRED_H
#define VITRAIL_RASTER_DEFERRED_H

#include <stdalign.h>

#include "raster/prim.h"

/* The planes of a primitive, as what shades it later needs them (prim.h says what they mean): a, b, c and 0
 * of each but depth. */
struct raster_planes {
    float x0, y0;
    uint32_t reverse, unused;
    float inv_w[4];
    struct raster_depth depth;
    float vary[][4];
};

/* A block of pixels to shade. */
struct raster_deferred_block {
    uint8_t x, y;    /* position in the tile, in blocks */
    uint16_t mask;   /* lanes, not 0 */
    uint32_t planes; /* of its primitive: bytes from the queue's first */
};

/* Four quads of 2x2 pixels to shade together, each of any primitive. Places that are left over have no lanes
 * and repeat the first. */
struct raster_deferred_quads {
    uint16_t planes[4]; /* of their primitives: from the queue's first, in 16 bytes */
    uint16_t at[4];     /* their words in raster_tile.color, in bytes */
    uint8_t x[4], y[4]; /* positions in the tile, in quads */
    uint16_t mask;      /* lanes; quad q has 4q to 4q + 3 */
    uint16_t unused[3];
};

#define RASTER_DEFERRED_PRIMS  512u   /* that wait at most */
#define RASTER_DEFERRED_BLOCKS 4096u  /* of them */
#define RASTER_DEFERRED_BYTES  65536u /* of their planes */
#define RASTER_DEFERRED_BATCH  256u   /* blocks shaded in one call at most */

/* A primitive that waits. Its number in the tile is `first_owner` of the queue plus its index. */
struct raster_deferred_prim {
    const void *shader;    /* whoever shades it */
    uint32_t planes;       /* bytes from the queue's first */
    uint32_t first, count; /* of the queue's blocks; a primitive that covers the tile has none */
};

struct raster_deferred {
    alignas(64) uint16_t owner[RASTER_TILE_WORDS]; /* number of the last primitive at a pixel, in blocks as
                                                    * the tile's words; numbers only grow */
    alignas(64) uint8_t planes[RASTER_DEFERRED_BYTES];
    struct raster_deferred_prim prims[RASTER_DEFERRED_PRIMS];
    struct {
        uint8_t x, y;
        uint16_t mask;
    } blocks[RASTER_DEFERRED_BLOCKS];
    struct raster_deferred_block batch[RASTER_DEFERRED_BATCH];
    uint32_t columns, tile_blocks; /* of the tile, in blocks */
    uint32_t first_owner, prim_count, block_count, plane_bytes;
    struct raster_block whole[RASTER_BLOCKS_MAX]; /* the tile's */
    bool covered; /* the first primitive covers the tile: it owns what nobody after it does */
};

/* Empties the queue, for a tile of width x height pixels. */
void raster_deferred_begin(struct raster_deferred *queue, uint32_t width, uint32_t height);

/* Appends a primitive whose colours `shader` makes of its planes and its first `varyings` varyings, with what
 * of its blocks has passed the tests (their `mask` counts); blocks NULL: all of the tile. What it hides of
 * others is forgotten. False, and nothing is done, when there is no room: what waits must be shaded first. */
bool raster_deferred_add(struct raster_deferred *queue, const void *shader, const struct raster_prim *prim,
                         uint32_t varyings, const struct raster_block *blocks, uint32_t count);

/* Whether every pixel of the tile (of one sample) is covered and not clipped: seen without a list of blocks,
 * which is queue->whole, tile_blocks of them, where it is needed. */
bool raster_deferred_fills(const struct raster_prim *prim, const struct raster_tile *tile,
                           const struct raster_rect *clip);

/* Shades blocks of primitives of one shader: each pixel once, so in any order. `planes` is what
 * raster_deferred_block.planes counts from, aligned to 16. */
typedef void (*raster_deferred_fn)(void *data, const void *shader, const uint8_t *planes,
                                   const struct raster_deferred_block *blocks, uint32_t count);
/* The quads of up to RASTER_DEFERRED_BATCH blocks that have lanes, by fours; returns the number of fours.
 * Blocks at the edges of primitives are mostly empty: shading by quads is for programs whose lanes look at
 * nothing beyond theirs. */
uint32_t raster_deferred_pack(const struct raster_tile *tile, const struct raster_deferred_block *blocks,
                              uint32_t count, struct raster_deferred_quads *out);
/* Whether quads would make a third fewer runs than blocks. */
bool raster_deferred_is_sparse(const struct raster_deferred_block *blocks, uint32_t count);
/* Shades what waits, and empties the queue. */
void raster_deferred_shade(struct raster_deferred *queue, raster_deferred_fn shade, void *data);

static inline bool raster_deferred_waits(const struct raster_deferred *queue)
{
    return queue->prim_count;
}

/* Bytes of the planes of a primitive of so many varyings, and the copy of them. */
static inline uint32_t raster_planes_bytes(uint32_t varyings)
{
    return (uint32_t)(sizeof(struct raster_planes) + varyings * 4 * sizeof(float));
}
void raster_planes_copy(const struct raster_prim *prim, uint32_t varyings, struct raster_planes *out);

#endif

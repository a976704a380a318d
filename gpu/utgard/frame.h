/* A frame of the pixel processors: the tiles that master lists name are cleared, drawn and written back. Tile
 * lists come through a reader, so that their format is none of this file's business. */
#ifndef VITRAIL_GPU_UTGARD_FRAME_H
#define VITRAIL_GPU_UTGARD_FRAME_H

#include "gpu/utgard/frag.h"
#include "gpu/utgard/walk.h"
#include "gpu/utgard/writeback.h"
#include "tiler/list.h"
#include "util/pool.h"

struct gpu_observer;

#define UTGARD_TILE        16u /* pixels a side */
#define UTGARD_OWNERS      8u  /* PPs that a frame is for at most */
#define UTGARD_FRAME_WORDS 23u /* frame registers */
#define UTGARD_MAX_TILES   65536u

/* Frame registers by number, and flags in theirs, after the rows of frame.inc. */
enum utgard_frame_word {
#define FRAME_WORD(id, number, low, bits, kind, added, words, name, what) UTGARD_FRAME_##id = number,
#include "gpu/utgard/frame.inc"
};
enum utgard_frame_flag {
#define FRAME_FLAG(id, number, low, name, what) UTGARD_FRAME_##id = 1 << low,
#include "gpu/utgard/frame.inc"
};

/* What the primitives behind it have in common. */
struct utgard_tile_state {
    uint32_t rsw, positions,
        point_sizes;         /* addresses; positions: x, y, z, 1/w as floats, 16 bytes a vertex */
    float size;              /* of points where point_sizes is 0, or the width of lines */
    struct raster_rect clip; /* pixels */
    uint32_t draw;           /* number in the job */
    bool four_samples;       /* the tile needs four samples: of the first item of a list, for all of it */
};

/* Reads a tile's list, item after item; *state is written where the item is one. False and *fault when the
 * list cannot be read, or goes round. Any number of threads call it, each for its own list. */
struct utgard_tile_reader {
    void *ctx;
    bool (*next)(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                 struct utgard_tile_state *state, struct gpu_fault *fault);
    /* The list's own address: several may be one. NULL: none are. */
    uint32_t (*resolve)(void *ctx, uint32_t list);
    /* The indices of whole triangles, as tiler_list_triangles. NULL: there is no such way. */
    uint32_t (*triangles)(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3], uint32_t most);
};

/* frame_bins.c: reads lists as tiler/list.h has them; `ctx` is the const struct gpu_space. */
bool utgard_frame_bins(void *ctx, struct tiler_cursor *cursor, struct tiler_item *item,
                       struct utgard_tile_state *state, struct gpu_fault *fault);
uint32_t utgard_frame_bins_resolve(void *ctx, uint32_t list);
uint32_t utgard_frame_bins_triangles(void *ctx, struct tiler_cursor *cursor, uint32_t index[][3],
                                     uint32_t most);

/* A tile of the frame, in tiles; x and y below UTGARD_TILES. */
struct utgard_tile {
    uint32_t x, y, list;
    uint32_t owner; /* whose master list names it */
};
#define UTGARD_TILES 256u /* in a row, and rows */

/* Reads a master list: {0, B8 | x | y << 8}, {call, B0}, ... {0, BC}. Tiles are appended to tiles[*count],
 * as the owner's. False and *fault: not such a list, or more than UTGARD_MAX_TILES tiles. */
bool utgard_frame_tiles(const struct gpu_space *space, uint32_t list, uint32_t owner,
                        struct utgard_tile *tiles, uint32_t *count, struct gpu_fault *fault);

/* What workers draw in; kept from frame to frame, all zero to begin with. */
struct utgard_workers {
    struct utgard_worker *worker;
    unsigned count;
    struct util_arena *arena; /* of what a frame prepares */
    uint32_t draw_slots;      /* of the table of draws, as the frame before left it */
};
void utgard_workers_free(struct utgard_workers *workers);

struct utgard_pp_frame {
    const struct gpu_space *space;
    struct jit_engine *engine; /* NULL: the reference path */
    struct util_pool *pool;    /* NULL: on the calling thread alone */
    struct utgard_workers *workers;
    struct gpu_programs *programs; /* of the kind utgard_pp_kind */
    struct utgard_tile_reader reader;
    uint32_t registers[UTGARD_FRAME_WORDS];
    uint32_t wb[UTGARD_WB_UNITS][UTGARD_WB_WORDS];
    const struct utgard_tile *tiles; /* one that is named twice is drawn for the last time only */
    uint32_t tile_count, last_owner; /* owners are 0 to last_owner, below UTGARD_OWNERS */
    /* Bounds, of which each tile has its share whatever it needs: instructions of fragments, for 16 lanes
     * each; items of lists. And what the loops of a block may repeat. */
    uint64_t fuel, packets;
    uint32_t block_fuel;
    const struct gpu_observer *observer; /* NULL: nobody looks on */
    uint32_t batch;                      /* the frame's number, for the observer */
    enum isa_numeric numeric;            /* of programs */
    uint64_t *blocks, *instructions;     /* grow by what is shaded; NULL is accepted */
    const struct gpu_host *host;         /* may cancel the frame; NULL: nobody does */
    bool in_order;                       /* hidden pixels are shaded too, each in its turn; the same bytes */
};

/* Renders the frame: the same bytes with any pool, and whoever owns which tile. False and a fault for each
 * owner whose tiles have any (kind NONE: all of them are stored; the others' but for those with faults, of
 * which the first in the order of tiles is named), or for all when nothing was rendered. */
bool utgard_frame_render(const struct utgard_pp_frame *frame, struct gpu_fault *fault);

#endif

/* What the files of the tile list builder share. Internal to gpu/utgard/plbu*.c. */
#ifndef VITRAIL_GPU_UTGARD_PLBU_INTERNAL_H
#define VITRAIL_GPU_UTGARD_PLBU_INTERNAL_H

#include <stdalign.h>

#include "gpu/utgard/bin.h"
#include "gpu/utgard/cl.h"
#include "gpu/utgard/plbu.h"
#include "gpu/utgard/walk.h"
#include "tiler/piece.h"

#define PLBU_UNIT       "plbu"
#define PLBU_TILE       16u      /* pixels */
#define PLBU_LIST_SHIFT 2u       /* tiles a side that share a list at least, as a power of two: 64 pixels */
#define PLBU_MAX_TILES  256u     /* in a row, and rows */
#define PLBU_MAX_BLOCKS 65536u   /* lists of a frame */
#define PLBU_RECTANGLE  15u      /* draw mode beside those of tiler/assemble.h */
#define PLBU_CHUNK      256u     /* indices assembled at a time, where primitives go one by one */
#define PLBU_GUARD      16384.0f /* pixels from the frame's centre to where triangles are clipped */
#define PLBU_PIECES     (TILER_CLIP_MAX - 2)

/* The registers that commands write. */
struct plbu_registers {
    uint32_t positions, indices, point_sizes;
    float left, right, bottom, top, near, far, size;
    uint32_t tiles_x, tiles_y, shift_x, shift_y, stride;
    uint32_t setup[UTGARD_SETUP_CULL_NEGATIVE + 1];
    uint32_t scissor[UTGARD_SCISSOR_Y1 + 1];
    uint32_t rsw, array_positions;
};

/* A tile list being written. */
struct plbu_block {
    uint32_t at, end;            /* next entry; end of the block at hand */
    uint32_t state;              /* address of the state last named; 0: none */
    uint32_t first, first_state; /* where the list begins, and what its first entry names */
    bool checked;                /* its pages may be written, since the list last stood still */
    bool four_samples;           /* some draw needs them */
    uint32_t spares;             /* of its square's other blocks, those that it has looked at */
};

/* What is left of a primitive for the lists: whole, or a clipped piece. */
struct plbu_piece {
    enum utgard_bin_kind kind;
    uint32_t index[3];
    int32_t x[4], y[4]; /* corners, 1/16 pixel: as many as cover needs */
    int32_t reach;      /* of points and lines, on each side */
    uint32_t record;    /* address of `clipped` once it is in the heap */
    struct utgard_bin_clipped clipped;
};

/* A vertex on its own. */
struct plbu_vertex {
    float x, y, z, inv_w;
    float clip[4];
    uint32_t code; /* planes that it is outside of */
};

/* A draw's vertices by number, as far as its pieces have named them. */
struct plbu_vertices {
    alignas(64) struct tiler_vertex at[TILER_MARKS];
    alignas(16) float position[TILER_MARKS][4]; /* x, y, z, 1/w as they stood in memory */
};

struct plbu_draw {
    bool active, ended; /* ended: the assembler has given its last */
    bool indexed, four_samples;
    bool culls;   /* triangles a piece at a time; otherwise primitives one by one */
    bool resumed; /* the list stood still since it began: pages may have gone */
    uint32_t mode, count, next, start, index_log2, index_at, number;
    struct utgard_bin_state state;
    uint32_t state_at; /* address of its copy in the heap, 0: not there yet */
    struct tiler_grid grid;
    struct tiler_guard guard;
    struct tiler_cull cull;
    uint32_t shift_x, shift_y; /* squares of the grid that share a list, as powers of two */
    uint32_t join_x, join_y;   /* likewise blocks */
    struct tiler_assembler assembler;
    uint32_t chunk_at, chunks, kept_at; /* of the piece at hand: the triangle at hand */
    uint32_t prim_count, prim_at;       /* primitives at hand, one by one */
    uint64_t primitive, prim_number;    /* number in the draw of the one at hand, and of the next */
    uint32_t piece_count, piece_at;     /* of the primitive at hand */
    uint32_t blocks_done;               /* of the piece of a primitive, or the triangle, at hand */
};

struct utgard_plbu {
    uint32_t at, end; /* of the command list */
    struct util_walk walk;
    uint32_t heap_at, heap_end, block_bytes;
    struct plbu_registers reg;
    struct plbu_block *block; /* PLBU_MAX_BLOCKS */
    uint32_t block_count;
    uint32_t draws, result_at;
    struct plbu_draw draw;
    uint32_t prim[PLBU_CHUNK + 1][3];
    struct plbu_piece piece[PLBU_PIECES];
    struct tiler_piece *list; /* made by the first draw of triangles, as are these: */
    struct plbu_vertices *vertices;
    uint16_t fresh[TILER_MARKS + 16];
    struct tiler_spans spans;
    /* For the length of a run: */
    const struct gpu_space *space;
    const struct utgard_vs_results *results;
    struct util_pool *pool;
    struct utgard_budget *budget;
    const struct gpu_host *host;
    struct gpu_counters *counters; /* the host's */
    struct utgard_stop *stop;
    const struct gpu_observer *observer; /* NULL: nobody looks on */
};

/* Takes `cost` from the packet budget; false with a fault when it is used up. */
bool plbu_pay(struct utgard_plbu *p, uint64_t cost);

/* plbu_draw.c: a draw from its command, and as far as it goes. */
enum utgard_plbu_end plbu_draw_begin(struct utgard_plbu *p, const struct utgard_cl_command *command);
enum utgard_plbu_end plbu_draw_go_on(struct utgard_plbu *p);
/* The draw's indices from number `first` on; NULL with a fault. */
const uint8_t *plbu_indices(struct utgard_plbu *p, uint32_t first, uint32_t count);
/* False, with the fault of an index as it stands in memory. */
bool plbu_bad_index(struct utgard_plbu *p, uint32_t index);
/* Whether vertices least..greatest are in memory; false with a fault. */
bool plbu_check_vertices(struct utgard_plbu *p, uint32_t least, uint32_t greatest);

/* plbu_piece.c: takes the draw's next piece, unless it turns out not to be for culling (draw.culls); bins
 * what is left of it. */
bool plbu_piece_take(struct utgard_plbu *p);
enum utgard_plbu_end plbu_piece_bin(struct utgard_plbu *p);

/* plbu_vertex.c. The middle of a frame of so many tiles, in pixels. */
float plbu_centre(uint32_t tiles);
void plbu_vertex_load(const struct utgard_plbu *p, uint32_t index, struct plbu_vertex *out);
/* `count` vertices that are in memory - index[0..count-1], or without `index` those from `first` on - into
 * p->vertices. */
void plbu_vertices_take(struct utgard_plbu *p, const uint16_t *index, uint32_t first, uint32_t count);

/* plbu_prim.c: what is left of an assembled primitive becomes piece[0..draw.piece_count-1]. */
void plbu_make_pieces(struct utgard_plbu *p, const uint32_t index[3]);

/* plbu_observe.c: a draw begins, and is done; the primitive at hand goes into a list, coded at `address`; a
 * piece of it is left out for its facing. Only for those who look on; for who is told of
 * primitives, these go one by one. */
void plbu_observe_draw(const struct utgard_plbu *p);
void plbu_observe_draw_end(const struct utgard_plbu *p);
void plbu_observe_entry(const struct utgard_plbu *p, uint32_t address);
void plbu_observe_culled(const struct utgard_plbu *p, const struct plbu_piece *piece);

/* plbu_bins.c: the array of blocks; the pieces of a primitive, or a whole triangle, into all lists they may
 * touch; the ends of all lists. */
enum utgard_plbu_end plbu_bins_begin(struct utgard_plbu *p, uint32_t address, uint32_t count);
enum utgard_plbu_end plbu_bins_add_pieces(struct utgard_plbu *p);
enum utgard_plbu_end plbu_bins_add_triangle(struct utgard_plbu *p, const struct tiler_triangle *triangle);
enum utgard_plbu_end plbu_bins_end(struct utgard_plbu *p);

#endif

/* What the files of the binner share. Internal to gpu/vc4/binner*.c.
 *
 * binner.c executes records and holds the state, binner_draw.c checks primitive list records, binner_piece.c
 * takes their indices and assembles and culls primitives, binner_shade.c runs coordinate programs,
 * binner_prim.c clips primitives and finds their tiles, binner_tile.c writes tile lists into guest memory.
 * What can be done for many vertices or primitives at once is done on the pool; tile lists are written in
 * order by one thread, so that every number of threads gives the same bytes, faults and interrupts. Faults
 * are filled into binner->fault by whoever finds them; the caller unwinds with false. */
#ifndef VITRAIL_GPU_VC4_BINNER_INTERNAL_H
#define VITRAIL_GPU_VC4_BINNER_INTERNAL_H

#include <stdalign.h>

#include "gpu/vc4/binner.h"
#include "gpu/vc4/cl.h"
#include "gpu/vc4/observe.h"
#include "gpu/vc4/tile_list.h"
#include "gpu/vc4/vertex.h"
#include "gpu/vc4/vg_list.h"
#include "tiler/piece.h"

#define VC4_BINNER_UNIT "binner"

/* ---- state that goes into tile lists ----
 * The records as the binning list gave them, each with the state counter's value when it last changed. A tile
 * remembers the counter's value up to which its list is informed: so state is added to a list only when it
 * changed since, and only by a primitive that depends on it (Guide section 8). */
enum vc4_bin_group {
    VC4_GROUP_SHADER,
    VC4_GROUP_CONFIG,
    VC4_GROUP_FLAT,
    VC4_GROUP_POINT_SIZE,
    VC4_GROUP_LINE_WIDTH,
    VC4_GROUP_DEPTH_OFFSET,
    VC4_GROUP_CLIP_WINDOW,
    VC4_GROUP_VIEWPORT,
    VC4_GROUP_Z_CLIP,
    VC4_GROUP_COUNT
};

struct vc4_bin_state {
    uint32_t version;
    uint8_t size; /* bytes of the record, 0 when never set */
    uint8_t bytes[9];
};

/* ---- tiles ---- */

#define VC4_TILE_RESERVE 6u /* bytes kept at a block's end: escape and branch, or escape and return */
#define VC4_NO_PRIMITIVE 0xffu

struct vc4_tile {
    uint8_t *at, *limit; /* next byte, and the block's end less the reserve (host addresses) */
    uint32_t previous[3];
    uint32_t seen;    /* state counter up to which `pending` is complete */
    uint16_t pending; /* groups that changed but did not matter yet */
    uint8_t format;   /* of the list, as vc4_binner.format, or VC4_NO_PRIMITIVE */
    bool open;        /* inside a compressed list */
};

/* A primitive cut by the clipper: what record 49 says of it. */
struct vc4_bin_clipped {
    uint32_t flags;   /* bit n: vertex n is new; 0 for a whole primitive */
    uint32_t address; /* of the vertices' data, once allocated */
    struct vc4_clipped_vertex vertex[3];
};

/* ---- shaded coordinates of a draw, by vertex index ---- */

#define VC4_INDEX_COUNT 65536u /* tile lists hold 16-bit indices */

struct vc4_bin_vertices {
    alignas(64) struct tiler_vertex at[VC4_INDEX_COUNT];
    alignas(16) float clip[VC4_INDEX_COUNT][4];
    float size[VC4_INDEX_COUNT]; /* of points, where the program gives it */
};

/* ---- a primitive list, piece by piece ---- */

/* Where a draw's indices come from. */
struct vc4_bin_source {
    struct tiler_source list;
    uint32_t max_index;
};

/* The piece in hand, and those of its vertices that are not shaded yet. */
struct vc4_bin_piece {
    struct tiler_piece list;
    uint16_t fresh[VC4_INDEX_COUNT];
};

struct vc4_binner {
    struct vc4_device *device;
    const struct gpu_observer *observer; /* the device's */
    struct gpu_fault fault;
    unsigned host_fpenv; /* to go back to around interrupts */
    bool running, reset; /* a reset asked for by an interrupt handler waits for the run to unwind */
    /* The list in execution. */
    uint32_t stack[2], depth;
    uint64_t budget, fuel; /* left of the job's */
    uint32_t draws;
    uint32_t increments; /* of the renderer's semaphore, due when the tile lists are flushed */
    /* Record 112. */
    bool configured, started;
    uint32_t alloc_address, alloc_size, state_address;
    uint32_t tiles_x, tiles_y, initial_block, block;
    struct tiler_grid grid; /* tile size; its window and inset are set for each draw */
    bool ms;
    /* State. */
    uint32_t version;
    uint32_t set_since_start; /* groups */
    struct vc4_bin_state state[VC4_GROUP_COUNT];
    bool has_shader, forward, reverse, clockwise;
    uint8_t oversample;  /* record 96: 0 none, 1 4x, 2 16x */
    uint8_t shader_kind; /* enum vc4_shader_kind */
    uint32_t shader_address, shader_attributes;
    bool shader_extended;
    struct vc4_vg_fan fan; /* of the VG list before */
    float point_size, line_width;
    uint32_t clip_left, clip_bottom, clip_width, clip_height;
    int32_t viewport_x, viewport_y; /* 1/16 pixel */
    float half_width, half_height;  /* 1/16 pixel, signed */
    float z_scale, z_offset;
    /* The shader state now in force, read by the first draw that uses it, and its coordinate stage. */
    bool shader_read;
    struct vc4_shader_state shader;
    struct vc4_vertex_stage *stage;
    uint32_t stage_max_index;
    /* The draw. */
    uint32_t draw_address; /* of its record */
    uint8_t primitive;     /* enum vc4_primitive */
    /* Numbers of primitives in the draw, from 0: of the one in hand, of the first of those given together, of
     * the next to be given. */
    uint64_t number, first_number, next_number;
    uint8_t format;   /* the same, and VC4_LIST_COORDINATES */
    uint8_t max_code; /* bytes of a primitive in that format */
    struct tiler_guard guard;
    struct vc4_bin_vertices *vertices;
    struct vc4_bin_piece *piece;
    struct tiler_assembler assembler; /* as it stands before the piece */
    struct tiler_cull cull;
    struct tiler_spans spans;
    /* Tiles, row after row. */
    struct vc4_tile *tiles;
    uint32_t tile_room;
    uint64_t primitives_in, primitives_binned, vertices_shaded, executed, list_bytes;
    uint64_t outside, cut, reversed; /* primitives beyond the clip window or the view; clipped; culled */
};

/* Takes `units` (records, or as much work as a record is) from the budget; false with a timeout when it is
 * used up. */
bool vc4_binner_spend(struct vc4_binner *binner, uint64_t units, uint32_t address);

/* Fills binner->fault and returns false. */
bool vc4_binner_fail(struct vc4_binner *binner, enum gpu_fault_kind kind, uint32_t address,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* binner_draw.c: executes a primitive list record (32, 33, 41 or 42) at `address`; *next, the record's end,
 * becomes the end of a list that follows inline. */
bool vc4_binner_draw(struct vc4_binner *binner, const struct vc4_cl_record *record, uint32_t address,
                     uint32_t *next);

/* binner_piece.c: a primitive list whose shader is read, from indices to tile lists. */
bool vc4_binner_draw_source(struct vc4_binner *binner, const struct vc4_bin_source *source,
                            enum tiler_mode mode);

/* binner_ahead.c: begins to compile what rendering will need of the shader in force, whose record is read. */
void vc4_binner_compile_ahead(struct vc4_binner *binner);

/* binner_draw.c: a stage whose attributes were checked for indices up to `max_index` at least. */
bool vc4_binner_prepare_stage(struct vc4_binner *binner, uint32_t max_index);

/* binner_shade.c: runs the coordinate program for `count` vertices, each given once - index[0..count-1], or
 * without `index` those from `first` on - on the pool where that pays; results go to binner->vertices. */
bool vc4_binner_shade(struct vc4_binner *binner, const uint16_t *index, uint32_t first, uint32_t count);

/* binner_prim.c: clips and bins assembled primitives whose vertices are shaded. */
bool vc4_binner_primitives(struct vc4_binner *binner, const uint32_t (*index)[3], uint32_t count);
/* The same of what culling has left of triangles. Nobody is told of them. */
bool vc4_binner_triangles(struct vc4_binner *binner, const struct tiler_triangle *triangle, uint32_t count);

/* The same of a triangle of screen coordinates (vg_list.h), which is never clipped. */
bool vc4_binner_coordinates(struct vc4_binner *binner, const uint32_t xy[3]);

/* binner_tile.c. Start gives every tile its initial block; flush ends every list, with its pending state
 * written out first when `all_state`. */
bool vc4_binner_tiles_start(struct vc4_binner *binner, uint32_t address);
bool vc4_binner_tiles_flush(struct vc4_binner *binner, bool all_state);
/* Appends a primitive to a tile's list, after the state it needs. The clipped primitive's vertex data goes to
 * tile memory the first time (clipped->address). */
bool vc4_binner_tile_add(struct vc4_binner *binner, struct vc4_tile *tile, const uint32_t index[3]);
bool vc4_binner_tile_add_clipped(struct vc4_binner *binner, struct vc4_tile *tile, const uint32_t index[3],
                                 struct vc4_bin_clipped *clipped);

#endif

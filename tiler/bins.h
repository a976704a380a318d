/* Draws of vertices in window coordinates, written into tile lists (list.h): primitives assembled, culled,
 * clipped and put into each list that they may touch.
 *
 * Lists stand in memory that a family provides, block by block, and when that is full a draw stands still:
 * tiler_bins_draw says TILER_NO_ROOM, and called again it goes on at the same primitive and list. The lists
 * are then those that more memory would have given, but for places.
 *
 * One thread at a time works on a struct tiler_bins, and its pool helps. The entries are the same whatever
 * the number of workers. */
#ifndef VITRAIL_TILER_BINS_H
#define VITRAIL_TILER_BINS_H

#include "tiler/list.h"
#include "tiler/piece.h"
#include "tiler/window.h"

#define TILER_BINS_CHUNK 256u /* indices assembled at a time, where primitives go one by one */

enum tiler_end {
    TILER_DONE,
    TILER_NO_ROOM,   /* no memory left for lists: to be called again when there is more */
    TILER_REFUSED,   /* a port refused, and knows why */
    TILER_BAD_INDEX, /* bins.bad_index lies before the draw's base, or too far behind it */
};

/* A tile list being written. */
struct tiler_bin {
    uint32_t at, end;             /* places: of the next entry; end of the block at hand */
    uint32_t record;              /* place of the draw's record last named; 0: none */
    uint32_t first, first_record; /* where the list begins, and what its first entry names */
    bool checked;                 /* its block may be written, since the lists last stood still */
    bool four_samples;            /* some draw needs them */
    uint32_t family;              /* the family's own; 0 to begin with */
};

/* Where the vertices of a draw stand: host addresses of vertex 0, of which only what was asked for may be
 * read. */
struct tiler_arrays {
    const uint8_t *positions; /* TILER_POSITION bytes a vertex */
    const uint8_t *sizes;     /* of points, a float a vertex; NULL: all have the draw's */
    bool half_sizes;          /* halves instead */
};

/* What a family gives. None of it is called for a triangle that goes into one list with room. */
struct tiler_bins_ports {
    /* Room for a record, that may be written; its place, never 0. DONE, NO_ROOM or REFUSED. */
    enum tiler_end (*record)(void *ctx, uint32_t bytes, uint32_t *place);
    /* A block in which a list goes on: place and bytes, room for four entries at least. DONE or NO_ROOM. */
    enum tiler_end (*block)(void *ctx, struct tiler_bin *bin, uint32_t *place, uint32_t *bytes);
    /* Whether the list may be written there. None is written to that was not asked for since the draw began. */
    bool (*writable)(void *ctx, struct tiler_bin *bin, uint32_t place, uint32_t bytes);
    /* Takes what work costs: an index, or 16 lists, for one. False: the guest has used up what it may. */
    bool (*pay)(void *ctx, uint64_t cost);
    /* The draw's indices from number `first` on, NULL: not in memory. They may change while they are read. */
    const uint8_t *(*indices)(void *ctx, uint32_t first, uint32_t count);
    /* Whether vertices least..greatest may be read. */
    bool (*vertices)(void *ctx, uint32_t least, uint32_t greatest, struct tiler_arrays *out);
    /* Of draws that are told of: the entry at `place` is of this primitive of the draw; one is left out for
     * its facing (corners in 1/16 pixel). */
    void (*binned)(void *ctx, uint32_t place, uint64_t primitive);
    void (*culled)(void *ctx, uint64_t primitive, const int32_t x[3], const int32_t y[3]);
};

/* What a family says of a draw. */
struct tiler_draw {
    enum tiler_mode mode;
    bool rectangles;           /* of three corners, with TILER_TRIANGLES: neither culled nor clipped */
    bool told;                 /* each primitive is told of, one by one */
    bool indexed;              /* of 1 << index_log2 bytes; otherwise vertices 0..count - 1 */
    uint32_t index_log2, base; /* base: is taken off each index */
    uint32_t count;            /* indices or vertices, of whole primitives (tiler_mode_whole) */
    float size;                /* of points without their own, or the width of lines, in pixels */
    bool first_provokes;       /* assemble.h */
    bool keep_positive, keep_negative; /* triangles by the sign of their area, x right and y down */
    struct tiler_window window;
    struct tiler_grid grid;
    uint32_t shift_x, shift_y; /* tiles of the grid that share a list, as powers of two */
    uint32_t column, row;      /* from one list to the next in a row, and to that below it */
    const void *record;        /* what STATE entries name; borrowed until the draw is done */
    uint32_t record_bytes;
    bool four_samples;
};

/* What a draw of triangles needs besides: large, but only what is used of it costs memory. 64-byte aligned;
 * piece.marks begin as zero. */
struct tiler_bins_room {
    struct tiler_piece piece;
    struct tiler_window_vertices vertices;
    uint16_t fresh[TILER_MARKS + 16];
};

/* What is left of a primitive for the lists: whole, or a clipped piece. */
struct tiler_bins_part {
    enum tiler_entry_kind kind;
    uint32_t index[3];
    int32_t x[4], y[4]; /* corners, 1/16 pixel: as many as cover needs */
    int32_t reach;      /* of points and lines, on each side */
    uint32_t record;    /* place of `clipped` once it is there */
    struct tiler_clipped clipped;
};

/* Vertices that a list names: a byte each, which becomes 1; of vertices `first` to first + count - 1, whatever others
 * a draw has. */
struct tiler_named {
    uint8_t *of;
    uint32_t first, count; /* 0: nobody asks */
};

/* Lists and the draw that goes into them. Begins as zero but for what stands first. */
struct tiler_bins {
    /* The family's, and whoever goes on must keep them valid: */
    const struct tiler_bins_ports *ports;
    void *ctx;
    uint8_t *base; /* host address of place 0 */
    struct util_pool *pool;
    struct tiler_bins_room *room; /* for draws that tiler_draw_culls */
    struct tiler_bin *bin;
    struct tiler_named named;
    /* Grow; the family may take them and set them back. */
    uint64_t primitives_in, primitives_binned;
    uint32_t bad_index;
    /* The rest is the draw's progress. */
    struct tiler_draw draw;
    bool ended;         /* the assembler has given its last */
    bool culls;         /* triangles a piece at a time; otherwise primitives one by one */
    bool resumed;       /* the lists stood still since the draw began: pages may have gone */
    uint32_t next;      /* index */
    uint32_t origin;    /* of the piece at hand: the vertex that its number 0 is */
    uint32_t record_at; /* place of the draw's record, 0: not there yet */
    struct tiler_arrays arrays;
    struct tiler_cull cull;
    struct tiler_assembler assembler;
    uint32_t chunk_at, chunks, kept_at; /* of the piece at hand: the triangle at hand */
    uint32_t prim_count, prim_at;       /* primitives at hand, one by one */
    uint64_t primitive, prim_number;    /* number in the draw of the one at hand, and of the next */
    uint32_t part_count, part_at;       /* of the primitive at hand */
    uint32_t lists_done;                /* of the part of a primitive, or the triangle, at hand */
    uint32_t prim[TILER_BINS_CHUNK + 1][3];
    struct tiler_bins_part part[TILER_CLIP_MAX - 2];
    struct tiler_spans spans;
};

/* Whether a draw's triangles are culled a piece at a time: it needs bins.room then. */
static inline bool tiler_draw_culls(const struct tiler_draw *draw)
{
    return !draw->told && !draw->rectangles && tiler_mode_vertices(draw->mode) == 3;
}

/* A list that begins with a block of `bytes` at `place`, room for four entries at least. */
void tiler_bin_begin(struct tiler_bin *bin, uint32_t place, uint32_t bytes);
/* The lists bin[0..count-1] stood still: what may be written is asked for again. */
void tiler_bins_resume(struct tiler_bins *bins, uint32_t count);

/* A draw begins, after the one before is done; its lists have begun. */
void tiler_bins_draw_begin(struct tiler_bins *bins, const struct tiler_draw *draw);
/* Another run of the draw's indices, once the one before is done: `count` of them, which make primitives of
 * their own under the same record. What the ports give counts from the run's first. */
void tiler_bins_run_begin(struct tiler_bins *bins, uint32_t count);
/* Goes on with it until it is done, or as far as it goes: any end. A draw that was refused is to be given up.
 */
enum tiler_end tiler_bins_draw(struct tiler_bins *bins);

/* Ends the list, which may go on later all the same: by END, or with `link` by a NEXT to another list.
 * DONE or REFUSED. */
enum tiler_end tiler_bin_end(struct tiler_bins *bins, struct tiler_bin *bin, const struct tiler_bin *link);

#endif

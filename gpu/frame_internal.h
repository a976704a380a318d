/* A frame being rendered. Internal to gpu/frame*.c. */
#ifndef VITRAIL_GPU_FRAME_INTERNAL_H
#define VITRAIL_GPU_FRAME_INTERNAL_H

#include "gpu/frame.h"
#include "gpu/watched.h"

struct gpu_frame_worker {
    struct raster_worker raster;        /* its work is of the frame */
    float vary[4][RASTER_MAX_VARYINGS]; /* of the primitive in hand */
    const struct gpu_frame_draw *draw;  /* the last */
    uint64_t entries;                   /* of lists, that it has read for the frame */
    /* Of an observed frame (frame_observe.c): */
    struct gpu_watched watched; /* of the tile in hand */
    uint32_t part;              /* of the tile, from 0 */
    uint32_t list;              /* states of the tile so far */
    uint64_t number;            /* primitives of the state so far */
};

/* Tiles that are drawn as one: neighbours with the same list, in a square of as many as a tile buffer holds, or in a row of
 * such squares that nothing is drawn on.
 */
struct gpu_frame_area {
    uint16_t x, y, width, height; /* tiles */
    uint32_t list;
};

struct gpu_frame_run {
    uint64_t fuel, items;   /* a tile's share */
    uint32_t columns, rows; /* of tiles, as far as the frame has any */
    uint32_t *tile_at;      /* in rows: number of the frame's tile there, from 1 */
    uint32_t *lists;        /* of the frame's tiles, resolved */
    struct gpu_frame_area *areas;
    uint32_t area_count;
    struct gpu_frame_worker *workers;         /* one each */
    struct gpu_fault fault[GPU_FRAME_OWNERS]; /* of tile fault_index */
    uint32_t fault_index[GPU_FRAME_OWNERS];
};

static inline bool gpu_frame_cancelled(const struct gpu_frame *frame)
{
    return frame->host && gpu_host_cancelled(frame->host);
}

/* frame_areas.c: areas out of the frame's tiles, in the order of their first; each tile alone where the frame
 * is observed; false: no host memory. */
bool gpu_frame_areas_make(struct gpu_frame *frame);

/* How an area begins whose list first gives its pixels what their image has there. */
struct gpu_frame_reload {
    bool all;                   /* and does nothing else, so that nothing is to be done */
    bool part;                  /* then draws on; its tiles may be loaded from the image */
    struct tiler_cursor behind; /* where the list goes on, with a state or its end */
    uint32_t items;             /* before that */
    uint64_t cost;              /* of a block, had it been shaded */
};
/* frame_reload.c: of an area of one sample, which nobody looks at. */
void gpu_frame_reload_find(struct gpu_frame *frame, const struct gpu_frame_area *area,
                           struct gpu_frame_worker *worker, struct gpu_frame_reload *out);
/* These pixels count as shaded by the worker. */
void gpu_frame_reload_count(const struct gpu_frame_reload *reload, struct gpu_frame_worker *worker,
                            const struct raster_rect *pixels);

/* frame_tile.c: draws an area's list into the worker's tile, which is part of it; `tiles`: how many it is,
 * whose shares it may take. With reload->part the tile is loaded in place of the list's beginning. */
bool gpu_frame_tile_draw(struct gpu_frame *frame, struct gpu_frame_worker *worker, uint32_t list,
                         uint32_t tiles, const struct gpu_frame_reload *reload, struct gpu_fault *fault);
/* What the first item of a list tells of its tiles. */
struct gpu_tile_needs {
    bool nothing; /* nothing is drawn on them */
    bool four_samples;
};
bool gpu_frame_tile_needs(const struct gpu_frame *frame, uint32_t list, struct gpu_tile_needs *out,
                          struct gpu_fault *fault);

/* frame_draws.c: the draw of that state; NULL and *fault when it cannot be prepared. Any thread. */
const struct gpu_frame_draw *gpu_frame_draw_get(struct gpu_frame *frame, const struct gpu_tile_state *state,
                                                uint32_t samples, bool points, struct gpu_fault *fault);

/* ---- looking on: frame_observe.c ---- */

/* All jobs of the frame, before it is drawn; a job is a tile, numbered as in the list. */
void gpu_frame_observe(const struct gpu_frame *frame);
/* Pixels of the parts, which are squares, that observed tiles are drawn in. */
uint32_t gpu_frame_observed_side(const struct gpu_frame *frame);
/* The rest is for workers whose job is looked at. The part w->part of a tile begins, and its list; they are
 * done; a unit's stores. */
void gpu_frame_observe_tile(const struct gpu_frame_worker *w, bool done);
void gpu_frame_observe_store(const struct gpu_frame *frame, const struct gpu_frame_worker *w, unsigned unit);
/* A draw's primitives follow; an item begins; the worker's primitive, made of `vertex`, is covered and
 * shaded. */
void gpu_frame_observe_list(const struct gpu_frame *frame, struct gpu_frame_worker *w,
                            const struct gpu_tile_state *state, const struct gpu_frame_draw *draw);
void gpu_frame_observe_primitive(struct gpu_frame_worker *w, const struct tiler_item *item);
bool gpu_frame_observe_shade(const struct gpu_frame *frame, struct gpu_frame_worker *w,
                             const struct tiler_item *item, const struct gpu_frame_draw *draw,
                             const struct raster_draw *raster, const struct raster_vertex *vertex);

#endif

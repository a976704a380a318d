/* A frame being rendered. Internal to gpu/utgard/frame*.c. */
#ifndef VITRAIL_GPU_UTGARD_FRAME_INTERNAL_H
#define VITRAIL_GPU_UTGARD_FRAME_INTERNAL_H

#include <pthread.h>

#include "gpu/utgard/frame.h"

#define UTGARD_LEAST_SHARE 65536u /* of the frame's bounds, for a tile */
#define UTGARD_DRAWS       1024u  /* buckets of prepared draws */

/* A render state of the frame, prepared by the first tile that meets it. */
struct utgard_draw {
    struct utgard_draw *next;
    uint32_t rsw;
    uint8_t samples;
    bool points;
    struct utgard_state state;
    struct utgard_frag *frag;
};

struct utgard_worker {
    struct raster_tile tile;
    struct raster_block blocks[RASTER_BLOCKS_MAX];
    /* Of an observed frame (frame_observe.c): */
    void *watch; /* the observer's, of the tile in hand; NULL: it is not looked at */
    uint64_t primitives, shaded, executed;
    uint32_t list;   /* states of the tile so far */
    uint64_t number; /* primitives of the state so far */
};

struct utgard_run {
    const struct utgard_pp_frame *frame;
    uint32_t width, height, clear_color, clear_zs;
    float y_scale, y_offset; /* frag.h */
    uint64_t fuel, items;    /* a tile's share */
    struct utgard_wb wb[UTGARD_WB_UNITS];
    bool multisampled;             /* all tiles have four samples */
    struct utgard_worker *workers; /* one each */
    pthread_mutex_t lock;          /* over all below */
    struct utgard_draw *draws[UTGARD_DRAWS];
    struct gpu_fault fault; /* of tile fault_index */
    uint32_t fault_index;
};

/* frame_tile.c. Whether anything in the list wants four samples: *four is set then. */
bool utgard_tile_samples(struct utgard_run *run, uint32_t list, bool *four, struct gpu_fault *fault);
/* Draws the list into the worker's tile. */
bool utgard_tile_draw(struct utgard_run *run, struct utgard_worker *worker, uint32_t list,
                      struct gpu_fault *fault);
/* ---- looking on: frame_observe.c ---- */

/* All jobs of the frame, before it is drawn; a job is a tile, numbered as in the list. */
void utgard_observe_frame(const struct utgard_run *run);
/* A tile begins on a worker: sets w->watch. The others below are called only where it is set. */
void utgard_observe_job(const struct utgard_run *run, struct utgard_worker *w, unsigned worker, uint32_t job);
void utgard_observe_job_end(const struct utgard_run *run, struct utgard_worker *w);
/* The tile stands where it is and is cleared; its list; its stores, as utgard_wb_store. */
void utgard_observe_tile(const struct utgard_run *run, struct utgard_worker *w);
void utgard_observe_draw(const struct utgard_run *run, struct utgard_worker *w, bool done);
void utgard_observe_store(const struct utgard_run *run, struct utgard_worker *w, unsigned unit);
/* A draw's primitives follow; an item begins; one that is set up is shaded: w->blocks, as utgard_frag_shade.
 */
void utgard_observe_list(const struct utgard_run *run, struct utgard_worker *w,
                         const struct utgard_tile_state *state, const struct utgard_draw *draw);
void utgard_observe_primitive(const struct utgard_run *run, struct utgard_worker *w,
                              const struct utgard_tile_item *item);
bool utgard_observe_shade(const struct utgard_run *run, struct utgard_worker *w,
                          const struct utgard_tile_item *item, const struct utgard_draw *draw,
                          const struct raster_setup *setup, const struct raster_vertex *vertex,
                          const struct raster_prim *prim, uint32_t count, uint64_t *fuel,
                          struct gpu_fault *fault);

/* Frees the prepared draws. */
void utgard_run_forget(struct utgard_run *run);

#endif

/* A frame being rendered. Internal to gpu/utgard/frame*.c. */
#ifndef VITRAIL_GPU_UTGARD_FRAME_INTERNAL_H
#define VITRAIL_GPU_UTGARD_FRAME_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/host.h"
#include "gpu/utgard/frame.h"
#include "raster/draw.h"

#define UTGARD_LEAST_SHARE 65536u /* of the frame's bounds, for a tile */

/* A render state of the frame, prepared by the first tile that meets it; immutable from then on. */
struct utgard_draw {
    uint32_t rsw;
    uint8_t samples;
    bool points;
    struct utgard_frag *frag;
    const struct utgard_state *state; /* of `frag` */
    const struct gpu_fault *fault;    /* what kept it from being prepared; NULL: there was no memory for it */
};

struct utgard_worker {
    struct raster_worker raster;        /* its work is of the frame */
    float vary[4][RASTER_MAX_VARYINGS]; /* of the primitive in hand */
    const struct utgard_draw *draw;     /* the last */
    /* Of an observed frame (frame_observe.c): */
    void *watch; /* the observer's, of the tile in hand; NULL: it is not looked at */
    uint64_t primitives;
    uint32_t list;   /* states of the tile so far */
    uint64_t number; /* primitives of the state so far */
};

/* Tiles that are drawn as one: neighbours with the same list, in a square of as many as a tile buffer holds.
 */
struct utgard_area {
    uint8_t x, y, width, height; /* tiles */
    uint32_t list;
};

struct utgard_run {
    const struct utgard_pp_frame *frame;
    uint32_t width, height, clear_color, clear_zs;
    bool rgba16f;            /* tiles of halves */
    uint64_t clear_rgba16f;  /* then: four, red lowest */
    float y_scale, y_offset; /* frag.h */
    uint64_t fuel, items;    /* a tile's share */
    struct utgard_wb wb[UTGARD_WB_UNITS];
    bool multisampled;      /* all tiles have four samples */
    uint32_t columns, rows; /* of tiles, as far as the frame has any */
    uint32_t *tile_at;      /* in rows: number of the frame's tile there, from 1 */
    uint32_t *lists;        /* of the frame's tiles, resolved */
    struct utgard_area *areas;
    uint32_t area_count;
    struct utgard_worker *workers; /* one each */
    struct util_maker maker;       /* of draws and programs; its lock is over the faults too */
    struct util_memo draws;        /* struct utgard_draw by render state, samples, points or not */
    struct utgard_frag_shared shared;
    struct gpu_fault fault[UTGARD_OWNERS]; /* of tile fault_index */
    uint32_t fault_index[UTGARD_OWNERS];
};

static inline bool utgard_run_cancelled(const struct utgard_run *run)
{
    return run->frame->host && gpu_host_cancelled(run->frame->host);
}

/* frame_areas.c: areas out of the frame's tiles, in the order of their first; each tile alone where the frame
 * is observed; false: no host memory. */
bool utgard_areas_make(struct utgard_run *run);

/* frame_tile.c: draws an area's list into the worker's tile, which is part of it; `tiles`: how many it is,
 * whose shares it may take. */
bool utgard_tile_draw(struct utgard_run *run, struct utgard_worker *worker, uint32_t list, uint32_t tiles,
                      struct gpu_fault *fault);
/* What the first item of a list tells of its tiles. */
struct utgard_tile_needs {
    bool nothing; /* nothing is drawn on them */
    bool four_samples;
};
bool utgard_tile_needs(const struct utgard_run *run, uint32_t list, struct utgard_tile_needs *out,
                       struct gpu_fault *fault);

/* frame_draws.c: the draw of that state; NULL and *fault when it cannot be prepared. Any thread. */
const struct utgard_draw *utgard_draw_get(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                          struct gpu_fault *fault);

/* frame_return.c: whether an area of one sample, which nobody looks at, becomes what its image has there, so
 * that nothing is to be done; it counts as shaded by the worker. */
bool utgard_area_returns(struct utgard_run *run, const struct utgard_area *area,
                         struct utgard_worker *worker);

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
/* A draw's primitives follow; an item begins; the worker's primitive, made of `vertex`, is covered and
 * shaded.
 */
void utgard_observe_list(const struct utgard_run *run, struct utgard_worker *w,
                         const struct utgard_tile_state *state, const struct utgard_draw *draw);
void utgard_observe_primitive(const struct utgard_run *run, struct utgard_worker *w,
                              const struct tiler_item *item);
bool utgard_observe_shade(const struct utgard_run *run, struct utgard_worker *w,
                          const struct tiler_item *item, const struct utgard_draw *draw,
                          const struct raster_draw *raster, const struct raster_vertex *vertex);

#endif

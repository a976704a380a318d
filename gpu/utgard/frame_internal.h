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
/* Frees the prepared draws. */
void utgard_run_forget(struct utgard_run *run);

#endif

/* What frag.c, which shades, and frag_watch.c, which looks on, share. Internal to them. */
#ifndef VITRAIL_GPU_LIBRESOC_FRAG_INTERNAL_H
#define VITRAIL_GPU_LIBRESOC_FRAG_INTERNAL_H

#include "gpu/follow.h"
#include "gpu/libresoc/frag.h"
#include "raster/stages.h"

#define LIBRESOC_TILE 8u /* pixels a side */
#define LIBRESOC_QUAD 4u /* blocks of 4x4 that it is */

/* A tile of 8x8 pixels at hand. */
struct libresoc_tile {
    const struct libresoc_frag *frag;
    const struct raster_prim *prim;
    struct raster_tile *of;
    struct raster_shader_work *work;
    struct libresoc_local *local;
    uint32_t x, y;                   /* in the raster's tile, pixels */
    uint16_t covered[LIBRESOC_QUAD]; /* lanes of each block of 4x4, in rows */
    struct raster_stages_block block[LIBRESOC_QUAD];
    struct libresoc_looking *looking; /* NULL: nobody looks on */
};

/* frag.c: depth, programs and colours of the tile. False and work->fault. */
bool libresoc_tile_shade(struct libresoc_tile *tile);
/* frag_watch.c: the same, told to `watch`. */
bool libresoc_tile_shade_watched(struct libresoc_tile *tile, const struct gpu_watch *watch);
/* Both: the tiles that blocks of a primitive are of. Nonzero: a fault. */
uint32_t libresoc_frag_tiles(const struct libresoc_frag *frag, const struct gpu_watch *watch,
                             const struct raster_prim *prim, struct raster_tile *tile,
                             const struct raster_block *blocks, uint32_t count,
                             struct raster_shader_work *work);

/* What a launch of a tile that is looked at tells. */
simple_v_trace_fn libresoc_looking_trace(struct libresoc_looking *looking,
                                         const struct libresoc_stage *stage);
void libresoc_looking_source(struct libresoc_looking *looking, const uint32_t *rows, uint64_t mask);

/* The bit that a lane of block n has in a tile's mask: pixels in rows. */
static inline unsigned libresoc_bit(unsigned n, unsigned lane)
{
    return (n / 2 * 4 + raster_lane_y(lane)) * LIBRESOC_TILE + n % 2 * 4 + raster_lane_x(lane);
}

#endif

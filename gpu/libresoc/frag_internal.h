/* What frag.c, which shades, and frag_watch.c, which looks on, share. Internal to them. */
#ifndef VITRAIL_GPU_LIBRESOC_FRAG_INTERNAL_H
#define VITRAIL_GPU_LIBRESOC_FRAG_INTERNAL_H

#include "gpu/follow.h"
#include "gpu/libresoc/frag.h"
#include "gpu/libresoc/frag_table.h"

#define LIBRESOC_GROUPS (64u / LIBRESOC_TILE) /* tiles on a side of the largest tile buffer */

/* A tile of 8x8 pixels at hand. */
struct libresoc_tile {
    const struct libresoc_frag *frag;
    const struct raster_prim *prim;
    struct raster_tile *of;
    struct raster_shader_work *work;
    struct libresoc_local *local;
    uint32_t x, y;                    /* in the raster's tile, pixels */
    uint16_t live[LIBRESOC_QUAD];     /* lanes of each block that are to be shaded */
    struct libresoc_looking *looking; /* NULL: nobody looks on */
};

/* frag.c: depth of blocks before the program, as raster_zs_blocks_fn. */
uint32_t libresoc_frag_test(const struct libresoc_frag *frag, const struct raster_prim *prim,
                            struct raster_tile *tile, struct raster_block *blocks, uint32_t count);
/* The tiles that blocks are of, as bits; lanes of their blocks by tile, of others undefined. */
uint64_t libresoc_frag_group(const struct raster_block *blocks, uint32_t count,
                             uint16_t lanes[LIBRESOC_GROUPS * LIBRESOC_GROUPS][LIBRESOC_QUAD]);
static inline void libresoc_tile_place(struct libresoc_tile *t, uint32_t group)
{
    t->x = group % LIBRESOC_GROUPS * LIBRESOC_TILE;
    t->y = group / LIBRESOC_GROUPS * LIBRESOC_TILE;
}
/* The tile's blocks that have such lanes; how many. */
uint32_t libresoc_tile_blocks(const struct libresoc_tile *t, const uint16_t lanes[LIBRESOC_QUAD],
                              struct raster_block out[LIBRESOC_QUAD]);
/* Programs and colours of the tile, whose live lanes have passed; depth of what the program leaves where it may kill. False and
 * work->fault. */
bool libresoc_tile_shade(struct libresoc_tile *tile);

/* A launch of a tile that is looked at tells what it does; then colours of the fragment program, and the pixels that it left. */
void libresoc_looking_launch(struct libresoc_looking *looking, const struct libresoc_stage *stage,
                             struct libresoc_launch *launch);
void libresoc_looking_source(struct libresoc_looking *looking, const uint32_t *rows, uint64_t mask);

#endif

/* Tables of a tile of 8x8 pixels, as programs have them - pixels in rows - out of a primitive and the raster's tile, whose pixels
 * stand in blocks of 4x4 (raster/tile.h), and back. The same bytes on every host. Calls are made in the guest floating-point
 * environment. */
#ifndef VITRAIL_GPU_LIBRESOC_FRAG_TABLE_H
#define VITRAIL_GPU_LIBRESOC_FRAG_TABLE_H

#include "gpu/libresoc/stage.h"
#include "raster/cover.h"

#define LIBRESOC_TILE 8u /* pixels a side */
#define LIBRESOC_QUAD 4u /* blocks of 4x4 that it is */

/* x, y, depth and 1/w of each pixel's centre, then so many varyings there; window pixel (x, y) is the first. `level`: what the host
 * has (raster_cover_level), or less. */
void libresoc_table_fill(enum raster_cover_level level, const struct raster_prim *prim, int32_t x, int32_t y,
                         uint32_t varyings, libresoc_stream *in);

/* Colours of the tile whose first pixel in the raster's is (x, y), as rows; back, those of `mask`. */
void libresoc_table_load(const struct raster_tile *tile, uint32_t x, uint32_t y, libresoc_stream rows);
void libresoc_table_store(struct raster_tile *tile, uint32_t x, uint32_t y, const libresoc_stream rows,
                          uint64_t mask);

/* Lanes of the blocks as a mask of pixels in rows, and back. */
uint64_t libresoc_table_mask(const uint16_t block[LIBRESOC_QUAD]);
uint16_t libresoc_table_lanes(uint64_t mask, unsigned block);

/* The bit that a lane of block n has in a tile's mask. */
static inline unsigned libresoc_bit(unsigned n, unsigned lane)
{
    return (n / 2 * 4 + raster_lane_y(lane)) * LIBRESOC_TILE + n % 2 * 4 + raster_lane_x(lane);
}

#endif

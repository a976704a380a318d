/* The depth and stencil tests of a primitive whose depths are those of its plane (prim.h), done for all of
 * its blocks at once, apart from shading: compiled for a configuration of the tests, in tiles of one sample.
 */
#ifndef VITRAIL_RASTER_ZS_BLOCKS_H
#define VITRAIL_RASTER_ZS_BLOCKS_H

#include "jit/engine.h"
#include "raster/prim.h"
#include "raster/zs.h"

/* Tests the blocks' lanes and updates the tile's words. Blocks with lanes that pass stay, in order, `mask`
 * and sample[0] being those lanes; returns their number. *common becomes the lanes that pass in all of those.
 * The caller is in the guest floating-point environment. */
typedef uint32_t (*raster_zs_blocks_fn)(const struct raster_prim *prim, struct raster_tile *tile,
                                        struct raster_block *blocks, uint32_t count, uint16_t *common);

/* Whether the tests pass all and change nothing, so that none need be done. */
bool raster_zs_is_idle(const struct raster_zs *zs);

/* Compiles the tests of depths of 24 or 16 bits, or finds their code, a raster_zs_blocks_fn; thread-safe. 0 or a
 * negative errno. Who calls it says so with jit_function_ran, RASTER_ZS_BLOCK_COST a block. */
#define RASTER_ZS_BLOCK_COST 8u
int raster_zs_blocks(struct jit_engine *engine, const struct raster_zs *zs, enum raster_depth_kind kind,
                     struct jit_function **out, struct util_error *error);
/* The same in plain C, one lane after the other. */
uint32_t raster_zs_blocks_ref(const struct raster_zs *zs, enum raster_depth_kind kind,
                              const struct raster_prim *prim, struct raster_tile *tile,
                              struct raster_block *blocks, uint32_t count, uint16_t *common);

#endif

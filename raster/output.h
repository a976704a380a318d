/* A fragment's colour meets a target of any format (targets.h): the scalar twin; output_ir.h has it as IR.
 *
 *   bytes     R8G8B8A8_UNORM and R8G8B8X8_UNORM: packed, then blended as bytes (blend.h); where there is no
 *             alpha the destination's is one
 *   integers  replace, within the format's range
 *   others    the source as floats, within 0..1 or -1..1 where the format is normalised (NaN: 0), and the
 *             constant too, is blended in singles with what the tile's pixel unpacks to (blend.h,
 *             raster_blend_float), and packed as texture/texel.h says
 *
 * A logic operation is on the packed bits of normalised formats and integers; in floats and sRGB the source
 * replaces (GL 4.6 section 17.3.9). Components that the mask leaves out, and bits of no component, stay. An
 * equation that only replaces lets floats be any bits. Calls are made in the guest floating-point environment. */
#ifndef VITRAIL_RASTER_OUTPUT_H
#define VITRAIL_RASTER_OUTPUT_H

#include "raster/blend.h"
#include "raster/targets.h"

/* Words of red, green, blue and alpha: floats, or of formats of integers integers. `src1`: the second source,
 * which factors may name. */
struct raster_output_colors {
    uint32_t src[4], src1[4];
    float constant[4];
};

/* Whether a target of the format is blended as bytes; whether it takes integers. */
bool raster_output_is_bytes(enum raster_format format);
bool raster_output_is_integer(enum raster_format format);
/* What a draw's blending comes to in the format: integers, and formats that logic operations spare, replace. */
struct raster_blend raster_output_blend(enum raster_format format, const struct raster_blend *blend);
/* The bits of a pixel that a mask of components writes; with a common exponent, all or none. */
void raster_output_written(enum raster_format format, uint8_t write_mask, uint32_t mask[4]);
/* What the format's numbers are kept within before they are blended; false: they are not. */
bool raster_output_limits(enum raster_format format, float *least);
/* Whether what the tile holds makes a difference. */
bool raster_output_reads(enum raster_format format, const struct raster_blend *blend);

/* `word`: the pixel in the tile; becomes the new one. */
void raster_output_pixel(enum raster_format format, const struct raster_blend *blend,
                         const struct raster_output_colors *colors, uint32_t word[4]);

/* Depths of a block's lanes, for the tests, whose first pixel is window pixel (px, py): the primitive's. */
void raster_output_depth(const struct raster_targets *targets, const struct raster_prim *prim, int32_t px,
                         int32_t py, uint32_t depth[16]);
/* Tests `lanes` of one sample of a block, with what writes of depth and stencil that has. Returns those that
 * pass. `block`: raster_targets_block; `depth` as above or of raster_depth_encode. */
uint16_t raster_output_test(const struct raster_targets *targets, struct raster_tile *tile, uint32_t block,
                            uint32_t sample, const struct raster_zs *zs, bool reverse,
                            const uint32_t depth[16], uint16_t lanes);

/* Colours of one sample of target t, for `lanes` of a block: lane l takes colors[l]. `block`:
 * raster_targets_block. */
void raster_output_block(const struct raster_targets *targets, struct raster_tile *tile, uint32_t block,
                         uint32_t t, uint32_t sample, const struct raster_blend *blend,
                         const struct raster_output_colors colors[16], uint16_t lanes);

#endif

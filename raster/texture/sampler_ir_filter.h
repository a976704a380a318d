/* Taps and filters of the general sampler's emitter (README.md, "The general sampler", 6). A sample between these
 * calls is its components, floats or integers, NULL where not needed; of formats of bytes (raster_sampler_bytes) its
 * packed texel as component 0. */
#ifndef VITRAIL_RASTER_SAMPLER_IR_FILTER_H
#define VITRAIL_RASTER_SAMPLER_IR_FILTER_H

#include "raster/texture/sampler_ir_internal.h"

/* Whether component `n` is there. */
bool raster_sampler_ir_kept(const struct raster_sampler_ir *t, unsigned n);
/* The four texels of a slice that a filter blends, compared if the key says so: tap[2 * y + x]; the first alone
 * where all is nearest. `axis`: where they stand, or NULL. */
void raster_sampler_ir_taps(struct raster_sampler_ir *t, LLVMValueRef tap[4][4],
                            struct raster_axis_ir axis[2]);
/* The level sampled. */
void raster_sampler_ir_sample(struct raster_sampler_ir *t, LLVMValueRef out[4]);
/* out: a blended with b by a weight of floats 0 to 1. */
void raster_sampler_ir_mix(struct raster_sampler_ir *t, LLVMValueRef const a[4], LLVMValueRef const b[4],
                           LLVMValueRef weight, LLVMValueRef out[4]);
/* Packed texels become components. */
void raster_sampler_ir_finish(struct raster_sampler_ir *t, LLVMValueRef texel[4]);

#endif

/* Lookups of the general sampler's emitter by windows of texels in registers. */
#ifndef VITRAIL_RASTER_SAMPLER_IR_WINDOW_H
#define VITRAIL_RASTER_SAMPLER_IR_WINDOW_H

#include "raster/texture/sampler_ir_internal.h"

/* Whether the key and the host have them; levels then are loaded with what windows need. */
bool raster_sampler_ir_windowed(const struct raster_sampler_ir *t);
/* The words of the texels that a slice is filtered from, which lie inside: out[2 * y + x], where all is nearest the
 * first alone. `slice` may be NULL. */
void raster_sampler_ir_window(struct raster_sampler_ir *t, LLVMValueRef slice,
                              const struct raster_axis_ir axis[2], LLVMValueRef out[4]);
/* The words of texels that lie inside, as programs fetch them: out of utiles where the sixteen are in one row of
 * those. */
LLVMValueRef raster_sampler_ir_row(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef x,
                                   LLVMValueRef y);

#endif

/* samples.h as IR over 16 lanes of one sample. */
#ifndef VITRAIL_RASTER_SAMPLES_IR_H
#define VITRAIL_RASTER_SAMPLES_IR_H

#include "jit/builder.h"
#include "raster/samples.h"

/* i1x16: where the sample stays; alpha: f32x16. */
LLVMValueRef raster_samples_alpha_ir(struct jit_builder *b, uint32_t samples, uint32_t sample,
                                     LLVMValueRef alpha);
/* i1x16: lanes whose mask (i32x16) has the sample's bit. */
LLVMValueRef raster_samples_mask_ir(struct jit_builder *b, uint32_t sample, LLVMValueRef mask);
/* raster_query_add; `passed`: ptr to a uint64_t, such as raster_shader_call's. */
void raster_query_ir(struct jit_builder *b, enum raster_query query, LLVMValueRef lanes, LLVMValueRef passed);

#endif

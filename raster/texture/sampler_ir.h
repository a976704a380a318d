/* sampler.h's lookups as IR, specialised on the key. */
#ifndef VITRAIL_RASTER_SAMPLER_IR_H
#define VITRAIL_RASTER_SAMPLER_IR_H

#include "jit/builder.h"
#include "raster/texture/sampler.h"

/* struct raster_lookup_lanes as values, i32x16; NULL counts as zeros. */
struct raster_lookup_ir {
    LLVMValueRef coordinate[3], layer, reference, lod, gradient[2][3], offset[3], sample;
};

/* `image` is a ptr to a validated struct raster_image that nothing changes while the function runs, the key a
 * valid one: each is done. out: four i32x16. The code reads texels' bytes alone.
 *
 * `requests`: how many lookups the program takes: from some on the code of a key is a function of the module's. */
void raster_sampler_ir(struct jit_builder *b, const struct raster_sampler_key *key, LLVMValueRef image,
                       const struct raster_lookup_ir *in, unsigned requests, LLVMValueRef out[4]);

#endif

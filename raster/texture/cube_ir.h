/* raster/texture/cube.h as IR. */
#ifndef VITRAIL_RASTER_CUBE_IR_H
#define VITRAIL_RASTER_CUBE_IR_H

#include "jit/builder.h"

/* Lane 4q + n of each quad, in all four of its lanes. */
LLVMValueRef raster_ir_quad_lane(struct jit_builder *b, LLVMValueRef v, unsigned n);
/* Of all quads, in place: s, t, r, f32x16. */
void raster_ir_cube_plane(struct jit_builder *b, LLVMValueRef c[3]);

#endif

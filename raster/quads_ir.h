/* block_ir.h for four quads, each of any primitive, in the place of a block: the lanes of a quad take the
 * numbers of its primitive. Internal to raster/. */
#ifndef VITRAIL_RASTER_QUADS_IR_H
#define VITRAIL_RASTER_QUADS_IR_H

#include "raster/block_ir.h"

void raster_quads_ir_place(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef index);
/* A number of each quad's primitive, at `offset` of its struct raster_planes, in the quad's lanes: f32x16. */
LLVMValueRef raster_quads_ir_float(struct raster_block_ir *r, struct jit_builder *b, size_t offset);
void raster_quads_ir_store(struct raster_block_ir *r, struct jit_builder *b, LLVMValueRef value,
                           LLVMValueRef lanes);

#endif

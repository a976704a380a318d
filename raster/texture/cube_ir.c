#include "raster/texture/cube_ir.h"

LLVMValueRef raster_ir_quad_lane(struct jit_builder *b, LLVMValueRef v, unsigned n)
{
    uint32_t lanes[16];

    for (unsigned l = 0; l < 16; l++)
        lanes[l] = (l & ~3u) + n;
    return LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), jit_vector_u32(b, lanes), "");
}

/* How far at least the quad's three points reach to lane 0's side. */
static LLVMValueRef reach(struct jit_builder *b, LLVMValueRef c)
{
    LLVMValueRef least = raster_ir_quad_lane(b, c, 0),
                 side = LLVMBuildAnd(b->ir, jit_as_i32(b, least), jit_splat_u32(b, 1u << 31), "");

    least = jit_as_f32(b, LLVMBuildXor(b->ir, jit_as_i32(b, least), side, ""));
    for (unsigned n = 1; n < 3; n++) {
        LLVMValueRef i = LLVMBuildXor(b->ir, jit_as_i32(b, raster_ir_quad_lane(b, c, n)), side, ""),
                     other = jit_as_f32(b, i);

        least = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, least, other, ""), least, other);
    }
    return least;
}

void raster_ir_cube_plane(struct jit_builder *b, LLVMValueRef c[3])
{
    LLVMValueRef x = reach(b, c[0]), y = reach(b, c[1]), z = reach(b, c[2]);
    LLVMValueRef beyond_x = LLVMBuildFCmp(b->ir, LLVMRealOGE, z, x, "");
    LLVMValueRef beyond_y = LLVMBuildFCmp(b->ir, LLVMRealOGE, z, y, "");
    LLVMValueRef is_z = LLVMBuildAnd(b->ir, beyond_x, beyond_y, "");
    LLVMValueRef is_y = LLVMBuildFCmp(b->ir, LLVMRealOGE, y, x, "");
    LLVMValueRef major = jit_select(b, is_z, c[2], jit_select(b, is_y, c[1], c[0]));

    for (unsigned n = 0; n < 3; n++)
        c[n] = LLVMBuildFDiv(b->ir, c[n], major, "");
}

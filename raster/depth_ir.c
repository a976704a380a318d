#include "raster/depth_ir.h"

#define HALF (JIT_LANES / 2)

static LLVMValueRef splat(struct jit_builder *b, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMVectorType(b->f64, HALF);
    LLVMValueRef one = LLVMBuildInsertElement(b->ir, LLVMGetPoison(type), scalar, jit_i32(b, 0), "");

    return LLVMBuildShuffleVector(b->ir, one, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(b->i32, HALF)), "");
}

static LLVMValueRef constant(struct jit_builder *b, double v)
{
    LLVMValueRef lanes[HALF];

    for (unsigned l = 0; l < HALF; l++)
        lanes[l] = jit_f64(b, v);
    return LLVMConstVector(lanes, HALF);
}

/* The lanes' pixels in a block along one axis. */
static LLVMValueRef pixels(struct jit_builder *b, bool vertical, uint32_t first)
{
    LLVMValueRef lanes[HALF];

    for (uint32_t n = 0, l = first; n < HALF; n++, l++)
        lanes[n] = jit_f64(b, vertical ? (l >> 1 & 1) | (l >> 2 & 2) : (l & 1) | (l >> 1 & 2));
    return LLVMConstVector(lanes, HALF);
}

/* Lanes `first` on, `count` of them, of two vectors. */
static LLVMValueRef part(struct jit_builder *b, LLVMValueRef v, LLVMValueRef w, uint32_t first,
                         uint32_t count)
{
    LLVMValueRef lanes[JIT_LANES];

    for (uint32_t n = 0; n < count; n++)
        lanes[n] = jit_i32(b, first + n);
    return LLVMBuildShuffleVector(b->ir, v, w, LLVMConstVector(lanes, count), "");
}

LLVMValueRef raster_depth_distance_ir(struct jit_builder *b, LLVMValueRef origin, LLVMValueRef at,
                                      LLVMValueRef reference)
{
    LLVMValueRef first = LLVMBuildSIToFP(b->ir, origin, b->f64, ""), blocks;

    first = LLVMBuildFAdd(b->ir, first, jit_f64(b, 0.5), "");
    first = LLVMBuildFSub(b->ir, first, LLVMBuildFPExt(b->ir, reference, b->f64, ""), "");
    blocks = LLVMBuildSIToFP(b->ir, LLVMBuildShl(b->ir, at, jit_i32(b, 2), ""), b->f64, "");
    return LLVMBuildFAdd(b->ir, first, blocks, "");
}

LLVMValueRef raster_depth_base_ir(struct jit_builder *b, const struct raster_depth_plane_ir *plane,
                                  LLVMValueRef bx, LLVMValueRef by)
{
    LLVMValueRef x = LLVMBuildFMul(b->ir, plane->a, bx, ""), y = LLVMBuildFMul(b->ir, plane->b, by, "");

    return LLVMBuildFAdd(b->ir, LLVMBuildFAdd(b->ir, x, y, ""), plane->c, "");
}

struct raster_steps_ir raster_depth_lanes_ir(struct jit_builder *b, const struct raster_depth_plane_ir *plane)
{
    struct raster_steps_ir lanes;

    for (uint32_t h = 0; h < 2; h++) {
        LLVMValueRef x = LLVMBuildFMul(b->ir, splat(b, plane->a), pixels(b, false, h * HALF), "");
        LLVMValueRef y = LLVMBuildFMul(b->ir, splat(b, plane->b), pixels(b, true, h * HALF), "");

        lanes.half[h] = LLVMBuildFAdd(b->ir, x, y, "");
    }
    return lanes;
}

struct raster_steps_ir raster_depth_steps_ir(struct jit_builder *b, LLVMValueRef base,
                                             const struct raster_steps_ir *lanes)
{
    LLVMValueRef all = splat(b, base);

    return (struct raster_steps_ir){
        {LLVMBuildFAdd(b->ir, all, lanes->half[0], ""), LLVMBuildFAdd(b->ir, all, lanes->half[1], "")}};
}

static LLVMValueRef clamp(struct jit_builder *b, LLVMValueRef steps)
{
    LLVMValueRef zero = constant(b, 0), top = constant(b, RASTER_DEPTH_STEPS);

    steps = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, steps, zero, ""), steps, zero, "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, steps, top, ""), steps, top, "");
}

LLVMValueRef raster_depth_ir(struct jit_builder *b, const struct raster_steps_ir *steps)
{
    LLVMTypeRef type = LLVMVectorType(b->i32, HALF);
    LLVMValueRef depth[2];

    for (unsigned h = 0; h < 2; h++)
        depth[h] = LLVMBuildFPToSI(b->ir, clamp(b, steps->half[h]), type, "");
    return part(b, depth[0], depth[1], 0, JIT_LANES);
}

LLVMValueRef raster_depth_z_ir(struct jit_builder *b, const struct raster_steps_ir *steps)
{
    LLVMTypeRef type = LLVMVectorType(b->f32, HALF);
    LLVMValueRef z[2];

    for (unsigned h = 0; h < 2; h++) {
        z[h] = LLVMBuildFMul(b->ir, clamp(b, steps->half[h]), constant(b, 1.0 / RASTER_DEPTH_STEPS), "");
        z[h] = LLVMBuildFPTrunc(b->ir, z[h], type, "");
    }
    return part(b, z[0], z[1], 0, JIT_LANES);
}

LLVMValueRef raster_depth_of_ir(struct jit_builder *b, LLVMValueRef z)
{
    struct raster_steps_ir steps;

    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef v = part(b, z, z, h * HALF, HALF);

        v = LLVMBuildFPExt(b->ir, v, LLVMVectorType(b->f64, HALF), "");
        v = LLVMBuildFMul(b->ir, v, constant(b, RASTER_DEPTH_STEPS), "");
        steps.half[h] = LLVMBuildFAdd(b->ir, v, constant(b, RASTER_DEPTH_ROUND), "");
    }
    return raster_depth_ir(b, &steps);
}

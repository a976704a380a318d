#include "raster/depth_ir.h"

#define HALF (JIT_LANES / 2)

static LLVMTypeRef half_of(LLVMTypeRef type)
{
    return LLVMVectorType(type, HALF);
}

static LLVMValueRef splat(struct jit_builder *b, LLVMValueRef scalar, uint32_t count)
{
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), count);
    LLVMValueRef one = LLVMBuildInsertElement(b->ir, LLVMGetPoison(type), scalar, jit_i32(b, 0), "");

    return LLVMBuildShuffleVector(b->ir, one, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(b->i32, count)), "");
}

static LLVMValueRef number(struct jit_builder *b, double v)
{
    LLVMValueRef lanes[HALF];

    for (unsigned l = 0; l < HALF; l++)
        lanes[l] = jit_f64(b, v);
    return LLVMConstVector(lanes, HALF);
}

/* `count` lanes of two vectors, from `first` on, each `step` further. */
static LLVMValueRef part(struct jit_builder *b, LLVMValueRef v, LLVMValueRef w, uint32_t first, uint32_t step,
                         uint32_t count)
{
    LLVMValueRef lanes[JIT_LANES];

    for (uint32_t n = 0; n < count; n++)
        lanes[n] = jit_i32(b, first + n * step);
    return LLVMBuildShuffleVector(b->ir, v, w, LLVMConstVector(lanes, count), "");
}

/* ---- sums ---- */

static LLVMValueRef load(struct jit_builder *b, LLVMValueRef plane, LLVMTypeRef type, size_t offset)
{
    return jit_load(b, type, jit_offset_const(b, plane, offset), 4, true);
}

struct raster_depth_ir raster_depth_load_ir(struct jit_builder *b, LLVMValueRef plane)
{
    return (struct raster_depth_ir){load(b, plane, b->i64, offsetof(struct raster_depth, a)),
                                    load(b, plane, b->i64, offsetof(struct raster_depth, b)),
                                    load(b, plane, b->i64, offsetof(struct raster_depth, c)),
                                    load(b, plane, b->i32, offsetof(struct raster_depth, shift))};
}

struct raster_depth_ir raster_depth_move_ir(struct jit_builder *b, const struct raster_depth_ir *plane,
                                            LLVMValueRef px, LLVMValueRef py)
{
    struct raster_depth_ir moved = *plane;
    LLVMValueRef x = LLVMBuildMul(b->ir, plane->a, LLVMBuildSExt(b->ir, px, b->i64, ""), "");
    LLVMValueRef y = LLVMBuildMul(b->ir, plane->b, LLVMBuildSExt(b->ir, py, b->i64, ""), "");

    moved.c = LLVMBuildAdd(b->ir, plane->c, LLVMBuildAdd(b->ir, x, y, ""), "");
    return moved;
}

/* `slope` in the lanes whose pixel in the block, or quad, has `bit` of its x or y; lanes of a block's first
 * half, or of a quad. */
static LLVMValueRef where(struct jit_builder *b, LLVMValueRef slope, bool vertical, uint32_t bit,
                          uint32_t count)
{
    LLVMValueRef lanes[HALF];

    for (uint32_t l = 0; l < count; l++) {
        uint32_t at = vertical ? raster_lane_y(l) : raster_lane_x(l);
        lanes[l] = LLVMConstInt(b->i64, at & bit ? UINT64_MAX : 0, false);
    }
    return LLVMBuildAnd(b->ir, slope, LLVMConstVector(lanes, count), "");
}

struct raster_depth_sums_ir raster_depth_block_ir(struct jit_builder *b, const struct raster_depth_ir *plane)
{
    LLVMValueRef x = splat(b, plane->a, HALF), y = splat(b, plane->b, HALF), c = splat(b, plane->c, HALF);
    LLVMValueRef x2 = LLVMBuildAdd(b->ir, x, x, ""), y2 = LLVMBuildAdd(b->ir, y, y, ""), low;

    low = LLVMBuildAdd(b->ir, where(b, x, false, 1, HALF), where(b, x2, false, 2, HALF), "");
    low = LLVMBuildAdd(b->ir, low, where(b, y, true, 1, HALF), "");
    return (struct raster_depth_sums_ir){
        {LLVMBuildAdd(b->ir, c, low, ""), LLVMBuildAdd(b->ir, c, LLVMBuildAdd(b->ir, low, y2, ""), "")},
        splat(b, plane->shift, JIT_LANES)};
}

struct raster_depth_sums_ir raster_depth_quads_ir(struct jit_builder *b,
                                                  const struct raster_depth_ir plane[4])
{
    LLVMValueRef sums[4], shift[4];

    for (uint32_t q = 0; q < 4; q++) {
        LLVMValueRef x = where(b, splat(b, plane[q].a, 4), false, 1, 4);
        LLVMValueRef y = where(b, splat(b, plane[q].b, 4), true, 1, 4);

        sums[q] = LLVMBuildAdd(b->ir, splat(b, plane[q].c, 4), LLVMBuildAdd(b->ir, x, y, ""), "");
        shift[q] = splat(b, plane[q].shift, 4);
    }
    return (struct raster_depth_sums_ir){
        {part(b, sums[0], sums[1], 0, 1, HALF), part(b, sums[2], sums[3], 0, 1, HALF)},
        part(b, part(b, shift[0], shift[1], 0, 1, HALF), part(b, shift[2], shift[3], 0, 1, HALF), 0, 1,
             JIT_LANES)};
}

/* ---- depths ---- */

LLVMValueRef raster_depth_of_sums_ir(struct jit_builder *b, const struct raster_depth_sums_ir *sums)
{
    LLVMValueRef low = LLVMBuildBitCast(b->ir, sums->half[0], b->i32x16, "");
    LLVMValueRef high = LLVMBuildBitCast(b->ir, sums->half[1], b->i32x16, "");
    LLVMValueRef units = part(b, low, high, 1, 2, JIT_LANES), zero = jit_splat_u32(b, 0);
    LLVMValueRef top = LLVMBuildLShr(b->ir, jit_splat_u32(b, RASTER_DEPTH_MAX), sums->shift, "");

    units = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSGT, units, zero, ""), units, zero, "");
    units = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, units, top, ""), units, top, "");
    return LLVMBuildShl(b->ir, units, sums->shift, "");
}

/* Of a sum and its shift, i64x8: steps. */
static LLVMValueRef steps(struct jit_builder *b, LLVMValueRef sum, LLVMValueRef shift)
{
    LLVMTypeRef f64 = half_of(b->f64);
    LLVMValueRef words = LLVMBuildBitCast(b->ir, sum, b->i32x16, ""), low = part(b, words, words, 0, 2, HALF);
    LLVMValueRef high = part(b, words, words, 1, 2, HALF), scale;

    low = LLVMBuildLShr(b->ir, low, splat(b, jit_i32(b, 1), HALF), "");
    low = LLVMBuildFMul(b->ir, LLVMBuildSIToFP(b->ir, low, f64, ""), number(b, 0x1p-31), "");
    high = LLVMBuildFAdd(b->ir, LLVMBuildSIToFP(b->ir, high, f64, ""), low, "");
    /* 2^shift is a double of this exponent. */
    scale = LLVMBuildAdd(b->ir, shift, splat(b, LLVMConstInt(b->i64, 1023, false), HALF), "");
    scale = LLVMBuildShl(b->ir, scale, splat(b, LLVMConstInt(b->i64, 52, false), HALF), "");
    scale = LLVMBuildBitCast(b->ir, scale, f64, "");
    return LLVMBuildFSub(b->ir, LLVMBuildFMul(b->ir, high, scale, ""), number(b, RASTER_DEPTH_ROUND), "");
}

static LLVMValueRef clamp(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef zero = number(b, 0), top = number(b, RASTER_DEPTH_STEPS);

    v = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, v, zero, ""), v, zero, "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, v, top, ""), v, top, "");
}

LLVMValueRef raster_depth_z_ir(struct jit_builder *b, const struct raster_depth_sums_ir *sums)
{
    LLVMValueRef z[2];

    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef shift = part(b, sums->shift, sums->shift, h * HALF, 1, HALF);

        z[h] = steps(b, sums->half[h], LLVMBuildZExt(b->ir, shift, half_of(b->i64), ""));
        z[h] = LLVMBuildFMul(b->ir, clamp(b, z[h]), number(b, 1.0 / RASTER_DEPTH_STEPS), "");
        z[h] = LLVMBuildFPTrunc(b->ir, z[h], half_of(b->f32), "");
    }
    return part(b, z[0], z[1], 0, 1, JIT_LANES);
}

/* In halves: over vectors that no register holds LLVM 19 goes in circles (-O0, AVX-512: their conversion to
 * integers where another basic block compares these). */
LLVMValueRef raster_depth_of_ir(struct jit_builder *b, LLVMValueRef z)
{
    LLVMValueRef depth[2];

    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef v = part(b, z, z, h * HALF, 1, HALF);

        v = LLVMBuildFPExt(b->ir, v, half_of(b->f64), "");
        v = LLVMBuildFMul(b->ir, v, number(b, RASTER_DEPTH_STEPS), "");
        v = LLVMBuildFAdd(b->ir, v, number(b, RASTER_DEPTH_ROUND), "");
        depth[h] = LLVMBuildFPToSI(b->ir, clamp(b, v), half_of(b->i32), "");
    }
    return part(b, depth[0], depth[1], 0, 1, JIT_LANES);
}

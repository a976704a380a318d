/* From coordinates to taps: cube faces, level of detail, fixed point and wrapping (README.md sections 1 to
 * 4). */
#include <stddef.h>

#include "raster/texture/cube_ir.h"
#include "raster/texture/texture_ir_internal.h"

/* a > b ? a : b and a < b ? a : b: the second operand when either is NaN. */
static LLVMValueRef max(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, y, ""), x, y, "");
}

static LLVMValueRef min(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, y, ""), x, y, "");
}

static LLVMValueRef mul(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFMul(b->ir, x, y, "");
}

static LLVMValueRef add(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFAdd(b->ir, x, y, "");
}

static LLVMValueRef absolute(struct jit_builder *b, LLVMValueRef x)
{
    return jit_as_f32(b, raster_ir_and(b, jit_as_i32(b, x), 0x7fffffff));
}

/* Flips the sign bit in the lanes of `mask`. */
static LLVMValueRef negate_if(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef x)
{
    LLVMValueRef sign = LLVMBuildSelect(b->ir, mask, jit_splat_u32(b, 1u << 31), jit_splat_u32(b, 0), "");

    return jit_as_f32(b, LLVMBuildXor(b->ir, jit_as_i32(b, x), sign, ""));
}

/* Section 1: replaces s and t by the face's coordinates and returns the number of each lane's face. */
LLVMValueRef raster_texture_ir_faces(struct raster_texture_ir *t, LLVMValueRef *s, LLVMValueRef *t_,
                                     LLVMValueRef r)
{
    struct jit_builder *b = t->b;
    LLVMValueRef ax = absolute(b, *s), ay = absolute(b, *t_), az = absolute(b, r);
    LLVMValueRef zero = jit_splat_f32(b, 0), half = jit_splat_f32(b, 0.5f);
    LLVMValueRef is_x = LLVMBuildAnd(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGE, ax, ay, ""),
                                     LLVMBuildFCmp(b->ir, LLVMRealOGE, ax, az, ""), "");
    LLVMValueRef is_y = LLVMBuildFCmp(b->ir, LLVMRealOGE, ay, az, "");
    LLVMValueRef yz = LLVMBuildSelect(b->ir, is_y, *t_, r, "");
    LLVMValueRef major = LLVMBuildSelect(b->ir, is_x, *s, yz, "");
    LLVMValueRef negative = LLVMBuildFCmp(b->ir, LLVMRealOLT, major, zero, "");
    LLVMValueRef positive = LLVMBuildNot(b->ir, negative, "");
    LLVMValueRef not_y = LLVMBuildOr(b->ir, is_x, LLVMBuildNot(b->ir, is_y, ""), "");
    LLVMValueRef is_z = LLVMBuildAnd(b->ir, not_y, LLVMBuildNot(b->ir, is_x, ""), "");
    /* sc is r for X, negated on +X; else s, negated on -Z. tc is r for Y, negated on -Y; else -t. */
    LLVMValueRef flip_s = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, is_x, positive, ""),
                                      LLVMBuildAnd(b->ir, is_z, negative, ""), "");
    LLVMValueRef flip_t = LLVMBuildOr(b->ir, not_y, negative, "");
    LLVMValueRef sc = negate_if(b, flip_s, LLVMBuildSelect(b->ir, is_x, r, *s, ""));
    LLVMValueRef tc = negate_if(b, flip_t, LLVMBuildSelect(b->ir, not_y, *t_, r, ""));
    LLVMValueRef face = LLVMBuildSelect(b->ir, is_y, jit_splat_u32(b, 2), jit_splat_u32(b, 4), "");

    face = LLVMBuildSelect(b->ir, is_x, jit_splat_u32(b, 0), face, "");
    face = LLVMBuildAdd(b->ir, face, LLVMBuildZExt(b->ir, negative, b->i32x16, ""), "");
    *s = add(b, mul(b, sc, half), half);
    *t_ = add(b, mul(b, tc, half), half);
    return face;
}

/* Adds the squares of a coordinate's differences, times `scale`, to those of the coordinates before it;
 * [0] towards x, [1] towards y. */
static void add_gradient(struct jit_builder *b, LLVMValueRef sums[2], LLVMValueRef c, LLVMValueRef scale)
{
    LLVMValueRef origin = raster_ir_quad_lane(b, c, 0);

    for (uint32_t n = 0; n < 2; n++) {
        LLVMValueRef d = LLVMBuildFSub(b->ir, raster_ir_quad_lane(b, c, n + 1), origin, "");

        d = scale ? mul(b, d, scale) : d;
        d = mul(b, d, d);
        sums[n] = sums[n] ? add(b, sums[n], d) : d;
    }
}

/* Section 2's logarithm. */
static LLVMValueRef half_log2(struct raster_texture_ir *t, LLVMValueRef x)
{
    struct jit_builder *b = t->b;
    LLVMValueRef one = jit_splat_f32(b, 1), m, curve;
    LLVMValueRef line = LLVMBuildSub(b->ir, jit_as_i32(b, x), jit_splat_u32(b, 0x3f800000), "");

    line = mul(b, jit_i32_to_f32(b, line), jit_splat_f32(b, 0x1p-24f));
    if (!t->key->smooth_log2)
        return line;
    m = raster_ir_or(b, raster_ir_and(b, jit_as_i32(b, x), 0x7fffff), jit_as_i32(b, one));
    m = LLVMBuildFSub(b->ir, jit_as_f32(b, m), one, "");
    curve = mul(b, m, jit_splat_f32(b, 0.0796063f));
    curve = LLVMBuildFSub(b->ir, jit_splat_f32(b, 0.2114313f), curve, "");
    m = mul(b, m, LLVMBuildFSub(b->ir, one, m, ""));
    return add(b, line, mul(b, m, curve));
}

/* Section 2 up to lambda, the texture's own bias not yet in it. */
LLVMValueRef raster_texture_ir_lambda(struct raster_texture_ir *t, LLVMValueRef s, LLVMValueRef t_,
                                      LLVMValueRef r, LLVMValueRef bias)
{
    struct jit_builder *b = t->b;
    LLVMValueRef sums[2] = {NULL, NULL}, longer, lambda;
    LLVMValueRef width = raster_ir_float(b, t->texture, offsetof(struct raster_texture, width));
    LLVMValueRef height = raster_ir_float(b, t->texture, offsetof(struct raster_texture, height));
    bool scaled = !t->key->cube && !t->key->unnormalized;

    LLVMValueRef c[3] = {s, t_, r};

    if (t->key->lod == RASTER_LOD_EXPLICIT)
        return bias;
    if (t->key->cube)
        raster_ir_cube_plane(b, c);
    add_gradient(b, sums, c[0], scaled ? jit_splat(b, width) : NULL);
    add_gradient(b, sums, c[1], scaled ? jit_splat(b, height) : NULL);
    if (t->key->cube)
        add_gradient(b, sums, c[2], NULL);
    longer = max(b, sums[0], sums[1]);
    if (t->key->cube) {
        LLVMValueRef half =
            LLVMBuildFMul(b->ir, t->key->unnormalized ? jit_f32(b, 1) : width, jit_f32(b, 0.5f), "");
        longer = mul(b, longer, jit_splat(b, LLVMBuildFMul(b->ir, half, half, "")));
    }
    longer = min(b, longer, jit_splat_f32(b, 18446744073709551616.0f));
    lambda = half_log2(t, longer);
    return t->key->lod == RASTER_LOD_BIAS ? add(b, lambda, bias) : lambda;
}

/* Section 3: the coordinate in 1/256 texel. `length` is (float)n * 256 and `scale` N, both splat. */
static LLVMValueRef fixed_point(struct raster_texture_ir *t, uint8_t wrap, LLVMValueRef s, LLVMValueRef scale,
                                LLVMValueRef length)
{
    struct jit_builder *b = t->b;
    LLVMValueRef one = jit_splat_f32(b, 1), two = jit_splat_f32(b, 2), side = jit_splat_f32(b, 256), f, u;

    if (wrap == RASTER_REPEAT) {
        f = LLVMBuildFSub(b->ir, s, jit_floor(b, s), "");
        /* Masks bring the taps of 1 and of what a NaN becomes (2^31) to those of 0. */
        if (t->key->pot)
            return LLVMBuildFreeze(b->ir, jit_f32_to_i32(b, mul(b, f, scale)), "");
        f = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, f, one, ""), f, jit_splat_f32(b, 0), "");
        return jit_f32_to_i32(b, mul(b, f, scale));
    }
    if (wrap >= RASTER_MIRROR_CLAMP)
        s = absolute(b, s);
    if (wrap == RASTER_BORDER || wrap == RASTER_MIRROR_BORDER) {
        u = max(b, mul(b, s, scale), jit_splat_f32(b, -256));
        u = add(b, min(b, u, add(b, length, side)), side);
        return LLVMBuildSub(b->ir, jit_f32_to_i32(b, u), jit_splat_u32(b, 256), "");
    }
    if (wrap == RASTER_MIRROR) {
        f = mul(b, two, jit_floor(b, mul(b, s, jit_splat_f32(b, 0.5f))));
        f = LLVMBuildFSub(b->ir, s, f, "");
        s = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLE, f, one, ""), f,
                            LLVMBuildFSub(b->ir, two, f, ""), "");
    }
    if (wrap == RASTER_HALF_BORDER || wrap == RASTER_MIRROR_HALF_BORDER)
        length = LLVMBuildFSub(b->ir, length, one, "");
    u = max(b, mul(b, s, scale), jit_splat_f32(b, 0));
    return jit_f32_to_i32(b, min(b, u, length));
}

static LLVMValueRef choose(struct jit_builder *b, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y,
                           LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, predicate, x, y, ""), yes, no, "");
}

/* Section 4: brings a tap into the image; it may lie below 0 (`low`) or at n and above (`high`). */
static LLVMValueRef wrap_tap(struct raster_texture_ir *t, uint8_t wrap, LLVMValueRef x, LLVMValueRef n,
                             bool low, bool high)
{
    struct jit_builder *b = t->b;
    LLVMValueRef zero = jit_splat_u32(b, 0), last = LLVMBuildSub(b->ir, n, jit_splat_u32(b, 1), "");

    if (wrap == RASTER_REPEAT && t->key->pot)
        return LLVMBuildAnd(b->ir, x, last, "");
    if (wrap == RASTER_REPEAT) {
        LLVMValueRef up = LLVMBuildAdd(b->ir, x, n, ""), down = LLVMBuildSub(b->ir, x, n, "");

        /* One image at most: up and down exclude each other. */
        x = high ? choose(b, LLVMIntSGE, x, n, down, x) : x;
        return low ? choose(b, LLVMIntSLT, x, zero, up, x) : x;
    }
    if (low)
        x = choose(b, LLVMIntSGT, x, zero, x, zero);
    return high ? choose(b, LLVMIntSLT, x, last, x, last) : x;
}

void raster_texture_ir_axis(struct raster_texture_ir *t, uint8_t wrap, LLVMValueRef coordinate,
                            LLVMValueRef scale, struct raster_texture_ir_axis *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef length = jit_splat(b, scale), half = jit_splat_u32(b, 128);
    LLVMValueRef unit = t->key->unnormalized ? jit_splat_f32(b, 256) : length;

    *out = (struct raster_texture_ir_axis){.first = fixed_point(t, wrap, coordinate, unit, length)};
    if (t->filter == TEXTURE_NEAREST)
        return;
    if (t->filter == TEXTURE_EITHER)
        half = LLVMBuildSelect(b->ir, t->linear, half, jit_splat_u32(b, 0), "");
    out->first = out->weight = LLVMBuildSub(b->ir, out->first, half, "");
    if (t->filter == TEXTURE_EITHER)
        out->weight = LLVMBuildSelect(b->ir, t->linear, out->first, jit_splat_u32(b, 0), "");
}

static void make_taps(struct raster_texture_ir *t, uint8_t wrap, LLVMValueRef size,
                      struct raster_texture_ir_axis *axis)
{
    struct jit_builder *b = t->b;
    LLVMValueRef n = jit_splat(b, size), x[2];
    bool nearest = t->filter == TEXTURE_NEAREST, either = t->filter == TEXTURE_EITHER;
    bool border = raster_wrap_is_bordered(wrap);

    x[0] = LLVMBuildAShr(b->ir, axis->first, jit_splat_u32(b, 8), "");
    x[1] = LLVMBuildAdd(b->ir, x[0], jit_splat_u32(b, 1), "");
    for (unsigned k = 0; k < (nearest ? 1 : 2); k++) {
        /* Bilinear: -1 <= x0 < n, 0 <= x1 <= n. Nearest: 0 <= x0 <= n. Borders reach one texel further. */
        bool low = border || (!nearest && k == 0), high = border || nearest || either || k == 1;

        if (border)
            axis->outside[k] = LLVMBuildICmp(b->ir, LLVMIntUGE, x[k], n, "");
        axis->tap[k] = wrap_tap(t, wrap, x[k], n, low, high);
    }
}

void raster_texture_ir_taps(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                            struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y)
{
    struct jit_builder *b = t->b;
    LLVMValueRef last;

    make_taps(t, t->key->wrap_s, level->width, x);
    make_taps(t, t->key->wrap_t, level->height, y);
    if (!t->key->flip_y)
        return;
    last = LLVMBuildSub(b->ir, jit_splat(b, level->height), jit_splat_u32(b, 1), "");
    for (unsigned k = 0; k < 2; k++)
        y->tap[k] = y->tap[k] ? LLVMBuildSub(b->ir, last, y->tap[k], "") : NULL;
}

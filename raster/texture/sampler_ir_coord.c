/* Coordinates of the general sampler as IR: levels of detail, axes to texels (README.md, "The general sampler", 2 to
 * 4). */
#include <stddef.h>

#include "raster/texture/cube_ir.h"
#include "raster/texture/sampler_ir_internal.h"

#define U(v) raster_sampler_ir_u(t, v)
#define F(v) raster_sampler_ir_f(t, v)

static LLVMValueRef mul(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFMul(b->ir, x, y, "");
}

static LLVMValueRef add(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFAdd(b->ir, x, y, "");
}

static LLVMValueRef sub(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFSub(b->ir, x, y, "");
}

LLVMValueRef raster_sampler_ir_hold(struct jit_builder *b, LLVMValueRef x, LLVMValueRef least,
                                    LLVMValueRef most)
{
    x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, least, ""), x, least);
    return jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, most, ""), x, most);
}

static LLVMValueRef two(struct jit_builder *b, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};

    return jit_intrinsic(b, name, &b->i32x16, 1, args, 2);
}

/* ---- 2: level of detail ---- */

/* Half of log2. */
static LLVMValueRef half_log2(struct raster_sampler_ir *t, LLVMValueRef x)
{
    struct jit_builder *b = t->b;
    LLVMValueRef bits = jit_as_i32(b, x), m, straight, rest;

    straight = jit_i32_to_f32(b, LLVMBuildSub(b->ir, bits, U(0x3f800000), ""));
    straight = mul(b, straight, F(0x1p-24f));
    m = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, bits, U(0x7fffff), ""), U(0x3f800000), "");
    m = sub(b, jit_as_f32(b, m), F(1));
    rest = sub(b, F(0.2114313f), mul(b, m, F(0.0796063f)));
    return add(b, straight, mul(b, mul(b, m, sub(b, F(1), m)), rest));
}

/* A side of level 0 as a float. */
static LLVMValueRef base_side(struct raster_sampler_ir *t, size_t at)
{
    if (t->key->unnormalized)
        return F(1);
    at += offsetof(struct raster_image, level);
    return jit_i32_to_f32(t->b, raster_sampler_ir_field(t, t->b->i32, at));
}

/* The squared length in texels of a derivative; of cubes of a point on a face. */
static LLVMValueRef length(struct raster_sampler_ir *t, const LLVMValueRef d[3])
{
    static const size_t sides[3] = {offsetof(struct raster_image_level, width),
                                    offsetof(struct raster_image_level, height),
                                    offsetof(struct raster_image_level, depth)};
    const bool is_cube = t->key->dim == RASTER_DIM_CUBE;
    unsigned count = is_cube || t->key->dim == RASTER_DIM_3D ? 3 : raster_sampler_axes(t->key);
    struct jit_builder *b = t->b;
    LLVMValueRef sum = NULL;

    for (unsigned k = 0; k < count && d[k]; k++) {
        LLVMValueRef side = base_side(t, sides[is_cube ? 0 : k]), v;

        v = mul(b, d[k], is_cube ? mul(b, F(0.5f), side) : side);
        v = mul(b, v, v);
        sum = sum ? add(b, sum, v) : v;
    }
    return sum;
}

/* The derivative towards x or y that the program gives; of a direction, as its point on the face moves. */
static void given_derivative(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                             const struct raster_point_ir *point, unsigned towards, LLVMValueRef out[3])
{
    struct jit_builder *b = t->b;
    LLVMValueRef seen[3];

    for (unsigned k = 0; k < 3; k++)
        out[k] = in->gradient[towards][k] ? jit_as_f32(b, in->gradient[towards][k]) : F(0);
    if (!point)
        return;
    raster_sampler_ir_seen(b, point->face, out, seen);
    for (unsigned k = 0; k < 2; k++) {
        out[k] = sub(b, seen[k], mul(b, k ? point->q : point->p, seen[2]));
        out[k] = LLVMBuildFDiv(b->ir, out[k], point->major, "");
    }
    out[2] = NULL;
}

static void difference(struct raster_sampler_ir *t, const LLVMValueRef at[3], unsigned towards,
                       LLVMValueRef out[3])
{
    struct jit_builder *b = t->b;

    for (unsigned k = 0; k < 3; k++)
        out[k] = sub(b, raster_ir_quad_lane(b, at[k], 1 + towards), raster_ir_quad_lane(b, at[k], 0));
}

static LLVMValueRef level_of_detail(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                                    const struct raster_point_ir *point)
{
    struct jit_builder *b = t->b;
    LLVMValueRef given = in->lod ? jit_as_f32(b, in->lod) : F(0), at[3] = {t->s, t->t, t->r}, d[3], x, y, g;
    const bool quads = t->key->lod != RASTER_LOOKUP_GRADIENTS;

    if (t->key->lod == RASTER_LOOKUP_ZERO)
        return F(0);
    if (t->key->lod == RASTER_LOOKUP_EXPLICIT)
        return given;
    if (point && quads) {
        raster_sampler_ir_unseen(b, point->face, (LLVMValueRef[3]){point->p, point->q, F(1)}, at);
        raster_ir_cube_plane(b, at);
    }
    if (quads) {
        difference(t, at, 0, d);
        x = length(t, d);
        difference(t, at, 1, d);
    } else {
        given_derivative(t, in, point, 0, d);
        x = length(t, d);
        given_derivative(t, in, point, 1, d);
    }
    y = length(t, d);
    g = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, y, ""), x, y);
    g = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, g, F(0x1p64f), ""), g, F(0x1p64f));
    g = half_log2(t, g);
    return t->key->lod == RASTER_LOOKUP_BIAS ? add(b, g, given) : g;
}

/* Which lanes filter; of filters that differ. */
static void choose_filter(struct raster_sampler_ir *t, LLVMValueRef minify)
{
    if (t->key->min_linear == t->key->mag_linear)
        return;
    t->filter = RASTER_LOOKUP_EITHER;
    t->linear = t->key->min_linear ? minify : LLVMBuildNot(t->b->ir, minify, "");
}

void raster_sampler_ir_levels(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                              const struct raster_point_ir *point, struct raster_choice_ir *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef lambda, minify, last;

    *out = (struct raster_choice_ir){0};
    t->filter = t->key->mag_linear ? RASTER_LOOKUP_LINEAR : RASTER_LOOKUP_NEAREST;
    if (!raster_sampler_leveled(t->key))
        return;
    lambda = level_of_detail(t, in, point);
    lambda = add(b, lambda, raster_sampler_ir_field(t, b->f32, offsetof(struct raster_image, lod_bias)));
    out->computed = lambda;
    lambda = raster_sampler_ir_hold(
        b, lambda, raster_sampler_ir_field(t, b->f32, offsetof(struct raster_image, lod_min)),
        raster_sampler_ir_field(t, b->f32, offsetof(struct raster_image, lod_max)));
    minify = LLVMBuildFCmp(b->ir, LLVMRealOGT, lambda, F(t->key->minify_above_half ? 0.5f : 0), "");
    choose_filter(t, minify);
    out->used = F(0);
    if (t->key->mip == RASTER_MIP_NONE)
        return;
    last = raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, level_count));
    last = LLVMBuildSub(b->ir, last, U(1), "");
    lambda = raster_sampler_ir_hold(b, lambda, F(0), jit_i32_to_f32(b, last));
    if (t->key->minify_above_half)
        lambda = jit_select(b, minify, lambda, F(0));
    if (t->key->mip == RASTER_MIP_NEAREST) {
        out->level = jit_f32_to_i32(b, add(b, lambda, F(0.5f)));
        out->used = jit_i32_to_f32(b, out->level);
        return;
    }
    out->level = jit_f32_to_i32(b, lambda);
    out->level1 = two(b, "llvm.umin", LLVMBuildAdd(b->ir, out->level, U(1), ""), last);
    out->weight = sub(b, lambda, jit_i32_to_f32(b, out->level));
    out->used = lambda;
}

/* ---- 3, 4: from a coordinate to texels ---- */

static bool is_mirrored(uint8_t wrap)
{
    return wrap == RASTER_MIRROR_CLAMP || wrap == RASTER_MIRROR_BORDER;
}

static bool is_half_border(uint8_t wrap)
{
    return wrap == RASTER_HALF_BORDER || wrap == RASTER_MIRROR_HALF_BORDER;
}

/* The coordinate in texels; n: the side as a float. */
static LLVMValueRef texels(struct raster_sampler_ir *t, uint8_t wrap, LLVMValueRef s, LLVMValueRef n)
{
    struct jit_builder *b = t->b;
    LLVMValueRef scale = t->key->unnormalized ? F(1) : n, f;
    bool mirror = wrap == RASTER_MIRROR;

    if (is_half_border(wrap)) {
        if (wrap == RASTER_MIRROR_HALF_BORDER)
            s = jit_intrinsic(b, "llvm.fabs", &b->f32x16, 1, &s, 1);
        return raster_sampler_ir_hold(b, mul(b, s, scale), F(0), n);
    }
    if (wrap != RASTER_REPEAT && !mirror)
        return raster_sampler_ir_hold(b, mul(b, s, scale), F(-RASTER_LOOKUP_LIMIT), F(RASTER_LOOKUP_LIMIT));
    f = mirror ? mul(b, F(2), jit_floor(b, mul(b, s, F(0.5f)))) : jit_floor(b, s);
    f = sub(b, s, f);
    f = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, f, F(mirror ? 2 : 1), ""), f, F(0));
    return mul(b, f, n);
}

/* x modulo n, n > 0. With offsets a division of floats, which hold both. Without, x is at least -n and below 2n: of
 * x and x + n, and then of x and x - n, that is right which is less, what is negative counting as large. `low`, `high`:
 * whether x may be below 0, and n or more. */
static LLVMValueRef modulo(struct raster_sampler_ir *t, LLVMValueRef x, LLVMValueRef n, bool low, bool high)
{
    struct jit_builder *b = t->b;
    LLVMValueRef times;

    if (t->key->offset) {
        times = LLVMBuildFDiv(b->ir, jit_i32_to_f32(b, x), jit_i32_to_f32(b, n), "");
        times = jit_f32_to_i32(b, jit_floor(b, times));
        return LLVMBuildSub(b->ir, x, LLVMBuildMul(b->ir, times, n, ""), "");
    }
    if (low)
        x = two(b, "llvm.umin", x, LLVMBuildAdd(b->ir, x, n, ""));
    return high ? two(b, "llvm.umin", x, LLVMBuildSub(b->ir, x, n, "")) : x;
}

static LLVMValueRef inside(struct raster_sampler_ir *t, LLVMValueRef x, LLVMValueRef last)
{
    return two(t->b, "llvm.smin", two(t->b, "llvm.smax", x, U(0)), last);
}

/* Brings texel x, a linear filter's first or second, into the image, or finds it to be outside: *border, where wraps
 * have one. */
static LLVMValueRef wrapped(struct raster_sampler_ir *t, uint8_t wrap, unsigned tap, LLVMValueRef x,
                            LLVMValueRef n, LLVMValueRef *border)
{
    struct jit_builder *b = t->b;
    LLVMValueRef last = LLVMBuildSub(b->ir, n, U(1), ""), twice, over;

    /* Coordinates of REPEAT are from 0 to n, both included; a linear filter's first texel is half a one before. */
    bool low = t->filter != RASTER_LOOKUP_NEAREST && tap == 0;
    bool high = t->filter != RASTER_LOOKUP_LINEAR || tap == 1;

    *border = NULL;
    if (wrap == RASTER_REPEAT)
        return modulo(t, x, n, low, high);
    if (wrap == RASTER_MIRROR) {
        /* Half of a tiny coordinate may be 0, which leaves the coordinate negative: of nearest filters too. */
        twice = LLVMBuildAdd(b->ir, n, n, "");
        x = modulo(t, x, twice, true, true);
        over = LLVMBuildSub(b->ir, LLVMBuildSub(b->ir, twice, U(1), ""), x, "");
        return jit_select(b, LLVMBuildICmp(b->ir, LLVMIntSLT, x, n, ""), x, over);
    }
    if (is_mirrored(wrap)) /* -1 - x of what is negative */
        x = LLVMBuildXor(b->ir, x, LLVMBuildAShr(b->ir, x, U(31), ""), "");
    if (raster_wrap_is_bordered(wrap)) {
        *border = LLVMBuildICmp(b->ir, LLVMIntUGE, x, n, "");
        if (is_half_border(wrap) && t->filter == RASTER_LOOKUP_NEAREST)
            *border = NULL;
        else if (is_half_border(wrap) && t->filter == RASTER_LOOKUP_EITHER)
            *border = LLVMBuildAnd(b->ir, *border, t->linear, "");
    }
    return inside(t, x, last);
}

/* CLAMP where numbers may be held inside the image before they become texels: nearest ones; and of bytes, whose filter
 * gives the texel where it has the weight of 0, as it does of twice the same texel. */
static bool held_first(const struct raster_sampler_ir *t, unsigned k)
{
    return t->key->wrap[k] == RASTER_CLAMP && !raster_sampler_crosses(t->key) && !t->offset[k] &&
           (t->filter == RASTER_LOOKUP_NEAREST ||
            (t->filter == RASTER_LOOKUP_LINEAR && raster_sampler_bytes(t->key) && k < 2));
}

/* The texel and the weight as one number in 1/256: what is not negative is subtracted from and scaled exactly. */
static void held_axis(struct raster_sampler_ir *t, LLVMValueRef coordinate, LLVMValueRef side,
                      struct raster_axis_ir *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef last = LLVMBuildSub(b->ir, side, U(1), ""), u = coordinate;

    u = mul(b, u, t->key->unnormalized ? F(1) : jit_i32_to_f32(b, side));
    if (t->filter == RASTER_LOOKUP_LINEAR)
        u = sub(b, u, F(0.5f));
    u = raster_sampler_ir_hold(b, u, F(0), jit_i32_to_f32(b, last));
    *out = (struct raster_axis_ir){0};
    if (t->filter == RASTER_LOOKUP_NEAREST) {
        out->x[0] = out->x[1] = jit_f32_to_i32(b, u);
        return;
    }
    out->byte = jit_f32_to_i32(b, mul(b, u, F(256)));
    out->x[0] = LLVMBuildLShr(b->ir, out->byte, U(8), "");
    out->x[1] = two(b, "llvm.umin", LLVMBuildAdd(b->ir, out->x[0], U(1), ""), last);
}

void raster_sampler_ir_axis(struct raster_sampler_ir *t, unsigned k, LLVMValueRef coordinate,
                            struct raster_axis_ir *out)
{
    struct jit_builder *b = t->b;
    const LLVMValueRef sides[3] = {t->level.width, t->level.height, t->level.depth};
    bool crosses = raster_sampler_crosses(t->key);
    uint8_t wrap = crosses ? RASTER_HALF_BORDER : t->key->wrap[k];
    unsigned count = t->filter == RASTER_LOOKUP_NEAREST ? 1 : 2;
    LLVMValueRef u, whole;

    if (held_first(t, k)) {
        held_axis(t, coordinate, sides[k], out);
        return;
    }
    u = texels(t, wrap, coordinate, jit_i32_to_f32(b, sides[k]));
    *out = (struct raster_axis_ir){0};
    if (t->filter == RASTER_LOOKUP_LINEAR)
        u = sub(b, u, F(0.5f));
    else if (t->filter == RASTER_LOOKUP_EITHER)
        u = jit_select(b, t->linear, sub(b, u, F(0.5f)), u);
    whole = jit_floor(b, u);
    out->x[0] = jit_f32_to_i32(b, whole);
    if (t->offset[k])
        out->x[0] = LLVMBuildAdd(b->ir, out->x[0], t->offset[k], "");
    if (count > 1) {
        out->weight = sub(b, u, whole);
        out->x[1] = LLVMBuildAdd(b->ir, out->x[0], U(1), "");
    }
    if (t->filter == RASTER_LOOKUP_EITHER) {
        out->weight = jit_select(b, t->linear, out->weight, F(0));
        out->x[1] = jit_select(b, t->linear, out->x[1], out->x[0]);
    }
    for (unsigned n = 0; n < count && !crosses; n++)
        out->x[n] = wrapped(t, wrap, n, out->x[n], sides[k], &out->outside[n]);
    if (crosses && count == 1)
        out->x[0] = inside(t, out->x[0], LLVMBuildSub(b->ir, sides[k], U(1), ""));
    if (crosses && t->filter == RASTER_LOOKUP_EITHER) { /* what is nearest stays on its face */
        LLVMValueRef held = inside(t, out->x[0], LLVMBuildSub(b->ir, sides[k], U(1), ""));

        for (unsigned n = 0; n < 2; n++)
            out->x[n] = jit_select(b, t->linear, out->x[n], held);
    }
    if (count == 1)
        out->x[1] = out->x[0], out->outside[1] = out->outside[0];
}

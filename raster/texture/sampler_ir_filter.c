#include "raster/texture/sampler_ir_filter.h"

#include <stddef.h>
#include <string.h>

#include "raster/texture/bytes_ir.h"
#include "raster/texture/sampler_ir_window.h"
#include "raster/texture/texel_ir.h"

#define U(v) raster_sampler_ir_u(t, v)
#define F(v) raster_sampler_ir_f(t, v)

bool raster_sampler_ir_kept(const struct raster_sampler_ir *t, unsigned n)
{
    return raster_sampler_bytes(t->key) ? n == 0 : t->need[n];
}

/* ---- one tap ---- */

static LLVMValueRef passes(struct raster_sampler_ir *t, LLVMValueRef depth)
{
    static const LLVMRealPredicate predicates[] = {[RASTER_NEVER] = LLVMRealPredicateFalse,
                                                   [RASTER_LESS] = LLVMRealOLT,
                                                   [RASTER_EQUAL] = LLVMRealOEQ,
                                                   [RASTER_LEQUAL] = LLVMRealOLE,
                                                   [RASTER_GREATER] = LLVMRealOGT,
                                                   [RASTER_NOTEQUAL] = LLVMRealUNE,
                                                   [RASTER_GEQUAL] = LLVMRealOGE,
                                                   [RASTER_ALWAYS] = LLVMRealPredicateTrue};
    LLVMValueRef is =
        LLVMBuildFCmp(t->b->ir, predicates[t->key->compare - 1], t->reference, jit_as_f32(t->b, depth), "");

    return jit_select(t->b, is, F(1), F(0));
}

/* Lanes where the border shows take it. */
static void show_border(struct raster_sampler_ir *t, LLVMValueRef where, LLVMValueRef texel[4])
{
    bool bytes = raster_sampler_bytes(t->key);
    size_t at = bytes ? offsetof(struct raster_image, border_texel) : offsetof(struct raster_image, border);

    for (unsigned n = 0; where && n < 4; n++)
        if (raster_sampler_ir_kept(t, n))
            texel[n] =
                jit_select(t->b, where, raster_sampler_ir_field(t, t->b->i32, at + 4ull * n), texel[n]);
}

/* The slice: a layer, a layer's face, or z. */
static LLVMValueRef slice_of(struct raster_sampler_ir *t, LLVMValueRef face, LLVMValueRef z)
{
    LLVMValueRef slice = t->layer;

    if (t->key->dim == RASTER_DIM_CUBE && slice)
        slice = LLVMBuildMul(t->b->ir, slice, U(6), "");
    if (t->key->dim == RASTER_DIM_CUBE)
        return slice ? LLVMBuildAdd(t->b->ir, slice, face, "") : face;
    return t->key->dim == RASTER_DIM_3D ? z : slice;
}

/* A texel's words as the filter takes it. */
static void make_tap(struct raster_sampler_ir *t, LLVMValueRef const word[4], LLVMValueRef border,
                     LLVMValueRef out[4])
{
    for (unsigned n = 0; n < 4; n++)
        out[n] = NULL;
    if (raster_sampler_bytes(t->key))
        out[0] = word[0];
    else
        raster_sampler_ir_unpack(t, word, out);
    show_border(t, border, out);
    if (t->key->compare && t->need[0])
        out[0] = passes(t, out[0]);
}

static LLVMValueRef either(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return x && y ? LLVMBuildOr(b->ir, x, y, "") : x ? x : y;
}

/* ---- taps of seamless cubes ---- */

/* Lanes with x beyond an edge. */
static LLVMValueRef beyond(struct raster_sampler_ir *t, LLVMValueRef x)
{
    return LLVMBuildICmp(t->b->ir, LLVMIntUGE, x, t->level.width, "");
}

static LLVMValueRef inside(struct raster_sampler_ir *t, LLVMValueRef x)
{
    struct jit_builder *b = t->b;
    LLVMValueRef args[2] = {x, U(0)};

    args[0] = jit_intrinsic(b, "llvm.smax", &b->i32x16, 1, args, 2);
    args[1] = LLVMBuildSub(b->ir, t->level.width, U(1), "");
    return jit_intrinsic(b, "llvm.smin", &b->i32x16, 1, args, 2);
}

/* Faces and places of four taps, of which few ever lie beyond an edge. */
static void cross(struct raster_sampler_ir *t, const struct raster_axis_ir axis[2], LLVMValueRef place[4][3])
{
    struct jit_builder *b = t->b;
    LLVMValueRef slot[4][3], any = LLVMConstNull(b->i1x16);
    struct jit_if rare;

    for (unsigned n = 0; n < 2; n++)
        any = LLVMBuildOr(b->ir, any,
                          LLVMBuildOr(b->ir, beyond(t, axis[0].x[n]), beyond(t, axis[1].x[n]), ""), "");
    for (unsigned k = 0; k < 4; k++) {
        const LLVMValueRef here[3] = {t->face, axis[0].x[k & 1], axis[1].x[k >> 1]};

        for (unsigned n = 0; n < 3; n++) {
            slot[k][n] = jit_alloca(b, b->i32x16, "place");
            jit_store(b, here[n], slot[k][n], 64);
        }
    }
    jit_if_begin(b, &rare, jit_mask_any(b, any));
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef face = t->face, x = axis[0].x[k & 1], y = axis[1].x[k >> 1], over = beyond(t, y);

        x = jit_select(b, over, inside(t, x), x);
        raster_sampler_ir_cross(t, LLVMBuildOr(b->ir, over, beyond(t, x), ""), &face, &x, &y);
        jit_store(b, face, slot[k][0], 64);
        jit_store(b, x, slot[k][1], 64);
        jit_store(b, y, slot[k][2], 64);
    }
    jit_if_end(b, &rare);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned n = 0; n < 3; n++)
            place[k][n] = jit_load(b, b->i32x16, slot[k][n], 64, false);
}

/* No texel stands at a corner: the mean of the three others does. */
static void fill_corners(struct raster_sampler_ir *t, const struct raster_axis_ir axis[2],
                         LLVMValueRef tap[4][4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef whole[4][4];

    memcpy(whole, tap, sizeof whole);
    for (unsigned k = 0; k < 4; k++) {
        const unsigned other[3] = {k == 0, k < 2 ? 2 : 1, k == 3 ? 2 : 3};
        LLVMValueRef corner =
            LLVMBuildAnd(b->ir, beyond(t, axis[0].x[k & 1]), beyond(t, axis[1].x[k >> 1]), "");

        for (unsigned n = 0; n < 4; n++) {
            if (!t->need[n])
                continue;
            LLVMValueRef sum = LLVMBuildFAdd(b->ir, jit_as_f32(b, whole[other[0]][n]),
                                             jit_as_f32(b, whole[other[1]][n]), "");
            sum = LLVMBuildFAdd(b->ir, sum, jit_as_f32(b, whole[other[2]][n]), "");
            sum = LLVMBuildFMul(b->ir, sum, F(1.0f / 3.0f), "");
            tap[k][n] = jit_select(b, corner, sum, jit_as_f32(b, whole[k][n]));
        }
    }
}

/* ---- the taps of a slice ---- */

static void slice_taps(struct raster_sampler_ir *t, LLVMValueRef z, const struct raster_axis_ir axis[2],
                       LLVMValueRef tap[4][4])
{
    struct jit_builder *b = t->b;
    unsigned count = t->filter == RASTER_LOOKUP_NEAREST ? 1 : raster_sampler_axes(t->key) == 1 ? 2 : 4;
    LLVMValueRef place[4][3], texel[4];
    bool crosses = raster_sampler_crosses(t->key) && count > 1, windowed = raster_sampler_ir_windowed(t);

    if (crosses)
        cross(t, axis, place);
    else if (windowed)
        raster_sampler_ir_window(t, slice_of(t, t->face, z), axis, texel);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef word[4], border = NULL;

        if (crosses)
            raster_sampler_ir_words(t, slice_of(t, place[k][0], NULL), NULL, place[k][1], place[k][2], word);
        else if (windowed)
            word[0] = texel[k];
        else
            raster_sampler_ir_words(t, slice_of(t, t->face, z), NULL, axis[0].x[k & 1], axis[1].x[k >> 1],
                                    word);
        if (!crosses)
            border = either(b, axis[0].outside[k & 1], axis[1].outside[k >> 1]);
        make_tap(t, word, border, tap[k]);
    }
    if (crosses && t->key->op == RASTER_SAMPLE)
        fill_corners(t, axis, tap);
}

static void slice_axes(struct raster_sampler_ir *t, struct raster_axis_ir axis[2])
{
    raster_sampler_ir_axis(t, 0, t->s, &axis[0]);
    axis[1] = (struct raster_axis_ir){0};
    if (raster_sampler_axes(t->key) > 1)
        raster_sampler_ir_axis(t, 1, t->t, &axis[1]);
}

void raster_sampler_ir_taps(struct raster_sampler_ir *t, LLVMValueRef tap[4][4],
                            struct raster_axis_ir axis[2])
{
    struct raster_axis_ir own[2];

    axis = axis ? axis : own;
    slice_axes(t, axis);
    slice_taps(t, NULL, axis, tap);
}

/* ---- blending ---- */

/* A weight of floats, 0 to 1, as bytes have it. */
static LLVMValueRef byte_weight(struct raster_sampler_ir *t, LLVMValueRef weight)
{
    LLVMValueRef args[2];

    args[0] = jit_f32_to_i32(t->b, LLVMBuildFMul(t->b->ir, weight, F(256), ""));
    args[1] = U(255);
    return raster_bytes_ir_weight(t->b, jit_intrinsic(t->b, "llvm.umin", &t->b->i32x16, 1, args, 2));
}

void raster_sampler_ir_mix(struct raster_sampler_ir *t, LLVMValueRef const a[4], LLVMValueRef const b_[4],
                           LLVMValueRef weight, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;

    if (raster_sampler_bytes(t->key)) {
        out[0] = raster_bytes_ir_join(b, raster_bytes_ir_lerp(b, raster_bytes_ir_split(b, a[0]),
                                                              raster_bytes_ir_split(b, b_[0]),
                                                              byte_weight(t, weight)));
        return;
    }
    for (unsigned n = 0; n < 4; n++) {
        if (!t->need[n])
            continue;
        LLVMValueRef x = jit_as_f32(b, a[n]), d = LLVMBuildFSub(b->ir, jit_as_f32(b, b_[n]), x, "");

        out[n] = LLVMBuildFAdd(b->ir, x, LLVMBuildFMul(b->ir, d, weight, ""), "");
    }
}

/* Where lanes take the nearest texel, whatever it is, it is not blended. */
static void keep_nearest(struct raster_sampler_ir *t, LLVMValueRef const nearest[4], LLVMValueRef out[4])
{
    for (unsigned n = 0; n < 4 && t->filter == RASTER_LOOKUP_EITHER && !raster_sampler_bytes(t->key); n++)
        if (t->need[n])
            out[n] = jit_select(t->b, t->linear, jit_as_f32(t->b, out[n]), jit_as_f32(t->b, nearest[n]));
}

static LLVMValueRef axis_weight(struct raster_sampler_ir *t, const struct raster_axis_ir *axis)
{
    return axis->byte ? raster_bytes_ir_weight(t->b, axis->byte) : byte_weight(t, axis->weight);
}

/* Both axes of packed texels, which stay apart between them. */
static LLVMValueRef blend_bytes(struct raster_sampler_ir *t, LLVMValueRef tap[4][4],
                                const struct raster_axis_ir axis[2])
{
    struct jit_builder *b = t->b;
    LLVMValueRef across = axis_weight(t, &axis[0]);
    struct raster_bytes_ir row[2];

    for (unsigned k = 0; k < raster_sampler_axes(t->key); k++)
        row[k] = raster_bytes_ir_lerp(b, raster_bytes_ir_split(b, tap[2 * k][0]),
                                      raster_bytes_ir_split(b, tap[2 * k + 1][0]), across);
    if (raster_sampler_axes(t->key) > 1)
        row[0] = raster_bytes_ir_lerp(b, row[0], row[1], axis_weight(t, &axis[1]));
    return raster_bytes_ir_join(b, row[0]);
}

static void sample_slice(struct raster_sampler_ir *t, LLVMValueRef z, const struct raster_axis_ir axis[2],
                         LLVMValueRef out[4])
{
    LLVMValueRef tap[4][4] = {{NULL}}, top[4] = {NULL}, bottom[4] = {NULL};

    slice_taps(t, z, axis, tap);
    memcpy(out, tap[0], sizeof tap[0]);
    if (t->filter == RASTER_LOOKUP_NEAREST)
        return;
    if (raster_sampler_bytes(t->key)) {
        out[0] = blend_bytes(t, tap, axis);
        return;
    }
    raster_sampler_ir_mix(t, tap[0], tap[1], axis[0].weight, top);
    memcpy(out, top, sizeof top);
    if (raster_sampler_axes(t->key) > 1) {
        raster_sampler_ir_mix(t, tap[2], tap[3], axis[0].weight, bottom);
        raster_sampler_ir_mix(t, top, bottom, axis[1].weight, out);
    }
    keep_nearest(t, tap[0], out);
}

/* A slice whose border is all of it. */
static void border_slice(struct raster_sampler_ir *t, LLVMValueRef where, LLVMValueRef out[4])
{
    LLVMValueRef border[4] = {NULL};

    if (!where)
        return;
    for (unsigned n = 0; n < 4; n++)
        border[n] = U(0);
    show_border(t, LLVMConstAllOnes(t->b->i1x16), border);
    if (t->key->compare && t->need[0])
        border[0] = passes(t, border[0]);
    for (unsigned n = 0; n < 4; n++)
        if (raster_sampler_ir_kept(t, n))
            out[n] = jit_select(t->b, where, jit_as_i32(t->b, border[n]), jit_as_i32(t->b, out[n]));
}

void raster_sampler_ir_sample(struct raster_sampler_ir *t, LLVMValueRef out[4])
{
    LLVMValueRef near[4] = {NULL}, far[4] = {NULL};
    struct raster_axis_ir axis[2], z;

    slice_axes(t, axis);
    if (t->key->dim != RASTER_DIM_3D) {
        sample_slice(t, NULL, axis, out);
        return;
    }
    raster_sampler_ir_axis(t, 2, t->r, &z);
    sample_slice(t, z.x[0], axis, near);
    border_slice(t, z.outside[0], near);
    memcpy(out, near, sizeof near);
    if (t->filter == RASTER_LOOKUP_NEAREST)
        return;
    sample_slice(t, z.x[1], axis, far);
    border_slice(t, z.outside[1], far);
    raster_sampler_ir_mix(t, near, far, z.weight, out);
    keep_nearest(t, near, out);
}

void raster_sampler_ir_finish(struct raster_sampler_ir *t, LLVMValueRef texel[4])
{
    if (raster_sampler_bytes(t->key))
        raster_sampler_ir_unpack(t, (LLVMValueRef[4]){texel[0]}, texel);
}

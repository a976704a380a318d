/* Cubes of the general sampler as IR: faces, and what is beyond their edges (README.md, "The general sampler",
 * 1). */
#include "jit/builder.h"
#include "raster/texture/sampler_ir_internal.h"

static LLVMValueRef is(struct jit_builder *b, LLVMValueRef v, LLVMIntPredicate p, uint32_t n)
{
    return LLVMBuildICmp(b->ir, p, v, jit_splat_u32(b, n), "");
}

static LLVMValueRef minus(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMTypeOf(v) == b->f32x16 ? LLVMBuildFNeg(b->ir, v, "") : LLVMBuildNeg(b->ir, v, "");
}

/* v, or -v in some lanes. */
static LLVMValueRef flip(struct jit_builder *b, LLVMValueRef where, LLVMValueRef v)
{
    return jit_select(b, where, minus(b, v), v);
}

/* On which axis a face stands, and which are the negative ones. */
struct sides {
    LLVMValueRef x, y, odd, even;
};

static struct sides sides_of(struct jit_builder *b, LLVMValueRef face)
{
    LLVMValueRef low = LLVMBuildAnd(b->ir, face, jit_splat_u32(b, 1), "");
    struct sides out = {.x = is(b, face, LLVMIntULT, 2), .odd = is(b, low, LLVMIntNE, 0)};

    out.y = LLVMBuildAnd(b->ir, is(b, face, LLVMIntULT, 4), LLVMBuildNot(b->ir, out.x, ""), "");
    out.even = LLVMBuildNot(b->ir, out.odd, "");
    return out;
}

void raster_sampler_ir_seen(struct jit_builder *b, LLVMValueRef face, const LLVMValueRef d[3],
                            LLVMValueRef out[3])
{
    struct sides on = sides_of(b, face);
    LLVMValueRef major = jit_select(b, on.x, d[0], jit_select(b, on.y, d[1], d[2]));

    out[0] = jit_select(b, on.x, flip(b, on.even, d[2]), jit_select(b, on.y, d[0], flip(b, on.odd, d[0])));
    out[1] = jit_select(b, on.y, flip(b, on.odd, d[2]), minus(b, d[1]));
    out[2] = flip(b, on.odd, major);
}

void raster_sampler_ir_unseen(struct jit_builder *b, LLVMValueRef face, const LLVMValueRef seen[3],
                              LLVMValueRef out[3])
{
    struct sides on = sides_of(b, face);
    LLVMValueRef major = flip(b, on.odd, seen[2]);

    out[0] = jit_select(b, on.x, major, jit_select(b, on.y, seen[0], flip(b, on.odd, seen[0])));
    out[1] = jit_select(b, on.y, major, minus(b, seen[1]));
    out[2] =
        jit_select(b, on.x, flip(b, on.even, seen[0]), jit_select(b, on.y, flip(b, on.odd, seen[1]), major));
}

static LLVMValueRef magnitude(struct jit_builder *b, LLVMValueRef v)
{
    return jit_intrinsic(b, "llvm.fabs", &b->f32x16, 1, &v, 1);
}

/* 2 * axis, and 1 where the component on it is negative. */
static LLVMValueRef face_of(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, const LLVMValueRef d[3])
{
    LLVMValueRef major = jit_select(b, x, d[0], jit_select(b, y, d[1], d[2])), negative, axis;

    if (LLVMTypeOf(major) == b->f32x16)
        negative = LLVMBuildFCmp(b->ir, LLVMRealOLT, major, jit_splat_f32(b, 0), "");
    else
        negative = is(b, major, LLVMIntSLT, 0);
    axis = jit_select(b, x, jit_splat_u32(b, 0), jit_select(b, y, jit_splat_u32(b, 2), jit_splat_u32(b, 4)));
    return LLVMBuildAdd(b->ir, axis, LLVMBuildZExt(b->ir, negative, b->i32x16, ""), "");
}

/* From a face's 0..1 to -1..1, and back. */
static LLVMValueRef scaled(struct jit_builder *b, LLVMValueRef v, float by, float plus)
{
    return LLVMBuildFAdd(b->ir, LLVMBuildFMul(b->ir, v, jit_splat_f32(b, by), ""), jit_splat_f32(b, plus),
                         "");
}

void raster_sampler_ir_point(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                             struct raster_point_ir *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef d[3] = {t->s, t->t, t->r}, seen[3], size[3], x, y;

    if (t->key->faced) {
        LLVMValueRef args[2] = {in->coordinate[2] ? in->coordinate[2] : jit_splat_u32(b, 0),
                                jit_splat_u32(b, 5)};

        *out = (struct raster_point_ir){.s = d[0], .t = d[1], .major = jit_splat_f32(b, 1)};
        out->face = jit_intrinsic(b, "llvm.umin", &b->i32x16, 1, args, 2);
        out->p = scaled(b, d[0], 2, -1);
        out->q = scaled(b, d[1], 2, -1);
        return;
    }
    for (unsigned k = 0; k < 3; k++)
        size[k] = magnitude(b, d[k]);
    x = LLVMBuildAnd(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGE, size[0], size[1], ""),
                     LLVMBuildFCmp(b->ir, LLVMRealOGE, size[0], size[2], ""), "");
    y = LLVMBuildFCmp(b->ir, LLVMRealOGE, size[1], size[2], "");
    out->face = face_of(b, x, y, d);
    raster_sampler_ir_seen(b, out->face, d, seen);
    out->major = magnitude(b, seen[2]);
    out->p = LLVMBuildFDiv(b->ir, seen[0], out->major, "");
    out->q = LLVMBuildFDiv(b->ir, seen[1], out->major, "");
    out->s = scaled(b, out->p, 0.5f, 0.5f);
    out->t = scaled(b, out->q, 0.5f, 0.5f);
}

/* 2 x + 1 - n; of what is beyond an edge, the edge itself. */
static LLVMValueRef across(struct jit_builder *b, LLVMValueRef x, LLVMValueRef n)
{
    LLVMValueRef v = LLVMBuildAdd(b->ir, LLVMBuildAdd(b->ir, x, x, ""), jit_splat_u32(b, 1), ""), args[2];

    args[0] = LLVMBuildSub(b->ir, v, n, "");
    args[1] = n;
    args[0] = jit_intrinsic(b, "llvm.smin", &b->i32x16, 1, args, 2);
    args[1] = minus(b, n);
    return jit_intrinsic(b, "llvm.smax", &b->i32x16, 1, args, 2);
}

void raster_sampler_ir_cross(struct raster_sampler_ir *t, LLVMValueRef where, LLVMValueRef *face,
                             LLVMValueRef *x, LLVMValueRef *y)
{
    struct jit_builder *b = t->b;
    LLVMValueRef n = t->level.width, inside = LLVMBuildSub(b->ir, n, jit_splat_u32(b, 1), "");
    LLVMValueRef seen[3] = {across(b, *x, n), across(b, *y, n), inside}, d[3], on[2], next;

    /* One component alone is as long as the face is far. */
    raster_sampler_ir_unseen(b, *face, seen, d);
    for (unsigned k = 0; k < 2; k++)
        on[k] = LLVMBuildOr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, d[k], n, ""),
                            LLVMBuildICmp(b->ir, LLVMIntEQ, d[k], minus(b, n), ""), "");
    next = face_of(b, on[0], on[1], d);
    raster_sampler_ir_seen(b, next, d, seen);
    for (unsigned k = 0; k < 2; k++) {
        seen[k] = LLVMBuildAdd(b->ir, seen[k], inside, "");
        seen[k] = LLVMBuildLShr(b->ir, seen[k], jit_splat_u32(b, 1), "");
    }
    *face = jit_select(b, where, next, *face);
    *x = jit_select(b, where, seen[0], *x);
    *y = jit_select(b, where, seen[1], *y);
}

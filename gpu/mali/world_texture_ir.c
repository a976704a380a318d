/* Texture requests and cube coordinates as IR (world_texture.c is the definition). */
#include "gpu/mali/world_ir.h"
#include "isa/warp/trans_call.h"
#include "raster/texture/sampler_ir.h"

/* ---- cubes ---- */

static LLVMValueRef magnitude(struct jit_builder *b, LLVMValueRef v)
{
    return jit_as_f32(b, LLVMBuildAnd(b->ir, jit_as_i32(b, v), jit_splat_u32(b, 0x7fffffff), ""));
}

static LLVMValueRef negative(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildFCmp(b->ir, LLVMRealOLT, v, LLVMConstNull(b->f32x16), "");
}

/* -v in lanes where `where` is. */
static LLVMValueRef flip(struct jit_builder *b, LLVMValueRef where, LLVMValueRef v)
{
    return jit_select(b, where, LLVMBuildFNeg(b->ir, v, ""), v);
}

/* Half of along / major beyond the middle, from 0 to 1; of no number 0. */
static LLVMValueRef on_face(struct jit_builder *b, LLVMValueRef along, LLVMValueRef major)
{
    LLVMValueRef half = jit_splat_f32(b, 0.5f), one = jit_splat_f32(b, 1.0f), zero = jit_splat_f32(b, 0.0f);
    LLVMValueRef s = LLVMBuildFMul(b->ir, LLVMBuildFDiv(b->ir, along, major, ""), half, "");
    s = LLVMBuildFAdd(b->ir, s, half, "");
    s = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, s, zero, ""), s, zero);
    s = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, s, one, ""), s, one);
    return jit_as_i32(b, s);
}

static LLVMValueRef in_face(struct jit_builder *b, LLVMValueRef on, LLVMValueRef face, unsigned from)
{
    face = from ? LLVMBuildLShr(b->ir, face, jit_splat_u32(b, from), "") : face;
    return LLVMBuildOr(b->ir, on, LLVMBuildShl(b->ir, face, jit_splat_u32(b, MALI_FACE_AT), ""), "");
}

void mali_ir_cube(void *ctx, struct jit_builder *b, const LLVMValueRef direction[3], LLVMValueRef out[2])
{
    LLVMValueRef d[3], a[3], face, along[2], major;
    for (unsigned n = 0; n < 3; n++) {
        d[n] = jit_as_f32(b, direction[n]);
        a[n] = magnitude(b, d[n]);
    }
    LLVMValueRef on_x = LLVMBuildAnd(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGE, a[0], a[1], ""),
                                     LLVMBuildFCmp(b->ir, LLVMRealOGE, a[0], a[2], ""), "");
    LLVMValueRef on_y = LLVMBuildFCmp(b->ir, LLVMRealOGE, a[1], a[2], "");
    LLVMValueRef of = jit_select(b, on_x, d[0], jit_select(b, on_y, d[1], d[2]));
    LLVMValueRef odd = negative(b, of), even = LLVMBuildNot(b->ir, odd, "");
    major = magnitude(b, of);
    along[0] = jit_select(b, on_x, flip(b, even, d[2]), jit_select(b, on_y, d[0], flip(b, odd, d[0])));
    along[1] = jit_select(b, LLVMBuildOr(b->ir, on_x, LLVMBuildNot(b->ir, on_y, ""), ""),
                          LLVMBuildFNeg(b->ir, d[1], ""), flip(b, odd, d[2]));
    face = jit_select(b, on_x, jit_splat_u32(b, 0),
                      jit_select(b, on_y, jit_splat_u32(b, 2), jit_splat_u32(b, 4)));
    face = LLVMBuildAdd(b->ir, face, LLVMBuildZExt(b->ir, odd, b->i32x16, ""), "");
    out[0] = in_face(b, on_face(b, along[0], major), face, 0);
    out[1] = in_face(b, on_face(b, along[1], major), face, MALI_FACE_LOW);
}

/* ---- requests ---- */

static bool same(const struct mali_lookup_key *x, const struct mali_lookup_key *y)
{
    return x->texture == y->texture && x->sampler == y->sampler && x->op == y->op && x->mode == y->mode &&
           x->dimensions == y->dimensions && x->flags == y->flags;
}

/* The number of the request among those that code was prepared for; UINT32_MAX: it is none. */
static uint32_t number_of(const struct mali_world_ir *e, const struct isa_ir_texture *t)
{
    if (t->texture.lanes || t->sampler.lanes)
        return UINT32_MAX;
    const struct mali_lookup_key asked =
        mali_lookup_key(t->texture.known, t->sampler.known, t->op, t->mode, t->dimensions, t->derivatives,
                        t->has_lod, t->has_offset);
    for (uint32_t n = 0; n < e->forms->lookup_count; n++)
        if (same(&e->lookups[n].asked, &asked))
            return n;
    return UINT32_MAX;
}

static LLVMValueRef face_bits(struct jit_builder *b, LLVMValueRef v)
{
    return LLVMBuildLShr(b->ir, v, jit_splat_u32(b, MALI_FACE_AT), "");
}

static void set_lanes(struct jit_builder *b, const struct isa_ir_texture *t, struct raster_lookup_ir *in)
{
    LLVMValueRef place = jit_splat_u32(b, MALI_FACE_PLACE);
    for (unsigned n = 0; n < 3; n++) {
        in->coordinate[n] = t->coordinate[n];
        in->offset[n] = t->offset[n];
    }
    in->layer = t->coordinate[3];
    in->reference = t->coordinate[2];
    in->lod = t->lod;
    in->sample = t->op == ISA_TEXTURE_FETCH ? t->coordinate[2] : t->lod;
    if (t->dimensions)
        return;
    in->coordinate[0] = LLVMBuildAnd(b->ir, t->coordinate[0], place, "");
    in->coordinate[1] = LLVMBuildAnd(b->ir, t->coordinate[1], place, "");
    LLVMValueRef high =
        LLVMBuildShl(b->ir, face_bits(b, t->coordinate[1]), jit_splat_u32(b, MALI_FACE_LOW), "");
    in->coordinate[2] = LLVMBuildOr(b->ir, face_bits(b, t->coordinate[0]), high, "");
}

LLVMValueRef mali_ir_texture(void *ctx, struct jit_builder *b, const struct isa_ir_texture *t,
                             LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address)
{
    struct mali_world_ir *e = ctx;
    uint32_t n = number_of(e, t);
    struct raster_lookup_ir in = {.layer = NULL};
    if (n == UINT32_MAX || (e->warp && !t->dimensions)) /* whose cubes have their faces elsewhere */
        return e->call.texture(e, b, t, mask, out, address);
    set_lanes(b, t, &in);
    LLVMValueRef image =
        jit_load_at_entry(b, b->ptr, e->code, offsetof(struct mali_code, image) + n * sizeof(void *), 8);
    LLVMValueRef value[4];
    raster_sampler_ir(b, &e->lookups[n].key, image, &in, e->requests, value);
    for (unsigned c = 0; c < 4; c++)
        out[c] = value[mali_gathers(t->mode) ? mali_gathered[c] : c];
    return NULL;
}

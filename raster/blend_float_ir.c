/* blend_float.c over 16 pixels, a channel at a time. */
#include "raster/blend_ir.h"
#include "raster/texture/texel_ir.h"

#define ONE_NAN 0x7fc00000u

struct meeting {
    struct jit_builder *b;
    const struct raster_blend_colors_ir *colors;
    LLVMValueRef dst[4]; /* f32x16; NULL where nothing depends on it */
};

static LLVMValueRef number(struct meeting *m, float v)
{
    return jit_splat_f32(m->b, v);
}

static LLVMValueRef lesser(struct meeting *m, LLVMValueRef x, LLVMValueRef y)
{
    return jit_select(m->b, LLVMBuildFCmp(m->b->ir, LLVMRealOLT, x, y, ""), x, y);
}

static LLVMValueRef greater(struct meeting *m, LLVMValueRef x, LLVMValueRef y)
{
    return jit_select(m->b, LLVMBuildFCmp(m->b->ir, LLVMRealOGT, x, y, ""), x, y);
}

static LLVMValueRef one_minus(struct meeting *m, LLVMValueRef x)
{
    return LLVMBuildFSub(m->b->ir, number(m, 1), x, "");
}

static LLVMValueRef factor(struct meeting *m, uint8_t code, unsigned n)
{
    const struct raster_blend_colors_ir *c = m->colors;
    LLVMValueRef value = number(m, 0);

    switch (code & ~RASTER_FACTOR_INVERT) {
    case RASTER_FACTOR_SRC: value = c->src[n]; break;
    case RASTER_FACTOR_DST: value = m->dst[n]; break;
    case RASTER_FACTOR_CONST: value = c->constant[n]; break;
    case RASTER_FACTOR_SRC1: value = c->src1[n]; break;
    case RASTER_FACTOR_SRC_ALPHA: value = c->src[3]; break;
    case RASTER_FACTOR_DST_ALPHA: value = m->dst[3]; break;
    case RASTER_FACTOR_CONST_ALPHA: value = c->constant[3]; break;
    case RASTER_FACTOR_SRC1_ALPHA: value = c->src1[3]; break;
    case RASTER_FACTOR_ALPHA_SATURATE:
        value = n == 3 ? number(m, 1) : lesser(m, c->src[3], one_minus(m, m->dst[3]));
        break;
    default: break;
    }
    return code & RASTER_FACTOR_INVERT ? one_minus(m, value) : value;
}

/* The destination may be none where its factor is zero. */
static LLVMValueRef product(struct meeting *m, LLVMValueRef x, uint8_t code, unsigned n)
{
    return code == RASTER_FACTOR_ZERO ? number(m, 0) : LLVMBuildFMul(m->b->ir, x, factor(m, code, n), "");
}

static LLVMValueRef blend_channel(struct meeting *m, const struct raster_equation *e, unsigned n)
{
    LLVMBuilderRef ir = m->b->ir;
    LLVMValueRef s = product(m, m->colors->src[n], e->src, n), d;

    switch (e->func) {
    case RASTER_BLEND_MIN: return lesser(m, s, m->dst[n]);
    case RASTER_BLEND_MAX: return greater(m, s, m->dst[n]);
    default: d = product(m, m->dst[n], e->dst, n);
    }
    return e->func == RASTER_BLEND_SUB    ? LLVMBuildFSub(ir, s, d, "")
           : e->func == RASTER_BLEND_RSUB ? LLVMBuildFSub(ir, d, s, "")
                                          : LLVMBuildFAdd(ir, s, d, "");
}

void raster_blend_float_ir(struct jit_builder *b, const struct raster_blend *blend,
                           const struct raster_blend_colors_ir *colors, const LLVMValueRef dst[4],
                           LLVMValueRef out[4])
{
    struct meeting m = {.b = b, .colors = colors, .dst = {dst[0], dst[1], dst[2], dst[3]}};

    for (unsigned n = 0; n < 4; n++) {
        LLVMValueRef v =
            blend->logic ? colors->src[n] : blend_channel(&m, n < 3 ? &blend->color : &blend->alpha, n);

        out[n] = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealORD, v, v, ""), v,
                            jit_as_f32(b, jit_splat_u32(b, ONE_NAN)));
    }
}

void raster_blend_rgba16f_ir(struct jit_builder *b, const struct raster_blend *blend,
                             const struct raster_blend_colors_ir *colors, LLVMValueRef word[2])
{
    const struct raster_texel *texel = &raster_texels[RASTER_R16G16B16A16_FLOAT];
    LLVMValueRef channel[4], old[2] = {word[0], word[1]}, dst[4] = {0};

    if (old[0])
        raster_texel_unpack_ir(b, texel, old, dst);
    for (unsigned n = 0; old[0] && n < 4; n++)
        dst[n] = jit_as_f32(b, dst[n]);
    raster_blend_float_ir(b, blend, colors, dst, channel);
    for (unsigned n = 0; n < 4; n++)
        channel[n] = jit_as_i32(b, channel[n]);
    raster_texel_pack_ir(b, texel, channel, word);
    for (unsigned k = 0; k < 2; k++) {
        unsigned written = blend->write_mask >> 2 * k & 3;
        uint32_t mask = (written & 1 ? 0xffffu : 0) | (written & 2 ? 0xffff0000u : 0);

        if (written != 3)
            word[k] = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, word[k], jit_splat_u32(b, mask), ""),
                                  LLVMBuildAnd(b->ir, old[k], jit_splat_u32(b, ~mask), ""), "");
    }
}

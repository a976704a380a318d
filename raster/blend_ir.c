/* All channels of 16 pixels at once: 64 bytes. */
#include "raster/blend_ir.h"

#include "jit/math.h"
#include "raster/texture/texel_ir.h"

enum { BYTES = 4 * JIT_LANES };

struct emitter {
    struct jit_builder *b;
    LLVMTypeRef i8xn;
    LLVMValueRef constant, src, src1, dst; /* bytes; NULL where there is none */
};

static LLVMValueRef splat_byte(struct emitter *e, uint8_t value)
{
    LLVMValueRef byte[BYTES];
    for (unsigned i = 0; i < BYTES; i++)
        byte[i] = LLVMConstInt(e->b->i8, value, false);
    return LLVMConstVector(byte, BYTES);
}

static LLVMValueRef as_words(struct emitter *e, LLVMValueRef bytes)
{
    return LLVMBuildBitCast(e->b->ir, bytes, e->b->i32x16, "");
}

static LLVMValueRef as_bytes(struct emitter *e, LLVMValueRef words)
{
    return LLVMBuildBitCast(e->b->ir, words, e->i8xn, "");
}

static LLVMValueRef alpha_of(struct emitter *e, LLVMValueRef bytes)
{
    return as_bytes(e, jit_byte_replicate(e->b, as_words(e, bytes), 3));
}

/* Bytes of `yes` where bit n of `channels` is set, for channel n of each pixel; of `no` elsewhere. */
static LLVMValueRef by_channel(struct emitter *e, unsigned channels, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMValueRef from[BYTES];
    for (unsigned i = 0; i < BYTES; i++)
        from[i] = jit_i32(e->b, channels >> (i & 3) & 1 ? i : BYTES + i);
    return LLVMBuildShuffleVector(e->b->ir, yes, no, LLVMConstVector(from, BYTES), "");
}

static LLVMValueRef two(struct emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return jit_intrinsic(e->b, name, &e->i8xn, 1, args, 2);
}

static LLVMValueRef invert(struct emitter *e, LLVMValueRef bytes)
{
    return LLVMBuildXor(e->b->ir, bytes, splat_byte(e, 255), "");
}

static LLVMValueRef factor(struct emitter *e, uint8_t code)
{
    LLVMValueRef value = splat_byte(e, 0);
    switch (code & ~RASTER_FACTOR_INVERT) {
    case RASTER_FACTOR_SRC: value = e->src; break;
    case RASTER_FACTOR_DST: value = e->dst; break;
    case RASTER_FACTOR_CONST: value = e->constant; break;
    case RASTER_FACTOR_SRC1: value = e->src1; break;
    case RASTER_FACTOR_SRC_ALPHA: value = alpha_of(e, e->src); break;
    case RASTER_FACTOR_DST_ALPHA: value = alpha_of(e, e->dst); break;
    case RASTER_FACTOR_CONST_ALPHA: value = alpha_of(e, e->constant); break;
    case RASTER_FACTOR_SRC1_ALPHA: value = alpha_of(e, e->src1); break;
    case RASTER_FACTOR_ALPHA_SATURATE:
        value = two(e, "llvm.umin", alpha_of(e, e->src), alpha_of(e, invert(e, e->dst)));
        value = by_channel(e, 7, value, splat_byte(e, 255));
        break;
    default: break;
    }
    return code & RASTER_FACTOR_INVERT ? invert(e, value) : value;
}

static LLVMValueRef multiply(struct emitter *e, LLVMValueRef value, uint8_t code)
{
    if (code == RASTER_FACTOR_ONE)
        return value;
    if (code == RASTER_FACTOR_ZERO)
        return splat_byte(e, 0);
    return as_bytes(e, jit_unit_bytes_product(e->b, as_words(e, value), as_words(e, factor(e, code))));
}

static LLVMValueRef equation(struct emitter *e, const struct raster_equation *q)
{
    LLVMValueRef s = multiply(e, e->src, q->src);
    switch (q->func) {
    case RASTER_BLEND_MIN: return two(e, "llvm.umin", s, e->dst);
    case RASTER_BLEND_MAX: return two(e, "llvm.umax", s, e->dst);
    default: break;
    }
    if (q->dst == RASTER_FACTOR_ZERO) /* and there may be no destination */
        return q->func == RASTER_BLEND_RSUB ? splat_byte(e, 0) : s;
    LLVMValueRef d = multiply(e, e->dst, q->dst);
    return q->func == RASTER_BLEND_SUB    ? two(e, "llvm.usub.sat", s, d)
           : q->func == RASTER_BLEND_RSUB ? two(e, "llvm.usub.sat", d, s)
                                          : two(e, "llvm.uadd.sat", s, d);
}

LLVMValueRef raster_blend_logic_ir(struct jit_builder *b, uint8_t op, LLVMValueRef s, LLVMValueRef d)
{
    LLVMBuilderRef ir = b->ir;
    switch (op) {
    case RASTER_LOGIC_AND: return LLVMBuildAnd(ir, s, d, "");
    case RASTER_LOGIC_AND_REVERSE: return LLVMBuildAnd(ir, s, LLVMBuildNot(ir, d, ""), "");
    case RASTER_LOGIC_COPY: return s;
    case RASTER_LOGIC_AND_INVERTED: return LLVMBuildAnd(ir, LLVMBuildNot(ir, s, ""), d, "");
    case RASTER_LOGIC_NOOP: return d;
    case RASTER_LOGIC_XOR: return LLVMBuildXor(ir, s, d, "");
    case RASTER_LOGIC_OR: return LLVMBuildOr(ir, s, d, "");
    case RASTER_LOGIC_NOR: return LLVMBuildNot(ir, LLVMBuildOr(ir, s, d, ""), "");
    case RASTER_LOGIC_EQUIV: return LLVMBuildNot(ir, LLVMBuildXor(ir, s, d, ""), "");
    case RASTER_LOGIC_INVERT: return LLVMBuildNot(ir, d, "");
    case RASTER_LOGIC_OR_REVERSE: return LLVMBuildOr(ir, s, LLVMBuildNot(ir, d, ""), "");
    case RASTER_LOGIC_COPY_INVERTED: return LLVMBuildNot(ir, s, "");
    case RASTER_LOGIC_OR_INVERTED: return LLVMBuildOr(ir, LLVMBuildNot(ir, s, ""), d, "");
    case RASTER_LOGIC_NAND: return LLVMBuildNot(ir, LLVMBuildAnd(ir, s, d, ""), "");
    case RASTER_LOGIC_SET: return jit_splat_u32(b, UINT32_MAX);
    default: return jit_splat_u32(b, 0);
    }
}

static bool same(const struct raster_equation *x, const struct raster_equation *y)
{
    return x->func == y->func && x->src == y->src && x->dst == y->dst;
}

LLVMValueRef raster_blend_ir(struct jit_builder *b, const struct raster_blend *blend, LLVMValueRef constant,
                             LLVMValueRef src, LLVMValueRef src1, LLVMValueRef dst)
{
    struct emitter e = {.b = b, .i8xn = LLVMVectorType(b->i8, BYTES)};
    e.constant = as_bytes(&e, jit_splat(b, constant));
    e.src = as_bytes(&e, src);
    e.src1 = src1 ? as_bytes(&e, src1) : NULL;
    e.dst = dst ? as_bytes(&e, dst) : NULL;

    LLVMValueRef value;
    if (blend->logic) {
        value = as_bytes(&e, raster_blend_logic_ir(b, blend->logic_op, src, dst));
    } else {
        value = equation(&e, &blend->color);
        if (!same(&blend->color, &blend->alpha))
            value = by_channel(&e, 7, value, equation(&e, &blend->alpha));
    }
    if ((blend->write_mask & 15) != 15)
        value = by_channel(&e, blend->write_mask & 15, value, e.dst);
    return as_words(&e, value);
}

LLVMValueRef raster_pack_ir(struct jit_builder *b, const LLVMValueRef channel[4])
{
    LLVMValueRef word = jit_splat_u32(b, 0);
    for (unsigned n = 0; n < 4; n++) {
        LLVMValueRef v = raster_texel_byte_ir(b, channel[n]);
        v = v ? v : jit_f32_nearest_i32(b, jit_unit_times(b, raster_texel_any_nan_ir(b, channel[n]), 255.0f));
        word = LLVMBuildOr(b->ir, word, LLVMBuildShl(b->ir, v, jit_splat_u32(b, 8 * n), ""), "");
    }
    return word;
}

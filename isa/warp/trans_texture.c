/* Texture requests (README.md, "Textures"). */
#include "isa/warp/trans_internal.h"

static LLVMValueRef bits_at(struct warp_trans *t, LLVMValueRef v, unsigned at, unsigned count)
{
    struct jit_builder *b = t->b;
    v = at ? LLVMBuildLShr(b->ir, v, jit_splat_u32(b, at), "") : v;
    return at + count < 32 ? LLVMBuildAnd(b->ir, v, jit_splat_u32(b, (1u << count) - 1), "") : v;
}

static LLVMValueRef signed_at(struct warp_trans *t, LLVMValueRef v, unsigned at, unsigned count)
{
    struct jit_builder *b = t->b;
    v = LLVMBuildShl(b->ir, v, jit_splat_u32(b, 32 - at - count), "");
    return LLVMBuildAShr(b->ir, v, jit_splat_u32(b, 32 - count), "");
}

/* A handle of 16 bits: the number, and in the upper five the table. */
static LLVMValueRef short_handle(struct warp_trans *t, LLVMValueRef word, unsigned at)
{
    struct jit_builder *b = t->b;
    LLVMValueRef table = LLVMBuildShl(b->ir, bits_at(t, word, at + 11, 5), jit_splat_u32(b, 24), "");
    return LLVMBuildOr(b->ir, bits_at(t, word, at, 11), table, "");
}

static void handles(struct warp_trans *t, struct isa_ir_texture *r)
{
    const struct warp_insn *i = t->insn;
    const struct warp_source *s = &i->source[0];
    const uint32_t low = (uint32_t)s->value, high = (uint32_t)(s->value >> 32);
    if (s->from == WARP_CONSTANT) {
        r->sampler.known = i->wide_handle ? low : (low & 0x7ff) | (low >> 11 & 31) << 24;
        r->texture.known = i->wide_handle ? high : (low >> 16 & 0x7ff) | low >> 27 << 24;
        return;
    }
    LLVMValueRef word = warp_trans_word(t, 0, 0);
    r->sampler.lanes = i->wide_handle ? word : short_handle(t, word, 0);
    r->texture.lanes = i->wide_handle ? warp_trans_word(t, 0, 1) : short_handle(t, word, 16);
}

/* The value of lane l ^ k where l does not execute, and that does. */
static LLVMValueRef filled(struct warp_trans *t, LLVMValueRef value)
{
    struct jit_builder *b = t->b;
    LLVMValueRef out = value;
    for (unsigned k = 3; k; k--) {
        uint32_t from[16];
        for (uint32_t l = 0; l < 16; l++)
            from[l] = l ^ k;
        LLVMValueRef order = jit_vector_u32(b, from);
        LLVMValueRef there = LLVMBuildShuffleVector(b->ir, t->mask, LLVMGetPoison(b->i1x16), order, "");
        LLVMValueRef other = LLVMBuildShuffleVector(b->ir, value, LLVMGetPoison(b->i32x16), order, "");
        out = jit_select(b, there, other, out);
    }
    return jit_select(b, t->mask, value, out);
}

static LLVMValueRef from_8_8(struct warp_trans *t, LLVMValueRef word)
{
    struct jit_builder *b = t->b;
    LLVMValueRef v = LLVMBuildSIToFP(b->ir, signed_at(t, word, 0, 16), b->f32x16, "");
    v = LLVMBuildFMul(b->ir, v, jit_splat_f32(b, 1.0f / 256), "");
    return LLVMBuildBitCast(b->ir, v, b->i32x16, "");
}

static void take_words(struct warp_trans *t, struct isa_ir_texture *r)
{
    const struct warp_insn *i = t->insn;
    const bool fetches = i->texture_op == ISA_TEXTURE_FETCH;
    unsigned at = 0;
    for (unsigned c = 0; c < (i->dimensions ? i->dimensions : 2u); c++)
        r->coordinate[c] = warp_trans_read(t, at++);
    if (i->array)
        r->coordinate[3] = warp_trans_read(t, at++);
    if (i->shadow)
        r->coordinate[2] = warp_trans_read(t, at++);
    if (i->texel_offset) {
        LLVMValueRef word = warp_trans_read(t, at++);
        r->has_offset = true;
        for (unsigned c = 0; c < 3; c++)
            r->offset[c] = signed_at(t, word, 8 * c, 8);
        if (fetches)
            r->lod = bits_at(t, word, 24, 8);
        if (fetches && i->dimensions < 3)
            r->coordinate[2] = r->lod;
    }
    r->has_lod = (fetches && i->texel_offset) || i->level != WARP_LEVEL_COMPUTED;
    if (i->level == WARP_LEVEL_GIVEN || i->level == WARP_LEVEL_BIAS)
        r->lod = from_8_8(t, warp_trans_read(t, at));
}

static LLVMValueRef half_of(struct warp_trans *t, LLVMValueRef v)
{
    struct jit_builder *b = t->b;
    if (t->insn->sampler_type != ISA_SAMPLER_FLOAT)
        return bits_at(t, v, 0, 16);
    v = warp_trans_op(b, ISA_OP_f32_to_f16, ISA_F32, v, NULL, NULL);
    return LLVMTypeOf(v) == b->i32x16 ? v : LLVMBuildZExt(b->ir, v, b->i32x16, "");
}

static void write_result(struct warp_trans *t, const LLVMValueRef value[4])
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    LLVMValueRef low = NULL;
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if (!(i->write_mask >> c & 1))
            continue;
        LLVMValueRef v = warp_trans_lanes(t, value[c]);
        if (i->halves && n & 1) {
            v = LLVMBuildShl(b->ir, half_of(t, v), jit_splat_u32(b, 16), "");
            warp_trans_write(t, n / 2, LLVMBuildOr(b->ir, low, v, ""));
        } else if (i->halves) {
            low = half_of(t, v);
            warp_trans_write(t, n / 2, low);
        } else {
            warp_trans_write(t, n, v);
        }
        n++;
    }
}

void warp_trans_texture(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    LLVMValueRef zero = jit_splat_u32(t->b, 0), out[4] = {zero, zero, zero, zero}, address = NULL;
    struct isa_ir_texture r = {.op = i->texture_op,
                               .mode = i->mode,
                               .dimensions = i->dimensions,
                               .sampler_type = i->sampler_type,
                               .derivatives = i->level == WARP_LEVEL_COMPUTED || i->level == WARP_LEVEL_BIAS,
                               .coordinate = {zero, zero, zero, zero},
                               .lod = zero,
                               .offset = {zero, zero, zero}};
    handles(t, &r);
    take_words(t, &r);
    for (unsigned c = 0; c < 4 && r.derivatives; c++)
        r.coordinate[c] = filled(t, r.coordinate[c]);
    LLVMValueRef missing = t->ports->texture(t->ports->ctx, t->b, &r, t->mask, out, &address);
    warp_trans_check(t, missing, t->mask, address);
    write_result(t, out);
}

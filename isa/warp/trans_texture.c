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

#define PART(t, v, name)        bits_at(t, v, WARP_##name##_AT, WARP_##name##_BITS)
#define SIGNED_PART(t, v, name) signed_at(t, v, WARP_##name##_AT, WARP_##name##_BITS)

/* A handle of 16 bits as ports get it. */
static LLVMValueRef short_handle(struct warp_trans *t, LLVMValueRef number, LLVMValueRef table)
{
    struct jit_builder *b = t->b;
    table = LLVMBuildShl(b->ir, table, jit_splat_u32(b, WARP_HANDLE_TABLE_AT), "");
    return LLVMBuildOr(b->ir, number, table, "");
}

static void known_handles(const struct warp_insn *i, unsigned n, struct isa_ir_texture *r)
{
    const struct warp_source *s = &i->source[0];
    const uint32_t low = (uint32_t)(s->value >> 32 * n), high = (uint32_t)(s->value >> 32);
    r->sampler = r->texture = (struct isa_ir_number){NULL, 0};
    if (s->from != WARP_CONSTANT)
        return;
    r->sampler.known = i->wide_handle ? low : warp_sampler_handle(low);
    r->texture.known = i->wide_handle ? high : warp_texture_handle(low);
}

/* Of two textures the second's stand in the upper word. */
static void handles(struct warp_trans *t, unsigned n, struct isa_ir_texture *r)
{
    const struct warp_insn *i = t->insn;
    known_handles(i, n, r);
    if (i->source[0].from == WARP_CONSTANT)
        return;
    LLVMValueRef word = warp_trans_word(t, 0, n);
    r->sampler.lanes =
        i->wide_handle ? word : short_handle(t, PART(t, word, SAMPLER_NUMBER), PART(t, word, SAMPLER_TABLE));
    r->texture.lanes = i->wide_handle
                           ? warp_trans_word(t, 0, 1)
                           : short_handle(t, PART(t, word, TEXTURE_NUMBER), PART(t, word, TEXTURE_TABLE));
}

static bool fetches_texels(const struct warp_insn *i)
{
    return i->texture_op == ISA_TEXTURE_FETCH && i->mode == ISA_TEXTURE_PLAIN;
}

void warp_texture_request(const struct warp_insn *i, unsigned n, struct isa_ir_texture *out)
{
    *out = (struct isa_ir_texture){
        .op = i->texture_op,
        .mode = i->mode,
        .dimensions = i->dimensions,
        .sampler_type = i->sampler_type,
        .derivatives = i->level == WARP_LEVEL_COMPUTED || i->level == WARP_LEVEL_BIAS,
        .has_lod = (fetches_texels(i) && i->texel_offset) || i->level != WARP_LEVEL_COMPUTED,
        .has_offset = i->texel_offset,
        .no_bias = i->no_bias,
        .no_clamp = i->no_clamp};
    known_handles(i, n, out);
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

/* A level, or a bias, as a single. */
static LLVMValueRef from_fixed(struct warp_trans *t, LLVMValueRef word)
{
    struct jit_builder *b = t->b;
    LLVMValueRef v = LLVMBuildSIToFP(b->ir, SIGNED_PART(t, word, LEVEL), b->f32x16, "");
    v = LLVMBuildFMul(b->ir, v, jit_splat_f32(b, 1.0f / WARP_LEVEL_ONE), "");
    return LLVMBuildBitCast(b->ir, v, b->i32x16, "");
}

/* How many words of those that are read it has taken. */
static unsigned take_coordinates(struct warp_trans *t, struct isa_ir_texture *r)
{
    const struct warp_insn *i = t->insn;
    const unsigned count = i->dimensions ? i->dimensions : 2u;
    if (i->of_varying) {
        const struct warp_insn asks = warp_coordinates_of(i);
        LLVMValueRef given[WARP_MESSAGE_WORDS];
        warp_trans_ask(t, &asks, given);
        for (unsigned c = 0; c < count; c++)
            r->coordinate[c] = given[c];
        return 0;
    }
    for (unsigned n = 0; n < 2 * count && i->gradient; n++)
        r->gradient[n & 1][n / 2] = warp_trans_read(t, n);
    for (unsigned c = 0; c < count && !i->gradient; c++)
        r->coordinate[c] = warp_trans_read(t, c);
    return i->gradient ? 2 * count : count;
}

static void take_words(struct warp_trans *t, struct isa_ir_texture *r)
{
    const struct warp_insn *i = t->insn;
    const bool fetches = fetches_texels(i);
    unsigned at = take_coordinates(t, r);
    if (i->array)
        r->coordinate[3] = warp_trans_read(t, at++);
    if (i->shadow)
        r->coordinate[2] = warp_trans_read(t, at++);
    if (i->texel_offset) {
        LLVMValueRef word = warp_trans_read(t, at++);
        for (unsigned c = 0; c < 3; c++)
            r->offset[c] = signed_at(t, word, WARP_OFFSET_AT + WARP_OFFSET_BITS * c, WARP_OFFSET_BITS);
        if (fetches)
            r->lod = PART(t, word, OFFSETS_LEVEL);
        if (fetches && i->dimensions < 3)
            r->coordinate[2] = i->level == WARP_LEVEL_GIVEN ? PART(t, word, OFFSETS_SAMPLE_ALONE)
                                                            : PART(t, word, OFFSETS_SAMPLE);
    }
    if (i->level != WARP_LEVEL_GIVEN && i->level != WARP_LEVEL_BIAS)
        return;
    LLVMValueRef word = warp_trans_read(t, at);
    r->lod = i->texture_op == ISA_TEXTURE_FETCH ? SIGNED_PART(t, word, LEVEL_WHOLE) : from_fixed(t, word);
}

/* A word of two components, which are singles or integers; code that is not optimised has no halves as singles. */
static void write_pair(struct warp_trans *t, unsigned n, const LLVMValueRef value[2])
{
    struct jit_builder *b = t->b;
    const bool floats = t->insn->sampler_type == ISA_SAMPLER_FLOAT;
    LLVMValueRef bits[2];
    if (floats && !b->quick) {
        warp_trans_write_halves(t, n, value);
        return;
    }
    for (unsigned e = 0; e < 2; e++) {
        bits[e] = floats ? warp_trans_op(b, ISA_OP_f32_to_f16, ISA_F32, value[e], NULL, NULL)
                         : bits_at(t, value[e], 0, 16);
        bits[e] = LLVMTypeOf(bits[e]) == b->i32x16 ? bits[e] : LLVMBuildZExt(b->ir, bits[e], b->i32x16, "");
    }
    bits[1] = LLVMBuildShl(b->ir, bits[1], jit_splat_u32(b, 16), "");
    warp_trans_write(t, n, LLVMBuildOr(b->ir, bits[0], bits[1], ""));
}

/* 8.8 fixed point of a level, in the lower half, and what else a gradient descriptor has. */
static void make_descriptor(struct warp_trans *t, LLVMValueRef value[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef v = warp_trans_lanes(t, value[0]);
    LLVMValueRef least = jit_splat_u32(b, (uint32_t)INT16_MIN), most = jit_splat_u32(b, INT16_MAX);
    v = warp_trans_op(b, ISA_OP_fmul, ISA_F32, v, jit_as_i32(b, jit_splat_f32(b, WARP_LEVEL_ONE)), NULL);
    v = warp_trans_op(b, ISA_OP_f32_to_i32, ISA_F32, v, NULL, NULL);
    v = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntSLT, v, least, ""), least, v);
    v = jit_select(b, LLVMBuildICmp(b->ir, LLVMIntSGT, v, most, ""), most, v);
    value[0] = PART(t, v, LEVEL);
    value[1] = value[2] = value[3] = jit_splat_u32(b, 0);
}

/* From register `first` of the run on; how many were written. */
static unsigned write_result(struct warp_trans *t, unsigned first, bool halves, const LLVMValueRef value[4])
{
    LLVMValueRef v[5];
    unsigned count = 0;
    for (unsigned c = 0; c < 4; c++)
        if (t->insn->write_mask >> c & 1)
            v[count++] = warp_trans_lanes(t, value[c]);
    v[count] = jit_splat_u32(t->b, 0);
    for (unsigned n = 0; n < count; n += halves ? 2 : 1)
        if (halves)
            write_pair(t, first + n / 2, &v[n]);
        else
            warp_trans_write(t, first + n, v[n]);
    return halves ? (count + 1) / 2 : count;
}

void warp_trans_texture(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    LLVMValueRef zero = jit_splat_u32(t->b, 0);
    LLVMValueRef out[2][4] = {{zero, zero, zero, zero}, {zero, zero, zero, zero}};
    struct isa_ir_texture r;
    warp_texture_request(i, 0, &r);
    r.lod = zero;
    for (unsigned c = 0; c < 4; c++)
        r.coordinate[c] = zero;
    for (unsigned c = 0; c < 3; c++)
        r.offset[c] = r.gradient[0][c] = r.gradient[1][c] = zero;
    take_words(t, &r);
    for (unsigned c = 0; c < 4 && r.derivatives; c++)
        r.coordinate[c] = filled(t, r.coordinate[c]);
    for (unsigned n = 0; n < 1u + i->dual; n++) {
        LLVMValueRef address = NULL;
        handles(t, n, &r);
        LLVMValueRef missing = t->ports->texture(t->ports->ctx, t->b, &r, t->mask, out[n], &address);
        warp_trans_check(t, missing, t->mask, address);
    }
    if (i->texture_op == ISA_TEXTURE_LEVEL)
        make_descriptor(t, out[0]);
    const unsigned words = write_result(t, 0, i->halves, out[0]);
    if (i->dual)
        write_result(t, words, i->second_halves, out[1]);
}

/* Halves that stay singles from one operation to the next (isa/trans_op.h). What the halves of a register are is known
 * beside its bits, which need not be worked out where only such operations ask for them. Code that is not optimised would
 * compute both, and takes the bits. */
#include "isa/warp/trans_internal.h"

#include <string.h>

static LLVMValueRef *known_of(struct warp_trans *t, uint8_t from, unsigned index)
{
    if (from == WARP_REGISTER)
        return t->half[index % WARP_REGISTERS];
    return from == WARP_TEMPORARY ? t->half[WARP_REGISTERS + index % WARP_TEMPORARIES] : NULL;
}

static LLVMValueRef with_signs(struct jit_builder *b, const struct warp_source *s, LLVMValueRef single)
{
    LLVMValueRef v = jit_as_i32(b, single);
    if (!s->absolute && !s->negate)
        return single;
    if (s->absolute)
        v = LLVMBuildAnd(b->ir, v, jit_splat_u32(b, 0x7fffffff), "");
    if (s->negate)
        v = LLVMBuildXor(b->ir, v, jit_splat_u32(b, 0x80000000), "");
    return jit_as_f32(b, v);
}

/* Half `lane` of source n as it stands. */
static LLVMValueRef half_of(struct warp_trans *t, unsigned n, unsigned lane)
{
    struct jit_builder *b = t->b;
    const struct warp_source *s = &t->insn->source[n];
    LLVMValueRef *known = known_of(t, s->from, s->index);
    if (known && known[lane])
        return known[lane];
    LLVMValueRef v = warp_trans_word(t, n, 0);
    v = lane ? LLVMBuildLShr(b->ir, v, jit_splat_u32(b, 16), "") : v;
    v = isa_trans_half_of_bits(b, LLVMBuildTrunc(b->ir, v, b->i16x16, ""));
    if (known)
        known[lane] = v;
    return v;
}

LLVMValueRef warp_trans_known_single(struct warp_trans *t, unsigned n)
{
    const struct warp_source *s = &t->insn->source[n];
    LLVMValueRef *known = known_of(t, s->from, s->index);
    if (s->width != 16 || !known || !known[s->lane[0]] || t->b->quick)
        return NULL;
    return jit_as_i32(t->b,
                      with_signs(t->b, s, jit_as_f32(t->b, isa_trans_half_single(t->b, known[s->lane[0]]))));
}

/* ---- results ---- */

static LLVMValueRef bits_of(struct jit_builder *b, LLVMValueRef half)
{
    return LLVMBuildZExt(b->ir, isa_trans_half_bits(b, half), b->i32x16, "");
}

static LLVMValueRef word_of(struct jit_builder *b, const LLVMValueRef half[2])
{
    LLVMValueRef high = LLVMBuildShl(b->ir, bits_of(b, half[1]), jit_splat_u32(b, 16), "");
    return LLVMBuildOr(b->ir, bits_of(b, half[0]), high, "");
}

/* Halves that the mask lets through; of the others half[] is not looked at. */
static void put(struct warp_trans *t, const LLVMValueRef half[2])
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    LLVMValueRef *known = known_of(t, i->dest.to, i->dest.index), kept[2] = {known[0], known[1]};
    LLVMValueRef word = i->dest.mask & 1 ? bits_of(b, half[0]) : jit_splat_u32(b, 0);
    if (i->dest.mask & 2)
        word =
            LLVMBuildOr(b->ir, word, LLVMBuildShl(b->ir, bits_of(b, half[1]), jit_splat_u32(b, 16), ""), "");
    warp_trans_put_word(t, 0, word);
    for (unsigned e = 0; e < 2; e++)
        known[e] = i->dest.mask >> e & 1 ? half[e] : kept[e];
}

static LLVMValueRef clamped(struct warp_trans *t, LLVMValueRef half)
{
    struct isa_lane_op op = warp_clamping(t->insn);
    op.shape = ISA_F16;
    return op.op == ISA_OP_COUNT ? half : isa_trans_half(t->b, op, (const LLVMValueRef[3]){half}, true);
}

static LLVMValueRef element(struct warp_trans *t, struct isa_lane_op op, unsigned e)
{
    const struct warp_insn *i = t->insn;
    LLVMValueRef source[3] = {NULL};
    for (unsigned n = 0; n < warp_source_count((enum warp_op)i->op); n++)
        source[n] = with_signs(t->b, &i->source[n], half_of(t, n, i->source[n].lane[e]));
    return clamped(t, isa_trans_half(t->b, op, source, true));
}

/* Operations of halves alone. */
static bool computes_halves(const struct warp_insn *i, struct isa_lane_op op)
{
    const struct warp_row *row = &warp_rows[i->op];
    bool all = row->type == WARP_V2F16 || row->type == WARP_F16;
    for (unsigned n = 0; n < warp_source_count((enum warp_op)i->op); n++)
        all &= row->source[n] == row->type && i->source[n].width == 16 && !i->source[n].invert;
    return all && (row->class == WARP_PLAIN || row->class == WARP_ROUND) && isa_op_by_singles(op);
}

bool warp_trans_halves(struct warp_trans *t)
{
    const struct warp_insn *i = t->insn;
    struct isa_lane_op op = warp_lane_op(i);
    LLVMValueRef half[2] = {NULL, NULL};
    op.shape = ISA_F16;
    if (t->b->quick || !computes_halves(i, op))
        return false;
    const bool one = warp_rows[i->op].type == WARP_F16;
    for (unsigned e = 0; e < 2; e++) {
        if (one && e)
            half[1] = half[0];
        else if (one || i->dest.mask >> e & 1)
            half[e] = element(t, op, e);
    }
    put(t, half);
    return true;
}

/* ---- conversion ---- */

bool warp_trans_to_halves(struct warp_trans *t, const LLVMValueRef single[2])
{
    LLVMValueRef half[2];
    if (t->b->quick || t->insn->op != WARP_V2F32_TO_V2F16 || warp_rounding(t->insn))
        return false;
    for (unsigned e = 0; e < 2; e++)
        half[e] = clamped(t, isa_trans_half_of_single(t->b, single[e], true));
    put(t, half);
    return true;
}

/* ---- moves ---- */

void warp_trans_moved_halves(struct warp_trans *t, LLVMValueRef half[2])
{
    const struct warp_insn *i = t->insn;
    const unsigned parts = i->op == WARP_MOV_I32 ? 1 : i->op == WARP_MKVEC_V2I16 ? 2 : 0;
    half[0] = half[1] = NULL;
    for (unsigned e = 0; e < 2 && parts && i->dest.mask == 3; e++) {
        const struct warp_source *s = &i->source[e % parts];
        LLVMValueRef *known = known_of(t, s->from, s->index);
        if (known && s->width == 32 / parts && !s->invert)
            half[e] = known[parts == 1 ? e : s->lane[0]];
    }
}

void warp_trans_note_halves(struct warp_trans *t, const LLVMValueRef half[2])
{
    LLVMValueRef *known = known_of(t, t->insn->dest.to, t->insn->dest.index);
    known[0] = half[0];
    known[1] = half[1];
}

/* ---- messages ---- */

void warp_trans_read_halves(struct warp_trans *t, unsigned n, LLVMValueRef half[2])
{
    const struct warp_run run = t->insn->read;
    const uint8_t from = t->insn->reads_temporaries ? WARP_TEMPORARY : WARP_REGISTER;
    const LLVMValueRef *known = known_of(t, from, run.reg + n);
    for (unsigned e = 0; e < 2; e++)
        half[e] = n < run.count ? known[e] : NULL;
}

void warp_trans_write_halves(struct warp_trans *t, unsigned n, const LLVMValueRef single[2])
{
    const struct warp_run run = t->insn->write;
    LLVMValueRef half[2];
    for (unsigned e = 0; e < 2; e++)
        half[e] = isa_trans_half_of_single(t->b, single[e], true);
    warp_trans_write(t, n, word_of(t->b, half));
    if (n < run.count)
        memcpy(t->half[(run.reg + n) % WARP_REGISTERS], half, sizeof half);
}

/* Registers, arithmetic of them, and what goes from lane to lane. */
#include "isa/warp/trans_internal.h"

/* ---- sources ---- */

static LLVMValueRef special(struct warp_trans *t, unsigned which, unsigned k)
{
    LLVMValueRef *known = t->special[which % WARP_SPECIALS];
    if (!known[0]) {
        known[0] = known[1] = jit_splat_u32(t->b, 0);
        t->ports->special(t->ports->ctx, t->b, which, known);
        known[0] = warp_trans_lanes(t, known[0]);
        known[1] = warp_trans_lanes(t, known[1]);
    }
    return known[k];
}

static LLVMValueRef counter(struct warp_trans *t, unsigned k, uint64_t plus)
{
    struct jit_builder *b = t->b;
    const uint64_t behind = (uint64_t)(t->insn->at + 1) * t->program->word_bytes + plus;
    LLVMValueRef address = LLVMBuildAdd(b->ir, t->input->address, jit_i64(b, behind), "");
    if (k)
        address = LLVMBuildLShr(b->ir, address, jit_i64(b, 32), "");
    return jit_splat(b, LLVMBuildTrunc(b->ir, address, b->i32, ""));
}

LLVMValueRef warp_trans_word(struct warp_trans *t, unsigned n, unsigned k)
{
    struct jit_builder *b = t->b;
    const struct warp_source *s = &t->insn->source[n];
    const unsigned at = s->index + k;
    LLVMValueRef zero = jit_splat_u32(b, 0);
    if (k >= warp_source_words(t->insn, n))
        return zero;
    switch (s->from) {
    case WARP_REGISTER: return t->reg[at % WARP_REGISTERS];
    case WARP_TEMPORARY: {
        LLVMValueRef v = t->temporary[at % WARP_TEMPORARIES];
        return v ? v : zero;
    }
    case WARP_UNIFORM: return warp_trans_lanes(t, t->ports->uniform_word(t->ports->ctx, b, at));
    case WARP_SPECIAL: return special(t, s->index / 2u, at & 1);
    case WARP_COUNTER: return counter(t, at & 1, s->value);
    case WARP_LANE: return at & 1 ? zero : jit_lane_ids(b);
    default: return jit_splat_u32(b, (uint32_t)(s->value >> 32 * k));
    }
}

static LLVMValueRef joined(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high)
{
    low = LLVMBuildZExt(b->ir, low, b->i64x16, "");
    high = LLVMBuildZExt(b->ir, high, b->i64x16, "");
    high = LLVMBuildShl(b->ir, high, warp_trans_number(b->i64x16, 32), "");
    return LLVMBuildOr(b->ir, low, high, "");
}

LLVMValueRef warp_trans_pair(struct warp_trans *t, unsigned n)
{
    return joined(t->b, warp_trans_word(t, n, 0), warp_trans_word(t, n, 1));
}

/* ---- results ---- */

static void forget(LLVMValueRef half[2])
{
    half[0] = half[1] = NULL;
}

void warp_trans_put_word(struct warp_trans *t, unsigned k, LLVMValueRef value)
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    const uint32_t mask = (i->dest.mask & 1 ? 0xffffu : 0) | (i->dest.mask & 2 ? 0xffff0000u : 0);
    const bool temporary = i->dest.to == WARP_TEMPORARY;
    const unsigned n = (i->dest.index + k) % (temporary ? WARP_TEMPORARIES : WARP_REGISTERS);
    LLVMValueRef *word = temporary ? &t->temporary[n] : &t->reg[n];
    forget(t->half[temporary ? WARP_REGISTERS + n : n]);
    if (mask != UINT32_MAX) {
        LLVMValueRef old = *word ? *word : jit_splat_u32(b, 0);
        old = LLVMBuildAnd(b->ir, old, jit_splat_u32(b, ~mask), "");
        value = LLVMBuildOr(b->ir, old, LLVMBuildAnd(b->ir, value, jit_splat_u32(b, mask), ""), "");
    }
    *word = value;
}

/* Of i16x16 to i64x16. */
static void put(struct warp_trans *t, LLVMValueRef value)
{
    struct jit_builder *b = t->b;
    LLVMTypeRef type = LLVMTypeOf(value);
    if (type == b->i64x16) {
        if (t->insn->dest.pair) {
            LLVMValueRef high = LLVMBuildLShr(b->ir, value, warp_trans_number(type, 32), "");
            warp_trans_put_word(t, 1, LLVMBuildTrunc(b->ir, high, b->i32x16, ""));
        }
        value = LLVMBuildTrunc(b->ir, value, b->i32x16, "");
    } else if (type == b->i16x16) { /* in both halves */
        value = LLVMBuildZExt(b->ir, value, b->i32x16, "");
        value = LLVMBuildOr(b->ir, value, LLVMBuildShl(b->ir, value, jit_splat_u32(b, 16), ""), "");
    } else if (type != b->i32x16) {
        value = LLVMBuildZExt(b->ir, value, b->i32x16, "");
    }
    warp_trans_put_word(t, 0, value);
}

static void take(struct warp_trans *t, LLVMValueRef operand[WARP_SOURCES])
{
    const struct warp_row *row = &warp_rows[t->insn->op];
    for (unsigned n = 0; n < WARP_SOURCES; n++) {
        operand[n] = row->source[n] == WARP_F32 ? warp_trans_known_single(t, n) : NULL;
        if (row->source[n] == WARP_NONE || operand[n])
            continue;
        LLVMValueRef raw =
            warp_source_words(t->insn, n) == 2 ? warp_trans_pair(t, n) : warp_trans_word(t, n, 0);
        operand[n] = warp_trans_operand(t->b, t->insn, n, raw);
    }
}

static LLVMValueRef result(struct warp_trans *t)
{
    LLVMValueRef operand[WARP_SOURCES];
    take(t, operand);
    return warp_trans_compute(t->b, t->insn, operand);
}

void warp_trans_arithmetic(struct warp_trans *t)
{
    LLVMValueRef operand[WARP_SOURCES], moved[2];
    if (warp_trans_halves(t) || warp_trans_test_halves(t))
        return;
    take(t, operand);
    if (warp_trans_to_halves(t, operand))
        return;
    warp_trans_moved_halves(t, moved);
    put(t, warp_trans_compute(t->b, t->insn, operand));
    warp_trans_note_halves(t, moved);
}

LLVMValueRef warp_trans_holds(struct warp_trans *t)
{
    LLVMValueRef truth = result(t);
    const LLVMIntPredicate how = t->insn->unless ? LLVMIntEQ : LLVMIntNE;
    return LLVMBuildICmp(t->b->ir, how, truth, LLVMConstNull(LLVMTypeOf(truth)), "");
}

/* ---- other lanes ---- */

/* Numbers of the lanes that element e is taken from. */
static LLVMValueRef source_lanes(struct warp_trans *t, unsigned e)
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    const struct warp_source *s = &i->source[1];
    const unsigned bit = s->lane[e] * s->width;
    LLVMValueRef n = warp_trans_word(t, 1, bit / 32), base;
    n = LLVMBuildLShr(b->ir, n, jit_splat_u32(b, bit % 32), "");
    if (i->lane_op == WARP_LANE_XOR)
        n = LLVMBuildXor(b->ir, n, jit_lane_ids(b), "");
    n = LLVMBuildAnd(b->ir, n, jit_splat_u32(b, i->subgroup - 1u), "");
    base = LLVMBuildAnd(b->ir, jit_lane_ids(b), jit_splat_u32(b, ~(i->subgroup - 1u)), "");
    return LLVMBuildOr(b->ir, base, n, "");
}

/* A word of each lane `from` says: by a shuffle where that is known. */
static LLVMValueRef taken_from(struct warp_trans *t, LLVMValueRef value, LLVMValueRef from)
{
    struct jit_builder *b = t->b;
    if (LLVMIsConstant(from))
        return LLVMBuildShuffleVector(b->ir, value, LLVMGetPoison(b->i32x16), from, "");
    LLVMValueRef place = jit_alloca(b, b->i32x16, "lanes");
    LLVMBuildStore(b->ir, value, place);
    from = LLVMBuildShl(b->ir, from, jit_splat_u32(b, 2), "");
    return jit_gather_u32(b, place, from, LLVMConstAllOnes(b->i1x16));
}

static LLVMValueRef permuted_word(struct warp_trans *t, unsigned k)
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    const unsigned words = warp_source_words(i, 0), bits = 32u * words / i->elements;
    LLVMValueRef value =
        jit_select(b, t->mask, warp_trans_word(t, 0, k), jit_splat_u32(b, (uint32_t)(i->value >> 32 * k)));
    if (i->elements == 1)
        return taken_from(t, value, source_lanes(t, 0));
    LLVMValueRef out = jit_splat_u32(b, 0);
    for (unsigned e = 0; e < i->elements; e++) {
        const uint32_t part = (UINT32_MAX >> (32 - bits)) << e * bits;
        LLVMValueRef one = taken_from(t, value, source_lanes(t, e));
        out = LLVMBuildOr(b->ir, out, LLVMBuildAnd(b->ir, one, jit_splat_u32(b, part), ""), "");
    }
    return out;
}

void warp_trans_permute(struct warp_trans *t)
{
    LLVMValueRef word[2] = {permuted_word(t, 0), NULL};
    if (warp_source_words(t->insn, 0) == 2 && t->insn->dest.pair)
        word[1] = permuted_word(t, 1);
    warp_trans_put_word(t, 0, word[0]);
    if (word[1])
        warp_trans_put_word(t, 1, word[1]);
}

void warp_trans_ballot(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    const uint32_t size = t->insn->subgroup;
    LLVMValueRef set = LLVMBuildICmp(b->ir, LLVMIntNE, warp_trans_word(t, 0, 0), jit_splat_u32(b, 0), "");
    LLVMValueRef bits = jit_mask_to_bits(b, LLVMBuildAnd(b->ir, set, t->mask, ""));
    LLVMValueRef first = LLVMBuildAnd(b->ir, jit_lane_ids(b), jit_splat_u32(b, ~(size - 1)), "");
    bits = jit_splat(b, LLVMBuildZExt(b->ir, bits, b->i32, ""));
    bits = LLVMBuildLShr(b->ir, bits, first, "");
    warp_trans_put_word(t, 0, LLVMBuildAnd(b->ir, bits, jit_splat_u32(b, (1u << size) - 1), ""));
}

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

static LLVMValueRef half_of_word(struct jit_builder *b, LLVMValueRef word, unsigned lane)
{
    word = lane ? LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 16), "") : word;
    return isa_trans_half_of_bits(b, LLVMBuildTrunc(b->ir, word, b->i16x16, ""));
}

/* Half `lane` of source n as it stands. */
static LLVMValueRef half_of(struct warp_trans *t, unsigned n, unsigned lane)
{
    const struct warp_source *s = &t->insn->source[n];
    LLVMValueRef *known = known_of(t, s->from, s->index);
    if (known && known[lane])
        return known[lane];
    LLVMValueRef v = half_of_word(t->b, warp_trans_word(t, n, 0), lane);
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

/* Halves that the mask does not let through are what they were. */
static void keep_others(struct warp_trans *t, LLVMValueRef half[2])
{
    const LLVMValueRef *known = known_of(t, t->insn->dest.to, t->insn->dest.index);
    for (unsigned e = 0; e < 2; e++)
        if (!(t->insn->dest.mask >> e & 1))
            half[e] = known[e];
}

/* Halves that the mask lets through; of the others half[] is not looked at. */
static void put(struct warp_trans *t, const LLVMValueRef half[2])
{
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    LLVMValueRef known[2] = {half[0], half[1]};
    keep_others(t, known);
    LLVMValueRef word = i->dest.mask & 1 ? bits_of(b, half[0]) : jit_splat_u32(b, 0);
    if (i->dest.mask & 2)
        word =
            LLVMBuildOr(b->ir, word, LLVMBuildShl(b->ir, bits_of(b, half[1]), jit_splat_u32(b, 16), ""), "");
    warp_trans_put_word(t, 0, word);
    warp_trans_note_halves(t, known);
}

static LLVMValueRef clamped(struct warp_trans *t, LLVMValueRef half)
{
    struct isa_lane_op op = warp_clamping(t->insn);
    op.shape = ISA_F16;
    return op.op == ISA_OP_COUNT ? half : isa_trans_half(t->b, op, (const LLVMValueRef[3]){half}, true);
}

/* Source n of element e. */
static LLVMValueRef operand(struct warp_trans *t, unsigned n, unsigned e)
{
    const struct warp_source *s = &t->insn->source[n];
    return with_signs(t->b, s, half_of(t, n, s->lane[e]));
}

static LLVMValueRef element(struct warp_trans *t, struct isa_lane_op op, unsigned e)
{
    LLVMValueRef source[3] = {NULL};
    for (unsigned n = 0; n < warp_source_count((enum warp_op)t->insn->op); n++)
        source[n] = operand(t, n, e);
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

/* ---- tests ---- */

/* Element e of source n as it stands, i16x16. */
static LLVMValueRef bits_at(struct warp_trans *t, unsigned n, unsigned e)
{
    struct jit_builder *b = t->b;
    LLVMValueRef v = warp_trans_word(t, n, 0);
    v = t->insn->source[n].lane[e] ? LLVMBuildLShr(b->ir, v, jit_splat_u32(b, 16), "") : v;
    return LLVMBuildTrunc(b->ir, v, b->i16x16, "");
}

/* Whether the first two sources compare, element e: all ones or zeros, i16x16; NULL: always. */
static LLVMValueRef tested(struct warp_trans *t, unsigned e)
{
    const uint8_t type = warp_rows[t->insn->op].source[0];
    struct isa_lane_op test = warp_test(t->insn, (enum warp_type)type, WARP_M1);
    if (test.op == ISA_OP_COUNT)
        return NULL;
    if (type == WARP_V2F16) {
        test.shape = ISA_F16;
        return isa_trans_half(t->b, test, (const LLVMValueRef[3]){operand(t, 0, e), operand(t, 1, e)}, true);
    }
    test.shape = ISA_I16;
    return isa_trans_op(t->b, test, (const LLVMValueRef[3]){bits_at(t, 0, e), bits_at(t, 1, e)});
}

static bool reads_pairs(const struct warp_insn *i)
{
    bool all = true;
    for (unsigned n = 0; n < warp_source_count((enum warp_op)i->op); n++)
        all &= i->source[n].width == 16 && !i->source[n].invert;
    return all;
}

static bool is_number(const struct warp_source *s, uint64_t value)
{
    return s->from == WARP_CONSTANT && s->value == value;
}

bool warp_trans_test_halves(struct warp_trans *t)
{
    static const uint16_t truths[] = {[WARP_I1] = 1, [WARP_F1] = 0x3c00, [WARP_M1] = 0xffff};
    struct jit_builder *b = t->b;
    const struct warp_insn *i = t->insn;
    const struct warp_row *row = &warp_rows[i->op];
    LLVMValueRef word = jit_splat_u32(b, 0), half[2] = {NULL, NULL};
    if (b->quick || row->class != WARP_COMPARE || row->source[0] != WARP_V2F16 || !reads_pairs(i))
        return false;
    const bool alone = row->op == ISA_OP_ior && is_number(&i->source[2], 0);
    for (unsigned e = 0; e < 2; e++) {
        LLVMValueRef set = tested(t, e), rest = bits_at(t, 2, e), bits;
        bits = LLVMBuildAnd(b->ir, set, warp_trans_number(b->i16x16, truths[i->truth]), "");
        bits =
            row->op == ISA_OP_ior ? LLVMBuildOr(b->ir, bits, rest, "") : LLVMBuildAnd(b->ir, bits, rest, "");
        bits = LLVMBuildZExt(b->ir, bits, b->i32x16, "");
        word = LLVMBuildOr(b->ir, word, e ? LLVMBuildShl(b->ir, bits, jit_splat_u32(b, 16), "") : bits, "");
        set = LLVMBuildICmp(b->ir, LLVMIntNE, set, LLVMConstNull(b->i16x16), "");
        if (alone && i->truth == WARP_F1)
            half[e] = isa_trans_half_select(b, set, jit_splat_f32(b, 1), jit_splat_f32(b, 0));
    }
    keep_others(t, half);
    warp_trans_put_word(t, 0, word);
    warp_trans_note_halves(t, half);
    return true;
}

/* ---- moves ---- */

static LLVMValueRef known_source(struct warp_trans *t, unsigned n, unsigned lane)
{
    const struct warp_source *s = &t->insn->source[n];
    LLVMValueRef *known = known_of(t, s->from, s->index);
    return known ? known[lane] : NULL;
}

/* Words, pairs of halves, and a sum with nothing, which compilers move halves with. */
static LLVMValueRef moved(struct warp_trans *t, unsigned e)
{
    const struct warp_insn *i = t->insn;
    const struct warp_source *s = i->source;
    switch (i->op) {
    case WARP_MOV_I32: return s[0].width == 32 && !s[0].invert ? known_source(t, 0, e) : NULL;
    case WARP_MKVEC_V2I16: return reads_pairs(i) ? known_source(t, e, s[e].lane[0]) : NULL;
    case WARP_IADD_V2S16:
    case WARP_IADD_V2U16:
        return reads_pairs(i) && is_number(&s[1], 0) ? known_source(t, 0, s[0].lane[e]) : NULL;
    default: return NULL;
    }
}

/* What makes MUX take its first, element e: i16x16 likewise. */
static LLVMValueRef muxed(struct warp_trans *t, unsigned e)
{
    struct jit_builder *b = t->b;
    LLVMValueRef what = bits_at(t, 2, e), zero = LLVMConstNull(b->i16x16);
    const bool sign = t->insn->mux == WARP_MUX_NEG;
    if (t->insn->mux == WARP_MUX_FP_ZERO)
        what = LLVMBuildAnd(b->ir, what, warp_trans_number(b->i16x16, 0x7fff), "");
    return LLVMBuildSExt(b->ir, LLVMBuildICmp(b->ir, sign ? LLVMIntSLT : LLVMIntEQ, what, zero, ""),
                         b->i16x16, "");
}

/* Which of its sources an operation chooses between, of pairs: the first; WARP_SOURCES: it does something else. */
static unsigned choices(const struct warp_insn *i)
{
    const struct warp_row *row = &warp_rows[i->op];
    const bool pairs = row->type == WARP_V2F16 || row->type == WARP_V2U16 || row->type == WARP_V2S16;
    if (!pairs || !reads_pairs(i))
        return WARP_SOURCES;
    return row->class == WARP_CHOOSE                          ? 2
           : row->class == WARP_MUX && i->mux != WARP_MUX_BIT ? 0
                                                              : WARP_SOURCES;
}

/* Of two halves one, where something is known of either. */
static LLVMValueRef chosen(struct warp_trans *t, unsigned e)
{
    const struct warp_insn *i = t->insn;
    const unsigned yes = choices(i), no = yes + 1;
    if (t->b->quick || yes == WARP_SOURCES ||
        (!known_source(t, yes, i->source[yes].lane[e]) && !known_source(t, no, i->source[no].lane[e])))
        return NULL;
    LLVMValueRef set = warp_rows[i->op].class == WARP_MUX ? muxed(t, e) : tested(t, e);
    if (!set)
        return NULL;
    set = LLVMBuildICmp(t->b->ir, LLVMIntNE, set, LLVMConstNull(t->b->i16x16), "");
    return isa_trans_half_select(t->b, set, operand(t, yes, e), operand(t, no, e));
}

void warp_trans_moved_halves(struct warp_trans *t, LLVMValueRef half[2])
{
    for (unsigned e = 0; e < 2; e++)
        half[e] = choices(t->insn) == WARP_SOURCES ? moved(t, e) : chosen(t, e);
    keep_others(t, half);
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

/* ---- from block to block ---- */

static bool takes_halves(const struct warp_insn *i)
{
    const struct warp_row *row = &warp_rows[i->op];
    struct isa_lane_op op = warp_lane_op(i);
    op.shape = ISA_F16;
    return i->kind == WARP_COMPUTE &&
           (computes_halves(i, op) || (row->class == WARP_COMPARE && row->source[0] == WARP_V2F16));
}

/* Notes what the block takes of registers as halves that it has not written before. */
static void note_taken(struct warp_trans *t, const struct warp_block *block)
{
    uint64_t written = 0;
    for (uint32_t k = 0; k < block->count; k++) {
        const struct warp_insn *i = &t->program->insns[block->first + k];
        for (unsigned n = 0; takes_halves(i) && n < warp_source_count((enum warp_op)i->op); n++) {
            const struct warp_source *s = &i->source[n];
            const unsigned reg = s->index % WARP_REGISTERS;
            for (unsigned e = 0; s->from == WARP_REGISTER && s->width == 16 && e < 2; e++)
                t->kept[s->lane[e] & 1] |= t->slot[reg] && !(written >> reg & 1) ? UINT64_C(1) << reg : 0;
        }
        written |= warp_written(i);
    }
}

void warp_trans_keep_halves(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    for (uint32_t k = 0; k < t->block_count && t->block_count > 1 && !b->quick; k++)
        note_taken(t, &t->blocks[k]);
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        for (unsigned e = 0; e < 2; e++) {
            if (!(t->kept[e] >> n & 1))
                continue;
            LLVMValueRef first = half_of_word(b, t->begun[n], e);
            first = isa_trans_half_kept(b, first);
            t->half_slot[n][e] = jit_alloca(b, LLVMTypeOf(first), "half");
            LLVMBuildStore(b->ir, first, t->half_slot[n][e]);
        }
}

void warp_trans_load_halves(struct warp_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMTypeRef type = LLVMTypeOf(isa_trans_half_kept(b, LLVMConstNull(b->f32x16)));
    memset(t->half, 0, sizeof t->half);
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        for (unsigned e = 0; e < 2; e++)
            if (t->half_slot[n][e])
                t->half[n][e] = isa_trans_half_again(b, LLVMBuildLoad2(b->ir, type, t->half_slot[n][e], ""));
}

void warp_trans_store_halves(struct warp_trans *t, unsigned n)
{
    struct jit_builder *b = t->b;
    for (unsigned e = 0; e < 2; e++) {
        LLVMValueRef half = t->half[n][e];
        if (!t->half_slot[n][e])
            continue;
        half = half ? half : half_of_word(b, t->reg[n], e);
        warp_trans_set(t, t->half_slot[n][e], isa_trans_half_kept(b, half));
    }
}

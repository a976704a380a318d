/* Which way elements are walked: the digest, sections 6.2, 6.3 and 9. Where none reads what another has written they are computed
 * by chunks of lanes, from the first on; else in a loop, in order. With two masks sides step alike, or, where one leaves out
 * what the other does not, in such a loop, too. The rest is the interpreter's. */
#include "isa/simple_v/trans_internal.h"
#include "util/bits.h"

/* ---- what there is ---- */

static bool is_twin(const struct simple_v_trans *t)
{
    return t->x.class == SIMPLE_V_TWIN || t->x.class == SIMPLE_V_SWIZZLE || simple_v_trans_is_memory(t);
}

LLVMValueRef simple_v_trans_mask(struct simple_v_trans *t, unsigned which)
{
    const struct simple_v_mask_context *mask = &t->x.mask[which];
    if (!mask->there)
        return NULL;
    const LLVMValueRef bits = simple_v_trans_x(t, mask->reg);
    return mask->invert ? LLVMBuildNot(t->b->ir, bits, "") : bits;
}

/* Which sides of a twin operation step: vectors, and memory of unit stride. */
void simple_v_trans_sides(const struct simple_v_trans *t, bool *source, bool *dest)
{
    *source = simple_v_trans_operand(t, SIMPLE_V_RS1)->vector;
    *dest = simple_v_trans_operand(t, SIMPLE_V_RD)->vector;
    if (t->x.class == SIMPLE_V_LOAD)
        *source |= *dest;
    if (t->x.class == SIMPLE_V_STORE) {
        *source = simple_v_trans_operand(t, SIMPLE_V_RS2)->vector;
        *dest = simple_v_trans_operand(t, SIMPLE_V_RS1)->vector || *source;
    }
}

/* The interpreter's rule, of what the instruction may write at most. */
static bool covers(const struct simple_v_trans *t, const struct simple_v_mask_context *mask)
{
    const struct simple_v_operand_context *rd = simple_v_trans_operand(t, SIMPLE_V_RD);
    unsigned begin, end;
    if (!mask->there || !mask->reg || !rd->there || !rd->integer)
        return false;
    simple_v_trans_range(t, rd, &begin, &end);
    end = UTIL_MAX(end, rd->vector ? begin : begin + 8);
    return begin < mask->reg * 8u + 8 && mask->reg * 8u < end;
}

/* Bytes of the file. */
struct elements {
    unsigned at, step;
};

/* Element i's bytes, written, and those of an element that is read behind it. */
static bool meets_later(const struct simple_v_trans *t, struct elements written, struct elements read)
{
    for (unsigned i = 0; i < t->most; i++)
        for (unsigned j = i + 1; j < t->most; j++) {
            const unsigned w = written.at + i * written.step, r = read.at + j * read.step;
            if (w < r + read.step && r < w + written.step)
                return true;
        }
    return false;
}

bool simple_v_trans_meets(const struct simple_v_trans *t, const struct simple_v_operand_context *written,
                          const struct simple_v_operand_context *read)
{
    unsigned begin, end, read_begin, read_end;
    if (!read->there || written->integer != read->integer)
        return false;
    simple_v_trans_range(t, written, &begin, &end);
    simple_v_trans_range(t, read, &read_begin, &read_end);
    if (begin >= read_end || read_begin >= end)
        return false;
    return !read->vector || !written->vector ||
           meets_later(t, (struct elements){begin, simple_v_stride(written) / 8},
                       (struct elements){read_begin, simple_v_stride(read) / 8});
}

static bool meets_any(const struct simple_v_trans *t)
{
    bool any = false;
    for (unsigned n = SIMPLE_V_RS1; n < SIMPLE_V_PLACES && t->x.class != SIMPLE_V_STORE; n++)
        any |= simple_v_trans_meets(t, simple_v_trans_operand(t, SIMPLE_V_RD), simple_v_trans_operand(t, n));
    return any;
}

/* Selectors beyond SUBVL reach into the next sub-vector. */
static bool can_swizzle(const struct simple_v_trans *t)
{
    for (unsigned s = 0; s < t->subvl && t->subvl > 1; s++)
        if (((unsigned)t->item->insn->imm >> 2 * s & 3) >= t->subvl)
            return false;
    const struct simple_v_operand_context *rd = simple_v_trans_operand(t, SIMPLE_V_RD),
                                          *rs1 = simple_v_trans_operand(t, SIMPLE_V_RS1);
    const bool moves = t->subvl == 1 || (t->subvl != 3 && rd->vector && rs1->vector && t->elements);
    return moves && (rd->integer || rd->width == rs1->width);
}

static bool can_compute(const struct simple_v_trans *t)
{
    switch (t->x.class) {
    case SIMPLE_V_LOAD:
    case SIMPLE_V_STORE: return simple_v_trans_can_access(t);
    case SIMPLE_V_SWIZZLE: return can_swizzle(t);
    case SIMPLE_V_AMO: return simple_v_trans_can_atomic(t);
    case SIMPLE_V_MVX: return simple_v_trans_can_index(t);
    case SIMPLE_V_ALU:
    case SIMPLE_V_TWIN:
        return t->x.row->is_float ? simple_v_trans_can_float(t) : simple_v_trans_can_integer(t);
    default: return false;
    }
}

/* Fail-first of accesses shows where something is not there, which the interpreter does; of results in what was written, which of
 * x0 nothing is. */
static bool can_fail(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = simple_v_trans_operand(t, SIMPLE_V_RD);
    if (!t->x.mask[SIMPLE_V_DEST].ffirst || simple_v_trans_is_memory(t))
        return true;
    return t->x.class != SIMPLE_V_SWIZZLE && (!rd->integer || rd->reg);
}

static bool can_walk(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = simple_v_trans_operand(t, SIMPLE_V_RD);
    const struct simple_v_mask_context *dest = &t->x.mask[SIMPLE_V_DEST],
                                       *source = &t->x.mask[SIMPLE_V_SOURCE];
    bool fits = true;
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++)
        fits &= !simple_v_trans_operand(t, n)->there || simple_v_trans_fits(t, simple_v_trans_operand(t, n));
    /* Writes of x0 are lost, one by one. */
    const bool lost = rd->there && rd->integer && !rd->reg && !simple_v_trans_is_alone(t, rd);
    /* Chunks of a loop are of whole sub-vectors, and of as many lanes as LLVM is sure to know: a power of two. */
    const bool odd = t->subvl == 3 && t->x.loops && !t->elements;
    return fits && !lost && !odd && can_fail(t) && !covers(t, dest) && !covers(t, source);
}

/* ---- which way ---- */

enum way {
    STEP, /* the interpreter's */
    ONCE,
    WIDE,
    SAME, /* WIDE where both masks are the same, else IN_ORDER */
    IN_ORDER
};

static enum way way_in_order(const struct simple_v_trans *t)
{
    const bool swizzles = t->x.class == SIMPLE_V_SWIZZLE && t->subvl > 1;
    return swizzles || (simple_v_trans_is_memory(t) && simple_v_trans_gathers(t)) ? STEP : IN_ORDER;
}

/* With VL 0 nothing happens. */
static enum way way_once(const struct simple_v_trans *t)
{
    return t->elements ? ONCE : STEP;
}

static enum way single_way(const struct simple_v_trans *t)
{
    if (t->x.mask[SIMPLE_V_DEST].ffirst)
        return IN_ORDER;
    if (t->x.class == SIMPLE_V_AMO || (t->x.class == SIMPLE_V_MVX && simple_v_trans_index_meets(t)))
        return simple_v_trans_operand(t, SIMPLE_V_RD)->vector || t->x.mask[SIMPLE_V_DEST].there ? IN_ORDER
                                                                                                : way_once(t);
    if (simple_v_trans_operand(t, SIMPLE_V_RD)->vector)
        return meets_any(t) ? IN_ORDER : WIDE;
    return t->x.mask[SIMPLE_V_DEST].there ? IN_ORDER : way_once(t);
}

static enum way twin_way(const struct simple_v_trans *t)
{
    const struct simple_v_mask_context *source = &t->x.mask[SIMPLE_V_SOURCE],
                                       *dest = &t->x.mask[SIMPLE_V_DEST];
    bool source_steps, dest_steps;
    simple_v_trans_sides(t, &source_steps, &dest_steps);
    if (dest->ffirst && !simple_v_trans_is_memory(t))
        return IN_ORDER;
    if (!source_steps && !dest_steps)
        return way_once(t);
    if (!dest_steps || meets_any(t))
        return way_in_order(t);
    const bool over_source = source_steps && source->there && !source->zero,
               over_dest = dest->there && !dest->zero;
    /* What one side steps over the other has to. */
    if (source_steps && over_source != over_dest)
        return way_in_order(t);
    if (!over_source || (source->reg == dest->reg && source->invert == dest->invert))
        return WIDE;
    return way_in_order(t) == STEP ? STEP : SAME;
}

/* Whether it may turn out that the interpreter has to do it. */
static bool exits(const struct simple_v_trans *t)
{
    return simple_v_trans_is_memory(t) || t->x.class == SIMPLE_V_MVX || t->x.class == SIMPLE_V_AMO;
}

static enum way way_of(const struct simple_v_trans *t)
{
    if (!can_compute(t) || !can_walk(t))
        return STEP;
    /* What has set lengths must not be left to the interpreter behind that. */
    if (exits(t) && simple_v_has_vltyp(&t->item->insn->vl))
        return STEP;
    if (!t->x.loops)
        return ONCE;
    return is_twin(t) ? twin_way(t) : single_way(t);
}

/* ---- the masks of what is wide ---- */

static LLVMValueRef either(struct simple_v_trans *t, LLVMValueRef x, LLVMValueRef y)
{
    return x ? LLVMBuildOr(t->b->ir, x, y, "") : y;
}

static struct simple_v_masks masks_of(struct simple_v_trans *t)
{
    struct simple_v_masks m = {NULL, NULL};
    bool source_steps = false, dest_steps;
    if (is_twin(t))
        simple_v_trans_sides(t, &source_steps, &dest_steps);
    const LLVMValueRef dest = simple_v_trans_mask(t, SIMPLE_V_DEST),
                       source = source_steps ? simple_v_trans_mask(t, SIMPLE_V_SOURCE) : NULL;
    if (dest && t->x.mask[SIMPLE_V_DEST].zero)
        m.zero = LLVMBuildNot(t->b->ir, dest, "");
    else
        m.written = dest;
    if (source && t->x.mask[SIMPLE_V_SOURCE].zero)
        m.zero = either(t, m.zero, LLVMBuildNot(t->b->ir, source, ""));
    return m;
}

/* Both sides leave out by masks of their own: alike where these are the same. */
static void where_same(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const struct simple_v_masks m = masks_of(t);
    LLVMBasicBlockRef alike = simple_v_trans_block(t, "alike"), apart = simple_v_trans_block(t, "apart"),
                      out = simple_v_trans_block(t, "behind");
    const LLVMValueRef source = simple_v_trans_mask(t, SIMPLE_V_SOURCE);
    LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntEQ, source, m.written, ""), alike, apart);
    LLVMPositionBuilderAtEnd(ir, alike);
    simple_v_trans_wide(t, &m);
    LLVMBuildBr(ir, out);
    LLVMPositionBuilderAtEnd(ir, apart);
    simple_v_trans_twin_in_order(t);
    LLVMBuildBr(ir, out);
    LLVMPositionBuilderAtEnd(ir, out);
}

void simple_v_trans_ask_vl(struct simple_v_trans *t)
{
    if (t->x.loops && !t->elements)
        t->vl = LLVMBuildZExt(t->b->ir, simple_v_trans_load(t, t->b->i8, SIMPLE_V_THREAD_AT(state.vl)),
                              t->b->i64, "");
}

bool simple_v_trans_elements(struct simple_v_trans *t)
{
    const enum way way = way_of(t);
    if (way == STEP)
        return false;
    if (t->x.class == SIMPLE_V_AMO)
        simple_v_trans_find_atomics(t);
    if (t->x.class == SIMPLE_V_MVX)
        simple_v_trans_find_indices(t);
    simple_v_trans_vltyp(t);
    simple_v_trans_ask_vl(t);
    if (way == ONCE) {
        simple_v_trans_once(t);
    } else if (way == WIDE) {
        const struct simple_v_masks m = masks_of(t);
        simple_v_trans_wide(t, &m);
    } else if (way == SAME) {
        where_same(t);
    } else if (is_twin(t)) {
        simple_v_trans_twin_in_order(t);
    } else {
        simple_v_trans_single_in_order(t);
    }
    return true;
}

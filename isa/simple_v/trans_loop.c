/* Walks over elements: by chunks of lanes, once, in a loop in order: the digest, sections 6.2, 6.3 and 9. */
#include "isa/simple_v/trans_internal.h"
#include "util/bits.h"

enum { CHUNK_BITS = 512, CHUNK_LEAST = 16, CHUNK_MOST = 64 };

/* ---- chunks ---- */

/* Bits of the widest and of the narrowest element that the instruction has anywhere: 8 to 64, powers of two. */
static unsigned widest(const struct simple_v_trans *t, unsigned *narrowest)
{
    unsigned bits =
        UTIL_MAX(t->x.width && !t->x.row->is_float ? simple_v_trans_room(t) : 0u, t->x.float_width);
    *narrowest = 64;
    if (simple_v_trans_is_memory(t)) {
        bits = UTIL_MAX(bits, t->x.memory);
        *narrowest = t->x.memory;
    }
    for (unsigned n = 0; n < SIMPLE_V_PLACES; n++) {
        const struct simple_v_operand_context *o = simple_v_trans_operand(t, n);
        if (o->there && o->vector) {
            bits = UTIL_MAX(bits, simple_v_stride(o));
            *narrowest = UTIL_MIN(*narrowest, simple_v_stride(o));
        }
    }
    return UTIL_MAX(bits, 8u);
}

/* As many lanes as fill a register of hosts with the narrowest elements, where that takes no more than two for the widest: what was
 * written by halves could not be read whole at once. */
unsigned simple_v_trans_chunk(const struct simple_v_trans *t, unsigned first)
{
    unsigned narrowest;
    const unsigned bits = widest(t, &narrowest);
    unsigned lanes = UTIL_MAX(CHUNK_BITS / bits, UTIL_MIN(CHUNK_BITS / narrowest, 2 * CHUNK_BITS / bits));
    lanes = UTIL_MIN(UTIL_MAX(lanes, CHUNK_LEAST), CHUNK_MOST);
    while (lanes > t->elements - first)
        lanes /= 2;
    return lanes;
}

/* ---- elements ---- */

static struct simple_v_value swizzled(struct simple_v_trans *t, const struct simple_v_lanes *from)
{
    const struct simple_v_operand_context *rs1 = simple_v_trans_operand(t, SIMPLE_V_RS1);
    LLVMValueRef v = simple_v_trans_resize(t, simple_v_trans_read(t, rs1, from), rs1->width, false);
    unsigned which[64];
    for (unsigned l = 0; l < from->count && t->subvl > 1; l++)
        which[l] = l / t->subvl * t->subvl + ((unsigned)t->item->insn->imm >> 2 * (l % t->subvl) & 3);
    if (t->subvl > 1)
        v = simple_v_trans_shuffle(t, v, which, from->count);
    return (struct simple_v_value){v, rs1->width, false};
}

/* Sources `from` some lanes, results `to` others. */
static void compute(struct simple_v_trans *t, const struct simple_v_lanes *from,
                    const struct simple_v_lanes *to, LLVMValueRef zero)
{
    struct simple_v_value v;
    switch (t->x.class) {
    case SIMPLE_V_STORE: simple_v_trans_stored(t, from, to, zero); return;
    case SIMPLE_V_LOAD: v = simple_v_trans_loaded(t, from); break;
    case SIMPLE_V_SWIZZLE: v = swizzled(t, from); break;
    case SIMPLE_V_AMO: v = simple_v_trans_atomic(t, from); break;
    case SIMPLE_V_MVX: v = simple_v_trans_indexed(t, from); break;
    default: v = t->x.row->is_float ? simple_v_trans_float(t, from) : simple_v_trans_integer(t, from);
    }
    simple_v_trans_write(t, simple_v_trans_operand(t, SIMPLE_V_RD), to, v, zero);
}

static void one_chunk(struct simple_v_trans *t, struct simple_v_lanes lanes, const struct simple_v_masks *m)
{
    const LLVMValueRef zero = m->zero ? simple_v_trans_lane_mask(t, m->zero, &lanes) : NULL;
    if (m->written) {
        const LLVMValueRef mask = simple_v_trans_lane_mask(t, m->written, &lanes);
        lanes.mask = lanes.mask ? LLVMBuildAnd(t->b->ir, lanes.mask, mask, "") : mask;
    }
    compute(t, &lanes, &lanes, zero);
}

static void known_chunks(struct simple_v_trans *t, const struct simple_v_masks *m)
{
    struct simple_v_lanes lanes = {0};
    t->chunk = 0;
    for (; lanes.known < t->elements; lanes.known += lanes.count, t->chunk++) {
        lanes.count = simple_v_trans_chunk(t, lanes.known);
        lanes.sub = lanes.known % t->subvl;
        one_chunk(t, lanes, m);
    }
}

/* Lanes before the end. */
static LLVMValueRef lanes_before(struct simple_v_trans *t, LLVMValueRef first, LLVMValueRef end,
                                 unsigned count)
{
    LLVMValueRef id[CHUNK_MOST];
    for (unsigned l = 0; l < count; l++)
        id[l] = jit_i32(t->b, l);
    LLVMValueRef left = LLVMBuildTrunc(t->b->ir, LLVMBuildSub(t->b->ir, end, first, ""), t->b->i32, "");
    left = simple_v_trans_splat(t, left, count);
    return LLVMBuildICmp(t->b->ir, LLVMIntULT, LLVMConstVector(id, count), left, "");
}

static void chunks_in_a_loop(struct simple_v_trans *t, const struct simple_v_masks *m)
{
    const LLVMBuilderRef ir = t->b->ir;
    const unsigned count = CHUNK_LEAST;
    const LLVMValueRef end = LLVMBuildMul(ir, t->vl, jit_i64(t->b, t->subvl), "");
    const LLVMValueRef slot = jit_alloca(t->b, t->b->i64, "first");
    LLVMBasicBlockRef head = simple_v_trans_block(t, "head"), body = simple_v_trans_block(t, "chunk"),
                      out = simple_v_trans_block(t, "behind");
    LLVMBuildStore(ir, jit_i64(t->b, 0), slot);
    LLVMBuildBr(ir, head);
    LLVMPositionBuilderAtEnd(ir, head);
    struct simple_v_lanes lanes = {.count = count, .first = LLVMBuildLoad2(ir, t->b->i64, slot, "")};
    LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntULT, lanes.first, end, ""), body, out);
    LLVMPositionBuilderAtEnd(ir, body);
    lanes.mask = lanes_before(t, lanes.first, end, count);
    one_chunk(t, lanes, m);
    LLVMBuildStore(ir, LLVMBuildAdd(ir, lanes.first, jit_i64(t->b, count), ""), slot);
    LLVMBuildBr(ir, head);
    LLVMPositionBuilderAtEnd(ir, out);
}

void simple_v_trans_wide(struct simple_v_trans *t, const struct simple_v_masks *m)
{
    LLVMValueRef live = m->written;
    if (m->zero && simple_v_trans_gathers(t) && t->x.class == SIMPLE_V_LOAD) {
        live = LLVMBuildNot(t->b->ir, m->zero, "");
        if (m->written)
            live = LLVMBuildAnd(t->b->ir, live, m->written, "");
    }
    if (simple_v_trans_is_memory(t))
        simple_v_trans_find_memory(t, live);
    if (t->elements)
        known_chunks(t, m);
    else
        chunks_in_a_loop(t, m);
}

/* The first sub-vector, or one element, whatever masks say: one after the other. */
void simple_v_trans_once(struct simple_v_trans *t)
{
    const unsigned elements = t->elements;
    t->elements = t->x.loops ? t->subvl : 1;
    if (simple_v_trans_is_memory(t))
        simple_v_trans_find_memory(t, NULL);
    for (unsigned s = 0; s < t->elements; s++) {
        const struct simple_v_lanes lane = {.count = 1, .known = s, .sub = s};
        compute(t, &lane, &lane, NULL);
    }
    t->elements = elements;
}

/* ---- in order ---- */

static LLVMValueRef vl_of(struct simple_v_trans *t)
{
    return t->vl ? t->vl : jit_i64(t->b, t->elements / t->subvl);
}

static LLVMValueRef bit_of(struct simple_v_trans *t, LLVMValueRef mask, LLVMValueRef at)
{
    return LLVMBuildTrunc(t->b->ir, LLVMBuildLShr(t->b->ir, mask, at, ""), t->b->i1, "");
}

/* All of a sub-vector; numbers are those of sub-vectors. */
static void sub_vector(struct simple_v_trans *t, LLVMValueRef i, LLVMValueRef j, LLVMValueRef zero)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef by = jit_i64(t->b, t->subvl);
    for (unsigned s = 0; s < t->subvl; s++) {
        struct simple_v_lanes from = {.count = 1, .sub = s}, to = from;
        from.first = LLVMBuildAdd(ir, LLVMBuildMul(ir, i, by, ""), jit_i64(t->b, s), "");
        to.first = i == j ? from.first : LLVMBuildAdd(ir, LLVMBuildMul(ir, j, by, ""), jit_i64(t->b, s), "");
        compute(t, &from, &to, zero);
    }
}

/* Fail-first: VL is the number of a sub-vector of which an element is 0, of floats but for the sign, and nothing follows. */
static void end_at_zero(struct simple_v_trans *t, LLVMValueRef i, LLVMBasicBlockRef out)
{
    const LLVMBuilderRef ir = t->b->ir;
    const struct simple_v_operand_context *rd = simple_v_trans_operand(t, SIMPLE_V_RD);
    LLVMBasicBlockRef cut = simple_v_trans_block(t, "cut"), on = simple_v_trans_block(t, "more");
    LLVMValueRef any = LLVMConstNull(t->b->i1);
    for (unsigned s = 0; s < t->subvl; s++) {
        struct simple_v_lanes lane = {.count = 1, .sub = s};
        lane.first = LLVMBuildAdd(ir, LLVMBuildMul(ir, i, jit_i64(t->b, t->subvl), ""), jit_i64(t->b, s), "");
        LLVMValueRef v = simple_v_trans_resize(t, simple_v_trans_read(t, rd, &lane), rd->width, false);
        if (!rd->integer)
            v = LLVMBuildShl(ir, v, simple_v_trans_number(LLVMTypeOf(v), 1), "");
        any = LLVMBuildOr(ir, any, LLVMBuildICmp(ir, LLVMIntEQ, v, LLVMConstNull(LLVMTypeOf(v)), ""), "");
    }
    LLVMBuildCondBr(ir, any, cut, on);
    LLVMPositionBuilderAtEnd(ir, cut);
    simple_v_trans_store(t, LLVMBuildTrunc(ir, i, t->b->i8, ""), SIMPLE_V_THREAD_AT(state.vl));
    LLVMBuildBr(ir, out);
    LLVMPositionBuilderAtEnd(ir, on);
}

void simple_v_trans_single_in_order(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const struct simple_v_mask_context *dest = &t->x.mask[SIMPLE_V_DEST];
    const bool steps = simple_v_trans_operand(t, SIMPLE_V_RD)->vector;
    const LLVMValueRef mask = simple_v_trans_mask(t, SIMPLE_V_DEST), vl = vl_of(t);
    const LLVMValueRef slot = jit_alloca(t->b, t->b->i64, "i");
    LLVMBasicBlockRef head = simple_v_trans_block(t, "head"), body = simple_v_trans_block(t, "element"),
                      next = simple_v_trans_block(t, "next"), out = simple_v_trans_block(t, "behind");
    LLVMBuildStore(ir, jit_i64(t->b, 0), slot);
    LLVMBuildBr(ir, head);
    LLVMPositionBuilderAtEnd(ir, head);
    const LLVMValueRef i = LLVMBuildLoad2(ir, t->b->i64, slot, "");
    LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntULT, i, vl, ""), body, out);
    LLVMPositionBuilderAtEnd(ir, body);
    const LLVMValueRef on = mask ? bit_of(t, mask, i) : LLVMConstAllOnes(t->b->i1);
    if (mask && !dest->zero) {
        LLVMBasicBlockRef inside = simple_v_trans_block(t, "on");
        LLVMBuildCondBr(ir, on, inside, next);
        LLVMPositionBuilderAtEnd(ir, inside);
    }
    sub_vector(t, i, i, mask && dest->zero ? LLVMBuildNot(ir, on, "") : NULL);
    if (dest->ffirst)
        end_at_zero(t, i, out);
    if (steps)
        LLVMBuildBr(ir, next);
    else
        LLVMBuildCondBr(ir, on, out, next);
    LLVMPositionBuilderAtEnd(ir, next);
    LLVMBuildStore(ir, LLVMBuildAdd(ir, i, jit_i64(t->b, 1), ""), slot);
    LLVMBuildBr(ir, head);
    LLVMPositionBuilderAtEnd(ir, out);
}

/* From `at` on the next that the mask has; 64: none. */
static LLVMValueRef next_of(struct simple_v_trans *t, LLVMValueRef mask, LLVMValueRef at)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef end = jit_i64(t->b, SIMPLE_V_VL_MAX), none = jit_i64(t->b, 0);
    const LLVMValueRef inside = LLVMBuildICmp(ir, LLVMIntULT, at, end, "");
    LLVMValueRef left = LLVMBuildLShr(ir, mask, LLVMBuildSelect(ir, inside, at, none, ""), "");
    left = LLVMBuildSelect(ir, inside, left, none, "");
    LLVMValueRef args[2] = {left, LLVMConstNull(t->b->i1)};
    return LLVMBuildAdd(ir, at, simple_v_trans_call(t, "llvm.cttz", t->b->i64, args, 2), "");
}

/* A side of a twin operation on its way. */
struct side {
    LLVMValueRef mask, slot, at; /* mask: NULL: it steps over nothing */
    bool steps, zero;
};

static struct side begin_side(struct simple_v_trans *t, unsigned which, bool steps)
{
    const LLVMValueRef mask = steps ? simple_v_trans_mask(t, which) : NULL;
    const LLVMValueRef slot = jit_alloca(t->b, t->b->i64, "side");
    LLVMBuildStore(t->b->ir, jit_i64(t->b, 0), slot);
    return (struct side){mask, slot, NULL, steps, t->x.mask[which].zero};
}

/* Where it is next; whether that is before the end. */
static LLVMValueRef step_over(struct simple_v_trans *t, struct side *s, LLVMValueRef vl)
{
    s->at = LLVMBuildLoad2(t->b->ir, t->b->i64, s->slot, "");
    if (s->mask && !s->zero)
        s->at = next_of(t, s->mask, s->at);
    return LLVMBuildICmp(t->b->ir, LLVMIntULT, s->at, vl, "");
}

static LLVMValueRef zero_of(struct simple_v_trans *t, const struct side *s, LLVMValueRef zero)
{
    if (!s->mask || !s->zero)
        return zero;
    const LLVMValueRef off = LLVMBuildNot(t->b->ir, bit_of(t, s->mask, s->at), "");
    return zero ? LLVMBuildOr(t->b->ir, zero, off, "") : off;
}

void simple_v_trans_twin_in_order(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef vl = vl_of(t), one = jit_i64(t->b, 1);
    bool source_steps, dest_steps;
    simple_v_trans_sides(t, &source_steps, &dest_steps);
    if (simple_v_trans_is_memory(t))
        simple_v_trans_find_memory(t, NULL);
    struct side source = begin_side(t, SIMPLE_V_SOURCE, source_steps),
                dest = begin_side(t, SIMPLE_V_DEST, dest_steps);
    LLVMBasicBlockRef head = simple_v_trans_block(t, "head"), body = simple_v_trans_block(t, "element"),
                      out = simple_v_trans_block(t, "behind");
    LLVMBuildBr(ir, head);
    LLVMPositionBuilderAtEnd(ir, head);
    const LLVMValueRef more = step_over(t, &source, vl);
    LLVMBuildCondBr(ir, LLVMBuildAnd(ir, more, step_over(t, &dest, vl), ""), body, out);
    LLVMPositionBuilderAtEnd(ir, body);
    sub_vector(t, source.at, dest.at, zero_of(t, &source, zero_of(t, &dest, NULL)));
    if (t->x.mask[SIMPLE_V_DEST].ffirst && !simple_v_trans_is_memory(t))
        end_at_zero(t, dest.at, out);
    if (source_steps)
        LLVMBuildStore(ir, LLVMBuildAdd(ir, source.at, one, ""), source.slot);
    LLVMBuildStore(ir, LLVMBuildAdd(ir, dest.at, one, ""), dest.slot);
    LLVMBuildBr(ir, dest_steps ? head : out);
    LLVMPositionBuilderAtEnd(ir, out);
}

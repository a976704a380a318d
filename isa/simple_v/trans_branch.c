/* Branches: the digest, section 6.5. */
#include "isa/simple_v/trans_internal.h"
#include "util/bits.h"

static LLVMIntPredicate predicate(unsigned op)
{
    switch (op) {
    case ISA_OP_ieq: return LLVMIntEQ;
    case ISA_OP_ine: return LLVMIntNE;
    case ISA_OP_ilt: return LLVMIntSLT;
    case ISA_OP_ige: return LLVMIntSGE;
    case ISA_OP_ult: return LLVMIntULT;
    default: return LLVMIntUGE;
    }
}

static LLVMValueRef compared(struct simple_v_trans *t, const struct simple_v_lanes *lanes)
{
    const struct simple_v_operand_context *rs1 = simple_v_trans_operand(t, SIMPLE_V_RS1),
                                          *rs2 = simple_v_trans_operand(t, SIMPLE_V_RS2);
    const unsigned width = UTIL_MAX(rs1->width, rs2->width);
    LLVMValueRef v[2];
    for (unsigned n = 0; n < 2; n++) {
        v[n] = simple_v_trans_read(t, simple_v_trans_operand(t, SIMPLE_V_RS1 + n), lanes);
        v[n] = simple_v_trans_resize(t, v[n], width, t->x.row->signed_1);
    }
    return LLVMBuildICmp(t->b->ir, predicate(t->x.row->op), v[0], v[1], "");
}

/* Goes to the target where `taken` (i1) holds, else on. */
static void branch(struct simple_v_trans *t, LLVMValueRef taken)
{
    LLVMBasicBlockRef yes = simple_v_trans_block(t, "taken"), no = simple_v_trans_block(t, "on");
    const uint64_t to = simple_v_trans_address(t, t->item->place) + (uint64_t)(int64_t)t->item->insn->imm;
    LLVMBuildCondBr(t->b->ir, taken, yes, no);
    LLVMPositionBuilderAtEnd(t->b->ir, yes);
    simple_v_trans_go(t, t->item->target, to);
    LLVMPositionBuilderAtEnd(t->b->ir, no);
    simple_v_trans_go(t, t->item->next, simple_v_trans_next_pc(t));
}

/* Of lanes that hold, a bit a sub-vector of which all do. */
static LLVMValueRef sub_vectors_of(struct simple_v_trans *t, LLVMValueRef lanes, unsigned count)
{
    const unsigned subs = count / t->subvl;
    LLVMValueRef all = NULL;
    for (unsigned s = 0; s < t->subvl; s++) {
        unsigned lane[64];
        for (unsigned n = 0; n < subs; n++)
            lane[n] = n * t->subvl + s;
        const LLVMValueRef some = count > 1 ? simple_v_trans_shuffle(t, lanes, lane, subs) : lanes;
        all = all ? LLVMBuildAnd(t->b->ir, all, some, "") : some;
    }
    return count > 1 ? LLVMBuildBitCast(t->b->ir, all, simple_v_trans_ints(t, subs, 1), "") : all;
}

/* A bit a sub-vector that holds, of all that there may be. */
static LLVMValueRef results_of(struct simple_v_trans *t)
{
    struct simple_v_lanes lanes = {0};
    t->elements = t->most;
    LLVMValueRef out = jit_i64(t->b, 0);
    for (; lanes.known < t->elements; lanes.known += lanes.count) {
        lanes.count = simple_v_trans_chunk(t, lanes.known);
        LLVMValueRef bits = sub_vectors_of(t, compared(t, &lanes), lanes.count);
        bits = simple_v_trans_resize(t, bits, 64, false);
        bits = LLVMBuildShl(t->b->ir, bits, jit_i64(t->b, lanes.known / t->subvl), "");
        out = LLVMBuildOr(t->b->ir, out, bits, "");
    }
    return out;
}

/* A bit a sub-vector. */
static LLVMValueRef all_of(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef ones = jit_i64(t->b, ~0ull), zero = jit_i64(t->b, 0);
    if (!t->vl)
        return jit_i64(t->b, ~0ull >> (64 - t->elements / t->subvl));
    const LLVMValueRef above =
        LLVMBuildAnd(ir, LLVMBuildSub(ir, jit_i64(t->b, 64), t->vl, ""), jit_i64(t->b, 63), "");
    return LLVMBuildSelect(ir, LLVMBuildICmp(ir, LLVMIntEQ, t->vl, zero, ""), zero,
                           LLVMBuildLShr(ir, ones, above, ""), "");
}

/* Fail-first: the first that does not hold is what VL becomes. Elements up to it, as bits. */
static LLVMValueRef cut(struct simple_v_trans *t, LLVMValueRef fails)
{
    const LLVMBuilderRef ir = t->b->ir;
    LLVMValueRef args[2] = {fails, LLVMConstNull(t->b->i1)};
    const LLVMValueRef any = LLVMBuildICmp(ir, LLVMIntNE, fails, jit_i64(t->b, 0), ""),
                       first = LLVMBuildTrunc(ir, simple_v_trans_call(t, "llvm.cttz", t->b->i64, args, 2),
                                              t->b->i8, ""),
                       had = simple_v_trans_load(t, t->b->i8, SIMPLE_V_THREAD_AT(state.vl));
    simple_v_trans_store(t, LLVMBuildSelect(ir, any, first, had, ""), SIMPLE_V_THREAD_AT(state.vl));
    return LLVMBuildXor(ir, fails, LLVMBuildSub(ir, fails, jit_i64(t->b, 1), ""), "");
}

/* Elements left out keep what the register had, or, zeroing, get 0. */
static void of_vectors(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const struct simple_v_mask_context *source = &t->x.mask[SIMPLE_V_SOURCE],
                                       *dest = &t->x.mask[SIMPLE_V_DEST];
    simple_v_trans_ask_vl(t);
    const LLVMValueRef all = all_of(t), given = simple_v_trans_mask(t, SIMPLE_V_SOURCE);
    const LLVMValueRef mask = given ? LLVMBuildAnd(ir, given, all, "") : all;
    const LLVMValueRef hold = LLVMBuildAnd(ir, results_of(t), mask, "");
    LLVMValueRef written = source->zero ? all : mask;
    if (source->ffirst)
        written = LLVMBuildAnd(ir, written, cut(t, LLVMBuildXor(ir, hold, mask, "")), "");
    const LLVMValueRef had = dest->there && !source->zero ? simple_v_trans_x(t, dest->reg) : all;
    const LLVMValueRef results = LLVMBuildOr(ir, LLVMBuildAnd(ir, had, LLVMBuildNot(ir, written, ""), ""),
                                             LLVMBuildAnd(ir, hold, written, ""), "");
    if (dest->there)
        simple_v_trans_set_x(t, dest->reg, results);
    branch(t, LLVMBuildICmp(ir, LLVMIntEQ, LLVMBuildAnd(ir, results, mask, ""), mask, ""));
}

bool simple_v_trans_branch(struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rs1 = simple_v_trans_operand(t, SIMPLE_V_RS1),
                                          *rs2 = simple_v_trans_operand(t, SIMPLE_V_RS2);
    const struct simple_v_lanes one = {.count = t->subvl};
    /* Chunks are of whole sub-vectors. */
    if (t->subvl == 3 || !simple_v_trans_fits(t, rs1) || !simple_v_trans_fits(t, rs2))
        return false;
    if (!rs1->vector && !rs2->vector) {
        branch(t, sub_vectors_of(t, compared(t, &one), one.count));
        return true;
    }
    of_vectors(t);
    return true;
}

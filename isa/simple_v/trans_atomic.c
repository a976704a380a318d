/* Atomics of elements, in order: the digest, section 6.2. One thread runs, so that they are a load, an operation and a store. */
#include "isa/simple_v/trans_internal.h"

/* Elements whose address is looked at: of a vector those that the mask has, each by itself. */
static unsigned addresses(const struct simple_v_trans *t)
{
    const bool vectors = t->x.operand[SIMPLE_V_RD].vector || t->x.mask[SIMPLE_V_DEST].there;
    return t->x.operand[SIMPLE_V_RS1].vector && vectors ? t->elements : 1;
}

bool simple_v_trans_can_atomic(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD],
                                          *rs1 = &t->x.operand[SIMPLE_V_RS1];
    const bool alone = !t->x.loops;
    unsigned begin, end, rs1_begin, rs1_end;
    if (alone)
        return true;
    simple_v_trans_range(t, rd, &begin, &end);
    simple_v_trans_range(t, rs1, &rs1_begin, &rs1_end);
    const bool apart = end <= rs1_begin || rs1_end <= begin;
    return t->elements && t->subvl == 1 && !t->x.mask[SIMPLE_V_DEST].zero && apart;
}

static LLVMValueRef place(struct simple_v_trans *t, LLVMValueRef address, LLVMValueRef *there)
{
    return t->ports->place(t->ports->ctx, t->b, t->thread, address, jit_i64(t->b, t->x.row->bits / 8u), true,
                           there);
}

void simple_v_trans_find_atomics(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const LLVMValueRef mask = simple_v_trans_mask(t, SIMPLE_V_DEST);
    LLVMValueRef any = LLVMConstNull(t->b->i1);
    for (unsigned n = 0; n < addresses(t); n++) {
        const struct simple_v_lanes lane = {.count = 1, .known = n};
        const LLVMValueRef address = simple_v_trans_read(t, &t->x.operand[SIMPLE_V_RS1], &lane),
                           low = LLVMBuildAnd(ir, address, jit_i64(t->b, t->x.row->bits / 8u - 1), "");
        LLVMValueRef there;
        place(t, address, &there);
        const LLVMValueRef odd = LLVMBuildICmp(ir, LLVMIntNE, low, jit_i64(t->b, 0), "");
        LLVMValueRef bad = LLVMBuildOr(ir, LLVMBuildNot(ir, there, ""), odd, "");
        /* Of one address any element may be the first. */
        if (mask && addresses(t) > 1)
            bad = LLVMBuildAnd(ir, bad, simple_v_trans_lane_mask(t, mask, &lane), "");
        any = LLVMBuildOr(ir, any, bad, "");
    }
    simple_v_trans_exit_if(t, any);
}

struct simple_v_value simple_v_trans_atomic(struct simple_v_trans *t, const struct simple_v_lanes *lane)
{
    const unsigned bits = t->x.row->bits;
    const LLVMTypeRef type = simple_v_trans_ints(t, bits, 1);
    LLVMValueRef there, at = place(t, simple_v_trans_read(t, &t->x.operand[SIMPLE_V_RS1], lane), &there);
    at = LLVMBuildIntToPtr(t->b->ir, at, t->b->ptr, "");
    LLVMValueRef value = simple_v_trans_read(t, &t->x.operand[SIMPLE_V_RS2], lane);
    value = simple_v_trans_resize(t, value, bits, false);
    const LLVMValueRef old = simple_v_trans_tag(t, jit_load(t->b, type, at, 1, false), SIMPLE_V_OF_GUEST);
    const LLVMValueRef store =
        LLVMBuildStore(t->b->ir, simple_v_trans_operate(t, t->x.row->op, old, value), at);
    LLVMSetAlignment(store, 1);
    simple_v_trans_tag(t, store, SIMPLE_V_OF_GUEST);
    return (struct simple_v_value){old, bits, true};
}

/* Moves by index: the digest, section 7. Indices are looked at before anything is done; elements are read lane by lane. */
#include "isa/simple_v/trans_internal.h"

/* Elements from rs1 on, as far as the file goes. */
static unsigned elements_there(const struct simple_v_operand_context *rs1)
{
    return (SIMPLE_V_FILE_BYTES - rs1->reg * 8u) / (simple_v_stride(rs1) / 8);
}

/* Whether what is written may be among what is read by index. */
bool simple_v_trans_index_meets(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD],
                                          *rs1 = &t->x.operand[SIMPLE_V_RS1];
    unsigned begin, end;
    simple_v_trans_range(t, rd, &begin, &end);
    return rd->integer == rs1->integer && end > rs1->reg * 8u;
}

/* Indices stay what they are. */
bool simple_v_trans_can_index(const struct simple_v_trans *t)
{
    const struct simple_v_operand_context *rd = &t->x.operand[SIMPLE_V_RD],
                                          *rs1 = &t->x.operand[SIMPLE_V_RS1],
                                          *rs2 = &t->x.operand[SIMPLE_V_RS2];
    unsigned begin, end, rs2_begin, rs2_end;
    simple_v_trans_range(t, rd, &begin, &end);
    simple_v_trans_range(t, rs2, &rs2_begin, &rs2_end);
    const bool apart = !rd->integer || end <= rs2_begin || rs2_end <= begin;
    return t->elements && (rd->integer || rd->width == rs1->width) && (apart || t->elements == 1);
}

void simple_v_trans_find_indices(struct simple_v_trans *t)
{
    const LLVMBuilderRef ir = t->b->ir;
    const struct simple_v_operand_context *rs2 = &t->x.operand[SIMPLE_V_RS2];
    const LLVMValueRef mask = simple_v_trans_mask(t, SIMPLE_V_DEST);
    LLVMValueRef any = LLVMConstNull(t->b->i1);
    struct simple_v_lanes lanes = {0};
    for (; lanes.known < t->elements; lanes.known += lanes.count) {
        lanes.count = simple_v_trans_chunk(t, lanes.known);
        lanes.sub = lanes.known % t->subvl;
        LLVMValueRef index = simple_v_trans_resize(t, simple_v_trans_read(t, rs2, &lanes), 64, false);
        const LLVMValueRef most =
            simple_v_trans_number(LLVMTypeOf(index), elements_there(&t->x.operand[SIMPLE_V_RS1]));
        LLVMValueRef bad = LLVMBuildICmp(ir, LLVMIntUGE, index, most, "");
        if (mask)
            bad = LLVMBuildAnd(ir, bad, simple_v_trans_lane_mask(t, mask, &lanes), "");
        any = LLVMBuildOr(ir, any, lanes.count > 1 ? jit_mask_any(t->b, bad) : bad, "");
    }
    simple_v_trans_exit_if(t, any);
}

/* What a mask leaves out may have any index: it reads the first element. */
struct simple_v_value simple_v_trans_indexed(struct simple_v_trans *t, const struct simple_v_lanes *lanes)
{
    const LLVMBuilderRef ir = t->b->ir;
    struct simple_v_operand_context from = t->x.operand[SIMPLE_V_RS1];
    LLVMValueRef index = simple_v_trans_read(t, &t->x.operand[SIMPLE_V_RS2], lanes), out = NULL;
    index = simple_v_trans_resize(t, index, 64, false);
    const LLVMTypeRef type = LLVMTypeOf(index);
    const LLVMValueRef there =
        LLVMBuildICmp(ir, LLVMIntULT, index, simple_v_trans_number(type, elements_there(&from)), "");
    index = LLVMBuildSelect(ir, there, index, LLVMConstNull(type), "");
    from.vector = true;
    for (unsigned l = 0; l < lanes->count; l++) {
        const LLVMValueRef number =
            lanes->count > 1 ? LLVMBuildExtractElement(ir, index, jit_i32(t->b, l), "") : index;
        const struct simple_v_lanes one = {.count = 1, .first = number};
        const LLVMValueRef v =
            simple_v_trans_resize(t, simple_v_trans_read(t, &from, &one), from.width, false);
        if (lanes->count == 1)
            return (struct simple_v_value){v, from.width, false};
        out = out ? out : LLVMGetPoison(simple_v_trans_ints(t, from.width, lanes->count));
        out = LLVMBuildInsertElement(ir, out, v, jit_i32(t->b, l), "");
    }
    return (struct simple_v_value){out, from.width, false};
}

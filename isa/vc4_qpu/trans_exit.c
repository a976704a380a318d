/* The side exit of runs side by side: before their first effect they leave for code that does all of it, if
 * in some lane of some run a value was not what they took for granted (`fit`, of which trans_integer.c says
 * more). Nothing has happened by then that would happen twice. */
#include "isa/vc4_qpu/trans_internal.h"

/* Texture units count as without: what they are asked changes nothing but the answer. */
static bool is_effect(const struct vc4_qpu_trans *t, unsigned waddr)
{
    if (waddr == VC4_QPU_W_TLB_STENCIL || waddr == VC4_QPU_W_TLB_Z)
        return !t->ports->idle_zs;
    return waddr == VC4_QPU_W_HOST_INT ||
           (waddr >= VC4_QPU_W_UNIFORMS_ADDRESS && waddr < VC4_QPU_W_SFU_RECIP);
}

static bool has_effect(const struct vc4_qpu_trans *t, const struct vc4_qpu_insn *insn)
{
    return is_effect(t, insn->waddr_add) || is_effect(t, insn->waddr_mul);
}

uint32_t vc4_qpu_trans_exit_at(const struct vc4_qpu_trans *t)
{
    uint32_t pc = 0;

    while (pc < t->program->insn_count && !has_effect(t, &t->program->insns[pc]))
        pc++;
    return pc;
}

void vc4_qpu_trans_fit(struct vc4_qpu_trans *t, LLVMValueRef lanes)
{
    *t->fit = *t->fit ? LLVMBuildAnd(t->b->ir, *t->fit, lanes, "") : lanes;
}

void vc4_qpu_trans_side_exit(struct vc4_qpu_trans *const *ts, unsigned count, const struct vc4_qpu_insn *next)
{
    struct jit_builder *b = ts[0]->b;
    LLVMBasicBlockRef side_exit = ts[0]->side_exit, on;

    if (!side_exit || (next && !has_effect(ts[0], next)))
        return;
    for (unsigned i = 0; i < count; i++)
        ts[i]->side_exit = NULL;
    if (!*ts[0]->fit)
        return;
    on = vc4_qpu_trans_new_block(ts[0], "on");
    jit_likely(b, LLVMBuildCondBr(b->ir, jit_mask_all(b, *ts[0]->fit), on, side_exit));
    LLVMPositionBuilderAtEnd(b->ir, on);
}

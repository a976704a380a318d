/* The side exit of runs side by side: before their first effect they leave for code that does all of it, if
 * in some lane of some run a value was not what they took for granted (`fit`, of which trans_integer.c says
 * more). Nothing has happened by then that would happen twice. */
#include "isa/vc4_qpu/trans_internal.h"

/* Texture units count as without: what they are asked changes nothing but the answer. */
static bool has_effect(unsigned waddr)
{
    return waddr == VC4_QPU_W_HOST_INT ||
           (waddr >= VC4_QPU_W_UNIFORMS_ADDRESS && waddr < VC4_QPU_W_SFU_RECIP);
}

void vc4_qpu_trans_side_exit(struct vc4_qpu_trans *const *ts, unsigned count, const struct vc4_qpu_insn *next)
{
    struct jit_builder *b = ts[0]->b;
    LLVMBasicBlockRef side_exit = ts[0]->side_exit, on;

    if (!side_exit || (next && !has_effect(next->waddr_add) && !has_effect(next->waddr_mul)))
        return;
    for (unsigned i = 0; i < count; i++)
        ts[i]->side_exit = NULL;
    if (!*ts[0]->fit)
        return;
    on = vc4_qpu_trans_new_block(ts[0], "on");
    jit_likely(b, LLVMBuildCondBr(b->ir, jit_mask_all(b, *ts[0]->fit), on, side_exit));
    LLVMPositionBuilderAtEnd(b->ir, on);
}

/* ftoi (README, rule 4). The host converts what fits in 32 bits, and gives the least integer for all else;
 * where some lane has that (rare), all are shifted. Runs side by side that have a side exit leave that out:
 * they take the exit, before their first effect, if some lane needed it. */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef fits(struct trans *t, LLVMValueRef converted)
{
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, converted, jit_splat_u32(t->b, 1u << 31), "");
}

/* The pattern where some lane does not fit. */
static LLVMValueRef or_shifted(struct trans *t, LLVMValueRef converted, LLVMValueRef pattern)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMBasicBlockRef great = trans_new_block(t, "great"), done = trans_new_block(t, "integer"), from[2];
    LLVMValueRef r[2] = {converted};

    from[0] = LLVMGetInsertBlock(ir);
    jit_likely(t->b, LLVMBuildCondBr(ir, jit_mask_all(t->b, fits(t, converted)), done, great));
    LLVMPositionBuilderAtEnd(ir, great);
    r[1] = trans_shifted(t, pattern);
    from[1] = LLVMGetInsertBlock(ir);
    LLVMBuildBr(ir, done);
    LLVMPositionBuilderAtEnd(ir, done);
    LLVMValueRef either = LLVMBuildPhi(ir, t->b->i32x16, "");
    LLVMAddIncoming(either, r, from, 2);
    return either;
}

struct trans_value *trans_ftoi(struct trans *t, struct trans_value *x)
{
    if (t->exact)
        return trans_int(t, trans_shifted(t, trans_i(t, x)));
    LLVMValueRef f = x->raw ? x->raw : trans_f(t, x); /* a NaN and -0 give 0 too */
    if (LLVMIsConstant(f))
        return trans_int(t, trans_shifted(t, jit_as_i32(t->b, f)));
    LLVMValueRef converted = jit_f32_to_any_i32(t->b, f);
    if (!t->side_exit)
        return trans_int(t, or_shifted(t, converted, jit_as_i32(t->b, f)));
    LLVMValueRef fit = fits(t, converted);
    *t->fit = *t->fit ? LLVMBuildAnd(t->b->ir, *t->fit, fit, "") : fit;
    return trans_int(t, converted);
}

/* Texture units count as without: what they are asked changes nothing but the answer. */
static bool has_effect(unsigned waddr)
{
    return waddr == VC4_QPU_W_HOST_INT ||
           (waddr >= VC4_QPU_W_UNIFORMS_ADDRESS && waddr < VC4_QPU_W_SFU_RECIP);
}

void trans_side_exit(struct trans *const *ts, unsigned count, const struct vc4_qpu_insn *next)
{
    struct jit_builder *b = ts[0]->b;
    LLVMBasicBlockRef side_exit = ts[0]->side_exit, on;

    if (!side_exit || (next && !has_effect(next->waddr_add) && !has_effect(next->waddr_mul)))
        return;
    for (unsigned i = 0; i < count; i++)
        ts[i]->side_exit = NULL;
    if (!*ts[0]->fit)
        return;
    on = trans_new_block(ts[0], "on");
    jit_likely(b, LLVMBuildCondBr(b->ir, jit_mask_all(b, *ts[0]->fit), on, side_exit));
    LLVMPositionBuilderAtEnd(b->ir, on);
}

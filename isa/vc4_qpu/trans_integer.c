/* ftoi (README, rule 4). The host converts what fits in 32 bits, and gives the least integer for all else;
 * where some lane has that (rare), all are shifted. Runs that have a side exit (trans_exit.c) leave that out.
 */
#include "isa/vc4_qpu/trans_internal.h"

static LLVMValueRef fits(struct vc4_qpu_trans *t, LLVMValueRef converted)
{
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, converted, jit_splat_u32(t->b, 1u << 31), "");
}

/* The pattern where some lane does not fit. */
static LLVMValueRef or_shifted(struct vc4_qpu_trans *t, LLVMValueRef converted, LLVMValueRef pattern)
{
    LLVMBuilderRef ir = t->b->ir;
    LLVMBasicBlockRef great = vc4_qpu_trans_new_block(t, "great"),
                      done = vc4_qpu_trans_new_block(t, "integer"), from[2];
    LLVMValueRef r[2] = {converted};

    from[0] = LLVMGetInsertBlock(ir);
    jit_likely(t->b, LLVMBuildCondBr(ir, jit_mask_all(t->b, fits(t, converted)), done, great));
    LLVMPositionBuilderAtEnd(ir, great);
    r[1] = vc4_qpu_trans_shifted(t, pattern);
    from[1] = LLVMGetInsertBlock(ir);
    LLVMBuildBr(ir, done);
    LLVMPositionBuilderAtEnd(ir, done);
    LLVMValueRef either = LLVMBuildPhi(ir, t->b->i32x16, "");
    LLVMAddIncoming(either, r, from, 2);
    return either;
}

struct vc4_qpu_value *vc4_qpu_trans_ftoi(struct vc4_qpu_trans *t, struct vc4_qpu_value *x)
{
    if (t->exact)
        return vc4_qpu_trans_int(t, vc4_qpu_trans_shifted(t, vc4_qpu_trans_i(t, x)));
    LLVMValueRef f = vc4_qpu_trans_is_loose(t, x) ? vc4_qpu_trans_loose(t, x)
                     : x->raw                     ? x->raw
                                                  : vc4_qpu_trans_f(t, x); /* a NaN and -0 give 0 too */
    if (LLVMIsConstant(f))
        return vc4_qpu_trans_int(t, vc4_qpu_trans_shifted(t, jit_as_i32(t->b, f)));
    LLVMValueRef converted = jit_f32_to_any_i32(t->b, f);
    if (!t->side_exit)
        return vc4_qpu_trans_int(t, or_shifted(t, converted, jit_as_i32(t->b, f)));
    vc4_qpu_trans_fit(t, fits(t, converted)); /* NaNs and infinities do not either */
    x->sure = TRANS_FINITE;
    return vc4_qpu_trans_int(t, converted);
}

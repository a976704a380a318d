/* Arithmetic as IR: trans_alu.c (operands, classes), trans_function.c. */
#ifndef VITRAIL_ISA_WARP_TRANS_ALU_INTERNAL_H
#define VITRAIL_ISA_WARP_TRANS_ALU_INTERNAL_H

#include "isa/ports.h"
#include "isa/trans_op.h"
#include "isa/warp/ops.h"
#include "isa/warp/trans_alu.h"

/* The result of a FUNCTION, before it is clamped. */
LLVMValueRef warp_trans_function(struct jit_builder *b, const struct warp_insn *insn,
                                 const LLVMValueRef operand[WARP_SOURCES]);

static inline LLVMValueRef warp_trans_op(struct jit_builder *b, uint8_t op, uint8_t shape, LLVMValueRef x,
                                         LLVMValueRef y, LLVMValueRef z)
{
    const LLVMValueRef source[3] = {x, y, z};
    return isa_trans_op(b, (struct isa_lane_op){op, shape, ISA_OP_QUIET}, source);
}

/* A number in all lanes of a vector's type. */
static inline LLVMValueRef warp_trans_number(LLVMTypeRef type, uint64_t value)
{
    LLVMValueRef all[ISA_LANES];
    for (unsigned l = 0; l < ISA_LANES; l++)
        all[l] = LLVMConstInt(LLVMGetElementType(type), value, false);
    return LLVMConstVector(all, ISA_LANES);
}

#endif

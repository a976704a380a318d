/* Arithmetic as IR over sixteen lanes; alu.h has the meaning. Values are vectors of sixteen integers, as wide as the
 * type is packed: i32x16, of F16 i16x16, of U8 i8x16, of U64 and S64 i64x16. */
#ifndef VITRAIL_ISA_WARP_TRANS_ALU_H
#define VITRAIL_ISA_WARP_TRANS_ALU_H

#include "isa/warp/insn.h"
#include "jit/builder.h"

/* Source n of what the registers hold: i32x16, or i64x16 where it takes 64 bits. */
LLVMValueRef warp_trans_operand(struct jit_builder *b, const struct warp_insn *insn, unsigned n,
                                LLVMValueRef raw);
/* The result of operands. */
LLVMValueRef warp_trans_compute(struct jit_builder *b, const struct warp_insn *insn,
                                const LLVMValueRef operand[WARP_SOURCES]);

#endif

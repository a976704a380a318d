/* Lane operations as IR: isa/op.h says what they are. Values are vectors of sixteen integers as wide as the
 * shape: i8x16 to i64x16, packed shapes i32x16. */
#ifndef VITRAIL_ISA_TRANS_OP_H
#define VITRAIL_ISA_TRANS_OP_H

#include "isa/op.h"
#include "jit/builder.h"

/* The result, as wide as isa_op_gives says; operands beyond an operation's number are not looked at. */
LLVMValueRef isa_trans_op(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef source[3]);

#endif

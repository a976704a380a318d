/* Lane operations as IR: isa/op.h says what they are. Values are vectors of sixteen integers as wide as the
 * shape: i8x16 to i64x16, packed shapes i32x16. Operations of ISA_OP_INT and ISA_OP_ITEST on I8, I16, I32, I64 take vectors of
 * 1 to 64 lanes, and give as many. */
#ifndef VITRAIL_ISA_TRANS_OP_H
#define VITRAIL_ISA_TRANS_OP_H

#include "isa/op.h"
#include "jit/builder.h"

/* The result, as wide as isa_op_gives says; operands beyond an operation's number are not looked at. */
LLVMValueRef isa_trans_op(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef source[3]);

/* x + y of vectors of doubles or of singles, to odd: where the sum is not exact, of the two numbers beside it the one whose last
 * bit is 1. A format with two digits less gets the exact sum's rounding from it. */
LLVMValueRef isa_trans_sum_to_odd(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y);

/* Halves that stand as singles from one operation to the next: f32x16, each the value of a half, or a NaN of any
 * bits. What they are as bits need not be worked out where nobody asks. Where nothing is `rounded` a single may stay
 * between two halves, or beyond the greatest. */

/* The result of an operation of isa_op_by_singles, likewise; of tests i16x16. */
LLVMValueRef isa_trans_half(struct jit_builder *b, struct isa_lane_op op, const LLVMValueRef single[3],
                            bool rounded);
/* Of bits, i16x16, and of a single as isa_trans_op has it, i32x16: to nearest, or with no more than its denormals made
 * zeros. */
LLVMValueRef isa_trans_half_of_bits(struct jit_builder *b, LLVMValueRef half);
LLVMValueRef isa_trans_half_of_single(struct jit_builder *b, LLVMValueRef single, bool rounded);
/* Of two halves one. */
LLVMValueRef isa_trans_half_select(struct jit_builder *b, LLVMValueRef mask, LLVMValueRef yes,
                                   LLVMValueRef no);
/* A half in the form in which the host computes, to be kept in a slot; and what was kept, again. */
LLVMValueRef isa_trans_half_kept(struct jit_builder *b, LLVMValueRef half);
LLVMValueRef isa_trans_half_again(struct jit_builder *b, LLVMValueRef kept);
/* Infinity in place of what is 2^16 and more by size. */
LLVMValueRef isa_trans_half_within(struct jit_builder *b, LLVMValueRef single);
/* Singles likewise, f32x16: what a word, i32x16, has, or a NaN in place of its NaN. */
LLVMValueRef isa_trans_single_of(struct jit_builder *b, LLVMValueRef word);
/* The bits of a half, i16x16, and of the single, i32x16, as isa_trans_op has them with ISA_OP_QUIET. */
LLVMValueRef isa_trans_half_bits(struct jit_builder *b, LLVMValueRef single);
LLVMValueRef isa_trans_half_single(struct jit_builder *b, LLVMValueRef single);

#endif

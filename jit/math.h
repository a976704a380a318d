/* Functions that guests have as instructions, over f32x16: the sequences of isa/sfu.h, bit for bit. */
#ifndef VITRAIL_JIT_MATH_H
#define VITRAIL_JIT_MATH_H

#include "jit/builder.h"

LLVMValueRef jit_exp2(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_log2(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_sin_turns(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_cos_turns(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef jit_atan(struct jit_builder *b, LLVMValueRef x);

/* The nearest half (util/half.h: to even, denormal halves kept) as the single that it is; a NaN stays one. */
LLVMValueRef jit_round_to_half(struct jit_builder *b, LLVMValueRef x);

#endif

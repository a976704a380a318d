/* array.h as IR over 16 vertices: an element of the form at each of 16 host addresses. */
#ifndef VITRAIL_GPU_ARRAY_IR_H
#define VITRAIL_GPU_ARRAY_IR_H

#include "gpu/array.h"
#include "jit/builder.h"

/* Four components, i32x16. */
void gpu_array_ir_fetch(struct jit_builder *b, struct gpu_array_form form, const LLVMValueRef at[16],
                        LLVMValueRef out[4]);
/* Stores in the lanes' order; `in` has what the format has, i32x16. */
void gpu_array_ir_store(struct jit_builder *b, struct gpu_array_form form, const LLVMValueRef at[16],
                        const LLVMValueRef in[4]);

/* 1 to 16 bytes at each of 16 host addresses, as words: what a last word lacks is 0. Nothing beyond is touched. */
void gpu_array_ir_load(struct jit_builder *b, const LLVMValueRef at[16], uint32_t bytes, LLVMValueRef *word);
void gpu_array_ir_put(struct jit_builder *b, const LLVMValueRef at[16], uint32_t bytes,
                      const LLVMValueRef *word);

#endif

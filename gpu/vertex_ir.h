/* A gpu_vertex_fn (vertex_run.h) around a family's program: attributes from guest memory, the program,
 * varyings to guest memory. It does what array.c and the interpreter do, bit for bit; addresses and strides
 * are the draw's. */
#ifndef VITRAIL_GPU_VERTEX_IR_H
#define VITRAIL_GPU_VERTEX_IR_H

#include "gpu/vertex_run.h"
#include "jit/builder.h"

/* What stands around the program of one batch. */
struct gpu_vertex_emit {
    struct jit_builder *b;
    LLVMValueRef stage;                     /* ptr to the family's stage */
    LLVMValueRef own, fuel;                 /* of struct gpu_vertex_args: ptr, i32 */
    LLVMValueRef attribute[GPU_ARRAYS][4];  /* i32x16; NULL: not used */
    LLVMValueRef varying[GPU_ARRAYS][4];    /* slots of i32x16, which begin as 0; NULL: there is none */
    const struct gpu_vertex_layout *layout; /* and what emission needs for itself: */
    LLVMValueRef args, first, last;
    LLVMValueRef offset[2][GPU_ARRAYS][16];
};

/* Emits the program at the builder's position; *fault becomes an i32x16, 0 or as isa_fault_pack has it. 0 or
 * negative errno. */
typedef int (*gpu_vertex_program_fn)(void *ctx, struct gpu_vertex_emit *emit, LLVMValueRef *fault);

/* The whole function. What `program` returns other than 0. */
int gpu_vertex_ir(struct jit_builder *b, const struct gpu_vertex_layout *layout,
                  gpu_vertex_program_fn program, void *ctx);

#endif

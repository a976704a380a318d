/* GP programs as LLVM IR, sixteen vertices at a time, each on a path of its own. The meaning is README.md's;
 * the world is reached through IR ports. */
#ifndef VITRAIL_ISA_UTGARD_GP_TRANS_H
#define VITRAIL_ISA_UTGARD_GP_TRANS_H

#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"
#include "jit/builder.h"

/* The file as sixteen vertices have it who change it. The caller's, who fills it from the uniforms before
 * each call. */
struct utgard_gp_temporaries {
    uint32_t value[UTGARD_GP_FILE][4][JIT_LANES];
};

/* IR emitters; lane values are i32x16. */
struct utgard_gp_ir_ports {
    void *ctx;
    void (*attribute)(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4]);
    /* A component of a vec4 of the file at a known place: scalar i32 or i32x16. */
    LLVMValueRef (*uniform)(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component);
    /* At places 0..511 that lanes compute (i32x16), for the lanes of `mask`; the others give anything. */
    LLVMValueRef (*indexed)(void *ctx, struct jit_builder *b, LLVMValueRef index, uint32_t component,
                            LLVMValueRef mask);
    /* `mask`: lanes that store, NULL for all. */
    void (*varying)(void *ctx, struct jit_builder *b, uint32_t index, uint32_t component, LLVMValueRef value,
                    LLVMValueRef mask);
    LLVMValueRef temporaries; /* ptr to struct utgard_gp_temporaries; for programs that store such */
};

/* The final registers, for differential tests. */
struct utgard_gp_ir_state {
    LLVMValueRef reg[UTGARD_GP_REGISTERS][4]; /* i32x16 */
};

/* Emits the program at the builder's position and leaves the builder behind its end. `lanes` (i1x16) take
 * part; `fuel` (i32): instructions that each may repeat. *fault becomes an i32x16: 0, or a
 * fault as isa_fault_pack has it, of lane 0. `state` may be NULL. 0, -ENOMEM. */
int utgard_gp_translate(struct jit_builder *b, const struct utgard_gp_program *program,
                        const struct utgard_gp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                        LLVMValueRef *fault, struct utgard_gp_ir_state *state);

#endif

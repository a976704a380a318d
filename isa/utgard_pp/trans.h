/* PP programs as LLVM IR, sixteen fragments at a time, each on a path of its own. The meaning is README.md's;
 * the world is reached through IR ports. */
#ifndef VITRAIL_ISA_UTGARD_PP_TRANS_H
#define VITRAIL_ISA_UTGARD_PP_TRANS_H

#include "isa/utgard_pp/ports.h"
#include "jit/diverge.h"

/* What temporaries of sixteen fragments take; the caller's, zeroed before each call. */
struct utgard_pp_temporaries {
    uint32_t value[UTGARD_PP_TEMPORARIES][4][JIT_LANES];
};

/* IR emitters; lane values are i32x16 unless said otherwise, places and offsets as in ports.h. `mask`
 * (i1x16): the lanes that execute; a port may do more. Ports that can be asked for what does not exist return
 * the lanes (i1x16) for which it does not, or NULL for none; these are among `mask`. */
struct utgard_pp_ir_ports {
    void *ctx;
    LLVMValueRef (*varying)(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                            uint32_t count, LLVMValueRef mask, LLVMValueRef out[4]);
    void (*fragcoord)(void *ctx, struct jit_builder *b, LLVMValueRef out[4]);
    void (*pointcoord)(void *ctx, struct jit_builder *b, LLVMValueRef out[2]);
    LLVMValueRef (*frontface)(void *ctx, struct jit_builder *b);
    /* What it gives are numbers that a register can have. */
    LLVMValueRef (*sample)(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef offset,
                           const LLVMValueRef coordinates[4], LLVMValueRef lod, LLVMValueRef mask,
                           LLVMValueRef out[4]);
    /* All that it gives of sample n is between +0 and this; infinity: it may be anything. NULL: always so. */
    float (*sample_limit)(void *ctx, uint32_t n);
    /* Results may be scalars i32, the same for all lanes. */
    LLVMValueRef (*uniform)(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                            uint32_t count, LLVMValueRef mask, LLVMValueRef out[4]);
    void (*color)(void *ctx, struct jit_builder *b, LLVMValueRef out[4]);
    LLVMValueRef (*depth)(void *ctx, struct jit_builder *b);
    LLVMValueRef temporaries; /* ptr to struct utgard_pp_temporaries; for programs that use such */
    enum isa_numeric numeric; /* as in ports.h */
};

/* The final registers. */
struct utgard_pp_ir_state {
    LLVMValueRef reg[UTGARD_PP_REGISTERS][4]; /* i32x16 */
    LLVMValueRef live;                        /* i1x16: took part and were not discarded */
    LLVMValueRef executed;                    /* i64: instructions, for whatever lanes */
    bool faults;                              /* the program can end in one */
};

/* Emits the program at the builder's position and leaves the builder behind its end. `lanes` (i1x16; a
 * constant of ones is cheapest) take part; `fuel` (i32): instructions that each may repeat. *fault becomes an
 * i32: 0, or a fault as isa_fault_pack has it. 0, -ENOMEM. */
int utgard_pp_translate(struct jit_builder *b, const struct utgard_pp_program *program,
                        const struct utgard_pp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                        LLVMValueRef *fault, struct utgard_pp_ir_state *state);

/* Programs of one run of instructions, which translate with faults == false: */
static inline bool utgard_pp_is_straight(const struct utgard_pp_program *program)
{
    return program->block_count == 1 && program->blocks[0].target == UTGARD_PP_NO_BLOCK;
}
#define UTGARD_PP_SIDES           4u
#define UTGARD_PP_BRANCHING_SIDES JIT_DIVERGE_SIDES /* of programs that are not straight */
/* The same for that many sets of sixteen lanes, of which all take part, instruction by instruction, so that
 * one may wait for its results while the others go on. The fault is one of any of them, not always what the
 * first would have ended in alone. */
int utgard_pp_translate_sides(struct jit_builder *b, const struct utgard_pp_program *program,
                              const struct utgard_pp_ir_ports *ports, LLVMValueRef fuel, LLVMValueRef *fault,
                              struct utgard_pp_ir_state *states, unsigned count);

#endif

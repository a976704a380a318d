/* The translator: trans.c (blocks), trans_stage.c (arithmetic), trans_memory.c (the world). */
#ifndef VITRAIL_ISA_UTGARD_PP_TRANS_INTERNAL_H
#define VITRAIL_ISA_UTGARD_PP_TRANS_INTERNAL_H

#include "isa/utgard_pp/trans.h"
#include "jit/diverge.h"

struct trans {
    struct jit_builder *b;
    const struct utgard_pp_program *program;
    const struct utgard_pp_ir_ports *ports;
    LLVMValueRef reg[16][4]; /* in the block at hand; from 12 on the instruction's own */
    LLVMValueRef coordinates[4], vmul[4], smul;
    LLVMValueRef mask;  /* lanes in the block at hand */
    LLVMValueRef fault; /* slot of i32 */
    const struct utgard_pp_insn *insn;
    uint32_t number; /* of it */
    bool faults;     /* something may have been stored to `fault` in the block at hand */
};

/* What a unit's result, an i32x16, is in a register. */
LLVMValueRef trans_pp_result(struct trans *t, LLVMValueRef value);
/* An i32x16 or i32 as i32x16. */
LLVMValueRef trans_pp_lanes(struct trans *t, LLVMValueRef value);
LLVMValueRef trans_pp_scalar(struct trans *t, uint8_t reg);
/* Writes a component, or faults where there is no such register. The value is one that a register can have:
 * trans_pp_result's, or of another register. */
void trans_pp_write(struct trans *t, uint8_t reg, unsigned component, LLVMValueRef value);
/* The first fault counts: of the lanes `bad` (NULL: all that execute) the lowest. */
void trans_pp_fault(struct trans *t, LLVMValueRef bad, enum utgard_pp_fault fault);
/* Lanes of a quad that do not execute get the value of its first one that does. */
LLVMValueRef trans_pp_fill_quads(struct trans *t, LLVMValueRef value);
/* Lane l of the result is lane (l & keep) | set of `value`. */
LLVMValueRef trans_pp_neighbour(struct trans *t, LLVMValueRef value, unsigned keep, unsigned set);

/* All stages but the branch. */
void trans_pp_stages(struct trans *t);
void trans_pp_varying(struct trans *t);
void trans_pp_sample(struct trans *t);
void trans_pp_load(struct trans *t);
void trans_pp_store(struct trans *t);

#endif

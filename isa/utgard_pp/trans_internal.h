/* The translator: trans.c (blocks), trans_stage.c (arithmetic), trans_known.c (what makes it cheaper),
 * trans_memory.c (the world). */
#ifndef VITRAIL_ISA_UTGARD_PP_TRANS_INTERNAL_H
#define VITRAIL_ISA_UTGARD_PP_TRANS_INTERNAL_H

#include "isa/utgard_pp/trans.h"
#include "jit/diverge.h"

/* What a product is of, where a single holds it exactly: two halves, the one times the unit's power of two.
 * x NULL: another value, or one that has been changed. */
struct utgard_pp_trans_factors {
    LLVMValueRef x, y;
};

struct utgard_pp_trans {
    struct jit_builder *b;
    const struct utgard_pp_program *program;
    const struct utgard_pp_ir_ports *ports;
    LLVMValueRef reg[16][4]; /* in the block at hand; from 12 on the instruction's own */
    float limit[16][4];      /* of reg: between +0 and this; infinity: anything */
    LLVMValueRef coordinates[4], vmul[4], smul;
    struct utgard_pp_trans_factors vector_factors[4], scalar_factors; /* of vmul and smul */
    LLVMValueRef mask;                                                /* lanes in the block at hand */
    LLVMValueRef fault;                                               /* slot of i32 */
    const struct utgard_pp_insn *insn;
    uint32_t number; /* of it */
    bool faults;     /* something may have been stored to `fault` in the block at hand */
};

/* What a unit's result, an i32x16, is in a register. */
LLVMValueRef utgard_pp_trans_result(struct utgard_pp_trans *t, LLVMValueRef value);
/* An i32x16 or i32 as i32x16. */
LLVMValueRef utgard_pp_trans_lanes(struct utgard_pp_trans *t, LLVMValueRef value);
LLVMValueRef utgard_pp_trans_scalar(struct utgard_pp_trans *t, uint8_t reg);
/* Writes a component, or faults where there is no such register. The value is one that a register can have:
 * utgard_pp_trans_result's, or of another register. Nothing is known of it. */
void utgard_pp_trans_write(struct utgard_pp_trans *t, uint8_t reg, unsigned component, LLVMValueRef value);
/* The first fault counts: of the lanes `bad` (NULL: all that execute) the lowest. */
void utgard_pp_trans_fault(struct utgard_pp_trans *t, LLVMValueRef bad, enum utgard_pp_fault fault);
/* Lanes of a quad that do not execute get the value of its first one that does. */
LLVMValueRef utgard_pp_trans_fill_quads(struct utgard_pp_trans *t, LLVMValueRef value);
/* Lane l of the result is lane (l & keep) | set of `value`. */
LLVMValueRef utgard_pp_trans_neighbour(struct utgard_pp_trans *t, LLVMValueRef value, unsigned keep,
                                       unsigned set);

/* All stages but the branch. */
void utgard_pp_trans_stages(struct utgard_pp_trans *t);
void utgard_pp_trans_varying(struct utgard_pp_trans *t);
void utgard_pp_trans_sample(struct utgard_pp_trans *t);
void utgard_pp_trans_load(struct utgard_pp_trans *t);
void utgard_pp_trans_store(struct utgard_pp_trans *t);

#endif

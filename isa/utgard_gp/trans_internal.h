/* The translator: trans.c (blocks, state between them), trans_insn.c (one instruction), trans_store.c (stores
 * on their way). */
#ifndef VITRAIL_ISA_UTGARD_GP_TRANS_INTERNAL_H
#define VITRAIL_ISA_UTGARD_GP_TRANS_INTERNAL_H

#include "isa/utgard_gp/trans.h"
#include "jit/diverge.h"

enum { TRANS_REGISTER_DELAY = 3, TRANS_MEMORY_DELAY = 4 };

/* What can be read now and in the next instructions: entry n is what stands there n instructions from now;
 * the last from then on. */
struct utgard_gp_trans_timeline {
    LLVMValueRef at[TRANS_MEMORY_DELAY];
};

/* A store to temporaries that has not arrived. Values are NULL for components that it leaves. */
struct utgard_gp_trans_late {
    LLVMValueRef place; /* i32x16; NULL: there is none */
    LLVMValueRef mask;  /* i1x16 */
    LLVMValueRef value[4];
};

struct utgard_gp_trans_results {
    LLVMValueRef acc[2], mul[2], pass, complex, fetch0[4];
};

/* All that an instruction leaves for those after it: i32x16. */
struct utgard_gp_trans_machine {
    struct utgard_gp_trans_timeline reg[UTGARD_GP_REGISTERS][4];
    struct utgard_gp_trans_timeline addr[4]; /* of 0 the first entry alone */
    struct utgard_gp_trans_results last, before;
    struct utgard_gp_trans_late
        late[TRANS_MEMORY_DELAY]; /* arrive in 1, 2, ... instructions; [0] is not used */
};

struct utgard_gp_trans {
    struct jit_builder *b;
    const struct utgard_gp_program *program;
    const struct utgard_gp_ir_ports *ports;
    struct utgard_gp_trans_machine now;
    LLVMValueRef mask;  /* lanes in the block at hand */
    LLVMValueRef fault; /* slot of i32x16 */
    bool faults;        /* something may have been stored there in the block at hand */
    bool whole;         /* the program is one block */
    LLVMValueRef fetch1[4], load[4];
    bool written[UTGARD_GP_REGISTERS][4]; /* anywhere in the program */
};

/* One instruction. Returns the pass unit's result. */
LLVMValueRef utgard_gp_trans_insn(struct utgard_gp_trans *t, uint32_t pc);

/* Stores, behind the units. */
void utgard_gp_trans_stores(struct utgard_gp_trans *t, const struct utgard_gp_insn *insn, uint32_t pc,
                            const struct utgard_gp_trans_results *r);
/* Temporaries that are due arrive; before the fetches. */
void utgard_gp_trans_arrive(struct utgard_gp_trans *t);
/* A vec4 of the file as the lanes changed it. `index` i32x16, 0..511. */
void utgard_gp_trans_load_file(struct utgard_gp_trans *t, LLVMValueRef index, LLVMValueRef value[4]);

/* Lanes of the block in which `bad` (i1x16, NULL: all) holds fault, if they have not yet. */
void utgard_gp_trans_fault(struct utgard_gp_trans *t, LLVMValueRef bad, enum utgard_gp_fault fault,
                           uint32_t pc);

#endif

/* A program taken whole: what begins at each of its halfwords, decoded. Any number of threads may read it. */
#ifndef VITRAIL_ISA_SIMPLE_V_PROGRAM_H
#define VITRAIL_ISA_SIMPLE_V_PROGRAM_H

#include "isa/simple_v/insn.h"

#define SIMPLE_V_MAX_WORDS (1u << 22) /* programs longer than this are refused */

struct simple_v_program {
    uint64_t address; /* of the first halfword */
    uint32_t count;
    uint16_t *code;
    struct simple_v_insn *insns; /* by halfword; length 0: none begins here */
    uint32_t *block;             /* by halfword: number of the VBLOCK that begins here, plus 1; 0: none */
    struct simple_v_block *blocks;
    /* Some instruction, wherever one may begin, gives FFLAGS to a register; reserves an address. */
    bool reads_flags, reserves;
    bool repeats; /* a branch may go back */
};

/* Copies and decodes `count` halfwords. What no instruction is does not matter until it is executed. 0 and *out
 * (simple_v_program_destroy, which takes NULL), -E2BIG, -EINVAL (an odd address), -ENOMEM. */
int simple_v_program_create(const uint16_t *code, uint32_t count, uint64_t address,
                            struct simple_v_program **out, struct util_error *error);
void simple_v_program_destroy(struct simple_v_program *program);

#endif

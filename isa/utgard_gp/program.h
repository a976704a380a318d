/* A GP program, taken once from guest memory into private memory, decoded and analysed. Built from data,
 * never changes afterwards, and so may be shared between threads. */
#ifndef VITRAIL_ISA_UTGARD_GP_PROGRAM_H
#define VITRAIL_ISA_UTGARD_GP_PROGRAM_H

#include "isa/utgard_gp/insn.h"
#include "util/error.h"

/* A run of instructions entered at the first and left behind the last. */
struct utgard_gp_block {
    uint32_t first, count;
    uint32_t target; /* block that its branch goes to, block_count for the end; or UTGARD_GP_NO_BLOCK */
};
#define UTGARD_GP_NO_BLOCK UINT32_MAX

struct utgard_gp_program {
    struct utgard_gp_insn *insns;
    uint32_t insn_count;
    struct utgard_gp_block *blocks; /* in program order; each goes on to the next */
    uint32_t block_count;
    uint32_t attributes, varyings; /* bit n: attribute n is read, varying n stored to */
    uint32_t loads;                /* vec4s of the file that are read at known places: the last plus one */
    bool indexed;                  /* some load adds an address register */
    bool stores_temporaries;
    bool repeats;  /* a branch may go back */
    uint64_t hash; /* xxh3 of the words */
};

/* Decodes and analyses `count` instructions (copied). 0 and *out (free with utgard_gp_program_destroy),
 * -E2BIG (more than UTGARD_GP_MAX_INSNS), -EBADMSG (none, or a branch beyond the end; error names the pc),
 * -ENOMEM. */
int utgard_gp_program_create(const uint64_t *words, uint32_t count, struct utgard_gp_program **out,
                             struct util_error *error);
void utgard_gp_program_destroy(struct utgard_gp_program *program); /* NULL is accepted */

#endif

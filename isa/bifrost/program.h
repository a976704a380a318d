/* A Bifrost program, taken once from guest memory into private memory and decoded. Built from data, never changes
 * afterwards, and so may be shared between threads. */
#ifndef VITRAIL_ISA_BIFROST_PROGRAM_H
#define VITRAIL_ISA_BIFROST_PROGRAM_H

#include "isa/bifrost/insn.h"

#define BIFROST_MAX_QUADS (1u << 14) /* programs longer than this are refused with -E2BIG */
#define BIFROST_NO_CLAUSE UINT32_MAX

struct bifrost_program {
    struct bifrost_clause *clauses;
    uint32_t clause_count, quad_count; /* quad_count: from the first to behind the last that can be reached */
    /* By clause: which clause its branch goes to; BIFROST_NO_CLAUSE: it has none, or it is known at run time
     * only (JUMP by a register, as blend shaders return). */
    uint32_t *targets;
    uint64_t hash; /* of its quadwords */
    bool repeats;  /* a branch may go back */
    bool computed; /* a branch goes where a register says */
};

/* Takes the program that begins at the first of `count` quadwords. 0 and *out (free with bifrost_program_destroy),
 * -E2BIG, -EBADMSG (a clause that is none, or of which something is reserved, a branch to where no clause begins
 * or out of the program, no end; error names the quadword), -ENOMEM. */
int bifrost_program_create(const void *words, uint32_t count, struct bifrost_program **out,
                           struct util_error *error);
void bifrost_program_destroy(struct bifrost_program *program); /* NULL is accepted */

/* Whether nothing goes on behind the clause, but where it branches to: the end, or a jump that is always taken. */
bool bifrost_leaves(const struct bifrost_clause *clause);
/* The instruction of the clause that branches, NULL: none does. */
const struct bifrost_insn *bifrost_branch_of(const struct bifrost_clause *clause);

#endif

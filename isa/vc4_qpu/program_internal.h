/* What the files that look at programs share: program.c, flow.c, check.c and random.c. */
#ifndef VITRAIL_ISA_VC4_QPU_PROGRAM_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_PROGRAM_INTERNAL_H

#include "isa/vc4_qpu/program.h"

/* One of the two writes of an instruction. */
struct vc4_qpu_write {
    bool happens; /* its condition is not `never` */
    bool always;  /* it is unconditional */
    bool file_b;
    uint8_t waddr;
};

/* The write of the add unit (`mul` 0) or of the mul unit (1). */
struct vc4_qpu_write vc4_qpu_write_of(const struct vc4_qpu_insn *insn, unsigned mul);
/* Whether a read address is `address`, in file A, in file B or in either. */
bool vc4_qpu_reads_a(const struct vc4_qpu_insn *insn, unsigned address);
bool vc4_qpu_reads_b(const struct vc4_qpu_insn *insn, unsigned address);
bool vc4_qpu_reads(const struct vc4_qpu_insn *insn, unsigned address);

static inline bool vc4_qpu_is_tmu(unsigned waddr)
{
    return waddr >= VC4_QPU_W_TMU0_S;
}
static inline bool vc4_qpu_is_end(const struct vc4_qpu_insn *insn)
{
    return insn->sig == VC4_QPU_SIG_PROGRAM_END || insn->sig == VC4_QPU_SIG_COLOR_LOAD_END;
}

/* Places uniforms, finds texture requests and the Z payload; blocks are known. 0, -EBADMSG, -ENOMEM. */
int vc4_qpu_flow(struct vc4_qpu_program *program, struct util_error *error);

/* Whether window[2] may follow window[0] and window[1]: the checker's rules about one instruction and its
 * neighbours. `direct` says that an S write of it is a direct lookup. */
bool vc4_qpu_fits(const struct vc4_qpu_insn window[3], bool direct);

#endif

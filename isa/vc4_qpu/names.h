/* The vocabulary of the assembler language, from insns.inc; shared by disasm.c, asm.c, check.c and random.c.
 */
#ifndef VITRAIL_ISA_VC4_QPU_NAMES_H
#define VITRAIL_ISA_VC4_QPU_NAMES_H

#include "isa/isa.h"
#include "isa/vc4_qpu/insn.h"

enum vc4_qpu_list {
    VC4_QPU_ADD_OPS,
    VC4_QPU_MUL_OPS,
    VC4_QPU_CONDS,
    VC4_QPU_BRANCH_CONDS,
    VC4_QPU_SIGS,
    VC4_QPU_UNPACKS,
    VC4_QPU_PACKS_A,   /* pm = 0 */
    VC4_QPU_PACKS_MUL, /* pm = 1 */
    VC4_QPU_READS_A,   /* addresses 32 and above; also in B, WRITES_A, WRITES_B */
    VC4_QPU_READS_B,
    VC4_QPU_WRITES_A,
    VC4_QPU_WRITES_B,
};

/* By enum vc4_qpu_list. */
extern const struct isa_names vc4_qpu_lists[];

/* The text for a value, NULL when it is reserved. */
static inline const char *vc4_qpu_name(enum vc4_qpu_list list, uint32_t value)
{
    return isa_name_text(&vc4_qpu_lists[list], value);
}
/* The value of text[0..length); false when it is not in the list. */
static inline bool vc4_qpu_named(enum vc4_qpu_list list, const char *text, size_t length, uint32_t *value)
{
    return isa_name_value(&vc4_qpu_lists[list], text, length, value);
}

/* Operands an operation reads, 0..2 (2 when reserved); whether it reads floats, whether its result is one. */
unsigned vc4_qpu_operands(bool mul, unsigned op);
bool vc4_qpu_float_in(bool mul, unsigned op);
bool vc4_qpu_float_out(bool mul, unsigned op);

/* Whether a write address means the same in both files (32 and above, one name). */
bool vc4_qpu_write_shared(unsigned waddr);

/* An absent half of an ALU instruction: nop under `never` to nowhere, r0 in both multiplexers. */
bool vc4_qpu_bare_add(const struct vc4_qpu_insn *insn);
bool vc4_qpu_bare_mul(const struct vc4_qpu_insn *insn);

#endif

/* The assembler's instructions (asm_insn.c). */
#ifndef VITRAIL_ISA_VC4_QPU_ASM_INTERNAL_H
#define VITRAIL_ISA_VC4_QPU_ASM_INTERNAL_H

#include "isa/assembler.h"

/* The rest of a line whose mnemonic has been read; branches count from as->at. 0 or -EINVAL. */
int vc4_qpu_asm_instruction(struct isa_assembler *as, struct isa_token mnemonic, uint64_t *word);

#endif

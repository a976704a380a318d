/* Between asm.c, asm_prefix.c and asm_block.c. */
#ifndef VITRAIL_ISA_SIMPLE_V_ASM_INTERNAL_H
#define VITRAIL_ISA_SIMPLE_V_ASM_INTERNAL_H

#include "isa/assembler.h"
#include "isa/simple_v/table.h"

/* A register as it is written. */
struct simple_v_written {
    bool integer, vector;
    int32_t reg;
};
/* Takes one: x0 to x127, f0 to f127, with v behind it where it is a vector, or a name that RISC-V's calling convention has.
 * 0 or -EINVAL. */
int simple_v_asm_register(struct isa_assembler *as, struct simple_v_written *out);
/* Takes an integer register of one number from least to most, that is no vector. 0 or -EINVAL. */
int simple_v_asm_integer(struct isa_assembler *as, int32_t least, int32_t most, int32_t *out);
/* Takes a whole number from least to most. 0 or -EINVAL. */
int simple_v_asm_number(struct isa_assembler *as, int64_t least, int64_t most, int32_t *out);

/* asm_prefix.c: an option behind the operands of an instruction with a prefix, ", pred:x9". 0 or -EINVAL. */
int simple_v_asm_option(struct isa_assembler *as, struct simple_v_insn *insn);
/* asm_block.c: what is behind `vblock`. 0, -EINVAL, -ENOMEM. */
int simple_v_asm_block(struct isa_assembler *as);
/* asm.c: an instruction whose name has been read as halfwords. 0 or -EINVAL. */
int simple_v_asm_insn(struct isa_assembler *as, struct isa_token name, uint16_t code[4], unsigned *length);

#endif

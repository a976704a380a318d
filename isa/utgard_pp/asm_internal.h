/* The assembler: asm.c (instructions, fields that are not arithmetic), asm_unit.c (operands, arithmetic). */
#ifndef VITRAIL_ISA_UTGARD_PP_ASM_INTERNAL_H
#define VITRAIL_ISA_UTGARD_PP_ASM_INTERNAL_H

#include "isa/assembler.h"
#include "isa/utgard_pp/insn.h"

/* All return 0 or -EINVAL with the place. */
int utgard_pp_asm_comma(struct isa_assembler *as);
int utgard_pp_asm_number(struct isa_assembler *as, uint32_t limit, uint32_t *value);
/* A register's name, 0..15. */
int utgard_pp_asm_register(struct isa_assembler *as, uint8_t *out);
/* A register and one component. */
int utgard_pp_asm_scalar_name(struct isa_assembler *as, uint8_t *out);
/* What follows a register's name: ".xyz", ".0" or nothing. */
int utgard_pp_asm_mask(struct isa_assembler *as, uint8_t *out);
/* A register, swizzle, sign and magnitude; `mul_in`, if not NULL: whether it is ^v0. */
int utgard_pp_asm_vector(struct isa_assembler *as, struct utgard_pp_vector *out, bool *mul_in);
/* The rest of an arithmetic part, behind its operation's name: ".unit.mod operands". Marks the field in
 * insn->fields. */
int utgard_pp_asm_unit(struct isa_assembler *as, struct utgard_pp_insn *insn, struct isa_token name);

#endif

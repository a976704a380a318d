/* The vocabulary of the assembler language, from insns.inc, and whether a register's name means it. */
#ifndef VITRAIL_ISA_UTGARD_PP_NAMES_H
#define VITRAIL_ISA_UTGARD_PP_NAMES_H

#include <stddef.h>

#include "isa/utgard_pp/insn.h"

enum utgard_pp_list { UTGARD_PP_MUL_OPS, UTGARD_PP_ADD_OPS, UTGARD_PP_COMBINE_OPS };

/* The text for a value, NULL when it is reserved. */
const char *utgard_pp_name(enum utgard_pp_list list, uint32_t value);
/* The value of text[0..length); false when it is not in the list. */
bool utgard_pp_named(enum utgard_pp_list list, const char *text, size_t length, uint32_t *value);
/* Operands an operation reads, 1 or 2; 2 when it is reserved. */
unsigned utgard_pp_operands(enum utgard_pp_list list, uint32_t value);

/* "r0" to "r11", "c0", "c1", "tex", "uni". */
extern const char *const utgard_pp_registers[16];
extern const char *const utgard_pp_mods[4]; /* "", ".sat", ".pos", ".int" */

#endif

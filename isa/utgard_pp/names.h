/* The vocabulary of the assembler language, from insns.inc, and whether a register's name means it. */
#ifndef VITRAIL_ISA_UTGARD_PP_NAMES_H
#define VITRAIL_ISA_UTGARD_PP_NAMES_H

#include "isa/isa.h"
#include "isa/op.h"
#include "isa/utgard_pp/insn.h"

enum utgard_pp_list { UTGARD_PP_MUL_OPS, UTGARD_PP_ADD_OPS, UTGARD_PP_COMBINE_OPS };

/* By enum utgard_pp_list. */
extern const struct isa_names utgard_pp_lists[];

/* The text for a value, NULL when it is reserved. */
static inline const char *utgard_pp_name(enum utgard_pp_list list, uint32_t value)
{
    return isa_name_text(&utgard_pp_lists[list], value);
}
/* The value of text[0..length); false when it is not in the list. */
static inline bool utgard_pp_named(enum utgard_pp_list list, const char *text, size_t length, uint32_t *value)
{
    return isa_name_value(&utgard_pp_lists[list], text, length, value);
}
/* Operands an operation reads, 1 or 2; 2 when it is reserved. */
unsigned utgard_pp_operands(enum utgard_pp_list list, uint32_t value);
/* What a multiplier or an accumulator computes; NULL when it is reserved. */
const struct isa_lane_op *utgard_pp_lane_op(enum utgard_pp_list list, uint32_t value);

/* "r0" to "r11", "c0", "c1", "tex", "uni". */
extern const char *const utgard_pp_registers[16];
extern const char *const utgard_pp_mods[4]; /* "", ".sat", ".pos", ".int" */

#endif

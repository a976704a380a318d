/* The vocabulary of the assembler language, from insns.inc. */
#ifndef VITRAIL_ISA_UTGARD_GP_NAMES_H
#define VITRAIL_ISA_UTGARD_GP_NAMES_H

#include "isa/isa.h"
#include "isa/utgard_gp/insn.h"

enum utgard_gp_list {
    UTGARD_GP_SRCS,
    UTGARD_GP_STORES,
    UTGARD_GP_ACC_OPS,
    UTGARD_GP_MUL_OPS,
    UTGARD_GP_COMPLEX_OPS,
    UTGARD_GP_PASS_OPS,
};

/* By enum utgard_gp_list. */
extern const struct isa_names utgard_gp_lists[];

/* The text for a value, NULL when it is reserved. */
static inline const char *utgard_gp_name(enum utgard_gp_list list, uint32_t value)
{
    return isa_name_text(&utgard_gp_lists[list], value);
}
/* The value of text[0..length); false when it is not in the list. */
static inline bool utgard_gp_named(enum utgard_gp_list list, const char *text, size_t length, uint32_t *value)
{
    return isa_name_value(&utgard_gp_lists[list], text, length, value);
}

#endif

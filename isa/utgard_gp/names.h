/* The vocabulary of the assembler language, from insns.inc. */
#ifndef VITRAIL_ISA_UTGARD_GP_NAMES_H
#define VITRAIL_ISA_UTGARD_GP_NAMES_H

#include <stddef.h>

#include "isa/utgard_gp/insn.h"

enum utgard_gp_list {
    UTGARD_GP_SRCS,
    UTGARD_GP_STORES,
    UTGARD_GP_ACC_OPS,
    UTGARD_GP_MUL_OPS,
    UTGARD_GP_COMPLEX_OPS,
    UTGARD_GP_PASS_OPS,
};

/* The text for a value, NULL when it is reserved. */
const char *utgard_gp_name(enum utgard_gp_list list, uint32_t value);
/* The value of text[0..length); false when it is not in the list. */
bool utgard_gp_named(enum utgard_gp_list list, const char *text, size_t length, uint32_t *value);

#endif

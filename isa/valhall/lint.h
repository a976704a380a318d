/* The linter: everything known to be wrong in a program without running it - what the checker (asm.h) finds
 * in instructions, words that are none, and what faults whenever it is executed. */
#ifndef VITRAIL_ISA_VALHALL_LINT_H
#define VITRAIL_ISA_VALHALL_LINT_H

#include "isa/rule.h"

/* All rules; *count of them. */
const struct isa_rule *valhall_rules(uint32_t *count);

/* Calls `found` for each finding in a program of `count` words; stages do not differ. 0 or -ENOMEM. */
int valhall_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data);

#endif

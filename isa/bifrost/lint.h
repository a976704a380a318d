/* The linter: everything known to be wrong in a program without running it - what the checker (asm.h) finds in
 * clauses, and a structure that cannot be followed. */
#ifndef VITRAIL_ISA_BIFROST_LINT_H
#define VITRAIL_ISA_BIFROST_LINT_H

#include "isa/rule.h"

/* All rules; *count of them. */
const struct isa_rule *bifrost_rules(uint32_t *count);

/* Calls `found` for each finding in a program of `count` quadwords; stages do not differ. 0, -E2BIG or
 * -ENOMEM. */
int bifrost_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data);

#endif

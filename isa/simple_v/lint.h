/* The linter: everything known to be wrong in a program without running it - what the checker (asm.h) finds. */
#ifndef VITRAIL_ISA_SIMPLE_V_LINT_H
#define VITRAIL_ISA_SIMPLE_V_LINT_H

#include "isa/rule.h"

enum simple_v_rule {
    SIMPLE_V_RULE_STRUCTURE,
#define RULE(name, severity, text, source) SIMPLE_V_RULE_##name,
#include "isa/simple_v/rules.inc"
    SIMPLE_V_RULE_COUNT
};

/* All rules; *count of them. */
const struct isa_rule *simple_v_rules(uint32_t *count);

/* Calls `found` for each finding in a program of `count` halfwords; stages do not differ. 0, or -ENOMEM. */
int simple_v_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data);

#endif

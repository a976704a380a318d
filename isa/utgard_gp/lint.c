/* The checker's findings, and the program taken whole. */
#include "isa/utgard_gp/lint.h"

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/program.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Utgard-GP.md"},
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/utgard_gp/rules.inc"
};

const struct isa_rule *utgard_gp_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    struct utgard_gp_program *program;
    int status = utgard_gp_program_create(words, count, &program, error);

    if (!status)
        utgard_gp_program_destroy(program);
    return status;
}

int utgard_gp_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), utgard_gp_check, take};

    return isa_lint_checked(&set, words, count, found, data);
}

/* The checker's findings, and the program taken whole. */
#include "isa/midgard/lint.h"

#include "isa/midgard/asm.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Mesa: disassemble.c (disassemble_midgard)"},
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/midgard/rules.inc"
};

const struct isa_rule *midgard_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    static const struct midgard_traits traits;
    struct midgard_program *program;
    int status = midgard_program_create(words, count, 0, &traits, &program, error);

    if (!status)
        midgard_program_destroy(program);
    return status;
}

int midgard_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), midgard_check, take};

    return isa_lint_checked(&set, words, count, found, data);
}

/* The checker's findings, and the program taken whole. */
#include "isa/bifrost/lint.h"

#include <errno.h>

#include "isa/bifrost/asm.h"
#include "isa/bifrost/lower.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Mesa: disassemble.c (disassemble_bifrost)"},
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/bifrost/rules.inc"
    {"UNEXPLAINED", ISA_NOTE, "it faults when it is executed: no document explains it",
     "README.md, Execution"},
};

const struct isa_rule *bifrost_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    struct bifrost_program *program;
    int status = bifrost_program_create(words, count, &program, error);

    if (!status)
        bifrost_program_destroy(program);
    return status;
}

/* What would fault. */
static int tell_unexplained(const void *words, uint32_t count, isa_lint_fn found, void *data)
{
    struct warp_program *program = NULL;
    int status = bifrost_executable_create(words, count, &program, NULL);
    if (!status)
        warp_tell_unsupported(program, &rules[UTIL_ARRAY_SIZE(rules) - 1], found, data);
    warp_program_destroy(program);
    return status == -EBADMSG ? 0 : status;
}

int bifrost_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), bifrost_check, take};

    (void)stage;
    int status = isa_lint_checked(&set, words, count, found, data);
    return status ? status : tell_unexplained(words, count, found, data);
}

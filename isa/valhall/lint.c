/* The checker's findings, and what would fault. */
#include "isa/valhall/lint.h"

#include <errno.h>

#include "isa/valhall/asm.h"
#include "isa/valhall/program.h"
#include "util/bits.h"
#include "util/error.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Mesa: ISA.xml"},
#define RULE(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "isa/valhall/rules.inc"
    {"UNEXPLAINED", ISA_NOTE, "it faults when it is executed: no document explains it",
     "README.md, Execution"},
};

const struct isa_rule *valhall_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    return count ? 0 : util_fail(error, -EBADMSG, "there is no instruction");
}

/* Of a program that can be taken; what keeps it from that the checker has told. */
static int tell_unexplained(const void *words, uint32_t count, isa_lint_fn found, void *data)
{
    struct warp_program *program = NULL;
    int status = valhall_program_create(words, count, &program, NULL);
    if (!status)
        warp_tell_unsupported(program, &rules[UTIL_ARRAY_SIZE(rules) - 1], found, data);
    warp_program_destroy(program);
    return status == -EBADMSG || status == -E2BIG ? 0 : status;
}

int valhall_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), valhall_check, take};

    int status = isa_lint_checked(&set, words, count, found, data);
    return status ? status : tell_unexplained(words, count, found, data);
}

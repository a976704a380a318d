/* The checker's findings, and the program taken whole. */
#include "isa/utgard_gp/lint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "isa/utgard_gp/asm.h"
#include "isa/utgard_gp/program.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Utgard-GP.md"},
#define RULE(name, text, source) {#name, ISA_ERROR, text, source},
#include "isa/utgard_gp/rules.inc"
};

struct lint {
    isa_lint_fn found;
    void *data;
    uint32_t findings;
};

const struct isa_rule *utgard_gp_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static void from_checker(void *data, uint32_t at, const char *text, const char *source)
{
    struct lint *lint = data;
    struct isa_finding finding = {.rule = &rules[0], .pc = at};
    for (size_t i = 1; i < UTIL_ARRAY_SIZE(rules); i++)
        if (!strcmp(rules[i].text, text))
            finding.rule = &rules[i];
    lint->findings++;
    lint->found(lint->data, &finding);
}

/* What the checker has told is not told again as a broken structure. */
int utgard_gp_lint(const uint64_t *words, uint32_t count, isa_lint_fn found, void *data)
{
    struct lint lint = {found, data, 0};
    struct util_error error = {0};
    struct utgard_gp_program *program;
    utgard_gp_check(words, count, from_checker, &lint);
    int status = utgard_gp_program_create(words, count, &program, &error);
    if (!status)
        utgard_gp_program_destroy(program);
    if (status != -EBADMSG)
        return status;
    if (!lint.findings) {
        struct isa_finding finding = {.rule = &rules[0]};
        snprintf(finding.detail, sizeof finding.detail, "%.95s", error.text);
        found(data, &finding);
    }
    return 0;
}

/* The checker's findings. */
#include "isa/valhall/lint.h"

#include <errno.h>

#include "isa/valhall/asm.h"
#include "util/bits.h"
#include "util/error.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "Mesa: ISA.xml"},
#define RULE(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "isa/valhall/rules.inc"
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

int valhall_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), valhall_check, take};

    return isa_lint_checked(&set, words, count, found, data);
}

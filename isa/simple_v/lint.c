/* The checker's findings. */
#include "isa/simple_v/lint.h"

#include <errno.h>

#include "isa/simple_v/asm.h"
#include "util/bits.h"

static const struct isa_rule rules[] = {
    {"STRUCTURE", ISA_ERROR, "the program cannot be followed", "digest, 4 and 5"},
#define RULE(name, severity, text, source) {#name, ISA_##severity, text, source},
#include "isa/simple_v/rules.inc"
};

const struct isa_rule *simple_v_rules(uint32_t *count)
{
    *count = UTIL_ARRAY_SIZE(rules);
    return rules;
}

static int take(const void *words, uint32_t count, struct util_error *error)
{
    return count ? 0 : util_fail(error, -EBADMSG, "there is no instruction");
}

int simple_v_lint(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data)
{
    static const struct isa_checked set = {rules, UTIL_ARRAY_SIZE(rules), simple_v_check, take};

    return isa_lint_checked(&set, words, count, found, data);
}

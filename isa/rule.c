/* Breaches, and findings of a checker as those of a linter. */
#include "isa/rule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void isa_breach(struct isa_check *c, unsigned rule)
{
    if (c->reported >> rule & 1)
        return;
    c->reported |= 1ull << rule;
    c->count++;
    if (c->found)
        c->found(c->data, c->at, c->rules[rule].text, c->rules[rule].source);
}

struct lint {
    const struct isa_checked *set;
    isa_lint_fn found;
    void *data;
    uint32_t findings;
};

static void breach(void *data, uint32_t at, const char *text, const char *source)
{
    struct lint *lint = data;
    struct isa_finding finding = {.rule = &lint->set->rules[0], .pc = at};

    for (uint32_t i = 1; i < lint->set->count; i++)
        if (!strcmp(lint->set->rules[i].text, text))
            finding.rule = &lint->set->rules[i];
    lint->findings++;
    lint->found(lint->data, &finding);
}

/* What the checker has told is not told again as a broken structure. */
int isa_lint_checked(const struct isa_checked *set, const void *words, uint32_t count, isa_lint_fn found,
                     void *data)
{
    struct lint lint = {set, found, data, 0};
    struct util_error error = {0};
    int status;

    set->check(words, count, breach, &lint);
    status = set->take(words, count, &error);
    if (status == -EBADMSG && !lint.findings) {
        struct isa_finding finding = {.rule = &set->rules[0]};

        snprintf(finding.detail, sizeof finding.detail, "%.95s", error.text);
        found(data, &finding);
    }
    return status == -EBADMSG ? 0 : status;
}

/* Rules about guest programs, and what else a linter looks at: what is wrong, how bad it is, where that
 * stands; and findings. All strings of rules are static. */
#ifndef VITRAIL_ISA_RULE_H
#define VITRAIL_ISA_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum isa_severity {
    ISA_NOTE,    /* legal, and often deliberate */
    ISA_WARNING, /* works by luck, or not on every core */
    ISA_ERROR,   /* undefined, hangs or gives wrong results on silicon */
};
static inline const char *isa_severity_name(enum isa_severity severity)
{
    return severity == ISA_NOTE ? "note" : severity == ISA_WARNING ? "warning" : "error";
}

struct isa_rule {
    const char *name; /* "READ_AFTER_WRITE" */
    enum isa_severity severity;
    const char *text, *source; /* what is wrong; where that stands */
};

/* `pc`: instruction or word, as the set counts (isa/sets.h). `detail` names the register, the numbers: ""
 * when the rule says it all. Valid during the call. */
struct isa_finding {
    const struct isa_rule *rule;
    uint32_t pc;
    char detail[96];
};
typedef void (*isa_lint_fn)(void *data, const struct isa_finding *finding);

/* A breach of a rule: at which instruction or word, as the set counts. The strings live during the call. */
typedef void (*isa_breach_fn)(void *data, uint32_t at, const char *rule, const char *source);

/* What a checker goes over a program with. Zero but for `rules`, `found` and `data`. */
struct isa_check {
    const struct isa_rule *rules; /* the set's; a rule's number is its place there, below 64 */
    isa_breach_fn found;          /* NULL: breaches are only counted */
    void *data;
    unsigned count;    /* breaches found */
    uint32_t at;       /* the instruction at hand */
    uint64_t reported; /* of that instruction: bit a rule */
};
/* Goes to another instruction. */
static inline void isa_check_at(struct isa_check *c, uint32_t at)
{
    c->at = at;
    c->reported = 0;
}
/* A breach by the instruction at hand. Each rule is told once an instruction. */
void isa_breach(struct isa_check *c, unsigned rule);
static inline void isa_breach_if(struct isa_check *c, bool broken, unsigned rule)
{
    if (broken)
        isa_breach(c, rule);
}

/* A linter made of a checker and of taking the program whole: rules[0] is for programs that cannot be
 * followed, the others have the texts by which the checker calls them. */
struct isa_checked {
    const struct isa_rule *rules;
    uint32_t count;
    unsigned (*check)(const void *words, uint32_t count, isa_breach_fn found, void *data);
    int (*take)(const void *words, uint32_t count, struct util_error *error); /* 0, -EBADMSG; or no lint */
};
/* Tells the checker's findings, or else why the program cannot be followed. 0, or what `take` gives but for
 * -EBADMSG. */
int isa_lint_checked(const struct isa_checked *set, const void *words, uint32_t count, isa_lint_fn found,
                     void *data);

#endif

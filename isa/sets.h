/* The instruction sets there are, for tools that take any of them: programs as bytes, text and rules. */
#ifndef VITRAIL_ISA_SETS_H
#define VITRAIL_ISA_SETS_H

#include <stdint.h>
#include <stdio.h>

#include "isa/rule.h"
#include "util/error.h"

#define ISA_LINE_MAX 1024

struct isa_set {
    const char *name;        /* "vc4-qpu" */
    const char *description; /* "VideoCore IV QPU" */
    const char *counts;      /* what a breach's place counts: "instruction", "word" */
    unsigned word_bytes;     /* programs are whole words: 4, 8 or 16 bytes */
    /* The instruction at word `at` of `count` as text, on one line; words that it takes, at least 1. */
    uint32_t (*line)(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX]);
    /* As the set's own asm.h has them. */
    int (*assemble)(const char *text, size_t length, void **out, size_t *size, struct util_error *error);
    int (*disassemble)(FILE *out, const void *bytes, size_t size);
    unsigned (*check)(const void *bytes, size_t size, isa_breach_fn found, void *data);
    /* The set's linter: all its rules, *count of them; and over a program. `stage`: what it is for, a number
     * in `stages` (which NULL ends), 0: not known. 0, -E2BIG or -ENOMEM. */
    const char *const *stages;
    const struct isa_rule *(*rules)(uint32_t *count);
    int (*lint)(const void *bytes, size_t size, unsigned stage, isa_lint_fn found, void *data);
};

/* Number n, NULL past the last; by name, NULL when there is none of it. */
const struct isa_set *isa_set_at(unsigned n);
const struct isa_set *isa_set_find(const char *name);

#endif

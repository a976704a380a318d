/* The instruction sets there are, for tools that take any of them: programs as bytes, text and rules. */
#ifndef VITRAIL_ISA_SETS_H
#define VITRAIL_ISA_SETS_H

#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

/* A breach of a rule: at which instruction or word, as the set counts. The strings live during the call. */
typedef void (*isa_breach_fn)(void *data, uint32_t at, const char *rule, const char *source);

struct isa_set {
    const char *name;        /* "vc4-qpu" */
    const char *description; /* "VideoCore IV QPU" */
    const char *counts;      /* what a breach's place counts: "instruction", "word" */
    unsigned word_bytes;     /* programs are whole words: 4, 8 or 16 bytes */
    /* As the set's own asm.h has them. */
    int (*assemble)(const char *text, size_t length, void **out, size_t *size, struct util_error *error);
    int (*disassemble)(FILE *out, const void *bytes, size_t size);
    unsigned (*check)(const void *bytes, size_t size, isa_breach_fn found, void *data);
};

/* Number n, NULL past the last; by name, NULL when there is none of it. */
const struct isa_set *isa_set_at(unsigned n);
const struct isa_set *isa_set_find(const char *name);

#endif

/* The instruction sets there are, for tools that take any of them: programs as words, text and rules. */
#ifndef VITRAIL_ISA_SETS_H
#define VITRAIL_ISA_SETS_H

#include <stdint.h>
#include <stdio.h>

#include "isa/assembler.h"
#include "isa/disasm.h"
#include "isa/rule.h"

/* A set's row, which its set.c writes. Programs are `count` words of it. */
struct isa_set {
    const char *name;                /* "vc4-qpu" */
    const char *description;         /* "VideoCore IV QPU" */
    const char *counts;              /* what a word is, and a breach's place counts: "instruction", "word" */
    unsigned word_bytes;             /* 2, 4, 8 or 16 */
    const struct isa_syntax *syntax; /* for isa_assemble */
    /* The instruction at word `at` as text, on one line; words that it takes, at least 1. */
    uint32_t (*line)(const void *words, uint32_t count, uint32_t at, char text[ISA_LINE_MAX]);
    /* Of sets whose words hold several instructions: number `part` of the word at `at` alone, as what executes programs
     * numbers them; 0: what the line has before the first. False: there is none. NULL of other sets. */
    bool (*part)(const void *words, uint32_t count, uint32_t at, uint8_t part, char text[ISA_LINE_MAX]);
    /* As the set's own asm.h has them. */
    int (*disassemble)(FILE *out, const void *words, uint32_t count);
    unsigned (*check)(const void *words, uint32_t count, isa_breach_fn found, void *data);
    /* The set's linter: all its rules, *count of them; and over a program. `stage`: what it is for, a number
     * in `stages` (which NULL ends), 0: not known. 0, -E2BIG or -ENOMEM. */
    const char *const *stages;
    const struct isa_rule *(*rules)(uint32_t *count);
    int (*lint)(const void *words, uint32_t count, unsigned stage, isa_lint_fn found, void *data);
    /* A program taken whole, as the set's program.h has it; NULL is accepted by destroy. All three are NULL of a
     * set that is text and rules only, and does not execute yet. */
    int (*create)(const void *words, uint32_t count, void **program, struct util_error *error);
    void (*destroy)(void *program);
    bool (*repeats)(const void *program); /* a branch may go back */
    /* Word of the nth of the instructions that one run of a program without branches executes; false: there are no more.
     * NULL: it executes one a line. */
    bool (*executes)(const void *program, uint32_t n, uint32_t *at);
    /* A random program that the checker accepts, of at most `capacity` words; how many it has. NULL of some sets
     * that do not execute. */
    uint32_t (*random)(uint64_t seed, unsigned profile, void *words, uint32_t capacity);
};

/* isa/<set>/set.c */
extern const struct isa_set vc4_qpu_set, utgard_gp_set, utgard_pp_set, midgard_set, valhall_set, bifrost_set,
    simple_v_set;

/* Number n, NULL past the last; by name, NULL when there is none of it. */
const struct isa_set *isa_set_at(unsigned n);
const struct isa_set *isa_set_find(const char *name);
#endif

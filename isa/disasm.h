/* A whole program as text that the assembler takes back: a line an instruction, labels where branches go. */
#ifndef VITRAIL_ISA_DISASM_H
#define VITRAIL_ISA_DISASM_H

#include <stdint.h>
#include <stdio.h>

#define ISA_LINE_MAX 2048
#define ISA_TARGETS  2 /* branches in one instruction, at most */

typedef char isa_label_text[16]; /* "L12"; "" for a branch that has none */

/* What a set knows of the instruction at word `at` of `count`; both functions take any words. */
struct isa_disassembler {
    /* How many words it takes, 0 for none that is known. Writes the words that its branches go to, -1 where
     * there is no branch; they may be outside the program. */
    uint32_t (*targets)(const void *words, uint32_t count, uint32_t at, int64_t targets[ISA_TARGETS]);
    /* Its text, a line an instruction or raw word, with labels for targets. Words printed, at least 1. */
    uint32_t (*text)(const void *words, uint32_t count, uint32_t at, isa_label_text labels[ISA_TARGETS],
                     char text[ISA_LINE_MAX]);
};

/* 0, -ENOMEM or -EIO. */
int isa_disasm_program(FILE *out, const struct isa_disassembler *set, const void *words, uint32_t count);

#endif

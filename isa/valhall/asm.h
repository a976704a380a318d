/* Text and rules: disassembler, assembler, legality checker, random programs; all from the tables. The syntax
 * is written down in README.md; it is that of Mesa's tools, with labels. */
#ifndef VITRAIL_ISA_VALHALL_ASM_H
#define VITRAIL_ISA_VALHALL_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/rule.h"
#include "isa/valhall/insn.h"

#define VALHALL_TEXT_MAX   1024
#define VALHALL_WORD_BYTES 8

/* The instruction at word `at` as text (NUL-terminated, at most VALHALL_TEXT_MAX with the NUL). What is no
 * instruction, or what no text shows, prints as `.word`, with a comment that says why. 1; 0 at the end. */
uint32_t valhall_disasm(const void *words, uint32_t count, uint32_t at, char text[VALHALL_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int valhall_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax valhall_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int valhall_asm(const char *text, size_t length, void **out, uint32_t *count,
                              struct util_error *error)
{
    *out = NULL;
    return isa_assemble(&valhall_syntax, text, length, out, count, error);
}

/* Rules that the bits do not show (rules.inc), over all instructions; words of zero at the end are not looked
 * at. Calls `found` for each breach, with the word at which the instruction stands; returns their number. The
 * strings are static. */
unsigned valhall_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` words (at
 * least 16), returns how many. */
enum valhall_random_profile {
    VALHALL_RANDOM_ARITHMETIC, /* no messages */
    VALHALL_RANDOM_STRAIGHT,   /* also messages, but no branches */
    VALHALL_RANDOM_FULL,       /* everything; a few branches go backward */
};
uint32_t valhall_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

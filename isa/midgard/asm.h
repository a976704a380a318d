/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, no vendor's is public. */
#ifndef VITRAIL_ISA_MIDGARD_ASM_H
#define VITRAIL_ISA_MIDGARD_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/midgard/program.h"
#include "isa/rule.h"

#define MIDGARD_TEXT_MAX   1024
#define MIDGARD_WORD_BYTES 16

/* The instruction at quadword `at` as text (NUL-terminated, at most MIDGARD_TEXT_MAX with the NUL). What no
 * text shows prints as `.word` lines. Returns the quadwords it takes: as midgard_decode, or 1 for one that is
 * no instruction; 0 at the end. */
uint32_t midgard_disasm(const void *words, uint32_t count, uint32_t at, char text[MIDGARD_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int midgard_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax midgard_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int midgard_asm(const char *text, size_t length, void **out, uint32_t *count,
                              struct util_error *error)
{
    *out = NULL;
    return isa_assemble(&midgard_syntax, text, length, out, count, error);
}

/* Rules that the bits do not show (rules.inc), over all instructions. Calls `found` for each breach, with the
 * quadword at which the instruction stands; returns their number. The strings are static. */
unsigned midgard_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` quadwords
 * (at least 128), returns how many. */
enum midgard_random_profile {
    MIDGARD_RANDOM_ARITHMETIC, /* bundles alone */
    MIDGARD_RANDOM_STRAIGHT,   /* also loads, stores and textures, but memory */
    MIDGARD_RANDOM_FULL,       /* also memory, atomics, discards, writeouts, branches and bounded loops */
};
uint32_t midgard_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, no vendor's is public. */
#ifndef VITRAIL_ISA_UTGARD_PP_ASM_H
#define VITRAIL_ISA_UTGARD_PP_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/rule.h"
#include "isa/utgard_pp/insn.h"

#define UTGARD_PP_TEXT_MAX   1024
#define UTGARD_PP_WORD_BYTES 4

/* The instruction at word `at` as text (NUL-terminated, at most UTGARD_PP_TEXT_MAX with the NUL). What no
 * text shows prints as `.word` lines. Returns the words it takes: as utgard_pp_decode, or 1 for a word that
 * is no instruction; 0 at the end. */
uint32_t utgard_pp_disasm(const uint32_t *words, uint32_t count, uint32_t at, char text[UTGARD_PP_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int utgard_pp_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax utgard_pp_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int utgard_pp_asm(const char *text, size_t length, uint32_t **out, uint32_t *count,
                                struct util_error *error)
{
    void *words = NULL;
    int status = isa_assemble(&utgard_pp_syntax, text, length, &words, count, error);
    *out = words;
    return status;
}

/* Rules that the bits do not show (rules.inc), over all instructions. Calls `found` for each breach, with the
 * word at which the instruction stands; returns their number. The strings are static. */
unsigned utgard_pp_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` words (at
 * least 256), returns how many. */
enum utgard_pp_random_profile {
    UTGARD_PP_RANDOM_STRAIGHT, /* all stages but temporaries */
    UTGARD_PP_RANDOM_FULL,     /* also temporaries, discards, branches and bounded loops */
};
uint32_t utgard_pp_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

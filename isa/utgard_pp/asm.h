/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, no vendor's is public. */
#ifndef VITRAIL_ISA_UTGARD_PP_ASM_H
#define VITRAIL_ISA_UTGARD_PP_ASM_H

#include <stdio.h>

#include "isa/utgard_pp/insn.h"
#include "util/error.h"

#define UTGARD_PP_TEXT_MAX 1024

/* The instruction at word `at` as text (NUL-terminated, at most UTGARD_PP_TEXT_MAX with the NUL). What no
 * text shows prints as `.word` lines. Returns the words it takes: as utgard_pp_decode, or 1 for a word that
 * is no instruction; 0 at the end. */
uint32_t utgard_pp_disasm(const uint32_t *words, uint32_t count, uint32_t at, char text[UTGARD_PP_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int utgard_pp_disasm_program(FILE *out, const uint32_t *words, uint32_t count);

/* Assembles a text (labels, comments with #, one instruction a line). *out is malloc'ed, owned by the caller.
 * 0, -EINVAL with "line L, column C: what" in error, -ENOMEM. */
int utgard_pp_asm(const char *text, size_t length, uint32_t **out, uint32_t *count, struct util_error *error);

/* Rules that the bits do not show (rules.inc), over all instructions. Calls `found` for each breach, with the
 * word at which the instruction stands; returns their number. The strings are static. */
typedef void (*utgard_pp_check_fn)(void *data, uint32_t at, const char *rule, const char *source);
unsigned utgard_pp_check(const uint32_t *words, uint32_t count, utgard_pp_check_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` words (at
 * least 256), returns how many. */
enum utgard_pp_random_profile {
    UTGARD_PP_RANDOM_STRAIGHT, /* all stages but temporaries */
    UTGARD_PP_RANDOM_FULL,     /* also temporaries, discards, branches and bounded loops */
};
uint32_t utgard_pp_random(uint64_t seed, enum utgard_pp_random_profile profile, uint32_t *words,
                          uint32_t capacity);

#endif

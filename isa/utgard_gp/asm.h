/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, no vendor's is public. */
#ifndef VITRAIL_ISA_UTGARD_GP_ASM_H
#define VITRAIL_ISA_UTGARD_GP_ASM_H

#include <stddef.h>
#include <stdio.h>

#include "isa/utgard_gp/insn.h"
#include "util/error.h"

#define UTGARD_GP_TEXT_MAX 512

/* One instruction as text (NUL-terminated, at most UTGARD_GP_TEXT_MAX with the NUL). Any 128 bits print, and
 * assemble back to the same. Returns the length. */
size_t utgard_gp_disasm(const uint64_t word[UTGARD_GP_WORDS], char text[UTGARD_GP_TEXT_MAX]);
/* A whole program of `count` instructions, a line each, with labels at branch targets. 0, -EIO or -ENOMEM. */
int utgard_gp_disasm_program(FILE *out, const uint64_t *words, uint32_t count);

/* Assembles a text (labels, comments with #, one instruction a line). *out is malloc'ed, owned by the caller;
 * *count instructions. 0, -EINVAL with "line L, column C: what" in error, -ENOMEM. */
int utgard_gp_asm(const char *text, size_t length, uint64_t **out, uint32_t *count, struct util_error *error);

/* Rules that the bits do not show (rules.inc), over all instructions. Calls `found` for each breach; returns
 * their number. The strings are static. */
typedef void (*utgard_gp_check_fn)(void *data, uint32_t pc, const char *rule, const char *source);
unsigned utgard_gp_check(const uint64_t *words, uint32_t count, utgard_gp_check_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity`
 * instructions (at least 16), returns how many. */
enum utgard_gp_random_profile {
    UTGARD_GP_RANDOM_STRAIGHT, /* all units, fetches and stores but temporaries */
    UTGARD_GP_RANDOM_FULL,     /* also temporaries, address registers, branches and bounded loops */
};
uint32_t utgard_gp_random(uint64_t seed, enum utgard_gp_random_profile profile, uint64_t *words,
                          uint32_t capacity);

#endif

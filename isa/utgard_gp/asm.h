/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, no vendor's is public. */
#ifndef VITRAIL_ISA_UTGARD_GP_ASM_H
#define VITRAIL_ISA_UTGARD_GP_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/rule.h"
#include "isa/utgard_gp/insn.h"

#define UTGARD_GP_TEXT_MAX   512
#define UTGARD_GP_WORD_BYTES 16

/* One instruction as text (NUL-terminated, at most UTGARD_GP_TEXT_MAX with the NUL). Any 128 bits print, and
 * assemble back to the same. Returns the length. */
size_t utgard_gp_disasm(const uint64_t word[UTGARD_GP_WORDS], char text[UTGARD_GP_TEXT_MAX]);
/* A whole program of `count` instructions, a line each, with labels at branch targets. 0, -EIO or -ENOMEM. */
int utgard_gp_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax utgard_gp_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int utgard_gp_asm(const char *text, size_t length, uint64_t **out, uint32_t *count,
                                struct util_error *error)
{
    void *words = NULL;
    int status = isa_assemble(&utgard_gp_syntax, text, length, &words, count, error);
    *out = words;
    return status;
}

/* Rules that the bits do not show (rules.inc), over all instructions. Calls `found` for each breach; returns
 * their number. The strings are static. */
unsigned utgard_gp_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity`
 * instructions (at least 16), returns how many. */
enum utgard_gp_random_profile {
    UTGARD_GP_RANDOM_STRAIGHT, /* all units, fetches and stores but temporaries */
    UTGARD_GP_RANDOM_FULL,     /* also temporaries, address registers, branches and bounded loops */
};
uint32_t utgard_gp_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

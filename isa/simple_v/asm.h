/* Text and rules: disassembler, assembler, legality checker; all from the tables. The syntax is written down in README.md; of
 * the base it is that of RISC-V's assemblers, with registers by number. */
#ifndef VITRAIL_ISA_SIMPLE_V_ASM_H
#define VITRAIL_ISA_SIMPLE_V_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/rule.h"
#include "isa/simple_v/insn.h"

#define SIMPLE_V_TEXT_MAX   1024
#define SIMPLE_V_WORD_BYTES 2 /* a word is a halfword, which instructions are made of */

/* The instruction, or VBLOCK with its opcodes, at halfword `at` as text (NUL-terminated, at most SIMPLE_V_TEXT_MAX with the
 * NUL). What is no instruction prints as `.word`, one halfword, with a comment that says why. Returns the halfwords that are
 * printed, 0 at the end. */
uint32_t simple_v_disasm(const void *words, uint32_t count, uint32_t at, char text[SIMPLE_V_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int simple_v_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax simple_v_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int simple_v_asm(const char *text, size_t length, void **out, uint32_t *count,
                               struct util_error *error)
{
    *out = NULL;
    return isa_assemble(&simple_v_syntax, text, length, out, count, error);
}

/* Rules that the bits do not show (rules.inc), over all instructions; halfwords of zero at the end are not looked at. Calls
 * `found` for each breach, with the halfword at which the instruction, or its VBLOCK, stands; returns their number. The
 * strings are static. */
unsigned simple_v_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` halfwords (at least 64),
 * returns how many. Registers x12 to x15 are left pointers into memory that the world gives them. */
enum simple_v_random_profile {
    SIMPLE_V_RANDOM_SCALAR,   /* the base, with branches */
    SIMPLE_V_RANDOM_STRAIGHT, /* vectors, nothing goes back */
    SIMPLE_V_RANDOM_FULL      /* all of it, with loops */
};
uint32_t simple_v_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

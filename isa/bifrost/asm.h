/* Text and rules: disassembler, assembler, legality checker; all from the tables. The syntax is
 * that of Mesa's disassembler, with what it leaves out; README.md has it. */
#ifndef VITRAIL_ISA_BIFROST_ASM_H
#define VITRAIL_ISA_BIFROST_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/bifrost/insn.h"
#include "isa/rule.h"

#define BIFROST_TEXT_MAX   2048
#define BIFROST_WORD_BYTES 16

/* The clause at quadword `at` as text on one line (NUL-terminated, at most BIFROST_TEXT_MAX with the NUL). What
 * no text shows prints as `.word` lines. Returns the quadwords it takes: as bifrost_decode, or 1 for one that is
 * no clause; 0 at the end. */
uint32_t bifrost_disasm(const void *words, uint32_t count, uint32_t at, char text[BIFROST_TEXT_MAX]);
/* Instruction `part` (lower.h) of that clause alone, or, 0, its header; false: there is none. */
bool bifrost_disasm_part(const void *words, uint32_t count, uint32_t at, uint8_t part,
                         char text[BIFROST_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. 0, -EIO or -ENOMEM. */
int bifrost_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels before clauses, comments with #, clauses in braces over one line or several. */
extern const struct isa_syntax bifrost_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int bifrost_asm(const char *text, size_t length, void **out, uint32_t *count,
                              struct util_error *error)
{
    *out = NULL;
    return isa_assemble(&bifrost_syntax, text, length, out, count, error);
}

/* Rules that the bits do not show (rules.inc), over all clauses. Calls `found` for each breach, with the quadword
 * at which the clause stands; returns their number. The strings are static. */
unsigned bifrost_check(const void *words, uint32_t count, isa_breach_fn found, void *data);
/* Whether a clause breaks a rule by itself, whatever stands around it. */
bool bifrost_broken(const struct bifrost_clause *clause);

/* A random program that the checker accepts: `seed` decides everything. Writes at most `capacity` quadwords (at least
 * 64), returns how many. */
enum bifrost_random_profile {
    BIFROST_RANDOM_ARITHMETIC, /* no messages */
    BIFROST_RANDOM_STRAIGHT,   /* also messages, but no branches */
    BIFROST_RANDOM_FULL,       /* everything; a few branches go backward */
    BIFROST_RANDOM_V7 = 4      /* and this: not what v6 alone has, but what v7 alone has */
};
uint32_t bifrost_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

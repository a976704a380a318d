/* Text and rules: disassembler, assembler, legality checker, random programs; all from the table insns.inc.
 * The syntax is written down in README.md; it is Vitrail's own, close to the Guide's and to vc4asm's. */
#ifndef VITRAIL_ISA_VC4_QPU_ASM_H
#define VITRAIL_ISA_VC4_QPU_ASM_H

#include <stdio.h>

#include "isa/assembler.h"
#include "isa/rule.h"
#include "isa/vc4_qpu/insn.h"

#define VC4_QPU_TEXT_MAX   192
#define VC4_QPU_WORD_BYTES 8

/* One instruction as text (NUL-terminated, at most VC4_QPU_TEXT_MAX with the NUL). Any word prints, and
 * assembles back to the same word (unused bits that are not zero are printed as a raw word). `pc` is the
 * instruction's index, for branch targets; returns the length. */
size_t vc4_qpu_disasm(uint64_t word, uint32_t pc, char text[VC4_QPU_TEXT_MAX]);
/* A whole program, a line an instruction, with labels at branch targets. Returns 0, -EIO or
 * -ENOMEM. */
int vc4_qpu_disasm_program(FILE *out, const void *words, uint32_t count);

/* The language: labels, comments with #, one instruction a line. */
extern const struct isa_syntax vc4_qpu_syntax;
/* Assembles a text, as isa_assemble does; *out is NULL when that fails. */
static inline int vc4_qpu_asm(const char *text, size_t length, uint64_t **out, uint32_t *count,
                              struct util_error *error)
{
    void *words = NULL;
    int status = isa_assemble(&vc4_qpu_syntax, text, length, &words, count, error);
    *out = words;
    return status;
}

/* Rules of the Guide that the bits do not show, over the reachable instructions. Calls `found` for each
 * breach (a rule once an instruction); returns their number. A program that vc4_qpu_program_create refuses is
 * itself a breach, and its words are then looked at as one straight line. The strings passed live during the
 * call only. */
unsigned vc4_qpu_check(const void *words, uint32_t count, isa_breach_fn found, void *data);

/* A random program that the checker accepts and every port-free execution ends: `seed` decides everything.
 * Writes at most `capacity` words (at least 16), returns how many. `profile` selects what it may use. */
enum vc4_qpu_random_profile {
    VC4_QPU_RANDOM_ALU,      /* arithmetic, packs, flags, immediates, rotations, SFU, uniforms */
    VC4_QPU_RANDOM_BRANCHES, /* also forward branches and bounded loops */
    VC4_QPU_RANDOM_FRAGMENT, /* also varyings, texture requests, tile buffer */
    VC4_QPU_RANDOM_VERTEX,   /* also VPM set-up, reads and writes */
};
uint32_t vc4_qpu_random(uint64_t seed, unsigned profile, void *words, uint32_t capacity);

#endif

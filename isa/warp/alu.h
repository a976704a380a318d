/* Arithmetic of one lane: the meaning that the translation (trans_alu.h) is compared with. Pure; called in the guest's
 * floating-point environment (util/fpenv.h). Operands and results have the bits of their type, packed; the rest is
 * zero. What is singled out as the hardware's own in README.md is exact; the rest is IEEE 754 and isa/op.h. */
#ifndef VITRAIL_ISA_WARP_ALU_H
#define VITRAIL_ISA_WARP_ALU_H

#include "isa/warp/insn.h"

/* Source n of what the registers hold: taken, widened, and changed in sign. `raw` is a pair of words where the type has
 * 64 bits and the source is as wide, else a word. */
uint64_t warp_operand(const struct warp_insn *insn, unsigned n, uint64_t raw);
/* The result of operands. */
uint64_t warp_compute(const struct warp_insn *insn, const uint64_t operand[WARP_SOURCES]);

#endif

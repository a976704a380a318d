/* Arithmetic: alu.c (operands, classes), function.c (operations with code of their own). */
#ifndef VITRAIL_ISA_WARP_ALU_INTERNAL_H
#define VITRAIL_ISA_WARP_ALU_INTERNAL_H

#include "isa/warp/alu.h"
#include "isa/warp/ops.h"

/* The result of a FUNCTION, before it is clamped. */
uint64_t warp_function(const struct warp_insn *insn, const uint64_t operand[WARP_SOURCES]);

#endif

/* Zftrans: functions of singles and halves through doubles, of doubles through binary128. No document says how accurate they are
 * (G 25); these are within a unit of the last place: a fixed sequence of operations and square roots, nothing fused, so that every
 * host gives the same bits; then the result is rounded once more, as the instruction says. Called with the host's rounding to nearest. Infinite
 * series are cut where there are no more digits. What is special is IEEE 754's (2008, 9.2.1). The flags are those of the
 * last rounding, with INVALID and BY_ZERO where 754 has them. */
#ifndef VITRAIL_ISA_SIMPLE_V_FUNCTION_H
#define VITRAIL_ISA_SIMPLE_V_FUNCTION_H

#include "isa/ieee.h"
#include "isa/simple_v/insn.h"

/* `width` 16, 32 or 64, of the bits. Of two operands: y, a float, or, of FPOWN and FROOTN, an integer. */
uint64_t simple_v_function(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t x);
uint64_t simple_v_function_of_two(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t x,
                                  uint64_t y);
static inline bool simple_v_has_two(enum simple_v_float op)
{
    return op >= SIMPLE_V_FLOAT_hypot;
}

/* function_quad.c: of doubles. */
uint64_t simple_v_function_quad(struct isa_ieee *e, enum simple_v_float op, uint64_t x);
uint64_t simple_v_function_of_two_quad(struct isa_ieee *e, enum simple_v_float op, uint64_t x, uint64_t y);

double simple_v_from_bits(uint64_t bits);
uint64_t simple_v_to_bits(double d);

#endif

/* Zftrans: functions of singles and halves through doubles. No document says how accurate they are (G 25); these are within a unit
 * of the last place: a fixed sequence of double operations and square roots, nothing fused, so that every host gives the same
 * bits; then the result is rounded once more, as the instruction says. Called with the host's rounding to nearest. Infinite
 * series are cut where a double has no more digits. What is special is IEEE 754's (2008, 9.2.1). The flags are those of the
 * last rounding, with INVALID and BY_ZERO where 754 has them. */
#ifndef VITRAIL_ISA_SIMPLE_V_FUNCTION_H
#define VITRAIL_ISA_SIMPLE_V_FUNCTION_H

#include "isa/ieee.h"
#include "isa/simple_v/insn.h"

#define SIMPLE_V_PI 0x1.921fb54442d18p+1

/* `width` 16 or 32, of the bits. Of two operands: y, a float, or, of FPOWN and FROOTN, an integer. */
uint64_t simple_v_function(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t x);
uint64_t simple_v_function_of_two(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t x,
                                  uint64_t y);
static inline bool simple_v_has_two(enum simple_v_float op)
{
    return op >= SIMPLE_V_FLOAT_hypot;
}

/* function.c, of numbers that are no NaN and for which they are finite. */
double simple_v_from_bits(uint64_t bits);
uint64_t simple_v_to_bits(double d);
double simple_v_exp2(double x);
double simple_v_exp(double y);
double simple_v_expm1(double y);
double simple_v_log(double x);
double simple_v_logp1(double x); /* x > -1 */
/* log, log2, log10. */
double simple_v_logarithm(enum simple_v_float op, double x);
/* exp, exp2, exp10. */
double simple_v_power_of(enum simple_v_float op, double x);
/* Sine, cosine, tangent, of turns by pi, too. */
double simple_v_circle(struct isa_ieee *e, enum simple_v_float op, double x);

/* function_arc.c. The angle of a point, infinite or at the middle, too. */
double simple_v_angle(double y, double x);
/* Arcs and hyperbolic functions of what they have a value for, infinite ones, too. */
double simple_v_arc(enum simple_v_float op, double x);
double simple_v_hyperbolic(enum simple_v_float op, double x);
double simple_v_cube_root(double x);

#endif

/* IEEE 754 binary16, binary32 and binary64 by integers alone: every rounding direction, denormals, exceptions, independent of the
 * host's floating-point environment. For instruction sets that show all of these to programs (RISC-V); sets that flush and
 * round to nearest have isa/op.h. Values are bits, in the low `width` (16, 32, 64) of a word. Pure but for the exceptions that
 * are added to the environment.
 *
 * Rules, where IEEE 754 leaves a choice, are RISC-V's: a result that is no number is the quiet NaN whose other bits are 0;
 * tininess is detected after rounding; fma of infinity times zero is invalid whatever is added; the lesser of two zeros is
 * the negative one, of a NaN and a number the number. */
#ifndef VITRAIL_ISA_IEEE_H
#define VITRAIL_ISA_IEEE_H

#include <stdbool.h>
#include <stdint.h>

enum isa_ieee_rounding {
    ISA_IEEE_EVEN, /* to nearest, of two the even one */
    ISA_IEEE_ZERO,
    ISA_IEEE_DOWN,
    ISA_IEEE_UP,
    ISA_IEEE_AWAY /* to nearest, of two the one further from zero */
};
enum isa_ieee_exception {
    ISA_IEEE_INEXACT = 1,
    ISA_IEEE_UNDERFLOW = 2,
    ISA_IEEE_OVERFLOW = 4,
    ISA_IEEE_BY_ZERO = 8,
    ISA_IEEE_INVALID = 16
};
struct isa_ieee {
    enum isa_ieee_rounding rounding;
    unsigned exceptions; /* that operations have had: enum isa_ieee_exception */
};

uint64_t isa_ieee_nan(unsigned width); /* the quiet one */
bool isa_ieee_is_nan(unsigned width, uint64_t x);

uint64_t isa_ieee_add(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y);
uint64_t isa_ieee_mul(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y);
uint64_t isa_ieee_fma(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, uint64_t z);
uint64_t isa_ieee_div(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y);
uint64_t isa_ieee_sqrt(struct isa_ieee *e, unsigned width, uint64_t x);
uint64_t isa_ieee_rsqrt(struct isa_ieee *e, unsigned width, uint64_t x); /* 1 / sqrt(x), rounded once */
uint64_t isa_ieee_min(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, bool greatest);

/* Comparisons: `quiet` of a NaN that is quiet is not invalid. */
bool isa_ieee_equal(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y);
bool isa_ieee_less(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, bool or_equal);

/* RISC-V's ten classes as a bit: -infinity, negative normal, denormal, -0, 0, denormal, normal, infinity, signaling,
 * quiet NaN. */
uint64_t isa_ieee_class(unsigned width, uint64_t x);

uint64_t isa_ieee_convert(struct isa_ieee *e, unsigned from, unsigned to, uint64_t x);
/* To an integer of `bits`, with its sign extended to 64; what does not fit, or is no number, is invalid and the nearest that
 * fits, a NaN the greatest. */
uint64_t isa_ieee_to_integer(struct isa_ieee *e, unsigned width, uint64_t x, unsigned bits, bool is_signed);
/* Of significand * 2^exponent, not 0, of at most 126 bits; exponents are far from the ends of int. */
uint64_t isa_ieee_round(struct isa_ieee *e, unsigned width, bool negative, unsigned __int128 significand,
                        int exponent);
/* Of a whole number: the value if positive, else its magnitude. */
uint64_t isa_ieee_from_integer(struct isa_ieee *e, unsigned width, bool negative, uint64_t magnitude);

#endif

/* Zftrans: what is special of a function's operands, and the rounding of its result. */
#include <math.h>

#include "isa/simple_v/function.h"

/* What a function is given: where it has no value, or an infinite one. */
static double invalid(struct isa_ieee *e)
{
    e->exceptions |= ISA_IEEE_INVALID;
    return (double)NAN;
}

static double pole(struct isa_ieee *e, bool negative)
{
    e->exceptions |= ISA_IEEE_BY_ZERO;
    return negative ? -(double)INFINITY : (double)INFINITY;
}

static double from_float(struct isa_ieee *e, unsigned width, uint64_t bits)
{
    return simple_v_from_bits(isa_ieee_convert(e, width, 64, bits)); /* a signaling NaN is invalid */
}

static uint64_t to_float(struct isa_ieee *e, unsigned width, double d)
{
    return isnan(d) ? isa_ieee_nan(width) : isa_ieee_convert(e, 64, width, simple_v_to_bits(d));
}

/* ---- of one ---- */

static double powers(enum simple_v_float op, double x)
{
    if (isinf(x))
        return x > 0 ? x : op == SIMPLE_V_FLOAT_expm1 ? -1 : 0;
    if (op != SIMPLE_V_FLOAT_expm1)
        return simple_v_power_of(op, x);
    return x == 0 ? x : simple_v_expm1(x);
}

/* `from`: where the pole is. */
static double logarithms(struct isa_ieee *e, enum simple_v_float op, double x, double from)
{
    if (x == from)
        return pole(e, true);
    if (x < from)
        return invalid(e);
    if (isinf(x))
        return x;
    if (op != SIMPLE_V_FLOAT_logp1)
        return simple_v_logarithm(op, x);
    return x == 0 ? x : simple_v_logp1(x);
}

static double arcs(struct isa_ieee *e, enum simple_v_float op, double x)
{
    const bool tangent = op == SIMPLE_V_FLOAT_atan || op == SIMPLE_V_FLOAT_atanpi;
    const bool turns =
        op == SIMPLE_V_FLOAT_asinpi || op == SIMPLE_V_FLOAT_acospi || op == SIMPLE_V_FLOAT_atanpi;
    if (!tangent && fabs(x) > 1)
        return invalid(e);
    return turns ? simple_v_arc(op, x) / SIMPLE_V_PI : simple_v_arc(op, x);
}

static double hyperbolics(struct isa_ieee *e, enum simple_v_float op, double x)
{
    if ((op == SIMPLE_V_FLOAT_acosh && x < 1) || (op == SIMPLE_V_FLOAT_atanh && fabs(x) > 1))
        return invalid(e);
    if (op == SIMPLE_V_FLOAT_atanh && fabs(x) == 1)
        return pole(e, x < 0);
    if (isinf(x))
        return op == SIMPLE_V_FLOAT_tanh ? copysign(1, x) : op == SIMPLE_V_FLOAT_cosh ? fabs(x) : x;
    return simple_v_hyperbolic(op, x);
}

static double of_one(struct isa_ieee *e, enum simple_v_float op, double x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_exp2:
    case SIMPLE_V_FLOAT_exp:
    case SIMPLE_V_FLOAT_exp10:
    case SIMPLE_V_FLOAT_expm1: return powers(op, x);
    case SIMPLE_V_FLOAT_log2:
    case SIMPLE_V_FLOAT_log:
    case SIMPLE_V_FLOAT_log10: return logarithms(e, op, x, 0);
    case SIMPLE_V_FLOAT_logp1: return logarithms(e, op, x, -1);
    case SIMPLE_V_FLOAT_cbrt: return x == 0 || isinf(x) ? x : simple_v_cube_root(x);
    case SIMPLE_V_FLOAT_asin:
    case SIMPLE_V_FLOAT_asinpi:
    case SIMPLE_V_FLOAT_acos:
    case SIMPLE_V_FLOAT_acospi:
    case SIMPLE_V_FLOAT_atan:
    case SIMPLE_V_FLOAT_atanpi: return arcs(e, op, x);
    case SIMPLE_V_FLOAT_asinh:
    case SIMPLE_V_FLOAT_acosh:
    case SIMPLE_V_FLOAT_atanh:
    case SIMPLE_V_FLOAT_sinh:
    case SIMPLE_V_FLOAT_cosh:
    case SIMPLE_V_FLOAT_tanh: return hyperbolics(e, op, x);
    default: return isinf(x) ? invalid(e) : simple_v_circle(e, op, x);
    }
}

uint64_t simple_v_function(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t bits)
{
    const double x = from_float(e, width, bits);
    return to_float(e, width, isnan(x) ? x : of_one(e, op, x));
}

/* ---- of two ---- */

static bool is_whole(double y)
{
    return isinf(y) || y == trunc(y);
}

static bool is_odd(double y)
{
    return !isinf(y) && is_whole(y) && fmod(y, 2) != 0;
}

/* Size to the y, which is no 0; infinite ones, too. */
static double raised(double size, double y)
{
    if (size == 1)
        return 1;
    if (isinf(y) || isinf(size))
        return (size > 1) == (y > 0) ? (double)INFINITY : 0;
    return simple_v_exp2(simple_v_logarithm(SIMPLE_V_FLOAT_log2, size) * y);
}

/* x to the y of pow and pown; `odd`: y is. */
static double power(struct isa_ieee *e, double x, double y, bool whole, bool odd)
{
    const bool negative = signbit(x) && odd;
    if (x == 0 && y < 0)
        return isinf(y) ? (double)INFINITY : pole(e, negative);
    if (x == 0)
        return negative ? -0.0 : 0;
    if (x < 0 && !isinf(x) && !whole)
        return invalid(e);
    const double size = raised(fabs(x), y);
    return negative ? -size : size;
}

/* exp(y log x). */
static double power_of_positive(struct isa_ieee *e, double x, double y)
{
    if (isnan(x) || isnan(y))
        return x < 0 ? invalid(e) : (double)NAN;
    if (x < 0 || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return invalid(e);
    return y == 0 ? 1 : power(e, fabs(x), y, true, false);
}

static double root(struct isa_ieee *e, double x, int64_t n)
{
    const bool odd = n & 1, negative = signbit(x) && odd;
    if (!n || (x < 0 && !odd))
        return invalid(e);
    if (x == 0)
        return n < 0 ? pole(e, negative) : negative ? -0.0 : 0;
    if (isinf(x))
        return n > 0 ? x : negative ? -0.0 : 0;
    const double size = simple_v_exp2(simple_v_logarithm(SIMPLE_V_FLOAT_log2, fabs(x)) / (double)n);
    return negative ? -size : size;
}

static double of_two(struct isa_ieee *e, enum simple_v_float op, double x, double y)
{
    switch (op) {
    case SIMPLE_V_FLOAT_hypot:
        if (isinf(x) || isinf(y))
            return (double)INFINITY;
        return sqrt(x * x + y * y); /* squares are exact */
    case SIMPLE_V_FLOAT_atan2: return isnan(x) || isnan(y) ? (double)NAN : simple_v_angle(x, y);
    case SIMPLE_V_FLOAT_atan2pi:
        return isnan(x) || isnan(y) ? (double)NAN : simple_v_angle(x, y) / SIMPLE_V_PI;
    case SIMPLE_V_FLOAT_powr: return power_of_positive(e, x, y);
    default:
        if (y == 0 || x == 1)
            return 1;
        return isnan(x) || isnan(y) ? (double)NAN : power(e, x, y, is_whole(y), is_odd(y));
    }
}

uint64_t simple_v_function_of_two(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t bits,
                                  uint64_t other)
{
    const double x = from_float(e, width, bits);
    const int64_t n = (int64_t)other;
    double out;
    if (op == SIMPLE_V_FLOAT_pown)
        out = !n ? 1 : isnan(x) ? x : power(e, x, (double)n, true, n & 1);
    else if (op == SIMPLE_V_FLOAT_rootn)
        out = isnan(x) ? x : root(e, x, n);
    else
        out = of_two(e, op, x, from_float(e, width, other));
    /* Of a signaling NaN nothing is 1. */
    if (e->exceptions & ISA_IEEE_INVALID)
        out = (double)NAN;
    return to_float(e, width, out);
}

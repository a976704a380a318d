/* Zftrans: what is special of a function's operands; included behind function_series.h. The two functions at the end are of operands
 * taken from their format. */
/* What a function is given: where it has no value, or an infinite one. */
static REAL invalid(struct isa_ieee *e)
{
    e->exceptions |= ISA_IEEE_INVALID;
    return (REAL)NAN;
}

static REAL pole(struct isa_ieee *e, bool negative)
{
    e->exceptions |= ISA_IEEE_BY_ZERO;
    return negative ? -(REAL)INFINITY : (REAL)INFINITY;
}

/* ---- of one ---- */

static REAL powers(enum simple_v_float op, REAL x)
{
    if (is_infinite(x))
        return x > 0 ? x : op == SIMPLE_V_FLOAT_expm1 ? -1 : 0;
    if (op != SIMPLE_V_FLOAT_expm1)
        return power_of(op, x);
    return x == 0 ? x : exponential_less_1(x);
}

/* `from`: where the pole is. */
static REAL logarithms(struct isa_ieee *e, enum simple_v_float op, REAL x, REAL from)
{
    if (x == from)
        return pole(e, true);
    if (x < from)
        return invalid(e);
    if (is_infinite(x))
        return x;
    if (op != SIMPLE_V_FLOAT_logp1)
        return logarithm(op, x);
    return x == 0 ? x : logarithm_of_1_and(x);
}

static REAL arcs(struct isa_ieee *e, enum simple_v_float op, REAL x)
{
    const bool tangent = op == SIMPLE_V_FLOAT_atan || op == SIMPLE_V_FLOAT_atanpi;
    const bool turns =
        op == SIMPLE_V_FLOAT_asinpi || op == SIMPLE_V_FLOAT_acospi || op == SIMPLE_V_FLOAT_atanpi;
    if (!tangent && absolute(x) > 1)
        return invalid(e);
    return turns ? arc(op, x) / pi : arc(op, x);
}

static REAL hyperbolics(struct isa_ieee *e, enum simple_v_float op, REAL x)
{
    if ((op == SIMPLE_V_FLOAT_acosh && x < 1) || (op == SIMPLE_V_FLOAT_atanh && absolute(x) > 1))
        return invalid(e);
    if (op == SIMPLE_V_FLOAT_atanh && absolute(x) == 1)
        return pole(e, x < 0);
    if (is_infinite(x))
        return op == SIMPLE_V_FLOAT_tanh ? signed_as(1, x) : op == SIMPLE_V_FLOAT_cosh ? absolute(x) : x;
    return hyperbolic(op, x);
}

static REAL of_one(struct isa_ieee *e, enum simple_v_float op, REAL x)
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
    case SIMPLE_V_FLOAT_cbrt: return x == 0 || is_infinite(x) ? x : cube_root(x);
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
    default: return is_infinite(x) ? invalid(e) : circle(e, op, x);
    }
}

static REAL function_of_one(struct isa_ieee *e, enum simple_v_float op, REAL x)
{
    return is_nan(x) ? x : of_one(e, op, x);
}

/* ---- of two ---- */

static bool is_whole(REAL y)
{
    return is_infinite(y) || y == (REAL)trunc((double)y);
}

static bool is_odd(REAL y)
{
    return !is_infinite(y) && is_whole(y) && fmod((double)y, 2) != 0;
}

/* Size to the y, which is no 0; infinite ones, too. */
static REAL raised(REAL size, REAL y)
{
    if (size == 1)
        return 1;
    if (is_infinite(y) || is_infinite(size))
        return (size > 1) == (y > 0) ? (REAL)INFINITY : 0;
    return power_of_2(logarithm(SIMPLE_V_FLOAT_log2, size) * y);
}

/* x to the y of pow and pown; `odd`: y is. */
static REAL power_with(struct isa_ieee *e, REAL x, REAL y, bool whole, bool odd)
{
    const bool negative = is_negative(x) && odd;
    if (x == 0 && y < 0)
        return is_infinite(y) ? (REAL)INFINITY : pole(e, negative);
    if (x == 0)
        return negative ? -(REAL)0 : 0;
    if (x < 0 && !is_infinite(x) && !whole)
        return invalid(e);
    const REAL size = raised(absolute(x), y);
    return negative ? -size : size;
}

/* exp(y log x). */
static REAL power_of_positive(struct isa_ieee *e, REAL x, REAL y)
{
    if (is_nan(x) || is_nan(y))
        return x < 0 ? invalid(e) : (REAL)NAN;
    if (x < 0 || (y == 0 && (x == 0 || is_infinite(x))) || (x == 1 && is_infinite(y)))
        return invalid(e);
    return y == 0 ? 1 : power_with(e, absolute(x), y, true, false);
}

static REAL root(struct isa_ieee *e, REAL x, int64_t n)
{
    const bool odd = n & 1, negative = is_negative(x) && odd;
    if (!n || (x < 0 && !odd))
        return invalid(e);
    if (x == 0)
        return n < 0 ? pole(e, negative) : negative ? -(REAL)0 : 0;
    if (is_infinite(x))
        return n > 0 ? x : negative ? -(REAL)0 : 0;
    const REAL size = power_of_2(logarithm(SIMPLE_V_FLOAT_log2, absolute(x)) / (REAL)n);
    return negative ? -size : size;
}

static REAL of_two(struct isa_ieee *e, enum simple_v_float op, REAL x, REAL y)
{
    switch (op) {
    case SIMPLE_V_FLOAT_hypot:
        if (is_infinite(x) || is_infinite(y))
            return (REAL)INFINITY;
        return root_of(x * x + y * y); /* squares are exact */
    case SIMPLE_V_FLOAT_atan2: return is_nan(x) || is_nan(y) ? (REAL)NAN : angle_of(x, y);
    case SIMPLE_V_FLOAT_atan2pi: return is_nan(x) || is_nan(y) ? (REAL)NAN : angle_of(x, y) / pi;
    case SIMPLE_V_FLOAT_powr: return power_of_positive(e, x, y);
    default:
        if (y == 0 || x == 1)
            return 1;
        return is_nan(x) || is_nan(y) ? (REAL)NAN : power_with(e, x, y, is_whole(y), is_odd(y));
    }
}

/* `n`: y, of those that have a whole one. */
static REAL function_of_two(struct isa_ieee *e, enum simple_v_float op, REAL x, REAL y, int64_t n)
{
    REAL out;
    if (op == SIMPLE_V_FLOAT_pown)
        out = !n ? 1 : is_nan(x) ? x : power_with(e, x, (REAL)n, true, n & 1);
    else if (op == SIMPLE_V_FLOAT_rootn)
        out = is_nan(x) ? x : root(e, x, n);
    else
        out = of_two(e, op, x, y);
    /* Of a signaling NaN nothing is 1. */
    return e->exceptions & ISA_IEEE_INVALID ? (REAL)NAN : out;
}

/* Zftrans in one type of reals: included by function.c and by function_quad.c, which say what REAL is and how many terms it needs
 * and have what depends on its bits.
 *
 *   exp2(x): n the whole number nearest to x, t = (x - n) ln 2; 2^n times the sum of t^k / k!. exp, exp10: y = x or x ln 10, n the
 *     whole number nearest to y / ln 2, t = y - n ln 2, with ln 2 in two parts. expm1: small y by the sum.
 *   log(x) = e ln 2 + 2 (s + s^3/3 + ...), x = m 2^e, m in [1/sqrt 2, sqrt 2), s = (m - 1) / (m + 1). logp1: small x by
 *     s = x / (2 + x).
 *   sin, cos, tan: 2x/pi modulo 4 by integers (turned), then Taylor's series.
 *   atan(t), 0 <= t <= 1: of c = 0, 1/2 or 1 the nearest to t, atan(c) + u - u^3/3 + ..., u = (t - c) / (1 + tc). Beyond 1 it is
 *     what 1/t leaves of a quarter turn.
 *   asin, acos: the angle of (sqrt(1 - x^2), x), of (x, sqrt(1 - x^2)), with 1 - x^2 as (1 - x)(1 + x).
 *   sinh, cosh, tanh by expm1; asinh, acosh, atanh by logp1.
 *   cbrt: exp(log(x) / 3), and a step of Newton's. */
#include <math.h>

static REAL absolute(REAL x)
{
    return is_negative(x) ? -x : x;
}

static REAL signed_as(REAL size, REAL of)
{
    return is_negative(size) == is_negative(of) ? size : -size;
}

static bool is_nan(REAL x)
{
    return x != x;
}

static bool is_infinite(REAL x)
{
    return absolute(x) == (REAL)INFINITY;
}

/* To nearest, of less than a quarter of what has no places behind the point. */
static REAL nearest(REAL x)
{
    volatile REAL shifted = x + WHOLE_FROM * 3 / 2;
    return shifted - WHOLE_FROM * 3 / 2;
}

/* ---- powers ---- */

/* e^t 2^n, small t. */
static REAL power(REAL t, REAL n)
{
    REAL sum = 1;
    for (int k = POWER_TERMS; k > 0; k--)
        sum = 1 + sum * t / k;
    return sum * power_of_two((int)n);
}

/* Beyond what the instruction's formats have, results are infinite or nothing all the same. */
static REAL limited(REAL x, REAL most)
{
    return x > most ? most : x < -most ? -most : x;
}

static REAL power_of_2(REAL x)
{
    x = limited(x, BEYOND_2);
    const REAL n = nearest(x);
    return power((x - n) * ln_2, n);
}

static REAL exponential(REAL y)
{
    y = limited(y, BEYOND_E);
    const REAL n = nearest(y * log2_e);
    return power(y - n * ln_2_high - n * ln_2_low, n);
}

static REAL exponential_less_1(REAL y)
{
    REAL sum = 1;
    if (absolute(y) > (REAL)0.5)
        return exponential(y) - 1;
    for (int k = LESS_1_TERMS; k > 1; k--)
        sum = 1 + sum * y / k;
    return sum * y;
}

/* ---- logarithms ---- */

/* ln((1 + s) / (1 - s)), small s. */
static REAL of_ratio(REAL s)
{
    const REAL z = s * s;
    REAL sum = 0;
    for (int k = RATIO_TERMS; k > 1; k -= 2)
        sum = (sum + (REAL)1 / k) * z;
    return 2 * (s + s * sum);
}

/* Of a positive number: its exponent, and the logarithm of the rest. */
static REAL log_of(REAL x, REAL *exponent)
{
    int e;
    REAL m = significand_of(x, &e);
    *exponent = e;
    if (m > root_2) {
        m /= 2;
        *exponent += 1;
    }
    return of_ratio((m - 1) / (m + 1));
}

static REAL logarithm(enum simple_v_float op, REAL x)
{
    REAL e;
    const REAL rest = log_of(x, &e);
    if (op == SIMPLE_V_FLOAT_log2)
        return e + rest * log2_e;
    const REAL natural = e * ln_2_high + (rest + e * ln_2_low);
    return op == SIMPLE_V_FLOAT_log ? natural : natural * log10_e;
}

static REAL natural_logarithm(REAL x)
{
    return logarithm(SIMPLE_V_FLOAT_log, x);
}

static REAL logarithm_of_1_and(REAL x)
{
    return absolute(x) < (REAL)0.25 ? of_ratio(x / (2 + x)) : natural_logarithm(1 + x);
}

/* ---- circles ---- */

/* The same of half turns: exact. */
static REAL turned_by_half(REAL x, unsigned *quadrant)
{
    *quadrant = 0;
    if (absolute(x) >= EVEN_FROM)
        return 0;
    const REAL n = nearest(2 * x);
    *quadrant = (unsigned)(int)n & 3;
    return (x - n / 2) * pi;
}

static REAL sine(REAL a)
{
    const REAL z = a * a;
    REAL sum = 1;
    for (int k = SINE_TERMS; k > 0; k -= 2)
        sum = 1 - sum * z / (k * (k + 1));
    return a * sum;
}

static REAL cosine(REAL a)
{
    const REAL z = a * a;
    REAL sum = 1;
    for (int k = COSINE_TERMS; k > 0; k -= 2)
        sum = 1 - sum * z / (k * (k - 1));
    return sum;
}

/* A quarter turn on is the cosine. */
static REAL circular(REAL a, unsigned quadrant)
{
    switch (quadrant & 3) {
    case 0: return sine(a);
    case 1: return cosine(a);
    case 2: return 0 - sine(a);
    default: return -cosine(a);
    }
}

static REAL circle(struct isa_ieee *e, enum simple_v_float op, REAL x)
{
    const bool half_turns =
        op == SIMPLE_V_FLOAT_sinpi || op == SIMPLE_V_FLOAT_cospi || op == SIMPLE_V_FLOAT_tanpi;
    unsigned q;
    const REAL a = half_turns ? turned_by_half(x, &q) : turned(x, &q);
    if (op == SIMPLE_V_FLOAT_cos || op == SIMPLE_V_FLOAT_cospi)
        return circular(a, q + 1);
    REAL y = circular(a, q);
    if (op == SIMPLE_V_FLOAT_tan || op == SIMPLE_V_FLOAT_tanpi) {
        const REAL c = circular(a, q + 1);
        if (c == 0)
            e->exceptions |= ISA_IEEE_BY_ZERO;
        y /= c;
    }
    return y == 0 ? signed_as(0, x) : y;
}

/* exp2, exp, exp10. */
static REAL power_of(enum simple_v_float op, REAL x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_exp2: return power_of_2(x);
    case SIMPLE_V_FLOAT_exp: return exponential(x);
    default: return exponential(limited(x, BEYOND_10) * ln_10);
    }
}

/* ---- arcs ---- */

static REAL series(REAL u)
{
    const REAL z = u * u;
    REAL sum = 0;
    for (int k = ARC_TERMS; k > 1; k -= 2)
        sum = ((REAL)1 / k - sum) * z;
    return u - u * sum;
}

/* 0 to 1. */
static REAL arc_tangent(REAL t)
{
    if (t < (REAL)0.25)
        return series(t);
    if (t < (REAL)0.75)
        return atan_half + series((t - (REAL)0.5) / (1 + t / 2));
    return pi / 4 + series((t - 1) / (1 + t));
}

static REAL angle_of(REAL y, REAL x)
{
    const REAL a = absolute(x), b = absolute(y);
    REAL angle;
    if (b == 0)
        angle = 0;
    else if (is_infinite(a) && is_infinite(b))
        angle = pi / 4;
    else
        angle = b <= a ? arc_tangent(b / a) : pi / 2 - arc_tangent(a / b);
    if (is_negative(x))
        angle = pi - angle;
    return signed_as(angle, y);
}

static REAL arc(enum simple_v_float op, REAL x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_asin:
    case SIMPLE_V_FLOAT_asinpi: return angle_of(x, root_of((1 - x) * (1 + x)));
    case SIMPLE_V_FLOAT_acos:
    case SIMPLE_V_FLOAT_acospi: return angle_of(root_of((1 - x) * (1 + x)), x);
    default: return angle_of(x, 1);
    }
}

/* ---- hyperbolic ---- */

static REAL hyperbolic(enum simple_v_float op, REAL x)
{
    const REAL a = absolute(x);
    REAL y;
    switch (op) {
    case SIMPLE_V_FLOAT_sinh:
        y = exponential_less_1(a);
        y = (y + y / (y + 1)) / 2;
        break;
    case SIMPLE_V_FLOAT_cosh: y = exponential(a); return (y + 1 / y) / 2;
    case SIMPLE_V_FLOAT_tanh:
        y = exponential_less_1(2 * a);
        y = y / (y + 2);
        break;
    case SIMPLE_V_FLOAT_asinh: y = logarithm_of_1_and(a + a * a / (1 + root_of(a * a + 1))); break;
    case SIMPLE_V_FLOAT_acosh: return logarithm_of_1_and((x - 1) + root_of((x - 1) * (x + 1)));
    default: y = logarithm_of_1_and(2 * a / (1 - a)) / 2; break;
    }
    return signed_as(y, x);
}

static REAL cube_root(REAL x)
{
    const REAL a = absolute(x), y = exponential(natural_logarithm(a) / 3);
    return signed_as(y - (y * y * y - a) / (3 * y * y), x);
}

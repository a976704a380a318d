/* Zftrans: functions of singles and halves through doubles. No document says how accurate they are (G 25); these are within a
 * unit of the last place: a fixed sequence of double operations, nothing fused, so that every host gives the same bits; then the
 * result is rounded once more, as the instruction says. Called with the host's rounding to nearest. Infinite series are cut
 * where a double has no more digits.
 *
 *   exp2(x): n the whole number nearest to x, t = (x - n) ln 2; 2^n times the sum of t^k / k!, k = 0 to 13. exp, exp10: y =
 *     x or x ln 10, n the whole number nearest to y / ln 2, t = y - n ln 2, with ln 2 in two parts.
 *   log(x) = e ln 2 + 2 (s + s^3/3 + ... + s^23/23), x = m 2^e, m in [1/sqrt 2, sqrt 2), s = (m - 1) / (m + 1).
 *   sin, cos, tan: 2x/pi modulo 4 to 102 binary places by integers, then Taylor's series to the 17th and 18th power. */
#include <math.h>
#include <string.h>

#include "isa/simple_v/interp_internal.h"
#include "util/bits.h"

static const double ln_2 = 0x1.62e42fefa39efp-1, ln_2_high = 0x1.62e42feep-1,
                    ln_2_low = 0x1.a39ef35793c76p-33;
static const double log2_e = 0x1.71547652b82fep+0, log10_e = 0x1.bcb7b1526e50ep-2,
                    ln_10 = 0x1.26bb1bbb55516p+1;
static const double pi = 0x1.921fb54442d18p+1;

static double from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t to_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* To nearest, of less than 2^51. */
static double nearest(double x)
{
    volatile double shifted = x + 0x1.8p52;
    return shifted - 0x1.8p52;
}

/* ---- powers ---- */

/* e^t 2^n, small t. */
static double power(double t, double n)
{
    double sum = 1;
    for (int k = 13; k > 0; k--)
        sum = 1 + sum * t / k;
    return sum * from_bits((uint64_t)((int)n + 1023) << 52);
}

/* Beyond what singles have, results are infinite or nothing all the same. */
static double limited(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

static double exp2_of(double x)
{
    x = limited(x, 300);
    const double n = nearest(x);
    return power((x - n) * ln_2, n);
}

static double exp_of(double y)
{
    y = limited(y, 200);
    const double n = nearest(y * log2_e);
    return power(y - n * ln_2_high - n * ln_2_low, n);
}

/* ---- logarithms ---- */

/* Of a positive number, which is a normal double: its exponent, and the logarithm of the rest. */
static double log_of(double x, double *exponent)
{
    const uint64_t bits = to_bits(x);
    double m = from_bits((bits & ((1ull << 52) - 1)) | 1023ull << 52), sum = 0;
    *exponent = (double)((int)(bits >> 52) - 1023);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m /= 2;
        *exponent += 1;
    }
    const double s = (m - 1) / (m + 1), z = s * s;
    for (int k = 23; k > 1; k -= 2)
        sum = (sum + 1.0 / k) * z;
    return 2 * (s + s * sum);
}

static double logarithm(enum simple_v_float op, double x)
{
    double e;
    const double rest = log_of(x, &e);
    if (op == SIMPLE_V_FLOAT_log2)
        return e + rest * log2_e;
    const double natural = e * ln_2_high + (rest + e * ln_2_low);
    return op == SIMPLE_V_FLOAT_log ? natural : natural * log10_e;
}

/* ---- circles ---- */

/* 2/pi, from its first binary place on. */
static const uint64_t two_by_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                     0xfe5163abdebbc561, 0xb7246e3a424dd2e0};

/* Places at + 1 to at + 64; before the first there are zeros. */
static uint64_t places(int at)
{
    if (at <= -64)
        return 0;
    if (at < 0)
        return two_by_pi[0] >> -at;
    const unsigned word = (unsigned)at / 64, shift = (unsigned)at % 64;
    const uint64_t next = word + 1 < UTIL_ARRAY_SIZE(two_by_pi) ? two_by_pi[word + 1] : 0;
    return shift ? two_by_pi[word] << shift | next >> (64 - shift) : two_by_pi[word];
}

/* An angle's quadrant, and the rest, at most pi/4. */
static double reduced(double x, unsigned *quadrant)
{
    const uint64_t bits = to_bits(x), m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    const int exponent = (int)(bits >> 52 & 2047) - 1075 + 29; /* of 24 digits, which all of a single are */
    *quadrant = 0;
    if (fabs(x) < 0.78)
        return x;
    /* Places whose product with the number is a multiple of 4 do not matter; behind them 128 do. */
    const unsigned __int128 window = (unsigned __int128)places(exponent - 2) << 64 | places(exponent + 62);
    const unsigned __int128 turns = window * (m >> 29);
    const unsigned __int128 rounded = turns + ((unsigned __int128)1 << 125);
    *quadrant = (unsigned)(rounded >> 126);
    const __int128 rest = (__int128)(turns - (rounded >> 126 << 126));
    const double angle = (double)rest * 0x1p-126 * (pi / 2);
    if (x > 0)
        return angle;
    *quadrant = (4 - *quadrant) & 3;
    return -angle;
}

/* The same of half turns: exact. */
static double reduced_pi(double x, unsigned *quadrant)
{
    *quadrant = 0;
    if (fabs(x) >= 0x1p24) /* even */
        return 0;
    const double n = nearest(2 * x);
    *quadrant = (unsigned)(int)n & 3;
    return (x - n / 2) * pi;
}

static double sine(double a)
{
    const double z = a * a;
    double sum = 1;
    for (int k = 16; k > 0; k -= 2)
        sum = 1 - sum * z / (k * (k + 1));
    return a * sum;
}

static double cosine(double a)
{
    const double z = a * a;
    double sum = 1;
    for (int k = 18; k > 0; k -= 2)
        sum = 1 - sum * z / (k * (k - 1));
    return sum;
}

/* A quarter turn on is the cosine. */
static double circular(double a, unsigned quadrant)
{
    switch (quadrant & 3) {
    case 0: return sine(a);
    case 1: return cosine(a);
    case 2: return 0 - sine(a);
    default: return -cosine(a);
    }
}

static double circle(struct isa_ieee *e, enum simple_v_float op, double x)
{
    const bool half_turns =
        op == SIMPLE_V_FLOAT_sinpi || op == SIMPLE_V_FLOAT_cospi || op == SIMPLE_V_FLOAT_tanpi;
    unsigned q;
    const double a = half_turns ? reduced_pi(x, &q) : reduced(x, &q);
    if (op == SIMPLE_V_FLOAT_cos || op == SIMPLE_V_FLOAT_cospi)
        return circular(a, q + 1);
    double y = circular(a, q);
    if (op == SIMPLE_V_FLOAT_tan || op == SIMPLE_V_FLOAT_tanpi) {
        const double c = circular(a, q + 1);
        if (c == 0)
            e->exceptions |= ISA_IEEE_BY_ZERO;
        y /= c;
    }
    return y == 0 ? copysign(0, x) : y;
}

/* ---- all ---- */

static bool is_logarithm(enum simple_v_float op)
{
    return op == SIMPLE_V_FLOAT_log || op == SIMPLE_V_FLOAT_log2 || op == SIMPLE_V_FLOAT_log10;
}

static bool is_power(enum simple_v_float op)
{
    return op == SIMPLE_V_FLOAT_exp || op == SIMPLE_V_FLOAT_exp2 || op == SIMPLE_V_FLOAT_exp10;
}

static double of_number(struct isa_ieee *e, enum simple_v_float op, double x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_exp2: return exp2_of(x);
    case SIMPLE_V_FLOAT_exp: return exp_of(x);
    case SIMPLE_V_FLOAT_exp10: return exp_of(limited(x, 80) * ln_10);
    case SIMPLE_V_FLOAT_log2:
    case SIMPLE_V_FLOAT_log:
    case SIMPLE_V_FLOAT_log10: return logarithm(op, x);
    default: return circle(e, op, x);
    }
}

uint64_t simple_v_function(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t bits)
{
    const double x = from_bits(isa_ieee_convert(e, width, 64, bits)); /* a signaling NaN is invalid */
    double y;
    if (isnan(x))
        return isa_ieee_nan(width);
    if (is_power(op) && isinf(x)) {
        y = x > 0 ? x : 0;
    } else if (is_logarithm(op) && x == 0) {
        e->exceptions |= ISA_IEEE_BY_ZERO;
        y = -(double)INFINITY;
    } else if (is_logarithm(op) && x < 0) {
        e->exceptions |= ISA_IEEE_INVALID;
        return isa_ieee_nan(width);
    } else if (is_logarithm(op) && isinf(x)) {
        y = x;
    } else if (isinf(x)) {
        e->exceptions |= ISA_IEEE_INVALID;
        return isa_ieee_nan(width);
    } else {
        y = of_number(e, op, x);
    }
    return isa_ieee_convert(e, 64, width, to_bits(y));
}

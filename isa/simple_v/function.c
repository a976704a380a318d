/* Zftrans' powers, logarithms and circles.
 *
 *   exp2(x): n the whole number nearest to x, t = (x - n) ln 2; 2^n times the sum of t^k / k!, k = 0 to 13. exp, exp10: y =
 *     x or x ln 10, n the whole number nearest to y / ln 2, t = y - n ln 2, with ln 2 in two parts. expm1: small y by the sum.
 *   log(x) = e ln 2 + 2 (s + s^3/3 + ... + s^23/23), x = m 2^e, m in [1/sqrt 2, sqrt 2), s = (m - 1) / (m + 1). logp1: small x
 *     by s = x / (2 + x).
 *   sin, cos, tan: 2x/pi modulo 4 to 102 binary places by integers, then Taylor's series to the 17th and 18th power. */
#include "isa/simple_v/function.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

static const double ln_2 = 0x1.62e42fefa39efp-1, ln_2_high = 0x1.62e42feep-1,
                    ln_2_low = 0x1.a39ef35793c76p-33;
static const double log2_e = 0x1.71547652b82fep+0, log10_e = 0x1.bcb7b1526e50ep-2,
                    ln_10 = 0x1.26bb1bbb55516p+1;
static const double pi = SIMPLE_V_PI;

double simple_v_from_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

uint64_t simple_v_to_bits(double d)
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
    return sum * simple_v_from_bits((uint64_t)((int)n + 1023) << 52);
}

/* Beyond what singles have, results are infinite or nothing all the same. */
static double limited(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

double simple_v_exp2(double x)
{
    x = limited(x, 300);
    const double n = nearest(x);
    return power((x - n) * ln_2, n);
}

double simple_v_exp(double y)
{
    y = limited(y, 200);
    const double n = nearest(y * log2_e);
    return power(y - n * ln_2_high - n * ln_2_low, n);
}

double simple_v_expm1(double y)
{
    double sum = 1;
    if (fabs(y) > 0.5)
        return simple_v_exp(y) - 1;
    for (int k = 14; k > 1; k--)
        sum = 1 + sum * y / k;
    return sum * y;
}

/* ---- logarithms ---- */

/* ln((1 + s) / (1 - s)), small s. */
static double of_ratio(double s)
{
    const double z = s * s;
    double sum = 0;
    for (int k = 23; k > 1; k -= 2)
        sum = (sum + 1.0 / k) * z;
    return 2 * (s + s * sum);
}

/* Of a positive number, which is a normal double: its exponent, and the logarithm of the rest. */
static double log_of(double x, double *exponent)
{
    const uint64_t bits = simple_v_to_bits(x);
    double m = simple_v_from_bits((bits & ((1ull << 52) - 1)) | 1023ull << 52);
    *exponent = (double)((int)(bits >> 52) - 1023);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m /= 2;
        *exponent += 1;
    }
    return of_ratio((m - 1) / (m + 1));
}

double simple_v_logarithm(enum simple_v_float op, double x)
{
    double e;
    const double rest = log_of(x, &e);
    if (op == SIMPLE_V_FLOAT_log2)
        return e + rest * log2_e;
    const double natural = e * ln_2_high + (rest + e * ln_2_low);
    return op == SIMPLE_V_FLOAT_log ? natural : natural * log10_e;
}

double simple_v_log(double x)
{
    return simple_v_logarithm(SIMPLE_V_FLOAT_log, x);
}

double simple_v_logp1(double x)
{
    return fabs(x) < 0.25 ? of_ratio(x / (2 + x)) : simple_v_log(1 + x);
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
    const uint64_t bits = simple_v_to_bits(x), m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
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

double simple_v_circle(struct isa_ieee *e, enum simple_v_float op, double x)
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

/* exp2, exp, exp10. */
double simple_v_power_of(enum simple_v_float op, double x)
{
    switch (op) {
    case SIMPLE_V_FLOAT_exp2: return simple_v_exp2(x);
    case SIMPLE_V_FLOAT_exp: return simple_v_exp(x);
    default: return simple_v_exp(limited(x, 80) * ln_10);
    }
}

/* Zftrans of singles and halves, in doubles. */
#include "isa/simple_v/function.h"

#include <string.h>

#include "util/bits.h"

#define REAL double

enum {
    POWER_TERMS = 13,
    LESS_1_TERMS = 14,
    RATIO_TERMS = 23,
    SINE_TERMS = 16,
    COSINE_TERMS = 18,
    ARC_TERMS = 27
};
enum { BEYOND_2 = 300, BEYOND_E = 200, BEYOND_10 = 80 };
static const double WHOLE_FROM = 0x1p52, EVEN_FROM = 0x1p24; /* of singles */

static const double ln_2 = 0x1.62e42fefa39efp-1, ln_2_high = 0x1.62e42feep-1,
                    ln_2_low = 0x1.a39ef35793c76p-33;
static const double log2_e = 0x1.71547652b82fep+0, log10_e = 0x1.bcb7b1526e50ep-2,
                    ln_10 = 0x1.26bb1bbb55516p+1, root_2 = 0x1.6a09e667f3bcdp+0;
static const double pi = 0x1.921fb54442d18p+1, atan_half = 0x1.dac670561bb4fp-2;

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

static bool is_negative(double x)
{
    return simple_v_to_bits(x) >> 63;
}

static double root_of(double x)
{
    return __builtin_sqrt(x);
}

static double power_of_two(int n)
{
    return simple_v_from_bits((uint64_t)(n + 1023) << 52);
}

/* Of a normal double. */
static double significand_of(double x, int *exponent)
{
    const uint64_t bits = simple_v_to_bits(x);
    *exponent = (int)(bits >> 52 & 2047) - 1023;
    return simple_v_from_bits((bits & ((1ull << 52) - 1)) | 1023ull << 52);
}

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
static double turned(double x, unsigned *quadrant)
{
    const uint64_t bits = simple_v_to_bits(x), m = (bits & ((1ull << 52) - 1)) | 1ull << 52;
    const int exponent = (int)(bits >> 52 & 2047) - 1075 + 29; /* of 24 digits, which all of a single are */
    *quadrant = 0;
    if (x < 0.78 && x > -0.78)
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

#include "isa/simple_v/function_series.h"

#include "isa/simple_v/function_special.h"

static double from_float(struct isa_ieee *e, unsigned width, uint64_t bits)
{
    return simple_v_from_bits(isa_ieee_convert(e, width, 64, bits)); /* a signaling NaN is invalid */
}

static uint64_t to_float(struct isa_ieee *e, unsigned width, double d)
{
    return is_nan(d) ? isa_ieee_nan(width) : isa_ieee_convert(e, 64, width, simple_v_to_bits(d));
}

uint64_t simple_v_function(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t bits)
{
    if (width == 64)
        return simple_v_function_quad(e, op, bits);
    return to_float(e, width, function_of_one(e, op, from_float(e, width, bits)));
}

uint64_t simple_v_function_of_two(struct isa_ieee *e, enum simple_v_float op, unsigned width, uint64_t bits,
                                  uint64_t other)
{
    const bool whole = op == SIMPLE_V_FLOAT_pown || op == SIMPLE_V_FLOAT_rootn;
    if (width == 64)
        return simple_v_function_of_two_quad(e, op, bits, other);
    const double x = from_float(e, width, bits), y = whole ? 0 : from_float(e, width, other);
    return to_float(e, width, function_of_two(e, op, x, y, (int64_t)other));
}

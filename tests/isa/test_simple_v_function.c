/* Zftrans' functions beside the host's in doubles, singles and halves; what IEEE 754 says is special; what the translation takes
 * instead of a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/random.h"
#include "isa/simple_v/function.h"
#include "util/bits.h"

/* ---- accuracy ---- */

#define PI_L 3.141592653589793238462643383279502884L

/* Quarter turns, and what is left of the angle, exact. */
static long double quarters(long double x, unsigned *quadrant)
{
    const long double turn = fmodl(x, 2), n = roundl(2 * turn);
    *quadrant = (unsigned)(int)n & 3;
    return (turn - n / 2) * PI_L;
}
static long double circle_pi(long double a, unsigned quadrant)
{
    const long double y = quadrant & 1 ? cosl(a) : sinl(a);
    return quadrant & 2 ? -y : y;
}
static long double sin_pi(long double x)
{
    unsigned q;
    const long double a = quarters(x, &q);
    return circle_pi(a, q);
}
static long double cos_pi(long double x)
{
    unsigned q;
    const long double a = quarters(x, &q);
    return circle_pi(a, q + 1);
}
static long double tan_pi(long double x)
{
    const long double turn = fmodl(x, 2);
    if (fmodl(2 * x, 2) != 0 && 2 * x == truncl(2 * x)) /* poles */
        return turn == 0.5L || turn == -1.5L ? (long double)INFINITY : -(long double)INFINITY;
    return sin_pi(x) / cos_pi(x);
}
static long double ten(long double x)
{
    return powl(10, x);
}
static long double asin_pi(long double x)
{
    return asinl(x) / PI_L;
}
static long double acos_pi(long double x)
{
    return acosl(x) / PI_L;
}
static long double atan_pi(long double x)
{
    return atanl(x) / PI_L;
}
static long double atan2_pi(long double y, long double x)
{
    return atan2l(y, x) / PI_L;
}

static uint64_t bits_of(double d, unsigned width)
{
    struct isa_ieee e = {ISA_IEEE_EVEN, 0};
    return isa_ieee_convert(&e, 64, width, simple_v_to_bits(d));
}

static double number(uint64_t bits, unsigned width)
{
    struct isa_ieee e = {ISA_IEEE_EVEN, 0};
    return simple_v_from_bits(isa_ieee_convert(&e, width, 64, bits));
}

/* Floats in their order, so that neighbours differ by one. */
static int64_t ordered(uint64_t bits, unsigned width)
{
    const uint64_t sign = 1ull << (width - 1);
    return bits & sign ? -(int64_t)(bits ^ sign) : (int64_t)bits;
}

static unsigned compared, off_by_one; /* of doubles */

static void is_near(const char *name, unsigned width, uint64_t got, long double exact, double x, double y)
{
    const uint64_t expected = bits_of((double)exact, width);
    const int64_t off = ordered(got, width) - ordered(expected, width);
    compared += width == 64;
    off_by_one += width == 64 && off;
    if (off < -1 || off > 1)
        fail_msg("%s of %a, %a in %u bits is %a, not %a", name, x, y, width, number(got, width),
                 number(expected, width));
}

#define ROW(name) #name, SIMPLE_V_FLOAT_##name

/* All of a sign and size that `least` and `most` have between them. */
static const struct {
    const char *name;
    enum simple_v_float op;
    long double (*of)(long double);
    double least, most;
} ones[] = {
    {ROW(sin), sinl, -1e30, 1e30},     {ROW(cos), cosl, -1e30, 1e30},   {ROW(tan), tanl, -1e6, 1e6},
    {ROW(sinpi), sin_pi, -1e3, 1e3},   {ROW(cospi), cos_pi, -1e3, 1e3}, {ROW(tanpi), tan_pi, -1e2, 1e2},
    {ROW(exp2), exp2l, -120, 120},     {ROW(exp), expl, -80, 80},       {ROW(exp10), ten, -37, 37},
    {ROW(expm1), expm1l, -100, 88},    {ROW(log2), log2l, 0, 1e38},     {ROW(log), logl, 0, 1e38},
    {ROW(log10), log10l, 0, 1e38},     {ROW(logp1), log1pl, -1, 1e38},  {ROW(cbrt), cbrtl, -1e38, 1e38},
    {ROW(asin), asinl, -1, 1},         {ROW(acos), acosl, -1, 1},       {ROW(atan), atanl, -1e38, 1e38},
    {ROW(asinpi), asin_pi, -1, 1},     {ROW(acospi), acos_pi, -1, 1},   {ROW(atanpi), atan_pi, -1e38, 1e38},
    {ROW(sinh), sinhl, -88, 88},       {ROW(cosh), coshl, -88, 88},     {ROW(tanh), tanhl, -1e38, 1e38},
    {ROW(asinh), asinhl, -1e38, 1e38}, {ROW(acosh), acoshl, 1, 1e38},   {ROW(atanh), atanhl, -1, 1},
};

/* Of any exponent, and often near 1. */
static double some_number(struct isa_random *r, unsigned width)
{
    const uint64_t x = isa_random_next(r);
    if (width == 16)
        return number(x & 0xffff, 16);
    if (width == 64)
        return simple_v_from_bits(
            isa_random_one_in(r, 2) ? x : (x & ~(2047ull << 52)) | (1000 + x / 3 % 34) << 52);
    return util_u2f(isa_random_one_in(r, 2) ? (uint32_t)x
                                            : ((uint32_t)x & 0x807fffff) | (120u + (x >> 32) % 14) << 23);
}

/* What singles reach, of doubles. */
static double reached(double x, unsigned width)
{
    return width < 64 || fabs(x) < 30 ? x : fabs(x) > 1e37 ? copysign(1e307, x) : 8 * x;
}

static void functions_are_near(void **state)
{
    struct isa_random r = {2};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(ones); n++)
        for (unsigned k = 0, tried = 0; tried < 900; k++) {
            const unsigned width = 16u << k % 3;
            const double x = some_number(&r, width);
            struct isa_ieee e = {ISA_IEEE_EVEN, 0};
            assert_true(k < 100000);
            if (!(x > reached(ones[n].least, width) && x < reached(ones[n].most, width)))
                continue;
            tried++;
            is_near(ones[n].name, width, simple_v_function(&e, ones[n].op, width, bits_of(x, width)),
                    ones[n].of(x), x, x);
        }
}

static const struct {
    const char *name;
    enum simple_v_float op;
    long double (*of)(long double, long double);
    bool positive;
} twos[] = {{ROW(hypot), hypotl, false},
            {ROW(atan2), atan2l, false},
            {ROW(atan2pi), atan2_pi, false},
            {ROW(pow), powl, true},
            {ROW(powr), powl, true}};

static void functions_of_two_are_near(void **state)
{
    struct isa_random r = {3};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(twos); n++)
        for (unsigned k = 0; k < 1800; k++) {
            const unsigned width = 16u << k % 3;
            double x = some_number(&r, width);
            const double y = some_number(&r, width);
            struct isa_ieee e = {ISA_IEEE_EVEN, 0};
            x = twos[n].positive ? fabs(x) : x;
            if (isnan(x) || isnan(y) || isinf(x) || isinf(y) || x == 0)
                continue;
            is_near(twos[n].name, width,
                    simple_v_function_of_two(&e, twos[n].op, width, bits_of(x, width), bits_of(y, width)),
                    twos[n].of(x, y), x, y);
        }
}

static void whole_powers_are_near(void **state)
{
    struct isa_random r = {4};
    for (unsigned k = 0; k < 3000; k++) {
        const unsigned width = 16u << k % 3;
        const int64_t n = (int64_t)isa_random_below(&r, 41) - 20;
        const double x = some_number(&r, width);
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        if (isnan(x) || isinf(x) || x == 0 || !n)
            continue;
        is_near("pown", width,
                simple_v_function_of_two(&e, SIMPLE_V_FLOAT_pown, width, bits_of(x, width), (uint64_t)n),
                powl(x, (long double)n), x, (double)n);
        if (x < 0 && !(n & 1))
            continue;
        is_near("rootn", width,
                simple_v_function_of_two(&e, SIMPLE_V_FLOAT_rootn, width, bits_of(x, width), (uint64_t)n),
                copysignl(powl(fabsl(x), 1 / (long double)n), x), x, (double)n);
    }
}

/* Of doubles hardly one is; of those that are the host's long doubles may be the cause. */
static void doubles_are_the_nearest(void **state)
{
    assert_true(compared > 8000);
    assert_true(off_by_one * 300 < compared);
}

/* ---- what is special ---- */

#define INF   ((double)INFINITY)
#define NONE  ((double)NAN)
#define POLE  ISA_IEEE_BY_ZERO
#define WRONG ISA_IEEE_INVALID
enum { EXACT = 0 };

static void is_special(const char *name, unsigned width, uint64_t got, double expected,
                       const struct isa_ieee *e, unsigned flags, double x, double y)
{
    const uint64_t bits = isnan(expected) ? isa_ieee_nan(width) : bits_of(expected, width);
    if (got != bits || (unsigned)e->exceptions != flags)
        fail_msg("%s of %a, %a in %u bits is %a with flags %x, not %a with %x", name, x, y, width,
                 number(got, width), (unsigned)e->exceptions, expected, flags);
}

static void ends_are_as_754_has_them(void **state)
{
    static const struct {
        const char *name;
        enum simple_v_float op;
        double x, expected;
        unsigned flags;
    } rows[] = {
        {ROW(exp), -INF, 0, EXACT},      {ROW(exp2), INF, INF, EXACT},    {ROW(expm1), -INF, -1, EXACT},
        {ROW(expm1), -0.0, -0.0, EXACT}, {ROW(log), 0, -INF, POLE},       {ROW(log2), -1, NONE, WRONG},
        {ROW(log2), 8, 3, EXACT},        {ROW(logp1), -1, -INF, POLE},    {ROW(logp1), -2, NONE, WRONG},
        {ROW(logp1), -0.0, -0.0, EXACT}, {ROW(cbrt), -27, -3, EXACT},     {ROW(cbrt), -INF, -INF, EXACT},
        {ROW(cbrt), -0.0, -0.0, EXACT},  {ROW(asin), 1.5, NONE, WRONG},   {ROW(asinpi), -1, -0.5, EXACT},
        {ROW(asin), -0.0, -0.0, EXACT},  {ROW(acos), 1, 0, EXACT},        {ROW(acospi), -1, 1, EXACT},
        {ROW(atanpi), INF, 0.5, EXACT},  {ROW(atanpi), -1, -0.25, EXACT}, {ROW(tanh), -INF, -1, EXACT},
        {ROW(cosh), -INF, INF, EXACT},   {ROW(sinh), -INF, -INF, EXACT},  {ROW(sinh), -0.0, -0.0, EXACT},
        {ROW(acosh), 1, 0, EXACT},       {ROW(acosh), 0.5, NONE, WRONG},  {ROW(atanh), -1, -INF, POLE},
        {ROW(atanh), 2, NONE, WRONG},    {ROW(asinh), -0.0, -0.0, EXACT}, {ROW(sin), INF, NONE, WRONG},
        {ROW(tanpi), 0.5, INF, POLE},    {ROW(cbrt), NONE, NONE, EXACT},
    };
    for (size_t n = 0; n < 2 * UTIL_ARRAY_SIZE(rows); n++) {
        const unsigned width = n & 1 ? 64 : 32;
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_function(&e, rows[n / 2].op, width, bits_of(rows[n / 2].x, width));
        is_special(rows[n / 2].name, width, got, rows[n / 2].expected, &e, rows[n / 2].flags, rows[n / 2].x,
                   0);
    }
}

static void pairs_are_as_754_has_them(void **state)
{
    static const struct {
        const char *name;
        enum simple_v_float op;
        double x, y, expected;
        unsigned flags;
    } rows[] = {
        {ROW(hypot), -INF, NONE, INF, EXACT},
        {ROW(hypot), 3, 4, 5, EXACT},
        {ROW(hypot), 1, NONE, NONE, EXACT},
        {ROW(atan2), -0.0, 1, -0.0, EXACT},
        {ROW(atan2pi), 0, -1, 1, EXACT},
        {ROW(atan2pi), -0.0, -0.0, -1, EXACT},
        {ROW(atan2pi), INF, -INF, 0.75, EXACT},
        {ROW(atan2pi), 5, -INF, 1, EXACT},
        {ROW(atan2), 1, NONE, NONE, EXACT},
        {ROW(pow), NONE, 0, 1, EXACT},
        {ROW(pow), 1, NONE, 1, EXACT},
        {ROW(pow), -0.0, -3, -INF, POLE},
        {ROW(pow), -0.0, -2, INF, POLE},
        {ROW(pow), -0.0, 3, -0.0, EXACT},
        {ROW(pow), 0, -INF, INF, EXACT},
        {ROW(pow), -8, 0.5, NONE, WRONG},
        {ROW(pow), -2, 3, -8, EXACT},
        {ROW(pow), -INF, 3, -INF, EXACT},
        {ROW(pow), -INF, 0.5, INF, EXACT},
        {ROW(pow), -1, INF, 1, EXACT},
        {ROW(pow), 0.5, INF, 0, EXACT},
        {ROW(pow), 2, -INF, 0, EXACT},
        {ROW(pow), 2, NONE, NONE, EXACT},
        {ROW(powr), -1, 2, NONE, WRONG},
        {ROW(powr), 0, 0, NONE, WRONG},
        {ROW(powr), INF, 0, NONE, WRONG},
        {ROW(powr), 1, INF, NONE, WRONG},
        {ROW(powr), -0.0, -3, INF, POLE},
        {ROW(powr), 0, 2, 0, EXACT},
        {ROW(powr), 5, 0, 1, EXACT},
        {ROW(powr), 1, NONE, NONE, EXACT},
        {ROW(powr), NONE, 0, NONE, EXACT},
    };
    for (size_t n = 0; n < 2 * UTIL_ARRAY_SIZE(rows); n++) {
        const unsigned width = n & 1 ? 64 : 32;
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_function_of_two(
            &e, rows[n / 2].op, width, bits_of(rows[n / 2].x, width), bits_of(rows[n / 2].y, width));
        is_special(rows[n / 2].name, width, got, rows[n / 2].expected, &e, rows[n / 2].flags, rows[n / 2].x,
                   rows[n / 2].y);
    }
}

static void whole_numbers_are_as_754_has_them(void **state)
{
    static const struct {
        const char *name;
        enum simple_v_float op;
        double x;
        int64_t n;
        double expected;
        unsigned flags;
    } rows[] = {
        {ROW(pown), NONE, 0, 1, EXACT},     {ROW(pown), -0.0, -3, -INF, POLE},
        {ROW(pown), -0.0, -2, INF, POLE},   {ROW(pown), -0.0, 5, -0.0, EXACT},
        {ROW(pown), -2, 3, -8, EXACT},      {ROW(pown), -INF, -3, -0.0, EXACT},
        {ROW(rootn), 2, 0, NONE, WRONG},    {ROW(rootn), -8, 2, NONE, WRONG},
        {ROW(rootn), -0.0, -3, -INF, POLE}, {ROW(rootn), 0, -2, INF, POLE},
        {ROW(rootn), -0.0, 3, -0.0, EXACT}, {ROW(rootn), -0.0, 2, 0, EXACT},
        {ROW(rootn), -INF, 3, -INF, EXACT}, {ROW(rootn), -1, 5, -1, EXACT},
        {ROW(rootn), INF, -4, 0, EXACT},    {ROW(rootn), NONE, 3, NONE, EXACT},
    };
    for (size_t n = 0; n < 2 * UTIL_ARRAY_SIZE(rows); n++) {
        const size_t row = n / 2;
        const unsigned width = n & 1 ? 64 : 32;
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_function_of_two(&e, rows[row].op, width, bits_of(rows[row].x, width),
                                                      (uint64_t)rows[row].n);
        is_special(rows[row].name, width, got, rows[row].expected, &e, rows[row].flags, rows[row].x,
                   (double)rows[row].n);
    }
}

/* Of a signaling NaN nothing is a number, nor anything 1. */
static void signaling_ones_are_wrong(void **state)
{
    for (unsigned n = 2 * SIMPLE_V_FLOAT_cbrt; n <= 2 * SIMPLE_V_FLOAT_powr + 1; n++) {
        const unsigned op = n / 2, width = n & 1 ? 64 : 32;
        const uint64_t signaling = n & 1 ? 0x7ff0000000000001 : 0x7f800001;
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_has_two((enum simple_v_float)op)
                                 ? simple_v_function_of_two(&e, (enum simple_v_float)op, width, signaling, 0)
                                 : simple_v_function(&e, (enum simple_v_float)op, width, signaling);
        assert_int_equal(got, isa_ieee_nan(width));
        assert_int_equal(e.exceptions, ISA_IEEE_INVALID);
    }
}

/* ---- roots ---- */

/* What the translation takes: doubles are near enough to 1 / sqrt(x) for a single to be rounded once, and for a half. True of all
 * 2^24 singles from 1 to 4, which have every significand, of which these are some; all halves. */
static void roots_of_doubles_do(void **state)
{
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits += 61) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        assert_int_equal(util_f2u((float)(1 / sqrt((double)util_u2f(bits)))), isa_ieee_rsqrt(&e, 32, bits));
    }
    for (uint32_t bits = 1; bits < 0x7c00; bits++) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        assert_int_equal(bits_of(1 / sqrt(number(bits, 16)), 16), isa_ieee_rsqrt(&e, 16, bits));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_near),
                                       cmocka_unit_test(functions_of_two_are_near),
                                       cmocka_unit_test(whole_powers_are_near),
                                       cmocka_unit_test(doubles_are_the_nearest),
                                       cmocka_unit_test(ends_are_as_754_has_them),
                                       cmocka_unit_test(pairs_are_as_754_has_them),
                                       cmocka_unit_test(whole_numbers_are_as_754_has_them),
                                       cmocka_unit_test(signaling_ones_are_wrong),
                                       cmocka_unit_test(roots_of_doubles_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

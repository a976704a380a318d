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

static double sin_pi(double x)
{
    return sin(fmod(x, 2) * M_PI);
}
static double cos_pi(double x)
{
    return cos(fmod(x, 2) * M_PI);
}
static double tan_pi(double x)
{
    const double turn = fmod(x, 2);
    if (fmod(2 * x, 2) != 0 && 2 * x == trunc(2 * x)) /* poles */
        return turn == 0.5 || turn == -1.5 ? (double)INFINITY : -(double)INFINITY;
    return tan(fmod(x, 1) * M_PI);
}
static double ten(double x)
{
    return pow(10, x);
}
static double asin_pi(double x)
{
    return asin(x) / M_PI;
}
static double acos_pi(double x)
{
    return acos(x) / M_PI;
}
static double atan_pi(double x)
{
    return atan(x) / M_PI;
}
static double atan2_pi(double y, double x)
{
    return atan2(y, x) / M_PI;
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

static void is_near(const char *name, unsigned width, uint64_t got, double exact, double x, double y)
{
    const uint64_t expected = bits_of(exact, width);
    const int64_t off = ordered(got, width) - ordered(expected, width);
    if (off < -1 || off > 1)
        fail_msg("%s of %a, %a in %u bits is %a, not %a", name, x, y, width, number(got, width),
                 number(expected, width));
}

#define ROW(name) #name, SIMPLE_V_FLOAT_##name

/* All of a sign and size that `least` and `most` have between them. */
static const struct {
    const char *name;
    enum simple_v_float op;
    double (*of)(double);
    double least, most;
} ones[] = {
    {ROW(sin), sin, -1e30, 1e30},     {ROW(cos), cos, -1e30, 1e30},    {ROW(tan), tan, -1e6, 1e6},
    {ROW(sinpi), sin_pi, -1e3, 1e3},  {ROW(cospi), cos_pi, -1e3, 1e3}, {ROW(tanpi), tan_pi, -1e2, 1e2},
    {ROW(exp2), exp2, -120, 120},     {ROW(exp), exp, -80, 80},        {ROW(exp10), ten, -37, 37},
    {ROW(expm1), expm1, -100, 88},    {ROW(log2), log2, 0, 1e38},      {ROW(log), log, 0, 1e38},
    {ROW(log10), log10, 0, 1e38},     {ROW(logp1), log1p, -1, 1e38},   {ROW(cbrt), cbrt, -1e38, 1e38},
    {ROW(asin), asin, -1, 1},         {ROW(acos), acos, -1, 1},        {ROW(atan), atan, -1e38, 1e38},
    {ROW(asinpi), asin_pi, -1, 1},    {ROW(acospi), acos_pi, -1, 1},   {ROW(atanpi), atan_pi, -1e38, 1e38},
    {ROW(sinh), sinh, -88, 88},       {ROW(cosh), cosh, -88, 88},      {ROW(tanh), tanh, -1e38, 1e38},
    {ROW(asinh), asinh, -1e38, 1e38}, {ROW(acosh), acosh, 1, 1e38},    {ROW(atanh), atanh, -1, 1},
};

/* Of any exponent, and often near 1. */
static double some_number(struct isa_random *r, unsigned width)
{
    const uint64_t x = isa_random_next(r);
    if (width == 16)
        return number(x & 0xffff, 16);
    return util_u2f(isa_random_one_in(r, 2) ? (uint32_t)x
                                            : ((uint32_t)x & 0x807fffff) | (120u + (x >> 32) % 14) << 23);
}

static void functions_are_near(void **state)
{
    struct isa_random r = {2};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(ones); n++)
        for (unsigned k = 0, tried = 0; tried < 600; k++) {
            const unsigned width = k % 2 ? 16 : 32;
            const double x = some_number(&r, width);
            struct isa_ieee e = {ISA_IEEE_EVEN, 0};
            assert_true(k < 100000);
            if (!(x > ones[n].least && x < ones[n].most))
                continue;
            tried++;
            is_near(ones[n].name, width, simple_v_function(&e, ones[n].op, width, bits_of(x, width)),
                    ones[n].of(x), x, x);
        }
}

static const struct {
    const char *name;
    enum simple_v_float op;
    double (*of)(double, double);
    bool positive;
} twos[] = {{ROW(hypot), hypot, false},
            {ROW(atan2), atan2, false},
            {ROW(atan2pi), atan2_pi, false},
            {ROW(pow), pow, true},
            {ROW(powr), pow, true}};

static void functions_of_two_are_near(void **state)
{
    struct isa_random r = {3};
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(twos); n++)
        for (unsigned k = 0; k < 1200; k++) {
            const unsigned width = k % 2 ? 16 : 32;
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
    for (unsigned k = 0; k < 2000; k++) {
        const unsigned width = k % 2 ? 16 : 32;
        const int64_t n = (int64_t)isa_random_below(&r, 41) - 20;
        const double x = some_number(&r, width);
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        if (isnan(x) || isinf(x) || x == 0 || !n)
            continue;
        is_near("pown", width,
                simple_v_function_of_two(&e, SIMPLE_V_FLOAT_pown, width, bits_of(x, width), (uint64_t)n),
                pow(x, (double)n), x, (double)n);
        if (x < 0 && !(n & 1))
            continue;
        is_near("rootn", width,
                simple_v_function_of_two(&e, SIMPLE_V_FLOAT_rootn, width, bits_of(x, width), (uint64_t)n),
                copysign(pow(fabs(x), 1 / (double)n), x), x, (double)n);
    }
}

/* ---- what is special ---- */

#define INF   ((double)INFINITY)
#define NONE  ((double)NAN)
#define POLE  ISA_IEEE_BY_ZERO
#define WRONG ISA_IEEE_INVALID
enum { EXACT = 0 };

static void is_special(const char *name, uint64_t got, double expected, const struct isa_ieee *e,
                       unsigned flags, double x, double y)
{
    const uint64_t bits = isnan(expected) ? isa_ieee_nan(32) : bits_of(expected, 32);
    if (got != bits || (unsigned)e->exceptions != flags)
        fail_msg("%s of %a, %a is %a with flags %x, not %a with %x", name, x, y, number(got, 32),
                 (unsigned)e->exceptions, expected, flags);
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
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_function(&e, rows[n].op, 32, bits_of(rows[n].x, 32));
        is_special(rows[n].name, got, rows[n].expected, &e, rows[n].flags, rows[n].x, 0);
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
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got =
            simple_v_function_of_two(&e, rows[n].op, 32, bits_of(rows[n].x, 32), bits_of(rows[n].y, 32));
        is_special(rows[n].name, got, rows[n].expected, &e, rows[n].flags, rows[n].x, rows[n].y);
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
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got =
            simple_v_function_of_two(&e, rows[n].op, 32, bits_of(rows[n].x, 32), (uint64_t)rows[n].n);
        is_special(rows[n].name, got, rows[n].expected, &e, rows[n].flags, rows[n].x, (double)rows[n].n);
    }
}

/* Of a signaling NaN nothing is a number, nor anything 1. */
static void signaling_ones_are_wrong(void **state)
{
    const uint64_t signaling = 0x7f800001;
    for (unsigned op = SIMPLE_V_FLOAT_cbrt; op <= SIMPLE_V_FLOAT_powr; op++) {
        struct isa_ieee e = {ISA_IEEE_EVEN, 0};
        const uint64_t got = simple_v_has_two((enum simple_v_float)op)
                                 ? simple_v_function_of_two(&e, (enum simple_v_float)op, 32, signaling, 0)
                                 : simple_v_function(&e, (enum simple_v_float)op, 32, signaling);
        assert_int_equal(got, isa_ieee_nan(32));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_near),        cmocka_unit_test(functions_of_two_are_near),
        cmocka_unit_test(whole_powers_are_near),     cmocka_unit_test(ends_are_as_754_has_them),
        cmocka_unit_test(pairs_are_as_754_has_them), cmocka_unit_test(whole_numbers_are_as_754_has_them),
        cmocka_unit_test(signaling_ones_are_wrong),  cmocka_unit_test(roots_of_doubles_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

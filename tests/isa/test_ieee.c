/* isa/ieee.h against the host's own arithmetic in each of its four directions, with its exceptions; halves exhaustively
 * where one operand is, through what holds all of them exactly; the fifth direction, which no host has, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <xmmintrin.h>

#include "isa/ieee.h"
#include "isa/random.h"
#include "util/bits.h"
#include "util/half.h"

enum { CASES = 60000 };

static struct isa_random random_state = {11};

/* Numbers near each other, near the ends, near zero, and any bits. */
static uint64_t some(unsigned width)
{
    static const uint64_t special_32[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000,
                                          0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                          0x7f800001, 0x5f000000, 0x4f000000, 0xcf000000, 0x4effffff,
                                          0x3effffff, 0x3f000001};
    static const uint64_t special_64[] = {0,
                                          1ull << 63,
                                          1,
                                          0x000fffffffffffff,
                                          0x0010000000000000,
                                          0x3ff0000000000000,
                                          0x7fefffffffffffff,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0x7ff8000000000000,
                                          0x7ff0000000000001,
                                          0x43e0000000000000,
                                          0x41dfffffffc00000,
                                          0xc1e0000000000000,
                                          0xc3e0000000000001};
    uint64_t x = isa_random_next(&random_state);
    const unsigned digits = width == 32 ? 23 : 52;
    if (isa_random_one_in(&random_state, 6))
        return width == 32 ? special_32[x % UTIL_ARRAY_SIZE(special_32)]
                           : special_64[x % UTIL_ARRAY_SIZE(special_64)];
    if (isa_random_one_in(&random_state, 2)) {
        /* exponents near one, few digits */
        const uint64_t bias = width == 32 ? 127 : 1023;
        uint64_t exponent = bias - 6 + isa_random_below(&random_state, 13);
        x = (x & (1ull << (width - 1))) | exponent << digits | (x & ((1ull << digits) - 1));
        if (isa_random_one_in(&random_state, 2))
            x &= ~0ull << isa_random_below(&random_state, digits);
    } else if (isa_random_one_in(&random_state, 3)) {
        x &= ~(0xffull << (width - 9)) | (uint64_t)isa_random_below(&random_state, 4) << digits;
    }
    return width == 32 ? (uint32_t)x : x;
}

/* MXCSR's exceptions in RISC-V's order; its denormal one is nobody's. */
static unsigned exceptions_of(unsigned csr)
{
    return (csr & 0x20 ? ISA_IEEE_INEXACT : 0u) | (csr & 0x10 ? ISA_IEEE_UNDERFLOW : 0u) |
           (csr & 8 ? ISA_IEEE_OVERFLOW : 0u) | (csr & 4 ? ISA_IEEE_BY_ZERO : 0u) |
           (csr & 1 ? ISA_IEEE_INVALID : 0u);
}

/* MXCSR's numbers of the four directions. */
static const unsigned direction[] = {0, 3, 1, 2};

static const char *const names[] = {"add", "mul", "div", "sqrt", "fma"};

static uint64_t ours(struct isa_ieee *e, unsigned op, unsigned width, const uint64_t s[3])
{
    switch (op) {
    case 0: return isa_ieee_add(e, width, s[0], s[1]);
    case 1: return isa_ieee_mul(e, width, s[0], s[1]);
    case 2: return isa_ieee_div(e, width, s[0], s[1]);
    case 3: return isa_ieee_sqrt(e, width, s[0]);
    default: return isa_ieee_fma(e, width, s[0], s[1], s[2]);
    }
}

static uint64_t host_64(unsigned op, const uint64_t s[3])
{
    volatile double x, y, z, out;
    double v[3];
    uint64_t bits;
    memcpy(v, s, sizeof v);
    x = v[0], y = v[1], z = v[2];
    switch (op) {
    case 0: out = x + y; break;
    case 1: out = x * y; break;
    case 2: out = x / y; break;
    case 3: out = sqrt(x); break;
    default: out = fma(x, y, z); break;
    }
    double d = out;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static uint64_t host_32(unsigned op, const uint64_t s[3])
{
    volatile float x = util_u2f((uint32_t)s[0]), y = util_u2f((uint32_t)s[1]), z = util_u2f((uint32_t)s[2]),
                   out;
    switch (op) {
    case 0: out = x + y; break;
    case 1: out = x * y; break;
    case 2: out = x / y; break;
    case 3: out = sqrtf(x); break;
    default: out = fmaf(x, y, z); break;
    }
    return util_f2u(out);
}

/* Library calls may compute fma without the processor's, whose exceptions are then not all there. */
static bool has_fma(void)
{
    return __builtin_cpu_supports("fma");
}

static void one_case(unsigned op, unsigned width, unsigned rounding)
{
    const uint64_t s[3] = {some(width), some(width), some(width)};
    struct isa_ieee e = {.rounding = (enum isa_ieee_rounding)rounding};
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(0x1f80 | direction[rounding] << 13);
    uint64_t expected = width == 32 ? host_32(op, s) : host_64(op, s);
    const unsigned exceptions = exceptions_of(_mm_getcsr());
    _mm_setcsr(saved);
    if (isa_ieee_is_nan(width, expected))
        expected = isa_ieee_nan(width);
    const uint64_t got = ours(&e, op, width, s);
    /* Infinity times zero is invalid beside a quiet NaN, too, which is x86's own choice otherwise. */
    const bool told = op < 4 || (has_fma() && !isa_ieee_is_nan(width, s[2]));
    if (got != expected || (told && e.exceptions != exceptions))
        fail_msg("%s.%u of %" PRIx64 ", %" PRIx64 ", %" PRIx64 " in direction %u: %" PRIx64
                 " with %x, not %" PRIx64 " with %x",
                 names[op], width, s[0], s[1], s[2], rounding, got, e.exceptions, expected, exceptions);
}

static void arithmetic_is_the_hosts(void **state)
{
    for (unsigned op = 0; op < 5; op++)
        for (unsigned width = 32; width <= 64; width += 32)
            for (unsigned rounding = 0; rounding < 4; rounding++)
                for (unsigned n = 0; n < CASES; n++)
                    one_case(op, width, rounding);
}

static void conversions_are_the_hosts(void **state)
{
    for (unsigned rounding = 0; rounding < 4; rounding++)
        for (unsigned n = 0; n < CASES; n++) {
            const uint64_t x = some(64);
            const int64_t whole =
                (int64_t)(isa_random_next(&random_state) >> isa_random_below(&random_state, 60));
            struct isa_ieee e = {.rounding = (enum isa_ieee_rounding)rounding}, e_int = e, e_from = e;
            const unsigned saved = _mm_getcsr();
            volatile double d;
            double bits_of_x, from;
            memcpy(&bits_of_x, &x, sizeof bits_of_x);
            d = bits_of_x;
            _mm_setcsr(0x1f80 | direction[rounding] << 13);
            volatile float f = (float)d;
            const unsigned exceptions = exceptions_of(_mm_getcsr());
            _mm_setcsr(0x1f80 | direction[rounding] << 13);
            volatile int64_t i = _mm_cvtsd_si64(_mm_set_sd(d));
            const unsigned of_int = exceptions_of(_mm_getcsr());
            volatile int64_t w = whole;
            _mm_setcsr(0x1f80 | direction[rounding] << 13);
            volatile double from_whole = (double)w;
            const unsigned of_from = exceptions_of(_mm_getcsr());
            _mm_setcsr(saved);
            const uint64_t expected = isnan(bits_of_x) ? isa_ieee_nan(32) : util_f2u(f);
            assert_int_equal(isa_ieee_convert(&e, 64, 32, x), expected);
            assert_int_equal(e.exceptions, exceptions);
            const uint64_t got = isa_ieee_to_integer(&e_int, 64, x, 64, true);
            assert_int_equal(e_int.exceptions, of_int);
            if (!(of_int & ISA_IEEE_INVALID))
                assert_int_equal((int64_t)got, i);
            uint64_t from_bits =
                isa_ieee_from_integer(&e_from, 64, whole < 0, (uint64_t)(whole < 0 ? -whole : whole));
            from = from_whole;
            assert_memory_equal(&from_bits, &from, sizeof from);
            assert_int_equal(e_from.exceptions, of_from);
        }
}

/* Halves: through singles, which hold every sum's and product's digits that count (Figueroa: 24 >= 2 * 11 + 2). */
static void halves_are_rounded_singles(void **state)
{
    for (unsigned n = 0; n < 400000; n++) {
        const uint16_t x = (uint16_t)isa_random_next(&random_state),
                       y = (uint16_t)isa_random_next(&random_state);
        const float a = util_half_to_float(x), b = util_half_to_float(y);
        const float expected[] = {a + b, a * b, a / b, sqrtf(a)};
        struct isa_ieee e = {0};
        const uint64_t got[] = {isa_ieee_add(&e, 16, x, y), isa_ieee_mul(&e, 16, x, y),
                                isa_ieee_div(&e, 16, x, y), isa_ieee_sqrt(&e, 16, x)};
        for (unsigned op = 0; op < 4; op++) {
            const uint16_t half = isnan(expected[op]) ? 0x7e00 : util_float_to_half(expected[op]);
            if (got[op] != half)
                fail_msg("%s.16 of %x, %x: %" PRIx64 ", not %x", names[op], x, y, got[op], half);
        }
    }
    for (uint32_t h = 0; h <= UINT16_MAX; h++) {
        struct isa_ieee e = {0};
        const float f = util_half_to_float((uint16_t)h);
        assert_int_equal(isa_ieee_convert(&e, 16, 32, h), isnan(f) ? 0x7fc00000 : util_f2u(f));
        assert_int_equal(e.exceptions, (h & 0x7e00) == 0x7c00 && h & 0x3ff ? ISA_IEEE_INVALID : 0);
    }
}

/* 1 / sqrt(x): with more digits than a single has, doubles are right to the last place; of doubles the neighbours tell. */
static void inverse_roots_are_near(void **state)
{
    for (unsigned n = 0; n < 200000; n++) {
        const uint64_t x = some(32) & 0x7fffffff;
        struct isa_ieee e = {0};
        const float f = util_u2f((uint32_t)x);
        if (isnan(f) || f == 0 || isinf(f))
            continue;
        const uint64_t got = isa_ieee_rsqrt(&e, 32, x);
        if (got != util_f2u((float)(1 / sqrt((double)f))))
            fail_msg("1 / sqrt of %" PRIx64 " is %" PRIx64, x, got);
        const uint64_t y = some(64) & ~(1ull << 63);
        double d, r;
        memcpy(&d, &y, sizeof d);
        if (isnan(d) || d == 0 || isinf(d))
            continue;
        const uint64_t root = isa_ieee_rsqrt(&e, 64, y);
        memcpy(&r, &root, sizeof r);
        const long double exact = 1 / sqrtl((long double)d);
        assert_true(fabsl((long double)r - exact) <= exact * 0x1.001p-53L);
    }
    struct isa_ieee e = {0};
    assert_int_equal(isa_ieee_rsqrt(&e, 32, 0x40800000), 0x3f000000); /* of 4 */
    assert_int_equal(e.exceptions, 0);
    assert_int_equal(isa_ieee_rsqrt(&e, 32, 0x80000000), 0xff800000);
    assert_int_equal(e.exceptions, ISA_IEEE_BY_ZERO);
    assert_int_equal(isa_ieee_rsqrt(&e, 64, 0x7ff0000000000000), 0);
    assert_int_equal(isa_ieee_rsqrt(&e, 16, 0xbc00), 0x7e00);
    assert_int_equal(e.exceptions, ISA_IEEE_BY_ZERO | ISA_IEEE_INVALID);
}

static void ties_go_away_from_zero(void **state)
{
    struct isa_ieee e = {.rounding = ISA_IEEE_AWAY};
    assert_int_equal(isa_ieee_add(&e, 32, 0x4b800000, 0x3f800000), 0x4b800001); /* 2^24 + 1 */
    assert_int_equal(isa_ieee_add(&e, 32, 0xcb800000, 0xbf800000), 0xcb800001);
    assert_int_equal(isa_ieee_add(&e, 32, 0x4b800000, 0x3f7fffff), 0x4b800000);
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0x3f000000, 32, true), 1); /* 0.5 */
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0x40200000, 32, true), 3); /* 2.5 */
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0xc0200000, 32, true), (uint64_t)-3);
    assert_int_equal(e.exceptions, ISA_IEEE_INEXACT);
    assert_int_equal(isa_ieee_mul(&e, 32, 0x7f7fffff, 0x40000000), 0x7f800000);
}

static void integers_saturate(void **state)
{
    static const struct {
        uint64_t x, out;
        unsigned bits;
        bool is_signed;
    } rows[] = {
        {0x7fc00000, 0x7fffffff, 32, true},
        {0xffc00000, ~0ull, 32, false},
        {0xff800000, (uint64_t)INT32_MIN, 32, true},
        {0x7f800000, ~0ull, 32, false},
        {0xbf800000, 0, 32, false},
        {0x4f000000, 0x7fffffff, 32, true},
        {0xcf000001, (uint64_t)INT32_MIN, 32, true},
        {0x43000000, 127, 8, true},
        {0xc3010000, (uint64_t)-128, 8, true},
        {0x43800000, ~0ull, 8, false},
        {0x7f800000, ~0ull, 64, false},
        {0x7f800000, INT64_MAX, 64, true},
    };
    for (size_t n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        struct isa_ieee e = {0};
        const uint64_t got = isa_ieee_to_integer(&e, 32, rows[n].x, rows[n].bits, rows[n].is_signed);
        if (got != rows[n].out || e.exceptions != ISA_IEEE_INVALID)
            fail_msg("row %zu: %" PRIx64 " with %x", n, got, e.exceptions);
    }
    struct isa_ieee e = {0};
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0x4f7fffff, 32, false),
                     0xffffffffffffff00); /* as FCVT.WU extends it */
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0xcf000000, 32, true), (uint64_t)INT32_MIN);
    assert_int_equal(e.exceptions, 0);
    assert_int_equal(isa_ieee_to_integer(&e, 32, 0xbf7fffff, 32, false), 0); /* rounds to -1: not there */
    assert_int_equal(e.exceptions, ISA_IEEE_INVALID);
}

static void comparisons_and_classes(void **state)
{
    struct isa_ieee e = {0};
    assert_true(isa_ieee_equal(&e, 32, 0, 0x80000000));
    assert_false(isa_ieee_equal(&e, 32, 0x7fc00000, 0x7fc00000));
    assert_false(isa_ieee_less(&e, 32, 0x80000000, 0, false));
    assert_true(isa_ieee_less(&e, 32, 0x80000000, 0, true));
    assert_true(isa_ieee_less(&e, 32, 0xbf800000, 0x3f800000, false));
    assert_int_equal(e.exceptions, 0);
    assert_false(isa_ieee_less(&e, 32, 0x7fc00000, 0, true));
    assert_int_equal(e.exceptions, ISA_IEEE_INVALID);
    e.exceptions = 0;
    assert_int_equal(isa_ieee_min(&e, 32, 0, 0x80000000, false), 0x80000000);
    assert_int_equal(isa_ieee_min(&e, 32, 0x80000000, 0, true), 0);
    assert_int_equal(isa_ieee_min(&e, 32, 0x7fc00000, 0x3f800000, false), 0x3f800000);
    assert_int_equal(e.exceptions, 0);
    assert_int_equal(isa_ieee_min(&e, 32, 0x3f800000, 0x7f800001, true), 0x3f800000);
    assert_int_equal(e.exceptions, ISA_IEEE_INVALID);
    assert_int_equal(isa_ieee_min(&e, 32, 0xffc00001, 0x7fc00000, true), 0x7fc00000);
    static const uint32_t of[10] = {0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0,
                                    1,          0x3f800000, 0x7f800000, 0x7f800001, 0x7fc00000};
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(isa_ieee_class(32, of[n]), 1u << n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_the_hosts),    cmocka_unit_test(conversions_are_the_hosts),
        cmocka_unit_test(halves_are_rounded_singles), cmocka_unit_test(inverse_roots_are_near),
        cmocka_unit_test(ties_go_away_from_zero),     cmocka_unit_test(integers_saturate),
        cmocka_unit_test(comparisons_and_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

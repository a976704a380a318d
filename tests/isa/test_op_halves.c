/* Operations of halves (isa/op.h) over all halves, or all integers of 16 bits: each result is the exact one, rounded
 * once. What is exact is asked for by a comparison that doubles answer without rounding: a half has 11 bits, and the middle
 * between two of them 12. Functions that are approximated have a table of how many halves they miss. As IR the
 * operations are compared over all halves, too (tests/diff/test_op.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "isa/op.h"
#include "isa/sfu.h"
#include "util/bits.h"
#include "util/fpenv.h"
#include "util/half.h"

/* Of numbers; beyond the greatest there is one more, where infinity begins. */
static double value(unsigned half)
{
    return (half & 0x7fff) == 0x7c00 ? (half & 0x8000 ? -0x1p16 : 0x1p16)
                                     : (double)util_half_to_float((uint16_t)half);
}

/* The half next to one, away from zero or toward it, on its side of zero; of 0 toward it the one beyond. */
static double neighbour(unsigned half, bool away)
{
    if (!away && !(half & 0x7fff))
        return value((half ^ 0x8000) | 1);
    return value(away ? half + 1 : half - 1);
}

/* Less than 0, 0, or more: f(x) beside y, of 12 bits. */
typedef double (*beside_fn)(double x, double y);

static double of_root(double x, double y)
{
    return y < 0 ? 1 : x - y * y;
}

/* Of x in (0, infinity) or the other side. */
static double of_reciprocal(double x, double y)
{
    return x > 0 ? 1 - x * y : x * y - 1;
}

static double of_root_reciprocal(double x, double y)
{
    return y < 0 ? 1 : 1 - x * y * y;
}

static double of_floor(double x, double y)
{
    return floor(x) - y;
}

static double of_ceiling(double x, double y)
{
    return ceil(x) - y;
}

static double of_truncation(double x, double y)
{
    return trunc(x) - y;
}

static double of_even(double x, double y)
{
    return nearbyint(x) - y;
}

static double of_round(double x, double y)
{
    return round(x) - y;
}

static double of_fraction(double x, double y)
{
    return x - floor(x) - y;
}

static double of_itself(double x, double y)
{
    return x - y;
}

/* Whether a half is f(x), rounded in a direction. */
static bool is_rounded(unsigned half, beside_fn f, double x, unsigned rounding)
{
    const double v = value(half), away = neighbour(half, true), inward = neighbour(half, false);
    const bool infinite = (half & 0x7fff) == 0x7c00;
    const double upper = half & 0x8000 ? inward : away, lower = half & 0x8000 ? away : inward;
    const double at = f(x, v), above = infinite && v > 0 ? -1 : f(x, upper), below = f(x, lower);
    const bool none_below = infinite && v < 0;
    switch (rounding) {
    case ISA_OP_RTE: {
        const double high = infinite && v > 0 ? -1 : f(x, (v + upper) / 2);
        const double low = none_below ? 1 : f(x, (v + lower) / 2);
        return half & 1 ? high < 0 && low > 0 : high <= 0 && low >= 0;
    }
    case ISA_OP_RTP: return at <= 0 && (none_below || below > 0);
    case ISA_OP_RTN: return (at >= 0 || (infinite && v > 0)) && above < 0;
    default: return v == 0 ? above < 0 && below > 0 : v < 0 ? at <= 0 && below > 0 : at >= 0 && above < 0;
    }
}

static uint64_t lane(enum isa_op op, enum isa_shape shape, unsigned policy, uint64_t x)
{
    return isa_op_lane((struct isa_lane_op){(uint8_t)op, (uint8_t)shape, (uint8_t)policy},
                       (const uint64_t[3]){x});
}

static bool is_nan(uint64_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

static const struct {
    enum isa_op op;
    beside_fn beside;
    struct {
        uint16_t of, is; /* what has no number on either side */
    } ends[4];
    bool no_negative; /* these have no result */
} arithmetic[] = {
    {ISA_OP_frcp, of_reciprocal, {{0, 0x7c00}, {0x8000, 0xfc00}, {0x7c00, 0}, {0xfc00, 0x8000}}, false},
    {ISA_OP_fsqrt, of_root, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0x7e00}}, true},
    {ISA_OP_frsq, of_root_reciprocal, {{0, 0x7c00}, {0x8000, 0xfc00}, {0x7c00, 0}, {0xfc00, 0x7e00}}, true},
    {ISA_OP_ffloor, of_floor, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, false},
    {ISA_OP_fceil, of_ceiling, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, false},
    {ISA_OP_ftrunc, of_truncation, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, false},
    {ISA_OP_froundeven, of_even, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, false},
    {ISA_OP_fround, of_round, {{0, 0}, {0x8000, 0x8000}, {0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, false},
    {ISA_OP_ffract, of_fraction, {{0, 0}, {0x8000, 0}, {0x7c00, 0x7e00}, {0xfc00, 0x7e00}}, false},
};

/* What a half gives that is no end of its row's. */
static bool is_right(unsigned row, uint64_t x, uint64_t got, bool flush)
{
    if (is_nan(x) || (arithmetic[row].no_negative && x & 0x8000))
        return got == 0x7e00;
    const double tiny = 0x1p-14 - 0x1p-26; /* and more becomes the least normal half */
    if (flush && !(got & 0x7fff))
        return arithmetic[row].beside(value((unsigned)x), tiny) < 0 &&
               arithmetic[row].beside(value((unsigned)x), -tiny) > 0;
    return !is_nan(got) && is_rounded((unsigned)got, arithmetic[row].beside, value((unsigned)x), ISA_OP_RTE);
}

static void arithmetic_rounds_once(void **state)
{
    const unsigned saved = util_fpenv_enter();
    for (unsigned row = 0; row < UTIL_ARRAY_SIZE(arithmetic); row++)
        for (unsigned n = 0; n < 1 << 17; n++) {
            const bool flush = n >> 16;
            const uint64_t half = n & 0xffff, x = flush ? util_half_flushed((uint16_t)half) : half;
            const unsigned policy = ISA_OP_QUIET | (flush ? ISA_OP_FLUSH : 0);
            const uint64_t got = lane(arithmetic[row].op, ISA_F16, policy, half);
            bool right = false, is_end = false;
            for (unsigned e = 0; e < UTIL_ARRAY_SIZE(arithmetic[row].ends); e++)
                if (arithmetic[row].ends[e].of == x) {
                    is_end = true;
                    right = arithmetic[row].ends[e].is == got;
                }
            if (!(is_end ? right : is_right(row, x, got, flush)))
                fail_msg("%s of %04x%s: %04x", isa_op_rows[arithmetic[row].op].name, (unsigned)half,
                         flush ? ", flushed" : "", (unsigned)got);
        }
    util_fpenv_leave(saved);
}

static void integers_become_halves(void **state)
{
    static const struct {
        enum isa_op op;
        enum isa_shape shape;
        bool is_signed;
    } rows[] = {{ISA_OP_i8_to_f16, ISA_I8, true},
                {ISA_OP_u8_to_f16, ISA_I8, false},
                {ISA_OP_i16_to_f16, ISA_I16, true},
                {ISA_OP_u16_to_f16, ISA_I16, false}};
    const unsigned saved = util_fpenv_enter();
    for (unsigned row = 0; row < UTIL_ARRAY_SIZE(rows); row++)
        for (unsigned rounding = 0; rounding < 4; rounding++)
            for (unsigned n = 0; n < 1u << isa_shape_width(rows[row].shape); n++) {
                const int whole = !rows[row].is_signed        ? (int)n
                                  : rows[row].shape == ISA_I8 ? (int8_t)n
                                                              : (int16_t)n;
                const uint64_t got = lane(rows[row].op, rows[row].shape, rounding, n);
                if (is_nan(got) || !is_rounded((unsigned)got, of_itself, whole, rounding))
                    fail_msg("%s of %d, direction %u: %04x", isa_op_rows[rows[row].op].name, whole, rounding,
                             (unsigned)got);
            }
    util_fpenv_leave(saved);
}

static double rounded(double x, unsigned rounding)
{
    return rounding == ISA_OP_RTZ   ? trunc(x)
           : rounding == ISA_OP_RTP ? ceil(x)
           : rounding == ISA_OP_RTN ? floor(x)
                                    : nearbyint(x);
}

static void halves_become_integers(void **state)
{
    static const struct {
        enum isa_op op;
        double least, most;
    } rows[] = {{ISA_OP_f16_to_i8, -128, 127},
                {ISA_OP_f16_to_u8, 0, 255},
                {ISA_OP_f16_to_i16, -32768, 32767},
                {ISA_OP_f16_to_u16, 0, 65535},
                {ISA_OP_f16_to_i32, -0x1p31, 0x1p31 - 1},
                {ISA_OP_f16_to_u32, 0, 0x1p32 - 1}};
    const unsigned saved = util_fpenv_enter();
    for (unsigned row = 0; row < UTIL_ARRAY_SIZE(rows); row++)
        for (unsigned rounding = 0; rounding < 4; rounding++)
            for (unsigned n = 0; n < 1 << 16; n++) {
                const double x = rounded((double)util_half_to_float((uint16_t)n), rounding);
                const double end = x < rows[row].least  ? rows[row].least
                                   : x > rows[row].most ? rows[row].most
                                                        : x;
                const uint64_t mask = ~0ull >> (64 - isa_shape_width(isa_op_rows[rows[row].op].to));
                const uint64_t want = isnan(x) ? 0 : (uint64_t)(int64_t)end & mask;
                const uint64_t got = lane(rows[row].op, ISA_F16, rounding, n);
                if (got != want)
                    fail_msg("%s of %04x, direction %u: %llx, not %llx", isa_op_rows[rows[row].op].name, n,
                             rounding, (unsigned long long)got, (unsigned long long)want);
            }
    for (unsigned n = 0; n < 1 << 16; n++) {
        const uint64_t got = lane(ISA_OP_f16_to_f32, ISA_F16, ISA_OP_QUIET, n);
        assert_int_equal(got, is_nan(n) ? 0x7fc00000 : util_f2u(util_half_to_float((uint16_t)n)));
    }
    util_fpenv_leave(saved);
}

/* ---- functions ---- */

static double logarithm(double x)
{
    return log2(fabs(x));
}

static double sine(double x)
{
    return sin(2 * acos(-1) * (x - floor(x)));
}

static double cosine(double x)
{
    return cos(2 * acos(-1) * (x - floor(x)));
}

/* Sets that have them of halves compute singles and round these (isa/midgard/README.md): some results are the half on the
 * other side of the exact one. */
static void functions_miss_few(void **state)
{
    static const struct {
        const char *name;
        uint32_t (*ours)(uint32_t);
        double (*exact)(double);
        unsigned misses;
    } rows[] = {{"exp2", isa_exp2, exp2, 5},
                {"log2", isa_log2, logarithm, 0},
                {"sin", isa_sin_turns, sine, 0},
                {"cos", isa_cos_turns, cosine, 2},
                {"atan", isa_atan, atan, 6}};
    const unsigned saved = util_fpenv_enter();
    for (unsigned row = 0; row < UTIL_ARRAY_SIZE(rows); row++) {
        unsigned misses = 0;
        for (unsigned n = 0; n < 1 << 16; n++) {
            const float x = util_half_to_float((uint16_t)n);
            const double exact = rows[row].exact((double)x);
            const unsigned got = (unsigned)lane(ISA_OP_f32_to_f16, ISA_F32, 0, rows[row].ours(util_f2u(x)));
            if (isnan(exact) && is_nan(got))
                continue;
            if (is_nan(got) || (!is_rounded(got, of_itself, exact, ISA_OP_RTP) &&
                                !is_rounded(got, of_itself, exact, ISA_OP_RTN)))
                fail_msg("%s of %04x: %04x", rows[row].name, n, got);
            misses += !is_rounded(got, of_itself, exact, ISA_OP_RTE);
        }
        if (misses != rows[row].misses)
            fail_msg("%s misses %u halves, not %u", rows[row].name, misses, rows[row].misses);
    }
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_rounds_once), cmocka_unit_test(integers_become_halves),
        cmocka_unit_test(halves_become_integers), cmocka_unit_test(functions_miss_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

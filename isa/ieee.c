#include "isa/ieee.h"

#include <stddef.h>

#include "util/bits.h"

typedef unsigned __int128 wide;

/* A format: digits with the leading one; the exponents of the last place of the least and of the greatest numbers. */
struct format {
    int digits, least, most;
};

static struct format format_of(unsigned width)
{
    static const struct format half = {11, -24, 5}, single = {24, -149, 104}, twofold = {53, -1074, 971};
    return width == 16 ? half : width == 32 ? single : twofold;
}

static uint64_t sign_bit(unsigned width)
{
    return 1ull << (width - 1);
}

static uint64_t infinity(unsigned width)
{
    const struct format f = format_of(width);
    return (uint64_t)(f.most - f.least + 2) << (f.digits - 1);
}

uint64_t isa_ieee_nan(unsigned width)
{
    return infinity(width) | 1ull << (format_of(width).digits - 2);
}

bool isa_ieee_is_nan(unsigned width, uint64_t x)
{
    return (x & (sign_bit(width) - 1)) > infinity(width);
}

/* ---- numbers ---- */

/* A finite one that is not 0: significand * 2^exponent, bit 63 of the significand set. */
struct number {
    enum { ZERO, FINITE, INFINITE, NAN_ } kind;
    bool negative, signaling;
    int exponent;
    uint64_t significand;
};

static struct number unpack(unsigned width, uint64_t x)
{
    const struct format f = format_of(width);
    const uint64_t magnitude = x & (sign_bit(width) - 1), infinite = infinity(width);
    const uint64_t fraction = magnitude & ((1ull << (f.digits - 1)) - 1);
    const int exponent = (int)(magnitude >> (f.digits - 1));
    struct number n = {.negative = x >> (width - 1) & 1};
    if (magnitude >= infinite) {
        n.kind = magnitude == infinite ? INFINITE : NAN_;
        n.signaling = n.kind == NAN_ && !(magnitude >> (f.digits - 2) & 1);
        return n;
    }
    n.significand = exponent ? fraction | 1ull << (f.digits - 1) : fraction;
    n.exponent = f.least + (exponent ? exponent - 1 : 0);
    n.kind = n.significand ? FINITE : ZERO;
    if (n.significand) {
        const int by = __builtin_clzll(n.significand);
        n.significand <<= by;
        n.exponent -= by;
    }
    return n;
}

static int length_of(wide x)
{
    const uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* x / 2^by, with its last bit set if anything was lost. */
static wide jam(wide x, int by)
{
    if (by <= 0)
        return x;
    return by > 127 ? x != 0 : x >> by | ((x & (((wide)1 << by) - 1)) != 0);
}

/* Whether a number whose last place is 1, of which `rest` quarters are dropped (2: half; 1 and 3: less and more than half),
 * goes to the next. */
static bool goes_up(enum isa_ieee_rounding rounding, bool negative, bool odd, unsigned rest)
{
    switch (rounding) {
    case ISA_IEEE_EVEN: return rest > 2 || (rest == 2 && odd);
    case ISA_IEEE_ZERO: return false;
    case ISA_IEEE_DOWN: return rest && negative;
    case ISA_IEEE_UP: return rest && !negative;
    default: return rest >= 2;
    }
}

/* The wide number without its last `drop` bits, rounded; *rest as goes_up has it. */
static wide rounded(enum isa_ieee_rounding rounding, bool negative, wide x, int drop, unsigned *rest)
{
    *rest = 0;
    if (drop <= 0) /* less than a format's digits */
        return x << ((unsigned)-drop & 127);
    const wide quarters = drop >= 2 ? jam(x, drop - 2) : x << 1;
    *rest = (unsigned)(quarters & 3);
    /* jam's last bit is of what lies below: less than half, or more. */
    return (quarters >> 2) + goes_up(rounding, negative, quarters >> 2 & 1, *rest);
}

static uint64_t overflowed(struct isa_ieee *e, unsigned width, bool negative)
{
    const bool there = e->rounding == ISA_IEEE_EVEN || e->rounding == ISA_IEEE_AWAY ||
                       (e->rounding == ISA_IEEE_UP && !negative) ||
                       (e->rounding == ISA_IEEE_DOWN && negative);
    e->exceptions |= ISA_IEEE_OVERFLOW | ISA_IEEE_INEXACT;
    return (negative ? sign_bit(width) : 0) | (there ? infinity(width) : infinity(width) - 1);
}

/* significand * 2^exponent, not 0, of at most 126 bits. */
static uint64_t pack(struct isa_ieee *e, unsigned width, bool negative, wide significand, int exponent)
{
    const struct format f = format_of(width);
    const int length = length_of(significand), own = exponent + length - f.digits;
    int last = own < f.least ? f.least : own;
    unsigned rest, own_rest;
    wide kept = rounded(e->rounding, negative, significand, last - exponent, &rest);
    /* Tiny: still less than the least normal number with as many digits as that has. */
    const wide own_kept = rounded(e->rounding, negative, significand, own - exponent, &own_rest);
    const bool tiny = own < f.least && own + length_of(own_kept) - f.digits < f.least;
    if (length_of(kept) > f.digits) {
        kept >>= 1;
        last++;
    }
    if (last > f.most)
        return overflowed(e, width, negative);
    if (rest)
        e->exceptions |= ISA_IEEE_INEXACT | (tiny ? ISA_IEEE_UNDERFLOW : 0);
    const uint64_t hidden = 1ull << ((unsigned)(f.digits - 1) & 63), bits = (uint64_t)kept;
    const uint64_t magnitude = bits & hidden ? ((uint64_t)(last - f.least) << (f.digits - 1)) + bits : bits;
    return (negative ? sign_bit(width) : 0) | magnitude;
}

static uint64_t invalid(struct isa_ieee *e, unsigned width)
{
    e->exceptions |= ISA_IEEE_INVALID;
    return isa_ieee_nan(width);
}

static uint64_t zero(unsigned width, bool negative)
{
    return negative ? sign_bit(width) : 0;
}

static uint64_t infinite(unsigned width, bool negative)
{
    return infinity(width) | zero(width, negative);
}

/* A NaN among the operands. */
static bool has_nan(struct isa_ieee *e, const struct number *n, size_t count)
{
    bool nan = false;
    for (size_t i = 0; i < count; i++) {
        nan |= n[i].kind == NAN_;
        if (n[i].signaling)
            e->exceptions |= ISA_IEEE_INVALID;
    }
    return nan;
}

/* ---- sums and products ---- */

/* Of two numbers with their highest bit at 125 and some twenty zeros below: what is shifted out of the lesser matters only
 * where it is not near the greater. */
static uint64_t sum(struct isa_ieee *e, unsigned width, bool x_negative, wide x, int x_exponent,
                    bool y_negative, wide y, int y_exponent)
{
    const int exponent = x_exponent > y_exponent ? x_exponent : y_exponent;
    x = jam(x, exponent - x_exponent);
    y = jam(y, exponent - y_exponent);
    if (x_negative == y_negative)
        return pack(e, width, x_negative, x + y, exponent);
    if (x == y)
        return zero(width, e->rounding == ISA_IEEE_DOWN);
    return pack(e, width, x > y ? x_negative : y_negative, x > y ? x - y : y - x, exponent);
}

/* Highest bit at 125. */
static wide aligned(wide x, int *exponent)
{
    const int by = 126 - length_of(x);
    *exponent -= by;
    return by >= 0 ? x << by : x >> -by;
}

uint64_t isa_ieee_fma(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, uint64_t z)
{
    const struct number n[3] = {unpack(width, x), unpack(width, y), unpack(width, z)};
    const bool negative = n[0].negative != n[1].negative;
    const bool endless = n[0].kind == INFINITE || n[1].kind == INFINITE;
    const bool nothing = n[0].kind == ZERO || n[1].kind == ZERO;
    const bool nan = has_nan(e, n, 3);
    if (endless && nothing)
        return invalid(e, width);
    if (nan)
        return isa_ieee_nan(width);
    if (endless)
        return n[2].kind == INFINITE && n[2].negative != negative ? invalid(e, width)
                                                                  : infinite(width, negative);
    if (n[2].kind == INFINITE)
        return z;
    if (nothing && n[2].kind == ZERO)
        return zero(width, negative == n[2].negative ? negative : e->rounding == ISA_IEEE_DOWN);
    if (nothing)
        return z;
    int p_exponent = n[0].exponent + n[1].exponent, z_exponent = n[2].exponent;
    const wide p = aligned((wide)n[0].significand * n[1].significand, &p_exponent);
    if (n[2].kind == ZERO)
        return pack(e, width, negative, p, p_exponent);
    const wide added = aligned(n[2].significand, &z_exponent);
    return sum(e, width, negative, p, p_exponent, n[2].negative, added, z_exponent);
}

static uint64_t one(unsigned width)
{
    const struct format f = format_of(width);
    return (uint64_t)(1 - f.digits - f.least + 1) << (f.digits - 1);
}

uint64_t isa_ieee_add(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y)
{
    return isa_ieee_fma(e, width, x, one(width), y);
}

/* A zero of the product's sign is added, which changes nothing. */
uint64_t isa_ieee_mul(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y)
{
    return isa_ieee_fma(e, width, x, y, (x ^ y) & sign_bit(width));
}

/* ---- quotients and roots ---- */

uint64_t isa_ieee_div(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y)
{
    const struct number n[2] = {unpack(width, x), unpack(width, y)};
    const bool negative = n[0].negative != n[1].negative;
    if (has_nan(e, n, 2))
        return isa_ieee_nan(width);
    if (n[0].kind == n[1].kind && n[0].kind != FINITE)
        return invalid(e, width);
    if (n[0].kind == INFINITE)
        return infinite(width, negative);
    if (n[0].kind == ZERO || n[1].kind == INFINITE)
        return zero(width, negative);
    if (n[1].kind == ZERO) {
        e->exceptions |= ISA_IEEE_BY_ZERO;
        return infinite(width, negative);
    }
    const wide dividend = (wide)n[0].significand << 63;
    const wide quotient = dividend / n[1].significand;
    const bool rest = dividend % n[1].significand != 0;
    return pack(e, width, negative, quotient << 1 | rest, n[0].exponent - n[1].exponent - 64);
}

/* Of roots: what is no positive finite number. True: *out is the result. */
static bool root_of_none(struct isa_ieee *e, unsigned width, const struct number *n, uint64_t *out)
{
    if (has_nan(e, n, 1))
        *out = isa_ieee_nan(width);
    else if (n->negative && n->kind != ZERO)
        *out = invalid(e, width);
    else
        return false;
    return true;
}

uint64_t isa_ieee_sqrt(struct isa_ieee *e, unsigned width, uint64_t x)
{
    const struct number n = unpack(width, x);
    uint64_t out;
    if (root_of_none(e, width, &n, &out))
        return out;
    if (n.kind != FINITE)
        return x;
    const int shift = (n.exponent & 1) ? 63 : 62;
    const wide square = (wide)n.significand << shift;
    wide root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const wide next = root | (wide)1 << bit;
        if (next * next <= square)
            root = next;
    }
    return pack(e, width, false, root << 1 | (root * root != square), (n.exponent - shift) / 2 - 1);
}

/* Whether root^2 * x is at most 2^power; *same: it is that. */
static bool is_below(wide square, uint64_t x, int power, bool *same)
{
    const wide low = (wide)(uint64_t)square * x, high = (square >> 64) * x + (low >> 64);
    const wide limit = (wide)1 << (power - 64);
    *same = high == limit && !(uint64_t)low;
    return high < limit || *same;
}

uint64_t isa_ieee_rsqrt(struct isa_ieee *e, unsigned width, uint64_t x)
{
    const struct number n = unpack(width, x);
    uint64_t out;
    if (root_of_none(e, width, &n, &out))
        return out;
    if (n.kind == INFINITE)
        return 0;
    if (n.kind == ZERO) {
        e->exceptions |= ISA_IEEE_BY_ZERO;
        return infinite(width, n.negative);
    }
    /* x = s * 2^exponent, s of 53 or 54 bits, the exponent even; r^2 * s <= 2^164 has r of 55 or 56 bits. */
    const int by = (n.exponent + 11) & 1 ? 10 : 11;
    const uint64_t s = n.significand >> by;
    const int exponent = n.exponent + by, power = 164;
    uint64_t r = 0;
    bool same = false, exact = false;
    for (int bit = 57; bit >= 0; bit--) {
        const uint64_t next = r | 1ull << bit;
        if (is_below((wide)next * next, s, power, &same)) {
            r = next;
            exact = same;
        }
    }
    return pack(e, width, false, (wide)r << 1 | !exact, -(power + exponent) / 2 - 1);
}

/* ---- comparisons ---- */

/* As a number of which greater floats have greater ones; zeros are the same. */
static int64_t ordered(unsigned width, uint64_t x)
{
    const int64_t magnitude = (int64_t)(x & (sign_bit(width) - 1));
    return x & sign_bit(width) ? -magnitude : magnitude;
}

bool isa_ieee_equal(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y)
{
    const struct number n[2] = {unpack(width, x), unpack(width, y)};
    return !has_nan(e, n, 2) && ordered(width, x) == ordered(width, y);
}

bool isa_ieee_less(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, bool or_equal)
{
    if (isa_ieee_is_nan(width, x) || isa_ieee_is_nan(width, y)) {
        e->exceptions |= ISA_IEEE_INVALID;
        return false;
    }
    const int64_t a = ordered(width, x), b = ordered(width, y);
    return or_equal ? a <= b : a < b;
}

uint64_t isa_ieee_min(struct isa_ieee *e, unsigned width, uint64_t x, uint64_t y, bool greatest)
{
    const struct number n[2] = {unpack(width, x), unpack(width, y)};
    has_nan(e, n, 2);
    if (n[0].kind == NAN_)
        return n[1].kind == NAN_ ? isa_ieee_nan(width) : y;
    if (n[1].kind == NAN_)
        return x;
    const int64_t a = ordered(width, x), b = ordered(width, y);
    const bool first = a == b ? n[0].negative : a < b;
    return first != greatest ? x : y;
}

uint64_t isa_ieee_class(unsigned width, uint64_t x)
{
    const struct number n = unpack(width, x);
    const bool normal = (x & (sign_bit(width) - 1)) >> (format_of(width).digits - 1);
    if (n.kind == NAN_)
        return n.signaling ? 1u << 8 : 1u << 9;
    const unsigned from_zero = n.kind == ZERO ? 0 : n.kind == INFINITE ? 3 : normal ? 2 : 1;
    return n.negative ? 1u << (3 - from_zero) : 1u << (4 + from_zero);
}

/* ---- conversions ---- */

uint64_t isa_ieee_convert(struct isa_ieee *e, unsigned from, unsigned to, uint64_t x)
{
    const struct number n = unpack(from, x);
    if (has_nan(e, &n, 1))
        return isa_ieee_nan(to);
    if (n.kind != FINITE)
        return n.kind == ZERO ? zero(to, n.negative) : infinite(to, n.negative);
    return pack(e, to, n.negative, n.significand, n.exponent);
}

uint64_t isa_ieee_to_integer(struct isa_ieee *e, unsigned width, uint64_t x, unsigned bits, bool is_signed)
{
    const struct number n = unpack(width, x);
    const uint64_t most = is_signed ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
    const uint64_t least = is_signed ? most + 1 : 0; /* its magnitude */
    const uint64_t sign = n.negative && n.kind != NAN_ ? 0 - least : most;
    /* An unsigned one of fewer than 64 bits has its highest bit as the sign, as FCVT.WU has. */
    const unsigned unused = 64 - bits;
    wide whole = 0;
    unsigned rest = 0;
    bool fits = n.kind == ZERO;
    if (n.kind == FINITE && n.exponent <= 0) {
        whole = rounded(e->rounding, n.negative, n.significand, -n.exponent, &rest);
        fits = whole <= (n.negative ? least : most);
    }
    if (!fits) {
        e->exceptions |= ISA_IEEE_INVALID;
        return (uint64_t)((int64_t)(sign << unused) >> unused);
    }
    if (rest)
        e->exceptions |= ISA_IEEE_INEXACT;
    const uint64_t value = n.negative ? 0 - (uint64_t)whole : (uint64_t)whole;
    return (uint64_t)((int64_t)(value << unused) >> unused);
}

uint64_t isa_ieee_round(struct isa_ieee *e, unsigned width, bool negative, unsigned __int128 significand,
                        int exponent)
{
    return pack(e, width, negative, significand, exponent);
}

uint64_t isa_ieee_from_integer(struct isa_ieee *e, unsigned width, bool negative, uint64_t magnitude)
{
    return magnitude ? pack(e, width, negative, magnitude, 0) : 0;
}

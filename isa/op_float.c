/* Floats. Halves are computed as doubles, which hold every sum, product and fused sum of halves so far that
 * rounding once more is harmless, and are rounded by their bits. */
#include <math.h>

#include "isa/op_internal.h"
#include "util/bits.h"

/* A format's digits, and the exponents that its last place has. */
struct format {
    int digits, least, most;
};
static const struct format single = {24, -149, 104}, half = {11, -24, 5}, twofold = {53, -1074, 971};

static const struct format *format_of(unsigned width)
{
    return width == 16 ? &half : width == 32 ? &single : &twofold;
}

static uint64_t sign_bit(const struct format *f)
{
    return f->digits == 11 ? 0x8000 : f->digits == 24 ? 0x80000000 : 1ull << 63;
}

static uint64_t infinity(const struct format *f)
{
    return (uint64_t)(f->most - f->least + 2) << (f->digits - 1);
}

static uint64_t quiet_nan(const struct format *f)
{
    return infinity(f) | 1ull << (f->digits - 2);
}

/* significand * 2^exponent, rounded. */
static uint64_t pack(const struct format *f, bool negative, uint64_t significand, int exponent,
                     unsigned rounding)
{
    uint64_t sign = negative ? sign_bit(f) : 0, infinite = infinity(f);
    if (!significand)
        return sign;
    int length = 64 - __builtin_clzll(significand), last = exponent + length - f->digits;
    last = last < f->least ? f->least : last;
    int drop = last - exponent;
    /* what is dropped, as a fraction of 2^64; beyond that it is less than half of one, and more than nothing */
    uint64_t kept = drop <= 0 ? significand << (-drop & 63) : drop < 64 ? significand >> drop : 0;
    uint64_t rest = drop <= 0 ? 0 : drop <= 64 ? significand << (64 - drop) : 1, middle = 1ull << 63;
    bool up;
    switch (rounding) {
    case ISA_OP_RTZ: up = false; break;
    case ISA_OP_RTP: up = rest && !negative; break;
    case ISA_OP_RTN: up = rest && negative; break;
    default: up = rest > middle || (rest == middle && (kept & 1)); break;
    }
    kept += up;
    if (kept >> f->digits) {
        kept >>= 1;
        last++;
    }
    if (last > f->most) {
        bool there = rounding == ISA_OP_RTE || (rounding == ISA_OP_RTP && !negative) ||
                     (rounding == ISA_OP_RTN && negative);
        return sign | (there ? infinite : infinite - 1);
    }
    /* an implied one, but in a denormal */
    uint64_t bits = kept >> (f->digits - 1) ? ((uint64_t)(last - f->least + 1) << (f->digits - 1)) +
                                                  (kept - (1ull << (f->digits - 1)))
                                            : kept;
    return sign | bits;
}

static double double_of_half(uint64_t h, bool flush)
{
    unsigned exponent = h >> 10 & 31;
    double size = (double)(h & 1023);
    if (exponent == 31)
        size = h & 1023 ? (double)NAN : (double)INFINITY;
    else if (exponent)
        size = ldexp(size + 1024, (int)exponent - 25);
    else
        size = flush ? 0 : size * 0x1p-24;
    return h & 0x8000 ? -size : size;
}

static double double_of_single(uint64_t bits)
{
    return (double)util_u2f(bits & 0x7f800000 ? (uint32_t)bits : (uint32_t)bits & 0x80000000);
}

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Without denormals. */
static double double_of_double(uint64_t bits)
{
    double d;
    bits = bits << 1 >> 53 ? bits : bits & 1ull << 63;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t from_double(const struct format *f, double d, unsigned rounding)
{
    uint64_t bits = bits_of(d);
    uint64_t fraction = bits & ((1ull << 52) - 1);
    int exponent = (int)(bits >> 52 & 2047);
    bool negative = bits >> 63;
    if (exponent == 2047)
        return fraction ? quiet_nan(f) : (negative ? sign_bit(f) : 0) | infinity(f);
    return pack(f, negative, exponent ? fraction | 1ull << 52 : 0, exponent - 1075, rounding);
}

/* A half's result of arithmetic, rounded to even. */
static uint64_t half_of(double d, bool flush)
{
    uint64_t h = isnan(d) ? 0x7e00 : from_double(&half, d, ISA_OP_RTE);
    return flush && !(h & 0x7c00) ? h & 0x8000 : h;
}

static uint64_t sign_of(const struct isa_op_one *l)
{
    return sign_bit(format_of(l->width));
}

/* A single's own sum: what doubles would round twice is computed as singles. */
static float single_sum(const struct isa_op_one *l)
{
    float x = util_u2f((uint32_t)l->s[0]), y = util_u2f((uint32_t)l->s[1]), z = util_u2f((uint32_t)l->s[2]);
    switch (l->op) {
    case ISA_OP_fadd: return x + y;
    case ISA_OP_fsub: return x - y;
    case ISA_OP_fmul: return x * y;
    case ISA_OP_ffma: return fmaf(x, y, z);
    case ISA_OP_frcp: return 1.0f / x;
    case ISA_OP_fsqrt: return sqrtf(x);
    case ISA_OP_frsq: return 1.0f / sqrtf(x);
    case ISA_OP_ffract: return x - (float)floor(l->f[0]);
    default: return 0;
    }
}

static uint64_t half_sum(const struct isa_op_one *l)
{
    bool flush = l->policy & ISA_OP_FLUSH;
    double x = l->f[0], y = l->f[1], z = l->f[2];
    switch (l->op) {
    case ISA_OP_fadd: return half_of(x + y, flush);
    case ISA_OP_fsub: return half_of(x - y, flush);
    case ISA_OP_fmul: return half_of(x * y, flush);
    case ISA_OP_ffma: return half_of(x * y + z, flush);
    case ISA_OP_frcp: return half_of(1 / x, flush);
    case ISA_OP_fsqrt: return half_of(sqrt(x), flush);
    case ISA_OP_frsq: return half_of(1 / sqrt(x), flush);
    case ISA_OP_ffract: return half_of(x - floor(x), flush);
    default: return 0;
    }
}

static double double_sum(const struct isa_op_one *l)
{
    double x = l->f[0], y = l->f[1];
    switch (l->op) {
    case ISA_OP_fadd: return x + y;
    case ISA_OP_fsub: return x - y;
    case ISA_OP_fmul: return x * y;
    case ISA_OP_frcp: return 1 / x;
    case ISA_OP_fsqrt: return sqrt(x);
    case ISA_OP_frsq: return 1 / sqrt(x);
    case ISA_OP_ffract: return x - floor(x);
    default: return 0;
    }
}

/* x + y to odd: of a sum that is not exact the neighbour whose last bit is 1, which rounds to fewer digits as
 * the sum does. */
static double odd_sum(double x, double y)
{
    double sum = x + y, of_y = sum - x, rest = (x - (sum - of_y)) + (y - of_y);
    if (!isfinite(sum) || rest == 0 || bits_of(sum) & 1)
        return sum;
    return double_of_double(bits_of(sum) + ((rest < 0) == (sum < 0) ? 1 : ~0ull));
}

static bool is_directed(const struct isa_op_one *l)
{
    bool sum = l->op == ISA_OP_fadd || l->op == ISA_OP_fsub || l->op == ISA_OP_fmul || l->op == ISA_OP_ffma;
    return sum && l->width < 64 && l->policy & ISA_OP_ROUNDING;
}

static uint64_t directed_sum(const struct isa_op_one *l)
{
    double x = l->f[0], y = l->f[1], d;
    switch (l->op) {
    case ISA_OP_fadd: d = odd_sum(x, y); break;
    case ISA_OP_fsub: d = odd_sum(x, -y); break;
    case ISA_OP_fmul: d = x * y; break;
    default: d = odd_sum(x * y, l->f[2]); break;
    }
    if (l->width == 32 && fabs(d) < 0x1p-126)
        return signbit(d) ? 0x80000000 : 0;
    uint64_t out = from_double(format_of(l->width), d, l->policy & ISA_OP_ROUNDING);
    return l->is_half && l->policy & ISA_OP_FLUSH && !(out & 0x7c00) ? out & 0x8000 : out;
}

/* A whole number, or a scaled one, which rounds at most once. */
static uint64_t exact(const struct isa_op_one *l, double d)
{
    if (l->is_half)
        return half_of(d, l->policy & ISA_OP_FLUSH);
    if (l->width == 64)
        return isnan(d) ? quiet_nan(&twofold) : bits_of(double_of_double(bits_of(d)));
    uint64_t bits = isnan(d) ? 0x7fc00000 : from_double(&single, d, ISA_OP_RTE);
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t scaled(const struct isa_op_one *l)
{
    int64_t by = l->is_half ? (int16_t)l->s[1] : (int32_t)l->s[1];
    by = by > 400 ? 400 : by < -400 ? -400 : by;
    return exact(l, ldexp(l->f[0], (int)by));
}

static uint64_t lesser(const struct isa_op_one *l, bool greatest)
{
    double x = l->f[0], y = l->f[1];
    if ((l->policy & ISA_OP_PROPAGATE) && (isnan(x) || isnan(y)))
        return quiet_nan(format_of(l->width));
    return (greatest ? x > y : x < y) || isnan(y) ? l->s[0] : l->s[1];
}

static uint64_t clamped(const struct isa_op_one *l, double least, double most)
{
    double x = l->f[0];
    return x > least && x < most ? l->s[0] : exact(l, x > least ? most : least);
}

uint64_t isa_op_float_lane(const struct isa_op_one *l)
{
    double x = l->f[0];
    switch (l->op) {
    case ISA_OP_fmin: return lesser(l, false);
    case ISA_OP_fmax: return lesser(l, true);
    case ISA_OP_fldexp: return scaled(l);
    case ISA_OP_fabs: return l->s[0] & ~sign_of(l);
    case ISA_OP_fneg: return l->s[0] ^ sign_of(l);
    case ISA_OP_fnabs: return l->s[0] | sign_of(l);
    case ISA_OP_fcopysign: return (l->s[0] & ~sign_of(l)) | (l->s[1] & sign_of(l));
    case ISA_OP_fclamp_0_1: return clamped(l, 0, 1);
    case ISA_OP_fclamp_m1_1: return clamped(l, -1, 1);
    case ISA_OP_fclamp_0_inf: return clamped(l, 0, (double)INFINITY);
    case ISA_OP_ffloor: return exact(l, floor(x));
    case ISA_OP_fceil: return exact(l, ceil(x));
    case ISA_OP_ftrunc: return exact(l, trunc(x));
    case ISA_OP_froundeven: return exact(l, nearbyint(x));
    case ISA_OP_fround: return exact(l, round(x));
    case ISA_OP_fsel: return x != 0 ? l->s[1] : l->s[2];
    default: break;
    }
    if (is_directed(l))
        return directed_sum(l);
    return l->is_half ? half_sum(l) : l->width == 64 ? bits_of(double_sum(l)) : util_f2u(single_sum(l));
}

bool isa_op_ftest_lane(const struct isa_op_one *l)
{
    double x = l->f[0], y = l->f[1];
    switch (l->op) {
    case ISA_OP_feq: return x == y;
    case ISA_OP_fne: return x != y;
    case ISA_OP_flg: return x < y || x > y;
    case ISA_OP_flt: return x < y;
    case ISA_OP_fle: return x <= y;
    case ISA_OP_fgt: return x > y;
    case ISA_OP_fge: return x >= y;
    case ISA_OP_ford: return !isnan(x) && !isnan(y);
    case ISA_OP_funord: return isnan(x) || isnan(y);
    case ISA_OP_fnot: return x == 0;
    case ISA_OP_fand: return x != 0 && y != 0;
    case ISA_OP_for: return x != 0 || y != 0;
    default: return (x != 0) != (y != 0);
    }
}

uint64_t isa_op_no_number(const struct isa_op_one *l, uint64_t out, unsigned width)
{
    const struct format *f = format_of(width);
    bool nan = (out & ~sign_bit(f)) > infinity(f);
    return nan && l->policy & ISA_OP_QUIET ? quiet_nan(f) : out;
}

double isa_op_double_of(const struct isa_op_one *l, uint64_t bits)
{
    return l->is_half       ? double_of_half(bits, l->policy & ISA_OP_FLUSH)
           : l->width == 64 ? double_of_double(bits)
                            : double_of_single(bits);
}

uint64_t isa_op_pack(unsigned width, bool negative, uint64_t significand, unsigned rounding)
{
    return pack(format_of(width), negative, significand, 0, rounding);
}

uint64_t isa_op_from_double(unsigned width, double d, unsigned rounding)
{
    return from_double(format_of(width), d, rounding);
}

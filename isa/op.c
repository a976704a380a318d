/* One lane at a time. Halves are computed as doubles, which hold every sum, product and fused sum of halves
 * so far that rounding once more is harmless, and are rounded by their bits. */
#include "isa/op.h"

#include <math.h>

#include "util/bits.h"

const struct isa_op_row isa_op_rows[ISA_OP_COUNT] = {
#define OP(name, sources, kind) {#name, sources, ISA_OP_##kind, 0, 0, ISA_OP_SIGNED, false},
#define CONVERT(name, from, to, integers, saturates)                                                         \
    {#name, 1, ISA_OP_CONVERT, ISA_##from, ISA_##to, ISA_OP_##integers, saturates},
#include "isa/op.inc"
};

static const struct {
    uint8_t width, elements;
} shapes[ISA_SHAPE_COUNT] = {
    [ISA_F32] = {32, 1}, [ISA_F16] = {16, 1}, [ISA_V2F16] = {16, 2}, [ISA_I8] = {8, 1},
    [ISA_V4I8] = {8, 4}, [ISA_I16] = {16, 1}, [ISA_V2I16] = {16, 2}, [ISA_I32] = {32, 1},
    [ISA_I64] = {64, 1}, [ISA_F64] = {64, 1},
};

unsigned isa_shape_width(enum isa_shape shape)
{
    return shapes[shape].width;
}

unsigned isa_shape_elements(enum isa_shape shape)
{
    return shapes[shape].elements;
}

static bool is_float(enum isa_shape shape)
{
    return shape <= ISA_V2F16;
}

bool isa_op_takes(enum isa_op op, enum isa_shape shape)
{
    const struct isa_op_row *row = &isa_op_rows[op];
    if (shape == ISA_F64 && (op == ISA_OP_ffma || op == ISA_OP_fldexp))
        return false;
    if (row->kind != ISA_OP_CONVERT)
        return is_float(shape) == (row->kind <= ISA_OP_FTEST);
    if (shape == row->from)
        return true;
    return is_float(shape) == is_float(row->from) && shapes[shape].width == shapes[row->from].width &&
           shapes[row->from].width == shapes[row->to].width;
}

enum isa_shape isa_op_gives(enum isa_op op, enum isa_shape shape)
{
    const struct isa_op_row *row = &isa_op_rows[op];
    if (row->kind != ISA_OP_CONVERT)
        return shape;
    if (shape == row->from)
        return row->to;
    return is_float(row->to) ? ISA_V2F16 : ISA_V2I16;
}

/* ---- floats as doubles ---- */

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
    uint64_t kept = drop <= 0 ? significand << -drop : drop < 64 ? significand >> drop : 0;
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

struct lane {
    enum isa_op op;
    unsigned width, policy;
    bool is_half;
    double f[3];   /* as floats */
    uint64_t s[3]; /* bits */
};

static uint64_t one(const struct lane *l)
{
    return l->is_half ? 0x3c00 : l->width == 64 ? 0x3ffull << 52 : 0x3f800000;
}

static uint64_t sign_of(const struct lane *l)
{
    return sign_bit(format_of(l->width));
}

static uint64_t truth(const struct lane *l, bool yes)
{
    if (!yes)
        return 0;
    if (l->policy & ISA_OP_F1)
        return one(l);
    return l->policy & ISA_OP_I1 ? 1 : ~0ull;
}

/* A single's own sum: what doubles would round twice is computed as singles. */
static float single_sum(const struct lane *l)
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

static uint64_t half_sum(const struct lane *l)
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
    case ISA_OP_frsq: return half_of(1 / double_of_half(half_of(sqrt(x), flush), false), flush);
    case ISA_OP_ffract: return half_of(x - floor(x), flush);
    default: return 0;
    }
}

static double double_sum(const struct lane *l)
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

static bool is_directed(const struct lane *l)
{
    bool sum = l->op == ISA_OP_fadd || l->op == ISA_OP_fsub || l->op == ISA_OP_fmul || l->op == ISA_OP_ffma;
    return sum && l->width < 64 && l->policy & ISA_OP_ROUNDING;
}

static uint64_t directed_sum(const struct lane *l)
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
static uint64_t exact(const struct lane *l, double d)
{
    if (l->is_half)
        return half_of(d, l->policy & ISA_OP_FLUSH);
    if (l->width == 64)
        return isnan(d) ? quiet_nan(&twofold) : bits_of(double_of_double(bits_of(d)));
    uint64_t bits = isnan(d) ? 0x7fc00000 : from_double(&single, d, ISA_OP_RTE);
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t scaled(const struct lane *l)
{
    int64_t by = l->is_half ? (int16_t)l->s[1] : (int32_t)l->s[1];
    by = by > 400 ? 400 : by < -400 ? -400 : by;
    return exact(l, ldexp(l->f[0], (int)by));
}

static uint64_t lesser(const struct lane *l, bool greatest)
{
    double x = l->f[0], y = l->f[1];
    if ((l->policy & ISA_OP_PROPAGATE) && (isnan(x) || isnan(y)))
        return quiet_nan(format_of(l->width));
    return (greatest ? x > y : x < y) || isnan(y) ? l->s[0] : l->s[1];
}

static uint64_t clamped(const struct lane *l, double least, double most)
{
    double x = l->f[0];
    return x > least && x < most ? l->s[0] : exact(l, x > least ? most : least);
}

static uint64_t float_op(const struct lane *l)
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

static bool ftest(const struct lane *l)
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

/* ---- integers ---- */

static int64_t extend(uint64_t x, unsigned width)
{
    return (int64_t)(x << (64 - width)) >> (64 - width);
}

static uint64_t limited(__int128 x, __int128 least, __int128 most)
{
    return (uint64_t)(x < least ? least : x > most ? most : x);
}

static uint64_t reversed(uint64_t x, unsigned width)
{
    uint64_t out = 0;
    for (unsigned n = 0; n < width; n++)
        out |= (x >> n & 1) << (width - 1 - n);
    return out;
}

/* Of the shift's exact result. */
static uint64_t shifted_sat(const struct lane *l, bool is_signed)
{
    unsigned w = l->width;
    __int128 x = is_signed ? extend(l->s[0], w) : (__int128)l->s[0];
    __int128 all = ((__int128)1 << w) - 1, most = is_signed ? all >> 1 : all;
    return limited(x * ((__int128)1 << l->s[1] % w), is_signed ? -most - 1 : 0, most);
}

static uint64_t bit_op(const struct lane *l)
{
    unsigned w = l->width, by = (unsigned)(l->s[1] % w);
    uint64_t x = l->s[0], y = l->s[1], z = l->s[2];
    switch (l->op) {
    case ISA_OP_mov: return x;
    case ISA_OP_ishl: return x << by;
    case ISA_OP_ishl_sat: return shifted_sat(l, true);
    case ISA_OP_ushl_sat: return shifted_sat(l, false);
    case ISA_OP_ishr: return (uint64_t)(extend(x, w) >> by);
    case ISA_OP_ushr: return x >> by;
    case ISA_OP_rotl: return by ? x << by | x >> (w - by) : x;
    case ISA_OP_rotr: return by ? x >> by | x << (w - by) : x;
    case ISA_OP_iand: return x & y;
    case ISA_OP_ior: return x | y;
    case ISA_OP_ixor: return x ^ y;
    case ISA_OP_inot: return ~x;
    case ISA_OP_inand: return ~(x & y);
    case ISA_OP_inor: return ~(x | y);
    case ISA_OP_ixnor: return ~(x ^ y);
    case ISA_OP_iandnot: return x & ~y;
    case ISA_OP_iornot: return x | ~y;
    case ISA_OP_mux: return (x & y) | (~x & z);
    case ISA_OP_csel: return x ? y : z;
    case ISA_OP_clz: return x ? (unsigned)__builtin_clzll(x) - (64 - w) : w;
    case ISA_OP_ctz: return x ? (unsigned)__builtin_ctzll(x) : w;
    case ISA_OP_popcount: return (unsigned)__builtin_popcountll(x);
    default: return reversed(x, w);
    }
}

static uint64_t int_op(const struct lane *l)
{
    unsigned w = l->width;
    __int128 x = extend(l->s[0], w), y = extend(l->s[1], w), u = l->s[0], v = l->s[1];
    __int128 most = ((__int128)1 << (w - 1)) - 1, all = ((__int128)1 << w) - 1;
    switch (l->op) {
    case ISA_OP_iadd: return (uint64_t)(x + y);
    case ISA_OP_isub: return (uint64_t)(x - y);
    case ISA_OP_ineg: return (uint64_t)-x;
    case ISA_OP_iabs: return (uint64_t)(x < 0 ? -x : x);
    case ISA_OP_iadd_sat: return limited(x + y, -most - 1, most);
    case ISA_OP_uadd_sat: return limited(u + v, 0, all);
    case ISA_OP_isub_sat: return limited(x - y, -most - 1, most);
    case ISA_OP_usub_sat: return limited(u - v, 0, all);
    case ISA_OP_imul: return (uint64_t)(x * y);
    case ISA_OP_imad: return (uint64_t)(x * y) + l->s[2];
    case ISA_OP_imul_hi: return (uint64_t)(x * y >> w);
    case ISA_OP_umul_hi: return (uint64_t)((unsigned __int128)u * (unsigned __int128)v >> w);
    case ISA_OP_imin: return (uint64_t)(x < y ? x : y);
    case ISA_OP_imax: return (uint64_t)(x > y ? x : y);
    case ISA_OP_umin: return (uint64_t)(u < v ? u : v);
    case ISA_OP_umax: return (uint64_t)(u > v ? u : v);
    case ISA_OP_iavg: return (uint64_t)((x + y) >> 1);
    case ISA_OP_uavg: return (uint64_t)((u + v) >> 1);
    case ISA_OP_iavg_up: return (uint64_t)((x + y + 1) >> 1);
    case ISA_OP_uavg_up: return (uint64_t)((u + v + 1) >> 1);
    case ISA_OP_iabsdiff: return (uint64_t)(x > y ? x - y : y - x);
    case ISA_OP_uabsdiff: return (uint64_t)(u > v ? u - v : v - u);
    default: return bit_op(l);
    }
}

static bool itest(const struct lane *l)
{
    int64_t x = extend(l->s[0], l->width), y = extend(l->s[1], l->width);
    uint64_t u = l->s[0], v = l->s[1];
    switch (l->op) {
    case ISA_OP_ieq: return u == v;
    case ISA_OP_ine: return u != v;
    case ISA_OP_ilt: return x < y;
    case ISA_OP_ile: return x <= y;
    case ISA_OP_igt: return x > y;
    case ISA_OP_ige: return x >= y;
    case ISA_OP_ult: return u < v;
    case ISA_OP_ule: return u <= v;
    case ISA_OP_ugt: return u > v;
    default: return u >= v;
    }
}

/* ---- conversions ---- */

static double whole(double x, unsigned rounding)
{
    switch (rounding) {
    case ISA_OP_RTZ: return trunc(x);
    case ISA_OP_RTP: return ceil(x);
    case ISA_OP_RTN: return floor(x);
    default: return nearbyint(x);
    }
}

static uint64_t float_to_int(const struct lane *l, unsigned width, bool is_signed)
{
    double x = whole(l->f[0], l->policy & ISA_OP_ROUNDING);
    double end = ldexp(1, (int)width - is_signed), least = is_signed ? -end : 0;
    if (isnan(x))
        return 0;
    return x >= end ? ~0ull >> (64 - width + is_signed) : (uint64_t)(__int128)(x < least ? least : x);
}

static uint64_t convert(const struct lane *l)
{
    const struct isa_op_row *row = &isa_op_rows[l->op];
    unsigned to = shapes[row->to].width, rounding = l->policy & ISA_OP_ROUNDING;
    bool from_signed = row->integers != ISA_OP_UNSIGNED, to_signed = row->integers == ISA_OP_SIGNED;
    if (is_float(row->from) && !is_float(row->to))
        return float_to_int(l, to, to_signed);
    if (row->from == ISA_F64 && fabs(l->f[0]) < 0x1p-126)
        return l->s[0] >> 63 << 31;
    if (is_float(row->from)) {
        uint64_t out = from_double(format_of(to), l->f[0], rounding);
        return to == 16 && (l->policy & ISA_OP_FLUSH) && !(out & 0x7c00) ? out & 0x8000 : out;
    }
    int64_t x = from_signed ? extend(l->s[0], l->width) : (int64_t)l->s[0];
    if (is_float(row->to)) {
        bool negative = from_signed && x < 0;
        return pack(format_of(to), negative, negative ? 0 - (uint64_t)x : (uint64_t)x, 0, rounding);
    }
    if (!row->saturates)
        return (uint64_t)x;
    __int128 value = from_signed ? (__int128)x : (__int128)l->s[0], all = ((__int128)1 << to) - 1;
    return limited(value, to_signed ? -(all >> 1) - 1 : 0, to_signed ? all >> 1 : all);
}

/* ---- */

static uint64_t no_number(const struct lane *l, uint64_t out, unsigned width)
{
    const struct format *f = format_of(width);
    bool nan = (out & ~sign_bit(f)) > infinity(f);
    return nan && l->policy & ISA_OP_QUIET ? quiet_nan(f) : out;
}

static double double_of(const struct lane *l, uint64_t bits)
{
    return l->is_half       ? double_of_half(bits, l->policy & ISA_OP_FLUSH)
           : l->width == 64 ? double_of_double(bits)
                            : double_of_single(bits);
}

static uint64_t element(struct lane *l, bool floats)
{
    const struct isa_op_row *row = &isa_op_rows[l->op];
    for (unsigned n = 0; floats && n < row->sources; n++)
        l->f[n] = double_of(l, l->s[n]);
    switch (row->kind) {
    case ISA_OP_FLOAT: return no_number(l, float_op(l), l->width);
    case ISA_OP_FTEST: return truth(l, ftest(l));
    case ISA_OP_INT: return int_op(l);
    case ISA_OP_ITEST: return truth(l, itest(l));
    default: {
        uint64_t out = convert(l);
        return is_float(row->to) ? no_number(l, out, shapes[row->to].width) : out;
    }
    }
}

uint64_t isa_op_lane(struct isa_lane_op op, const uint64_t source[3])
{
    enum isa_shape shape = op.shape, gives = isa_op_gives(op.op, shape);
    unsigned from = shapes[shape].width, to = shapes[gives].width;
    uint64_t out = 0, mask = ~0ull >> (64 - from);
    for (unsigned e = 0; e < shapes[shape].elements; e++) {
        struct lane l = {.op = op.op, .width = from, .policy = op.policy, .is_half = from == 16};
        for (unsigned n = 0; n < isa_op_rows[op.op].sources; n++)
            l.s[n] = source[n] >> e * from & mask;
        out |= (element(&l, is_float(shape)) & (~0ull >> (64 - to))) << e * to;
    }
    return out;
}

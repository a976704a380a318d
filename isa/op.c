/* One lane at a time: shapes, integers, conversions. */
#include <math.h>

#include "isa/op_internal.h"

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

bool isa_op_by_singles(struct isa_lane_op op)
{
    if (isa_op_rows[op.op].kind == ISA_OP_FTEST)
        return !(op.policy & (ISA_OP_F1 | ISA_OP_I1 | ISA_OP_FLUSH));
    if (!(op.policy & ISA_OP_QUIET) || op.policy & (ISA_OP_ROUNDING | ISA_OP_FLUSH))
        return false;
    switch (op.op) {
    case ISA_OP_fmin:
    case ISA_OP_fmax:
    case ISA_OP_fclamp_0_1:
    case ISA_OP_fclamp_m1_1:
    case ISA_OP_fclamp_0_inf: return true;
    default: return isa_op_rows[op.op].kind == ISA_OP_ARITHMETIC;
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
static uint64_t shifted_sat(const struct isa_op_one *l, bool is_signed)
{
    unsigned w = l->width;
    __int128 x = is_signed ? extend(l->s[0], w) : (__int128)l->s[0];
    __int128 all = ((__int128)1 << w) - 1, most = is_signed ? all >> 1 : all;
    return limited(x * ((__int128)1 << l->s[1] % w), is_signed ? -most - 1 : 0, most);
}

static uint64_t bit_op(const struct isa_op_one *l)
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

static uint64_t product_sat(uint64_t x, uint64_t y, unsigned width)
{
    const unsigned __int128 product = (unsigned __int128)x * y, most = ~0ull >> (64 - width);
    return (uint64_t)(product < most ? product : most);
}

static uint64_t int_op(const struct isa_op_one *l)
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
    case ISA_OP_imul_sat: return limited(x * y, -most - 1, most);
    case ISA_OP_umul_sat: return product_sat(l->s[0], l->s[1], w);
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

static bool itest(const struct isa_op_one *l)
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

static uint64_t float_to_int(const struct isa_op_one *l, unsigned width, bool is_signed)
{
    double x = whole(l->f[0], l->policy & ISA_OP_ROUNDING);
    double end = ldexp(1, (int)width - is_signed), least = is_signed ? -end : 0;
    if (isnan(x))
        return 0;
    return x >= end ? ~0ull >> (64 - width + is_signed) : (uint64_t)(__int128)(x < least ? least : x);
}

static uint64_t convert(const struct isa_op_one *l)
{
    const struct isa_op_row *row = &isa_op_rows[l->op];
    unsigned to = shapes[row->to].width, rounding = l->policy & ISA_OP_ROUNDING;
    bool from_signed = row->integers != ISA_OP_UNSIGNED, to_signed = row->integers == ISA_OP_SIGNED;
    if (is_float(row->from) && !is_float(row->to))
        return float_to_int(l, to, to_signed);
    if (row->from == ISA_F64 && fabs(l->f[0]) < 0x1p-126)
        return l->s[0] >> 63 << 31;
    if (is_float(row->from)) {
        uint64_t out = isa_op_from_double(to, l->f[0], rounding);
        return to == 16 && (l->policy & ISA_OP_FLUSH) && !(out & 0x7c00) ? out & 0x8000 : out;
    }
    int64_t x = from_signed ? extend(l->s[0], l->width) : (int64_t)l->s[0];
    if (is_float(row->to)) {
        bool negative = from_signed && x < 0;
        return isa_op_pack(to, negative, negative ? 0 - (uint64_t)x : (uint64_t)x, rounding);
    }
    if (!row->saturates)
        return (uint64_t)x;
    __int128 value = from_signed ? (__int128)x : (__int128)l->s[0], all = ((__int128)1 << to) - 1;
    return limited(value, to_signed ? -(all >> 1) - 1 : 0, to_signed ? all >> 1 : all);
}

/* ---- */

static uint64_t one(const struct isa_op_one *l)
{
    return l->is_half ? 0x3c00 : l->width == 64 ? 0x3ffull << 52 : 0x3f800000;
}

static uint64_t truth(const struct isa_op_one *l, bool yes)
{
    if (!yes)
        return 0;
    if (l->policy & ISA_OP_F1)
        return one(l);
    return l->policy & ISA_OP_I1 ? 1 : ~0ull;
}

static uint64_t element(struct isa_op_one *l, bool floats)
{
    const struct isa_op_row *row = &isa_op_rows[l->op];
    for (unsigned n = 0; floats && n < row->sources; n++)
        l->f[n] = isa_op_double_of(l, l->s[n]);
    switch (row->kind) {
    case ISA_OP_FLOAT:
    case ISA_OP_ARITHMETIC: return isa_op_no_number(l, isa_op_float_lane(l), l->width);
    case ISA_OP_FTEST: return truth(l, isa_op_ftest_lane(l));
    case ISA_OP_INT: return int_op(l);
    case ISA_OP_ITEST: return truth(l, itest(l));
    default: {
        uint64_t out = convert(l);
        return is_float(row->to) ? isa_op_no_number(l, out, shapes[row->to].width) : out;
    }
    }
}

uint64_t isa_op_lane(struct isa_lane_op op, const uint64_t source[3])
{
    enum isa_shape shape = op.shape, gives = isa_op_gives(op.op, shape);
    unsigned from = shapes[shape].width, to = shapes[gives].width;
    uint64_t out = 0, mask = ~0ull >> (64 - from);
    for (unsigned e = 0; e < shapes[shape].elements; e++) {
        struct isa_op_one l = {.op = op.op, .width = from, .policy = op.policy, .is_half = from == 16};
        for (unsigned n = 0; n < isa_op_rows[op.op].sources; n++)
            l.s[n] = source[n] >> e * from & mask;
        out |= (element(&l, is_float(shape)) & (~0ull >> (64 - to))) << e * to;
    }
    return out;
}

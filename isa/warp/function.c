/* Operations with code of their own. */
#include <math.h>

#include "isa/sfu.h"
#include "isa/warp/alu_internal.h"
#include "util/bits.h"

#define QUIET_NAN 0x7fc00000u
#define INFINITY_ 0x7f800000u
#define SIGN      0x80000000u
#define ONE       0x3f800000u
#define LN_2      0x3f317218u

static bool is_nan(uint64_t x)
{
    return (x & ~SIGN) > INFINITY_;
}

/* One that IEEE calls normal, of either sign: neither zero (as denormals are), nor infinite, nor NaN. */
static bool is_normal(uint64_t x)
{
    return (x & ~SIGN) >= 0x00800000 && (x & ~SIGN) < INFINITY_;
}

static uint64_t op1(uint8_t op, uint8_t shape, uint64_t x)
{
    return isa_op_lane((struct isa_lane_op){op, shape, ISA_OP_QUIET}, (const uint64_t[3]){x});
}

static uint64_t op2(uint8_t op, uint8_t shape, uint64_t x, uint64_t y)
{
    return isa_op_lane((struct isa_lane_op){op, shape, ISA_OP_QUIET}, (const uint64_t[3]){x, y});
}

/* ---- parts of floats (README.md, "Logarithms and roots") ---- */

struct parts {
    uint32_t m;
    int32_t e;
};

/* x = m * 2^e, |m| in [1/2, 1), or as logarithms want it in [3/4, 3/2); for roots x = m * 4^e, |m| in [1/4, 1). Of
 * what is not normal m is the number, and e is 0. */
static struct parts split(const struct warp_insn *i, uint64_t single)
{
    const uint32_t x = (uint32_t)single, sign = x & SIGN;
    int e = (int)(x >> 23 & 0xff) - 126;
    uint32_t m = (x & 0x007fffff) | 126u << 23;
    if (is_nan(x))
        return (struct parts){QUIET_NAN, 0};
    if (!is_normal(x))
        return (struct parts){(x & ~SIGN) == INFINITY_ ? x : sign, 0};
    if (i->log && m < 0x3f400000) {
        m += 1u << 23;
        e--;
    }
    if (i->sqrt && e & 1) {
        m -= 1u << 23;
        e++;
    }
    return (struct parts){sign | m, i->sqrt ? e / 2 : e};
}

static uint64_t split_half(const struct warp_insn *i, uint64_t half, bool exponent)
{
    const struct parts p = split(i, op1(ISA_OP_f16_to_f32, ISA_F16, half));
    return exponent ? (uint16_t)p.e : op1(ISA_OP_f32_to_f16, ISA_F32, p.m);
}

static uint64_t split_op(const struct warp_insn *i, uint64_t x, bool exponent, bool halves)
{
    if (halves)
        return split_half(i, x & 0xffff, exponent) | split_half(i, x >> 16, exponent) << 16;
    const struct parts p = split(i, x);
    return exponent ? (uint32_t)p.e : p.m;
}

/* ---- floats that are flushed ---- */

/* What a float of one width has: infinity, the bit of quiet NaNs, the least normal number. */
struct bounds {
    uint32_t infinity, quiet, normal;
};

static uint32_t flush(const struct warp_insn *i, uint32_t x, const struct bounds *b)
{
    const uint32_t sign = x & ~((b->infinity | (b->normal - 1))), size = x & (b->infinity | (b->normal - 1));
    if (size > b->infinity)
        return i->nan == WARP_NAN_ZERO ? 0 : i->nan == WARP_NAN_QUIET ? x | b->quiet : x;
    if (size == b->infinity && i->flush_infinite)
        return x - 1;
    return size < b->normal && i->flush_subnormal ? sign : x;
}

static uint64_t flush_op(const struct warp_insn *i, uint64_t x, bool halves)
{
    static const struct bounds single = {INFINITY_, 0x00400000, 0x00800000}, half = {0x7c00, 0x0200, 0x0400};
    if (!halves)
        return flush(i, (uint32_t)x, &single);
    return flush(i, x & 0xffff, &half) | flush(i, (uint32_t)x >> 16, &half) << 16;
}

/* ---- logarithms, powers ---- */

static const struct warp_insn as_log = {.log = true}, as_root = {.sqrt = true}, as_plain;

/* log2(m) / (m - 1) of the part m in [3/4, 3/2): infinite for what has an infinite logarithm, if it has one. */
static uint64_t log_ratio(uint64_t x)
{
    if (is_nan(x) || (is_normal(x) && x & SIGN) || x == (SIGN | INFINITY_))
        return QUIET_NAN;
    if (!is_normal(x))
        return INFINITY_;
    return isa_log2_ratio((uint32_t)op2(ISA_OP_fsub, ISA_F32, split(&as_log, x).m, ONE));
}

/* 2 to the fixed point number; `x` is the float that it was made of (in Mesa's bi_fexp_32 the power times 2^24), for what
 * fixed point cannot say. The largest number is what conversion gives for 128 and more: no single is as near to 128. */
static uint64_t power(uint64_t fixed, uint64_t x)
{
    const uint32_t fraction = (uint32_t)op1(ISA_OP_u32_to_f32, ISA_I32, fixed & 0xffffff);
    const int32_t whole = (int32_t)fixed >> 24;
    if (is_nan(x))
        return QUIET_NAN;
    if (x == (SIGN | INFINITY_))
        return 0;
    if (x == INFINITY_ || fixed == INT32_MAX)
        return INFINITY_;
    uint64_t two = isa_exp2((uint32_t)op2(ISA_OP_fldexp, ISA_F32, fraction, (uint32_t)-24));
    return op2(ISA_OP_fldexp, ISA_F32, two, (uint32_t)whole);
}

/* Roughly the inverse of the part m of logarithms: five bits of it. */
static uint64_t log_reduced(uint64_t x)
{
    const uint64_t inverse = op1(ISA_OP_frcp, ISA_F32, split(&as_log, x).m);
    return is_normal(x) ? (inverse + 0x00040000) & ~0x0007ffffull : ONE;
}

/* And the logarithm of that, the sign changed; of what is not normal that of the number. */
static uint64_t log_table(uint64_t x, bool natural)
{
    if (is_nan(x) || (is_normal(x) && x & SIGN) || x == (SIGN | INFINITY_))
        return QUIET_NAN;
    if (!is_normal(x))
        return x == INFINITY_ ? INFINITY_ : SIGN | INFINITY_;
    const uint64_t out = isa_log2((uint32_t)log_reduced(x)) ^ SIGN;
    return natural ? op2(ISA_OP_fmul, ISA_F32, out, LN_2) : out;
}

static uint64_t power_table(uint64_t k)
{
    const uint64_t x = op1(ISA_OP_u32_to_f32, ISA_I32, k & 15);
    return isa_exp2((uint32_t)op2(ISA_OP_fldexp, ISA_F32, x, (uint32_t)-4));
}

static uint64_t sine(uint64_t k, bool cosine)
{
    const uint32_t turns =
        (uint32_t)op2(ISA_OP_fldexp, ISA_F32, op1(ISA_OP_u32_to_f32, ISA_I32, k & 63), (uint32_t)-6);
    return cosine ? isa_cos_turns(turns) : isa_sin_turns(turns);
}

static uint64_t scaled(const struct warp_insn *i, const uint64_t *s)
{
    const bool zero = !(s[0] & ~SIGN) || !(s[1] & ~SIGN);
    const struct isa_lane_op product = {ISA_OP_ffma, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
    const struct isa_lane_op sum = {ISA_OP_fadd, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
    uint32_t by = (uint32_t)s[3];
    uint64_t out = isa_op_lane(product, s);
    if (i->op == WARP_FMA_RSCALE_N_F32 && zero)
        out = isa_op_lane(sum, (const uint64_t[3]){0, s[2]});
    if (i->op == WARP_FMA_RSCALE_LEFT_F32 && zero)
        out = isa_op_lane(sum, (const uint64_t[3]){s[0], s[2]});
    if (i->op == WARP_FMA_RSCALE_SCALE16_F32)
        by = (uint32_t)(int16_t)by;
    return op2(ISA_OP_fldexp, ISA_F32, out, by);
}

/* ---- integers ---- */

static int byte_of(uint64_t x, unsigned at, bool is_signed)
{
    return is_signed ? (int8_t)(x >> at) : (uint8_t)(x >> at);
}

static uint64_t dot(const struct warp_insn *i, const uint64_t *s, bool first_signed, bool second_signed)
{
    int64_t sum = first_signed ? (int32_t)s[2] : (int64_t)(uint32_t)s[2];
    for (unsigned e = 0; e < 32; e += 8)
        sum += byte_of(s[0], e, first_signed) * byte_of(s[1], e, second_signed);
    const int64_t least = first_signed ? INT32_MIN : 0, most = first_signed ? INT32_MAX : UINT32_MAX;
    return (uint32_t)(i->saturate ? UTIL_MIN(UTIL_MAX(sum, least), most) : sum);
}

static uint64_t segment_add(const struct warp_insn *i, const uint64_t *s)
{
    if (i->preserve_null && !s[0])
        return 0;
    return i->subtract ? s[0] - s[1] : s[0] + s[1];
}

/* ---- cubes ---- */

static float size(uint64_t x)
{
    return util_u2f((uint32_t)x & ~SIGN);
}

/* 0 to 5: +x, -x, +y, -y, +z, -z. Of axes that are as long the first counts. */
static uint64_t face(const uint64_t *s)
{
    const float x = size(s[0]), y = size(s[1]), z = size(s[2]);
    const uint64_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    return (axis * 2 + (s[axis] >> 31 & 1)) << WARP_FACE_AT;
}

static uint64_t cube_s(uint64_t z, uint64_t x, uint64_t face)
{
    switch (WARP_GET(face, FACE)) {
    case 0: return z ^ SIGN;
    case 1: return z;
    case 5: return x ^ SIGN;
    default: return x;
    }
}

static uint64_t cube_t(uint64_t y, uint64_t z, uint64_t face)
{
    switch (WARP_GET(face, FACE)) {
    case 2: return z;
    case 3: return z ^ SIGN;
    default: return y ^ SIGN;
    }
}

/* ---- */

uint64_t warp_function(const struct warp_insn *i, const uint64_t s[WARP_SOURCES])
{
    switch (i->op) {
    case WARP_FREXPM_F32: return split_op(i, s[0], false, false);
    case WARP_FREXPM_V2F16: return split_op(i, s[0], false, true);
    case WARP_FREXPE_F32: return split_op(i, s[0], true, false);
    case WARP_FREXPE_V2F16: return split_op(i, s[0], true, true);
    case WARP_FLUSH_F32: return flush_op(i, s[0], false);
    case WARP_FLUSH_V2F16: return flush_op(i, s[0], true);
    case WARP_FLOGD_F32: return log_ratio(s[0]);
    case WARP_FADD_LSCALE_F32: return op2(ISA_OP_fadd, ISA_F32, s[0], split(&as_log, s[1]).m);
    case WARP_FEXP_F32: return power(s[0], s[1]);
    case WARP_FSIN_TABLE_U6: return sine(s[0], false);
    case WARP_FCOS_TABLE_U6: return sine(s[0], true);
    case WARP_F16_TO_F32: return s[0];
    case WARP_V2F32_TO_V2F16: {
        const struct isa_lane_op op = {ISA_OP_f32_to_f16, ISA_F32, ISA_OP_QUIET | warp_rounding(i)};
        return isa_op_lane(op, (const uint64_t[3]){s[0]}) | isa_op_lane(op, (const uint64_t[3]){s[1]}) << 16;
    }
    case WARP_IMULD_U64: return s[0] * s[1];
    case WARP_IDP_V4S8: return dot(i, s, true, true);
    case WARP_IDP_V4U8: return dot(i, s, false, false);
    case WARP_IDP_V4SU8: return dot(i, s, true, false);
    case WARP_FRCP_APPROX_F32: return op1(ISA_OP_frcp, ISA_F32, split(&as_plain, s[0]).m);
    case WARP_FRSQ_APPROX_F32: return op1(ISA_OP_frsq, ISA_F32, split(&as_root, s[0]).m);
    case WARP_FEXP_TABLE_U4: return power_table(s[0]);
    case WARP_FLOG_TABLE_RED_F32: return log_reduced(s[0]);
    case WARP_FLOG_TABLE_BASE2_F32: return log_table(s[0], false);
    case WARP_FLOG_TABLE_NATURAL_F32: return log_table(s[0], true);
    case WARP_SHADDX_S64:
    case WARP_SHADDX_U64: return s[0] + (s[1] << i->shift);
    case WARP_SEG_ADD_U64: return segment_add(i, s);
    case WARP_MKVEC_V2I16: return s[0] | s[1] << 16;
    case WARP_MKVEC_V2I8: return s[0] | s[1] << 8 | s[2] << 16;
    case WARP_CUBEFACE1:
        return op2(ISA_OP_fmax, ISA_F32, op2(ISA_OP_fmax, ISA_F32, s[0] & ~SIGN, s[1] & ~SIGN), s[2] & ~SIGN);
    case WARP_CUBEFACE2: return face(s);
    case WARP_CUBE_SSEL: return cube_s(s[0], s[1], s[2]);
    case WARP_CUBE_TSEL: return cube_t(s[0], s[1], s[2]);
    default: return scaled(i, s);
    }
}

/* The add and mul units and the special functions, lane by lane (README.md rules 1 to 8; Guide tables 12,
 * 13). */
#include "isa/vc4_qpu/interp_internal.h"

#include <math.h>

#include "isa/sfu.h"
#include "isa/vc4_qpu/insn.h"
#include "util/bits.h"

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

/* An operand of float arithmetic: every NaN is the one NaN. */
static float operand(uint32_t x)
{
    return util_u2f(is_nan(x) ? VC4_QPU_NAN : x);
}

static uint32_t rounded(float f)
{
    uint32_t x = util_f2u(f);
    return is_nan(x) ? VC4_QPU_NAN : x;
}

/* What IEEE 754 makes a NaN or -0 is +0. */
static uint32_t product(float a, float b)
{
    uint32_t x = util_f2u(a * b);
    return is_nan(x) || !(x << 1) ? 0 : x;
}

/* -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN as unsigned order (rule 3). */
static uint32_t order(uint32_t x)
{
    return x >> 31 ? ~x : x | 0x80000000;
}

static struct vc4_qpu_result integer(uint32_t value, bool c)
{
    return (struct vc4_qpu_result){.value = value, .c = c};
}

static struct vc4_qpu_result single(uint32_t value, bool c)
{
    return (struct vc4_qpu_result){.value = value, .is_float = true, .c = c};
}

/* fadd, fsub: C when the result is greater than zero. */
static struct vc4_qpu_result sum(float f)
{
    uint32_t value = rounded(f);
    struct vc4_qpu_result result = single(value, value > 0 && value <= 0x7f800000);

    result.is_sum = true;
    return result;
}

static struct vc4_qpu_result extreme(uint32_t a, uint32_t b, bool greater)
{
    bool a_greater = order(a) > order(b);
    return single(a_greater == greater ? a : b, a_greater);
}

/* Signed overflow of an add or sub whose exact value is `exact`. */
static struct vc4_qpu_result wrapped(int64_t exact, bool c)
{
    struct vc4_qpu_result result = integer((uint32_t)exact, c);
    result.overflow = exact != (int32_t)exact;
    return result;
}

static struct vc4_qpu_result shift(unsigned op, uint32_t a, unsigned n)
{
    bool low = n && (a >> (n - 1) & 1);

    switch (op) {
    case VC4_QPU_A_SHR: return integer(a >> n, low);
    case VC4_QPU_A_ASR: return integer((uint32_t)((int32_t)a >> n), low);
    case VC4_QPU_A_SHL: return integer(a << n, n && (a >> (32 - n) & 1));
    default: return integer(n ? a >> n | a << (32 - n) : a, false);
    }
}

/* ---- bytes ---- */

static uint32_t byte_op(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case VC4_QPU_M_V8MULD: return (a * b + 127) / 255;
    case VC4_QPU_M_V8MIN: return a < b ? a : b;
    case VC4_QPU_M_V8MAX: return a > b ? a : b;
    case VC4_QPU_M_V8ADDS: return a + b > 255 ? 255 : a + b;
    default: return a > b ? a - b : 0; /* V8SUBS */
    }
}

static struct vc4_qpu_result bytes(unsigned op, uint32_t a, uint32_t b)
{
    uint32_t value = 0;

    for (unsigned at = 0; at < 32; at += 8)
        value |= byte_op(op, a >> at & 255, b >> at & 255) << at;
    return integer(value, false);
}

/* ---- the units ---- */

bool vc4_qpu_add_op_reserved(unsigned op)
{
    return (op > VC4_QPU_A_ITOF && op < VC4_QPU_A_ADD) || (op > VC4_QPU_A_CLZ && op < VC4_QPU_A_V8ADDS);
}

bool vc4_qpu_add_reads_float(unsigned op)
{
    return op >= VC4_QPU_A_FADD && op <= VC4_QPU_A_FTOI;
}

bool vc4_qpu_mul_reads_float(unsigned op)
{
    return op == VC4_QPU_M_FMUL;
}

static struct vc4_qpu_result float_op(unsigned op, uint32_t a, uint32_t b)
{
    const uint32_t magnitude = 0x7fffffff;

    switch (op) {
    case VC4_QPU_A_FADD: return sum(operand(a) + operand(b));
    case VC4_QPU_A_FSUB: return sum(operand(a) - operand(b));
    case VC4_QPU_A_FMIN: return extreme(a, b, false);
    case VC4_QPU_A_FMAX: return extreme(a, b, true);
    case VC4_QPU_A_FMINABS: return extreme(a & magnitude, b & magnitude, false);
    case VC4_QPU_A_FMAXABS: return extreme(a & magnitude, b & magnitude, true);
    case VC4_QPU_A_FTOI: return integer(vc4_qpu_to_integer(a), false);
    default: return single(util_f2u((float)(int32_t)a), (int32_t)a > 0); /* ITOF */
    }
}

static struct vc4_qpu_result add_op(bool exact, unsigned op, uint32_t a, uint32_t b)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;

    switch (op) {
    case VC4_QPU_A_NOP: return integer(0, false);
    case VC4_QPU_A_ADD: return wrapped((int64_t)sa + sb, a + b < a);
    case VC4_QPU_A_SUB: return wrapped((int64_t)sa - sb, a < b);
    case VC4_QPU_A_SHR:
    case VC4_QPU_A_ASR:
    case VC4_QPU_A_ROR:
    case VC4_QPU_A_SHL: return shift(op, a, b & 31);
    case VC4_QPU_A_MIN: return integer(sa < sb ? a : b, sa > sb);
    case VC4_QPU_A_MAX: return integer(sa > sb ? a : b, sa > sb);
    case VC4_QPU_A_AND: return integer(a & b, false);
    case VC4_QPU_A_OR: return integer(a | b, false);
    case VC4_QPU_A_XOR: return integer(a ^ b, false);
    case VC4_QPU_A_NOT: return integer(~a, false);
    case VC4_QPU_A_CLZ: return integer(a ? (uint32_t)__builtin_clz(a) : 32, false);
    case VC4_QPU_A_V8ADDS: return bytes(VC4_QPU_M_V8ADDS, a, b);
    case VC4_QPU_A_V8SUBS: return bytes(VC4_QPU_M_V8SUBS, a, b);
    default: return exact ? vc4_qpu_exact_float_op(op, a, b) : float_op(op, a, b);
    }
}

struct vc4_qpu_result vc4_qpu_add_op(bool exact, unsigned op, uint32_t a, uint32_t b)
{
    struct vc4_qpu_result result = add_op(exact, op, a, b);
    result.exact = exact;
    return result;
}

static struct vc4_qpu_result mul_op(bool exact, unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case VC4_QPU_M_NOP: return integer(0, false);
    case VC4_QPU_M_FMUL:
        return exact ? vc4_qpu_exact_product(a, b) : single(product(operand(a), operand(b)), false);
    case VC4_QPU_M_MUL24: return integer((a & 0xffffff) * (b & 0xffffff), false);
    default: return bytes(op, a, b);
    }
}

struct vc4_qpu_result vc4_qpu_mul_op(bool exact, unsigned op, uint32_t a, uint32_t b)
{
    struct vc4_qpu_result result = mul_op(exact, op, a, b);
    result.exact = exact;
    return result;
}

/* Of sums, -0 is zero, and neither it nor a NaN is negative. */
bool vc4_qpu_flag_z(const struct vc4_qpu_result *result)
{
    return result->is_sum ? util_u2f(result->value) == 0.0f : !result->value;
}

bool vc4_qpu_flag_n(const struct vc4_qpu_result *result)
{
    return result->is_sum ? util_u2f(result->value) < 0.0f : result->value >> 31;
}

/* ---- special functions ---- */

uint32_t vc4_qpu_sfu(bool exact, unsigned waddr, uint32_t x)
{
    if (exact)
        return vc4_qpu_exact_sfu(waddr, x);
    switch (waddr) {
    case VC4_QPU_W_SFU_RECIP: return rounded(1.0f / operand(x));
    case VC4_QPU_W_SFU_RSQRT: return rounded(1.0f / sqrtf(util_u2f(util_f2u(operand(x)) & 0x7fffffff)));
    case VC4_QPU_W_SFU_EXP2: return isa_exp2(x);
    default: return isa_log2(x);
    }
}

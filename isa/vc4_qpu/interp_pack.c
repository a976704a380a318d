/* Packs and unpacks (README.md rule 9; Guide tables 6 to 9). */
#include "isa/vc4_qpu/interp_internal.h"

#include "util/bits.h"
#include "util/half.h"

enum { MODE_16A = 1, MODE_16B, MODE_8888, MODE_8A, SATURATE = 8 };

/* Exponents 0 and 31 become 0 and 255, the fraction's bits stay. */
static uint32_t half_to_single(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, fraction = (half & 0x3ffu) << 13;
    uint32_t exponent = half >> 10 & 31u;

    if (exponent)
        exponent = exponent == 31 ? 255 : exponent + 112;
    return sign | exponent << 23 | fraction;
}

/* NaN becomes infinity and keeps the sign; what would be denormal is +0. */
static uint32_t single_to_half(uint32_t value)
{
    uint32_t sign = value >> 16 & 0x8000;

    if ((value & 0x7fffffff) > 0x7f800000)
        return sign | 0x7c00;
    uint16_t half = util_float_to_half(util_u2f(value));
    return half & 0x7c00 ? half : 0;
}

uint32_t vc4_qpu_unpack(bool exact, unsigned mode, bool to_float, uint32_t value)
{
    switch (mode) {
    case 0: return value;
    case MODE_16A:
    case MODE_16B: {
        uint16_t half = (uint16_t)(value >> (mode == MODE_16B ? 16 : 0));
        if (!to_float)
            return (uint32_t)(int32_t)(int16_t)half;
        return half_to_single(half);
    }
    case MODE_8888: return (value >> 24) * 0x01010101u;
    default: {
        uint32_t byte = value >> 8 * (mode - MODE_8A) & 255;
        if (!to_float)
            return byte;
        return exact ? vc4_qpu_exact_byte_to_single(byte) : util_f2u((float)byte * util_u2f(0x3b808081));
    }
    }
}

/* Puts the low `bits` bits of `field` into `old` from bit `at`. */
static uint32_t insert(uint32_t old, uint32_t field, unsigned at, unsigned bits)
{
    uint32_t mask = ((1u << bits) - 1) << at;
    return (old & ~mask) | (field << at & mask);
}

/* An integer result in `bits` bits, 8 (unsigned), 16 or 32 (signed). An overflow gives the bound that the
 * carry names, of the pack's width. A saturating pack meets it with the bound that the wrapped result calls
 * for. */
static uint32_t narrow(const struct vc4_qpu_result *result, unsigned bits, bool saturate)
{
    int64_t low = bits == 8 ? 0 : -(INT64_C(1) << (bits - 1));
    int64_t high = bits == 8 ? 255 : (INT64_C(1) << (bits - 1)) - 1;
    int64_t value = (int32_t)result->value, bound = result->c ? low : high;
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    bool outside = value < low || value > high;

    if (saturate && outside) {
        int64_t nearest = value < low ? low : high;
        return (uint32_t)(result->overflow ? nearest & bound : nearest) & mask;
    }
    return (uint32_t)(result->overflow ? bound : value) & mask;
}

static uint32_t to_half(const struct vc4_qpu_result *result)
{
    return result->exact ? vc4_qpu_exact_single_to_half(result->value) : single_to_half(result->value);
}

uint32_t vc4_qpu_pack_a(unsigned mode, const struct vc4_qpu_result *result, uint32_t old)
{
    bool saturate = mode & SATURATE;
    uint32_t value;

    mode &= ~(unsigned)SATURATE;
    switch (mode) {
    case 0: return saturate ? narrow(result, 32, true) : result->value;
    case MODE_16A:
    case MODE_16B:
        value = result->is_float ? to_half(result) : narrow(result, 16, saturate);
        return insert(old, value, mode == MODE_16B ? 16 : 0, 16);
    default:
        value = narrow(result, 8, saturate);
        return mode == MODE_8888 ? value * 0x01010101u : insert(old, value, 8 * (mode - MODE_8A), 8);
    }
}

uint32_t vc4_qpu_pack_mul(unsigned mode, uint32_t value, uint32_t old)
{
    /* By the order of patterns: everything negative is below 0, +NaN above 1. */
    uint32_t sat = value >> 31 ? 0 : value > 0x3f800000 ? 0x3f800000 : value;
    float scaled = util_u2f(sat) * 255.0f;
    uint32_t byte = (uint32_t)(scaled + 0.5f);

    return mode == MODE_8888 ? byte * 0x01010101u : insert(old, byte, 8 * (mode - MODE_8A), 8);
}

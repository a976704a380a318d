/* Packs and unpacks (README.md rule 9; Guide tables 6 to 9). */
#include "isa/vc4_qpu/interp_internal.h"

#include "util/bits.h"
#include "util/half.h"

enum { MODE_16A = 1, MODE_16B, MODE_8888, MODE_8A, SATURATE = 8 };

static uint32_t half_to_single(uint16_t half)
{
    if (!(half & 0x7c00)) /* denormal halves are zero of their sign */
        return (uint32_t)(half & 0x8000) << 16;
    if ((half & 0x7fff) > 0x7c00)
        return VC4_QPU_NAN;
    return util_f2u(util_half_to_float(half));
}

/* NaN becomes infinity, what would be denormal zero; both keep the sign. */
static uint32_t single_to_half(uint32_t value)
{
    uint32_t sign = value >> 16 & 0x8000;

    if ((value & 0x7fffffff) > 0x7f800000)
        return sign | 0x7c00;
    uint16_t half = util_float_to_half(util_u2f(value));
    return half & 0x7c00 ? half : sign;
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
        return exact ? vc4_qpu_exact_half_to_single(half) : half_to_single(half);
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

static uint32_t clamp(uint32_t value, int32_t low, int32_t high)
{
    int32_t v = (int32_t)value;
    return (uint32_t)(v < low ? low : v > high ? high : v);
}

static uint32_t exact_pack_a(unsigned mode, bool saturate, const struct vc4_qpu_result *result, uint32_t old)
{
    uint32_t value;

    switch (mode) {
    case 0: return saturate ? vc4_qpu_exact_narrow(result, 32, true) : result->value;
    case MODE_16A:
    case MODE_16B:
        value = result->is_float ? vc4_qpu_exact_single_to_half(result->value)
                                 : vc4_qpu_exact_narrow(result, 16, saturate);
        return insert(old, value, mode == MODE_16B ? 16 : 0, 16);
    default:
        value = vc4_qpu_exact_narrow(result, 8, saturate);
        return mode == MODE_8888 ? value * 0x01010101u : insert(old, value, 8 * (mode - MODE_8A), 8);
    }
}

uint32_t vc4_qpu_pack_a(unsigned mode, const struct vc4_qpu_result *result, uint32_t old)
{
    bool saturate = mode & SATURATE;
    uint32_t value = result->value;

    mode &= ~(unsigned)SATURATE;
    if (result->exact)
        return exact_pack_a(mode, saturate, result, old);
    switch (mode) {
    case 0: return saturate ? result->saturated : value;
    case MODE_16A:
    case MODE_16B:
        if (result->is_float)
            value = single_to_half(value);
        else if (saturate)
            value = clamp(value, INT16_MIN, INT16_MAX);
        return insert(old, value, mode == MODE_16B ? 16 : 0, 16);
    default:
        if (saturate)
            value = clamp(value, 0, 255);
        return mode == MODE_8888 ? (value & 255) * 0x01010101u : insert(old, value, 8 * (mode - MODE_8A), 8);
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

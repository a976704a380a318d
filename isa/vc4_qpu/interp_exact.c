/* Float arithmetic as silicon does it (README.md, rules 1x to 9x), on integers: each operation is computed
 * without loss and cut off. */
#include <stddef.h>

#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/interp_internal.h"

#define INFINITE  0x7f800000u
#define MAGNITUDE 0x7fffffffu
#define SIGN      0x80000000u

static uint32_t exponent_of(uint32_t x)
{
    return x >> 23 & 255;
}

/* Denormal patterns have no digits: they are zero. */
static uint64_t significand_of(uint32_t x)
{
    return exponent_of(x) ? (x & 0x7fffff) | 0x800000 : 0;
}

static uint32_t infinity(uint32_t sign)
{
    return (sign & SIGN) | INFINITE;
}

/* digits * 2^scale, cut off to 24 digits. Below the least normal number it is +0, and from 2^128 on infinite.
 */
static uint32_t cut(uint32_t sign, uint64_t digits, int scale)
{
    if (!digits)
        return 0;
    int top = 63 - __builtin_clzll(digits), exponent = top + scale + 127;
    uint64_t fraction = top > 23 ? digits >> (top - 23) : digits << (23 - top);
    if (exponent <= 0)
        return 0;
    if (exponent >= 255)
        return infinity(sign);
    return (sign & SIGN) | (uint32_t)exponent << 23 | (uint32_t)(fraction & 0x7fffff);
}

/* The operand of less magnitude is moved right under 32 more digits than the other has; what falls off leaves
 * a last digit of 1, too far down to be kept, by which a difference stays below the next number. */
static uint32_t sum(uint32_t a, uint32_t b)
{
    if (exponent_of(b) == 255)
        return infinity(b);
    if (exponent_of(a) == 255)
        return infinity(a);
    bool swap = (b & MAGNITUDE) > (a & MAGNITUDE);
    uint32_t large = swap ? b : a, small = swap ? a : b;
    uint64_t x = significand_of(large) << 32, y = significand_of(small) << 32;
    uint32_t distance = exponent_of(large) - exponent_of(small);
    if (distance >= 64)
        y = y != 0;
    else if (distance && y << (64 - distance))
        y = y >> distance | 1;
    else
        y >>= distance;
    return cut(large, (large ^ small) & SIGN ? x - y : x + y, (int)exponent_of(large) - 150 - 32);
}

static uint32_t product(uint32_t a, uint32_t b)
{
    uint64_t digits = significand_of(a) * significand_of(b);

    if (!digits)
        return 0;
    if (exponent_of(a) == 255 || exponent_of(b) == 255)
        return infinity(a ^ b);
    return cut(a ^ b, digits, (int)(exponent_of(a) + exponent_of(b)) - 300);
}

static uint32_t to_single(uint32_t i)
{
    return cut(i, i >> 31 ? 0 - i : i, 0);
}

/* A shifter of 32 digits that goes left by 31 at most. */
uint32_t vc4_qpu_to_integer(uint32_t x)
{
    uint32_t exponent = exponent_of(x), digits = (uint32_t)significand_of(x);

    if (exponent < 127 || exponent == 255)
        return 0;
    if (exponent < 150)
        digits >>= 150 - exponent;
    else
        digits <<= exponent - 150 < 31 ? exponent - 150 : 31;
    return x >> 31 ? 0 - digits : digits;
}

/* Zeros and denormal patterns compare without their sign. */
static int64_t rank(uint32_t x)
{
    int64_t magnitude = x & MAGNITUDE;
    return x >> 31 && exponent_of(x) ? -magnitude : magnitude;
}

static struct vc4_qpu_result single(uint32_t value, bool c)
{
    return (struct vc4_qpu_result){.value = value, .is_float = true, .c = c};
}

static struct vc4_qpu_result extreme(uint32_t a, uint32_t b, bool greater)
{
    bool a_greater = rank(a) > rank(b);
    return single(a_greater == greater ? a : b, a_greater);
}

static struct vc4_qpu_result positive_sets_c(uint32_t value)
{
    return single(value, value && !(value >> 31));
}

struct vc4_qpu_result vc4_qpu_exact_float_op(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case VC4_QPU_A_FADD: return positive_sets_c(sum(a, b));
    case VC4_QPU_A_FSUB: return positive_sets_c(sum(a, b ^ SIGN));
    case VC4_QPU_A_FMIN: return extreme(a, b, false);
    case VC4_QPU_A_FMAX: return extreme(a, b, true);
    case VC4_QPU_A_FMINABS: return extreme(a & MAGNITUDE, b & MAGNITUDE, false);
    case VC4_QPU_A_FMAXABS: return extreme(a & MAGNITUDE, b & MAGNITUDE, true);
    case VC4_QPU_A_FTOI: return (struct vc4_qpu_result){.value = vc4_qpu_to_integer(a)};
    default: return positive_sets_c(to_single(a)); /* ITOF */
    }
}

struct vc4_qpu_result vc4_qpu_exact_product(uint32_t a, uint32_t b)
{
    return single(product(a, b), false);
}

/* ---- packs ---- */

/* byte / 255, cut off. */
uint32_t vc4_qpu_exact_byte_to_single(uint32_t byte)
{
    return cut(0, ((uint64_t)byte << 40) / 255, -40);
}

/* Rounds away from zero; what is too small for a normal half is +0. */
uint16_t vc4_qpu_exact_single_to_half(uint32_t value)
{
    uint32_t sign = value >> 16 & 0x8000, magnitude = value & MAGNITUDE;
    uint32_t up = (magnitude + 0x1fff) >> 13; /* exponent and ten digits */

    if (up < 113u << 10)
        return 0;
    return (uint16_t)(sign | (up < 143u << 10 ? up - (112u << 10) : 0x7c00));
}

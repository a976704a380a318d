/* Special functions as silicon gives them (README.md, rule 8x): a table of 64 segments, fifteen digits. */
#include "isa/vc4_qpu/insn.h"
#include "isa/vc4_qpu/interp_internal.h"

#define INFINITE 0x7f800000u
#define SIGN     0x80000000u
#define ONE      0x3f800000u

struct segment {
    int32_t base, step;
};

static const struct segment segments[][64] = {
#include "isa/vc4_qpu/exact_sfu.inc"
};

enum table { RECIP, RSQRT_EVEN, RSQRT_ODD, EXP2, LOG2 };

/* The function at a fraction of 16 digits, in 2^-15: 0..32767. */
static uint32_t look_up(enum table table, uint32_t fraction)
{
    struct segment s = segments[table][fraction >> 10];
    int32_t along = (s.step * (int32_t)(fraction & 1023)) >> 10;
    return (uint32_t)(s.base + along) >> 3;
}

static uint32_t exponent_of(uint32_t x)
{
    return x >> 23 & 255;
}

static uint32_t fraction_of(uint32_t x)
{
    return x >> 7 & 0xffff;
}

/* Below the least normal number there is zero. */
static uint32_t assemble(uint32_t sign, int exponent, uint32_t digits)
{
    if (exponent <= 0)
        return sign;
    return sign | (exponent >= 255 ? INFINITE : (uint32_t)exponent << 23 | digits << 8);
}

static uint32_t recip(uint32_t x)
{
    uint32_t sign = x & SIGN;

    if (!exponent_of(x))
        return sign | INFINITE;
    if ((x & ~SIGN) == ONE)
        return x;
    return assemble(sign, 253 - (int)exponent_of(x), look_up(RECIP, fraction_of(x)));
}

static uint32_t rsqrt(uint32_t x)
{
    int exponent = (int)exponent_of(x);

    if (!exponent)
        return INFINITE;
    if (exponent == 255)
        return 0;
    enum table table = exponent & 1 ? RSQRT_EVEN : RSQRT_ODD; /* the bias is odd */
    return assemble(0, (380 - exponent) / 2, look_up(table, fraction_of(x)));
}

/* The argument is cut off to 16 binary places; a negative one is made by inverting all digits. */
static uint32_t exp2_of(uint32_t x)
{
    uint32_t exponent = exponent_of(x), places = 0;

    if (exponent >= 134) /* 128 and above */
        return x >> 31 ? 0 : INFINITE;
    if (exponent >= 111) /* 2^-16 and above */
        places = ((x & 0x7fffff) | 0x800000) >> (134 - exponent);
    if (x >> 31 && exponent)
        places = ~places;
    int32_t whole = (int32_t)places >> 16;
    return assemble(0, whole + 127, look_up(EXP2, places & 0xffff));
}

/* Whole part and 16 places; of a negative number all digits are inverted to find its magnitude. */
static uint32_t log2_of(uint32_t x)
{
    uint32_t exponent = exponent_of(x), sign = 0;

    if (!exponent)
        return SIGN | INFINITE;
    if (exponent == 255)
        return INFINITE;
    int32_t places = ((int32_t)exponent - 127) * 65536 + (int32_t)(look_up(LOG2, fraction_of(x)) << 1);
    if (places < 0) {
        places = ~places;
        sign = SIGN;
    }
    if (!places)
        return sign;
    int top = 31 - __builtin_clz((uint32_t)places);
    uint32_t digits = top > 23 ? (uint32_t)places >> (top - 23) : (uint32_t)places << (23 - top);
    return sign | (uint32_t)(top - 16 + 127) << 23 | (digits & 0x7fffff);
}

uint32_t vc4_qpu_exact_sfu(unsigned waddr, uint32_t x)
{
    switch (waddr) {
    case VC4_QPU_W_SFU_RECIP: return recip(x);
    case VC4_QPU_W_SFU_RSQRT: return rsqrt(x & ~SIGN);
    case VC4_QPU_W_SFU_EXP2: return exp2_of(x);
    default: return log2_of(x);
    }
}

#include "util/half.h"
#include "util/bits.h"

float util_half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = (h >> 10) & 31, man = h & 0x3ff;

    if (exp == 31)
        return util_u2f(sign | 0x7f800000 | man << 13 | (man ? 0x400000 : 0));
    if (exp)
        return util_u2f(sign | (exp + 112) << 23 | man << 13);
    if (!man)
        return util_u2f(sign);
    unsigned shift = (unsigned)__builtin_clz(man) - 21;
    return util_u2f(sign | (113 - shift) << 23 | ((man << shift) & 0x3ff) << 13);
}

uint16_t util_float_to_half(float f)
{
    uint32_t u = util_f2u(f), sign = (u >> 16) & 0x8000, mag = u & 0x7fffffff;

    if (mag > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (mag >= 0x477ff000) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (mag < 0x33000001) /* 2^-25 and below round to zero */
        return (uint16_t)sign;
    unsigned drop = 13;
    uint32_t man;
    if (mag < 0x38800000) { /* denormal half: align the significand to 2^-24 */
        unsigned exp = mag >> 23;
        man = (mag & 0x7fffff) | 0x800000;
        drop = 126 - exp;
    } else {
        man = mag - (112u << 23);
    }
    uint32_t half = 1u << (drop - 1), rest = man & ((1u << drop) - 1), out = man >> drop;
    if (rest > half || (rest == half && (out & 1)))
        out++;
    return (uint16_t)(sign | out);
}

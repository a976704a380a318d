#include "isa/sfu.h"

#include <smmintrin.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/bits.h"

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

uint32_t isa_exp2(uint32_t bits)
{
    static const uint32_t coefficients[] = {0x3c16b907, 0x3d63f8a7, 0x3e75f8e0, 0x3f31721e, 0x3f800000};

    if (is_nan(bits))
        return ISA_NAN;
    float x = util_u2f(bits);
    x = x > -127.0f ? x : -127.0f;
    x = x < 128.0f ? x : 128.0f;
    /* roundss, not floorf: it sees denormals as this environment does. */
    float floored = _mm_cvtss_f32(_mm_floor_ss(_mm_setzero_ps(), _mm_set_ss(x)));
    float f = x - floored, p = util_u2f(0x3aea67b3);
    int32_t i = (int32_t)floored;
    for (size_t k = 0; k < UTIL_ARRAY_SIZE(coefficients); k++) {
        p = p * f;
        p = p + util_u2f(coefficients[k]);
    }
    if (i <= -127)
        return 0;
    if (i >= 128)
        return 0x7f800000;
    return util_f2u(p * util_u2f((uint32_t)(i + 127) << 23));
}

uint32_t isa_log2(uint32_t bits)
{
    static const uint32_t coefficients[] = {0x3f13a39b, 0x3f763873, 0x4038aa3b};
    uint32_t a = bits & 0x7fffffff, significand = (a & 0x7fffff) | 0x3f800000;

    if (is_nan(bits))
        return ISA_NAN;
    if (a < 0x00800000)
        return 0xff800000;
    if (a == 0x7f800000)
        return a;
    int32_t e = (int32_t)(a >> 23) - 127;
    float m = util_u2f(significand);
    if (significand > 0x3fb504f3) {
        m = m * 0.5f;
        e++;
    }
    float t = m - 1.0f, s = t / (2.0f + t), s2 = s * s, p = util_u2f(0x3edd0a1a);
    for (size_t k = 0; k < UTIL_ARRAY_SIZE(coefficients); k++) {
        p = p * s2;
        p = p + util_u2f(coefficients[k]);
    }
    float tail = p * s;
    return util_f2u((float)e + tail);
}

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

/* p = p * t + c for all of the coefficients, each operation rounded. */
static float polynomial(float p, float t, const uint32_t *coefficients, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        p = p * t;
        p = p + util_u2f(coefficients[k]);
    }
    return p;
}

uint32_t isa_sin_turns(uint32_t bits)
{
    static const uint32_t coefficients[] = {0x42280a04, 0xc2996897, 0x42a335e0, 0xc2255de7, 0x40c90fdb};
    float x = util_u2f(bits), up = x + 0.5f;
    float r = x - _mm_cvtss_f32(_mm_floor_ss(_mm_setzero_ps(), _mm_set_ss(up)));
    r = r > 0.25f ? 0.5f - r : r;
    r = r < -0.25f ? -0.5f - r : r;
    float y = polynomial(util_u2f(0xc1664db1), r * r, coefficients, UTIL_ARRAY_SIZE(coefficients)) * r;
    return is_nan(util_f2u(y)) ? ISA_NAN : util_f2u(y);
}

uint32_t isa_cos_turns(uint32_t bits)
{
    return isa_sin_turns(util_f2u(util_u2f(bits) + 0.25f));
}

uint32_t isa_atan(uint32_t bits)
{
    static const uint32_t coefficients[] = {0xbc80ded2, 0x3d2c9880, 0xbd98b765, 0x3dd976d8,
                                            0xbe1162ad, 0x3e4cb77e, 0xbeaaaa47, 0x3f800000};
    float a = util_u2f(bits & 0x7fffffff);
    bool big = a > 1.0f;
    if (is_nan(bits))
        return ISA_NAN;
    a = big ? 1.0f / a : a;
    float r = polynomial(util_u2f(0x3b354a89), a * a, coefficients, UTIL_ARRAY_SIZE(coefficients)) * a;
    r = big ? util_u2f(0x3fc90fdb) - r : r;
    return util_f2u(r) | (bits & 0x80000000);
}

uint32_t isa_log2_ratio(uint32_t bits)
{
    static const uint32_t coefficients[] = {0xbe30a3fa, 0x3e5d3293, 0xbe78b791, 0x3e9393bd,
                                            0xbeb89cd6, 0x3ef638a1, 0xbf38aa4c, 0x3fb8aa3b};
    return util_f2u(
        polynomial(util_u2f(0x3d9c7389), util_u2f(bits), coefficients, UTIL_ARRAY_SIZE(coefficients)));
}

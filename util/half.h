/* IEEE half floats (binary16), with round-to-nearest-even; NaNs keep their sign and become quiet. */
#ifndef VITRAIL_UTIL_HALF_H
#define VITRAIL_UTIL_HALF_H

#include <stdint.h>

#include <emmintrin.h>

float util_half_to_float(uint16_t h);
uint16_t util_float_to_half(float f);

/* Four at once, in the low halves of 32-bit lanes: the same bits, whatever the floating-point environment. */
static inline __m128 util_halves_to_floats(__m128i h)
{
    const __m128i magnitude = _mm_and_si128(h, _mm_set1_epi32(0x7fff)), exponent = _mm_set1_epi32(112 << 23);
    __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
    __m128i small = _mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x400)), /* zero, or no leading one */
        great = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7bff)),    /* infinite, or no number */
        strange = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7c00));
    __m128i v = _mm_add_epi32(_mm_slli_epi32(magnitude, 13), exponent);
    v = _mm_add_epi32(v, _mm_and_si128(great, exponent));
    v = _mm_or_si128(v, _mm_and_si128(strange, _mm_set1_epi32(0x400000)));
    __m128i tiny = _mm_castps_si128(_mm_mul_ps(_mm_cvtepi32_ps(magnitude), _mm_set1_ps(0x1p-24f)));
    v = _mm_or_si128(_mm_and_si128(small, tiny), _mm_andnot_si128(small, v));
    return _mm_castsi128_ps(_mm_or_si128(v, sign));
}

/* The nearest half, to even, as a single; zero, with its sign, for what is less than the least normal half,
 * 2^-14. */
static inline float util_round_to_half(float f)
{
    if (f < 0x1p-14f && f > -0x1p-14f)
        return __builtin_copysignf(0.0f, f);
    return util_half_to_float(util_float_to_half(f));
}

/* Zeros instead of denormal halves. */
static inline uint16_t util_half_flushed(uint16_t h)
{
    return h & 0x7c00 ? h : h & 0x8000;
}

#endif

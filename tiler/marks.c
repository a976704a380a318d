#include "tiler/marks.h"

#include <smmintrin.h>
#include <string.h>

void tiler_marks_begin(struct tiler_marks *m)
{
    if (++m->draw == 0) {
        memset(m->taken, 0, sizeof m->taken);
        m->draw = 1;
    }
}

void tiler_marks_name(struct tiler_marks *m, const uint16_t *index, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        __atomic_store_n(&m->named[index[i]], 1, __ATOMIC_RELAXED);
}

/* Sixteen consecutive indices from `first` on, of which those in `mask` are wanted. */
static inline uint32_t put(uint32_t first, unsigned mask, uint16_t *out)
{
    if (mask == 0xffff) {
        const __m128i step = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
        __m128i low = _mm_add_epi16(_mm_set1_epi16((short)first), step);
        _mm_storeu_si128((__m128i *)out, low);
        _mm_storeu_si128((__m128i *)(out + 8), _mm_add_epi16(low, _mm_set1_epi16(8)));
        return 16;
    }
    uint32_t n = 0;
    for (; mask; mask &= mask - 1)
        out[n++] = (uint16_t)(first + (unsigned)__builtin_ctz(mask));
    return n;
}

uint32_t tiler_marks_take(struct tiler_marks *m, uint32_t first, uint32_t last, uint16_t *out)
{
    const __m128i draw = _mm_set1_epi8((char)m->draw), zero = _mm_setzero_si128();
    uint32_t n = 0;
    for (uint32_t i = first & ~15u; i <= last; i += 16) {
        __m128i *named = (__m128i *)&m->named[i], *taken = (__m128i *)&m->taken[i];
        __m128i unnamed = _mm_cmpeq_epi8(_mm_load_si128(named), zero), before = _mm_load_si128(taken);
        __m128i old = _mm_or_si128(unnamed, _mm_cmpeq_epi8(before, draw));
        unsigned fresh = (unsigned)_mm_movemask_epi8(old) ^ 0xffff;
        _mm_store_si128(named, zero);
        if (!fresh)
            continue;
        _mm_store_si128(taken, _mm_blendv_epi8(draw, before, old));
        n += put(i, fresh, out + n);
    }
    return n;
}

uint32_t tiler_marks_take_few(struct tiler_marks *m, const uint16_t *index, uint32_t count, uint16_t *out)
{
    uint8_t draw = m->draw;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[n] = index[i];
        n += m->taken[index[i]] != draw;
        m->taken[index[i]] = draw;
    }
    return n;
}

#include "raster/fill.h"

#include <stdbool.h>
#include <string.h>

#include <emmintrin.h>

#define LINE  64
#define AHEAD 2048 /* bytes: pages end before the processor has seen that they are read in order */

static __m128i load(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)at);
}

/* The last bytes, fewer than 16. */
static void fill_rest(uint8_t *at, size_t left, const struct raster_fill *fill)
{
    for (size_t n = 0; n < left; n++)
        at[n] = (at[n] & fill->kept[n]) | fill->pattern[n];
}

static void fill_whole(uint8_t *at, size_t left, const struct raster_fill *fill)
{
    const __m128i v = load(fill->pattern);
    if (!((uintptr_t)at & 15)) /* lines, wherever they begin */
        for (; left >= LINE; at += LINE, left -= LINE)
            for (unsigned n = 0; n < LINE; n += sizeof v)
                _mm_stream_si128((__m128i *)(at + n), v);
    for (; left >= sizeof v; at += sizeof v, left -= sizeof v)
        _mm_storeu_si128((__m128i *)at, v);
    fill_rest(at, left, fill);
}

/* Lines that are as they would become, as of an image that is cleared frame after frame, are only read: they need not
 * go back to memory. */
static void fill_merged(uint8_t *at, size_t left, const struct raster_fill *fill)
{
    const __m128i v = load(fill->pattern), kept = load(fill->kept);
    for (; left >= LINE; at += LINE, left -= LINE) {
        __m128i same = _mm_set1_epi8(-1);
        _mm_prefetch((const char *)at + AHEAD, _MM_HINT_T0);
        for (unsigned n = 0; n < LINE; n += sizeof v)
            same = _mm_and_si128(same, _mm_cmpeq_epi8(_mm_andnot_si128(kept, load(at + n)), v));
        if (_mm_movemask_epi8(same) == 0xffff)
            continue;
        for (unsigned n = 0; n < LINE; n += sizeof v)
            _mm_storeu_si128((__m128i *)(at + n), _mm_or_si128(_mm_and_si128(kept, load(at + n)), v));
    }
    for (; left >= sizeof v; at += sizeof v, left -= sizeof v)
        _mm_storeu_si128((__m128i *)at, _mm_or_si128(_mm_and_si128(kept, load(at)), v));
    fill_rest(at, left, fill);
}

void raster_fill_flush(struct raster_fill *fill)
{
    static const uint8_t none[sizeof fill->kept];
    bool whole = !memcmp(fill->kept, none, sizeof none);
    (whole ? fill_whole : fill_merged)(fill->start, (size_t)(fill->end - fill->start), fill);
    fill->start = fill->end = NULL;
}

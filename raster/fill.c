#include "raster/fill.h"

#include <string.h>

#include <emmintrin.h>

#define LINE 64

void raster_fill_flush(struct raster_fill *fill)
{
    const __m128i v = _mm_set1_epi64x((int64_t)fill->pattern);
    uint8_t *at = fill->start;
    size_t left = (size_t)(fill->end - at);

    if (!((uintptr_t)at & 15)) /* lines, wherever they begin */
        for (; left >= LINE; at += LINE, left -= LINE)
            for (unsigned n = 0; n < LINE; n += sizeof v)
                _mm_stream_si128((__m128i *)(at + n), v);
    for (; left >= sizeof v; at += sizeof v, left -= sizeof v)
        _mm_storeu_si128((__m128i *)at, v);
    if (left)
        memcpy(at, &v, left);
    fill->start = fill->end = NULL;
}

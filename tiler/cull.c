/* Culling: the scalar rule, and four triangles at a time where no vertex is outside or far. */
#include "tiler/cull.h"

#include <smmintrin.h>

#include "util/bits.h"

/* ---- one triangle ---- */

static inline void put_index(struct tiler_triangle *out, const uint16_t index[3])
{
    memcpy(out->index, index, sizeof out->index);
}

/* A triangle within all planes; whether it may be seen. */
static bool cull_whole(const struct tiler_cull *c, const struct tiler_vertex *const v[3],
                       struct tiler_triangle *out, struct tiler_culled *culled)
{
    int32_t x[3], y[3];
    struct tiler_box box;
    for (unsigned k = 0; k < 3; k++) {
        x[k] = tiler_vertex_x(v[k]) + c->x;
        y[k] = tiler_vertex_y(v[k]) + c->y;
    }
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    bool facing = area > 0 ? c->keep_positive : c->keep_negative;
    culled->reversed += area != 0 && !facing;
    if (area == 0 || !facing)
        return false;
    if (!tiler_bounds(&c->grid, UTIL_MIN(UTIL_MIN(x[0], x[1]), x[2]), UTIL_MIN(UTIL_MIN(y[0], y[1]), y[2]),
                      UTIL_MAX(UTIL_MAX(x[0], x[1]), x[2]), UTIL_MAX(UTIL_MAX(y[0], y[1]), y[2]), &box)) {
        culled->outside++;
        return false;
    }
    out->box.x0 = (uint8_t)box.x0;
    out->box.y0 = (uint8_t)box.y0;
    out->box.x1 = (uint8_t)box.x1;
    out->box.y1 = (uint8_t)box.y1;
    return true;
}

static bool cull_one(const struct tiler_cull *c, const uint16_t index[3], struct tiler_triangle *out,
                     struct tiler_culled *culled)
{
    const struct tiler_vertex *const v[3] = {&c->vertex[index[0]], &c->vertex[index[1]],
                                             &c->vertex[index[2]]};
    uint32_t any = (v[0]->code | v[1]->code | v[2]->code) & ~TILER_FAR;
    uint32_t all = v[0]->code & v[1]->code & v[2]->code & ~(TILER_FAR | TILER_WIDE);
    put_index(out, index);
    out->code = (uint16_t)any;
    culled->outside += all != 0;
    if (any)
        return !all && !(any & TILER_OUT_NAN);
    return cull_whole(c, v, out, culled);
}

uint32_t tiler_cull_scalar(const struct tiler_cull *c, const uint16_t (*index)[3], uint32_t count,
                           struct tiler_triangle *out, struct tiler_culled *culled)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += cull_one(c, index[i], &out[n], culled);
    return n;
}

/* ---- four at a time ---- */

/* Vertices of four triangles, one lane each. */
struct four {
    __m128i xy[3], codes; /* codes: not 0 where any of the three has one */
};

static inline __m128i two(const struct tiler_vertex *a, const struct tiler_vertex *b)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)a), _mm_loadl_epi64((const __m128i *)b));
}

static inline __m128i words(__m128i a, __m128i b, bool odd)
{
    __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
    return _mm_castps_si128(odd ? _mm_shuffle_ps(x, y, 0xdd) : _mm_shuffle_ps(x, y, 0x88));
}

static inline struct four gather(const struct tiler_vertex *v, const uint16_t (*t)[3])
{
    struct four f;
    __m128i low = _mm_setzero_si128(), high = low;
    for (unsigned k = 0; k < 3; k++) {
        __m128i a = two(&v[t[0][k]], &v[t[1][k]]), b = two(&v[t[2][k]], &v[t[3][k]]);
        f.xy[k] = words(a, b, false);
        low = _mm_or_si128(low, a);
        high = _mm_or_si128(high, b);
    }
    f.codes = words(low, high, true);
    return f;
}

/* Twice the areas. |x|, |y| <= TILER_NEAR_MAX: differences have 16 bits, the sum of two products 32. */
static inline __m128i areas(const struct four *f)
{
    const __m128i second = _mm_set1_epi32((int)0xffff0001u); /* 1, -1 */
    __m128i a = _mm_sub_epi16(f->xy[1], f->xy[0]), b = _mm_sub_epi16(f->xy[2], f->xy[0]);
    __m128i turned = _mm_or_si128(_mm_slli_epi32(b, 16), _mm_srli_epi32(b, 16));
    return _mm_madd_epi16(a, _mm_sign_epi16(turned, second));
}

static inline unsigned lanes(__m128i mask)
{
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(mask));
}

/* Bits set in a mask of four lanes: a table of sixteen nibbles. */
static inline unsigned count_lanes(unsigned mask)
{
    return (unsigned)(0x4332322132212110ull >> mask * 4) & 15;
}

/* tiler_bounds of four; returns the lanes without any sample position. Boxes are a word each, as in memory.
 */
static unsigned bounds(const struct tiler_cull *c, const struct four *f, uint32_t box[4])
{
    const struct tiler_grid *g = &c->grid;
    __m128i low = _mm_min_epi16(_mm_min_epi16(f->xy[0], f->xy[1]), f->xy[2]);
    __m128i high = _mm_max_epi16(_mm_max_epi16(f->xy[0], f->xy[1]), f->xy[2]);
    __m128i x0 = _mm_srai_epi32(_mm_slli_epi32(low, 16), 16), y0 = _mm_srai_epi32(low, 16);
    __m128i x1 = _mm_srai_epi32(_mm_slli_epi32(high, 16), 16), y1 = _mm_srai_epi32(high, 16);
    x0 = _mm_srai_epi32(_mm_add_epi32(x0, _mm_set1_epi32(c->x + g->inset - 1)), 4);
    y0 = _mm_srai_epi32(_mm_add_epi32(y0, _mm_set1_epi32(c->y + g->inset - 1)), 4);
    x1 = _mm_srai_epi32(_mm_add_epi32(x1, _mm_set1_epi32(c->x - g->inset)), 4);
    y1 = _mm_srai_epi32(_mm_add_epi32(y1, _mm_set1_epi32(c->y - g->inset)), 4);
    x0 = _mm_max_epi32(x0, _mm_set1_epi32(g->x0));
    y0 = _mm_max_epi32(y0, _mm_set1_epi32(g->y0));
    x1 = _mm_min_epi32(x1, _mm_set1_epi32(g->x1 - 1));
    y1 = _mm_min_epi32(y1, _mm_set1_epi32(g->y1 - 1));
    __m128i empty = _mm_or_si128(_mm_cmpgt_epi32(x0, x1), _mm_cmpgt_epi32(y0, y1));
    const __m128i across = _mm_cvtsi32_si128((int)g->shift);
    const __m128i down = _mm_cvtsi32_si128((int)(g->shift - g->flat));
    __m128i a = _mm_or_si128(_mm_srl_epi32(x0, across), _mm_slli_epi32(_mm_srl_epi32(y0, down), 8));
    __m128i b = _mm_or_si128(_mm_srl_epi32(x1, across), _mm_slli_epi32(_mm_srl_epi32(y1, down), 8));
    _mm_storeu_si128((__m128i *)box, _mm_or_si128(a, _mm_slli_epi32(b, 16)));
    return lanes(empty);
}

uint32_t tiler_cull(const struct tiler_cull *c, const uint16_t (*index)[3], uint32_t count,
                    struct tiler_triangle *out, struct tiler_culled *culled)
{
    const __m128i zero = _mm_setzero_si128();
    const unsigned positive = c->keep_positive ? 15 : 0, negative = c->keep_negative ? 15 : 0;
    struct tiler_culled sum = *culled;
    uint32_t n = 0, i = 0, box[4];
    for (; count - i >= 4; i += 4) {
        struct four f = gather(c->vertex, index + i);
        __m128i area = areas(&f);
        unsigned whole = lanes(_mm_cmpeq_epi32(f.codes, zero));
        unsigned above = lanes(_mm_cmpgt_epi32(area, zero)) & whole, below = lanes(area) & whole;
        unsigned seen = (above & positive) | (below & negative);
        sum.reversed += count_lanes((above | below) & ~seen);
        if (seen) {
            unsigned empty = bounds(c, &f, box) & seen;
            sum.outside += count_lanes(empty);
            seen &= ~empty;
        }
        for (unsigned left = seen | (~whole & 15); left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            if (!(seen >> l & 1)) {
                n += cull_one(c, index[i + l], &out[n], &sum);
                continue;
            }
            put_index(&out[n], index[i + l]);
            out[n].code = 0;
            memcpy(&out[n].box, &box[l], sizeof out[n].box);
            n++;
        }
    }
    *culled = sum;
    return n + tiler_cull_scalar(c, index + i, count - i, out + n, culled);
}

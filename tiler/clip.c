/* Sutherland-Hodgman, one plane after the other, carrying weights. */
#include "tiler/clip.h"

#include <string.h>

#include <smmintrin.h>

#define PLANES 6u

/* ---- outcodes, four vertices at a time, as the scalar form has them ---- */

static inline __m128i bit_where(__m128 condition, int bit)
{
    return _mm_and_si128(_mm_castps_si128(condition), _mm_set1_epi32(bit));
}

static inline __m128 zero_difference(__m128 v)
{
    return _mm_cmpeq_ps(_mm_sub_ps(v, v), _mm_setzero_ps());
}

static __m128i outcodes4(const struct tiler_guard *g, __m128 x, __m128 y, __m128 z, __m128 w)
{
    const __m128 sign = _mm_set1_ps(-0.0f);
    __m128 limit = _mm_mul_ps(_mm_set1_ps(g->limit), w), below = _mm_xor_ps(limit, sign);
    __m128 sx = _mm_mul_ps(x, _mm_set1_ps(g->scale_x)), sy = _mm_mul_ps(y, _mm_set1_ps(g->scale_y));
    __m128 near = _mm_cmplt_ps(z, _mm_xor_ps(w, sign)), far = _mm_cmpgt_ps(z, w);
    __m128 front = _mm_cmpgt_ps(w, _mm_setzero_ps());
    __m128 number = _mm_and_ps(_mm_and_ps(zero_difference(sx), zero_difference(sy)),
                               _mm_and_ps(zero_difference(z), zero_difference(limit)));
    __m128i code = _mm_or_si128(bit_where(near, TILER_OUT_NEAR), bit_where(far, TILER_OUT_FAR));
    code = _mm_or_si128(code, bit_where(_mm_cmplt_ps(sx, below), TILER_OUT_LEFT));
    code = _mm_or_si128(code, bit_where(_mm_cmpgt_ps(sx, limit), TILER_OUT_RIGHT));
    code = _mm_or_si128(code, bit_where(_mm_cmplt_ps(sy, below), TILER_OUT_BOTTOM));
    code = _mm_or_si128(code, bit_where(_mm_cmpgt_ps(sy, limit), TILER_OUT_TOP));
    __m128i nowhere = _mm_andnot_si128(_mm_castps_si128(front), _mm_cmpeq_epi32(code, _mm_setzero_si128()));
    __m128i good = _mm_andnot_si128(nowhere, _mm_castps_si128(number));
    return _mm_or_si128(code, _mm_andnot_si128(good, _mm_set1_epi32(TILER_OUT_NAN)));
}

/* Whether all four are inside. A finite limit bounds x, y, z and w: then they are numbers. */
static bool inside4(const struct tiler_guard *g, __m128 x, __m128 y, __m128 z, __m128 w)
{
    const __m128 sign = _mm_set1_ps(-0.0f), infinity = _mm_set1_ps(__builtin_inff());
    __m128 limit = _mm_mul_ps(_mm_set1_ps(g->limit), w);
    __m128 sx = _mm_andnot_ps(sign, _mm_mul_ps(x, _mm_set1_ps(g->scale_x)));
    __m128 sy = _mm_andnot_ps(sign, _mm_mul_ps(y, _mm_set1_ps(g->scale_y)));
    __m128 sides = _mm_and_ps(_mm_cmple_ps(sx, limit), _mm_cmple_ps(sy, limit));
    __m128 depth = _mm_and_ps(_mm_cmple_ps(_mm_andnot_ps(sign, z), w), _mm_cmpgt_ps(w, _mm_setzero_ps()));
    return _mm_movemask_ps(_mm_and_ps(_mm_and_ps(sides, depth), _mm_cmplt_ps(limit, infinity))) == 15;
}

void tiler_outcodes(const struct tiler_guard *g, const float clip[4][16], uint32_t code[16])
{
    for (unsigned l = 0; l < 16; l += 4) {
        __m128 x = _mm_loadu_ps(&clip[0][l]), y = _mm_loadu_ps(&clip[1][l]);
        __m128 z = _mm_loadu_ps(&clip[2][l]), w = _mm_loadu_ps(&clip[3][l]);
        bool inside = inside4(g, x, y, z, w);
        _mm_storeu_si128((__m128i *)&code[l], inside ? _mm_setzero_si128() : outcodes4(g, x, y, z, w));
    }
}

/* ---- clipping ---- */

/* Positions and weights in double: seven linear values. */
struct vertex {
    double value[7];
    int32_t source;
};

/* Signed distance to plane p (bit p of an outcode), >= 0 inside. */
static double distance(const struct tiler_guard *g, unsigned p, const struct vertex *v)
{
    const double *value = v->value;
    switch (p) {
    case 0: return value[3] + value[2];
    case 1: return value[3] - value[2];
    case 2: return g->limit * value[3] + g->scale_x * value[0];
    case 3: return g->limit * value[3] - g->scale_x * value[0];
    case 4: return g->limit * value[3] + g->scale_y * value[1];
    default: return g->limit * value[3] - g->scale_y * value[1];
    }
}

/* The point of the edge on the plane; `inside` has distance d0 >= 0, `outside` d1 < 0. */
static void intersect(const struct vertex *inside, double d0, const struct vertex *outside, double d1,
                      struct vertex *out)
{
    double t = d0 / (d0 - d1);
    for (unsigned i = 0; i < 7; i++)
        out->value[i] = inside->value[i] + t * (outside->value[i] - inside->value[i]);
    out->source = -1;
}

static void load(const float position[4], int32_t source, struct vertex *v)
{
    *v = (struct vertex){.source = source};
    for (unsigned i = 0; i < 4; i++)
        v->value[i] = position[i];
    v->value[4 + source] = 1.0;
}

/* false when the vertex cannot be divided by its w. */
static bool store(const struct vertex *v, struct tiler_clip_vertex *out)
{
    for (unsigned i = 0; i < 4; i++)
        out->position[i] = (float)v->value[i];
    for (unsigned i = 0; i < 3; i++)
        out->weight[i] = (float)v->value[4 + i];
    out->source = v->source;
    float sum = out->position[0] + out->position[1] + out->position[2] + out->position[3];
    return out->position[3] > 0 && sum - sum == 0;
}

static uint32_t clip_plane(const struct tiler_guard *guard, unsigned plane, const struct vertex *in,
                           uint32_t count, struct vertex *out)
{
    uint32_t n = 0;
    const struct vertex *from = &in[count - 1];
    double d_from = distance(guard, plane, from);
    for (uint32_t i = 0; i < count; i++) {
        const struct vertex *to = &in[i];
        double d_to = distance(guard, plane, to);
        if (d_from >= 0 && d_to < 0)
            intersect(from, d_from, to, d_to, &out[n++]);
        else if (d_from < 0 && d_to >= 0)
            intersect(to, d_to, from, d_from, &out[n++]);
        if (d_to >= 0)
            out[n++] = *to;
        from = to;
        d_from = d_to;
    }
    return n;
}

uint32_t tiler_clip_triangle(const struct tiler_guard *guard, uint32_t planes, const float position[3][4],
                             struct tiler_clip_vertex out[TILER_CLIP_MAX])
{
    /* A convex polygon gains at most one vertex a plane; rounding can make it slightly concave, so that it
     * gains more: there is room for a vertex beside every one, and what is too many ends the primitive. */
    struct vertex polygon[2][2 * TILER_CLIP_MAX];
    uint32_t count = 3, current = 0;
    for (int32_t i = 0; i < 3; i++)
        load(position[i], i, &polygon[0][i]);
    for (unsigned plane = 0; plane < PLANES && count; plane++) {
        if (!(planes >> plane & 1))
            continue;
        count = clip_plane(guard, plane, polygon[current], count, polygon[!current]);
        current = !current;
        if (count > TILER_CLIP_MAX)
            return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!store(&polygon[current][i], &out[i]))
            return 0;
    return count < 3 ? 0 : count;
}

bool tiler_clip_line(const struct tiler_guard *guard, uint32_t planes, const float position[2][4],
                     struct tiler_clip_vertex out[2])
{
    struct vertex end[2];
    load(position[0], 0, &end[0]);
    load(position[1], 1, &end[1]);
    for (unsigned plane = 0; plane < PLANES; plane++) {
        if (!(planes >> plane & 1))
            continue;
        double d[2] = {distance(guard, plane, &end[0]), distance(guard, plane, &end[1])};
        if (!(d[0] >= 0) && !(d[1] >= 0))
            return false;
        for (unsigned i = 0; i < 2; i++)
            if (!(d[i] >= 0)) {
                struct vertex cut;
                intersect(&end[!i], d[!i], &end[i], d[i], &cut);
                end[i] = cut;
            }
    }
    return store(&end[0], &out[0]) && store(&end[1], &out[1]);
}

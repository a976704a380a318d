/* Vertices in window coordinates. */
#include "tiler/window.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "util/bits.h"

/* A depth that misses near or far by no more than this part of the range lies on it: programs divide by a
 * rounded 1/w, and z = w must not flicker. */
#define DEPTH_SLACK 0x1p-20f

#define GROUP        1024u /* vertices that a thread takes at a time */
#define PARALLEL_MIN 8u    /* groups worth waking the workers for */

/* ---- one vertex ---- */

static bool is_number(float v)
{
    return v - v == 0;
}

/* Nothing is clipped by depth. */
static bool is_flat(const struct tiler_window *w)
{
    return w->near == w->far;
}

/* Depth in the range -1 to 1. */
static float depth_of(const struct tiler_window *w, float z)
{
    float near = w->near, far = w->far, t;
    if (is_flat(w))
        return 0;
    t = (2 * z - (near + far)) / (far - near);
    if (fabsf(fabsf(t) - 1) <= DEPTH_SLACK)
        t = t < 0 ? -1.0f : 1.0f;
    return t;
}

void tiler_window_load(const struct tiler_window *w, const void *at, struct tiler_window_vertex *v)
{
    float value[4], clip_w;
    memcpy(value, at, sizeof value);
    *v = (struct tiler_window_vertex){.x = value[0], .y = value[1], .z = value[2], .inv_w = value[3]};
    clip_w = 1 / v->inv_w;
    v->clip[0] = (v->x - w->centre_x) * clip_w;
    v->clip[1] = (v->y - w->centre_y) * clip_w;
    v->clip[2] = depth_of(w, v->z) * clip_w;
    v->clip[3] = clip_w;
    v->code = tiler_outcode(&w->guard, v->clip[0], v->clip[1], v->clip[2], clip_w);
    if (!is_number(v->x) || !is_number(v->y) || !is_number(v->z) || !is_number(v->inv_w))
        v->code |= TILER_OUT_NAN;
}

/* ---- many vertices, four at a time, by the same arithmetic ---- */

struct taking {
    const struct tiler_window *window;
    const uint8_t *positions; /* of vertex 0 */
    struct tiler_window_vertices *out;
    const uint16_t *index; /* NULL: first, first + 1, ... */
    uint32_t first, count;
    bool wide; /* the processor has vectors of eight */
    __m128 centre_x, centre_y;
    __m128i middle_x, middle_y; /* the same, 1/16 pixel */
};

static inline __m128 magnitude(__m128 v)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), v);
}

static inline __m128 depths(const struct tiler_window *w, __m128 z)
{
    const __m128 near = _mm_set1_ps(w->near), far = _mm_set1_ps(w->far);
    const __m128 one = _mm_set1_ps(1);
    __m128 t;
    if (is_flat(w))
        return _mm_setzero_ps();
    t = _mm_div_ps(_mm_sub_ps(_mm_add_ps(z, z), _mm_add_ps(near, far)), _mm_sub_ps(far, near));
    __m128 at_end = _mm_cmple_ps(magnitude(_mm_sub_ps(magnitude(t), one)), _mm_set1_ps(DEPTH_SLACK));
    __m128 end = _mm_or_ps(one, _mm_and_ps(t, _mm_set1_ps(-0.0f)));
    return _mm_blendv_ps(t, end, at_end);
}

static inline __m128 all_numbers(const __m128 v[4])
{
    const __m128 zero = _mm_setzero_ps();
    __m128 a =
        _mm_and_ps(_mm_cmpeq_ps(_mm_sub_ps(v[0], v[0]), zero), _mm_cmpeq_ps(_mm_sub_ps(v[1], v[1]), zero));
    __m128 b =
        _mm_and_ps(_mm_cmpeq_ps(_mm_sub_ps(v[2], v[2]), zero), _mm_cmpeq_ps(_mm_sub_ps(v[3], v[3]), zero));
    return _mm_and_ps(a, b);
}

/* Whether four are inside, by their places and depths as they are: for such 1/w that products with w neither
 * overflow nor vanish, comparing with w times the limit says the same. */
static inline bool are_inside(const struct tiler_window *w, __m128 x, __m128 y, __m128 depth, __m128 inv_w)
{
    const __m128 guard = _mm_set1_ps(w->guard.limit);
    __m128 sides = _mm_and_ps(_mm_cmple_ps(magnitude(x), guard), _mm_cmple_ps(magnitude(y), guard));
    __m128 front =
        _mm_and_ps(_mm_cmpge_ps(inv_w, _mm_set1_ps(0x1p-60f)), _mm_cmple_ps(inv_w, _mm_set1_ps(0x1p60f)));
    __m128 between = _mm_cmple_ps(magnitude(depth), _mm_set1_ps(1));
    return _mm_movemask_ps(_mm_and_ps(_mm_and_ps(sides, between), front)) == 15;
}

/* The outcodes of four; x and y from the centre. */
static __m128i outcodes(const struct tiler_window *w, const __m128 v[4], __m128 x, __m128 y, __m128 depth)
{
    float clip[4][16] = {{0}};
    uint32_t code[16];
    __m128 clip_w = _mm_div_ps(_mm_set1_ps(1), v[3]);
    _mm_storeu_ps(clip[0], _mm_mul_ps(x, clip_w));
    _mm_storeu_ps(clip[1], _mm_mul_ps(y, clip_w));
    _mm_storeu_ps(clip[2], _mm_mul_ps(depth, clip_w));
    _mm_storeu_ps(clip[3], clip_w);
    tiler_outcodes(&w->guard, (const float(*)[16])clip, code);
    __m128i nan = _mm_andnot_si128(_mm_castps_si128(all_numbers(v)), _mm_set1_epi32(TILER_OUT_NAN));
    return _mm_or_si128(_mm_loadu_si128((const __m128i *)code), nan);
}

/* TILER_FAR and TILER_WIDE for places in 1/16 pixel from the centre. */
static inline __m128i distance_bits(__m128i x, __m128i y)
{
    const __m128i near = _mm_set1_epi32(TILER_NEAR_MAX), narrow = _mm_set1_epi32(INT16_MAX);
    __m128i most = _mm_max_epi32(_mm_abs_epi32(x), _mm_abs_epi32(y));
    __m128i far = _mm_and_si128(_mm_cmpgt_epi32(most, near), _mm_set1_epi32(TILER_FAR));
    __m128i wide = _mm_and_si128(_mm_cmpgt_epi32(most, narrow), _mm_set1_epi32(TILER_WIDE));
    return _mm_or_si128(far, wide);
}

/* Four vertices, of which some may be the same. */
static inline void take_four(const struct taking *t, const uint32_t index[4])
{
    struct tiler_window_vertices *out = t->out;
    __m128 v[4];
    for (unsigned i = 0; i < 4; i++) {
        const __m128i *at = (const __m128i *)(t->positions + (uint64_t)index[i] * TILER_POSITION);
        v[i] = _mm_castsi128_ps(_mm_loadu_si128(at));
        _mm_store_ps(out->position[index[i]], v[i]);
    }
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
    __m128 x = _mm_sub_ps(v[0], t->centre_x), y = _mm_sub_ps(v[1], t->centre_y);
    __m128 depth = depths(t->window, v[2]), sixteen = _mm_set1_ps(16);
    bool inside = are_inside(t->window, x, y, depth, v[3]) && _mm_movemask_ps(all_numbers(v)) == 15;
    __m128i code = inside ? _mm_setzero_si128() : outcodes(t->window, v, x, y, depth);
    __m128i fx = _mm_sub_epi32(_mm_cvtps_epi32(_mm_mul_ps(v[0], sixteen)), t->middle_x);
    __m128i fy = _mm_sub_epi32(_mm_cvtps_epi32(_mm_mul_ps(v[1], sixteen)), t->middle_y);
    code = _mm_or_si128(code, distance_bits(fx, fy));
    __m128i xy = _mm_blend_epi16(fx, _mm_slli_epi32(fy, 16), 0xaa);
    __m128i low = _mm_unpacklo_epi32(xy, code), high = _mm_unpackhi_epi32(xy, code);
    _mm_storel_epi64((__m128i *)&out->at[index[0]], low);
    _mm_storeh_pd((double *)&out->at[index[1]], _mm_castsi128_pd(low));
    _mm_storel_epi64((__m128i *)&out->at[index[2]], high);
    _mm_storeh_pd((double *)&out->at[index[3]], _mm_castsi128_pd(high));
}

/* ---- eight that follow each other, where all are inside ---- */

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256 magnitudes(__m256 v)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

/* As are_inside and all_numbers have it: places within the guard band are numbers, and so is 1/w between bounds; a depth
 * is where it is compared. */
AVX2 static inline bool are_eight_inside(const struct tiler_window *w, __m256 x, __m256 y, __m256 z,
                                         __m256 inv_w)
{
    const __m256 guard = _mm256_set1_ps(w->guard.limit), one = _mm256_set1_ps(1);
    __m256 in = _mm256_and_ps(_mm256_cmp_ps(magnitudes(x), guard, _CMP_LE_OQ),
                              _mm256_cmp_ps(magnitudes(y), guard, _CMP_LE_OQ));
    in = _mm256_and_ps(in, _mm256_cmp_ps(inv_w, _mm256_set1_ps(0x1p-60f), _CMP_GE_OQ));
    in = _mm256_and_ps(in, _mm256_cmp_ps(inv_w, _mm256_set1_ps(0x1p60f), _CMP_LE_OQ));
    if (is_flat(w))
        return _mm256_movemask_ps(_mm256_and_ps(
                   in, _mm256_cmp_ps(_mm256_sub_ps(z, z), _mm256_setzero_ps(), _CMP_EQ_OQ))) == 255;
    __m256 t = _mm256_sub_ps(_mm256_add_ps(z, z), _mm256_set1_ps(w->near + w->far));
    t = magnitudes(_mm256_div_ps(t, _mm256_set1_ps(w->far - w->near)));
    in = _mm256_and_ps(in, _mm256_cmp_ps(_mm256_sub_ps(t, one), _mm256_set1_ps(DEPTH_SLACK), _CMP_LE_OQ));
    return _mm256_movemask_ps(in) == 255;
}

/* Vertices n and n + 4 in the halves of a vector. */
AVX2 static inline __m256 two_of(const uint8_t *at, unsigned n)
{
    return _mm256_loadu2_m128((const float *)(at + (n + 4) * TILER_POSITION),
                              (const float *)(at + n * TILER_POSITION));
}

AVX2 static inline __m256i sixteenths(__m256 v, __m128i middle)
{
    return _mm256_sub_epi32(_mm256_cvtps_epi32(_mm256_mul_ps(v, _mm256_set1_ps(16))),
                            _mm256_broadcastsi128_si256(middle));
}

/* distance_bits of eight. */
AVX2 static inline __m256i distances(__m256i x, __m256i y)
{
    const __m256i near = _mm256_set1_epi32(TILER_NEAR_MAX), narrow = _mm256_set1_epi32(INT16_MAX);
    __m256i most = _mm256_max_epi32(_mm256_abs_epi32(x), _mm256_abs_epi32(y));
    __m256i far = _mm256_and_si256(_mm256_cmpgt_epi32(most, near), _mm256_set1_epi32(TILER_FAR));
    __m256i wide = _mm256_and_si256(_mm256_cmpgt_epi32(most, narrow), _mm256_set1_epi32(TILER_WIDE));
    return _mm256_or_si256(far, wide);
}

/* False: some are not inside, and nothing is taken but positions. */
AVX2 static bool take_eight(const struct taking *t, uint32_t first)
{
    struct tiler_window_vertices *out = t->out;
    const uint8_t *at = t->positions + (uint64_t)first * TILER_POSITION;
    __m256 a = two_of(at, 0), b = two_of(at, 1), c = two_of(at, 2), d = two_of(at, 3);
    _mm256_storeu2_m128(out->position[first + 4], out->position[first], a);
    _mm256_storeu2_m128(out->position[first + 5], out->position[first + 1], b);
    _mm256_storeu2_m128(out->position[first + 6], out->position[first + 2], c);
    _mm256_storeu2_m128(out->position[first + 7], out->position[first + 3], d);
    __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    __m256 ef = _mm256_unpackhi_ps(a, b), gh = _mm256_unpackhi_ps(c, d);
    __m256 x = _mm256_shuffle_ps(ab, cd, 0x44), y = _mm256_shuffle_ps(ab, cd, 0xee);
    __m256 z = _mm256_shuffle_ps(ef, gh, 0x44), inv_w = _mm256_shuffle_ps(ef, gh, 0xee);
    if (!are_eight_inside(t->window, _mm256_sub_ps(x, _mm256_set_m128(t->centre_x, t->centre_x)),
                          _mm256_sub_ps(y, _mm256_set_m128(t->centre_y, t->centre_y)), z, inv_w))
        return false;
    __m256i fx = sixteenths(x, t->middle_x), fy = sixteenths(y, t->middle_y), code = distances(fx, fy);
    __m256i xy = _mm256_blend_epi16(fx, _mm256_slli_epi32(fy, 16), 0xaa);
    __m256i low = _mm256_unpacklo_epi32(xy, code), high = _mm256_unpackhi_epi32(xy, code);
    _mm256_storeu_si256((__m256i *)&out->at[first], _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)&out->at[first + 4], _mm256_permute2x128_si256(low, high, 0x31));
    return true;
}

static void take_group(void *data, uint32_t number, unsigned worker)
{
    const struct taking *t = data;
    uint32_t end = UTIL_MIN((number + 1) * GROUP, t->count);
    (void)worker;
    for (uint32_t i = number * GROUP; i < end; i += 4) {
        uint32_t index[4];
        if (t->wide && !t->index && end - i >= 8 && take_eight(t, t->first + i)) {
            i += 4;
            continue;
        }
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t at = UTIL_MIN(i + k, end - 1);
            index[k] = t->index ? t->index[at] : t->first + at;
        }
        take_four(t, index);
    }
}

void tiler_window_take(const struct tiler_window *w, const uint8_t *positions, const uint16_t *index,
                       uint32_t first, uint32_t count, struct tiler_window_vertices *out,
                       struct util_pool *pool)
{
    struct taking t = {.window = w,
                       .positions = positions,
                       .out = out,
                       .index = index,
                       .first = first,
                       .count = count,
                       .wide = __builtin_cpu_supports("avx2"),
                       .centre_x = _mm_set1_ps(w->centre_x),
                       .centre_y = _mm_set1_ps(w->centre_y),
                       .middle_x = _mm_set1_epi32((int32_t)(w->centre_x * 16)),
                       .middle_y = _mm_set1_epi32((int32_t)(w->centre_y * 16))};
    uint32_t groups = util_div_up(count, GROUP);
    util_pool_run_spans(groups >= PARALLEL_MIN ? pool : NULL, groups, take_group, &t);
}

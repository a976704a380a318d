/* Vertices as the VS left them, divided, with 1/w beside them: as clipping needs one, and as culling needs
 * many. Clip coordinates are rebuilt: x and y are pixels from the frame's centre, near and far are -w and w.
 */
#include <math.h>
#include <smmintrin.h>
#include <string.h>

#include "gpu/utgard/plbu_internal.h"
#include "util/bits.h"

/* A depth that misses near or far by no more than this part of the range lies on it: programs divide by a
 * rounded 1/w, and z = w must not flicker. */
#define DEPTH_SLACK 0x1p-20f

#define GROUP        1024u /* vertices that a thread takes at a time */
#define PARALLEL_MIN 8u    /* groups worth waking the workers for */

float plbu_centre(uint32_t tiles)
{
    return (float)(tiles * PLBU_TILE) * 0.5f;
}

/* ---- one vertex ---- */

static bool is_number(float v)
{
    return v - v == 0;
}

/* Nothing is clipped by depth. */
static bool is_flat(const struct plbu_draw *d)
{
    return d->state.near == d->state.far;
}

/* Depth in the range -1 to 1. */
static float depth_of(const struct plbu_draw *d, float z)
{
    float near = d->state.near, far = d->state.far, t;
    if (is_flat(d))
        return 0;
    t = (2 * z - (near + far)) / (far - near);
    if (fabsf(fabsf(t) - 1) <= DEPTH_SLACK)
        t = t < 0 ? -1.0f : 1.0f;
    return t;
}

void plbu_vertex_load(const struct utgard_plbu *p, uint32_t index, struct plbu_vertex *v)
{
    const struct plbu_draw *d = &p->draw;
    const void *at = d->culls ? (const void *)p->vertices->position[index]
                              : p->space->window.base + d->state.positions + index * 16ull;
    float value[4], w;
    memcpy(value, at, sizeof value);
    *v = (struct plbu_vertex){.x = value[0], .y = value[1], .z = value[2], .inv_w = value[3]};
    w = 1 / v->inv_w;
    v->clip[0] = (v->x - plbu_centre(p->reg.tiles_x)) * w;
    v->clip[1] = (v->y - plbu_centre(p->reg.tiles_y)) * w;
    v->clip[2] = depth_of(d, v->z) * w;
    v->clip[3] = w;
    v->code = tiler_outcode(&d->guard, v->clip[0], v->clip[1], v->clip[2], w);
    if (!is_number(v->x) || !is_number(v->y) || !is_number(v->z) || !is_number(v->inv_w))
        v->code |= TILER_OUT_NAN;
}

/* ---- sixteen vertices, by the same arithmetic ---- */

struct taking {
    const struct plbu_draw *draw;
    const uint8_t *positions; /* of vertex 0 */
    struct plbu_vertices *out;
    const uint16_t *index; /* NULL: first, first + 1, ... */
    uint32_t first, count;
    __m128 centre_x, centre_y;
    __m128i middle_x, middle_y; /* the same, 1/16 pixel */
};

static inline __m128 magnitude(__m128 v)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), v);
}

static inline __m128 depths(const struct plbu_draw *d, __m128 z)
{
    const __m128 near = _mm_set1_ps(d->state.near), far = _mm_set1_ps(d->state.far);
    const __m128 one = _mm_set1_ps(1);
    __m128 t;
    if (is_flat(d))
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
static inline bool are_inside(__m128 x, __m128 y, __m128 depth, __m128 inv_w)
{
    const __m128 guard = _mm_set1_ps(PLBU_GUARD);
    __m128 sides = _mm_and_ps(_mm_cmple_ps(magnitude(x), guard), _mm_cmple_ps(magnitude(y), guard));
    __m128 front =
        _mm_and_ps(_mm_cmpge_ps(inv_w, _mm_set1_ps(0x1p-60f)), _mm_cmple_ps(inv_w, _mm_set1_ps(0x1p60f)));
    __m128 between = _mm_cmple_ps(magnitude(depth), _mm_set1_ps(1));
    return _mm_movemask_ps(_mm_and_ps(_mm_and_ps(sides, between), front)) == 15;
}

/* The outcodes of four; x and y from the centre. */
static __m128i outcodes(const struct plbu_draw *d, const __m128 v[4], __m128 x, __m128 y, __m128 depth)
{
    float clip[4][16] = {{0}};
    uint32_t code[16];
    __m128 w = _mm_div_ps(_mm_set1_ps(1), v[3]);
    _mm_storeu_ps(clip[0], _mm_mul_ps(x, w));
    _mm_storeu_ps(clip[1], _mm_mul_ps(y, w));
    _mm_storeu_ps(clip[2], _mm_mul_ps(depth, w));
    _mm_storeu_ps(clip[3], w);
    tiler_outcodes(&d->guard, (const float(*)[16])clip, code);
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
    struct plbu_vertices *out = t->out;
    __m128 v[4];
    for (unsigned i = 0; i < 4; i++) {
        const __m128i *at = (const __m128i *)(t->positions + index[i] * 16ull);
        v[i] = _mm_castsi128_ps(_mm_loadu_si128(at));
        _mm_store_ps(out->position[index[i]], v[i]);
    }
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
    __m128 x = _mm_sub_ps(v[0], t->centre_x), y = _mm_sub_ps(v[1], t->centre_y);
    __m128 depth = depths(t->draw, v[2]), sixteen = _mm_set1_ps(16);
    bool inside = are_inside(x, y, depth, v[3]) && _mm_movemask_ps(all_numbers(v)) == 15;
    __m128i code = inside ? _mm_setzero_si128() : outcodes(t->draw, v, x, y, depth);
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

static void take_group(void *data, uint32_t number, unsigned worker)
{
    const struct taking *t = data;
    uint32_t end = UTIL_MIN((number + 1) * GROUP, t->count);
    (void)worker;
    for (uint32_t i = number * GROUP; i < end; i += 4) {
        uint32_t index[4];
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t at = UTIL_MIN(i + k, end - 1);
            index[k] = t->index ? t->index[at] : t->first + at;
        }
        take_four(t, index);
    }
}

void plbu_vertices_take(struct utgard_plbu *p, const uint16_t *index, uint32_t first, uint32_t count)
{
    struct taking t = {.draw = &p->draw,
                       .positions = p->space->window.base + p->draw.state.positions,
                       .out = p->vertices,
                       .index = index,
                       .first = first,
                       .count = count,
                       .centre_x = _mm_set1_ps(plbu_centre(p->reg.tiles_x)),
                       .centre_y = _mm_set1_ps(plbu_centre(p->reg.tiles_y)),
                       .middle_x = _mm_set1_epi32(p->draw.cull.x),
                       .middle_y = _mm_set1_epi32(p->draw.cull.y)};
    uint32_t groups = util_div_up(count, GROUP);
    util_pool_run_spans(groups >= PARALLEL_MIN ? p->pool : NULL, groups, take_group, &t);
}

/* Coverage: which blocks of a tile a primitive touches, and which lanes of them. Exact integers throughout;
 * cover_ref.c is the definition. */
#include "raster/cover.h"

#include <stdbool.h>
#include <string.h>

#include <immintrin.h>

#include "util/bits.h"

#define FEW_BLOCKS 4 /* up to this many are tested lane by lane at once */

typedef int32_t v16 __attribute__((vector_size(64)));

/* Pixel of a lane (tile.h), and columns of blocks. */
static const v16 lane_x = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const v16 lane_y = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
static const v16 block_x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Lanes with lane_x >= n, lane_x <= n, and the same for lane_y. */
static const uint16_t from_x[4] = {0xffff, 0xfafa, 0xf0f0, 0xa0a0},
                      to_x[4] = {0x0505, 0x0f0f, 0x5f5f, 0xffff};
static const uint16_t from_y[4] = {0xffff, 0xffcc, 0xff00, 0xcc00},
                      to_y[4] = {0x0033, 0x00ff, 0x33ff, 0xffff};

/* The lanes of a block that lie in the area. */
static inline uint32_t area_lanes(const struct cover_job *job, int32_t bx, int32_t by)
{
    uint32_t lanes = 0xffff;
    if (bx == job->x0 >> 2)
        lanes &= from_x[job->x0 & 3];
    if (bx == job->x1 >> 2)
        lanes &= to_x[job->x1 & 3];
    if (by == job->y0 >> 2)
        lanes &= from_y[job->y0 & 3];
    if (by == job->y1 >> 2)
        lanes &= to_y[job->y1 & 3];
    return lanes;
}

/* Each writes a block and returns whether it counts. */
static inline uint32_t put_block(struct raster_block *out, int32_t bx, int32_t by, const uint32_t mask[4])
{
    uint32_t any = mask[0] | mask[1] | mask[2] | mask[3];
    out->x = (uint8_t)bx;
    out->y = (uint8_t)by;
    out->mask = (uint16_t)any;
    for (unsigned s = 0; s < 4; s++)
        out->sample[s] = (uint16_t)mask[s];
    return any != 0;
}

static inline uint32_t put_whole(const struct cover_job *job, struct raster_block *out, int32_t bx,
                                 int32_t by)
{
    uint32_t lanes = area_lanes(job, bx, by), others = job->samples == 1 ? 0 : lanes;
    return put_block(out, bx, by, (const uint32_t[4]){lanes, others, others, others});
}

/* Sixteen sign bits without wider masks: saturating packs keep the sign. */
static inline uint32_t negative_sse(const v16 *v)
{
    __m128i q[4];
    memcpy(q, v, sizeof q);
    __m128i lo = _mm_packs_epi32(q[0], q[1]), hi = _mm_packs_epi32(q[2], q[3]);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lo, hi));
}

#define COVER_NAME(x) x##_sse
#define COVER_TARGET
#define COVER_NEGATIVE(v) negative_sse(&(v))
#include "raster/cover_tmpl.h"
#undef COVER_NAME
#undef COVER_TARGET
#undef COVER_NEGATIVE

#define COVER_NAME(x) x##_avx2
#define COVER_TARGET  __attribute__((target("avx2,bmi")))
#define COVER_NEGATIVE(v)                                                                                    \
    ((uint32_t)_mm256_movemask_ps((__m256)half_avx2(&(v), 0)) |                                              \
     (uint32_t)_mm256_movemask_ps((__m256)half_avx2(&(v), 1)) << 8)
COVER_TARGET static inline __m256i half_avx2(const v16 *v, unsigned half)
{
    return _mm256_loadu_si256((const __m256i *)v + half);
}
#include "raster/cover_tmpl.h"
#undef COVER_NAME
#undef COVER_TARGET
#undef COVER_NEGATIVE

#define COVER_NAME(x)     x##_avx512
#define COVER_TARGET      __attribute__((target("avx512f,avx512dq,bmi")))
#define COVER_NEGATIVE(v) ((uint32_t)_mm512_movepi32_mask((__m512i)(v)))
#include "raster/cover_tmpl.h"

/* An edge over the area: false when the whole of it fails; an edge that the whole of it passes is not kept.
 */
static bool add_edge(struct cover_job *job, int64_t a, int64_t b, int64_t c, int64_t px, int64_t py)
{
    uint32_t i = job->edge_count;
    int64_t low = INT64_MAX, high = INT64_MIN, origin[RASTER_MAX_SAMPLES];
    for (uint32_t s = 0; s < job->samples; s++) {
        int64_t x = px + raster_sample_x(job->samples, s), y = py + raster_sample_y(job->samples, s);
        origin[s] = (a * x + b * y + c) >> 4; /* floor */
        low = UTIL_MIN(low, origin[s]);
        high = UTIL_MAX(high, origin[s]);
    }
    int64_t left = a * job->x0, right = a * job->x1, top = b * job->y0, bottom = b * job->y1;
    if (high + UTIL_MAX(left, right) + UTIL_MAX(top, bottom) < 0)
        return false;
    if (low + UTIL_MIN(left, right) + UTIL_MIN(top, bottom) >= 0)
        return true;
    job->a[i] = (int32_t)a;
    job->b[i] = (int32_t)b;
    job->low[i] = (int32_t)low;
    job->high[i] = (int32_t)high;
    for (uint32_t s = 0; s < job->samples; s++)
        job->origin[i][s] = (int32_t)origin[s];
    job->edge_count = i + 1;
    return true;
}

/* false: nothing to draw. */
static bool make_job(struct cover_job *job, const struct raster_prim *prim, const struct raster_tile *tile,
                     const struct raster_rect *clip)
{
    /* Bounds of primitives and tiles are small (prim.h, tile.h); a clip may be any four integers. */
    int32_t right = tile->x + (int32_t)tile->width - 1, bottom = tile->y + (int32_t)tile->height - 1;
    if (clip->x1 <= tile->x || clip->y1 <= tile->y)
        return false;
    int32_t x0 = UTIL_MAX(UTIL_MAX(prim->min_x, clip->x0), tile->x);
    int32_t y0 = UTIL_MAX(UTIL_MAX(prim->min_y, clip->y0), tile->y);
    int32_t x1 = UTIL_MIN(UTIL_MIN(prim->max_x, clip->x1 - 1), right);
    int32_t y1 = UTIL_MIN(UTIL_MIN(prim->max_y, clip->y1 - 1), bottom);
    if (x0 > x1 || y0 > y1)
        return false;
    job->x0 = x0 - tile->x;
    job->y0 = y0 - tile->y;
    job->x1 = x1 - tile->x;
    job->y1 = y1 - tile->y;
    job->samples = tile->samples;
    job->edge_count = 0;
    for (uint32_t i = 0; i < prim->edge_count; i++)
        if (!add_edge(job, prim->edge[i].a, prim->edge[i].b, prim->edge[i].c, (int64_t)tile->x * 16,
                      (int64_t)tile->y * 16))
            return false;
    return true;
}

enum cover_level raster_cover_level(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return COVER_AVX512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? COVER_AVX2 : COVER_SSE41;
}

uint32_t raster_cover_at(enum cover_level level, const struct raster_prim *prim,
                         const struct raster_tile *tile, const struct raster_rect *clip,
                         struct raster_block *blocks)
{
    struct cover_job job;
    if (!make_job(&job, prim, tile, clip))
        return 0;
    switch (level) {
    case COVER_AVX512: return cover_avx512(&job, blocks);
    case COVER_AVX2: return cover_avx2(&job, blocks);
    default: return cover_sse(&job, blocks);
    }
}

uint32_t raster_cover(const struct raster_prim *prim, const struct raster_tile *tile,
                      const struct raster_rect *clip, struct raster_block *blocks)
{
    return raster_cover_at(raster_cover_level(), prim, tile, clip, blocks);
}

/* Coverage: which blocks of a tile a primitive touches, and which lanes of them. Exact integers throughout;
 * cover_ref.c is the definition. */
#include "raster/cover.h"

#include <stdalign.h>
#include <stdbool.h>

#include <immintrin.h>

#include "util/bits.h"

#define FEW_BLOCKS 4 /* up to this many are tested lane by lane at once */

/* Pixel of a lane (tile.h), and columns of blocks. */
static const alignas(64) int32_t lane_x[16] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
static const alignas(64) int32_t lane_y[16] = {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
static const alignas(64) int32_t block_x[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define COVER_NAME(x) x##_sse
#define COVER_TARGET
#define COVER_WIDTH       4
#define COVER_NEGATIVE(v) ((uint32_t)_mm_movemask_ps((__m128)(v)))
#include "raster/cover_tmpl.h"

#define COVER_NAME(x)     x##_avx2
#define COVER_TARGET      __attribute__((target("avx2,bmi")))
#define COVER_WIDTH       8
#define COVER_NEGATIVE(v) ((uint32_t)_mm256_movemask_ps((__m256)(v)))
#include "raster/cover_tmpl.h"

#define COVER_NAME(x)     x##_avx512
#define COVER_TARGET      __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi")))
#define COVER_WIDTH       16
#define COVER_NEGATIVE(v) ((uint32_t)_mm512_movepi32_mask((__m512i)(v)))
#include "raster/cover_tmpl.h"

/* An edge over the area: false when the whole of it fails; an edge that the whole of it passes is not kept.
 */
static bool add_edge(struct raster_cover_job *job, int64_t a, int64_t b, int64_t c, int64_t px, int64_t py)
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
static bool make_job(struct raster_cover_job *job, const struct raster_prim *prim,
                     const struct raster_tile *tile, const struct raster_rect *clip)
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

enum raster_cover_level raster_cover_level(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi"))
        return COVER_SSE41;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? COVER_AVX512
               : COVER_AVX2;
}

uint32_t raster_cover_job(enum raster_cover_level level, const struct raster_cover_job *job,
                          struct raster_block *blocks)
{
    return level == COVER_AVX512 ? cover_avx512(job, blocks)
           : level == COVER_AVX2 ? cover_avx2(job, blocks)
                                 : cover_sse(job, blocks);
}

uint32_t raster_cover_at(enum raster_cover_level level, const struct raster_prim *prim,
                         const struct raster_tile *tile, const struct raster_rect *clip,
                         struct raster_block *blocks)
{
    struct raster_cover_job job;
    if (!make_job(&job, prim, tile, clip))
        return 0;
    return raster_cover_job(level, &job, blocks);
}

uint32_t raster_cover(const struct raster_prim *prim, const struct raster_tile *tile,
                      const struct raster_rect *clip, struct raster_block *blocks)
{
    return raster_cover_at(raster_cover_level(), prim, tile, clip, blocks);
}

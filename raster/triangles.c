/* Triangles sixteen at a time: the levels of triangles_tmpl.h, and what does not depend on one. */
#include "raster/triangles.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <immintrin.h>

#include "raster/depth.h"
#include "raster/samples.h"
#include "raster/triangles_internal.h"
#include "util/bits.h"

static_assert(RASTER_TRIANGLES == 16 && RASTER_MAX_VARYINGS % RASTER_VARY_GROUP == 0, "whole vectors");

/* Positions of a block's lanes (tile.h): x in the low half, y in the high one. */
static const alignas(64) int32_t lane_at[16] = {0x00000, 0x00001, 0x10000, 0x10001, 0x00002, 0x00003,
                                                0x10002, 0x10003, 0x20000, 0x20001, 0x30000, 0x30001,
                                                0x20002, 0x20003, 0x30002, 0x30003};

/* Lanes of block (bx, by) in the area of triangle i. */
static inline uint32_t area_lanes(const struct raster_triangles *t, uint32_t i, int32_t bx, int32_t by)
{
    return cover_column(t->x0[i], t->x1[i], bx) & cover_row(t->y0[i], t->y1[i], by);
}

#define FEW_BLOCKS 4 /* up to this many are tested lane by lane at once */

/* What cover.c walks, of a larger area. */
static void make_job(struct raster_cover_job *job, const struct raster_triangles *t, uint32_t i)
{
    uint32_t n = 0;
    job->samples = t->samples;
    job->x0 = t->x0[i];
    job->y0 = t->y0[i];
    job->x1 = t->x1[i];
    job->y1 = t->y1[i];
    for (unsigned e = 0; e < 3; e++) {
        if (t->inside[e] >> i & 1)
            continue;
        job->a[n] = (int16_t)(t->edge[e][i] & 0xffff);
        job->b[n] = t->edge[e][i] >> 16;
        job->low[n] = job->high[n] = job->origin[n][0] = t->origin[0][e][i];
        for (uint32_t s = 1; s < t->samples; s++) {
            int32_t value = t->origin[s][e][i];
            job->origin[n][s] = value;
            job->low[n] = UTIL_MIN(job->low[n], value);
            job->high[n] = UTIL_MAX(job->high[n], value);
        }
        n++;
    }
    job->edge_count = n;
}

/* All of triangle i but its varyings. */
static inline void write_head(const struct raster_triangles *t, const struct raster_setup *setup, uint32_t i,
                              struct raster_prim *out)
{
    out->x0 = t->plane[2][i];
    out->y0 = t->plane[3][i];
    out->inv_w_a = t->plane[0][i];
    out->inv_w_b = t->plane[1][i];
    out->inv_w_c = t->inv_w[0][i];
    out->vary_count = UTIL_MIN(setup->vary_count, RASTER_MAX_VARYINGS);
    out->reverse = t->reverse >> i & 1;
    out->depth = (struct raster_depth){t->depth[0][i], t->depth[1][i], t->depth[2][i], 0, 0};
    if (t->coarse >> i & 1) {
        const double x_of[2] = {t->gradient[0][i], t->gradient[1][i]};
        const double y_of[2] = {t->gradient[2][i], t->gradient[3][i]};
        const float z[3] = {t->z[0][i], t->z[1][i], t->z[2][i]};
        out->depth = raster_depth_through(
            x_of, y_of, z, setup->depth_offset >> out->reverse & 1 ? setup : NULL, t->x[0][i], t->y[0][i]);
    }
}

static void make_flat(const struct raster_triangles *t, const struct raster_setup *setup, uint32_t i,
                      struct raster_prim *out)
{
    const float *value = t->vary[setup->flat_first ? 0 : 2][i];
    for (uint32_t n = 0; n < out->vary_count; n++) {
        if (raster_setup_is_flat(setup, n)) {
            out->vary_a[n] = out->vary_b[n] = 0.0f;
            out->vary_c[n] = value[n];
        }
    }
}

#define TRI_NAME(x) x##_sse
#define TRI_TARGET
#define TRI_LEVEL       COVER_SSE41
#define TRI_WIDTH       4
#define TRI_BITS(v)     ((uint32_t)_mm_movemask_ps((__m128)(v)))
#define TRI_MADD(v, w)  (TRI_VEC) _mm_madd_epi16((__m128i)(v), (__m128i)(w))
#define TRI_MIN(v, w)   (TRI_VEC) _mm_min_epi32((__m128i)(v), (__m128i)(w))
#define TRI_MAX(v, w)   (TRI_VEC) _mm_max_epi32((__m128i)(v), (__m128i)(w))
#define TRI_FLOATS(p)   ((TRI_DVEC)_mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd((const double *)(p)))))
#define TRI_INTS(p)     ((TRI_DVEC)_mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)(p))))
#define TRI_ROUND(p, v) _mm_store_sd((double *)(p), _mm_castps_pd(_mm_cvtpd_ps((__m128d)(v))))
#define TRI_LONGS(p)    ((TRI_LVEC)_mm_cvtepi32_epi64(_mm_loadl_epi64((const __m128i *)(p))))
#define TRI_SIGNS(v)    ((uint32_t)_mm_movemask_pd((__m128d)(v)))
#include "raster/triangles_tmpl.h"

#define TRI_NAME(x)     x##_avx2
#define TRI_TARGET      __attribute__((target("avx2,bmi")))
#define TRI_LEVEL       COVER_AVX2
#define TRI_WIDTH       8
#define TRI_BITS(v)     ((uint32_t)_mm256_movemask_ps((__m256)(v)))
#define TRI_MADD(v, w)  (TRI_VEC) _mm256_madd_epi16((__m256i)(v), (__m256i)(w))
#define TRI_MIN(v, w)   (TRI_VEC) _mm256_min_epi32((__m256i)(v), (__m256i)(w))
#define TRI_MAX(v, w)   (TRI_VEC) _mm256_max_epi32((__m256i)(v), (__m256i)(w))
#define TRI_FLOATS(p)   ((TRI_DVEC)_mm256_cvtps_pd(_mm_loadu_ps(p)))
#define TRI_INTS(p)     ((TRI_DVEC)_mm256_cvtepi32_pd(_mm_load_si128((const __m128i *)(p))))
#define TRI_ROUND(p, v) _mm_storeu_ps(p, _mm256_cvtpd_ps((__m256d)(v)))
#define TRI_LONGS(p)    ((TRI_LVEC)_mm256_cvtepi32_epi64(_mm_load_si128((const __m128i *)(p))))
#define TRI_SIGNS(v)    ((uint32_t)_mm256_movemask_pd((__m256d)(v)))
#include "raster/triangles_tmpl.h"

#define TRI_NAME(x)     x##_avx512
#define TRI_LEVEL       COVER_AVX512
#define TRI_TARGET      __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi")))
#define TRI_WIDTH       16
#define TRI_BITS(v)     ((uint32_t)_mm512_movepi32_mask((__m512i)(v)))
#define TRI_MADD(v, w)  (TRI_VEC) _mm512_madd_epi16((__m512i)(v), (__m512i)(w))
#define TRI_MIN(v, w)   (TRI_VEC) _mm512_min_epi32((__m512i)(v), (__m512i)(w))
#define TRI_MAX(v, w)   (TRI_VEC) _mm512_max_epi32((__m512i)(v), (__m512i)(w))
#define TRI_FLOATS(p)   ((TRI_DVEC)_mm512_cvtps_pd(_mm256_loadu_ps(p)))
#define TRI_INTS(p)     ((TRI_DVEC)_mm512_cvtepi32_pd(_mm256_load_si256((const __m256i *)(p))))
#define TRI_ROUND(p, v) _mm256_storeu_ps(p, _mm512_cvtpd_ps((__m512d)(v)))
#define TRI_LONGS(p)    ((TRI_LVEC)_mm512_cvtepi32_epi64(_mm256_load_si256((const __m256i *)(p))))
#define TRI_SIGNS(v)    ((uint32_t)_mm512_movepi64_mask((__m512i)(v)))
#define TRI_FIXED(v)    ((TRI_LVEC)_mm512_cvtpd_epi64((__m512d)((v) * 0x1p32)))
#include "raster/triangles_tmpl.h"

/* False when nothing can be drawn. */
static bool make_frame(struct raster_triangles_frame *f, const struct raster_setup *setup,
                       const struct raster_tile *tile, const struct raster_rect *clip)
{
    int32_t right = tile->x + (int32_t)tile->width, bottom = tile->y + (int32_t)tile->height;
    if (clip->x0 >= right || clip->y0 >= bottom || clip->x1 <= tile->x || clip->y1 <= tile->y)
        return false;
    *f = (struct raster_triangles_frame){
        .left = tile->x * 16,
        .top = tile->y * 16,
        .x0 = UTIL_MAX(clip->x0, tile->x) - tile->x,
        .y0 = UTIL_MAX(clip->y0, tile->y) - tile->y,
        .x1 = UTIL_MIN(clip->x1, right) - tile->x - 1,
        .y1 = UTIL_MIN(clip->y1, bottom) - tile->y - 1,
        .first = setup->centres_only ? 8 : 2,
        .last = setup->centres_only ? 8 : 14,
        .samples = tile->samples,
        .clockwise = -(int32_t)setup->clockwise_forward,
        .cull_forward = -(int32_t)setup->cull_forward,
        .cull_reverse = -(int32_t)setup->cull_reverse,
        .offset_factor = setup->depth_offset ? setup->offset_factor : 0.0f,
        .offset_units = setup->depth_offset ? setup->offset_units : 0.0f,
    };
    return true;
}

/* Offsets that differ by triangle go one by one, too. */
static bool has_plain_offset(const struct raster_setup *setup)
{
    return !setup->depth_offset || (setup->depth_offset == RASTER_OFFSET_BOTH && setup->offset_clamp == 0);
}

/* Whether all that is near the tile is inside the limit of positions. */
static bool is_inner(const struct raster_tile *tile)
{
    const int32_t most = (RASTER_POSITION_LIMIT - RASTER_TRIANGLE_REACH) / 16;
    return tile->x < most && tile->x > -most && tile->y < most && tile->y > -most;
}

void raster_triangles_setup_at(enum raster_cover_level level, struct raster_triangles *t,
                               const struct raster_setup *setup, const struct raster_tile *tile,
                               const struct raster_rect *clip)
{
    uint32_t all = (1u << t->count) - 1;
    struct raster_triangles_frame f;
    t->level = level == COVER_AVX512 ? &level_avx512 : level == COVER_AVX2 ? &level_avx2 : &level_sse;
    t->samples = tile->samples;
    t->far = t->drawn = t->reverse = t->inside[0] = t->inside[1] = t->inside[2] = 0;
    if (setup->sixteen || raster_samples_is_many(tile->samples) || !is_inner(tile) ||
        !has_plain_offset(setup)) {
        t->far = all;
        return;
    }
    if (!make_frame(&f, setup, tile, clip))
        return;
    t->clipped = ((f.x0 | f.y0 | (f.x1 + 1) | (f.y1 + 1)) & 3) != 0;
    f.round = t->clipped ? 0 : 3;
    level == COVER_AVX512 ? edges_avx512(t, &f) : level == COVER_AVX2 ? edges_avx2(t, &f) : edges_sse(t, &f);
    t->far &= all;
    t->drawn &= all & ~t->far;
    if (t->drawn)
        level == COVER_AVX512 ? gradients_avx512(t, &f)
        : level == COVER_AVX2 ? gradients_avx2(t, &f)
                              : gradients_sse(t, &f);
}

void raster_triangles_setup(struct raster_triangles *t, const struct raster_setup *setup,
                            const struct raster_tile *tile, const struct raster_rect *clip)
{
    raster_triangles_setup_at(raster_cover_level(), t, setup, tile, clip);
}

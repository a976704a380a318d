/* Coordinate shading: groups of batches, on the pool where that pays, to where primitives look for them. */
#include <smmintrin.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define GROUP_VERTICES (VC4_VERTEX_GROUP * 16u)
#define PARALLEL_MIN   16u /* groups worth waking the workers for */

/* Rows of a shaded coordinate (Guide figure 11). */
enum { ROW_XC, ROW_YC, ROW_ZC, ROW_WC, ROW_XY, ROW_Z, ROW_INV_W, ROW_POINT_SIZE };

struct shading {
    struct vc4_binner *binner;
    const uint16_t *index; /* vertices to shade, each once; NULL: first, first + 1, ... */
    uint32_t first, count;
    struct shading_result {
        uint32_t batch; /* lowest that faulted, UINT32_MAX for none */
        struct gpu_fault fault;
        uint64_t executed; /* QPU instructions */
    } *results;            /* one a worker */
};

static inline __m128i four(const uint32_t row[16], unsigned lane)
{
    return _mm_loadu_si128((const __m128i *)(row + lane));
}

/* Four rows of four lanes to a 16-byte record a lane. */
static inline void transpose(__m128i r[4])
{
    __m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpackhi_epi32(r[0], r[1]);
    __m128i c = _mm_unpacklo_epi32(r[2], r[3]), d = _mm_unpackhi_epi32(r[2], r[3]);
    r[0] = _mm_unpacklo_epi64(a, c);
    r[1] = _mm_unpackhi_epi64(a, c);
    r[2] = _mm_unpacklo_epi64(b, d);
    r[3] = _mm_unpackhi_epi64(b, d);
}

/* TILER_FAR for each of four positions that deserves it. */
static inline __m128i far_bit(__m128i xy)
{
    const __m128i limit = _mm_set1_epi16(TILER_NEAR_MAX), below = _mm_set1_epi16(-TILER_NEAR_MAX);
    __m128i far = _mm_or_si128(_mm_cmpgt_epi16(xy, limit), _mm_cmpgt_epi16(below, xy));
    __m128i near = _mm_cmpeq_epi32(far, _mm_setzero_si128());
    return _mm_andnot_si128(near, _mm_set1_epi32(TILER_FAR));
}

/* A batch to where primitives look for its vertices. */
static void keep(struct vc4_binner *b, const uint32_t index[16], const uint32_t (*row)[16])
{
    struct vc4_bin_vertices *v = b->vertices;
    uint32_t code[16] = {0};
    if (b->shader.clipping)
        tiler_outcodes(&b->guard, (const float(*)[16])row[ROW_XC], code);
    for (uint32_t l = 0; l < 16; l += 4) {
        const uint32_t *n = index + l;
        __m128i xy = four(row[ROW_XY], l), codes = _mm_or_si128(four(code, l), far_bit(xy));
        __m128i low = _mm_unpacklo_epi32(xy, codes), high = _mm_unpackhi_epi32(xy, codes);
        __m128i place[4] = {four(row[ROW_XC], l), four(row[ROW_YC], l), four(row[ROW_ZC], l),
                            four(row[ROW_WC], l)};
        _mm_storel_epi64((__m128i *)&v->at[n[0]], low);
        _mm_storeh_pd((double *)&v->at[n[1]], _mm_castsi128_pd(low));
        _mm_storel_epi64((__m128i *)&v->at[n[2]], high);
        _mm_storeh_pd((double *)&v->at[n[3]], _mm_castsi128_pd(high));
        transpose(place);
        for (unsigned i = 0; i < 4; i++)
            _mm_store_si128((__m128i *)v->clip[n[i]], place[i]);
    }
    for (uint32_t l = 0; b->shader.point_size && l < 16; l++)
        v->size[index[l]] = util_u2f(row[ROW_POINT_SIZE][l]);
}

/* Indices from number `first` on; the last one fills up the batch. */
static void take_indices(const struct shading *s, uint32_t first, uint32_t count, uint32_t *out)
{
    if (s->index)
        for (uint32_t i = 0; i < count; i++)
            out[i] = s->index[first + i];
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = s->first + first + i;
    for (uint32_t i = count; i % 16; i++)
        out[i] = out[count - 1];
}

/* A group of batches. What follows the batch that faults is not shaded, here; other groups are, whatever
 * happens in this one: which fault is reported must not depend on who shades what. */
static void shade_group(void *data, uint32_t number, unsigned worker)
{
    struct shading *s = data;
    struct vc4_binner *b = s->binner;
    struct shading_result *result = &s->results[worker];
    alignas(64) uint32_t out[VC4_VERTEX_GROUP * VC4_VPM_ROWS][16];
    uint32_t index[VC4_VERTEX_GROUP][16], rows = vc4_vertex_rows(b->stage);
    uint32_t first = number * GROUP_VERTICES, count = UTIL_MIN(s->count - first, GROUP_VERTICES);
    uint32_t batches = util_div_up(count, 16);
    take_indices(s, first, count, index[0]);
    struct vc4_vertex_group group = {.out = out};
    struct gpu_fault fault;
    if (gpu_host_cancelled(&b->device->host)) {
        result->batch = 0;
        gpu_fault_set(&result->fault, GPU_FAULT_TIMEOUT, VC4_BINNER_UNIT, b->draw_address, "cancelled");
        return;
    }
    if (vc4_vertex_shade_group(b->stage, (const uint32_t(*)[16])index, batches, &group, &fault)) {
        batches = group.faulted;
        if (number * VC4_VERTEX_GROUP + batches < result->batch) {
            result->batch = number * VC4_VERTEX_GROUP + batches;
            result->fault = fault;
        }
    }
    result->executed += group.executed;
    for (uint32_t i = 0; i < batches; i++)
        keep(b, index[i], (const uint32_t(*)[16])out + i * rows);
}

/* Vertices that come shaded: from memory into the rows that a coordinate program would give. */
static bool fetch_shaded(struct vc4_binner *b, const uint16_t *index, uint32_t first, uint32_t count)
{
    const struct vc4_nv_vertices *nv = &b->shader.nv;
    uint32_t words = b->shader.point_size ? 4 : 3;
    for (uint32_t at = 0; at < count; at += 16) {
        uint32_t lane_index[16];
        alignas(64) uint32_t row[ROW_POINT_SIZE + 1][16] = {0};
        for (uint32_t l = 0; l < 16; l++) { /* the last one fills up the batch */
            uint32_t number = UTIL_MIN(at + l, count - 1);
            uint32_t word[ROW_POINT_SIZE + 1] = {0};
            uint32_t header = nv->clip_header ? 4 : 0;
            lane_index[l] = index ? index[number] : first + number;
            if (!vc4_nv_vertex(b->device->memory, nv, lane_index[l], -(int32_t)header, header + words,
                               word + ROW_XY - header, &b->fault)) {
                b->fault.draw = b->draws;
                return false;
            }
            for (uint32_t k = 0; k <= ROW_POINT_SIZE; k++)
                row[k][l] = word[k];
        }
        keep(b, lane_index, (const uint32_t(*)[16])row);
    }
    return true;
}

bool vc4_binner_shade(struct vc4_binner *b, const uint16_t *index, uint32_t first, uint32_t count)
{
    if (b->shader_kind == VC4_SHADER_NV)
        return fetch_shaded(b, index, first, count);
    struct shading_result results[UTIL_POOL_MAX + 1];
    struct shading s = {.binner = b, .index = index, .first = first, .count = count, .results = results};
    uint32_t groups = util_div_up(count, GROUP_VERTICES);
    struct util_pool *pool = groups >= PARALLEL_MIN ? b->device->options.pool : NULL;
    unsigned workers = util_pool_workers(pool);
    for (unsigned i = 0; i < workers; i++) {
        results[i].batch = UINT32_MAX;
        results[i].executed = 0;
    }
    util_pool_run_spans(pool, groups, shade_group, &s);
    b->vertices_shaded += count;
    vc4_perf_uniforms(&b->device->perf,
                      util_div_up(count, 16) * (uint64_t)b->shader.cs.program->uniform_count);

    const struct shading_result *worst = &results[0];
    uint64_t executed = 0;
    for (unsigned i = 0; i < workers; i++) {
        executed += results[i].executed;
        if (results[i].batch < worst->batch)
            worst = &results[i];
    }
    b->executed += executed;
    if (worst->batch != UINT32_MAX) {
        b->fault = worst->fault;
        b->fault.draw = b->draws;
        return false;
    }
    if (executed > b->fuel)
        return vc4_binner_fail(b, GPU_FAULT_TIMEOUT, b->draw_address,
                               "coordinate programs ran longer than the job's fuel allows");
    b->fuel -= executed;
    return true;
}

/* Triangles of a compressed list, several at a time: read, their vertices found, set up and covered together
 * (raster/triangles.h), then drawn in order. Each pays for what it uses when its turn comes, so that a tile
 * ends where it would have ended one by one. */
#include "gpu/vc4/renderer_prim.h"

#include <immintrin.h>

#include "util/bits.h"

/* Some triangles of a list. */
struct few {
    uint32_t count, index[RASTER_TRIANGLES][3];
    const uint32_t *shaded[RASTER_TRIANGLES][3];
    uint32_t alone; /* bit i: triangle i has a vertex that must be shaded alone, or cannot be */
};

bool vc4_draws_together(const struct vc4_draw_call *call)
{
    return call->primitive == VC4_TRIANGLES && call->draw && call->draw->vertices && !call->raster.any &&
           !call->coverage && !call->z_clipped && !call->counted && !call->draw->counted &&
           !call->run->worker->watched.job && !call->run->device->options.reference;
}

static const uint32_t *find(struct gpu_vertex_cache *vertices, uint32_t index)
{
    const uint32_t *found = gpu_vertex_cache_find(vertices, index);
    return found ? found : gpu_vertex_cache_shared(vertices, index);
}

/* A triangle without its vertices has the stand-in's. */
static void find_vertices(const struct vc4_draw *draw, struct few *few)
{
    static const alignas(16) uint32_t stand_in[GPU_CACHE_ALONE + GPU_CACHE_TAIL];
    few->alone = 0;
    for (uint32_t i = 0; i < few->count; i++)
        for (unsigned k = 0; k < 3; k++) {
            few->shaded[i][k] = find(draw->vertices, few->index[i][k]);
            if (!few->shaded[i][k]) {
                few->shaded[i][k] = stand_in;
                few->alone |= 1u << i;
            }
        }
    for (uint32_t i = few->count; i < util_align(few->count, 4); i++)
        for (unsigned k = 0; k < 3; k++)
            few->shaded[i][k] = stand_in;
}

/* The heads of vertex k of triangles i to i + 3: x and y, z, 1/w. */
static void place_four(const struct vc4_draw_call *call, const struct few *few, unsigned k, uint32_t i,
                       struct raster_triangles *t)
{
    __m128i v[4], a, b, c, d, xy;
    for (unsigned n = 0; n < 4; n++)
        v[n] = _mm_load_si128((const __m128i *)few->shaded[i + n][k]);
    a = _mm_unpacklo_epi32(v[0], v[1]), b = _mm_unpackhi_epi32(v[0], v[1]);
    c = _mm_unpacklo_epi32(v[2], v[3]), d = _mm_unpackhi_epi32(v[2], v[3]);
    xy = _mm_unpacklo_epi64(a, c);
    _mm_store_si128((__m128i *)&t->x[k][i], _mm_add_epi32(_mm_srai_epi32(_mm_slli_epi32(xy, 16), 16),
                                                          _mm_set1_epi32(call->run->state.viewport_x)));
    _mm_store_si128((__m128i *)&t->y[k][i],
                    _mm_add_epi32(_mm_srai_epi32(xy, 16), _mm_set1_epi32(call->run->state.viewport_y)));
    _mm_store_si128((__m128i *)&t->z[k][i], _mm_unpackhi_epi64(a, c));
    _mm_store_si128((__m128i *)&t->inv_w[k][i], _mm_unpacklo_epi64(b, d));
    for (unsigned n = 0; n < 4; n++)
        t->vary[k][i + n] = (const float *)few->shaded[i + n][k] + call->draw->varying_row;
}

static bool pay(const struct vc4_draw_call *call, const struct few *few, uint32_t i)
{
    const struct vc4_draw *draw = call->draw;
    uint64_t cost = 3ull * draw->vertex_cost;
    for (unsigned k = 0; k < 3 && draw->vertex_loops; k++)
        cost += gpu_vertex_cache_cost(draw->vertices, few->index[i][k], call->run->worker->alone[k],
                                      few->shaded[i][k]);
    return vc4_pay_vertices(call, cost);
}

static bool draw_one(const struct vc4_draw_call *call, const struct few *few, uint32_t i)
{
    if (few->alone >> i & 1)
        return vc4_draw_indices(call, few->index[i]);
    if (!pay(call, few, i))
        return false;
    call->run->worker->watched.primitives++;
    return raster_draw_triangle(&call->raster, i, NULL, NULL);
}

int vc4_draw_triangles(const struct vc4_draw_call *call, struct vc4_list_reader *reader)
{
    struct vc4_worker *w = call->run->worker;
    struct raster_triangles *t = &w->raster.triangles;
    struct gpu_fault fault;
    struct few few;
    int got;
    few.count = vc4_list_read_triangles(reader, few.index, RASTER_TRIANGLES, &got, &fault);
    find_vertices(call->draw, &few);
    t->count = few.count;
    for (unsigned k = 0; k < 3; k++)
        for (uint32_t i = 0; i < few.count; i += 4)
            place_four(call, &few, k, i, t);
    raster_draw_setup(&call->raster);
    for (uint32_t i = 0; i < few.count; i++)
        if (!draw_one(call, &few, i))
            return -1;
    if (got < 0)
        *call->run->fault = fault;
    return got;
}

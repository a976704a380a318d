/* One primitive on a worker's tile: indices to shaded vertices, clipped vertices put together, set-up,
 * coverage, shading. */
#include "gpu/vc4/renderer_prim.h"
#include "raster/coverage.h"
#include "raster/depth.h"
#include "util/bits.h"

/* Words of a shaded vertex. */
enum { WORD_XY, WORD_Z, WORD_INV_W, WORD_POINT_SIZE };

/* ---- one primitive ---- */

/* Takes the pixels away whose depth, before it is rounded (raster/depth.h), lies outside record 104's
 * planes. */
static uint32_t clip_depths(const struct vc4_draw_call *call, uint32_t count)
{
    struct vc4_worker *w = call->run->worker;
    const struct raster_prim *p = &w->raster.prim;
    const struct vc4_draw_state *s = &call->run->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct raster_block *block = &w->raster.blocks[i];
        int32_t px = w->raster.tile.x + block->x * 4, py = w->raster.tile.y + block->y * 4;
        uint32_t lanes = 0;
        for (uint32_t l = 0; l < 16; l++) {
            float z = raster_depth_z_at(p, px, py, l);
            lanes |= (uint32_t)(z >= s->z_min && z <= s->z_max) << l;
        }
        for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++)
            block->sample[k] &= (uint16_t)lanes;
        block->mask &= (uint16_t)lanes;
        w->raster.blocks[kept] = *block;
        kept += block->mask != 0;
    }
    return kept;
}

/* ---- the fragment stage ---- */

/* Shades what the primitive covers; `watch` NULL: nobody looks on. */
static bool shade(const struct vc4_draw_call *call, const struct gpu_watch *watch, uint32_t blocks,
                  bool whole)
{
    struct vc4_worker *w = call->run->worker;
    const struct vc4_draw *draw = call->draw;
    if (!watch && !draw->counted)
        return raster_draw_blocks(&call->raster, blocks, whole);
    raster_worker_flush(&w->raster);
    raster_draw_fill_varyings(&call->raster);
    return vc4_frag_shade_watched(draw->frag, watch, draw->counted ? &w->quads : NULL, &w->raster.prim,
                                  &w->raster.tile, w->raster.blocks, blocks, &w->raster.work) == 0;
}

/* The rest of draw_primitive, with an observer who may want to see the fragments. */
__attribute__((noinline, cold)) static bool draw_watched(const struct vc4_draw_call *call,
                                                         const uint32_t index[3],
                                                         const struct raster_vertex v[3], float point_size,
                                                         bool visible, uint32_t blocks)
{
    struct vc4_worker *w = call->run->worker;
    const struct gpu_observed_primitive it = {.kind = (enum gpu_primitive)call->primitive,
                                              .code = call->code,
                                              .number = call->number,
                                              .vertices = vc4_vertices_of(call->primitive),
                                              .index = index,
                                              .vertex = v,
                                              .prepended = call->primitive == VC4_POINTS  ? 2
                                                           : call->primitive == VC4_LINES ? 1
                                                                                          : 0,
                                              .point_size = point_size,
                                              .setup = &call->raster.setup,
                                              .prim = visible ? &w->raster.prim : NULL,
                                              .blocks = w->raster.blocks,
                                              .block_count = blocks};
    if (blocks)
        raster_draw_fill_varyings(&call->raster);
    const struct gpu_watch *watch = gpu_watched_covered(&w->watched, &it);
    return !blocks || shade(call, watch, blocks, false);
}

/* ---- performance counters of the front end ---- */

static uint64_t quads(const struct vc4_worker *w, uint32_t blocks)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t lanes = w->raster.blocks[i].mask;
        lanes |= lanes >> 1;
        n += (uint32_t)__builtin_popcount((lanes | lanes >> 2) & 0x1111);
    }
    return n;
}

/* A triangle that faces away and is not wanted. */
static bool is_reversed(const struct vc4_draw_call *call, const struct raster_vertex v[3])
{
    int64_t area =
        (int64_t)(v[1].x - v[0].x) * (v[2].y - v[0].y) - (int64_t)(v[2].x - v[0].x) * (v[1].y - v[0].y);
    bool reverse = (area < 0) != call->raster.setup.clockwise_forward;
    return call->primitive == VC4_TRIANGLES && area != 0 &&
           (reverse ? call->raster.setup.cull_reverse : call->raster.setup.cull_forward);
}

/* `covered`: quads before depth clipping. */
static void count_primitive(const struct vc4_draw_call *call, const struct raster_vertex v[3], bool visible,
                            uint64_t covered, uint32_t blocks)
{
    struct vc4_worker *w = call->run->worker;
    uint64_t left = quads(w, blocks);
    w->reversed += !visible && is_reversed(call, v);
    w->event[VC4_EVENT_FEP_EMPTY_PRIMITIVES] += visible && !blocks;
    w->event[VC4_EVENT_FEP_PRIMITIVES] += visible;
    w->event[VC4_EVENT_FEP_CLIPPED_QUADS] += covered - left;
    w->event[VC4_EVENT_FEP_QUADS] += left;
}

static bool draw_primitive(const struct vc4_draw_call *call, const uint32_t index[3],
                           const struct raster_vertex v[3], float point_size)
{
    struct vc4_worker *w = call->run->worker;
    bool visible;
    w->watched.primitives++;
    if (call->primitive == VC4_TRIANGLES)
        visible = raster_setup_triangle(&w->raster.prim, &call->raster.setup, v);
    else if (call->primitive == VC4_LINES)
        visible = raster_setup_line(&w->raster.prim, &call->raster.setup, v, true);
    else
        visible = raster_setup_point(&w->raster.prim, &call->raster.setup, v, point_size, true);
    if (visible && call->coverage) {
        const struct vc4_draw_state *s = &call->run->state;
        raster_coverage_add(&w->raster.prim, &w->raster.tile, &call->raster.clip, s->oversample,
                            (enum raster_coverage_update)s->coverage_update,
                            call->run->device->options.reference, w->raster.blocks);
        return true;
    }
    bool whole = false;
    uint32_t blocks = visible ? raster_draw_cover(&call->raster, &whole) : 0;
    uint64_t covered = call->counted ? quads(w, blocks) : 0;
    if (blocks && call->z_clipped)
        blocks = clip_depths(call, blocks);
    if (call->counted)
        count_primitive(call, v, visible, covered, blocks);
    if (w->watched.job)
        return draw_watched(call, index, v, point_size, visible, blocks);
    return !blocks || shade(call, NULL, blocks, whole);
}

/* ---- vertices ---- */

static void place_vertex(const struct vc4_draw_state *state, uint32_t xy, uint32_t z, uint32_t inv_w,
                         struct raster_vertex *out)
{
    out->x = (int16_t)(xy & 0xffff) + state->viewport_x;
    out->y = (int16_t)(xy >> 16) + state->viewport_y;
    out->z = util_u2f(z);
    out->inv_w = util_u2f(inv_w);
}

static const uint32_t *shade_vertex(const struct vc4_draw_call *call, uint32_t index,
                                    uint32_t alone[GPU_CACHE_ALONE])
{
    struct gpu_fault *fault = call->run->fault;
    if (!call->draw->vertices) { /* it comes shaded */
        uint32_t words = call->draw->varying_row + call->draw->state->varying_count;
        return vc4_nv_vertex(call->run->device->memory, &call->draw->state->nv, index, 0, words, alone, fault)
                   ? alone
                   : NULL;
    }
    if (call->run->worker->watched.job)
        return vc4_observe_vertex(call->run, call->draw->vertices, index, alone);
    return gpu_vertex_cache_shade(call->draw->vertices, index, alone, fault);
}

bool vc4_pay_vertices(const struct vc4_draw_call *call, uint64_t cost)
{
    uint64_t *fuel = &call->run->worker->raster.work.fuel;
    if (cost > *fuel)
        return gpu_fault_set(call->run->fault, GPU_FAULT_TIMEOUT, "vertex program",
                             call->draw->state->vs.code,
                             "programs run longer than the tile's share of the job's fuel allows");
    *fuel -= cost;
    return true;
}

/* Fetches the shaded vertices of a primitive. Each tile pays for what it uses, whoever did the work: what a
 * tile may do must not depend on others. */
static bool fetch_vertices(const struct vc4_draw_call *call, const uint32_t index[3],
                           const uint32_t *shaded[3])
{
    struct vc4_worker *w = call->run->worker;
    const struct vc4_draw *draw = call->draw;
    uint64_t cost = vc4_vertices_of(call->primitive) * (uint64_t)draw->vertex_cost;
    if (w->watched.job)
        gpu_watched_primitive(&w->watched, call->code, call->number);
    for (uint32_t i = 0; i < vc4_vertices_of(call->primitive); i++) {
        shaded[i] = draw->vertices ? gpu_vertex_cache_find(draw->vertices, index[i]) : NULL;
        if (!shaded[i] && !(shaded[i] = shade_vertex(call, index[i], w->alone[i])))
            return false;
        if (draw->vertex_loops)
            cost += gpu_vertex_cache_cost(draw->vertices, index[i], w->alone[i], shaded[i]);
    }
    return vc4_pay_vertices(call, cost);
}

static float point_size_of(const struct vc4_draw_call *call, const uint32_t *v)
{
    return vc4_point_size(call->draw->state->point_size ? util_u2f(v[WORD_POINT_SIZE])
                                                        : call->run->state.point_size);
}

static bool draw_shaded(const struct vc4_draw_call *call, const uint32_t index[3],
                        const uint32_t *const shaded[3])
{
    struct raster_vertex v[3];
    for (uint32_t i = 0; i < vc4_vertices_of(call->primitive); i++) {
        const uint32_t *word = shaded[i];
        place_vertex(&call->run->state, word[WORD_XY], word[WORD_Z], word[WORD_INV_W], &v[i]);
        v[i].vary = (const float *)&word[call->draw->varying_row];
        v[i].vary_stride = 1;
    }
    return draw_primitive(call, index, v, point_size_of(call, shaded[0]));
}

bool vc4_draw_indices(const struct vc4_draw_call *call, const uint32_t index[3])
{
    const uint32_t *shaded[3];
    return fetch_vertices(call, index, shaded) && draw_shaded(call, index, shaded);
}

/* A triangle of screen coordinates: "Ws and Zs take fixed values of 1.0 and 0.5" (Guide section 9). */
bool vc4_draw_coordinates(const struct vc4_draw_call *call, const uint32_t xy[3])
{
    struct raster_vertex v[3] = {0};
    for (unsigned i = 0; i < 3; i++)
        place_vertex(&call->run->state, xy[i], util_f2u(0.5f), util_f2u(1.0f), &v[i]);
    if (call->run->worker->watched.job)
        gpu_watched_primitive(&call->run->worker->watched, call->code, call->number);
    return draw_primitive(call, xy, v, 0);
}

/* ---- clipped primitives (record 49, Guide table 44) ---- */

/* A clipped vertex's varyings: the coefficients' sum over the primitive's own vertices, in vertex order. */
static void combine_varyings(const struct vc4_draw_call *call, const uint32_t *const shaded[3],
                             const struct vc4_clipped_vertex *clipped, float *out)
{
    uint32_t count = vc4_vertices_of(call->primitive), first = call->draw->varying_row;
    for (uint32_t n = 0; n < call->raster.setup.vary_count; n++) {
        if (raster_setup_is_flat(&call->raster.setup, n)) {
            out[n] = util_u2f(shaded[count - 1][first + n]);
            continue;
        }
        float sum = clipped->coefficient[0] * util_u2f(shaded[0][first + n]);
        for (uint32_t k = 1; k < count; k++)
            sum += clipped->coefficient[k] * util_u2f(shaded[k][first + n]);
        out[n] = sum;
    }
}

bool vc4_draw_clipped(const struct vc4_draw_call *call, const struct vc4_cl_record *record,
                      const uint32_t index[3], uint32_t address)
{
    struct vc4_worker *w = call->run->worker;
    const struct gpu_memory *memory = call->run->device->memory;
    uint64_t at = record->field[VC4_CLIPPED_ADDRESS];
    const uint32_t *shaded[3];
    struct raster_vertex v[3];
    if (!fetch_vertices(call, index, shaded))
        return false;
    for (uint32_t i = 0; i < vc4_vertices_of(call->primitive); i++) {
        const uint32_t *word = shaded[i];
        v[i].vary = (const float *)&word[call->draw->varying_row];
        v[i].vary_stride = 1;
        if (!(record->field[VC4_CLIPPED_FLAGS] & 1u << i)) {
            place_vertex(&call->run->state, word[WORD_XY], word[WORD_Z], word[WORD_INV_W], &v[i]);
            continue;
        }
        struct vc4_clipped_vertex clipped;
        const uint8_t *bytes = gpu_memory_at(memory, at, sizeof clipped);
        if (!bytes)
            return gpu_fault_set(call->run->fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                                 "clipped vertex at 0x%08llx lies outside memory", (unsigned long long)at);
        memcpy(&clipped, bytes, sizeof clipped);
        at += sizeof clipped;
        place_vertex(&call->run->state, (uint32_t)(uint16_t)clipped.y << 16 | (uint16_t)clipped.x,
                     util_f2u(clipped.zs), util_f2u(clipped.inv_w), &v[i]);
        combine_varyings(call, shaded, &clipped, w->vary[i]);
        v[i].vary = w->vary[i];
    }
    return draw_primitive(call, index, v, point_size_of(call, shaded[0]));
}

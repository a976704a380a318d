/* A tile buffer's list: primitives one by one, or triangles several at a time (raster/draw.h). */
#include <math.h>
#include <string.h>

#include <smmintrin.h>

#include "gpu/frame_internal.h"
#include "util/bits.h"
#include "util/half.h"

#define UNIT "tile list"

struct drawing {
    struct gpu_frame *frame;
    struct gpu_frame_worker *worker;
    struct gpu_tile_state state;
    bool stated;
    const struct gpu_frame_draw *draw; /* of state and the primitives' kind, or NULL: not looked up yet */
    struct raster_draw raster;
    struct gpu_space_run positions, varyings; /* addresses that may be read */
    uint64_t items;                           /* left */
    struct tiler_cursor cursor;
    struct raster_vertex vertex[4];
    struct gpu_fault *fault;
};

/* ---- draws ---- */

static const struct gpu_frame_draw *find_draw(struct drawing *d, bool points)
{
    uint32_t samples = d->worker->raster.tile.samples;
    const struct gpu_frame_draw *last = d->worker->draw;

    if (!last || last->state != d->state.state || last->varyings_at != d->state.varyings ||
        last->samples != samples || last->points != points)
        d->worker->draw = gpu_frame_draw_get(d->frame, &d->state, samples, points, d->fault);
    return d->worker->draw;
}

/* The draw of the state at hand for this kind of primitive. */
static bool take_draw(struct drawing *d, bool points)
{
    bool opaque;

    if (d->draw && d->draw->points == points)
        return true;
    d->draw = find_draw(d, points);
    if (!d->draw)
        return false;
    opaque = d->draw->shader->opaque && !d->worker->watched.job;
    d->raster = (struct raster_draw){
        .worker = &d->worker->raster,
        .shader = d->draw->shader,
        .opaque = opaque,
        .whole = opaque,
        .centre_only = d->draw->centre_only,
        .reference = d->frame->reference,
        .setup = d->draw->setup,
        .clip = d->state.clip,
    };
    d->raster.setup.line_width = d->state.size;
    if (d->worker->watched.job)
        gpu_frame_observe_list(d->frame, d->worker, &d->state, d->draw);
    return true;
}

/* ---- vertices ---- */

static const float *position(struct drawing *d, uint32_t index)
{
    uint64_t address = d->state.positions + index * 16ull;
    const void *at = gpu_space_near(d->frame->space, &d->positions, address, 16);

    if (!at)
        gpu_fault_set(d->fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)address, "vertex %u is not in memory",
                      index);
    return at;
}

/* Of a primitive's first `count` vertices, at most three. */
static bool fetch(struct drawing *d, const uint32_t index[], unsigned count,
                  float (*out)[RASTER_MAX_VARYINGS])
{
    uint32_t number[3] = {0};

    for (unsigned n = 0; n < count; n++)
        number[n] = d->state.first + index[n];
    return d->frame->family->fetch(d->draw, d->frame->space, &d->varyings, number, count, out, d->fault);
}

/* Window coordinates in 1/16 pixel. What lies beyond the limit of positions, or is no number, lies at it:
 * set-up draws nothing of that. */
static inline __m128i to_fixed(__m128 v)
{
    const __m128 limit = _mm_set1_ps((float)RASTER_POSITION_LIMIT);

    v = _mm_mul_ps(v, _mm_set1_ps(16.0f));
    return _mm_cvtps_epi32(_mm_min_ps(_mm_max_ps(v, _mm_sub_ps(_mm_setzero_ps(), limit)), limit));
}

static void place(struct drawing *d, unsigned n, const float at[4])
{
    __m128i xy = to_fixed(_mm_loadu_ps(at));

    d->vertex[n] = (struct raster_vertex){.x = _mm_cvtsi128_si32(xy),
                                          .y = _mm_extract_epi32(xy, 1),
                                          .z = at[2],
                                          .inv_w = at[3],
                                          .vary = d->worker->vary[n],
                                          .vary_stride = 1};
}

/* The vertices of an item that is not clipped. */
static bool load_whole(struct drawing *d, const struct tiler_item *item, unsigned count)
{
    float(*vary)[RASTER_MAX_VARYINGS] = d->worker->vary, at[4][4] = {{0}};

    for (unsigned n = 0; n < count; n++) {
        const float *from = position(d, item->index[n]);

        if (!from || !fetch(d, &item->index[n], 1, &vary[n]))
            return false;
        memcpy(at[n], from, sizeof at[n]);
        place(d, n, at[n]);
    }
    if (item->kind == TILER_ITEM_RECTANGLE) {
        for (unsigned c = 0; c < 4; c++)
            at[3][c] = at[0][c] + at[2][c] - at[1][c];
        for (unsigned c = 0; c < d->raster.setup.vary_count; c++)
            vary[3][c] = vary[0][c] + vary[2][c] - vary[1][c];
        place(d, 3, at[3]);
    }
    return true;
}

static bool load_clipped(struct drawing *d, const struct tiler_item *item, unsigned count)
{
    float own[3][RASTER_MAX_VARYINGS] = {{0}};

    if (!fetch(d, item->index, count, own))
        return false;
    for (unsigned n = 0; n < count; n++) {
        const struct tiler_clipped_vertex *v = &item->vertex[n];
        float *vary = d->worker->vary[n];

        for (unsigned c = 0; c < d->raster.setup.vary_count; c++) {
            if (raster_setup_is_flat(&d->raster.setup, c)) {
                vary[c] = own[d->raster.setup.flat_first ? 0 : count - 1][c];
                continue;
            }
            vary[c] = own[0][c] * v->weight[0] + own[1][c] * v->weight[1];
            if (count == 3)
                vary[c] += own[2][c] * v->weight[2];
        }
        place(d, n, (const float[4]){v->x, v->y, v->z, v->inv_w});
    }
    return true;
}

static bool point_size(const struct drawing *d, uint32_t index, float *out)
{
    unsigned bytes = d->state.half_sizes ? 2 : 4;
    uint64_t address = d->state.point_sizes + (uint64_t)index * bytes;
    const uint8_t *at;

    *out = d->state.size;
    if (!d->state.point_sizes)
        return true;
    at = gpu_space_at(d->frame->space, address, bytes, GPU_RIGHT_READ);
    if (!at)
        return gpu_fault_set(d->fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)address,
                             "the size of point %u is not in memory", index);
    *out = d->state.half_sizes ? util_half_to_float(util_load16(at)) : util_u2f(util_load32(at));
    return true;
}

/* ---- primitives one by one ---- */

/* The worker's primitive, made of `vertex`. */
static bool shade(struct drawing *d, const struct tiler_item *item, const struct raster_vertex *vertex)
{
    if (d->worker->watched.job)
        return gpu_frame_observe_shade(d->frame, d->worker, item, d->draw, &d->raster, vertex);
    return raster_draw_prim(&d->raster);
}

static bool draw_prim(struct drawing *d, const struct tiler_item *item)
{
    unsigned count = item->kind == TILER_ITEM_POINT ? 1 : item->kind == TILER_ITEM_LINE ? 2 : 3;
    const struct raster_setup *setup = &d->raster.setup;
    struct raster_prim *prim = &d->worker->raster.prim;
    float size;

    if (!take_draw(d, item->kind == TILER_ITEM_POINT))
        return false;
    if (d->worker->watched.job)
        gpu_frame_observe_primitive(d->worker, item);
    if (!(item->clipped ? load_clipped : load_whole)(d, item, count))
        return false;
    switch (item->kind) {
    case TILER_ITEM_POINT:
        if (!point_size(d, item->index[0], &size))
            return false;
        return !raster_setup_point(prim, setup, d->vertex, size, d->draw->wants_point) ||
               shade(d, item, d->vertex);
    case TILER_ITEM_LINE:
        return !raster_setup_line(prim, setup, d->vertex, false) || shade(d, item, d->vertex);
    case TILER_ITEM_RECTANGLE: {
        const struct raster_vertex second[3] = {d->vertex[0], d->vertex[2], d->vertex[3]};

        if (raster_setup_triangle(prim, setup, second) && !shade(d, item, second))
            return false;
        return !raster_setup_triangle(prim, setup, d->vertex) || shade(d, item, d->vertex);
    }
    default: return !raster_setup_triangle(prim, setup, d->vertex) || shade(d, item, d->vertex);
    }
}

/* ---- triangles several at a time ---- */

/* Vertex k of triangles i to i + 3; those that do not exist repeat others. */
static void place_four(struct raster_triangles *t, unsigned k, uint32_t i, const float *const at[4])
{
    __m128 x = _mm_loadu_ps(at[0]), y = _mm_loadu_ps(at[1]), z = _mm_loadu_ps(at[2]), w = _mm_loadu_ps(at[3]);

    _MM_TRANSPOSE4_PS(x, y, z, w);
    _mm_store_si128((__m128i *)&t->x[k][i], to_fixed(x));
    _mm_store_si128((__m128i *)&t->y[k][i], to_fixed(y));
    _mm_store_ps(&t->z[k][i], z);
    _mm_store_ps(&t->inv_w[k][i], w);
}

/* The positions of `count` triangles; returns how many have theirs in memory, from the first on. Their
 * varyings are wanted next, by most. */
static uint32_t place_triangles(struct drawing *d, const uint32_t index[][3], uint32_t count)
{
    struct raster_triangles *t = &d->worker->raster.triangles;
    const uint8_t *varyings = d->frame->space->window.base + d->draw->varyings;
    const uint64_t stride = d->draw->varying_stride;
    const float *at[3][RASTER_TRIANGLES];
    uint32_t i, k;

    for (i = 0; i < count; i++) {
        for (k = 0; k < 3 && (at[k][i] = position(d, index[i][k])) != NULL; k++)
            if (stride) /* an address without a page takes long to be found out */
                __builtin_prefetch(varyings + (d->state.first + index[i][k]) * stride);
        if (k < 3)
            break;
    }
    t->count = i;
    for (k = 0; k < 3 && i; k++) {
        for (uint32_t n = i; n < util_align(i, 4); n++)
            at[k][n] = at[k][0];
        for (uint32_t n = 0; n < i; n += 4)
            place_four(t, k, n, &at[k][n]);
    }
    return i;
}

/* Some triangles of a list. */
struct few {
    struct drawing *drawing;
    const uint32_t (*index)[3];
};

/* A vertex's varyings where they stand, if all that is read of them is in memory: whole groups. */
static const float *varyings_at(struct drawing *d, uint32_t index)
{
    const struct gpu_frame_draw *draw = d->draw;
    uint32_t count = (uint32_t)util_align(draw->setup.vary_count, RASTER_VARY_GROUP);
    uint64_t at = draw->varyings + (uint64_t)(d->state.first + index) * draw->varying_stride;

    return (const void *)gpu_space_near(d->frame->space, &d->varyings, at, count * sizeof(float));
}

static bool fetch_triangle(void *data, uint32_t i)
{
    const struct few *few = data;
    struct drawing *d = few->drawing;
    const bool plain = d->draw->varyings_plain;

    if (!plain && !fetch(d, few->index[i], 3, d->worker->vary))
        return false;
    for (unsigned k = 0; k < 3; k++) {
        const float *at = plain ? varyings_at(d, few->index[i][k]) : NULL;

        if (plain && !at && !fetch(d, &few->index[i][k], 1, &d->worker->vary[k]))
            return false;
        d->worker->raster.triangles.vary[k][i] = at ? at : d->worker->vary[k];
    }
    return true;
}

static bool draw_triangles(struct drawing *d, const uint32_t index[][3], uint32_t count)
{
    struct few few = {d, index};
    uint32_t placed;

    if (!take_draw(d, false))
        return false;
    placed = place_triangles(d, index, count);
    raster_draw_setup(&d->raster);
    for (uint32_t i = 0; i < placed; i++)
        if (!raster_draw_triangle(&d->raster, i, fetch_triangle, &few))
            return false;
    return placed == count;
}

/* ---- lists ---- */

/* Draws the triangles that come next in the list, where they can be drawn so; *count: how many there were. */
static bool run_triangles(struct drawing *d, uint32_t *count)
{
    const struct gpu_tile_reader *reader = &d->frame->reader;
    uint32_t index[RASTER_TRIANGLES][3];

    *count = 0;
    if (!d->stated || !reader->triangles || d->frame->reference || d->worker->watched.job)
        return true;
    *count =
        reader->triangles(reader->ctx, &d->cursor, index, (uint32_t)UTIL_MIN(d->items, RASTER_TRIANGLES));
    d->items -= *count;
    return !*count || draw_triangles(d, index, *count);
}

static bool run_item(struct drawing *d, const struct tiler_item *item, uint32_t list)
{
    if (item->kind == TILER_ITEM_STATE) {
        d->draw = NULL;
        d->stated = true;
        return true;
    }
    if (!d->stated)
        return gpu_fault_set(d->fault, GPU_FAULT_LIST, UNIT, list, "a primitive without a state");
    return draw_prim(d, item);
}

/* From the cursor on. */
static bool run_list(struct drawing *d, uint32_t list)
{
    const struct gpu_tile_reader *reader = &d->frame->reader;
    const struct tiler_cursor *c = &d->cursor;
    struct tiler_item item = {0};

    for (;;) {
        uint32_t triangles;

        if (gpu_frame_cancelled(d->frame))
            return gpu_fault_set(d->fault, GPU_FAULT_TIMEOUT, UNIT, (uint32_t)c->at, "cancelled");
        if (!run_triangles(d, &triangles))
            return false;
        if (triangles == RASTER_TRIANGLES)
            continue;
        if (!d->items)
            return gpu_fault_set(d->fault, GPU_FAULT_TIMEOUT, UNIT, (uint32_t)c->at,
                                 "more entries than the tile's lists may have");
        d->items--;
        if (!reader->next(reader->ctx, &d->cursor, &item, &d->state, d->fault))
            return false;
        if (item.kind == TILER_ITEM_END)
            return true;
        if (!run_item(d, &item, list))
            return false;
    }
}

bool gpu_frame_tile_needs(const struct gpu_frame *frame, uint32_t list, struct gpu_tile_needs *out,
                          struct gpu_fault *fault)
{
    const struct gpu_tile_reader *reader = &frame->reader;
    struct tiler_item item = {0};
    struct tiler_cursor cursor = tiler_list_begin(list);
    struct gpu_tile_state state = {0};

    *out = (struct gpu_tile_needs){.nothing = true};
    if (list == GPU_TILE_EMPTY)
        return true;
    if (!reader->next(reader->ctx, &cursor, &item, &state, fault))
        return false;
    *out = (struct gpu_tile_needs){
        .nothing = item.kind == TILER_ITEM_END,
        .four_samples = state.four_samples,
    };
    return true;
}

/* The tile's own pixels out of the image, in place of what the list begins with, if it may take as much. */
static void reload(struct drawing *d, const struct gpu_frame_reload *r)
{
    struct raster_shader_work *work = &d->worker->raster.work;
    const struct raster_tile *tile = &d->worker->raster.tile;
    const struct raster_rect pixels = {tile->x, tile->y,
                                       UTIL_MIN(tile->x + (int32_t)tile->width, (int32_t)d->frame->width),
                                       UTIL_MIN(tile->y + (int32_t)tile->height, (int32_t)d->frame->height)};
    const uint64_t cost = r->cost * tile->width * tile->height / 16;

    if (d->items < r->items || work->fuel < cost || pixels.x0 >= pixels.x1 || pixels.y0 >= pixels.y1)
        return;
    d->items -= r->items;
    work->fuel -= cost;
    d->cursor = r->behind;
    d->frame->family->load(d->frame, &d->worker->raster.tile);
    gpu_frame_reload_count(r, d->worker, &pixels);
}

bool gpu_frame_tile_draw(struct gpu_frame *frame, struct gpu_frame_worker *worker, uint32_t list,
                         uint32_t tiles, const struct gpu_frame_reload *from, struct gpu_fault *fault)
{
    struct drawing d = {.frame = frame,
                        .worker = worker,
                        .items = UTIL_MIN(frame->run->items * tiles, (uint64_t)TILER_LIST_MOST),
                        .cursor = tiler_list_begin(list),
                        .fault = fault};
    const uint64_t items = d.items;
    bool drawn;

    worker->raster.work.fuel = frame->run->fuel * tiles;
    worker->raster.work.fault = fault;
    if (from->part)
        reload(&d, from);
    drawn = list == GPU_TILE_EMPTY || run_list(&d, list);
    worker->entries += items - d.items;
    if (drawn)
        raster_worker_flush(&worker->raster);
    else
        fault->draw = d.state.draw;
    return drawn;
}

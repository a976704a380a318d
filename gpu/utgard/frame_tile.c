/* One tile: its list's primitives set up, covered and shaded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frame_internal.h"
#include "gpu/utgard/pp_fault.h"
#include "util/bits.h"

#define UNIT "tile list"

/* ---- prepared draws ---- */

static struct utgard_draw *find(struct utgard_run *run, uint32_t rsw, uint8_t samples, bool points,
                                struct gpu_fault *fault)
{
    const struct utgard_pp_frame *frame = run->frame;
    struct utgard_frag_config config = {.samples = samples,
                                        .points = points,
                                        .fuel = run->frame->block_fuel,
                                        .y_scale = run->y_scale,
                                        .y_offset = run->y_offset,
                                        .numeric = frame->numeric};
    struct utgard_draw **bucket = &run->draws[(rsw >> 6) % UTGARD_DRAWS], *draw;

    for (draw = *bucket; draw; draw = draw->next)
        if (draw->rsw == rsw && draw->samples == samples && draw->points == points)
            return draw;
    draw = calloc(1, sizeof *draw);
    if (!draw) {
        utgard_pp_refuse(fault, GPU_FAULT_SHADER, UNIT, rsw, "no host memory");
        return NULL;
    }
    *draw = (struct utgard_draw){.next = *bucket, .rsw = rsw, .samples = samples, .points = points};
    if (!utgard_rsw_read(frame->space, rsw, &draw->state, fault) ||
        utgard_frag_prepare(frame->space, frame->engine, &draw->state, &config, &draw->frag, fault)) {
        free(draw);
        return NULL;
    }
    *bucket = draw;
    return draw;
}

static struct utgard_draw *prepare(struct utgard_run *run, uint32_t rsw, uint32_t samples, bool points,
                                   struct gpu_fault *fault)
{
    struct utgard_draw *draw;

    pthread_mutex_lock(&run->lock);
    draw = find(run, rsw, (uint8_t)samples, points, fault);
    pthread_mutex_unlock(&run->lock);
    return draw;
}

void utgard_run_forget(struct utgard_run *run)
{
    for (uint32_t n = 0; n < UTGARD_DRAWS; n++)
        while (run->draws[n]) {
            struct utgard_draw *next = run->draws[n]->next;

            utgard_frag_release(run->draws[n]->frag);
            free(run->draws[n]);
            run->draws[n] = next;
        }
}

/* ---- primitives ---- */

struct drawing {
    struct utgard_run *run;
    struct utgard_worker *worker;
    struct utgard_tile_state state;
    struct utgard_draw *draw; /* of state and the primitives' kind, or NULL: not looked up yet */
    bool points;
    struct raster_setup setup;
    uint64_t fuel;
    struct raster_vertex vertex[4];
    float vary[4][RASTER_MAX_VARYINGS];
};

/* 1/16 pixel; false where set-up would refuse it. */
static bool to_fixed(float x, int32_t *out)
{
    x *= 16.0f;
    if (!(fabsf(x) < (float)RASTER_POSITION_LIMIT))
        return false;
    *out = (int32_t)rintf(x);
    return *out < RASTER_POSITION_LIMIT && *out > -RASTER_POSITION_LIMIT;
}

static bool place(struct drawing *d, unsigned n, const float position[4])
{
    struct raster_vertex *v = &d->vertex[n];

    *v = (struct raster_vertex){.z = position[2], .inv_w = position[3], .vary = d->vary[n], .vary_stride = 1};
    return to_fixed(position[0], &v->x) && to_fixed(position[1], &v->y);
}

static bool load_position(struct drawing *d, uint32_t index, float out[4], struct gpu_fault *fault)
{
    uint64_t address = d->state.positions + index * 16ull;
    const uint8_t *at = gpu_space_at(d->run->frame->space, address, 16, GPU_RIGHT_READ);

    if (!at)
        return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)address,
                                "vertex %u is not in memory", index);
    memcpy(out, at, 16);
    return true;
}

/* The vertices of an item; *drawn false: one lies beyond what can be drawn. */
static bool load_whole(struct drawing *d, const struct utgard_tile_item *item, unsigned count, bool *drawn,
                       struct gpu_fault *fault)
{
    float position[4][4] = {{0}};

    for (unsigned n = 0; n < count; n++)
        if (!load_position(d, item->index[n], position[n], fault) ||
            !utgard_frag_fetch(d->draw->frag, d->run->frame->space, item->index[n], d->vary[n], fault))
            return false;
    if (item->kind == UTGARD_TILE_RECTANGLE) {
        for (unsigned c = 0; c < 4; c++)
            position[3][c] = position[0][c] + position[2][c] - position[1][c];
        for (unsigned c = 0; c < d->setup.vary_count; c++)
            d->vary[3][c] = d->vary[0][c] + d->vary[2][c] - d->vary[1][c];
        count = 4;
    }
    *drawn = true;
    for (unsigned n = 0; n < count; n++)
        *drawn &= place(d, n, position[n]);
    return true;
}

static bool load_clipped(struct drawing *d, const struct utgard_tile_item *item, unsigned count, bool *drawn,
                         struct gpu_fault *fault)
{
    float own[3][RASTER_MAX_VARYINGS] = {{0}};

    for (unsigned n = 0; n < count; n++)
        if (!utgard_frag_fetch(d->draw->frag, d->run->frame->space, item->index[n], own[n], fault))
            return false;
    *drawn = true;
    for (unsigned n = 0; n < count; n++) {
        const struct utgard_tile_vertex *v = &item->vertex[n];

        for (unsigned c = 0; c < d->setup.vary_count; c++) {
            d->vary[n][c] = own[0][c] * v->weight[0] + own[1][c] * v->weight[1];
            if (count == 3)
                d->vary[n][c] += own[2][c] * v->weight[2];
        }
        *drawn &= place(d, n, (const float[4]){v->x, v->y, v->z, v->inv_w});
    }
    return true;
}

static bool shade(struct drawing *d, const struct utgard_tile_item *item, const struct raster_vertex *vertex,
                  const struct raster_prim *prim, struct gpu_fault *fault)
{
    struct utgard_worker *w = d->worker;
    uint32_t count = raster_cover(prim, &w->tile, &d->state.clip, w->blocks);

    if (w->watch)
        return utgard_observe_shade(d->run, w, item, d->draw, &d->setup, vertex, prim, count, &d->fuel,
                                    fault);
    return !count || !utgard_frag_shade(d->draw->frag, prim, &w->tile, w->blocks, count, &d->fuel, fault);
}

static bool point_size(struct drawing *d, uint32_t index, float *out, struct gpu_fault *fault)
{
    uint64_t address = d->state.point_sizes + index * 4ull;
    const uint8_t *at;

    *out = d->state.size;
    if (!d->state.point_sizes)
        return true;
    at = gpu_space_at(d->run->frame->space, address, 4, GPU_RIGHT_READ);
    if (!at)
        return utgard_pp_refuse(fault, GPU_FAULT_MEMORY, UNIT, (uint32_t)address,
                                "the size of point %u is not in memory", index);
    *out = util_u2f(util_load32(at));
    return true;
}

/* The draw of the state at hand for this kind of primitive. */
static bool take_draw(struct drawing *d, bool points, struct gpu_fault *fault)
{
    const struct utgard_state *s;

    if (d->draw && d->points == points)
        return true;
    d->draw = prepare(d->run, d->state.rsw, d->worker->tile.samples, points, fault);
    d->points = points;
    if (!d->draw)
        return false;
    s = &d->draw->state;
    d->setup = (struct raster_setup){.vary_count = utgard_frag_varyings(d->draw->frag),
                                     .depth_offset = s->offset_factor != 0 || s->offset_units != 0,
                                     .offset_factor = s->offset_factor,
                                     .offset_units = s->offset_units,
                                     .line_width = d->state.size,
                                     .clockwise_forward = s->ccw,
                                     .centres_only = d->worker->tile.samples == 1};
    if (d->worker->watch)
        utgard_observe_list(d->run, d->worker, &d->state, d->draw);
    return true;
}

static bool draw_prim(struct drawing *d, const struct utgard_tile_item *item, struct gpu_fault *fault)
{
    unsigned count = item->kind == UTGARD_TILE_POINT ? 1 : item->kind == UTGARD_TILE_LINE ? 2 : 3;
    struct raster_prim prim;
    bool drawn;
    float size;

    if (!take_draw(d, item->kind == UTGARD_TILE_POINT, fault))
        return false;
    if (d->worker->watch)
        utgard_observe_primitive(d->run, d->worker, item);
    if (!(item->clipped ? load_clipped : load_whole)(d, item, count, &drawn, fault))
        return false;
    if (!drawn)
        return true;
    switch (item->kind) {
    case UTGARD_TILE_POINT:
        if (!point_size(d, item->index[0], &size, fault))
            return false;
        return !raster_setup_point(&prim, &d->setup, d->vertex, size,
                                   utgard_frag_wants_point(d->draw->frag)) ||
               shade(d, item, d->vertex, &prim, fault);
    case UTGARD_TILE_LINE:
        return !raster_setup_line(&prim, &d->setup, d->vertex, false) ||
               shade(d, item, d->vertex, &prim, fault);
    case UTGARD_TILE_RECTANGLE: {
        const struct raster_vertex second[3] = {d->vertex[0], d->vertex[2], d->vertex[3]};

        if (raster_setup_triangle(&prim, &d->setup, second) && !shade(d, item, second, &prim, fault))
            return false;
        return !raster_setup_triangle(&prim, &d->setup, d->vertex) || shade(d, item, d->vertex, &prim, fault);
    }
    default:
        return !raster_setup_triangle(&prim, &d->setup, d->vertex) || shade(d, item, d->vertex, &prim, fault);
    }
}

/* ---- lists ---- */

static bool read_item(struct utgard_run *run, uint64_t *at, uint64_t *items, struct utgard_tile_item *item,
                      struct gpu_fault *fault)
{
    const struct utgard_tile_reader *reader = &run->frame->reader;

    if (++*items > run->items)
        return utgard_pp_refuse(fault, GPU_FAULT_TIMEOUT, UNIT, (uint32_t)*at,
                                "more entries than the tile's share of what a job may have");
    return reader->next(reader->ctx, at, item, fault);
}

/* Multisampling is a matter of the draws: they say so, or they write some of the samples only. */
bool utgard_tile_samples(struct utgard_run *run, uint32_t list, bool *four, struct gpu_fault *fault)
{
    struct utgard_tile_item item = {0};
    uint64_t at = list, items = 0;
    uint32_t rsw = 0;

    while (!*four) {
        struct utgard_state state;

        if (!read_item(run, &at, &items, &item, fault))
            return false;
        if (item.kind == UTGARD_TILE_END)
            return true;
        if (item.kind != UTGARD_TILE_STATE || item.state.rsw == rsw)
            continue;
        rsw = item.state.rsw;
        if (!utgard_rsw_read(run->frame->space, rsw, &state, fault))
            return false;
        *four = state.multisample || state.alpha_to_coverage || state.sample_mask != 15;
    }
    return true;
}

bool utgard_tile_draw(struct utgard_run *run, struct utgard_worker *worker, uint32_t list,
                      struct gpu_fault *fault)
{
    struct drawing d = {.run = run, .worker = worker, .fuel = run->fuel};
    struct utgard_tile_item item = {0};
    uint64_t at = list, items = 0;
    bool stated = false;

    for (;;) {
        if (!read_item(run, &at, &items, &item, fault))
            return false;
        if (item.kind == UTGARD_TILE_END)
            return true;
        if (item.kind == UTGARD_TILE_STATE) {
            d.state = item.state;
            d.draw = NULL;
            stated = true;
        } else if (!stated) {
            return utgard_pp_refuse(fault, GPU_FAULT_LIST, UNIT, list, "a primitive without a state");
        } else if (!draw_prim(&d, &item, fault)) {
            fault->draw = d.state.draw;
            return false;
        }
    }
}

/* Primitives of draw.h: coverage, and the choice between shading and waiting. */
#include "raster/draw.h"

#include <string.h>

#include "raster/coverage.h"
#include "util/bits.h"

void raster_worker_place(struct raster_worker *worker, int32_t x, int32_t y, uint32_t width, uint32_t height,
                         uint32_t samples)
{
    struct raster_tile *const both[] = {&worker->tile, &worker->centre};
    for (unsigned i = 0; i < 2; i++) {
        both[i]->x = x;
        both[i]->y = y;
        both[i]->width = width;
        both[i]->height = height;
        both[i]->samples = i ? 1 : samples;
    }
    worker->costly = false;
    raster_deferred_begin(&worker->deferred, width, height);
}

static void color(void *data, const void *shader, const uint8_t *planes,
                  const struct raster_deferred_block *blocks, uint32_t count)
{
    struct raster_worker *w = data;
    raster_shader_color(shader, &w->tile, planes, blocks, count, &w->work);
}

void raster_worker_flush(struct raster_worker *worker)
{
    if (raster_deferred_waits(&worker->deferred))
        raster_deferred_shade(&worker->deferred, color, worker);
    worker->costly = false;
}

/* ---- coverage ---- */

/* The single-sample twin of the tile gives blocks whose pixels are covered at their centres: every sample of
 * a pixel shares its bit. */
static void share_centres(const struct raster_draw *draw, uint32_t count)
{
    struct raster_block *block = draw->worker->blocks;
    for (uint32_t i = 0; draw->centre_only && i < count; i++)
        for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++)
            block[i].sample[s] = block[i].mask;
}

static const struct raster_tile *covered_tile(const struct raster_draw *draw)
{
    return draw->centre_only ? &draw->worker->centre : &draw->worker->tile;
}

/* Of tiles of 2, 8 or 16 samples. */
static uint32_t cover_many(const struct raster_draw *draw)
{
    struct raster_worker *w = draw->worker;
    uint32_t count;
    if (!draw->centre_only)
        return raster_samples_cover(&w->prim, &w->centre, w->tile.samples, &draw->clip, draw->reference,
                                    w->many, w->blocks);
    count = raster_cover_position(&w->prim, &w->centre, &draw->clip, 8, 8, draw->reference, w->blocks);
    for (uint32_t i = 0; i < count; i++) {
        const struct raster_block *block = &w->blocks[i];
        w->many[i] = (struct raster_samples_block){block->x, block->y, block->mask, {0}};
        for (uint32_t s = 0; s < w->tile.samples; s++)
            w->many[i].sample[s] = block->mask;
    }
    return count;
}

uint32_t raster_draw_cover(const struct raster_draw *draw, bool *whole)
{
    struct raster_worker *w = draw->worker;
    const struct raster_tile *tile = covered_tile(draw);
    uint32_t count;
    *whole = draw->whole && raster_deferred_fills(&w->prim, &w->tile, &draw->clip);
    if (*whole)
        return w->deferred.tile_blocks;
    if (raster_samples_is_many(w->tile.samples))
        return cover_many(draw);
    if (draw->any)
        return raster_cover_any(&w->prim, tile, &draw->clip, draw->reference, w->blocks);
    count = draw->reference ? raster_cover_ref(&w->prim, tile, &draw->clip, w->blocks)
                            : raster_cover(&w->prim, tile, &draw->clip, w->blocks);
    share_centres(draw, count);
    return count;
}

/* ---- shading ---- */

/* Whether an opaque primitive is to wait: a cheap one when that takes no list of its blocks, or spares others
 * from being shaded before their time. */
static bool waits(const struct raster_draw *draw, bool whole)
{
    return whole || draw->worker->costly || !draw->shader->cheap;
}

/* Tests an opaque primitive; its colours wait. */
static bool shade_later(const struct raster_draw *draw, uint32_t count, bool whole)
{
    struct raster_worker *w = draw->worker;
    const struct raster_shader *shader = draw->shader;
    const struct raster_block *left = w->blocks;
    uint16_t common;
    if (whole && (shader->test || shader->query))
        memcpy(w->blocks, w->deferred.whole, count * sizeof *w->blocks);
    if (raster_shader_test(shader, &w->prim, &w->tile, w->blocks, &count, &common, &w->work))
        return false;
    if (!count)
        return true;
    if (whole && count == w->deferred.tile_blocks && common == 0xffff)
        left = NULL;
    if (!raster_deferred_add(&w->deferred, shader, &w->prim, shader->varyings, left, count)) {
        raster_worker_flush(w);
        raster_deferred_add(&w->deferred, shader, &w->prim, shader->varyings, left, count);
    }
    w->costly = !shader->cheap || (w->costly && left);
    return true;
}

void raster_draw_fill_varyings(const struct raster_draw *draw)
{
    struct raster_prim *prim = &draw->worker->prim;
    uint32_t varyings = draw->shader->varyings;
    for (uint32_t n = prim->vary_count; n < varyings; n++)
        prim->vary_a[n] = prim->vary_b[n] = prim->vary_c[n] = 0.0f;
    prim->vary_count = UTIL_MAX(prim->vary_count, varyings);
}

bool raster_draw_blocks(const struct raster_draw *draw, uint32_t count, bool whole)
{
    struct raster_worker *w = draw->worker;
    raster_draw_fill_varyings(draw);
    if (draw->opaque && waits(draw, whole))
        return shade_later(draw, count, whole);
    const struct raster_block *blocks =
        raster_samples_is_many(w->tile.samples) ? (const void *)w->many : w->blocks;
    raster_worker_flush(w);
    return raster_shader_shade(draw->shader, &w->prim, &w->tile, blocks, count, &w->work) == 0;
}

bool raster_draw_prim(const struct raster_draw *draw)
{
    bool whole;
    uint32_t count = raster_draw_cover(draw, &whole);
    return !count || raster_draw_blocks(draw, count, whole);
}

/* ---- triangles ---- */

/* Planes beyond those that the program reads are nobody's. */
static struct raster_setup setup_of(const struct raster_draw *draw)
{
    struct raster_setup setup = draw->setup;
    setup.vary_count = UTIL_MIN(setup.vary_count, draw->shader->varyings);
    return setup;
}

void raster_draw_setup(const struct raster_draw *draw)
{
    raster_triangles_setup(&draw->worker->triangles, &draw->setup, covered_tile(draw), &draw->clip);
}

/* The blocks of triangle i, one of those drawn, as raster_draw_cover. */
static uint32_t cover_triangle(const struct raster_draw *draw, uint32_t i, bool *whole)
{
    struct raster_worker *w = draw->worker;
    uint32_t count;
    *whole = draw->whole && raster_triangles_fills(&w->triangles, i, &w->tile);
    if (*whole)
        return w->deferred.tile_blocks;
    count = raster_triangles_cover(&w->triangles, i, w->blocks);
    share_centres(draw, count);
    return count;
}

/* A far one, from set-up on. */
static bool draw_far(const struct raster_draw *draw, uint32_t i)
{
    struct raster_worker *w = draw->worker;
    const struct raster_triangles *t = &w->triangles;
    const struct raster_setup setup = setup_of(draw);
    struct raster_vertex v[3];
    for (unsigned k = 0; k < 3; k++)
        v[k] = (struct raster_vertex){.x = t->x[k][i],
                                      .y = t->y[k][i],
                                      .z = t->z[k][i],
                                      .inv_w = t->inv_w[k][i],
                                      .vary = t->vary[k][i],
                                      .vary_stride = 1};
    return !raster_setup_triangle(&w->prim, &setup, v) || raster_draw_prim(draw);
}

bool raster_draw_triangle(const struct raster_draw *draw, uint32_t i, raster_fetch_fn fetch, void *data)
{
    struct raster_worker *w = draw->worker;
    bool far = w->triangles.far >> i & 1, whole = false;
    uint32_t count = 0;
    if (!far && w->triangles.drawn >> i & 1)
        count = cover_triangle(draw, i, &whole);
    if (!far && !count)
        return true;
    if (fetch && !fetch(data, i))
        return false;
    if (far)
        return draw_far(draw, i);
    const struct raster_setup setup = setup_of(draw);
    raster_triangles_prim(&w->triangles, &setup, i, &w->prim);
    return raster_draw_blocks(draw, count, whole);
}

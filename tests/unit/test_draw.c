/* Primitives on a worker's tile: one by one and several at a time, shaded at once and when it is known what
 * is seen: the same picture. The fragment stage paints a draw's colour; its test drops some lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "raster/draw.h"
#include "util/fpenv.h"

enum { DRAWS = 12, TRIANGLES = 40 };

struct fragment {
    uint32_t color;
    uint16_t dropped; /* lanes */
    bool fails;
};

/* ---- the fragment stage ---- */

static uint32_t shaded; /* lanes */

static void paint(struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t mask, uint32_t color)
{
    uint32_t *words = &tile->color[raster_block_index(tile, x * 4, y * 4, 0)];

    for (unsigned lane = 0; lane < 16; lane++)
        if (mask >> lane & 1)
            words[lane] = color;
    shaded += (uint32_t)__builtin_popcount(mask);
}

static uint32_t shade(void *data, const void *frag, const struct raster_prim *prim, struct raster_tile *tile,
                      const struct raster_block *blocks, uint32_t count)
{
    const struct fragment *f = frag;

    for (uint32_t i = 0; i < count; i++)
        paint(tile, blocks[i].x, blocks[i].y, blocks[i].mask & ~f->dropped, f->color);
    return f->fails;
}

static uint32_t test(void *data, const void *frag, const struct raster_prim *prim, struct raster_tile *tile,
                     struct raster_block *blocks, uint32_t *count, uint16_t *common)
{
    const struct fragment *f = frag;
    uint32_t kept = 0;

    *common = 0xffff;
    if (!f->dropped)
        return f->fails;
    for (uint32_t i = 0; i < *count; i++) {
        blocks[kept] = blocks[i];
        blocks[kept].mask &= (uint16_t)~f->dropped;
        *common &= blocks[kept].mask;
        kept += blocks[kept].mask != 0;
    }
    *count = kept;
    return f->fails;
}

static void color(void *data, const void *frag, const uint8_t *planes,
                  const struct raster_visible_block *blocks, uint32_t count)
{
    struct raster_worker *w = data;

    for (uint32_t i = 0; i < count; i++)
        paint(&w->tile, blocks[i].x, blocks[i].y, blocks[i].mask, ((const struct fragment *)frag)->color);
}

static const struct raster_stage stage = {shade, test, color};

/* ---- scenes ---- */

static uint32_t seed = 3;

static uint32_t below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)seed * limit >> 32);
}

struct triangle {
    int32_t x[3], y[3];
};

struct scene {
    struct fragment frag[DRAWS];
    bool opaque[DRAWS], cheap[DRAWS];
    struct triangle triangle[DRAWS][TRIANGLES];
};

/* Triangles about a tile of 64x64 pixels: small ones, some that cover it, some that reach far. */
static void make(struct scene *s)
{
    for (unsigned d = 0; d < DRAWS; d++) {
        s->frag[d] = (struct fragment){d + 1, below(2) ? (uint16_t)below(65536) : 0, false};
        s->opaque[d] = below(4) != 0;
        s->cheap[d] = below(2);
        for (unsigned i = 0; i < TRIANGLES; i++) {
            uint32_t kind = below(8), reach = kind == 0 ? 1u << 19 : kind == 1 ? 1u << 13 : 1u << (5 + kind);

            for (unsigned k = 0; k < 3; k++) {
                s->triangle[d][i].x[k] = (int32_t)(512 + below(reach)) - (int32_t)(reach / 2);
                s->triangle[d][i].y[k] = (int32_t)(512 + below(reach)) - (int32_t)(reach / 2);
            }
        }
    }
}

static struct raster_draw describe(struct scene *s, unsigned d, struct raster_worker *w)
{
    return (struct raster_draw){.worker = w,
                                .frag = &s->frag[d],
                                .opaque = s->opaque[d],
                                .tests = s->frag[d].dropped != 0,
                                .cheap = s->cheap[d],
                                .whole = s->opaque[d],
                                .setup = {.centres_only = true},
                                .clip = {d == 3 ? 5 : 0, 0, 64, d == 4 ? 33 : 64}};
}

static bool draw_alone(const struct raster_draw *draw, const struct triangle *t)
{
    struct raster_vertex v[3] = {{0}};

    for (unsigned k = 0; k < 3; k++)
        v[k] = (struct raster_vertex){.x = t->x[k], .y = t->y[k], .inv_w = 1};
    return !raster_setup_triangle(&draw->worker->prim, &draw->setup, v) || raster_draw_prim(draw);
}

static bool draw_together(const struct raster_draw *draw, const struct triangle *from, uint32_t count)
{
    struct raster_triangles *t = &draw->worker->triangles;
    static const float none[RASTER_MAX_VARYINGS];

    t->count = count;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 3; k++) {
            t->x[k][i] = from[i].x[k];
            t->y[k][i] = from[i].y[k];
            t->z[k][i] = 0;
            t->inv_w[k][i] = 1;
            t->vary[k][i] = none;
        }
    raster_draw_setup(draw);
    for (uint32_t i = 0; i < count; i++) {
        bool whole, far = t->far >> i & 1;
        uint32_t blocks = !far && t->drawn >> i & 1 ? raster_draw_cover_triangle(draw, i, &whole) : 0;

        if ((far && !raster_draw_far(draw, i)) || (blocks && !raster_draw_triangle(draw, i, blocks, whole)))
            return false;
    }
    return true;
}

static struct raster_worker *begin(void)
{
    struct raster_worker *w = aligned_alloc(64, sizeof *w);

    assert_non_null(w);
    memset(w, 0, sizeof *w);
    w->stage = &stage;
    w->data = w;
    raster_worker_place(w, 0, 0, 64, 64, 1);
    return w;
}

/* ---- tests ---- */

static void test_same_picture(void **unused)
{
    static struct scene s;
    unsigned saved = util_fpenv_enter();
    struct raster_worker *plain = begin(), *w = begin();

    (void)unused;
    for (unsigned round = 0; round < 60; round++) {
        uint32_t all;

        make(&s);
        shaded = 0;
        for (unsigned d = 0; d < DRAWS; d++) {
            struct raster_draw draw = describe(&s, d, plain);

            draw.opaque = draw.whole = false;
            draw.reference = true;
            for (unsigned i = 0; i < TRIANGLES; i++)
                assert_true(draw_alone(&draw, &s.triangle[d][i]));
        }
        assert_false(raster_visible_waits(&plain->visible));
        all = shaded;
        for (unsigned way = 0; way < 2; way++) {
            memcpy(w->tile.color, plain->tile.zs, sizeof w->tile.color);
            shaded = 0;
            for (unsigned d = 0; d < DRAWS; d++) {
                struct raster_draw draw = describe(&s, d, w);

                for (unsigned i = 0; i < TRIANGLES; i += 16)
                    if (way)
                        assert_true(
                            draw_together(&draw, &s.triangle[d][i], TRIANGLES - i < 16 ? TRIANGLES - i : 16));
                for (unsigned i = 0; i < TRIANGLES && !way; i++)
                    assert_true(draw_alone(&draw, &s.triangle[d][i]));
            }
            raster_worker_flush(w);
            assert_memory_equal(w->tile.color, plain->tile.color, sizeof w->tile.color);
            assert_true(shaded < all);
        }
        memcpy(plain->tile.zs, plain->tile.color, sizeof plain->tile.zs); /* what the next begins with */
    }
    util_fpenv_leave(saved);
    free(plain);
    free(w);
}

/* A fault ends the tile where it is met, waiting or not. */
static void test_faults(void **unused)
{
    static struct scene s;
    unsigned saved = util_fpenv_enter();
    struct raster_worker *w = begin();

    (void)unused;
    make(&s);
    s.triangle[0][0] = (struct triangle){{-1024, 4096, -1024}, {-1024, -1024, 4096}};
    for (unsigned way = 0; way < 4; way++) {
        struct raster_draw draw;

        s.frag[0].fails = true;
        s.opaque[0] = way & 1;
        draw = describe(&s, 0, w);
        assert_false(way & 2 ? draw_alone(&draw, s.triangle[0]) : draw_together(&draw, s.triangle[0], 1));
    }
    util_fpenv_leave(saved);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_picture), cmocka_unit_test(test_faults)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Primitives on a worker's tile: one by one and several at a time, shaded at once and when it is known what
 * is seen: the same picture. Code paints a draw's colour; its test drops some lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "raster/draw.h"
#include "util/fpenv.h"

enum { DRAWS = 12, TRIANGLES = 40 };

/* A draw's shader: code in the compiler's place. Its test and its code in order both drop lanes. */
struct fragment {
    struct raster_shader shader;
    uint32_t color;
    uint16_t dropped; /* lanes */
};

/* ---- code ---- */

static uint32_t shaded; /* lanes */
static uint16_t dropped_by_test;
static unsigned refused; /* calls that were not paid for */

static void paint(struct raster_tile *tile, uint32_t x, uint32_t y, uint32_t mask, uint32_t color)
{
    uint32_t *words = &tile->color[raster_block_index(tile, x * 4, y * 4, 0)];

    for (unsigned lane = 0; lane < 16; lane++)
        if (mask >> lane & 1)
            words[lane] = color;
    shaded += (uint32_t)__builtin_popcount(mask);
}

static uint32_t in_order(const void *args, const void *prims, struct raster_tile *tile, const void *from,
                         uint32_t count, struct raster_shader_call *call)
{
    const struct raster_block *blocks = from;
    const struct fragment *f = args;

    for (uint32_t i = 0; i < count; i++)
        paint(tile, blocks[i].x, blocks[i].y, blocks[i].mask & ~f->dropped, f->color);
    call->executed = count;
    return 0;
}

static uint32_t deferred(const void *args, const void *planes, struct raster_tile *tile, const void *from,
                         uint32_t count, struct raster_shader_call *call)
{
    const struct raster_deferred_block *blocks = from;

    for (uint32_t i = 0; i < count; i++)
        paint(tile, blocks[i].x, blocks[i].y, blocks[i].mask, ((const struct fragment *)args)->color);
    call->executed = count;
    return 0;
}

static uint32_t quads(const void *args, const void *planes, struct raster_tile *tile, const void *from,
                      uint32_t count, struct raster_shader_call *call)
{
    const struct raster_deferred_quads *fours = from;

    for (uint32_t i = 0; i < count; i++)
        for (unsigned lane = 0; lane < 16; lane++)
            if (fours[i].mask >> lane & 1) {
                tile->color[fours[i].at[lane / 4] / 4 + lane % 4] = ((const struct fragment *)args)->color;
                shaded++;
            }
    call->executed = count;
    return 0;
}

static uint32_t test(const struct raster_prim *prim, struct raster_tile *tile, struct raster_block *blocks,
                     uint32_t count, uint16_t *common)
{
    uint32_t kept = 0;

    *common = 0xffff;
    for (uint32_t i = 0; i < count; i++) {
        blocks[kept] = blocks[i];
        blocks[kept].mask &= (uint16_t)~dropped_by_test;
        *common &= blocks[kept].mask;
        kept += blocks[kept].mask != 0;
    }
    return kept;
}

static struct jit_function in_order_code = {.code = (void *)in_order},
                           deferred_code = {.code = (void *)deferred}, quads_code = {.code = (void *)quads},
                           test_code = {.code = (void *)test};

static void report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault)
{
    assert_int_equal(code, RASTER_SHADER_UNPAID);
    refused++;
}

static struct jit_function *find_quads(const struct raster_shader *shader)
{
    return &quads_code;
}

static const struct raster_shader_family family = {NULL, report, find_quads};

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
    struct raster_shader_quads quads[DRAWS];
    struct triangle triangle[DRAWS][TRIANGLES];
};

/* Triangles about a tile of 64x64 pixels: small ones, some that cover it, some that reach far. */
static void make(struct scene *s)
{
    for (unsigned d = 0; d < DRAWS; d++) {
        struct fragment *f = &s->frag[d];
        struct raster_shader *shader = &f->shader;

        *f = (struct fragment){.color = d + 1, .dropped = below(2) ? (uint16_t)below(65536) : 0};
        *shader = (struct raster_shader){.family = &family, .args = f, .cost = 1, .colors = true};
        shader->opaque = below(4) != 0;
        shader->cheap = below(2);
        if (shader->opaque) {
            shader->deferred = &deferred_code;
            shader->test = f->dropped ? &test_code : NULL;
            shader->quads = below(2) ? &s->quads[d] : NULL;
        }
        if (!shader->opaque || shader->cheap)
            shader->in_order = &in_order_code;
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
    dropped_by_test = s->frag[d].dropped;
    return (struct raster_draw){.worker = w,
                                .shader = &s->frag[d].shader,
                                .opaque = s->frag[d].shader.opaque,
                                .whole = s->frag[d].shader.opaque,
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
    for (uint32_t i = 0; i < count; i++)
        if (!raster_draw_triangle(draw, i, NULL, NULL))
            return false;
    return true;
}

static struct raster_worker *begin(void)
{
    struct raster_worker *w = aligned_alloc(64, sizeof *w);

    assert_non_null(w);
    memset(w, 0, sizeof *w);
    w->work.fuel = UINT64_MAX;
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
        struct raster_shader_work before = plain->work;
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
        assert_false(raster_deferred_waits(&plain->deferred));
        all = shaded;
        for (unsigned way = 0; way < 2; way++) {
            memcpy(w->tile.color, plain->tile.zs, sizeof plain->tile.zs);
            w->work = before;
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
            /* Whatever is hidden, blocks are counted and paid for as in order. */
            assert_int_equal(w->work.blocks, plain->work.blocks);
            assert_int_equal(w->work.fuel, plain->work.fuel);
            assert_true(w->work.executed <= plain->work.executed);
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

        s.frag[0].shader = (struct raster_shader){.family = &family, .cost = 4, .opaque = way & 1};
        w->work.fuel = 3;
        draw = describe(&s, 0, w);
        assert_false(way & 2 ? draw_alone(&draw, s.triangle[0]) : draw_together(&draw, s.triangle[0], 1));
        assert_int_equal(refused, way + 1);
        assert_int_equal(w->work.fuel, 3);
    }
    util_fpenv_leave(saved);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_picture), cmocka_unit_test(test_faults)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

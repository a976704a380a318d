/* Samples of a pixel: their places, the coverage of each from the edges themselves, alpha to coverage; samples that
 * pass, counted in each way to draw; who provokes. VITRAIL_TARGETS_CASES: how many triangles, times four. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "raster/draw.h"
#include "util/bits.h"

static struct raster_tile tile;
static uint64_t state = 77;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint64_t cases(void)
{
    const char *text = getenv("VITRAIL_TARGETS_CASES");
    return text && *text ? strtoull(text, NULL, 0) : 3000;
}

/* ---- samples ---- */

static void test_positions(void **unused)
{
    int32_t x, y;
    for (uint32_t s = 0; s < 4; s++) {
        raster_samples_position(4, s, &x, &y);
        assert_true(x == raster_sample_x(4, s) && y == raster_sample_y(4, s));
    }
    raster_samples_position(8, 7, &x, &y);
    assert_true(x == 15 && y == 1);
    raster_samples_position(16, 15, &x, &y);
    assert_true(x == 1 && y == 0);
    for (uint32_t samples = 2; samples <= 16; samples *= 2) {
        uint32_t columns = 0, rows = 0;
        for (uint32_t s = 0; s < samples; s++) {
            raster_samples_position(samples, s, &x, &y);
            columns |= 1u << x;
            rows |= 1u << y;
        }
        /* Each in a column of its own, and a row, but for the ninth of sixteen (samples.c). */
        assert_int_equal(__builtin_popcount(columns), samples);
        assert_int_equal(__builtin_popcount(rows), samples == 16 ? 15 : samples);
    }
}

static void random_triangle(struct raster_prim *prim, uint32_t samples)
{
    const struct raster_setup setup = {.clockwise_forward = true, .sixteen = raster_samples_is_many(samples)};
    static const float none[1];
    struct raster_vertex v[3];
    do
        for (unsigned k = 0; k < 3; k++)
            v[k] = (struct raster_vertex){.x = (int32_t)(random32() % 900) - 100,
                                          .y = (int32_t)(random32() % 900) - 100,
                                          .inv_w = 1,
                                          .vary = none,
                                          .vary_stride = 1};
    while (!raster_setup_triangle(prim, &setup, v));
}

static bool is_inside(const struct raster_prim *prim, int32_t x, int32_t y)
{
    for (uint32_t e = 0; e < prim->edge_count; e++)
        if ((int64_t)prim->edge[e].a * x + (int64_t)prim->edge[e].b * y + prim->edge[e].c < 0)
            return false;
    return true;
}

/* Coverage of every sample from the edges themselves. */
static void test_coverage(void **unused)
{
    static struct raster_samples_block blocks[RASTER_BLOCKS_MAX], twin[RASTER_BLOCKS_MAX];
    static struct raster_block scratch[RASTER_BLOCKS_MAX];
    for (uint64_t n = 0; n < UTIL_MAX(cases() / 4, 100u); n++) {
        uint32_t samples = 1u << random32() % 5, at = 0;
        struct raster_rect clip = {0, 0, 32 + (int32_t)(random32() % 40), 64};
        struct raster_prim prim;
        random_triangle(&prim, samples);
        tile = (struct raster_tile){.width = 16, .height = 16, .samples = 1, .x = 16, .y = 16};
        uint32_t count = raster_samples_cover(&prim, &tile, samples, &clip, false, blocks, scratch);
        assert_int_equal(raster_samples_cover(&prim, &tile, samples, &clip, true, twin, scratch), count);
        assert_memory_equal(blocks, twin, count * sizeof *blocks);
        for (uint32_t b = 0; b < 16; b++) {
            struct raster_samples_block want = {.x = b % 4, .y = (uint8_t)(b / 4)};
            for (uint32_t s = 0; s < samples; s++)
                for (uint32_t l = 0; l < 16; l++) {
                    int32_t x = 16 + want.x * 4 + (int32_t)raster_lane_x(l), sx, sy;
                    int32_t y = 16 + want.y * 4 + (int32_t)raster_lane_y(l);
                    raster_samples_position(samples, s, &sx, &sy);
                    if (x < clip.x1 && is_inside(&prim, x * 16 + sx, y * 16 + sy))
                        want.sample[s] |= (uint16_t)(1u << l);
                }
            for (uint32_t s = 0; s < samples; s++)
                want.mask |= want.sample[s];
            if (!want.mask)
                continue;
            assert_true(at < count);
            assert_memory_equal(&blocks[at++], &want, sizeof want);
        }
        assert_int_equal(at, count);
    }
}

static void test_alpha(void **unused)
{
    for (uint32_t samples = 1; samples <= 16; samples *= 2) {
        unsigned last = 0;
        for (uint32_t a = 0; a <= 255; a++) {
            unsigned kept = 0;
            for (uint32_t s = 0; s < samples; s++)
                kept += raster_samples_alpha(samples, s, (float)a / 255);
            assert_true(kept >= last);
            last = kept;
            assert_true(a != 0 || kept == 0);
        }
        assert_int_equal(last, samples);
        assert_false(raster_samples_alpha(samples, 0, util_u2f(0x7fc00000)));
    }
}

/* ---- draws ---- */

/* Of 8 samples: takes struct raster_samples_block, and counts as code would. */
static uint32_t count_many(const void *args, const void *prims, struct raster_tile *at, const void *from,
                           uint32_t count, struct raster_shader_call *call)
{
    const struct raster_samples_block *blocks = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < at->samples; s++)
            raster_query_add(RASTER_QUERY_COUNT, blocks[i].sample[s], &call->passed);
    return 0;
}

static uint32_t count_few(const void *args, const void *prims, struct raster_tile *at, const void *from,
                          uint32_t count, struct raster_shader_call *call)
{
    const struct raster_block *blocks = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < at->samples; s++)
            raster_query_add(RASTER_QUERY_COUNT, blocks[i].sample[s], &call->passed);
    return 0;
}

static uint32_t paint_nothing(const void *args, const void *planes, struct raster_tile *at, const void *from,
                              uint32_t count, struct raster_shader_call *call)
{
    return 0;
}

static struct jit_function many_code = {.code = (void *)count_many}, few_code = {.code = (void *)count_few},
                           nothing_code = {.code = (void *)paint_nothing};

static const struct raster_shader_family family;

/* Samples that pass of a square over the tile's left half, in its ways to be drawn. */
static uint64_t passed(uint32_t samples, bool opaque, bool together)
{
    struct raster_worker *w = aligned_alloc(64, sizeof *w);
    struct raster_shader shader = {.family = &family,
                                   .opaque = opaque,
                                   .colors = true,
                                   .query = RASTER_QUERY_COUNT,
                                   .deferred = &nothing_code,
                                   .in_order = raster_samples_is_many(samples) ? &many_code : &few_code};
    static const int32_t x[2][3] = {{0, 0, 128}, {128, 0, 128}}, y[2][3] = {{0, 256, 0}, {0, 256, 256}};
    static const float none[RASTER_MAX_VARYINGS];
    assert_non_null(w);
    memset(w, 0, sizeof *w);
    w->work.fuel = UINT64_MAX;
    raster_worker_place(w, 0, 0, 16, 16, samples);
    struct raster_draw draw = {
        .worker = w,
        .shader = &shader,
        .opaque = opaque,
        .whole = opaque,
        .setup = {.centres_only = samples == 1, .sixteen = raster_samples_is_many(samples)},
        .clip = {0, 0, 16, 16}};
    for (unsigned i = 0; i < 2; i++) {
        struct raster_vertex v[3];
        for (unsigned k = 0; k < 3; k++) {
            v[k] = (struct raster_vertex){.x = x[i][k], .y = y[i][k], .inv_w = 1, .vary = none};
            w->triangles.x[k][i] = x[i][k];
            w->triangles.y[k][i] = y[i][k];
            w->triangles.inv_w[k][i] = 1;
            w->triangles.vary[k][i] = none;
        }
        if (!together && raster_setup_triangle(&w->prim, &draw.setup, v))
            assert_true(raster_draw_prim(&draw));
    }
    if (together) {
        w->triangles.count = 2;
        raster_draw_setup(&draw);
        for (uint32_t i = 0; i < 2; i++)
            assert_true(raster_draw_triangle(&draw, i, NULL, NULL));
    }
    raster_worker_flush(w);
    uint64_t n = w->work.passed;
    free(w);
    return n;
}

static void test_queries(void **unused)
{
    uint64_t any = 0;
    for (uint32_t samples = 1; samples <= 16; samples *= 2)
        for (unsigned together = 0; together < 2; together++)
            assert_int_equal(passed(samples, false, together), 8 * 16 * samples);
    assert_int_equal(passed(1, true, false), 8 * 16);
    assert_int_equal(passed(1, true, true), 8 * 16);
    raster_query_add(RASTER_QUERY_ANY, 0, &any);
    assert_true(any == 0);
    raster_query_add(RASTER_QUERY_ANY, 0x8000, &any);
    raster_query_add(RASTER_QUERY_ANY, 0, &any);
    assert_true(any != 0);
    raster_query_add(RASTER_QUERY_NONE, 1, &any);
    assert_true(any == 1);
}

/* The first or the last vertex provokes, set up alone and with others. */
static void test_provoking(void **unused)
{
    static float vary[3][RASTER_MAX_VARYINGS] = {{10, 1}, {20, 2}, {30, 3}};
    static const int32_t x[3] = {0, 0, 128}, y[3] = {0, 128, 0};
    static struct raster_triangles t;
    for (unsigned first = 0; first < 2; first++) {
        const struct raster_setup setup = {
            .flat_mask = 1, .flat_first = first, .vary_count = 2, .centres_only = true};
        const struct raster_rect clip = {0, 0, 16, 16};
        struct raster_vertex v[3];
        struct raster_prim prim = {0};
        for (unsigned k = 0; k < 3; k++) {
            v[k] =
                (struct raster_vertex){.x = x[k], .y = y[k], .inv_w = 1, .vary = vary[k], .vary_stride = 1};
            t.x[k][0] = x[k];
            t.y[k][0] = y[k];
            t.inv_w[k][0] = 1;
            t.vary[k][0] = vary[k];
        }
        assert_true(raster_setup_triangle(&prim, &setup, v));
        assert_true(prim.vary_c[0] == (first ? 10 : 30) && prim.vary_a[0] == 0 && prim.vary_c[1] == 1);
        assert_true(raster_setup_line(
            &prim,
            &(struct raster_setup){.flat_mask = 1, .flat_first = first, .vary_count = 2, .line_width = 1}, v,
            false));
        assert_true(prim.vary_c[0] == (first ? 10 : 20));
        tile = (struct raster_tile){.width = 16, .height = 16, .samples = 1};
        t.count = 1;
        raster_triangles_setup(&t, &setup, &tile, &clip);
        assert_true(t.drawn == 1);
        memset(&prim, 0, sizeof prim);
        raster_triangles_prim(&t, &setup, 0, &prim);
        assert_true(prim.vary_c[0] == (first ? 10 : 30) && prim.vary_a[0] == 0 && prim.vary_c[1] == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions), cmocka_unit_test(test_coverage),  cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_queries),   cmocka_unit_test(test_provoking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

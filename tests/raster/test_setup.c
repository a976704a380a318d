/* Set-up: planes against interpolation in long double, facing, culling, flat shading, depth offset, and what
 * must draw nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "raster/depth.h"
#include "util/bits.h"
#include "util/fpenv.h"

static uint64_t state = 12345;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * random32() / 4294967296.0;
}

static float plane_at(const struct raster_prim *p, float a, float b, double x, double y)
{
    return (float)(a * (x - p->x0) + b * (y - p->y0));
}

#define VARYINGS 6

static struct raster_vertex vertices[3];
static float values[3][VARYINGS * 2];

static void random_vertices(bool perspective)
{
    for (unsigned i = 0; i < 3; i++) {
        float w = perspective ? (float)uniform(0.5, 40.0) : 1.0f;
        vertices[i] = (struct raster_vertex){.x = (int32_t)uniform(0, 32000),
                                             .y = (int32_t)uniform(0, 32000),
                                             .z = (float)uniform(0.0, 1.0),
                                             .inv_w = 1.0f / w,
                                             .vary = values[i],
                                             .vary_stride = 2};
        for (unsigned n = 0; n < VARYINGS * 2; n++)
            values[i][n] = (float)uniform(-10.0, 10.0);
    }
}

static int64_t area(void)
{
    const struct raster_vertex *v = vertices;
    return (int64_t)(v[1].x - v[0].x) * (v[2].y - v[0].y) - (int64_t)(v[2].x - v[0].x) * (v[1].y - v[0].y);
}

/* The plane of depth anywhere, in steps. */
static double depth_at(const struct raster_prim *p, double x, double y)
{
    int32_t px = (int32_t)floor(x), py = (int32_t)floor(y);
    double at = (double)raster_depth_sum(&p->depth, px, py, 0);
    assert_int_equal(p->depth.shift, 0);
    at += (double)p->depth.a * (x - px - 0.5) + (double)p->depth.b * (y - py - 0.5);
    return at * 0x1p-32 - RASTER_DEPTH_ROUND;
}

/* At random inside points, z, 1/w and each varying * w + C are what perspective interpolation gives. */
static void triangle_planes(void **unused)
{
    struct raster_setup setup = {.vary_count = VARYINGS};
    for (unsigned round = 0; round < 2000; round++) {
        random_vertices(round % 2);
        if (llabs(area()) < 1000000)
            continue;
        struct raster_prim p;
        assert_true(raster_setup_triangle(&p, &setup, vertices));
        assert_int_equal(p.vary_count, VARYINGS);
        assert_int_equal(p.edge_count, 3);
        double k1 = uniform(0.0, 1.0), k2 = uniform(0.0, 1.0 - k1), k[3] = {1.0 - k1 - k2, k1, k2};
        double x = 0, y = 0, z = 0, inv_w = 0;
        for (unsigned i = 0; i < 3; i++) {
            x += k[i] * vertices[i].x / 16;
            y += k[i] * vertices[i].y / 16;
            z += k[i] * vertices[i].z;
            inv_w += k[i] * vertices[i].inv_w;
        }
        assert_float_equal(depth_at(&p, x, y) / RASTER_DEPTH_STEPS, z, 1e-9);
        float w = 1.0f / (plane_at(&p, p.inv_w_a, p.inv_w_b, x, y) + p.inv_w_c);
        assert_float_equal(w * inv_w, 1.0, 2e-4);
        for (unsigned n = 0; n < VARYINGS; n++) {
            double sum = 0;
            for (unsigned i = 0; i < 3; i++)
                sum += k[i] * values[i][2 * n] * vertices[i].inv_w;
            assert_float_equal(plane_at(&p, p.vary_a[n], p.vary_b[n], x, y) * w + p.vary_c[n], sum / inv_w,
                               1e-2);
        }
    }
}

static void facing_and_culling(void **unused)
{
    struct raster_prim p;
    for (unsigned round = 0; round < 64; round++) {
        random_vertices(false);
        if (area() == 0)
            continue;
        struct raster_setup setup = {
            .clockwise_forward = round & 1, .cull_forward = round >> 1 & 1, .cull_reverse = round >> 2 & 1};
        bool forward = (area() < 0) == setup.clockwise_forward;
        bool drawn = !(forward ? setup.cull_forward : setup.cull_reverse);
        assert_int_equal(raster_setup_triangle(&p, &setup, vertices), drawn);
        if (drawn)
            assert_int_equal(p.reverse, !forward);
        assert_true(raster_setup_point(&p, &setup, vertices, 1.0f, false));
        assert_int_equal(p.reverse, 0);
    }
}

static void flat_shading(void **unused)
{
    struct raster_setup setup = {.vary_count = VARYINGS, .flat_mask = 0x2a};
    struct raster_prim p;
    random_vertices(true);
    assert_true(raster_setup_triangle(&p, &setup, vertices));
    for (unsigned n = 0; n < VARYINGS; n++) {
        bool flat = n & 1;
        assert_true((p.vary_a[n] == 0.0f && p.vary_b[n] == 0.0f) == flat);
        assert_true(p.vary_c[n] == values[flat ? 2 : 0][2 * n]);
    }
    assert_true(raster_setup_line(&p, &setup, vertices, true)); /* bits count the vertices' own varyings */
    assert_int_equal(p.vary_count, VARYINGS + 1);
    assert_true(p.vary_a[2] == 0.0f && p.vary_b[2] == 0.0f && p.vary_c[2] == values[1][2]);
    assert_true(p.vary_c[1] == values[0][0]);
}

static void depth_offset(void **unused)
{
    struct raster_setup setup = {
        .depth_offset = RASTER_OFFSET_BOTH, .offset_factor = 2.0f, .offset_units = 16.0f};
    struct raster_vertex v[3] = {{.x = 0, .y = 0, .z = 0.25f, .inv_w = 1.0f},
                                 {.x = 160, .y = 0, .z = 0.5f, .inv_w = 1.0f},
                                 {.x = 0, .y = 160, .z = 0.125f, .inv_w = 1.0f}};
    struct raster_prim p;
    assert_true(raster_setup_triangle(&p, &setup, v));
    double a = 0.025 * RASTER_DEPTH_STEPS, b = -0.0125 * RASTER_DEPTH_STEPS;
    for (double x = 0; x < 10; x++)
        assert_float_equal(depth_at(&p, x, 7.5), 0.25 * RASTER_DEPTH_STEPS + a * x + b * 7.5 + 2 * a + 16,
                           1e-6);
}

/* What is added to a triangle of slopes 1 and 0, in steps. */
static double offset_of(const struct raster_setup *setup, bool turned)
{
    const float slope = (float)(10 / RASTER_DEPTH_STEPS);
    struct raster_vertex v[3] = {{.x = 0, .y = 0, .z = 0.25f, .inv_w = 1.0f},
                                 {.x = 160, .y = 0, .z = 0.25f + slope, .inv_w = 1.0f},
                                 {.x = 0, .y = 160, .z = 0.25f, .inv_w = 1.0f}};
    struct raster_prim with, without;
    struct raster_setup none = *setup;
    none.depth_offset = 0;
    if (turned) {
        struct raster_vertex second = v[1];
        v[1] = v[2];
        v[2] = second;
    }
    assert_true(raster_setup_triangle(&with, setup, v) && raster_setup_triangle(&without, &none, v));
    assert_int_equal(with.reverse, turned);
    return depth_at(&with, 0.5, 0.5) - depth_at(&without, 0.5, 0.5);
}

/* Each face has its offset or none; the sum of 3 slopes and 16 steps is clamped from above or below. */
static void depth_offset_faces(void **unused)
{
    struct raster_setup setup = {.offset_factor = 3, .offset_units = 16};
    setup.clockwise_forward = false;
    for (unsigned which = 0; which <= RASTER_OFFSET_BOTH; which++)
        for (unsigned turned = 0; turned < 2; turned++) {
            const bool has = which >> turned & 1;
            setup.depth_offset = (uint8_t)which;
            setup.offset_clamp = 0;
            assert_float_equal(offset_of(&setup, turned), has ? 19.0f : 0.0f, 0.1);
            setup.offset_clamp = 5;
            assert_float_equal(offset_of(&setup, turned), has ? 5.0f : 0.0f, 0.1);
            setup.offset_clamp = 30;
            assert_float_equal(offset_of(&setup, turned), has ? 19.0f : 0.0f, 0.1);
            setup.offset_clamp = -5;
            assert_float_equal(offset_of(&setup, turned), has ? 19.0f : 0.0f, 0.1);
        }
    setup.offset_factor = -3;
    setup.offset_units = -16;
    assert_float_equal(offset_of(&setup, true), -5, 0.1);
    setup.offset_clamp = 5;
    assert_float_equal(offset_of(&setup, true), -19, 0.1);
}

static void line_planes(void **unused)
{
    struct raster_setup setup = {.vary_count = 1, .line_width = 4.0f};
    for (unsigned round = 0; round < 500; round++) {
        random_vertices(true);
        const struct raster_vertex *v = vertices;
        struct raster_prim p;
        assert_true(raster_setup_line(&p, &setup, v, true));
        assert_int_equal(p.edge_count, 4);
        double t = uniform(0.0, 1.0), inv_w = v[0].inv_w + t * (v[1].inv_w - (double)v[0].inv_w);
        double x = (v[0].x + t * (v[1].x - v[0].x)) / 16, y = (v[0].y + t * (v[1].y - v[0].y)) / 16;
        float w = 1.0f / (plane_at(&p, p.inv_w_a, p.inv_w_b, x, y) + p.inv_w_c);
        double u = (1 - t) * values[0][0] * v[0].inv_w + t * values[1][0] * v[1].inv_w;
        assert_float_equal(w * inv_w, 1.0, 1e-4);
        assert_float_equal(plane_at(&p, p.vary_a[1], p.vary_b[1], x, y) * w + p.vary_c[1], u / inv_w, 1e-2);
        /* The line coordinate is 1/2 on the line and grows by 1 over its width. */
        assert_float_equal(plane_at(&p, p.vary_a[0], p.vary_b[0], x, y) * w + p.vary_c[0], 0.5, 1e-3);
        bool x_major = abs(v[1].x - v[0].x) >= abs(v[1].y - v[0].y);
        float step = x_major ? p.vary_b[0] : p.vary_a[0];
        assert_float_equal(step * 4.0f / v[0].inv_w, 1.0, 1e-5);
    }
}

static void point_coordinates(bool down)
{
    struct raster_setup setup = {.vary_count = VARYINGS, .point_down = down};
    random_vertices(true);
    struct raster_vertex *v = vertices;
    struct raster_prim p;
    assert_true(raster_setup_point(&p, &setup, v, 8.0f, true));
    assert_int_equal(p.vary_count, VARYINGS + 2);
    double cx = v->x / 16.0, cy = v->y / 16.0, w = 1.0 / v->inv_w;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            assert_float_equal(plane_at(&p, p.vary_a[0], p.vary_b[0], cx + 4 * i, cy + 4 * j) * w +
                                   p.vary_c[0],
                               0.5 + 0.5 * i, 1e-4);
            assert_float_equal(plane_at(&p, p.vary_a[1], p.vary_b[1], cx + 4 * i, cy + 4 * j) * w +
                                   p.vary_c[1],
                               down ? 0.5 + 0.5 * j : 0.5 - 0.5 * j, 1e-4);
        }
    for (unsigned n = 0; n < VARYINGS; n++)
        assert_true(p.vary_c[n + 2] == values[0][2 * n] && p.vary_a[n + 2] == 0.0f &&
                    p.vary_b[n + 2] == 0.0f);
}

static void points_up(void **unused)
{
    point_coordinates(false);
}

static void points_down(void **unused)
{
    point_coordinates(true);
}

static void nothing_drawn(void **unused)
{
    struct raster_setup setup = {.vary_count = 0, .line_width = NAN};
    struct raster_prim p;
    struct raster_vertex good[3] = {{.x = 0, .y = 0, .inv_w = 1.0f},
                                    {.x = 320, .y = 0, .inv_w = 1.0f},
                                    {.x = 0, .y = 320, .inv_w = 1.0f}};
    assert_true(raster_setup_triangle(&p, &setup, good));
    assert_true(raster_setup_line(&p, &setup, good, false)); /* a width that is no number counts as 1 */
    for (unsigned i = 0; i < 3; i++) {
        const int32_t far[] = {INT32_MIN, INT32_MAX, RASTER_POSITION_LIMIT, -RASTER_POSITION_LIMIT};
        for (unsigned k = 0; k < 10; k++) {
            struct raster_vertex v[3] = {good[0], good[1], good[2]};
            switch (k) {
            case 0: v[i].z = NAN; break;
            case 1: v[i].inv_w = -NAN; break;
            default: *(k & 1 ? &v[i].x : &v[i].y) = far[k / 2 - 1]; break;
            }
            assert_false(raster_setup_triangle(&p, &setup, v));
            if (i < 2)
                assert_false(raster_setup_line(&p, &setup, v, true));
            assert_false(raster_setup_point(&p, &setup, &v[i], 1.0f, true));
        }
    }
    struct raster_vertex line[3] = {good[0], good[1], {.x = 640, .y = 0, .inv_w = 1.0f}};
    assert_false(raster_setup_triangle(&p, &setup, line));
    struct raster_vertex dot[2] = {good[0], good[0]};
    assert_false(raster_setup_line(&p, &setup, dot, false));
    const float sizes[] = {NAN, -1.0f, 0.0f, -INFINITY};
    for (unsigned i = 0; i < 4; i++)
        assert_false(raster_setup_point(&p, &setup, good, sizes[i], false));
}

/* Infinite values and any bits as varyings: defined, and no more varyings than there is room for. */
static void wild_values(void **unused)
{
    float any[RASTER_MAX_VARYINGS];
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < RASTER_MAX_VARYINGS; i++)
            any[i] = util_u2f(random32());
        struct raster_vertex v[3];
        for (unsigned i = 0; i < 3; i++)
            v[i] = (struct raster_vertex){.x = (int32_t)random32() >> (11 + random32() % 16),
                                          .y = (int32_t)random32() >> (11 + random32() % 16),
                                          .z = any[i],
                                          .inv_w = round % 3 ? any[i + 3] : INFINITY,
                                          .vary = any,
                                          .vary_stride = 1};
        struct raster_setup setup = {.vary_count = round % 2 ? RASTER_MAX_VARYINGS + 4 : UINT32_MAX,
                                     .flat_mask = random32(),
                                     .line_width = any[9],
                                     .depth_offset = RASTER_OFFSET_BOTH,
                                     .offset_factor = any[10],
                                     .offset_units = any[11]};
        struct raster_prim p;
        if (raster_setup_triangle(&p, &setup, v))
            assert_int_equal(p.vary_count, RASTER_MAX_VARYINGS);
        if (raster_setup_line(&p, &setup, v, true))
            assert_int_equal(p.vary_count, RASTER_MAX_VARYINGS);
        if (raster_setup_point(&p, &setup, v, any[12], true))
            assert_int_equal(p.vary_count, RASTER_MAX_VARYINGS);
    }
}

static int enter(void **saved)
{
    static unsigned csr;
    csr = util_fpenv_enter();
    *saved = &csr;
    return 0;
}

static int leave(void **saved)
{
    util_fpenv_leave(*(unsigned *)*saved);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle_planes),    cmocka_unit_test(facing_and_culling),
        cmocka_unit_test(flat_shading),       cmocka_unit_test(depth_offset),
        cmocka_unit_test(depth_offset_faces), cmocka_unit_test(line_planes),
        cmocka_unit_test(points_up),          cmocka_unit_test(points_down),
        cmocka_unit_test(nothing_drawn),      cmocka_unit_test(wild_values),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

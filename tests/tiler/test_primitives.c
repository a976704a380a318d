/* Assembly against OpenGL's definitions, clipping against its invariants, tile coverage against every sample.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiler/assemble.h"
#include "tiler/clip.h"
#include "tiler/cover.h"
#include "util/bits.h"

static uint64_t seed = 7;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static int32_t between(int32_t lo, int32_t hi) /* inclusive */
{
    return lo + (int32_t)(random32() % ((uint32_t)(hi - lo) + 1));
}

static float real(float reach)
{
    return ((float)(random32() >> 8) / 8388608.0f - 1.0f) * reach;
}

/* ---- assembly ---- */

/* OpenGL ES 2.0 section 2.8.1, a primitive at a time. Returns how many there are; fills number `want`. */
static uint32_t define(enum tiler_mode mode, const uint32_t *v, uint32_t n, uint32_t want, uint32_t out[3])
{
    uint32_t i = want, a = 0, b = 0, c = 0, count = 0;
    switch (mode) {
    case TILER_POINTS: count = n, a = i; break;
    case TILER_LINES: count = n / 2, a = 2 * i, b = a + 1; break;
    case TILER_LINE_STRIP: count = n ? n - 1 : 0, a = i, b = i + 1; break;
    case TILER_LINE_LOOP: count = n >= 2 ? n : 0, a = i, b = (i + 1) % (n ? n : 1); break;
    case TILER_TRIANGLES: count = n / 3, a = 3 * i, b = a + 1, c = a + 2; break;
    case TILER_TRIANGLE_STRIP:
        count = n >= 3 ? n - 2 : 0, a = i & 1 ? i + 1 : i, b = i & 1 ? i : i + 1, c = i + 2;
        break;
    case TILER_QUADS: count = n / 4 * 2, a = i / 2 * 4 + i % 2, b = a + 1, c = i / 2 * 4 + 3; break;
    case TILER_QUAD_STRIP: /* quad q is (2q, 2q+1, 2q+3, 2q+2) */
        count = n >= 4 ? n / 2 * 2 - 2 : 0, a = i & 1 ? i - 1 : i + 2, b = i & 1 ? i : i, c = (i | 1) + 2;
        break;
    case TILER_POLYGON: count = n >= 3 ? n - 2 : 0, a = i + 1, b = i + 2, c = 0; break;
    default: count = n >= 3 ? n - 2 : 0, a = 0, b = i + 1, c = i + 2; break;
    }
    if (want < count) {
        unsigned vertices = tiler_mode_vertices(mode);
        out[0] = v[a];
        out[1] = vertices > 1 ? v[b] : 0;
        out[2] = vertices > 2 ? v[c] : 0;
    }
    return count;
}

static void test_assembly(void **unused)
{
    uint32_t index[40], out[48][3], want[3];
    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(index); i++)
        index[i] = random32() & 0xffff;
    for (enum tiler_mode mode = 0; mode < TILER_MODE_COUNT; mode++)
        for (uint32_t all = 0, n = 0; all <= UTIL_ARRAY_SIZE(index); all++, n = tiler_mode_whole(mode, all))
            for (unsigned cut = 0; cut < 6; cut++) { /* whole, in ones, in random pieces */
                struct tiler_assembler a;
                uint32_t got = 0;
                tiler_assemble_begin(&a, mode);
                for (uint32_t at = 0, piece; at < n; at += piece) {
                    piece = cut == 0 ? n : cut == 1 ? 1 : random32() % 5;
                    piece = UTIL_MIN(piece, n - at);
                    uint32_t made = tiler_assemble(&a, index + at, piece, out + got);
                    assert_true(made <= piece + 1);
                    got += made;
                }
                got += tiler_assemble_end(&a, out + got);
                assert_int_equal(got, define(mode, index, all, UINT32_MAX, want));
                for (uint32_t i = 0; i < got; i++) {
                    define(mode, index, n, i, want);
                    assert_memory_equal(out[i], want, sizeof want);
                }
            }
}

/* ---- clipping ---- */

static const struct tiler_guard guard = {.scale_x = 160.0f, .scale_y = 120.0f, .limit = 1000.0f};

/* The least of the six distances, >= 0 inside. */
static double least_distance(const double p[4])
{
    double least = p[3] + p[2];
    least = fmin(least, p[3] - p[2]);
    least = fmin(least, guard.limit * p[3] - fabs(guard.scale_x * p[0]));
    return fmin(least, guard.limit * p[3] - fabs(guard.scale_y * p[1]));
}

/* The same triangles, turned so that the vertex comes first that provokes where the first does (OpenGL 4.6
 * section 13.4): i of a strip's triangle i, i + 1 of a fan's. */
static void test_first_provokes(void **unused)
{
    static const enum tiler_mode modes[] = {TILER_TRIANGLE_STRIP, TILER_TRIANGLE_FAN};
    for (unsigned n = 0; n < 200; n++) {
        enum tiler_mode mode = modes[n & 1];
        uint32_t index[20], out[21][3], count = (uint32_t)between(3, 20), got = 0;
        struct tiler_assembler a;
        for (uint32_t i = 0; i < count; i++)
            index[i] = 100 * i + random32() % 100;
        tiler_assemble_begin(&a, mode);
        a.first_provokes = true;
        for (uint32_t at = 0, piece; at < count; at += piece) {
            piece = (uint32_t)between(1, (int32_t)(count - at));
            got += tiler_assemble(&a, index + at, piece, out + got);
        }
        assert_int_equal(got, count - 2);
        for (uint32_t i = 0; i < got; i++) {
            uint32_t expected[3];
            unsigned turn = mode == TILER_TRIANGLE_FAN ? 1 : i & 1;
            define(mode, index, count, i, expected);
            assert_int_equal(out[i][0], index[mode == TILER_TRIANGLE_FAN ? i + 1 : i]);
            for (unsigned k = 0; k < 3; k++)
                assert_int_equal(out[i][k], expected[(k + turn) % 3]);
        }
    }
}

/* Both triangles of a quad have its provoking vertex where it provokes (OpenGL 4.6, compatibility profile, table 13.2:
 * of quad q 4q or 4q + 3, of a strip 2q or 2q + 3, of a polygon 0), and together its four. */
static void test_quads_provoke(void **unused)
{
    uint32_t index[12], out[13][3];
    for (uint32_t i = 0; i < UTIL_ARRAY_SIZE(index); i++)
        index[i] = i;
    for (unsigned first = 0; first < 2; first++)
        for (enum tiler_mode mode = TILER_QUADS; mode <= TILER_POLYGON; mode++) {
            struct tiler_assembler a;
            tiler_assemble_begin(&a, mode);
            a.first_provokes = first;
            uint32_t got = tiler_assemble(&a, index, 12, out), step = mode == TILER_QUADS ? 4 : 2;
            assert_int_equal(got, mode == TILER_QUADS ? 6 : 10);
            for (uint32_t i = 0; i < got; i++) {
                uint32_t base = i / 2 * step, seen = 0;
                uint32_t provokes = mode == TILER_POLYGON ? 0 : first ? base : base + 3;
                assert_int_equal(out[i][first ? 0 : 2], provokes);
                for (unsigned k = 0; k < 6 && mode != TILER_POLYGON; k++)
                    seen |= 1u << (out[i / 2 * 2 + k / 3][k % 3] - base);
                assert_int_equal(seen, mode == TILER_POLYGON ? 0 : 15);
            }
        }
}

static void random_position(float p[4])
{
    float reach = (float[]){1.0f, 4.0f, 30.0f, 1000.0f}[random32() % 4];
    for (unsigned i = 0; i < 4; i++)
        p[i] = real(reach);
    if (random32() % 2)
        p[3] = fabsf(p[3]);
}

static uint32_t planes_of(const float (*p)[4], unsigned count, uint32_t *common)
{
    uint32_t any = 0;
    *common = UINT32_MAX;
    for (unsigned i = 0; i < count; i++) {
        uint32_t code = tiler_outcode(&guard, p[i][0], p[i][1], p[i][2], p[i][3]);
        any |= code;
        *common &= code;
    }
    return any & ~(uint32_t)TILER_OUT_NAN;
}

static void combine(const float (*p)[4], unsigned count, const double *weight, double out[4])
{
    for (unsigned k = 0; k < 4; k++) {
        out[k] = 0;
        for (unsigned i = 0; i < count; i++)
            out[k] += weight[i] * p[i][k];
    }
}

static double magnitude(const float (*p)[4], unsigned count)
{
    double m = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 4; k++)
            m = fmax(m, fabs(p[i][k]));
    return m;
}

/* Weights sum to 1 and give the position; the vertex is inside; an own vertex is itself. */
static void check_vertex(const float (*p)[4], unsigned count, const struct tiler_clip_vertex *v)
{
    double weight[3] = {v->weight[0], v->weight[1], v->weight[2]}, at[4], scale = magnitude(p, count);
    double position[4] = {v->position[0], v->position[1], v->position[2], v->position[3]};
    assert_true(fabs(weight[0] + weight[1] + weight[2] - 1.0) < 1e-6);
    assert_true(count == 3 || weight[2] == 0);
    combine(p, count, weight, at);
    for (unsigned k = 0; k < 4; k++)
        assert_true(fabs(at[k] - position[k]) < 2e-6 * scale);
    assert_true(least_distance(position) > -1e-6 * scale * guard.limit);
    assert_true(position[3] > 0);
    if (v->source >= 0) {
        assert_memory_equal(v->position, p[v->source], sizeof v->position);
        assert_true(v->weight[v->source] == 1.0f);
    }
}

/* Twice the area of a polygon in the plane of two weights. */
static double weight_area(const struct tiler_clip_vertex *v, uint32_t count)
{
    double area = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tiler_clip_vertex *a = &v[i], *b = &v[(i + 1) % count];
        area += (double)a->weight[1] * b->weight[2] - (double)b->weight[1] * a->weight[2];
    }
    return area;
}

/* The share of the triangle that is inside, by a grid of points in the plane of weights. */
static double sampled_area(const float (*p)[4])
{
    enum { STEPS = 60 };
    unsigned inside = 0, all = 0;
    for (unsigned i = 0; i < STEPS; i++)
        for (unsigned k = 0; k + i < STEPS; k++) {
            double weight[3] = {0, (i + 1.0 / 3) / STEPS, (k + 1.0 / 3) / STEPS}, at[4];
            weight[0] = 1 - weight[1] - weight[2];
            combine(p, 3, weight, at);
            all++;
            inside += least_distance(at) >= 0;
        }
    return (double)inside / all;
}

/* Directions are vertices like others, w = 0: what lies that way without end is drawn as far as the guard
 * band. */
static void test_clip_directions(void **unused)
{
    static const float corner[3][4] = {{0, 0, 0, 1}, {0, 1, 0, 0}, {1, 0, 0, 0}};
    static const float strip[3][4] = {{0, 0, 0, 1}, {0.5f, 0, 0, 1}, {0, 1, 0, 0}};
    struct tiler_clip_vertex out[TILER_CLIP_MAX];
    uint32_t common;

    assert_int_equal(tiler_outcode(&guard, 1, 0, 0, 0), TILER_OUT_RIGHT);
    assert_int_equal(tiler_outcode(&guard, 0, -1, 0, 0), TILER_OUT_BOTTOM);
    assert_int_equal(tiler_outcode(&guard, 0, 0, 0, 0), TILER_OUT_NAN);
    assert_int_equal(tiler_clip_triangle(&guard, planes_of(corner, 3, &common), corner, out), 4);
    for (unsigned i = 0; i < 4; i++)
        check_vertex(corner, 3, &out[i]);
    float far_x = guard.limit / guard.scale_x, far_y = guard.limit / guard.scale_y;
    bool met = false;
    for (unsigned i = 0; i < 4; i++) {
        float x = out[i].position[0] / out[i].position[3], y = out[i].position[1] / out[i].position[3];
        met |= fabsf(x - far_x) < 1e-3f && fabsf(y - far_y) < 1e-3f;
    }
    assert_true(met);
    assert_int_equal(tiler_clip_triangle(&guard, planes_of(strip, 3, &common), strip, out), 4);
    for (unsigned i = 0; i < 4; i++)
        check_vertex(strip, 3, &out[i]);
}

static void test_clip_triangles(void **unused)
{
    unsigned cut = 0, many = 0;
    for (unsigned run = 0; run < 4000; run++) {
        float p[3][4];
        struct tiler_clip_vertex out[TILER_CLIP_MAX];
        uint32_t common;
        for (unsigned i = 0; i < 3; i++)
            random_position(p[i]);
        const float(*position)[4] = (const float(*)[4])p;
        uint32_t planes = planes_of(position, 3, &common);
        uint32_t count = tiler_clip_triangle(&guard, planes, position, out);
        assert_true(count != 1 && count != 2 && count <= TILER_CLIP_MAX);
        for (uint32_t i = 0; i < count; i++)
            check_vertex(position, 3, &out[i]);
        double area = weight_area(out, count);
        if (common)
            assert_true(area < 1e-5);
        if (!planes)
            assert_true(count == 3 && area == 1.0);
        assert_true(area > -1e-6); /* the winding stays */
        if (run % 4 == 0)
            assert_true(fabs(area - sampled_area(position)) < 0.06);
        cut += count && planes;
        many += count > 4;
    }
    assert_true(cut > 500 && many > 20); /* the cases were there */
}

/* Two triangles on either side of an edge: their cuts of it are the same bits. */
static void test_clip_shared_edges(void **unused)
{
    unsigned compared = 0;
    for (unsigned run = 0; run < 3000; run++) {
        float p[4][4];
        struct tiler_clip_vertex one[TILER_CLIP_MAX], two[TILER_CLIP_MAX];
        uint32_t common;
        for (unsigned i = 0; i < 4; i++)
            random_position(p[i]);
        float a[3][4], b[3][4]; /* edge 0-1 in one, 1-0 in the other */
        memcpy(a[0], p[0], sizeof a[0]), memcpy(a[1], p[1], sizeof a[1]), memcpy(a[2], p[2], sizeof a[2]);
        memcpy(b[0], p[1], sizeof b[0]), memcpy(b[1], p[0], sizeof b[1]), memcpy(b[2], p[3], sizeof b[2]);
        uint32_t n = tiler_clip_triangle(&guard, planes_of((const float(*)[4])a, 3, &common),
                                         (const float(*)[4])a, one);
        uint32_t m = tiler_clip_triangle(&guard, planes_of((const float(*)[4])b, 3, &common),
                                         (const float(*)[4])b, two);
        for (uint32_t i = 0; i < n && m; i++) {
            if (one[i].source >= 0 || one[i].weight[2] != 0)
                continue; /* not a cut of the shared edge */
            bool found = false;
            for (uint32_t k = 0; k < m; k++)
                found |= !memcmp(one[i].position, two[k].position, sizeof one[i].position) &&
                         one[i].weight[0] == two[k].weight[1] && one[i].weight[1] == two[k].weight[0];
            assert_true(found);
            compared++;
        }
    }
    assert_true(compared > 500);
}

static void test_clip_lines(void **unused)
{
    unsigned cut = 0;
    for (unsigned run = 0; run < 4000; run++) {
        float p[2][4];
        struct tiler_clip_vertex out[2];
        uint32_t common;
        random_position(p[0]);
        random_position(p[1]);
        const float(*position)[4] = (const float(*)[4])p;
        uint32_t planes = planes_of(position, 2, &common);
        bool left = tiler_clip_line(&guard, planes, position, out);
        if (left) {
            check_vertex(position, 2, &out[0]);
            check_vertex(position, 2, &out[1]);
            assert_true(out[0].weight[1] <= out[1].weight[1]); /* the direction stays */
            cut += planes != 0;
        }
        double at[4], middle[2] = {0, 0};
        unsigned inside = 0;
        for (unsigned i = 0; i <= 200; i++) {
            double weight[2] = {1 - i / 200.0, i / 200.0};
            combine(position, 2, weight, at);
            if (least_distance(at) >= 0 && at[3] > 0) {
                if (!inside++)
                    middle[0] = weight[1];
                middle[1] = weight[1];
            }
        }
        if (inside) {
            assert_true(left);
            assert_true(fabs(middle[0] - out[0].weight[1]) < 0.0051);
            assert_true(fabs(middle[1] - out[1].weight[1]) < 0.0051);
        }
    }
    assert_true(cut > 200);
}

static void test_clip_odd_numbers(void **unused)
{
    const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 3e38f, 1e-42f, -1e-42f, 1.0f, -1.0f};
    for (unsigned run = 0; run < 20000; run++) {
        float p[3][4];
        struct tiler_clip_vertex out[TILER_CLIP_MAX];
        uint32_t any = 0;
        for (unsigned i = 0; i < 12; i++)
            p[i / 4][i % 4] = odd[random32() % UTIL_ARRAY_SIZE(odd)];
        for (unsigned i = 0; i < 3; i++) {
            uint32_t code = tiler_outcode(&guard, p[i][0], p[i][1], p[i][2], p[i][3]);
            bool finite = true;
            for (unsigned k = 0; k < 4; k++)
                finite &= isfinite(p[i][k]) && (k >= 2 || fabsf(p[i][k]) < 1e30f) && fabsf(p[i][k]) < 1e35f;
            if (!finite)
                assert_true(code);
            any |= code;
        }
        uint32_t n = tiler_clip_triangle(&guard, any & 63, (const float(*)[4])p, out);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(out[i].position[3] > 0);
            for (unsigned k = 0; k < 4; k++)
                assert_true(isfinite(out[i].position[k]));
        }
    }
}

/* ---- coverage ---- */

/* Whether any sample of the tile is inside or on all edges of the triangle. */
static bool tile_touched(const struct tiler_grid *g, int32_t tx, int32_t ty, const int32_t x[3],
                         const int32_t y[3])
{
    int32_t side = 1 << g->shift;
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    for (int32_t py = ty * side; py < (ty + 1) * side; py++)
        for (int32_t px = tx * side; px < (tx + 1) * side; px++) {
            if (px < g->x0 || px >= g->x1 || py < g->y0 || py >= g->y1)
                continue;
            /* the four sample positions of raster, or the centre */
            static const int32_t sample[4][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
            for (unsigned s = 0; s < (g->inset == 8 ? 1 : 4); s++) {
                int32_t sx = px * 16 + (g->inset == 8 ? 8 : sample[s][0]);
                int32_t sy = py * 16 + (g->inset == 8 ? 8 : sample[s][1]);
                bool inside = true;
                for (unsigned i = 0; i < 3; i++) {
                    unsigned k = (i + 1) % 3;
                    int64_t e = (int64_t)(x[k] - x[i]) * (sy - y[i]) - (int64_t)(y[k] - y[i]) * (sx - x[i]);
                    inside &= area < 0 ? e <= 0 : e >= 0;
                }
                if (inside)
                    return true;
            }
        }
    return false;
}

static bool in_spans(const struct tiler_spans *s, int32_t tx, int32_t ty)
{
    int32_t r = ty - s->y;
    return r >= 0 && r < s->count && tx >= s->row[r].first && tx <= s->row[r].last;
}

/* The spans of a triangle however its box is shaped. */
static void cover_triangle(const struct tiler_grid *g, const int32_t x[3], const int32_t y[3],
                           struct tiler_spans *out)
{
    struct tiler_box box;
    out->count = 0;
    if (!tiler_bounds(g, UTIL_MIN(UTIL_MIN(x[0], x[1]), x[2]), UTIL_MIN(UTIL_MIN(y[0], y[1]), y[2]),
                      UTIL_MAX(UTIL_MAX(x[0], x[1]), x[2]), UTIL_MAX(UTIL_MAX(y[0], y[1]), y[2]), &box))
        return;
    assert_true(box.x0 >= 0 && box.x1 < 8 && box.y0 >= 0 && box.y1 < 8);
    tiler_cover_triangle(g, &box, x, y, out);
}

static void test_cover_triangles(void **unused)
{
    static struct tiler_spans spans;
    unsigned taken = 0, needed = 0;
    for (unsigned run = 0; run < 600; run++) {
        bool samples = run & 1;
        int32_t size = samples ? 8 * 32 : 8 * 64;
        struct tiler_grid g = {.shift = samples ? 5 : 6, .x1 = size, .y1 = size, .inset = samples ? 2 : 8};
        if (run % 3 == 0)
            g.x0 = between(0, 100), g.y0 = between(0, 100), g.x1 = between(110, size),
            g.y1 = between(110, size);
        int32_t reach = size * 16 * (run % 5 ? 1 : 3), x[3], y[3];
        for (unsigned i = 0; i < 3; i++)
            x[i] = between(-reach / 4, reach), y[i] = between(-reach / 4, reach);
        if (run % 7 == 0) /* a sliver */
            x[2] = (x[0] + x[1]) / 2 + between(-20, 20), y[2] = (y[0] + y[1]) / 2 + between(-20, 20);
        cover_triangle(&g, x, y, &spans);
        for (int32_t ty = 0; ty < 8; ty++)
            for (int32_t tx = 0; tx < 8; tx++) {
                bool must = tile_touched(&g, tx, ty, x, y), has = in_spans(&spans, tx, ty);
                assert_true(has || !must);
                taken += has;
                needed += must;
            }
    }
    /* Tiles near a corner, or touched between samples only, may be taken for nothing; they are few. */
    assert_true(needed > 5000 && taken < needed + needed / 8);
}

static void test_small_triangles_between_samples(void **unused)
{
    struct tiler_grid g = {.shift = 6, .x1 = 512, .y1 = 512, .inset = 8};
    struct tiler_box box;
    assert_false(tiler_bounds(&g, 9, 9, 23, 23, &box)); /* no centre in 9..23 */
    assert_true(tiler_bounds(&g, 9, 9, 24, 24, &box));  /* 24 is one */
    assert_true(tiler_bounds(&g, 8, 8, 8, 8, &box));    /* so is 8 */
    assert_true(box.x0 == 0 && box.x1 == 0);
    assert_true(tiler_bounds(&g, 63 * 16 + 9, 0, 64 * 16 + 8, 100, &box));
    assert_true(box.x0 == 1 && box.x1 == 1); /* the centre at 63 lies before, the one at 64 counts */
    assert_false(tiler_bounds(&g, -500, 0, -1, 100, &box));
    assert_false(tiler_bounds(&g, 512 * 16, 0, 600 * 16, 100, &box));
}

static void test_cover_lines(void **unused)
{
    static struct tiler_spans spans;
    struct tiler_grid g = {.shift = 6, .x1 = 512, .y1 = 512, .inset = 8};
    unsigned taken = 0;
    for (unsigned run = 0; run < 500; run++) {
        int32_t x[2], y[2], half = 8 + between(0, 100);
        struct tiler_box box;
        for (unsigned i = 0; i < 2; i++)
            x[i] = between(-2000, 10000), y[i] = between(-2000, 10000);
        spans.count = 0;
        if (tiler_bounds(&g, UTIL_MIN(x[0], x[1]) - half, UTIL_MIN(y[0], y[1]) - half,
                         UTIL_MAX(x[0], x[1]) + half, UTIL_MAX(y[0], y[1]) + half, &box))
            tiler_cover_line(&g, &box, x, y, half, &spans);
        for (unsigned step = 0; step <= 2000; step++) { /* along the line, and to its sides */
            double t = step / 2000.0;
            bool x_major = abs(x[1] - x[0]) >= abs(y[1] - y[0]);
            int32_t side = between(-half, half);
            int32_t sx = (int32_t)(x[0] + t * (x[1] - x[0])) + (x_major ? 0 : side);
            int32_t sy = (int32_t)(y[0] + t * (y[1] - y[0])) + (x_major ? side : 0);
            if (sx % 16 != 8 || sy % 16 != 8 || sx < 0 || sy < 0 || sx >= 8192 || sy >= 8192)
                continue;
            assert_true(in_spans(&spans, sx >> 10, sy >> 10));
        }
        for (int32_t r = 0; r < spans.count; r++)
            taken += (unsigned)UTIL_MAX(spans.row[r].last - spans.row[r].first + 1, 0);
    }
    assert_true(taken < 500 * 16); /* a line crosses few of the 64 tiles */
}

/* Sixteen at a time as one by one, with infinities, NaNs and zeros among them. */
static void test_outcodes(void **unused)
{
    static const float odd[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-140f, 0x1p127f};
    for (unsigned round = 0; round < 2000; round++) {
        float clip[4][16];
        uint32_t code[16];
        for (unsigned l = 0; l < 16; l++) {
            float p[4];
            random_position(p);
            if (random32() % 4 == 0)
                p[random32() % 4] = odd[random32() % 7];
            for (unsigned k = 0; k < 4; k++)
                clip[k][l] = p[k];
        }
        tiler_outcodes(&guard, (const float(*)[16])clip, code);
        for (unsigned l = 0; l < 16; l++)
            assert_int_equal(code[l], tiler_outcode(&guard, clip[0][l], clip[1][l], clip[2][l], clip[3][l]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_first_provokes),
        cmocka_unit_test(test_quads_provoke),
        cmocka_unit_test(test_clip_directions),
        cmocka_unit_test(test_clip_triangles),
        cmocka_unit_test(test_clip_shared_edges),
        cmocka_unit_test(test_clip_lines),
        cmocka_unit_test(test_clip_odd_numbers),
        cmocka_unit_test(test_outcodes),
        cmocka_unit_test(test_cover_triangles),
        cmocka_unit_test(test_small_triangles_between_samples),
        cmocka_unit_test(test_cover_lines),
    };
    return cmocka_run_group_tests_name("tiler", tests, NULL, NULL);
}

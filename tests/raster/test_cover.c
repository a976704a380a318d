/* Coverage: the fast path at every CPU level against its definition, and both against the rules of
 * rasterization. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raster/cover.h"

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t random32(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static int32_t between(int32_t lo, int32_t hi) /* inclusive */
{
    return lo + (int32_t)(random32() % ((uint32_t)(hi - lo) + 1));
}

static struct raster_tile tile;
static const struct raster_setup plain = {.line_width = 1.0f};
static const struct raster_rect everywhere = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};

static struct raster_vertex at(int32_t x, int32_t y)
{
    return (struct raster_vertex){.x = x, .y = y, .z = 0.5f, .inv_w = 1.0f};
}

static void set_tile(uint32_t width, uint32_t height, uint32_t samples, int32_t x, int32_t y)
{
    tile.width = width;
    tile.height = height;
    tile.samples = samples;
    tile.x = x;
    tile.y = y;
}

/* Compares every level with the definition; returns the number of blocks. */
static uint32_t check(const struct raster_prim *prim, const struct raster_rect *clip)
{
    static struct raster_block expected[RASTER_BLOCKS_MAX], got[RASTER_BLOCKS_MAX];
    uint32_t n = raster_cover_ref(prim, &tile, clip, expected);
    for (int level = 0; level <= (int)raster_cover_level(); level++) {
        uint32_t m = raster_cover_at((enum raster_cover_level)level, prim, &tile, clip, got);
        if (m != n || memcmp(expected, got, n * sizeof *got) != 0)
            fail_msg("level %d: %u blocks, expected %u; tile %ux%ux%u at %d,%d; clip %d,%d-%d,%d; bounds "
                     "%d,%d-%d,%d",
                     level, m, n, tile.width, tile.height, tile.samples, tile.x, tile.y, clip->x0, clip->y0,
                     clip->x1, clip->y1, prim->min_x, prim->min_y, prim->max_x, prim->max_y);
    }
    return n;
}

/* A position near the tile, or far away, or at the limits; on a sixteenth or a half of a pixel. */
static int32_t coordinate(int32_t origin, unsigned kind)
{
    switch (kind % 8) {
    case 0: return between(-RASTER_POSITION_LIMIT + 1, RASTER_POSITION_LIMIT - 1);
    case 1: return random32() % 2 ? RASTER_POSITION_LIMIT - 1 : -RASTER_POSITION_LIMIT + 1;
    case 2: return (origin + between(-8, 72)) * 16 + 8 * between(0, 1);
    case 3: return origin * 16 + between(-4096, 5120);
    default: return origin * 16 + between(-64, 1088);
    }
}

static struct raster_vertex near(const struct raster_vertex *v, int32_t reach)
{
    int32_t x = v->x + between(-reach, reach), y = v->y + between(-reach, reach);
    return at(x >= RASTER_POSITION_LIMIT ? v->x : x, y >= RASTER_POSITION_LIMIT ? v->y : y);
}

static void random_vertices(struct raster_vertex v[3])
{
    unsigned kind = random32();
    for (unsigned i = 0; i < 3; i++)
        v[i] = at(coordinate(tile.x, kind >> 4 * i), coordinate(tile.y, kind >> (12 + 4 * i)));
    unsigned shape = random32() % 8;
    int32_t reach = shape < 2 ? 24 : 100;
    if (shape < 4) { /* a few pixels */
        v[1] = near(&v[0], reach);
        v[2] = near(&v[0], reach);
    } else if (shape == 4) { /* a sliver */
        v[2] = near(&v[1], 4);
    }
}

static void random_tile(void)
{
    static const uint8_t sizes[][3] = {{64, 64, 1}, {32, 32, 4}, {16, 16, 1},
                                       {64, 32, 1}, {4, 64, 1},  {16, 16, 4}};
    const uint8_t *s = sizes[random32() % 6];
    int32_t x = between(0, 31) * 64, y = between(0, 31) * 64;
    if (random32() % 8 == 0) {
        x = between(-65536, 65535);
        y = between(-65536, 65535);
    }
    set_tile(s[0], s[1], s[2], x, y);
}

static struct raster_rect random_clip(void)
{
    if (random32() % 2)
        return everywhere;
    struct raster_rect r;
    r.x0 = tile.x + between(-8, 60);
    r.y0 = tile.y + between(-8, 60);
    r.x1 = random32() % 8 ? r.x0 + between(-2, 64) : (int32_t)random32();
    r.y1 = random32() % 8 ? r.y0 + between(-2, 64) : (int32_t)random32();
    return r;
}

static void fast_equals_definition(void **unused)
{
    unsigned drawn[3] = {0};
    for (unsigned i = 0; i < 30000; i++) {
        random_tile();
        struct raster_rect clip = random_clip();
        struct raster_vertex v[3];
        random_vertices(v);
        struct raster_setup setup = {.line_width = (float)between(-1, 20) * 0.75f,
                                     .centres_only = tile.samples == 1 && random32() % 2};
        struct raster_prim prim;
        unsigned kind = i % 4 ? 0 : 1 + random32() % 2;
        bool set = kind == 0 ? raster_setup_triangle(&prim, &setup, v)
                   : kind == 1
                       ? raster_setup_line(&prim, &setup, v, random32() % 2)
                       : raster_setup_point(&prim, &setup, v, (float)between(0, 600) / 7.0f, random32() % 2);
        if (set)
            drawn[kind] += check(&prim, &clip) != 0;
    }
    assert_true(drawn[0] > 3000 && drawn[1] > 400 && drawn[2] > 400);
}

/* Coverage lies inside the bounds that set-up gives. */
static void bounds_hold_all_coverage(void **unused)
{
    for (unsigned i = 0; i < 4000; i++) {
        set_tile(i % 2 ? 32 : 64, 32, i % 2 ? 4 : 1, 0, 0);
        struct raster_vertex v[3];
        for (unsigned k = 0; k < 3; k++)
            v[k] = at(between(64, 400), between(64, 400));
        struct raster_prim prim;
        struct raster_setup setup = {.centres_only = tile.samples == 1};
        if (!raster_setup_triangle(&prim, &plain, v)) /* never less than with centres only */
            assert_false(raster_setup_triangle(&prim, &setup, v));
        if (!raster_setup_triangle(&prim, &setup, v))
            continue;
        struct raster_block blocks[RASTER_BLOCKS_MAX];
        uint32_t n = raster_cover_ref(&prim, &tile, &everywhere, blocks);
        for (uint32_t b = 0; b < n; b++)
            for (int32_t p = 0; p < 16; p++) {
                int32_t x = blocks[b].x * 4 + p % 4, y = blocks[b].y * 4 + p / 4;
                if (blocks[b].mask >> raster_lane((uint32_t)x, (uint32_t)y) & 1)
                    assert_true(x >= prim.min_x && x <= prim.max_x && y >= prim.min_y && y <= prim.max_y);
            }
    }
}

/* What set-up refuses because it falls between the centres indeed covers none. */
static void refused_means_empty(void **unused)
{
    static const struct raster_setup centres = {.line_width = 1.0f, .centres_only = true};
    unsigned refused = 0;
    set_tile(16, 16, 1, 0, 0);
    for (unsigned i = 0; i < 20000; i++) {
        struct raster_vertex v[3] = {at(between(0, 250), between(0, 250))};
        v[1] = near(&v[0], 20);
        v[2] = near(&v[0], 20);
        struct raster_prim prim, loose;
        struct raster_block blocks[RASTER_BLOCKS_MAX];
        for (unsigned kind = 0; kind < 3; kind++) {
            float size = (float)between(1, 32) / 16.0f;
            bool set = kind == 0   ? raster_setup_triangle(&prim, &centres, v)
                       : kind == 1 ? raster_setup_line(&prim, &centres, v, false)
                                   : raster_setup_point(&prim, &centres, v, size, false);
            bool any = kind == 0   ? raster_setup_triangle(&loose, &plain, v)
                       : kind == 1 ? raster_setup_line(&loose, &plain, v, false)
                                   : raster_setup_point(&loose, &plain, v, size, false);
            if (any && !set) {
                refused++;
                assert_int_equal(raster_cover_ref(&loose, &tile, &everywhere, blocks), 0);
            }
        }
    }
    assert_true(refused > 1000);
}

static uint8_t painted[RASTER_MAX_SAMPLES][64][64];

static void paint(const struct raster_prim *prim)
{
    static struct raster_block blocks[RASTER_BLOCKS_MAX];
    uint32_t n = raster_cover(prim, &tile, &everywhere, blocks);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t s = 0; s < tile.samples; s++)
            for (uint32_t p = 0; p < 16; p++) {
                uint32_t x = blocks[b].x * 4u + p % 4, y = blocks[b].y * 4u + p / 4;
                painted[s][y][x] += blocks[b].sample[s] >> raster_lane(x, y) & 1;
            }
}

static void paint_triangle(struct raster_vertex a, struct raster_vertex b, struct raster_vertex c)
{
    struct raster_prim prim;
    struct raster_vertex v[3] = {a, b, c};
    if (raster_setup_triangle(&prim, &plain, v))
        paint(&prim);
}

/* A jittered grid of triangles over the tile paints every sample exactly once. */
static void meshes_are_watertight(void **unused)
{
    enum { CELLS = 9 };
    for (unsigned round = 0; round < 400; round++) {
        set_tile(round % 2 ? 32 : 64, round % 2 ? 32 : 64, round % 2 ? 4 : 1, 128, 64);
        int32_t size = (int32_t)tile.width * 16, step = (size + 128) / CELLS + 1;
        struct raster_vertex grid[CELLS + 1][CELLS + 1];
        int32_t jitter = round % 3 == 0 ? 0 : step / 3;
        for (int32_t j = 0; j <= CELLS; j++)
            for (int32_t i = 0; i <= CELLS; i++) {
                bool rim = i == 0 || j == 0 || i == CELLS || j == CELLS;
                grid[j][i] = at(128 * 16 - 64 + i * step + (rim ? 0 : between(-jitter, jitter)),
                                64 * 16 - 64 + j * step + (rim ? 0 : between(-jitter, jitter)));
            }
        memset(painted, 0, sizeof painted);
        for (unsigned j = 0; j < CELLS; j++)
            for (unsigned i = 0; i < CELLS; i++) {
                /* Jitter below a third of a cell keeps every cell convex or at least one diagonal inside. */
                struct raster_vertex a = grid[j][i], b = grid[j][i + 1], c = grid[j + 1][i + 1],
                                     d = grid[j + 1][i];
                int64_t side_b = (int64_t)(c.x - a.x) * (b.y - a.y) - (int64_t)(b.x - a.x) * (c.y - a.y);
                int64_t side_d = (int64_t)(c.x - a.x) * (d.y - a.y) - (int64_t)(d.x - a.x) * (c.y - a.y);
                if (side_b < 0 && side_d > 0) {
                    paint_triangle(a, b, c);
                    paint_triangle(c, a, d);
                } else {
                    paint_triangle(b, c, d);
                    paint_triangle(d, a, b);
                }
            }
        for (uint32_t s = 0; s < tile.samples; s++)
            for (uint32_t y = 0; y < tile.height; y++)
                for (uint32_t x = 0; x < tile.width; x++)
                    if (painted[s][y][x] != 1)
                        fail_msg("round %u: sample %u of pixel %u,%u painted %u times", round, s, x, y,
                                 painted[s][y][x]);
    }
}

/* Edges exactly through pixel centres: left and top ones own them, right and bottom ones do not. */
static void top_left_owns_the_edge(void **unused)
{
    set_tile(64, 64, 1, 0, 0);
    memset(painted, 0, sizeof painted);
    struct raster_vertex a = at(4 * 16 + 8, 6 * 16 + 8), b = at(20 * 16 + 8, 6 * 16 + 8);
    struct raster_vertex c = at(20 * 16 + 8, 13 * 16 + 8), d = at(4 * 16 + 8, 13 * 16 + 8);
    paint_triangle(a, b, c);
    paint_triangle(a, c, d);
    for (unsigned y = 0; y < 64; y++)
        for (unsigned x = 0; x < 64; x++)
            assert_int_equal(painted[0][y][x], x >= 4 && x < 20 && y >= 6 && y < 13);

    memset(painted, 0, sizeof painted);
    paint_triangle(d, c, b); /* the other winding owns the same */
    paint_triangle(d, b, a);
    for (unsigned y = 0; y < 64; y++)
        for (unsigned x = 0; x < 64; x++)
            assert_int_equal(painted[0][y][x], x >= 4 && x < 20 && y >= 6 && y < 13);

    struct raster_prim prim; /* a slanted left edge owns its centres, a slanted right edge does not */
    struct raster_vertex left[3] = {at(8, 8), at(10 * 16 + 8, 8), at(10 * 16 + 8, 10 * 16 + 8)};
    memset(painted, 0, sizeof painted);
    assert_true(raster_setup_triangle(&prim, &plain, left));
    paint(&prim);
    for (unsigned y = 0; y < 10; y++)
        for (unsigned x = 0; x <= 10; x++)
            assert_int_equal(painted[0][y][x], x >= y && x < 10);
    memset(painted, 0, sizeof painted);
    struct raster_vertex right[3] = {at(8, 8), at(10 * 16 + 8, 10 * 16 + 8), at(8, 10 * 16 + 8)};
    assert_true(raster_setup_triangle(&prim, &plain, right));
    paint(&prim);
    for (unsigned y = 0; y <= 10; y++)
        for (unsigned x = 0; x <= 10; x++)
            assert_int_equal(painted[0][y][x], x < y && y < 10);
}

/* The diamond-exit rule from its text (GL ES 2.0 section 3.4.1): a fragment is drawn when the segment, its
 * ends moved by -(epsilon, epsilon^2), enters the open diamond about the pixel's centre and does not end in
 * it. Exact, with epsilon = 2^14 in units of 2^-30 / 16 pixel. */
static bool diamond_exit(const struct raster_vertex v[2], int64_t px, int64_t py)
{
    int64_t x[2], y[2];
    for (unsigned i = 0; i < 2; i++) {
        x[i] = (v[i].x - (px * 16 + 8)) * (INT64_C(1) << 30) - (1 << 14);
        y[i] = (v[i].y - (py * 16 + 8)) * (INT64_C(1) << 30) - 1;
    }
    const int64_t radius = INT64_C(8) << 30;
    if (llabs(x[1]) + llabs(y[1]) < radius)
        return false;
    /* The part of the segment, as fractions of it, inside all four half planes sx*x + sy*y < radius. */
    __int128 lo_n = 0, lo_d = 1, hi_n = 1, hi_d = 1;
    for (unsigned k = 0; k < 4; k++) {
        int64_t sx = k & 1 ? 1 : -1, sy = k & 2 ? 1 : -1;
        __int128 f0 = radius - (sx * x[0] + sy * y[0]), f1 = radius - (sx * x[1] + sy * y[1]), d = f1 - f0;
        if (d == 0 && f0 <= 0)
            return false;
        if (d > 0 && -f0 * lo_d > lo_n * d) {
            lo_n = -f0;
            lo_d = d;
        } else if (d < 0 && f0 * hi_d < hi_n * -d) {
            hi_n = f0;
            hi_d = -d;
        }
    }
    return lo_n * hi_d < hi_n * lo_d;
}

static void lines_exit_diamonds(void **unused)
{
    set_tile(16, 16, 1, 0, 0);
    for (unsigned i = 0; i < 20000; i++) {
        struct raster_vertex v[2] = {at(between(0, 255), between(0, 255)),
                                     at(between(0, 255), between(0, 255))};
        if (i % 3 == 0) { /* on centres, corners and the points of diamonds */
            for (unsigned k = 0; k < 2; k++)
                v[k] = at(v[k].x & ~7, v[k].y & ~7);
        }
        if (i % 5 == 0)
            v[1] = at(v[0].x + between(-20, 20), v[0].y + between(-20, 20));
        memset(painted, 0, sizeof painted);
        struct raster_prim prim;
        if (raster_setup_line(&prim, &plain, v, false))
            paint(&prim);
        for (unsigned y = 0; y < 16; y++)
            for (unsigned x = 0; x < 16; x++)
                if (painted[0][y][x] != diamond_exit(v, x, y))
                    fail_msg("line %d,%d to %d,%d (1/16 pixel): pixel %u,%u painted %u", v[0].x, v[0].y,
                             v[1].x, v[1].y, x, y, painted[0][y][x]);
    }
}

/* A wide line paints `width` pixels a column, and a strip of two paints no column twice. */
static void wide_lines_fill_columns(void **unused)
{
    set_tile(64, 64, 1, 0, 0);
    for (unsigned i = 0; i < 500; i++) {
        struct raster_setup setup = {.line_width = (float)(1 + i % 7)};
        struct raster_vertex v[3];
        v[0] = at(between(32, 300), between(300, 500));
        v[1] = at(v[0].x + between(100, 300), v[0].y + between(-90, 90));
        v[2] = at(v[1].x + between(100, 300), v[1].y + between(-90, 90));
        struct raster_prim prim;
        memset(painted, 0, sizeof painted);
        for (unsigned k = 0; k < 2; k++)
            if (raster_setup_line(&prim, &setup, &v[k], false))
                paint(&prim);
        for (unsigned x = 0; x < 64; x++) {
            unsigned sum = 0;
            for (unsigned y = 0; y < 64; y++)
                sum += painted[0][y][x];
            assert_true(sum == 0 || sum == 1 + i % 7);
            if ((int32_t)x > v[0].x / 16 && (int32_t)x < (v[2].x - 1) / 16 && sum != 1 + i % 7)
                fail_msg("column %u of %d,%d %d,%d %d,%d has %u", x, v[0].x, v[0].y, v[1].x, v[1].y, v[2].x,
                         v[2].y, sum);
        }
    }
}

static void points_are_squares(void **unused)
{
    set_tile(64, 64, 1, 0, 0);
    for (int32_t side = 1; side < 20 * 16; side += 3) {
        struct raster_vertex v = at(between(400, 600), between(400, 600));
        struct raster_prim prim;
        memset(painted, 0, sizeof painted);
        if (raster_setup_point(&prim, &plain, &v, (float)side / 16.0f, true))
            paint(&prim);
        int32_t x0 = v.x - side / 2, y0 = v.y - side / 2;
        for (int32_t y = 0; y < 64; y++)
            for (int32_t x = 0; x < 64; x++) {
                int32_t cx = x * 16 + 8, cy = y * 16 + 8;
                assert_int_equal(painted[0][y][x], cx >= x0 && cx < x0 + side && cy >= y0 && cy < y0 + side);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_equals_definition),  cmocka_unit_test(bounds_hold_all_coverage),
        cmocka_unit_test(refused_means_empty),     cmocka_unit_test(meshes_are_watertight),
        cmocka_unit_test(top_left_owns_the_edge),  cmocka_unit_test(lines_exit_diamonds),
        cmocka_unit_test(wide_lines_fill_columns), cmocka_unit_test(points_are_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

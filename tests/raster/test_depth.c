/* Depth has 24 true bits: from set-up to what the tests store, one primitive after the other and by sixteens,
 * in plain C and compiled. Expected depths are worked out here in long doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raster/triangles.h"
#include "raster/zs_blocks.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define MAX   0xffffff
#define STEPS 16777215.0L

static uint64_t seed = 0xdeb7;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static float unit_float(void)
{
    return (float)(random32() >> 8) * 0x1p-24f;
}

/* ---- ways from a triangle to what is stored ---- */

static struct raster_tile *tile;
static const struct raster_zs store = {.depth_write = true, .depth_func = RASTER_ALWAYS};
static raster_zs_blocks_fn compiled; /* NULL: plain C */
static bool by_sixteens;

static void test_blocks(const struct raster_prim *prim, struct raster_block *blocks, uint32_t count)
{
    uint16_t common;

    if (compiled)
        compiled(prim, tile, blocks, count, &common);
    else
        raster_zs_blocks_ref(&store, RASTER_DEPTH_UNORM24, prim, tile, blocks, count, &common);
}

static bool set_up(const struct raster_setup *setup, const struct raster_vertex v[3], struct raster_prim *out)
{
    static struct raster_triangles t;
    const struct raster_rect all = {-65536, -65536, 65536, 65536};
    static const float none[RASTER_MAX_VARYINGS];

    if (!by_sixteens)
        return raster_setup_triangle(out, setup, v);
    t.count = 1;
    for (unsigned k = 0; k < 3; k++) {
        t.x[k][0] = v[k].x;
        t.y[k][0] = v[k].y;
        t.z[k][0] = v[k].z;
        t.inv_w[k][0] = v[k].inv_w;
        t.vary[k][0] = none;
    }
    raster_triangles_setup(&t, setup, tile, &all);
    assert_int_equal(t.far, 0);
    if (t.drawn)
        raster_triangles_prim(&t, setup, 0, out);
    return t.drawn;
}

/* Goes through them all, at every level of the host. */
static void each_way(void (*test)(void))
{
    for (int level = -1; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = level, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine = NULL;
        struct jit_function *code;

        if (level >= 0) {
            if (!jit_level_supported((enum jit_level)level))
                continue;
            assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
            assert_int_equal(raster_zs_blocks(engine, &store, RASTER_DEPTH_UNORM24, &code, NULL), 0);
            compiled = (raster_zs_blocks_fn)jit_function_code(code);
        }
        for (unsigned k = 0; k < 2; k++) {
            by_sixteens = k;
            test();
        }
        compiled = NULL;
        by_sixteens = false;
        jit_engine_destroy(engine);
    }
}

/* The depth stored at the tile's first pixel. */
static uint32_t stored(const struct raster_setup *setup, const struct raster_vertex v[3])
{
    struct raster_block block = {.mask = 1, .sample = {1}};
    struct raster_prim prim;

    assert_true(set_up(setup, v, &prim));
    test_blocks(&prim, &block, 1);
    return tile->zs[0] >> 8;
}

static void put_tile(int32_t x, int32_t y)
{
    tile->width = tile->height = 64;
    tile->samples = 1;
    tile->x = x;
    tile->y = y;
}

/* ---- flat ---- */

static uint32_t flat(float z, float units)
{
    const struct raster_vertex v[3] = {{.x = 0, .y = 0, .z = z, .inv_w = 1},
                                       {.x = 1024, .y = 0, .z = z, .inv_w = 1},
                                       {.x = 0, .y = 1024, .z = z, .inv_w = 1}};
    const struct raster_setup setup = {.depth_offset = units != 0 ? RASTER_OFFSET_BOTH : 0,
                                       .offset_units = units};

    return stored(&setup, v);
}

/* Written as the single next to d / (2^24 - 1), a depth is d again, and one unit of depth offset is a step.
 */
static void check_flat(int32_t d)
{
    float z = (float)((double)d / MAX);
    static const int32_t units[] = {0, 1, -1, 5};

    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(units); n++) {
        int32_t want = UTIL_MIN(UTIL_MAX(d + units[n], 0), MAX), got = (int32_t)flat(z, (float)units[n]);

        if (got != want)
            fail_msg("depth %06x, %d units: %06x, expected %06x (level code %p, sixteens %d)", (unsigned)d,
                     units[n], (unsigned)got, (unsigned)want, (void *)(uintptr_t)compiled, by_sixteens);
    }
}

static void sampled_flats(void)
{
    static const int32_t ends[] = {0x000000, 0x400000, 0x800000, 0xc00000, MAX};

    put_tile(0, 0);
    for (int32_t d = 0; d <= MAX; d += 1009)
        check_flat(d);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(ends); n++)
        for (int32_t d = UTIL_MAX(ends[n] - 300, 0); d <= UTIL_MIN(ends[n] + 300, MAX); d++)
            check_flat(d);
}

static void test_flats(void **state)
{
    each_way(sampled_flats);
}

/* All of them, once. */
static void test_every_depth(void **state)
{
    put_tile(0, 0);
    for (int32_t d = 0; d <= MAX; d++)
        if ((int32_t)flat((float)((double)d / MAX), 0) != d)
            fail_msg("depth %06x: %06x", (unsigned)d, (unsigned)flat((float)((double)d / MAX), 0));
}

/* The upper 16 bits, which Malis store as a depth of 16. */
static void test_16_bits(void **state)
{
    put_tile(0, 0);
    for (uint32_t d = 0; d <= 0xffff; d++)
        assert_int_equal(flat((float)(d / 65535.0), 0) >> 8, d);
}

/* What clear values are, as Mesa makes them: the double's product to the nearest. */
static void sampled_clears(void)
{
    static const float usual[] = {0.0f, 0.1f, 0.25f, 0.5f, 0.75f, 0.9f, 0.999f, 1.0f, 0x1p-10f, 0x1p-24f};

    put_tile(0, 0);
    for (unsigned n = 0; n < 20000; n++) {
        float z = n < UTIL_ARRAY_SIZE(usual) ? usual[n] : unit_float();
        assert_int_equal(flat(z, 0), lrint((double)z * MAX));
    }
    assert_int_equal(flat(-0.5f, 0), 0);
    assert_int_equal(flat(1.5f, 0), MAX);
    assert_int_equal(flat(-INFINITY, 0), 0);
}

static void test_clears(void **state)
{
    each_way(sampled_clears);
}

/* ---- sloped ---- */

/* The plane of three vertices at a pixel's centre, in steps. */
static long double exact(const struct raster_vertex v[3], int32_t px, int32_t py)
{
    long double dx1 = v[1].x - v[0].x, dy1 = v[1].y - v[0].y, dx2 = v[2].x - v[0].x, dy2 = v[2].y - v[0].y;
    long double d1 = (long double)v[1].z - v[0].z, d2 = (long double)v[2].z - v[0].z;
    long double area = dx1 * dy2 - dx2 * dy1, x = px * 16 + 8 - v[0].x, y = py * 16 + 8 - v[0].y;

    return (v[0].z + ((dy2 * d1 - dy1 * d2) * x + (dx1 * d2 - dx2 * d1) * y) / area) * STEPS;
}

static void random_triangle(struct raster_vertex v[3], bool steep)
{
    int32_t reach = steep ? 40 : 2048;

    for (unsigned k = 0; k < 3; k++)
        v[k] = (struct raster_vertex){.x = tile->x * 16 + (int32_t)(random32() % (uint32_t)reach),
                                      .y = tile->y * 16 + (int32_t)(random32() % (uint32_t)reach),
                                      .z = unit_float(),
                                      .inv_w = 1};
}

static struct raster_prim drawn;

/* Stores the depths of all of the tile, covered or not. */
static bool draw(const struct raster_setup *setup, const struct raster_vertex v[3])
{
    static struct raster_block blocks[RASTER_BLOCKS_MAX];

    if (!set_up(setup, v, &drawn))
        return false;
    for (uint32_t n = 0; n < RASTER_BLOCKS_MAX; n++)
        blocks[n] = (struct raster_block){(uint8_t)(n % 16), (uint8_t)(n / 16), 0xffff, {0xffff}};
    test_blocks(&drawn, blocks, RASTER_BLOCKS_MAX);
    return true;
}

static uint32_t depth_at(uint32_t x, uint32_t y)
{
    return tile->zs[raster_pixel_index(tile, x, y, 0)] >> 8;
}

/* What lies sixty ranges of depth off is nowhere near the triangle. */
static void check_plane(const struct raster_vertex v[3], long double offset)
{
    long double step = ldexpl(1, (int)drawn.depth.shift);

    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 64; x++) {
            long double s = exact(v, tile->x + (int32_t)x, tile->y + (int32_t)y) + offset;
            long double at = fminl(fmaxl(s, 0), MAX), error = fabsl(depth_at(x, y) - at);

            if (fabsl(s) < 0x1p30L * step &&
                error > (step > 1 ? step : 0.5L) + step * 1e-6L + fabsl(s) * 1e-14L)
                fail_msg("pixel %u, %u: %06x, expected %.6Lf", x, y, depth_at(x, y), at);
        }
}

static void random_planes(void)
{
    struct raster_vertex v[3];

    for (unsigned n = 0; n < 60; n++) {
        struct raster_setup setup = {.depth_offset = n & 2 ? RASTER_OFFSET_BOTH : 0,
                                     .offset_units = (float)(int32_t)(n % 9) - 4};

        put_tile((int32_t)(random32() % 16) * 64, (int32_t)(random32() % 16) * 64);
        random_triangle(v, n & 1);
        if (draw(&setup, v))
            check_plane(v, n & 2 ? (long double)setup.offset_units : 0);
    }
}

static void test_planes(void **state)
{
    each_way(random_planes);
}

/* Planes that go through many ranges of depth, at a vertex or within a pixel, are in coarser steps. */
static void far_planes(void)
{
    const struct raster_setup setup = {0};
    unsigned coarse = 0;

    put_tile(64, 64);
    for (int n = 0; n < 60; n++) {
        int shift = 1 + n % 23;
        struct raster_vertex v[3] = {{.x = 1019, .y = 1019, .z = unit_float(), .inv_w = 1},
                                     {.x = 2138, .y = 1019, .z = unit_float(), .inv_w = 1},
                                     {.x = 1019, .y = 2138, .z = unit_float(), .inv_w = 1}};

        v[n % 3].z = ldexpf(n & 1 ? 0.75f : -0.75f, shift + 5); /* of 2^24 steps */
        assert_true(draw(&setup, v));
        assert_int_equal(drawn.depth.shift, shift);
        check_plane(v, 0);
    }
    for (int n = 0; n < 60; n++) { /* slivers */
        const struct raster_vertex v[3] = {
            {.x = 1024 + n, .y = 1024, .z = 0, .inv_w = 1},
            {.x = 2048 + 13 * n, .y = 2048 + n % 7, .z = unit_float(), .inv_w = 1},
            {.x = 2049 + 13 * n, .y = 2049 + n % 7, .z = unit_float(), .inv_w = 1}};

        if (!draw(&setup, v))
            continue;
        coarse += drawn.depth.shift != 0;
        check_plane(v, 0);
    }
    assert_true(coarse > 2);
}

static void test_far_planes(void **state)
{
    each_way(far_planes);
}

/* Depth offset's factor times the greater slope. */
static void sloped_offset(void)
{
    const struct raster_setup setup = {
        .depth_offset = RASTER_OFFSET_BOTH, .offset_factor = -1.5f, .offset_units = 3};
    const struct raster_vertex v[3] = {{.x = 0, .y = 0, .z = 0.75f, .inv_w = 1},
                                       {.x = 1024, .y = 0, .z = 0.5f, .inv_w = 1},
                                       {.x = 0, .y = 1024, .z = 0.875f, .inv_w = 1}};

    put_tile(0, 0);
    assert_true(draw(&setup, v));
    check_plane(v, -1.5L * 0.25L / 64 * STEPS + 3);
}

static void test_sloped_offset(void **state)
{
    each_way(sloped_offset);
}

/* A rectangle's halves, divided along either diagonal and begun at any corner, are one plane. Halves of
 * steps, which only z = 1/2 has, are among the pixels: the middle of an odd number of them. */
static void rectangles(void)
{
    static uint32_t first[64][64];
    static const float slopes[][2] = {{0.25f, 0}, {0.25f, 0.125f}, {-0.375f, 0.5f}, {0.5f, -0.4375f}};

    put_tile(0, 0);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(slopes) * 3; n++) {
        static const int32_t sides[] = {63, 64, 41};
        int32_t side = sides[n % 3] * 16;
        float a = slopes[n / 3][0], b = slopes[n / 3][1];
        struct raster_vertex corner[4];

        for (unsigned k = 0; k < 4; k++) {
            bool right = k == 1 || k == 2, down = k >= 2;
            corner[k] = (struct raster_vertex){.x = right ? side : 0,
                                               .y = down ? side : 0,
                                               .z = 0.5f + (right ? a : -a) * 0.5f + (down ? b : -b) * 0.5f,
                                               .inv_w = 1};
        }
        for (unsigned k = 0; k < 12; k++) {
            unsigned start = k % 4, last = k / 4; /* triangles without corner start + 1, 2 or 3 */
            struct raster_vertex v[3];

            for (unsigned i = 0, m = 0; i < 4; i++)
                if (i != last + 1)
                    v[m++] = corner[(start + i) % 4];
            assert_true(draw(&(struct raster_setup){0}, v));
            for (uint32_t y = 0; y < 64; y++)
                for (uint32_t x = 0; x < 64; x++) {
                    if (!k)
                        first[y][x] = depth_at(x, y);
                    assert_int_equal(depth_at(x, y), first[y][x]);
                }
        }
        if (sides[n % 3] == 63)
            assert_int_equal(first[31][31], 0x800000);
    }
}

static void test_rectangles(void **state)
{
    each_way(rectangles);
}

/* ---- */

static int begin(void **state)
{
    static unsigned saved;

    tile = aligned_alloc(64, sizeof *tile);
    memset(tile, 0, sizeof *tile);
    saved = util_fpenv_enter();
    *state = &saved;
    return 0;
}

static int end(void **state)
{
    util_fpenv_leave(*(unsigned *)*state);
    free(tile);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flats),         cmocka_unit_test(test_every_depth),
        cmocka_unit_test(test_16_bits),       cmocka_unit_test(test_clears),
        cmocka_unit_test(test_planes),        cmocka_unit_test(test_far_planes),
        cmocka_unit_test(test_sloped_offset), cmocka_unit_test(test_rectangles)};

    return cmocka_run_group_tests(tests, begin, end);
}

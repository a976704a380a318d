/* Triangles sixteen at a time, at every CPU level, against the scalar set-up and the definition of coverage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raster/triangles_internal.h"
#include "util/bits.h"
#include "util/fpenv.h"

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
static struct raster_triangles batch;
static float values[3][RASTER_TRIANGLES][RASTER_MAX_VARYINGS];

/* Mostly ordinary numbers; some that are hard. */
static float number(void)
{
    static const uint32_t hard[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x80000000,
                                    0x00000001, 0x7f7fffff, 0x00800000, 0x80400000};
    return random32() % 16 ? (float)between(-4096, 4096) / 64.0f : util_u2f(hard[random32() % 8]);
}

/* Near the tile, at the edge of what is near, at the limits, or anywhere. */
static int32_t coordinate(int32_t origin, unsigned kind)
{
    switch (kind % 8) {
    case 0: return between(-RASTER_POSITION_LIMIT - 9, RASTER_POSITION_LIMIT + 9);
    case 1: return origin * 16 + (random32() % 2 ? 1 : -1) * RASTER_TRIANGLE_REACH + between(-2, 2);
    case 2: return (origin + between(-8, 72)) * 16 + 8 * between(0, 1);
    case 3: return origin * 16 + between(-RASTER_TRIANGLE_REACH, RASTER_TRIANGLE_REACH - 1);
    default: return origin * 16 + between(-64, 1088);
    }
}

static void random_triangle(uint32_t i)
{
    unsigned kind = random32(), shape = random32() % 8;
    bool ordinary = random32() % 4;
    for (unsigned k = 0; k < 3; k++) {
        bool close = k && shape < 5;
        int32_t reach = shape < 2 ? 16 : shape < 4 ? 100 : 400;
        batch.x[k][i] = close ? batch.x[0][i] + between(-reach, reach) : coordinate(tile.x, kind >> 4 * k);
        batch.y[k][i] =
            close ? batch.y[0][i] + between(-reach, reach) : coordinate(tile.y, kind >> (12 + 4 * k));
        batch.z[k][i] = ordinary ? (float)(random32() % 4096) / 4096.0f : number();
        batch.inv_w[k][i] = ordinary ? (float)between(1, 999) / 256.0f : number();
        batch.vary[k][i] = values[k][i];
        for (unsigned n = 0; n < RASTER_MAX_VARYINGS; n++)
            values[k][i][n] = number();
    }
}

static struct raster_setup random_setup(void)
{
    return (struct raster_setup){.flat_mask = random32() % 2 ? 0 : random32(),
                                 .flat_below = random32() % 4 ? 0 : random32() % 50,
                                 .vary_count = random32() % 4 ? random32() % 20 : 50,
                                 .depth_offset = random32() % 4   ? 0
                                                 : random32() % 8 ? RASTER_OFFSET_BOTH
                                                                  : random32() % 3,
                                 .offset_factor = number(),
                                 .offset_units = number(),
                                 .offset_clamp = random32() % 8 ? 0 : number(),
                                 .cull_forward = random32() % 8 == 0,
                                 .cull_reverse = random32() % 3 == 0,
                                 .clockwise_forward = random32() % 2,
                                 .centres_only = tile.samples == 1 && random32() % 2,
                                 .sixteen = random32() % 64 == 0};
}

static void random_tile(void)
{
    static const uint8_t sizes[][3] = {{64, 64, 1}, {32, 32, 4}, {16, 16, 1}, {64, 32, 1}, {4, 64, 1}};
    const uint8_t *s = sizes[random32() % 5];
    bool anywhere = random32() % 8 == 0;
    tile.width = s[0];
    tile.height = s[1];
    tile.samples = s[2];
    tile.x = anywhere ? between(-65536, 65535) : between(0, 31) * 64;
    tile.y = anywhere ? between(-65536, 65535) : between(0, 31) * 64;
}

static struct raster_rect random_clip(void)
{
    struct raster_rect r = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
    if (random32() % 2)
        return r;
    r.x0 = random32() % 8 ? tile.x + between(-8, 60) : (int32_t)random32();
    r.y0 = random32() % 8 ? tile.y + between(-8, 60) : (int32_t)random32();
    r.x1 = random32() % 8 ? r.x0 / 2 + r.x0 / 2 + between(-2, 64) : (int32_t)random32();
    r.y1 = random32() % 8 ? r.y0 / 2 + r.y0 / 2 + between(-2, 64) : (int32_t)random32();
    return r;
}

static bool set_up(const struct raster_setup *setup, uint32_t i, struct raster_prim *out)
{
    struct raster_vertex v[3];
    for (unsigned k = 0; k < 3; k++)
        v[k] = (struct raster_vertex){.x = batch.x[k][i],
                                      .y = batch.y[k][i],
                                      .z = batch.z[k][i],
                                      .inv_w = batch.inv_w[k][i],
                                      .vary = batch.vary[k][i],
                                      .vary_stride = 1};
    return raster_setup_triangle(out, setup, v);
}

static bool is_near(uint32_t i)
{
    for (unsigned k = 0; k < 3; k++) {
        int32_t x = batch.x[k][i] - tile.x * 16, y = batch.y[k][i] - tile.y * 16;
        if (x < -RASTER_TRIANGLE_REACH || x >= RASTER_TRIANGLE_REACH || y < -RASTER_TRIANGLE_REACH ||
            y >= RASTER_TRIANGLE_REACH)
            return false;
    }
    return true;
}

/* The sign and payload of a NaN mean nothing. */
static void assert_same(const float *a, const float *b, uint32_t count, const char *what)
{
    for (uint32_t n = 0; n < count; n++)
        if (util_f2u(a[n]) != util_f2u(b[n]) && !(a[n] != a[n] && b[n] != b[n]))
            fail_msg("%s %u: %08x, expected %08x", what, n, util_f2u(b[n]), util_f2u(a[n]));
}

static void compare_planes(const struct raster_prim *a, const struct raster_prim *b)
{
    assert_same(&a->x0, &b->x0, 5, "plane"); /* up to inv_w_c */
    if (memcmp(&a->depth, &b->depth, sizeof a->depth) != 0)
        fail_msg("depth: %" PRIx64 " %" PRIx64 " %" PRIx64 " << %u, expected %" PRIx64 " %" PRIx64 " %" PRIx64
                 " << %u",
                 b->depth.a, b->depth.b, b->depth.c, b->depth.shift, a->depth.a, a->depth.b, a->depth.c,
                 a->depth.shift);
    assert_int_equal(a->reverse, b->reverse);
    assert_int_equal(a->vary_count, b->vary_count);
    assert_same(a->vary_a, b->vary_a, a->vary_count, "a of varying");
    assert_same(a->vary_b, b->vary_b, a->vary_count, "b of varying");
    assert_same(a->vary_c, b->vary_c, a->vary_count, "c of varying");
}

/* Returns the number of blocks. */
static uint32_t compare(enum raster_cover_level level, const struct raster_setup *setup,
                        const struct raster_rect *clip, uint32_t i)
{
    static struct raster_block expected[RASTER_BLOCKS_MAX], got[RASTER_BLOCKS_MAX];
    struct raster_prim scalar, fast;
    bool drawn = batch.drawn >> i & 1, set = set_up(setup, i, &scalar);
    uint32_t n = set ? raster_cover_ref(&scalar, &tile, clip, expected) : 0;
    uint32_t m = drawn ? raster_triangles_cover(&batch, i, got) : 0;
    if (m != n || memcmp(expected, got, n * sizeof *got) != 0)
        fail_msg("level %d: %u blocks, expected %u; triangle %d,%d %d,%d %d,%d; tile %ux%ux%u at %d,%d; "
                 "clip %d,%d-%d,%d",
                 (int)level, m, n, batch.x[0][i], batch.y[0][i], batch.x[1][i], batch.y[1][i], batch.x[2][i],
                 batch.y[2][i], tile.width, tile.height, tile.samples, tile.x, tile.y, clip->x0, clip->y0,
                 clip->x1, clip->y1);
    if (n) {
        raster_triangles_prim(&batch, setup, i, &fast);
        compare_planes(&scalar, &fast);
    }
    return n;
}

static bool offsets_differ(const struct raster_setup *setup)
{
    return setup->depth_offset && (setup->depth_offset != RASTER_OFFSET_BOTH || setup->offset_clamp != 0);
}

static void vectors_equal_scalars(void **unused)
{
    unsigned covering = 0, large = 0, far = 0, nothing = 0; /* at one level: hosts have some */
    unsigned saved = util_fpenv_enter();
    for (unsigned round = 0; round < 3000; round++) {
        random_tile();
        struct raster_rect clip = random_clip();
        struct raster_setup setup = random_setup();
        batch.count = random32() % 4 ? RASTER_TRIANGLES : random32() % (RASTER_TRIANGLES + 1);
        for (uint32_t i = 0; i < RASTER_TRIANGLES; i++)
            random_triangle(i);
        for (int level = 0; level <= (int)raster_cover_level(); level++) {
            raster_triangles_setup_at((enum raster_cover_level)level, &batch, &setup, &tile, &clip);
            assert_int_equal((batch.drawn | batch.far) >> batch.count, 0);
            assert_int_equal(batch.drawn & batch.far, 0);
            for (uint32_t i = 0; i < batch.count; i++) {
                if (batch.far >> i & 1) {
                    assert_true(setup.sixteen || offsets_differ(&setup) || labs((long)tile.x) > 60000 ||
                                labs((long)tile.y) > 60000 || !is_near(i));
                    far += !level;
                    continue;
                }
                uint32_t n = compare((enum raster_cover_level)level, &setup, &clip, i);
                covering += !level && n;
                large += !level && n > 16;
                nothing += !level && !n;
            }
        }
    }
    util_fpenv_leave(saved);
    assert_true(covering > 1500 && large > 300 && far > 5000 && nothing > 5000);
}

/* Of all triangles near the tile, those with whole pixels under them are found, and the level the processor
 * has is the one used. */
static void the_best_level_serves(void **unused)
{
    static struct raster_block blocks[2][RASTER_BLOCKS_MAX];
    static const struct raster_rect everywhere = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
    const struct raster_setup setup = {.vary_count = 2, .centres_only = true};
    struct raster_prim prim[2];
    unsigned saved = util_fpenv_enter();
    tile = (struct raster_tile){.width = 64, .height = 64, .samples = 1, .x = 128, .y = 192};
    batch.count = RASTER_TRIANGLES;
    for (uint32_t i = 0; i < RASTER_TRIANGLES; i++) {
        random_triangle(i);
        int32_t x = (128 + 4 * (int32_t)i) * 16, y = 200 * 16, size = (int32_t)(i + 1) * 32;
        batch.x[0][i] = x, batch.x[1][i] = x + size, batch.x[2][i] = x;
        batch.y[0][i] = y, batch.y[1][i] = y, batch.y[2][i] = y + size;
        for (unsigned k = 0; k < 3; k++)
            batch.z[k][i] = batch.inv_w[k][i] = 1.0f;
    }
    raster_triangles_setup(&batch, &setup, &tile, &everywhere);
    assert_int_equal(batch.far, 0);
    assert_int_equal(batch.drawn, 0xffff);
    for (uint32_t i = 0; i < RASTER_TRIANGLES; i++) {
        uint32_t n = raster_triangles_cover(&batch, i, blocks[0]), pixels = 0, side = 2 * (i + 1);
        uint32_t shown = UTIL_MIN(64 - 4 * i, side); /* columns inside the tile */
        assert_true(set_up(&setup, i, &prim[0]));
        assert_int_equal(n, raster_cover(&prim[0], &tile, &everywhere, blocks[1]));
        assert_memory_equal(blocks[0], blocks[1], n * sizeof blocks[0][0]);
        for (uint32_t b = 0; b < n; b++)
            pixels += (uint32_t)__builtin_popcount(blocks[0][b].mask);
        uint32_t expected = 0; /* the diagonal through centres is a right edge: not owned */
        for (uint32_t c = 0; c < shown; c++)
            expected += side - 1 - c;
        assert_int_equal(pixels, expected);
        raster_triangles_prim(&batch, &setup, i, &prim[1]);
        compare_planes(&prim[0], &prim[1]);
    }
    util_fpenv_leave(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_equal_scalars),
        cmocka_unit_test(the_best_level_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

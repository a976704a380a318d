/* Hidden pixels (raster/deferred.h) against shading in order: random primitives of two shaders, some of which
 * cover the tile, some only a few lanes; the tests of their blocks (raster/zs_blocks.h), compiled, against
 * their plain twin; which primitives fill a tile, against coverage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "raster/depth.h"
#include "raster/deferred.h"
#include "raster/zs_blocks.h"
#include "util/bits.h"
#include "util/fpenv.h"

static uint64_t seed = 0x51b1e;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static uint32_t below(uint32_t n)
{
    return random32() % n;
}

static float random_float(float scale)
{
    return (float)(int32_t)random32() * 0x1p-31f * scale;
}

/* Of z, in steps. */
static double random_depth(float scale)
{
    return random_float(scale) * RASTER_DEPTH_STEPS;
}

/* ---- the queue ---- */

static const uint32_t shaders[2] = {0x10000000, 0x20000000};

struct picture {
    struct raster_tile *tile;
    uint8_t *times; /* each pixel was shaded since the queue was last empty */
    uint64_t lanes;
};

/* What a shader gives a pixel: itself and the primitive, and nothing of the lane. */
static uint32_t color_of(const uint32_t *shader, float first, float second)
{
    return *shader + (uint32_t)first * 16 + (uint32_t)second;
}

static void shade_in_order(struct picture *p, const uint32_t *shader, const struct raster_prim *prim,
                           const struct raster_block *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < 16; l++)
            if (blocks[i].mask >> l & 1)
                p->tile->color[raster_block_index(p->tile, blocks[i].x * 4u, blocks[i].y * 4u, 0) + l] =
                    color_of(shader, prim->vary_b[0], prim->vary_c[1]);
}

/* The same lanes of the same primitives, by quads. */
static void compare_quads(const struct raster_tile *tile, const struct raster_deferred_block *blocks,
                          uint32_t count)
{
    static struct raster_deferred_quads fours[RASTER_DEFERRED_BATCH];
    static uint32_t planes[RASTER_TILE_WORDS]; /* by pixel, plus 1 */
    uint32_t n = raster_deferred_pack(tile, blocks, count, fours), quads = 0;

    memset(planes, 0, sizeof planes);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < 16; l++) {
            uint32_t at = raster_block_index(tile, blocks[i].x * 4u, blocks[i].y * 4u, 0);

            if (blocks[i].mask >> l & 1)
                planes[at + l] = blocks[i].planes + 1;
            quads += l % 4 == 0 && blocks[i].mask >> l & 15;
        }
    assert_int_equal(n, (quads + 3) / 4);
    for (uint32_t i = 0; i < n * 16; i++) {
        const struct raster_deferred_quads *four = &fours[i / 16];
        uint32_t q = i % 16 / 4, l = i % 4, at = four->at[q] / 4 + l;

        assert_int_equal(at, raster_pixel_index(tile, four->x[q] * 2u + (l & 1), four->y[q] * 2u + l / 2, 0));
        if (!(four->mask >> i % 16 & 1))
            continue;
        assert_int_equal(planes[at], four->planes[q] * 16u + 1);
        planes[at] = 0;
    }
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++)
        assert_int_equal(planes[i], 0);
}

static void shade_deferred(void *data, const void *shader, const uint8_t *planes,
                           const struct raster_deferred_block *blocks, uint32_t count)
{
    struct picture *p = data;

    assert_true(count > 0 && count <= RASTER_DEFERRED_BATCH);
    compare_quads(p->tile, blocks, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct raster_planes *of = (const struct raster_planes *)(planes + blocks[i].planes);

        assert_int_not_equal(blocks[i].mask, 0);
        for (uint32_t l = 0; l < 16; l++) {
            uint32_t at = raster_block_index(p->tile, blocks[i].x * 4u, blocks[i].y * 4u, 0) + l;

            if (!(blocks[i].mask >> l & 1))
                continue;
            p->tile->color[at] = color_of(shader, of->vary[0][1], of->vary[1][2]);
            assert_int_equal(p->times[at]++, 0);
            p->lanes++;
        }
    }
}

static void flush(struct raster_deferred *queue, struct picture *p)
{
    memset(p->times, 0, RASTER_TILE_WORDS);
    raster_deferred_shade(queue, shade_deferred, p);
    assert_false(raster_deferred_waits(queue));
}

/* Blocks in raster order; one time in `rare` all of the tile. */
static uint32_t random_blocks(const struct raster_tile *tile, uint32_t rare, struct raster_block *blocks)
{
    uint32_t count = 0, every = 1 + below(40), full = below(3);

    if (below(rare) == 0)
        every = 1, full = 3;
    for (uint32_t y = 0; y < tile->height / 4; y++)
        for (uint32_t x = 0; x < tile->width / 4; x++) {
            uint16_t mask = (uint16_t)(full == 3 || below(3) < full ? 0xffff : random32());

            if (below(every) || !mask)
                continue;
            blocks[count++] = (struct raster_block){.x = (uint8_t)x, .y = (uint8_t)y, .mask = mask};
        }
    return count;
}

static void test_queue(void **state)
{
    static const struct {
        uint32_t width, height;
    } sizes[] = {{64, 64}, {64, 32}, {32, 32}, {64, 16}};
    struct raster_deferred *queue = aligned_alloc(64, util_align(sizeof *queue, 64));
    struct raster_tile *tiles = aligned_alloc(64, 2 * sizeof *tiles);
    uint8_t *times = malloc(RASTER_TILE_WORDS);
    struct picture want = {.tile = &tiles[0]}, got = {.tile = &tiles[1], .times = times};
    uint64_t refused = 0, whole = 0, lanes = 0;

    memset(queue, 0, sizeof *queue);
    for (unsigned round = 0; round < 300; round++) {
        uint32_t size = below(UTIL_ARRAY_SIZE(sizes)), prims = 1 + below(round % 10 ? 60 : 4000);

        memset(tiles, 0, 2 * sizeof *tiles);
        for (unsigned i = 0; i < 2; i++) {
            tiles[i].width = sizes[size].width;
            tiles[i].height = sizes[size].height;
            tiles[i].samples = 1;
        }
        raster_deferred_begin(queue, tiles->width, tiles->height);
        for (uint32_t n = 0; n < prims; n++) {
            struct raster_block blocks[RASTER_BLOCKS_MAX];
            struct raster_prim prim = {.vary_b = {(float)n}, .vary_c = {0, (float)below(16)}};
            const uint32_t *shader = &shaders[below(8) == 0];
            uint32_t count = random_blocks(want.tile, round % 4 ? 20 : 1000, blocks),
                     varyings = 2 + below(RASTER_MAX_VARYINGS - 1);
            bool all = count == queue->tile_blocks;

            for (uint32_t i = 0; i < count; i++) {
                all &= blocks[i].mask == 0xffff;
                lanes += (uint32_t)__builtin_popcount(blocks[i].mask);
            }
            shade_in_order(&want, shader, &prim, blocks, count);
            whole += all;
            const struct raster_block *some = all && below(4) ? NULL : blocks;
            if (!raster_deferred_add(queue, shader, &prim, varyings, some, count)) {
                refused++;
                flush(queue, &got);
                assert_true(raster_deferred_add(queue, shader, &prim, varyings, some, count));
            }
            if (below(200) == 0)
                flush(queue, &got);
        }
        flush(queue, &got);
        assert_memory_equal(want.tile->color, got.tile->color, sizeof want.tile->color);
    }
    assert_true(refused > 10 && whole > 100);
    assert_true(got.lanes < lanes / 2); /* most are hidden */
    free(times);
    free(tiles);
    free(queue);
}

/* ---- tests of blocks ---- */

static void random_stencil(struct raster_stencil *face)
{
    *face = (struct raster_stencil){.enable = below(3) == 0};
    if (!face->enable)
        return;
    face->func = (uint8_t)below(8);
    face->fail = (uint8_t)below(8);
    face->zfail = (uint8_t)below(8);
    face->zpass = (uint8_t)below(8);
    face->ref = (uint8_t)random32();
    face->func_mask = (uint8_t)random32();
    face->write_mask = (uint8_t)random32();
}

static void compare_tests(const struct raster_zs *zs, enum raster_depth_kind kind, raster_zs_blocks_fn run,
                          struct raster_tile tiles[2])
{
    struct raster_block blocks[2][RASTER_BLOCKS_MAX];
    struct raster_prim prim = {.x0 = random_float(100), .y0 = random_float(100), .reverse = random32() & 1};
    double c = below(4) ? random_depth(0.3f) + 0.5 * RASTER_DEPTH_STEPS : random_depth(1e9f);
    uint32_t count, kept[2];
    uint16_t common[2];

    prim.depth = raster_depth_plane(random_depth(0.01f), random_depth(0.01f), c, fabs(c),
                                    (int32_t)(prim.x0 * 16), (int32_t)(prim.y0 * 16));
    for (unsigned i = 0; i < RASTER_TILE_WORDS; i++)
        tiles[0].zs[i] = (random32() >> (below(4) == 0)) ^ (below(3) ? 0 : 0x80000000);
    tiles[0].width = 64 >> below(2);
    tiles[0].height = 64 >> below(3);
    tiles[0].samples = 1;
    tiles[0].x = (int32_t)below(1024) * 64;
    tiles[0].y = (int32_t)below(30) * 64;
    count = random_blocks(&tiles[0], 12, blocks[0]);
    for (uint32_t i = 0; i < count; i++)
        blocks[0][i].sample[0] = blocks[0][i].mask;
    memcpy(blocks[1], blocks[0], sizeof blocks[1]);
    tiles[1] = tiles[0];

    unsigned saved = util_fpenv_enter();
    kept[0] = raster_zs_blocks_ref(zs, kind, &prim, &tiles[0], blocks[0], count, &common[0]);
    kept[1] = run(&prim, &tiles[1], blocks[1], count, &common[1]);
    util_fpenv_leave(saved);
    assert_int_equal(kept[0], kept[1]);
    assert_int_equal(common[0], common[1]);
    assert_memory_equal(blocks[0], blocks[1], kept[0] * sizeof *blocks[0]);
    assert_memory_equal(tiles[0].zs, tiles[1].zs, sizeof tiles[0].zs);
    if (!raster_zs_is_idle(zs))
        return;
    assert_int_equal(kept[0], count);
}

static void test_tests(void **state)
{
    struct raster_tile *tiles = aligned_alloc(64, 2 * sizeof *tiles);

    memset(tiles, 0, 2 * sizeof *tiles);
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = level, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        for (unsigned i = 0; i < 48; i++) {
            struct raster_zs zs = {.depth_write = i / 2 & 8, .depth_func = i / 2 & 7};
            enum raster_depth_kind kind = i % 2 ? RASTER_DEPTH_UNORM16 : RASTER_DEPTH_UNORM24;
            struct jit_function *code;

            if (i >= 32) {
                random_stencil(&zs.face[0]);
                random_stencil(&zs.face[1]);
            }
            assert_int_equal(raster_zs_blocks(engine, &zs, kind, &code, NULL), 0);
            for (unsigned n = 0; n < 20; n++)
                compare_tests(&zs, kind, (raster_zs_blocks_fn)jit_function_code(code), tiles);
        }
        jit_engine_destroy(engine);
    }
    free(tiles);
}

/* ---- whole tiles ---- */

static void test_fills(void **state)
{
    struct raster_tile *tile = aligned_alloc(64, sizeof *tile);
    struct raster_deferred *queue = aligned_alloc(64, util_align(sizeof *queue, 64));
    unsigned fills = 0, not = 0;

    memset(tile, 0, sizeof *tile);
    memset(queue, 0, sizeof *queue);
    tile->samples = 1;
    for (unsigned n = 0; n < 20000; n++) {
        int32_t scale = 16 * (below(2) ? 100 : 2000);
        struct raster_setup setup = {.centres_only = true};
        struct raster_vertex v[3] = {0};
        struct raster_prim prim;
        struct raster_block blocks[RASTER_BLOCKS_MAX];
        struct raster_rect clip = {0, 0, 4096, 4096};

        tile->width = 64;
        tile->height = 64 >> below(2);
        tile->x = 64 * (int32_t)below(3);
        tile->y = 64 * (int32_t)below(3);
        if (below(4) == 0)
            clip =
                (struct raster_rect){(int32_t)below(70), (int32_t)below(70), 64 + (int32_t)below(200), 128};
        for (unsigned i = 0; i < 3; i++) {
            v[i].x = (int32_t)below((uint32_t)(2 * scale)) - scale / 2;
            v[i].y = (int32_t)below((uint32_t)(2 * scale)) - scale / 2;
            v[i].inv_w = 1;
        }
        if (!raster_setup_triangle(&prim, &setup, v))
            continue;
        uint32_t count = raster_cover_ref(&prim, tile, &clip, blocks), all = 0xffff;
        for (uint32_t i = 0; i < count; i++)
            all &= blocks[i].mask;
        bool full = count == tile->width / 4 * (tile->height / 4) && all == 0xffff;
        assert_int_equal(raster_deferred_fills(&prim, tile, &clip), full);
        fills += full;
        not += !full;
        if (!full)
            continue;
        raster_deferred_begin(queue, tile->width, tile->height);
        assert_int_equal(queue->tile_blocks, count);
        assert_memory_equal(queue->whole, blocks, count * sizeof *blocks);
    }
    assert_true(fills > 100 && not> 1000);
    free(queue);
    free(tile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_tests),
        cmocka_unit_test(test_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

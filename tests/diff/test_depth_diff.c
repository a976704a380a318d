/* raster/depth_ir.c, in each form of blocks, against raster/depth.h: random planes, steep and infinite ones
 * too, at any place, at every vector level of the host, quick and optimised code. Equal depths and equal z.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raster/block_ir.h"
#include "raster/depth_ir.h"
#include "raster/deferred.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define ROUNDS 400
#define QUADS  4

static uint64_t seed = 0xd1ff;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

struct out {
    _Alignas(64) uint32_t depth[16];
    _Alignas(64) float z[16];
    _Alignas(64) float number[16]; /* given */
    _Alignas(64) uint32_t number_depth[16];
};

typedef void (*run_fn)(const void *prims, struct raster_tile *tile, const void *blocks, struct out *out);

static int emit(struct jit_builder *b, void *data)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->ptr};
    struct raster_block_ir at = {.form = *(const enum raster_ir_form *)data, .samples = 1};
    LLVMValueRef out, number;

    jit_begin_function(b, b->void_, types, 4);
    at.prims = jit_param(b, 0);
    at.tile = jit_param(b, 1);
    at.blocks = jit_param(b, 2);
    out = jit_param(b, 3);
    raster_block_ir_place(&at, b, jit_i32(b, 0));
    jit_store(b, raster_block_ir_depth(&at, b), jit_offset_const(b, out, offsetof(struct out, depth)), 64);
    jit_store(b, raster_block_ir_z(&at, b), jit_offset_const(b, out, offsetof(struct out, z)), 64);
    number = jit_load(b, b->f32x16, jit_offset_const(b, out, offsetof(struct out, number)), 64, false);
    jit_store(b, raster_depth_of_ir(b, number), jit_offset_const(b, out, offsetof(struct out, number_depth)),
              64);
    LLVMBuildRetVoid(b->ir);
    return 0;
}

/* ---- primitives and places ---- */

static double random_number(void)
{
    switch (random32() % 16) {
    case 0: return INFINITY;
    case 1: return NAN;
    case 2: return 0;
    case 3: return ldexp((double)(int32_t)random32(), (int)(random32() % 120) - 60);
    default: return ldexp((double)(int32_t)random32(), (int)(random32() % 24) - 30);
    }
}

static void random_prim(struct raster_prim *prim, const struct raster_tile *tile)
{
    double c = random32() % 4 ? (double)(random32() >> 8) : random_number();

    *prim = (struct raster_prim){.x0 = (float)tile->x + (float)(random32() % 4096) / 16 - 128,
                                 .y0 = (float)tile->y + (float)(random32() % 4096) / 16 - 128,
                                 .inv_w_c = 1};
    prim->depth = raster_depth_plane(random_number(), random_number(), c, fabs(c), (int32_t)(prim->x0 * 16),
                                     (int32_t)(prim->y0 * 16));
}

static struct raster_tile *tile;
static struct out *out;
static alignas(64) uint8_t planes[QUADS][sizeof(struct raster_planes)];

static void compare(unsigned lane, const struct raster_prim *prim, uint32_t x, uint32_t y, const char *what)
{
    int32_t px = tile->x + (int32_t)(x & ~3u), py = tile->y + (int32_t)(y & ~3u);
    unsigned l = raster_lane(x, y);
    uint32_t depth = raster_depth_at(prim, px, py, l);
    float z = raster_depth_z_at(prim, px, py, l);

    if (out->depth[lane] != depth || util_f2u(out->z[lane]) != util_f2u(z))
        fail_msg("%s lane %u: depth %06x z %08x, expected %06x %08x (plane %" PRIx64 " %" PRIx64 " %" PRIx64
                 " << %u)",
                 what, lane, out->depth[lane], util_f2u(out->z[lane]), depth, util_f2u(z), prim->depth.a,
                 prim->depth.b, prim->depth.c, prim->depth.shift);
}

static void run_block(run_fn run, enum raster_ir_form form, const char *what)
{
    struct raster_block block = {(uint8_t)(random32() % 16), (uint8_t)(random32() % 16), 0xffff, {0xffff}};
    struct raster_deferred_block deferred = {block.x, block.y, 0xffff, 0};
    struct raster_prim prim;

    random_prim(&prim, tile);
    raster_planes_copy(&prim, 0, (struct raster_planes *)planes[0]);
    if (form == RASTER_IR_PRIM)
        run(&prim, tile, &block, out);
    else
        run(planes, tile, &deferred, out);
    for (unsigned l = 0; l < 16; l++)
        compare(l, &prim, block.x * 4u + ((l & 1) | (l >> 1 & 2)),
                block.y * 4u + ((l >> 1 & 1) | (l >> 2 & 2)), what);
}

static void run_quads(run_fn run, const char *what)
{
    struct raster_deferred_quads quads = {.mask = 0xffff};
    struct raster_prim prim[QUADS];

    for (unsigned q = 0; q < QUADS; q++) {
        random_prim(&prim[q], tile);
        raster_planes_copy(&prim[q], 0, (struct raster_planes *)planes[q]);
        quads.planes[q] = (uint16_t)(q * sizeof planes[0] / 16);
        quads.x[q] = (uint8_t)(random32() % 32);
        quads.y[q] = (uint8_t)(random32() % 32);
    }
    run(planes, tile, &quads, out);
    for (unsigned l = 0; l < 16; l++)
        compare(l, &prim[l / 4], quads.x[l / 4] * 2u + (l & 1), quads.y[l / 4] * 2u + (l >> 1 & 1), what);
}

static void run_all(run_fn run, enum raster_ir_form form, const char *what)
{
    unsigned saved = util_fpenv_enter();

    for (unsigned n = 0; n < ROUNDS; n++) {
        tile->width = tile->height = 64;
        tile->samples = 1;
        tile->x = (int32_t)(random32() % 8192) - 4096;
        tile->y = (int32_t)(random32() % 8192) - 4096;
        for (unsigned l = 0; l < 16; l++)
            out->number[l] = random32() & 1 ? (float)random_number() : (float)(random32() >> 8) * 0x1p-24f;
        if (form == RASTER_IR_QUADS)
            run_quads(run, what);
        else
            run_block(run, form, what);
        for (unsigned l = 0; l < 16; l++)
            assert_int_equal(out->number_depth[l], raster_depth_of(out->number[l]));
    }
    util_fpenv_leave(saved);
}

static void test_forms(void **state)
{
    tile = aligned_alloc(64, sizeof *tile);
    out = aligned_alloc(64, sizeof *out);
    memset(tile, 0, sizeof *tile);
    for (unsigned n = 0; n < 3 * 2 * JIT_LEVEL_COUNT; n++) {
        enum raster_ir_form form = (enum raster_ir_form)(n % 3);
        unsigned level = n / 6;
        struct jit_options options = {.level = (int)level, .optimize = n / 3 % 2 ? 2 : 0, .cache_dir = ""};
        struct jit_request request = {
            .key = &form, .key_size = sizeof form, .name = "depth", .emit = emit, .data = &form};
        struct util_error error = {0};
        struct jit_engine *engine;
        char what[64];
        void *code;
        run_fn run;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        snprintf(what, sizeof what, "%s, optimised %d, form %d", jit_level_name((enum jit_level)level),
                 options.optimize, (int)form);
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        if (jit_engine_get(engine, &request, &code, &error))
            fail_msg("%s: %s", what, error.text);
        memcpy(&run, &code, sizeof run);
        run_all(run, form, what);
        jit_engine_destroy(engine);
    }
    free(tile);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

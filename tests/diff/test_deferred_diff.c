/* Hidden pixels: random scenes of opaque, blended, discarding and depth-only draws, with random depth tests,
 * rendered by tiles that colour what is seen, and in order: the same colours, depths and faults, where fuel
 * runs out too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

enum { WIDTH = 160, HEIGHT = 128, TILES_X = 3, TILES_Y = 2, VERTICES = 48, DRAWS = 12, SCENES = 60 };
enum { AT_PROGRAMS = 0x40000, AT_RECORDS = 0x60000 };

#define END     "nop ; thrend\n nop\n nop ; sbdone\n"
#define VARYING "nop ; fmul r0, b.vary, ra15\n fadd r1, r0, r5\n"
#define Z       "mov tlb_z, rb15\n"
#define STEP    "nop ; fmul r0, r1, unif\n fadd r1, r0, unif\n"
#define STEPS   STEP STEP STEP STEP STEP STEP STEP STEP

/* The first OPAQUE only replace colours. The last ends in a fault. */
enum { OPAQUE = 8 };
static const char *const programs[] = {
    VARYING Z "mov tlb_color, r1\n" END,
    VARYING "nop\n mov tlb_color, r1\n" END,
    Z "mov tlb_color, unif\n" END,
    VARYING STEPS STEPS STEPS STEPS Z "mov tlb_color, r1\n" END,
    VARYING "mov tlb_stencil, unif\n" Z "mov tlb_color, r1\n" END,
    VARYING Z END,
    VARYING "mov r2, rb15\n mov r3, x_coord\n" Z "add tlb_color, r2, r3\n" END,
    VARYING "fsub.sf r2, r1, unif\n brr.allnc skip\n nop\n nop\n nop\n fadd r1, r1, r1\n skip: nop\n" Z
            "mov tlb_color, r1\n" END,
    VARYING "nop ; ldcol\n nop ; v8adds r2, r1, r4\n" Z "mov tlb_color, r2\n" END,
    VARYING "fsub.sf r2, r1, unif\n mov.ns tlb_z, rb15\n mov.ns tlb_color, r1\n" END,
    VARYING "ftoi r0, r1\n mov r2, 8\n shl r0, r0, r2\n mov tlb_z, r0\n mov tlb_color, r1\n" END,
    VARYING "nop ; ldtmu0\n" Z "mov tlb_color, r1\n" END,
};

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32) % n;
}

static void put_programs(struct scene *s)
{
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(programs); i++) {
        assert_true(assemble(s, AT_PROGRAMS + i * 0x1000, programs[i]));
        shader_record(s, 1);
        memcpy(s->memory.base + AT_RECORDS + i * 64, s->memory.base + AT_RECORD, 64);
        util_store32(s->memory.base + AT_RECORDS + i * 64 + 4, AT_PROGRAMS + i * 0x1000);
    }
    for (unsigned i = 0; i < 80; i++)
        util_store32(s->memory.base + AT_UNIFORMS + i * 4,
                     below(4) ? util_f2u((float)below(64) / 32.0f) : below(2) << 30 | below(1u << 28));
}

/* `small`: each three that follow one another are close. */
static void put_vertices(struct scene *s, bool small)
{
    float x = 0, y = 0;
    for (unsigned i = 0; i < VERTICES; i++) {
        bool far = below(4) == 0;
        if (small) {
            x = i % 3 ? x + (float)below(100) / 10.0f - 5.0f : (float)below(WIDTH);
            y = i % 3 ? y + (float)below(100) / 10.0f - 5.0f : (float)below(HEIGHT);
            vertex(s, i, x, y, (float)below(64) / 64.0f, (float)below(4096) * 0.00125f);
            continue;
        }
        vertex(s, i, (float)below(far ? 1200 : WIDTH) - (far ? 500.0f : 0),
               (float)below(far ? 1200 : HEIGHT) - (far ? 500.0f : 0), (float)below(64) / 64.0f,
               (float)below(4096) * 0.00125f);
    }
}

/* A list of random draws; `faults`: one of them may end in a fault. */
static void put_list(struct scene *s, bool faults, bool small)
{
    s->at = AT_LISTS;
    for (unsigned d = 0; d < DRAWS; d++) {
        uint32_t index[40][3], count = 1 + below(below(3) ? 4 : 40), program;
        do
            program = below(below(3) ? OPAQUE : UTIL_ARRAY_SIZE(programs) - !faults);
        while (d < 4 && program == UTIL_ARRAY_SIZE(programs) - 1);
        uint32_t at = s->at;
        draw_state(s, VC4_TRIANGLES,
                   CONFIG_BOTH_FACES | CONFIG_DEPTH(below(8)) | below(2) * CONFIG_Z_UPDATES);
        util_store32(s->memory.base + at + 3, (AT_RECORDS + program * 64) | 1);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = 0, first = below(VERTICES / 3) * 3; k < 3; k++)
                index[i][k] = small ? first + k : below(VERTICES);
        primitives(s, VC4_TRIANGLES, index, count);
    }
    put8(s, 18);
}

static void put_frame(struct scene *s)
{
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, WIDTH, HEIGHT, RGBA_LINEAR);
    for (uint32_t y = 0; y < TILES_Y; y++)
        for (uint32_t x = 0; x < TILES_X; x++) {
            tile(s, x, y);
            sub_list(s, 0);
            general(s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR, AT_ZS, false);
            tile(s, x, y);
            store(s, x + 1 == TILES_X && y + 1 == TILES_Y);
        }
}

struct result {
    uint32_t color[WIDTH * HEIGHT], zs[WIDTH * HEIGHT];
    struct gpu_fault fault;
    unsigned faults;
    uint64_t instructions;
};

/* Scene number n, in a device of its own. */
static void draw_scene(unsigned n, struct jit_engine *engine, struct util_pool *pool, bool in_order,
                       struct result *out)
{
    struct scene s = {.pool = pool, .engine = engine};
    struct gpu_counters counters;

    seed = n * 0x9e3779b97f4a7c15u;
    assert_int_equal(gpu_memory_create(MEMORY, &s.memory), 0);
    struct gpu_options options = {.pool = pool,
                                  .engine = engine,
                                  .in_order = in_order,
                                  .job_fuel = n % 4 == 3 ? 2000 + below(400000) : 0};
    assert_int_equal(vc4_device_create(&s.memory, &options, &s.device), 0);
    assert_true(assemble(&s, AT_VS, VS_COPY));
    put_programs(&s);
    put_vertices(&s, n % 3 == 2);
    put_list(&s, n % 5 == 4, n % 3 == 2);
    put_frame(&s);
    render(&s);
    memset(out, 0, sizeof *out);
    out->faults = gpu_host_faults(vc4_device_host(s.device), &out->fault, 1);
    memcpy(out->color, s.memory.base + AT_COLOR, sizeof out->color);
    memcpy(out->zs, s.memory.base + AT_ZS, sizeof out->zs);
    counters = vc4_device_host(s.device)->counters;
    out->instructions = counters.instructions;
    vc4_device_destroy(s.device);
    gpu_memory_destroy(&s.memory);
}

static void compare(unsigned n, const char *what, const struct result *want, const struct result *got)
{
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        if (want->color[i] != got->color[i] || want->zs[i] != got->zs[i])
            fail_msg("scene %u, %s, pixel (%u, %u): want %08x %08x, got %08x %08x", n, what, i % WIDTH,
                     i / WIDTH, want->color[i], want->zs[i], got->color[i], got->zs[i]);
    assert_int_equal(want->faults, got->faults);
    assert_string_equal(want->fault.text, got->fault.text);
    assert_int_equal(want->fault.draw, got->fault.draw);
}

static void test_scenes(void **state)
{
    struct result *results = calloc(3, sizeof *results);
    struct util_pool *pool;
    unsigned faults = 0;
    uint64_t in_order = 0, deferred = 0;

    assert_non_null(results);
    assert_int_equal(util_pool_create(3, &pool), 0);
    for (int level = 0; level < JIT_LEVEL_COUNT; level++) {
        struct jit_options options = {.level = level, .optimize = 2, .cache_dir = ""};
        struct jit_engine *engine;

        if (!jit_level_supported((enum jit_level)level))
            continue;
        assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
        for (unsigned n = 0; n < SCENES; n++) {
            draw_scene(n, engine, NULL, true, &results[0]);
            draw_scene(n, engine, NULL, false, &results[1]);
            draw_scene(n, engine, pool, false, &results[2]);
            compare(n, "one thread", &results[0], &results[1]);
            compare(n, "four threads", &results[0], &results[2]);
            faults += results[0].faults;
            in_order += results[0].instructions;
            deferred += results[1].instructions;
            assert_int_equal(results[1].instructions, results[2].instructions);
        }
        jit_engine_destroy(engine);
    }
    assert_true(faults > 5);
    assert_true(deferred < in_order * 9 / 10); /* there was something hidden */
    util_pool_destroy(pool);
    free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

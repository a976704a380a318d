/* Utgard's compiled fragment path against its reference path: random render states, programs, textures and
 * primitives, at every vector level of the host. Zero differences in colour, depth, stencil and verdict.
 * VITRAIL_UTGARD_DRAWS sets how many draws each level shades (default 60), VITRAIL_UTGARD_SEED the first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag.h"
#include "isa/utgard_pp/asm.h"
#include "isa/utgard_pp/program.h"
#include "util/bits.h"
#include "util/fpenv.h"

enum {
    MEMORY = 4 << 20,
    PROGRAM = 0x1000,
    LIST = 0x8000,
    DESCRIPTORS = 0x9000,
    UNIFORM_LIST = 0xa000,
    UNIFORMS = 0xb000,
    VARYINGS = 0x10000,
    TEXELS = 0x20000,
    TEXTURES = 4
};

static uint64_t seed;
static uint32_t random32(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}
static uint32_t below(uint32_t n)
{
    return random32() % n;
}
static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

struct guest {
    struct gpu_memory memory;
    struct gpu_space space;
    struct util_maker maker;
    struct util_arena *arena;
    struct gpu_programs *programs;
    struct utgard_frag_shared shared;
};

static void guest_open(struct guest *g)
{
    util_maker_init(&g->maker);
    assert_int_equal(util_arena_create(&g->arena), 0);
    assert_int_equal(gpu_programs_create(&utgard_pp_kind, &g->programs), 0);
    assert_int_equal(gpu_memory_create(MEMORY, &g->memory), 0);
    assert_int_equal(gpu_space_create(&g->memory, &g->space), 0);
    gpu_space_begin(&g->space);
    for (uint32_t at = 0; at < MEMORY; at += GPU_PAGE)
        assert_true(gpu_space_map(&g->space, at, at, GPU_RIGHT_READ | GPU_RIGHT_WRITE));
    assert_int_equal(gpu_space_end(&g->space), 0);
}

static void guest_close(struct guest *g)
{
    gpu_space_destroy(&g->space);
    gpu_memory_destroy(&g->memory);
    gpu_programs_destroy(g->programs);
    util_arena_destroy(g->arena);
    util_maker_destroy(&g->maker);
}

static void put(struct guest *g, uint32_t address, uint32_t value)
{
    util_store32(g->memory.base + address, value);
}

/* ---- what is drawn ---- */

static void put_field(uint32_t *words, uint32_t first, uint32_t bits, uint64_t value)
{
    for (uint32_t n = 0; n < bits; n++)
        if (value >> n & 1)
            words[(first + n) / 32] |= 1u << (first + n) % 32;
}

/* A descriptor that is good: 64x32, or a cube of 32x32. */
static void random_descriptor(uint32_t words[16], bool cube)
{
    static const uint8_t formats[] = {0x09, 0x0a, 0x0b, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14,
                                      0x16, 0x16, 0x17, 0x20, 0x22, 0x23, 0x24, 0x2c, 0x32};
    bool tiled = cube || !one_in(3);
    uint32_t levels = 1 + below(4);

    memset(words, 0, 64);
    put_field(words, 0, 6, formats[below(sizeof formats)]);
    put_field(words, 7, 1, random32());
    put_field(words, 16, 15, 64 * 4);
    put_field(words, 39, 1, one_in(8) && !cube);
    put_field(words, 41, 1, cube);
    put_field(words, 42, 2, cube ? 2 : 1);
    put_field(words, 44, 8, one_in(4) ? below(20) : 0);
    put_field(words, 52, 8, (levels - 1) * 16);
    put_field(words, 60, 9, random32());
    put_field(words, 72, 1, !tiled);
    put_field(words, 73, 2, one_in(2) ? 3 : 0);
    put_field(words, 75, 2, random32());
    put_field(words, 77, 9, random32());
    put_field(words, 86, 13, cube ? 32 : 64);
    put_field(words, 99, 13, 32);
    put_field(words, 112, 13, 1);
    for (uint32_t n = 0; n < 4; n++)
        put_field(words, 125 + 16 * n, 16, random32());
    put_field(words, 205, 2, tiled ? 3 : 0);
    for (uint32_t n = 0; n < levels; n++)
        put_field(words, 222 + 26 * n, 26, (TEXELS + 0x8000 * n) >> 6);
}

static void random_words(uint32_t words[UTGARD_RSW_WORDS])
{
    static const uint8_t factors[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 13, 16, 17, 18, 24, 25};
    struct utgard_rsw r = {0};

    r.blend_red = below(256);
    r.blend_green = below(256);
    r.blend_blue = below(256);
    r.blend_alpha = below(256);
    r.color_func = one_in(8) ? 3 : (uint32_t[]){0, 1, 2, 2, 4, 5}[below(6)];
    r.alpha_blend_func = (uint32_t[]){0, 1, 2, 4, 5}[below(5)];
    r.color_src = one_in(2) ? 11 : factors[below(sizeof factors)];
    r.color_dst = one_in(2) ? 3 : factors[below(sizeof factors)];
    if (r.color_func == 3)
        r.color_src = below(16);
    r.alpha_src = factors[below(10)];
    r.alpha_dst = factors[below(10)];
    r.color_mask = one_in(4) ? below(16) : 15;
    r.depth_write = random32() & 1;
    r.depth_func = one_in(2) ? RASTER_ALWAYS : below(8);
    r.depth_program = one_in(5);
    r.depth_whole = one_in(2);
    r.depth_register = below(6);
    r.front_func = r.back_func = RASTER_ALWAYS;
    if (one_in(3)) {
        r.front_func = below(8);
        r.back_func = below(8);
        r.front_fail = below(8);
        r.front_zfail = below(8);
        r.front_zpass = below(8);
        r.back_fail = below(8);
        r.back_zfail = below(8);
        r.back_zpass = below(8);
    } else if (one_in(4)) {
        r.stencil_program = 1;
        r.front_fail = r.front_zfail = r.front_zpass = 1;
    }
    r.front_ref = below(256);
    r.back_ref = below(256);
    r.front_mask = below(256);
    r.back_mask = below(256);
    r.front_write = below(256);
    r.back_write = below(256);
    r.alpha_func = one_in(3) ? below(8) : RASTER_ALWAYS;
    r.alpha_ref = below(256);
    r.alpha_to_coverage = one_in(5);
    r.alpha_to_one = one_in(5);
    r.sample_mask = one_in(4) ? below(16) : 15;
    if (one_in(2)) { /* opaque, if the program is */
        r.color_func = r.alpha_blend_func = 2;
        r.color_src = r.alpha_src = 11;
        r.color_dst = r.alpha_dst = 3;
        r.color_mask = one_in(8) ? 0 : 15;
        r.depth_program = r.stencil_program = 0;
        r.alpha_func = RASTER_ALWAYS;
        r.sample_mask = 15;
    }
    r.color_register0 = r.color_register1 = r.color_register2 = r.color_register3 = below(6);
    r.program = PROGRAM >> 5;
    r.varying_types = random32() & 0x36db6db6 & ~04444444444u;
    r.varying_stride = 24;
    r.varyings = VARYINGS >> 4;
    r.has_uniforms = 1;
    r.uniform_size = 10;
    r.uniforms = UNIFORM_LIST >> 4;
    r.textures = LIST;
    r.texture_count = TEXTURES;
    utgard_rsw_pack(&r, words);
}

static bool tame(const uint32_t *words)
{
    struct utgard_pp_program *p;
    bool is;

    if (utgard_pp_program_create(words, 0x1800, &p, NULL))
        return false;
    is = !((p->temporaries && p->temporary_to - p->temporary_from > 16) || p->discards || p->reads_color ||
           p->reads_depth || p->indexed_uniforms || p->indexed_varyings || p->repeats);
    utgard_pp_program_destroy(p);
    return is;
}

/* Every fourth program is one that may be part of an opaque draw. */
static void random_program(uint64_t number, uint32_t *words)
{
    enum utgard_pp_random_profile kind = number % 3 ? UTGARD_PP_RANDOM_STRAIGHT : UTGARD_PP_RANDOM_FULL;
    unsigned tries = number % 4 ? 1 : 200;

    while (tries--) {
        utgard_pp_random(number + tries * UINT64_C(1000003), kind, words, 0x1800);
        if (tame(words))
            return;
    }
}

static void random_guest(struct guest *g, uint64_t number, struct utgard_state *state)
{
    uint32_t words[UTGARD_RSW_WORDS];
    struct gpu_fault fault;

    for (uint32_t at = TEXELS; at < TEXELS + 0x40000; at += 4)
        put(g, at, random32());
    for (uint32_t n = 0; n < 4096; n++) /* halves about 1, zeros and infinities among them */
        put(g, UNIFORMS + 4 * n, one_in(16) ? 0x7c000000 : (random32() & 0x83ff83ff) | 0x38003800);
    put(g, UNIFORM_LIST, UNIFORMS);
    for (uint32_t n = 0; n < TEXTURES; n++) {
        uint32_t descriptor[16];

        random_descriptor(descriptor, number & 1);
        memcpy(g->memory.base + DESCRIPTORS + 64 * n, descriptor, sizeof descriptor);
        put(g, LIST + 4 * n, DESCRIPTORS + 64 * n);
    }
    for (uint32_t n = 0; n < 3 * 48; n++)
        put(g, VARYINGS + 4 * n, util_f2u((float)(int32_t)random32() * 0x1p-30f));
    random_program(number, (uint32_t *)(void *)(g->memory.base + PROGRAM));
    random_words(words);
    if (!utgard_rsw_decode(words, 0, state, &fault))
        fail_msg("%s", fault.text);
}

static struct raster_tile start, want, got;

static bool random_prim(struct guest *g, const struct utgard_frag *frag, struct raster_prim *prim)
{
    struct raster_setup setup = {.vary_count = utgard_frag_varyings(frag)};
    struct raster_vertex v[3];
    float vary[3][RASTER_MAX_VARYINGS] = {{0}};
    struct gpu_space_run run = {0};
    struct gpu_fault fault;
    uint32_t size = one_in(3) ? 6 : 24;
    int32_t x = size < 24 ? (int32_t)below(16 * 16) : -64, y = size < 24 ? (int32_t)below(16 * 16) : -64;

    for (unsigned n = 0; n < 3; n++) {
        assert_true(utgard_frag_fetch(frag, &g->space, &run, n, vary[n], &fault));
        v[n] = (struct raster_vertex){.x = start.x * 16 + x + (int32_t)below(16 * size),
                                      .y = y + (int32_t)below(16 * size),
                                      .z = (float)below(1001) / 1000.0f,
                                      .inv_w = 0.25f + (float)below(1000) / 1000.0f,
                                      .vary = vary[n],
                                      .vary_stride = 1};
    }
    if (!(utgard_frag_wants_point(frag)
              ? raster_setup_point(prim, &setup, &v[0], 8.0f + (float)below(8), true)
              : raster_setup_triangle(prim, &setup, v)))
        return false;
    prim->reverse = random32() & 1;
    return true;
}

struct tally {
    uint32_t compiled, refused, faulted, drawn, opaque, halves;
};

static void fill(struct raster_tile *tile, uint32_t samples, bool halves)
{
    *tile = (struct raster_tile){.width = 16,
                                 .height = 16,
                                 .samples = samples,
                                 .x = 16 * (int32_t)below(3),
                                 .target = halves ? RASTER_TARGET_RGBA16F : RASTER_TARGET_8888};
    for (uint32_t n = 0; n < 256 * samples; n++) {
        tile->color[n] = random32();
        tile->zs[n] = random32();
    }
    for (uint32_t n = 256; halves && n < 512; n++)
        tile->color[n] = random32();
}

static void compare(uint64_t number)
{
    for (uint32_t n = 0; n < RASTER_TILE_WORDS; n++)
        if (want.color[n] != got.color[n] || want.zs[n] != got.zs[n])
            fail_msg("draw %" PRIu64 " word %u: colour %08x depth %08x, expected %08x %08x", number, n,
                     got.color[n], got.zs[n], want.color[n], want.zs[n]);
}

static const struct raster_rect clip = {0, 0, 64, 16};

static void color(void *work, const void *shader, const uint8_t *planes,
                  const struct raster_deferred_block *blocks, uint32_t count)
{
    raster_shader_color(shader, &got, planes, blocks, count, work);
}

/* Primitives of an opaque draw, tested as they come and coloured where they are seen. */
static void draw_deferred(struct guest *g, const struct utgard_frag *ref, const struct utgard_frag *compiled,
                          uint64_t number, bool halves)
{
    static struct raster_deferred queue;
    struct raster_block blocks[RASTER_BLOCKS_MAX];
    struct raster_prim prim;
    struct gpu_fault fault = {0};
    const struct raster_shader *shader = utgard_frag_shader(compiled), *ref_shader = utgard_frag_shader(ref);
    struct raster_shader_work wanted = {.fuel = 1u << 30, .fault = &fault}, done = wanted;
    uint16_t common;

    fill(&start, 1, halves);
    want = got = start;
    raster_deferred_begin(&queue, 16, 16);
    for (unsigned n = 0; n < 12; n++) {
        if (!random_prim(g, ref, &prim))
            continue;
        uint32_t count = raster_cover(&prim, &start, &clip, blocks), before = count;
        assert_int_equal(raster_shader_shade(ref_shader, &prim, &want, blocks, count, &wanted), 0);
        assert_int_equal(raster_shader_test(shader, &prim, &got, blocks, &count, &common, &done), 0);
        assert_true(count <= before);
        if (count)
            assert_true(raster_deferred_add(&queue, shader, &prim, prim.vary_count, blocks, count));
    }
    assert_int_equal(wanted.fuel, done.fuel);
    raster_deferred_shade(&queue, color, &done);
    assert_true(done.executed <= wanted.executed);
    compare(number);
}

static void draw(struct guest *g, struct jit_engine *engine, uint64_t number, struct tally *tally)
{
    struct utgard_frag_config config = {.samples = one_in(3) ? 4 : 1,
                                        .points = one_in(8),
                                        .fuel = 200,
                                        .y_scale = one_in(2) ? 1.0f : -1.0f,
                                        .y_offset = (float)below(100),
                                        .numeric = one_in(3) ? ISA_FAST : ISA_EXACT,
                                        .in_order = one_in(4),
                                        .shared = &g->shared};
    struct utgard_state state;
    struct utgard_frag *ref, *compiled;
    const struct raster_shader *shader;
    struct gpu_fault fault = {0}, fault2 = {0};
    struct raster_block blocks[RASTER_BLOCKS_MAX];
    struct raster_prim prim;

    config.rgba16f = config.samples == 1 && number % 5 < 2;
    random_guest(g, number, &state);
    if (utgard_frag_prepare(&g->space, NULL, &state, &config, &ref, &fault)) {
        assert_int_not_equal(fault.kind, GPU_FAULT_NONE);
        assert_int_not_equal(utgard_frag_prepare(&g->space, engine, &state, &config, &compiled, &fault2), 0);
        assert_string_equal(fault.text, fault2.text);
        tally->refused++;
        return;
    }
    assert_int_equal(utgard_frag_prepare(&g->space, engine, &state, &config, &compiled, &fault2), 0);
    shader = utgard_frag_shader(compiled);
    tally->compiled += utgard_frag_compiled(compiled);
    tally->halves += config.rgba16f && utgard_frag_compiled(compiled);
    for (unsigned round = 0; round < 3; round++) {
        struct raster_shader_work wanted = {.fuel = one_in(8) ? below(1000) : 1u << 30, .fault = &fault},
                                  done = wanted;

        fill(&start, config.samples, config.rgba16f);
        if (!random_prim(g, ref, &prim))
            continue;
        uint32_t count = raster_cover(&prim, &start, &clip, blocks);
        want = got = start;
        done.fault = &fault2;
        uint32_t code = raster_shader_shade(utgard_frag_shader(ref), &prim, &want, blocks, count, &wanted);
        uint32_t code2 = raster_shader_shade(shader, &prim, &got, blocks, count, &done);
        if (code != code2)
            fail_msg("draw %" PRIu64 ": fault %x, expected %x", number, code2, code);
        if (code)
            assert_string_equal(fault.text, fault2.text);
        else
            assert_int_equal(wanted.fuel, done.fuel);
        assert_int_equal(wanted.blocks, done.blocks);
        tally->faulted += code != 0;
        tally->drawn += count != 0;
        if (!code) {
            compare(number);
            assert_true(wanted.executed == done.executed ||
                        (shader->opaque && done.executed < wanted.executed));
        }
    }
    if (shader->opaque) {
        assert_false(config.in_order);
        draw_deferred(g, ref, compiled, number, config.rgba16f);
        tally->opaque++;
    }
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* `most`: LLVM's instructions that a program may have, 0: as by default. */
static void draw_all(struct guest *g, enum jit_level level, enum jit_tier tier, unsigned most)
{
    struct jit_options options = {.level = (int)level, .optimize = tier, .cache_dir = "", .max_insns = most};
    uint64_t draws = from_environment("VITRAIL_UTGARD_DRAWS", 60),
             first = from_environment("VITRAIL_UTGARD_SEED", 1);
    struct jit_engine *engine;
    struct tally tally = {0};

    if (!jit_level_supported(level))
        return;
    assert_int_equal(jit_engine_create(&options, &engine, NULL), 0);
    for (uint64_t n = first; n < first + draws; n++) {
        seed = n;
        utgard_frag_shared_begin(&g->shared, &g->maker, g->arena, g->programs);
        draw(g, engine, n, &tally);
        util_arena_reset(g->arena);
    }
    gpu_programs_empty(g->programs); /* it has code of the engine */
    jit_engine_destroy(engine);
    print_message("%s: %u compiled, %u opaque, %u refused, %u faults in %u primitives\n",
                  jit_level_name(level), tally.compiled, tally.opaque, tally.refused, tally.faulted,
                  tally.drawn);
    if (draws < 60)
        return;
    assert_true(most ? !tally.compiled : tally.compiled * 4 > draws);
    assert_true(tally.drawn > draws / 2);
    assert_true(most || tally.opaque > draws / 60);
    assert_true(most || tally.halves > draws / 20);
}

static void test_random(void **unused)
{
    unsigned saved = util_fpenv_enter();
    struct guest g;

    (void)unused;
    guest_open(&g);
    for (enum jit_level level = 0; level < JIT_LEVEL_COUNT; level++)
        draw_all(&g, level, JIT_QUICK, 0);
    draw_all(&g, JIT_AVX512, JIT_OPTIMISED, 0); /* which does several blocks side by side */
    draw_all(&g, JIT_SSE41, JIT_QUICK, 1);      /* all are refused */
    util_fpenv_leave(saved);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

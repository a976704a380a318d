/* The reference fragment path: small programs over one block, with pixels worked out by hand from
 * raster/prim.h, raster/tile.h and Guide sections 4 to 6. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/vc4/frag_ref.h"
#include "isa/vc4_qpu/asm.h"
#include "raster/depth.h"
#include "util/bits.h"

#define MEMORY_SIZE (1u << 20)
#define UNIFORMS    0x1000u
#define TEXTURE     0x8000u
#define CLEAR       0xdeadbeefu
#define END         "nop ; thrend\n nop\n nop\n"

struct scene {
    struct gpu_memory memory;
    struct vc4_qpu_program *program;
    struct vc4_frag_ref *ref;
    struct vc4_shader_state state;
    struct vc4_frag_config config;
    struct raster_prim prim;
    struct raster_tile tile;
    struct raster_block block;
    struct gpu_fault fault;
    uint32_t fuel;
};

/* z at the reference point, and what it grows by a pixel to the right. */
static void set_depth(struct scene *scene, double slope, double z)
{
    scene->prim.depth =
        raster_depth_plane(slope * RASTER_DEPTH_STEPS, 0, z * RASTER_DEPTH_STEPS, 0, 20 * 16, 32 * 16);
}

/* A tile of 8x8 pixels at window (16, 32), its blocks cleared to depth 0x800000; the block drawn is the one
 * at tile pixel (4, 0). The primitive: z 0.25, 1/w 0.5. */
static struct scene *scene_create(uint32_t samples)
{
    struct scene *scene = aligned_alloc(64, (sizeof *scene + 63) & ~63ul);

    memset(scene, 0, sizeof *scene);
    scene->memory = (struct gpu_memory){.base = calloc(1, MEMORY_SIZE), .size = MEMORY_SIZE};
    scene->config =
        (struct vc4_frag_config){.depth_func = RASTER_LESS, .z_updates = true, .samples = (uint8_t)samples};
    scene->state.fs = (struct vc4_stage){.code = 0x2000, .uniforms = UNIFORMS};
    scene->fuel = 100;
    scene->prim = (struct raster_prim){.x0 = 20, .y0 = 32, .inv_w_c = 0.5f};
    set_depth(scene, 0, 0.25);
    scene->tile.width = scene->tile.height = 8;
    scene->tile.samples = samples;
    scene->tile.x = 16;
    scene->tile.y = 32;
    for (uint32_t i = 0; i < RASTER_TILE_WORDS; i++) {
        scene->tile.color[i] = CLEAR;
        scene->tile.zs[i] = 0x80000000;
    }
    scene->block = (struct raster_block){.x = 1, .mask = 0xffff, .sample = {0xffff, 0xffff, 0xffff, 0xffff}};
    return scene;
}

static void scene_destroy(struct scene *scene)
{
    vc4_frag_ref_release(scene->ref);
    vc4_qpu_program_destroy(scene->program);
    free(scene->memory.base);
    free(scene);
}

static void uniform(struct scene *scene, uint32_t word, uint32_t value)
{
    util_store32(scene->memory.base + UNIFORMS + 4 * word, value);
}

static int prepare(struct scene *scene, const char *text)
{
    struct util_error error = {0};
    uint64_t *words = NULL;
    uint32_t count = 0;

    if (vc4_qpu_asm(text, strlen(text), &words, &count, &error) < 0 ||
        vc4_qpu_program_create(words, count, &scene->program, &error) < 0)
        fail_msg("%s", error.text);
    free(words);
    scene->state.fs.program = scene->program;
    return vc4_frag_ref_prepare(&scene->memory, &scene->state, &scene->config, scene->fuel, &scene->ref,
                                &scene->fault);
}

static uint32_t shade(struct scene *scene, const char *text)
{
    uint64_t executed = 0, fuel = UINT64_MAX;

    if (!scene->ref && prepare(scene, text) < 0)
        fail_msg("%s", scene->fault.text);
    return vc4_frag_ref_shade(scene->ref, &scene->prim, &scene->tile, &scene->block, 1, &fuel, &executed,
                              &scene->fault);
}

static void shade_well(struct scene *scene, const char *text)
{
    if (shade(scene, text))
        fail_msg("%s", scene->fault.text);
}

/* Colour and depth word of pixel (x, y) of the block. */
static uint32_t *color_at(struct scene *scene, uint32_t x, uint32_t y, uint32_t sample)
{
    return &scene->tile.color[raster_pixel_index(&scene->tile, 4 + x, y, sample)];
}

static uint32_t zs_at(struct scene *scene, uint32_t x, uint32_t y, uint32_t sample)
{
    return scene->tile.zs[raster_pixel_index(&scene->tile, 4 + x, y, sample)];
}

/* ---- coverage, coordinates, varyings ---- */

static void writes_covered_lanes_at_their_pixels(void **state)
{
    struct scene *scene = scene_create(1);

    scene->block.mask = scene->block.sample[0] =
        (uint16_t)(1u << raster_lane(2, 1) | 1u << raster_lane(0, 3));
    shade_well(scene, "shl r0, x_coord, 8 ; nop\n or tlb_color, r0, y_coord\n" END);
    assert_int_equal(*color_at(scene, 2, 1, 0), 22 << 8 | 33);
    assert_int_equal(*color_at(scene, 0, 3, 0), 20 << 8 | 35);
    assert_int_equal(*color_at(scene, 1, 1, 0), CLEAR);
    assert_int_equal(scene->tile.color[raster_pixel_index(&scene->tile, 2, 1, 0)],
                     CLEAR); /* the block beside */
    scene_destroy(scene);
}

static void varyings_are_planes(void **state)
{
    struct scene *scene = scene_create(1);

    /* (2 dx + 4 dy) * w + 0.5 with w = 2 and dx, dy from pixel centres: pixel (1, 2): (3 + 10) * 2 + 0.5. */
    scene->prim.vary_a[1] = 2;
    scene->prim.vary_b[1] = 4;
    scene->prim.vary_c[1] = 0.5f;
    shade_well(scene,
               "nop ; fmul r0, b.vary, ra15\n nop ; fmul r0, b.vary, ra15\n fadd tlb_color, r0, r5\n" END);
    assert_int_equal(*color_at(scene, 1, 2, 0), util_f2u(26.5f));
    scene_destroy(scene);
}

/* ---- depth and stencil ---- */

static void depth_test_gates_color(void **state)
{
    struct scene *scene = scene_create(1);

    /* z from 0.25, 0.25 more a pixel to the right: 0.375, 0.625, ... against 0.5 (0x800000). */
    set_depth(scene, 0.25, 0.25);
    shade_well(scene, "mov tlb_z, rb15\n ldi tlb_color, 7\n" END);
    for (uint32_t y = 0; y < 4; y++) {
        assert_int_equal(*color_at(scene, 0, y, 0), 7);
        assert_int_equal(zs_at(scene, 0, y, 0), 0x60000000); /* 0.375 * (2^24 - 1) + 0.5 = 6291455.6 + .5 */
        assert_int_equal(*color_at(scene, 1, y, 0), CLEAR);
        assert_int_equal(zs_at(scene, 1, y, 0), 0x80000000);
    }
    scene_destroy(scene);
}

static void payload_depth_is_clamped(void **state)
{
    struct scene *scene = scene_create(1);

    set_depth(scene, 1, -1.5); /* -1, 0, 1, 2 */
    shade_well(scene, "mov tlb_color, rb15\n" END);
    assert_int_equal(*color_at(scene, 0, 0, 0), 0);
    assert_int_equal(*color_at(scene, 1, 0, 0), 0);
    assert_int_equal(*color_at(scene, 2, 0, 0), 0xffffff);
    assert_int_equal(*color_at(scene, 3, 0, 0), 0xffffff);
    scene_destroy(scene);
}

static void stencil_words_configure_both_faces(void **state)
{
    /* both faces: write mask 0xff, zfail incr_sat, zpass replace, fail invert, always, ref 0x5a, mask 0xff */
    const uint32_t both = 3u << 30 | 3u << 28 | 3u << 25 | 2u << 22 | 5u << 19 | 7u << 16 | 0x5a00 | 0xff;
    struct scene *scene = scene_create(1);

    uniform(scene, 0, both);
    uniform(scene, 1, 0xf000); /* write masks: back 0xf0, front 0 */
    scene->prim.reverse = 1;
    set_depth(scene, 0.25, 0.25);
    shade_well(scene, "mov tlb_stencil, unif\n mov tlb_stencil, unif\n mov tlb_z, rb15\n" END);
    assert_int_equal(zs_at(scene, 0, 0, 0), 0x60000050); /* passes: 0x5a through mask 0xf0 */
    assert_int_equal(zs_at(scene, 1, 0, 0), 0x80000000); /* depth fails: 0 + 1, masked away */
    scene->prim.reverse = 0;
    set_depth(scene, 0, 0.25);
    shade_well(scene, NULL);
    assert_int_equal(zs_at(scene, 1, 0, 0), 0x40000000); /* front: mask 0 */
    scene_destroy(scene);
}

static void conditional_writes_keep_pixels(void **state)
{
    struct scene *scene = scene_create(1);

    /* Discard where the varying is negative: its plane is dx - 2, from the centres -1.5, -0.5, 0.5, 1.5. */
    scene->prim.vary_a[0] = 1;
    scene->prim.vary_c[0] = -4;
    shade_well(scene, "nop ; fmul r0, b.vary, ra15\n fadd.sf r0, r0, r5\n mov.nc tlb_z, rb15\n"
                      "ldi.nc tlb_color, 9\n" END);
    assert_int_equal(*color_at(scene, 1, 1, 0), CLEAR);
    assert_int_equal(zs_at(scene, 1, 1, 0), 0x80000000);
    assert_int_equal(*color_at(scene, 2, 1, 0), 9);
    assert_int_equal(zs_at(scene, 2, 1, 0), 0x40000000);
    scene_destroy(scene);
}

/* ---- samples ---- */

static void samples_are_masked_and_counted(void **state)
{
    struct scene *scene = scene_create(4);

    scene->block.sample[2] = 0x0001; /* sample 2 only at pixel (0, 0) */
    for (uint32_t k = 0; k < 4; k++)
        *color_at(scene, 1, 0, k) = 100 * (k + 1);
    /* each sample: loaded + 1 */
    shade_well(scene, "nop ; ldcol\n add tlb_color_ms, r4, 1 ; nop\n nop ; ldcol\n add tlb_color_ms, r4, 1\n"
                      "nop ; ldcol\n add tlb_color_ms, r4, 1\n nop ; ldcol\n add tlb_color_ms, r4, 1\n" END);
    assert_int_equal(*color_at(scene, 1, 0, 0), 101);
    assert_int_equal(*color_at(scene, 1, 0, 1), 201);
    assert_int_equal(*color_at(scene, 1, 0, 2), 300);
    assert_int_equal(*color_at(scene, 1, 0, 3), 401);
    assert_int_equal(*color_at(scene, 0, 0, 2), CLEAR + 1);
    scene_destroy(scene);
}

static void sample_masks_read_and_narrow(void **state)
{
    struct scene *scene = scene_create(4);

    scene->block.sample[0] = 0x00ff; /* the upper two rows */
    shade_well(scene, "mov r0, ms_flags\n and ms_flags, r0, 6\n mov tlb_color, r0\n" END);
    assert_int_equal(*color_at(scene, 0, 0, 0), CLEAR);
    assert_int_equal(*color_at(scene, 0, 0, 1), 15);
    assert_int_equal(*color_at(scene, 0, 0, 2), 15);
    assert_int_equal(*color_at(scene, 0, 0, 3), CLEAR);
    assert_int_equal(*color_at(scene, 0, 3, 1), 14);
    /* Writing flags that are not covered does not cover them. */
    scene_destroy(scene);
    scene = scene_create(4);
    scene->block.sample[0] = 0;
    shade_well(scene, "ldi ms_flags, 15\n ldi tlb_color, 3\n" END);
    assert_int_equal(*color_at(scene, 0, 0, 0), CLEAR);
    assert_int_equal(*color_at(scene, 0, 0, 1), 3);
    scene_destroy(scene);
}

static void depth_test_is_a_sample_each(void **state)
{
    struct scene *scene = scene_create(4);

    scene->tile.zs[raster_pixel_index(&scene->tile, 4, 0, 3)] = 0x20000000; /* nearer than 0.25 */
    shade_well(scene, "mov tlb_z, rb15\n ldi tlb_color, 1\n" END);
    assert_int_equal(*color_at(scene, 0, 0, 2), 1);
    assert_int_equal(*color_at(scene, 0, 0, 3), CLEAR);
    assert_int_equal(zs_at(scene, 0, 0, 3), 0x20000000);
    scene_destroy(scene);
}

/* ---- textures and lookups ---- */

static void textures_come_from_the_uniform_words(void **state)
{
    struct scene *scene = scene_create(1);

    /* A 4x4 RGBA8888 texture: one utile in raster order; s, t = pixel / 4. */
    for (uint32_t i = 0; i < 16; i++)
        util_store32(scene->memory.base + TEXTURE + 4 * i, 0x10 + i);
    uniform(scene, 0, TEXTURE);
    uniform(scene, 1, 4u << 20 | 4u << 8 | 1 << 7 | 1 << 4);
    scene->prim.inv_w_c = 1;
    scene->prim.vary_a[0] = 0.25f;
    scene->prim.vary_b[1] = 0.25f;
    shade_well(scene,
               "nop ; fmul r0, b.vary, ra15\n nop ; fmul r1, b.vary, ra15\n mov tmu0_t, r1\n mov tmu0_s, r0\n"
               "nop ; ldtmu0\n mov tlb_color, r4\n" END);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            assert_int_equal(*color_at(scene, x, y, 0), 0x10 + y * 4 + x);
    scene_destroy(scene);
}

static void results_come_back_in_order(void **state)
{
    struct scene *scene = scene_create(1);

    for (uint32_t i = 0; i < 5; i++)
        util_store32(scene->memory.base + 0x4000 + 4 * i, 1u << i);
    shade_well(scene, "ldi tmu0_s, 0x4000\n ldi tmu1_s, 0x4008\n ldi tmu0_s, 0x4007\n nop ; ldtmu1\n mov r0, "
                      "r4 ; nop ; ldtmu0\n"
                      "add r0, r0, r0\n add r0, r0, r4 ; nop ; ldtmu0\n add r0, r0, r0\n add r0, r0, r4\n "
                      "mov tlb_color, r0\n" END);
    assert_int_equal(*color_at(scene, 3, 3, 0), (4 * 2 + 1) * 2 + 2); /* 0x4007 reads the word at 0x4004 */
    scene_destroy(scene);
}

/* ---- faults ---- */

static void check_fault(const char *text, enum gpu_fault_kind kind, uint32_t pc, uint32_t address)
{
    struct scene *scene = scene_create(1);

    uniform(scene, 0, 0xf000); /* as a texture of 2048x2048: leaves memory */
    if (prepare(scene, text) == 0)
        assert_int_not_equal(shade(scene, text), 0);
    if (scene->fault.kind != kind || scene->fault.pc != pc || scene->fault.address != address)
        fail_msg("%s: kind %u pc %u at 0x%08x (%s)", text, scene->fault.kind, scene->fault.pc,
                 scene->fault.address, scene->fault.text);
    scene_destroy(scene);
}

static void faults_are_reported(void **state)
{
    check_fault("nop\n ldi tmu0_s, 0x100000\n nop ; ldtmu0\n" END, GPU_FAULT_MEMORY, 1, 0x100000);
    check_fault("nop ; ldtmu1\n" END, GPU_FAULT_SHADER, 0, 0x2000);
    check_fault("ldi tmu0_s, 0\n ldi tmu0_s, 0\n ldi tmu0_s, 0\n ldi tmu0_s, 0\n ldi tmu0_s, 0\n"
                "ldi tmu0_s, 0\n ldi tmu0_s, 0\n ldi tmu0_s, 0\n ldi tmu0_s, 0\n" END,
                GPU_FAULT_SHADER, 8, 0x2040);
    check_fault("ldi tmu0_t, 0\n ldi tmu0_s, 0\n nop ; ldtmu0\n" END, GPU_FAULT_MEMORY, 1, 0xf000);
    check_fault("ldi unif_addr, 0xfffff0\n nop\n nop\n mov r0, unif\n" END, GPU_FAULT_MEMORY, 3, 0xfffff0);
    check_fault("ldi unif_addr, 2\n nop\n nop\n mov r0, unif\n" END, GPU_FAULT_MEMORY, 3, 2);
    check_fault("again: nop\n brr again\n nop\n nop\n nop\n" END, GPU_FAULT_TIMEOUT, 1, 0x2008);
    check_fault("mov r0, vpm\n" END, GPU_FAULT_UNSUPPORTED, 0, 0x2000);
    check_fault("op9 r0, r0, r0\n" END, GPU_FAULT_SHADER, 0, 0x2000);
}

/* The words are fetched when the draw is prepared: what the guest writes later does not change it. */
static void uniforms_are_fetched_once(void **state)
{
    struct scene *scene = scene_create(1);

    uniform(scene, 0, 11);
    assert_int_equal(prepare(scene, "mov tlb_color, unif\n" END), 0);
    uniform(scene, 0, 12);
    shade_well(scene, NULL);
    assert_int_equal(*color_at(scene, 0, 0, 0), 11);
    scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_covered_lanes_at_their_pixels),
        cmocka_unit_test(varyings_are_planes),
        cmocka_unit_test(depth_test_gates_color),
        cmocka_unit_test(payload_depth_is_clamped),
        cmocka_unit_test(stencil_words_configure_both_faces),
        cmocka_unit_test(conditional_writes_keep_pixels),
        cmocka_unit_test(samples_are_masked_and_counted),
        cmocka_unit_test(sample_masks_read_and_narrow),
        cmocka_unit_test(depth_test_is_a_sample_each),
        cmocka_unit_test(textures_come_from_the_uniform_words),
        cmocka_unit_test(results_come_back_in_order),
        cmocka_unit_test(faults_are_reported),
        cmocka_unit_test(uniforms_are_fetched_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

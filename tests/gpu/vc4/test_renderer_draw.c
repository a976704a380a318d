/* Drawing in a tile, by hand-made lists: coverage, depth, state, varyings, clipped primitives, samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

static void triangle(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        struct gpu_counters counters;
        assert_true(scene_open(&s, ways[w]));
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES); /* less */
        render_well(&s);
        for (uint32_t y = 0; y < 64; y++) {
            for (uint32_t x = 0; x < 128; x++) {
                bool in = inside(x, y);
                assert_int_equal(pixel(&s, x, y), in ? BLUE : RED);
                assert_int_equal(depth_pixel(&s, x, y), in ? 0x40000007 : 0x80000007);
            }
        }
        counters = vc4_device_host(s.device)->counters;
        assert_true(counters.blocks_shaded > 2000 / 16 && counters.blocks_shaded < 300);
        assert_int_equal(vc4_read(s.device, VC4_CT1LC), 2); /* returns */
        scene_close(&s);
    }
}

/* Depth comparison, depth writes, and culling reach the program from record 96. */
static void configuration(void **state)
{
    static const struct {
        uint32_t bits;
        bool drawn, written;
    } rows[] = {
        {CONFIG_BOTH_FACES | CONFIG_DEPTH(1), true, false},                     /* less, no updates */
        {CONFIG_BOTH_FACES | CONFIG_DEPTH(4) | CONFIG_Z_UPDATES, false, false}, /* greater */
        {CONFIG_BOTH_FACES | CONFIG_DEPTH(0) | CONFIG_Z_UPDATES, false, false}, /* never */
        /* counter-clockwise in memory coordinates is positive area: forward unless "clockwise" */
        {1 | CONFIG_DEPTH(7) | CONFIG_Z_UPDATES, true, true},
        {2 | CONFIG_DEPTH(7) | CONFIG_Z_UPDATES, false, false},
        {1 | CONFIG_CLOCKWISE | CONFIG_DEPTH(7), false, false},
        {2 | CONFIG_CLOCKWISE | CONFIG_DEPTH(7), true, false},
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        struct scene s;
        assert_true(scene_open(&s, plain));
        triangle_scene(&s, rows[i].bits);
        render_well(&s);
        assert_int_equal(pixel(&s, 20, 20), rows[i].drawn ? BLUE : RED);
        assert_int_equal(depth_pixel(&s, 20, 20), rows[i].written ? 0x40000007 : 0x80000007);
        scene_close(&s);
    }
    struct scene s;
    assert_true(scene_open(&s, plain));
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7) | 3u << 6); /* a reserved oversample mode */
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_PACKET);
    scene_close(&s);
}

/* Clip window and viewport offset; state of the main list reaches the tiles, a tile's own does not leave it.
 */
static void windows(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    s.at = AT_LISTS;
    put8(&s, 48);
    codes(&s, VC4_TRIANGLES, one_triangle, 1);
    put8(&s, 102); /* too late for this tile */
    put32(&s, 0);
    put32(&s, 0);
    put8(&s, 18);
    s.at = AT_MAIN;
    clear_first(&s, RED, 0, 0);
    config(&s, 128, 64, RGBA_LINEAR);
    draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(&s, 102);
    put16(&s, 12);
    put16(&s, 10);
    put16(&s, 60);
    put16(&s, 5);
    put8(&s, 103);
    put16(&s, 16 * 2);
    put16(&s, (uint32_t)(-16 * 3) & 0xffff);
    for (uint32_t x = 0; x < 2; x++) {
        tile(&s, x, 0);
        sub_list(&s, 0);
        store(&s, x == 1);
    }
    render_well(&s);
    for (uint32_t y = 0; y < 60; y++) {
        for (uint32_t x = 2; x < 128; x++) {
            bool in = inside(x - 2, y + 3) && x >= 12 && x < 72 && y >= 10 && y < 15;
            assert_int_equal(pixel(&s, x, y), in ? BLUE : RED);
        }
    }
    scene_close(&s);
}

/* Perspective is 1 here: a varying is linear in the window; flat takes the last vertex's value. */
static void varyings(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        for (unsigned flat = 0; flat < 2; flat++) {
            struct scene s;
            assert_true(scene_open(&s, ways[w]));
            assert_true(assemble(&s, AT_FS, FS_VARYING));
            shader_record(&s, 1);
            triangle_scene(&s, 0);
            s.at = AT_LISTS;
            draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
            put8(&s, 97);
            put32(&s, flat);
            primitives(&s, VC4_TRIANGLES, one_triangle, 1);
            put8(&s, 18);
            vertex(&s, 2, 8, 58, 0.25f, 0.5f);
            s.at = AT_MAIN;
            clear_first(&s, RED, 0, 0);
            config(&s, 128, 64, RGBA_LINEAR);
            one_tile(&s);
            render_well(&s);
            for (uint32_t x = 8; x < 60; x++) {
                double value = flat ? 0.5 : (x + 0.5 - 8) / 80 + (20.5 - 8) / 50 * 0.5;
                int got = (int)(pixel(&s, x, 20) & 0xff), want = (int)(value * 255 + 0.5);
                if (inside(x, 20))
                    assert_in_range(got + 1 - want, 0, 2);
            }
            scene_close(&s);
        }
    }
}

/* A clipped primitive's vertices stand where its record says, with varyings made of the original ones; the
 * primitives after it are not clipped. */
static void clipped(void **state)
{
    static const uint32_t two[2][3] = {{0, 1, 2}, {3, 4, 5}};
    struct scene s;
    assert_true(scene_open(&s, plain));
    assert_true(assemble(&s, AT_FS, FS_VARYING));
    shader_record(&s, 1);
    vertex(&s, 0, 4, 4, 0.5f, 0.2f);
    vertex(&s, 1, 2000, 4, 0.5f, 1.0f); /* clipped away to (44, 4) */
    vertex(&s, 2, 4, 44, 0.5f, 0.2f);
    vertex(&s, 3, 34, 44, 0.5f, 1.0f);
    vertex(&s, 4, 60, 44, 0.5f, 1.0f);
    vertex(&s, 5, 34, 60, 0.5f, 1.0f);
    s.at = AT_CLIPPED;
    put16(&s, 44 * 16);
    put16(&s, 4 * 16);
    put_float(&s, 0.5f);
    put_float(&s, 1.0f);
    put_float(&s, 0.25f); /* 0.25 * 0.2 + 0.5 * 1.0 + 0.25 * 0.2 = 0.6 */
    put_float(&s, 0.5f);
    put_float(&s, 0.25f);
    s.at = AT_LISTS;
    draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(&s, 49);
    put32(&s, AT_CLIPPED | 2);
    codes(&s, VC4_TRIANGLES, two, 2);
    put8(&s, 18);
    s.at = AT_MAIN;
    clear_first(&s, RED, 0, 0);
    config(&s, 64, 64, RGBA_LINEAR);
    one_tile(&s);
    render_well(&s);
    assert_int_equal(pixel(&s, 3, 4), RED);
    assert_int_equal(pixel(&s, 45, 4), RED);
    assert_in_range(pixel(&s, 4, 4) & 0xff, 51, 53);    /* 0.2 */
    assert_in_range(pixel(&s, 42, 4) & 0xff, 147, 153); /* just under 0.6 */
    assert_int_equal(pixel(&s, 40, 46), 0xffffffff);
    scene_close(&s);
}

/* Records 32 and 33 in a rendering list: modes, index sizes, the maximum. */
static void gl_lists(void **state)
{
    static const uint8_t fan[] = {0, 1, 3, 2}; /* a square */
    struct scene s;
    assert_true(scene_open(&s, plain));
    util_store32(s.memory.base + AT_UNIFORMS, BLUE);
    vertex(&s, 0, 0, 0, 0, 0);
    vertex(&s, 1, 32, 0, 0, 0);
    vertex(&s, 2, 0, 32, 0, 0);
    vertex(&s, 3, 32, 32, 0, 0);
    memcpy(s.memory.base + AT_INDICES, fan, sizeof fan);
    for (unsigned indexed = 0; indexed < 3; indexed++) {
        clear_first(&s, RED, 0, 0);
        config(&s, 64, 64, RGBA_LINEAR);
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        tile(&s, 0, 0);
        if (indexed) {
            put8(&s, 32);
            put8(&s, 6); /* fan, 8 bits */
            put32(&s, 4);
            put32(&s, AT_INDICES);
            put32(&s, indexed == 1 ? 3 : 2);
        } else {
            put8(&s, 33);
            put8(&s, 5); /* strip */
            put32(&s, 4);
            put32(&s, 0);
        }
        store(&s, true);
        render(&s);
        if (indexed == 2) { /* "primitives using a greater index will cause error" */
            assert_int_equal(one_fault(&s).kind, GPU_FAULT_MEMORY);
            continue;
        }
        no_faults(&s);
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 64; x++)
                assert_int_equal(pixel(&s, x, y), x < 32 && y < 32 ? BLUE : RED);
    }
    scene_close(&s);
}

/* Four samples a pixel: with oversampling an edge's pixels are mixed, without they are all or nothing. */
static void multisampling(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        for (unsigned over = 0; over < 2; over++) {
            struct scene s;
            unsigned mixed = 0, full = 0;
            assert_true(scene_open(&s, ways[w]));
            triangle_scene(&s, 0);
            s.at = AT_LISTS;
            draw_state(&s, VC4_TRIANGLES,
                       CONFIG_BOTH_FACES | CONFIG_DEPTH(7) | (over ? CONFIG_OVERSAMPLE : 0));
            primitives(&s, VC4_TRIANGLES, one_triangle, 1);
            put8(&s, 18);
            s.at = AT_MAIN;
            clear_first(&s, RED, 0, 0);
            config(&s, 128, 64, RGBA_LINEAR | MS4X);
            for (uint32_t i = 0; i < 8; i++) {
                tile(&s, i % 4, i / 4);
                sub_list(&s, 0);
                store(&s, i == 7);
            }
            render_well(&s);
            for (uint32_t y = 0; y < 64; y++) {
                for (uint32_t x = 0; x < 128; x++) {
                    mixed += pixel(&s, x, y) != RED && pixel(&s, x, y) != BLUE;
                    full += pixel(&s, x, y) == BLUE;
                    if (!over)
                        assert_int_equal(pixel(&s, x, y), inside(x, y) ? BLUE : RED);
                }
            }
            assert_true(over ? mixed > 50 && mixed < 150 : !mixed);
            assert_in_range(full, 1900, 2000);
            scene_close(&s);
        }
    }
}

/* A vertex program that repeats: a triangle pays for its three vertices what one and a half batches take. */
static void repeated_vertices(void **state)
{
    enum { BATCH = 10000 * 5, PARTS = 16 /* that a job's fuel is divided into for its tiles */ };
    for (unsigned enough = 0; enough < 2; enough++) {
        struct gpu_options options = {.job_fuel = (uint64_t)PARTS * BATCH * (enough ? 16 : 14) / 10};
        struct scene s;
        assert_true(scene_open(&s, plain));
        vc4_device_destroy(s.device);
        assert_int_equal(vc4_device_create(&s.memory, &options, &s.device), 0);
        assert_true(assemble(
            &s, AT_VS, "ldi r0, 10000\nL2:\n sub.sf r0, r0, 1\n brr.allzc L2\n nop\n nop\n nop\n" VS_COPY));
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        render(&s);
        if (enough)
            no_faults(&s);
        else
            assert_int_equal(one_fault(&s).kind, GPU_FAULT_TIMEOUT);
        assert_int_equal(pixel(&s, 20, 20), enough ? BLUE : RED);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangle),      cmocka_unit_test(configuration),     cmocka_unit_test(windows),
        cmocka_unit_test(varyings),      cmocka_unit_test(clipped),           cmocka_unit_test(gl_lists),
        cmocka_unit_test(multisampling), cmocka_unit_test(repeated_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

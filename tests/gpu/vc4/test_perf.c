/* Performance counters (Guide tables 82 to 86): registers, and what each source counts of a picture whose
 * quads are counted here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

enum { EVENTS = 30 };

/* Counter n follows event first + n. */
static void follow(struct scene *s, unsigned first)
{
    for (unsigned n = 0; n < 16; n++)
        vc4_write(s->device, VC4_PCTRS + 8 * n, first + n);
    vc4_write(s->device, VC4_PCTRC, 0xffff);
    vc4_write(s->device, VC4_PCTRE, 0xffff);
}

static uint32_t count(const struct scene *s, unsigned n)
{
    return vc4_read(s->device, VC4_PCTR + 8 * n);
}

/* Quads with a pixel inside the triangle, of all tiles; and the 4x4 blocks with one. */
static uint32_t areas(uint32_t side)
{
    uint32_t n = 0;
    for (uint32_t y = 0; y < 64; y += side)
        for (uint32_t x = 0; x < 128; x += side) {
            bool any = false;
            for (uint32_t i = 0; i < side * side; i++)
                any |= inside(x + i % side, y + i / side);
            n += any;
        }
    return n;
}

/* Draws the scene twice, for the events below 15 and for the others. */
static void measure(struct scene *s, uint32_t bits, uint64_t out[EVENTS])
{
    for (unsigned half = 0; half < 2; half++) {
        triangle_scene(s, bits);
        follow(s, half * 15);
        render_well(s);
        for (unsigned n = 0; n < 15; n++)
            out[half * 15 + n] = count(s, n);
        vc4_write(s->device, VC4_PCTRE, 0);
    }
}

static void picture(void **state)
{
    uint64_t first[EVENTS] = {0};
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        struct gpu_counters before, after;
        uint64_t e[EVENTS];
        uint32_t quads = areas(2);
        assert_true(scene_open(&s, ways[w]));
        before = vc4_device_host(s.device)->counters;
        measure(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES, e);
        after = vc4_device_host(s.device)->counters;
        assert_int_equal(e[0], 0);
        assert_int_equal(e[1], 2); /* in each of two tiles */
        assert_int_equal(e[2], 0);
        assert_int_equal(e[3], quads);
        assert_int_equal(e[4], 0);
        assert_int_equal(e[5], 0);
        assert_int_equal(e[6], quads);
        assert_int_equal(e[9], quads);
        assert_int_equal(e[12], 0);
        uint64_t instructions = (after.instructions - before.instructions) / 2;
        assert_int_equal(e[16], instructions * 4);
        assert_int_equal(e[14] + e[15], e[16]);
        assert_true(e[14] > 0 && e[15] > 0);
        assert_int_equal(e[15] / 4, areas(4) * 5); /* the program has five instructions */
        assert_int_equal((e[13] + e[16]) % (12 * 4), 0);
        assert_true(e[13] < 12 * 4);
        assert_int_equal(e[17] + e[18] + e[19] + e[25] + e[26] + e[27], 0);
        /* each slice fetches a line of either program and of the fragments' uniforms */
        assert_int_equal(e[21], 3 * (1 + 2));
        assert_int_equal(e[20] + e[21], instructions);
        assert_int_equal(e[23], 3);
        assert_int_equal(e[22] + e[23], areas(4)); /* one uniform a block */
        assert_int_equal(e[28] + e[29], e[21] + e[23]);
        assert_int_equal(e[24], 0);
        if (w)
            assert_memory_equal(first, e, sizeof e);
        memcpy(first, e, sizeof e);
        scene_close(&s);
    }
}

/* Failed tests, culled primitives, primitives that cover nothing, depth planes. */
static void failures(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        uint64_t e[EVENTS];
        assert_true(scene_open(&s, ways[w]));
        measure(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(4) | CONFIG_Z_UPDATES, e); /* greater: none passes */
        assert_int_equal(e[3], areas(2));
        assert_int_equal(e[4], 0);
        assert_int_equal(e[5], areas(2));
        assert_int_equal(e[6], 0);
        assert_int_equal(e[9], 0);
        measure(&s, 2 | CONFIG_DEPTH(7), e); /* it faces forward */
        assert_int_equal(e[1], 0);
        assert_int_equal(e[3], 0);
        assert_int_equal(e[12], 2);

        /* The stencil is 7 by the clear value: never equal 3. */
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        assert_true(assemble(&s, AT_FS,
                             "ldi tlb_stencil, 0xf00203ff\n mov tlb_z, rb15 ; sbwait\n mov tlb_color, unif\n"
                             " nop ; thrend\n nop\n nop ; sbdone\n")); /* 3 == stencil */
        measure(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7), e);
        assert_int_equal(e[4], areas(2));
        assert_int_equal(e[5], areas(2));
        assert_int_equal(e[9], 0);

        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        s.at = AT_LISTS;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        put8(&s, 104);
        put_float(&s, 0.5f); /* the triangle lies at 0.25 */
        put_float(&s, 1.0f);
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        one_tile(&s);
        follow(&s, 0);
        render_well(&s);
        assert_int_equal(count(&s, 0), 1);
        assert_int_equal(count(&s, 1), 1);
        assert_true(count(&s, 2) > 100);
        assert_int_equal(count(&s, 3), 0);
        scene_close(&s);
    }
}

/* Texture and memory lookups: four quads a request. */
static void lookups(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        uint64_t e[EVENTS];
        assert_true(scene_open(&s, ways[w]));
        assert_true(
            assemble(&s, AT_FS,
                     "ldi r0, 0x3000\n mov tmu0_s, r0\n mov tmu1_s, r0\n nop ; ldtmu0\n nop ; ldtmu1\n"
                     "mov tlb_z, rb15 ; sbwait\n mov tlb_color, r4 ; thrend\n nop\n nop ; sbdone\n"));
        measure(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7), e);
        assert_int_equal(e[24], areas(4) * 2 * 4);
        scene_close(&s);
    }
}

static void coverage_reads(void **state)
{
    static const uint32_t small[] = {8 * 16, 8 * 16,    24 * 16 | 8 * 16 << 16, 8 * 16 | 24u * 16 << 16, 0,
                                     0,      0xbfff0000};
    struct scene s;
    assert_true(scene_open(&s, plain));
    assert_true(assemble(&s, AT_FS,
                         "nop ; sbwait\n nop ; ldcov\n mov tlb_color, r4 ; thrend\n nop\n nop ; sbdone\n"));
    config(&s, 64, 64, RGBA_LINEAR);
    clear_first(&s, RED, 0, 0);
    tile(&s, 0, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t size = pass ? 32 * 16 : 0;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7) | (pass ? 0 : 1u << 8 | 2u << 9));
        put8(&s, 67);
        put32(&s, AT_FS | 1);
        put32(&s, AT_UNIFORMS);
        put8(&s, 42);
        put8(&s, 4);
        if (!pass) {
            for (unsigned i = 1; i < 4; i++)
                put32(&s, i == 1 ? (8 * 16 | 8 * 16 << 16) : small[i]);
        } else {
            put32(&s, 0), put32(&s, size), put32(&s, size << 16);
            put32(&s, size), put32(&s, size | size << 16), put32(&s, size << 16);
        }
        put32(&s, 0), put32(&s, 0), put32(&s, 0xbfff0000);
    }
    store(&s, true);
    follow(&s, 0);
    render_well(&s);
    uint32_t covered = 0;
    for (uint32_t y = 0; y < 32; y += 2)
        for (uint32_t x = 0; x < 32; x += 2)
            covered +=
                (pixel(&s, x, y) | pixel(&s, x + 1, y) | pixel(&s, x, y + 1) | pixel(&s, x + 1, y + 1)) != 0;
    assert_in_range(covered, 20, 60);
    /* the square is two triangles, whose common quads are read twice: by then they are cleared */
    assert_int_equal(count(&s, 7) + count(&s, 8), count(&s, 3));
    assert_in_range(count(&s, 8), covered, covered + 16);
    assert_true(count(&s, 7) > 150);
    scene_close(&s);
}

static void registers(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    for (unsigned n = 0; n < 16; n++) {
        assert_int_equal(count(&s, n), 0);
        assert_int_equal(vc4_read(s.device, VC4_PCTRS + 8 * n), 0);
        vc4_write(s.device, VC4_PCTRS + 8 * n, 0xffffffe0u | n);
        assert_int_equal(vc4_read(s.device, VC4_PCTRS + 8 * n), n);
    }
    assert_int_equal(vc4_read(s.device, VC4_PCTRE), 0);
    assert_int_equal(vc4_read(s.device, VC4_PCTRC), 0);
    vc4_write(s.device, VC4_PCTRE, 0xffffffff);
    assert_int_equal(vc4_read(s.device, VC4_PCTRE), 0xffff);

    vc4_write(s.device, VC4_PCTRS, 1);
    vc4_write(s.device, VC4_PCTR, 100); /* a count can be set */
    vc4_write(s.device, VC4_PCTRS + 8, 1);
    vc4_write(s.device, VC4_PCTRE, 1);
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render(&s);
    assert_int_equal(count(&s, 0), 102);
    assert_int_equal(count(&s, 1), 0); /* not enabled */
    vc4_write(s.device, VC4_PCTRE, 2); /* the first keeps what it has */
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render(&s);
    assert_int_equal(count(&s, 0), 102);
    assert_int_equal(count(&s, 1), 2);
    vc4_write(s.device, VC4_PCTRC, 2);
    assert_int_equal(count(&s, 0), 102);
    assert_int_equal(count(&s, 1), 0);
    vc4_write(s.device, VC4_PCTRS + 8, 31); /* a source that is none */
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    render(&s);
    assert_int_equal(count(&s, 1), 0);
    no_faults(&s);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers), cmocka_unit_test(picture),        cmocka_unit_test(failures),
        cmocka_unit_test(lookups),   cmocka_unit_test(coverage_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

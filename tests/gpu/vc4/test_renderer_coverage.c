/* Coverage and the VG mask. Expected pixels are worked out here from the definitions: edges in exact
 * integers, sixteen samples one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/vg_scene.h"

/* ---- coverage ---- */

/* Two overlapping triangles of either winding, drawn in the coverage pipe. */
static const uint32_t overlap[2][9] = {{C(0), C(1), C(2), C(0), C(3), C(2), 0, 0, END},
                                       {C(0), C(1), C(2), C(0), C(2), C(3), 0, 0, END}};
static const uint32_t whole[] = {
    0, 64 * 16, 64 * 16 << 16, 64 * 16, 64 * 16 | 64 * 16 << 16, 64 * 16 << 16, 0, 0, END};

static uint32_t expected_mask(unsigned order, unsigned update, bool sixteen, uint32_t x, uint32_t y)
{
    const struct point a[3] = {corner[0], corner[1], corner[2]};
    const struct point b[3] = {corner[0], corner[order ? 2 : 3], corner[order ? 3 : 2]};
    uint32_t mask = 0;
    for (int32_t s = 0; s < 16; s++) {
        int32_t px = (int32_t)x * 16 + (sixteen ? s : 8), py = (int32_t)y * 16 + (sixteen ? sample_y(s) : 8);
        int wa, wb;
        bool in_a = in_triangle(a, px, py, &wa), in_b = in_triangle(b, px, py, &wb);
        int sum = (in_a ? wa : 0) + (in_b ? wb : 0), count = in_a + in_b;
        bool covered = update == 0 ? sum != 0 : update == 1 ? count & 1 : count != 0;
        mask |= (uint32_t)covered << s;
    }
    return mask;
}

static void coverage(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 24; w++) {
        unsigned update = w % 3, order = w / 3 % 2;
        bool sixteen = w / 6 % 2, as_mask = w / 12 % 2;
        struct scene s;
        assert_true(scene_open(&s, ways[w / 24]));
        assert_true(assemble(&s, AT_FS, FS_COVERAGE));
        s.at = AT_LISTS;
        vg_state(&s, AT_FS, CONFIG_COVERAGE | CONFIG_UPDATE(update) | (sixteen ? CONFIG_16X : 0));
        inline_list(&s, TYPE_TRIANGLES, overlap[order], 9);
        vg_state(&s, AT_FS, as_mask ? CONFIG_COVERAGE_16BIT : 0);
        inline_list(&s, TYPE_TRIANGLES, whole, 9);
        put8(&s, 18);
        begin_vg(&s, 0);
        one_tile(&s);
        render_well(&s);
        unsigned partial = 0;
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                uint32_t mask = expected_mask(order, update, sixteen, x, y);
                uint32_t n = (uint32_t)__builtin_popcount(mask);
                partial += n > 0 && n < 16;
                assert_int_equal(pixel(&s, x, y), as_mask ? mask : (n * 255 + 8) / 16 * 0x01010101u);
            }
        assert_true(sixteen ? partial > 100 : partial == 0);
        scene_close(&s);
    }
}

/* Reading clears or leaves; update mode "zero" takes away. */
static void coverage_reads(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 2; w++) {
        bool leave = w % 2;
        static const uint32_t half[] = {
            0, 64 * 16, 32 * 16 << 16, 64 * 16, 64 * 16 | 32 * 16 << 16, 32 * 16 << 16, 0, 0, END};
        struct scene s;
        assert_true(scene_open(&s, ways[w / 2]));
        assert_true(assemble(&s, AT_FS, FS_COVERAGE));
        s.at = AT_LISTS;
        vg_state(&s, AT_FS, CONFIG_COVERAGE | CONFIG_UPDATE(2) | CONFIG_16X);
        inline_list(&s, TYPE_TRIANGLES, whole, 9);
        vg_state(&s, AT_FS, leave ? CONFIG_LEAVE : 0);
        inline_list(&s, TYPE_TRIANGLES, half, 9); /* the upper half is read once more than the lower */
        inline_list(&s, TYPE_TRIANGLES, whole, 9);
        put8(&s, 18);
        begin_vg(&s, 0);
        one_tile(&s);
        render_well(&s);
        assert_int_equal(pixel(&s, 20, 20), leave ? 0xffffffff : 0);
        assert_int_equal(pixel(&s, 20, 40), 0xffffffff);

        s.at = AT_LISTS;
        vg_state(&s, AT_FS, CONFIG_COVERAGE | CONFIG_UPDATE(2) | CONFIG_16X);
        inline_list(&s, TYPE_TRIANGLES, whole, 9);
        vg_state(&s, AT_FS, CONFIG_COVERAGE | CONFIG_UPDATE(3) | CONFIG_16X);
        inline_list(&s, TYPE_TRIANGLES, half, 9);
        vg_state(&s, AT_FS, 0);
        inline_list(&s, TYPE_TRIANGLES, whole, 9);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        one_tile(&s);
        render_well(&s);
        assert_int_equal(pixel(&s, 20, 20), 0);
        assert_int_equal(pixel(&s, 20, 40), 0xffffffff);
        scene_close(&s);
    }
}

/* Shaded where any of sixteen samples is covered. */
static void any_sample(void **state)
{
    static const uint32_t words[] = {C(0), C(1), C(2), 0, 0, END};
    const struct point v[3] = {corner[0], corner[1], corner[2]};
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        begin_vg(&s, 0);
        tile(&s, 0, 0);
        vg_state(&s, AT_FS, CONFIG_16X);
        inline_list(&s, TYPE_TRIANGLES, words, 6);
        store(&s, true);
        render_well(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                bool any = false;
                int winding;
                for (int32_t k = 0; k < 16; k++)
                    any |= in_triangle(v, (int32_t)x * 16 + k, (int32_t)y * 16 + sample_y(k), &winding);
                assert_int_equal(pixel(&s, x, y), any ? BLUE : RED);
            }
        scene_close(&s);
    }
}

/* ---- the VG mask ---- */

#define FS_MASK_TO_COLOR                                                                                     \
    "nop ; sbwait\n nop ; ldam\n mov tlb_color, r4 ; thrend\n mov r0, unif\n mov tlb_alpha_mask, r0 ; "      \
    "sbdone\n"

/* Loaded from an image of bytes, read by a program, written by it, stored; cleared with its own value. */
static void mask(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        static const uint32_t words[] = {C(0), C(1), C(2), 0, 0, END};
        const struct point v[3] = {corner[0], corner[1], corner[2]};
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        assert_true(assemble(&s, AT_FS, FS_MASK_TO_COLOR));
        util_store32(s.memory.base + AT_UNIFORMS, 0xabcdef77);
        for (uint32_t i = 0; i < 2 * SIDE * SIDE; i++)
            s.memory.base[AT_RAW + i] = (uint8_t)(i * 7 + i / 128);
        s.at = AT_LISTS;
        vg_state(&s, AT_FS, 0);
        put8(&s, 103);
        put16(&s, 16 * 16);
        put16(&s, 0);
        inline_list(&s, TYPE_TRIANGLES, words, 6);
        put8(&s, 18);
        s.at = AT_MAIN;
        config(&s, 2 * SIDE, SIDE, RGBA_LINEAR | VG_MASK);
        clear_first(&s, RED, 0, 0);
        s.memory.base[s.at - 12] = 0x99; /* record 114: the mask's value */
        for (uint32_t x = 0; x < 2; x++) {
            general(&s, 29, 4, AT_RAW, false);
            tile(&s, x, 0);
            sub_list(&s, 0);
            general(&s, 28, 4 | GENERAL_NO_COLOR_CLEAR | GENERAL_NO_ZS_CLEAR, AT_RAW + 0x10000, false);
            tile(&s, x, 0);
            store(&s, x == 1);
        }
        tile(&s, 0, 0); /* what clearing left */
        general(&s, 28, 4, AT_RAW + 0x20000, true);
        render_well(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < 2 * SIDE; x++) {
                uint32_t at = y * 2 * SIDE + x, before = (uint8_t)(at * 7 + at / 128);
                bool in = x >= 16 && at_centre(v, x - 16, y);
                assert_int_equal(pixel(&s, x, y), in ? before * 0x01010101u : RED);
                assert_int_equal(s.memory.base[AT_RAW + 0x10000 + at], in ? 0x77 : before);
            }
        assert_int_equal(s.memory.base[AT_RAW + 0x20000], 0x99);
        assert_int_equal(s.memory.base[AT_RAW + 0x20000 + 63 * 2 * SIDE + 63], 0x99);
        scene_close(&s);
    }
    struct scene s; /* not enabled */
    assert_true(scene_open(&s, plain));
    begin_vg(&s, 0);
    general(&s, 29, 4, AT_RAW, false);
    tile(&s, 0, 0);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_PACKET);
    scene_close(&s);
}

/* Coverage in tiles of four samples, RHTs, VG primitives in GL mode. */
static void faults(void **state)
{
    static const uint32_t words[] = {C(0), C(1), C(2), 0, 0, END};
    for (unsigned i = 0; i < 5; i++) {
        struct scene s;
        assert_true(scene_open(&s, plain));
        assert_true(assemble(&s, AT_FS, FS_COVERAGE));
        begin_vg(&s, i < 3 ? MS4X : 0);
        tile(&s, 0, 0);
        vg_state(&s, AT_FS, i == 0 ? CONFIG_COVERAGE : i == 1 ? CONFIG_16X : 0);
        if (i == 3)
            draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES);
        inline_list(&s, i == 4 ? 1 : TYPE_TRIANGLES, words, 6);
        store(&s, true);
        render(&s);
        assert_int_equal(one_fault(&s).kind, i == 0 || i == 3 ? GPU_FAULT_PACKET : GPU_FAULT_UNSUPPORTED);
        scene_close(&s);
    }
}

/* Sixteen tiles of shapes of every update mode, read with either form: the same bytes, and the same counts of
 * every performance counter, at 0, 1, 2 and 7 threads, interpreted and compiled. */
static void same_everywhere(void **state)
{
    static const struct way all[] = {{0},
                                     {.threads = 1},
                                     {.threads = 2},
                                     {.threads = 7},
                                     {.jit = true},
                                     {.threads = 1, .jit = true},
                                     {.threads = 2, .jit = true},
                                     {.threads = 7, .jit = true},
                                     {.reference = true},
                                     {.threads = 7, .reference = true}};
    static uint8_t first[256 * 256 * 4];
    uint32_t counts[UTIL_ARRAY_SIZE(all)][32];
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(all); w++) {
        struct scene s;
        uint64_t seed = 3;
        assert_true(scene_open(&s, all[w]));
        assert_true(assemble(&s, AT_FS, FS_COVERAGE));
        s.at = AT_LISTS;
        for (unsigned shape = 0; shape < 9; shape++) {
            uint32_t words[63];
            for (unsigned i = 0; i < 60; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                words[i] = (uint32_t)(seed >> 33) % 4200 | (uint32_t)(seed >> 47) % 4200 << 16;
            }
            words[60] = words[61] = 0;
            words[62] = END;
            vg_state(&s, AT_FS, CONFIG_COVERAGE | CONFIG_UPDATE(shape % 4) | (shape % 3 ? CONFIG_16X : 0));
            inline_list(&s, TYPE_TRIANGLES, words, 63);
            vg_state(&s, AT_FS, (shape & 1 ? CONFIG_LEAVE : 0) | (shape & 8 ? CONFIG_COVERAGE_16BIT : 0));
            inline_list(&s, TYPE_TRIANGLES, words + 42, 21);
        }
        put8(&s, 18);
        for (unsigned half = 0; half < 2; half++) {
            s.at = AT_MAIN;
            config(&s, 256, 256, RGBA_LINEAR);
            clear_first(&s, RED, 0, 0);
            for (uint32_t i = 0; i < 16; i++) {
                tile(&s, i % 4, i / 4);
                sub_list(&s, 0);
                store(&s, i == 15);
            }
            for (unsigned n = 0; n < 16; n++)
                vc4_write(s.device, VC4_PCTRS + 8 * n, half * 16 + n);
            vc4_write(s.device, VC4_PCTRC, 0xffff);
            vc4_write(s.device, VC4_PCTRE, 0xffff);
            render_well(&s);
            for (unsigned n = 0; n < 16; n++)
                counts[w][half * 16 + n] = vc4_read(s.device, VC4_PCTR + 8 * n);
            vc4_write(s.device, VC4_PCTRE, 0);
            if (!w && !half)
                memcpy(first, s.memory.base + AT_COLOR, sizeof first);
            assert_memory_equal(first, s.memory.base + AT_COLOR, sizeof first);
        }
        assert_true(counts[w][3] > 10000 && counts[w][7] > 100 && counts[w][8] > 100);
        assert_memory_equal(counts[0], counts[w], sizeof counts[w]);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage),        cmocka_unit_test(coverage_reads), cmocka_unit_test(any_sample),
        cmocka_unit_test(same_everywhere), cmocka_unit_test(mask),           cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

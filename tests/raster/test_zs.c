/* raster/zs.h: every function and operation against the rules of Guide tables 27 and 38, worked out here in
 * another shape: by table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raster/zs.h"

/* Which of less, equal, greater each function accepts. */
static const bool accepts[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};

static void depth_functions(void **state)
{
    const uint32_t values[] = {0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff};

    for (uint8_t func = 0; func < 8; func++)
        for (unsigned a = 0; a < 6; a++)
            for (unsigned b = 0; b < 6; b++)
                for (unsigned write = 0; write < 2; write++) {
                    struct raster_zs zs = {.depth_func = func, .depth_write = write};
                    uint32_t stored = values[b] << 8 | 0x5a;
                    bool pass = accepts[func][a < b ? 0 : a == b ? 1 : 2];
                    assert_int_equal(raster_zs_test(&zs, false, values[a], &stored), pass);
                    assert_int_equal(stored, (pass && write ? values[a] : values[b]) << 8 | 0x5a);
                }
}

static void stencil_functions_are_masked(void **state)
{
    for (uint8_t func = 0; func < 8; func++)
        for (unsigned n = 0; n < 256 * 9; n++) {
            uint8_t s = (uint8_t)n, ref = (uint8_t)(n / 256 * 31), mask = 0x3c;
            struct raster_zs zs = {.depth_func = RASTER_ALWAYS,
                                   .face[1] = {.enable = true,
                                               .func = func,
                                               .ref = ref,
                                               .func_mask = mask,
                                               .fail = RASTER_OP_KEEP,
                                               .zfail = RASTER_OP_KEEP,
                                               .zpass = RASTER_OP_KEEP,
                                               .write_mask = 0xff}};
            uint32_t stored = 0x123400u | s;
            unsigned a = ref & mask, b = s & mask;
            assert_int_equal(raster_zs_test(&zs, true, 7, &stored), accepts[func][a < b    ? 0
                                                                                  : a == b ? 1
                                                                                           : 2]);
            assert_int_equal(stored, 0x123400u | s);
        }
}

static void stencil_operations(void **state)
{
    static const struct {
        uint8_t op, before, after;
    } cases[] = {
        {RASTER_OP_ZERO, 0x55, 0},        {RASTER_OP_KEEP, 0x55, 0x55},     {RASTER_OP_REPLACE, 0x55, 0x81},
        {RASTER_OP_INCR_SAT, 0xfe, 0xff}, {RASTER_OP_INCR_SAT, 0xff, 0xff}, {RASTER_OP_DECR_SAT, 1, 0},
        {RASTER_OP_DECR_SAT, 0, 0},       {RASTER_OP_INVERT, 0x55, 0xaa},   {RASTER_OP_INCR, 0xff, 0},
        {RASTER_OP_INCR, 7, 8},           {RASTER_OP_DECR, 0, 0xff},        {RASTER_OP_DECR, 8, 7}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned outcome = 0; outcome < 3; outcome++) { /* stencil fails, depth fails, both pass */
            struct raster_stencil st = {.enable = true,
                                        .func = outcome ? RASTER_ALWAYS : RASTER_NEVER,
                                        .ref = 0x81,
                                        .func_mask = 0xff,
                                        .write_mask = 0xff,
                                        .fail = outcome == 0 ? cases[i].op : (uint8_t)RASTER_OP_KEEP,
                                        .zfail = outcome == 1 ? cases[i].op : (uint8_t)RASTER_OP_KEEP,
                                        .zpass = outcome == 2 ? cases[i].op : (uint8_t)RASTER_OP_KEEP};
            struct raster_zs zs = {.depth_write = true, .depth_func = RASTER_LESS, .face = {st, st}};
            uint32_t stored = 0x10u << 8 | cases[i].before, depth = outcome == 2 ? 0xf : 0x11;
            assert_int_equal(raster_zs_test(&zs, i & 1, depth, &stored), outcome == 2);
            assert_int_equal(stored, (outcome == 2 ? 0xfu : 0x10u) << 8 | cases[i].after);
            zs.face[i & 1].write_mask = 0x0f;
            stored = 0x10u << 8 | cases[i].before;
            raster_zs_test(&zs, i & 1, depth, &stored);
            assert_int_equal(stored & 0xff, (cases[i].before & 0xf0) | (cases[i].after & 0x0f));
        }
}

static void faces_are_apart(void **state)
{
    struct raster_zs zs = {
        .depth_func = RASTER_ALWAYS,
        .face[0] = {.enable = true, .func = RASTER_ALWAYS, .zpass = RASTER_OP_INCR, .write_mask = 0xff}};
    uint32_t stored = 0;

    assert_true(raster_zs_test(&zs, false, 0, &stored));
    assert_int_equal(stored, 1);
    assert_true(raster_zs_test(&zs, true, 0, &stored));
    assert_int_equal(stored, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_functions),
        cmocka_unit_test(stencil_functions_are_masked),
        cmocka_unit_test(stencil_operations),
        cmocka_unit_test(faces_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

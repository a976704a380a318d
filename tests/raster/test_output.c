/* What a colour makes of a pixel of each kind of format, by values worked out by hand: what both twins of
 * tests/diff/test_targets_diff.c take from the format's row alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "raster/output.h"
#include "util/bits.h"
#include "util/fpenv.h"

static const struct raster_equation plus = {RASTER_BLEND_ADD, RASTER_FACTOR_ONE, RASTER_FACTOR_ONE};

static struct raster_blend blend_of(struct raster_equation e, uint8_t mask)
{
    return (struct raster_blend){.color = e, .alpha = e, .write_mask = mask};
}

/* The first word of a pixel that held `word`. */
static uint32_t meet(enum raster_format format, struct raster_blend blend, const uint32_t src[4],
                     uint32_t word)
{
    struct raster_output_colors colors = {.constant = {2.0f, 2.0f, 2.0f, 2.0f}};
    uint32_t held[4] = {word};
    unsigned saved = util_fpenv_enter();
    memcpy(colors.src, src, sizeof colors.src);
    raster_output_pixel(format, &blend, &colors, held);
    util_fpenv_leave(saved);
    return held[0];
}

static uint32_t meet_floats(enum raster_format format, struct raster_blend blend, float r, float g, float b,
                            float a, uint32_t word)
{
    return meet(format, blend, (uint32_t[4]){util_f2u(r), util_f2u(g), util_f2u(b), util_f2u(a)}, word);
}

static void test_ranges(void **unused)
{
    struct raster_equation constant = {RASTER_BLEND_ADD, RASTER_FACTOR_CONST, RASTER_FACTOR_ZERO};
    struct raster_blend add = blend_of(plus, 15);
    /* -1, not -2, and 64 / 127. */
    assert_int_equal(meet_floats(RASTER_R8_SNORM, add, -2, 0, 0, 0, 64), 0xc1);
    assert_int_equal(meet_floats(RASTER_R16_UNORM, add, -2, 0, 0, 0, 64), 64);
    assert_int_equal(meet_floats(RASTER_R16_UNORM, add, NAN, 0, 0, 0, 64), 64);
    assert_int_equal(meet_floats(RASTER_R16_UNORM, add, 0.5f, 0, 0, 0, 0x8000), 0xffff);
    assert_int_equal(meet_floats(RASTER_R32_FLOAT, add, -2, 0, 0, 0, util_f2u(64)), util_f2u(62));
    /* The constant too is within the range, but for floats. */
    assert_int_equal(meet_floats(RASTER_R16_UNORM, blend_of(constant, 15), 0.5f, 0, 0, 0, 0), 0x8000);
    assert_int_equal(meet_floats(RASTER_R32_FLOAT, blend_of(constant, 15), 0.5f, 0, 0, 0, 0), util_f2u(1));
    /* sRGB: half of the light and half. */
    assert_int_equal(meet_floats(RASTER_R8_SRGB, add, 0.5f, 0, 0, 0, 188), 255);
    assert_int_equal(meet_floats(RASTER_R8_SRGB, raster_blend_replace, 0.5f, 0, 0, 0, 0), 188);
    /* What only replaces may be any bits. */
    assert_int_equal(meet(RASTER_R32_FLOAT, raster_blend_replace, (uint32_t[4]){0x7fc12345}, 0), 0x7fc12345);
}

static void test_integers(void **unused)
{
    struct raster_blend add = blend_of(plus, 15);
    assert_int_equal(meet(RASTER_R16_UINT, add, (uint32_t[4]){70000}, 5), 65535);
    assert_int_equal(meet(RASTER_R8_SINT, add, (uint32_t[4]){(uint32_t)-3}, 5), 0xfd);
    assert_int_equal(meet(RASTER_R8_SINT, add, (uint32_t[4]){(uint32_t)-300}, 5), 0x80);
    assert_true(raster_output_is_integer(RASTER_R10G10B10A2_UINT) &&
                !raster_output_is_integer(RASTER_R8_UNORM));
}

/* Where there is no alpha the destination's is one. */
static void test_alpha(void **unused)
{
    static const enum raster_format formats[] = {RASTER_R8G8B8X8_UNORM, RASTER_R8_UNORM, RASTER_R5G6B5_UNORM};
    struct raster_blend by_alpha =
        blend_of((struct raster_equation){RASTER_BLEND_ADD, RASTER_FACTOR_DST_ALPHA, RASTER_FACTOR_ZERO}, 15);
    for (size_t i = 0; i < UTIL_ARRAY_SIZE(formats); i++)
        assert_int_equal(meet_floats(formats[i], by_alpha, 1, 0, 0, 0.5f, 0) & 31, 31);
    assert_int_equal(meet_floats(RASTER_R8G8B8A8_UNORM, by_alpha, 1, 0, 0, 0.5f, 0) & 31, 0);
}

static void test_masks(void **unused)
{
    uint32_t all[4];
    struct raster_blend red = raster_blend_replace;
    red.write_mask = 1;
    assert_int_equal(meet_floats(RASTER_B8G8R8A8_UNORM, red, 1, 0, 0, 0, 0x11223344), 0x11ff3344);
    assert_int_equal(meet_floats(RASTER_R8G8B8A8_UNORM, red, 1, 0, 0, 0, 0x11223344), 0x112233ff);
    assert_int_equal(meet_floats(RASTER_R10G10B10A2_UNORM, red, 0, 0, 0, 0, UINT32_MAX), 0xfffffc00);
    assert_int_equal(meet_floats(RASTER_A8_UNORM, red, 1, 0, 0, 0, 0x55), 0x55);
    raster_output_written(RASTER_R16G16B16_FLOAT, 15, all);
    assert_true(all[0] == UINT32_MAX && all[1] == 0xffff && all[2] == 0 && all[3] == 0);
    raster_output_written(RASTER_R32G32B32A32_UINT, 10, all);
    assert_true(all[0] == 0 && all[1] == UINT32_MAX && all[2] == 0 && all[3] == UINT32_MAX);
}

static void test_logic(void **unused)
{
    struct raster_blend xor = {.logic = true, .logic_op = RASTER_LOGIC_XOR, .write_mask = 15};
    assert_int_equal(meet(RASTER_R8_UINT, xor,
                          (uint32_t[4]){
                              5},
                          3),
                     6);
    assert_int_equal(meet_floats(RASTER_R16_UNORM, xor, 1, 0, 0, 0, 0x00ff), 0xff00);
    assert_int_equal(meet_floats(RASTER_R16_FLOAT, xor, 1, 0, 0, 0, 0x1234), 0x3c00);
    assert_int_equal(meet_floats(RASTER_R8_SRGB, xor, 1, 0, 0, 0, 0x12), 255);
}

/* What need not be read is not: that is what a deferred draw asks. */
static void test_reads(void **unused)
{
    struct raster_blend red = raster_blend_replace, add = blend_of(plus, 15);
    red.write_mask = 1;
    assert_false(raster_output_reads(RASTER_R8G8B8A8_UNORM, &raster_blend_replace));
    assert_false(raster_output_reads(RASTER_R32G32_UINT, &add));
    assert_false(raster_output_reads(RASTER_R32_FLOAT, &red));
    assert_true(raster_output_reads(RASTER_R32G32_FLOAT, &red));
    assert_true(raster_output_reads(RASTER_R32_FLOAT, &add));
    assert_true(raster_output_reads(RASTER_R8G8B8A8_UNORM, &red));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_integers), cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_masks),  cmocka_unit_test(test_logic),    cmocka_unit_test(test_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

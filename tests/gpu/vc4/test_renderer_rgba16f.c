/* Tile buffers of other shapes and what is stored of them: 64-bit colours, half-height tiles, decimation of
 * pixels, full dumps; and depth clipping planes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"
#include "util/half.h"

#define HDR           (1u << 1) /* record 113 */
#define DOUBLE_BUFFER (1u << 12)
#define DECIMATE(n)   ((uint32_t)(n) << 4)
#define DRAWN         (CONFIG_BOTH_FACES | CONFIG_DEPTH(7))

static uint64_t pixel_of_halves(const struct scene *s, uint32_t x, uint32_t y)
{
    return util_load64(s->memory.base + AT_COLOR + (y * s->width + x) * 8);
}

/* The triangle of triangle_scene() in each tile of the frame. */
static void triangle_list(struct scene *s, uint32_t bits)
{
    uint32_t back = s->at;
    vertex(s, 0, 8, 8, 0.25f, 0.0f);
    vertex(s, 1, 88, 8, 0.25f, 1.0f);
    vertex(s, 2, 8, 58, 0.25f, 1.0f);
    s->at = AT_LISTS;
    draw_state(s, VC4_TRIANGLES, bits);
    primitives(s, VC4_TRIANGLES, one_triangle, 1);
    put8(s, 18);
    s->at = back;
}

#define FS_TWO                                                                                               \
    "mov tlb_z, rb15 ; sbwait\n mov tlb_color, unif\n mov tlb_color, unif\n nop ; thrend\n nop\n nop ; "     \
    "sbdone\n"

/* Tiles of 64x32; red and green in the first word, blue and alpha in the second; the clear value has 64
 * bits. */
static void halves(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        assert_true(assemble(&s, AT_FS, FS_TWO));
        util_store32(s.memory.base + AT_UNIFORMS, 0x3c001234);
        util_store32(s.memory.base + AT_UNIFORMS + 4, 0x40005678);
        triangle_list(&s, DRAWN);
        config(&s, 128, 64, RGBA_LINEAR | HDR);
        put8(&s, 114);
        put32(&s, 0x11112222);
        put32(&s, 0x33334444);
        put32(&s, 0);
        put8(&s, 0);
        tile(&s, 0, 0);
        general(&s, 28, GENERAL_NONE, 0, false);
        for (uint32_t i = 0; i < 4; i++) {
            tile(&s, i % 2, i / 2);
            sub_list(&s, 0);
            store(&s, i == 3);
        }
        render_well(&s);
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 128; x++)
                assert_true(pixel_of_halves(&s, x, y) ==
                            (inside(x, y) ? 0x400056783c001234u : 0x3333444411112222u));
        scene_close(&s);
    }
}

/* Loads come back in the order of the writes, sample by sample; a store resolves four samples. */
#define FS_SWAP                                                                                              \
    "mov tlb_z, rb15 ; sbwait\n nop ; ldcol\n mov r0, r4 ; ldcol\n mov tlb_color_ms, r4\n"                   \
    "mov tlb_color_ms, r0 ; ldcol\n mov r0, r4 ; ldcol\n mov tlb_color_ms, r4\n"                             \
    "mov tlb_color_ms, r0 ; ldcol\n mov r0, r4 ; ldcol\n mov tlb_color_ms, r4\n"                             \
    "mov tlb_color_ms, r0 ; ldcol\n mov r0, r4 ; ldcol\n mov tlb_color_ms, r4\n"                             \
    "mov tlb_color_ms, r0 ; thrend\n nop\n nop ; sbdone\n"

static void samples_of_halves(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        assert_true(assemble(&s, AT_FS, FS_SWAP));
        /* A raw tile: quads of 2x2, four samples, red-green words of the four pixels, then blue-alpha. */
        for (uint32_t i = 0; i < 4096; i++)
            util_store32(s.memory.base + AT_RAW + i * 4,
                         util_float_to_half((float)(i % 61)) | (uint32_t)util_float_to_half((float)(i % 7))
                                                                   << 16);
        triangle_list(&s, DRAWN | CONFIG_OVERSAMPLE);
        vertex(&s, 1, 200, 8, 0.25f, 1.0f); /* all of the tile from (8, 8) on */
        vertex(&s, 2, 8, 200, 0.25f, 1.0f);
        config(&s, 32, 16, RGBA_LINEAR | MS4X | HDR);
        put8(&s, 27);
        put32(&s, AT_RAW | 2);
        one_tile(&s);
        render_well(&s);
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < 32; x++) {
                uint32_t quad = (y / 2 * 16 + x / 2) * 32 + y % 2 * 2 + x % 2;
                bool swapped = x >= 8 && y >= 8;
                for (unsigned c = 0; c < 4; c++) {
                    float sum = 0;
                    for (uint32_t k = 0; k < 4; k++) {
                        uint32_t at = quad + k * 8 + (c / 2 != swapped ? 4 : 0);
                        sum += (float)(c % 2 ? at % 7 : at % 61);
                    }
                    assert_int_equal(pixel_of_halves(&s, x, y) >> 16 * c & 0xffff,
                                     util_float_to_half(sum / 4));
                }
            }
        scene_close(&s);
    }
}

/* Two tiles in the buffer in turn: each of half the height. */
static void double_buffer(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    util_store32(s.memory.base + AT_UNIFORMS, BLUE);
    triangle_list(&s, DRAWN);
    clear_first(&s, RED, 0, 0);
    config(&s, 128, 64, RGBA_LINEAR | DOUBLE_BUFFER);
    for (uint32_t i = 0; i < 4; i++) {
        tile(&s, i % 2, i / 2);
        sub_list(&s, 0);
        store(&s, i == 3);
    }
    render_well(&s);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 128; x++)
            assert_int_equal(pixel(&s, x, y), inside(x, y) ? BLUE : RED);
    scene_close(&s);
}

/* ---- decimation of pixels ---- */

static uint32_t image_word(uint32_t x, uint32_t y)
{
    return (x * 5 + y * 3) % 256 * 0x00010101u | (x ^ y) % 256 << 24;
}

static uint32_t mean(uint32_t x, uint32_t y, uint32_t side, uint32_t scale)
{
    uint32_t sum[4] = {0}, word = 0, count = side * side;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned c = 0; c < 4; c++)
            sum[c] += image_word(x * side + i % side, y * side + i / side) >> 8 * c & 255;
    for (unsigned c = 0; c < 4; c++)
        word |= (sum[c] * scale + count * scale / 2) / (count * scale) << 8 * c;
    return word;
}

/* An image loaded and stored at half its size: four pixels of one sample, or sixteen samples; by record 28
 * and by record 113. */
static void decimation(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 4; w++) {
        bool ms = w & 1, by_config = w & 2;
        uint32_t size = ms ? 32 : 64, mode = ms ? 2 : 1;
        struct scene s;
        assert_true(scene_open(&s, ways[w / 4]));
        for (uint32_t i = 0; i < 64 * 64; i++)
            util_store32(s.memory.base + AT_ZS + i * 4, image_word(i % 64, i / 64));
        config(&s, 64, 64, RGBA_LINEAR | (ms ? 1u : 0) | (by_config ? DECIMATE(mode) : 0));
        for (uint32_t i = 0; i < (64 / size) * (64 / size); i++) {
            general(&s, 29, GENERAL_COLOR, AT_ZS, false);
            tile(&s, i % (64 / size), i / (64 / size));
            if (by_config)
                store(&s, i == 3);
            else
                general(&s, 28, GENERAL_COLOR | mode << 6, AT_COLOR, i == 3);
        }
        render_well(&s);
        for (uint32_t y = 0; y < 32; y++)
            for (uint32_t x = 0; x < 32; x++)
                assert_int_equal(util_load32(s.memory.base + AT_COLOR + (y * 32 + x) * 4),
                                 mean(x, y, 2, ms ? 4 : 1));
        struct capture_frame frame;
        assert_true(gpu_host_frame(vc4_device_host(s.device), &frame));
        assert_int_equal(frame.width, 32);
        assert_int_equal(frame.height, 32);
        scene_close(&s);
    }
    struct scene s; /* "Decimate x16 only available in ms mode" */
    assert_true(scene_open(&s, plain));
    config(&s, 64, 64, RGBA_LINEAR);
    tile(&s, 0, 0);
    general(&s, 28, GENERAL_COLOR | 2 << 6, AT_COLOR, true);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_PACKET);
    scene_close(&s);
}

/* ---- full dumps ---- */

#define GENERAL_FULL 5u

/* What record 28 dumps, 29 brings back; so do 26 and 27 for colour and depth. Parts can be left out. */
static void dumps(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 4; w++) {
        bool general_form = w & 1, skip_zs = w & 2;
        struct scene s;
        assert_true(scene_open(&s, ways[w / 4]));
        triangle_scene(&s, DRAWN | CONFIG_Z_UPDATES);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0x800000, 7);
        config(&s, 64, 64, RGBA_LINEAR | 1u << 8); /* with a VG mask */
        for (uint32_t i = 0; i < 64 * 64; i++)
            s.memory.base[AT_ZS + i] = (uint8_t)(i * 13);
        general(&s, 29, 4, AT_ZS, false);
        tile(&s, 0, 0);
        sub_list(&s, 0);
        if (general_form) {
            general(&s, 28, GENERAL_FULL, AT_RAW | (skip_zs ? 2 : 0), false); /* bits 16 to 18 stand there */
        } else {
            put8(&s, 26);
            put32(&s, AT_RAW | (skip_zs ? 2 : 0));
        }
        clear_values(&s, GREEN, 0x123456, 1);
        tile(&s, 1, 0); /* other contents */
        general(&s, 28, GENERAL_NONE, 0, false);
        if (general_form) {
            general(&s, 29, GENERAL_FULL, AT_RAW | (skip_zs ? 2 : 0), false);
        } else {
            put8(&s, 27);
            put32(&s, AT_RAW | (skip_zs ? 2 : 0));
        }
        tile(&s, 0, 0);
        general(&s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR | GENERAL_NO_ZS_CLEAR | 1u << 15, AT_ZS, false);
        tile(&s, 0, 0);
        general(&s, 28, 4 | GENERAL_NO_COLOR_CLEAR | GENERAL_NO_ZS_CLEAR, AT_RAW + 0x20000, false);
        tile(&s, 0, 0);
        store(&s, true);
        render_well(&s);
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 64; x++) {
                uint32_t zs = skip_zs ? 0x12345601 : inside(x, y) ? 0x40000007 : 0x80000007;
                assert_int_equal(pixel(&s, x, y), inside(x, y) ? BLUE : RED);
                assert_int_equal(depth_pixel(&s, x, y), zs);
                if (general_form)
                    assert_int_equal(s.memory.base[AT_RAW + 0x20000 + y * 64 + x],
                                     (uint8_t)((y * 64 + x) * 13));
            }
        scene_close(&s);
    }
}

/* ---- depth clipping planes ---- */

static void z_planes(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 2; w++) {
        bool ms = w & 1;
        uint32_t size = ms ? 32 : 64, drawn = 0;
        struct scene s;
        assert_true(scene_open(&s, ways[w / 2]));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        vertex(&s, 0, 0, 0, 0.0f, 0.0f);
        vertex(&s, 1, 128, 0, 1.0f, 0.0f); /* depth is x / 128 */
        vertex(&s, 2, 0, 128, 0.0f, 0.0f);
        s.at = AT_LISTS;
        draw_state(&s, VC4_TRIANGLES, DRAWN | (ms ? CONFIG_OVERSAMPLE : 0));
        put8(&s, 104);
        put_float(&s, 0.125f);
        put_float(&s, 0.3f);
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        config(&s, 64, 64, RGBA_LINEAR | (ms ? MS4X : 0));
        for (uint32_t i = 0; i < (64 / size) * (64 / size); i++) {
            tile(&s, i % (64 / size), i / (64 / size));
            sub_list(&s, 0);
            store(&s, i == 3);
        }
        render_well(&s);
        for (uint32_t y = 0; y < 60; y++)
            for (uint32_t x = 0; x < 64; x++) {
                float z = ((float)x + 0.5f) / 128;
                bool in = z >= 0.125f && z <= 0.3f;
                drawn += in;
                assert_int_equal(pixel(&s, x, y), in ? BLUE : RED);
            }
        assert_true(drawn > 500);
        scene_close(&s);
    }
}

/* Two 32-bit clear colours that differ: which pixels take which is not documented. */
static void two_clear_colors(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    config(&s, 64, 64, RGBA_LINEAR);
    put8(&s, 114);
    put32(&s, RED);
    put32(&s, GREEN);
    put32(&s, 0);
    put8(&s, 0);
    tile(&s, 0, 0);
    store(&s, true);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_UNSUPPORTED);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(samples_of_halves),
        cmocka_unit_test(double_buffer),
        cmocka_unit_test(decimation),
        cmocka_unit_test(dumps),
        cmocka_unit_test(z_planes),
        cmocka_unit_test(two_clear_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Utgard's frames of halves: clear values, the three formats in all orders and layouts, reloads, blending,
 * the colour read back, smaller images, and what is left undone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "raster/texture/texture.h"
#include "tests/unit/utgard_scene.h"
#include "util/half.h"

enum { WORD_FLAGS = 3, CLEAR = 6, HALVES = 1 };

static uint16_t half(double v)
{
    return util_float_to_half((float)v);
}

static uint64_t four(double r, double g, double b, double a)
{
    return half(r) | (uint64_t)half(g) << 16 | (uint64_t)half(b) << 32 | (uint64_t)half(a) << 48;
}

/* A scene of halves whose frame is cleared to fractions of 65535. */
static void open_halves(struct scene *s, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    scene_open(s);
    s->frame.registers[WORD_FLAGS] = HALVES;
    s->frame.registers[CLEAR] = red | green << 16;
    s->frame.registers[CLEAR + 1] = blue | alpha << 16;
    write_back(s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA16F, SIDE);
    s->frame.wb[0][6] = 4;
}

static uint64_t pixel_at(const struct scene *s, uint32_t offset, uint32_t bytes)
{
    uint64_t pixel = 0;

    memcpy(&pixel, s->g.memory.base + IMAGE + offset, bytes);
    return pixel;
}

/* ---- formats ---- */

/* What the unit makes of a pixel's channels. */
static uint64_t meaning(uint32_t format, uint32_t flags, uint64_t halves)
{
    static const uint8_t counts[] = {[UTGARD_WB_BGRA16F] = 4, [UTGARD_WB_B16F] = 1, [UTGARD_WB_GB16F] = 2};
    unsigned count = counts[format], order[4] = {2, 1, 0, 3};
    uint8_t bytes[8] = {0}, other[8] = {0};
    uint64_t pixel;

    if (flags & 4) {
        order[0] = 0;
        order[2] = 2;
    }
    for (unsigned n = 0; n < count; n++) {
        uint64_t value = halves >> 16 * order[flags & 8 ? count - 1 - n : n];

        bytes[2 * n] = (uint8_t)value;
        bytes[2 * n + 1] = (uint8_t)(value >> 8);
    }
    for (unsigned n = 0; n < 2 * count; n++)
        other[n] = bytes[2 * count - 1 - n];
    memcpy(&pixel, flags & 32 ? other : bytes, sizeof pixel);
    return pixel;
}

static void test_formats(void **unused)
{
    struct scene s;

    (void)unused;
    open_halves(&s, 0x4000, 0x8000, 0xffff, 0);
    for (unsigned way = 0; way < 3 * 2 * 8; way++) {
        uint32_t format = UTGARD_WB_BGRA16F + way % 3, tiled = way / 3 & 1;
        uint32_t flags = (way / 6 & 3) << 2 | (way / 24) << 5;
        static const uint8_t sizes[] = {8, 2, 4};
        uint32_t bytes = sizes[way % 3], pitch = tiled ? 3 : SIDE * bytes / 8;
        uint64_t want = meaning(format, flags, four(0x4000 / 65535.0, 0x8000 / 65535.0, 1.0, 0.0));

        write_back(&s, 0, UTGARD_WB_COLOR, format, pitch);
        s.frame.wb[0][4] = tiled * 2;
        s.frame.wb[0][6] = flags;
        memset(s.g.memory.base + IMAGE, 0x5a, PLANE);
        render(&s);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                uint32_t at = tiled ? raster_texel_offset(RASTER_UTGARD_TILED, 1, 3, x, y) : y * SIDE + x;

                assert_int_equal(pixel_at(&s, at * bytes, bytes), want);
            }
        assert_int_equal(pixel_at(&s, (tiled ? 48 * 48 : SIDE * SIDE) * bytes, 2), 0x5a5a);
    }
    scene_close(&s);
}

/* Pixels that all differ, of a tile that is all in the image and of one that its edges cut. */
static void test_pixels(void **unused)
{
    static struct raster_tile tile;
    static uint8_t image[48 * 48 * 8];
    struct guest g;

    (void)unused;
    guest_open(&g);
    tile.x = tile.y = 16;
    tile.width = tile.height = 16;
    tile.samples = 1;
    tile.target = RASTER_TARGET_RGBA16F;
    for (uint32_t n = 0; n < 512; n++)
        tile.color[n] = n * 0x9e3779b1u;
    for (unsigned way = 0; way < 2 * 8 * 2; way++) {
        uint32_t flags = (way >> 1 & 3) << 2 | (way >> 3 & 1) << 5, side = way & 16 ? 29 : 40;
        const uint32_t words[UTGARD_WB_WORDS] = {
            UTGARD_WB_COLOR, 0, UTGARD_WB_BGRA16F, 0, way & 1 ? 2 : 0, way & 1 ? 3 : 40, flags};
        struct gpu_fault fault;
        struct utgard_wb wb;

        assert_true(utgard_wb_decode(words, side, side, &g.space, &wb, &fault));
        memset(image, 0, sizeof image);
        utgard_wb_store(&wb, image, &tile);
        for (uint32_t y = 0; y < 40; y++)
            for (uint32_t x = 0; x < 40; x++) {
                uint32_t at = way & 1 ? raster_texel_offset(RASTER_UTGARD_TILED, 1, 3, x, y) : y * 40 + x;
                bool inside = x >= 16 && y >= 16 && x < UTIL_MIN(side, 32u) && y < UTIL_MIN(side, 32u);
                uint64_t halves = inside ? raster_tile_color(&tile, x - 16, y - 16, 0) : 0;

                assert_true(util_load64(image + 8ull * at) ==
                            (inside ? meaning(UTGARD_WB_BGRA16F, flags, halves) : 0));
            }
    }
    guest_close(&g);
}

/* ---- draws ---- */

/* The image of halves at SOURCE, as lima's reload has it. */
static void add_reload_of_halves(struct scene *s)
{
    add_reload(s, 0, 0x26, 15, NULL);
    put_word(&s->g, DESCRIPTOR, 0x26 | 1 << 7 | (SIDE * 8) << 16);
}

/* Normal numbers of both signs, of any size. */
static void fill_halves(struct scene *s)
{
    uint32_t seed = 5;

    for (uint32_t at = 0; at < SIDE * SIDE * 8; at += 2) {
        uint16_t v;

        seed = seed * 1664525 + 1013904223;
        v = (uint16_t)((seed >> 16 & 0x83ff) | (1 + (seed >> 9) % 30) << 10);
        guest_put(&s->g, SOURCE + at, &v, 2);
    }
}

static void test_reload(void **unused)
{
    struct scene s;

    (void)unused;
    open_halves(&s, 0, 0, 0, 0);
    fill_halves(&s);
    add_reload_of_halves(&s);
    check_reload(&s, SIDE * SIDE * 8);
    /* Of 2x2 pixels the average. */
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_B16F, SIDE / 2 * 2 / 8 + 1);
    s.frame.wb[0][3] = 1 << 8 | 1 << 12;
    s.frame.wb[0][6] = 4;
    render(&s);
    for (uint32_t n = 0; n < SIDE / 2 * SIDE / 2; n++) {
        uint32_t x = n % (SIDE / 2), y = n / (SIDE / 2);
        float sum = 0;

        for (uint32_t k = 0; k < 4; k++)
            sum += util_half_to_float(
                util_load16(s.g.memory.base + SOURCE + ((y * 2 + k / 2) * SIDE + x * 2 + k % 2) * 8ull));
        assert_int_equal(pixel_at(&s, y * 48 + x * 2, 2), util_float_to_half(sum / 4));
    }
    scene_close(&s);
}

/* One colour over all of a frame that is cleared to 0.25, 0.5, 0.75, 1 (within 1/65535). */
static uint64_t drawn(const char *text, uint32_t blend, uint32_t constant[2], bool engine)
{
    struct scene s;
    uint64_t pixel;

    open_halves(&s, 0x4000, 0x8000, 0xc000, 0xffff);
    fill_halves(&s);
    add_reload_of_halves(&s);
    put_program(&s, text);
    put_word(&s.g, STATE + 4 * 2, blend);
    put_word(&s.g, STATE, constant[0]);
    put_word(&s.g, STATE + 4, constant[1]);
    if (!engine)
        s.frame.engine = NULL;
    render(&s);
    pixel = pixel_at(&s, 0, 8);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        assert_int_equal(pixel_at(&s, n * 8, 8), pixel);
    scene_close(&s);
    return pixel;
}

static void test_blending(void **unused)
{
    enum { ADD = 2 | 2 << 3, SUB = 0, RSUB = 1 | 1 << 3, MAX = 5 | 5 << 3 };
    enum { SRC = 0, DST = 1, CONST = 2, ZERO = 3, NOT = 8, ALPHA = 16 };
#define BLEND(func, src, dst)                                                                                \
    ((func) | (uint32_t)(src) << 6 | (uint32_t)(dst) << 11 | (uint32_t)((src) & 15) << 16 |                  \
     (uint32_t)((dst) & 15) << 20 | 0xfc000000)
    static const char big[] = "c0 8.0, -2.0, 1024.0, 0.5 ; mov.v0 r0, c0 ; stop\n";
    static const char back[] = "fbcolor r1\nadd.v1 r0, r1, r1 ; stop\n";
    uint32_t half_constant[2] = {0, 0x00ff0000}; /* blue and green, red and alpha: 0, 0, 0, 1 */

    (void)unused;
    for (unsigned way = 0; way < 2; way++) {
        assert_int_equal(drawn(big, BLEND(ADD, ZERO | NOT, ZERO), half_constant, way),
                         four(8, -2, 1024, 0.5));
        assert_int_equal(drawn(big, BLEND(ADD, ZERO | NOT, ZERO | NOT), half_constant, way),
                         four(8.25, -1.5, 1024.75, 1.5));
        assert_int_equal(drawn(big, BLEND(RSUB, ZERO | NOT, ZERO | NOT), half_constant, way),
                         four(-7.75, 2.5, -1023.25, 0.5));
        assert_int_equal(drawn(big, BLEND(MAX, ZERO | NOT, ZERO), half_constant, way),
                         four(8, 0x8000 / 65535.0, 1024, 1));
        assert_int_equal(drawn(big, BLEND(ADD, ALPHA | SRC, CONST), half_constant, way),
                         four(4, -1, 512, 1.25));
        /* Red and alpha alone are written. */
        assert_int_equal(drawn(big, BLEND(ADD, ZERO | NOT, ZERO) & ~(6u << 28), half_constant, way),
                         four(8, 0x8000 / 65535.0, 0xc000 / 65535.0, 0.5));
        assert_int_equal(drawn(back, BLEND(ADD, ZERO | NOT, ZERO), half_constant, way), four(0.5, 1, 1.5, 2));
    }
}

/* ---- what is not done ---- */

static void test_faults(void **unused)
{
    struct gpu_fault fault = {0};
    struct scene s;

    (void)unused;
    open_halves(&s, 0, 0, 0, 0);
    fill_halves(&s);
    add_reload_of_halves(&s);
    s.frame.wb[0][2] = UTGARD_WB_BGRA8888; /* bytes of halves */
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.frame.wb[0][2] = UTGARD_WB_BGRA16F; /* samples apart */
    s.frame.wb[0][7] = 15;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.frame.wb[0][7] = 0;
    s.frame.registers[WORD_FLAGS] = 0; /* halves of bytes */
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.frame.registers[WORD_FLAGS] = HALVES;
    s.items[0].state.four_samples = true;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.items[0].state.four_samples = false;
    render(&s);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats), cmocka_unit_test(test_pixels),
                                       cmocka_unit_test(test_reload), cmocka_unit_test(test_blending),
                                       cmocka_unit_test(test_faults)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

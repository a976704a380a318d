/* Utgard's frames: master lists, clears, lima's reload draws, samples apart and averaged, textures that
 * registers choose, colours of samples apart, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "raster/texture/texture.h"
#include "tests/unit/utgard_scene.h"

#include "gpu/host.h"

static void test_clear(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    render(&s);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        assert_int_equal(guest_word(&s.g, IMAGE + 4 * n), 0x80102040);
    assert_int_equal(guest_word(&s.g, IMAGE + 4 * SIDE * SIDE), 0); /* nothing beyond */
    s.frame.wb[0][6] = 4;                                           /* red first */
    render(&s);
    assert_int_equal(guest_word(&s.g, IMAGE), 0x80402010);
    /* 565, tiled in three tiles a row, as textures are read. */
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGR565, 3);
    s.frame.wb[0][4] = 2;
    render(&s);
    uint32_t at = raster_texel_offset(RASTER_UTGARD_TILED, 2, 3, 39, 39);
    assert_int_equal(util_load16(s.g.memory.base + IMAGE + at), 0x1108);
    scene_close(&s);
}

/* What a reload draws is what memory held, bit by bit: compiled and not, on any number of threads. */
static void test_reload(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    add_reload(&s, 0, 0x16, 15, NULL);
    check_reload(&s, SIDE * SIDE * 4);
    scene_close(&s);
}

/* Depths and stencils too, through the texel format of reloads and lima's state for them. */
static void test_reload_depth(void **unused)
{
    static const uint32_t extra[UTGARD_RSW_WORDS] = {
        [3] = 0x400 | 0x801 | 0x1000, [5] = 0x24f, [6] = 0x24f, [7] = 0xffff};
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_ZS, UTGARD_WB_Z24S8, SIDE * 4 / 8);
    add_reload(&s, 0, 0x32, 15, extra);
    for (unsigned way = 0; way < 2; way++) {
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.frame.engine = way ? NULL : s.engine;
        render(&s);
        assert_memory_equal(s.g.memory.base + IMAGE, s.g.memory.base + SOURCE, SIDE * SIDE * 4);
    }
    scene_close(&s);
}

/* Four planes into four samples, and out again as planes, or as their average. */
static void test_samples(void **unused)
{
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 4);
    for (unsigned n = 0; n < 4; n++)
        add_reload(&s, n, 0x16, 1u << n, NULL);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.frame.wb[0][7] = 15;
    s.frame.wb[0][8] = PLANE;
    render(&s);
    for (unsigned n = 0; n < 4; n++)
        assert_memory_equal(s.g.memory.base + IMAGE + PLANE * n, s.g.memory.base + SOURCE + 0x8000 * n,
                            SIDE * SIDE * 4);
    s.frame.wb[0][7] = 0;
    render(&s);
    for (uint32_t byte = 0; byte < SIDE * SIDE * 4; byte++) {
        uint32_t sum = 2;

        for (unsigned n = 0; n < 4; n++)
            sum += s.g.memory.base[SOURCE + 0x8000 * n + byte];
        assert_int_equal(s.g.memory.base[IMAGE + byte], sum >> 2);
    }
    scene_close(&s);
}

/* A register chooses the texture, in each fragment its own: stripes ten wide of four images. */
static void test_chosen(void **unused)
{
    static const char text[] = "c0 0.0999755859375, 0.0, 0.0, 0.0 ; var r1.xy, v0.xy ; mul.v0 r1.x, r1, c0\n"
                               "var coords.xy, v0.xy ; tex2d 0+r1.x ; mov.v0 r0, tex ; sync ; stop\n";
    const uint32_t nothing = GUEST_SIZE;
    struct gpu_fault fault = {0};
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 4);
    for (unsigned n = 0; n < 4; n++)
        add_reload(&s, n, 0x16, 15, NULL);
    s.script.count = 2; /* the first alone */
    put_program(&s, text);
    put_word(&s.g, STATE + 13 * 4, 4u << 14 | 0x21);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    render(&s);
    for (uint32_t n = 0; n < SIDE * SIDE; n++)
        assert_int_equal(guest_word(&s.g, IMAGE + 4 * n),
                         guest_word(&s.g, SOURCE + n % SIDE / 10 * 0x8000 + 4 * n));
    /* What is no texture is a fault of those that choose it; what none chooses is no fault. */
    put_word(&s.g, STATE + 13 * 4, 5u << 14 | 0x21);
    guest_put(&s.g, TEXTURES + 16, &nothing, 4);
    render(&s);
    for (uint32_t way = 0; way < 2; way++) {
        unsigned saved = util_fpenv_enter();

        if (way)
            put_word(&s.g, STATE + 13 * 4, 3u << 14 | 0x21);
        else
            guest_put(&s.g, TEXTURES + 12, &nothing, 4);
        put_word(&s.g, IMAGE, 0);
        put_word(&s.g, IMAGE + 39 * 4, 0);
        assert_false(utgard_frame_render(&s.frame, &fault));
        util_fpenv_leave(saved);
        assert_int_equal(fault.kind, GPU_FAULT_SHADER);
        assert_int_equal(guest_word(&s.g, IMAGE), guest_word(&s.g, SOURCE));
        assert_int_equal(guest_word(&s.g, IMAGE + 39 * 4), 0);
    }
    scene_close(&s);
}

/* A register leads beyond the last uniform, in all fragments but the first ten of a row: 0. */
static void test_uniforms_beyond(void **unused)
{
    static const char text[] = "c0 0.0999755859375, 0.0, 0.0, 0.0 ; var r1.xy, v0.xy ; mul.v0 r1.x, r1, c0\n"
                               "uniform 0+r1.x ; mov.v0 r0, uni ; stop\n";
    const uint16_t halves[4] = {0x3400, 0x3800, 0x3a00, 0x3c00}; /* 1/4 to 1 */
    struct scene s;

    (void)unused;
    scene_open(&s);
    add_reload(&s, 0, 0x16, 15, NULL);
    put_program(&s, text);
    put_word(&s.g, TEXTURES, TEXTURES + 32);
    guest_put(&s.g, TEXTURES + 32, halves, sizeof halves);
    put_word(&s.g, STATE + 11 * 4, TEXTURES);
    put_word(&s.g, STATE + 13 * 4, 0xa1);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    for (unsigned way = 0; way < 2; way++) {
        render(&s);
        for (uint32_t n = 0; n < SIDE * SIDE; n++)
            assert_int_equal(guest_word(&s.g, IMAGE + 4 * n), n % SIDE < 10 ? 0xff4080bf : 0);
        s.frame.engine = NULL; /* then the reference path */
    }
    scene_close(&s);
}

/* All twelve slots of four: the sum of all, of which slot n has n + 1 times 1, 2, 3, 4 over 1024. */
static void test_all_varyings(void **unused)
{
    enum { AT = 0x6000, STRIDE = UTGARD_MAX_SLOTS * 16 };
    char text[1024] = "var r0, v0\n";
    struct scene s;

    (void)unused;
    scene_open(&s);
    add_reload(&s, 0, 0x16, 15, NULL);
    for (uint32_t n = 0; n < 3 * UTGARD_MAX_SLOTS * 4; n++)
        put_word(&s.g, AT + 4 * n, util_f2u((float)((n / 4 % UTGARD_MAX_SLOTS + 1) * (n % 4 + 1)) / 1024.0f));
    for (unsigned n = 1; n < UTGARD_MAX_SLOTS; n++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "var r1, v%u ; add.v1 r0, r0, r1%s\n", n,
                 n == UTGARD_MAX_SLOTS - 1 ? " ; stop" : "");
    put_program(&s, text);
    put_word(&s.g, STATE + 10 * 4, 0);
    put_word(&s.g, STATE + 13 * 4, 0x20 | STRIDE / 8);
    put_word(&s.g, STATE + 15 * 4, AT);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    for (unsigned way = 0; way < 2; way++) {
        render(&s);
        for (uint32_t n = 0; n < SIDE * SIDE; n++)
            assert_int_equal(guest_word(&s.g, IMAGE + 4 * n),
                             0x4e13273a); /* 78 c / 1024 of 255, blue lowest */
        s.frame.engine = NULL;            /* then the reference path */
    }
    scene_close(&s);
}

/* Each sample's colour out of a register of its own, and its own alpha test. */
static void test_colors_apart(void **unused)
{
    static const char text[] = "c0 1.0, 0.0, 0.0, 1.0 ; var coords.xy, v0.xy ; tex2d 0 ; mov.v0 r0, tex ; "
                               "mov.v1 r1, c0 ; sync ; stop\n";
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    add_reload(&s, 0, 0x16, 15, NULL);
    put_program(&s, text);
    put_word(&s.g, STATE + 7 * 4, 100u << 16);
    put_word(&s.g, STATE + 8 * 4, 0x1010f000 | RASTER_GREATER);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.frame.wb[0][7] = 15;
    s.frame.wb[0][8] = PLANE;
    render(&s);
    for (uint32_t at = 0; at < SIDE * SIDE * 4; at += 4) {
        uint32_t texel = guest_word(&s.g, SOURCE + at);

        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(guest_word(&s.g, IMAGE + PLANE * k + at), k & 1               ? 0xffff0000
                                                                       : texel >> 24 > 100 ? texel
                                                                                           : 0x80102040);
    }
    scene_close(&s);
}

static void test_faults(void **unused)
{
    static const uint32_t strange[] = {0, 0xb8000000, 5, 0xb0000000};
    struct gpu_fault fault = {0};
    struct scene s;

    (void)unused;
    scene_open(&s);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    s.script.fails = true; /* tile 1 alone: the others are stored */
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, 0x20);
    assert_int_equal(guest_word(&s.g, IMAGE), 0x80102040);
    assert_int_equal(guest_word(&s.g, IMAGE + 4 * 16), 0);
    s.frame.wb[0][1] = GUEST_SIZE - 4;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    s.frame.wb[0][1] = IMAGE;
    s.frame.wb[0][2] = UTGARD_WB_BGRA16F; /* of tiles of bytes */
    s.frame.wb[0][5] = SIDE;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    s.frame.wb[0][2] = 11;
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_PACKET);
    s.frame.wb[0][2] = UTGARD_WB_BGRA8888;
    s.script = (struct script){.items = s.items, .endless = true};
    add_reload(&s, 0, 0x16, 15, NULL);
    assert_false(utgard_frame_render(&s.frame, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    put_word(&s.g, IMAGE, 0x12345678);
    struct gpu_host host = {.cancelled = true};
    s.frame.of.host = &host;
    utgard_frame_render(&s.frame, &fault);
    assert_int_equal(guest_word(&s.g, IMAGE), 0x12345678); /* a cancelled frame is not stored */
    s.frame.of.host = NULL;
    guest_put(&s.g, MASTER, strange, sizeof strange);
    s.frame.of.tile_count = 0;
    assert_false(utgard_frame_tiles(&s.g.space, MASTER, 0, s.tiles, &s.frame.of.tile_count, &fault));
    assert_int_equal(fault.kind, GPU_FAULT_LIST);
    assert_int_equal(fault.address, MASTER + 8);
    assert_false(utgard_frame_tiles(&s.g.space, GUEST_SIZE, 0, s.tiles, &s.frame.of.tile_count, &fault));
    scene_close(&s);
}

/* Tiles that share lists, in shapes that are rectangles and not, of several owners: the same picture; who
 * owns a tile with a fault hears of it, and of no other. */
static void test_areas(void **unused)
{
    static const char *const shapes[] = {"aaaaaaaaa", "aabaabccc", "aaabaaaac", "abababaab"};
    struct gpu_fault fault[3];
    struct scene s;

    (void)unused;
    scene_open(&s);
    fill_source(&s, 1);
    write_back(&s, 0, UTGARD_WB_COLOR, UTGARD_WB_BGRA8888, SIDE * 4 / 8);
    add_reload(&s, 0, 0x16, 15, NULL);
    s.frame.of.last_owner = 2;
    for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        unsigned saved = util_fpenv_enter();

        for (unsigned t = 0; t < 9; t++) {
            s.tiles[t].list = (uint32_t)(shapes[n][t] - 'a') * 0x20;
            s.tiles[t].owner = t % 2;
        }
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.script.fails = false;
        assert_true(utgard_frame_render(&s.frame, fault));
        assert_memory_equal(s.g.memory.base + IMAGE, s.g.memory.base + SOURCE, SIDE * SIDE * 4);
        memset(s.g.memory.base + IMAGE, 0, SIDE * SIDE * 4);
        s.script.fails = true; /* list b */
        s.tiles[8].owner = 2;
        assert_int_equal(utgard_frame_render(&s.frame, fault), n == 0);
        for (unsigned owner = 0; owner < 3; owner++) {
            bool has = false;

            for (unsigned t = 0; t < 9; t++)
                has |= s.tiles[t].owner == owner && shapes[n][t] == 'b';
            assert_int_equal(fault[owner].kind, has ? GPU_FAULT_LIST : GPU_FAULT_NONE);
        }
        for (unsigned t = 0; t < 9; t++) {
            uint32_t at = 4 * (t / 3 * 16 * SIDE + t % 3 * 16);

            assert_int_equal(guest_word(&s.g, IMAGE + at),
                             shapes[n][t] == 'b' ? 0 : guest_word(&s.g, SOURCE + at));
        }
        util_fpenv_leave(saved);
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),        cmocka_unit_test(test_reload),
        cmocka_unit_test(test_reload_depth), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_chosen),       cmocka_unit_test(test_all_varyings),
        cmocka_unit_test(test_colors_apart), cmocka_unit_test(test_uniforms_beyond),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

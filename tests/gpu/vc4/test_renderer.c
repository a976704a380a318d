/* Rendering lists, by hand: what is cleared, loaded and stored when; sub-lists, waits, faults; the same bytes
 * from every number of threads and from the reference path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

/* ---- clears and stores ---- */

static void clears(void **state)
{
    struct scene s;
    struct capture_frame frame;
    assert_true(scene_open(&s, plain));
    assert_false(gpu_host_frame(vc4_device_host(s.device), &frame));
    clear_first(&s, RED, 0x123456, 0x78);
    config(&s, 100, 70, RGBA_LINEAR);
    for (uint32_t y = 0; y < 2; y++) {
        for (uint32_t x = 0; x < 2; x++) {
            tile(&s, x, y);
            general(&s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR, AT_ZS, false);
            tile(&s, x, y);
            store(&s, x && y);
        }
    }
    memset(s.memory.base + AT_COLOR + 100 * 70 * 4, 0x55, 64);
    render_well(&s);
    for (uint32_t y = 0; y < 70; y++) {
        for (uint32_t x = 0; x < 100; x++) {
            assert_int_equal(pixel(&s, x, y), RED);
            assert_int_equal(depth_pixel(&s, x, y), 0x12345678);
        }
    }
    for (uint32_t i = 0; i < 64; i++) /* tiles that stick out are cut */
        assert_int_equal(s.memory.base[AT_COLOR + 100 * 70 * 4 + i], 0x55);
    assert_int_equal(vc4_read(s.device, VC4_INTCTL), VC4_INT_FRDONE);
    assert_int_equal(vc4_read(s.device, VC4_RFC), 1);
    assert_true(gpu_host_frame(vc4_device_host(s.device), &frame));
    assert_int_equal(frame.address, AT_COLOR);
    assert_int_equal(frame.width, 100);
    assert_int_equal(frame.height, 70);
    scene_close(&s);
}

/* The buffer is cleared when a tile is stored, with the values of that moment: new values without a store
 * first come one tile late, and stay for the next list. */
static void stale_clear_values(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    clear_first(&s, RED, 0, 0);
    config(&s, 128, 64, RGBA_LINEAR);
    clear_values(&s, GREEN, 0, 0);
    tile(&s, 0, 0);
    store(&s, false);
    tile(&s, 1, 0);
    store(&s, true);
    render(&s);
    assert_int_equal(pixel(&s, 0, 0), RED);
    assert_int_equal(pixel(&s, 127, 63), GREEN);
    memset(s.memory.base + AT_COLOR, 0, 128 * 64 * 4);
    config(&s, 128, 64, RGBA_LINEAR);
    tile(&s, 0, 0);
    store(&s, true);
    render(&s);
    assert_int_equal(pixel(&s, 0, 0), GREEN);
    no_faults(&s);
    scene_close(&s);
}

/* A store that leaves the colour alone: the next tile starts from it. */
static void kept_contents(void **state)
{
    for (unsigned w = 0; w < 2; w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        uint32_t *from = (uint32_t *)(void *)(s.memory.base + AT_RAW);
        for (uint32_t i = 0; i < 64 * 64; i++)
            from[i] = i * 77;
        clear_first(&s, RED, 0, 0);
        config(&s, 128, 64, RGBA_LINEAR);
        general(&s, 29, GENERAL_COLOR, AT_RAW, false);
        tile(&s, 0, 0);
        general(&s, 28, GENERAL_COLOR | GENERAL_NO_COLOR_CLEAR, AT_COLOR, false);
        tile(&s, 1, 0);
        store(&s, true);
        render_well(&s);
        for (uint32_t y = 0; y < 64; y++) {
            for (uint32_t x = 0; x < 64; x++) {
                /* the image of the load is as wide as the frame */
                assert_int_equal(pixel(&s, x, y), from[y * 128 + x]);
                assert_int_equal(pixel(&s, 64 + x, y), pixel(&s, x, y));
            }
        }
        scene_close(&s);
    }
}

static void loads(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    memset(s.memory.base + AT_COLOR, 0x11, 64 * 64 * 4);
    config(&s, 64, 64, RGBA_LINEAR);
    general(&s, 29, GENERAL_COLOR, AT_COLOR, false);
    clear_values(&s, RED, 0, 0);
    memset(s.memory.base + AT_COLOR, 0x22, 4); /* the load happens at the coordinates, but in one list */
    tile(&s, 0, 0);
    general(&s, 28, GENERAL_COLOR, AT_RAW, true);
    render_well(&s);
    assert_int_equal(util_load32(s.memory.base + AT_RAW), 0x22222222);
    assert_int_equal(util_load32(s.memory.base + AT_RAW + 4), 0x11111111);
    general(&s, 29, GENERAL_COLOR, AT_COLOR, false);
    general(&s, 29, GENERAL_ZS, AT_ZS, false);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_PACKET); /* only one load may be outstanding */
    scene_close(&s);
}

/* Full-resolution tiles: what is stored is what is loaded; quads of 64 bytes, sample after sample. */
static void raw_tiles(void **state)
{
    struct scene s;
    assert_true(scene_open(&s, plain));
    for (uint32_t i = 0; i < 4096; i++)
        util_store32(s.memory.base + AT_RAW + i * 4, 0x01010101u * (i & 0xff));
    clear_first(&s, 0, 0, 0);
    config(&s, 32, 32, RGBA_LINEAR | MS4X);
    put8(&s, 27);
    put32(&s, AT_RAW | 2); /* colour only */
    tile(&s, 0, 0);
    put8(&s, 26);
    put32(&s, (AT_RAW + 0x10000) | 2 | 4); /* colour only, no clear */
    tile(&s, 0, 0);
    store(&s, true);
    render_well(&s);
    assert_memory_equal(s.memory.base + AT_RAW, s.memory.base + AT_RAW + 0x10000, 16384);
    /* Pixel (x, y) of a quad: words y * 2 + x of each of its four samples; resolved to their mean. */
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t mean = (i + (4 + i) + (8 + i) + (12 + i) + 2) / 4;
        assert_int_equal(pixel(&s, i & 1, i >> 1), 0x01010101u * mean);
    }
    scene_close(&s);
}

/* The same tile twice in a list, and images that overlap: in the order of the list at any thread count. */
static void order(void **state)
{
    for (unsigned w = 0; w < 2; w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        clear_first(&s, RED, 0, 0);
        config(&s, 512, 512, RGBA_LINEAR);
        for (uint32_t round = 0; round < 8; round++) {
            for (uint32_t i = 0; i < 64; i++) {
                clear_values(&s, 0xff000000 | round << 8 | i, 0, 0);
                tile(&s, i % 8, i / 8);
                if (round == 6) /* another image that begins one row later */
                    general(&s, 28, GENERAL_COLOR, AT_COLOR + 512 * 4, false);
                else
                    store(&s, round == 7 && i == 63);
            }
        }
        render_well(&s);
        /* A tile shows the values set before the tile in front of it. */
        for (uint32_t i = 1; i < 64; i++)
            assert_int_equal(pixel(&s, i % 8 * 64, i / 8 * 64), 0xff000700 | (i - 1));
        /* The last row belongs to the other image alone: round 6, tile 56 + n, shows what 55 + n set. */
        for (uint32_t n = 0; n < 8; n++)
            assert_int_equal(pixel(&s, n * 64, 512), 0xff000600 | (55 + n));
        scene_close(&s);
    }
}

/* ---- lists ---- */

static void nesting(void **state)
{
    for (unsigned levels = 1; levels <= 3; levels++) {
        struct scene s;
        assert_true(scene_open(&s, plain));
        triangle_scene(&s, 0);
        s.at = AT_LISTS;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        for (unsigned l = 1; l < levels; l++) {
            sub_list(&s, l);
            put8(&s, 18);
            s.at = AT_LISTS + l * 0x1000;
        }
        put8(&s, 16); /* a branch does not nest */
        put32(&s, AT_LISTS + 0x8000);
        s.at = AT_LISTS + 0x8000;
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        config(&s, 64, 64, RGBA_LINEAR);
        one_tile(&s);
        render(&s);
        if (levels <= 2) {
            no_faults(&s);
            assert_int_equal(pixel(&s, 20, 20), BLUE);
        } else {
            assert_int_equal(one_fault(&s).kind, GPU_FAULT_LIST);
            assert_int_equal(pixel(&s, 20, 20), RED);
        }
        scene_close(&s);
    }
}

/* The list waits for the binner in the middle of a tile that holds something. */
static void waits(void **state)
{
    static const uint8_t binning[] = {112, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 7, 0, 1, 1, 4, 6, 7, 4};
    struct scene s;
    assert_true(scene_open(&s, plain));
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    s.at = AT_MAIN;
    memset(s.memory.base + AT_COLOR, 0x33, 64 * 64 * 4);
    clear_first(&s, RED, 0, 0);
    config(&s, 64, 64, RGBA_LINEAR);
    general(&s, 29, GENERAL_COLOR, AT_COLOR, false);
    tile(&s, 0, 0);
    put8(&s, 8);
    sub_list(&s, 0);
    store(&s, true);
    render(&s);
    assert_int_equal(vc4_read(s.device, VC4_CT1CS), 0x30);
    assert_int_equal(vc4_read(s.device, VC4_RFC), 0);
    memset(s.memory.base + AT_COLOR, 0, 64 * 64 * 4); /* it was loaded before the wait */
    memcpy(s.memory.base + 0x7000, binning, sizeof binning);
    vc4_write(s.device, VC4_CT0CA, 0x7000);
    vc4_write(s.device, VC4_CT0EA, 0x7000 + sizeof binning);
    no_faults(&s);
    assert_int_equal(vc4_read(s.device, VC4_RFC), 1);
    assert_int_equal(pixel(&s, 20, 20), BLUE);
    assert_int_equal(pixel(&s, 63, 63), 0x33333333);
    scene_close(&s);
}

/* ---- faults ---- */

/* Tiles 5 and 2 of sixteen fault: the one that stands first in the list is reported, the others are drawn,
 * the faulting ones up to the fault; the same at any number of threads. */
static void first_of_faults(void **state)
{
    uint8_t *before = NULL;
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        s.at = AT_LISTS + 0x1000;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        uint32_t bad = s.at;
        put8(&s, 200);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        config(&s, 256, 256, RGBA_LINEAR);
        for (uint32_t i = 0; i < 16; i++) {
            tile(&s, i % 4, i / 4);
            sub_list(&s, i == 1 || i == 5);
            store(&s, i == 15);
        }
        render(&s);
        struct gpu_fault f = one_fault(&s);
        assert_int_equal(f.kind, GPU_FAULT_PACKET);
        assert_int_equal(f.address, bad);
        assert_int_equal(f.draw, 1);
        assert_int_equal(vc4_read(s.device, VC4_CT1CS), 0x08);
        assert_int_equal(vc4_read(s.device, VC4_INTCTL), 0); /* the frame is not done */
        assert_int_equal(pixel(&s, 20, 20), BLUE);
        assert_int_equal(pixel(&s, 70, 10), BLUE); /* tile 1 drew its triangle before the fault */
        if (!before) {
            before = malloc(256 * 256 * 4);
            memcpy(before, s.memory.base + AT_COLOR, 256 * 256 * 4);
        }
        assert_memory_equal(before, s.memory.base + AT_COLOR, 256 * 256 * 4);
        scene_close(&s);
    }
    free(before);
}

/* A whole tile - its coordinates, its list, its store - in a sub-list of the rendering list; semaphores,
 * loads and configuration too. The tile's own list is the second level, and there is no third. */
static void main_sub_lists(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        s.at = AT_LISTS + 0x1000; /* set-up */
        config(&s, 128, 64, RGBA_LINEAR);
        put8(&s, 18);
        for (uint32_t x = 0; x < 2; x++) {
            s.at = AT_LISTS + (2 + x) * 0x1000;
            if (!x)
                put8(&s, 8); /* waits, inside the sub-list */
            tile(&s, x, 0);
            sub_list(&s, 0);
            store(&s, x == 1);
            put8(&s, 18);
        }
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        sub_list(&s, 1);
        sub_list(&s, 2);
        sub_list(&s, 3);
        render(&s);
        assert_int_equal(vc4_read(s.device, VC4_CT1CS), 0x130); /* running, stalled, one level deep */
        assert_int_equal(vc4_read(s.device, VC4_CT1CA), AT_LISTS + 0x2000);
        assert_int_equal(vc4_read(s.device, 0x11c), AT_MAIN + 14 + 3 + 7 + 10); /* CT1RA0 */
        assert_int_equal(vc4_read(s.device, VC4_RFC), 0);
        s.memory.base[AT_INDICES] = 7;
        vc4_write(s.device, VC4_CT0CA, AT_INDICES);
        vc4_write(s.device, VC4_CT0EA, AT_INDICES + 1);
        no_faults(&s);
        assert_int_equal(vc4_read(s.device, VC4_RFC), 1);
        assert_int_equal(vc4_read(s.device, VC4_CT1CS), 0);
        assert_int_equal(vc4_read(s.device, VC4_CT1LC), 5); /* returns: three here, two of tiles */
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 128; x++)
                assert_int_equal(pixel(&s, x, y), inside(x, y) ? BLUE : RED);

        s.at = AT_LISTS + 0x4000; /* one level too many */
        put8(&s, 17);
        put32(&s, AT_LISTS);
        put8(&s, 18);
        s.at = AT_LISTS + 0x2000;
        tile(&s, 0, 0);
        sub_list(&s, 4);
        put8(&s, 18);
        s.at = AT_MAIN;
        sub_list(&s, 2);
        render(&s);
        assert_int_equal(one_fault(&s).kind, GPU_FAULT_LIST);
        scene_close(&s);
    }
}

/* What a tile's list may get wrong, each with its name. */
static void faults(void **state)
{
    static const struct {
        const char *what;
        enum gpu_fault_kind kind;
        uint8_t bytes[8];
        uint8_t size;
    } rows[] = {
        {"endless branch", GPU_FAULT_TIMEOUT, {16, 0, 0, 1, 0}, 5},
        {"leaves memory", GPU_FAULT_LIST, {16, 0xff, 0xff, 0xff, 0xff}, 5},
        {"no shader", GPU_FAULT_PACKET, {56, 0x12, 48, 129, 0, 0, 0, 0}, 8},
        {"no format", GPU_FAULT_PACKET, {48, 128}, 2},
        {"points of coordinates", GPU_FAULT_PACKET, {56, 0x30}, 2},
        {"VG in GL mode", GPU_FAULT_PACKET, {64, 1, 0x40, 0, 0, 42, 4}, 7},
        {"RHT", GPU_FAULT_UNSUPPORTED, {56, 0x13}, 2},
        {"NV shader", GPU_FAULT_MEMORY, {65, 0xf0, 0xff, 0xff, 0xff}, 5},
        {"store inside", GPU_FAULT_PACKET, {98, 0, 0, 0, 0, 24}, 6},
        {"halt inside", GPU_FAULT_PACKET, {98, 0, 0, 0, 0, 0}, 6},
        {"binning record", GPU_FAULT_PACKET, {4}, 1},
        {"reserved", GPU_FAULT_PACKET, {99 + 17}, 1},
        {"shader record outside", GPU_FAULT_MEMORY, {64, 0xf1, 0xff, 0xff, 0xff}, 5},
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        struct scene s;
        assert_true(scene_open(&s, plain));
        s.at = AT_LISTS;
        if (rows[i].kind == GPU_FAULT_MEMORY) {
            put8(&s, 56);
            put8(&s, 0x12);
        }
        for (unsigned n = 0; n < rows[i].size; n++)
            put8(&s, rows[i].bytes[n]);
        if (rows[i].kind == GPU_FAULT_MEMORY)
            primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        config(&s, 64, 64, RGBA_LINEAR);
        one_tile(&s);
        render(&s);
        struct gpu_fault f = one_fault(&s);
        if (f.kind != rows[i].kind)
            fail_msg("%s: kind %d, %s", rows[i].what, f.kind, f.text);
        assert_int_equal(pixel(&s, 0, 0), RED); /* stored all the same */
        scene_close(&s);
    }
}

/* Vertices beyond memory, and images beyond it. */
static void outside(void **state)
{
    static const uint32_t far[1][3] = {{0, 1, 65535}};
    struct scene s;
    assert_true(scene_open(&s, plain));
    triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    util_store32(s.memory.base + AT_RECORD + 36, MEMORY - 64); /* four vertices fit */
    s.at = AT_LISTS;
    draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    primitives(&s, VC4_TRIANGLES, one_triangle, 1); /* these are in memory */
    primitives(&s, VC4_TRIANGLES, far, 1);
    put8(&s, 18);
    s.at = AT_MAIN;
    clear_first(&s, RED, 0, 0);
    config(&s, 64, 64, RGBA_LINEAR);
    one_tile(&s);
    render(&s);
    struct gpu_fault f = one_fault(&s);
    assert_int_equal(f.kind, GPU_FAULT_MEMORY);
    assert_int_equal(f.draw, 2);
    assert_non_null(strstr(f.text, "65535"));

    config(&s, 2048, 2048, RGBA_LINEAR); /* 16 MiB in a memory of 8 */
    tile(&s, 0, 0);
    store(&s, true);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_MEMORY);
    config(&s, 64, 64, RGBA_LINEAR);
    tile(&s, 0, 0);
    put8(&s, 26);
    put32(&s, (MEMORY - 16384 + 16) | 2);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_MEMORY);
    tile(&s, 0, 0); /* a thread that failed starts from reset: no configuration any more */
    store(&s, true);
    render(&s);
    assert_int_equal(one_fault(&s).kind, GPU_FAULT_PACKET);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clears),          cmocka_unit_test(stale_clear_values),
        cmocka_unit_test(kept_contents),   cmocka_unit_test(loads),
        cmocka_unit_test(raw_tiles),       cmocka_unit_test(order),
        cmocka_unit_test(nesting),         cmocka_unit_test(waits),
        cmocka_unit_test(first_of_faults), cmocka_unit_test(faults),
        cmocka_unit_test(main_sub_lists),  cmocka_unit_test(outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

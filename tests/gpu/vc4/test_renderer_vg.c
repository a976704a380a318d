/* Rendering without vertex programs: pre-shaded vertices (record 65), vector graphics (41, 42, 66, 67).
 * Expected pixels are worked out here from the definitions: edges in exact integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "tests/gpu/vc4/vg_scene.h"

/* ---- pre-shaded vertices ---- */

/* All four forms of figure 12, each with its varying behind it; triangles and points. */
static void preshaded(void **state)
{
    static const uint32_t forms[] = {0, FLAG_POINT_SIZE, FLAG_HEADER, FLAG_HEADER | FLAG_POINT_SIZE};
    static const uint32_t points[3][3] = {{0}, {1}, {2}};
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * UTIL_ARRAY_SIZE(forms); w++) {
        uint32_t flags = forms[w % UTIL_ARRAY_SIZE(forms)], stride = 48;
        struct scene s;
        assert_true(scene_open(&s, ways[w / UTIL_ARRAY_SIZE(forms)]));
        assert_true(assemble(&s, AT_FS, FS_VARYING));
        nv_record(&s, flags, stride, 1);
        nv_vertex(&s, flags, 0, stride, 8, 8, 6, 0.0f);
        nv_vertex(&s, flags, 1, stride, 88, 8, 4, 1.0f);
        nv_vertex(&s, flags, 2, stride, 8, 58, 2, 0.5f);
        s.at = AT_LISTS;
        nv_state(&s, VC4_TRIANGLES);
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0x800000, 0);
        config(&s, 128, 64, RGBA_LINEAR);
        for (uint32_t x = 0; x < 2; x++) {
            tile(&s, x, 0);
            sub_list(&s, 0);
            store(&s, x == 1);
        }
        render_well(&s);
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 128; x++) {
                double value = (x + 0.5 - 8) / 80 + (y + 0.5 - 8) / 50 * 0.5;
                int want = (int)(value * 255 + 0.5);
                if (!inside(x, y))
                    assert_int_equal(pixel(&s, x, y), RED);
                else
                    assert_in_range((int)(pixel(&s, x, y) & 0xff) + 1 - want, 0, 2);
            }

        assert_true(assemble(&s, AT_FS, FS_UNIFORM));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        nv_record(&s, flags, stride, 0);
        s.at = AT_LISTS;
        nv_state(&s, VC4_POINTS);
        put8(&s, 98);
        put_float(&s, 10.0f); /* where the vertices have no size of their own */
        primitives(&s, VC4_POINTS, points, 3);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0x800000, 0);
        one_tile(&s);
        render_well(&s);
        int half = flags & FLAG_POINT_SIZE ? 3 : 5;
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 30; x++) {
                bool in = x >= 8 - half && x < 8 + half && y >= 8 - half && y < 8 + half;
                assert_int_equal(pixel(&s, (uint32_t)x, (uint32_t)y), in ? BLUE : RED);
            }
        scene_close(&s);
    }
}

/* Points larger than 512 pixels are drawn as points of 512: from 250 to the left of the tile six columns. */
static void largest_point(void **state)
{
    static const uint32_t one[1][3] = {{0}};
    static const float sizes[] = {512, 513, 4096, INFINITY};
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * 2 * UTIL_ARRAY_SIZE(sizes); w++) {
        uint32_t flags = w & 1 ? FLAG_POINT_SIZE : 0;
        float size = sizes[w / 2 % UTIL_ARRAY_SIZE(sizes)];
        struct scene s;
        assert_true(scene_open(&s, ways[w / 2 / UTIL_ARRAY_SIZE(sizes)]));
        assert_true(assemble(&s, AT_FS, FS_UNIFORM));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        nv_record(&s, flags, 48, 0);
        nv_vertex(&s, flags, 0, 48, -250, 8, size, 0);
        s.at = AT_LISTS;
        nv_state(&s, VC4_POINTS);
        put8(&s, 98);
        put_float(&s, flags ? 1 : size);
        primitives(&s, VC4_POINTS, one, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0x800000, 0);
        config(&s, 64, 64, RGBA_LINEAR);
        one_tile(&s);
        render_well(&s);
        for (uint32_t x = 0; x < 64; x++)
            assert_int_equal(pixel(&s, x, 40), x < 6 ? BLUE : RED);
        scene_close(&s);
    }
}

static void preshaded_faults(void **state)
{
    static const struct {
        uint32_t flags, address, stride;
        enum gpu_fault_kind kind;
    } rows[] = {
        {FLAG_CLIPPING, AT_VERTICES, 16, GPU_FAULT_PACKET},
        {0x10, AT_VERTICES, 16, GPU_FAULT_PACKET},
        {FLAG_HEADER, AT_VERTICES + 8, 48, GPU_FAULT_PACKET},
        {0, AT_VERTICES + 2, 16, GPU_FAULT_PACKET},
        {0, MEMORY - 28, 16, GPU_FAULT_MEMORY}, /* the second vertex ends beyond memory */
        {0, AT_VERTICES, 0, GPU_FAULT_NONE},    /* all at one place: nothing to see */
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++) {
        struct scene s;
        assert_true(scene_open(&s, plain));
        nv_record(&s, rows[i].flags, rows[i].stride, 0);
        util_store32(s.memory.base + AT_RECORD + 12, rows[i].address);
        s.at = AT_LISTS;
        nv_state(&s, VC4_TRIANGLES);
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        put8(&s, 18);
        s.at = AT_MAIN;
        clear_first(&s, RED, 0, 0);
        config(&s, 64, 64, RGBA_LINEAR);
        one_tile(&s);
        render(&s);
        if (rows[i].kind)
            assert_int_equal(one_fault(&s).kind, rows[i].kind);
        else
            no_faults(&s);
        scene_close(&s);
    }
}

/* ---- VG primitives ---- */

static void check_triangles(const struct scene *s, const struct list_case *c)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            bool in = false;
            for (unsigned t = 0; t < c->count; t++) {
                const uint8_t *n = c->triangles[t];
                const struct point v[3] = {corner[n[0]], corner[n[1]], corner[n[2]]};
                in |= at_centre(v, x, y);
            }
            if (pixel(s, x, y) != (in ? BLUE : RED))
                fail_msg("%s: pixel %u, %u", c->name, x, y);
        }
}

/* In a sub-list, and in the rendering list itself, where the list's end must be found before it is drawn. */
static void lists(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * UTIL_ARRAY_SIZE(list_cases) * 2; w++) {
        const struct list_case *c = &list_cases[w / 2 % UTIL_ARRAY_SIZE(list_cases)];
        bool in_main = w % 2;
        struct scene s;
        assert_true(scene_open(&s, ways[w / 2 / UTIL_ARRAY_SIZE(list_cases)]));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        begin_vg(&s, 0);
        uint32_t main_at = s.at;
        if (!in_main)
            s.at = AT_LISTS;
        else
            tile(&s, 0, 0);
        vg_state(&s, AT_FS, 0);
        for (unsigned i = 0; i < 2 && c->type[i]; i++)
            inline_list(&s, c->type[i], c->words[i], c->size[i]);
        if (!in_main) {
            put8(&s, 18);
            s.at = main_at;
            tile(&s, 0, 0);
            sub_list(&s, 0);
        }
        store(&s, true);
        render_well(&s);
        check_triangles(&s, c);
        scene_close(&s);
    }
}

/* Arrays: the length counts primitives; escape codes work there too; a shader record in memory (66). */
static void arrays(void **state)
{
    static const struct {
        struct list_case c;
        uint32_t length;
    } rows[] = {
        {{"array", {{0, 1, 2}, {3, 4, 5}}, 2, {4}, {{C(0), C(1), C(2), C(3), C(4), C(5), C(0), C(1)}}, {0}},
         2},
        {{"strip array", {{0, 1, 2}, {2, 1, 3}}, 2, {5}, {{C(0), C(1), C(2), C(3), C(4)}}, {0}}, 2},
        {{"fan array", {{0, 1, 3}, {0, 3, 4}}, 2, {6}, {{C(0), C(1), C(3), C(4), C(2)}}, {0}}, 2},
        {{"array cut short", {{0, 1, 2}}, 1, {4}, {{C(0), C(1), C(2), C(3), C(4), END}}, {0}}, 9},
        {{"array of nothing", {{0}}, 0, {6}, {{0}}, {0}}, 0},
    };
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways) * UTIL_ARRAY_SIZE(rows); w++) {
        const struct list_case *c = &rows[w % UTIL_ARRAY_SIZE(rows)].c;
        struct scene s;
        assert_true(scene_open(&s, ways[w / UTIL_ARRAY_SIZE(rows)]));
        util_store32(s.memory.base + AT_UNIFORMS, BLUE);
        memcpy(s.memory.base + AT_VERTICES, c->words[0], sizeof c->words[0]);
        util_store32(s.memory.base + AT_RECORD, 1);
        util_store32(s.memory.base + AT_RECORD + 4, AT_FS);
        util_store32(s.memory.base + AT_RECORD + 8, AT_UNIFORMS);
        s.at = AT_LISTS;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        put8(&s, 66);
        put32(&s, AT_RECORD);
        array_list(&s, c->type[0], rows[w % UTIL_ARRAY_SIZE(rows)].length, AT_VERTICES);
        put8(&s, 18);
        begin_vg(&s, 0);
        one_tile(&s);
        render_well(&s);
        check_triangles(&s, c);
        scene_close(&s);
    }
}

/* Depth is 0.5 for all, and W is 1. */
static void fixed_depth(void **state)
{
    struct scene s;
    static const uint32_t words[] = {C(0), C(1), C(2), 0, 0, END};
    assert_true(scene_open(&s, plain));
    assert_true(assemble(&s, AT_FS,
                         "mov r0, ra15\n mov tlb_color, r0 ; sbwait\n nop ; thrend\n nop\n nop ; sbdone\n"));
    begin_vg(&s, 0);
    clear_values(&s, 0, 0xffffff, 0);
    general(&s, 28, GENERAL_NONE, 0, false);
    tile(&s, 0, 0);
    vg_state(&s, AT_FS, 0);
    inline_list(&s, TYPE_TRIANGLES, words, 6);
    assert_true(assemble(&s, AT_FS + 0x800, FS_UNIFORM));
    util_store32(s.memory.base + AT_UNIFORMS, GREEN);
    vg_state(&s, AT_FS + 0x800, CONFIG_Z_UPDATES);
    put8(&s, 102); /* a part of it with depth */
    put16(&s, 0);
    put16(&s, 0);
    put16(&s, 24);
    put16(&s, 64);
    inline_list(&s, TYPE_TRIANGLES, words, 6);
    general(&s, 28, GENERAL_ZS | GENERAL_NO_COLOR_CLEAR, AT_ZS, false);
    tile(&s, 0, 0);
    store(&s, true);
    render_well(&s);
    assert_int_equal(pixel(&s, 30, 20), util_f2u(1.0f));
    assert_int_equal(pixel(&s, 20, 20), GREEN);
    assert_int_equal(depth_pixel(&s, 20, 20) >> 8, 0x800000);
    assert_int_equal(depth_pixel(&s, 30, 20) >> 8, 0xffffff);
    scene_close(&s);
}

/* ---- anything ---- */

/* Lists with bytes changed: a picture or a fault, never a crash or a hang; what is left behind is not the
 * next list's business. */
static void mutations(void **state)
{
    uint64_t seed = 7;
    struct scene s;
    unsigned faulted = 0, fine = 0;
    assert_true(scene_open(&s, (struct way){.threads = 2}));
    assert_true(assemble(&s, AT_FS, FS_COVERAGE));
    for (unsigned round = 0; round < 4000; round++) {
        struct gpu_fault f[8];
        const struct list_case *c = &list_cases[round % UTIL_ARRAY_SIZE(list_cases)];
        nv_record(&s, round % 4 * 4 & 8, 48, 1);
        begin_vg(&s, round & 1 ? VG_MASK : round & 2 ? 2 : 0);
        uint32_t first = s.at;
        general(&s, 29, round & 1 ? 4 : 2, AT_ZS, false);
        tile(&s, 0, 0);
        vg_state(&s, AT_FS, round & 4 ? CONFIG_COVERAGE | CONFIG_16X : 0);
        for (unsigned i = 0; i < 2 && c->type[i]; i++)
            inline_list(&s, c->type[i], c->words[i], c->size[i]);
        array_list(&s, TYPE_FAN, 3, AT_VERTICES);
        nv_state(&s, VC4_TRIANGLES);
        primitives(&s, VC4_TRIANGLES, one_triangle, 1);
        general(&s, 28, 5, AT_RAW, false);
        store(&s, true);
        for (unsigned n = (unsigned)(seed >> 40) % 5; n; n--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            s.memory.base[first + (uint32_t)(seed >> 33) % (s.at - first)] = (uint8_t)(seed >> 24);
        }
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        render(&s);
        unsigned count = gpu_host_faults(vc4_device_host(s.device), f, 8);
        faulted += count != 0;
        fine += !count;
        vc4_write(s.device, VC4_CT1CS, 1u << 15);
    }
    assert_true(faulted > 500 && fine > 500);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preshaded), cmocka_unit_test(largest_point), cmocka_unit_test(preshaded_faults),
        cmocka_unit_test(lists),     cmocka_unit_test(arrays),        cmocka_unit_test(fixed_depth),
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

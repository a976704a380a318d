/* Rendering without vertex programs: pre-shaded vertices (record 65), vector graphics (41, 42, 66, 67),
 * coverage and the VG mask. Expected pixels are worked out here from the definitions: edges in exact
 * integers, sixteen samples one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/renderer_scene.h"

#define SIDE 64u /* of the image, one tile */

/* ---- what is inside ---- */

struct point {
    int32_t x, y; /* 1/16 pixel */
};

/* By the fill rule: on a left or top edge is inside. `winding` becomes the area's sign. */
static bool in_triangle(const struct point v[3], int32_t px, int32_t py, int *winding)
{
    int64_t area =
        (int64_t)(v[1].x - v[0].x) * (v[2].y - v[0].y) - (int64_t)(v[2].x - v[0].x) * (v[1].y - v[0].y);
    *winding = area > 0 ? 1 : -1;
    for (unsigned i = 0; i < 3; i++) {
        const struct point *p = &v[i], *q = &v[(i + 1) % 3];
        int64_t a = (int64_t)(p->y - q->y) * *winding, b = (int64_t)(q->x - p->x) * *winding;
        int64_t e = a * (px - p->x) + b * (py - p->y);
        bool owned = a > 0 || (a == 0 && b > 0);
        if (e < 0 || (e == 0 && !owned))
            return false;
    }
    return area != 0;
}

static bool at_centre(const struct point v[3], uint32_t x, uint32_t y)
{
    int winding;
    return in_triangle(v, (int32_t)x * 16 + 8, (int32_t)y * 16 + 8, &winding);
}

static int32_t sample_y(int32_t s) /* four bits, the other way round */
{
    return (s & 1) * 8 + (s >> 1 & 1) * 4 + (s >> 2 & 1) * 2 + (s >> 3 & 1);
}

/* ---- pre-shaded vertices ---- */

enum { FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4, FLAG_HEADER = 8 };

static void nv_record(struct scene *s, uint32_t flags, uint32_t stride, uint32_t varyings)
{
    uint32_t back = s->at;
    s->at = AT_RECORD;
    put8(s, flags | 1);
    put8(s, stride);
    put8(s, 0);
    put8(s, varyings);
    put32(s, AT_FS);
    put32(s, AT_UNIFORMS);
    put32(s, AT_VERTICES);
    s->at = back;
}

static void nv_vertex(struct scene *s, uint32_t flags, uint32_t n, uint32_t stride, int32_t x, int32_t y,
                      float size, float vary)
{
    uint32_t back = s->at;
    s->at = AT_VERTICES + n * stride;
    for (unsigned k = 0; flags & FLAG_HEADER && k < 4; k++)
        put32(s, 0xdeadbeef); /* the renderer has no use for clip coordinates */
    put16(s, (uint32_t)x * 16);
    put16(s, (uint32_t)y * 16);
    put_float(s, 0.25f);
    put_float(s, 1.0f);
    if (flags & FLAG_POINT_SIZE)
        put_float(s, size);
    put_float(s, vary);
    s->at = back;
}

static void nv_state(struct scene *s, uint8_t primitive)
{
    draw_state(s, primitive, CONFIG_BOTH_FACES | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES);
    put8(s, 65);
    put32(s, AT_RECORD);
}

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
        render(&s);
        no_faults(&s);
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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        no_faults(&s);
        int half = flags & FLAG_POINT_SIZE ? 3 : 5;
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 30; x++) {
                bool in = x >= 8 - half && x < 8 + half && y >= 8 - half && y < 8 + half;
                assert_int_equal(pixel(&s, (uint32_t)x, (uint32_t)y), in ? BLUE : RED);
            }
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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        if (rows[i].kind)
            assert_int_equal(one_fault(&s).kind, rows[i].kind);
        else
            no_faults(&s);
        scene_close(&s);
    }
}

/* ---- VG primitives ---- */

#define TYPE_TRIANGLES 4u
#define TYPE_STRIP     5u
#define TYPE_FAN       6u
#define CONTINUATION   0x10u
#define END            0xbfff0000u
#define PAD            0xbfff0001u

#define CONFIG_COVERAGE       (1u << 8)
#define CONFIG_UPDATE(n)      ((uint32_t)(n) << 9)
#define CONFIG_LEAVE          (1u << 11)
#define CONFIG_16X            (2u << 6)
#define CONFIG_COVERAGE_16BIT (1u << 5)
#define VG_MASK               (1u << 8) /* record 113 */

/* Inline shader record, configuration bits, the rest as draw_state has it. */
static void vg_state(struct scene *s, uint32_t fs, uint32_t bits)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7) | bits);
    put8(s, 67);
    put32(s, fs | 1);
    put32(s, AT_UNIFORMS);
}

static void inline_list(struct scene *s, uint32_t type, const uint32_t *words, unsigned count)
{
    put8(s, 42);
    put8(s, type);
    for (unsigned i = 0; i < count; i++)
        put32(s, words[i]);
}

static void array_list(struct scene *s, uint32_t type, uint32_t length, uint32_t address)
{
    put8(s, 41);
    put8(s, type);
    put32(s, length);
    put32(s, address);
}

static void begin_vg(struct scene *s, uint32_t config_bits)
{
    s->at = AT_MAIN;
    config(s, SIDE, SIDE, RGBA_LINEAR | config_bits);
    clear_first(s, RED, 0, 0);
}

/* The triangles of every list type, wherever they stand, against the triangles meant. */
static const struct point corner[] = {{100, 90},  {800, 130}, {300, 700},
                                      {900, 650}, {500, 990}, {1000, 1000}};
#define C(n) (((uint32_t)corner[n].x) | (uint32_t)corner[n].y << 16)

struct list_case {
    const char *name;
    uint8_t triangles[4][3], count;
    uint32_t type[2], words[2][10];
    uint8_t size[2];
};

static const struct list_case list_cases[] = {
    {"triangles", {{0, 1, 2}, {3, 4, 5}}, 2, {4}, {{C(0), C(1), C(2), C(3), C(4), C(5), 0, 0, END}}, {9}},
    {"padded triangles", {{0, 1, 2}}, 1, {4}, {{0, 0, PAD, C(0), C(1), C(2), 7, 8, END}}, {9}},
    {"strip",
     {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}},
     3,
     {5},
     {{C(0), C(1), C(2), PAD, C(3), C(4), PAD, END}},
     {8}},
    {"fan", {{0, 1, 3}, {0, 3, 4}}, 2, {6}, {{C(0), C(1), C(3), C(4), END}}, {5}},
    /* the first one or two vertices of a continuation stand there in vain */
    {"continued fan",
     {{0, 1, 3}, {0, 3, 4}, {0, 4, 2}},
     3,
     {6, 0x16},
     {{C(0), C(1), C(3), END}, {1, 2, C(4), C(2), END}},
     {4, 5}},
    {"fan continued from its centre",
     {{0, 1, 3}, {0, 3, 4}},
     2,
     {6, 0x16},
     {{C(0), END, 0}, {1, C(1), C(3), C(4), END}},
     {3, 5}},
    {"empty fan, continued", {{0, 1, 3}}, 1, {6, 0x16}, {{C(0), C(1), END}, {1, 2, C(3), END}}, {3, 4}},
};

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
        render(&s);
        no_faults(&s);
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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        no_faults(&s);
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
    render(&s);
    no_faults(&s);
    assert_int_equal(pixel(&s, 30, 20), util_f2u(1.0f));
    assert_int_equal(pixel(&s, 20, 20), GREEN);
    assert_int_equal(depth_pixel(&s, 20, 20) >> 8, 0x800000);
    assert_int_equal(depth_pixel(&s, 30, 20) >> 8, 0xffffff);
    scene_close(&s);
}

/* ---- coverage ---- */

#define FS_COVERAGE "nop ; sbwait\n nop ; ldcov\n mov tlb_color, r4 ; thrend\n nop\n nop ; sbdone\n"

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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        no_faults(&s);
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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        no_faults(&s);
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
        tile(&s, 0, 0);
        sub_list(&s, 0);
        store(&s, true);
        render(&s);
        no_faults(&s);
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
        render(&s);
        no_faults(&s);
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
        render(&s);
        no_faults(&s);
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
                vc4_write(s.device, VC4_PCTRS0 + 8 * n, half * 16 + n);
            vc4_write(s.device, VC4_PCTRC, 0xffff);
            vc4_write(s.device, VC4_PCTRE, 0xffff);
            render(&s);
            no_faults(&s);
            for (unsigned n = 0; n < 16; n++)
                counts[w][half * 16 + n] = vc4_read(s.device, VC4_PCTR0 + 8 * n);
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
        unsigned count = vc4_device_faults(s.device, f, 8);
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
        cmocka_unit_test(preshaded),      cmocka_unit_test(preshaded_faults),
        cmocka_unit_test(lists),          cmocka_unit_test(arrays),
        cmocka_unit_test(fixed_depth),    cmocka_unit_test(coverage),
        cmocka_unit_test(coverage_reads), cmocka_unit_test(any_sample),
        cmocka_unit_test(mutations),      cmocka_unit_test(same_everywhere),
        cmocka_unit_test(mask),           cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

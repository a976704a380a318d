/* What the tests of rendering without vertex programs share: points and triangles by definition, pre-shaded
 * vertices, VG lists. Behind cmocka.h. */
#ifndef VITRAIL_TESTS_GPU_VC4_VG_SCENE_H
#define VITRAIL_TESTS_GPU_VC4_VG_SCENE_H

#include "tests/gpu/vc4/renderer_scene.h"

#define SIDE 64u /* of the image, one tile */

/* ---- what is inside ---- */

struct point {
    int32_t x, y; /* 1/16 pixel */
};

/* By the fill rule: on a left or top edge is inside. `winding` becomes the area's sign. */
static inline bool in_triangle(const struct point v[3], int32_t px, int32_t py, int *winding)
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

static inline bool at_centre(const struct point v[3], uint32_t x, uint32_t y)
{
    int winding;
    return in_triangle(v, (int32_t)x * 16 + 8, (int32_t)y * 16 + 8, &winding);
}

static inline int32_t sample_y(int32_t s) /* four bits, the other way round */
{
    return (s & 1) * 8 + (s >> 1 & 1) * 4 + (s >> 2 & 1) * 2 + (s >> 3 & 1);
}

/* ---- pre-shaded vertices ---- */

enum { FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4, FLAG_HEADER = 8 };

static inline void nv_record(struct scene *s, uint32_t flags, uint32_t stride, uint32_t varyings)
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

static inline void nv_vertex(struct scene *s, uint32_t flags, uint32_t n, uint32_t stride, int32_t x,
                             int32_t y, float size, float vary)
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

static inline void nv_state(struct scene *s, uint8_t primitive)
{
    draw_state(s, primitive, CONFIG_BOTH_FACES | CONFIG_DEPTH(1) | CONFIG_Z_UPDATES);
    put8(s, 65);
    put32(s, AT_RECORD);
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
static inline void vg_state(struct scene *s, uint32_t fs, uint32_t bits)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7) | bits);
    put8(s, 67);
    put32(s, fs | 1);
    put32(s, AT_UNIFORMS);
}

static inline void inline_list(struct scene *s, uint32_t type, const uint32_t *words, unsigned count)
{
    put8(s, 42);
    put8(s, type);
    for (unsigned i = 0; i < count; i++)
        put32(s, words[i]);
}

static inline void array_list(struct scene *s, uint32_t type, uint32_t length, uint32_t address)
{
    put8(s, 41);
    put8(s, type);
    put32(s, length);
    put32(s, address);
}

static inline void begin_vg(struct scene *s, uint32_t config_bits)
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

#define FS_COVERAGE "nop ; sbwait\n nop ; ldcov\n mov tlb_color, r4 ; thrend\n nop\n nop ; sbdone\n"

#endif

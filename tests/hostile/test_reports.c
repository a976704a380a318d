/* Hostile lists, programs and sizes end in a report that names GPU, job, unit, draw, the record's or the
 * instruction's place and the lane; the same whichever way the job is run; and the next job draws as if
 * nothing had been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

#define END "nop ; thrend\n nop\n nop ; sbdone\n"

static void bad_fragment(struct scene *s, const char *text)
{
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    assert_true(assemble(s, AT_FS, text));
}

/* A frame of one tile whose list is what `put_list` puts at AT_LISTS. */
static void tile_list(struct scene *s, void (*put_list)(struct scene *))
{
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    s->at = AT_LISTS;
    put_list(s);
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, 64, 64, RGBA_LINEAR);
    one_tile(s);
}

/* ---- programs ---- */

static void endless_fragment(struct scene *s)
{
    bad_fragment(s, "nop\n again: nop\n brr again\n nop\n nop\n nop\n" END);
}
static void endless_vertex(struct scene *s)
{
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    assert_true(assemble(s, AT_VS, "again: nop\n brr again\n nop\n nop\n nop\n nop ; thrend\n nop\n nop\n"));
}
static void lookup_outside(struct scene *s)
{
    bad_fragment(s, "ldi r1, 20\n shl r0, elem_num, r1\n mov tmu1_s, r0\n nop ; ldtmu1\n"
                    "mov tlb_color, r4\n" END);
}
static void texture_at_the_end(struct scene *s)
{
    bad_fragment(s, "ldi r0, 0\n mov tmu0_t, r0\n mov tmu0_s, r0\n nop ; ldtmu0\n mov tlb_color, r4\n" END);
    util_store32(s->memory.base + AT_UNIFORMS, MEMORY - 4096);         /* 0x800 by 0x800, four bytes each */
    util_store32(s->memory.base + AT_UNIFORMS + 4, 0u << 20 | 0 << 8); /* 0 is 2048 */
}
static void uniforms_outside(struct scene *s)
{
    bad_fragment(s, "nop\n mov tlb_color, unif\n" END);
    util_store32(s->memory.base + AT_RECORD + 8, UINT32_MAX - 3);
}
static void program_outside(struct scene *s)
{
    bad_fragment(s, FS_UNIFORM);
    util_store32(s->memory.base + AT_RECORD + 4, UINT32_MAX - 7);
}
static void program_without_end(struct scene *s)
{
    bad_fragment(s, FS_UNIFORM);
    util_store32(s->memory.base + AT_RECORD + 4, MEMORY - 64);
}
static void result_without_request(struct scene *s)
{
    bad_fragment(s, "nop\n nop ; ldtmu1\n mov tlb_color, r4\n" END);
}

/* ---- sizes ---- */

/* 26 bits of stride: element 65 of it begins past 4 GiB. */
static void put_long_stride(struct scene *s)
{
    static const uint32_t far[1][3] = {{65, 65, 65}};
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(s, 64);
    put32(s, AT_RECORD | 9);
    primitives(s, VC4_TRIANGLES, far, 1);
    put8(s, 18);
    util_store32(s->memory.base + AT_RECORD + 100, 0x03ffff00);
}
static void long_stride(struct scene *s)
{
    tile_list(s, put_long_stride);
}
static void put_long_index_list(struct scene *s)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(s, 32);
    put8(s, 1 << 4 | 4);
    put32(s, UINT32_MAX);
    put32(s, UINT32_MAX - 1);
    put32(s, 65535);
}
static void long_index_list(struct scene *s)
{
    tile_list(s, put_long_index_list);
}
static void put_record_at_the_end(struct scene *s)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(s, 64);
    put32(s, (MEMORY - 16) | 1);
    primitives(s, VC4_TRIANGLES, one_triangle, 1);
}
static void record_at_the_end(struct scene *s)
{
    tile_list(s, put_record_at_the_end);
}
static void image_at_the_end(struct scene *s)
{
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    put8(s, 113);
    put32(s, MEMORY - 64 * 64 * 4 + 16);
    put16(s, 64);
    put16(s, 64);
    put16(s, RGBA_LINEAR);
    tile(s, 0, 0);
    store(s, true);
}

/* ---- lists ---- */

static void put_loop(struct scene *s)
{
    put8(s, 1);
    put8(s, 16);
    put32(s, AT_LISTS);
}
static void looping_tile_list(struct scene *s)
{
    tile_list(s, put_loop);
}
static void looping_main_list(struct scene *s)
{
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    s->at = AT_MAIN;
    put8(s, 1);
    put8(s, 16);
    put32(s, AT_MAIN);
    put8(s, 1);
}
static void put_recursion(struct scene *s)
{
    put8(s, 17);
    put32(s, AT_LISTS);
}
static void recursion(struct scene *s)
{
    tile_list(s, put_recursion);
}
static void put_escape(struct scene *s)
{
    put8(s, 16);
    put32(s, UINT32_MAX);
}
static void escaping_tile_list(struct scene *s)
{
    tile_list(s, put_escape);
}
static void put_nothing(struct scene *s) {}
static void tile_list_outside(struct scene *s)
{
    tile_list(s, put_nothing);
    s->at -= 5 + 1; /* once more the sub-list and the store */
    put8(s, 17);
    put32(s, MEMORY + 4096);
    store(s, true);
}
/* Primitive codes up to the last byte of memory, and no end among them. */
static void put_codes_to_the_end(struct scene *s)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(s, 16);
    put32(s, MEMORY - 3);
    s->memory.base[MEMORY - 3] = 48;
    s->memory.base[MEMORY - 2] = s->memory.base[MEMORY - 1] = 0x04;
}
static void codes_to_the_end(struct scene *s)
{
    tile_list(s, put_codes_to_the_end);
}

/* ---- */

static const struct {
    void (*make)(struct scene *);
    const char *report;
} cases[] = {
    {endless_fragment, "fragment program, draw 1, at 0x00001010, pc 2, lane 0: timeout: loops repeat more "
                       "instructions than the fuel allows"},
    {endless_vertex, "vertex program, draw 1, at 0x00002008, pc 1, lane 0: timeout: loops repeat more "
                     "instructions than the fuel allows"},
    {lookup_outside,
     "fragment program, draw 1, at 0x00800000, pc 2, lane 8: address outside memory: lookup outside memory"},
    {texture_at_the_end, "texture unit, draw 1, at 0x007ff000, pc 2: address outside memory: RGBA8888 "
                         "texture of 2048x2048: texture level 0 (2048x2048 at 0x007ff000) leaves memory"},
    {uniforms_outside, "fragment program, draw 1, at 0xfffffffc, pc 1, lane 0: address outside memory: "
                       "uniform read outside memory"},
    {program_outside,
     "fragment program, draw 1, at 0xfffffff8: address outside memory: code lies outside memory"},
    {program_without_end,
     "fragment program, draw 1, at 0x007fffc0: bad program: pc 7: execution runs off the end of the program"},
    {result_without_request, "fragment program, draw 1, at 0x00001008, pc 1, lane 0: bad program: texture "
                             "result loaded without a request"},
    {long_stride, "vertex program, draw 1, at 0x00005000: address outside memory: vertex 65: attributes lie "
                  "outside memory (the last that fits is 0)"},
    {long_index_list, "renderer, at 0x00010019: address outside memory: index list lies outside memory"},
    {record_at_the_end, "shader state, draw 1, at 0x007ffff0: address outside memory: shader state record of "
                        "44 bytes lies outside memory"},
    {image_at_the_end, "renderer, at 0x00080026: address outside memory: image of 64 x 64 pixels at "
                       "0x007fc010 (16384 bytes) lies outside memory"},
    {looping_tile_list,
     "renderer, at 0x00010001: timeout: the tile's list goes round: it has been at 0x00010000"},
    {looping_main_list, "renderer, at 0x00080001: timeout: the list goes round: it has been at 0x00080000"},
    {recursion, "renderer, at 0x00010000: bad list: sub-lists nest more than two levels deep"},
    {escaping_tile_list, "renderer, at 0xffffffff: bad list: list leaves memory"},
    {tile_list_outside, "renderer, at 0x00801000: bad list: list leaves memory"},
    {codes_to_the_end, "tile list, draw 1, at 0x00800000: bad list: compressed primitive list leaves memory"},
};

/* Interpreter, compiled code and reference, on one thread and several: one report. */
static void test_reports(void **unused)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        assert_true(scene_open(&s, ways[w]));
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(cases); i++) {
            char got[512], want[512];
            shader_record(&s, 0);
            assert_true(assemble(&s, AT_VS, VS_COPY));
            cases[i].make(&s);
            render(&s);
            struct gpu_fault fault = one_fault(&s);
            gpu_fault_format(&fault, got, sizeof got);
            snprintf(want, sizeof want, "vc4 job %u, %s", 2 * i + 1, cases[i].report);
            assert_string_equal(got, want);
            shader_record(&s, 0);
            assert_true(assemble(&s, AT_FS, FS_UNIFORM) && assemble(&s, AT_VS, VS_COPY));
            triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
            render_well(&s);
            assert_int_equal(pixel(&s, 20, 20), BLUE);
            assert_int_equal(pixel(&s, 120, 60), RED);
        }
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A job whose binner runs out of memory once, for tests of captures with recorded answers. */
#ifndef VITRAIL_TESTS_GPU_VC4_REPLIES_SCENE_H
#define VITRAIL_TESTS_GPU_VC4_REPLIES_SCENE_H

#include "tests/gpu/vc4/renderer_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A binning list whose tile memory holds the initial block only, and the rendering list that waits for it.
 * The vertex is one array of eight words: clip coordinates, then what the vertex program passes on. */
static inline void put_lists(struct scene *s, uint32_t *binning_end, uint32_t *rendering)
{
    static const float clip[3][2] = {{-0.75f, -0.75f}, {0.75f, -0.75f}, {-0.75f, 0.75f}};
    static const uint32_t uniform = 0xffffff00;
    shader_record(s, 0);
    assert_true(assemble(s, AT_FS, FS_UNIFORM));
    assert_true(assemble(s, AT_VS,
                         "ldi vr_setup, 0x00801a00\n ldi vw_setup, 0x1a00\n mov vpm, vpm\n mov vpm, vpm\n"
                         "mov vpm, vpm\n mov vpm, vpm\n mov vpm, vpm\n mov vpm, vpm\n mov vpm, vpm\n"
                         "nop ; thrend\n nop\n nop\n"));
    assert_true(assemble(s, AT_VS + 0x800,
                         "ldi vr_setup, 0x00801a00\n ldi vw_setup, 0x1a00\n mov -, vpm\n mov -, vpm\n"
                         "mov -, vpm\n mov -, vpm\n mov vpm, vpm\n mov vpm, vpm\n mov vpm, vpm\n"
                         "nop ; thrend\n nop\n nop\n"));
    memcpy(s->memory.base + AT_UNIFORMS, &uniform, 4);
    util_store32(s->memory.base + AT_RECORD + 16, AT_VS + 0x800);
    s->memory.base[AT_RECORD] = 5; /* clipping, single-threaded */
    s->memory.base[AT_RECORD + 15] = s->memory.base[AT_RECORD + 27] = 32;
    s->memory.base[AT_RECORD + 40] = 31;
    s->memory.base[AT_RECORD + 41] = 32;
    s->at = AT_VERTICES;
    for (unsigned i = 0; i < 3; i++) {
        put_float(s, clip[i][0]);
        put_float(s, clip[i][1]);
        put_float(s, 0.0f);
        put_float(s, 1.0f);
        put16(s, (uint32_t)(int32_t)(clip[i][0] * 32 * 16));
        put16(s, (uint32_t)(int32_t)(clip[i][1] * 32 * 16));
        put_float(s, 0.5f);
        put_float(s, 1.0f);
        put_float(s, 0.0f);
    }
    s->at = AT_MAIN;
    put8(s, 112);
    put32(s, AT_LISTS);
    put32(s, 32);
    put32(s, AT_LISTS + 0x8000);
    put8(s, 1);
    put8(s, 1);
    put8(s, 4);
    put8(s, 6);
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    put8(s, 103);
    put16(s, 32 * 16);
    put16(s, 32 * 16);
    put8(s, 105);
    put_float(s, 32 * 16);
    put_float(s, 32 * 16);
    put8(s, 106);
    put_float(s, 0.5f);
    put_float(s, 0.5f);
    put8(s, 33);
    put8(s, 4);
    put32(s, 3);
    put32(s, 0);
    put8(s, 7);
    put8(s, 4);
    *binning_end = s->at;
    *rendering = s->at = AT_MAIN + 0x1000;
    clear_first(s, 0xff000000, 0, 0);
    config(s, 64, 64, RGBA_LINEAR);
    tile(s, 0, 0);
    put8(s, 8);
    sub_list(s, 0);
    store(s, true);
}

#endif

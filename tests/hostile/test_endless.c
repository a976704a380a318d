/* Lists without end stop by themselves, at one place whichever way they are run and without any bound set by
 * the host; lists that are only long, and jobs that are only large, are done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/gpu/vc4/renderer_scene.h"

/* A scene without the bounds that scene_open sets. */
static void open_unbounded(struct scene *s, struct way way)
{
    assert_true(scene_open(s, way));
    vc4_device_destroy(s->device);
    const struct gpu_options options = {.reference = way.reference, .engine = s->engine, .pool = s->pool};
    assert_int_equal(vc4_device_create(&s->memory, &options, &s->device), 0);
    triangle_scene(s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
}

static void one_tile_frame(struct scene *s)
{
    s->at = AT_MAIN;
    clear_first(s, RED, 0x800000, 7);
    config(s, 64, 64, RGBA_LINEAR);
    one_tile(s);
}

static void branch(struct scene *s, uint8_t record, uint32_t to)
{
    put8(s, record);
    put32(s, to);
}

/* ---- without end ---- */

static void put_code_circle(struct scene *s)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    branch(s, 16, AT_LISTS + 0x400 - 1);
    s->at = AT_LISTS + 0x400 - 1;
    put8(s, 48);
    put8(s, 0x04);
    put8(s, 0x04);
    put8(s, 130);
    put16(s, 0); /* to the first code */
}
/* Two blocks that name each other, behind one that is not of the circle. */
static void put_circle_of_blocks(struct scene *s)
{
    draw_state(s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    branch(s, 16, AT_LISTS + 0x400);
    for (uint32_t n = 0; n < 2; n++) {
        s->at = AT_LISTS + 0x400 * (n + 1);
        primitives(s, VC4_TRIANGLES, one_triangle, 1);
        branch(s, 16, AT_LISTS + 0x400 * (2 - n));
    }
}
/* Ends, after more records than memory has bytes: each of many calls goes through many records. */
static void put_repeated_sub_list(struct scene *s)
{
    enum { CALLS = 4000, RECORDS = 3000 };
    branch(s, 16, 0x400000);
    s->at = 0x400000;
    for (uint32_t n = 0; n < CALLS; n++)
        branch(s, 17, 0x500000);
    put8(s, 18);
    memset(s->memory.base + 0x500000, 1, RECORDS);
    s->memory.base[0x500000 + RECORDS] = 18;
}

static const struct {
    void (*put_list)(struct scene *);
    const char *report;
} endless[] = {
    {put_code_circle,
     "tile list, draw 1, at 0x00010402: timeout: compressed primitive list goes round: it has been "
     "at 0x00010400"},
    {put_circle_of_blocks,
     "renderer, draw 2, at 0x00010804: timeout: the tile's list goes round: it has been at 0x00010400"},
    {put_repeated_sub_list,
     "renderer, at 0x005003fa: timeout: the tile's list repeats more than memory can hold"},
};

static void lists_without_end(void **state)
{
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(ways); w++) {
        struct scene s;
        open_unbounded(&s, ways[w]);
        for (unsigned i = 0; i < UTIL_ARRAY_SIZE(endless); i++) {
            char got[512], want[512];
            s.at = AT_LISTS;
            endless[i].put_list(&s);
            one_tile_frame(&s);
            render(&s);
            struct gpu_fault fault = one_fault(&s);
            gpu_fault_format(&fault, got, sizeof got);
            snprintf(want, sizeof want, "vc4 job %u, %s", i + 1, endless[i].report);
            assert_string_equal(got, want);
        }
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        render_well(&s);
        scene_close(&s);
    }
}

/* A binning and a rendering list that wake each other for ever. */
static void lists_that_wake_each_other(void **state)
{
    enum { BYTES = 1 << 16, BINNING = 0x1000, RENDERING = 0x2000 };
    struct gpu_fault fault;
    struct scene s = {0};
    const struct gpu_options options = {0};
    assert_int_equal(gpu_memory_create(BYTES, &s.memory), 0);
    assert_int_equal(vc4_device_create(&s.memory, &options, &s.device), 0);
    s.at = BINNING;
    put8(&s, 7);
    put8(&s, 8);
    branch(&s, 16, BINNING);
    s.at = RENDERING;
    put8(&s, 8);
    put8(&s, 7);
    branch(&s, 16, RENDERING);
    vc4_write(s.device, VC4_CT1CA, RENDERING);
    vc4_write(s.device, VC4_CT1EA, RENDERING + 0x100);
    vc4_write(s.device, VC4_CT0CA, BINNING);
    vc4_write(s.device, VC4_CT0EA, BINNING + 0x100);
    assert_int_equal(gpu_host_faults(vc4_device_host(s.device), &fault, 1), 1);
    assert_int_equal(fault.kind, GPU_FAULT_TIMEOUT);
    assert_string_equal(fault.text, "the list repeats more than memory can hold");
    vc4_device_destroy(s.device);
    gpu_memory_destroy(&s.memory);
}

/* As many rounds as the semaphore allows are no circle. */
static void rounds_that_a_semaphore_ends(void **state)
{
    struct scene s;
    open_unbounded(&s, plain);
    s.at = AT_LISTS;
    for (unsigned n = 0; n < 6; n++)
        put8(&s, 7);
    vc4_write(s.device, VC4_CT0CA, AT_LISTS);
    vc4_write(s.device, VC4_CT0EA, s.at);
    s.at = AT_MAIN;
    put8(&s, 8);
    put8(&s, 16);
    put32(&s, AT_MAIN);
    put8(&s, 1);
    render(&s);
    no_faults(&s);
    assert_int_equal(vc4_read(s.device, VC4_CT1CS) & 0x30, 0x30); /* it runs, and waits */
    scene_close(&s);
}

/* ---- only long ---- */

/* Millions of primitives of one tile; the last one covers it. */
static void a_long_list(void **state)
{
    enum { MANY = 4300000, LIST = 0x380000 };
    static const struct way jit[] = {{0}, {.threads = 3, .jit = true}};
    for (unsigned w = 0; w < UTIL_ARRAY_SIZE(jit); w++) {
        struct scene s;
        open_unbounded(&s, jit[w]);
        s.at = AT_LISTS;
        draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        branch(&s, 16, LIST);
        s.at = LIST;
        put8(&s, 48);
        memset(s.memory.base + s.at, 0, MANY); /* vertices 0, 0 and 0: nothing is covered */
        s.at += MANY;
        put8(&s, 129);
        for (uint32_t n = 0; n < 3; n++)
            put16(&s, n);
        put8(&s, 128);
        put8(&s, 18);
        one_tile_frame(&s);
        render_well(&s);
        assert_int_equal(pixel(&s, 20, 20), BLUE);
        scene_close(&s);
    }
}

/* Layers upon layers, by a program with a loop. */
static void many_layers(void **state)
{
    enum { LAYERS = 150, ROUNDS = 2000 };
    static const uint32_t whole[1][3] = {{3, 4, 5}};
    char text[512];
    struct scene s;
    open_unbounded(&s, (struct way){.threads = 1, .jit = true});
    snprintf(text, sizeof text,
             "ldi r0, %u\nagain: sub.sf r0, r0, 1\nbrr.anyzc again\nnop\nnop\nnop\n" FS_UNIFORM, ROUNDS);
    assert_true(assemble(&s, AT_FS, text));
    vertex(&s, 3, 0, 0, 0.25f, 0);
    vertex(&s, 4, 128, 0, 0.25f, 0);
    vertex(&s, 5, 0, 128, 0.25f, 0);
    s.at = AT_LISTS;
    draw_state(&s, VC4_TRIANGLES, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
    for (unsigned n = 0; n < LAYERS; n++)
        primitives(&s, VC4_TRIANGLES, whole, 1);
    primitives(&s, VC4_TRIANGLES, one_triangle, 1);
    put8(&s, 18);
    one_tile_frame(&s);
    render_well(&s);
    assert_in_range(vc4_device_host(s.device)->counters.instructions, 256ull << 20, UINT64_MAX);
    assert_int_equal(pixel(&s, 20, 20), BLUE);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_without_end),
        cmocka_unit_test(lists_that_wake_each_other),
        cmocka_unit_test(rounds_that_a_semaphore_ends),
        cmocka_unit_test(a_long_list),
        cmocka_unit_test(many_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

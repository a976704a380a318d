/* Varyings of vertices that are halves, as the processor's instruction reads them and slot by slot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/mali/frag_internal.h"
#include "util/half.h"

enum { AT = 16, VERTICES = 5000, STRIDE = 26, MEMORY = AT + VERTICES * STRIDE };

static uint8_t *memory;
static struct gpu_space space;
static struct gpu_space_run run;

/* Two, three and one half of each vertex, with others between. */
static struct mali_frag *three_slots(void)
{
    static struct mali_frag_slot slot[3];
    const struct mali_frag_slot slots[3] = {
        {.address = AT + 4, .stride = STRIDE, .as = FRAG_HALVES, .first = 0, .count = 2, .bytes = 4},
        {.address = AT + 12, .stride = STRIDE, .as = FRAG_HALVES, .first = 2, .count = 3, .bytes = 6},
        {.address = AT, .stride = STRIDE, .as = FRAG_HALVES, .first = 5, .count = 1, .bytes = 2}};
    struct mali_frag *f = calloc(1, sizeof *f);
    assert_non_null(f);
    memcpy(slot, slots, sizeof slots);
    f->slot = slot;
    f->slot_count = 3;
    f->vary_count = 6;
    return f;
}

static void fetch(struct mali_frag *f, bool instruction, uint32_t vertex, float out[RASTER_MAX_VARYINGS])
{
    struct gpu_fault fault = {.kind = GPU_FAULT_NONE};
    mali_frag_find_halves(f, instruction);
    assert_true(mali_frag_fetch(f, &space, &run, &vertex, 1, (float(*)[RASTER_MAX_VARYINGS])out, &fault));
}

static bool has_instruction(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

/* Every half among them. */
static void both_ways(void **state)
{
    struct mali_frag *f = three_slots();
    for (uint32_t v = 0; v < VERTICES; v++) {
        static const uint8_t from[6] = {4, 6, 12, 14, 16, 0};
        float out[2][RASTER_MAX_VARYINGS];
        for (unsigned way = 0; way <= has_instruction(); way++) {
            fetch(f, way, v, out[way]);
            assert_int_equal(f->halves.bytes, way ? 20 : 0);
            for (uint32_t c = 0; c < f->vary_count; c++) {
                uint16_t half;
                memcpy(&half, memory + AT + v * STRIDE + from[c], sizeof half);
                float expected = util_half_to_float(half);
                assert_memory_equal(&out[way][c], &expected, sizeof expected);
            }
        }
    }
    free(f);
}

/* Bytes behind the last half that are not in memory. */
static void at_the_end(void **state)
{
    struct mali_frag *f = three_slots();
    float out[RASTER_MAX_VARYINGS];
    run.to = AT + STRIDE + 12 + 6;
    fetch(f, has_instruction(), 1, out);
    for (uint32_t c = 0; c < 3; c++) {
        uint16_t half;
        memcpy(&half, memory + AT + STRIDE + 12 + 2 * c, sizeof half);
        float expected = util_half_to_float(half);
        assert_memory_equal(&out[2 + c], &expected, sizeof expected);
    }
    run.to = MEMORY;
    free(f);
}

/* Several at a time: those before one whose last bytes are not there, it, and those behind it. */
static void several(void **state)
{
    static const uint32_t index[3] = {0, 1, 0};
    struct mali_frag *f = three_slots();
    float out[3][RASTER_MAX_VARYINGS], one[RASTER_MAX_VARYINGS];
    struct gpu_fault fault = {.kind = GPU_FAULT_NONE};
    for (unsigned n = 0; n < 3; n++) {
        run.to = n < 2 ? AT + STRIDE + 12 + 6 : AT + STRIDE + 12;
        mali_frag_find_halves(f, n && has_instruction());
        assert_int_equal(mali_frag_fetch(f, &space, &run, index, 3, out, &fault), n < 2);
        for (unsigned k = 0; n < 2 && k < 3; k++) {
            fetch(f, false, index[k], one);
            assert_memory_equal(out[k], one, f->vary_count * sizeof *one);
        }
    }
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(fault.address, AT + STRIDE + 12);
    run.to = MEMORY;
    free(f);
}

static void not_together(struct mali_frag *f)
{
    mali_frag_find_halves(f, true);
    assert_int_equal(f->halves.bytes, 0);
    free(f);
}

static void others_are_none(void **state)
{
    static const struct mali_array divided;
    struct mali_frag *f = three_slots();
    f->slot[1].as = FRAG_COPY;
    not_together(f);
    f = three_slots();
    f->slot[1].stride = 2 * STRIDE;
    not_together(f);
    f = three_slots();
    f->slot[2].divided = &divided;
    not_together(f);
    f = three_slots();
    f->slot[1].address = AT + 4096;
    not_together(f);
    f = three_slots();
    f->slot[2].first = RASTER_MAX_VARYINGS - 1;
    not_together(f);
    f = three_slots();
    f->slot_count = 0;
    not_together(f);
}

static int begin(void **state)
{
    memory = malloc(MEMORY);
    assert_non_null(memory);
    for (uint32_t n = 0; n < MEMORY / 2; n++) {
        uint16_t half = (uint16_t)n;
        memcpy(memory + 2 * n, &half, sizeof half);
    }
    space.window.base = memory;
    space.page = calloc(1u << 20, sizeof *space.page); /* nothing beyond the run */
    space.used = calloc(1u << 10, 1);
    assert_true(space.page && space.used);
    run = (struct gpu_space_run){0, MEMORY};
    return 0;
}

static int end(void **state)
{
    free(space.page);
    free(space.used);
    free(memory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways), cmocka_unit_test(at_the_end),
                                       cmocka_unit_test(several), cmocka_unit_test(others_are_none)};
    return cmocka_run_group_tests(tests, begin, end);
}

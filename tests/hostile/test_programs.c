/* A guest that brings programs without end: the program cache and the compiled code stay within bounds, and
 * what is drawn stays right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gpu/vc4/shader_state.h"
#include "tests/gpu/vc4/renderer_scene.h"

#define LENGTH 30000u
#define AT     (4u << 20)

/* A long program whose first word is another for each number. */
static void write_program(struct gpu_memory *memory, uint32_t number)
{
    char first[64];
    uint64_t *words, nop;
    uint32_t count;
    snprintf(first, sizeof first, "ldi r0, 0x%x\nnop\nnop ; thrend\nnop\nnop\n", number);
    assert_int_equal(vc4_qpu_asm(first, strlen(first), &words, &count, NULL), 0);
    nop = words[1];
    memcpy(memory->base + AT, words, 8);
    for (uint32_t i = 1; i < LENGTH - 3; i++)
        memcpy(memory->base + AT + i * 8, &nop, 8);
    memcpy(memory->base + AT + (LENGTH - 3) * 8, words + 2, 3 * 8);
    free(words);
}

static void test_cache_is_bounded(void **unused)
{
    struct gpu_memory memory;
    struct gpu_programs *programs;
    struct gpu_fault fault = {0};
    uint32_t brought = 0, many = 0;
    assert_int_equal(gpu_memory_create(MEMORY, &memory), 0);
    assert_int_equal(gpu_programs_create(&vc4_program_kind, &programs), 0);
    for (; brought < 1000; brought++) {
        write_program(&memory, brought);
        if (!vc4_programs_get(programs, &memory, AT, NULL, &fault))
            break;
        many += !gpu_programs_are_many(programs);
    }
    /* Emptied between jobs once a million instructions are there; four million are one job's limit. */
    assert_in_range(many * LENGTH, 900000, 1100000);
    assert_in_range(brought * LENGTH, 4000000, 4400000);
    assert_int_equal(fault.kind, GPU_FAULT_SHADER);
    assert_int_equal(fault.address, AT);
    gpu_programs_empty(programs);
    assert_false(gpu_programs_are_many(programs));
    const struct vc4_qpu_program *again = vc4_programs_get(programs, &memory, AT, NULL, &fault);
    assert_non_null(again);
    assert_int_equal(again->insn_count, LENGTH);
    gpu_programs_destroy(programs);
    gpu_memory_destroy(&memory);
}

/* How many programs one job may have does not depend on those that the cache knows already. */
static void test_job_is_bounded(void **unused)
{
    enum { MANY = 200, BYTES = 256 };
    const uint64_t stride = LENGTH * 8 + BYTES;
    struct gpu_memory memory;
    struct gpu_programs *programs;
    uint32_t first = 0;
    assert_int_equal(gpu_memory_create(AT + MANY * stride, &memory), 0);
    assert_int_equal(gpu_programs_create(&vc4_program_kind, &programs), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        write_program(&memory, i);
        memcpy(memory.base + AT + i * stride, memory.base + AT, LENGTH * 8);
    }
    for (unsigned job = 0; job < 3; job++) {
        struct gpu_fault fault = {0};
        uint32_t used = 0;
        if (job == 2)
            gpu_programs_empty(programs);
        gpu_programs_begin(programs);
        for (; used < MANY; used++) /* again and again: a job pays once for what it uses */
            if (!vc4_programs_get(programs, &memory, (uint32_t)(AT + used * stride), NULL, &fault) ||
                !vc4_programs_get(programs, &memory, (uint32_t)(AT + used * stride), NULL, &fault))
                break;
        first = job ? first : used;
        assert_in_range(used * LENGTH, 4000000, 4400000);
        assert_int_equal(used, first);
        assert_int_equal(fault.kind, GPU_FAULT_SHADER);
    }
    gpu_programs_destroy(programs);
    gpu_memory_destroy(&memory);
}

/* Each frame has a program of its own; the engine holds the code of a few. */
static void test_code_is_bounded(void **unused)
{
    const struct jit_options few = {.level = -1, .cache_dir = "", .code_bytes = 100 << 10};
    const uint32_t frames = 40;
    struct jit_stats stats;
    struct scene s;
    uint64_t most = 0;
    assert_true(scene_open(&s, plain));
    vc4_device_destroy(s.device);
    assert_int_equal(jit_engine_create(&few, &s.engine, NULL), 0);
    const struct gpu_options options = {.engine = s.engine};
    assert_int_equal(vc4_device_create(&s.memory, &options, &s.device), 0);
    for (uint32_t i = 0; i < frames; i++) {
        char text[256];
        uint32_t color = 0xff000000u | i * 0x10307;
        snprintf(text, sizeof text,
                 "mov tlb_z, rb15 ; sbwait\nldi tlb_color, 0x%x\nnop ; thrend\nnop\nnop ; sbdone\n", color);
        assert_true(assemble(&s, AT_FS, text));
        triangle_scene(&s, CONFIG_BOTH_FACES | CONFIG_DEPTH(7));
        render(&s);
        no_faults(&s);
        assert_int_equal(pixel(&s, 20, 20), color);
        jit_engine_stats(s.engine, &stats);
        most = UTIL_MAX(most, stats.code_bytes);
    }
    assert_in_range(stats.compiled, frames + 1, 3 * frames); /* each fragment program, some others again */
    assert_in_range(most, 30 << 10, 150 << 10);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache_is_bounded),
        cmocka_unit_test(test_job_is_bounded),
        cmocka_unit_test(test_code_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

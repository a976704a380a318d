/* A compute or vertex job with descriptors of its own: words where the hardware has them (desc_job.inc), programs as
 * text. Included by tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_DISPATCH_H
#define VITRAIL_TESTS_GPU_MALI_DISPATCH_H

#include <stdio.h>

#include "isa/midgard/asm.h"
#include "jit/engine.h"
#include "tests/gpu/mali/guest.h"

enum {
    DISPATCH_JOB = 0x100000,
    DISPATCH_STATE = 0x101000,
    DISPATCH_STORAGE = 0x101100,
    DISPATCH_UNIFORMS = 0x101200,
    DISPATCH_BUFFERS = 0x102000, /* uniform buffers, then each list on 256 bytes of its own */
    DISPATCH_ATTRIBUTES = 0x102100,
    DISPATCH_ATTRIBUTE_BUFFERS = 0x102200,
    DISPATCH_VARYINGS = 0x102300,
    DISPATCH_VARYING_BUFFERS = 0x102400,
    DISPATCH_TEXTURES = 0x102500,
    DISPATCH_SAMPLERS = 0x102600,
    DISPATCH_TEXTURE = 0x102700,
    DISPATCH_PROGRAM = 0x110000,
    DISPATCH_DATA = 0x200000,
    DISPATCH_DATA_BYTES = 0x60000
};

/* Of the devices that dispatch_begin makes; NULL: programs are interpreted. */
static struct jit_engine *dispatch_engine;

struct dispatch {
    struct guest guest;
    uint8_t *descriptors, *program, *data;
};

static inline uint8_t *dispatch_at(struct dispatch *d, uint32_t address)
{
    return address >= DISPATCH_DATA      ? d->data + (address - DISPATCH_DATA)
           : address >= DISPATCH_PROGRAM ? d->program + (address - DISPATCH_PROGRAM)
                                         : d->descriptors + (address - DISPATCH_JOB);
}

static inline void dispatch_set(struct dispatch *d, uint32_t address, uint32_t word, uint32_t value)
{
    util_store32(dispatch_at(d, address) + 4 * word, value);
}

static inline uint32_t dispatch_get(struct dispatch *d, uint32_t address, uint32_t word)
{
    return util_load32(dispatch_at(d, address) + 4 * word);
}

static inline void dispatch_program(struct dispatch *d, const char *text)
{
    struct util_error error = {0};
    void *words;
    uint32_t count;
    if (midgard_asm(text, strlen(text), &words, &count, &error))
        fail_msg("%s", error.text);
    memcpy(d->program, words, count * 16u);
    free(words);
}

/* `size` threads of a workgroup and `groups`, along x, y and z: of each axis a power of two or one field that is
 * wide enough. */
static inline void dispatch_sizes(struct dispatch *d, const uint32_t size[3], const uint32_t groups[3])
{
    uint32_t word = 0, shifts = 0, at = 0;
    for (unsigned n = 0; n < 6; n++) {
        uint32_t count = (n < 3 ? size[n] : groups[n - 3]) - 1;
        static const uint8_t shift_at[6] = {0, 0, 5, 10, 16, 22};
        if (n)
            shifts |= at << shift_at[n];
        word |= count << at;
        at += count ? 32 - (uint32_t)__builtin_clz(count) : 0;
    }
    dispatch_set(d, DISPATCH_JOB, 8, word);
    dispatch_set(d, DISPATCH_JOB, 9, shifts);
}

/* A job of that type; r23 is (DISPATCH_DATA, 0, 0, 0). */
static inline void dispatch_begin(struct dispatch *d, const struct mali_options *options, uint32_t type,
                                  const char *program)
{
    static const struct {
        uint8_t word;
        uint32_t address;
    } lists[] = {{6, DISPATCH_BUFFERS},     {8, DISPATCH_TEXTURES},         {10, DISPATCH_SAMPLERS},
                 {12, DISPATCH_UNIFORMS},   {14, DISPATCH_STATE},           {16, DISPATCH_ATTRIBUTE_BUFFERS},
                 {18, DISPATCH_ATTRIBUTES}, {20, DISPATCH_VARYING_BUFFERS}, {22, DISPATCH_VARYINGS},
                 {28, DISPATCH_STORAGE}};
    struct mali_options compiled = *options;
    compiled.gpu.engine = dispatch_engine;
    guest_create(&d->guest, &compiled);
    d->descriptors = guest_map(&d->guest, DISPATCH_JOB, 0x4000, RIGHT_BOTH);
    d->program = guest_map(&d->guest, DISPATCH_PROGRAM, 0x1000, RIGHT_BOTH);
    d->data = guest_map(&d->guest, DISPATCH_DATA, DISPATCH_DATA_BYTES, RIGHT_BOTH);
    guest_flush_as(&d->guest, 0);
    dispatch_set(d, DISPATCH_JOB, 4, 1 | type << 1 | 1 << 16);
    dispatch_set(d, DISPATCH_JOB + 64, 0, 6);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(lists); n++)
        dispatch_set(d, DISPATCH_JOB + 64, lists[n].word, lists[n].address);
    dispatch_set(d, DISPATCH_STATE, 0, DISPATCH_PROGRAM);
    dispatch_set(d, DISPATCH_STATE, 4, 1 << 21);
    dispatch_set(d, DISPATCH_STORAGE, 1, 31);
    dispatch_set(d, DISPATCH_UNIFORMS, 0, DISPATCH_DATA);
    dispatch_program(d, program);
}

/* How many of textures, samplers, attributes, varyings, uniform buffers. */
static inline void dispatch_counts(struct dispatch *d, uint32_t textures, uint32_t samplers,
                                   uint32_t attributes, uint32_t varyings, uint32_t buffers)
{
    dispatch_set(d, DISPATCH_STATE, 2, samplers | textures << 16);
    dispatch_set(d, DISPATCH_STATE, 3, attributes | varyings << 16);
    dispatch_set(d, DISPATCH_STATE, 4, buffers | 1 << 21);
}

static inline void dispatch_run(struct dispatch *d)
{
    uint32_t raw = guest_run(&d->guest, 1, DISPATCH_JOB);
    guest_expect_no_fault(&d->guest);
    assert_int_equal(raw, 2);
}

/* Attribute `n` of a list, of a plain buffer. */
static inline void dispatch_array(struct dispatch *d, uint32_t list, uint32_t n, uint32_t format,
                                  uint32_t order, uint32_t pointer, uint32_t stride, uint32_t size)
{
    dispatch_set(d, list, 2 * n, n | 1 << 9 | order << 10 | format << 22);
    dispatch_set(d, list, 2 * n + 1, 0);
    dispatch_set(d, list + 0x100, 4 * n, pointer | 1);
    dispatch_set(d, list + 0x100, 4 * n + 2, stride);
    dispatch_set(d, list + 0x100, 4 * n + 3, size);
}

/* A group of tests with programs interpreted, then quick and optimised at every vector level. */
#define dispatch_run_group_tests(tests) dispatch_run_group(tests, UTIL_ARRAY_SIZE(tests))
static inline int dispatch_run_group(const struct CMUnitTest *tests, size_t count)
{
    int failed = _cmocka_run_group_tests("interpreted", tests, count, NULL, NULL);
    for (int level = 0; level < JIT_LEVEL_COUNT; level++)
        for (unsigned tier = JIT_QUICK; tier <= JIT_OPTIMISED; tier += JIT_OPTIMISED - JIT_QUICK) {
            const struct jit_options options = {.level = level, .optimize = tier, .cache_dir = ""};
            char name[64];
            if (!jit_level_supported((enum jit_level)level))
                continue;
            snprintf(name, sizeof name, "%s, tier %u", jit_level_name((enum jit_level)level), tier);
            assert_int_equal(jit_engine_create(&options, &dispatch_engine, NULL), 0);
            failed += _cmocka_run_group_tests(name, tests, count, NULL, NULL);
            struct jit_stats stats;
            jit_engine_stats(dispatch_engine, &stats);
            assert_true(stats.compiled > 0);
            jit_engine_destroy(dispatch_engine);
        }
    return failed;
}

#endif

/* User programs and wide pictures through the public API: the QPU scheduler's registers, their interrupts,
 * both numeric modes. Linked against the library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <vitrail.h>

enum { /* Guide section 10; DBQITE and DBQITC: vc4asm's addendum */
       SRQPC = 0x430,
       SRQUA = 0x434,
       SRQUL = 0x438,
       SRQCS = 0x43c,
       VPMBASE = 0x504,
       DBQITE = 0xe2c,
       DBQITC = 0xe30,
};
enum { CODE = 0x1000, UNIFORMS = 0x2000, RESULT = 0x3000 };

/* Stores the product of its first two uniforms, 16 times, at the third; then interrupts the host. */
static const uint64_t multiply[] = {
    0xe0025c6700001a00, /* ldi vw_setup, 0x1a00: rows of 32 bits */
    0x1002082715827d80, /* mov r0, unif */
    0x100049f020827006, /* fmul vpm, r0, unif */
    0xe0025c6780904000, /* ldi vw_setup, 0x80904000: DMA of one row of 16 words */
    0xe0025c67c0000000, /* ldi vw_setup, 0xc0000000: without a stride */
    0x10021ca715827d80, /* mov vw_addr, unif */
    0x100209e7159f2fc0, /* mov -, vpm_st_wait */
    0xd00209a7159c1fc0, /* mov host_int, 1 */
    0x300009e7009e7000, /* thrend */
    0x100009e7009e7000, 0x100009e7009e7000,
};

struct seen {
    struct vitrail_context *gpu;
    unsigned rises, falls;
    uint32_t pending; /* DBQITC */
};

static void on_interrupt(void *data, uint32_t line, int level)
{
    struct seen *seen = data;
    uint32_t pending;
    assert_int_equal(line, VITRAIL_LINE_VC4);
    seen->rises += level;
    seen->falls += !level;
    assert_int_equal(vitrail_read_register(seen->gpu, DBQITC, &pending), 0);
    seen->pending |= pending;
    if (pending)
        assert_int_equal(vitrail_write_register(seen->gpu, DBQITC, pending), 0);
}

/* Runs the program; the word it stored. */
static uint32_t run(int numeric, int execution, struct seen *seen, int silent)
{
    struct vitrail_config config;
    struct vitrail_unit units[8];
    const uint32_t uniforms[] = {0x3f8009c4, 0x3f8009c4, RESULT};
    uint32_t words[16] = {0}, status;
    assert_int_equal(vitrail_config_init(&config, sizeof config), 0);
    config.memory_size = 1 << 20;
    config.numeric = numeric;
    config.execution = execution;
    config.cache_dir = "";
    *seen = (struct seen){0};
    assert_int_equal(vitrail_open(&config, &seen->gpu), 0);
    vitrail_set_irq(seen->gpu, on_interrupt, seen);
    assert_int_equal(vitrail_memory_write(seen->gpu, CODE, multiply, sizeof multiply), 0);
    assert_int_equal(vitrail_memory_write(seen->gpu, UNIFORMS, uniforms, sizeof uniforms), 0);
    assert_int_equal(vitrail_write_register(seen->gpu, VPMBASE, 1),
                     0); /* some of the VPM for user programs */
    if (!silent)         /* the host waits for the interrupt and nothing else */
        assert_int_equal(vitrail_write_register(seen->gpu, DBQITE, 0xfff), 0);
    assert_int_equal(vitrail_write_register(seen->gpu, SRQUA, UNIFORMS), 0);
    assert_int_equal(vitrail_write_register(seen->gpu, SRQUL, 3), 0);
    assert_int_equal(vitrail_write_register(seen->gpu, SRQPC, CODE), 0);
    assert_int_equal(vitrail_wait(seen->gpu), 0);
    assert_int_equal(vitrail_memory_read(seen->gpu, RESULT, words, sizeof words), 0);
    for (unsigned i = 1; i < 16; i++)
        assert_int_equal(words[i], words[0]);
    assert_int_equal(vitrail_read_register(seen->gpu, SRQCS, &status), 0);
    assert_int_equal(status >> 16 & 0xff, 1);
    int n = vitrail_units(seen->gpu, units, 8);
    assert_true(n >= 3);
    assert_string_equal(units[2].name, "user programs");
    assert_int_equal(units[2].state, VITRAIL_UNIT_IDLE);
    struct vitrail_fault fault = {.size = sizeof fault};
    if (vitrail_next_fault(seen->gpu, &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(vitrail_close(&seen->gpu), 0);
    return words[0];
}

/* 1 + 2500 ulp squared is 1 + 5000.745 ulp: silicon cuts, IEEE 754 rounds. */
static void numeric_modes(void **state)
{
    struct seen seen;
    struct vitrail_gpu gpu = {.size = sizeof gpu};
    assert_int_equal(vitrail_gpu_find("vc4", &gpu), 0);
    assert_true(gpu.capabilities & VITRAIL_CAP_EXACT);
    static const int executions[] = {VITRAIL_EXECUTION_COMPILED, VITRAIL_EXECUTION_INTERPRETED,
                                     VITRAIL_EXECUTION_REFERENCE};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run(VITRAIL_NUMERIC_FAST, executions[i], &seen, 1), 0x3f800000 + 5001);
        assert_int_equal(seen.rises, 0); /* DBQITE is 0 */
        assert_int_equal(run(VITRAIL_NUMERIC_EXACT, executions[i], &seen, 1), 0x3f800000 + 5000);
    }
}

static void host_interrupt(void **state)
{
    struct seen seen;
    run(VITRAIL_NUMERIC_FAST, VITRAIL_EXECUTION_INTERPRETED, &seen, 0);
    assert_int_equal(seen.rises, 1);
    assert_int_equal(seen.falls, 1);
    assert_true(seen.pending && !(seen.pending >> 12));
}

/* A program that waits for a semaphore nobody raises: told, and visible as a unit that waits. */
static void deadlock(void **state)
{
    static const uint64_t wait[] = {
        0xe80249e700000013, /* sdec -, 3 */
        0x300009e7009e7000,
        0x100009e7009e7000,
        0x100009e7009e7000,
    };
    struct vitrail_config config;
    struct vitrail_context *gpu;
    struct vitrail_unit units[8];
    struct vitrail_fault fault = {.size = sizeof fault};
    vitrail_config_init(&config, sizeof config);
    config.memory_size = 1 << 20;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    assert_int_equal(vitrail_memory_write(gpu, CODE, wait, sizeof wait), 0);
    assert_int_equal(vitrail_write_register(gpu, SRQPC, CODE), 0);
    assert_int_equal(vitrail_units(gpu, units, 8), 3);
    assert_int_equal(units[2].state, VITRAIL_UNIT_RUNNING);
    assert_int_equal(vitrail_wait(gpu), 0);
    assert_int_equal(vitrail_units(gpu, units, 8), 3);
    assert_int_equal(units[2].state, VITRAIL_UNIT_WAITING);
    assert_int_equal(vitrail_next_fault(gpu, &fault), 1);
    assert_int_equal(fault.kind, VITRAIL_FAULT_DEADLOCK);
    assert_int_equal(vitrail_close(&gpu), 0);
}

static void wide_pictures(void **state)
{
    static const uint16_t halves[2][4] = {{0x3c00, 0x3800, 0xbc00, 0x4000}, {0, 0x7e00, 0x3400, 0x3c00}};
    static const uint8_t want[] = {255, 128, 0, 255, 0, 0, 64, 255};
    const struct vitrail_frame frame = {.size = sizeof frame,
                                        .address = RESULT,
                                        .width = 2,
                                        .height = 1,
                                        .layout = VITRAIL_LAYOUT_LINEAR,
                                        .pixels = VITRAIL_PIXELS_RGBA16F,
                                        .stride = 16};
    struct vitrail_config config;
    struct vitrail_context *gpu;
    uint8_t bytes[16];
    vitrail_config_init(&config, sizeof config);
    config.memory_size = 1 << 20;
    config.execution = VITRAIL_EXECUTION_INTERPRETED;
    assert_int_equal(vitrail_open(&config, &gpu), 0);
    vitrail_memory_write(gpu, RESULT, halves, sizeof halves);
    assert_int_equal(vitrail_read_frame(gpu, &frame, VITRAIL_READ_RGBA8, bytes, 8, sizeof bytes), 0);
    assert_memory_equal(bytes, want, sizeof want);
    assert_int_equal(vitrail_read_frame(gpu, &frame, VITRAIL_READ_RAW, bytes, 15, sizeof bytes), -EINVAL);
    assert_int_equal(vitrail_read_frame(gpu, &frame, VITRAIL_READ_RAW, bytes, 16, sizeof bytes), 0);
    assert_memory_equal(bytes, halves, sizeof halves);
    vitrail_close(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numeric_modes),
        cmocka_unit_test(host_interrupt),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(wide_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

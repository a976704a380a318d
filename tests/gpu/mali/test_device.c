/* The device of Malis through its registers: what it says of itself, reset, power, counters, slots. */
#include "tests/gpu/mali/guest.h"

#include <errno.h>

static const struct mali_options plain = {.kind = MALI_T860};

static void test_features(void **state)
{
    static const uint32_t ids[] = {0x0720, 0x0750, 0x0860, 0x6221, 0x7093, 0x7212, 0x9093},
                          cores[] = {3, 0xf, 0xf, 7, 1, 3, 0x50045},
                          spaces[] = {0xf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    _Static_assert(UTIL_ARRAY_SIZE(ids) == MALI_KIND_COUNT, "all GPUs");
    for (unsigned n = 0; n < MALI_KIND_COUNT; n++) {
        struct guest g;
        guest_create(&g, &(struct mali_options){.kind = (enum mali_kind)n});
        assert_int_equal(mali_read(g.device, 0) >> 16, ids[n]);
        assert_int_equal(mali_read(g.device, 0x100), cores[n]);
        assert_int_equal(mali_read(g.device, 0x18), spaces[n]);
        assert_int_equal(mali_read(g.device, 0x1c), 7);
        mali_write(g.device, 0, 7); /* of no effect */
        assert_int_equal(mali_read(g.device, 0) >> 16, ids[n]);
        guest_expect_no_fault(&g);
        guest_destroy(&g);
    }
}

static void test_refusals(void **state)
{
    struct gpu_memory memory;
    struct mali_device *device;
    static uint8_t page[2 * GPU_PAGE];
    assert_int_equal(gpu_memory_create(GPU_PAGE, &memory), 0);
    assert_int_equal(mali_device_create(&memory, &(struct mali_options){.kind = MALI_T860}, &device),
                     -EINVAL);
    assert_int_equal(
        mali_device_create(&memory, &(struct mali_options){.name = "x", .kind = MALI_KIND_COUNT}, &device),
        -EINVAL);
    gpu_memory_destroy(&memory);
    void *aligned = page + (GPU_PAGE - (uintptr_t)page % GPU_PAGE) % GPU_PAGE;
    assert_int_equal(gpu_memory_borrow(aligned, GPU_PAGE, &memory), 0);
    assert_int_equal(mali_device_create(&memory, &(struct mali_options){.name = "x"}, &device), -EINVAL);
    mali_device_destroy(NULL);
}

static void test_reset_forgets(void **state)
{
    struct guest g;
    guest_create(&g, &plain);
    mali_write(g.device, 0xf04, 0x12345);
    assert_int_equal(mali_read(g.device, 0xf04), 0x12345);
    assert_int_equal(mali_read(g.device, 0x140), 0xf);
    mali_write(g.device, GPU_COMMAND, 1);
    assert_int_equal(mali_read(g.device, 0xf04), 0);
    assert_int_equal(mali_read(g.device, 0x140), 0);
    assert_int_equal(mali_read(g.device, JOB_MASK), 0);
    assert_int_equal(guest_read64(&g, guest_as(0, AS_TRANSTAB)), 0);
    assert_int_equal(mali_device_lines(g.device), 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void test_power(void **state)
{
    struct guest g;
    guest_create(&g, &plain);
    mali_write(g.device, GPU_CLEAR, UINT32_MAX);
    mali_write(g.device, 0x1c0, 0x3);
    assert_int_equal(mali_read(g.device, 0x140), 0xc);
    assert_int_equal(mali_read(g.device, GPU_RAW), 3 << 9);
    mali_write(g.device, GPU_CLEAR, UINT32_MAX);
    mali_write(g.device, 0x1c0, 0x3);
    assert_int_equal(mali_read(g.device, GPU_RAW), 1 << 10); /* nothing changed */
    mali_write(g.device, 0x180, UINT32_MAX);
    assert_int_equal(mali_read(g.device, 0x140), 0xf);
    assert_int_equal(mali_read(g.device, 0x200), 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void seen(void *data, uint32_t lines)
{
    struct guest *g = data;
    g->calls++;
    if (lines & MALI_LINE_JOB) {
        g->job_lines |= mali_read(g->device, JOB_RAW);
        mali_write(g->device, JOB_CLEAR, mali_read(g->device, JOB_RAW));
    }
    if (lines & MALI_LINE_GPU)
        mali_write(g->device, GPU_CLEAR, UINT32_MAX);
}

static void test_lines(void **state)
{
    struct guest g;
    guest_create(&g, &plain);
    mali_write(g.device, GPU_COMMAND, 8);
    assert_int_equal(mali_device_lines(g.device), MALI_LINE_GPU);
    mali_write(g.device, GPU_MASK, 0);
    assert_int_equal(mali_device_lines(g.device), 0);
    assert_int_equal(mali_read(g.device, GPU_RAW) >> 17 & 1, 1);
    gpu_host_set_irq(mali_device_host(g.device), seen, &g);
    mali_write(g.device, GPU_MASK, 1 << 17); /* what is pending is heard of */
    assert_int_equal(g.calls, 1);
    assert_int_equal(mali_read(g.device, GPU_RAW), 0);
    mali_write(g.device, GPU_COMMAND, 7);
    assert_int_equal(g.calls, 2);
    guest_destroy(&g);
}

static void test_unknown_register(void **state)
{
    struct guest g;
    guest_create(&g, &plain);
    mali_write(g.device, 0x3f00, 1);
    struct gpu_fault fault = guest_fault(&g);
    assert_int_equal(fault.kind, GPU_FAULT_UNSUPPORTED);
    assert_int_equal(fault.address, 0x3f00);
    assert_int_equal(mali_read(g.device, 0x3f00), 0);
    guest_destroy(&g);
}

/* Blocks of counters as panfrost_perfcnt.c lays them out; jobs are counted by slot. */
static void test_counters(void **state)
{
    static const unsigned blocks[] = {8, 7, 7, 6, 4, 5, 23}, manager[MALI_KIND_COUNT] = {[MALI_T720] = 7};
    _Static_assert(UTIL_ARRAY_SIZE(blocks) == MALI_KIND_COUNT, "all GPUs");
    for (unsigned n = 0; n < MALI_KIND_COUNT; n++) {
        struct guest g;
        guest_create(&g, &(struct mali_options){.kind = (enum mali_kind)n});
        uint8_t *to = guest_map(&g, 0x2000000, 0x2000, RIGHT_BOTH);
        uint8_t *job = guest_map(&g, 0x2100000, 0x1000, RIGHT_BOTH);
        memset(to, 0xaa, 0x2000);
        job[16] = 1 << 1 | 1; /* a null job */
        guest_flush_as(&g, 0);
        for (uint32_t enable = 0x6c; enable <= 0x7c; enable += 4)
            if (enable != 0x78)
                mali_write(g.device, enable, UINT32_MAX);
        guest_write64(&g, 0x60, 0x2000000);
        mali_write(g.device, GPU_CLEAR, UINT32_MAX);
        mali_write(g.device, GPU_COMMAND, 4);
        assert_int_equal(mali_read(g.device, GPU_RAW), 0); /* off */
        mali_write(g.device, 0x68, 1);
        assert_int_equal(guest_run(&g, 1, 0x2100000), 1 << 1);
        mali_write(g.device, GPU_COMMAND, 3);
        assert_int_equal(guest_run(&g, 1, 0x2100000), 1 << 1);
        assert_int_equal(guest_run(&g, 1, 0x2100000), 1 << 1);
        mali_write(g.device, GPU_COMMAND, 4);
        assert_int_equal(mali_read(g.device, GPU_RAW), 1 << 16);
        const uint8_t *block = to + manager[n] * 256;
        assert_int_equal(util_load32(block + 8), UINT32_MAX);
        assert_int_equal(util_load32(block + 16 * 4), 2);
        assert_int_equal(util_load32(block + 8 * 4), 0);
        assert_int_equal(to[blocks[n] * 256], 0xaa);
        guest_write64(&g, 0x60, 0x3000000); /* no page */
        mali_write(g.device, GPU_CLEAR, UINT32_MAX);
        mali_write(g.device, GPU_COMMAND, 4);
        assert_int_equal(mali_read(g.device, GPU_RAW), 1);
        assert_int_equal(guest_read64(&g, 0x40), 0x3000000);
        assert_int_equal(guest_fault(&g).kind, GPU_FAULT_MEMORY);
        guest_destroy(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_reset_forgets), cmocka_unit_test(test_power),
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_unknown_register),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

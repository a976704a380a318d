/* Chains of jobs of Midgard Malis: the order, headers, values, the next chain, stops, faults, bounds. */
#include "tests/gpu/mali/guest.h"

enum { JOBS = 0x2000000, DATA = 0x4000000 };
enum { NULL_JOB = 1, WRITE_VALUE = 2, CACHE_FLUSH = 3, VERTEX = 5, TILER = 7, FUSED = 8, FRAGMENT = 9 };
enum { CYCLES = 1, TIMESTAMP = 2, ZERO = 3 };

static uint8_t *jobs, *data;

static void begin_with(struct guest *g, const struct mali_options *options)
{
    guest_create(g, options);
    jobs = guest_map(g, JOBS, 16 * GPU_PAGE, RIGHT_BOTH);
    data = guest_map(g, DATA, GPU_PAGE, RIGHT_BOTH);
    memset(data, 0xaa, GPU_PAGE);
}

static void begin(struct guest *g)
{
    begin_with(g, &(struct mali_options){.kind = MALI_T860});
}

/* Job n stands at JOBS + 256 n. */
static uint64_t at(unsigned n)
{
    return JOBS + n * 256;
}

static uint64_t job(unsigned n, uint32_t type, uint64_t next)
{
    uint64_t words[4] = {0, 0, type << 1 | 1 | (uint64_t)(n + 1) << 16, next};
    memcpy(jobs + n * 256, words, sizeof words);
    return at(n);
}

static uint64_t write_job(unsigned n, uint64_t to, uint64_t kind, uint64_t next)
{
    uint64_t words[2] = {to, kind};
    memcpy(jobs + n * 256 + 32, words, sizeof words);
    return job(n, WRITE_VALUE, next);
}

static uint32_t status_of(unsigned n)
{
    return util_load32(jobs + n * 256);
}

static void test_chain(void **state)
{
    struct guest g;
    begin(&g);
    job(3, NULL_JOB, 0);
    job(2, CACHE_FLUSH, at(3));
    write_job(1, DATA + 8, ZERO, at(2));
    assert_int_equal(guest_run(&g, 1, job(0, NULL_JOB, at(1))), 1 << 1);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(status_of(n), STATUS_DONE);
    assert_int_equal(util_load64(data), 0xaaaaaaaaaaaaaaaa);
    assert_int_equal(util_load64(data + 8), 0);
    assert_int_equal(util_load64(data + 16), 0xaaaaaaaaaaaaaaaa);
    assert_int_equal(guest_status(&g, 1), STATUS_DONE);
    assert_int_equal(guest_read64(&g, guest_js(1, JS_TAIL)), at(3));
    guest_submit(&g, 1, job(4, NULL_JOB, 0), 1 << 15); /* headers are left alone */
    assert_int_equal(status_of(4), 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* Time is work. */
static void test_values(void **state)
{
    struct guest g;
    begin(&g);
    write_job(1, DATA + 8, TIMESTAMP, 0);
    assert_int_equal(guest_run(&g, 1, write_job(0, DATA, TIMESTAMP, at(1))), 1 << 1);
    assert_true(util_load64(data + 8) > util_load64(data));
    assert_true(guest_read64(&g, 0x98) > util_load64(data + 8));
    assert_int_equal(guest_run(&g, 1, write_job(0, DATA, CYCLES, 0)), 1 << 1);
    assert_int_equal(util_load64(data), 0); /* they are not counted */
    mali_write(g.device, GPU_COMMAND, 5);
    assert_int_equal(mali_read(g.device, 0x34) >> 6 & 1, 1);
    write_job(1, DATA, CYCLES, 0);
    assert_int_equal(guest_run(&g, 1, job(0, NULL_JOB, at(1))), 1 << 1);
    mali_write(g.device, GPU_COMMAND, 6);
    uint64_t counted = util_load64(data), total = guest_read64(&g, 0x90);
    assert_true(counted > 0 && total > counted);
    assert_int_equal(guest_run(&g, 1, job(0, NULL_JOB, 0)), 1 << 1);
    assert_int_equal(guest_read64(&g, 0x90), total);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* Headers with a Next of 32 bits: what stands behind it is the payload. */
static void test_narrow(void **state)
{
    struct guest g;
    begin(&g);
    write_job(1, DATA, ZERO, 0);
    uint32_t first[11] = {0, 0, 0, 0, WRITE_VALUE << 1, 0, (uint32_t)at(1), DATA + 16, 0, ZERO, 0};
    memcpy(jobs, first, sizeof first);
    assert_int_equal(guest_run(&g, 1, at(0)), 1 << 1);
    assert_int_equal(util_load64(data) | util_load64(data + 16), 0);
    jobs[16] = VERTEX << 1;
    jobs[0] = 0;
    assert_int_equal(guest_run(&g, 1, at(0)), 0x20000);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_UNSUPPORTED);
    guest_destroy(&g);
}

static void expect_config_fault(struct guest *g, unsigned slot, unsigned n, enum gpu_fault_kind kind)
{
    assert_int_equal(guest_run(g, slot, at(n)), 0x10000 << slot);
    assert_int_equal(guest_status(g, slot), 0x40);
    assert_int_equal(status_of(n), 0x40);
    assert_int_equal(util_load64(jobs + n * 256 + 8), at(n));
    assert_int_equal(guest_read64(g, guest_js(slot, JS_HEAD)), at(n));
    struct gpu_fault fault = guest_fault(g);
    assert_int_equal(fault.kind, kind);
    assert_int_equal(fault.address, at(n));
    assert_int_equal(fault.draw, 1);
}

static void test_faults(void **state)
{
    static const uint32_t unknown[] = {0, 10, 127};
    struct guest g;
    begin(&g);
    for (unsigned n = 0; n < 3; n++) {
        job(n, unknown[n], 0);
        expect_config_fault(&g, 1, n, GPU_FAULT_PACKET);
    }
    job(3, FRAGMENT, 0); /* a slot has its types of jobs */
    expect_config_fault(&g, 1, 3, GPU_FAULT_PACKET);
    job(4, NULL_JOB, 0);
    job(5, FUSED, 0);
    expect_config_fault(&g, 1, 5, GPU_FAULT_UNSUPPORTED);
    assert_int_equal(guest_run(&g, 1, at(4) + 32), 0x20000); /* no place for a header */
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_PACKET);
    write_job(6, DATA, 9, 0);
    assert_int_equal(guest_run(&g, 1, at(6)), 0x20000);
    assert_int_equal(guest_status(&g, 1), 0x58);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_PACKET);
    /* the rest of a chain is not run */
    write_job(8, DATA, ZERO, 0);
    assert_int_equal(guest_run(&g, 1, job(7, 0, at(8))), 0x20000);
    assert_int_equal(status_of(8), 0);
    guest_destroy(&g);
}

static void test_cores(void **state)
{
    struct guest g;
    begin(&g);
    guest_write64(&g, guest_js(1, JS_HEAD_NEXT), job(0, NULL_JOB, 0));
    guest_write64(&g, guest_js(1, JS_AFFINITY_NEXT), 0xf0);
    mali_write(g.device, guest_js(1, JS_COMMAND_NEXT), 1);
    assert_int_equal(guest_status(&g, 1), 0x44);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_UNSUPPORTED);
    mali_write(g.device, JOB_CLEAR, UINT32_MAX);
    mali_write(g.device, 0x1c0, 0xf);
    assert_int_equal(guest_run(&g, 1, at(0)), 0x20000);
    assert_int_equal(guest_status(&g, 1), 0x41);
    guest_destroy(&g);
}

static void test_endless(void **state)
{
    struct guest g;
    begin(&g);
    job(1, NULL_JOB, at(0));
    guest_submit(&g, 1, job(0, NULL_JOB, at(1)), 0);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(g.device, JOB_RAW), 0);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_TIMEOUT);
    mali_write(g.device, guest_js(1, JS_COMMAND), 2); /* a soft stop does not end it */
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    mali_write(g.device, guest_js(1, JS_COMMAND), 3);
    assert_int_equal(guest_status(&g, 1), STATUS_TERMINATED);
    assert_int_equal(mali_read(g.device, JOB_RAW), 0x20000);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
    begin_with(&g, &(struct mali_options){.kind = MALI_T860, .gpu.packet_budget = 5});
    for (unsigned n = 0; n < 10; n++)
        job(n, NULL_JOB, n < 9 ? at(n + 1) : 0);
    guest_submit(&g, 1, at(0), 0);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    assert_int_equal(status_of(4), STATUS_DONE);
    assert_int_equal(status_of(5), 0);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_TIMEOUT);
    guest_destroy(&g);
}

static void test_cancelled(void **state)
{
    struct guest g;
    begin(&g);
    gpu_host_cancel(mali_device_host(g.device), true);
    guest_submit(&g, 1, job(0, NULL_JOB, 0), 0);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    mali_write(g.device, guest_js(1, JS_COMMAND), 3);
    assert_int_equal(guest_status(&g, 1), STATUS_TERMINATED);
    gpu_host_cancel(mali_device_host(g.device), false);
    guest_expect_no_fault(&g);
    mali_write(g.device, JOB_CLEAR, UINT32_MAX);
    assert_int_equal(guest_run(&g, 1, at(0)), 1 << 1);
    guest_destroy(&g);
}

/* The next chain waits while one works, and begins when it is done. */
static void test_next(void **state)
{
    struct guest g;
    begin(&g);
    uint64_t far = 0x8000000;
    guest_submit(&g, 1, write_job(0, far, ZERO, 0), 0);
    guest_submit(&g, 1, write_job(1, DATA, ZERO, 0), 0);
    assert_int_equal(mali_read(g.device, JOB_STATE), 0x20002);
    assert_int_equal(mali_read(g.device, guest_js(1, JS_COMMAND_NEXT)), 1);
    assert_int_equal(util_load32(data), 0xaaaaaaaa);
    guest_map(&g, far, GPU_PAGE, RIGHT_BOTH);
    mali_write(g.device, MMU_CLEAR, 1);
    guest_flush_as(&g, 0);
    assert_int_equal(mali_read(g.device, guest_js(1, JS_COMMAND_NEXT)), 0);
    assert_int_equal(util_load32(data), 0);
    assert_int_equal(mali_read(g.device, JOB_RAW), 1 << 1);
    mali_write(g.device, JOB_CLEAR, 1 << 1);
    assert_int_equal(mali_read(g.device, JOB_STATE), 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* When a chain is done the next one is the slot's own at once: the driver hands over a third from its handler. */
static void hand_over(void *arg, uint32_t lines)
{
    struct guest *g = arg;
    mali_write(g->device, JOB_CLEAR, mali_read(g->device, JOB_RAW));
    if (++g->calls > 1)
        return;
    assert_int_equal(mali_read(g->device, guest_js(1, JS_COMMAND_NEXT)), 0);
    assert_int_equal(guest_status(g, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(g->device, JOB_STATE) & 0x20002, 2);
    guest_submit(g, 1, at(2), 0);
}

static void test_handed_over(void **state)
{
    struct guest g;
    begin(&g);
    uint64_t far = 0x8000000;
    guest_submit(&g, 1, write_job(0, far, ZERO, 0), 0);
    guest_submit(&g, 1, write_job(1, DATA, ZERO, 0), 0);
    job(2, NULL_JOB, 0);
    guest_map(&g, far, GPU_PAGE, RIGHT_BOTH);
    mali_write(g.device, MMU_CLEAR, 1);
    gpu_host_set_irq(mali_device_host(g.device), hand_over, &g);
    guest_flush_as(&g, 0);
    assert_int_equal(g.calls, 3);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(status_of(n), STATUS_DONE);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* After a failure the next chain waits for its acknowledgement, and can be taken back. */
static void test_next_after_failure(void **state)
{
    struct guest g;
    for (unsigned keep = 0; keep < 2; keep++) {
        begin(&g);
        uint64_t far = 0x8000000;
        guest_submit(&g, 1, write_job(0, far, ZERO, 0), 0);
        guest_submit(&g, 1, write_job(1, DATA, ZERO, 0), 0);
        mali_write(g.device, guest_js(1, JS_COMMAND), 3);
        assert_int_equal(mali_read(g.device, JOB_RAW), 0x20000);
        assert_int_equal(guest_read64(&g, guest_js(1, JS_HEAD)), at(0));
        assert_int_equal(status_of(1), 0);
        if (!keep)
            mali_write(g.device, guest_js(1, JS_COMMAND_NEXT), 0);
        mali_write(g.device, JOB_CLEAR, 0x20000);
        assert_int_equal(status_of(1), keep ? STATUS_DONE : 0);
        assert_int_equal(mali_read(g.device, JOB_RAW), keep ? 1 << 1 : 0);
        guest_destroy(&g);
    }
}

/* A soft stop leaves the chain before its next job, where it can go on. */
static void test_soft_stop(void **state)
{
    struct guest g;
    begin(&g);
    uint64_t far = 0x8000000;
    write_job(1, DATA, ZERO, 0);
    guest_submit(&g, 1, write_job(0, far, ZERO, at(1)), 1 << 11);
    mali_write(g.device, guest_js(1, JS_COMMAND), 4); /* for chains without the flag */
    mali_write(g.device, guest_js(1, JS_COMMAND), 6);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    guest_map(&g, far, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(&g, 0);
    assert_int_equal(guest_status(&g, 1), STATUS_STOPPED);
    assert_int_equal(mali_read(g.device, JOB_RAW), 0x20000);
    assert_int_equal(guest_read64(&g, guest_js(1, JS_TAIL)), at(1));
    assert_int_equal(status_of(0), STATUS_DONE);
    assert_int_equal(status_of(1), 0);
    mali_write(g.device, JOB_CLEAR, 0x20000);
    assert_int_equal(guest_run(&g, 1, at(1)), 1 << 1);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void test_stop_by_flag(void **state)
{
    for (unsigned flag = 0; flag < 2; flag++) {
        struct guest g;
        begin(&g);
        guest_submit(&g, 1, write_job(0, 0x8000000, ZERO, 0), flag << 11);
        mali_write(g.device, guest_js(1, JS_COMMAND), flag ? 5 : 7);
        assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
        mali_write(g.device, guest_js(1, JS_COMMAND), flag ? 7 : 5);
        assert_int_equal(guest_status(&g, 1), STATUS_TERMINATED);
        mali_write(g.device, guest_js(1, JS_COMMAND), 3); /* of a free slot: nothing */
        assert_int_equal(guest_status(&g, 1), STATUS_TERMINATED);
        guest_destroy(&g);
    }
}

/* A chain started from inside the interrupt of the one before it. */
static void start_next(void *arg, uint32_t lines)
{
    struct guest *g = arg;
    uint32_t raw = mali_read(g->device, JOB_RAW);
    mali_write(g->device, JOB_CLEAR, raw);
    g->job_lines |= raw;
    if (++g->calls < 5)
        guest_submit(g, g->calls % 2, at(g->calls), 0);
}

static void test_started_inside(void **state)
{
    struct guest g;
    begin(&g);
    gpu_host_set_irq(mali_device_host(g.device), start_next, &g);
    for (unsigned n = 0; n < 6; n++)
        job(n, NULL_JOB, 0);
    guest_submit(&g, 0, at(0), 0);
    assert_int_equal(g.calls, 5);
    assert_int_equal(g.job_lines, 3);
    for (unsigned n = 0; n < 6; n++)
        assert_int_equal(status_of(n), n < 5 ? STATUS_DONE : 0);
    guest_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),          cmocka_unit_test(test_values),
        cmocka_unit_test(test_narrow),         cmocka_unit_test(test_faults),
        cmocka_unit_test(test_cores),          cmocka_unit_test(test_endless),
        cmocka_unit_test(test_cancelled),      cmocka_unit_test(test_next),
        cmocka_unit_test(test_handed_over),    cmocka_unit_test(test_next_after_failure),
        cmocka_unit_test(test_soft_stop),      cmocka_unit_test(test_stop_by_flag),
        cmocka_unit_test(test_started_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

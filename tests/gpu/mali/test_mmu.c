/* Address spaces of Midgard Malis: tables of LPAE form, rights, page faults with the level that says so, jobs
 * that wait for pages and go on, jobs that wait in vain. The accesses are those of write-value jobs. */
#include "tests/gpu/mali/guest.h"

enum { JOBS = 0x2000000, DATA = 0x4000000 };

static uint8_t *jobs; /* a page of them, at JOBS */

static void begin(struct guest *g)
{
    guest_create(g, &(struct mali_options){.kind = MALI_T760});
    jobs = guest_map(g, JOBS, GPU_PAGE, RIGHT_BOTH);
}

/* A job that writes eight bytes of zeros; job n stands at JOBS + 128 n. */
static uint32_t write_job(unsigned n, uint64_t to, uint64_t next)
{
    uint64_t words[6] = {0, 0, 2 << 1 | 1, next, to, 3};
    memcpy(jobs + n * 128, words, sizeof words);
    return JOBS + n * 128;
}

static void test_pages_and_blocks(void **state)
{
    struct guest g;
    begin(&g);
    uint8_t *page = guest_map(&g, DATA, GPU_PAGE, RIGHT_BOTH);
    memset(page, 0x55, GPU_PAGE);
    assert_int_equal(guest_run(&g, 1, write_job(0, DATA + 16, 0)), 1 << 1);
    assert_int_equal(page[15], 0x55);
    assert_int_equal(util_load64(page + 16), 0);
    assert_int_equal(page[24], 0x55);
    /* a block of 2 MiB at the third one of guest memory */
    (void)guest_entry(&g, 0x40000000); /* the tables that lead there */
    uint64_t *root = (uint64_t *)(g.memory.base + GUEST_ROOT);
    uint64_t *one = (uint64_t *)(g.memory.base + (root[0] & ~0xfffull));
    uint64_t *two = (uint64_t *)(g.memory.base + (one[1] & ~0xfffull));
    two[5] = 3 * 0x200000 | RIGHT_BOTH | 1;
    g.memory.base[3 * 0x200000 + 0x12345 * 8] = 7;
    guest_flush_as(&g, 0);
    assert_int_equal(guest_run(&g, 1, write_job(0, 0x40000000 + 5 * 0x200000 + 0x12345 * 8, 0)), 1 << 1);
    assert_int_equal(g.memory.base[3 * 0x200000 + 0x12345 * 8], 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* Nobody answers: the slot works on, and the fault is told when it is stopped. */
static void expect_fault(struct guest *g, uint64_t to, uint32_t fault_status, bool bus)
{
    guest_submit(g, 1, write_job(0, to, 0), 0);
    assert_int_equal(mali_read(g->device, JOB_RAW), 0);
    assert_int_equal(guest_status(g, 1), STATUS_ACTIVE);
    assert_int_equal(mali_read(g->device, MMU_RAW), bus ? 0x10000 : 1);
    assert_int_equal(mali_read(g->device, guest_as(0, AS_FAULT_STATUS)), fault_status);
    assert_int_equal(guest_read64(g, guest_as(0, AS_FAULT_AT)), to);
    guest_expect_no_fault(g);
    mali_write(g->device, guest_js(1, JS_COMMAND), 3);
    assert_int_equal(mali_read(g->device, JOB_RAW), 0x20000);
    assert_int_equal(guest_status(g, 1), STATUS_TERMINATED);
    struct gpu_fault fault = guest_fault(g);
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(fault.address, to);
    assert_true(fault.write);
    mali_write(g->device, JOB_CLEAR, 0x20000);
    mali_write(g->device, MMU_CLEAR, UINT32_MAX);
}

static void test_levels(void **state)
{
    enum { WRITES = 3 << 8, SLOT_1 = 1 << 16 };
    struct guest g;
    begin(&g);
    guest_map(&g, DATA, GPU_PAGE, RIGHT_READ);
    guest_flush_as(&g, 0);
    expect_fault(&g, DATA + 8, 0xcb | WRITES | SLOT_1, false); /* not to be written */
    expect_fault(&g, DATA + GPU_PAGE, 0xc3 | WRITES | SLOT_1, false);
    expect_fault(&g, DATA + 0x200000, 0xc2 | WRITES | SLOT_1, false);
    expect_fault(&g, 0x80000000, 0xc1 | WRITES | SLOT_1, false);
    expect_fault(&g, 0x123456789abcd000, 0xc0 | WRITES | SLOT_1, false);
    expect_fault(&g, 1ull << 32, 0xc1 | WRITES | SLOT_1, false); /* beyond what a space can hold */
    *guest_entry(&g, 0x30000000) = 0;
    uint64_t *two = (uint64_t *)(g.memory.base + 0x3000);
    two[0x30000000 >> 21 & 511] = GUEST_BYTES | 3; /* a table that is not there */
    guest_flush_as(&g, 0);
    expect_fault(&g, 0x30000000, 0xd2 | WRITES | SLOT_1, true);
    guest_destroy(&g);
}

/* A page that comes is found by the job that waited for it, inside the write that says so. */
static void test_page_comes(void **state)
{
    struct guest g;
    begin(&g);
    uint32_t second = write_job(1, DATA + 8, 0);
    guest_submit(&g, 1, write_job(0, DATA, second), 0);
    assert_int_equal(mali_read(g.device, MMU_RAW), 1);
    mali_write(g.device, guest_as(0, AS_COMMAND), AS_UNLOCK); /* still none: it faults again */
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    mali_write(g.device, MMU_CLEAR, 1);
    uint8_t *page = guest_map(&g, DATA, GPU_PAGE, RIGHT_BOTH);
    memset(page, 0xff, 16);
    mali_write(g.device, guest_as(0, AS_COMMAND), AS_FLUSH_MEM);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    guest_flush_as(&g, 0);
    assert_int_equal(guest_status(&g, 1), STATUS_DONE);
    assert_int_equal(mali_read(g.device, JOB_RAW), 1 << 1);
    assert_int_equal(util_load64(page) | util_load64(page + 8), 0);
    assert_int_equal(util_load32(jobs), STATUS_DONE);
    assert_int_equal(util_load32(jobs + 128), STATUS_DONE);
    assert_int_equal(mali_read(g.device, MMU_RAW), 0);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* The same of a header, and of a header that can be read but not written. */
static void test_header_comes(void **state)
{
    struct guest g;
    begin(&g);
    guest_map(&g, DATA, GPU_PAGE, RIGHT_BOTH);
    guest_submit(&g, 1, DATA + GPU_PAGE, 0);
    assert_int_equal(mali_read(g.device, guest_as(0, AS_FAULT_STATUS)), 0x102c3);
    uint8_t *page = guest_map(&g, DATA + GPU_PAGE, GPU_PAGE, RIGHT_READ);
    page[16] = 1 << 1 | 1;
    guest_flush_as(&g, 0);
    mali_write(g.device, MMU_CLEAR, 1);
    guest_flush_as(&g, 0);
    assert_int_equal(mali_read(g.device, guest_as(0, AS_FAULT_STATUS)), 0x103cb);
    *guest_entry(&g, DATA + GPU_PAGE) |= RIGHT_WRITE;
    guest_flush_as(&g, 0);
    assert_int_equal(guest_status(&g, 1), STATUS_DONE);
    assert_int_equal(page[0], STATUS_DONE);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* What was fetched before the wait counts, whatever stands there afterwards. */
static void test_fetched_once(void **state)
{
    struct guest g;
    begin(&g);
    uint8_t *page = guest_map(&g, DATA, GPU_PAGE, RIGHT_READ);
    memset(page, 0xff, 32);
    guest_submit(&g, 1, write_job(0, DATA, 0), 0);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    write_job(0, DATA + 16, JOBS + 128);
    *guest_entry(&g, DATA) |= RIGHT_WRITE;
    guest_flush_as(&g, 0);
    assert_int_equal(guest_status(&g, 1), STATUS_DONE);
    assert_int_equal(util_load64(page), 0);
    assert_int_equal(util_load64(page + 16), UINT64_MAX);
    assert_int_equal(util_load32(jobs + 128), 0);
    guest_destroy(&g);
}

/* As the kernel ends who waits in vain. */
static void test_switched_off(void **state)
{
    struct guest g;
    begin(&g);
    guest_submit(&g, 1, write_job(0, DATA, 0), 0);
    mali_write(g.device, MMU_CLEAR, 1);
    guest_disable_as(&g, 0);
    assert_int_equal(guest_status(&g, 1), 0x48);
    assert_int_equal(mali_read(g.device, JOB_RAW), 0x20000);
    assert_int_equal(mali_read(g.device, MMU_RAW), 0);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_MEMORY);
    mali_write(g.device, JOB_CLEAR, 0x20000);
    assert_int_equal(guest_run(&g, 1, write_job(0, JOBS + 0x800, 0)), 0x20000); /* the space is off */
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_UNSUPPORTED);
    guest_enable_as(&g, 0);
    assert_int_equal(guest_run(&g, 1, write_job(0, JOBS + 0x800, 0)), 1 << 1);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void test_reset_while_waiting(void **state)
{
    struct guest g;
    begin(&g);
    guest_submit(&g, 1, write_job(0, DATA, 0), 0);
    guest_start(&g);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_MEMORY);
    assert_int_equal(guest_status(&g, 1), 0);
    assert_int_equal(guest_run(&g, 1, write_job(0, JOBS + 0x800, 0)), 1 << 1);
    guest_destroy(&g);
}

/* An answer from inside the interrupt: the chain is done when the write that started it returns. */
static void give_page(void *data, uint32_t lines)
{
    struct guest *g = data;
    if (!(lines & MALI_LINE_MMU))
        return;
    g->calls++;
    uint64_t at = guest_read64(g, guest_as(0, AS_FAULT_AT));
    mali_write(g->device, MMU_CLEAR, 1);
    guest_map(g, at & ~0xfffull, GPU_PAGE, RIGHT_BOTH);
    guest_flush_as(g, 0);
}

static void test_answered_inside(void **state)
{
    struct guest g;
    begin(&g);
    gpu_host_set_irq(mali_device_host(g.device), give_page, &g);
    uint32_t last = write_job(2, DATA + 0x10000, 0), second = write_job(1, DATA + 8, last);
    assert_int_equal(guest_run(&g, 1, write_job(0, DATA, second)), 1 << 1);
    assert_int_equal(g.calls, 2);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* Spaces are apart, and a slot uses the one that its chain names. */
static void test_two_spaces(void **state)
{
    struct guest g;
    begin(&g);
    guest_map(&g, DATA, GPU_PAGE, RIGHT_BOTH);
    uint32_t root = g.tables;
    g.tables += GPU_PAGE;
    memcpy(g.memory.base + root, g.memory.base + GUEST_ROOT, GPU_PAGE);
    guest_write64(&g, guest_as(3, AS_TRANSTAB), root | 7);
    mali_write(g.device, guest_as(3, AS_COMMAND), AS_UPDATE);
    guest_submit(&g, 1, write_job(0, DATA, 0), 3);
    assert_int_equal(guest_status(&g, 1), STATUS_DONE);
    mali_write(g.device, JOB_CLEAR, UINT32_MAX);
    ((uint64_t *)(g.memory.base + root))[0] = 0;
    mali_write(g.device, guest_as(3, AS_COMMAND), AS_FLUSH_PT);
    guest_submit(&g, 1, write_job(0, DATA, 0), 3);
    assert_int_equal(mali_read(g.device, MMU_RAW), 1 << 3);
    assert_int_equal(mali_read(g.device, guest_as(3, AS_FAULT_STATUS)) & 0xff, 0xc0);
    guest_submit(&g, 2, write_job(1, DATA, 0), 0);
    assert_int_equal(guest_status(&g, 2), STATUS_DONE);
    assert_int_equal(guest_status(&g, 1), STATUS_ACTIVE);
    guest_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_and_blocks),    cmocka_unit_test(test_levels),
        cmocka_unit_test(test_page_comes),          cmocka_unit_test(test_fetched_once),
        cmocka_unit_test(test_header_comes),        cmocka_unit_test(test_switched_off),
        cmocka_unit_test(test_reset_while_waiting), cmocka_unit_test(test_answered_inside),
        cmocka_unit_test(test_two_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

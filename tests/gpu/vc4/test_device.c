/* The device's registers: identity, interrupts, control-list threads (Guide section 10). Lists here are
 * short: no-ops, halts, semaphores, and the two records that a binning list needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "gpu/vc4/device.h"
#include "tests/gpu/turns.h"
#include "util/bits.h"

#define CS_RUN   0x20u
#define CS_SUB   0x10u
#define CS_ERROR 0x08u

struct host {
    struct gpu_memory memory;
    struct vc4_device *device;
    unsigned calls;
    uint32_t pending;
    void (*more)(struct host *host);
};

static void on_irq(void *data, uint32_t pending)
{
    struct host *host = data;
    host->calls++;
    host->pending |= pending;
    if (host->more)
        host->more(host);
}

static void set_up(struct host *host)
{
    struct gpu_options options = {.packet_budget = 1000};
    memset(host, 0, sizeof *host);
    assert_int_equal(gpu_memory_create(1 << 20, &host->memory), 0);
    assert_int_equal(vc4_device_create(&host->memory, &options, &host->device), 0);
    gpu_host_set_irq(vc4_device_host(host->device), on_irq, host);
}

static void tear_down(struct host *host)
{
    vc4_device_destroy(host->device);
    gpu_memory_destroy(&host->memory);
}

static void put(struct host *host, uint32_t at, const void *bytes, size_t size)
{
    memcpy(gpu_memory_at(&host->memory, at, size), bytes, size);
}

/* Starts a thread on a list put at `at`. */
static void run(struct host *host, unsigned thread, uint32_t at, const void *bytes, uint32_t size)
{
    put(host, at, bytes, size);
    vc4_write(host->device, thread ? VC4_CT1CA : VC4_CT0CA, at);
    vc4_write(host->device, thread ? VC4_CT1EA : VC4_CT0EA, at + size);
}

static struct gpu_fault only_fault(struct host *host)
{
    struct gpu_fault faults[4];
    assert_int_equal(gpu_host_faults(vc4_device_host(host->device), faults, 4), 1);
    return faults[0];
}

/* A binning list: 2x2 tiles, lists at 0x40000, state at 0x50000; start, [semaphore], flush. */
static uint32_t binning_list(uint8_t *out, bool semaphore)
{
    static const uint8_t head[] = {112, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 2, 2, 4, 6};
    uint32_t n = sizeof head;
    memcpy(out, head, n);
    if (semaphore)
        out[n++] = 7;
    out[n++] = 4;
    return n;
}

static void identity(void **state)
{
    struct host h;
    struct gpu_options options = {0};
    struct vc4_device *none;
    set_up(&h);
    assert_int_equal(vc4_read(h.device, VC4_IDENT0), 0x02443356); /* version 2, "V3D" */
    uint32_t ident1 = vc4_read(h.device, VC4_IDENT1);
    assert_int_equal(ident1 & 15, 1);       /* revision: V3D 2.1 */
    assert_int_equal(ident1 >> 4 & 15, 3);  /* slices */
    assert_int_equal(ident1 >> 8 & 15, 4);  /* QPUs a slice */
    assert_int_equal(ident1 >> 12 & 15, 2); /* TMUs a slice */
    assert_int_equal(vc4_read(h.device, VC4_IDENT2), 0x121);
    vc4_write(h.device, VC4_IDENT0, 0);
    assert_int_equal(vc4_read(h.device, VC4_IDENT0), 0x02443356);
    assert_int_equal(vc4_device_create(NULL, &options, &none), -EINVAL);
    vc4_device_destroy(NULL);
    tear_down(&h);
}

static void storage(void **state)
{
    struct host h;
    set_up(&h);
    vc4_write(h.device, VC4_SCRATCH, 0xdeadbeef);
    assert_int_equal(vc4_read(h.device, VC4_SCRATCH), 0xdeadbeef);
    vc4_write(h.device, 0x504, 0xffffffff); /* VPMBASE has five bits */
    assert_int_equal(vc4_read(h.device, 0x504), 0x1f);
    vc4_write(h.device, 0x6fc, 0xffffffff); /* PCTRS15 too */
    assert_int_equal(vc4_read(h.device, 0x6fc), 0x1f);
    assert_int_equal(vc4_read(h.device, 0x684), 0);
    vc4_write(h.device, VC4_L2CACTL, 1);
    assert_int_equal(vc4_read(h.device, VC4_L2CACTL), 1);
    vc4_write(h.device, VC4_L2CACTL, 4); /* clearing leaves it enabled */
    assert_int_equal(vc4_read(h.device, VC4_L2CACTL), 1);
    vc4_write(h.device, VC4_L2CACTL, 2);
    assert_int_equal(vc4_read(h.device, VC4_L2CACTL), 0);
    vc4_write(h.device, VC4_SLCACTL, 0x0f0f0f0f);
    assert_int_equal(vc4_read(h.device, VC4_SLCACTL), 0);
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), &(struct gpu_fault){0}, 1), 0);
    tear_down(&h);
}

static void unknown(void **state)
{
    struct host h;
    set_up(&h);
    assert_int_equal(vc4_read(h.device, 0x00c), 0);
    assert_int_equal(vc4_read(h.device, 0x101), 0);
    assert_int_equal(vc4_read(h.device, 0xfffffffc), 0);
    for (uint32_t i = 0; i < 100; i++)
        vc4_write(h.device, 0x4000 + i, i);
    struct gpu_fault f = only_fault(&h); /* one, not a hundred */
    assert_int_equal(f.kind, GPU_FAULT_UNSUPPORTED);
    assert_int_equal(f.address, 0x4000);
    tear_down(&h);
}

static void interrupts(void **state)
{
    struct host h;
    uint8_t list[64];
    set_up(&h);
    uint32_t n = binning_list(list, false);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(h.calls, 0); /* pending, not enabled */
    assert_int_equal(vc4_read(h.device, VC4_INTCTL), VC4_INT_FLDONE);
    vc4_write(h.device, VC4_INTENA, VC4_INT_FRDONE);
    assert_int_equal(h.calls, 0);
    vc4_write(h.device, VC4_INTENA, VC4_INT_FLDONE);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.pending, VC4_INT_FLDONE);
    assert_int_equal(vc4_read(h.device, VC4_INTENA), VC4_INT_FLDONE | VC4_INT_FRDONE);
    assert_int_equal(vc4_read(h.device, VC4_INTDIS), VC4_INT_FLDONE | VC4_INT_FRDONE);
    vc4_write(h.device, VC4_INTCTL, VC4_INT_FRDONE); /* clears ones only */
    assert_int_equal(vc4_read(h.device, VC4_INTCTL), VC4_INT_FLDONE);
    vc4_write(h.device, VC4_INTCTL, VC4_INT_FLDONE);
    assert_int_equal(vc4_read(h.device, VC4_INTCTL), 0);
    vc4_write(h.device, VC4_INTDIS, VC4_INT_FRDONE);
    assert_int_equal(vc4_read(h.device, VC4_INTENA), VC4_INT_FLDONE);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(h.calls, 2);
    run(&h, 0, 0x1000, list, n); /* raised again while pending */
    assert_int_equal(h.calls, 3);
    assert_int_equal(vc4_read(h.device, VC4_BFC), 3);
    vc4_write(h.device, VC4_BFC, 1);
    assert_int_equal(vc4_read(h.device, VC4_BFC), 0);
    assert_int_equal(vc4_read(h.device, VC4_CT0LC) >> 16, 3);
    vc4_write(h.device, VC4_CT0LC, 1u << 16);
    assert_int_equal(vc4_read(h.device, VC4_CT0LC), 0);
    tear_down(&h);
}

static void threads(void **state)
{
    struct host h;
    static const uint8_t nops[] = {1, 1, 1, 1}, halts[] = {1, 0, 1};
    set_up(&h);
    run(&h, 1, 0x1000, nops, sizeof nops);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x1004);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    memset(h.memory.base + 0x1004, 1, 4);
    vc4_write(h.device, VC4_CT1EA, 0x1008); /* the list goes on */
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x1008);

    run(&h, 1, 0x2000, halts, sizeof halts);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2002);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), CS_SUB); /* stopped at halt */
    vc4_write(h.device, VC4_CT1EA, 0x2003);                  /* only starts what stopped at its end */
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2002);
    vc4_write(h.device, VC4_CT1CS, CS_SUB);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2003);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), &(struct gpu_fault){0}, 1), 0);
    tear_down(&h);
}

/* CTMODE: the configuration is read, tile lists are not started. */
static void prefixing(void **state)
{
    struct host h;
    uint8_t list[64];
    set_up(&h);
    uint32_t n = binning_list(list, false);
    assert_int_equal(vc4_read(h.device, VC4_CT0CS), 0);
    run(&h, 0, 0x1000, list, 16); /* record 112 */
    assert_int_equal(vc4_read(h.device, VC4_CT0CS), 1);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    put(&h, 0x1000, list, n);
    vc4_write(h.device, VC4_CT0EA, 0x1011); /* and record 6 */
    assert_int_equal(vc4_read(h.device, VC4_CT0CS), 0);
    vc4_write(h.device, VC4_CT0EA, 0x1000 + n);
    assert_int_equal(vc4_read(h.device, VC4_BFC), 1);
    run(&h, 0, 0x1000, list, 16);
    vc4_write(h.device, VC4_CT0CS, 1u << 15);
    assert_int_equal(vc4_read(h.device, VC4_CT0CS), 0);
    tear_down(&h);
}

/* Every register of Guide table 48, the two interrupt registers it leaves out, and its reset value; what is
 * read-only or reads as written stays so. */
static void reset_values(void **state)
{
    static const struct {
        uint32_t offset, count, step, value;
        bool writable;
        uint32_t bits;
    } rows[] = {
        {0x000, 1, 0, 0x02443356, false, 0}, {0x004, 1, 0, 0xc1102431, false, 0},
        {0x008, 1, 0, 0x121, false, 0},      {0x010, 1, 0, 0, true, UINT32_MAX},
        {0x020, 1, 0, 0, true, 1},           {0x024, 1, 0, 0, false, 0},
        {0x030, 3, 4, 0, false, 0},          {0x100, 2, 4, 0, false, 0},
        {0x108, 2, 4, 0, false, 0},          {0x110, 2, 4, 0, true, UINT32_MAX},
        {0x118, 2, 4, 0, false, 0},          {0x120, 4, 4, 0, false, 0},
        {0x130, 3, 4, 0, false, 0},          {0x300, 2, 4, 0, false, 0},
        {0x308, 2, 4, 0, true, UINT32_MAX},  {0x310, 1, 0, 0, true, 3},
        {0x410, 2, 4, 0, true, UINT32_MAX},  {0x418, 1, 0, 0, true, 15},
        {0x434, 1, 0, 0, true, UINT32_MAX},  {0x438, 1, 0, 0, true, 0xfff},
        {0x43c, 1, 0, 0, false, 0},          {0x500, 1, 0, 0, true, 0x3fff},
        {0x504, 1, 0, 0, true, 0x1f},        {0x670, 1, 0, 0, false, 0},
        {0x674, 1, 0, 0, true, 0xffff},      {0x680, 16, 8, 0, true, UINT32_MAX},
        {0x684, 16, 8, 0, true, 0x1f},       {0xe2c, 1, 0, 0, true, 0xffff},
        {0xe30, 1, 0, 0, false, 0},          {0xf00, 5, 4, 0, false, 0},
        {0xf20, 1, 0, 0, false, 0},
    };
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(rows); i++)
        for (uint32_t n = 0; n < rows[i].count; n++) {
            struct host h;
            uint32_t offset = rows[i].offset + n * rows[i].step;
            set_up(&h);
            assert_int_equal(vc4_read(h.device, offset), rows[i].value);
            if (rows[i].writable) {
                vc4_write(h.device, offset, 0xa5a5a5a5);
                assert_int_equal(vc4_read(h.device, offset), 0xa5a5a5a5 & rows[i].bits);
            } else if (offset >= 0xf00 || offset < 0x10) {
                vc4_write(h.device, offset, 0xa5a5a5a5);
                assert_int_equal(vc4_read(h.device, offset), rows[i].value);
            }
            assert_int_equal(gpu_host_faults(vc4_device_host(h.device), &(struct gpu_fault){0}, 1), 0);
            tear_down(&h);
        }
}

static void errors(void **state)
{
    struct host h;
    static const uint8_t bad[] = {1, 200}, binning_only[] = {6}, loop[] = {16, 0, 0x30, 0, 0, 1};
    static const uint8_t torn[] = {113, 0, 0};
    set_up(&h);
    run(&h, 1, 0x1000, bad, sizeof bad);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), CS_ERROR);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x1001);
    struct gpu_fault f = only_fault(&h);
    assert_int_equal(f.kind, GPU_FAULT_PACKET);
    assert_int_equal(f.address, 0x1001);
    assert_int_equal(f.job, 1);
    run(&h, 1, 0x1000, binning_only, sizeof binning_only);
    f = only_fault(&h);
    assert_int_equal(f.kind, GPU_FAULT_PACKET);
    assert_int_equal(f.job, 2);
    run(&h, 1, 0x3000, loop, sizeof loop); /* branches to itself for ever */
    assert_int_equal(only_fault(&h).kind, GPU_FAULT_TIMEOUT);
    run(&h, 1, (1 << 20) - sizeof torn, torn, sizeof torn);
    assert_int_equal(only_fault(&h).kind, GPU_FAULT_LIST);
    vc4_write(h.device, VC4_CT1CA, 0xfffffff0);
    vc4_write(h.device, VC4_CT1EA, 0x1000);
    f = only_fault(&h);
    assert_int_equal(f.kind, GPU_FAULT_LIST);
    assert_int_equal(f.address, 0xfffffff0);
    static const uint8_t nop = 1;
    run(&h, 1, 0x1000, &nop, 1); /* and the thread still works */
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    tear_down(&h);
}

/* A rendering list that waits goes on when the binner increments the semaphore, in either order; one that is
 * never let go shows it and can be reset. */
static void semaphores(void **state)
{
    struct host h;
    uint8_t list[64];
    static const uint8_t wait[] = {1, 8, 1};
    set_up(&h);
    uint32_t n = binning_list(list, true);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 1u << 12);
    run(&h, 1, 0x2000, wait, sizeof wait);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2003);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);

    run(&h, 1, 0x2000, wait, sizeof wait);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), CS_RUN | CS_SUB);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2001);
    assert_int_equal(vc4_read(h.device, VC4_PCS), 1u << 2);
    vc4_write(h.device, VC4_CT1CA, 0x9000); /* not while running */
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2001);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2003);
    assert_int_equal(vc4_read(h.device, VC4_PCS), 0);

    run(&h, 1, 0x2000, wait, sizeof wait);
    vc4_write(h.device, VC4_CT1CS, 1u << 15);
    assert_int_equal(vc4_read(h.device, VC4_CT1CS), 0);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(vc4_read(h.device, VC4_CT1CA), 0x2001); /* it does not come back */
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), &(struct gpu_fault){0}, 1), 0);
    tear_down(&h);
}

/* A driver starts the next list from inside its interrupt handler; nothing nests. */
static void start_again(struct host *host)
{
    uint32_t depth_before = host->calls;
    vc4_write(host->device, VC4_INTCTL, VC4_INT_FLDONE);
    if (host->calls < 1000) {
        vc4_write(host->device, VC4_CT0CA, 0x1000);
        vc4_write(host->device, VC4_CT0EA, vc4_read(host->device, VC4_CT0EA));
    }
    assert_int_equal(host->calls, depth_before);
}

static void chained(void **state)
{
    struct host h;
    uint8_t list[64];
    set_up(&h);
    uint32_t n = binning_list(list, false);
    h.more = start_again;
    vc4_write(h.device, VC4_INTENA, VC4_INT_FLDONE);
    run(&h, 0, 0x1000, list, n);
    assert_int_equal(h.calls, 1000);
    struct gpu_counters counters = vc4_device_host(h.device)->counters;
    assert_int_equal(counters.jobs, 1000);
    tear_down(&h);
}

static void fault_log(void **state)
{
    struct host h;
    struct gpu_fault f[100];
    static const uint8_t bad = 200;
    set_up(&h);
    for (int i = 0; i < 100; i++)
        run(&h, 1, 0x1000, &bad, 1);
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), f, 3), 3); /* oldest first, the rest stay */
    assert_int_equal(f[0].job, 1);
    assert_int_equal(f[2].job, 3);
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), f, 100), 61);
    assert_int_equal(f[0].job, 4);
    assert_int_equal(gpu_host_faults(vc4_device_host(h.device), f, 100), 0);
    tear_down(&h);
}

/* ---- accesses while the device's worker is at a job ---- */

/* A host that clears a count and starts what it then polls for sees neither the count of before nor an end, whatever
 * the worker is at, and whether or not the start must wait for that. */
static void posted_starts(void **state)
{
    enum { RENDERER = 1 /* its unit */ };
    struct host h;
    uint8_t list[64];
    for (int waits = 0; waits < 2; waits++) {
        set_up(&h);
        struct gpu_device gpu = vc4_device_gpu(h.device);
        const uint32_t n = binning_list(list, false);
        run(&h, 0, 0x1000, list, n);
        assert_int_equal(gpu_device_read(&gpu, VC4_BFC), 1);
        turns_begin(&gpu, 1 << RENDERER);
        if (waits)
            gpu_device_post(&gpu, VC4_VPMBASE, 1);
        gpu_device_post(&gpu, VC4_BFC, 1);
        gpu_device_post(&gpu, VC4_RFC, 1);
        gpu_device_post(&gpu, VC4_CT0CA, 0x1000);
        gpu_device_post(&gpu, VC4_CT0EA, 0x1000 + n);
        assert_int_equal(gpu.host->posted_count, waits ? 3 : 0);
        assert_int_equal(gpu_device_read(&gpu, VC4_BFC), 0);
        assert_int_equal(gpu_device_read(&gpu, VC4_CT0CS) & CS_RUN, CS_RUN);
        turns_end(&gpu);
        assert_int_equal(gpu_device_read(&gpu, VC4_BFC), 1);
        assert_int_equal(gpu_device_read(&gpu, VC4_CT0CS), 0);
        tear_down(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity),   cmocka_unit_test(storage),      cmocka_unit_test(unknown),
        cmocka_unit_test(interrupts), cmocka_unit_test(threads),      cmocka_unit_test(errors),
        cmocka_unit_test(prefixing),  cmocka_unit_test(reset_values), cmocka_unit_test(semaphores),
        cmocka_unit_test(chained),    cmocka_unit_test(fault_log),    cmocka_unit_test(posted_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

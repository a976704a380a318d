/* Lists so long that they take a while: gpu_host_cancel ends them soon and without a fault, and
 * what comes after is done as ever. */
#include "tests/gpu/utgard/guest.h"

#include <unistd.h>

#include "gpu/vc4/device.h"

enum { LIST = 0x100000, LONG = 256 << 20, MALI_LIST = 0x10000000, MALI_LONG = 64 << 20 };

/* A job that runs in a thread of its own until it is cancelled. */
struct endless {
    struct gpu_host *host;
    void (*run)(struct endless *e);
    struct vc4_device *vc4;
    struct guest *mali;
    uint32_t start, end; /* the registers that start it */
    int done;
};

static void *run_endless(void *data)
{
    struct endless *e = data;
    e->run(e);
    __atomic_store_n(&e->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void expect_end(struct endless *e)
{
    struct gpu_fault fault;
    pthread_t thread;
    e->done = 0;
    assert_int_equal(pthread_create(&thread, NULL, run_endless, e), 0);
    usleep(10000);
    assert_false(__atomic_load_n(&e->done, __ATOMIC_ACQUIRE));
    alarm(20); /* instead of waiting for ever */
    gpu_host_cancel(e->host, true);
    pthread_join(thread, NULL);
    alarm(0);
    gpu_host_cancel(e->host, false);
    assert_int_equal(gpu_host_faults(e->host, &fault, 1), 0);
}

/* ---- VideoCore IV ---- */

static void run_vc4(struct endless *e)
{
    vc4_write(e->vc4, e->start, LIST);
    vc4_write(e->vc4, e->end, LIST + LONG);
}

static void reset_vc4(struct endless *e)
{
    vc4_write(e->vc4, VC4_CT0CS, 1u << 15);
    vc4_write(e->vc4, VC4_CT1CS, 1u << 15);
}

static void test_vc4(void **state)
{
    enum { NOP = 1 };
    const struct gpu_options options = {.packet_budget = UINT64_MAX};
    struct gpu_memory memory;
    struct endless e = {.run = run_vc4, .start = VC4_CT1CA, .end = VC4_CT1EA};
    assert_int_equal(gpu_memory_create(LIST + LONG, &memory), 0);
    assert_int_equal(vc4_device_create(&memory, &options, &e.vc4), 0);
    e.host = vc4_device_host(e.vc4);
    memset(memory.base + LIST, NOP, LONG);
    expect_end(&e); /* a rendering list */
    reset_vc4(&e);
    e.start = VC4_CT0CA;
    e.end = VC4_CT0EA;
    expect_end(&e); /* a binning list */
    reset_vc4(&e);
    vc4_write(e.vc4, VC4_CT0CA, LIST);
    vc4_write(e.vc4, VC4_CT0EA, LIST + 1);
    assert_int_equal(vc4_read(e.vc4, VC4_CT0CA), LIST + 1);
    vc4_device_destroy(e.vc4);
    gpu_memory_destroy(&memory);
}

/* ---- Mali ---- */

static void run_mali(struct endless *e)
{
    const uint32_t from = MALI_LIST, to = MALI_LIST + MALI_LONG;
    const uint32_t frame[6] = {e->start ? from : 0, e->start ? to : 0, e->start ? 0 : from,
                               e->start ? 0 : to};
    guest_run(e->mali, frame);
}

static void test_mali(void **state)
{
    const struct utgard_options options = {.gpu.packet_budget = UINT64_MAX};
    const uint32_t nothing[2][2] = {{0, 0x10000105}, {0, 0x10000041}}; /* PLBU: viewport; VS: vertex mode */
    struct guest g;
    struct endless e = {.run = run_mali, .mali = &g};
    guest_create(&g, &options);
    e.host = utgard_device_host(g.device);
    uint8_t *list = guest_map(&g, MALI_LIST, MALI_LONG, RIGHT_READ);
    for (e.start = 1;; e.start = 0) { /* a list of vertex programs, one of primitives */
        for (uint32_t n = 0; n < MALI_LONG; n += sizeof nothing[0])
            memcpy(list + n, nothing[e.start], sizeof nothing[0]);
        expect_end(&e);
        utgard_write(g.device, guest_base(&g, UTGARD_IP_GP) + GP_CMD, GP_RESET);
        if (!e.start)
            break;
    }
    guest_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vc4), cmocka_unit_test(test_mali)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

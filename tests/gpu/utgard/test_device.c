/* The window of registers as the kernel driver polls it, and MMUs: tables, rights, page faults. */
#include "gpu/utgard/gpu.h"
#include "tests/gpu/turns.h"
#include "tests/gpu/utgard/guest.h"

static const struct utgard_options mali400 = {.kind = UTGARD_MALI400, .pp_count = 2};
static const struct utgard_options mali450 = {.kind = UTGARD_MALI450, .pp_count = 6};

static uint32_t get(struct guest *g, enum utgard_ip ip, uint32_t offset)
{
    return utgard_read(g->device, guest_base(g, ip) + offset);
}

static void set(struct guest *g, enum utgard_ip ip, uint32_t offset, uint32_t value)
{
    utgard_write(g->device, guest_base(g, ip) + offset, value);
}

static void test_layout(void **data)
{
    (void)data;
    struct guest g;
    guest_create(&g, &mali400);
    assert_int_equal(utgard_device_offset(g.device, UTGARD_IP_PP1), 0xa000);
    assert_int_equal(utgard_device_offset(g.device, UTGARD_IP_PP2), UTGARD_ABSENT);
    assert_int_equal(utgard_device_offset(g.device, UTGARD_IP_BCAST), UTGARD_ABSENT);
    assert_int_equal(get(&g, UTGARD_IP_GP, 0x6c) >> 16, 0xb07);
    assert_int_equal(get(&g, UTGARD_IP_PP0, 0x1000) >> 16, 0xcd07);
    guest_expect_no_fault(&g);
    utgard_write(g.device, 0xc000, 1); /* of a PP that is not there */
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_UNSUPPORTED);
    guest_destroy(&g);
    guest_create(&g, &mali450);
    assert_int_equal(utgard_device_offset(g.device, UTGARD_IP_PP5), 0x2a000);
    assert_int_equal(utgard_device_offset(g.device, UTGARD_IP_L2_2), 0x11000);
    assert_int_equal(get(&g, UTGARD_IP_GP, 0x6c) >> 16, 0xd07);
    assert_int_equal(get(&g, UTGARD_IP_PP5, 0x1000) >> 16, 0xcf07);
    guest_destroy(&g);
    struct utgard_options five = {.name = "mali400", .kind = UTGARD_MALI400, .pp_count = 5};
    struct gpu_memory memory;
    struct utgard_device *device;
    assert_int_equal(gpu_memory_create(GPU_PAGE, &memory), 0);
    assert_true(utgard_device_create(&memory, &five, &device) < 0);
    gpu_memory_destroy(&memory);
}

static void test_power_and_cache(void **data)
{
    (void)data;
    struct guest g;
    guest_create(&g, &mali400);
    set(&g, UTGARD_IP_PMU, 4, 0xf);
    assert_int_equal(get(&g, UTGARD_IP_PMU, 8), 0xf);
    assert_int_equal(get(&g, UTGARD_IP_PMU, 0x10) & 1, 1);
    set(&g, UTGARD_IP_PMU, 0x18, 1);
    assert_int_equal(get(&g, UTGARD_IP_PMU, 0x10), 0);
    set(&g, UTGARD_IP_PMU, 0, 0xf);
    assert_int_equal(get(&g, UTGARD_IP_PMU, 8), 0);
    set(&g, UTGARD_IP_L2_0, 0x10, 1);
    assert_int_equal(get(&g, UTGARD_IP_L2_0, 8) & 1, 0);
    assert_int_equal(1 << (get(&g, UTGARD_IP_L2_0, 4) >> 16 & 0xff), 64 << 10);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

/* lima_gp_soft_reset_async_wait, lima_gp_hard_reset and their twins of the PP. */
static void test_resets(void **data)
{
    (void)data;
    struct guest g;
    guest_create(&g, &mali400);
    set(&g, UTGARD_IP_GP, GP_MASK, 0);
    set(&g, UTGARD_IP_GP, GP_CMD, GP_SOFT_RESET);
    assert_true(get(&g, UTGARD_IP_GP, GP_RAW) >> 19 & 1);
    set(&g, UTGARD_IP_GP, GP_CLEAR, UINT32_MAX);
    assert_int_equal(get(&g, UTGARD_IP_GP, GP_RAW), 0);
    set(&g, UTGARD_IP_GP, 0x54, 0xc0ffe000);
    set(&g, UTGARD_IP_GP, GP_CMD, 1 << 9);
    assert_true(get(&g, UTGARD_IP_GP, GP_STATUS) & 4);
    set(&g, UTGARD_IP_GP, GP_CMD, GP_RESET);
    assert_int_equal(get(&g, UTGARD_IP_GP, 0x54), 0);
    set(&g, UTGARD_IP_GP, 0x54, 0xc01a0000);
    assert_int_equal(get(&g, UTGARD_IP_GP, 0x54), 0xc01a0000);
    assert_false(get(&g, UTGARD_IP_GP, GP_STATUS) & 4);
    set(&g, UTGARD_IP_PP1, 0x1028, 0);
    set(&g, UTGARD_IP_PP1, 0x1020, 0x1fff);
    set(&g, UTGARD_IP_PP1, 0x100c, 0x80);
    assert_int_equal(get(&g, UTGARD_IP_PP1, 0x1020), 0x1000);
    assert_int_equal(get(&g, UTGARD_IP_PP0, 0x1020), 0);
    set(&g, UTGARD_IP_PP0, 0x100c, 0x20);
    set(&g, UTGARD_IP_PP0, 0x1088, 0xc01a0000);
    assert_int_equal(get(&g, UTGARD_IP_PP0, 0x1088), 0xc01a0000);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void test_broadcast(void **data)
{
    (void)data;
    struct guest g;
    guest_create(&g, &mali450);
    set(&g, UTGARD_IP_BCAST, 0, 0x3f << 16);
    set(&g, UTGARD_IP_BCAST, 4, 0x3f);
    set(&g, UTGARD_IP_PPMMU_BCAST, MMU_DTE, 0x5fff);
    for (unsigned n = 0; n < 6; n++)
        assert_int_equal(get(&g, UTGARD_IP_PPMMU0 + n, MMU_DTE), 0x5000);
    set(&g, UTGARD_IP_PPMMU_BCAST, MMU_COMMAND, 2);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU_BCAST, MMU_STATUS) & 4, 4);
    set(&g, UTGARD_IP_PPMMU_BCAST, MMU_COMMAND, 3);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU_BCAST, MMU_STATUS) & 4, 0);
    set(&g, UTGARD_IP_BCAST, 0, 0x3f << 16 | 5);
    set(&g, UTGARD_IP_PP_BCAST, 0x4, 0x1234);
    for (unsigned n = 0; n < 6; n++)
        assert_int_equal(get(&g, UTGARD_IP_PP0 + n, 4), n == 0 || n == 2 ? 0x1234 : 0);
    set(&g, UTGARD_IP_PP_BCAST, 0x1028, 0x1fff);
    set(&g, UTGARD_IP_PP2, 0x100c, 0x80); /* the reset clears the mask and leaves its bit */
    set(&g, UTGARD_IP_PP2, 0x1028, 0x1fff);
    assert_int_equal(utgard_device_lines(g.device), 1u << UTGARD_IP_PP_BCAST);
    set(&g, UTGARD_IP_BCAST, 4, 0);
    assert_int_equal(utgard_device_lines(g.device), 1u << UTGARD_IP_PP2);
    guest_expect_no_fault(&g);
    guest_destroy(&g);
}

static void test_mmu_registers(void **data)
{
    (void)data;
    struct guest g;
    guest_create(&g, &mali400);
    set(&g, UTGARD_IP_PPMMU1, MMU_DTE, 0xcafebabe);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU1, MMU_DTE), 0xcafeb000);
    guest_start_mmu(&g, UTGARD_IP_PPMMU1);
    set(&g, UTGARD_IP_PPMMU1, MMU_COMMAND, 2);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU1, MMU_STATUS) & 5, 5);
    set(&g, UTGARD_IP_PPMMU1, MMU_COMMAND, 3);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU1, MMU_STATUS) & 0x80000005, 0x80000001);
    set(&g, UTGARD_IP_PPMMU1, MMU_COMMAND, 1);
    assert_int_equal(get(&g, UTGARD_IP_PPMMU1, MMU_STATUS) & 1, 0);
    guest_destroy(&g);
}

/* A PLBU list that reads its array of blocks at `array`, whose first block is at `block`. */
static uint32_t run_list(struct guest *g, uint8_t *list, uint32_t at, uint32_t array)
{
    const uint32_t words[] = {array, 0x28000000, 0, 0x50000000};
    memcpy(list, words, sizeof words);
    const uint32_t frame[6] = {0, 0, at, at + sizeof words, 0x700000, 0x701000};
    return guest_run(g, frame);
}

static void expect_page_fault(struct guest *g, uint32_t address, bool write)
{
    struct gpu_fault fault = guest_fault(g);
    assert_int_equal(fault.kind, GPU_FAULT_MEMORY);
    assert_int_equal(fault.address, address);
    assert_int_equal(g->mmu_interrupts, 1);
    assert_int_equal(get(g, UTGARD_IP_GPMMU, MMU_FAULT_AT), address);
    assert_int_equal(get(g, UTGARD_IP_GPMMU, MMU_STATUS) & 0x22, write ? 0x22 : 2);
    assert_int_equal(get(g, UTGARD_IP_GP, GP_STATUS) & 8, 8); /* it hangs, until it is reset */
    set(g, UTGARD_IP_GP, GP_CMD, GP_RESET);
    set(g, UTGARD_IP_GP, GP_MASK, 0x707e07);
    guest_start_mmu(g, UTGARD_IP_GPMMU);
    assert_int_equal(get(g, UTGARD_IP_GPMMU, MMU_STATUS) & 2, 0);
    g->mmu_interrupts = 0;
}

static void test_page_faults(void **data)
{
    (void)data;
    enum { LIST = 0x400000, BLOCK = 0x800000, LOCKED = 0xc00000, NOWHERE = 0x1000000 };
    struct guest g;
    guest_create(&g, &mali400);
    uint8_t *list = guest_map(&g, LIST, GPU_PAGE, RIGHT_READ), *array = list + 0x100;
    guest_map(&g, BLOCK, GPU_PAGE, RIGHT_BOTH);
    guest_map(&g, LOCKED, GPU_PAGE, RIGHT_READ);
    uint32_t block = BLOCK;
    memcpy(array, &block, 4);
    assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 2);
    guest_expect_no_fault(&g);
    assert_int_equal(g.mmu_interrupts, 0);
    assert_int_equal(run_list(&g, list, LIST, NOWHERE + 0x10), 0);
    expect_page_fault(&g, NOWHERE + 0x10, false);
    block = LOCKED + 64;
    memcpy(array, &block, 4);
    assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 0);
    expect_page_fault(&g, LOCKED + 64, true);
    block = BLOCK + GPU_PAGE - 256; /* its second half is on a page that is not there */
    memcpy(array, &block, 4);
    assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 0);
    expect_page_fault(&g, BLOCK + GPU_PAGE, true);
    guest_map(&g, BLOCK + GPU_PAGE, GPU_PAGE, RIGHT_BOTH);
    assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 2);
    guest_expect_no_fault(&g);
    set(&g, UTGARD_IP_GPMMU, MMU_COMMAND, 1);
    assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 1 << 14);
    assert_int_equal(guest_fault(&g).kind, GPU_FAULT_UNSUPPORTED);
    guest_destroy(&g);
}

/* Whatever word of the tables changes between jobs, the next one sees it; and when it is as it was before. */
static void test_changed_tables(void **data)
{
    (void)data;
    enum { LIST = 0x400000, BLOCK = 0x800000 };
    struct guest g;
    uint32_t block = BLOCK, entry;
    guest_create(&g, &mali400);
    uint8_t *list = guest_map(&g, LIST, GPU_PAGE, RIGHT_READ), *array = list + 0x100;
    guest_map(&g, BLOCK, GPU_PAGE, RIGHT_BOTH);
    memcpy(array, &block, 4);
    uint8_t *const words[] = {guest_entry(&g, BLOCK), g.memory.base + (BLOCK >> 22) * 4};
    for (unsigned n = 0; n < 4; n++) {
        uint8_t *word = words[n & 1];
        assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 2);
        guest_expect_no_fault(&g);
        entry = util_load32(word);
        util_store32(word, n ? entry & ~1u : entry & ~4u); /* not present; or may not be written */
        assert_int_equal(run_list(&g, list, LIST, LIST + 0x100), 0);
        expect_page_fault(&g, BLOCK, true);
        util_store32(word, entry);
    }
    guest_destroy(&g);
}

/* After a reset the tables count as they are then, without a zap (lima_mmu_init), also where the directory
 * was another one in between. */
static void test_reset_drops(void **data)
{
    (void)data;
    enum { LIST = 0x400000, BLOCK = 0x800000 };
    struct guest g;
    const uint32_t block = BLOCK, words[] = {LIST + 0x100, 0x28000000, 0, 0x50000000};
    const uint32_t frame[6] = {0, 0, LIST, LIST + sizeof words, 0x700000, 0x701000};
    guest_create(&g, &mali400);
    uint8_t *list = guest_map(&g, LIST, GPU_PAGE, RIGHT_READ);
    memcpy(list, words, sizeof words);
    memcpy(list + 0x100, &block, 4);
    guest_map(&g, BLOCK, GPU_PAGE, RIGHT_BOTH);
    assert_int_equal(guest_run(&g, frame), 2);
    guest_expect_no_fault(&g);
    set(&g, UTGARD_IP_GPMMU, MMU_DTE, 0x3000);
    util_store32(guest_entry(&g, BLOCK), 0);
    guest_start_mmu(&g, UTGARD_IP_GPMMU);
    g.interrupts = 0;
    set(&g, UTGARD_IP_GP, GP_CMD, GP_START_PLBU);
    assert_int_equal(g.interrupts, 0);
    expect_page_fault(&g, BLOCK, true);
    guest_destroy(&g);
}

/* Tables of random words: whatever they name, the device stays inside the guest's memory. */
static void test_hostile_tables(void **data)
{
    (void)data;
    struct guest g;
    uint32_t seed = 7;
    guest_create(&g, &mali400);
    for (unsigned round = 0; round < 8; round++) {
        for (uint32_t n = 0; n < 0x3000 / 4; n++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t word = n % 3 ? seed % GUEST_BYTES : seed;
            memcpy(g.memory.base + n * 4, &word, 4);
        }
        const uint32_t frame[6] = {0x400000, 0x400100, 0x400000, 0x400100, 0, 0xfffffff8};
        guest_run(&g, frame);
        assert_true(guest_fault(&g).kind != GPU_FAULT_NONE);
        set(&g, UTGARD_IP_GP, GP_CMD, GP_RESET);
        guest_start_mmu(&g, UTGARD_IP_GPMMU);
    }
    guest_destroy(&g);
}

/* What a host starts is active at once, whatever the device's worker is at, also where the start must wait for that: else
 * who polls for its end sees one. */
static void test_posted_starts(void **data)
{
    enum { GP = 0 /* its unit */ };
    (void)data;
    for (int waits = 0; waits < 2; waits++) {
        struct guest g;
        guest_create(&g, &mali450);
        struct gpu_device gpu = utgard_device_gpu(g.device);
        const uint32_t gp = guest_base(&g, UTGARD_IP_GP);
        turns_begin(&gpu, 1 << GP);
        if (waits)
            gpu_device_post(&gpu, gp + GP_CMD, GP_UPDATE);
        set(&g, UTGARD_IP_BCAST, 0, 2);
        gpu_device_post(&gpu, guest_base(&g, UTGARD_IP_PP0) + PP_CTRL, PP_START);
        gpu_device_post(&gpu, guest_base(&g, UTGARD_IP_PP_BCAST) + PP_CTRL, PP_START);
        assert_int_equal(gpu.host->posted_count, waits ? 3 : 0);
        for (unsigned pp = 0; pp < 3; pp++)
            assert_int_equal(get(&g, UTGARD_IP_PP0 + pp, PP_STATUS) & PP_ACTIVE, pp < 2);
        gpu_device_post(&gpu, gp + GP_CMD, GP_START_VS | GP_START_PLBU);
        assert_int_equal(gpu.host->posted_count, waits ? 4 : 1);
        assert_int_equal(get(&g, UTGARD_IP_GP, GP_STATUS) & (GP_VS_ACTIVE | GP_PLBU_ACTIVE),
                         GP_VS_ACTIVE | GP_PLBU_ACTIVE);
        turns_end(&gpu);
        assert_int_equal(get(&g, UTGARD_IP_GP, GP_STATUS), 0);
        for (unsigned pp = 0; pp < 3; pp++)
            assert_int_equal(get(&g, UTGARD_IP_PP0 + pp, PP_STATUS) & PP_ACTIVE, 0);
        guest_destroy(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),         cmocka_unit_test(test_power_and_cache),
        cmocka_unit_test(test_resets),         cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_mmu_registers),  cmocka_unit_test(test_page_faults),
        cmocka_unit_test(test_changed_tables), cmocka_unit_test(test_reset_drops),
        cmocka_unit_test(test_hostile_tables), cmocka_unit_test(test_posted_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

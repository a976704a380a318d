/* A guest with a Mali-400 or -450: memory, page tables, registers driven as the kernel driver drives them.
 * Included by tests/gpu/utgard/test_*.c. Physical memory: the page directory, the tables behind it, then
 * pages as they are mapped. */
#ifndef VITRAIL_TESTS_GPU_UTGARD_GUEST_H
#define VITRAIL_TESTS_GPU_UTGARD_GUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/device.h"
#include "util/bits.h"

enum { GUEST_BYTES = 80 << 20, GUEST_TABLES = 0x1000, GUEST_PAGES = 0x500000, RIGHT_NONE = 0 };
enum { RIGHT_READ = 3, RIGHT_BOTH = 7 }; /* of a page table word, present included */

enum { GP_CMD = 0x20, GP_RAW = 0x24, GP_CLEAR = 0x28, GP_MASK = 0x2c, GP_STAT = 0x30, GP_STATUS = 0x68 };
enum { GP_START_VS = 1, GP_START_PLBU = 2, GP_UPDATE = 16, GP_RESET = 32, GP_SOFT_RESET = 1024 };
enum { GP_VS_ACTIVE = 2, GP_PLBU_ACTIVE = 8 }; /* of its status */
enum { PP_STATUS = 0x1008, PP_CTRL = 0x100c, PP_RAW = 0x1020, PP_START = 0x40, PP_ACTIVE = 1 };
enum { MMU_DTE = 0, MMU_STATUS = 4, MMU_COMMAND = 8, MMU_FAULT_AT = 12, MMU_RAW = 0x14, MMU_MASK = 0x1c };

struct guest {
    struct gpu_memory memory;
    struct utgard_device *device;
    uint32_t tables, pages;                /* next free physical */
    uint32_t interrupts;                   /* GP interrupts seen */
    uint32_t heap_step, heap_end, growths; /* what the handler does when the heap is full; 0: nothing */
    uint32_t mmu_interrupts;
};

static inline uint32_t guest_base(const struct guest *g, enum utgard_ip ip)
{
    return utgard_device_offset(g->device, ip);
}

static inline void guest_irq(void *data, uint32_t lines)
{
    struct guest *g = data;
    uint32_t gp = guest_base(g, UTGARD_IP_GP), mmu = guest_base(g, UTGARD_IP_GPMMU);
    if (lines >> UTGARD_IP_GPMMU & 1) {
        g->mmu_interrupts++;
        utgard_write(g->device, mmu + 0x18, UINT32_MAX);
    }
    if (!(lines >> UTGARD_IP_GP & 1))
        return;
    uint32_t state = utgard_read(g->device, gp + GP_STAT);
    g->interrupts |= state;
    utgard_write(g->device, gp + GP_CLEAR, state);
    if (state & 4 && g->heap_step) {
        utgard_write(g->device, gp + 0x10, g->heap_end);
        g->heap_end += g->heap_step;
        g->growths++;
        utgard_write(g->device, gp + 0x14, g->heap_end);
        utgard_write(g->device, gp + GP_CMD, GP_UPDATE);
    }
}

/* The word of the page table for a GPU address, in a table made if need be. */
static inline uint8_t *guest_entry(struct guest *g, uint32_t address)
{
    uint8_t *directory = g->memory.base + (address >> 22) * 4;
    uint32_t table = util_load32(directory);
    if (!table) {
        table = g->tables | 1;
        g->tables += GPU_PAGE;
        assert_true(g->tables <= GUEST_PAGES);
        memcpy(directory, &table, 4);
    }
    return g->memory.base + (table & ~(GPU_PAGE - 1)) + (address >> 12 & 1023) * 4;
}

/* Maps new zeroed pages; returns the host's pointer to them, which are consecutive. */
static inline uint8_t *guest_map(struct guest *g, uint32_t address, uint32_t size, uint32_t rights)
{
    uint8_t *first = g->memory.base + g->pages;
    for (uint32_t end = address + size; address < end; address += GPU_PAGE, g->pages += GPU_PAGE) {
        uint32_t entry = g->pages | rights;
        assert_true(g->pages + GPU_PAGE <= GUEST_BYTES);
        memcpy(guest_entry(g, address), &entry, 4);
    }
    return first;
}

/* As lima_mmu_init and lima_mmu_switch_vm do. */
static inline void guest_start_mmu(struct guest *g, enum utgard_ip ip)
{
    uint32_t mmu = guest_base(g, ip);
    utgard_write(g->device, mmu + MMU_COMMAND, 6);
    assert_int_equal(utgard_read(g->device, mmu + MMU_DTE), 0);
    utgard_write(g->device, mmu + MMU_MASK, 3);
    utgard_write(g->device, mmu + MMU_DTE, 0);
    utgard_write(g->device, mmu + MMU_COMMAND, 0);
    assert_int_equal(utgard_read(g->device, mmu + MMU_STATUS) & 1, 1);
}

static inline void guest_create(struct guest *g, const struct utgard_options *options)
{
    *g = (struct guest){.tables = GUEST_TABLES, .pages = GUEST_PAGES};
    assert_int_equal(gpu_memory_create(GUEST_BYTES, &g->memory), 0);
    struct utgard_options named = *options;
    named.name = options->kind == UTGARD_MALI450 ? "mali450" : "mali400";
    assert_int_equal(utgard_device_create(&g->memory, &named, &g->device), 0);
    gpu_host_set_irq(utgard_device_host(g->device), guest_irq, g);
    guest_start_mmu(g, UTGARD_IP_GPMMU);
    utgard_write(g->device, guest_base(g, UTGARD_IP_GP) + GP_MASK, 0x707e07);
}

static inline void guest_destroy(struct guest *g)
{
    utgard_device_destroy(g->device);
    gpu_memory_destroy(&g->memory);
}

/* A job as lima_gp_task_run starts it: frame[0..5] to the registers. Returns the interrupts it raised. */
static inline uint32_t guest_run(struct guest *g, const uint32_t frame[6])
{
    uint32_t gp = guest_base(g, UTGARD_IP_GP);
    uint32_t command = (frame[0] != frame[1] ? GP_START_VS : 0) | (frame[2] != frame[3] ? GP_START_PLBU : 0);
    g->interrupts = 0;
    g->heap_end = frame[5];
    utgard_write(g->device, guest_base(g, UTGARD_IP_GPMMU) + MMU_COMMAND, 4);
    for (uint32_t n = 0; n < 6; n++)
        utgard_write(g->device, gp + n * 4, frame[n]);
    utgard_write(g->device, gp + GP_CMD, GP_UPDATE);
    utgard_write(g->device, gp + GP_CMD, command);
    return g->interrupts;
}

static inline struct gpu_fault guest_fault(struct guest *g)
{
    struct gpu_fault fault = {0};
    gpu_host_faults(utgard_device_host(g->device), &fault, 1);
    return fault;
}

static inline void guest_expect_no_fault(struct guest *g)
{
    struct gpu_fault fault = guest_fault(g);
    char text[400];
    if (fault.kind) {
        gpu_fault_format(&fault, text, sizeof text);
        fail_msg("%s", text);
    }
}

#endif

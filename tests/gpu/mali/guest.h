/* A guest with a Mali: memory, page tables of LPAE form, registers driven as the kernel's panfrost
 * driver drives them. Included by tests/gpu/mali/test_*.c. Physical memory: tables from GUEST_ROOT on, then
 * pages as they are mapped. */
#ifndef VITRAIL_TESTS_GPU_MALI_GUEST_H
#define VITRAIL_TESTS_GPU_MALI_GUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/mali/device.h"
#include "util/bits.h"

enum { GUEST_BYTES = 64 << 20, GUEST_ROOT = 0x1000, GUEST_PAGES = 0x800000 };
enum { RIGHT_READ = 1 << 6, RIGHT_WRITE = 1 << 7, RIGHT_BOTH = RIGHT_READ | RIGHT_WRITE };

enum {
    GPU_RAW = 0x20,
    GPU_CLEAR = 0x24,
    GPU_MASK = 0x28,
    GPU_COMMAND = 0x30,
    JOB_RAW = 0x1000,
    JOB_CLEAR = 0x1004,
    JOB_MASK = 0x1008,
    JOB_STATE = 0x1010,
    MMU_RAW = 0x2000,
    MMU_CLEAR = 0x2004,
    MMU_MASK = 0x2008
};
enum { JS_HEAD = 0, JS_TAIL = 8, JS_COMMAND = 0x20, JS_STATUS = 0x24, JS_HEAD_NEXT = 0x40 };
enum { JS_AFFINITY_NEXT = 0x50, JS_CONFIG_NEXT = 0x58, JS_COMMAND_NEXT = 0x60 };
enum { AS_TRANSTAB = 0, AS_LOCKADDR = 0x10, AS_COMMAND = 0x18, AS_FAULT_STATUS = 0x1c, AS_FAULT_AT = 0x20 };
enum { AS_UPDATE = 1, AS_LOCK = 2, AS_UNLOCK = 3, AS_FLUSH_PT = 4, AS_FLUSH_MEM = 5 };
enum { STATUS_DONE = 1, STATUS_STOPPED = 3, STATUS_TERMINATED = 4, STATUS_ACTIVE = 8 };

struct guest {
    struct gpu_memory memory;
    struct mali_device *device;
    uint32_t tables, pages; /* next free physical */
    uint32_t job_lines;     /* job interrupts seen by the handler */
    unsigned calls;         /* of the handler */
};

static inline uint32_t guest_js(unsigned slot, uint32_t offset)
{
    return 0x1800 + slot * 0x80 + offset;
}

static inline uint32_t guest_as(unsigned as, uint32_t offset)
{
    return 0x2400 + as * 0x40 + offset;
}

static inline uint64_t *guest_table(struct guest *g, uint64_t *entry)
{
    if (!*entry) {
        *entry = g->tables | 3;
        g->tables += GPU_PAGE;
        assert_true(g->tables <= GUEST_PAGES);
    }
    return (uint64_t *)(g->memory.base + (*entry & ~0xfffull));
}

/* The level 3 entry of an address, in tables made if need be. */
static inline uint64_t *guest_entry(struct guest *g, uint64_t address)
{
    uint64_t *table = (uint64_t *)(g->memory.base + GUEST_ROOT);
    for (unsigned shift = 39; shift > 12; shift -= 9)
        table = guest_table(g, &table[address >> shift & 511]);
    return &table[address >> 12 & 511];
}

/* Maps new zeroed pages; returns the host's pointer to them, which are consecutive. */
static inline uint8_t *guest_map(struct guest *g, uint64_t address, uint32_t size, uint64_t rights)
{
    uint8_t *first = g->memory.base + g->pages;
    for (uint64_t end = address + size; address < end; address += GPU_PAGE, g->pages += GPU_PAGE) {
        assert_true(g->pages + GPU_PAGE <= GUEST_BYTES);
        *guest_entry(g, address) = g->pages | rights | 1;
    }
    return first;
}

static inline void guest_write64(struct guest *g, uint32_t offset, uint64_t value)
{
    mali_write(g->device, offset, (uint32_t)value);
    mali_write(g->device, offset + 4, (uint32_t)(value >> 32));
}

static inline uint64_t guest_read64(struct guest *g, uint32_t offset)
{
    return mali_read(g->device, offset) | (uint64_t)mali_read(g->device, offset + 4) << 32;
}

/* As panfrost_mmu_enable does, and after a change as panfrost_mmu_flush_range. */
static inline void guest_enable_as(struct guest *g, unsigned as)
{
    guest_write64(g, guest_as(as, AS_TRANSTAB), GUEST_ROOT | 7);
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_UPDATE);
}

static inline void guest_flush_as(struct guest *g, unsigned as)
{
    guest_write64(g, guest_as(as, AS_LOCKADDR), 63);
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_LOCK);
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_FLUSH_PT);
}

/* As panfrost_mmu_disable does. */
static inline void guest_disable_as(struct guest *g, unsigned as)
{
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_LOCK);
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_FLUSH_MEM);
    guest_write64(g, guest_as(as, AS_TRANSTAB), 0);
    mali_write(g->device, guest_as(as, AS_COMMAND), AS_UPDATE);
}

/* As panfrost_gpu_init and those after it do: reset, power, interrupts. */
static inline void guest_start(struct guest *g)
{
    mali_write(g->device, GPU_MASK, 0);
    mali_write(g->device, GPU_CLEAR, 1 << 8);
    mali_write(g->device, GPU_COMMAND, 1);
    assert_int_equal(mali_read(g->device, GPU_RAW), 1 << 8);
    mali_write(g->device, GPU_CLEAR, UINT32_MAX);
    mali_write(g->device, GPU_MASK, 0x30081);
    for (uint32_t n = 0; n < 0x30; n += 0x10) {
        uint32_t present = mali_read(g->device, 0x120 - n);
        mali_write(g->device, 0x1a0 - n, present);
        assert_int_equal(mali_read(g->device, 0x160 - n), present);
    }
    mali_write(g->device, MMU_CLEAR, UINT32_MAX);
    mali_write(g->device, MMU_MASK, UINT32_MAX);
    mali_write(g->device, JOB_CLEAR, 0x70007);
    mali_write(g->device, JOB_MASK, 0x70007);
    guest_enable_as(g, 0);
}

static inline void guest_create(struct guest *g, const struct mali_options *options)
{
    static const char *const names[] = {
        [MALI_T720] = "t720", [MALI_T760] = "t760", [MALI_T860] = "t860", [MALI_G72] = "g72",
        [MALI_G31] = "g31",   [MALI_G52] = "g52",   [MALI_G57] = "g57"};
    struct mali_options named = *options;
    named.name = names[options->kind];
    *g = (struct guest){.tables = GUEST_ROOT + GPU_PAGE, .pages = GUEST_PAGES};
    assert_int_equal(gpu_memory_create(GUEST_BYTES, &g->memory), 0);
    assert_int_equal(mali_device_create(&g->memory, &named, &g->device), 0);
    guest_start(g);
}

static inline void guest_destroy(struct guest *g)
{
    mali_device_destroy(g->device);
    gpu_memory_destroy(&g->memory);
}

/* A chain as panfrost_job_hw_submit starts it, in address space 0. */
static inline void guest_submit(struct guest *g, unsigned slot, uint64_t chain, uint32_t config)
{
    guest_write64(g, guest_js(slot, JS_HEAD_NEXT), chain);
    guest_write64(g, guest_js(slot, JS_AFFINITY_NEXT), mali_read(g->device, 0x100));
    mali_write(g->device, guest_js(slot, JS_CONFIG_NEXT), config);
    mali_write(g->device, guest_js(slot, JS_COMMAND_NEXT), 1);
}

/* The same, and its interrupt taken: the bits of JOB_INT_RAWSTAT. */
static inline uint32_t guest_run(struct guest *g, unsigned slot, uint64_t chain)
{
    guest_submit(g, slot, chain, 0x83300);
    uint32_t raw = mali_read(g->device, JOB_RAW);
    mali_write(g->device, JOB_CLEAR, raw);
    return raw;
}

static inline uint32_t guest_status(struct guest *g, unsigned slot)
{
    return mali_read(g->device, guest_js(slot, JS_STATUS));
}

static inline struct gpu_fault guest_fault(struct guest *g)
{
    struct gpu_fault fault = {0};
    gpu_host_faults(mali_device_host(g->device), &fault, 1);
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

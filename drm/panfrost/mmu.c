/* Address spaces of the MMU: which file's tables each has, and what follows a page fault. Source:
 * panfrost_mmu.c of the kernel. */
#include "drm/panfrost/internal.h"

#define EVERYTHING UINT64_MAX /* the size of a region */

/* ---- commands ---- */

static void command(struct drm *drm, uint32_t space, uint32_t value)
{
    if (drm_register_read(drm, PANFROST_AS(space) + PANFROST_AS_STATUS) & PANFROST_AS_ACTIVE)
        drm_log(drm, "panfrost: a command of address space %u does not end", space);
    drm_panfrost_write(drm, PANFROST_AS(space) + PANFROST_AS_COMMAND, value);
}

/* A region is a power of two, of 32 KiB at least, at a multiple of it: the least that holds all that is
 * meant. It is told by the log2 of half its size, in the bits of its address that are zero anyhow. */
static void lock_region(struct drm *drm, uint32_t space, uint64_t start, uint64_t size)
{
    uint64_t differ = start ^ (start + size - 1);
    unsigned bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
    unsigned width = UTIL_MAX(bits, PANFROST_LEAST_LOCK) - 1;
    drm_panfrost_write64(drm, PANFROST_AS(space) + PANFROST_AS_LOCKADDR, (start >> width << width) | width);
    command(drm, space, PANFROST_AS_LOCK);
}

static void flush(struct drm *drm, uint32_t space, uint64_t start, uint64_t size, uint32_t how)
{
    lock_region(drm, space, start, size);
    command(drm, space, how);
}

/* `tables`: the address of the top one; 0: there is nothing at all. */
static void set_tables(struct drm *drm, uint32_t space, uint64_t tables)
{
    uint32_t at = PANFROST_AS(space);
    flush(drm, space, 0, EVERYTHING, PANFROST_AS_FLUSH_MEM);
    drm_panfrost_write64(drm, at + PANFROST_AS_TRANSTAB, tables ? tables | PANFROST_TRANSTAB_TABLES : 0);
    drm_panfrost_write64(drm, at + PANFROST_AS_MEMATTR, tables ? PANFROST_MEMATTR : 0);
    command(drm, space, PANFROST_AS_UPDATE);
}

/* ---- whose a space is ---- */

void drm_panfrost_reset_mmu(struct drm *drm)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    for (uint32_t n = 0; n < panfrost->space_count; n++)
        panfrost->spaces[n] = (struct drm_panfrost_space){0};
    panfrost->faulty = panfrost->counting_space = 0;
    drm_panfrost_write(drm, PANFROST_MMU_INT_CLEAR, UINT32_MAX);
    drm_panfrost_write(drm, PANFROST_MMU_INT_MASK, UINT32_MAX);
}

/* One that has the file's tables, or else that was used longest ago, but not that of counters. */
static uint32_t choose(const struct drm_panfrost *panfrost, uint64_t vm)
{
    uint32_t best = panfrost->counting_space == 1; /* there are two at least */
    for (uint32_t n = 0; n < panfrost->space_count; n++) {
        const struct drm_panfrost_space *space = &panfrost->spaces[n];
        if (space->vm == vm)
            return n;
        if (n + 1 != panfrost->counting_space && space->used < panfrost->spaces[best].used)
            best = n;
    }
    return best;
}

/* The kernel tells the MMU of each change at once. Whoever makes buffers here does not have the device, so
 * it is told before the next chain, of all changes together. */
uint32_t drm_panfrost_enter(struct drm *drm, struct drm_panfrost_vm *vm)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    uint32_t n = choose(panfrost, vm->number), irqs = PANFROST_SPACE_IRQS(n);
    struct drm_panfrost_space *space = &panfrost->spaces[n];
    uint64_t changes = __atomic_load_n(&vm->changes, __ATOMIC_ACQUIRE);
    bool other = space->vm != vm->number || panfrost->faulty & irqs;
    if (other || space->changes != changes)
        drm_panfrost_record_tables(vm);
    if (panfrost->faulty & irqs) {
        panfrost->faulty &= ~irqs;
        drm_panfrost_write(drm, PANFROST_MMU_INT_CLEAR, irqs);
        drm_panfrost_write(drm, PANFROST_MMU_INT_MASK, ~panfrost->faulty);
    }
    if (other)
        set_tables(drm, n, vm->upper->offset);
    else if (space->changes != changes)
        flush(drm, n, 0, EVERYTHING, PANFROST_AS_FLUSH_PT);
    *space = (struct drm_panfrost_space){vm->number, changes, ++panfrost->turn};
    return n;
}

/* ---- page faults ---- */

/* Where a fault is no wrong: a heap gets memory where the device touches it. */
static bool grow(const struct drm_panfrost_job *own, uint32_t space, uint64_t address)
{
    struct drm *drm = own->job.drm;
    struct drm_panfrost_vm *vm = (struct drm_panfrost_vm *)own->job.vm;
    if (drm_panfrost_of(drm)->spaces[space].vm != vm->number)
        return false;
    for (uint32_t i = 0; i < own->job.buffer_count; i++) {
        const struct drm_job_buffer *buffer = &own->job.buffers[i];
        uint64_t offset = address - buffer->address;
        if (buffer->bo->kind != DRM_BO_HEAP || offset >= buffer->bo->size)
            continue;
        if (!drm_panfrost_grow_heap(vm, buffer->bo, buffer->address, offset))
            return false;
        drm_panfrost_record_tables(vm);
        if (drm->options.capture)
            capture_write_range(drm->options.capture, drm->memory,
                                buffer->bo->offset + offset - offset % PANFROST_BLOCK, PANFROST_BLOCK);
        flush(drm, space, address - address % PANFROST_BLOCK, PANFROST_BLOCK, PANFROST_AS_FLUSH_PT);
        return true;
    }
    return false;
}

static void report(const struct drm_panfrost_job *own, uint32_t space, uint32_t status, uint64_t address)
{
    static const char *const access[] = {"used", "executed", "read", "written"};
    if (!drm_job_cancelled(&own->job))
        drm_log(own->job.drm, "panfrost: page fault in address space %u at 0x%llx, %s: %s, source 0x%x",
                space, (unsigned long long)address, access[status >> 8 & 3],
                drm_panfrost_exception(status & 0xff), status >> 16);
}

/* Takes its tables away, which ends the chain that stands still; the next chain brings them back. */
static void switch_off(struct drm *drm, uint32_t space)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    panfrost->faulty |= PANFROST_SPACE_IRQS(space);
    drm_panfrost_write(drm, PANFROST_MMU_INT_MASK, ~panfrost->faulty);
    set_tables(drm, space, 0);
}

/* Each fault that is answered makes a block of a heap, or puts a space's interrupts off: they come to an end. */
void drm_panfrost_serve_faults(const struct drm_panfrost_job *own)
{
    struct drm *drm = own->job.drm;
    uint32_t pending;
    while ((pending = drm_register_read(drm, PANFROST_MMU_INT_STAT))) {
        uint32_t space = (uint32_t)__builtin_ctz(pending | pending >> 16), irqs = PANFROST_SPACE_IRQS(space);
        uint32_t status = drm_register_read(drm, PANFROST_AS(space) + PANFROST_AS_FAULTSTATUS);
        uint64_t address = drm_panfrost_read64(drm, PANFROST_AS(space) + PANFROST_AS_FAULTADDRESS);
        drm_panfrost_write(drm, PANFROST_MMU_INT_CLEAR, irqs);
        bool missing = (pending & irqs) == 1u << space && (status & 0xf8) == 0xc0;
        if (!missing || !grow(own, space, address)) {
            report(own, space, status, address);
            switch_off(drm, space);
        }
    }
}

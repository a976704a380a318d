/* The MMUs of the GP and the PPs: two levels of tables of 1024 words, walked into address spaces before the
 * work that uses them. Source: Linux's lima_mmu.c and lima_vm.c as documentation of what is polled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/device_internal.h"
#include "util/bits.h"

/* What COMMAND may be written. */
enum { ENABLE_PAGING, DISABLE_PAGING, ENABLE_STALL, DISABLE_STALL, ZAP_CACHE, PAGE_FAULT_DONE, HARD_RESET };

/* Table words: the address of a page, present, and in the second level may be read, may be written. */
#define ENTRIES       UTGARD_MMU_ENTRIES
#define ENTRY_PRESENT 1u

/* ---- page tables ---- */

/* Takes the page of guest memory that is number `n` of what was walked: whether it was another. */
static bool take(struct utgard_space *s, uint32_t n, const uint8_t *page)
{
    if (!memcmp(s->walked[n], page, sizeof s->walked[n]))
        return false;
    memcpy(s->walked[n], page, sizeof s->walked[n]);
    return true;
}

/* The table that an entry of the directory names, or NULL. */
static const uint8_t *table_of(const struct utgard_device *device, uint32_t entry)
{
    return entry & ENTRY_PRESENT ? gpu_memory_at(device->memory, entry & ~(GPU_PAGE - 1), GPU_PAGE) : NULL;
}

static void map_table(struct utgard_space *s, uint32_t number)
{
    for (uint32_t n = 0; n < ENTRIES; n++) {
        uint32_t entry = s->walked[1 + number][n];
        uint32_t rights = entry >> 1 & (GPU_RIGHT_READ | GPU_RIGHT_WRITE);
        if (entry & ENTRY_PRESENT && rights) /* a page that the guest does not have stays unmapped */
            (void)gpu_space_map(&s->space, (number * ENTRIES + n) * GPU_PAGE, entry & ~(GPU_PAGE - 1),
                                rights);
    }
}

/* Drivers zap before every job; few of them have changed the tables. */
static int walk(const struct utgard_device *device, struct utgard_space *s)
{
    const uint8_t *directory = gpu_memory_at(device->memory, s->dte, GPU_PAGE);
    const uint32_t *entries = s->walked[0];
    bool changed = !s->walked_well;
    if (directory)
        changed |= take(s, 0, directory);
    for (uint32_t n = 0; directory && n < ENTRIES; n++) {
        const uint8_t *table = table_of(device, entries[n]);
        if (table)
            changed |= take(s, 1 + n, table);
    }
    if (!changed && directory)
        return 0;
    gpu_space_begin(&s->space);
    for (uint32_t n = 0; directory && n < ENTRIES; n++)
        if (table_of(device, entries[n]))
            map_table(s, n);
    int error = gpu_space_end(&s->space);
    s->walked_well = !error && directory;
    return error;
}

/* The space of a page directory: the one there is, or the least used one made anew. */
static struct utgard_space *find_space(struct utgard_device *device, uint32_t dte)
{
    struct utgard_space *oldest = &device->space[0];
    for (unsigned n = 0; n < UTGARD_SPACES; n++) {
        struct utgard_space *s = &device->space[n];
        if (s->made && s->dte == dte)
            return s;
        if (s->used < oldest->used)
            oldest = s;
    }
    if (!oldest->walked && !(oldest->walked = calloc(1 + ENTRIES, sizeof *oldest->walked)))
        return NULL;
    if (!oldest->made && gpu_space_create(device->memory, &oldest->space))
        return NULL;
    oldest->made = oldest->stale = true;
    oldest->dte = dte;
    return oldest;
}

const struct gpu_space *utgard_mmu_space(struct utgard_device *device, unsigned n, struct gpu_fault *fault)
{
    const struct utgard_mmu *mmu = &device->mmu[n];
    if (!mmu->paging) {
        gpu_fault_set(fault, GPU_FAULT_UNSUPPORTED, "mmu", mmu->dte, "work without paging is not done");
        return NULL;
    }
    struct utgard_space *s = find_space(device, mmu->dte);
    int error = !s ? -ENOMEM : s->stale ? walk(device, s) : 0;
    if (error) {
        gpu_fault_set(fault, GPU_FAULT_MEMORY, "mmu", mmu->dte,
                      error == -E2BIG ? "the page tables name more than %u runs of pages"
                                      : "no memory of the host maps the address space (of at most %u runs)",
                      GPU_SPACE_PIECES);
        return NULL;
    }
    s->stale = false;
    s->used = ++device->space_clock;
    return &s->space;
}

void utgard_mmu_zap(struct utgard_device *device, unsigned n)
{
    for (unsigned i = 0; i < UTGARD_SPACES; i++)
        device->space[i].stale |= device->space[i].made && device->space[i].dte == device->mmu[n].dte;
}

/* A reset leaves no translation: the driver sets the directory and enables paging without a zap
 * (lima_mmu_init). Spaces are several MMUs'; those of the others are only compared again. */
static void reset(struct utgard_device *device, struct utgard_mmu *mmu)
{
    for (unsigned i = 0; i < UTGARD_SPACES; i++)
        device->space[i].stale |= device->space[i].made;
    *mmu = (struct utgard_mmu){0};
}

void utgard_mmu_destroy(struct utgard_device *device)
{
    for (unsigned n = 0; n < UTGARD_SPACES; n++) {
        if (device->space[n].made)
            gpu_space_destroy(&device->space[n].space);
        free(device->space[n].walked);
    }
}

/* ---- registers ---- */

static enum utgard_ip line_of(unsigned n)
{
    return (enum utgard_ip)(UTGARD_IP_GPMMU + n);
}

void utgard_mmu_fault(struct utgard_device *device, unsigned n, uint32_t address, bool write)
{
    struct utgard_mmu *mmu = &device->mmu[n];
    mmu->faulted = true;
    mmu->fault_is_write = write;
    mmu->fault_address = address;
    mmu->raw |= UTGARD_BIT(MMU, INT_RAWSTAT, PAGE_FAULT);
    utgard_signal(device, line_of(n));
}

static uint32_t status(const struct utgard_mmu *mmu)
{
    return (mmu->paging ? UTGARD_BIT(MMU, STATUS, PAGING_ENABLED) : 0) |
           (mmu->faulted ? UTGARD_BIT(MMU, STATUS, PAGE_FAULT_ACTIVE) : UTGARD_BIT(MMU, STATUS, IDLE)) |
           (mmu->stalled ? UTGARD_BIT(MMU, STATUS, STALL_ACTIVE)
                         : UTGARD_BIT(MMU, STATUS, STALL_NOT_ACTIVE)) |
           UTGARD_BIT(MMU, STATUS, REPLAY_BUFFER_EMPTY) |
           (mmu->faulted && mmu->fault_is_write ? UTGARD_BIT(MMU, STATUS, PAGE_FAULT_IS_WRITE) : 0);
}

uint32_t utgard_mmu_read(const struct utgard_device *device, unsigned n, uint32_t offset)
{
    const struct utgard_mmu *mmu = &device->mmu[n];
    switch (offset) {
    case UTGARD_MMU_DTE_ADDR: return mmu->dte;
    case UTGARD_MMU_STATUS: return status(mmu);
    case UTGARD_MMU_PAGE_FAULT_ADDR: return mmu->fault_address;
    case UTGARD_MMU_INT_RAWSTAT: return mmu->raw;
    case UTGARD_MMU_INT_MASK: return mmu->mask;
    case UTGARD_MMU_INT_STATUS: return mmu->raw & mmu->mask;
    default: return 0;
    }
}

static void command(struct utgard_device *device, unsigned n, uint32_t value)
{
    struct utgard_mmu *mmu = &device->mmu[n];
    switch (value) {
    case ENABLE_PAGING: mmu->paging = true; break;
    case DISABLE_PAGING: mmu->paging = false; break;
    case ENABLE_STALL: mmu->stalled = !mmu->faulted; break;
    case DISABLE_STALL: mmu->stalled = false; break;
    case ZAP_CACHE: utgard_mmu_zap(device, n); break;
    case PAGE_FAULT_DONE: mmu->faulted = false; break;
    case HARD_RESET: reset(device, mmu); break;
    default: break;
    }
}

void utgard_mmu_write(struct utgard_device *device, unsigned n, uint32_t offset, uint32_t value)
{
    struct utgard_mmu *mmu = &device->mmu[n];
    switch (offset) {
    case UTGARD_MMU_DTE_ADDR: mmu->dte = value & ~(GPU_PAGE - 1); break;
    case UTGARD_MMU_COMMAND: command(device, n, value); break;
    case UTGARD_MMU_ZAP_ONE_LINE: utgard_mmu_zap(device, n); break;
    case UTGARD_MMU_INT_CLEAR: mmu->raw &= ~value; break;
    case UTGARD_MMU_INT_MASK:
        mmu->mask = value & UTGARD_MMU_INT_ALL;
        utgard_signal(device, line_of(n));
        break;
    case UTGARD_MMU_INT_RAWSTAT:
        mmu->raw |= value & UTGARD_MMU_INT_ALL;
        utgard_signal(device, line_of(n));
        break;
    default: break;
    }
}

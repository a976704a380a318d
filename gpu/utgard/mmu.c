/* The MMUs of the GP and the PPs: two levels of tables of 1024 words, walked into address spaces before the
 * work that uses them. Source: Linux's lima_mmu.c and lima_vm.c as documentation of what is polled. */
#include "gpu/utgard/device_internal.h"
#include "util/bits.h"

/* What COMMAND may be written. */
enum { ENABLE_PAGING, DISABLE_PAGING, ENABLE_STALL, DISABLE_STALL, ZAP_CACHE, PAGE_FAULT_DONE, HARD_RESET };

/* Table words: the address of a page, present, and in the second level may be read, may be written. */
#define ENTRIES       1024u
#define ENTRY_PRESENT 1u

/* ---- page tables: copy 0 is the directory, 1 + n the table of its entry n ---- */

static uint32_t word_of(const struct gpu_tables *tables, uint32_t page, uint32_t n)
{
    return util_load32(tables->page[page] + n * 4);
}

static bool take(struct gpu_tables *tables)
{
    if (!gpu_tables_take(tables, 0, tables->root))
        return false;
    for (uint32_t n = 0; n < ENTRIES; n++) {
        uint32_t entry = word_of(tables, 0, n);
        if (entry & ENTRY_PRESENT) /* a table outside guest memory is none */
            (void)gpu_tables_take(tables, 1 + n, entry & ~(GPU_PAGE - 1));
    }
    return true;
}

static void map_table(struct gpu_tables *tables, uint32_t number)
{
    for (uint32_t n = 0; n < ENTRIES; n++) {
        uint32_t entry = word_of(tables, 1 + number, n);
        uint32_t rights = entry >> 1 & (GPU_RIGHT_READ | GPU_RIGHT_WRITE);
        if (entry & ENTRY_PRESENT && rights) /* a page that the guest does not have stays unmapped */
            (void)gpu_space_map(&tables->space, (number * ENTRIES + n) * GPU_PAGE, entry & ~(GPU_PAGE - 1),
                                rights);
    }
}

static void map(struct gpu_tables *tables)
{
    for (uint32_t n = 0; n < ENTRIES; n++) {
        uint32_t entry = word_of(tables, 0, n);
        if (entry & ENTRY_PRESENT && gpu_memory_at(tables->space.memory, entry & ~(GPU_PAGE - 1), GPU_PAGE))
            map_table(tables, n);
    }
}

const struct gpu_tables_kind utgard_tables_kind = {1 + ENTRIES, take, map};

const struct gpu_space *utgard_mmu_space(struct utgard_device *device, unsigned n, struct gpu_fault *fault)
{
    const struct utgard_mmu *mmu = &device->mmu[n];
    if (!mmu->paging) {
        gpu_fault_set(fault, GPU_FAULT_UNSUPPORTED, "mmu", mmu->dte, "work without paging is not done");
        return NULL;
    }
    const uint32_t root = mmu->dte, unit = n ? UTGARD_UNIT_PP : UTGARD_UNIT_GP;
    gpu_turns_leave(&device->host, unit); /* tables take long */
    struct gpu_tables *tables = gpu_tables_get(&device->tables, root, fault);
    gpu_tables_tell(tables, &device->host);
    gpu_turns_enter(&device->host, unit);
    return tables ? &tables->space : NULL;
}

void utgard_mmu_zap(struct utgard_device *device, unsigned n)
{
    gpu_tables_stale(&device->tables, device->mmu[n].dte);
}

/* A reset leaves no translation: the driver sets the directory and enables paging without a zap
 * (lima_mmu_init). Spaces are several MMUs'; those of the others are only compared again. */
static void reset(struct utgard_device *device, struct utgard_mmu *mmu)
{
    gpu_tables_all_stale(&device->tables);
    *mmu = (struct utgard_mmu){0};
}

/* ---- registers ---- */

static enum utgard_ip line_of(unsigned n)
{
    return (enum utgard_ip)(UTGARD_IP_GPMMU + n);
}

static void raise_line(struct utgard_device *device, unsigned n, uint32_t bits)
{
    if (gpu_irq_raise(&device->mmu[n].irq, bits))
        utgard_signal(device, line_of(n));
}

void utgard_mmu_fault(struct utgard_device *device, unsigned n, uint32_t address, bool write)
{
    struct utgard_mmu *mmu = &device->mmu[n];
    mmu->faulted = true;
    mmu->fault_is_write = write;
    mmu->fault_address = address;
    raise_line(device, n, UTGARD_BIT(MMU, INT_RAWSTAT, PAGE_FAULT));
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
    default: return gpu_irq_read(&mmu->irq, offset - UTGARD_MMU_INT_RAWSTAT);
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
    default:
        raise_line(device, n,
                   gpu_irq_write(&mmu->irq, offset - UTGARD_MMU_INT_RAWSTAT, value, UTGARD_MMU_INT_ALL));
        break;
    }
}

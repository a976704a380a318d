/* The MMU: registers of address spaces, and their tables in LPAE form. Source: Linux's panfrost_mmu.c and
 * io-pgtable-arm.c (ARM_MALI_LPAE) as documentation of what is written, and of which bits entries have.
 *
 * Four levels of tables of 512 entries of eight bytes, for bits 47:39, 38:30, 29:21, 20:12 of an address. Bits
 * 1:0 of an entry: 3 the next table's address, 1 a page (level 3) or a block of as many pages as the level has
 * (2 MiB, 1 GiB); others: nothing. Rights of leaves: 6 read, 7 write, 54 not to be executed. */
#include "gpu/mali/device_internal.h"

#include "util/bits.h"

/* What COMMAND may be written. */
enum { UPDATE = 1, LOCK = 2, UNLOCK = 3, FLUSH_PT = 4, FLUSH_MEM = 5 };

#define MODE_MASK     3u /* of TRANSTAB: how addresses are translated */
#define MODE_UNMAPPED 0u
#define MODE_TABLES   3u

/* ---- page tables ---- */

#define ENTRIES      512u
#define ENTRY_KIND   3u
#define ENTRY_LEAF   1u
#define ENTRY_TABLE  3u
#define ADDRESS_MASK 0x0000fffffffff000ull
#define ENTRY_READ   (1ull << 6)
#define ENTRY_WRITE  (1ull << 7)
#define ENTRY_NX     (1ull << 54)

/* Copies: the root, the table of its first entry, those of that one's first four entries, and those of all
 * their entries: what the 4 GiB of a space need. */
enum {
    COPY_0,
    COPY_1,
    COPY_2,
    GIGABYTES = 4,
    COPY_3 = COPY_2 + GIGABYTES,
    COPIES = COPY_3 + GIGABYTES * ENTRIES
};

static uint64_t entry_of(const struct gpu_tables *tables, uint32_t copy, uint32_t n)
{
    return util_load64(tables->page[copy] + n * 8);
}

static bool is_table(uint64_t entry)
{
    return (entry & ENTRY_KIND) == ENTRY_TABLE;
}

/* The table that an entry names, as a copy; a table outside guest memory is none. */
static bool take_table(struct gpu_tables *tables, uint64_t entry, uint32_t copy)
{
    return is_table(entry) && gpu_tables_take(tables, copy, entry & ADDRESS_MASK);
}

static bool take(struct gpu_tables *tables)
{
    if (!gpu_tables_take(tables, COPY_0, tables->root))
        return false;
    if (!take_table(tables, entry_of(tables, COPY_0, 0), COPY_1))
        return true;
    for (uint32_t g = 0; g < GIGABYTES; g++)
        if (take_table(tables, entry_of(tables, COPY_1, g), COPY_2 + g))
            for (uint32_t n = 0; n < ENTRIES; n++)
                (void)take_table(tables, entry_of(tables, COPY_2 + g, n), COPY_3 + g * ENTRIES + n);
    return true;
}

/* Whether what an entry names has been taken. */
static bool is_taken(const struct gpu_tables *tables, uint64_t entry)
{
    return is_table(entry) && gpu_memory_at(tables->space.memory, entry & ADDRESS_MASK, GPU_PAGE);
}

static void map_leaf(struct gpu_tables *tables, uint64_t entry, uint64_t address, uint32_t pages)
{
    uint32_t rights = (entry & ENTRY_READ ? GPU_RIGHT_READ : 0) |
                      (entry & ENTRY_WRITE ? GPU_RIGHT_WRITE : 0) |
                      (entry & ENTRY_READ && !(entry & ENTRY_NX) ? GPU_RIGHT_EXECUTE : 0);
    if ((entry & ENTRY_KIND) != ENTRY_LEAF || !rights)
        return;
    for (uint32_t n = 0; n < pages; n++) /* a page that the guest does not have stays unmapped */
        (void)gpu_space_map(&tables->space, address + (uint64_t)n * GPU_PAGE,
                            (entry & ADDRESS_MASK) + (uint64_t)n * GPU_PAGE, rights);
}

static void map_megabytes(struct gpu_tables *tables, uint32_t g, uint32_t n)
{
    uint64_t address = (uint64_t)g << 30 | (uint64_t)n << 21, entry = entry_of(tables, COPY_2 + g, n);
    if (!is_taken(tables, entry)) {
        map_leaf(tables, entry, address, ENTRIES);
        return;
    }
    for (uint32_t p = 0; p < ENTRIES; p++)
        map_leaf(tables, entry_of(tables, COPY_3 + g * ENTRIES + n, p), address + (uint64_t)p * GPU_PAGE, 1);
}

static void map(struct gpu_tables *tables)
{
    if (!is_taken(tables, entry_of(tables, COPY_0, 0)))
        return;
    for (uint32_t g = 0; g < GIGABYTES; g++) {
        uint64_t entry = entry_of(tables, COPY_1, g);
        if (!is_taken(tables, entry))
            map_leaf(tables, entry, (uint64_t)g << 30, ENTRIES * ENTRIES);
        for (uint32_t n = 0; n < ENTRIES && is_taken(tables, entry); n++)
            map_megabytes(tables, g, n);
    }
}

const struct gpu_tables_kind mali_tables_kind = {COPIES, take, map};

/* The exception of an access that no page allows: which level says so. What lies beyond the copies is said
 * not to be there by the level that leads there. */
static uint32_t exception_of(const struct gpu_tables *tables, uint64_t address)
{
    static const uint32_t shift[] = {39, 30, 21, 12}, most[] = {1, GIGABYTES, ENTRIES, ENTRIES};
    uint32_t copy = COPY_0;
    for (uint32_t level = 0;; level++) {
        uint64_t n = level ? address >> shift[level] & (ENTRIES - 1) : address >> shift[0];
        uint64_t entry = n < most[level] ? entry_of(tables, copy, (uint32_t)n) : 0;
        if ((entry & ENTRY_KIND) == ENTRY_LEAF && level)
            return MALI_PERMISSION_FAULT + level;
        if (level == 3 || !is_table(entry))
            return MALI_TRANSLATION_FAULT + level;
        if (!is_taken(tables, entry))
            return MALI_TRANSTAB_BUS_FAULT + level;
        copy = level == 0   ? COPY_1
               : level == 1 ? COPY_2 + (uint32_t)n
                            : COPY_3 + (copy - COPY_2) * ENTRIES + (uint32_t)n;
    }
}

/* ---- address spaces ---- */

static bool is_there(const struct mali_device *device, unsigned as)
{
    return mali_feature(device->kind, MALI_GPU_AS_PRESENT) >> as & 1;
}

static struct gpu_tables *tables_of(struct mali_device *device, unsigned as, struct gpu_fault *fault)
{
    uint64_t active = device->as[as].active;
    if (is_there(device, as) && (active & MODE_MASK) == MODE_TABLES) {
        mali_leave(device, MALI_SLOTS); /* tables take long */
        struct gpu_tables *tables = gpu_tables_get(&device->tables, active & ADDRESS_MASK, fault);
        gpu_tables_tell(tables, &device->host);
        gpu_turns_enter(&device->host, MALI_SLOTS);
        return tables;
    }
    gpu_fault_set(fault, GPU_FAULT_UNSUPPORTED, "mmu", active,
                  !is_there(device, as) ? "address space %u is none of this GPU's"
                  : (active & MODE_MASK) == MODE_UNMAPPED
                      ? "address space %u is switched off"
                      : "address space %u has no tables, which is not done",
                  as);
    return NULL;
}

const struct gpu_space *mali_as_space(struct mali_device *device, unsigned as, struct mali_stop *stop)
{
    const struct gpu_tables *tables = tables_of(device, as, &stop->fault);
    stop->exception = MALI_JOB_BUS_FAULT;
    return tables ? &tables->space : NULL;
}

void mali_mmu_fault(struct mali_device *device, unsigned as, const struct mali_stop *stop, uint32_t source)
{
    enum { EXECUTES = 1, READS = 2, WRITES = 3 };
    struct gpu_fault unheard;
    struct mali_as *a = &device->as[as];
    const struct gpu_tables *tables = tables_of(device, as, &unheard);
    uint32_t exception = tables ? exception_of(tables, stop->address) : MALI_TRANSLATION_FAULT;
    bool bus = (exception & ~7u) == MALI_TRANSTAB_BUS_FAULT;
    if (!((device->mmu.raw | device->mmu.raw >> 16) >> as &
          1)) { /* the first one's stay until it is cleared */
        uint32_t access = stop->rights & GPU_RIGHT_WRITE     ? WRITES
                          : stop->rights & GPU_RIGHT_EXECUTE ? EXECUTES
                                                             : READS;
        a->fault_status = exception | access << 8 | source << 16;
        a->fault_address = stop->address;
    }
    mali_raise(device, &device->mmu, 1u << (bus ? 16 + as : as));
}

/* ---- registers ---- */

uint32_t mali_mmu_read(const struct mali_device *device, uint32_t offset)
{
    return gpu_irq_read(&device->mmu, offset);
}

void mali_mmu_write(struct mali_device *device, uint32_t offset, uint32_t value)
{
    mali_irq_write(device, &device->mmu, offset, value);
}

uint32_t mali_as_read(const struct mali_device *device, unsigned as, uint32_t offset)
{
    const struct mali_as *a = &device->as[as];
    uint32_t word = offset / 4 & 1;
    switch (offset & ~4u) {
    case MALI_AS_TRANSTAB: return mali_half(a->transtab, word);
    case MALI_AS_MEMATTR: return mali_half(a->memattr, word);
    case MALI_AS_LOCKADDR: return mali_half(a->lockaddr, word);
    case MALI_AS_FAULTADDRESS: return mali_half(a->fault_address, word);
    default: return offset == MALI_AS_FAULTSTATUS ? a->fault_status : 0;
    }
}

/* Tables are compared again after each command that says that they changed, whatever region is locked. Flushes
 * of memory alone come before a space is switched off: who waits for a page of it goes on waiting. */
static void command(struct mali_device *device, unsigned as, uint32_t value)
{
    struct mali_as *a = &device->as[as];
    if (value < UPDATE || value > FLUSH_MEM || value == LOCK)
        return;
    if (value == UPDATE)
        a->active = (a->transtab & MODE_MASK) == MODE_UNMAPPED ? 0 : a->transtab;
    gpu_tables_stale(&device->tables, a->active & ADDRESS_MASK);
    if (value != FLUSH_MEM)
        mali_slots_resume(device, as);
}

void mali_as_write(struct mali_device *device, unsigned as, uint32_t offset, uint32_t value)
{
    struct mali_as *a = &device->as[as];
    uint32_t word = offset / 4 & 1;
    switch (offset & ~4u) {
    case MALI_AS_TRANSTAB: mali_set_half(&a->transtab, word, value); break;
    case MALI_AS_MEMATTR: mali_set_half(&a->memattr, word, value); break;
    case MALI_AS_LOCKADDR: mali_set_half(&a->lockaddr, word, value); break;
    default:
        if (offset == MALI_AS_COMMAND)
            command(device, as, value);
        break;
    }
}

/* Page tables of a file's addresses, in the form that Malis walk: four levels, of which addresses below 4 GiB
 * use one table of each of the first two and four of the third. Tables of the last level come as buffers are
 * made, but for blocks of 2 MiB, which need none. Source: panfrost_mmu.c, panfrost_gem.c and io-pgtable-arm.c
 * of the kernel. */
#include "drm/panfrost/internal.h"

#include <errno.h>
#include <stdlib.h>

/* Nobody gets the last page: what is executable must not end at 4 GiB. */
#define END_ADDRESS ((1ull << 32) - GPU_PAGE)

/* Tables in struct drm_panfrost_vm's `upper`. */
enum { LEVEL0, LEVEL1, LEVEL2, UPPER_TABLES = LEVEL2 + 4 };

static struct drm_panfrost_vm *vm_of(struct drm_vm *vm)
{
    return (struct drm_panfrost_vm *)vm;
}

/* The MMU may look at the tables meanwhile. */
static void put_entry(const struct drm_bo *tables, uint64_t index, uint64_t value)
{
    __atomic_store_n((uint64_t *)drm_bo_bytes(tables) + index, value, __ATOMIC_RELAXED);
}

static uint64_t entry_of(const struct drm_bo *tables, uint64_t index)
{
    return __atomic_load_n((const uint64_t *)drm_bo_bytes(tables) + index, __ATOMIC_RELAXED);
}

static uint64_t upper_index(uint32_t table, uint64_t n)
{
    return table * (GPU_PAGE / sizeof(uint64_t)) + n;
}

/* Where the entry of level 2 for an address stands. */
static uint64_t block_index(uint64_t address)
{
    return upper_index(LEVEL2, address / PANFROST_BLOCK);
}

/* Whether an entry of level 2 can stand for what begins here, of a buffer that goes on for `left` bytes. */
static bool is_block(uint64_t address, uint64_t physical, uint64_t left)
{
    return (address | physical) % PANFROST_BLOCK == 0 && left >= PANFROST_BLOCK;
}

static uint64_t leaf_of(const struct drm_bo *bo, uint64_t offset)
{
    return (bo->offset + offset) | PANFROST_PTE_LEAF | PANFROST_PTE_READ | PANFROST_PTE_WRITE |
           PANFROST_PTE_SHARED | (bo->executable ? 0 : PANFROST_PTE_NO_EXEC);
}

/* Bytes from `address` to the next block. */
static uint64_t to_next_block(uint64_t address)
{
    return PANFROST_BLOCK - address % PANFROST_BLOCK;
}

static void note_change(struct drm_panfrost_vm *v)
{
    __atomic_add_fetch(&v->changes, 1, __ATOMIC_RELEASE);
}

/* ---- struct drm_vm_tables ---- */

/* The entry of level 2 leads to the table again, where a block stood in its place. */
static int make_table(struct drm_panfrost_vm *v, uint64_t address)
{
    struct drm_bo **table = &v->tables[address / PANFROST_BLOCK];
    int r = *table ? 0 : drm_bo_create(v->vm.drm, GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, table);
    if (!r)
        put_entry(v->upper, block_index(address), (*table)->offset | PANFROST_PTE_TABLE);
    return r;
}

static int make_tables(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo)
{
    int r = 0;
    for (uint64_t at = 0; !r && at < bo->size; at += to_next_block(address + at))
        if (!is_block(address + at, bo->offset + at, bo->size - at))
            r = make_table(vm_of(vm), address + at);
    return r;
}

static void put_pages(struct drm_panfrost_vm *v, uint64_t address, const struct drm_bo *bo, uint64_t offset,
                      uint64_t size)
{
    for (uint64_t at = offset; at < offset + size;) {
        uint64_t to = address + at;
        bool block = is_block(to, bo->offset + at, offset + size - at);
        if (block)
            put_entry(v->upper, block_index(to), leaf_of(bo, at));
        else
            put_entry(v->tables[to / PANFROST_BLOCK], to % PANFROST_BLOCK / GPU_PAGE, leaf_of(bo, at));
        at += block ? PANFROST_BLOCK : GPU_PAGE;
    }
}

static void put(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo, uint64_t offset, uint64_t size)
{
    put_pages(vm_of(vm), address, bo, offset, size);
    note_change(vm_of(vm));
}

static void clear(struct drm_vm *vm, uint64_t address, uint64_t size)
{
    struct drm_panfrost_vm *v = vm_of(vm);
    for (uint64_t at = address, end = address + size; at < end;) {
        bool table = (entry_of(v->upper, block_index(at)) & PANFROST_PTE_TYPE) == PANFROST_PTE_TABLE;
        if (table)
            put_entry(v->tables[at / PANFROST_BLOCK], at % PANFROST_BLOCK / GPU_PAGE, 0);
        else
            put_entry(v->upper, block_index(at), 0);
        at += table ? GPU_PAGE : to_next_block(at);
    }
    note_change(v);
}

static void free_vm(struct drm_vm *vm)
{
    struct drm_panfrost_vm *v = vm_of(vm);
    for (uint32_t i = 0; i < PANFROST_VM_BLOCKS; i++)
        drm_bo_put(v->tables[i]);
    drm_bo_put(v->upper);
    free(v);
}

static const struct drm_vm_tables tables = {make_tables, put, clear, free_vm};

int drm_panfrost_vm_create(struct drm *drm, struct drm_panfrost_vm **out)
{
    struct drm_panfrost_vm *v = calloc(1, sizeof *v);
    if (!v)
        return -ENOMEM;
    v->number = ++drm_panfrost_of(drm)->vms;
    int r = drm_vm_init(&v->vm, drm, &tables, PANFROST_FIRST_PAGE, END_ADDRESS);
    if (!r)
        r = drm_bo_create(drm, UPPER_TABLES * GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, &v->upper);
    if (r) {
        drm_vm_put(&v->vm);
        return r;
    }
    uint64_t physical = v->upper->offset;
    put_entry(v->upper, upper_index(LEVEL0, 0), (physical + LEVEL1 * GPU_PAGE) | PANFROST_PTE_TABLE);
    for (uint32_t i = 0; i < UPPER_TABLES - LEVEL2; i++)
        put_entry(v->upper, upper_index(LEVEL1, i),
                  (physical + (LEVEL2 + i) * GPU_PAGE) | PANFROST_PTE_TABLE);
    *out = v;
    return 0;
}

/* ---- buffers ---- */

/* Program counters have 24 bits: what is executable lies within 16 MiB, as it does when it stands at a
 * multiple of its size. Large buffers are made of blocks. */
uint64_t drm_panfrost_alignment(const struct drm_bo *bo)
{
    if (!bo->executable)
        return bo->size >= PANFROST_BLOCK ? PANFROST_BLOCK : GPU_PAGE;
    uint64_t align = GPU_PAGE;
    while (align < bo->size)
        align *= 2;
    return align;
}

bool drm_panfrost_grow_heap(struct drm_panfrost_vm *vm, struct drm_bo *bo, uint64_t address, uint64_t offset)
{
    uint64_t from = offset - offset % PANFROST_BLOCK;
    if ((entry_of(vm->upper, block_index(address + from)) & PANFROST_PTE_TYPE) == PANFROST_PTE_LEAF)
        return false;
    put_pages(vm, address, bo, from, PANFROST_BLOCK);
    drm_bo_set_backed(bo, UTIL_MAX(drm_bo_backed(bo), from + PANFROST_BLOCK));
    return true;
}

void drm_panfrost_record_tables(const struct drm_panfrost_vm *vm)
{
    if (!vm->vm.drm->options.capture)
        return;
    drm_bo_record(vm->upper);
    for (uint32_t i = 0; i < PANFROST_VM_BLOCKS; i++)
        if (vm->tables[i])
            drm_bo_record(vm->tables[i]);
}

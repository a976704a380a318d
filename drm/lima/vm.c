/* GPU addresses: a space for each open file. Buffers get addresses when the file gets a handle to them. The
 * tables are two levels as the MMU walks them, in guest memory; blocks of 8 page tables come as addresses are
 * given out, so that a heap can grow later without any memory. Source: lima_vm.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/lima/regs.h"

/* The kernel begins at 0; what is left out catches null pointers with small offsets. */
#define FIRST_ADDRESS 0x10000u
#define BLOCK_SHIFT   25u /* of 32 MiB: 8 tables of 4 MiB */
#define BLOCK_PAGES   (8u * 1024u)
#define HEAP_FIRST    (8u * GPU_PAGE) /* what a new heap is backed with */

/* The device may look at the tables meanwhile. */
static void put_entry(struct drm_bo *table, uint32_t index, uint32_t value)
{
    __atomic_store_n((uint32_t *)drm_bo_bytes(table) + index, value, __ATOMIC_RELAXED);
}

/* Whatever tables the pages of a range need. */
static int make_tables(struct drm_lima_vm *vm, uint32_t address, uint64_t size)
{
    for (uint64_t block = address >> BLOCK_SHIFT; block <= (address + size - 1) >> BLOCK_SHIFT; block++) {
        if (vm->tables[block])
            continue;
        int r = drm_bo_create(vm->drm, BLOCK_PAGES * sizeof(uint32_t), GPU_PAGE, DRM_BO_KERNEL,
                              &vm->tables[block]);
        if (r)
            return r;
        for (uint32_t i = 0; i < 8; i++)
            put_entry(vm->directory, (uint32_t)block * 8 + i,
                      (uint32_t)(vm->tables[block]->offset + i * GPU_PAGE) | LIMA_PAGE_PRESENT);
    }
    return 0;
}

/* Entries of pages whose tables are there; `flags` 0: no page. */
static void put_pages(struct drm_lima_vm *vm, uint64_t address, uint64_t physical, uint64_t size,
                      uint32_t flags)
{
    for (uint64_t at = 0; at < size; at += GPU_PAGE) {
        uint64_t page = (address + at) / GPU_PAGE;
        put_entry(vm->tables[page / BLOCK_PAGES], (uint32_t)(page % BLOCK_PAGES),
                  flags ? (uint32_t)(physical + at) | flags : 0);
    }
}

int drm_lima_vm_create(struct drm *drm, struct drm_lima_vm **out)
{
    const struct drm_bo *dlbu = drm_lima_of(drm)->dlbu_page;
    struct drm_lima_vm *vm = calloc(1, sizeof *vm);
    if (!vm)
        return -ENOMEM;
    vm->refs = 1;
    vm->drm = drm;
    uint64_t end = dlbu ? LIMA_DLBU_ADDRESS : 1ull << 32;
    int r = drm_ranges_init(&vm->ranges, FIRST_ADDRESS, end - FIRST_ADDRESS);
    if (!r)
        r = drm_bo_create(drm, GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, &vm->directory);
    if (!r && dlbu)
        r = make_tables(vm, LIMA_DLBU_ADDRESS, GPU_PAGE);
    if (r) {
        drm_lima_vm_put(vm);
        return r;
    }
    if (dlbu)
        put_pages(vm, LIMA_DLBU_ADDRESS, dlbu->offset, GPU_PAGE, LIMA_PAGE_FLAGS);
    *out = vm;
    return 0;
}

void drm_lima_vm_put(struct drm_lima_vm *vm)
{
    if (!vm || --vm->refs)
        return;
    for (uint32_t i = 0; i < LIMA_TABLE_BLOCKS; i++)
        drm_bo_put(vm->tables[i]);
    drm_bo_put(vm->directory);
    drm_ranges_finish(&vm->ranges);
    free(vm);
}

uint32_t drm_lima_vm_directory(const struct drm_lima_vm *vm)
{
    return (uint32_t)vm->directory->offset;
}

static void record(const struct drm_bo *bo)
{
    capture_write_range(bo->drm->options.capture, bo->drm->memory, bo->offset, bo->size);
}

void drm_lima_record_tables(const struct drm_lima_vm *vm)
{
    if (!vm->drm->options.capture)
        return;
    record(vm->directory);
    for (uint32_t i = 0; i < LIMA_TABLE_BLOCKS; i++)
        if (vm->tables[i])
            record(vm->tables[i]);
}

/* ---- buffers ---- */

/* Made if need be; NULL: no memory. */
static struct drm_lima_bo *own_of(struct drm_bo *bo)
{
    if (!bo->own && (bo->own = calloc(1, sizeof(struct drm_lima_bo))) && bo->kind == DRM_BO_HEAP)
        drm_bo_set_backed(bo, UTIL_MIN(HEAP_FIRST, bo->size));
    return bo->own;
}

void drm_lima_free_bo(struct drm_bo *bo)
{
    free(bo->own);
}

struct drm_lima_mapping *drm_lima_mapping_find(const struct drm_lima_vm *vm, const struct drm_bo *bo)
{
    const struct drm_lima_bo *own = bo->own;
    struct drm_lima_mapping *mapping = own ? own->mappings : NULL;
    while (mapping && mapping->vm != vm)
        mapping = mapping->next;
    return mapping;
}

int drm_lima_map(struct drm_lima_vm *vm, struct drm_bo *bo)
{
    struct drm_lima_mapping *mapping = drm_lima_mapping_find(vm, bo);
    if (mapping) {
        mapping->refs++;
        return 0;
    }
    struct drm_lima_bo *own = own_of(bo);
    mapping = own ? malloc(sizeof *mapping) : NULL;
    if (!mapping)
        return -ENOMEM;
    uint64_t address;
    if (drm_ranges_take(&vm->ranges, bo->size, GPU_PAGE, &address)) {
        free(mapping);
        return -ENOSPC;
    }
    int r = make_tables(vm, (uint32_t)address, bo->size);
    if (r) {
        drm_ranges_give(&vm->ranges, address, bo->size);
        free(mapping);
        return r;
    }
    put_pages(vm, address, bo->offset, drm_bo_backed(bo), LIMA_PAGE_FLAGS);
    *mapping = (struct drm_lima_mapping){vm, 1, (uint32_t)address, own->mappings};
    own->mappings = mapping;
    return 0;
}

void drm_lima_unmap(struct drm_lima_vm *vm, struct drm_bo *bo)
{
    struct drm_lima_bo *own = bo->own;
    struct drm_lima_mapping **at = &own->mappings;
    while ((*at)->vm != vm)
        at = &(*at)->next;
    struct drm_lima_mapping *mapping = *at;
    if (--mapping->refs)
        return;
    *at = mapping->next;
    put_pages(vm, mapping->address, 0, bo->size, 0);
    drm_ranges_give(&vm->ranges, mapping->address, bo->size);
    free(mapping);
}

int drm_lima_grow_heap(struct drm_lima_vm *vm, struct drm_bo *bo, uint32_t address)
{
    uint64_t old = drm_bo_backed(bo), size = UTIL_MIN(2 * old, bo->size);
    if (old >= bo->size)
        return -ENOSPC;
    put_pages(vm, address + old, bo->offset + old, size - old, LIMA_PAGE_FLAGS);
    drm_bo_set_backed(bo, size);
    return 0;
}

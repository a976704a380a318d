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

static struct drm_lima_vm *vm_of(struct drm_vm *vm)
{
    return (struct drm_lima_vm *)vm;
}

static int make_tables(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo)
{
    struct drm_lima_vm *v = vm_of(vm);
    for (uint64_t block = address >> BLOCK_SHIFT; block <= (address + bo->size - 1) >> BLOCK_SHIFT; block++) {
        if (v->tables[block])
            continue;
        int r = drm_bo_create(vm->drm, BLOCK_PAGES * sizeof(uint32_t), GPU_PAGE, DRM_BO_KERNEL,
                              &v->tables[block]);
        if (r)
            return r;
        for (uint32_t i = 0; i < 8; i++)
            put_entry(v->directory, (uint32_t)block * 8 + i,
                      (uint32_t)(v->tables[block]->offset + i * GPU_PAGE) | LIMA_PAGE_PRESENT);
    }
    return 0;
}

static void put_page(struct drm_lima_vm *v, uint64_t address, uint32_t entry)
{
    uint64_t page = address / GPU_PAGE;
    put_entry(v->tables[page / BLOCK_PAGES], (uint32_t)(page % BLOCK_PAGES), entry);
}

static void put_pages(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo, uint64_t offset,
                      uint64_t size)
{
    for (uint64_t at = offset; at < offset + size; at += GPU_PAGE)
        put_page(vm_of(vm), address + at, (uint32_t)(bo->offset + at) | LIMA_PAGE_FLAGS);
}

static void clear_pages(struct drm_vm *vm, uint64_t address, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += GPU_PAGE)
        put_page(vm_of(vm), address + at, 0);
}

static void free_vm(struct drm_vm *vm)
{
    struct drm_lima_vm *v = vm_of(vm);
    for (uint32_t i = 0; i < LIMA_TABLE_BLOCKS; i++)
        drm_bo_put(v->tables[i]);
    drm_bo_put(v->directory);
    free(v);
}

static const struct drm_vm_tables tables = {make_tables, put_pages, clear_pages, free_vm};

int drm_lima_vm_create(struct drm *drm, struct drm_lima_vm **out)
{
    const struct drm_bo *dlbu = drm_lima_of(drm)->dlbu_page;
    struct drm_lima_vm *vm = calloc(1, sizeof *vm);
    if (!vm)
        return -ENOMEM;
    int r = drm_vm_init(&vm->vm, drm, &tables, FIRST_ADDRESS, dlbu ? LIMA_DLBU_ADDRESS : 1ull << 32);
    if (!r)
        r = drm_bo_create(drm, GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, &vm->directory);
    if (!r && dlbu)
        r = make_tables(&vm->vm, LIMA_DLBU_ADDRESS, dlbu);
    if (r) {
        drm_vm_put(&vm->vm);
        return r;
    }
    if (dlbu)
        put_pages(&vm->vm, LIMA_DLBU_ADDRESS, dlbu, 0, GPU_PAGE);
    *out = vm;
    return 0;
}

uint32_t drm_lima_vm_directory(const struct drm_lima_vm *vm)
{
    return (uint32_t)vm->directory->offset;
}

void drm_lima_record_tables(const struct drm_lima_vm *vm)
{
    if (!vm->vm.drm->options.capture)
        return;
    drm_bo_record(vm->directory);
    for (uint32_t i = 0; i < LIMA_TABLE_BLOCKS; i++)
        if (vm->tables[i])
            drm_bo_record(vm->tables[i]);
}

/* ---- heaps ---- */

void drm_lima_start_heap(struct drm_bo *bo)
{
    if (bo->kind == DRM_BO_HEAP && !drm_bo_backed(bo))
        drm_bo_set_backed(bo, UTIL_MIN(HEAP_FIRST, bo->size));
}

int drm_lima_grow_heap(struct drm_lima_vm *vm, struct drm_bo *bo, uint32_t address)
{
    uint64_t old = drm_bo_backed(bo), size = UTIL_MIN(2 * old, bo->size);
    if (old >= bo->size)
        return -ENOSPC;
    put_pages(&vm->vm, address, bo, old, size - old);
    drm_bo_set_backed(bo, size);
    return 0;
}

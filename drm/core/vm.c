/* Spaces of GPU addresses: which buffer stands where, and for how long. */
#include "drm/core/vm.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/core/bo.h"
#include "gpu/memory.h"

int drm_vm_init(struct drm_vm *vm, struct drm *drm, const struct drm_vm_tables *tables, uint64_t first,
                uint64_t end)
{
    vm->refs = 1;
    vm->drm = drm;
    vm->tables = tables;
    return drm_ranges_init(&vm->ranges, first, end - first);
}

void drm_vm_get(struct drm_vm *vm)
{
    vm->refs++;
}

void drm_vm_put(struct drm_vm *vm)
{
    if (!vm || --vm->refs)
        return;
    drm_ranges_finish(&vm->ranges);
    vm->tables->free(vm);
}

struct drm_mapping *drm_vm_find(const struct drm_vm *vm, const struct drm_bo *bo)
{
    struct drm_mapping *mapping = bo->mappings;
    while (mapping && mapping->vm != vm)
        mapping = mapping->next;
    return mapping;
}

int drm_vm_map(struct drm_vm *vm, struct drm_bo *bo, uint64_t align)
{
    struct drm_mapping *mapping = drm_vm_find(vm, bo);
    if (mapping) {
        mapping->refs++;
        return 0;
    }
    mapping = malloc(sizeof *mapping);
    if (!mapping)
        return -ENOMEM;
    uint64_t address;
    if (drm_ranges_take(&vm->ranges, bo->size, align, &address)) {
        free(mapping);
        return -ENOSPC;
    }
    int r = vm->tables->make(vm, address, bo);
    if (r) {
        drm_ranges_give(&vm->ranges, address, bo->size);
        free(mapping);
        return r;
    }
    vm->tables->put(vm, address, bo, 0, drm_bo_backed(bo));
    *mapping = (struct drm_mapping){vm, 1, address, bo->mappings};
    bo->mappings = mapping;
    return 0;
}

void drm_vm_unmap(struct drm_vm *vm, struct drm_bo *bo)
{
    struct drm_mapping **at = &bo->mappings;
    while ((*at)->vm != vm)
        at = &(*at)->next;
    struct drm_mapping *mapping = *at;
    if (--mapping->refs)
        return;
    *at = mapping->next;
    vm->tables->clear(vm, mapping->address, bo->size);
    drm_ranges_give(&vm->ranges, mapping->address, bo->size);
    free(mapping);
}

void drm_vm_clear(struct drm_bo *bo)
{
    for (struct drm_mapping *mapping = bo->mappings; mapping; mapping = mapping->next)
        mapping->vm->tables->clear(mapping->vm, mapping->address, bo->size);
}

/* GPU addresses, where the GPU stands behind an MMU: a space for each open file, with page tables in guest
 * memory. What form the tables have is the driver's affair (struct drm_vm_tables).
 *
 * A buffer has one address in a space, as long as the file has a handle to it or a job uses it. The card is
 * locked, but for the tables' `put`. */
#ifndef VITRAIL_DRM_CORE_VM_H
#define VITRAIL_DRM_CORE_VM_H

#include <stdint.h>

#include "drm/core/ranges.h"

struct drm;
struct drm_bo;
struct drm_vm;

/* The MMU may read entries while they change: each is stored at once. Ranges are whole pages. */
struct drm_vm_tables {
    /* Whatever tables a buffer whose first byte has this address will ever need, so that `put` needs no
     * memory. 0, -ENOMEM; what was made stays. */
    int (*make)(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo);
    /* Entries for `size` bytes of such a buffer, from `offset` in it on. Of a heap whoever runs jobs may call this, too. */
    void (*put)(struct drm_vm *vm, uint64_t address, const struct drm_bo *bo, uint64_t offset, uint64_t size);
    void (*clear)(struct drm_vm *vm, uint64_t address, uint64_t size);
    void (*free)(struct drm_vm *vm); /* after the last reference: the tables and the space's memory */
};

/* A driver's own space begins with this. */
struct drm_vm {
    uint32_t refs; /* the file's, jobs' */
    struct drm *drm;
    const struct drm_vm_tables *tables;
    struct drm_ranges ranges;
};

/* A buffer in a space. */
struct drm_mapping {
    struct drm_vm *vm;
    uint32_t refs;
    uint64_t address;
    struct drm_mapping *next; /* of the same buffer */
};

/* All zero before; with one reference, also when it fails. Addresses from `first` to `end`. 0, -ENOMEM. */
int drm_vm_init(struct drm_vm *vm, struct drm *drm, const struct drm_vm_tables *tables, uint64_t first,
                uint64_t end);
void drm_vm_get(struct drm_vm *vm);
void drm_vm_put(struct drm_vm *vm);                                                /* NULL is accepted */
struct drm_mapping *drm_vm_find(const struct drm_vm *vm, const struct drm_bo *bo); /* NULL: it is not there */
/* One reference more, of a mapping that is made if need be, at a multiple of `align` (a power of two) and with
 * the pages that the buffer has. 0, -ENOMEM, -ENOSPC (no addresses left). */
int drm_vm_map(struct drm_vm *vm, struct drm_bo *bo, uint64_t align);
void drm_vm_unmap(struct drm_vm *vm, struct drm_bo *bo); /* one reference less */
/* The buffer has no pages any more: its addresses stay, with nothing there. */
void drm_vm_clear(struct drm_bo *bo);

#endif

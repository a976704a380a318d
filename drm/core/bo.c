/* Buffer objects: ranges of the memory file, which are also ranges of GPU addresses where the GPU has no MMU.
 * A freed range is punched out of the file, so that it costs nothing and the next owner finds zeros. */
#include "drm/core/bo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/export.h"
#include "drm/core/log.h"

/* The first address handed out: what is below catches null pointers with small offsets. */
#define FIRST_ADDRESS 0x10000u

int drm_bo_init(struct drm *drm)
{
    if (drm->memory->size <= FIRST_ADDRESS)
        return -EINVAL;
    return drm_ranges_init(&drm->ranges, FIRST_ADDRESS, drm->memory->size - FIRST_ADDRESS);
}

void drm_bo_finish(struct drm *drm)
{
    drm_ranges_finish(&drm->ranges);
}

/* Gives the pages back to the host; they read as zero from now on. */
static void discard(struct drm_bo *bo)
{
    const struct gpu_memory *memory = bo->drm->memory;
    if (memory->fd < 0 ||
        fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)bo->offset, (off_t)bo->size))
        memset(drm_bo_bytes(bo), 0, bo->size);
}

/* Purges buffers their owners marked as not needed, as the kernel does when memory runs out: the object
 * stays, its range goes. */
static void purge_unneeded(struct drm *drm)
{
    for (struct drm_bo *bo = drm->bos; bo; bo = bo->next) {
        if (bo->need == DRM_BO_UNNEEDED && !bo->users) {
            if (drm->driver->purge_bo)
                drm->driver->purge_bo(bo);
            discard(bo);
            drm_ranges_give(&drm->ranges, bo->offset, bo->size);
            bo->offset = bo->backed = 0;
            bo->need = DRM_BO_PURGED;
        }
    }
}

int drm_bo_create(struct drm *drm, uint64_t size, uint64_t align, uint32_t kind, struct drm_bo **out)
{
    uint64_t whole;
    if (!size || !util_add(size, GPU_PAGE - 1, &whole))
        return -EINVAL;
    whole &= ~(uint64_t)(GPU_PAGE - 1);
    int r = drm_charge(drm, DRM_BUFFERS, 1);
    if (r)
        return r;
    struct drm_bo *bo = calloc(1, sizeof *bo);
    if (!bo) {
        drm_uncharge(drm, DRM_BUFFERS, 1);
        return -ENOMEM;
    }
    r = drm_ranges_take(&drm->ranges, whole, align, &bo->offset);
    if (r) { /* exports that nobody holds any more are the only ranges to be had back */
        drm_export_reap(drm, false);
        purge_unneeded(drm);
        r = drm_ranges_take(&drm->ranges, whole, align, &bo->offset);
    }
    if (r) {
        drm_log(drm, "out of GPU memory: %llu KiB asked for", (unsigned long long)(whole >> 10));
        free(bo);
        drm_uncharge(drm, DRM_BUFFERS, 1);
        return r;
    }
    bo->drm = drm;
    bo->refs = 1;
    bo->kind = kind;
    bo->size = whole;
    bo->backed = kind == DRM_BO_HEAP ? 0 : whole;
    bo->next = drm->bos;
    bo->link = &drm->bos;
    if (bo->next)
        bo->next->link = &bo->next;
    drm->bos = bo;
    *out = bo;
    return 0;
}

void drm_bo_get(struct drm_bo *bo)
{
    bo->refs++;
}

void drm_bo_put(struct drm_bo *bo)
{
    if (!bo || --bo->refs)
        return;
    *bo->link = bo->next;
    if (bo->next)
        bo->next->link = bo->link;
    if (bo->need != DRM_BO_PURGED) {
        discard(bo);
        drm_ranges_give(&bo->drm->ranges, bo->offset, bo->size);
    }
    if (bo->own)
        bo->drm->driver->free_bo(bo);
    drm_uncharge(bo->drm, DRM_BUFFERS, 1);
    free(bo);
}

uint8_t *drm_bo_bytes(const struct drm_bo *bo)
{
    return bo->need == DRM_BO_PURGED ? NULL : gpu_memory_at(bo->drm->memory, bo->offset, bo->size);
}

void drm_bo_record(const struct drm_bo *bo)
{
    capture_write_range(bo->drm->options.capture, bo->drm->memory, bo->offset, drm_bo_backed(bo));
}

uint64_t drm_bo_backed(const struct drm_bo *bo)
{
    return __atomic_load_n(&bo->backed, __ATOMIC_ACQUIRE);
}

void drm_bo_set_backed(struct drm_bo *bo, uint64_t bytes)
{
    __atomic_store_n(&bo->backed, bytes, __ATOMIC_RELEASE);
}

/* ---- dma-bufs ---- */

static void take_export(void *object)
{
    struct drm_bo *bo = object;
    drm_bo_get(bo);
    bo->users++;
}

static void put_export(void *object)
{
    struct drm_bo *bo = object;
    bo->exported = NULL;
    bo->users--;
    drm_bo_put(bo);
}

static const struct drm_export_kind dmabuf = {"vitrail-dmabuf", take_export, put_export};

int drm_bo_export(struct drm_bo *bo)
{
    return drm_export_fd(bo->drm, &dmabuf, bo, bo->size, &bo->exported);
}

struct drm_bo *drm_bo_of_fd(struct drm *drm, const int *fd)
{
    return drm_export_find(drm, &dmabuf, fd);
}

bool drm_bo_is_watched(struct drm_bo *bo)
{
    if (bo->exported)
        drm_export_reap(bo->drm, false);
    return bo->exported != NULL;
}

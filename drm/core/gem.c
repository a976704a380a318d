/* Handles, names and dma-bufs of buffers, and what of them may be mapped. */
#include <errno.h>
#include <fcntl.h>

#include <drm.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/handle.h"
#include "drm/core/ioctl.h"

static int gem_close(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return drm_handle_close(file, ((struct drm_gem_close *)argument)->handle);
}

static int gem_flink(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_gem_flink *flink = argument;
    struct drm_bo *bo = drm_handle_get(file, flink->handle);
    if (!bo)
        return -ENOENT;
    if (!bo->name) {
        int r = drm_ids_add(&file->drm->names, bo, &bo->name);
        if (r)
            return r;
    }
    flink->name = bo->name;
    return 0;
}

/* The handle a file already has for a buffer, or a new one. */
static int import(struct drm_file *file, struct drm_bo *bo, uint32_t *handle)
{
    *handle = drm_ids_find(&file->handles, bo);
    return *handle ? 0 : drm_handle_add(file, bo, handle);
}

static int gem_open(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_gem_open *open = argument;
    struct drm_bo *bo = drm_ids_get(&file->drm->names, open->name);
    if (!bo)
        return -ENOENT;
    open->size = bo->size;
    return import(file, bo, &open->handle);
}

static int prime_handle_to_fd(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_prime_handle *prime = argument;
    if (prime->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    if (!user->given)
        return -EINVAL;
    struct drm_bo *bo = drm_handle_get(file, prime->handle);
    if (bo && !drm_fence_done(file->drm, bo->seqno)) { /* who has the descriptor finds finished jobs only */
        drm_fence_wait(file->drm, bo->seqno);
        bo = drm_handle_get(file, prime->handle);
    }
    if (!bo)
        return -ENOENT;
    if (bo->kind == DRM_BO_SHADER || bo->need != DRM_BO_NEEDED)
        return -EINVAL; /* code stays where it was checked; what may be purged cannot be shared */
    int fd = drm_bo_export(bo);
    if (fd < 0)
        return fd;
    *user->given = fd;
    return 0;
}

static int prime_fd_to_handle(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_prime_handle *prime = argument;
    struct drm_bo *bo = drm_bo_of_fd(file->drm, user->taken);
    return bo ? import(file, bo, &prime->handle) : -EINVAL;
}

int drm_lookup_dmabuf(struct drm *drm, int fd, uint64_t *offset, uint64_t *size)
{
    pthread_mutex_lock(&drm->lock);
    const struct drm_bo *bo = drm_bo_of_fd(drm, &fd);
    if (bo) {
        *offset = bo->offset;
        *size = bo->size;
    }
    pthread_mutex_unlock(&drm->lock);
    return bo ? 0 : -EINVAL;
}

static int check_mmap(struct drm_file *file, uint64_t offset, uint64_t size, bool writable)
{
    for (uint32_t i = 1; i < file->handles.count; i++) {
        const struct drm_bo *bo = file->handles.slot[i];
        if (!bo || bo->kind == DRM_BO_HEAP || bo->need != DRM_BO_NEEDED || offset < bo->offset ||
            !util_in_range(offset - bo->offset, size, bo->size))
            continue;
        return bo->kind == DRM_BO_SHADER && writable ? -EINVAL : 0;
    }
    return -EINVAL;
}

int drm_check_mmap(struct drm_file *file, uint64_t offset, uint64_t size, bool writable)
{
    pthread_mutex_lock(&file->drm->lock);
    int r = check_mmap(file, offset, size, writable);
    pthread_mutex_unlock(&file->drm->lock);
    return r;
}

const struct drm_ioctl_row drm_gem_ioctls[] = {
    {DRM_IOCTL_GEM_CLOSE, DRM_ALLOW_RENDER, gem_close},
    {DRM_IOCTL_GEM_FLINK, DRM_NEED_AUTH, gem_flink},
    {DRM_IOCTL_GEM_OPEN, DRM_NEED_AUTH, gem_open},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_ALLOW_RENDER, prime_handle_to_fd},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_ALLOW_RENDER, prime_fd_to_handle},
    {0, 0, NULL},
};

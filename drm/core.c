/* What every DRM driver answers: version, capabilities, authentication, handles, names, PRIME. */
#include "drm/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Strings of DRM_IOCTL_VERSION: as much as fits is copied, the true length is returned. */
static int put_string(const struct drm_user *user, uint64_t to, __kernel_size_t *length, const char *text)
{
    uint64_t whole = strlen(text), fits = UTIL_MIN(*length, whole);
    *length = whole;
    return to ? drm_copy_out(user, to, text, fits) : 0;
}

static int version(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_version *v = argument;
    const struct drm_driver *driver = file->drm->driver;
    v->version_major = driver->major;
    v->version_minor = driver->minor;
    v->version_patchlevel = 0;
    int r = put_string(user, (uintptr_t)v->name, &v->name_len, driver->name);
    if (!r)
        r = put_string(user, (uintptr_t)v->date, &v->date_len, driver->date);
    if (!r)
        r = put_string(user, (uintptr_t)v->desc, &v->desc_len, driver->description);
    return r;
}

/* Empty on purpose: libdrm takes a node with a bus id for one that is in use. */
static int get_unique(struct drm_file *file, void *argument, const struct drm_user *user)
{
    ((struct drm_unique *)argument)->unique_len = 0;
    return 0;
}

static int set_version(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_set_version *v = argument;
    bool known =
        v->drm_di_major == -1 || (v->drm_di_major == 1 && v->drm_di_minor >= 0 && v->drm_di_minor <= 4);
    const struct drm_driver *driver = file->drm->driver;
    bool same = v->drm_dd_major == -1 || (v->drm_dd_major == driver->major && v->drm_dd_minor >= 0 &&
                                          v->drm_dd_minor <= driver->minor);
    *v = (struct drm_set_version){1, 4, driver->major, driver->minor};
    return known && same ? 0 : -EINVAL;
}

static int get_magic(struct drm_file *file, void *argument, const struct drm_user *user)
{
    if (!file->magic)
        file->magic = ++file->drm->next_magic;
    ((struct drm_auth *)argument)->magic = file->magic;
    return 0;
}

static int auth_magic(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_auth *auth = argument;
    for (struct drm_file *other = file->drm->files; other; other = other->next) {
        if (auth->magic && other->magic == auth->magic) {
            other->authenticated = true;
            return 0;
        }
    }
    return -EINVAL;
}

static int set_master(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm *drm = file->drm;
    if (drm->master == file)
        return 0;
    if (drm->master)
        return -EBUSY;
    drm->master = file;
    file->was_master = file->authenticated = true;
    return 0;
}

static int drop_master(struct drm_file *file, void *argument, const struct drm_user *user)
{
    if (file->drm->master != file)
        return -EINVAL;
    file->drm->master = NULL;
    return 0;
}

static int get_cap(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_get_cap *cap = argument;
    cap->value = 0;
    switch (cap->capability) {
    case DRM_CAP_PRIME: cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE: cap->value = 1; return 0;
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT: cap->value = 1; return 0;
    case DRM_CAP_DUMB_PREFERRED_DEPTH: cap->value = 24; return 0;
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT: cap->value = 64; return 0;
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_PAGE_FLIP_TARGET: return 0;
    default: return -EINVAL;
    }
}

static int set_client_cap(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_set_client_cap *cap = argument;
    if (cap->value > 1)
        return -EINVAL;
    switch (cap->capability) {
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_ASPECT_RATIO: return 0;
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES: file->universal_planes = cap->value; return 0;
    case DRM_CLIENT_CAP_ATOMIC: file->atomic = file->universal_planes = cap->value; return 0;
    default: return -EINVAL;
    }
}

struct drm_bo *drm_handle_get(struct drm_file *file, uint32_t handle)
{
    return drm_ids_get(&file->handles, handle);
}

int drm_handle_add(struct drm_file *file, struct drm_bo *bo, uint32_t *handle)
{
    const struct drm_driver *driver = file->drm->driver;
    int r = drm_charge(file->drm, DRM_HANDLES, 1);
    if (r)
        return r;
    r = drm_ids_add(&file->handles, bo, handle);
    if (!r && driver->add_handle) {
        r = driver->add_handle(file, bo);
        if (r)
            drm_ids_remove(&file->handles, *handle);
    }
    if (r) {
        drm_uncharge(file->drm, DRM_HANDLES, 1);
        return r;
    }
    bo->handles++;
    drm_bo_get(bo);
    return 0;
}

int drm_handle_close(struct drm_file *file, uint32_t handle)
{
    struct drm_bo *bo = drm_ids_remove(&file->handles, handle);
    if (!bo)
        return -EINVAL;
    drm_uncharge(file->drm, DRM_HANDLES, 1);
    if (file->drm->driver->remove_handle)
        file->drm->driver->remove_handle(file, bo);
    if (!--bo->handles && bo->name) { /* a name lives as long as some handle does */
        drm_ids_remove(&file->drm->names, bo->name);
        bo->name = 0;
    }
    drm_bo_put(bo);
    return 0;
}

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
    int fd = drm_export_fd(file->drm, bo, true, bo->size, &bo->exported);
    if (fd < 0)
        return fd;
    *user->given = fd;
    return 0;
}

static int prime_fd_to_handle(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_prime_handle *prime = argument;
    const struct drm_export *export = drm_export_find(file->drm, user->taken, true);
    return export ? import(file, export->object, &prime->handle) : -EINVAL;
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

const struct drm_ioctl_row drm_core_ioctls[] = {
    {DRM_IOCTL_VERSION, DRM_ALLOW_RENDER, version},
    {DRM_IOCTL_GET_UNIQUE, 0, get_unique},
    {DRM_IOCTL_GET_MAGIC, 0, get_magic},
    {DRM_IOCTL_AUTH_MAGIC, DRM_NEED_MASTER, auth_magic},
    {DRM_IOCTL_SET_VERSION, DRM_NEED_MASTER, set_version},
    {DRM_IOCTL_SET_MASTER, 0, set_master},
    {DRM_IOCTL_DROP_MASTER, 0, drop_master},
    {DRM_IOCTL_GET_CAP, DRM_ALLOW_RENDER, get_cap},
    {DRM_IOCTL_SET_CLIENT_CAP, 0, set_client_cap},
    {DRM_IOCTL_GEM_CLOSE, DRM_ALLOW_RENDER, gem_close},
    {DRM_IOCTL_GEM_FLINK, DRM_NEED_AUTH, gem_flink},
    {DRM_IOCTL_GEM_OPEN, DRM_NEED_AUTH, gem_open},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, DRM_ALLOW_RENDER, prime_handle_to_fd},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_ALLOW_RENDER, prime_fd_to_handle},
    {0, 0, NULL},
};

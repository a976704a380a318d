/* Exported descriptors. A dma-buf or a syncobj file is stood for by a memory file of its own: its size is
 * what lseek reports, its inode tells every process's copy of the descriptor apart from all others.
 *
 * The card must know when the last copy, in any process, is closed. It keeps a description opened for reading
 * and hands out one opened for writing: a read lease is granted only when nobody holds the file open for
 * writing (fcntl(2), F_SETLEASE). Its size and contents are sealed: programs keep nothing in it. */
#include "drm/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/files.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

/* NULL and *error on failure. */
static struct drm_export *create(void *object, bool is_bo, uint64_t size, int *error)
{
    struct drm_export *export = calloc(1, sizeof *export);
    int file = memfd_create(is_bo ? "vitrail-dmabuf" : "vitrail-syncobj", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat st;
    if (!export || file < 0) {
        *error = export ? -errno : -ENOMEM;
        goto fail;
    }
    if (ftruncate(file, (off_t)size) || fcntl(file, F_ADD_SEALS, SEALS)) {
        *error = -errno;
        goto fail;
    }
    *error = util_fstat(file, &st);
    if (*error)
        goto fail;
    export->watch = util_reopen(file, O_RDONLY);
    if (export->watch < 0) {
        *error = export->watch;
        goto fail;
    }
    close(file);
    export->device = st.st_dev;
    export->inode = st.st_ino;
    export->object = object;
    export->is_bo = is_bo;
    return export;
fail:
    if (file >= 0)
        close(file);
    free(export);
    return NULL;
}

int drm_export_fd(struct drm *drm, void *object, bool is_bo, uint64_t size, struct drm_export **keep)
{
    if (*keep)
        return util_reopen((*keep)->watch, O_RDWR);
    drm_export_reap(drm, false);
    int r = drm_charge(drm, DRM_EXPORTS, 1);
    if (r)
        return r;
    struct drm_export *export = create(object, is_bo, size, &r);
    int fd = export ? util_reopen(export->watch, O_RDWR) : r;
    if (fd < 0) {
        if (export)
            close(export->watch);
        free(export);
        drm_uncharge(drm, DRM_EXPORTS, 1);
        return fd;
    }
    export->next = drm->exports;
    drm->exports = *keep = export;
    if (is_bo) {
        drm_bo_get(object);
        ((struct drm_bo *)object)->users++;
    } else {
        ((struct drm_sync *)object)->refs++;
    }
    return fd;
}

struct drm_export *drm_export_find(struct drm *drm, const int *fd, bool is_bo)
{
    struct stat st;
    /* Only files in memory have seals, and whether they do is answered without their file system. */
    if (!fd || fcntl(*fd, F_GET_SEALS) != SEALS || util_fstat(*fd, &st))
        return NULL;
    for (struct drm_export *export = drm->exports; export; export = export->next)
        if (export->inode == st.st_ino && export->device == st.st_dev && export->is_bo == is_bo)
            return export;
    return NULL;
}

static bool held_elsewhere(const struct drm_export *export)
{
    if (fcntl(export->watch, F_SETLEASE, F_RDLCK))
        return true;
    fcntl(export->watch, F_SETLEASE, F_UNLCK);
    return false;
}

void drm_export_reap(struct drm *drm, bool all)
{
    for (struct drm_export **at = &drm->exports; *at;) {
        struct drm_export *export = *at;
        if (!all && held_elsewhere(export)) {
            at = &export->next;
            continue;
        }
        *at = export->next;
        drm_uncharge(drm, DRM_EXPORTS, 1);
        close(export->watch);
        if (export->is_bo) {
            struct drm_bo *bo = export->object;
            bo->exported = NULL;
            bo->users--;
            drm_bo_put(bo);
        } else {
            struct drm_sync *sync = export->object;
            sync->exported = NULL;
            drm_sync_put(sync);
        }
        free(export);
    }
}

bool drm_bo_is_watched(struct drm_bo *bo)
{
    if (bo->exported)
        drm_export_reap(bo->drm, false);
    return bo->exported != NULL;
}

int drm_lookup_dmabuf(struct drm *drm, int fd, uint64_t *offset, uint64_t *size)
{
    pthread_mutex_lock(&drm->lock);
    const struct drm_export *export = drm_export_find(drm, &fd, true);
    const struct drm_bo *bo = export ? export->object : NULL;
    if (bo) {
        *offset = bo->offset;
        *size = bo->size;
    }
    pthread_mutex_unlock(&drm->lock);
    return bo ? 0 : -EINVAL;
}

/* Exported descriptors. A dma-buf or a syncobj file is stood for by a memory file of its own: its size is
 * what lseek reports, its inode tells every process's copy of the descriptor apart from all others.
 *
 * The card must know when the last copy, in any process, is closed. It keeps a description opened for reading
 * and hands out one opened for writing: a read lease is granted only when nobody holds the file open for
 * writing (fcntl(2), F_SETLEASE). Its size and contents are sealed: programs keep nothing in it. */
#include "drm/core/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drm/core/card.h"
#include "util/files.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

/* NULL and *error on failure. */
static struct drm_export *create(const struct drm_export_kind *kind, void *object, uint64_t size, int *error)
{
    struct drm_export *export = calloc(1, sizeof *export);
    int file = memfd_create(kind->name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
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
    export->kind = kind;
    export->object = object;
    return export;
fail:
    if (file >= 0)
        close(file);
    free(export);
    return NULL;
}

int drm_export_fd(struct drm *drm, const struct drm_export_kind *kind, void *object, uint64_t size,
                  struct drm_export **keep)
{
    if (*keep)
        return util_reopen((*keep)->watch, O_RDWR);
    drm_export_reap(drm, false);
    int r = drm_charge(drm, DRM_EXPORTS, 1);
    if (r)
        return r;
    struct drm_export *export = create(kind, object, size, &r);
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
    kind->take(object);
    return fd;
}

void *drm_export_find(struct drm *drm, const struct drm_export_kind *kind, const int *fd)
{
    struct stat st;
    /* Only files in memory have seals, and whether they do is answered without their file system. */
    if (!fd || fcntl(*fd, F_GET_SEALS) != SEALS || util_fstat(*fd, &st))
        return NULL;
    for (const struct drm_export *export = drm->exports; export; export = export->next)
        if (export->inode == st.st_ino && export->device == st.st_dev && export->kind == kind)
            return export->object;
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
        export->kind->put(export->object);
        free(export);
    }
}

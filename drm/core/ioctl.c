/* What every DRM driver answers: version, capabilities, authentication. */
#include "drm/core/ioctl.h"

#include <errno.h>
#include <string.h>

#include <drm.h>

#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/user.h"

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

struct drm_file *drm_master(const struct drm *drm)
{
    return drm->master && !drm_file_gone(drm->master) ? drm->master : NULL;
}

static int set_master(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm *drm = file->drm;
    if (drm->master == file)
        return 0;
    if (drm_master(drm))
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
    {0, 0, NULL},
};

/* Tables of ioctls. */
#ifndef VITRAIL_DRM_CORE_IOCTL_H
#define VITRAIL_DRM_CORE_IOCTL_H

#include "drm/drm.h"

/* `argument`: as the row's request has it, private, read and written in place. 0 or -errno. */
typedef int (*drm_ioctl_fn)(struct drm_file *file, void *argument, const struct drm_user *user);

/* DRM_FLUSH: only when what was committed before is shown. */
enum { DRM_ALLOW_RENDER = 1, DRM_NEED_AUTH = 2, DRM_NEED_MASTER = 4, DRM_FLUSH = 8 };

struct drm_ioctl_row {
    uint32_t request;
    uint32_t flags;
    drm_ioctl_fn fn;
};
/* Tables end with a row whose fn is NULL. */
extern const struct drm_ioctl_row drm_core_ioctls[], drm_gem_ioctls[], drm_sync_ioctls[];

#endif

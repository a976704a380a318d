/* The display side of a card: mode setting. */
#ifndef VITRAIL_DRM_KMS_KMS_H
#define VITRAIL_DRM_KMS_KMS_H

#include "drm/core/ioctl.h"

int drm_kms_init(struct drm *drm); /* 0, -EINVAL (mode out of range), -ENOMEM */
void drm_kms_finish(struct drm *drm);
void drm_kms_close_file(struct drm_file *file); /* removes its framebuffers and blobs */
/* Until what was committed last is shown. Unlocks the card meanwhile. */
void drm_kms_flush(struct drm *drm);

extern const struct drm_ioctl_row drm_kms_ioctls[], drm_fb_ioctls[], drm_atomic_ioctls[];

#endif

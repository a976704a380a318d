/* User memory: every pointer is fetched once, into private memory. */
#ifndef VITRAIL_DRM_CORE_USER_H
#define VITRAIL_DRM_CORE_USER_H

#include "drm/drm.h"

int drm_copy_in(const struct drm_user *user, void *to, uint64_t from, uint64_t size); /* 0 or -EFAULT */
int drm_copy_out(const struct drm_user *user, uint64_t to, const void *from, uint64_t size);
/* A malloc'ed copy of count * size bytes in *out (NULL when that is 0). 0, -EFAULT, -ENOMEM, -EINVAL. */
int drm_copy_array(const struct drm_user *user, void **out, uint64_t from, uint64_t count, uint64_t size);

#endif

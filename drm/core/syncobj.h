/* Sync objects. */
#ifndef VITRAIL_DRM_CORE_SYNCOBJ_H
#define VITRAIL_DRM_CORE_SYNCOBJ_H

#include <stdbool.h>
#include <stdint.h>

struct drm_file;

struct drm_sync {
    uint32_t refs;
    bool has_fence;
    uint64_t fence; /* a job's number */
    uint64_t point; /* last timeline point signalled */
    struct drm_export *exported;
};
struct drm_sync *drm_sync_get(struct drm_file *file, uint32_t handle); /* borrowed; NULL when unknown */
void drm_sync_set_fence(struct drm_sync *sync, uint64_t fence);
/* Whether a job may wait for the fence of this object; 0 is no object. Fences are those of earlier jobs,
 * which are run before. 0, -ENOENT, -EINVAL (no fence). */
int drm_sync_check(struct drm_file *file, uint32_t handle);
int drm_sync_close(struct drm_file *file, uint32_t handle); /* 0, -EINVAL (no such handle) */

#endif

/* Fences: what tells that jobs are done. Jobs end in order, so a fence is the number of a job, and signalled
 * when the timeline has reached it; 0 always is. */
#ifndef VITRAIL_DRM_CORE_FENCE_H
#define VITRAIL_DRM_CORE_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct drm;
struct drm_fence_page;
struct drm_sync_file;

struct drm_timeline {
    uint64_t finished; /* all jobs up to this number are done */
    struct drm_fence_page *page;
    int page_fd; /* for reading */
    struct drm_sync_file *sync_files;
};
int drm_timeline_init(struct drm *drm); /* 0, -errno */
void drm_timeline_finish(struct drm *drm);
/* All jobs up to this number are done: whoever waits is woken. */
void drm_timeline_reach(struct drm *drm, uint64_t seqno);

bool drm_fence_done(const struct drm *drm, uint64_t fence);
/* What an ioctl that waits answers, as none blocks (drm.h): 0, or -ETIME, which says "not yet". */
int drm_fence_ask(const struct drm *drm, uint64_t fence);
/* A new descriptor that is readable once the fence is signalled; or -errno. */
int drm_fence_fd(struct drm *drm, uint64_t fence);
/* The fence behind what a program passed: 0, or -EINVAL when it is none. */
int drm_fence_of_fd(struct drm *drm, const int *fd, uint64_t *fence);

#endif

/* Sync objects: whether there is a fence, which job's it is, and how far a timeline has come. Points of a
 * timeline are always signalled: they come from the program itself, or from a fence that was waited for.
 *
 * No wait blocks here: what is not signalled yet may need another ioctl. -ETIME says "not yet"; whoever
 * speaks for the program asks again until its timeout is over. */
#include "drm/core/syncobj.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <drm.h>

#include "drm/core/card.h"
#include "drm/core/export.h"
#include "drm/core/ioctl.h"
#include "drm/core/user.h"

#define MAX_WAITED 65536u

struct drm_sync *drm_sync_get(struct drm_file *file, uint32_t handle)
{
    return drm_ids_get(&file->syncs, handle);
}

static void put(struct drm_sync *sync)
{
    if (!--sync->refs)
        free(sync);
}

static void take_export(void *object)
{
    ((struct drm_sync *)object)->refs++;
}

static void put_export(void *object)
{
    struct drm_sync *sync = object;
    sync->exported = NULL;
    put(sync);
}

static const struct drm_export_kind syncobj = {"vitrail-syncobj", take_export, put_export};

void drm_sync_set_fence(struct drm_sync *sync, uint64_t fence)
{
    sync->has_fence = true;
    sync->fence = fence;
    sync->point = 0;
}

int drm_sync_check(struct drm_file *file, uint32_t handle)
{
    const struct drm_sync *sync = handle ? drm_sync_get(file, handle) : NULL;
    if (handle && !sync)
        return -ENOENT;
    return sync && !sync->has_fence ? -EINVAL : 0;
}

int drm_sync_close(struct drm_file *file, uint32_t handle)
{
    struct drm_sync *sync = drm_ids_remove(&file->syncs, handle);
    if (!sync)
        return -EINVAL;
    put(sync);
    return 0;
}

static int sync_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_syncobj_create *create = argument;
    if (create->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED)
        return -EINVAL;
    struct drm_sync *sync = calloc(1, sizeof *sync);
    if (!sync)
        return -ENOMEM;
    sync->refs = 1;
    sync->has_fence = create->flags & DRM_SYNCOBJ_CREATE_SIGNALED;
    int r = drm_ids_add(&file->syncs, sync, &create->handle);
    if (r)
        free(sync);
    return r;
}

static int sync_destroy(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_destroy *destroy = argument;
    return destroy->pad ? -EINVAL : drm_sync_close(file, destroy->handle);
}

/* A sync_file is a descriptor that polls as readable when its fence is signalled. */
static int export_sync_file(struct drm *drm, const struct drm_sync *sync)
{
    return sync->has_fence ? drm_fence_fd(drm, sync->fence) : -EINVAL;
}

static int sync_handle_to_fd(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_handle *h = argument;
    if (h->pad || (h->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) || !user->given)
        return -EINVAL;
    struct drm_sync *sync = drm_sync_get(file, h->handle);
    if (!sync)
        return -EINVAL;
    int fd = h->flags ? export_sync_file(file->drm, sync)
                      : drm_export_fd(file->drm, &syncobj, sync, 0, &sync->exported);
    if (fd < 0)
        return fd;
    *user->given = fd;
    return 0;
}

static int sync_fd_to_handle(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_syncobj_handle *h = argument;
    if (h->pad || (h->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE))
        return -EINVAL;
    if (h->flags) {
        struct drm_sync *sync = drm_sync_get(file, h->handle);
        if (!sync)
            return -ENOENT;
        uint64_t fence;
        int r = drm_fence_of_fd(file->drm, user->taken, &fence);
        if (!r)
            drm_sync_set_fence(sync, fence);
        return r;
    }
    struct drm_sync *sync = drm_export_find(file->drm, &syncobj, user->taken);
    if (!sync)
        return -EINVAL;
    int r = drm_ids_add(&file->syncs, sync, &h->handle);
    if (!r)
        sync->refs++;
    return r;
}

/* Whether there is something that will signal this. */
static bool available(const struct drm_sync *sync, uint64_t point)
{
    return sync->has_fence && (!point || sync->point >= point);
}

static bool reached(const struct drm *drm, const struct drm_sync *sync, uint64_t point)
{
    return available(sync, point) && drm_fence_done(drm, sync->fence);
}

static int wait(struct drm_file *file, const struct drm_user *user, uint64_t handles_at, uint64_t points_at,
                uint32_t count, uint32_t flags, uint32_t *first)
{
    if (!count)
        return -EINVAL;
    if (count > MAX_WAITED)
        return -ENOMEM;
    void *handles = NULL, *points = NULL;
    int r = drm_copy_array(user, &handles, handles_at, count, sizeof(uint32_t));
    if (!r && points_at)
        r = drm_copy_array(user, &points, points_at, count, sizeof(uint64_t));
    uint32_t signalled = 0;
    bool missing = false, available_is_enough = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    for (uint32_t i = 0; !r && i < count; i++) {
        const struct drm_sync *sync = drm_sync_get(file, ((uint32_t *)handles)[i]);
        uint64_t point = points ? ((uint64_t *)points)[i] : 0;
        if (!sync) {
            r = -ENOENT;
        } else if (available_is_enough ? available(sync, point) : reached(file->drm, sync, point)) {
            if (!signalled++)
                *first = i;
        } else {
            missing |= !available(sync, point);
        }
    }
    free(handles);
    free(points);
    if (r)
        return r;
    if (missing &&
        !(flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE)))
        return -EINVAL; /* nothing was submitted that could signal it */
    bool all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    return (all ? signalled == count : signalled > 0) ? 0 : -ETIME;
}

static int sync_wait(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_syncobj_wait *w = argument;
    if (w->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
        return -EINVAL;
    return wait(file, user, w->handles, 0, w->count_handles, w->flags, &w->first_signaled);
}

static int sync_timeline_wait(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_syncobj_timeline_wait *w = argument;
    if (w->flags & ~(uint32_t)(DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                               DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))
        return -EINVAL;
    return wait(file, user, w->handles, w->points, w->count_handles, w->flags, &w->first_signaled);
}

enum sync_action { SYNC_RESET, SYNC_SIGNAL, SYNC_SIGNAL_POINT, SYNC_QUERY };

/* Does the same to every sync object of an array; `points` are read or written for timelines. */
static int for_all(struct drm_file *file, const struct drm_user *user, uint64_t handles_at,
                   uint64_t points_at, uint32_t count, enum sync_action action)
{
    if (!count)
        return -EINVAL;
    if (count > MAX_WAITED)
        return -ENOMEM;
    void *handles = NULL, *points = NULL;
    int r = drm_copy_array(user, &handles, handles_at, count, sizeof(uint32_t));
    if (!r && action >= SYNC_SIGNAL_POINT)
        r = drm_copy_array(user, &points, points_at, count, sizeof(uint64_t));
    for (uint32_t i = 0; !r && i < count; i++)
        if (!drm_sync_get(file, ((uint32_t *)handles)[i]))
            r = -ENOENT;
    for (uint32_t i = 0; !r && i < count; i++) {
        struct drm_sync *sync = drm_sync_get(file, ((uint32_t *)handles)[i]);
        uint64_t none = 0, *point = points ? (uint64_t *)points + i : &none;
        switch (action) {
        case SYNC_RESET:
            drm_sync_set_fence(sync, 0);
            sync->has_fence = false;
            break;
        case SYNC_SIGNAL: drm_sync_set_fence(sync, 0); break;
        case SYNC_SIGNAL_POINT:
            sync->has_fence = true;
            sync->point = UTIL_MAX(sync->point, *point);
            break;
        case SYNC_QUERY: *point = sync->point; break;
        }
    }
    if (!r && action == SYNC_QUERY)
        r = drm_copy_out(user, points_at, points, count * sizeof(uint64_t));
    free(handles);
    free(points);
    return r;
}

static int sync_reset(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_array *a = argument;
    return a->pad ? -EINVAL : for_all(file, user, a->handles, 0, a->count_handles, SYNC_RESET);
}

static int sync_signal(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_array *a = argument;
    return a->pad ? -EINVAL : for_all(file, user, a->handles, 0, a->count_handles, SYNC_SIGNAL);
}

static int sync_timeline_signal(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_timeline_array *a = argument;
    return a->flags ? -EINVAL
                    : for_all(file, user, a->handles, a->points, a->count_handles, SYNC_SIGNAL_POINT);
}

static int sync_query(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_timeline_array *a = argument;
    if (a->flags & ~(uint32_t)DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED)
        return -EINVAL;
    return for_all(file, user, a->handles, a->points, a->count_handles, SYNC_QUERY);
}

static int sync_transfer(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_syncobj_transfer *t = argument;
    if (t->pad)
        return -EINVAL;
    const struct drm_sync *from = drm_sync_get(file, t->src_handle);
    if (from && t->dst_point) /* points are signalled ones */
        drm_fence_wait(file->drm, from->fence);
    from = drm_sync_get(file, t->src_handle);
    struct drm_sync *to = drm_sync_get(file, t->dst_handle);
    if (!from || !to)
        return -ENOENT;
    if (!available(from, t->src_point) || (t->dst_point && !drm_fence_done(file->drm, from->fence)))
        return t->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT ? -ETIME : -EINVAL;
    uint64_t point = t->dst_point ? UTIL_MAX(to->point, t->dst_point) : 0;
    drm_sync_set_fence(to, from->fence);
    to->point = point;
    return 0;
}

const struct drm_ioctl_row drm_sync_ioctls[] = {
    {DRM_IOCTL_SYNCOBJ_CREATE, DRM_ALLOW_RENDER, sync_create},
    {DRM_IOCTL_SYNCOBJ_DESTROY, DRM_ALLOW_RENDER, sync_destroy},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_ALLOW_RENDER, sync_handle_to_fd},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_ALLOW_RENDER, sync_fd_to_handle},
    {DRM_IOCTL_SYNCOBJ_WAIT, DRM_ALLOW_RENDER, sync_wait},
    {DRM_IOCTL_SYNCOBJ_RESET, DRM_ALLOW_RENDER, sync_reset},
    {DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_ALLOW_RENDER, sync_signal},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, DRM_ALLOW_RENDER, sync_timeline_wait},
    {DRM_IOCTL_SYNCOBJ_QUERY, DRM_ALLOW_RENDER, sync_query},
    {DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_ALLOW_RENDER, sync_transfer},
    {DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, DRM_ALLOW_RENDER, sync_timeline_signal},
    {0, 0, NULL},
};

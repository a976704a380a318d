/* The card as a whole: made of core, display and driver; opening and closing files, and finding the ioctl. */
#include "drm/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/export.h"
#include "drm/core/handle.h"
#include "drm/core/syncobj.h"
#include "drm/drivers.h"
#include "drm/kms/kms.h"
#include "drm/protocol.h"

int drm_create(struct gpu_memory *memory, const struct drm_options *options, struct drm **out)
{
    const struct drm_driver_gpu *gpu;
    const struct drm_driver *driver = drm_driver_find(options->gpu.name, &gpu);
    if (!driver)
        return -ENODEV;
    struct drm *drm = calloc(1, sizeof *drm);
    if (!drm)
        return -ENOMEM;
    drm->driver = driver;
    drm->gpu = gpu;
    drm->names.drm = drm;
    drm->memory = memory;
    drm->options = *options;
    pthread_mutex_init(&drm->lock, NULL);
    pthread_mutex_init(&drm->listener_lock, NULL);
    drm_queue_init(drm, options->asynchronous && !options->capture);
    int r = drm_timeline_init(drm);
    if (!r)
        r = drm_bo_init(drm);
    if (!r)
        r = drm_kms_init(drm);
    if (!r)
        r = driver->init(drm);
    if (r) {
        drm_destroy(drm);
        return r;
    }
    *out = drm;
    return 0;
}

void drm_destroy(struct drm *drm)
{
    if (!drm)
        return;
    drm_work(drm);
    for (struct drm_file *file = drm->files, *next; file; file = next) {
        next = file->next;
        drm_close(file);
    }
    drm_export_reap(drm, true);
    drm->driver->finish(drm);
    drm_kms_finish(drm);
    drm_ids_finish(&drm->names);
    drm_bo_finish(drm);
    drm_timeline_finish(drm);
    drm_queue_finish(drm);
    pthread_mutex_destroy(&drm->lock);
    pthread_mutex_destroy(&drm->listener_lock);
    free(drm);
}

int drm_open(struct drm *drm, unsigned minor, struct drm_file **out)
{
    if (minor != DRM_MINOR_CARD && minor != DRM_MINOR_RENDER)
        return -ENOENT;
    struct drm_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        int r = -errno;
        free(file);
        return r;
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETPIPE_SZ, DRM_EVENT_PIPE);
    file->drm = drm;
    file->minor = minor;
    file->event_read = ends[0];
    file->event_write = ends[1];
    file->handles = (struct drm_ids){.drm = drm, .kind = DRM_HANDLES};
    file->syncs = (struct drm_ids){.drm = drm, .kind = DRM_SYNCS};
    pthread_mutex_lock(&drm->lock);
    int r = drm_charge(drm, DRM_FILES, 1);
    if (!r && (r = drm->driver->open_file(file)))
        drm_uncharge(drm, DRM_FILES, 1);
    if (r) {
        pthread_mutex_unlock(&drm->lock);
        close(ends[0]);
        close(ends[1]);
        free(file);
        return r;
    }
    if (minor == DRM_MINOR_CARD && !drm_master(drm)) { /* the first to open the card becomes its master */
        drm->master = file;
        file->was_master = file->authenticated = true;
    }
    file->next = drm->files;
    drm->files = file;
    drm->opened++;
    pthread_mutex_unlock(&drm->lock);
    *out = file;
    return 0;
}

void drm_close(struct drm_file *file)
{
    if (!file)
        return;
    struct drm *drm = file->drm;
    pthread_mutex_lock(&drm->lock);
    drm_kms_close_file(file);
    drm_queue_close_file(drm, file);
    for (uint32_t i = 1; i < file->handles.count; i++)
        drm_handle_close(file, i);
    for (uint32_t i = 1; i < file->syncs.count; i++)
        drm_sync_close(file, i);
    drm->driver->close_file(file);
    drm_ids_finish(&file->handles);
    drm_ids_finish(&file->syncs);
    if (drm->master == file)
        drm->master = NULL;
    if (file->event_read >= 0)
        close(file->event_read);
    close(file->event_write);
    struct drm_file **at = &drm->files;
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    free(file);
    drm_uncharge(drm, DRM_FILES, 1);
    drm_export_reap(drm, false);
    pthread_mutex_unlock(&drm->lock);
}

struct drm_use drm_used(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    struct drm_use use = {drm->opened, drm->driver_calls, drm->queue.emitted, drm_queue_busy(drm)};
    pthread_mutex_unlock(&drm->lock);
    return use;
}

uint32_t drm_driver_of(const struct drm *drm)
{
    return drm_driver_number(drm->driver);
}

static const struct drm_ioctl_row *find(const struct drm *drm, uint32_t request)
{
    const struct drm_ioctl_row *const tables[] = {drm->driver->ioctls, drm_core_ioctls, drm_gem_ioctls,
                                                  drm_sync_ioctls,     drm_kms_ioctls,  drm_fb_ioctls,
                                                  drm_atomic_ioctls};
    for (unsigned t = 0; t < UTIL_ARRAY_SIZE(tables); t++)
        for (const struct drm_ioctl_row *row = tables[t]; row->fn; row++)
            if (_IOC_NR(row->request) == _IOC_NR(request))
                return row;
    return NULL;
}

/* The numbers that the kernel leaves to each driver. */
static bool is_of_driver(uint32_t request)
{
    return _IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END;
}

static int permitted(const struct drm_file *file, uint32_t flags)
{
    if (file->minor == DRM_MINOR_RENDER)
        return flags & DRM_ALLOW_RENDER ? 0 : -EACCES;
    if (flags & DRM_NEED_AUTH && !file->authenticated)
        return -EACCES;
    if (flags & DRM_NEED_MASTER && file->drm->master != file)
        return -EACCES;
    return 0;
}

/* Callers may know a shorter or longer form of an argument: what they did not pass is zero, what they do not
 * know is not returned (drm_ioctl.c of the kernel). */
static int call(struct drm_file *file, uint32_t request, void *argument, const struct drm_user *user)
{
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -ENOTTY;
    const struct drm_ioctl_row *row = find(file->drm, request);
    if (!row)
        return -EINVAL;
    int r = permitted(file, row->flags);
    if (r)
        return r;
    uint64_t copy[DRM_ARG_MAX / 8] = {0};
    uint32_t size = _IOC_SIZE(request);
    if (size > sizeof copy || _IOC_SIZE(row->request) > sizeof copy)
        return -EINVAL;
    if (request & row->request & IOC_IN)
        memcpy(copy, argument, size);
    if (row->flags & DRM_FLUSH)
        drm_kms_flush(file->drm);
    r = row->fn(file, copy, user);
    file->drm->driver_calls += !r && is_of_driver(request);
    if (request & row->request & IOC_OUT)
        memcpy(argument, copy, size);
    return r;
}

int drm_ioctl(struct drm_file *file, uint32_t request, void *argument, const struct drm_user *user)
{
    pthread_mutex_lock(&file->drm->lock);
    int r = call(file, request, argument, user);
    pthread_mutex_unlock(&file->drm->lock);
    return r;
}

/* Performance monitors: up to 16 of the device's events, counted over the jobs that name the monitor, in the
 * device's own counters (gpu/vc4/README.md says what each event counts). */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

struct drm_vc4_perfmon {
    uint32_t refs; /* the file's, jobs' */
    uint32_t count;
    uint8_t event[DRM_VC4_MAX_PERF_COUNTERS];
    uint64_t value[DRM_VC4_MAX_PERF_COUNTERS];
};

/* A file's own part: its monitors. */
static struct drm_ids *monitors(struct drm_file *file)
{
    return file->own;
}

int drm_vc4_perfmon_open(struct drm_file *file)
{
    struct drm_ids *ids = file->own = calloc(1, sizeof *ids);
    if (!ids)
        return -ENOMEM;
    *ids = (struct drm_ids){.drm = file->drm, .kind = DRM_OWN_OBJECTS};
    return 0;
}

static int remove_monitor(struct drm_file *file, uint32_t id)
{
    struct drm_vc4_perfmon *perfmon = drm_ids_remove(monitors(file), id);
    if (!perfmon)
        return -EINVAL;
    drm_vc4_perfmon_put(perfmon);
    return 0;
}

void drm_vc4_perfmon_close(struct drm_file *file)
{
    struct drm_ids *ids = monitors(file);
    for (uint32_t i = 1; i < ids->count; i++)
        remove_monitor(file, i);
    drm_ids_finish(ids);
    free(ids);
}

struct drm_vc4_perfmon *drm_vc4_perfmon_find(struct drm_file *file, uint32_t id)
{
    return drm_ids_get(monitors(file), id);
}

struct drm_vc4_perfmon *drm_vc4_perfmon_get(struct drm_file *file, uint32_t id)
{
    struct drm_vc4_perfmon *perfmon = drm_vc4_perfmon_find(file, id);
    if (perfmon)
        perfmon->refs++;
    return perfmon;
}

void drm_vc4_perfmon_add(struct drm_vc4_exec *exec)
{
    for (uint32_t i = 0; exec->perfmon && i < exec->perfmon->count; i++)
        exec->perfmon->value[i] += exec->counted[i];
}

int drm_vc4_perfmon_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_perfmon_create *create = argument;
    if (!create->ncounters || create->ncounters > DRM_VC4_MAX_PERF_COUNTERS)
        return -EINVAL;
    for (uint32_t i = 0; i < create->ncounters; i++)
        if (create->events[i] >= VC4_PERFCNT_NUM_EVENTS)
            return -EINVAL;
    struct drm_vc4_perfmon *perfmon = calloc(1, sizeof *perfmon);
    int r = perfmon ? drm_ids_add(monitors(file), perfmon, &create->id) : -ENOMEM;
    if (r) {
        free(perfmon);
        return r;
    }
    perfmon->refs = 1;
    perfmon->count = create->ncounters;
    memcpy(perfmon->event, create->events, create->ncounters);
    return 0;
}

int drm_vc4_perfmon_destroy(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return remove_monitor(file, ((struct drm_vc4_perfmon_destroy *)argument)->id);
}

void drm_vc4_perfmon_put(struct drm_vc4_perfmon *perfmon)
{
    if (perfmon && !--perfmon->refs)
        free(perfmon);
}

int drm_vc4_perfmon_get_values(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_perfmon_get_values *get = argument;
    const struct drm_vc4_perfmon *perfmon = drm_vc4_perfmon_find(file, get->id);
    if (!perfmon)
        return -EINVAL;
    return drm_copy_out(user, get->values_ptr, perfmon->value, perfmon->count * sizeof perfmon->value[0]);
}

/* Counter n of the device follows event n of the monitor while the job runs. These writes belong to no job
 * and are not recorded. */
void drm_vc4_perfmon_start(struct drm_vc4_exec *exec)
{
    const struct gpu_device *gpu = &exec->job.drm->options.gpu;
    const struct drm_vc4_perfmon *perfmon = exec->perfmon;
    uint32_t mask = (1u << perfmon->count) - 1;
    for (uint32_t i = 0; i < perfmon->count; i++)
        gpu_device_write(gpu, VC4_PCTRS + 8 * i, perfmon->event[i]);
    gpu_device_write(gpu, VC4_PCTRC, mask);
    gpu_device_write(gpu, VC4_PCTRE, mask);
}

void drm_vc4_perfmon_stop(struct drm_vc4_exec *exec)
{
    const struct gpu_device *gpu = &exec->job.drm->options.gpu;
    for (uint32_t i = 0; i < exec->perfmon->count; i++)
        exec->counted[i] = gpu_device_read(gpu, VC4_PCTR + 8 * i);
    gpu_device_write(gpu, VC4_PCTRE, 0);
}

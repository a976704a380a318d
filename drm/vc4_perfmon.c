/* Performance monitors: up to 16 of the device's events, counted over the jobs that name the monitor, in the
 * device's own counters (gpu/vc4/README.md says what each event counts). */
#include "drm/vc4.h"

#include <errno.h>
#include <stdlib.h>

int drm_vc4_perfmon_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_perfmon_create *create = argument;
    if (!create->ncounters || create->ncounters > DRM_VC4_MAX_PERF_COUNTERS)
        return -EINVAL;
    for (uint32_t i = 0; i < create->ncounters; i++)
        if (create->events[i] >= VC4_PERFCNT_NUM_EVENTS)
            return -EINVAL;
    struct drm_perfmon *perfmon = calloc(1, sizeof *perfmon);
    if (!perfmon)
        return -ENOMEM;
    perfmon->refs = 1;
    perfmon->count = create->ncounters;
    memcpy(perfmon->event, create->events, create->ncounters);
    int r = drm_ids_add(&file->perfmons, perfmon, &create->id);
    if (r)
        free(perfmon);
    return r;
}

int drm_vc4_perfmon_destroy(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_perfmon *perfmon =
        drm_ids_remove(&file->perfmons, ((struct drm_vc4_perfmon_destroy *)argument)->id);
    if (!perfmon)
        return -EINVAL;
    drm_vc4_perfmon_put(perfmon);
    return 0;
}

void drm_vc4_perfmon_put(struct drm_perfmon *perfmon)
{
    if (perfmon && !--perfmon->refs)
        free(perfmon);
}

int drm_vc4_perfmon_get_values(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_perfmon_get_values *get = argument;
    const struct drm_perfmon *perfmon = drm_ids_get(&file->perfmons, get->id);
    if (!perfmon)
        return -EINVAL;
    return drm_copy_out(user, get->values_ptr, perfmon->value, perfmon->count * sizeof perfmon->value[0]);
}

/* Counter n of the device follows event n of the monitor while the job runs. These writes belong to no job
 * and are not recorded. */
void drm_vc4_perfmon_start(struct drm_vc4_exec *exec)
{
    struct vc4_device *gpu = exec->drm->options.gpu;
    const struct drm_perfmon *perfmon = exec->perfmon;
    uint32_t mask = (1u << perfmon->count) - 1;
    for (uint32_t i = 0; i < perfmon->count; i++)
        vc4_write(gpu, VC4_PCTRS0 + 8 * i, perfmon->event[i]);
    vc4_write(gpu, VC4_PCTRC, mask);
    vc4_write(gpu, VC4_PCTRE, mask);
}

void drm_vc4_perfmon_stop(struct drm_vc4_exec *exec)
{
    struct vc4_device *gpu = exec->drm->options.gpu;
    for (uint32_t i = 0; i < exec->perfmon->count; i++)
        exec->counted[i] = vc4_read(gpu, VC4_PCTR0 + 8 * i);
    vc4_write(gpu, VC4_PCTRE, 0);
}

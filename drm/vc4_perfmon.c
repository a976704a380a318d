/* Performance monitors: up to 16 of the device's events, counted over the jobs that name the monitor. The
 * device has a counter behind an event or it has not (then it stays 0). */
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
    free(perfmon);
    return 0;
}

int drm_vc4_perfmon_get_values(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_perfmon_get_values *get = argument;
    const struct drm_perfmon *perfmon = drm_ids_get(&file->perfmons, get->id);
    if (!perfmon)
        return -EINVAL;
    return drm_copy_out(user, get->values_ptr, perfmon->value, perfmon->count * sizeof perfmon->value[0]);
}

/* The device's cumulative counter behind an event. */
static uint64_t count_of(const struct vc4_counters *c, uint8_t event)
{
    switch (event) {
    case VC4_PERFCNT_FEP_VALID_PRIMS_RENDER: return c->primitives_binned;
    case VC4_PERFCNT_PLB_PRIMS_OUTSIDE_VIEWPORT:
        return c->primitives_in > c->primitives_binned ? c->primitives_in - c->primitives_binned : 0;
    case VC4_PERFCNT_FEP_VALID_QUADS: /* a block is four quads */
    case VC4_PERFCNT_TLB_QUADS_WRITTEN_TO_COLOR_BUF: return c->blocks_shaded * 4;
    case VC4_PERFCNT_QPU_TOTAL_CLK_CYCLES_EXEC_VALID_INST: return c->qpu_instructions;
    default: return 0;
    }
}

/* Values run from -start to +stop: what is left is what the job added. */
static void add(struct drm *drm, struct drm_perfmon *perfmon, bool stop)
{
    struct vc4_counters counters = {0};
    vc4_device_counters(drm->options.gpu, &counters);
    for (uint32_t i = 0; i < perfmon->count; i++) {
        uint64_t count = count_of(&counters, perfmon->event[i]);
        perfmon->value[i] += stop ? count : -count;
    }
}

void drm_vc4_perfmon_start(struct drm *drm, struct drm_perfmon *perfmon)
{
    add(drm, perfmon, false);
}

void drm_vc4_perfmon_stop(struct drm *drm, struct drm_perfmon *perfmon)
{
    add(drm, perfmon, true);
}

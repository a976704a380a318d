/* SUBMIT: from what the program passed to a job in the queue. Checks and their order: panfrost_drv.c and
 * panfrost_job.c of the kernel. */
#include "drm/panfrost/internal.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_NAMED (1u << 20) /* buffers or sync objects of a submission */

/* Also of a submission that became no job. */
void drm_panfrost_end_job(struct drm_job *job)
{
    drm_job_release(job);
    free(job);
}

/* Numbers that the program points to; NULL when there are none. */
static int take_numbers(const struct drm_user *user, uint64_t from, uint32_t count, uint32_t **out)
{
    void *numbers = NULL;
    int r = count > MOST_NAMED ? -ENOMEM : drm_copy_array(user, &numbers, from, count, sizeof(uint32_t));
    *out = numbers;
    return r;
}

/* Their fences are those of earlier jobs, which are run before; no number is none of an object. */
static int check_syncs(struct drm_file *file, const struct panfrost_submit *args, const struct drm_user *user)
{
    uint32_t *handles;
    int r = take_numbers(user, args->in_syncs, args->in_sync_count, &handles);
    for (uint32_t i = 0; !r && i < args->in_sync_count; i++)
        r = handles[i] ? drm_sync_check(file, handles[i]) : -ENOENT;
    free(handles);
    return r;
}

/* Every buffer counts as written: the kernel's implicit fences do not know better. A buffer must not be named
 * twice. */
static int take_buffers(struct drm_panfrost_job *own, struct drm_file *file, const uint32_t *handles,
                        uint32_t count)
{
    bool twice = false;
    for (uint32_t i = 0; i < count; i++) {
        struct drm_bo *bo = drm_handle_get(file, handles[i]);
        if (!bo)
            return -ENOENT;
        twice |= drm_job_take(&own->job, bo);
        own->job.buffers[i].written = true;
    }
    return twice ? -EALREADY : 0;
}

static int prepare(struct drm_panfrost_job *own, struct drm_file *file, const struct panfrost_submit *args,
                   const struct drm_user *user)
{
    uint32_t *handles = NULL;
    int r = check_syncs(file, args, user);
    if (!r)
        r = take_numbers(user, args->bo_handles, args->bo_handle_count, &handles);
    if (!r && args->bo_handle_count)
        r = drm_job_reserve(&own->job, args->bo_handle_count);
    if (!r)
        r = take_buffers(own, file, handles, args->bo_handle_count);
    free(handles);
    return r;
}

int drm_panfrost_submit(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct panfrost_submit *args = argument;
    if (!args->chain || args->requirements & ~PANFROST_REQUIRE_FRAGMENT)
        return -EINVAL;
    drm_queue_wait_room(file->drm);
    if (args->out_sync && !drm_sync_get(file, args->out_sync))
        return -ENODEV;
    struct drm_panfrost_job *own = calloc(1, sizeof *own);
    if (!own)
        return -ENOMEM;
    drm_job_init(&own->job, file, &drm_panfrost_vm_of(file)->vm);
    own->chain = args->chain;
    own->slot = args->requirements & PANFROST_REQUIRE_FRAGMENT ? 0 : 1;
    int r = prepare(own, file, args, user);
    if (r)
        drm_panfrost_end_job(&own->job);
    else
        drm_job_push(&own->job, args->out_sync ? drm_sync_get(file, args->out_sync) : NULL);
    return r;
}

/* DRM_IOCTL_VC4_SUBMIT_CL: from what the program passed to a job in the queue. */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_BUFFERS (1u << 20)
#define MAX_STREAMS (64u << 20) /* bytes of lists, records and uniforms together */

static int look_up_buffers(struct drm_vc4_exec *exec, const struct drm_user *user)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (!args->bo_handle_count || args->bo_handle_count > MAX_BUFFERS)
        return -EINVAL;
    void *handles = NULL;
    int r = drm_job_reserve(&exec->job, args->bo_handle_count);
    if (!r)
        r = drm_copy_array(user, &handles, args->bo_handles, args->bo_handle_count, sizeof(uint32_t));
    for (uint32_t i = 0; !r && i < args->bo_handle_count; i++) {
        uint32_t handle = ((uint32_t *)handles)[i];
        struct drm_bo *bo = drm_handle_get(exec->job.file, handle);
        if (!bo) {
            drm_vc4_debug(exec, "buffer %u: unknown handle %u", i, handle);
            r = -EINVAL;
        } else if (bo->need != DRM_BO_NEEDED && !bo->users) {
            drm_vc4_debug(exec, "buffer %u was given up by madvise", i);
            r = -EINVAL;
        } else {
            drm_job_take(&exec->job, bo);
        }
    }
    free(handles);
    return r;
}

static int check_sync(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (args->perfmonid && !drm_vc4_perfmon_find(exec->job.file, args->perfmonid))
        return -ENOENT;
    return drm_sync_check(exec->job.file, args->in_sync);
}

/* There is one for each job that the queue takes. */
static void take_room(struct drm_vc4_exec *exec)
{
    struct drm_vc4_room *room = drm_vc4_of(exec->job.drm)->room;
    while (room->taken)
        room++;
    room->taken = true;
    exec->room = room;
}

static int build_lists(struct drm_vc4_exec *exec, const struct drm_user *user)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    uint64_t records_at = util_align(args->bin_cl_size, 16);
    uint64_t uniforms_at = util_align(records_at + args->shader_rec_size, 16);
    uint64_t size = uniforms_at + args->uniforms_size;
    if (size > MAX_STREAMS || args->shader_rec_count > args->shader_rec_size)
        return -EINVAL;
    exec->records_at = (uint32_t)records_at;
    exec->uniforms_at = (uint32_t)uniforms_at;
    exec->out_size = (uint32_t)size;
    /* The copy, what the device reads, and its shader states. */
    int r = drm_job_charge(&exec->job, 2 * size + (args->shader_rec_count + 1ull) * sizeof *exec->states);
    if (r)
        return r;
    void *list = NULL, *records = NULL, *uniforms = NULL;
    r = drm_copy_array(user, &list, args->bin_cl, args->bin_cl_size, 1);
    if (!r)
        r = drm_copy_array(user, &records, args->shader_rec, args->shader_rec_size, 1);
    if (!r)
        r = drm_copy_array(user, &uniforms, args->uniforms, args->uniforms_size, 1);
    exec->list = list;
    exec->records = records;
    exec->uniforms = uniforms;
    exec->out = calloc(1, size);
    exec->states = calloc(args->shader_rec_count + 1ull, sizeof *exec->states);
    if (!r && (!exec->out || !exec->states))
        r = -ENOMEM;
    if (!r)
        r = drm_vc4_reserve(exec, &exec->room->lists, size); /* what the device reads */
    if (r)
        return r;
    exec->out_address = (uint32_t)exec->room->lists->offset;
    r = drm_vc4_validate_list(exec);
    if (!r)
        r = drm_vc4_validate_records(exec);
    if (!r)
        memcpy(drm_bo_bytes(exec->room->lists), exec->out, size);
    return r;
}

/* Also of a submission that became no job. */
static void release(struct drm_vc4_exec *exec)
{
    drm_vc4_free_slots(drm_vc4_of(exec->job.drm), exec->bin_slots);
    if (exec->room)
        exec->room->taken = false;
    drm_job_release(&exec->job);
    drm_vc4_perfmon_put(exec->perfmon);
    free(exec->list);
    free(exec->records);
    free(exec->uniforms);
    free(exec->out);
    free(exec->states);
    free(exec);
}

void drm_vc4_end_job(struct drm_job *job)
{
    struct drm_vc4_exec *exec = (struct drm_vc4_exec *)job;
    drm_vc4_keep_hang(exec);
    drm_vc4_perfmon_add(exec);
    release(exec);
}

int drm_vc4_submit(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_submit_cl *args = argument;
    const uint32_t known = VC4_SUBMIT_CL_USE_CLEAR_COLOR | VC4_SUBMIT_CL_FIXED_RCL_ORDER |
                           VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
    if (args->flags & ~known || args->pad2)
        return -EINVAL;
    drm_queue_wait_room(file->drm);
    struct drm_vc4_exec *exec = calloc(1, sizeof *exec);
    if (!exec)
        return -ENOMEM;
    drm_job_init(&exec->job, file, NULL);
    exec->args = args;
    take_room(exec);
    struct drm_sync *out_sync = args->out_sync ? drm_sync_get(file, args->out_sync) : NULL;
    int r = look_up_buffers(exec, user);
    if (!r)
        r = check_sync(exec);
    if (!r && args->bin_cl_size)
        r = build_lists(exec, user);
    if (!r)
        r = drm_vc4_build_rcl(exec);
    if (!r && args->out_sync && !out_sync)
        r = -EINVAL;
    if (r) {
        release(exec);
        return r;
    }
    exec->perfmon = drm_vc4_perfmon_get(file, args->perfmonid);
    exec->args = NULL;
    args->seqno = drm_job_push(&exec->job, out_sync);
    return 0;
}

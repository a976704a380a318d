/* DRM_IOCTL_VC4_SUBMIT_CL: from what the program passed to a job in the queue. */
#include "drm/vc4.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_BUFFERS (1u << 20)
#define MAX_STREAMS (64u << 20) /* bytes of lists, records and uniforms together */

void drm_vc4_debug(const struct drm_vc4_exec *exec, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    drm_log(exec->drm, "vc4: submission refused: %s", text);
}

struct drm_bo *drm_vc4_use_bo(const struct drm_vc4_exec *exec, uint32_t index)
{
    if (index >= exec->bo_count) {
        drm_vc4_debug(exec, "buffer index %u of %u", index, exec->bo_count);
        return NULL;
    }
    if (drm_vc4_shader_of(exec->bo[index])) {
        drm_vc4_debug(exec, "buffer index %u holds a program", index);
        return NULL;
    }
    return exec->bo[index];
}

static int charge(struct drm_vc4_exec *exec, uint64_t bytes)
{
    int r = drm_charge(exec->drm, DRM_JOB_BYTES, bytes);
    if (!r)
        exec->job.bytes += bytes;
    return r;
}

static int look_up_buffers(struct drm_vc4_exec *exec, const struct drm_user *user)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (!args->bo_handle_count || args->bo_handle_count > MAX_BUFFERS)
        return -EINVAL;
    void *handles = NULL;
    int r = charge(exec, args->bo_handle_count * (uint64_t)sizeof(struct drm_bo *));
    if (!r)
        r = drm_copy_array(user, &handles, args->bo_handles, args->bo_handle_count, sizeof(uint32_t));
    if (r)
        return r;
    exec->bo = calloc(args->bo_handle_count, sizeof(struct drm_bo *));
    if (!exec->bo)
        r = -ENOMEM;
    for (uint32_t i = 0; !r && i < args->bo_handle_count; i++) {
        uint32_t handle = ((uint32_t *)handles)[i];
        struct drm_bo *bo = drm_handle_get(exec->file, handle);
        if (!bo) {
            drm_vc4_debug(exec, "buffer %u: unknown handle %u", i, handle);
            r = -EINVAL;
        } else if (bo->need != DRM_BO_NEEDED && !bo->users) {
            drm_vc4_debug(exec, "buffer %u was given up by madvise", i);
            r = -EINVAL;
        } else {
            exec->bo[exec->bo_count++] = bo;
            bo->users++;
            drm_bo_get(bo);
        }
    }
    free(handles);
    return r;
}

static int check_sync(struct drm_vc4_exec *exec)
{
    const struct drm_vc4_submit_cl *args = exec->args;
    if (args->perfmonid && !drm_vc4_perfmon_find(exec->file, args->perfmonid))
        return -ENOENT;
    if (args->in_sync) {
        const struct drm_sync *sync = drm_sync_get(exec->file, args->in_sync);
        if (!sync)
            return -ENOENT;
        if (!sync->has_fence)
            return -EINVAL; /* what it has is the fence of an earlier job, or signalled */
    }
    return 0;
}

/* There is one for each job that the queue takes. */
static void take_room(struct drm_vc4_exec *exec)
{
    struct drm_vc4_room *room = drm_vc4_of(exec->drm)->room;
    while (room->taken)
        room++;
    room->taken = true;
    exec->room = room;
}

/* The buffer the device reads lists, records and uniforms from. */
static int reserve_lists(struct drm_vc4_exec *exec)
{
    struct drm_bo **lists = &exec->room->lists;
    if (!*lists || (*lists)->size < exec->out_size) {
        drm_bo_put(*lists);
        *lists = NULL;
        int r = drm_bo_create(exec->drm, exec->out_size, GPU_PAGE, DRM_BO_KERNEL, lists);
        if (r)
            return r;
    }
    exec->out_address = (uint32_t)(*lists)->offset;
    return 0;
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
    int r = charge(exec, 2 * size + (args->shader_rec_count + 1ull) * sizeof *exec->states);
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
        r = reserve_lists(exec);
    if (!r)
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
    drm_vc4_free_slots(drm_vc4_of(exec->drm), exec->bin_slots);
    if (exec->room)
        exec->room->taken = false;
    for (uint32_t i = 0; i < exec->bo_count; i++) {
        exec->bo[i]->users--;
        drm_bo_put(exec->bo[i]);
    }
    drm_vc4_perfmon_put(exec->perfmon);
    drm_uncharge(exec->drm, DRM_JOB_BYTES, exec->job.bytes);
    free(exec->bo);
    free(exec->list);
    free(exec->records);
    free(exec->uniforms);
    free(exec->out);
    free(exec->states);
    free(exec);
}

static void done(struct drm_job *job)
{
    struct drm_vc4_exec *exec = (struct drm_vc4_exec *)job;
    drm_vc4_keep_hang(exec);
    drm_vc4_perfmon_add(exec);
    release(exec);
}

static struct drm_bo *buffer(const struct drm_job *job, uint32_t n)
{
    const struct drm_vc4_exec *exec = (const struct drm_vc4_exec *)job;
    return n < exec->bo_count ? exec->bo[n] : NULL;
}

/* Into the queue, with all that can be waited for set to the job's number. */
static void push(struct drm_vc4_exec *exec, struct drm_sync *out_sync)
{
    struct drm *drm = exec->drm;
    struct drm_vc4_submit_cl *args = exec->args;
    bool watched = false;
    for (uint32_t i = 0; i < exec->bo_count; i++)
        watched |= drm_bo_is_watched(exec->bo[i]);
    uint64_t seqno = drm->queue.emitted + 1;
    for (uint32_t i = 0; i < exec->bo_count; i++)
        exec->bo[i]->seqno = seqno;
    struct drm_bo *written[] = {exec->color_write, exec->zs_write, exec->ms_color_write, exec->ms_zs_write};
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(written); i++)
        if (written[i])
            written[i]->write_seqno = seqno;
    if (out_sync) {
        out_sync->has_fence = true;
        out_sync->fence = seqno;
        out_sync->point = 0;
    }
    exec->perfmon = drm_vc4_perfmon_get(exec->file, args->perfmonid);
    exec->job.file = exec->file;
    exec->job.run = drm_vc4_run_job;
    exec->job.done = done;
    exec->job.buffer = buffer;
    exec->file = NULL;
    exec->args = NULL;
    args->seqno = drm_queue_push(drm, &exec->job);
    if (watched)
        drm_fence_wait(drm, seqno);
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
    exec->drm = file->drm;
    exec->file = file;
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
    if (r)
        release(exec);
    else
        push(exec, out_sync);
    return r;
}

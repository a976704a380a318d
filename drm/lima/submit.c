/* GEM_SUBMIT: from what the program passed to a task in the queue. Checks and their order: lima_drv.c and
 * lima_gem.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_BUFFERS (1u << 20)

static uint32_t frame_size(const struct drm *drm, uint32_t pipe)
{
    if (pipe == LIMA_PIPE_GP)
        return sizeof(struct lima_gp_frame);
    return drm_lima_is_450(drm) ? sizeof(struct lima_mali450_frame) : sizeof(struct lima_mali400_frame);
}

/* Also of a submission that became no task: what it holds is given back. */
static void release(struct drm_lima_task *task)
{
    drm_job_release(&task->job);
    drm_lima_context_put(task->context);
    free(task);
}

void drm_lima_end_job(struct drm_job *job)
{
    release((struct drm_lima_task *)job);
}

static int take_frame(struct drm_lima_task *task, const struct lima_gem_submit *args,
                      const struct drm_user *user)
{
    int r = drm_copy_in(user, &task->frame, args->frame, args->frame_size);
    if (r)
        return r;
    return task->pipe == LIMA_PIPE_GP ? drm_lima_gp_check(&task->frame.gp)
                                      : drm_lima_pp_check(task->job.drm, &task->frame);
}

/* A buffer must not be named twice: the kernel cannot lock it a second time. */
static int take_buffers(struct drm_lima_task *task, struct drm_file *file,
                        const struct lima_submit_buffer *named, uint32_t count)
{
    bool twice = false;
    for (uint32_t i = 0; i < count; i++) {
        struct drm_bo *bo = drm_handle_get(file, named[i].handle);
        if (!bo)
            return -ENOENT;
        twice |= drm_job_take(&task->job, bo);
        task->job.buffers[i].written = named[i].flags & LIMA_BUFFER_WRITE;
        if (task->pipe == LIMA_PIPE_GP && !task->heap && bo->kind == DRM_BO_HEAP &&
            task->job.buffers[i].address == task->frame.gp.registers[4])
            task->heap = bo;
    }
    return twice ? -EALREADY : 0;
}

static int prepare(struct drm_lima_task *task, struct drm_file *file, const struct lima_gem_submit *args,
                   const struct drm_user *user)
{
    void *named = NULL;
    if (args->buffer_count > MAX_BUFFERS)
        return -ENOMEM;
    int r = drm_job_reserve(&task->job, args->buffer_count);
    if (!r)
        r = drm_copy_array(user, &named, args->buffers, args->buffer_count,
                           sizeof(struct lima_submit_buffer));
    if (!r)
        r = take_frame(task, args, user);
    if (!r && !(task->context = drm_lima_context_get(file, args->context)))
        r = -ENOENT;
    if (!r && args->out_sync && !drm_sync_get(file, args->out_sync))
        r = -ENOENT;
    if (!r)
        r = take_buffers(task, file, named, args->buffer_count);
    for (unsigned i = 0; !r && i < UTIL_ARRAY_SIZE(args->in_sync); i++)
        r = drm_sync_check(file, args->in_sync[i]);
    free(named);
    return r;
}

int drm_lima_submit(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct lima_gem_submit *args = argument;
    if (args->pipe >= LIMA_PIPES || !args->buffer_count || args->flags & ~LIMA_SUBMIT_EXPLICIT ||
        args->frame_size != frame_size(file->drm, args->pipe))
        return -EINVAL;
    drm_queue_wait_room(file->drm);
    struct drm_lima_task *task = calloc(1, sizeof *task);
    if (!task)
        return -ENOMEM;
    drm_job_init(&task->job, file, &drm_lima_file_of(file)->vm->vm);
    task->pipe = args->pipe;
    int r = prepare(task, file, args, user);
    if (r)
        release(task);
    else
        drm_job_push(&task->job, args->out_sync ? drm_sync_get(file, args->out_sync) : NULL);
    return r;
}

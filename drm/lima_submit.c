/* GEM_SUBMIT: from what the program passed to a task in the queue. Checks and their order: lima_drv.c and
 * lima_gem.c of the kernel. */
#include "drm/lima.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_BUFFERS (1u << 20)

uint32_t drm_lima_frame_size(const struct drm *drm, uint32_t pipe)
{
    if (pipe == LIMA_PIPE_GP)
        return sizeof(struct lima_gp_frame);
    return drm_lima_is_450(drm) ? sizeof(struct lima_mali450_frame) : sizeof(struct lima_mali400_frame);
}

/* Also of a submission that became no task: what it holds is given back. */
static void release(struct drm_lima_task *task)
{
    for (uint32_t i = 0; i < task->use_count; i++) {
        struct drm_bo *bo = task->use[i].bo;
        drm_lima_unmap(task->vm, bo);
        bo->users--;
        drm_bo_put(bo);
    }
    if (task->context)
        drm_lima_context_put(task->context);
    drm_lima_vm_put(task->vm);
    drm_uncharge(task->drm, DRM_JOB_BYTES, task->job.bytes);
    free(task->use);
    free(task);
}

static void done(struct drm_job *job)
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
                                      : drm_lima_pp_check(task->drm, &task->frame);
}

static int take_context(struct drm_lima_task *task, struct drm_file *file, uint32_t number)
{
    task->context = drm_ids_get(&drm_lima_file_of(file)->contexts, number + 1);
    if (!task->context)
        return -ENOENT;
    task->context->refs++;
    return 0;
}

/* A buffer must not be named twice: the kernel cannot lock it a second time. */
static int take_buffers(struct drm_lima_task *task, struct drm_file *file,
                        const struct lima_submit_buffer *named, uint32_t count)
{
    uint64_t number = ++drm_lima_of(task->drm)->submissions;
    bool twice = false;
    for (uint32_t i = 0; i < count; i++) {
        struct drm_bo *bo = drm_handle_get(file, named[i].handle);
        if (!bo)
            return -ENOENT;
        struct drm_lima_mapping *mapping = drm_lima_mapping_find(task->vm, bo);
        struct drm_lima_bo *own = bo->own;
        twice |= own->submission == number;
        own->submission = number;
        mapping->refs++;
        bo->users++;
        drm_bo_get(bo);
        task->use[task->use_count++] = (struct drm_lima_use){bo, mapping->address, named[i].flags};
        if (task->pipe == LIMA_PIPE_GP && !task->heap && bo->kind == DRM_BO_HEAP &&
            mapping->address == task->frame.gp.registers[4])
            task->heap = bo;
    }
    return twice ? -EALREADY : 0;
}

/* Fences are those of earlier tasks, which are run before. */
static int check_sync(struct drm_file *file, const struct lima_gem_submit *args)
{
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(args->in_sync); i++) {
        if (!args->in_sync[i])
            continue;
        const struct drm_sync *sync = drm_sync_get(file, args->in_sync[i]);
        if (!sync)
            return -ENOENT;
        if (!sync->has_fence)
            return -EINVAL;
    }
    return 0;
}

static int prepare(struct drm_lima_task *task, struct drm_file *file, const struct lima_gem_submit *args,
                   const struct drm_user *user)
{
    void *named = NULL;
    uint64_t bytes = args->buffer_count * (uint64_t)sizeof *task->use;
    if (args->buffer_count > MAX_BUFFERS)
        return -ENOMEM;
    int r = drm_charge(task->drm, DRM_JOB_BYTES, bytes);
    if (r)
        return r;
    task->job.bytes = bytes;
    r = drm_copy_array(user, &named, args->buffers, args->buffer_count, sizeof(struct lima_submit_buffer));
    if (!r)
        r = take_frame(task, args, user);
    if (!r)
        r = take_context(task, file, args->context);
    if (!r && args->out_sync && !drm_sync_get(file, args->out_sync))
        r = -ENOENT;
    if (!r && !(task->use = calloc(args->buffer_count, sizeof *task->use)))
        r = -ENOMEM;
    if (!r)
        r = take_buffers(task, file, named, args->buffer_count);
    if (!r)
        r = check_sync(file, args);
    free(named);
    return r;
}

static struct drm_bo *buffer(const struct drm_job *job, uint32_t n)
{
    const struct drm_lima_task *task = (const struct drm_lima_task *)job;
    return n < task->use_count ? task->use[n].bo : NULL;
}

/* Into the queue, with all that can be waited for set to the task's number. */
static void push(struct drm_lima_task *task, struct drm_file *file, struct drm_sync *out_sync)
{
    struct drm *drm = task->drm;
    uint64_t seqno = drm->queue.emitted + 1;
    bool watched = false;
    for (uint32_t i = 0; i < task->use_count; i++) {
        struct drm_bo *bo = task->use[i].bo;
        watched |= drm_bo_is_watched(bo);
        bo->seqno = seqno;
        if (task->use[i].flags & LIMA_BUFFER_WRITE)
            bo->write_seqno = seqno;
    }
    if (out_sync) {
        out_sync->has_fence = true;
        out_sync->fence = seqno;
        out_sync->point = 0;
    }
    task->job.file = file;
    task->job.run = drm_lima_run;
    task->job.done = done;
    task->job.buffer = buffer;
    drm_queue_push(drm, &task->job);
    if (watched)
        drm_fence_wait(drm, seqno);
}

int drm_lima_submit(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct lima_gem_submit *args = argument;
    if (args->pipe >= LIMA_PIPES || !args->buffer_count || args->flags & ~LIMA_SUBMIT_EXPLICIT ||
        args->frame_size != drm_lima_frame_size(file->drm, args->pipe))
        return -EINVAL;
    drm_queue_wait_room(file->drm);
    struct drm_lima_task *task = calloc(1, sizeof *task);
    if (!task)
        return -ENOMEM;
    task->drm = file->drm;
    task->pipe = args->pipe;
    task->vm = drm_lima_file_of(file)->vm;
    task->vm->refs++;
    int r = prepare(task, file, args, user);
    if (r)
        release(task);
    else
        push(task, file, args->out_sync ? drm_sync_get(file, args->out_sync) : NULL);
    return r;
}

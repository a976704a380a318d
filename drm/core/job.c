/* What every driver keeps of a submission: buffers, charges, what can be waited for, and their recording. */
#include "drm/core/job.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/syncobj.h"
#include "drm/core/vm.h"

void drm_job_init(struct drm_job *job, struct drm_file *file, struct drm_vm *vm)
{
    job->drm = file->drm;
    job->file = file;
    job->submission = ++file->drm->submissions;
    job->vm = vm;
    if (vm)
        drm_vm_get(vm);
}

int drm_job_charge(struct drm_job *job, uint64_t bytes)
{
    int r = drm_charge(job->drm, DRM_JOB_BYTES, bytes);
    if (!r)
        job->bytes += bytes;
    return r;
}

int drm_job_reserve(struct drm_job *job, uint32_t count)
{
    int r = drm_job_charge(job, count * (uint64_t)sizeof *job->buffers);
    if (!r && !(job->buffers = calloc(count, sizeof *job->buffers)))
        r = -ENOMEM;
    return r;
}

bool drm_job_take(struct drm_job *job, struct drm_bo *bo)
{
    bool twice = bo->submission == job->submission;
    struct drm_job_buffer *buffer = &job->buffers[job->buffer_count++];
    buffer->bo = bo;
    bo->submission = job->submission;
    bo->users++;
    drm_bo_get(bo);
    if (job->vm) {
        struct drm_mapping *mapping = drm_vm_find(job->vm, bo);
        mapping->refs++;
        buffer->address = mapping->address;
    }
    return twice;
}

void drm_job_release(struct drm_job *job)
{
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        struct drm_bo *bo = job->buffers[i].bo;
        if (job->vm)
            drm_vm_unmap(job->vm, bo);
        bo->users--;
        drm_bo_put(bo);
    }
    free(job->buffers);
    drm_vm_put(job->vm);
    drm_uncharge(job->drm, DRM_JOB_BYTES, job->bytes);
}

uint64_t drm_job_push(struct drm_job *job, struct drm_sync *out_sync)
{
    struct drm *drm = job->drm;
    uint64_t seqno = drm->queue.emitted + 1;
    bool watched = false;
    for (uint32_t i = 0; i < job->buffer_count; i++)
        watched |= drm_bo_is_watched(job->buffers[i].bo);
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        struct drm_bo *bo = job->buffers[i].bo;
        bo->seqno = seqno;
        if (job->buffers[i].written)
            bo->write_seqno = seqno;
    }
    if (out_sync)
        drm_sync_set_fence(out_sync, seqno);
    drm_queue_push(drm, job);
    if (drm->queue.asynchronous) /* else it has been run, and is gone */
        drm_abandon_late(drm, job);
    if (watched)
        drm_fence_wait(drm, seqno);
    return seqno;
}

/* Drivers name what has to be waited for; the GPU reaches all that stands in the job's space (panfrost does not
 * name the states of its reloads). */
void drm_job_record_buffers(const struct drm_job *job)
{
    for (uint32_t i = 0; !job->vm && i < job->buffer_count; i++)
        drm_bo_record(job->buffers[i].bo);
    for (const struct drm_bo *bo = job->vm ? job->drm->bos : NULL; bo; bo = bo->next)
        if (bo->need != DRM_BO_PURGED && drm_vm_find(job->vm, bo))
            drm_bo_record(bo);
}

void drm_job_record_end(const struct drm_job *job, bool frame)
{
    const struct drm *drm = job->drm;
    struct capture_frame drawn;
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const struct drm_bo *bo = job->buffers[i].bo;
        if (job->buffers[i].written)
            capture_note_device_write(drm->options.capture, drm->memory, bo->offset, drm_bo_backed(bo));
    }
    if (frame && gpu_host_frame(drm->options.gpu.host, &drawn))
        capture_write_frame(drm->options.capture, &drawn);
    capture_flush(drm->options.capture);
    if (frame)
        capture_offer_restart(drm->options.capture, drm->memory);
}

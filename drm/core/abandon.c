/* Jobs that nobody wants: those of a file that nobody uses, as far as nobody else can see what they do. */
#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/export.h"
#include "drm/core/job.h"

/* Says of every buffer how many handles the file has to it. A program may have named very many, so each is
 * looked at once. The card is locked. */
static void count_handles(struct drm *drm, const struct drm_file *file)
{
    for (struct drm_bo *bo = drm->bos; bo; bo = bo->next)
        bo->counted = 0;
    for (uint32_t i = 1; i < file->handles.count; i++)
        if (file->handles.slot[i])
            ((struct drm_bo *)file->handles.slot[i])->counted++;
    drm_export_reap(drm, false);
    drm->display->count_shown(drm, file);
}

/* Whether somebody else than the file, whose handles were counted, can see what the job does. */
static bool is_wanted(struct drm *drm, const struct drm_job *job)
{
    if (job->seqno <= drm->display->awaits(drm))
        return true;
    for (uint32_t n = 0; n < job->buffer_count; n++) {
        const struct drm_bo *bo = job->buffers[n].bo;
        if (bo->exported || bo->handles != bo->counted)
            return true;
    }
    return false;
}

static void cancel_unwanted(struct drm *drm, struct drm_job *job, const struct drm_file *file)
{
    if (job->file != file || is_wanted(drm, job))
        return;
    pthread_mutex_lock(&drm->queue.stop_lock);
    drm_job_cancel(drm, job);
    pthread_mutex_unlock(&drm->queue.stop_lock);
}

void drm_abandon_late(struct drm *drm, struct drm_job *job)
{
    const struct drm_file *file = job->file;
    pthread_mutex_lock(&drm->queue.stop_lock);
    const bool late = file && file->abandoned;
    pthread_mutex_unlock(&drm->queue.stop_lock);
    if (!late)
        return;
    count_handles(drm, file);
    cancel_unwanted(drm, job, file);
}

/* Jobs that run inside their submits do so with the card locked: there is one at most, and nobody else has
 * been told of it. */
void drm_abandon(struct drm_file *file)
{
    if (!file)
        return;
    struct drm *drm = file->drm;
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    file->abandoned = true;
    if (!q->asynchronous && q->running && q->running->file == file)
        drm_job_cancel(drm, q->running);
    pthread_mutex_unlock(&q->stop_lock);
    if (!q->asynchronous)
        return;
    pthread_mutex_lock(&drm->lock);
    if (q->count)
        count_handles(drm, file);
    if (q->running)
        cancel_unwanted(drm, q->running, file);
    for (struct drm_job *job = q->first; job; job = job->next)
        cancel_unwanted(drm, job, file);
    pthread_mutex_unlock(&drm->lock);
}

/* Jobs in the order they were submitted, run one at a time by whoever has time. */
#include "drm/core/queue.h"

#include <time.h>

#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/job.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t drm_queue_busy(const struct drm *drm)
{
    const struct drm_queue *q = &drm->queue;
    return q->busy + (q->running ? now_ns() - q->began : 0);
}

/* A job that was run; the card is locked. */
static void finish(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    uint64_t seqno = job->seqno;
    drm->driver->end_job(job);
    q->count--;
    drm_timeline_reach(drm, seqno);
    drm->display->jobs_done(drm);
    pthread_cond_broadcast(&q->changed);
}

/* Puts a job on the device, or takes it away; whether it is to be run. */
static bool set_running(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    if (job)
        job->cancelled |= q->stopped || (job->file && job->file->abandoned && !q->asynchronous);
    q->running = job;
    bool goes = job && !job->cancelled;
    gpu_host_cancel(drm->options.gpu.host, false);
    pthread_mutex_unlock(&q->stop_lock);
    return goes;
}

/* Runs the next job; the card is locked before and after. */
static void run_next(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    struct drm_job *job = q->first;
    q->first = job->next;
    bool goes = set_running(drm, job);
    q->began = now_ns();
    if (q->asynchronous)
        pthread_mutex_unlock(&drm->lock);
    if (goes)
        drm->driver->run_job(job);
    if (q->asynchronous)
        pthread_mutex_lock(&drm->lock);
    q->busy = drm_queue_busy(drm);
    set_running(drm, NULL);
    finish(drm, job);
}

/* Until something has changed. Whoever waits works, when nobody does. */
static void wait_change(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    if (q->first && !q->running)
        run_next(drm);
    else
        pthread_cond_wait(&q->changed, &drm->lock);
}

bool drm_has_work(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    bool has = drm->queue.first && !drm->queue.running;
    pthread_mutex_unlock(&drm->lock);
    return has;
}

bool drm_is_busy(struct drm *drm)
{
    pthread_mutex_lock(&drm->lock);
    bool busy = drm->queue.running != NULL;
    pthread_mutex_unlock(&drm->lock);
    return busy;
}

bool drm_work(struct drm *drm)
{
    bool worked = false;
    pthread_mutex_lock(&drm->lock);
    uint64_t last = drm->queue.emitted; /* not for ever, when others submit all the time */
    for (; drm->queue.first && drm->queue.first->seqno <= last && !drm->queue.running; worked = true)
        run_next(drm);
    pthread_mutex_unlock(&drm->lock);
    return worked;
}

void drm_fence_wait(struct drm *drm, uint64_t fence)
{
    while (!drm_fence_done(drm, fence) && fence <= drm->queue.emitted)
        wait_change(drm);
}

void drm_queue_wait_room(struct drm *drm)
{
    while (drm->queue.count >= DRM_QUEUE_DEPTH)
        wait_change(drm);
}

void drm_queue_wait_idle(struct drm *drm)
{
    while (drm->queue.count)
        wait_change(drm);
}

uint64_t drm_queue_push(struct drm *drm, struct drm_job *job)
{
    struct drm_queue *q = &drm->queue;
    uint64_t seqno = job->seqno = ++q->emitted;
    struct drm_job **last = &q->first;
    while (*last)
        last = &(*last)->next;
    job->next = NULL;
    *last = job;
    q->count++;
    if (!q->asynchronous)
        run_next(drm);
    return seqno;
}

/* ---- jobs that nobody wants ---- */

void drm_job_cancel(struct drm *drm, struct drm_job *job)
{
    if (drm->options.capture)
        return;
    __atomic_store_n(&job->cancelled, true, __ATOMIC_RELAXED); /* whoever runs it looks at it */
    if (job == drm->queue.running)
        gpu_host_cancel(drm->options.gpu.host, true);
}

bool drm_job_cancelled(const struct drm_job *job)
{
    return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED);
}

void drm_cancel(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    q->stopped = !drm->options.capture;
    if (q->running)
        drm_job_cancel(drm, q->running);
    pthread_mutex_unlock(&q->stop_lock);
}

void drm_queue_close_file(struct drm *drm, const struct drm_file *file)
{
    struct drm_queue *q = &drm->queue;
    pthread_mutex_lock(&q->stop_lock);
    if (q->running && q->running->file == file)
        q->running->file = NULL;
    for (struct drm_job *job = q->first; job; job = job->next)
        if (job->file == file)
            job->file = NULL;
    pthread_mutex_unlock(&q->stop_lock);
}

void drm_queue_init(struct drm *drm, bool asynchronous)
{
    struct drm_queue *q = &drm->queue;
    q->asynchronous = asynchronous;
    pthread_cond_init(&q->changed, NULL);
    pthread_mutex_init(&q->stop_lock, NULL);
}

void drm_queue_finish(struct drm *drm)
{
    struct drm_queue *q = &drm->queue;
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->stop_lock);
}

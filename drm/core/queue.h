/* Jobs in the order they were submitted, run one at a time by whoever has time. */
#ifndef VITRAIL_DRM_CORE_QUEUE_H
#define VITRAIL_DRM_CORE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct drm;
struct drm_file;
struct drm_job;

#define DRM_QUEUE_DEPTH 8u /* jobs that may be waiting or running; then submits wait */

struct drm_queue {
    uint64_t emitted;      /* the last job's number */
    struct drm_job *first; /* waiting */
    uint32_t count;        /* waiting or running */
    bool asynchronous;
    struct drm_job *running;   /* somebody runs it; changes under stop_lock too */
    pthread_mutex_t stop_lock; /* of what cancels jobs; taken last, and never held while one runs */
    bool stopped;              /* all are cancelled; under stop_lock */
    uint64_t began, busy;   /* ns: when the one that runs was put on the device; how long others were there */
    pthread_cond_t changed; /* a job is done */
};

void drm_queue_init(struct drm *drm, bool asynchronous);
void drm_queue_finish(struct drm *drm);
/* Until a job can be pushed without waiting. Unlocks the card meanwhile: look things up afterwards. */
void drm_queue_wait_room(struct drm *drm);
/* Until no job waits or runs: as long as the card stays locked, the device is the caller's. Unlocks it
 * meanwhile. */
void drm_queue_wait_idle(struct drm *drm);
/* Takes the job over; returns its number. Unless the queue is asynchronous, it is done when this returns. */
uint64_t drm_queue_push(struct drm *drm, struct drm_job *job);
/* Until the fence is signalled; at once when no such job was submitted. Unlocks the card meanwhile. */
void drm_fence_wait(struct drm *drm, uint64_t fence);

/* ns that jobs were on the device until now. */
uint64_t drm_queue_busy(const struct drm *drm);

/* Breaks a job off, or has it not begun: not while recording, as a capture has whole jobs. The queue's
 * stop_lock is held. */
void drm_job_cancel(struct drm *drm, struct drm_job *job);
/* Whether the one that runs is cancelled: what goes wrong with it is not told. */
bool drm_job_cancelled(const struct drm_job *job);
void drm_queue_close_file(struct drm *drm, const struct drm_file *file); /* its jobs are nobody's now */

#endif

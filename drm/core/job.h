/* A submission, and the job that becomes of it: what every driver keeps of it. A driver's own job begins with
 * this. */
#ifndef VITRAIL_DRM_CORE_JOB_H
#define VITRAIL_DRM_CORE_JOB_H

#include <stdbool.h>
#include <stdint.h>

struct drm;
struct drm_bo;
struct drm_sync;
struct drm_vm;

struct drm_job_buffer {
    struct drm_bo *bo; /* a reference */
    uint64_t address;  /* in the job's space; 0 without one */
    bool written;      /* by the job */
};

struct drm_job {
    struct drm_job *next;
    struct drm *drm;
    uint64_t seqno;
    struct drm_file *file; /* whose it is; NULL once that is closed */
    struct drm_vm *vm;     /* a reference: the space it runs in; NULL: the GPU has no MMU */
    uint64_t submission;   /* its number among submissions, of which not all become jobs */
    uint64_t bytes;        /* charged for what it keeps of its submission */
    struct drm_job_buffer *buffers;
    uint32_t buffer_count;
    bool cancelled; /* not to be run, or to be broken off; under the queue's stop_lock */
};

/* A submission on its way, all zero before. The card is locked. */
void drm_job_init(struct drm_job *job, struct drm_file *file, struct drm_vm *vm); /* vm: NULL is accepted */
int drm_job_charge(struct drm_job *job, uint64_t bytes);                          /* for copies. 0, -ENOMEM */
int drm_job_reserve(struct drm_job *job, uint32_t count); /* room for so many buffers. 0, -ENOMEM */
/* The next of them: it is kept, not purged, and stays where it is in the job's space, in which it must be.
 * Whether this submission took it before: kernels cannot lock a buffer twice. */
bool drm_job_take(struct drm_job *job, struct drm_bo *bo);
/* Into the queue, with all that can be waited for - buffers, `out_sync`, or NULL - set to the job's number,
 * which it returns. It is the queue's from now on, and may be gone already. */
uint64_t drm_job_push(struct drm_job *job, struct drm_sync *out_sync);
/* A job that has come into an asynchronous queue: of a file that was abandoned while its submission was under way, it is not run
 * unless somebody else wants it. The card is locked. */
void drm_abandon_late(struct drm *drm, struct drm_job *job);
/* Gives back what it holds, also of a submission that became no job; the job's memory is the driver's. */
void drm_job_release(struct drm_job *job);

/* While recording, before and after a job is run: what it may read, its buffers or all of its space; what it wrote, then the frame that the device
 * says it drew, when `frame`. */
void drm_job_record_buffers(const struct drm_job *job);
void drm_job_record_end(const struct drm_job *job, bool frame);

#endif

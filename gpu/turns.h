/* A device's registers while it works, for hosts whose processors must not wait for a picture.
 *
 * Without turns (host->turns is NULL) one thread at a time uses a device, and a write that starts work returns when it
 * is done. With turns, work is done by one thread, the worker (gpu_device_work); others access registers under the
 * lock that the turns take, and only mark what is to be done. The worker has the lock, too, but while a unit of the
 * device is at a job: it leaves the registers (gpu_turns_leave) and comes back with what the job came to
 * (gpu_turns_enter). Meanwhile a unit's registers read as they were when the job began, where the family does not say
 * better; a write that would disturb the job is posted: it is made, in its order, once the worker is back. Who resets
 * a unit that works has its job cancelled.
 *
 * All functions but gpu_turns_* of the worker are called with the lock held. */
#ifndef VITRAIL_GPU_TURNS_H
#define VITRAIL_GPU_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_host;
struct gpu_device;

struct gpu_turns {
    void (*leave)(void *data); /* gives the lock back; tells of interrupt lines that changed */
    void (*enter)(void *data);
    /* With the lock, which is released meanwhile: until a register was written. False: nobody will write any more, the
     * device is about to be destroyed or reset. */
    bool (*wait)(void *data);
    void *data;
};

/* When a write may be made. */
enum gpu_when {
    GPU_WRITE_NOW,    /* whatever the device does */
    GPU_WRITE_IDLE,   /* no unit is at a job, and no earlier write is posted */
    GPU_WRITE_POSTED, /* by the worker only */
    GPU_WRITE_CANCELS /* as GPU_WRITE_IDLE; the job at hand is cancelled */
};

/* What is to be done. */
enum gpu_due {
    GPU_DUE_NOTHING,
    GPU_DUE_LATER, /* what may be joined by what the host starts next: once it has started nothing for a while */
    GPU_DUE_NOW
};

#define GPU_POSTED_MOST 1024u /* writes that wait; further ones are dropped, which is a guest fault */

struct gpu_posted {
    uint32_t offset, value;
};

/* Whether the caller may do work: always without turns, else as the worker that is not at a job. */
bool gpu_turns_may_work(const struct gpu_host *host);
/* Of the worker: whether it goes on to another job, rather than look for posted writes or give up. */
bool gpu_turns_goes_on(const struct gpu_host *host);
/* Jobs are given up: the one at hand is cancelled, and gpu_device_work returns when it has ended. For good. */
void gpu_turns_stop(struct gpu_host *host);
/* Of the worker: unit `unit` (0..31, the family's) begins a job; ends it. Nothing without turns. */
void gpu_turns_leave(struct gpu_host *host, unsigned unit);
void gpu_turns_enter(struct gpu_host *host, unsigned unit);
/* Of the worker amid a job: to change registers for a moment, and back. Nothing without turns. */
void gpu_turns_pause(struct gpu_host *host);
void gpu_turns_resume(struct gpu_host *host);
/* The next posted write, of the worker, who looks for one before each job. */
bool gpu_turns_next(struct gpu_host *host, struct gpu_posted *out);
/* The value that a register will have once what is posted has been written; false: nothing is. */
bool gpu_turns_find(const struct gpu_host *host, uint32_t offset, uint32_t *value);

/* A register write of any thread: made or posted. */
void gpu_device_post(const struct gpu_device *gpu, uint32_t offset, uint32_t value);

#endif

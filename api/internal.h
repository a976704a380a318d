/* What the files of api/ share: contexts and captures inside, the table of GPUs, the ABI's structures. Not
 * for users: theirs is include/vitrail.h. */
#ifndef VITRAIL_API_INTERNAL_H
#define VITRAIL_API_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/capture.h"
#include "gpu/families.h"
#include "gpu/memory.h"
#include "jit/engine.h"
#include "util/pool.h"
#include "vitrail.h"

/* ---- errors (error.c) ---- */

/* Keeps a printf-style message for vitrail_last_error, and for the log of `context` (or NULL), which api_leave or
 * api_log_failure gives it to; returns `code`. */
int api_fail(struct vitrail_context *context, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the words of a lower layer, or those of the code when it left none. */
int api_fail_error(struct vitrail_context *context, int code, const char *what,
                   const struct util_error *error);
/* To the context's log, unless that is what is running. */
void api_log(struct vitrail_context *context, int level, const char *text);
void api_log_failure(struct vitrail_context *context);      /* without the lock */
bool api_is_logging(const struct vitrail_context *context); /* whether the calling thread is inside of that */

/* ---- structures that grow (error.c) ---- */

/* A caller's structure begins with its size. The smallest size that ever was is `first`: a later version that
 * adds a field keeps the number that was sizeof before. */
/* Output: `from` into `to` as far as the caller knows it, the rest cleared; to->size stays. 0 or -EINVAL. */
int api_give(void *to, const void *from, size_t known, size_t first);
/* Input: `from` into `to`, fields the caller does not know keep what `to` has. 0; -EINVAL; -E2BIG: fields
 * that this library does not know are in use. */
int api_take(void *to, const void *from, size_t known, size_t first);

/* ---- one thread at a time: captures (enter.c) ---- */

struct api_guard {
    atomic_uintptr_t owner; /* which thread is inside; 0: none */
    unsigned depth;         /* calls of that thread */
};
/* 0, or -EBUSY: another thread is inside, or this one is and `outermost` calls must not be nested. */
int api_guard_enter(struct api_guard *guard, bool outermost);
void api_guard_leave(struct api_guard *guard);

/* ---- contexts ---- */

#define API_FAULTS_MAX 64u

/* Two threads of a context's own: the worker runs the device (worker.c), the teller calls the embedder with lines that
 * changed and faults to be logged (tell.c), so that neither work nor a reset ever waits for the embedder. */
struct vitrail_context {
    const struct gpu_info *gpu;
    struct vitrail_config config; /* its pointers are not kept, but for log and log_data */
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;

    pthread_mutex_t
        lock; /* of all that follows, and of the device's registers (gpu/turns.h); never held in callbacks */
    pthread_cond_t wake, changed, told_of; /* for the worker; for who waits; for the teller */
    pthread_t worker, teller;
    bool threads_made, quit;
    struct gpu_device device; /* all zero after a reset that failed */
    struct gpu_turns turns;
    bool working;     /* the worker is inside of the device */
    bool resting;     /* amid a job, which waits for the host */
    bool stopping;    /* jobs are given up, for a reset or the end */
    unsigned hurry;   /* calls that wait: what may be joined runs now */
    uint64_t written; /* registers, so far */
    unsigned inside;  /* calls that sleep inside, or play */
    uintptr_t player; /* the thread that plays a capture and so has the device for itself; 0: none */

    vitrail_irq_fn irq;
    void *irq_data;
    uint32_t told;                   /* lines that are high as the embedder knows */
    uint32_t missed;                 /* lines that were otherwise while it was being told */
    uintptr_t telling;               /* the thread inside of the callback; 0: none */
    struct vitrail_capture *playing; /* answers interrupts */
    struct gpu_fault faults[API_FAULTS_MAX];
    unsigned fault_count;
    uint64_t fault_total;
};

uintptr_t api_me(void); /* a number of the calling thread; not 0 (error.c) */

/* ---- who is inside (enter.c) ---- */

/* Whether this thread is in a callback, which comes from one that a call that sleeps would wait for. */
bool api_is_callback(const struct vitrail_context *context);

/* Begins a call: -EINVAL, -EBUSY, -ENODEV with the message kept, or 0: the lock is held, and api_leave must follow,
 * which also wakes the worker and tells of lines that changed. */
int api_enter(struct vitrail_context *context);
void api_leave(struct vitrail_context *context);
/* The same of calls that sleep or take the device: besides -EBUSY from a callback. */
int api_enter_outermost(struct vitrail_context *context);

/* ---- the worker (worker.c); with the lock ---- */

int api_threads_create(struct vitrail_context *context);   /* 0 or -errno */
void api_threads_destroy(struct vitrail_context *context); /* jobs are given up; without the lock */
/* Releases the lock meanwhile. Until nothing can run any more but by the host's doing, and all is told. */
void api_wait(struct vitrail_context *context);
/* Gives up jobs; the worker stays out of the device until api_go_on. */
void api_stop(struct vitrail_context *context);
void api_go_on(struct vitrail_context *context);
/* The same as api_wait, but that nobody need be told: callbacks may be under way. */
void api_wait_for_jobs(struct vitrail_context *context);
/* A device as after power-on, without kept faults; of a context that is stopped. 0 or the error, already kept. */
int api_renew_device(struct vitrail_context *context);
/* A register write of the embedder's. */
void api_write(struct vitrail_context *context, uint32_t offset, uint32_t value);

/* ---- the embedder is told (tell.c); with the lock, which is released for callbacks ---- */

bool api_untold(const struct vitrail_context *context);
/* Lines are looked at while a thread is in a callback: it will tell of those that have changed, even if they change back. */
void api_note_missed(struct vitrail_context *context);
void api_tell(struct vitrail_context *context);
/* Faults of the device become the context's, and lines of the log. */
void api_fetch_faults(struct vitrail_context *context);

/* ---- frames (frame.c) ---- */

void api_frame_out(const struct capture_frame *frame, struct vitrail_frame *out);

#endif

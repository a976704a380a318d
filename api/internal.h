/* What the files of api/ share: contexts and captures inside, the table of GPUs, the ABI's structures. Not
 * for users: theirs is include/vitrail.h. */
#ifndef VITRAIL_API_INTERNAL_H
#define VITRAIL_API_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/capture.h"
#include "gpu/families.h"
#include "gpu/memory.h"
#include "jit/engine.h"
#include "util/pool.h"
#include "vitrail.h"

/* ---- errors (error.c) ---- */

/* Keeps a printf-style message for vitrail_last_error, gives it to the log of `context` (or NULL), and
 * returns `code`. */
int api_fail(struct vitrail_context *context, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with the words of a lower layer, or those of the code when it left none. */
int api_fail_error(struct vitrail_context *context, int code, const char *what,
                   const struct util_error *error);
/* To the context's log, unless that is what is running. */
void api_log(struct vitrail_context *context, int level, const char *text);

/* ---- structures that grow (error.c) ---- */

/* A caller's structure begins with its size. The smallest size that ever was is `first`: a later version that
 * adds a field keeps the number that was sizeof before. */
/* Output: `from` into `to` as far as the caller knows it, the rest cleared; to->size stays. 0 or -EINVAL. */
int api_give(void *to, const void *from, size_t known, size_t first);
/* Input: `from` into `to`, fields the caller does not know keep what `to` has. 0; -EINVAL; -E2BIG: fields
 * that this library does not know are in use. */
int api_take(void *to, const void *from, size_t known, size_t first);

/* ---- one thread at a time (context.c) ---- */

struct api_guard {
    atomic_uintptr_t owner; /* which thread is inside; 0: none */
    unsigned depth;         /* calls of that thread */
};
/* 0, or -EBUSY: another thread is inside, or this one is and `outermost` calls must not be nested. */
int api_guard_enter(struct api_guard *guard, bool outermost);
void api_guard_leave(struct api_guard *guard);

/* ---- contexts ---- */

#define API_FAULTS_MAX 64u

struct vitrail_context {
    struct api_guard guard;
    const struct gpu_info *gpu;
    struct vitrail_config config; /* its pointers are not kept, but for log and log_data */
    struct gpu_memory memory;
    struct util_pool *pool;
    struct jit_engine *engine;
    struct gpu_device device; /* all zero after a reset that failed */
    vitrail_irq_fn irq;
    void *irq_data;
    bool irq_high;                   /* the embedder was told so */
    bool logging;                    /* inside the log callback */
    struct vitrail_capture *playing; /* answers interrupts, by: */
    void (*answer)(struct vitrail_capture *capture, struct vitrail_context *context, uint32_t pending);
    struct gpu_fault faults[API_FAULTS_MAX];
    unsigned fault_count;
    uint64_t fault_total;
};

/* Begins a call: -EINVAL, -EBUSY, -ENODEV with the message kept, or 0, and then api_leave must follow. */
int api_enter(struct vitrail_context *context, bool outermost);
void api_leave(struct vitrail_context *context);

/* ---- the device was let run (follow.c) ---- */

/* The device's interrupt callback. */
void api_interrupt(void *context, uint32_t pending);
/* After the device was let run: faults are fetched and logged; the device tells when its line rises, that it
 * fell is told here. */
void api_follow(struct vitrail_context *context);
/* A register write with all that follows it. */
void api_write(struct vitrail_context *context, uint32_t offset, uint32_t value);

/* ---- frames (frame.c) ---- */

void api_frame_out(const struct capture_frame *frame, struct vitrail_frame *out);

#endif

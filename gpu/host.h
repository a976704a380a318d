/* A device's host as the device keeps it, whatever the family: who listens to its interrupt line, guest
 * faults not read yet, the picture stored last, work done. A part of each device (struct gpu_device's
 * `host`).
 *
 * Threading: gpu_host_fault, gpu_host_frame, gpu_host_set_frame and gpu_host_cancel may be called by any thread at any time, gpu_host_cancelled
 * by those at work on a job. */
#ifndef VITRAIL_GPU_HOST_H
#define VITRAIL_GPU_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/capture.h"
#include "gpu/fault.h"
#include "gpu/turns.h"

#define GPU_HOST_FAULTS 64 /* kept; further ones are dropped until these are read */

/* Called while the line is high and something was added to what is pending, from inside a register write or
 * flush; `pending` is not 0, its bits are the family's. It may read and write registers. */
typedef void (*gpu_irq_fn)(void *data, uint32_t pending);

/* Work done, cumulative. */
struct gpu_counters {
    uint64_t jobs, draws, vertices, primitives_in, primitives_binned, tiles, blocks_shaded,
        instructions /* of programs, each for 16 lanes */, bytes_tile_lists;
};

struct gpu_host {
    const char *gpu; /* static: the device's name, in its faults */
    gpu_irq_fn irq;  /* NULL: nobody listens */
    void *irq_data;
    uint64_t job; /* the one at work, for its faults; counts from 1 */
    struct capture_frame frame;
    bool has_frame;
    unsigned unknown_writes;
    struct gpu_counters counters;
    struct gpu_fault faults[GPU_HOST_FAULTS]; /* oldest first */
    unsigned fault_count;
    pthread_mutex_t fault_lock;
    bool cancelled;
    const struct gpu_turns *turns; /* NULL: none (gpu/turns.h). Its fields: */
    bool stopped;                  /* the worker begins nothing more */
    bool inside;                   /* the worker has the registers */
    bool cancel_posted;            /* `cancelled` holds until the posted writes are made */
    uint32_t working;              /* units at a job, a bit each */
    struct gpu_counters shown;     /* counters when the last job began */
    uint32_t posted_first, posted_count;
    struct gpu_posted posted[GPU_POSTED_MOST];
};

/* Of a zeroed struct. */
void gpu_host_open(struct gpu_host *host, const char *gpu);
void gpu_host_close(struct gpu_host *host);

void gpu_host_set_irq(struct gpu_host *host, gpu_irq_fn irq, void *data); /* NULL: nobody listens */
/* Calls whoever listens. */
void gpu_host_call(const struct gpu_host *host, uint32_t pending);

/* Copies a fault into the log (dropped when full), with gpu and job filled in. Thread-safe. */
void gpu_host_fault(struct gpu_host *host, const struct gpu_fault *fault);
/* The same of another job than the one at work. */
void gpu_host_fault_of(struct gpu_host *host, uint64_t job, const struct gpu_fault *fault);
/* Work done as whoever is not at work may read it. */
static inline const struct gpu_counters *gpu_host_counters(const struct gpu_host *host)
{
    return host->working && !host->inside ? &host->shown : &host->counters;
}
/* While this is on nobody wants what the device works on: jobs end soon, as if their bounds were reached,
 * with anything or nothing stored, and without faults. For those who did not wait for a job's end to take the
 * guest away. */
void gpu_host_cancel(struct gpu_host *host, bool on);
static inline bool gpu_host_cancelled(const struct gpu_host *host)
{
    return __atomic_load_n(&host->cancelled, __ATOMIC_RELAXED);
}

/* A write of a register that the device does not have: a fault for the first of them, not for all. */
void gpu_host_unknown_write(struct gpu_host *host, uint32_t offset, uint32_t value);
/* Faults since the last call, oldest first; returns how many were copied, and forgets them. */
unsigned gpu_host_faults(struct gpu_host *host, struct gpu_fault *out, unsigned capacity);

/* The picture that the last rendering job stored (`presented` is 0). False before any, or when it cannot be
 * described. */
bool gpu_host_frame(struct gpu_host *host, struct capture_frame *out);
/* It becomes `frame`; NULL: it cannot be described. Thread-safe, as the former. */
void gpu_host_set_frame(struct gpu_host *host, const struct capture_frame *frame);

#endif

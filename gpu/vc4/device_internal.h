/* What the files of gpu/vc4 share of a device. Not for users. */
#ifndef VITRAIL_GPU_VC4_DEVICE_INTERNAL_H
#define VITRAIL_GPU_VC4_DEVICE_INTERNAL_H

#include "gpu/vc4/device.h"
#include "gpu/vc4/perf.h"
#include "gpu/vc4/shader_state.h"
#include "util/walk.h"

#define VC4_SEMAPHORE_MAX 7 /* CTSEMA has three bits (Guide table 49) */

/* A control-list thread as its registers show it (Guide tables 49 to 53). `run` with `waiting` is "stalled,
 * waiting for the other thread". */
struct vc4_thread {
    uint32_t ca, ea;
    uint32_t ra0;              /* outermost return address, 0 when the stack is empty */
    uint16_t flushes, returns; /* CTnLC */
    uint64_t job;              /* counted when the thread started */
    uint64_t budget, fuel;     /* left of the options' packet_budget and job_fuel */
    struct util_walk walk;
    bool run, waiting, halted, error;
};

/* Units at a job (gpu/turns.h). */
enum vc4_unit { VC4_UNIT_BINNER, VC4_UNIT_RENDERER, VC4_UNIT_USER };

/* What registers show of units at a job: as it was when the last one began. */
struct vc4_shown {
    uint32_t semaphore[2], ra0[2], counters[2], bpca, bpcs, user_status;
    uint32_t perf[VC4_PERF_COUNTERS];
    bool prefixing;
};

/* A list goes on at `ca`, which registers show while it does. */
static inline void vc4_thread_go(struct vc4_thread *thread, uint32_t ca)
{
    __atomic_store_n(&thread->ca, ca, __ATOMIC_RELAXED);
}

struct vc4_binner;
struct vc4_renderer;
struct vc4_user;

struct vc4_device {
    struct gpu_memory *memory;
    struct gpu_options options;
    uint64_t user_fuel; /* of each user program */
    struct gpu_programs *programs;
    struct gpu_host host;
    uint32_t regs[0x1000 / 4]; /* plain storage; registers with behaviour are handled in device.c */
    uint32_t int_pending, int_enabled;
    uint32_t qpu_interrupts; /* DBQITC: latched interrupts of user programs, a bit each QPU */
    /* Binner memory (Guide section 10: BPCA, BPCS, BPOA, BPOS). */
    uint32_t bpca, bpcs, bpoa, bpos;
    bool out_of_memory; /* the binner stands still for want of memory (PCS.BMOOM): set by vc4_raise, cleared
                           by a write to BPOS */
    uint32_t semaphore; /* of thread 1: the binner increments it, the renderer waits for it */
    uint32_t binner_semaphore;             /* of thread 0: the other direction */
    struct vc4_thread thread[2];           /* 0 bins, 1 renders */
    struct vc4_binner *binner;             /* binner.c's own */
    struct vc4_renderer *renderer;         /* what a rendering list has set up so far; renderer.c's own */
    struct vc4_user *user;                 /* user programs; user.c's own */
    uint32_t binning_flushes, frames_done; /* BFC, RFC */
    bool irq_high;                         /* INTCTL & enabled was nonzero when last looked at */
    bool scheduling;    /* the outermost vc4_write runs the threads; nested ones only mark them */
    bool binner_stands; /* amid its list, for want of memory: what it has in use stays (turns) */
    bool user_due;      /* somebody looks at user programs that have not run (turns) */
    bool user_fresh;    /* programs were queued that have not run (turns) */
    uint64_t aside;     /* instructions of rendering while the binner stood */
    struct vc4_shown shown;
    struct vc4_perf perf;
};

/* How a control list came to rest. */
enum vc4_list_end {
    VC4_LIST_END,   /* at its end address */
    VC4_LIST_HALT,  /* at a halt record; thread->ca is behind it */
    VC4_LIST_WAIT,  /* at a wait record whose semaphore is zero; thread->ca is at it */
    VC4_LIST_FAULT, /* a fault was recorded; thread->ca is at the record */
};

/* Where a list goes on, for its walk: `depth` return addresses are on its stack. */
static inline struct util_walk_place vc4_list_place_of(uint32_t at, const uint32_t stack[2], uint32_t depth)
{
    return (struct util_walk_place){
        at, {depth > 0 ? stack[0] : UTIL_WALK_NOWHERE, depth > 1 ? stack[1] : UTIL_WALK_NOWHERE}};
}

/* Raises interrupt bits: sets them pending and calls the callback when enabled. */
void vc4_raise(struct vc4_device *device, uint32_t bits);
/* The host interrupt of a QPU: latched and raised when DBQITE has its bit. */
void vc4_raise_qpu(struct vc4_device *device, uint32_t qpu);

/* device_threads.c: thread n (0 bins, 1 renders). Marks it as running, if it has a list, and runs what can
 * run. */
void vc4_thread_start(struct vc4_device *device, unsigned n);
/* Runs the threads until none can go on; nothing from inside a run. */
void vc4_threads_run(struct vc4_device *device);
/* What the worker changes cannot be read: `shown` has it. */
static inline bool vc4_is_at_work(const struct vc4_device *device)
{
    return device->host.working && !device->host.inside;
}
enum gpu_due vc4_due(const void *device);
enum gpu_when vc4_when(const void *device, uint32_t offset, uint32_t value);
bool vc4_transfer(void *device, struct gpu_state *state); /* state.c */

/* The worker leaves the registers for a job of `unit`. */
void vc4_leave(struct vc4_device *device, enum vc4_unit unit);
/* With turns: all that can be done; `all`: user programs too that others may follow. */
void vc4_work(void *device, bool all);
/* Amid a binning list: the host is asked for memory. With turns it may take its time, and rendering goes on. */
void vc4_ask_for_memory(struct vc4_device *device);
/* Whether the binner's reset was asked for amid its list. */
bool vc4_binner_is_reset(const struct vc4_device *device);
/* Between two runs: empties the program cache when a guest has piled too much up. */
void vc4_forget_programs(struct vc4_device *device);
uint32_t vc4_thread_read(const struct vc4_device *device, unsigned n);        /* CTnCS */
void vc4_thread_write(struct vc4_device *device, unsigned n, uint32_t value); /* likewise */
void vc4_thread_write_counter(struct vc4_thread *thread, uint32_t value);     /* CTnLC */

#endif

/* The scheduler's own state, and what it does between rounds. Internal to gpu/vc4/user.c and user_sync.c. */
#ifndef VITRAIL_GPU_VC4_USER_SCHED_H
#define VITRAIL_GPU_VC4_USER_SCHED_H

#include "gpu/vc4/user_internal.h"

#define VC4_USER_QUEUE 16u /* "The FIFO is 16 requests deep" (table 65) */
#define VC4_USER_FREE  UINT32_MAX

struct vc4_user_request {
    uint32_t code, uniforms, length;
    uint64_t job;
};

struct vc4_user {
    struct vc4_user_request queue[VC4_USER_QUEUE];
    uint32_t queued, requests, completed;
    bool error;
    struct vc4_user_qpu *qpu[VC4_USER_QPUS];   /* owned; NULL: free */
    struct vc4_user_qpu *spare[VC4_USER_QPUS]; /* owned: memory for the next program there */
    struct vc4_user_vpm vpm;                   /* what all have published */
    uint8_t semaphore[VC4_USER_SEMAPHORES];
    uint32_t mutex; /* the QPU that acquired it, or VC4_USER_FREE */
    uint64_t mutex_job;
    uint64_t round;
    uint64_t last_round; /* instructions of the last round */
    bool running, waiting_reported;
};

/* Bits of enum vc4_qpu_sync of the instruction at which the program stands; 0 where it stopped for others
 * reasons. */
unsigned vc4_user_needs(const struct vc4_user_qpu *qpu);
/* Grants what can be granted to the programs that wait, those first that began to wait first, those of one
 * round in the order of their QPUs, until nothing more can be granted. */
void vc4_user_resolve(struct vc4_device *device);
/* A fault for each program that waits: nobody is left who could end its wait. */
void vc4_user_report_waiting(struct vc4_device *device);

#endif

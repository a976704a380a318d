/* What the files of user programs share. Internal to gpu/vc4/user*.c. */
#ifndef VITRAIL_GPU_VC4_USER_INTERNAL_H
#define VITRAIL_GPU_VC4_USER_INTERNAL_H

#include "gpu/fault.h"
#include "gpu/memory.h"
#include "gpu/vc4/user.h"
#include "gpu/vc4/user_vpm.h"
#include "isa/vc4_qpu/machine.h"
#include "isa/vc4_qpu/program.h"

#define VC4_USER_QPUS       12u /* IDENT1: three slices of four */
#define VC4_USER_SEMAPHORES 16u
#define VC4_USER_SLICE      (1u << 16) /* instructions that loops repeat in a round */

/* Stores that the others do not see yet: pieces of memory, each a header and its bytes. The largest DMA store
 * has 128 rows of 512 bytes; who has less room left than that waits for the round's end before the next. */
#define VC4_USER_STORE_MAX  (128u * (512u + 8u))
#define VC4_USER_STORE_ROOM (8u * VC4_USER_STORE_MAX)

struct vc4_user_stores {
    uint32_t used;
    uint64_t low, high; /* every piece lies in [low, high) */
    uint8_t bytes[VC4_USER_STORE_ROOM];
};

/* Results of a texture unit that wait to be loaded. */
struct vc4_user_results {
    uint32_t first, count;
    alignas(64) uint32_t word[VC4_QPU_TMU_SLOTS][16];
};

/* A QPU with a user program. While it runs, one worker has it and nobody else looks. */
struct vc4_user_qpu {
    struct vc4_qpu_machine machine; /* first: compiled code is given its address */
    struct vc4_user_vpm vpm;
    struct vc4_user_results results[2];
    struct vc4_vpm_access read[2], write; /* generic set-ups: reads in the order they were queued */
    uint32_t reads_queued;
    bool writable;
    uint32_t load_setup, load_stride, store_setup, store_stride; /* DMA set-up words; 0: none yet */
    bool alone;       /* no other program runs in this round: stores go straight to memory */
    unsigned granted; /* bits of enum vc4_qpu_sync that the instruction at pc may do */

    const struct gpu_memory *memory;
    const struct vc4_qpu_program *program;
    uint32_t number, uniforms, uniform_words; /* words: UINT32_MAX for no limit */
    uint32_t next_uniform;                    /* where the stream is as long as nobody moves it */
    uint64_t job;

    /* How the last run stopped. */
    enum vc4_qpu_stop stop;
    struct vc4_qpu_report report;
    struct gpu_fault fault; /* more than the report can say; kind is GPU_FAULT_NONE otherwise */
    uint64_t since;         /* the round in which it began to wait */
    uint64_t stale_rows;    /* of its view of the VPM */
    uint64_t counted;       /* instructions that the job has paid for */

    struct vc4_user_stores stores;
};

/* user_qpu.c. Runs the program until it stops; on any thread, in the guest floating-point environment. */
void vc4_user_qpu_run(struct vc4_user_qpu *qpu);
/* The fault that ended it, in words. */
void vc4_user_qpu_fault(const struct vc4_user_qpu *qpu, struct gpu_fault *fault);

/* user_memory.c. Memory as this program sees it; false outside of it. */
bool vc4_user_read(const struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, void *out);
bool vc4_user_write(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, const void *bytes);
/* Makes its stores everybody's. */
void vc4_user_publish(struct vc4_user_qpu *qpu);
/* Whether stores have so little room left that a DMA should wait for the round's end. */
bool vc4_user_is_full(const struct vc4_user_qpu *qpu);

#endif

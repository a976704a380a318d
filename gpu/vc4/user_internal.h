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

/* Stores that the others do not see yet, by lines of 64 bytes. The largest DMA store has 128 rows of 512
 * bytes, each of which may touch nine lines; who has less room left waits for the round's end before the
 * next. */
#define VC4_USER_LINES      4096u
#define VC4_USER_LINE_SLOTS 8192u /* a power of two: at most half full */
#define VC4_USER_DMA_LINES  (128u * 9u)

struct vc4_user_line {
    uint32_t number; /* its address / 64 */
    uint32_t slot;
    uint64_t mask; /* bit n: byte n was written */
    uint8_t bytes[64];
};

struct vc4_user_stores {
    uint32_t used;                      /* lines, in the order in which they were first written */
    uint16_t slot[VC4_USER_LINE_SLOTS]; /* by a hash of the number: the line's place plus one, 0 for none */
    struct vc4_user_line line[VC4_USER_LINES];
};

/* Results of a texture unit that wait to be loaded. */
struct vc4_user_results {
    uint32_t first, count;
    alignas(64) uint32_t word[VC4_QPU_TMU_SLOTS][16];
};

struct vc4_user_qpu;

/* Compiled code: runs the program from where it stands; `granted` as in vc4_qpu_translate_machine, and so is
 * what it returns. */
typedef uint32_t (*vc4_user_fn)(struct vc4_user_qpu *qpu, uint32_t granted);

/* What compiled code calls. Each returns enum vc4_qpu_fault, with the QPU's report filled but for the pc. */
struct vc4_user_calls {
    uint32_t (*uniform)(struct vc4_user_qpu *qpu, uint32_t address, uint32_t *value);
    uint32_t (*lookup)(struct vc4_user_qpu *qpu, uint32_t unit, const uint32_t address[16]);
    /* Coordinates and parameters are in machine.request[unit]. `what`: bits 0 to 3 which of S, T, R, B were
     * written, above them how many parameters there are. */
    uint32_t (*sample)(struct vc4_user_qpu *qpu, uint32_t unit, uint32_t what);
    uint32_t (*load)(struct vc4_user_qpu *qpu, uint32_t unit, uint32_t out[16]);
    uint32_t (*read_setup)(struct vc4_user_qpu *qpu, uint32_t value);
    uint32_t (*write_setup)(struct vc4_user_qpu *qpu, uint32_t value);
    uint32_t (*vpm_read)(struct vc4_user_qpu *qpu, uint32_t out[16]);
    uint32_t (*vpm_write)(struct vc4_user_qpu *qpu, const uint32_t value[16], uint32_t lanes);
    uint32_t (*dma)(struct vc4_user_qpu *qpu, uint32_t store, uint32_t address);
    uint32_t (*is_full)(struct vc4_user_qpu *qpu); /* not a fault: whether a DMA should wait */
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
    bool alone;          /* no other program runs in this round: stores go straight to memory */
    uint32_t interrupts; /* 1: the host is to be interrupted at the round's end */
    unsigned granted;    /* bits of enum vc4_qpu_sync that the instruction at pc may do */

    const struct gpu_memory *memory;
    const struct vc4_qpu_program *program;
    vc4_user_fn run; /* NULL: interpret */
    const struct vc4_user_calls *calls;
    const uint8_t *base;                      /* of memory */
    uint32_t last_word;                       /* highest address of a whole aligned word of memory */
    uint32_t careful;                         /* not 0: a uniform is more than a load of memory */
    uint32_t number, uniforms, uniform_words; /* words: UINT32_MAX for no limit */
    uint32_t next_uniform;                    /* where the stream is as long as nobody moves it */
    uint64_t job;

    /* How the last run stopped. */
    enum vc4_qpu_stop stop;
    struct vc4_qpu_report report;
    struct gpu_fault fault; /* more than the report can say; kind is GPU_FAULT_NONE otherwise */
    uint64_t since;         /* the round in which it began to wait */
    uint64_t stale_rows;    /* of its view of the VPM */
    uint64_t fuel;          /* instructions that it may still execute until it ends or all wait */
    uint64_t work;          /* of DMA and textures since the last round, as if it were instructions */
    uint64_t counted;       /* instructions that are paid for */

    struct vc4_user_stores stores;
};

/* user_calls.c */
extern const struct vc4_user_calls vc4_user_calls;
/* Requests of a texture unit that has a slot for them, and the oldest result of one that has results. */
enum vc4_qpu_fault vc4_user_lookup(struct vc4_user_qpu *qpu, unsigned unit, const uint32_t address[16]);
enum vc4_qpu_fault vc4_user_sample(struct vc4_user_qpu *qpu, unsigned unit,
                                   const struct vc4_qpu_request *request);
void vc4_user_take_result(struct vc4_user_qpu *qpu, unsigned unit, uint32_t out[16]);

/* user_qpu.c. Runs the program until it stops; on any thread, in the guest floating-point environment. */
void vc4_user_qpu_run(struct vc4_user_qpu *qpu);
/* The fault that ended it, in words. */
void vc4_user_qpu_fault(const struct vc4_user_qpu *qpu, struct gpu_fault *fault);

/* user_memory.c. Memory as this program sees it; false outside of it. */
bool vc4_user_read(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, void *out);
bool vc4_user_write(struct vc4_user_qpu *qpu, uint64_t address, uint32_t size, const void *bytes);
/* Makes its stores everybody's. */
void vc4_user_publish(struct vc4_user_qpu *qpu);
/* Whether a byte of the line that holds the address is among these stores. */
bool vc4_user_is_written(const struct vc4_user_stores *stores, uint32_t address);
/* Whether stores have so little room left that a DMA should wait for the round's end. */
bool vc4_user_is_full(const struct vc4_user_qpu *qpu);

#endif

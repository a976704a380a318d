/* What the files of gpu/mali share of a device. Not for users. */
#ifndef VITRAIL_GPU_MALI_DEVICE_INTERNAL_H
#define VITRAIL_GPU_MALI_DEVICE_INTERNAL_H

#include "gpu/device.h"
#include "gpu/frame.h"
#include "gpu/irq.h"
#include "gpu/mali/jobs.h"
#include "gpu/mali/regs.h"
#include "gpu/mali/world.h"
#include "gpu/tables.h"
#include "util/walk.h"

/* What has power: a bit a core. */
enum { MALI_POWER_SHADER, MALI_POWER_TILER, MALI_POWER_L2, MALI_POWER_COUNT };

/* An address space's registers. */
struct mali_as {
    uint64_t transtab, memattr, lockaddr; /* as written */
    uint64_t active;                      /* TRANSTAB since the last update */
    uint32_t fault_status;
    uint64_t fault_address;
};

/* Of a chain that somebody looks at (job_observe.c): its shadings so far, with the index of each job of those
 * that came last. */
#define MALI_SHADINGS_KEPT 64u
struct mali_shadings {
    uint32_t count;
    uint16_t index[MALI_SHADINGS_KEPT]; /* of shading n: [n % MALI_SHADINGS_KEPT] */
    uint64_t before;                    /* instructions executed when the last one began */
    bool begun;                         /* it is not done */
};

/* A chain of jobs on its way. */
struct mali_chain {
    struct mali_job job; /* at hand; its header and payload are fetched, it works, its header is written */
    enum mali_progress { MALI_TO_FETCH, MALI_TO_LOOK, MALI_TO_WORK, MALI_TO_WRITE_BACK } progress; /* of it */
    union mali_payload payload;
    struct util_arena *arena; /* of the payload's lists; the slot's for good */
    struct mali_budget budget;
    struct util_walk walk;
    struct mali_shadings shadings;
};

/* What performance counters count. */
enum mali_event {
#define EVENT(block, name, ...) MALI_EVENT_##name,
#include "gpu/mali/perf.inc"
#undef EVENT
    MALI_EVENT_COUNT
};

enum mali_slot_state {
    MALI_SLOT_FREE,
    MALI_SLOT_TAKEN, /* has a chain, which the worker has yet to begin */
    MALI_SLOT_RUNS,
    MALI_SLOT_WAITS, /* for a page */
    MALI_SLOT_HANGS  /* without end: until it is stopped */
};

struct mali_slot {
    enum mali_slot_state state;
    uint64_t head, tail, affinity;
    uint32_t config, status;
    uint64_t head_next, affinity_next;
    uint32_t config_next;
    bool next; /* COMMAND_NEXT: a chain waits to begin */
    bool held; /* a chain failed, which nobody has acknowledged: the next one does not begin */
    enum mali_exception stopping; /* how the chain is to end before its next job; MALI_OK: not */
    struct mali_chain chain;
    struct mali_stop waits; /* the fault, if the page never comes */
};

/* Where a chain stands, which registers show while it goes on. */
static inline void mali_slot_go(struct mali_slot *s, uint64_t address)
{
    __atomic_store_n(&s->head, address, __ATOMIC_RELAXED);
    __atomic_store_n(&s->tail, address, __ATOMIC_RELAXED);
}
static inline uint64_t mali_slot_at(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

struct mali_device {
    enum mali_kind kind;
    enum mali_version version;
    struct gpu_options options;
    struct gpu_host host;
    uint32_t store[0x1000 / 4]; /* plain registers of the GPU block */
    struct gpu_irq gpu, job, mmu;
    uint32_t gpu_fault_status;
    uint64_t gpu_fault_address;
    uint64_t power[MALI_POWER_COUNT];
    bool counts_cycles;
    uint64_t clock_shown;                  /* the clock when the last job began */
    uint64_t cycles_from, cycles;          /* the clock when counting began; what was counted before */
    uint64_t event[MALI_EVENT_COUNT];      /* so far */
    uint64_t event_from[MALI_EVENT_COUNT]; /* when the counters were cleared */
    struct mali_as as[MALI_SPACES];
    struct gpu_tables_set tables;
    struct mali_programs programs;
    struct mali_slot slot[MALI_SLOTS];
    struct mali_tiling *tiling[MALI_SLOTS]; /* a tiler job's work there, from the first on (tiling.c) */
    struct gpu_frame_workers frame_workers;
    struct mali_grid_room grid_room; /* of units' workers (threads.h) */
    uint32_t batches;                /* frames drawn so far, for observers */
    uint32_t js_state;               /* as it was when interrupts were cleared */
    bool scheduling;                 /* the outermost mali_write runs the work; nested ones only mark it */
};

/* ---- device.c ---- */

enum mali_version mali_version_of(enum mali_kind kind);

/* As struct gpu_device_functions has them. */
enum gpu_when mali_when(const void *device, uint32_t offset, uint32_t value);
void mali_work(struct mali_device *device);

/* The worker leaves the registers for a chain of the slot (gpu/turns.h). */
void mali_leave(struct mali_device *device, unsigned slot);

bool mali_transfer(void *device, struct gpu_state *state); /* state.c */

/* Sets raw bits of one of the three lines; the host is called when one of them is enabled. */
void mali_raise(struct mali_device *device, struct gpu_irq *irq, uint32_t bits);
/* A write to one of a line's registers, by its offset from INT_RAWSTAT. */
void mali_irq_write(struct mali_device *device, struct gpu_irq *irq, uint32_t offset, uint32_t value);

/* Half `word` of a register of 64 bits. */
static inline uint32_t mali_half(uint64_t value, uint32_t word)
{
    return (uint32_t)(value >> (word ? 32 : 0));
}
static inline void mali_set_half(uint64_t *value, uint32_t word, uint32_t half)
{
    unsigned low = word ? 32 : 0;
    *value = (*value & ~(0xffffffffull << low)) | (uint64_t)half << low;
}

/* ---- control.c: the GPU block ---- */

uint32_t mali_control_read(const struct mali_device *device, uint32_t offset);
void mali_control_write(struct mali_device *device, uint32_t offset, uint32_t value);
/* Time as this model has it: it passes with work, which is counted, never with the host's clock. */
uint64_t mali_clock(const struct mali_device *device);
/* The register of cycles. */
uint64_t mali_cycles(const struct mali_device *device);
/* When a write of COMMAND may be made. */
enum gpu_when mali_control_when(uint32_t value);
void mali_gpu_fault(struct mali_device *device, uint32_t status, uint64_t address);

/* ---- perf.c ---- */

/* All counters to memory, as PERFCNT_CONFIG and PERFCNT_BASE say. False: there is nothing to store. */
bool mali_perf_sample(struct mali_device *device);
void mali_perf_clear(struct mali_device *device);

/* ---- mmu.c ---- */

extern const struct gpu_tables_kind mali_tables_kind;
uint32_t mali_mmu_read(const struct mali_device *device, uint32_t offset);
void mali_mmu_write(struct mali_device *device, uint32_t offset, uint32_t value);
uint32_t mali_as_read(const struct mali_device *device, unsigned as, uint32_t offset);
void mali_as_write(struct mali_device *device, unsigned as, uint32_t offset, uint32_t value);
/* The address space as its tables are now, when they may have changed; NULL with *stop when it is switched
 * off or the host cannot map it. */
const struct gpu_space *mali_as_space(struct mali_device *device, unsigned as, struct mali_stop *stop);
/* An access that no page allows: the MMU holds it, and interrupts. `source`: who, in FAULTSTATUS. */
void mali_mmu_fault(struct mali_device *device, unsigned as, const struct mali_stop *stop, uint32_t source);

/* ---- slot.c ---- */

uint32_t mali_job_read(const struct mali_device *device, uint32_t offset);
void mali_job_write(struct mali_device *device, uint32_t offset, uint32_t value);
uint32_t mali_slot_read(const struct mali_device *device, unsigned slot, uint32_t offset);
void mali_slot_write(struct mali_device *device, unsigned slot, uint32_t offset, uint32_t value);
/* Runs a chain that can go on; false: none can. */
bool mali_slots_work(struct mali_device *device);
/* Who waited for a page of the address space tries again. */
void mali_slots_resume(struct mali_device *device, unsigned as);
bool mali_slots_due(const struct mali_device *device); /* whether one can */
void mali_slots_reset(struct mali_device *device);
bool mali_slots_busy(const struct mali_device *device);

/* ---- tiling.c ---- */

void mali_tiling_destroy(struct mali_tiling *tiling); /* NULL is accepted */

/* ---- job_observe.c: what observers are told of jobs; only of observed devices ---- */

/* A job whose program is `world`'s begins, or has come to its end, with all its `vertices`. */
void mali_observe_shading(const struct mali_job *job, const struct mali_world *world, uint64_t vertices,
                          bool done);
/* A tiler job begins to work on a draw of `mode`; it is done. */
void mali_observe_draw(const struct mali_job *job, const struct mali_tiler_job *payload, const char *mode);
void mali_observe_draw_end(const struct mali_job *job);

/* ---- chain.c ---- */

int mali_chains_create(struct mali_device *device); /* 0 or -ENOMEM */
void mali_chains_destroy(struct mali_device *device);

enum mali_chain_end {
    MALI_CHAIN_DONE,
    MALI_CHAIN_STOPPED, /* before the job at hand, as `stopping` asked */
    MALI_CHAIN_FAULT,
    MALI_CHAIN_WAITS,
    MALI_CHAIN_HANGS
};
void mali_chain_begin(struct mali_device *device, unsigned slot);
/* Jobs of a slot's chain until it ends; all but DONE and STOPPED with *stop. */
enum mali_chain_end mali_chain_run(struct mali_device *device, unsigned slot, struct mali_stop *stop);

#endif

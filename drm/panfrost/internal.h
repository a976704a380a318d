/* What the files of the panfrost driver share. Not for users.
 *
 * The path of a submission: submit.c checks it as the kernel does and makes a job of its chain; the queue has
 * job.c run it on a slot of the device, with mmu.c for address spaces and page faults. vm.c has the page
 * tables of a file's addresses. gpu.c starts the device and resets it, perfcnt.c has its counters.
 *
 * The kernel has a queue a slot, whose chains may run at once; one queue in the order of submission is one of
 * the orders that it allows: in-fences, and fences of buffers, are always those of earlier jobs.
 *
 * A chain that fails or has no end is done, as its fence says, and no other suffers: panfrost has no guilty
 * contexts. */
#ifndef VITRAIL_DRM_PANFROST_INTERNAL_H
#define VITRAIL_DRM_PANFROST_INTERNAL_H

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/handle.h"
#include "drm/core/job.h"
#include "drm/core/log.h"
#include "drm/core/registers.h"
#include "drm/core/syncobj.h"
#include "drm/core/user.h"
#include "drm/core/vm.h"
#include "drm/panfrost/abi.h"
#include "drm/panfrost/regs.h"

/* ---- addresses (vm.c) ---- */
#define PANFROST_BLOCK      (2u << 20) /* bytes that an entry of level 2 stands for, and a heap grows by */
#define PANFROST_VM_BLOCKS  2048u      /* in 4 GiB */
#define PANFROST_FIRST_PAGE (32ull << 20)

struct drm_panfrost_vm {
    struct drm_vm vm;
    uint64_t number;      /* never another's */
    uint64_t changes;     /* of the tables, counted when they are made; whoever runs jobs compares */
    struct drm_bo *upper; /* a table of level 0, one of level 1, four of level 2 */
    struct drm_bo *tables[PANFROST_VM_BLOCKS]; /* of level 3 */
};

int drm_panfrost_vm_create(struct drm *drm,
                           struct drm_panfrost_vm **out); /* with one reference. 0, -ENOMEM */
/* What a buffer's address is a multiple of. */
uint64_t drm_panfrost_alignment(const struct drm_bo *bo);
/* The block that holds the byte `offset` of a heap, mapped at `address`, gets its memory. Needs no lock. False
 * when it has it. */
bool drm_panfrost_grow_heap(struct drm_panfrost_vm *vm, struct drm_bo *bo, uint64_t address, uint64_t offset);
void drm_panfrost_record_tables(const struct drm_panfrost_vm *vm); /* while recording: what the MMU walks */

/* ---- the card ---- */

/* What a GPU has that others have not. */
struct drm_panfrost_model {
    uint32_t product;                     /* of GPU_ID */
    bool has_chain_flag;                  /* its slots tell chains apart when they are stopped */
    bool has_core_groups;                 /* counters come by core groups */
    bool reduces_flushes;                 /* flushes that other chains have done are not done again */
    uint32_t start_flags;                 /* of JS_CONFIG */
    uint32_t shader_config, tiler_config; /* switches, for errata */
    uint32_t jm_config, jm_config_from;   /* the same, from this revision on */
};

/* One of the device's address spaces, as whoever uses the device knows it. */
struct drm_panfrost_space {
    uint64_t vm;      /* the number of struct drm_panfrost_vm whose tables it has; 0: none */
    uint64_t changes; /* as many of these tables' as it knows of */
    uint64_t used;    /* when */
};

struct drm_panfrost {
    const struct drm_panfrost_model *model;
    uint64_t param[PANFROST_PARAMS];
    uint64_t vms; /* made so far */

    /* Of whoever uses the device. */
    struct drm_panfrost_space spaces[PANFROST_MOST_SPACES];
    uint32_t space_count, faulty; /* spaces; those, a bit each, whose interrupts are off after a fault */
    uint64_t turn;                /* counts uses of spaces */
    uint32_t chains[PANFROST_JOB_SLOTS]; /* run by each slot */

    /* Performance counters (perfcnt.c). */
    struct drm_file *counting; /* whose they are; NULL: they are off, or about to be */
    struct drm_bo *samples;
    uint32_t counting_space; /* a space + 1 that nobody else gets meanwhile; 0: none */
    bool stop_counting;      /* whoever uses the device next turns them off; set and taken at once */
};

static inline struct drm_panfrost *drm_panfrost_of(const struct drm *drm)
{
    return drm->own;
}

static inline struct drm_panfrost_vm *drm_panfrost_vm_of(const struct drm_file *file)
{
    return file->own;
}

struct drm_panfrost_job {
    struct drm_job job; /* in the file's struct drm_panfrost_vm */
    uint64_t chain;
    uint32_t slot;
};

/* ---- submit.c ---- */
int drm_panfrost_submit(struct drm_file *file, void *argument, const struct drm_user *user);
void drm_panfrost_end_job(struct drm_job *job); /* struct drm_driver */

/* ---- all below: by whoever uses the device ---- */

static inline void drm_panfrost_write(struct drm *drm, uint32_t offset, uint32_t value)
{
    drm_register_write(drm, offset, value, false);
}

static inline void drm_panfrost_write64(struct drm *drm, uint32_t offset, uint64_t value)
{
    drm_panfrost_write(drm, offset, (uint32_t)value);
    drm_panfrost_write(drm, offset + 4, (uint32_t)(value >> 32));
}

static inline uint64_t drm_panfrost_read64(const struct drm *drm, uint32_t offset)
{
    uint64_t low = drm_register_read(drm, offset);
    return low | (uint64_t)drm_register_read(drm, offset + 4) << 32;
}

/* ---- job.c ---- */
void drm_panfrost_run_job(struct drm_job *job); /* struct drm_driver */

/* ---- mmu.c ---- */
void drm_panfrost_reset_mmu(struct drm *drm);
/* The number of a space that has the tables of `vm`, as they are now. */
uint32_t drm_panfrost_enter(struct drm *drm, struct drm_panfrost_vm *vm);
/* Answers page faults of a job, until there is none: heaps grow, of other faults the log tells, unless it was
 * cancelled. */
void drm_panfrost_serve_faults(const struct drm_panfrost_job *own);

/* ---- gpu.c ---- */
int drm_panfrost_init(struct drm *drm); /* struct drm_driver */
void drm_panfrost_finish(struct drm *drm);
void drm_panfrost_reset(struct drm *drm); /* everything off and on again */
void drm_panfrost_report_gpu_faults(struct drm *drm);

/* ---- exception.c ---- */
const char *drm_panfrost_exception(uint32_t code); /* what JS_STATUS and AS_FAULTSTATUS call it */

/* ---- perfcnt.c ---- */
int drm_panfrost_perfcnt_enable(struct drm_file *file, void *argument, const struct drm_user *user);
int drm_panfrost_perfcnt_dump(struct drm_file *file, void *argument, const struct drm_user *user);
void drm_panfrost_perfcnt_close(struct drm_file *file); /* it closes: the counters are nobody's */
void drm_panfrost_perfcnt_turn_off(struct drm *drm);    /* when that is due */

#endif

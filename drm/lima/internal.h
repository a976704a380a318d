/* What the files of the lima driver share. Not for users.
 *
 * The path of a submission: submit.c checks it as the kernel does and makes a task of it; the queue has job.c
 * run it on the device's registers, with gp.c and pp.c for the two kinds of processors, mmu.c for their MMUs
 * and caches. vm.c gives buffers their GPU addresses: a space for each open file, in page tables in guest
 * memory. The kernel has a queue for the GP and one for the PPs, which may run at once; one queue in
 * the order of submission is one of the orders that it allows, and every fence a task depends on is an
 * earlier one.
 *
 * A task that does not end, or ends badly, has the GPU reset and its context given up: what is submitted in
 * that context later is done without being run, as the kernel's scheduler does with a guilty context. */
#ifndef VITRAIL_DRM_LIMA_INTERNAL_H
#define VITRAIL_DRM_LIMA_INTERNAL_H

#include <string.h>

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
#include "drm/lima/abi.h"

/* ---- addresses (vm.c) ---- */
#define LIMA_DLBU_ADDRESS 0xfff00000u /* of the DLBU's page, in every space of a Mali-450 */
#define LIMA_TABLE_BLOCKS 128u        /* blocks of 8 page tables */

struct drm_lima_vm {
    struct drm_vm vm;
    struct drm_bo *directory, *tables[LIMA_TABLE_BLOCKS];
};

int drm_lima_vm_create(struct drm *drm, struct drm_lima_vm **out); /* with one reference. 0, -ENOMEM */
uint32_t drm_lima_vm_directory(const struct drm_lima_vm *vm);      /* physical */
void drm_lima_start_heap(struct drm_bo *bo); /* gives a new heap its first pages; of other buffers nothing */
/* Doubles what a heap, mapped at `address`, is backed with, up to its size. Needs no lock: the tables are
 * there. 0, -ENOSPC. */
int drm_lima_grow_heap(struct drm_lima_vm *vm, struct drm_bo *bo, uint32_t address);
void drm_lima_record_tables(const struct drm_lima_vm *vm); /* while recording: what the MMUs walk */

/* ---- contexts (context.c) ---- */
struct drm_lima_context {
    uint32_t refs; /* the file's, tasks' */
    bool guilty;   /* whoever runs tasks looks at it and sets it */
};
struct drm_lima_context *drm_lima_context_get(struct drm_file *file, uint32_t number); /* a reference; NULL */
void drm_lima_context_put(struct drm_lima_context *context);                           /* NULL is accepted */
int drm_lima_context_create(struct drm_file *file, void *argument, const struct drm_user *user);
int drm_lima_context_free(struct drm_file *file, void *argument, const struct drm_user *user);
void drm_lima_context_close(struct drm_file *file); /* all of the file */

/* ---- tasks ---- */

struct drm_lima_file {
    struct drm_lima_vm *vm;
    struct drm_ids contexts; /* struct drm_lima_context; programs see the number less one */
};

union drm_lima_frame {
    struct lima_gp_frame gp;
    struct lima_mali400_frame mali400;
    struct lima_mali450_frame mali450;
};

struct drm_lima_task {
    struct drm_job job; /* in the file's struct drm_lima_vm */
    uint32_t pipe;      /* enum lima_pipe */
    struct drm_lima_context *context;
    union drm_lima_frame frame;
    struct drm_bo *heap; /* of a GP's task: what grows, and stands where its heap starts; or NULL */
};

struct drm_lima {
    uint32_t gp_version, pp_version, pp_count;
    struct drm_bo *dlbu_page;     /* Mali-450's */
    struct drm_lima_vm *empty_vm; /* what MMUs have while no task runs */
};

static inline struct drm_lima *drm_lima_of(const struct drm *drm)
{
    return drm->own;
}

static inline struct drm_lima_file *drm_lima_file_of(const struct drm_file *file)
{
    return file->own;
}

static inline struct drm_lima_vm *drm_lima_vm_of(const struct drm_lima_task *task)
{
    return (struct drm_lima_vm *)task->job.vm;
}

static inline bool drm_lima_is_450(const struct drm *drm)
{
    return drm->gpu->model == LIMA_GPU_MALI450;
}

/* ---- submit.c ---- */
int drm_lima_submit(struct drm_file *file, void *argument, const struct drm_user *user);
void drm_lima_end_job(struct drm_job *job); /* struct drm_driver */

/* ---- job.c; run without the card's lock ---- */
int drm_lima_init(struct drm *drm); /* struct drm_driver */
void drm_lima_finish(struct drm *drm);
void drm_lima_run_job(struct drm_job *job);

/* ---- mmu.c: MMUs and caches of a pipe ---- */
static inline void drm_lima_write(struct drm *drm, uint32_t offset, uint32_t value)
{
    drm_register_write(drm, offset, value, false);
}
void drm_lima_flush_l2(struct drm *drm, uint32_t pipe);
void drm_lima_start_l2(struct drm *drm);
/* Have the addresses of a space from now on; forget what they know of it; fresh, in a space of nothing, those
 * that stand still for a fault. */
void drm_lima_switch_vm(struct drm *drm, uint32_t pipe, const struct drm_lima_vm *vm);
void drm_lima_zap(struct drm *drm, uint32_t pipe);
void drm_lima_reset_mmus(struct drm *drm, uint32_t pipe);
bool drm_lima_start_mmus(struct drm *drm, uint32_t pipe); /* whether they are all there */
/* Answers the pipe's MMUs; whether one has met a page that is not there. */
bool drm_lima_take_mmu_faults(struct drm *drm, uint32_t pipe);

/* ---- gp.c, pp.c ---- */
/* Each gives its processors a fresh start, runs a task to its end, and resets them by force. `run` returns
 * what went wrong, or NULL. */
void drm_lima_gp_reset(struct drm *drm);
const char *drm_lima_gp_run(struct drm_lima_task *task);
void drm_lima_gp_kill(struct drm *drm);
const char *drm_lima_pp_run(struct drm_lima_task *task);
void drm_lima_pp_kill(struct drm *drm);
/* Whether the frame may be run. 0, -EINVAL. */
int drm_lima_gp_check(const struct lima_gp_frame *frame);
int drm_lima_pp_check(const struct drm *drm, const union drm_lima_frame *frame);

#endif

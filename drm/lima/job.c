/* A task on the device: caches, MMUs, then the processors; resets when it goes wrong (lima_sched.c of the
 * kernel). The card is not locked meanwhile: what is touched here is the task's, the runner's, or changes
 * atomically.
 *
 * The device does what a register write starts before the write returns (gpu/device.h), so interrupts are not
 * listened to: their registers are looked at after the write, and a task that shows none has timed out. */
#include "drm/lima/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/lima/regs.h"

static void give_up(struct drm_lima_task *task, const char *what)
{
    struct drm *drm = task->job.drm;
    const char *processor = task->pipe == LIMA_PIPE_GP ? "gp" : "pp";
    if (!drm_job_cancelled(&task->job))
        drm_log(drm, "lima: %s task %llu: %s; the GPU is reset and the context given up", processor,
                (unsigned long long)task->job.seqno, what);
    task->context->guilty = true;
    if (task->pipe == LIMA_PIPE_GP)
        drm_lima_gp_kill(drm);
    else
        drm_lima_pp_kill(drm);
    drm_lima_reset_mmus(drm, task->pipe);
}

void drm_lima_run_job(struct drm_job *job)
{
    struct drm_lima_task *task = (struct drm_lima_task *)job;
    struct drm *drm = job->drm;
    if (task->context->guilty)
        return;
    drm_lima_record_tables(drm_lima_vm_of(task));
    if (drm->options.capture)
        drm_job_record_buffers(job);
    drm_lima_flush_l2(drm, task->pipe);
    drm_lima_switch_vm(drm, task->pipe, drm_lima_vm_of(task));
    const char *wrong = task->pipe == LIMA_PIPE_GP ? drm_lima_gp_run(task) : drm_lima_pp_run(task);
    if (drm_lima_take_mmu_faults(drm, task->pipe))
        wrong = "page fault";
    if (wrong)
        give_up(task, wrong);
    if (drm->options.capture)
        drm_job_record_end(job, task->pipe == LIMA_PIPE_PP);
    drm_report_faults(drm);
}

/* ---- the card ---- */

static int find_processors(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    uint32_t most = drm_lima_is_450(drm) ? LIMA_MALI450_FRAGMENTS : LIMA_MALI400_FRAGMENTS;
    lima->gp_version = drm_register_read(drm, LIMA_GP + LIMA_GP_VERSION);
    lima->pp_version = drm_register_read(drm, LIMA_PP(0) + LIMA_PP_VERSION);
    while (lima->pp_count < most && drm_register_read(drm, LIMA_PP(lima->pp_count) + LIMA_PP_VERSION))
        lima->pp_count++;
    return lima->gp_version && lima->pp_count ? 0 : -ENODEV;
}

/* As the kernel's driver starts it. 0, -ENODEV. */
static int start(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    bool there = drm_lima_start_mmus(drm, LIMA_PIPE_GP);
    drm_lima_start_l2(drm);
    drm_lima_gp_reset(drm);
    there &= drm_lima_start_mmus(drm, LIMA_PIPE_PP);
    drm_lima_pp_kill(drm);
    if (drm_lima_is_450(drm)) {
        drm_lima_write(drm, LIMA_450_DLBU + LIMA_DLBU_PHYSICAL, (uint32_t)lima->dlbu_page->offset | 1);
        drm_lima_write(drm, LIMA_450_DLBU + LIMA_DLBU_VIRTUAL, LIMA_DLBU_ADDRESS);
    }
    if (!there)
        drm_log(drm, "lima: an MMU does not answer");
    return there ? 0 : -ENODEV;
}

int drm_lima_init(struct drm *drm)
{
    struct drm_lima *lima = drm->own = calloc(1, sizeof *lima);
    if (!lima)
        return -ENOMEM;
    int r = find_processors(drm);
    if (!r && drm_lima_is_450(drm))
        r = drm_bo_create(drm, GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, &lima->dlbu_page);
    if (!r)
        r = drm_lima_vm_create(drm, &lima->empty_vm);
    if (!r)
        drm_lima_record_tables(lima->empty_vm);
    return r ? r : start(drm);
}

void drm_lima_finish(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    if (!lima)
        return;
    if (lima->empty_vm)
        drm_vm_put(&lima->empty_vm->vm);
    drm_bo_put(lima->dlbu_page);
    free(lima);
    drm->own = NULL;
}

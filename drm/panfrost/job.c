/* A chain of jobs on a slot of the device: its space, its start, its interrupts, and a reset when none comes
 * (panfrost_job.c of the kernel). The card is not locked meanwhile: what is touched here is the job's, the
 * runner's, or changes atomically.
 *
 * The device does what a register write starts before the write returns (gpu/device.h), or stands still for a
 * page fault. So interrupts are not listened to: their registers are looked at after the write, and a chain
 * that shows none has timed out. */
#include "drm/panfrost/internal.h"

static uint32_t chain_flag(const struct drm_panfrost_job *own)
{
    const struct drm_panfrost *panfrost = drm_panfrost_of(own->job.drm);
    return panfrost->model->has_chain_flag && panfrost->chains[own->slot] & 1 ? PANFROST_JS_CHAIN_FLAG : 0;
}

static void start(const struct drm_panfrost_job *own)
{
    struct drm *drm = own->job.drm;
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    uint32_t at = PANFROST_JS(own->slot);
    uint32_t space = drm_panfrost_enter(drm, (struct drm_panfrost_vm *)own->job.vm);
    panfrost->chains[own->slot]++;
    drm_panfrost_write64(drm, at + PANFROST_JS_HEAD_NEXT, own->chain);
    drm_panfrost_write64(drm, at + PANFROST_JS_AFFINITY_NEXT, panfrost->param[PANFROST_PARAM_SHADER_PRESENT]);
    const bool fewer = panfrost->model->reduces_flushes;
    drm_panfrost_write(drm, at + PANFROST_JS_CONFIG_NEXT,
                       space | PANFROST_JS_START_FLUSH | PANFROST_JS_END_FLUSH | PANFROST_JS_PRIORITY |
                           panfrost->model->start_flags | chain_flag(own) |
                           (fewer ? PANFROST_JS_FEWER_FLUSHES : 0));
    if (fewer)
        drm_panfrost_write(drm, at + PANFROST_JS_FLUSH_ID_NEXT,
                           drm_register_read(drm, PANFROST_LATEST_FLUSH_ID));
    drm_panfrost_write(drm, at + PANFROST_JS_COMMAND_NEXT, PANFROST_JS_START);
}

/* ---- how it ends ---- */

static void report_failure(const struct drm_panfrost_job *own)
{
    struct drm *drm = own->job.drm;
    uint32_t at = PANFROST_JS(own->slot), status = drm_register_read(drm, at + PANFROST_JS_STATUS);
    if (!drm_job_cancelled(&own->job))
        drm_log(drm, "panfrost: slot %u: %s, head 0x%llx, tail 0x%llx", own->slot,
                drm_panfrost_exception(status),
                (unsigned long long)drm_panfrost_read64(drm, at + PANFROST_JS_HEAD),
                (unsigned long long)drm_panfrost_read64(drm, at + PANFROST_JS_TAIL));
}

/* Takes the slot's interrupts; whether there are any. After a failure no chain is to follow by itself. */
static bool take_end(const struct drm_panfrost_job *own)
{
    struct drm *drm = own->job.drm;
    uint32_t pending = drm_register_read(drm, PANFROST_JOB_INT_STAT) & PANFROST_SLOT_IRQS(own->slot);
    if (!pending)
        return false;
    bool failed = pending != PANFROST_SLOT_DONE(own->slot);
    if (failed)
        drm_panfrost_write(drm, PANFROST_JS(own->slot) + PANFROST_JS_COMMAND_NEXT, PANFROST_JS_NOP);
    drm_panfrost_write(drm, PANFROST_JOB_INT_CLEAR, pending);
    if (failed)
        report_failure(own);
    return true;
}

/* Stops everything as far as it lets itself be stopped, then resets. */
static void reset(struct drm *drm)
{
    drm_panfrost_write(drm, PANFROST_JOB_INT_MASK, 0);
    for (uint32_t slot = 0; slot < PANFROST_JOB_SLOTS; slot++) {
        drm_panfrost_write(drm, PANFROST_JS(slot) + PANFROST_JS_COMMAND_NEXT, PANFROST_JS_NOP);
        drm_panfrost_write(drm, PANFROST_JS(slot) + PANFROST_JS_COMMAND, PANFROST_JS_SOFT_STOP);
    }
    drm_panfrost_write(drm, PANFROST_JOB_INT_CLEAR, drm_register_read(drm, PANFROST_JOB_INT_RAWSTAT));
    drm_panfrost_reset(drm);
}

/* Nobody wants it: it is stopped, as the kernel stops the chains of a file that closes. */
static bool stop(const struct drm_panfrost_job *own)
{
    uint32_t command = PANFROST_JS_HARD_STOP;
    if (drm_panfrost_of(own->job.drm)->model->has_chain_flag)
        command = chain_flag(own) ? PANFROST_JS_HARD_STOP_1 : PANFROST_JS_HARD_STOP_0;
    drm_panfrost_write(own->job.drm, PANFROST_JS(own->slot) + PANFROST_JS_COMMAND, command);
    return take_end(own);
}

static void give_up(const struct drm_panfrost_job *own)
{
    struct drm *drm = own->job.drm;
    uint32_t at = PANFROST_JS(own->slot);
    if (drm_job_cancelled(&own->job)) {
        if (stop(own))
            return;
    } else {
        drm_log(
            drm,
            "panfrost: slot %u: job %llu did not end, config 0x%x, status 0x%x, head 0x%llx, tail 0x%llx; "
            "the GPU is reset",
            own->slot, (unsigned long long)own->job.seqno, drm_register_read(drm, at + PANFROST_JS_CONFIG),
            drm_register_read(drm, at + PANFROST_JS_STATUS),
            (unsigned long long)drm_panfrost_read64(drm, at + PANFROST_JS_HEAD),
            (unsigned long long)drm_panfrost_read64(drm, at + PANFROST_JS_TAIL));
    }
    reset(drm);
}

void drm_panfrost_run_job(struct drm_job *job)
{
    const struct drm_panfrost_job *own = (const struct drm_panfrost_job *)job;
    struct drm *drm = job->drm;
    if (drm->options.capture)
        drm_job_record_buffers(job);
    drm_panfrost_perfcnt_turn_off(drm);
    start(own);
    drm_panfrost_serve_faults(own);
    if (!take_end(own))
        give_up(own);
    drm_panfrost_report_gpu_faults(drm);
    if (drm->options.capture)
        drm_job_record_end(job, own->slot == 0);
    drm_report_faults(drm);
}

/* A task on the device: caches, MMUs, then the processors; resets when it goes wrong (lima_sched.c,
 * lima_mmu.c, lima_l2_cache.c of the kernel). The card is not locked meanwhile: what is touched here is the
 * task's, the runner's, or changes atomically.
 *
 * The device does what a register write starts before the write returns (gpu/device.h), so interrupts are not
 * listened to: their registers are looked at after the write, and a task that shows none has timed out. */
#include "drm/lima.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/lima_regs.h"

void drm_lima_write(struct drm *drm, uint32_t offset, uint32_t value)
{
    if (drm->options.capture)
        capture_write_register(drm->options.capture, offset, value, false);
    gpu_device_write(&drm->options.gpu, offset, value);
}

uint32_t drm_lima_read(struct drm *drm, uint32_t offset)
{
    return gpu_device_read(&drm->options.gpu, offset);
}

/* ---- caches ---- */

void drm_lima_flush_l2(struct drm *drm, uint32_t pipe)
{
    if (!drm_lima_is_450(drm)) {
        drm_lima_write(drm, LIMA_400_L2 + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
    } else if (pipe == LIMA_PIPE_GP) {
        drm_lima_write(drm, LIMA_450_L2_GP + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
    } else {
        drm_lima_write(drm, LIMA_450_L2_PP + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
        if (drm_lima_of(drm)->pp_count > 4)
            drm_lima_write(drm, LIMA_450_L2_PP4 + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
    }
}

static void start_l2(struct drm *drm, uint32_t at)
{
    drm_lima_write(drm, at + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
    drm_lima_write(drm, at + LIMA_L2_ENABLE, 3); /* access, allocation by reads */
    drm_lima_write(drm, at + LIMA_L2_MAX_READS, 0x1c);
}

/* ---- MMUs ---- */

/* The MMUs of a pipe, one at a time; false after the last. */
static bool mmu_of(const struct drm *drm, uint32_t pipe, uint32_t n, uint32_t *at)
{
    *at = pipe == LIMA_PIPE_GP ? LIMA_GP_MMU : LIMA_PP_MMU(n);
    return n < (pipe == LIMA_PIPE_GP ? 1 : drm_lima_of(drm)->pp_count);
}

/* Those to give commands to: the PPs of a Mali-450 can be reached all at once. */
static bool command_mmu_of(const struct drm *drm, uint32_t pipe, uint32_t n, uint32_t *at)
{
    if (pipe == LIMA_PIPE_GP || !drm_lima_is_450(drm))
        return mmu_of(drm, pipe, n, at);
    *at = LIMA_450_ALL_PP_MMU;
    return n == 0;
}

void drm_lima_zap(struct drm *drm, uint32_t pipe)
{
    uint32_t at;
    for (uint32_t n = 0; command_mmu_of(drm, pipe, n, &at); n++)
        drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_ZAP);
}

static void switch_vm(struct drm *drm, uint32_t pipe, const struct drm_lima_vm *vm)
{
    uint32_t at;
    for (uint32_t n = 0; command_mmu_of(drm, pipe, n, &at); n++) {
        drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_STALL);
        drm_lima_write(drm, at + LIMA_MMU_DIRECTORY, drm_lima_vm_directory(vm));
        drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_ZAP);
        drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_END_STALL);
    }
}

static void reset_mmu(struct drm *drm, uint32_t at)
{
    drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_RESET);
    drm_lima_write(drm, at + LIMA_MMU_INT_MASK, LIMA_MMU_IRQ_ALL);
    drm_lima_write(drm, at + LIMA_MMU_DIRECTORY, drm_lima_vm_directory(drm_lima_of(drm)->empty_vm));
    drm_lima_write(drm, at + LIMA_MMU_COMMAND, LIMA_MMU_ENABLE_PAGING);
}

/* Whether there is one: its directory keeps whole pages of an address. */
static bool start_mmu(struct drm *drm, uint32_t at)
{
    drm_lima_write(drm, at + LIMA_MMU_DIRECTORY, 0xcafebabe);
    if (drm_lima_read(drm, at + LIMA_MMU_DIRECTORY) != 0xcafeb000)
        return false;
    reset_mmu(drm, at);
    return true;
}

/* Answers the pipe's MMUs; whether one has met a page that is not there. */
static bool take_mmu_faults(struct drm *drm, uint32_t pipe)
{
    bool faulted = false;
    uint32_t at;
    for (uint32_t n = 0; mmu_of(drm, pipe, n, &at); n++) {
        uint32_t interrupts = drm_lima_read(drm, at + LIMA_MMU_INT_STATUS);
        if (!interrupts)
            continue;
        faulted = true;
        drm_log(drm, "lima: %s %u: page fault at 0x%08x, %s", pipe == LIMA_PIPE_GP ? "gp" : "pp", n,
                drm_lima_read(drm, at + LIMA_MMU_FAULT_ADDRESS),
                drm_lima_read(drm, at + LIMA_MMU_STATUS) & LIMA_MMU_FAULT_WRITE ? "written" : "read");
        drm_lima_write(drm, at + LIMA_MMU_INT_MASK, 0);
        drm_lima_write(drm, at + LIMA_MMU_INT_CLEAR, interrupts);
    }
    return faulted;
}

/* ---- recording ---- */

static void record(struct drm *drm, const struct drm_bo *bo, uint64_t size)
{
    capture_write_range(drm->options.capture, drm->memory, bo->offset, size);
}

void drm_lima_record_tables(struct drm *drm, const struct drm_lima_vm *vm)
{
    if (!drm->options.capture)
        return;
    record(drm, vm->directory, vm->directory->size);
    for (uint32_t i = 0; i < LIMA_TABLE_BLOCKS; i++)
        if (vm->tables[i])
            record(drm, vm->tables[i], vm->tables[i]->size);
}

static void record_inputs(struct drm_lima_task *task)
{
    drm_lima_record_tables(task->drm, task->vm);
    for (uint32_t i = 0; i < task->use_count; i++)
        record(task->drm, task->use[i].bo, drm_lima_backed(task->use[i].bo));
}

static void record_outputs(struct drm_lima_task *task)
{
    struct drm *drm = task->drm;
    struct capture_frame frame;
    for (uint32_t i = 0; i < task->use_count; i++)
        if (task->use[i].flags & LIMA_BUFFER_WRITE)
            capture_note_device_write(drm->options.capture, drm->memory, task->use[i].bo->offset,
                                      drm_lima_backed(task->use[i].bo));
    if (task->pipe == LIMA_PIPE_PP && gpu_host_frame(drm->options.gpu.host, &frame))
        capture_write_frame(drm->options.capture, &frame);
    capture_flush(drm->options.capture);
}

/* ---- tasks ---- */

static void give_up(struct drm_lima_task *task, const char *what)
{
    struct drm *drm = task->drm;
    const char *processor = task->pipe == LIMA_PIPE_GP ? "gp" : "pp";
    if (!drm_job_cancelled(&task->job))
        drm_log(drm, "lima: %s task %llu: %s; the GPU is reset and the context given up", processor,
                (unsigned long long)task->job.seqno, what);
    task->context->guilty = true;
    if (task->pipe == LIMA_PIPE_GP)
        drm_lima_gp_kill(drm);
    else
        drm_lima_pp_kill(drm);
    uint32_t at;
    for (uint32_t n = 0; mmu_of(drm, task->pipe, n, &at); n++)
        if (drm_lima_read(drm, at + LIMA_MMU_STATUS) & LIMA_MMU_FAULT_ACTIVE)
            reset_mmu(drm, at);
}

void drm_lima_run(struct drm_job *job)
{
    struct drm_lima_task *task = (struct drm_lima_task *)job;
    struct drm *drm = task->drm;
    if (task->context->guilty)
        return;
    if (drm->options.capture)
        record_inputs(task);
    drm_lima_flush_l2(drm, task->pipe);
    switch_vm(drm, task->pipe, task->vm);
    const char *wrong = task->pipe == LIMA_PIPE_GP ? drm_lima_gp_run(task) : drm_lima_pp_run(task);
    if (take_mmu_faults(drm, task->pipe))
        wrong = "page fault";
    if (wrong)
        give_up(task, wrong);
    if (drm->options.capture)
        record_outputs(task);
    drm_report_faults(drm);
}

/* ---- the card ---- */

static int find_processors(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    uint32_t most = lima->id == LIMA_GPU_MALI450 ? LIMA_MALI450_FRAGMENTS : LIMA_MALI400_FRAGMENTS;
    lima->gp_version = drm_lima_read(drm, LIMA_GP + LIMA_GP_VERSION);
    lima->pp_version = drm_lima_read(drm, LIMA_PP(0) + LIMA_PP_VERSION);
    while (lima->pp_count < most && drm_lima_read(drm, LIMA_PP(lima->pp_count) + LIMA_PP_VERSION))
        lima->pp_count++;
    return lima->gp_version && lima->pp_count ? 0 : -ENODEV;
}

/* As the kernel's driver starts it. 0, -ENODEV. */
static int start(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    bool is_450 = drm_lima_is_450(drm), there = start_mmu(drm, LIMA_GP_MMU);
    start_l2(drm, is_450 ? LIMA_450_L2_GP : LIMA_400_L2);
    if (is_450)
        start_l2(drm, LIMA_450_L2_PP);
    if (is_450 && lima->pp_count > 4)
        start_l2(drm, LIMA_450_L2_PP4);
    drm_lima_gp_reset(drm);
    for (uint32_t i = 0; i < lima->pp_count; i++)
        there &= start_mmu(drm, LIMA_PP_MMU(i));
    drm_lima_pp_kill(drm);
    if (is_450) {
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
    lima->id = strcmp(drm->options.gpu.name, "mali450") ? LIMA_GPU_MALI400 : LIMA_GPU_MALI450;
    int r = find_processors(drm);
    if (!r && drm_lima_is_450(drm))
        r = drm_bo_create(drm, GPU_PAGE, GPU_PAGE, DRM_BO_KERNEL, &lima->dlbu_page);
    if (!r)
        r = drm_lima_vm_create(drm, &lima->empty_vm);
    if (!r && drm->options.capture)
        drm_lima_record_tables(drm, lima->empty_vm);
    return r ? r : start(drm);
}

void drm_lima_finish(struct drm *drm)
{
    struct drm_lima *lima = drm_lima_of(drm);
    if (!lima)
        return;
    drm_lima_vm_put(lima->empty_vm);
    drm_bo_put(lima->dlbu_page);
    free(lima);
    drm->own = NULL;
}

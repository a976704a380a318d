/* A job on the device: registers written, interrupts answered, as a kernel driver does it (Guide section 10).
 * The card is not locked meanwhile: what is touched here is the job's, the runner's, or has its own lock.
 * With a recorder attached, everything the device will read and every register write goes to the capture. */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "drm/core/registers.h"

#define INTERRUPTS (VC4_INT_FRDONE | VC4_INT_FLDONE | VC4_INT_OUTOMEM)
#define CACHES_ALL 0x0f0f0f0fu /* SLCACTL: every slice cache (Guide table 46) */
#define L2_CLEAR   (1u << 2)   /* L2CACTL */
#define CT_RESET   (1u << 15)  /* CTnCS */

struct drm_vc4_hang {
    struct drm_vc4_get_hang_state state;
    struct drm_bo **bo;
};

static void reg_write(struct drm *drm, uint32_t offset, uint32_t value)
{
    drm_register_write(drm, offset, value, drm_vc4_of(drm)->answering);
}

/* ---- tile memory ---- */

/* The device asks for more tile memory: it gets another slot. The one it had is used up, and free again when
 * the job is done. Without an answer the device ends the list with a fault. */
static void answer_out_of_memory(struct drm *drm, struct drm_vc4_exec *exec)
{
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    int slot = drm_vc4_take_slot(drm);
    if (slot < 0)
        return;
    if (exec)
        exec->bin_slots |= vc4->overflow_slot;
    vc4->overflow_slot = 1u << slot;
    reg_write(drm, VC4_BPOA, (uint32_t)vc4->bin_pool->offset + (uint32_t)slot * VC4_BIN_SLOT);
    reg_write(drm, VC4_BPOS, VC4_BIN_SLOT);
    reg_write(drm, VC4_INTCTL, VC4_INT_OUTOMEM);
}

static void on_interrupt(void *data, uint32_t pending)
{
    struct drm *drm = data;
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    vc4->interrupts |= pending;
    if (pending & VC4_INT_OUTOMEM && !vc4->answering) {
        vc4->answering = true;
        answer_out_of_memory(drm, vc4->running);
        vc4->answering = false;
    }
}

/* ---- one list ---- */

/* Runs a list on thread 0 or 1; false when the interrupt that ends it did not come. */
static bool run_list(struct drm *drm, unsigned thread, uint32_t start, uint32_t end)
{
    uint32_t done = thread ? VC4_INT_FRDONE : VC4_INT_FLDONE;
    drm_vc4_of(drm)->interrupts = 0;
    reg_write(drm, VC4_L2CACTL, L2_CLEAR);
    reg_write(drm, VC4_SLCACTL, CACHES_ALL);
    reg_write(drm, thread ? VC4_CT1CA : VC4_CT0CA, start);
    reg_write(drm, thread ? VC4_CT1EA : VC4_CT0EA, end);
    reg_write(drm, VC4_INTCTL, done);
    return drm_vc4_of(drm)->interrupts & done;
}

/* ---- hangs ---- */

static void destroy_hang(struct drm_vc4_hang *hang)
{
    if (!hang)
        return;
    for (uint32_t i = 0; hang->bo && i < hang->state.bo_count; i++)
        drm_bo_put(hang->bo[i]);
    free(hang->bo);
    free(hang);
}

/* What GET_HANG_STATE returns, but for the buffers, which the job still holds. */
static void save_hang(struct drm_vc4_exec *exec)
{
    const struct drm *drm = exec->job.drm;
    struct drm_vc4_hang *hang = calloc(1, sizeof *hang);
    if (!hang)
        return;
    hang->state = (struct drm_vc4_get_hang_state){
        .bo_count = exec->job.buffer_count,
        .start_bin = exec->list_end ? exec->out_address : 0,
        .start_render = exec->rcl_address,
        .ct0ca = drm_register_read(drm, VC4_CT0CA),
        .ct0ea = drm_register_read(drm, VC4_CT0EA),
        .ct1ca = drm_register_read(drm, VC4_CT1CA),
        .ct1ea = drm_register_read(drm, VC4_CT1EA),
        .ct0cs = drm_register_read(drm, VC4_CT0CS),
        .ct1cs = drm_register_read(drm, VC4_CT1CS),
        .ct0ra0 = drm_register_read(drm, VC4_CT0RA0),
        .ct1ra0 = drm_register_read(drm, VC4_CT1RA0),
        .bpca = drm_register_read(drm, VC4_BPCA),
        .bpcs = drm_register_read(drm, VC4_BPCS),
        .bpoa = drm_register_read(drm, VC4_BPOA),
        .bpos = drm_register_read(drm, VC4_BPOS),
        .errstat = drm_register_read(drm, VC4_ERRSTAT),
    };
    exec->hang = hang;
}

/* The first hang that nobody has asked about is kept. */
void drm_vc4_keep_hang(struct drm_vc4_exec *exec)
{
    struct drm_vc4_hang *hang = exec->hang;
    exec->hang = NULL;
    if (hang && !drm_vc4_of(exec->job.drm)->hang)
        hang->bo = calloc(exec->job.buffer_count, sizeof(struct drm_bo *));
    if (!hang || !hang->bo) {
        destroy_hang(hang);
        return;
    }
    for (uint32_t i = 0; i < exec->job.buffer_count; i++) {
        hang->bo[i] = exec->job.buffers[i].bo;
        drm_bo_get(exec->job.buffers[i].bo);
    }
    drm_vc4_of(exec->job.drm)->hang = hang;
}

static void on_hang(struct drm_vc4_exec *exec, const char *what)
{
    struct drm *drm = exec->job.drm;
    if (!drm_job_cancelled(&exec->job)) {
        drm_log(drm, "vc4: job %llu: %s did not finish, the GPU is reset",
                (unsigned long long)exec->job.seqno, what);
        save_hang(exec);
    }
    reg_write(drm, VC4_CT0CS, CT_RESET);
    reg_write(drm, VC4_CT1CS, CT_RESET);
    reg_write(drm, VC4_INTCTL, INTERRUPTS);
}

int drm_vc4_get_hang_state(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_get_hang_state *get = argument;
    struct drm_vc4_hang *hang = drm_vc4_of(file->drm)->hang;
    if (!hang)
        return -ENOENT;
    if (get->bo_count < hang->state.bo_count) { /* says how much room is needed */
        get->bo_count = hang->state.bo_count;
        return 0;
    }
    uint64_t to = get->bo;
    drm_vc4_of(file->drm)->hang = NULL;
    *get = hang->state;
    get->bo = to;
    int r = 0;
    for (uint32_t i = 0; !r && i < hang->state.bo_count; i++) {
        struct drm_vc4_get_hang_state_bo bo = {.paddr = (uint32_t)hang->bo[i]->offset,
                                               .size = (uint32_t)hang->bo[i]->size};
        r = drm_handle_add(file, hang->bo[i], &bo.handle);
        if (!r)
            r = drm_copy_out(user, to + i * sizeof bo, &bo, sizeof bo);
    }
    destroy_hang(hang);
    return r;
}

/* ---- recording ---- */

static void record_inputs(struct drm_vc4_exec *exec)
{
    struct capture_writer *capture = exec->job.drm->options.capture;
    const struct gpu_memory *memory = exec->job.drm->memory;
    drm_job_record_buffers(&exec->job);
    if (exec->list_end) {
        capture_write_range(capture, memory, exec->out_address, exec->out_size);
        for (uint32_t slot = 0; slot < VC4_BIN_SLOTS; slot++)
            if (exec->bin_slots >> slot & 1) /* cleared by the validator */
                capture_write_range(capture, memory,
                                    drm_vc4_of(exec->job.drm)->bin_pool->offset + slot * VC4_BIN_SLOT,
                                    exec->tile_lists % VC4_BIN_SLOT);
    }
    capture_write_range(capture, memory, exec->rcl_address, exec->rcl_size);
}

static void record_outputs(struct drm_vc4_exec *exec)
{
    const struct drm *drm = exec->job.drm;
    struct capture_writer *capture = drm->options.capture;
    uint32_t slots = exec->bin_slots | drm_vc4_of(drm)->overflow_slot;
    for (uint32_t slot = 0; slot < VC4_BIN_SLOTS; slot++)
        if (slots >> slot & 1)
            capture_note_device_write(capture, drm->memory,
                                      drm_vc4_of(drm)->bin_pool->offset + slot * VC4_BIN_SLOT, VC4_BIN_SLOT);
    drm_job_record_end(&exec->job, exec->color_write != NULL);
}

/* ---- the job ---- */

void drm_vc4_run_job(struct drm_job *job)
{
    struct drm_vc4_exec *exec = (struct drm_vc4_exec *)job;
    struct drm *drm = exec->job.drm;
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    if (exec->bin_slots && !vc4->asks) {
        vc4->asks = true;
        reg_write(drm, VC4_INTENA, VC4_INT_OUTOMEM);
    }
    if (exec->perfmon)
        drm_vc4_perfmon_start(exec);
    if (drm->options.capture)
        record_inputs(exec);
    vc4->running = exec;
    if (exec->list_end && !run_list(drm, 0, exec->out_address, exec->out_address + exec->list_end))
        on_hang(exec, "binning");
    else if (!run_list(drm, 1, exec->rcl_address, exec->rcl_address + exec->rcl_size))
        on_hang(exec, "rendering");
    vc4->running = NULL;
    if (drm->options.capture)
        record_outputs(exec);
    if (exec->perfmon)
        drm_vc4_perfmon_stop(exec);
    drm_report_faults(drm);
}

int drm_vc4_init(struct drm *drm)
{
    struct drm_vc4 *vc4 = drm->own = calloc(1, sizeof *vc4);
    if (!vc4)
        return -ENOMEM;
    pthread_mutex_init(&vc4->slot_lock, NULL);
    for (unsigned i = 0; i < 3; i++)
        vc4->ident[i] = drm_register_read(drm, VC4_IDENT0 + 4 * i);
    gpu_host_set_irq(drm->options.gpu.host, on_interrupt, drm);
    reg_write(drm, VC4_INTCTL, INTERRUPTS);
    reg_write(drm, VC4_INTENA, VC4_INT_FLDONE | VC4_INT_FRDONE);
    return 0;
}

void drm_vc4_finish(struct drm *drm)
{
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    if (!vc4)
        return;
    gpu_host_set_irq(drm->options.gpu.host, NULL, NULL);
    destroy_hang(vc4->hang);
    drm_bo_put(vc4->bin_pool);
    for (unsigned i = 0; i < DRM_QUEUE_DEPTH; i++) {
        drm_bo_put(vc4->room[i].lists);
        drm_bo_put(vc4->room[i].rcl);
    }
    pthread_mutex_destroy(&vc4->slot_lock);
    free(vc4);
    drm->own = NULL;
}

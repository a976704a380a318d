/* Performance counters: of one file at a time, sampled when it asks, into memory in its own addresses. The
 * kernel has them only where its parameter `unstable_ioctls` is set. Source: panfrost_perfcnt.c of the kernel.
 *
 * They use the device from inside an ioctl, when no job does. */
#include "drm/panfrost/internal.h"

#include <errno.h>

#define COUNTER_BLOCK    (64u * 4u) /* bytes of a block of counters */
#define BLOCKS_OF_GROUPS 8u         /* in a core group, where they come by core groups */

static uint64_t sample_bytes(const struct drm *drm)
{
    const struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    uint64_t shaders = panfrost->param[PANFROST_PARAM_SHADER_PRESENT];
    if (panfrost->model->has_core_groups)
        return panfrost->param[PANFROST_PARAM_NR_CORE_GROUPS] * BLOCKS_OF_GROUPS * COUNTER_BLOCK;
    uint64_t caches = (panfrost->param[PANFROST_PARAM_MEM_FEATURES] >> 8 & 15) + 1;
    uint64_t cores = shaders ? 64 - (uint64_t)__builtin_clzll(shaders) : 0;
    return (caches + cores + 2) * COUNTER_BLOCK;
}

/* Gives a command and takes the interrupt that tells of its end. 0, -ETIMEDOUT (none came). */
static int command(struct drm *drm, uint32_t value, uint32_t interrupt)
{
    drm_panfrost_write(drm, PANFROST_GPU_COMMAND, value);
    if (!(drm_register_read(drm, PANFROST_GPU_INT_STAT) & interrupt))
        return -ETIMEDOUT;
    drm_panfrost_write(drm, PANFROST_GPU_INT_CLEAR, interrupt);
    return 0;
}

static void clear_interrupts(struct drm *drm)
{
    drm_panfrost_write(drm, PANFROST_GPU_INT_CLEAR, PANFROST_GPU_IRQ_CLEANED | PANFROST_GPU_IRQ_SAMPLED);
}

static void select_counters(struct drm *drm, uint32_t mask, uint32_t config)
{
    drm_panfrost_write(drm, PANFROST_PERFCNT_JM_ENABLE, mask);
    drm_panfrost_write(drm, PANFROST_PERFCNT_SHADER_ENABLE, mask);
    drm_panfrost_write(drm, PANFROST_PERFCNT_MMU_L2_ENABLE, mask);
    drm_panfrost_write(drm, PANFROST_PERFCNT_TILER_ENABLE, mask);
    drm_panfrost_write(drm, PANFROST_PERFCNT_CONFIG, config);
}

void drm_panfrost_perfcnt_turn_off(struct drm *drm)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    if (!__atomic_exchange_n(&panfrost->stop_counting, false, __ATOMIC_ACQUIRE))
        return;
    select_counters(drm, 0, 0);
    panfrost->counting_space = 0;
}

/* Whoever has the device next turns them off; they store nothing before they are asked. */
static void stop(struct drm_file *file)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(file->drm);
    drm_vm_unmap(&drm_panfrost_vm_of(file)->vm, panfrost->samples);
    drm_bo_put(panfrost->samples);
    panfrost->samples = NULL;
    panfrost->counting = NULL;
    __atomic_store_n(&panfrost->stop_counting, true, __ATOMIC_RELEASE);
}

void drm_panfrost_perfcnt_close(struct drm_file *file)
{
    if (drm_panfrost_of(file->drm)->counting == file)
        stop(file);
}

static int start(struct drm_file *file)
{
    struct drm *drm = file->drm;
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    struct drm_panfrost_vm *vm = drm_panfrost_vm_of(file);
    drm_panfrost_perfcnt_turn_off(drm);
    int r = drm_bo_create(drm, sample_bytes(drm), GPU_PAGE, DRM_BO_KERNEL, &panfrost->samples);
    if (r)
        return r;
    r = drm_vm_map(&vm->vm, panfrost->samples, GPU_PAGE);
    if (!r) {
        clear_interrupts(drm);
        drm_panfrost_write(drm, PANFROST_GPU_COMMAND, PANFROST_PERFCNT_CLEAR);
        r = command(drm, PANFROST_CLEAN_INVALIDATE_CACHES, PANFROST_GPU_IRQ_CLEANED);
        if (r)
            drm_vm_unmap(&vm->vm, panfrost->samples);
    }
    if (r) {
        drm_bo_put(panfrost->samples);
        panfrost->samples = NULL;
        return r;
    }
    uint32_t space = drm_panfrost_enter(drm, vm);
    panfrost->counting = file;
    panfrost->counting_space = space + 1;
    select_counters(drm, UINT32_MAX, PANFROST_PERFCNT_MANUAL | space << PANFROST_PERFCNT_AS_SHIFT);
    return 0;
}

int drm_panfrost_perfcnt_enable(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct panfrost_perfcnt_enable *enable = argument;
    if (!file->drm->options.unstable_ioctls)
        return -ENOSYS;
    if (enable->set)
        return -EINVAL;
    drm_queue_wait_idle(file->drm);
    const struct drm_file *counting = drm_panfrost_of(file->drm)->counting;
    if (enable->enable)
        return counting == file ? 0 : counting ? -EBUSY : start(file);
    if (counting != file)
        return -EINVAL;
    stop(file);
    drm_panfrost_perfcnt_turn_off(file->drm);
    return 0;
}

static int sample(struct drm_file *file)
{
    struct drm *drm = file->drm;
    struct drm_panfrost_vm *vm = drm_panfrost_vm_of(file);
    struct drm_bo *samples = drm_panfrost_of(drm)->samples;
    drm_panfrost_enter(drm, vm);
    drm_panfrost_write64(drm, PANFROST_PERFCNT_BASE, drm_vm_find(&vm->vm, samples)->address);
    clear_interrupts(drm);
    int r = command(drm, PANFROST_PERFCNT_SAMPLE, PANFROST_GPU_IRQ_SAMPLED);
    if (!r)
        r = command(drm, PANFROST_CLEAN_CACHES, PANFROST_GPU_IRQ_CLEANED);
    if (drm->options.capture)
        capture_note_device_write(drm->options.capture, drm->memory, samples->offset, samples->size);
    return r;
}

int drm_panfrost_perfcnt_dump(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct panfrost_perfcnt_dump *dump = argument;
    if (!file->drm->options.unstable_ioctls)
        return -ENOSYS;
    drm_queue_wait_idle(file->drm);
    const struct drm_panfrost *panfrost = drm_panfrost_of(file->drm);
    if (panfrost->counting != file)
        return -EINVAL;
    int r = sample(file);
    return r ? r : drm_copy_out(user, dump->buffer, drm_bo_bytes(panfrost->samples), sample_bytes(file->drm));
}

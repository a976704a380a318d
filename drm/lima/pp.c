/* Tasks of the PPs, which draw tiles. Mali-400: each has its registers and its list of tiles. Mali-450: a
 * place of registers reaches them all, and a unit (DLBU) may share the tiles out. Source: lima_pp.c,
 * lima_dlbu.c and lima_bcast.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>

#include "drm/lima/regs.h"

int drm_lima_pp_check(const struct drm *drm, const union drm_lima_frame *frame)
{
    bool is_450 = drm_lima_is_450(drm);
    uint32_t count = is_450 ? frame->mali450.pp_count : frame->mali400.pp_count;
    if (is_450 && frame->mali450.pad)
        return -EINVAL;
    return !count || count > drm_lima_of(drm)->pp_count ? -EINVAL : 0;
}

static void reset(struct drm *drm, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = LIMA_PP(i);
        drm_lima_write(drm, at + LIMA_PP_INT_MASK, 0);
        drm_lima_write(drm, at + LIMA_PP_INT_CLEAR, LIMA_PP_IRQ_ALL);
        drm_lima_write(drm, at + LIMA_PP_CONTROL, LIMA_PP_SOFT_RESET);
        if (!(drm_register_read(drm, at + LIMA_PP_INT_RAW) & LIMA_PP_IRQ_RESET))
            drm_log(drm, "lima: pp %u does not end its reset", i);
        drm_lima_write(drm, at + LIMA_PP_INT_CLEAR, LIMA_PP_IRQ_ALL);
        drm_lima_write(drm, at + LIMA_PP_INT_MASK, LIMA_PP_IRQ_USED);
    }
}

static uint32_t mask_of(uint32_t count)
{
    return (1u << count) - 1;
}

void drm_lima_pp_kill(struct drm *drm)
{
    uint32_t count = drm_lima_of(drm)->pp_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = LIMA_PP(i);
        drm_lima_write(drm, at + LIMA_PP_SCRATCH, 0xc0ffe000);
        drm_lima_write(drm, at + LIMA_PP_INT_MASK, 0);
        drm_lima_write(drm, at + LIMA_PP_CONTROL, LIMA_PP_FORCE_RESET);
        drm_lima_write(drm, at + LIMA_PP_SCRATCH, 0);
        drm_lima_write(drm, at + LIMA_PP_INT_CLEAR, LIMA_PP_IRQ_ALL);
        drm_lima_write(drm, at + LIMA_PP_INT_MASK, LIMA_PP_IRQ_USED);
    }
    if (drm_lima_is_450(drm)) {
        drm_lima_write(drm, LIMA_450_BROADCAST + LIMA_BROADCAST_MASK, mask_of(count) << 16);
        drm_lima_write(drm, LIMA_450_BROADCAST + LIMA_BROADCAST_INT_MASK, mask_of(count));
    }
}

static void write_frame(struct drm *drm, uint32_t at, const uint32_t *registers, const uint32_t *wb)
{
    for (unsigned i = 0; i < LIMA_PP_REGISTERS; i++)
        drm_lima_write(drm, at + LIMA_PP_FRAME + 4 * i, registers[i]);
    for (unsigned unit = 0; unit < 3; unit++)
        for (unsigned i = 0; i < LIMA_WB_REGISTERS; i++)
            drm_lima_write(drm, at + LIMA_PP_WB * (unit + 1) + 4 * i, *wb++);
}

static uint32_t start_400(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    struct lima_mali400_frame *frame = &task->frame.mali400;
    for (uint32_t i = 0; i < frame->pp_count; i++) {
        frame->registers[LIMA_PP_FRAME / 4] = frame->list[i];
        frame->registers[LIMA_PP_STACK / 4] = frame->stack[i];
        write_frame(drm, LIMA_PP(i), frame->registers, frame->wb);
        drm_lima_write(drm, LIMA_PP(i) + LIMA_PP_CONTROL, LIMA_PP_START);
    }
    return frame->pp_count;
}

static uint32_t start_450(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    struct lima_mali450_frame *frame = &task->frame.mali450;
    uint32_t mask = mask_of(frame->pp_count), at = LIMA_450_BROADCAST + LIMA_BROADCAST_MASK;
    drm_lima_write(drm, LIMA_450_DLBU + LIMA_DLBU_PP_MASK, frame->use_dlbu ? mask : 0);
    if (frame->use_dlbu) {
        frame->registers[LIMA_PP_FRAME / 4] = LIMA_DLBU_ADDRESS;
        for (unsigned i = 0; i < 4; i++)
            drm_lima_write(drm, LIMA_450_DLBU + LIMA_DLBU_FRAME + 4 * i, frame->dlbu[i]);
    }
    drm_lima_write(drm, at, (drm_register_read(drm, at) & 0xffff0000) | mask);
    write_frame(drm, LIMA_450_ALL_PP, frame->registers, frame->wb);
    for (uint32_t i = 0; i < frame->pp_count; i++) {
        drm_lima_write(drm, LIMA_PP(i) + LIMA_PP_STACK, frame->stack[i]);
        if (!frame->use_dlbu)
            drm_lima_write(drm, LIMA_PP(i) + LIMA_PP_FRAME, frame->list[i]);
    }
    drm_lima_write(drm, LIMA_450_ALL_PP + LIMA_PP_CONTROL, LIMA_PP_START);
    return frame->pp_count;
}

const char *drm_lima_pp_run(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    const char *wrong = NULL;
    bool is_450 = drm_lima_is_450(drm);
    reset(drm, is_450 ? task->frame.mali450.pp_count : task->frame.mali400.pp_count);
    uint32_t count = is_450 ? start_450(task) : start_400(task);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t interrupts = drm_register_read(drm, LIMA_PP(i) + LIMA_PP_INT_STATUS);
        drm_lima_write(drm, LIMA_PP(i) + LIMA_PP_INT_CLEAR, interrupts);
        if (interrupts & LIMA_PP_IRQ_ERRORS)
            wrong = "failed";
        else if (!(interrupts & LIMA_PP_IRQ_END) && !wrong)
            wrong = "did not end";
    }
    return wrong;
}

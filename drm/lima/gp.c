/* Tasks of the GP, which runs vertex programs (VS) and sorts primitives into tile lists (PLBU). Its heap of
 * tile lists grows while it waits. Source: lima_gp.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>

#include "drm/lima/regs.h"

enum frame_register { VS_START, VS_END, PLBU_START, PLBU_END, HEAP_START, HEAP_END };

static void put(struct drm *drm, uint32_t offset, uint32_t value)
{
    drm_lima_write(drm, LIMA_GP + offset, value);
}

int drm_lima_gp_check(const struct lima_gp_frame *frame)
{
    const uint32_t *r = frame->registers;
    if (r[VS_START] > r[VS_END] || r[PLBU_START] > r[PLBU_END] || r[HEAP_START] > r[HEAP_END])
        return -EINVAL;
    return r[VS_START] == r[VS_END] && r[PLBU_START] == r[PLBU_END] ? -EINVAL : 0;
}

void drm_lima_gp_reset(struct drm *drm)
{
    put(drm, LIMA_GP_INT_MASK, 0);
    put(drm, LIMA_GP_INT_CLEAR, LIMA_GP_IRQ_RESET);
    put(drm, LIMA_GP_COMMAND, LIMA_GP_SOFT_RESET);
    if (!(drm_register_read(drm, LIMA_GP + LIMA_GP_INT_RAW) & LIMA_GP_IRQ_RESET))
        drm_log(drm, "lima: the gp does not end its reset");
    put(drm, LIMA_GP_INT_CLEAR, LIMA_GP_IRQ_ALL);
    put(drm, LIMA_GP_INT_MASK, LIMA_GP_IRQ_USED);
}

void drm_lima_gp_kill(struct drm *drm)
{
    put(drm, LIMA_GP_SCRATCH, 0xc0ffe000);
    put(drm, LIMA_GP_INT_MASK, 0);
    put(drm, LIMA_GP_COMMAND, LIMA_GP_STOP_BUS);
    put(drm, LIMA_GP_COMMAND, LIMA_GP_RESET);
    put(drm, LIMA_GP_SCRATCH, 0);
    put(drm, LIMA_GP_INT_CLEAR, LIMA_GP_IRQ_ALL);
    put(drm, LIMA_GP_INT_MASK, LIMA_GP_IRQ_USED);
}

/* The PLBU has filled its heap: it goes on where the pages end, once there are more behind them. The kernel
 * makes the MMU forget what it knows before it makes the pages, which is too early for an MMU that learns
 * only then. */
static bool grow(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    uint32_t *r = task->frame.gp.registers;
    if (r[HEAP_END] - r[HEAP_START] == drm_bo_backed(task->heap)) {
        if (drm_lima_grow_heap(drm_lima_vm_of(task), task->heap, r[HEAP_START]))
            return false;
        drm_lima_record_tables(drm_lima_vm_of(task));
    }
    drm_lima_flush_l2(drm, LIMA_PIPE_GP);
    drm_lima_zap(drm, LIMA_PIPE_GP);
    put(drm, LIMA_GP_INT_MASK, LIMA_GP_IRQ_USED);
    put(drm, LIMA_GP_HEAP_START, r[HEAP_END]);
    r[HEAP_END] = r[HEAP_START] + (uint32_t)drm_bo_backed(task->heap);
    put(drm, LIMA_GP_HEAP_END, r[HEAP_END]);
    put(drm, LIMA_GP_COMMAND, LIMA_GP_UPDATE_HEAP);
    return true;
}

/* Answers interrupts until the task has ended. Each round of growth doubles the heap, so there are few. */
static const char *serve(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    for (;;) {
        uint32_t interrupts = drm_register_read(drm, LIMA_GP + LIMA_GP_INT_STATUS);
        uint32_t errors = interrupts & LIMA_GP_IRQ_ERRORS;
        if (!interrupts)
            return "did not end";
        if (errors)
            put(drm, LIMA_GP_INT_MASK, 0);
        put(drm, LIMA_GP_INT_CLEAR, interrupts);
        if (errors & ~LIMA_GP_IRQ_HEAP)
            return "failed";
        if (errors && (!task->heap || !grow(task)))
            return "ran out of heap";
        if (!errors && !(drm_register_read(drm, LIMA_GP + LIMA_GP_STATUS) & LIMA_GP_ACTIVE))
            return NULL;
    }
}

const char *drm_lima_gp_run(struct drm_lima_task *task)
{
    struct drm *drm = task->job.drm;
    uint32_t *r = task->frame.gp.registers;
    if (task->heap) /* what the program asks for is the most; what there is, is this */
        r[HEAP_END] = r[HEAP_START] + (uint32_t)drm_bo_backed(task->heap);
    drm_lima_gp_reset(drm);
    for (unsigned i = 0; i < LIMA_GP_REGISTERS; i++)
        put(drm, LIMA_GP_FRAME + 4 * i, r[i]);
    put(drm, LIMA_GP_COMMAND, LIMA_GP_UPDATE_HEAP);
    put(drm, LIMA_GP_COMMAND,
        (r[VS_START] != r[VS_END] ? LIMA_GP_START_VS : 0) |
            (r[PLBU_START] != r[PLBU_END] ? LIMA_GP_START_PLBU : 0));
    return serve(task);
}

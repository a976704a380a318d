/* Caches and MMUs of the processors (lima_mmu.c and lima_l2_cache.c of the kernel). */
#include "drm/lima/internal.h"
#include "drm/lima/regs.h"

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

static void start_one_l2(struct drm *drm, uint32_t at)
{
    drm_lima_write(drm, at + LIMA_L2_COMMAND, LIMA_L2_CLEAR_ALL);
    drm_lima_write(drm, at + LIMA_L2_ENABLE, 3); /* access, allocation by reads */
    drm_lima_write(drm, at + LIMA_L2_MAX_READS, 0x1c);
}

void drm_lima_start_l2(struct drm *drm)
{
    bool is_450 = drm_lima_is_450(drm);
    start_one_l2(drm, is_450 ? LIMA_450_L2_GP : LIMA_400_L2);
    if (is_450)
        start_one_l2(drm, LIMA_450_L2_PP);
    if (is_450 && drm_lima_of(drm)->pp_count > 4)
        start_one_l2(drm, LIMA_450_L2_PP4);
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

void drm_lima_switch_vm(struct drm *drm, uint32_t pipe, const struct drm_lima_vm *vm)
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
    if (drm_register_read(drm, at + LIMA_MMU_DIRECTORY) != 0xcafeb000)
        return false;
    reset_mmu(drm, at);
    return true;
}

bool drm_lima_start_mmus(struct drm *drm, uint32_t pipe)
{
    bool there = true;
    uint32_t at;
    for (uint32_t n = 0; mmu_of(drm, pipe, n, &at); n++)
        there &= start_mmu(drm, at);
    return there;
}

void drm_lima_reset_mmus(struct drm *drm, uint32_t pipe)
{
    uint32_t at;
    for (uint32_t n = 0; mmu_of(drm, pipe, n, &at); n++)
        if (drm_register_read(drm, at + LIMA_MMU_STATUS) & LIMA_MMU_FAULT_ACTIVE)
            reset_mmu(drm, at);
}

bool drm_lima_take_mmu_faults(struct drm *drm, uint32_t pipe)
{
    bool faulted = false;
    uint32_t at;
    for (uint32_t n = 0; mmu_of(drm, pipe, n, &at); n++) {
        uint32_t interrupts = drm_register_read(drm, at + LIMA_MMU_INT_STATUS);
        if (!interrupts)
            continue;
        faulted = true;
        drm_log(drm, "lima: %s %u: page fault at 0x%08x, %s", pipe == LIMA_PIPE_GP ? "gp" : "pp", n,
                drm_register_read(drm, at + LIMA_MMU_FAULT_ADDRESS),
                drm_register_read(drm, at + LIMA_MMU_STATUS) & LIMA_MMU_FAULT_WRITE ? "written" : "read");
        drm_lima_write(drm, at + LIMA_MMU_INT_MASK, 0);
        drm_lima_write(drm, at + LIMA_MMU_INT_CLEAR, interrupts);
    }
    return faulted;
}

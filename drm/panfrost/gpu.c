/* The device as a whole: what it has, how it starts and is reset, its faults. Source: panfrost_gpu.c and
 * panfrost_device.c of the kernel. */
#include "drm/panfrost/internal.h"

#include <errno.h>
#include <stdlib.h>

static const struct drm_panfrost_model models[] = {
    {.product = 0x720,
     .has_core_groups = true,
     .start_flags = PANFROST_JS_START_MMU,
     .shader_config = PANFROST_SC_LS_ATTR_CHECK_DISABLE | PANFROST_SC_ENABLE_TEXGRD_FLAGS},
    {.product = 0x750,
     .has_chain_flag = true,
     .shader_config = PANFROST_SC_LS_ALLOW_ATTR_TYPES,
     .tiler_config = PANFROST_TC_CLOCK_GATE_OVERRIDE},
    {.product = 0x860,
     .has_chain_flag = true,
     .shader_config = PANFROST_SC_LS_ALLOW_ATTR_TYPES,
     .tiler_config = PANFROST_TC_CLOCK_GATE_OVERRIDE,
     .jm_config = PANFROST_JM_THROTTLE_MOST,
     .jm_config_from = 0x2000},
    {.product = 0x6221, .has_chain_flag = true, .reduces_flushes = true},
    {.product = 0x7093,
     .has_chain_flag = true,
     .reduces_flushes = true,
     .shader_config = PANFROST_SC_TLS_HASH_ENABLE},
    {.product = 0x7212,
     .has_chain_flag = true,
     .reduces_flushes = true,
     .jm_config = PANFROST_JM_IDVS_GROUP_SIZE},
    {.product = 0x9093,
     .has_chain_flag = true,
     .reduces_flushes = true,
     .shader_config = PANFROST_SC_VAR_ALGORITHM,
     .jm_config = PANFROST_JM_IDVS_GROUP_SIZE},
};

/* ---- what it has ---- */

/* Registers that programs ask about. */
static const struct {
    uint8_t param, words;
    uint16_t offset;
} known[] = {
    {PANFROST_PARAM_SHADER_PRESENT, 2, PANFROST_SHADER_PRESENT},
    {PANFROST_PARAM_TILER_PRESENT, 2, PANFROST_TILER_PRESENT},
    {PANFROST_PARAM_L2_PRESENT, 2, PANFROST_L2_PRESENT},
    {PANFROST_PARAM_STACK_PRESENT, 2, PANFROST_STACK_PRESENT},
    {PANFROST_PARAM_AS_PRESENT, 1, PANFROST_AS_PRESENT},
    {PANFROST_PARAM_JS_PRESENT, 1, PANFROST_JS_PRESENT},
    {PANFROST_PARAM_L2_FEATURES, 1, PANFROST_L2_FEATURES},
    {PANFROST_PARAM_CORE_FEATURES, 1, PANFROST_CORE_FEATURES},
    {PANFROST_PARAM_TILER_FEATURES, 1, PANFROST_TILER_FEATURES},
    {PANFROST_PARAM_MEM_FEATURES, 1, PANFROST_MEM_FEATURES},
    {PANFROST_PARAM_MMU_FEATURES, 1, PANFROST_MMU_FEATURES},
    {PANFROST_PARAM_THREAD_FEATURES, 1, PANFROST_THREAD_FEATURES},
    {PANFROST_PARAM_MAX_THREADS, 1, PANFROST_THREAD_MAX_THREADS},
    {PANFROST_PARAM_THREAD_MAX_WORKGROUP_SZ, 1, PANFROST_THREAD_MAX_WORKGROUP_SIZE},
    {PANFROST_PARAM_THREAD_MAX_BARRIER_SZ, 1, PANFROST_THREAD_MAX_BARRIER_SIZE},
    {PANFROST_PARAM_COHERENCY_FEATURES, 1, PANFROST_COHERENCY_FEATURES},
    {PANFROST_PARAM_THREAD_TLS_ALLOC, 1, PANFROST_THREAD_TLS_ALLOC},
    {PANFROST_PARAM_AFBC_FEATURES, 1, PANFROST_AFBC_FEATURES},
};

static void read_features(struct drm *drm)
{
    uint64_t *param = drm_panfrost_of(drm)->param;
    uint32_t id = drm_register_read(drm, PANFROST_GPU_ID);
    param[PANFROST_PARAM_GPU_PROD_ID] = id >> 16;
    param[PANFROST_PARAM_GPU_REVISION] = id & 0xffff;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(known); i++)
        param[known[i].param] = known[i].words == 2 ? drm_panfrost_read64(drm, known[i].offset)
                                                    : drm_register_read(drm, known[i].offset);
    for (uint32_t i = 0; i < 4; i++)
        param[PANFROST_PARAM_TEXTURE_FEATURES + i] =
            drm_register_read(drm, PANFROST_TEXTURE_FEATURES + 4 * i);
    unsigned slots = (unsigned)__builtin_popcount((uint32_t)param[PANFROST_PARAM_JS_PRESENT]);
    for (uint32_t i = 0; i < UTIL_MIN(slots, 16u); i++)
        param[PANFROST_PARAM_JS_FEATURES + i] = drm_register_read(drm, PANFROST_JS_FEATURES + 4 * i);
    param[PANFROST_PARAM_NR_CORE_GROUPS] = (uint64_t)__builtin_popcountll(param[PANFROST_PARAM_L2_PRESENT]);
}

/* Whether the device is what the card is made for, and what no chain can do without is there. */
static bool is_usable(struct drm *drm)
{
    struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    const uint64_t *param = panfrost->param;
    for (unsigned i = 0; i < UTIL_ARRAY_SIZE(models); i++)
        if (models[i].product == drm->gpu->model)
            panfrost->model = &models[i];
    while (panfrost->space_count < PANFROST_MOST_SPACES &&
           param[PANFROST_PARAM_AS_PRESENT] >> panfrost->space_count & 1)
        panfrost->space_count++;
    return panfrost->model && param[PANFROST_PARAM_GPU_PROD_ID] == drm->gpu->model &&
           (param[PANFROST_PARAM_JS_PRESENT] & 3) == 3 && panfrost->space_count > 1;
}

/* ---- on, off, on again ---- */

static bool soft_reset(struct drm *drm)
{
    drm_panfrost_write(drm, PANFROST_GPU_INT_MASK, 0);
    drm_panfrost_write(drm, PANFROST_GPU_INT_CLEAR, PANFROST_GPU_IRQ_RESET);
    drm_panfrost_write(drm, PANFROST_GPU_COMMAND, PANFROST_SOFT_RESET);
    bool done = drm_register_read(drm, PANFROST_GPU_INT_RAWSTAT) & PANFROST_GPU_IRQ_RESET;
    if (!done)
        drm_log(drm, "panfrost: the GPU does not end its reset");
    drm_panfrost_write(drm, PANFROST_GPU_INT_CLEAR, PANFROST_GPU_IRQ_ALL);
    drm_panfrost_write(drm, PANFROST_GPU_INT_MASK,
                       PANFROST_GPU_IRQ_FAULTS | PANFROST_GPU_IRQ_SAMPLED | PANFROST_GPU_IRQ_CLEANED);
    return done;
}

static void set_switches(struct drm *drm)
{
    const struct drm_panfrost *panfrost = drm_panfrost_of(drm);
    const struct drm_panfrost_model *model = panfrost->model;
    drm_panfrost_write(drm, PANFROST_SHADER_CONFIG, model->shader_config);
    drm_panfrost_write(drm, PANFROST_TILER_CONFIG,
                       drm_register_read(drm, PANFROST_TILER_CONFIG) | model->tiler_config);
    if (model->jm_config && panfrost->param[PANFROST_PARAM_GPU_REVISION] >= model->jm_config_from)
        drm_panfrost_write(drm, PANFROST_JM_CONFIG, model->jm_config);
}

static bool power_on_part(struct drm *drm, uint32_t command, uint32_t ready, uint64_t cores, const char *what)
{
    drm_panfrost_write(drm, command, (uint32_t)cores);
    bool on = drm_register_read(drm, ready) == (uint32_t)cores;
    if (!on)
        drm_log(drm, "panfrost: no power in the %s", what);
    return on;
}

/* Where there are several L2 caches, the cores of the first are used. */
static bool power_on(struct drm *drm)
{
    const uint64_t *param = drm_panfrost_of(drm)->param;
    uint64_t l2 = param[PANFROST_PARAM_L2_PRESENT];
    uint64_t mask = l2 == 1 ? UINT64_MAX : ~(l2 - 1) & (l2 - 2);
    bool on = power_on_part(drm, PANFROST_L2_PWRON, PANFROST_L2_READY, l2 & mask, "L2 cache");
    on &= power_on_part(drm, PANFROST_SHADER_PWRON, PANFROST_SHADER_READY,
                        param[PANFROST_PARAM_SHADER_PRESENT] & mask, "shader cores");
    on &= power_on_part(drm, PANFROST_TILER_PWRON, PANFROST_TILER_READY, param[PANFROST_PARAM_TILER_PRESENT],
                        "tiler");
    return on;
}

/* What a reset leaves to be done. */
static bool start(struct drm *drm)
{
    set_switches(drm);
    bool on = power_on(drm);
    drm_panfrost_reset_mmu(drm);
    drm_panfrost_write(drm, PANFROST_JOB_INT_CLEAR, PANFROST_ALL_SLOT_IRQS);
    drm_panfrost_write(drm, PANFROST_JOB_INT_MASK, PANFROST_ALL_SLOT_IRQS);
    return on;
}

/* What does not work, the log has said. */
void drm_panfrost_reset(struct drm *drm)
{
    (void)soft_reset(drm);
    (void)start(drm);
}

int drm_panfrost_init(struct drm *drm)
{
    if (!(drm->own = calloc(1, sizeof(struct drm_panfrost))))
        return -ENOMEM;
    if (!soft_reset(drm))
        return -ENODEV;
    read_features(drm);
    return is_usable(drm) && start(drm) ? 0 : -ENODEV;
}

void drm_panfrost_finish(struct drm *drm)
{
    free(drm->own);
    drm->own = NULL;
}

/* ---- faults ---- */

/* As in the kernel its interrupts are off after a fault, until a reset. */
void drm_panfrost_report_gpu_faults(struct drm *drm)
{
    uint32_t pending = drm_register_read(drm, PANFROST_GPU_INT_STAT) & PANFROST_GPU_IRQ_FAULTS;
    if (!pending)
        return;
    uint32_t status = drm_register_read(drm, PANFROST_GPU_FAULT_STATUS);
    drm_log(drm, "panfrost: GPU fault 0x%x at 0x%llx: %s", status,
            (unsigned long long)drm_panfrost_read64(drm, PANFROST_GPU_FAULT_ADDRESS),
            drm_panfrost_exception(status & 0xff));
    drm_panfrost_write(drm, PANFROST_GPU_INT_MASK, 0);
    drm_panfrost_write(drm, PANFROST_GPU_INT_CLEAR, pending);
}

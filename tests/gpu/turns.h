/* A device's turns for tests of one thread, which only say that its worker is at a job: nothing is locked
 * (gpu/turns.h). */
#ifndef VITRAIL_TESTS_GPU_TURNS_H
#define VITRAIL_TESTS_GPU_TURNS_H

#include "gpu/device.h"
#include "gpu/turns.h"

static inline void turns_pass(void *data)
{
    (void)data;
}

/* From here on the units of the mask `working` are at jobs. */
static inline void turns_begin(const struct gpu_device *gpu, uint32_t working)
{
    static const struct gpu_turns no_locks = {.leave = turns_pass, .enter = turns_pass};
    gpu->host->turns = &no_locks;
    gpu->host->working = working;
}

/* They have ended them; what was posted is done. */
static inline void turns_end(const struct gpu_device *gpu)
{
    gpu->host->working = 0;
    gpu_device_work(gpu, true);
}

#endif

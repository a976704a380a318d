/* What cannot be used, kept. */
#include "gpu/mali/refusals.h"

bool mali_refuse(struct mali_refusals *refusals, struct mali_stop *stop, const struct mali_stop **out)
{
    if (stop->exception == MALI_ACTIVE || stop->exception == MALI_OOM)
        return false;
    if (refusals->count < MALI_REFUSALS_MOST) {
        struct mali_stop *kept = util_arena_alloc(refusals->arena, sizeof *kept);
        if (!kept)
            return mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, "job manager", stop->address,
                                 "no host memory for descriptors");
        *kept = *stop;
        refusals->last = kept;
        refusals->count++;
    }
    *out = refusals->last;
    *stop = (struct mali_stop){0};
    return true;
}

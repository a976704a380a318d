/* Tile memory: slots of one pool, which jobs hold until they are done. */
#include "drm/vc4/internal.h"

#include <errno.h>

int drm_vc4_take_slot(struct drm *drm)
{
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    int slot = -ENOMEM;
    pthread_mutex_lock(&vc4->slot_lock);
    if (~vc4->slots_used) {
        slot = __builtin_ctz(~vc4->slots_used);
        vc4->slots_used |= 1u << slot;
    }
    pthread_mutex_unlock(&vc4->slot_lock);
    if (slot < 0)
        drm_log(drm, "vc4: out of tile memory");
    return slot;
}

int drm_vc4_reserve_slot(struct drm *drm)
{
    struct drm_vc4 *vc4 = drm_vc4_of(drm);
    if (!vc4->bin_pool) { /* aligned to its size: tile state holds 28-bit addresses */
        int r = drm_bo_create(drm, VC4_BIN_POOL, VC4_BIN_POOL, DRM_BO_KERNEL, &vc4->bin_pool);
        if (r)
            return r;
    }
    return drm_vc4_take_slot(drm);
}

void drm_vc4_free_slots(struct drm_vc4 *vc4, uint32_t slots)
{
    pthread_mutex_lock(&vc4->slot_lock);
    vc4->slots_used &= ~slots;
    pthread_mutex_unlock(&vc4->slot_lock);
}

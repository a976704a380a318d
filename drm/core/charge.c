/* Ceilings: how many of each kind of thing programs may have of a card, together, and how much of the host's
 * memory may stand behind them. Who makes one charges it first and is refused past the ceiling, as the kernel
 * does when it has no memory (or a process no descriptors) left. Guest memory has its own bound, its size. */
#include "drm/core/charge.h"

#include <errno.h>

#include "drm/core/card.h"

static const struct {
    uint64_t most;
    int error;
} ceilings[DRM_KINDS] = {
    [DRM_UNCOUNTED] = {UINT64_MAX, 0},         [DRM_FILES] = {DRM_FILES_MAX, -EMFILE},
    [DRM_NUMBERS] = {1 << 20, -ENOMEM},        /* places in tables of handles and the like, 8 bytes each */
    [DRM_HANDLES] = {1 << 18, -ENOMEM},        /* of buffers */
    [DRM_BUFFERS] = {1 << 17, -ENOMEM},        /* purged ones too, and the driver's own */
    [DRM_PROGRAM_BYTES] = {64 << 20, -ENOMEM}, /* what is known of checked programs */
    [DRM_EXPORTS] = {1024, -EMFILE},           /* dma-bufs and sync objects of which descriptors are open */
    [DRM_SYNCS] = {1 << 16, -ENOMEM},          /* handles of sync objects */
    [DRM_SYNC_FILES] = {512, -EMFILE},         /* of fences not signalled yet, two descriptors each */
    [DRM_FRAMEBUFFERS] = {4096, -ENOMEM},      [DRM_BLOBS] = {4096, -ENOMEM},
    [DRM_BLOB_BYTES] = {16 << 20, -ENOMEM},    [DRM_OWN_OBJECTS] = {4096, -ENOMEM},
    [DRM_JOB_BYTES] = {512 << 20, -ENOMEM}, /* of submissions under way: of jobs there are DRM_QUEUE_DEPTH */
};

uint64_t drm_ceiling(enum drm_kind kind)
{
    return ceilings[kind].most;
}

int drm_charge(struct drm *drm, enum drm_kind kind, uint64_t amount)
{
    if (amount > ceilings[kind].most - drm->charged[kind])
        return ceilings[kind].error;
    drm->charged[kind] += amount;
    return 0;
}

void drm_uncharge(struct drm *drm, enum drm_kind kind, uint64_t amount)
{
    drm->charged[kind] -= amount;
}

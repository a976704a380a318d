/* Ceilings: how many of each kind of thing programs may have of a card, together. */
#ifndef VITRAIL_DRM_CORE_CHARGE_H
#define VITRAIL_DRM_CORE_CHARGE_H

#include <stdint.h>

struct drm;

enum drm_kind {
    DRM_UNCOUNTED, /* bounded by something else */
    DRM_FILES,
    DRM_NUMBERS,
    DRM_HANDLES,
    DRM_BUFFERS,
    DRM_PROGRAM_BYTES,
    DRM_EXPORTS,
    DRM_SYNCS,
    DRM_SYNC_FILES,
    DRM_FRAMEBUFFERS,
    DRM_BLOBS,
    DRM_BLOB_BYTES,
    DRM_OWN_OBJECTS, /* what a driver gives numbers to: contexts of lima, monitors of vc4 */
    DRM_JOB_BYTES,
    DRM_KINDS
};
/* A file has two descriptors of the server, and whoever waits for all files has place for so many. */
#define DRM_FILES_MAX 512
uint64_t drm_ceiling(enum drm_kind kind);
/* Before something is made, and after it is gone; the card is locked. 0, or what programs are told past the
 * ceiling: -ENOMEM, -EMFILE. */
int drm_charge(struct drm *drm, enum drm_kind kind, uint64_t amount);
void drm_uncharge(struct drm *drm, enum drm_kind kind, uint64_t amount);

#endif

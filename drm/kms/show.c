/* What is pending is shown: the picture, and the events that say so. */
#include "drm/kms/internal.h"

#include "drm/core/event.h"

int drm_kms_reserve_event(struct drm_file *file)
{
    return drm_event_reserve(file, sizeof(struct drm_event_vblank));
}

void drm_kms_cancel_event(struct drm_file *file)
{
    drm_event_cancel(file, sizeof(struct drm_event_vblank));
}

static void send_event(struct drm_file *file, uint32_t type, const struct drm_kms_vblank *at,
                       uint64_t user_data)
{
    struct drm_event_vblank event = {.base = {type, sizeof event},
                                     .user_data = user_data,
                                     .tv_sec = (uint32_t)(at->ns / 1000000000),
                                     .tv_usec = (uint32_t)(at->ns % 1000000000 / 1000),
                                     .sequence = (uint32_t)at->sequence,
                                     .crtc_id = KMS_CRTC};
    drm_event_send(file, &event, sizeof event);
}

void drm_kms_tell_vblank(struct drm_file *file, const struct drm_kms_vblank *at, bool of_crtc,
                         uint64_t user_data)
{
    struct drm_event_crtc_sequence event = {.base = {DRM_EVENT_CRTC_SEQUENCE, sizeof event},
                                            .user_data = user_data,
                                            .time_ns = (int64_t)at->ns,
                                            .sequence = at->sequence};
    _Static_assert(sizeof event == sizeof(struct drm_event_vblank), "one reservation is for both");
    if (of_crtc)
        drm_event_send(file, &event, sizeof event);
    else
        send_event(file, DRM_EVENT_VBLANK, at, user_data);
}

void drm_kms_show(struct drm *drm, const struct drm_kms_vblank *at)
{
    struct drm_kms *kms = drm->kms;
    kms->pending = false;
    if (kms->flip.file)
        send_event(kms->flip.file, DRM_EVENT_FLIP_COMPLETE, at, kms->flip.user_data);
    kms->sequence++;
    drm_kms_present(drm);
}

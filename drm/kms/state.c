/* The state in use: how it is changed, and that it is shown when the jobs that draw it are done. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <time.h>

#include "drm/core/event.h"

void drm_kms_set_rectangles(struct drm_kms_state *state, uint32_t x, uint32_t y)
{
    uint32_t w = state->mode.hdisplay, h = state->mode.vdisplay;
    state->src[0] = x << 16;
    state->src[1] = y << 16;
    state->src[2] = w << 16;
    state->src[3] = h << 16;
    state->dst[0] = state->dst[1] = 0;
    state->dst[2] = (int32_t)w;
    state->dst[3] = (int32_t)h;
}

int drm_kms_check_state(const struct drm_kms_state *state)
{
    if (state->active && (!state->has_mode || state->connector_crtc != KMS_CRTC))
        return -EINVAL;
    if (!state->fb != !state->plane_crtc)
        return -EINVAL;
    if (!state->fb)
        return 0;
    uint64_t right = (uint64_t)state->src[0] + state->src[2],
             bottom = (uint64_t)state->src[1] + state->src[3];
    if (right > (uint64_t)state->fb->width << 16 || bottom > (uint64_t)state->fb->height << 16)
        return -ENOSPC;
    return 0;
}

/* ---- events ---- */

int drm_kms_reserve_event(struct drm_file *file)
{
    return drm_event_reserve(file, sizeof(struct drm_event_vblank));
}

void drm_kms_cancel_event(struct drm_file *file)
{
    drm_event_cancel(file, sizeof(struct drm_event_vblank));
}

void drm_kms_send_event(struct drm_file *file, uint32_t type, uint64_t user_data)
{
    struct drm_kms *kms = file->drm->kms;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct drm_event_vblank event = {.base = {type, sizeof event},
                                     .user_data = user_data,
                                     .tv_sec = (uint32_t)now.tv_sec,
                                     .tv_usec = (uint32_t)(now.tv_nsec / 1000),
                                     .sequence = (uint32_t)kms->sequence,
                                     .crtc_id = KMS_CRTC};
    drm_event_send(file, &event, sizeof event);
}

/* ---- commits ---- */

static void jobs_done(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms || !kms->pending || !drm_fence_done(drm, kms->flip.fence))
        return;
    kms->pending = false;
    if (kms->flip.file)
        drm_kms_send_event(kms->flip.file, DRM_EVENT_FLIP_COMPLETE, kms->flip.user_data);
    kms->sequence++;
    drm_kms_present(drm);
}

void drm_kms_commit(struct drm *drm, const struct drm_kms_state *next, const struct drm_kms_flip *flip)
{
    struct drm_kms *kms = drm->kms;
    struct drm_kms_fb *old = kms->state.fb;
    if (next->fb)
        next->fb->object.refs++;
    kms->state = *next;
    if (old)
        drm_kms_object_put(drm, &old->object);
    kms->flip = flip ? *flip : (struct drm_kms_flip){0};
    if (next->fb)
        kms->flip.fence = UTIL_MAX(kms->flip.fence, next->fb->bo->write_seqno);
    kms->pending = true;
    jobs_done(drm);
}

static uint64_t awaits(const struct drm *drm)
{
    return drm->kms->pending ? drm->kms->flip.fence : 0;
}

void drm_kms_flush(struct drm *drm)
{
    while (drm->kms->pending)
        drm_fence_wait(drm, drm->kms->flip.fence);
}

const struct drm_display drm_kms_display = {jobs_done, awaits, drm_kms_count_shown};

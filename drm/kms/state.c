/* The state in use: how it is changed, and that it is shown when the jobs that draw it are done. */
#include "drm/kms/internal.h"

#include <errno.h>

void drm_kms_set_rectangles(struct drm_kms_state *state, uint32_t x, uint32_t y)
{
    uint32_t w = state->mode.hdisplay, h = state->mode.vdisplay;
    state->primary.src[0] = x << 16;
    state->primary.src[1] = y << 16;
    state->primary.src[2] = w << 16;
    state->primary.src[3] = h << 16;
    state->primary.dst[0] = state->primary.dst[1] = 0;
    state->primary.dst[2] = (int32_t)w;
    state->primary.dst[3] = (int32_t)h;
}

static int check_plane(const struct drm_kms_plane *plane)
{
    if (!plane->fb != !plane->crtc)
        return -EINVAL;
    if (!plane->fb)
        return 0;
    uint64_t right = (uint64_t)plane->src[0] + plane->src[2],
             bottom = (uint64_t)plane->src[1] + plane->src[3];
    if (right > (uint64_t)plane->fb->width << 16 || bottom > (uint64_t)plane->fb->height << 16)
        return -ENOSPC;
    return 0;
}

/* It is neither scaled nor without alpha. */
static int check_cursor(const struct drm_kms_plane *cursor)
{
    if (!cursor->fb)
        return 0;
    for (unsigned i = 2; i < 4; i++)
        if (cursor->dst[i] < 0 || cursor->src[i] != (uint64_t)cursor->dst[i] << 16)
            return -ERANGE;
    for (unsigned i = 0; i < KMS_CURSOR_FORMATS; i++)
        if (drm_kms_cursor_formats[i] == cursor->fb->format)
            return 0;
    return -EINVAL;
}

int drm_kms_check_state(const struct drm_kms_state *state)
{
    if (state->active && (!state->has_mode || state->connector_crtc != KMS_CRTC))
        return -EINVAL;
    int r = check_plane(&state->primary);
    if (!r)
        r = check_plane(&state->cursor);
    return r ? r : check_cursor(&state->cursor);
}

void drm_kms_hold(const struct drm_kms_state *state)
{
    if (state->primary.fb)
        state->primary.fb->object.refs++;
    if (state->cursor.fb)
        state->cursor.fb->object.refs++;
}

void drm_kms_let_go(struct drm *drm, const struct drm_kms_state *state)
{
    if (state->primary.fb)
        drm_kms_object_put(drm, &state->primary.fb->object);
    if (state->cursor.fb)
        drm_kms_object_put(drm, &state->cursor.fb->object);
}

uint64_t drm_kms_drawn(const struct drm_kms_state *state)
{
    uint64_t fence = state->primary.fb ? state->primary.fb->bo->write_seqno : 0;
    return state->cursor.fb ? UTIL_MAX(fence, state->cursor.fb->bo->write_seqno) : fence;
}

/* ---- events ---- */

/* ---- commits ---- */

static void jobs_done(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms || !kms->pending || !drm_fence_done(drm, kms->flip.fence) || drm_kms_clock_defers(kms))
        return;
    const struct drm_kms_vblank now = drm_kms_last_vblank(kms);
    drm_kms_show(drm, &now);
}

void drm_kms_commit(struct drm *drm, const struct drm_kms_state *next, const struct drm_kms_flip *flip)
{
    struct drm_kms *kms = drm->kms;
    const struct drm_kms_state old = kms->state;
    drm_kms_hold(next);
    kms->state = *next;
    drm_kms_let_go(drm, &old);
    kms->flip = flip ? *flip : (struct drm_kms_flip){0};
    kms->flip.fence = UTIL_MAX(kms->flip.fence, drm_kms_drawn(next));
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
        if (!drm_fence_done(drm, drm->kms->flip.fence))
            drm_fence_wait(drm, drm->kms->flip.fence);
        else if (drm->kms->clock.rate)
            drm_kms_await_shown(drm);
        else
            jobs_done(drm);
}

const struct drm_display drm_kms_display = {jobs_done, awaits, drm_kms_count_shown};

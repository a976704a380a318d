/* The console's picture: what the display shows before a program sets a mode and after the last one has gone,
 * as the kernel's fbdev emulation does (drm_fb_helper.c). Programs read the CRTC at their start to put it
 * back at their end, which needs a mode and a framebuffer to put back. */
#include "drm/kms/internal.h"

#include <errno.h>
#include <stdlib.h>

static int create(struct drm *drm, const struct drm_mode_modeinfo *mode, struct drm_kms_fb **out)
{
    uint32_t width = mode->hdisplay, height = mode->vdisplay;
    struct drm_kms_fb *fb = calloc(1, sizeof *fb);
    if (!fb)
        return -ENOMEM;
    fb->width = width;
    fb->height = height;
    fb->pitch = width * 4;
    fb->format = DRM_FORMAT_XRGB8888;
    fb->layout = drm_kms_layout_find(drm, DRM_FORMAT_MOD_LINEAR);
    int r = drm_bo_create(drm, (uint64_t)fb->pitch * height, GPU_PAGE, DRM_BO_DUMB, &fb->bo);
    if (r) {
        free(fb);
        return r;
    }
    fb->bo->users++;
    fb->object.type = KMS_FRAMEBUFFER;
    fb->object.refs = 1;
    r = drm_kms_fb_number(drm, fb);
    if (r) {
        drm_bo_put(fb->bo);
        free(fb);
        return r;
    }
    *out = fb;
    return 0;
}

void drm_kms_console_show(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms->console)
        return;
    struct drm_kms_state next = {.primary = {.fb = kms->console, .crtc = KMS_CRTC},
                                 .connector_crtc = KMS_CRTC,
                                 .active = true,
                                 .has_mode = true,
                                 .mode = kms->mode[0]};
    drm_kms_set_rectangles(&next, 0, 0);
    drm_kms_commit(drm, &next, NULL);
}

int drm_kms_console_init(struct drm *drm)
{
    int r = create(drm, &drm->kms->mode[0], &drm->kms->console);
    if (r == -ENOMEM) /* a card with little memory starts dark */
        return 0;
    if (!r)
        drm_kms_console_show(drm);
    return r;
}

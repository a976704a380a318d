/* The cursor by the older calls: a buffer of a file, and where it stands (drm_mode_cursor_universal of the kernel's
 * drm_plane.c). */
#include "drm/kms/internal.h"

#include <errno.h>

/* Another picture; NULL: none. */
static void set_picture(struct drm *drm, struct drm_kms_fb *fb)
{
    struct drm_kms_plane *cursor = &drm->kms->state.cursor;
    if (cursor->fb)
        drm_kms_object_put(drm, &cursor->fb->object);
    cursor->fb = fb;
    cursor->crtc = fb ? KMS_CRTC : 0;
    cursor->src[0] = cursor->src[1] = 0;
    cursor->dst[2] = fb ? (int32_t)fb->width : 0;
    cursor->dst[3] = fb ? (int32_t)fb->height : 0;
    cursor->src[2] = (uint32_t)cursor->dst[2] << 16;
    cursor->src[3] = (uint32_t)cursor->dst[3] << 16;
}

/* The buffer's rows follow each other. */
static int read_picture(struct drm_file *file, const struct drm_mode_cursor2 *c, struct drm_kms_fb **out)
{
    *out = NULL;
    if (!c->handle)
        return 0;
    if (c->width > KMS_CURSOR_SIDE || c->height > KMS_CURSOR_SIDE)
        return -EINVAL;
    const struct drm_kms_fb wanted = {
        .width = c->width, .height = c->height, .pitch = c->width * 4, .format = DRM_FORMAT_ARGB8888};
    return drm_kms_fb_create(file, &wanted, c->handle, DRM_FORMAT_MOD_LINEAR, NULL, out);
}

int drm_kms_cursor(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_mode_cursor2 *c = argument;
    struct drm_kms_plane *cursor = &file->drm->kms->state.cursor;
    if (!c->flags || c->flags & ~(uint32_t)DRM_MODE_CURSOR_FLAGS)
        return -EINVAL;
    if (c->crtc_id != KMS_CRTC)
        return -ENOENT;
    if (c->flags & DRM_MODE_CURSOR_BO) {
        struct drm_kms_fb *fb;
        int r = read_picture(file, c, &fb);
        if (r)
            return r;
        set_picture(file->drm, fb);
    }
    if (c->flags & DRM_MODE_CURSOR_MOVE) {
        cursor->dst[0] = c->x;
        cursor->dst[1] = c->y;
    }
    return 0;
}

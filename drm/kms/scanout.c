/* What the display shows: the plane's part of its framebuffer, as a picture file and as a frame mark in the
 * capture. */
#include "drm/kms/internal.h"

#include "drm/core/log.h"
#include "gpu/picture.h"
#include "raster/surface.h"
#include "util/frames.h"

static bool red_first(uint32_t format)
{
    return format == DRM_FORMAT_XBGR8888 || format == DRM_FORMAT_ABGR8888;
}

static uint32_t stride_of(const struct drm_kms_fb *fb)
{
    return fb->pitch / fb->layout->pitch_unit;
}

/* The whole framebuffer. */
static struct capture_frame frame_of(const struct drm_kms_fb *fb)
{
    return (struct capture_frame){
        .address = (uint32_t)fb->bo->offset + fb->offset,
        .width = fb->width,
        .height = fb->height,
        .layout = fb->layout->layout,
        .format = drm_kms_format_bytes(fb->format) == 2 ? RASTER_B5G6R5_UNORM
                  : red_first(fb->format)               ? RASTER_R8G8B8A8_UNORM
                                                        : RASTER_B8G8R8A8_UNORM,
        .stride = stride_of(fb),
        .presented = 1,
    };
}

/* Its bytes are kept, for the program draws into it again. Who made the card asks at the end whether all
 * could be written; that one could not is said at once, too. */
static void write_picture(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    const uint32_t *src = kms->state.src;
    const struct raster_rect plane = {src[0] >> 16, src[1] >> 16, (src[0] + src[2]) >> 16,
                                      (src[1] + src[3]) >> 16};
    const struct capture_frame frame = frame_of(kms->state.fb);
    struct util_error error = {0};
    if (kms->frames_failed || !util_frames_wants(drm->options.frames, kms->frames))
        return;
    kms->frames_failed = util_frames_add(drm->options.frames, kms->frames,
                                         gpu_picture_keep(drm->memory, &frame, &plane), gpu_picture_draw);
    if (kms->frames_failed && util_frames_flush(drm->options.frames, &error))
        drm_log(drm, "no more pictures are written: %s", error.text);
}

static void mark_frame(struct drm *drm)
{
    const struct drm_kms_fb *fb = drm->kms->state.fb;
    const struct capture_frame frame = frame_of(fb);
    capture_write_range(drm->options.capture, drm->memory, fb->bo->offset, fb->bo->size);
    capture_write_frame(drm->options.capture, &frame);
    capture_flush(drm->options.capture);
    capture_offer_restart(drm->options.capture, drm->memory);
}

void drm_kms_present(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms->state.fb || kms->state.fb == kms->console || !kms->state.active ||
        kms->state.fb->bo->need == DRM_BO_PURGED)
        return;
    kms->frames++;
    if (drm->options.capture)
        mark_frame(drm);
    if (drm->options.frames)
        write_picture(drm);
}

/* What the display shows: the primary plane's part of its framebuffer with the cursor over it as a picture file, and the
 * primary plane alone as a frame mark in the capture. */
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

static struct raster_rect part_of(const struct drm_kms_plane *plane)
{
    const uint32_t *src = plane->src;
    return (struct raster_rect){(int32_t)(src[0] >> 16), (int32_t)(src[1] >> 16),
                                (int32_t)((src[0] + src[2]) >> 16), (int32_t)((src[1] + src[3]) >> 16)};
}

/* False: there is none. */
static bool place_cursor(const struct drm_kms_state *state, struct gpu_picture_over *out)
{
    const struct drm_kms_plane *cursor = &state->cursor;
    if (!cursor->fb || cursor->fb->bo->need == DRM_BO_PURGED)
        return false;
    *out = (struct gpu_picture_over){.frame = frame_of(cursor->fb),
                                     .part = part_of(cursor),
                                     .x = (int64_t)cursor->dst[0] - state->primary.dst[0],
                                     .y = (int64_t)cursor->dst[1] - state->primary.dst[1]};
    return true;
}

/* Its bytes, for the program draws into it again. */
static void *keep_picture(const struct drm *drm)
{
    const struct drm_kms_state *state = &drm->kms->state;
    const struct capture_frame frame = frame_of(state->primary.fb);
    const struct raster_rect part = part_of(&state->primary);
    struct gpu_picture_over cursor;
    const bool has_cursor = place_cursor(state, &cursor);
    return gpu_picture_keep_with(drm->memory, &frame, &part, has_cursor ? &cursor : NULL);
}

/* Who made the card asks at the end whether all could be written; that one could not is said at once, too. */
static void write_picture(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    struct util_error error = {0};
    if (kms->frames_failed || !util_frames_wants(drm->options.frames, kms->frames))
        return;
    kms->frames_failed =
        util_frames_add(drm->options.frames, kms->frames, keep_picture(drm), gpu_picture_draw);
    if (kms->frames_failed && util_frames_flush(drm->options.frames, &error))
        drm_log(drm, "no more pictures are written: %s", error.text);
}

static void mark_frame(struct drm *drm)
{
    const struct drm_kms_fb *fb = drm->kms->state.primary.fb;
    const struct capture_frame frame = frame_of(fb);
    capture_write_range(drm->options.capture, drm->memory, fb->bo->offset, fb->bo->size);
    capture_write_frame(drm->options.capture, &frame);
    capture_flush(drm->options.capture);
    capture_offer_restart(drm->options.capture, drm->memory);
}

void drm_kms_present(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    if (!kms->state.primary.fb || kms->state.primary.fb == kms->console || !kms->state.active ||
        kms->state.primary.fb->bo->need == DRM_BO_PURGED)
        return;
    kms->frames++;
    if (drm->options.capture)
        mark_frame(drm);
    if (drm->options.frames)
        write_picture(drm);
    if (drm->options.screen.show)
        drm->options.screen.show(drm->options.screen.data, keep_picture(drm));
}

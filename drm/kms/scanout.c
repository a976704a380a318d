/* What the display shows: the plane's part of its framebuffer, as a picture file and as a frame mark in the
 * capture. */
#include "drm/kms/internal.h"

#include <stdio.h>

#include "drm/core/log.h"
#include "raster/surface.h"
#include "util/image.h"

static bool red_first(uint32_t format)
{
    return format == DRM_FORMAT_XBGR8888 || format == DRM_FORMAT_ABGR8888;
}

/* R, G, B of a pixel as the format stores it. */
static void put_pixel(uint8_t out[4], uint32_t format, const uint8_t *in)
{
    out[3] = 255;
    if (format == DRM_FORMAT_RGB565) {
        uint32_t v = util_load16(in), r = v >> 11, g = v >> 5 & 63, b = v & 31;
        out[0] = (uint8_t)(r << 3 | r >> 2);
        out[1] = (uint8_t)(g << 2 | g >> 4);
        out[2] = (uint8_t)(b << 3 | b >> 2);
        return;
    }
    out[0] = in[red_first(format) ? 0 : 2];
    out[1] = in[1];
    out[2] = in[red_first(format) ? 2 : 0];
}

static uint32_t stride_of(const struct drm_kms_fb *fb)
{
    return fb->pitch / fb->layout->pitch_unit;
}

static int picture(const struct drm_kms_state *state, struct util_image *image)
{
    const struct drm_kms_fb *fb = state->fb;
    const uint8_t *bytes = drm_bo_bytes(fb->bo);
    uint32_t left = state->src[0] >> 16, top = state->src[1] >> 16, cpp = drm_kms_format_bytes(fb->format);
    int r = bytes ? util_image_init(image, state->src[2] >> 16, state->src[3] >> 16) : -1;
    if (r)
        return r;
    enum raster_layout layout = (enum raster_layout)fb->layout->layout;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            put_pixel(image->pixels + 4 * ((size_t)y * image->width + x), fb->format,
                      bytes + fb->offset +
                          raster_texel_offset(layout, cpp, stride_of(fb), left + x, top + y));
    return 0;
}

static void write_picture(struct drm *drm)
{
    struct drm_kms *kms = drm->kms;
    struct util_image image = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/frame-%06llu.png", drm->options.frames, (unsigned long long)kms->frames);
    int r = picture(&kms->state, &image);
    if (!r)
        r = util_image_write_png(&image, path, 0);
    if (r)
        drm_log(drm, "cannot write %s: %s", path, strerror(-r));
    util_image_finish(&image);
}

static void mark_frame(struct drm *drm)
{
    const struct drm_kms_fb *fb = drm->kms->state.fb;
    capture_write_range(drm->options.capture, drm->memory, fb->bo->offset, fb->bo->size);
    capture_write_frame(drm->options.capture,
                        &(struct capture_frame){
                            .address = (uint32_t)fb->bo->offset + fb->offset,
                            .width = fb->width,
                            .height = fb->height,
                            .layout = fb->layout->layout,
                            .format = drm_kms_format_bytes(fb->format) == 2 ? RASTER_B5G6R5_UNORM
                                      : red_first(fb->format)               ? RASTER_R8G8B8A8_UNORM
                                                                            : RASTER_B8G8R8A8_UNORM,
                            .stride = stride_of(fb),
                            .presented = 1,
                        });
    capture_flush(drm->options.capture);
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

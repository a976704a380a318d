/* Pictures out of guest memory. */
#include <inttypes.h>
#include <errno.h>
#include <string.h>

#include "api/internal.h"
#include "gpu/picture.h"
#include "raster/surface.h"
#include "util/bits.h"
#include "util/checked.h"

static const uint32_t layouts[] = {[VITRAIL_LAYOUT_LINEAR] = RASTER_LINEAR,
                                   [VITRAIL_LAYOUT_VC4_T] = RASTER_VC4_T,
                                   [VITRAIL_LAYOUT_VC4_LT] = RASTER_VC4_LT,
                                   [VITRAIL_LAYOUT_UTGARD] = RASTER_UTGARD_TILED};

static const uint32_t formats[] = {[VITRAIL_PIXELS_BGRA8888] = RASTER_B8G8R8A8_UNORM,
                                   [VITRAIL_PIXELS_RGBA8888] = RASTER_R8G8B8A8_UNORM,
                                   [VITRAIL_PIXELS_RGB565] = RASTER_B5G6R5_UNORM,
                                   [VITRAIL_PIXELS_RGBA16F] = RASTER_R16G16B16A16_FLOAT};

static uint32_t public_layout(uint32_t layout)
{
    uint32_t n = 0;
    while (n < UTIL_ARRAY_SIZE(layouts) && layouts[n] != layout)
        n++;
    return n;
}

static uint32_t public_pixels(uint32_t format)
{
    for (uint32_t n = 0; n < UTIL_ARRAY_SIZE(formats); n++)
        if (formats[n] == format)
            return n;
    return VITRAIL_PIXELS_OTHER;
}

void api_frame_out(const struct capture_frame *frame, struct vitrail_frame *out)
{
    *out = (struct vitrail_frame){.size = sizeof *out,
                                  .address = frame->address,
                                  .width = frame->width,
                                  .height = frame->height,
                                  .layout = public_layout(frame->layout),
                                  .pixels = public_pixels(frame->format),
                                  .stride = frame->stride,
                                  .presented = frame->presented};
}

/* 0, -EINVAL or -ENOTSUP. */
static int frame_in(struct vitrail_context *context, const struct vitrail_frame *frame,
                    struct capture_frame *out)
{
    struct vitrail_frame known = {0};
    int code = api_take(&known, frame, sizeof known, sizeof known);
    if (code)
        return code;
    if (known.pixels == VITRAIL_PIXELS_OTHER)
        return api_fail(context, -ENOTSUP, "pixels: stored in a way that has no name here");
    if (known.pixels >= UTIL_ARRAY_SIZE(formats) || known.layout >= UTIL_ARRAY_SIZE(layouts))
        return api_fail(context, -EINVAL, "no pixels %u or no layout %u", known.pixels, known.layout);
    *out = (struct capture_frame){.address = known.address,
                                  .width = known.width,
                                  .height = known.height,
                                  .layout = layouts[known.layout],
                                  .format = formats[known.pixels],
                                  .stride = known.stride};
    return 0;
}

int vitrail_last_frame(struct vitrail_context *context, struct vitrail_frame *out)
{
    int code = api_enter(context);
    if (code)
        return code;
    struct capture_frame stored;
    struct vitrail_frame frame;
    if (!out) {
        code = api_fail(context, -EINVAL, "out is NULL");
    } else if (!gpu_host_frame(context->device.host, &stored)) {
        code = api_fail(context, -ENODATA, "nothing was rendered yet");
    } else {
        api_frame_out(&stored, &frame);
        code = api_give(out, &frame, sizeof frame, sizeof frame);
    }
    api_leave(context);
    return code;
}

/* Room for the rows: the last one needs no full stride. */
static int check_room(struct vitrail_context *context, const struct capture_frame *frame, uint32_t bytes,
                      size_t stride, size_t size)
{
    uint64_t row = (uint64_t)frame->width * bytes, all;
    if (!frame->width || !frame->height)
        return api_fail(context, -EINVAL, "a frame of %ux%u pixels", frame->width, frame->height);
    if (stride < row)
        return api_fail(context, -EINVAL, "stride %zu is less than a row's %llu bytes", stride,
                        (unsigned long long)row);
    if (!util_mul(stride, frame->height - 1, &all) || !util_add(all, row, &all))
        return api_fail(context, -EINVAL, "stride %zu overflows", stride);
    return all <= size ? 0
                       : api_fail(context, -ERANGE, "room for %zu bytes, %llu are needed", size,
                                  (unsigned long long)all);
}

static int read_rgba8(struct vitrail_context *context, const struct capture_frame *frame, uint8_t *to,
                      size_t stride)
{
    struct util_image image;
    int code = gpu_picture(&context->memory, frame, &image);
    if (code)
        return code;
    for (uint32_t y = 0; y < image.height; y++)
        memcpy(to + y * stride, image.pixels + (size_t)y * image.width * 4, (size_t)image.width * 4);
    util_image_finish(&image);
    return 0;
}

int vitrail_read_frame(struct vitrail_context *context, const struct vitrail_frame *frame, int as, void *to,
                       size_t stride, size_t to_size)
{
    int code = api_enter(context);
    if (code)
        return code;
    struct capture_frame inner;
    bool raw = as == VITRAIL_READ_RAW;
    if (!frame || !to)
        code = api_fail(context, -EINVAL, "%s is NULL", frame ? "to" : "frame");
    else if (!raw && as != VITRAIL_READ_RGBA8)
        code = api_fail(context, -EINVAL, "no way %d to read a frame", as);
    else
        code = frame_in(context, frame, &inner);
    if (!code)
        code = check_room(context, &inner, raw ? gpu_picture_bytes(&inner) : 4, stride, to_size);
    if (!code) {
        code = raw ? gpu_picture_raw(&context->memory, &inner, to, stride)
                   : read_rgba8(context, &inner, to, stride);
        if (code)
            api_fail(context, code, "a frame of %ux%u pixels at 0x%" PRIx64 ": %s", inner.width, inner.height,
                     inner.address, vitrail_strerror(code));
    }
    api_leave(context);
    return code;
}

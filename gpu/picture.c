/* From an image's layout and format to rows of pixels. */
#include "gpu/picture.h"

#include <errno.h>
#include <string.h>

#include "raster/output.h"
#include "util/bits.h"

#define PICTURE_MAX 16384u /* util/image.h */

/* A pixel of the frame: of colours whose pixels stand each for itself in whole bytes. */
static const struct raster_texel *texel_of(const struct capture_frame *frame)
{
    const struct raster_texel *none = &raster_texels[RASTER_FORMAT_NONE];
    if (frame->format >= RASTER_FORMAT_COUNT)
        return none;
    const struct raster_texel *texel = &raster_texels[frame->format];
    return raster_targets_is_color((enum raster_format)frame->format) ? texel : none;
}

uint32_t gpu_picture_bytes(const struct capture_frame *frame)
{
    return texel_of(frame)->bits / 8u;
}

/* The frame's memory as a surface, checked: 0, -EFAULT or -EINVAL. */
static int find_surface(const struct gpu_memory *memory, const struct capture_frame *frame,
                        struct raster_surface *surface)
{
    *surface = (struct raster_surface){.width = frame->width,
                                       .height = frame->height,
                                       .layout = frame->layout,
                                       .format = frame->format,
                                       .stride = frame->stride};
    uint64_t bytes;
    if (!frame->width || !frame->height || frame->width > PICTURE_MAX || frame->height > PICTURE_MAX ||
        !gpu_picture_bytes(frame) || !raster_targets_image_size(surface, &bytes))
        return -EINVAL;
    surface->base = gpu_memory_at(memory, frame->address, bytes);
    return surface->base ? 0 : -EFAULT;
}

/* Integers as bytes, as far as they are such. */
static uint32_t bytes_of(const struct raster_texel *texel, bool is_signed, const uint32_t channel[4])
{
    uint32_t word = 0;
    for (unsigned c = 0; c < 4; c++) {
        uint32_t value = is_signed && channel[c] > INT32_MAX ? 0 : UTIL_MIN(channel[c], 255u);
        word |= (c == 3 && texel->from[3] >= RASTER_FROM_ZERO ? 255 : value) << 8 * c;
    }
    return word;
}

/* Of bytes as they are; of other numbers cut to 0..1 and rounded. */
static uint32_t rgba_of(const struct raster_texel *texel, const uint8_t *from)
{
    uint32_t word[4] = {0}, channel[4];

    memcpy(word, from, texel->bits / 8u);
    if (texel == &raster_texels[RASTER_R8G8B8A8_UNORM])
        return word[0];
    if (texel == &raster_texels[RASTER_B8G8R8A8_UNORM])
        return (word[0] & 0xff00ff00u) | (word[0] & 0xff) << 16 | (word[0] >> 16 & 0xff);
    if (raster_texel_is_8888(texel))
        return raster_texel_sampled(texel, word[0]);
    raster_texel_unpack(texel, word, channel);
    if (raster_output_is_integer((enum raster_format)(texel - raster_texels)))
        return bytes_of(texel, raster_texel_kind(texel, 0) == RASTER_KIND_SINT, channel);
    raster_texel_pack(&raster_texels[RASTER_R8G8B8A8_UNORM], channel, word);
    return word[0];
}

static int convert(const struct raster_surface *surface, const struct raster_texel *texel,
                   struct util_image *out)
{
    int error = util_image_init(out, surface->width, surface->height);
    if (error)
        return error;
    uint8_t *to = out->pixels;
    for (uint32_t y = 0; y < surface->height; y++)
        for (uint32_t x = 0; x < surface->width; x++, to += 4)
            util_store32(to, rgba_of(texel, surface->base + raster_surface_offset(surface, x, y)));
    return 0;
}

int gpu_picture(const struct gpu_memory *memory, const struct capture_frame *frame, struct util_image *out)
{
    struct raster_surface surface;
    int error = find_surface(memory, frame, &surface);
    return error ? error : convert(&surface, texel_of(frame), out);
}

void gpu_picture_pixel(const struct capture_frame *frame, const uint8_t *pixel, uint8_t rgba[4])
{
    uint8_t row[16] = {0};
    const struct raster_surface surface = {
        .base = row, .width = 1, .height = 1, .format = frame->format, .stride = sizeof row};
    struct util_image image = {0};
    memset(rgba, 0, 4);
    memcpy(row, pixel, gpu_picture_bytes(frame));
    if (!convert(&surface, texel_of(frame), &image))
        memcpy(rgba, image.pixels, 4);
    util_image_finish(&image);
}

int gpu_picture_raw(const struct gpu_memory *memory, const struct capture_frame *frame, uint8_t *to,
                    size_t stride)
{
    struct raster_surface surface;
    int error = find_surface(memory, frame, &surface);
    if (error)
        return error;
    uint32_t bytes = gpu_picture_bytes(frame);
    for (uint32_t y = 0; y < frame->height; y++) {
        for (uint32_t x = 0; x < frame->width; x++) {
            memcpy(to + y * stride + (size_t)x * bytes, surface.base + raster_surface_offset(&surface, x, y),
                   bytes);
        }
    }
    return 0;
}

/* From an image's layout and format to rows of pixels. */
#include "gpu/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "raster/surface.h"
#include "util/bits.h"
#include "util/half.h"

#define PICTURE_MAX 16384u /* util/image.h */
#define TILE        64u

uint32_t gpu_picture_bytes(const struct capture_frame *frame)
{
    switch (frame->format & ~CAPTURE_FRAME_RGBA) {
    case RASTER_SURFACE_RGBA8888: return 4;
    case RASTER_SURFACE_BGR565:
    case RASTER_SURFACE_BGR565_DITHER: return 2;
    case RASTER_SURFACE_RGBA16F: return 8;
    default: return 0;
    }
}

/* Bytes that the surface spans; those of Utgard's tiles no tile buffer stores by itself. */
static bool surface_size(const struct raster_surface *surface, uint32_t pixel_bytes, uint64_t *bytes)
{
    if (surface->layout != RASTER_UTGARD_TILED)
        return raster_surface_size(surface, bytes);
    *bytes = (uint64_t)surface->stride * util_div_up(surface->height, 16) * 256 * pixel_bytes;
    return surface->stride >= util_div_up(surface->width, 16) && *bytes <= UINT32_MAX;
}

/* The frame's memory as a surface, checked: 0, -EFAULT or -EINVAL. */
static int find_surface(const struct gpu_memory *memory, const struct capture_frame *frame,
                        struct raster_surface *surface)
{
    *surface = (struct raster_surface){.width = frame->width,
                                       .height = frame->height,
                                       .layout = frame->layout,
                                       .format = frame->format & ~CAPTURE_FRAME_RGBA,
                                       .stride = frame->stride};
    uint64_t bytes;
    if (!frame->width || !frame->height || frame->width > PICTURE_MAX || frame->height > PICTURE_MAX ||
        !gpu_picture_bytes(frame) || !surface_size(surface, gpu_picture_bytes(frame), &bytes))
        return -EINVAL;
    surface->base = gpu_memory_at(memory, frame->address, bytes);
    return surface->base ? 0 : -EFAULT;
}

/* One tile's pixels into the picture; `rgba`: the lowest byte is red, otherwise blue is. */
static void copy_tile(const struct raster_tile *tile, bool rgba, struct util_image *out)
{
    uint32_t width = UTIL_MIN(TILE, out->width - (uint32_t)tile->x);
    uint32_t height = UTIL_MIN(TILE, out->height - (uint32_t)tile->y);
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *to = out->pixels + (((size_t)tile->y + y) * out->width + (uint32_t)tile->x) * 4;
        for (uint32_t x = 0; x < width; x++, to += 4) {
            uint32_t word = tile->color[raster_pixel_index(tile, x, y, 0)];
            if (!rgba)
                word = (word & 0xff00ff00u) | (word & 0xff) << 16 | (word >> 16 & 0xff);
            util_store32(to, word);
        }
    }
}

/* Half floats as 8 bits a channel: cut to 0..1, rounded to nearest; NaN is 0. */
static uint8_t byte_of(uint16_t half)
{
    float f = util_half_to_float(half);
    return !(f > 0) ? 0 : f >= 1 ? 255 : (uint8_t)lrintf(f * 255);
}

static int wide_picture(const struct raster_surface *surface, struct util_image *out)
{
    int error = util_image_init(out, surface->width, surface->height);
    for (uint32_t i = 0; !error && i < surface->width * surface->height; i++) {
        uint32_t x = i % surface->width, y = i / surface->width;
        const uint8_t *from = surface->base + raster_texel_offset(surface->layout, 8, surface->stride, x, y);
        for (uint32_t c = 0; c < 4; c++)
            out->pixels[(size_t)i * 4 + c] = byte_of(util_load16(from + (size_t)c * 2));
    }
    return error;
}

/* Utgard's tiles, pixel by pixel. */
static int tiled_picture(const struct raster_surface *surface, bool rgba, struct util_image *out)
{
    int error = util_image_init(out, surface->width, surface->height);
    for (uint32_t i = 0; !error && i < surface->width * surface->height; i++) {
        uint32_t x = i % surface->width, y = i / surface->width;
        uint32_t at = raster_texel_offset(RASTER_UTGARD_TILED, 4, surface->stride, x, y);
        const uint8_t *from = surface->base + at;
        for (uint32_t c = 0; c < 4; c++)
            out->pixels[(size_t)i * 4 + c] = from[c == 3 || rgba ? c : 2 - c];
    }
    return error;
}

/* `rgba`: of 32-bit pixels the lowest byte is red. */
static int convert(const struct raster_surface *surface, bool rgba, struct util_image *out)
{
    if (surface->format == RASTER_SURFACE_RGBA16F)
        return wide_picture(surface, out);
    if (surface->layout == RASTER_UTGARD_TILED)
        return surface->format == RASTER_SURFACE_RGBA8888 ? tiled_picture(surface, rgba, out) : -EINVAL;
    struct raster_tile *tile = aligned_alloc(64, sizeof *tile);
    int error = tile ? util_image_init(out, surface->width, surface->height) : -ENOMEM;
    if (!error) {
        rgba |= surface->format != RASTER_SURFACE_RGBA8888;
        tile->width = tile->height = TILE;
        tile->samples = 1;
        for (uint32_t y = 0; y < surface->height; y += TILE) {
            for (uint32_t x = 0; x < surface->width; x += TILE) {
                tile->x = (int32_t)x;
                tile->y = (int32_t)y;
                raster_surface_load(surface, tile);
                copy_tile(tile, rgba, out);
            }
        }
    }
    free(tile);
    return error;
}

int gpu_picture(const struct gpu_memory *memory, const struct capture_frame *frame, struct util_image *out)
{
    struct raster_surface surface;
    int error = find_surface(memory, frame, &surface);
    return error ? error : convert(&surface, frame->format & CAPTURE_FRAME_RGBA, out);
}

void gpu_picture_pixel(const struct capture_frame *frame, const uint8_t *pixel, uint8_t rgba[4])
{
    uint8_t row[16] = {0};
    const struct raster_surface surface = {.base = row,
                                           .width = 1,
                                           .height = 1,
                                           .format = frame->format & ~CAPTURE_FRAME_RGBA,
                                           .stride = sizeof row};
    struct util_image image = {0};
    memset(rgba, 0, 4);
    memcpy(row, pixel, gpu_picture_bytes(frame));
    if (!convert(&surface, frame->format & CAPTURE_FRAME_RGBA, &image))
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
            uint32_t from = raster_texel_offset(surface.layout, bytes, surface.stride, x, y);
            memcpy(to + y * stride + (size_t)x * bytes, surface.base + from, bytes);
        }
    }
    return 0;
}

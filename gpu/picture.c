/* From an image's layout and format to rows of pixels. */
#include "gpu/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raster/targets.h"
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

/* The frame's memory as a surface of so many bytes, checked: 0, -EFAULT or -EINVAL. */
static int find_surface(const struct gpu_memory *memory, const struct capture_frame *frame,
                        struct raster_surface *surface, uint64_t *bytes)
{
    *surface = (struct raster_surface){.width = frame->width,
                                       .height = frame->height,
                                       .layout = frame->layout,
                                       .format = frame->format,
                                       .stride = frame->stride};
    if (!frame->width || !frame->height || frame->width > PICTURE_MAX || frame->height > PICTURE_MAX ||
        !gpu_picture_bytes(frame) || !raster_targets_image_size(surface, bytes))
        return -EINVAL;
    surface->base = gpu_memory_at(memory, frame->address, *bytes);
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

/* Of bytes as they are, sRGB too, which displays take; of other numbers cut to 0..1 and rounded. */
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
    const enum raster_kind kind = raster_texel_kind(texel, 0);
    if (kind == RASTER_KIND_UINT || kind == RASTER_KIND_SINT)
        return bytes_of(texel, kind == RASTER_KIND_SINT, channel);
    raster_texel_pack(&raster_texels[texel->channel[0].kind == RASTER_KIND_SRGB ? RASTER_R8G8B8A8_SRGB
                                                                                : RASTER_R8G8B8A8_UNORM],
                      channel, word);
    return word[0];
}

/* Pixels of four bytes that stand side by side. */
static void convert_words(const uint8_t *from, uint32_t count, bool swap, uint8_t *to)
{
    for (uint32_t x = 0; x < count; x++, from += 4, to += 4) {
        to[0] = from[swap ? 2 : 0];
        to[1] = from[1];
        to[2] = from[swap ? 0 : 2];
        to[3] = from[3];
    }
}

static void convert_row(const struct raster_surface *surface, const struct raster_texel *texel, uint32_t x,
                        uint32_t y, uint32_t count, uint8_t *to)
{
    const bool swap = texel == &raster_texels[RASTER_B8G8R8A8_UNORM];
    if (surface->layout == RASTER_LINEAR && (swap || texel == &raster_texels[RASTER_R8G8B8A8_UNORM])) {
        convert_words(surface->base + raster_surface_offset(surface, x, y), count, swap, to);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        util_store32(to + 4 * (size_t)i,
                     rgba_of(texel, surface->base + raster_surface_offset(surface, x + i, y)));
}

static int convert(const struct raster_surface *surface, const struct raster_texel *texel,
                   const struct raster_rect *part, struct util_image *out)
{
    int error = util_image_init(out, part->x1 - part->x0, part->y1 - part->y0);
    if (error)
        return error;
    for (uint32_t y = 0; y < out->height; y++)
        convert_row(surface, texel, part->x0, part->y0 + y, out->width,
                    out->pixels + 4 * (size_t)y * out->width);
    return 0;
}

static struct raster_rect whole(const struct raster_surface *surface)
{
    return (struct raster_rect){0, 0, surface->width, surface->height};
}

int gpu_picture(const struct gpu_memory *memory, const struct capture_frame *frame, struct util_image *out)
{
    struct raster_surface surface;
    uint64_t bytes;
    int error = find_surface(memory, frame, &surface, &bytes);
    const struct raster_rect all = whole(&surface);
    return error ? error : convert(&surface, texel_of(frame), &all, out);
}

/* ---- to be drawn later ---- */

struct kept {
    struct raster_surface surface; /* its base is unset */
    struct capture_frame frame;
    struct raster_rect part;
    size_t over;  /* bytes from here on to another, that is drawn over it; 0: there is none */
    int64_t x, y; /* where */
    uint8_t bytes[];
};

static void fill(struct kept *kept, const struct capture_frame *frame, const struct raster_surface *surface,
                 uint64_t bytes, const struct raster_rect *part)
{
    kept->surface = *surface;
    kept->frame = *frame;
    kept->part = part ? *part : whole(surface);
    kept->part.x0 = UTIL_MAX(kept->part.x0, 0);
    kept->part.y0 = UTIL_MAX(kept->part.y0, 0);
    kept->part.x1 = UTIL_MIN(kept->part.x1, (int32_t)surface->width);
    kept->part.y1 = UTIL_MIN(kept->part.y1, (int32_t)surface->height);
    kept->over = 0;
    memcpy(kept->bytes, surface->base, bytes);
}

void *gpu_picture_keep_with(const struct gpu_memory *memory, const struct capture_frame *frame,
                            const struct raster_rect *part, const struct gpu_picture_over *over)
{
    struct raster_surface surface, above;
    uint64_t bytes, above_bytes = 0;
    if (find_surface(memory, frame, &surface, &bytes) ||
        (over && find_surface(memory, &over->frame, &above, &above_bytes)))
        return NULL;
    const size_t first = util_align(sizeof(struct kept) + (size_t)bytes, _Alignof(struct kept));
    struct kept *kept = malloc(first + (over ? sizeof *kept + (size_t)above_bytes : 0));
    if (!kept)
        return NULL;
    fill(kept, frame, &surface, bytes, part);
    if (over) {
        fill((struct kept *)((uint8_t *)kept + first), &over->frame, &above, above_bytes, &over->part);
        kept->over = first;
        kept->x = over->x;
        kept->y = over->y;
    }
    return kept;
}

void *gpu_picture_keep(const struct gpu_memory *memory, const struct capture_frame *frame,
                       const struct raster_rect *part)
{
    return gpu_picture_keep_with(memory, frame, part, NULL);
}

static int draw(const struct kept *kept, struct util_image *out)
{
    struct raster_surface surface = kept->surface;
    surface.base = (uint8_t *)kept->bytes;
    if (kept->part.x0 >= kept->part.x1 || kept->part.y0 >= kept->part.y1)
        return -EINVAL;
    return convert(&surface, texel_of(&kept->frame), &kept->part, out);
}

/* Colours of `over` are multiplied by alpha already. */
static void blend(struct util_image *image, const struct util_image *over, int64_t left, int64_t top)
{
    for (int64_t y = UTIL_MAX(-top, 0); y < over->height && top + y < image->height; y++)
        for (int64_t x = UTIL_MAX(-left, 0); x < over->width && left + x < image->width; x++) {
            uint8_t *to = image->pixels + 4 * ((size_t)(top + y) * image->width + (size_t)(left + x));
            const uint8_t *from = over->pixels + 4 * ((size_t)y * over->width + (size_t)x);
            for (unsigned i = 0; i < 3; i++)
                to[i] = (uint8_t)UTIL_MIN(from[i] + (to[i] * (255 - from[3]) + 127) / 255, 255);
        }
}

int gpu_picture_draw(const void *data, struct util_image *out)
{
    const struct kept *kept = data;
    struct util_image over = {0};
    int r = draw(kept, out);
    if (r || !kept->over)
        return r;
    r = draw((const struct kept *)((const uint8_t *)kept + kept->over), &over);
    if (!r)
        blend(out, &over, kept->x, kept->y);
    util_image_finish(&over);
    if (r != -ENOMEM) /* -EINVAL: no pixel of it is left */
        return 0;
    util_image_finish(out);
    return r;
}

/* ---- single pixels, and bytes ---- */

void gpu_picture_pixel(const struct capture_frame *frame, const uint8_t *pixel, uint8_t rgba[4])
{
    uint8_t row[16] = {0};
    const struct raster_surface surface = {
        .base = row, .width = 1, .height = 1, .format = frame->format, .stride = sizeof row};
    struct util_image image = {0};
    memset(rgba, 0, 4);
    memcpy(row, pixel, gpu_picture_bytes(frame));
    const struct raster_rect all = whole(&surface);
    if (!convert(&surface, texel_of(frame), &all, &image))
        memcpy(rgba, image.pixels, 4);
    util_image_finish(&image);
}

int gpu_picture_raw(const struct gpu_memory *memory, const struct capture_frame *frame, uint8_t *to,
                    size_t stride)
{
    struct raster_surface surface;
    uint64_t size;
    int error = find_surface(memory, frame, &surface, &size);
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

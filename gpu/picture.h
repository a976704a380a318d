/* Images in guest memory as pictures for people: what replay, tools and the public API show of a frame. */
#ifndef VITRAIL_GPU_PICTURE_H
#define VITRAIL_GPU_PICTURE_H

#include "gpu/capture.h"
#include "raster/surface.h"
#include "util/image.h"

/* The picture of a frame as it now stands in guest memory, top row first; `out` is the caller's afterwards.
 * 0, -EFAULT (outside memory), -ENOMEM, -EINVAL (size, layout, format or stride). */
int gpu_picture(const struct gpu_memory *memory, const struct capture_frame *frame, struct util_image *out);

/* A frame's bytes and what they are, to be drawn later by any thread: `part` of it (NULL: all), which is cut
 * to the frame. malloc'ed, the caller's to free; NULL: as gpu_picture's failures, or without memory. */
void *gpu_picture_keep(const struct gpu_memory *memory, const struct capture_frame *frame,
                       const struct raster_rect *part);
/* Another over it, its colours multiplied by its alpha already: its part's first pixel is that at (x, y) of the other's
 * part; what lies outside of that is cut off. */
struct gpu_picture_over {
    struct capture_frame frame; /* of 8-bit channels */
    struct raster_rect part;    /* cut to the frame */
    int64_t x, y;
};
/* As above; `over`: NULL, or what is kept beside it. */
void *gpu_picture_keep_with(const struct gpu_memory *memory, const struct capture_frame *frame,
                            const struct raster_rect *part, const struct gpu_picture_over *over);
/* The picture of what was kept; `out` is the caller's. 0, -ENOMEM, -EINVAL (no pixel is left of it). */
int gpu_picture_draw(const void *kept, struct util_image *out);

/* The pixels' own bytes, whatever the layout, row y at to + y * stride. `stride` is at least width *
 * gpu_picture_bytes. 0, -EFAULT, -EINVAL as above. */
int gpu_picture_raw(const struct gpu_memory *memory, const struct capture_frame *frame, uint8_t *to,
                    size_t stride);

/* One pixel of such a frame from its bytes (as many as gpu_picture_bytes says, at most 16). */
void gpu_picture_pixel(const struct capture_frame *frame, const uint8_t *pixel, uint8_t rgba[4]);

/* Bytes a pixel of the frame has in memory, 1 to 16; 0 for a format that is no picture: those of depth, and whose
 * pixels do not stand each for itself. Integers show as bytes, what is above 255 as that. */
uint32_t gpu_picture_bytes(const struct capture_frame *frame);

#endif

/* Pictures for people and tests: RGBA8 images, PNG files, and the difference of two pictures. */
#ifndef VITRAIL_UTIL_IMAGE_H
#define VITRAIL_UTIL_IMAGE_H

#include <stdint.h>
#include <stdio.h>

/* Rows top to bottom, pixels R,G,B,A, no padding. `pixels` is owned by the image (malloc). */
struct util_image {
    uint32_t width, height; /* 1..16384 */
    uint8_t *pixels;
};

/* 0, or -EINVAL (size out of range), -ENOMEM. Pixels start as zero. */
int util_image_init(struct util_image *image, uint32_t width, uint32_t height);
/* Frees the pixels and zeroes the struct; a zeroed struct is accepted. */
void util_image_finish(struct util_image *image);

/* Write: `alpha` != 0 keeps the alpha channel, otherwise the file is RGB. Returns 0, -EIO, -ENOMEM or -errno
 * of open. */
int util_image_write_png(const struct util_image *image, const char *path, int alpha);
/* The same into an open stream, which stays open; the caller looks whether all has arrived. */
int util_image_put_png(const struct util_image *image, FILE *file, int alpha);
/* As util_image_write_png, as RGB, in about a quarter of the time, the file being up to a quarter larger: for many. */
int util_image_write_png_fast(const struct util_image *image, const char *path);
/* Reads any PNG as RGBA8. Returns 0, -EBADMSG (not a PNG or damaged), -EINVAL (too large), -ENOMEM or -errno
 * of open. */
int util_image_read_png(struct util_image *image, const char *path);

struct util_image_diff {
    uint64_t beyond;           /* pixels in which a compared channel differs by more than the tolerance */
    uint64_t total;            /* pixels compared */
    uint32_t max;              /* largest difference of a channel, 0..255 */
    double mean;               /* of all compared channels */
    uint32_t x, y;             /* the first pixel beyond the tolerance */
    uint32_t worst_x, worst_y; /* the first with the largest difference */
};

/* Compares R,G,B (and A when `alpha`). Returns 0, or -EINVAL when the sizes differ. */
int util_image_compare(const struct util_image *a, const struct util_image *b, uint32_t tolerance, int alpha,
                       struct util_image_diff *out);

#endif

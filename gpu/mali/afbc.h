/* AFBC images: a header of 16 bytes for each superblock of 256 pixels, and bodies of sixteen subblocks of 4x4 pixels.
 * Internal to gpu/mali. Sources: Linux's drm_fourcc.h (superblocks, sparse and tiled layouts), Mesa's pan_layout.c and,
 * of 25.3, pan_afbc.h (what a header has, squares of headers in Morton order), panfrost_resource_init_afbc_headers
 * (headers of zeros).
 *
 * A header (afbc_header.inc) says where the body stands and the size of each subblock in it, 1 for one that is not
 * compressed. Zeros are a superblock of zeros; since v7 a first size of 0 is a superblock of one colour (of RGBA8, of
 * which it is known).
 *
 * No open document has how subblocks are compressed, nor in which order those that are not have their pixels. So what is
 * written here is not compressed, and the order is ours: row by row of subblocks, in one row by row of pixels, as they
 * are in a linear image. The colour transform (YTR) is one of compressed subblocks (ours), and a split body's second
 * half stands where that of an uncompressed one does anyway. Bodies are sparse: each where it would be if all were of
 * full size. */
#ifndef VITRAIL_GPU_MALI_AFBC_H
#define VITRAIL_GPU_MALI_AFBC_H

#include "gpu/mali/desc.h"
#include "raster/texture/texel.h"

enum { MALI_AFBC_HEADER = 16, MALI_AFBC_PIXELS = 256, MALI_AFBC_SQUARE = 8 };

struct mali_afbc {
    uint64_t header, body; /* addresses; body: of images that are written */
    uint32_t width, height;
    uint32_t block_width, block_height; /* pixels of a superblock: 16x16, 32x8, 64x4 */
    uint32_t row_bytes;                 /* from a row of headers, or of squares of 8x8 of them, to the next */
    uint8_t bytes;                      /* of a pixel: 1 to 4 */
    bool tiled;                         /* headers in squares */
    bool has_colors;                    /* superblocks of one colour may be of RGBA8 */
};

/* The sides of superblocks by MALI_AFBC_SUPERBLOCK_SIZE_...; false: it is none of these. */
bool mali_afbc_set_superblock(struct mali_afbc *image, uint32_t size);
/* Whether rows of headers have room for the image's, and everything is within 4 GiB. */
bool mali_afbc_is_sane(const struct mali_afbc *image);
uint64_t mali_afbc_header_bytes(const struct mali_afbc *image);
uint64_t mali_afbc_body_bytes(const struct mali_afbc *image); /* of sparse bodies */
/* Bytes of a sparse body; where header and body of superblock (x, y) stand from the first on. */
uint32_t mali_afbc_slot(const struct mali_afbc *image);
uint64_t mali_afbc_header_at(const struct mali_afbc *image, uint32_t x, uint32_t y);
/* Where pixel (x, y) of a superblock stands in a body that is not compressed. */
uint32_t mali_afbc_pixel_at(const struct mali_afbc *image, uint32_t x, uint32_t y);

/* Whether superblocks of one colour are known of a format: since v7, of four bytes each for itself. */
bool mali_afbc_has_colors(enum mali_version version, enum raster_format format);
/* Bytes of a pixel in v9's words (MALI_AFBC_COMPRESSION_MODE_...); 0: it is none of those that are known. */
uint32_t mali_afbc_mode_bytes(uint32_t mode);

/* The pixels of a superblock, mali_afbc_slot bytes in the order of an uncompressed body; *end grows to as many bytes
 * from the first header on as were looked at. False and *stop: it is
 * compressed, or its body is not in memory. */
bool mali_afbc_superblock(const struct gpu_space *space, const struct mali_afbc *image, uint32_t x,
                          uint32_t y, const char *unit, uint8_t *out, uint64_t *end, struct mali_stop *stop);
/* The whole image as a linear one, whose rows are `stride` bytes apart; *end: so many bytes from the first header on
 * were looked at. False and *stop: likewise. */
bool mali_afbc_read(const struct gpu_space *space, const struct mali_afbc *image, const char *unit,
                    uint8_t *out, uint32_t stride, uint64_t *end, struct mali_stop *stop);

/* An image that is written: the bytes of its headers and bodies, which may be written. */
struct mali_afbc_target {
    struct mali_afbc image;
    uint8_t *headers, *bodies;
};
/* Makes superblock (x, y) one that is not compressed and stands in its place, with the pixels that it has; what cannot be
 * read becomes zeros. One thread at a time for a superblock. */
void mali_afbc_open(const struct gpu_space *space, const struct mali_afbc_target *target, uint32_t x,
                    uint32_t y);
/* The pixel (x, y) of the image, in an opened superblock. */
uint8_t *mali_afbc_pixel(const struct mali_afbc_target *target, uint32_t x, uint32_t y);

#endif

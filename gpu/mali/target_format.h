/* Formats of render targets, depth and stencil as framebuffers say them, as those of raster/texture/texel.h: in the
 * tile, and of images that are written back. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_TARGET_FORMAT_H
#define VITRAIL_GPU_MALI_TARGET_FORMAT_H

#include "gpu/mali/desc.h"
#include "raster/texture/texel.h"

/* What all versions say of a target's format. */
struct mali_target_format {
    uint32_t internal, writeback, swizzle;
    bool srgb;
};

/* Whether the tile has bits that only blend shaders know to read. */
bool mali_target_is_raw(const struct mali_target_format *target);
/* RASTER_FORMAT_NONE: it is none, or not done. */
enum raster_format mali_target_in_tile(enum mali_version version, const struct mali_target_format *target);
enum raster_format mali_target_in_image(enum mali_version version, const struct mali_target_format *target);
/* A clear value as a pixel of the tile, whose format is `in_tile`. */
void mali_target_clear(const struct mali_target_format *target, enum raster_format in_tile,
                       const uint32_t color[4], uint32_t word[4]);
/* Raw pixels of so many bytes, in the tile. */
enum raster_format mali_raw_format(uint32_t bytes);

/* Of MALI_ZS_FORMAT_... and MALI_S_FORMAT_...; RASTER_FORMAT_NONE as above. */
enum raster_format mali_depth_in_image(uint32_t zs_format);
enum raster_format mali_stencil_in_image(uint32_t s_format);
bool mali_depth_has_stencil(uint32_t zs_format);

/* How an image's pixels are ordered, in all versions' words. */
enum mali_image_layout {
    MALI_IMAGE_NONE, /* it is not written */
    MALI_IMAGE_TILED,
    MALI_IMAGE_LINEAR,
    MALI_IMAGE_AFBC,
    MALI_IMAGE_AFBC_TILED, /* headers in squares of 8x8 */
    MALI_IMAGE_OTHER       /* no open document has it, or a value that there is not */
};
enum mali_image_layout mali_image_layout_of(enum mali_version version, uint32_t block_format);

#endif

/* Pixel formats of descriptors (formats.inc) as those of raster/texture/texel.h. Internal to gpu/mali. Source:
 * Mesa's pan_format.c as documentation of which is which. */
#ifndef VITRAIL_GPU_MALI_FORMAT_H
#define VITRAIL_GPU_MALI_FORMAT_H

#include "gpu/mali/desc.h"
#include "raster/texture/texel.h"

/* A format, its channels not yet in order. RASTER_FORMAT_NONE: there is nothing like it here. ASTC's blocks
 * are of 4x4: where their size stands is the surface's to know (mali_format_astc). */
enum raster_format mali_format(uint32_t format, bool srgb);
/* By the tag of a surface's pointer: the lower three bits are of the width, the next of the height. */
enum raster_format mali_format_astc(uint32_t tag, bool srgb);

/* The same of a version's number: some mean others since v7, and some are none in v6. */
enum raster_format mali_format_of(enum mali_version version, uint32_t format, bool srgb);

#define MALI_ORDER_RGBA 0x688u /* each channel where it is */

/* `order`: three bits a component, which channel of the format it is, or 4 and 5 for 0 and 1. */
static inline unsigned mali_order(uint32_t order, unsigned component)
{
    return order >> 3 * component & 7;
}
/* A descriptor's order as such bits: since v7 it is one of a list (enums_image.inc, rgb_component_order), which names
 * channels as they stand in memory. False: it is none of RGB(A) formats. */
bool mali_order_of(enum mali_version version, uint32_t order, uint32_t *out);
/* Four words of a texel's channels as the order has them; `one` stands for 1. */
void mali_reorder(uint32_t order, uint32_t one, const uint32_t in[4], uint32_t out[4]);
/* The other way: channels that no component goes to are 0. */
void mali_order_back(uint32_t order, const uint32_t in[4], uint32_t out[4]);

#endif

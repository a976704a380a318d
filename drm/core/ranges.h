/* Ranges of addresses, of a memory file or of a GPU. */
#ifndef VITRAIL_DRM_CORE_RANGES_H
#define VITRAIL_DRM_CORE_RANGES_H

#include <stdint.h>

struct drm_hole;
struct drm_ranges {
    struct drm_hole *first; /* what is free, sorted */
};
int drm_ranges_init(struct drm_ranges *ranges, uint64_t start, uint64_t size); /* all free. 0, -ENOMEM */
void drm_ranges_finish(struct drm_ranges *ranges);
/* The lowest that fits, at a multiple of `align` (a power of two). 0, -ENOMEM (also: none fits). */
int drm_ranges_take(struct drm_ranges *ranges, uint64_t size, uint64_t align, uint64_t *start);
/* Without memory the range is lost, never handed out twice. */
void drm_ranges_give(struct drm_ranges *ranges, uint64_t start, uint64_t size);

#endif

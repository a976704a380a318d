/* Textures as the general sampler takes them: a key and an image, made of a draw's descriptors. Internal to
 * gpu/mali. */
#ifndef VITRAIL_GPU_MALI_LOOKUP_H
#define VITRAIL_GPU_MALI_LOOKUP_H

#include "gpu/mali/world.h"
#include "raster/texture/sampler.h"

#define MALI_LOOKUPS_MOST (1u << 15) /* of one draw: ours; more than a program has instructions */

/* What an instruction asks: all that a key depends on besides the descriptors. Without padding. */
struct mali_lookup_key {
    uint32_t texture, sampler; /* of fetches the sampler is 0 */
    uint8_t op, mode;          /* as of struct midgard_texture_request */
    uint8_t dimensions;
    uint8_t flags; /* enum mali_lookup_flag */
};
_Static_assert(sizeof(struct mali_lookup_key) == 12, "no padding");
enum mali_lookup_flag { MALI_LOOKUP_DERIVATIVES = 1, MALI_LOOKUP_LOD = 2, MALI_LOOKUP_OFFSET = 4 };

struct mali_lookup {
    struct raster_sampler_key key;
    struct raster_image image;
    struct mali_stop stop; /* when there is none: why */
};

/* The lookup of a request; made by the first who asks. NULL and *stop: a descriptor that there is not, cannot
 * be read or sampled so, a page that is not there, no host memory. Thread-safe. */
const struct mali_lookup *mali_lookup_get(struct mali_world *world, const struct mali_lookup_key *key,
                                          struct mali_stop *stop);

#endif

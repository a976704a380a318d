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
    uint8_t op, mode;          /* as of struct isa_texture_request */
    uint8_t dimensions;
    uint8_t flags; /* enum mali_lookup_flag */
};
_Static_assert(sizeof(struct mali_lookup_key) == 12, "no padding");
enum mali_lookup_flag {
    MALI_LOOKUP_DERIVATIVES = 1,
    MALI_LOOKUP_LOD = 2,
    MALI_LOOKUP_OFFSET = 4,
    MALI_LOOKUP_NO_BIAS = 8 /* of LEVEL, like no_bias there */
};

/* Of a request's members, as struct isa_texture_request has them. */
static inline struct mali_lookup_key mali_lookup_key(uint32_t texture, uint32_t sampler, uint8_t op,
                                                     uint8_t mode, uint8_t dimensions, bool derivatives,
                                                     bool has_lod, bool has_offset)
{
    return (struct mali_lookup_key){.texture = texture,
                                    .sampler = op == ISA_TEXTURE_FETCH ? 0 : sampler,
                                    .op = op,
                                    .mode = mode,
                                    .dimensions = dimensions,
                                    .flags = (uint8_t)((derivatives ? MALI_LOOKUP_DERIVATIVES : 0) |
                                                       (has_lod ? MALI_LOOKUP_LOD : 0) |
                                                       (has_offset ? MALI_LOOKUP_OFFSET : 0))};
}

/* Of lane l of a request. */
static inline struct mali_lookup_key mali_lookup_key_of(const struct isa_texture_request *r, unsigned l)
{
    struct mali_lookup_key key = mali_lookup_key(r->texture[l], r->sampler[l], r->op, r->mode, r->dimensions,
                                                 r->derivatives, r->has_lod, r->has_offset);
    if (r->op == ISA_TEXTURE_LEVEL && r->no_bias)
        key.flags |= MALI_LOOKUP_NO_BIAS;
    return key;
}

/* Component c of a gather as the hardware has it is the sampler's mali_gathered[c]: rows from the lower one on, in a
 * row from left to right (nir_lower_tex.c's swizzle for Broadcom, which Midgard's compiler asks for). */
static const uint8_t mali_gathered[4] = {3, 2, 0, 1};
static inline bool mali_gathers(uint8_t mode)
{
    return mode >= ISA_TEXTURE_GATHER || mode == ISA_TEXTURE_GATHER_SHADOW;
}

/* What `cube` gives and a request takes (ours): where the point is on its face, two singles from 0 to 1, whose
 * two highest bits are therefore free: in the first are two bits of the face, in the second the third. */
enum { MALI_FACE_AT = 30, MALI_FACE_LOW = 2 };
#define MALI_FACE_PLACE ((1u << MALI_FACE_AT) - 1)

struct mali_lookup {
    struct raster_sampler_key key;
    struct raster_image image;
    const struct mali_stop *stop; /* when there is none: why; NULL: for want of memory */
};

/* The lookup of a request; made by the first who asks. NULL and *stop: a descriptor that there is not, cannot
 * be read or sampled so, a page that is not there, no host memory. Thread-safe. */
const struct mali_lookup *mali_lookup_get(struct mali_world *world, const struct mali_lookup_key *key,
                                          struct mali_stop *stop);

#endif

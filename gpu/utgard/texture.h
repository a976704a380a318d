/* Texture descriptors as keys and textures of raster/. */
#ifndef VITRAIL_GPU_UTGARD_TEXTURE_H
#define VITRAIL_GPU_UTGARD_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/fault.h"
#include "gpu/field.h"
#include "gpu/space.h"
#include "raster/texture/texture.h"

#define UTGARD_TEXTURE_WORDS 20u /* levels' addresses included */

/* The fields as they stand. */
struct utgard_texture_fields {
#define FIELD(name, first, bits, kind, names, what) uint32_t name;
#include "gpu/utgard/texture.inc"
#undef FIELD
    uint32_t address[RASTER_MAX_LEVELS]; /* of the levels, multiples of 64 */
};

/* How a program sees a sampled word (struct raster_texture_key's result). */
enum utgard_texel {
    UTGARD_TEXEL_8888,
    UTGARD_TEXEL_16,     /* one channel of 16 bits, of 65535 */
    UTGARD_TEXEL_DEPTH,  /* depth in the low 24 bits, of 2^24 - 1 */
    UTGARD_TEXEL_RELOAD, /* stencil << 24 | depth: its bytes, as 8888 has them, of the nearest texel */
    UTGARD_TEXEL_HALVES  /* as raster_texel_unpack has the format */
};
enum { UTGARD_CHANNEL_ZERO = 4, UTGARD_CHANNEL_ONE };

struct utgard_texture_key { /* padding-free: part of a variant's key */
    struct raster_texture_key raster;
    uint16_t texel;     /* enum utgard_texel */
    uint8_t swizzle[4]; /* the sample's channel (bytes of 8888) that each of the program's comes from */
};

/* Bits 0 to 31 of words[0] first; words beyond `count` count as 0. */
void utgard_texture_unpack(const uint32_t *words, uint32_t count, struct utgard_texture_fields *out);
/* The fields that are not zero, and the format, with names for their values; how many. */
#define UTGARD_TEXTURE_FIELDS 40
unsigned utgard_texture_describe(const uint32_t *words, uint32_t count,
                                 struct gpu_field out[UTGARD_TEXTURE_FIELDS]);

/* Reads the descriptor at `address`. `lod` (enum raster_lod) and `cube`: how the program asks. False and
 * *fault: PACKET for what is not known, MEMORY when an image leaves memory. The texture is good while the
 * space does not change. */
bool utgard_texture_read(const struct gpu_space *space, uint32_t address, uint8_t lod, bool cube,
                         struct utgard_texture_key *key, struct raster_texture *texture,
                         struct gpu_fault *fault);

/* Bytes from a level's offset to its last texel, of all faces. */
uint64_t utgard_texture_level_bytes(const struct utgard_texture_key *key, const struct raster_level *level);

/* Samples 16 lanes as raster_texture_sample does (`lod` may be NULL; the third coordinate is a cube's or a
 * volume's), into the program's four numbers. */
void utgard_texture_sample(const struct utgard_texture_key *key, const struct raster_texture *texture,
                           const float coordinates[3][16], const float *lod, float out[4][16]);
#endif

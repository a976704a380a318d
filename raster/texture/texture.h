/* Textures: image layouts and sampling. One definition, two implementations: texture.c (scalar, the
 * reference) and texture_ir.c (16 lanes of IR, specialised on the key). Their results agree bit for bit;
 * README.md of this folder writes the arithmetic down.
 *
 * The key holds all that changes code; struct raster_texture holds what a draw changes (prepared once a draw,
 * immutable while workers hold it). All level extents are validated when it is prepared, so that a clamped
 * texel coordinate can never leave [memory, memory + memory_size). */
#ifndef VITRAIL_RASTER_TEXTURE_H
#define VITRAIL_RASTER_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "raster/texture/texel.h"
#include "raster/texture/window.h"
#include "util/error.h"

#define RASTER_MAX_LEVELS    13 /* 4096 down to 1; other families need no more */
#define RASTER_SAMPLED_WORDS 2  /* at most */

/* How texels stand in memory. */
enum raster_layout {
    RASTER_LINEAR,
    RASTER_VC4_T,        /* 4 KiB tiles of 1 KiB subtiles of 64-byte utiles (Guide section 11) */
    RASTER_VC4_LT,       /* utiles in raster order */
    RASTER_UTGARD_TILED, /* 16x16 texels (ETC1: 4x4 blocks), their place in it interleaved (README.md) */
    RASTER_LAYOUT_COUNT
};
#define RASTER_MIXED_LAYOUTS 3u                  /* the first ones: the levels of one texture may mix them */
#define RASTER_LAYOUT_MIXED  RASTER_LAYOUT_COUNT /* of a key: they do */

enum raster_wrap {
    RASTER_REPEAT,
    RASTER_CLAMP,
    RASTER_MIRROR,
    RASTER_BORDER,
    RASTER_HALF_BORDER,  /* GL_CLAMP: coordinates stay in the image, its edge blends with the border */
    RASTER_MIRROR_CLAMP, /* the last three with the coordinate's magnitude */
    RASTER_MIRROR_BORDER,
    RASTER_MIRROR_HALF_BORDER,
    RASTER_WRAP_COUNT
};
/* Whether taps may show the border colour. */
static inline bool raster_wrap_is_bordered(uint8_t wrap)
{
    return wrap == RASTER_BORDER || wrap == RASTER_HALF_BORDER || wrap >= RASTER_MIRROR_BORDER;
}
/* Whether the image repeats without end. Coordinates in texels have no such wrap. */
static inline bool raster_wrap_repeats(uint8_t wrap)
{
    return wrap == RASTER_REPEAT || wrap == RASTER_MIRROR;
}
/* The wrap of coordinates in texels where a descriptor asks for this one: what would repeat is clamped (ours). */
static inline uint8_t raster_texel_wrap(uint8_t wrap)
{
    return raster_wrap_repeats(wrap) ? RASTER_CLAMP : wrap;
}
enum raster_mip { RASTER_MIP_NONE, RASTER_MIP_NEAREST, RASTER_MIP_LINEAR };
enum raster_lod { RASTER_LOD_IMPLICIT, RASTER_LOD_BIAS, RASTER_LOD_EXPLICIT };

struct raster_texture_key { /* padding-free, hashed as bytes; unused fields zero */
    uint16_t format;        /* enum raster_format */
    uint8_t
        layout; /* of all levels, or RASTER_LAYOUT_MIXED when levels differ (then per level in the texture) */
    uint8_t wrap_s, wrap_t;
    uint8_t mag_linear, min_linear, mip, lod;
    uint8_t cube; /* s, t, r address a cube (already divided by the major axis) */
    uint8_t flip_y;
    uint8_t pot;               /* both sides of level 0 are powers of two */
    uint8_t unnormalized;      /* coordinates are texels */
    uint8_t lod_limits;        /* the texture's own bias and limits apply to the level of detail */
    uint8_t smooth_log2;       /* the logarithm is curved between powers of two too (README.md section 2) */
    uint8_t minify_above_half; /* minified above 0.5, not 0; what is magnified shows level 0 */
    uint8_t etc_flip; /* ETC1 blocks start at their top row, as the extension says (README.md section 6) */
    uint8_t volume, wrap_r; /* s, t, r address slices of an image of three dimensions; scalar path only */
    uint8_t unused;
};
_Static_assert(sizeof(struct raster_texture_key) == 20, "no padding");

struct raster_level {
    uint32_t offset;        /* bytes from raster_texture.memory, of face 0 */
    uint32_t width, height; /* texels, >= 1 */
    uint32_t stride;        /* linear: bytes a row; tiled: tiles or utiles a row */
    uint32_t layout;        /* enum raster_layout */
    uint32_t depth;         /* of volumes: slices, >= 1 */
    uint32_t face_stride;   /* bytes between its cube faces or slices; 0: the texture's (validated: never, of
                               cubes) */
    /* What raster_texture_validate makes of them for compiled code. Pairs: x in the low half, y in the high.
     */
    float scale[2];    /* 256 times width and height */
    uint32_t last;     /* pair: the last texel */
    uint32_t windowed; /* 1: the level is of whole aligned utiles of 4x4 texels; then */
    struct raster_window window;
    uint32_t utile_factor; /* pair: (1, stride), times 64 in the T format */
};

struct raster_texture {
    const uint8_t *memory; /* host address of guest address 0 */
    uint64_t memory_size;
    uint32_t level_count; /* 1..RASTER_MAX_LEVELS */
    uint32_t face_stride; /* bytes between cube faces, of levels that say nothing else */
    /* What is outside, for RASTER_BORDER, as the sampled words, when no r is given (README.md section 4). */
    uint32_t border[RASTER_SAMPLED_WORDS];
    float width, height;              /* of level 0 */
    float depth;                      /* of volumes: its slices */
    float max_level;                  /* level_count - 1 */
    float lod_bias, lod_min, lod_max; /* with key.lod_limits: the bias chooses the filter too, the limits
                                         only the level */
    struct raster_level level[RASTER_MAX_LEVELS];
};

/* Samplers take words of UNORM up to 8 bits a channel, of one channel alone, of ETC1 and YUYV, and pixels of
 * halves as they are. */
bool raster_format_is_sampled(enum raster_format format);
/* Floats of 16 bits in up to four channels. */
bool raster_format_is_halves(enum raster_format format);
/* How many words a sample is: 1 to RASTER_SAMPLED_WORDS. */
unsigned raster_sampled_words(enum raster_format format);
/* Which of the last one's bits count: of an odd number of halves the lower ones. */
uint32_t raster_last_word(enum raster_format format);

/* Checks that every texel of every level and face lies inside memory, and fills in what compiled code needs
 * of the levels; 0 or -EFAULT with the level named. */
int raster_texture_validate(const struct raster_texture_key *key, struct raster_texture *texture,
                            struct util_error *error);

/* Samples 16 lanes (4 quads, for implicit LOD) into 8888 words, first channel low; into 16 for each of
 * raster_sampled_words. t, r, bias may be NULL: a missing coordinate counts as zero; without cube, r in lane 0
 * is the border colour's bits. The caller is in the guest floating-point environment. */
void raster_texture_sample(const struct raster_texture_key *key, const struct raster_texture *texture,
                           const float s[16], const float t[16], const float r[16], const float bias[16],
                           uint32_t *out);

/* For debuggers: where the sample of one lane comes from. */
struct raster_lookup {
    uint32_t level, level1; /* level1 counts where `weight` (of 256) is not 0 */
    uint32_t weight;
    bool linear;
    uint32_t face;   /* of a cube */
    int32_t x, y;    /* texel of `level` that is the first tap; outside the image where the border shows */
    uint32_t offset; /* its bytes' from raster_texture.memory (ETC1: its block's); 0 outside the image, and
                        for formats below a byte */
    uint32_t bytes;  /* then, how many they are */
};
void raster_texture_lookup(const struct raster_texture_key *key, const struct raster_texture *texture,
                           const float s[16], const float t[16], const float r[16], const float bias[16],
                           unsigned lane, struct raster_lookup *out);

/* Byte offset of texel (x, y) of a level relative to the level's start; bytes_per_pixel 1, 2, 4 or 8 (for
 * ETC1, of its 4x4 blocks: x, y in blocks). The stride is as in struct raster_level. */
uint32_t raster_texel_offset(enum raster_layout layout, uint32_t bytes_per_pixel, uint32_t stride, uint32_t x,
                             uint32_t y);

#endif

/* The general sampler: lookups whose result is four lane words - floats, signed or unsigned integers - of every
 * format, dimension and operation that OpenGL ES 3.2 has (and desktop GL's wraps). texture.h's sampler of packed
 * bytes serves VideoCore IV and Utgard. One definition, two implementations: sampler*.c (scalar, the reference)
 * and sampler_ir*.c (16 lanes of IR, specialised on the key); their results agree bit for bit, and README.md of
 * this folder writes the arithmetic down.
 *
 * The key holds all that changes code; struct raster_image what a draw changes. A family fills both from its
 * descriptors. Images of blocks (compressed, YUYV) are decoded into plain ones first (decode.h). */
#ifndef VITRAIL_RASTER_SAMPLER_H
#define VITRAIL_RASTER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "raster/texture/texel.h"
#include "raster/texture/texture.h"
#include "raster/texture/window.h"
#include "raster/zs.h"
#include "util/error.h"

#define RASTER_IMAGE_LEVELS 17u        /* 65536 down to 1 */
#define RASTER_IMAGE_SIDE   65536u     /* texels, at most; slices too */
#define RASTER_BUFFER_SIDE  (1u << 28) /* texels of a buffer, at most */

enum raster_dim { RASTER_DIM_1D, RASTER_DIM_2D, RASTER_DIM_3D, RASTER_DIM_CUBE, RASTER_DIM_BUFFER };

enum raster_lookup_op {
    RASTER_SAMPLE,
    RASTER_GATHER,     /* one component of the four texels that a linear filter would blend */
    RASTER_FETCH,      /* one texel, by whole numbers; zeros outside the image */
    RASTER_QUERY_SIZE, /* integers: the level's sides, then layers; last the levels, or samples */
    RASTER_QUERY_LOD   /* floats: the level that SAMPLE would use, and the level of detail as computed */
};

enum raster_lookup_lod {
    RASTER_LOOKUP_ZERO,     /* level of detail 0 before the image's bias */
    RASTER_LOOKUP_IMPLICIT, /* of the quad's differences */
    RASTER_LOOKUP_BIAS,     /* the same with a bias of the lane's */
    RASTER_LOOKUP_EXPLICIT,
    RASTER_LOOKUP_GRADIENTS /* of derivatives that the lane gives */
};

enum raster_swizzle {
    RASTER_SWIZZLE_R,
    RASTER_SWIZZLE_G,
    RASTER_SWIZZLE_B,
    RASTER_SWIZZLE_A,
    RASTER_SWIZZLE_0,
    RASTER_SWIZZLE_1 /* an integer in formats of integers */
};

struct raster_sampler_key { /* padding-free, hashed as bytes; unused fields zero */
    uint16_t format;        /* enum raster_format: raster_sampler_plain */
    uint8_t op, dim;        /* enum raster_lookup_op, raster_dim */
    uint8_t array;          /* 1D, 2D and cubes: in layers */
    uint8_t multisampled;   /* 2D; FETCH and QUERY_SIZE alone */
    uint8_t layout;         /* RASTER_LINEAR or RASTER_UTGARD_TILED (Mali's u-interleaved order: the same) */
    uint8_t listed;         /* surfaces stand where the image's list says */
    uint8_t wrap[3];        /* enum raster_wrap of s, t, r; none of seamless cubes */
    uint8_t mag_linear, min_linear, mip; /* mip: enum raster_mip */
    uint8_t lod;                         /* enum raster_lookup_lod; of SAMPLE, GATHER, QUERY_LOD */
    uint8_t compare;                     /* 0: no; else 1 + enum raster_func, of the reference beside red */
    uint8_t component;                   /* GATHER: which, after the swizzle */
    uint8_t offset;                      /* lanes bring offsets in texels; of cubes never */
    uint8_t swizzle[4];                  /* enum raster_swizzle */
    uint8_t unnormalized;                /* s, t, r are texels: level 0 alone, nothing repeats */
    uint8_t seamless;                    /* cubes: filters cross edges (GL ES 3) */
    uint8_t faced;             /* cubes: s, t stand on the face that the third coordinate's integer says */
    uint8_t whole_layer;       /* the layer is an integer (FETCH: always) */
    uint8_t minify_above_half; /* minified above 0.5, not 0; what is magnified shows level 0 */
    uint8_t unused;
};
_Static_assert(sizeof(struct raster_sampler_key) == 28, "no padding");

/* Offsets are bytes from raster_image.memory. A slice is one of a volume's, a layer, or a face: cube layer * 6 +
 * face, in the order +X -X +Y -Y +Z -Z. */
struct raster_image_level {
    uint32_t offset; /* of the first slice's first sample */
    uint32_t width, height,
        depth;           /* texels, >= 1; 1D and buffers: height 1; depth of volumes alone, else 1 */
    uint32_t row_stride; /* linear: from a row to the next; tiled: from a row of tiles to the next */
    uint32_t slice_stride, sample_stride;
    uint32_t first_surface; /* key.listed: sample k of slice n is surface[first_surface + n * samples + k],
                             * in place of offset and the two strides above */
    struct raster_window window; /* raster_image_validate makes it */
};

/* Prepared once a draw, immutable while workers hold it. The caller owns what it points to. */
struct raster_image {
    const uint8_t *memory; /* host address of offset 0, a multiple of 4 */
    uint64_t memory_size;  /* up to 2^32 */
    const uint32_t *surface;
    uint32_t surface_count;
    uint32_t level_count; /* 1..RASTER_IMAGE_LEVELS */
    uint32_t layers;      /* of arrays, else 1; of cubes: whole cubes */
    uint32_t samples;     /* 1, 2, 4, 8, 16 */
    uint32_t border[4];   /* what is outside, words as the format's unpacked texels, before the swizzle; of
                           * components that the format has not, the format's constant counts */
    float lod_bias, lod_min, lod_max;
    uint32_t border_texel; /* border as a packed texel, of formats of bytes: raster_image_validate makes it */
    struct raster_image_level level[RASTER_IMAGE_LEVELS];
};

/* Whether the sampler takes a format as it is: texels of whole bytes, each for itself. */
bool raster_sampler_plain(enum raster_format format);
/* Whether its samples are integers (of depths with stencil: those are floats, the stencil is left out). */
bool raster_sampler_integer(enum raster_format format);

/* 0, or -EINVAL with what is refused by name: formats that are not plain, filters and comparisons of integers,
 * and what enumerations, dimensions and operations exclude. The sampler takes valid keys alone. */
int raster_sampler_validate(const struct raster_sampler_key *key, struct util_error *error);
/* Checks that every texel of every level, slice and sample lies inside memory, and fills in what the sampler
 * needs; 0, or -EFAULT with the level named. Of a valid key. */
int raster_image_validate(const struct raster_sampler_key *key, struct raster_image *image,
                          struct util_error *error);

/* What 16 lanes ask, four quads (lanes 4q..4q+3; bit 0 is x, bit 1 is y). Words: floats, integers where said. Only
 * what the key asks for is read. */
struct raster_lookup_lanes {
    uint32_t coordinate[3]
                       [16]; /* s, t, r; FETCH: integers; of faced cubes the third is the face, an integer */
    uint32_t layer[16];      /* rounded to the nearest, of two the even; FETCH, whole_layer: an integer */
    uint32_t reference[16];
    uint32_t lod[16];            /* bias or level; FETCH, QUERY_SIZE: an integer */
    uint32_t gradient[2][3][16]; /* towards x and y, of s, t, r; of cubes of the direction */
    uint32_t offset[3][16];      /* signed integers */
    uint32_t sample[16];         /* an integer */
};

/* out[0..3]: four components of 16 lanes. The caller is in the guest floating-point environment. */
void raster_sampler_run(const struct raster_sampler_key *key, const struct raster_image *image,
                        const struct raster_lookup_lanes *in, uint32_t out[4][16]);

/* For debuggers: where lane `lane`'s first texel stands, of SAMPLE, GATHER and FETCH; `face` is the slice, offsets are from
 * raster_image.memory. The same environment. */
void raster_sampler_lookup(const struct raster_sampler_key *key, const struct raster_image *image,
                           const struct raster_lookup_lanes *in, unsigned lane, struct raster_lookup *out);

/* Whether four channels are blended as bytes (README.md, "The general sampler", 6). */
bool raster_sampler_bytes(const struct raster_sampler_key *key);

#endif

/* Pixel formats, each one row of texel.inc: what stands where in a pixel, and how it is read. What packs and
 * unpacks them is made from the row: one pixel (texel.c), or 16 lanes as IR (texel_ir.h), the same bits.
 *
 * A pixel is up to four words, little-endian. Unpacked it is four words, of red, green, blue and alpha: a
 * float where the channel is one, a normalised number or fixed point, else an integer. Of depths red is the
 * depth and green the stencil. */
#ifndef VITRAIL_RASTER_TEXEL_H
#define VITRAIL_RASTER_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

enum raster_format {
    RASTER_FORMAT_NONE,
#define TEXEL(name, kind, b0, b1, b2, b3, order)              RASTER_##name,
#define TEXELS(name, k0, k1, k2, k3, b0, b1, b2, b3, order)   RASTER_##name,
#define BLOCK(name, block_width, block_height, length, coded) RASTER_##name,
#include "raster/texture/texel.inc"
#undef TEXEL
#undef TEXELS
#undef BLOCK
    RASTER_FORMAT_COUNT
};
_Static_assert(RASTER_FORMAT_COUNT <= UINT16_MAX + 1, "keys hold formats in 16 bits");

/* What a channel's bits are (GL ES 3.2 sections 2.3.4 and 2.3.5). */
enum raster_kind {
    RASTER_KIND_X, /* nothing: packed as zeros */
    RASTER_KIND_UNORM,
    RASTER_KIND_SNORM,
    RASTER_KIND_UINT,
    RASTER_KIND_SINT,
    RASTER_KIND_FLOAT,   /* of 32 or 16 bits; of 11 or 10 without sign */
    RASTER_KIND_SRGB,    /* as UNORM, but for colours; of alpha UNORM */
    RASTER_KIND_USCALED, /* an integer as the float that it is */
    RASTER_KIND_SSCALED,
    RASTER_KIND_FIXED, /* signed, of 2^16 */
    RASTER_KIND_SHARED /* nine bits of which the exponent is above all channels */
};

/* How bits become texels where it is not each for itself. */
enum raster_coding {
    RASTER_CODING_PLAIN,
    RASTER_CODING_YUYV, /* two texels, of one blue and red difference: Y0 U Y1 V */
    RASTER_CODING_UYVY,
    RASTER_CODING_ETC1,
    RASTER_CODING_ETC2,
    RASTER_CODING_ASTC,
    RASTER_CODING_S3TC,
    RASTER_CODING_RGTC,
    RASTER_CODING_BPTC
};

enum { RASTER_FROM_ZERO = 4, RASTER_FROM_ONE };

struct raster_texel {
    const char *name;
    uint8_t coding;        /* enum raster_coding; PLAIN alone has channels */
    uint8_t width, height; /* texels of a block; PLAIN: 1, 1 */
    uint8_t bits;          /* of a block */
    struct {
        uint8_t kind, bits, at; /* enum raster_kind; `at`: its lowest bit's place */
    } channel[4];
    uint8_t from[4]; /* channel that red, green, blue and alpha come from, or RASTER_FROM_ */
};

extern const struct raster_texel raster_texels[RASTER_FORMAT_COUNT];

/* Bytes of a pixel or block; 0 for those of less than a byte and for none. */
static inline uint32_t raster_format_bytes(enum raster_format format)
{
    return raster_texels[format].bits / 8u;
}

/* What channel `c` is: of SRGB alpha is UNORM. */
enum raster_kind raster_texel_kind(const struct raster_texel *texel, unsigned c);
/* The one of red, green, blue and alpha that a packed channel is of; 4: none. */
unsigned raster_texel_component(const struct raster_texel *texel, unsigned c);
/* What stands for one: an integer in formats of integers. */
uint32_t raster_texel_one(const struct raster_texel *texel);

/* Of PLAIN ones. Packing rounds to nearest, of two to even, and keeps within the range: NaN becomes 0 but
 * in floats; floats without sign become no more than their greatest number unless they are infinite. */
void raster_texel_unpack(const struct raster_texel *texel, const uint32_t word[4], uint32_t out[4]);
void raster_texel_pack(const struct raster_texel *texel, const uint32_t in[4], uint32_t word[4]);

/* The word that samplers take of a texel, of formats that raster_texel_is_8888 is true of: R | G << 8 | B <<
 * 16 | A << 24, each channel's bits repeated to fill a byte. Of one channel alone its own bits. */
bool raster_texel_is_8888(const struct raster_texel *texel);
uint32_t raster_texel_sampled(const struct raster_texel *texel, uint32_t word);
/* The other way, each byte to the nearest of its channel's numbers. */
uint32_t raster_texel_from_8888(const struct raster_texel *texel, uint32_t bytes);

/* sRGB (srgb.inc). */
extern const uint32_t raster_srgb_linear[256], raster_srgb_least[256];

#endif

/* What the files of the scalar sampler share; README.md holds the arithmetic. Not for users. */
#ifndef VITRAIL_RASTER_TEXTURE_INTERNAL_H
#define VITRAIL_RASTER_TEXTURE_INTERNAL_H

#include "raster/texture/texture.h"
#include "util/bits.h"
#include "util/checked.h"

/* ---- layout.c ---- */

/* Offset of byte `xb` of row `y`; a utile row has 1 << row_log2 bytes. */
uint32_t raster_byte_offset(enum raster_layout layout, unsigned row_log2, uint32_t stride, uint32_t xb,
                            uint32_t y);
/* For texels (or blocks) of `bits` bits. */
unsigned raster_utile_row_log2(unsigned bits);
/* Bytes a level spans when it is `blocks_x` by `blocks_y` texels (ETC1: blocks), both >= 1; false when the
 * stride is too small for the width or the numbers overflow. */
bool raster_level_span(unsigned bits, const struct raster_level *level, uint32_t blocks_x, uint32_t blocks_y,
                       uint64_t *bytes);

/* ---- format.c ---- */

/* Bits of one of a key's texels (ETC1: of a block). */
unsigned raster_key_bits(const struct raster_texture_key *key);
/* Where in a level (and face) the bytes of texel (x, y), or of its ETC1 block, begin. */
uint32_t raster_key_offset(const struct raster_texture_key *key, const struct raster_level *level, uint32_t x,
                           uint32_t y);
/* The words of a sample or texel; what a format has not is zero. */
struct raster_sampled {
    uint32_t word[RASTER_SAMPLED_WORDS];
};
/* Texel (x, y), which lies inside the level; `start` is the level's (and face's) first byte. */
struct raster_sampled raster_fetch(const struct raster_texture_key *key, const struct raster_level *level,
                                   const uint8_t *start, uint32_t x, uint32_t y);

/* ---- etc1.c ---- */

/* R | G << 8 | B << 16 of pixel (dx, dy), 0..3 each, of a block in the extension's order. */
uint32_t raster_etc1_pixel(const uint8_t block[8], unsigned dx, unsigned dy);

/* ---- filter.c ---- */

/* One axis of one sample in 1/256 texel (README.md section 3). */
int32_t raster_coordinate(enum raster_wrap wrap, bool unnormalized, uint32_t size, float s);

struct raster_taps {
    int32_t x[2];    /* texels; with BORDER possibly outside, else inside */
    uint32_t weight; /* of x[1], 0..255 */
    bool outside[2]; /* the tap is the border */
};
void raster_axis_taps(enum raster_wrap wrap, bool linear, uint32_t size, int32_t i, struct raster_taps *out);

uint32_t raster_lerp_8888(uint32_t a, uint32_t b, uint32_t weight);
/* The same on one channel of up to 24 bits. */
uint32_t raster_lerp_word(uint32_t a, uint32_t b, uint32_t weight);
/* The same on two halves (README.md section 7). */
uint32_t raster_lerp_16f(uint32_t a, uint32_t b, uint32_t weight);

/* ---- lod.c ---- */

struct raster_lod_result {
    bool linear;
    uint32_t level, level1, weight;
};
/* For each of the 16 lanes (README.md section 2). */
void raster_select_levels(const struct raster_texture_key *key, const struct raster_texture *texture,
                          const float s[16], const float t[16], const float r[16], const float bias[16],
                          struct raster_lod_result out[16]);

#endif

/* Texels of compressed blocks (the BLOCK rows of texel.inc), scalar, as the Khronos Data Format Specification has them.
 * Every pattern of bits is decoded: to what the specification says of invalid blocks, or to what is ours and said so
 * beside it. */
#ifndef VITRAIL_RASTER_BLOCK_H
#define VITRAIL_RASTER_BLOCK_H

#include <stdint.h>

#include "raster/texture/texel.h"

#define RASTER_BLOCK_TEXELS 144u /* 12 by 12, the most */
#define RASTER_BLOCK_BYTES  8u   /* of a decoded texel, at most */

/* The plain format that texels of a format of blocks are decoded to; RASTER_FORMAT_NONE of one without blocks. */
enum raster_format raster_block_plain(enum raster_format format);

/* Decodes one block: its texels row by row, each as a pixel of the plain format. `out` has room for all. */
void raster_block_decode(enum raster_format format, const uint8_t *block, uint8_t *out);

/* What a texel of an ETC1 block adds to its half's colour: `index` is its two bits, that of the sign above (etc1.c). */
int raster_etc1_modifier(unsigned table, unsigned index);
/* A block, in the extension's order, of texels R, G, B and another, row by row (etc1_encode.c). */
void raster_etc1_encode(const uint8_t texel[16][4], uint8_t block[8]);

/* ---- one coding each: block_etc.c, block_s3tc.c, block_bptc.c, block_bptc_float.c, block_astc.c. Words are texels of
 * R8G8B8A8; where they say so, others. ---- */

void raster_block_etc2(enum raster_format format, const uint8_t *block, uint32_t out[16]);
void raster_block_eac(enum raster_format format, const uint8_t *block, uint16_t *out); /* of R16, R16G16 */
void raster_block_s3tc(enum raster_format format, const uint8_t *block, uint32_t out[16]);
void raster_block_rgtc(enum raster_format format, const uint8_t *block, uint8_t *out); /* of R8, R8G8 */
void raster_block_bptc(const uint8_t *block, uint32_t out[16]);
void raster_block_bptc_float(const uint8_t *block, bool is_signed, uint16_t out[64]); /* R16G16B16X16_FLOAT */
/* 16-bit numbers a channel, of which sRGB's lower eight do not count. */
void raster_block_astc(const struct raster_texel *texel, bool srgb, const uint8_t *block,
                       uint16_t out[4 * RASTER_BLOCK_TEXELS]);

/* Which subset of a BPTC block's 2 or 3 a texel is of, and the texel of each subset whose index lacks its highest bit
 * (block_bptc.c). */
unsigned raster_bptc_subset(unsigned subsets, unsigned partition, unsigned texel);
bool raster_bptc_anchor(unsigned subsets, unsigned partition, unsigned texel);

/* Bits of a little-endian block, `at` + `count` <= 128, `count` <= 32. */
uint32_t raster_block_bits(const uint8_t block[16], unsigned at, unsigned count);

#endif

/* Colour targets of a tile, where they are more or other than tile.h's two kinds: up to eight, each of any
 * PLAIN colour format (texture/texel.inc) of 1 to 16 bytes, of 1, 2, 4, 8 or 16 samples, beside depth of
 * raster/zs.h's kinds.
 *
 * In the tile a sample of a target is a pixel of the target's format, packed as in memory, in 1 to 4 words;
 * bits above the pixel's are zero. In color[] stand the blocks in raster order; in a block target after target;
 * in a target sample after sample; in a sample its words; of a word the 16 lanes. So all that belongs to a
 * block is in one place, at constants from its beginning, and one target alone of RGBA8 or of four halves
 * stands as in the tiles of RASTER_TARGET_8888 and RASTER_TARGET_RGBA16F: all that serves those serves it.
 *
 * A tile is the largest of 64x64, 64x32, 32x32, 32x16, 16x16, ... 4x4 pixels whose colours take no more than
 * RASTER_TILE_WORDS words (16 KiB stay in the nearest cache), and its samples of depth no more; 4x4 pixels may
 * take RASTER_COLOR_WORDS, which is enough for 8 targets of 16 bytes and 16 samples. (A Mali's own tile is of
 * 16x16 pixels and shrinks alike, Mesa's pan_select_max_tile_size; a program cannot tell.)
 *
 * A struct raster_targets belongs to its caller and is constant once made; width, height, samples and target of
 * the tile are its caller's to set (raster_worker_place): target is that of tile.h where the one target is of its
 * kinds, else RASTER_TARGET_8888. */
#ifndef VITRAIL_RASTER_TARGETS_H
#define VITRAIL_RASTER_TARGETS_H

#include "raster/surface.h"
#include "raster/zs.h"

#define RASTER_TARGETS_MAX 8u

struct raster_targets {
    uint8_t count;                       /* 0 to 8 */
    uint8_t samples;                     /* 1, 2, 4, 8, 16 */
    uint8_t depth;                       /* enum raster_depth_kind */
    uint8_t total;                       /* words of a sample of all targets: raster_block_ir.words */
    uint8_t words[RASTER_TARGETS_MAX];   /* of a sample; 0: no such target */
    uint8_t first[RASTER_TARGETS_MAX];   /* words of a sample of the targets before it */
    uint16_t format[RASTER_TARGETS_MAX]; /* enum raster_format, in the tile */
};

/* The format of the tile for images of a format: RGBA8 for every order of four normalised bytes, RGBX8 where
 * the fourth is nothing, so that bytes are blended as one word; else the image's own. */
enum raster_format raster_targets_format(enum raster_format image);

/* Whether a format is one of colours, whose pixels stand each for itself in 1 to 16 whole bytes. */
bool raster_targets_is_color(enum raster_format format);

/* `formats` are those of the tile, RASTER_FORMAT_NONE where a place has no target. False, and nothing is made,
 * when a format is not PLAIN, of no whole bytes or of depth or stencil, or the numbers are out of range. */
bool raster_targets_init(struct raster_targets *targets, const enum raster_format *formats, uint32_t count,
                         uint32_t samples, enum raster_depth_kind depth);
/* Pixels of the tile, powers of two. */
void raster_targets_size(const struct raster_targets *targets, uint32_t *width, uint32_t *height);

/* Index into color of the first lane of a word of target t in the block whose first index for one word and one
 * sample (raster_block_index / samples) is `block`, a multiple of 16. */
static inline uint32_t raster_targets_word(const struct raster_targets *targets, uint32_t block, uint32_t t,
                                           uint32_t sample, uint32_t word)
{
    uint32_t in_block = targets->first[t] * (uint32_t)targets->samples + sample * targets->words[t] + word;
    return block * targets->samples * targets->total + in_block * 16;
}
/* The block that holds pixel (x, y), as above. */
static inline uint32_t raster_targets_block(const struct raster_tile *tile, uint32_t x, uint32_t y)
{
    return ((y >> 2) * (tile->width >> 2) + (x >> 2)) * 16;
}

/* A sample of a target; words above the format's are zero, and not looked at. */
void raster_targets_get(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t t,
                        uint32_t x, uint32_t y, uint32_t sample, uint32_t word[4]);
void raster_targets_put(const struct raster_targets *targets, struct raster_tile *tile, uint32_t t,
                        uint32_t x, uint32_t y, uint32_t sample, const uint32_t word[4]);

/* Every sample of a target. `word`: a pixel of its format, as raster_texel_pack makes it. */
void raster_targets_clear(const struct raster_targets *targets, struct raster_tile *tile, uint32_t t,
                          const uint32_t word[4]);
/* Every sample's depth (as raster_depth_encode makes it) and stencil, those that are asked for. */
void raster_targets_clear_depth(const struct raster_targets *targets, struct raster_tile *tile,
                                uint32_t depth);
void raster_targets_clear_stencil(const struct raster_targets *targets, struct raster_tile *tile,
                                  uint8_t stencil);
void raster_targets_clear_zs(const struct raster_targets *targets, struct raster_tile *tile, uint32_t depth,
                             uint8_t stencil); /* both */

/* ---- images ---- */

/* What of a tile an image is of: a target's number, or one of these. */
enum { RASTER_OF_DEPTH = RASTER_TARGETS_MAX, RASTER_OF_STENCIL, RASTER_OF_DEPTH_STENCIL };

/* The image `surface` is as surface.h has it but for: pixels may have 16 bytes; plane, dither, swap and
 * big_endian are not looked at. Depth and stencil take their channels alone: others of the image's pixels
 * stay as they are.
 * One level of one sample, or one sample's plane of a multisampled image. */
bool raster_targets_image_size(const struct raster_surface *surface, uint64_t *bytes); /* validates base */

/* Stores the pixels of tile and image. `count` samples from `first` on make a pixel (of those that there are;
 * without `first`, sample 0). Colours of normalised and float channels are averaged: unpacked, their sum in
 * order, as singles, times one over their number, packed as the image's format (sRGB: of linear colours). Of
 * integers, depth and stencil it is the first's. A single sample is as it is in an image of its format, else
 * unpacked and packed; depths of fixed point lose their lower bits or repeat their upper ones. Targets that are
 * blended as bytes (output.h) are averaged and packed as surface.h has those of RASTER_TARGET_8888.
 */
void raster_targets_store(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                          const struct raster_surface *surface, uint32_t first, uint32_t count);
/* The bytes that a store to a colour's image makes of the tile's pixel (x, y). */
void raster_targets_stored(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                           const struct raster_surface *surface, uint32_t first, uint32_t count, uint32_t x,
                           uint32_t y, uint8_t pixel[16]);
/* Loads `count` samples from `first` on alike; pixels outside the image keep what they have. */
void raster_targets_load(const struct raster_targets *targets, struct raster_tile *tile, uint32_t of,
                         const struct raster_surface *surface, uint32_t first, uint32_t count);
/* What a store of the tile makes of the image's pixel for its own (0, 0), for raster_surface_fill_pixel to fill all
 * pixels with of tiles that are alike throughout. False: images of such pixels are not filled. */
bool raster_targets_pixel(const struct raster_targets *targets, const struct raster_tile *tile, uint32_t of,
                          const struct raster_surface *surface, uint32_t first, uint32_t count,
                          struct raster_pixel *pixel);
/* The same, pixel by pixel from their definition. */
void raster_targets_store_ref(const struct raster_targets *targets, const struct raster_tile *tile,
                              uint32_t of, const struct raster_surface *surface, uint32_t first,
                              uint32_t count);
void raster_targets_load_ref(const struct raster_targets *targets, struct raster_tile *tile, uint32_t of,
                             const struct raster_surface *surface, uint32_t first, uint32_t count);

#endif

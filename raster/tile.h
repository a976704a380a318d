/* The tile buffer: what a worker keeps in its cache while it draws one tile.
 *
 * Pixels stand in blocks of 4x4, so that one 16-lane fragment batch is one block and reads or writes whole
 * vectors. Lane l of a block is pixel x = (l & 1) | (l >> 1 & 2), y = (l >> 1 & 1) | (l >> 2 & 2): quads of
 * 2x2 in the order left-to-right, then top-to-bottom; inside a quad bit 0 is x and bit 1 is y (VideoCore IV
 * fragment lanes, and what derivatives of every family need). Blocks stand in raster order; the samples of a
 * block follow each other.
 *
 * color: what one sample's colour is, the tile's target says, in words: of each block and sample first the 16
 * lanes' first words, then their second, and so on. A tile of colours of n words has at most an n-th of the
 * samples. Several targets, and other formats: targets.h. zs: depth << 8 | stencil; or the counters of
 * coverage.h; or 32 bits of depth, with stencil as bytes beside it in the same order (zs.h). mask: a byte a
 * pixel, in blocks as above, whatever the number of samples. Row 0 is the row with the lowest y. */
#ifndef VITRAIL_RASTER_TILE_H
#define VITRAIL_RASTER_TILE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define RASTER_TILE_WORDS     4096u /* 64x64 pixels of one sample, or 32x32 of four */
#define RASTER_COLOR_WORDS    8192u /* 4x4 pixels of sixteen samples of eight targets of four words */
#define RASTER_MAX_SAMPLES    4u    /* of what raster_cover serves, whose tiles have 1 or 4 */
#define RASTER_TARGET_SAMPLES 16u   /* of targets.h and samples.h */

/* What a colour is in the tile buffer. */
enum raster_target {
    RASTER_TARGET_8888,    /* a word, the first channel in the low byte */
    RASTER_TARGET_RGBA16F, /* two: red and green, blue and alpha, as halves, the first in the low bits */
    RASTER_TARGET_COUNT
};

/* Words of a colour. */
static inline uint32_t raster_target_words(enum raster_target target)
{
    return target == RASTER_TARGET_RGBA16F ? 2 : 1;
}

struct raster_tile {
    alignas(64) uint32_t color[RASTER_COLOR_WORDS];
    alignas(64) uint32_t zs[RASTER_TILE_WORDS];
    uint32_t width,
        height;       /* pixels, multiples of 4 up to 64; width * height * samples <= RASTER_TILE_WORDS */
    uint32_t samples; /* 1, 2, 4, 8 or 16; but for samples.h and targets.h, 1 or 4 */
    int32_t x, y;     /* window position of the tile's pixel (0,0); |value| <= 65536 */
    uint8_t target;   /* enum raster_target: for who looks at it; who works on it is told */
    const struct raster_targets *targets;           /* likewise, of tiles of targets.h; NULL: of others */
    alignas(64) uint8_t mask[RASTER_TILE_WORDS];    /* of VG */
    alignas(64) uint8_t stencil[RASTER_TILE_WORDS]; /* beside depths of 32 bits */
};

/* Lane of pixel (x, y) inside its block, from the low two bits of each. */
static inline uint32_t raster_lane_x(uint32_t lane)
{
    return (lane & 1) | (lane >> 1 & 2);
}
static inline uint32_t raster_lane_y(uint32_t lane)
{
    return (lane >> 1 & 1) | (lane >> 2 & 2);
}
static inline uint32_t raster_lane(uint32_t x, uint32_t y)
{
    return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
}

/* Index into color and zs of the first lane of the block that holds pixel (x, y), for one sample. */
static inline uint32_t raster_block_index(const struct raster_tile *tile, uint32_t x, uint32_t y,
                                          uint32_t sample)
{
    return (((y >> 2) * (tile->width >> 2) + (x >> 2)) * tile->samples + sample) * 16;
}

static inline uint32_t raster_pixel_index(const struct raster_tile *tile, uint32_t x, uint32_t y,
                                          uint32_t sample)
{
    return raster_block_index(tile, x, y, sample) + raster_lane(x, y);
}

/* The same of an RGBA16F tile's color: `half` 0 for red and green, 1 for blue and alpha. */
static inline uint32_t raster_rgba16f_index(const struct raster_tile *tile, uint32_t x, uint32_t y,
                                            uint32_t sample, uint32_t half)
{
    return raster_block_index(tile, x, y, sample) * 2 + half * 16 + raster_lane(x, y);
}

/* A sample's colour: its word, or of an RGBA16F tile four halves, red in the low bits. */
static inline uint64_t raster_tile_color(const struct raster_tile *tile, uint32_t x, uint32_t y,
                                         uint32_t sample)
{
    if (tile->target == RASTER_TARGET_8888)
        return tile->color[raster_pixel_index(tile, x, y, sample)];
    return tile->color[raster_rgba16f_index(tile, x, y, sample, 0)] |
           (uint64_t)tile->color[raster_rgba16f_index(tile, x, y, sample, 1)] << 32;
}

/* Index into mask of pixel (x, y). */
static inline uint32_t raster_mask_index(const struct raster_tile *tile, uint32_t x, uint32_t y)
{
    return ((y >> 2) * (tile->width >> 2) + (x >> 2)) * 16 + raster_lane(x, y);
}

/* Fills every sample. */
void raster_tile_clear(struct raster_tile *tile, uint32_t color, uint32_t zs);
void raster_tile_clear_color(struct raster_tile *tile, uint32_t color);
void raster_tile_clear_rgba16f(struct raster_tile *tile, uint64_t color); /* red in the low 16 bits */
void raster_tile_clear_mask(struct raster_tile *tile, uint8_t mask);
void raster_tile_clear_zs(struct raster_tile *tile, uint32_t zs,
                          uint32_t mask); /* only bits in mask change */

/* What a tile buffer has of a pixel. DEPTH is zs without its stencil. */
enum raster_plane { RASTER_PLANE_COLOR, RASTER_PLANE_ZS, RASTER_PLANE_DEPTH, RASTER_PLANE_MASK };

/* A plane of the tile (not DEPTH) as it stands, all samples: width * height * samples words (RGBA16F: twice as
 * many; the mask: bytes, of pixels), at most RASTER_TILE_DUMP_BYTES. Quads of 2x2 pixels in raster order; in a
 * quad sample after sample; in a sample its four words, x before y. For tiles of four samples this is the raw
 * tile of VideoCore IV (Mesa's vc4_nir_lower_txf_ms.c); for tiles of one the same rule, ours. An RGBA16F
 * sample's four words of red and green stand before those of blue and alpha. */
#define RASTER_TILE_DUMP_BYTES (RASTER_TILE_WORDS * 4u)
uint32_t raster_tile_dump_bytes(const struct raster_tile *tile, enum raster_plane plane);
void raster_tile_dump(const struct raster_tile *tile, enum raster_plane plane, uint8_t *bytes);
void raster_tile_undump(struct raster_tile *tile, enum raster_plane plane, const uint8_t *bytes);

#endif

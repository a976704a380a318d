/* What the files of loads and stores share: the scalar path over a part of an image, and how the fast paths
 * walk over it. */
#ifndef VITRAIL_RASTER_SURFACE_INTERNAL_H
#define VITRAIL_RASTER_SURFACE_INTERNAL_H

#include <emmintrin.h>

#include "raster/surface.h"
#include "util/bits.h"

/* Compiled where it is called, for what is known there. */
#define SURFACE_INLINED static inline __attribute__((always_inline))

/* Pixels of the image, x1, y1 exclusive. */
struct raster_surface_part {
    uint32_t x0, y0, x1, y1;
};

/* Ordered dither: what is added to v * (levels - 1) before the division by 255, for threshold t of 16:
 * (2t + 1) * 255 / 32, rounded down. [y & 3][x & 3] of the image. Without it 127 is added, which rounds to
 * nearest. */
extern const uint16_t raster_surface_dither[4][4];
#define SURFACE_NEAREST 127u

/* raster_surface_size of pixels of no more bits. */
bool raster_surface_span(const struct raster_surface *surface, uint32_t most_bits, uint64_t *bytes);

/* What of the rectangle lies in the image; false when nothing. */
bool raster_surface_visible(const struct raster_surface *surface, int64_t x, int64_t y, uint32_t width,
                            uint32_t height, struct raster_surface_part *part);

/* A colour's bytes in the image, `bias` as above. */
void raster_surface_pack(const struct raster_surface *surface, enum raster_target target, uint64_t color,
                         uint32_t bias, uint8_t pixel[8]);
void raster_surface_store_part(const struct raster_surface *surface, const struct raster_tile *tile,
                               struct raster_resolve resolve, const struct raster_surface_part *part);
void raster_surface_load_part(const struct raster_surface *surface, struct raster_tile *tile,
                              const struct raster_surface_part *part);

/* The whole units of a transfer, and the pixels it leaves to the scalar path. A unit is 64 bytes that are
 * four rows of 16 bytes in linear images and in VideoCore IV's, there a utile; in Utgard's tiles it is a block
 * of 4x4 pixels, which stands in one piece. */
struct raster_surface_plan {
    uint32_t bytes, width;  /* of a pixel; of a unit in pixels */
    uint32_t u, v;          /* of the first unit in the image, in units */
    uint32_t columns, rows; /* of units */
    size_t pitch;           /* between the rows of a unit */
    size_t step, drop;      /* inside a group: to the unit at the right, to the one below */
    struct raster_surface_part right, below;
};

/* Of a part at a place of whole units, or all of it is left. */
void raster_surface_plan(const struct raster_surface *s, const struct raster_surface_part *part,
                         struct raster_surface_plan *plan);

/* The tile's part of the image, and its units where it begins at one; false: it has none. */
bool raster_surface_plan_tile(const struct raster_surface *s, const struct raster_tile *tile,
                              struct raster_surface_plan *plan);

/* Rows of four pixels, or a block's quads. */
struct raster_surface_rows {
    __m128i r[4];
};

/* Lanes to rows of four pixels, or back: the same exchange of halves (tile.h's order of lanes). */
static inline struct raster_surface_rows surface_transpose(__m128i q0, __m128i q1, __m128i q2, __m128i q3)
{
    return (struct raster_surface_rows){{_mm_unpacklo_epi64(q0, q1), _mm_unpackhi_epi64(q0, q1),
                                         _mm_unpacklo_epi64(q2, q3), _mm_unpackhi_epi64(q2, q3)}};
}

/* Units in groups of four by four, those of an aligned one in the image, lie `step` and `drop` apart in linear
 * images and VideoCore IV's. The end of the group with the transfer's unit `at`, of `count`; `first` is
 * plan->u or v. */
static inline uint32_t surface_group_end(uint32_t first, uint32_t at, uint32_t count)
{
    return UTIL_MIN(((first + at) | 3) + 1 - first, count);
}

static inline uint8_t *raster_surface_unit(const struct raster_surface *s,
                                           const struct raster_surface_plan *plan, uint32_t u, uint32_t v)
{
    return s->base + raster_surface_offset(s, (plan->u + u) * plan->width, (plan->v + v) * 4);
}

/* Column u, row v of an image's 4x4 blocks, `block` bytes each, in Utgard's tiles: where it stands in one piece. */
static inline uint8_t *surface_tiled_block(const struct raster_surface *s, size_t block, uint32_t u,
                                           uint32_t v)
{
    /* Of the blocks of a tile, in rows. */
    static const uint8_t place[16] = {0, 1, 4, 5, 3, 2, 7, 6, 12, 13, 8, 9, 15, 14, 11, 10};
    size_t tile = (size_t)(v / 4) * s->stride + u / 4;
    return s->base + (tile * 16 + place[v % 4 * 4 + u % 4]) * block;
}

#endif

/* Loading and storing a tile: conversion between the tile buffer and images in guest memory, in the image's
 * layout and format; and raw dumps of a tile. README.md of this folder writes the conversions down.
 *
 * Each operation has a fast path and a scalar twin (_ref) that leave the same bytes. They touch only bytes of
 * pixels inside both the image and the tile. Fast stores go past the caches: raster_surface_fence before
 * another thread is told that a tile is stored. */
#ifndef VITRAIL_RASTER_SURFACE_H
#define VITRAIL_RASTER_SURFACE_H

#include "raster/texture/texture.h"
#include "raster/tile.h"

enum raster_surface_format {
    RASTER_SURFACE_RGBA8888,      /* the tile's own words */
    RASTER_SURFACE_BGR565,        /* first channel in the top 5 bits, then 6, then 5: no dither */
    RASTER_SURFACE_BGR565_DITHER, /* ordered 4x4 dither on store */
    RASTER_SURFACE_ZS,            /* depth << 8 | stencil: moves the tile's zs instead of its color */
    RASTER_SURFACE_RGBA16F,       /* an RGBA16F tile's pairs of words */
    RASTER_SURFACE_A8,            /* the tile's mask */
};

/* A pixel of it (enum raster_surface_format) as bits. */
const struct raster_texel *raster_surface_texel(uint32_t format);

/* An image: `width` x `height` pixels, tiles that stick out are cut. `base` is host memory, validated by the
 * caller with raster_surface_size. */
struct raster_surface {
    uint8_t *base;
    uint32_t width, height; /* pixels */
    uint32_t layout;        /* enum raster_layout */
    uint32_t format;        /* enum raster_surface_format */
    uint32_t stride;        /* linear: bytes a row; tiled: tiles or utiles a row */
};

/* Bytes the surface spans from base, at most 4 GiB; false on overflow, an unknown layout or format, or a
 * stride too small for tiles of the width. */
bool raster_surface_size(const struct raster_surface *surface, uint64_t *bytes);

/* What a pixel of the image is made of (Guide table 38, record 28 "Mode"): 1, 4 or 16 samples. */
enum raster_decimate {
    RASTER_DECIMATE_NONE, /* sample 0 */
    RASTER_DECIMATE_4,    /* the four samples; 2x2 pixels of a tile of one sample */
    RASTER_DECIMATE_16,   /* the samples of 2x2 pixels; 4x4 pixels of a tile of one sample */
};

/* A8 and averages of RGBA16F have the scalar path alone. An RGBA16F tile's samples are averaged as
 * raster_rgba16f_average has it. */

/* Store of the tile at tile->x, y: samples are averaged per channel, (their sum + 2) >> 2, when `resolve` and
 * the tile has four; otherwise sample 0 is taken; ZS always takes sample 0. */
void raster_surface_store(const struct raster_surface *surface, const struct raster_tile *tile, bool resolve);
/* Store with any decimation. Where several pixels become one, the tile lands at its position divided by their
 * number. The average of n is (sum + n / 2) / n. */
void raster_surface_store_decimated(const struct raster_surface *surface, const struct raster_tile *tile,
                                    enum raster_decimate decimate);
/* The same of a tile whose plane, colour or, for a ZS surface, zs, would hold `word` throughout: nothing
 * reads the plane, and what it holds afterwards is not defined. Formats up to ZS. */
void raster_surface_store_uniform(const struct raster_surface *surface, struct raster_tile *tile,
                                  uint32_t word, enum raster_decimate decimate);
/* Load fills all samples alike; pixels outside the image keep their words. */
void raster_surface_load(const struct raster_surface *surface, struct raster_tile *tile);
/* Store of the tile's depth only: the stencil bytes of memory stay. The surface's format is ZS. */
void raster_surface_store_z_only(const struct raster_surface *surface, const struct raster_tile *tile);

/* What this thread stored is seen before what it does from here on. */
void raster_surface_fence(void);

void raster_surface_store_ref(const struct raster_surface *surface, const struct raster_tile *tile,
                              enum raster_decimate decimate);
void raster_surface_load_ref(const struct raster_surface *surface, struct raster_tile *tile);
void raster_surface_store_z_only_ref(const struct raster_surface *surface, const struct raster_tile *tile);

/* A plane of the tile as it stands, all samples: width * height * samples words (RGBA16F: twice as many; the
 * mask: bytes, of pixels), at most RASTER_TILE_DUMP_BYTES. Quads of 2x2 pixels in raster order; in a quad
 * sample after sample; in a sample its four words, x before y. For tiles of four samples this is the raw tile
 * of VideoCore IV (Mesa's vc4_nir_lower_txf_ms.c); for tiles of one the same rule, ours. An RGBA16F sample's
 * four words of red and green stand before those of blue and alpha. */
enum raster_plane { RASTER_PLANE_COLOR, RASTER_PLANE_ZS, RASTER_PLANE_RGBA16F, RASTER_PLANE_MASK };
#define RASTER_TILE_DUMP_BYTES (RASTER_TILE_WORDS * 4u)
uint32_t raster_tile_dump_bytes(const struct raster_tile *tile, enum raster_plane plane);
void raster_tile_dump(const struct raster_tile *tile, enum raster_plane plane, uint8_t *bytes);
void raster_tile_undump(struct raster_tile *tile, enum raster_plane plane, const uint8_t *bytes);

#endif

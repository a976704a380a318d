/* Loading and storing a tile: conversion between the tile buffer and images in guest memory, in the image's
 * layout and format. */
#ifndef VITRAIL_RASTER_SURFACE_H
#define VITRAIL_RASTER_SURFACE_H

#include "raster/texture.h"
#include "raster/tile.h"

enum raster_surface_format {
    RASTER_SURFACE_RGBA8888,      /* the tile's own words */
    RASTER_SURFACE_BGR565,        /* 5:6:5, no dither */
    RASTER_SURFACE_BGR565_DITHER, /* ordered 4x4 dither on store */
    RASTER_SURFACE_ZS,            /* depth << 8 | stencil */
};

/* An image: `width` x `height` pixels, tiles that stick out are cut. `base` is host memory, validated by the
 * caller with raster_surface_size. */
struct raster_surface {
    uint8_t *base;
    uint32_t width, height; /* pixels */
    uint32_t layout;        /* enum raster_layout */
    uint32_t format;        /* enum raster_surface_format */
    uint32_t stride;        /* linear: bytes a row; tiled: tiles or utiles a row */
};

/* Bytes the surface spans from base; false on overflow or a layout and format that do not go together. */
bool raster_surface_size(const struct raster_surface *surface, uint64_t *bytes);

/* Store: samples are averaged per channel (sum of the samples + 2) >> 2 when `resolve`, otherwise sample 0 is
 * taken; ZS always takes sample 0. Load fills all samples alike. Tile position from tile->x, y. */
void raster_surface_store(const struct raster_surface *surface, const struct raster_tile *tile, bool resolve);
void raster_surface_load(const struct raster_surface *surface, struct raster_tile *tile);

/* Store and load of the tile's depth only (Z-only keeps the stencil bytes of memory). */
void raster_surface_store_z_only(const struct raster_surface *surface, const struct raster_tile *tile);

#endif

/* A frame's render targets, depth and stencil: what a tile has of each, and where tiles are written back to.
 * Internal to gpu/mali. Sources: Mesa's pan_cs.c, pan_clear.c and pan_format.c as documentation. */
#ifndef VITRAIL_GPU_MALI_TARGETS_H
#define VITRAIL_GPU_MALI_TARGETS_H

#include "gpu/mali/afbc.h"
#include "gpu/mali/frame.h"
#include "raster/targets.h"

/* Images of a frame at most: of each target a plane a sample, of depth and stencil likewise. */
#define MALI_STORES_MOST ((MALI_TARGETS + 2u) * RASTER_TARGET_SAMPLES)

/* A tile's samples from `first` on, averaged where they are several, go into an image. */
struct mali_store {
    uint32_t of; /* raster/targets.h: a target's number, or depth and stencil */
    uint32_t first, count;
    bool clean; /* it takes tiles on which nothing was drawn; others keep what the image has there */
    uint64_t address;
    struct raster_surface surface; /* its memory may be written; of AFBC without memory */
    struct raster_pixel cleared;   /* with `fills`: a pixel on which nothing was drawn */
    bool is_afbc;
    struct mali_afbc_target to; /* is_afbc */
};

struct mali_targets {
    const struct gpu_space *space;
    struct raster_targets tile;
    uint32_t width, height;
    bool raw[MALI_TARGETS]; /* bits that only blend shaders know to read */
    uint32_t clear[MALI_TARGETS][4];
    uint32_t clear_depth;
    uint8_t clear_stencil;
    bool fills;  /* images that take what is only cleared take it without a tile */
    bool shares; /* tiles meet in superblocks, and come one after the other */
    uint32_t store_count;
    struct mali_store store[MALI_STORES_MOST];
};

/* frame_check.c. False and *stop: the frame says what would be drawn otherwise, or its table of samples is not in
 * memory. */
bool mali_frame_check(const struct gpu_space *space, enum mali_version version,
                      const struct mali_frame *frame, struct mali_stop *stop);

/* False and *stop: a format or layout that is none or is not done, or an image that is not in memory
 * (page_fault: it may come). Images lie in `space`, whose host addresses *out has. */
bool mali_targets_read(const struct gpu_space *space, enum mali_version version,
                       const struct mali_frame *frame, struct mali_targets *out, struct mali_stop *stop);

/* Whether pixels of a tile's format stand in it as the hardware has them: raw ones, which are of RASTER_R8_UINT to
 * RASTER_R32G32B32A32_UINT, and four bytes. The others are of fewer bits, which blend shaders have elsewhere
 * (frag_ports.c). */
bool mali_targets_is_plain(enum raster_format format);

/* A tile on which nothing was drawn; and stored in image n. */
void mali_targets_clear(const struct mali_targets *targets, struct raster_tile *tile);
/* Stores the clear values to the pixels of a rectangle of tiles; false: that takes tiles. */
bool mali_targets_fill(const struct mali_targets *targets, const struct raster_rect *pixels);
void mali_targets_store(const struct mali_targets *targets, uint32_t n, const struct raster_tile *tile);

/* targets_afbc.c: the same to an image of AFBC. */
void mali_targets_store_afbc(const struct mali_targets *targets, const struct mali_store *store,
                             const struct raster_tile *tile);

#endif

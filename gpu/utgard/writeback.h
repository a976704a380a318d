/* The write-back units of a pixel processor: where a finished tile of 16x16 pixels goes, in which format.
 * Facts: Mesa's lima, and for smaller images and orders that it does not ask for the register reference of
 * Zynq UltraScale+ (UG1087, GPU module, WB_TARGET_AA_FORMAT and WB_TARGET_FLAGS). */
#ifndef VITRAIL_GPU_UTGARD_WRITEBACK_H
#define VITRAIL_GPU_UTGARD_WRITEBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/fault.h"
#include "gpu/space.h"
#include "raster/surface.h"

#define UTGARD_WB_UNITS 3u
#define UTGARD_WB_WORDS 12u /* registers of a unit */

/* Registers of a unit by number, and flags in theirs, after the rows of frame.inc. Dithering is not done. */
enum utgard_wb_word {
#define WB_WORD(id, number, low, bits, kind, added, words, name, what) UTGARD_WB_WORD_##id = number,
#include "gpu/utgard/frame.inc"
};
enum utgard_wb_flag {
#define WB_FLAG(id, number, low, name, what) UTGARD_WB_FLAG_##id = 1 << low,
#include "gpu/utgard/frame.inc"
};

enum utgard_wb_source { UTGARD_WB_OFF, UTGARD_WB_ZS, UTGARD_WB_COLOR };
enum utgard_wb_format {
    UTGARD_WB_BGR565,
    UTGARD_WB_BGRA5551,
    UTGARD_WB_BGRA4444,
    UTGARD_WB_BGRA8888,
    UTGARD_WB_B8,
    UTGARD_WB_GB88,
    UTGARD_WB_BGRA16F, /* of tiles of halves, these three */
    UTGARD_WB_B16F,
    UTGARD_WB_GB16F,
    UTGARD_WB_Z16 = 14,
    UTGARD_WB_Z24S8, /* stencil in the top byte */
};

struct utgard_wb {
    enum utgard_wb_source source;
    struct raster_surface image; /* `base` NULL: where a plane stands is told by: */
    uint32_t address;            /* of the first */
    uint32_t sample_pitch;       /* bytes between planes */
    uint32_t samples; /* bit n: sample n goes to a plane of its own; 0: one plane of their average */
    struct raster_resolve average; /* of that; of a plane utgard_wb_plane */
};

/* A unit's registers for a frame of so many pixels, checked against memory: every pixel of every plane may
 * be written. Of a smaller image what the frame's edge cuts is a pixel too. False and *fault (PACKET,
 * UNSUPPORTED, MEMORY). */
bool utgard_wb_decode(const uint32_t words[UTGARD_WB_WORDS], uint32_t width, uint32_t height,
                      const struct gpu_space *space, struct utgard_wb *out, struct gpu_fault *fault);

/* Whether the unit can store of a frame of halves, or of bytes: depths of both, colours as they are, of
 * halves one sample alone. False and *fault (UNSUPPORTED: what the silicon makes of the rest nobody says). */
bool utgard_wb_fits(const struct utgard_wb *wb, bool halves, struct gpu_fault *fault);

/* Bytes from a plane's first to its last. */
uint64_t utgard_wb_plane_bytes(const struct utgard_wb *wb);
/* What a plane's pixels are made of: sample `plane`, or the average for -1. */
struct raster_resolve utgard_wb_plane(const struct utgard_wb *wb, int plane);

/* Stores the tile's pixels that lie in the image, plane by plane. `memory`: host address of GPU address 0. */
void utgard_wb_store(const struct utgard_wb *wb, uint8_t *memory, const struct raster_tile *tile);
/* What utgard_wb_store does of tiles all of whose samples hold `color`, for all such pixels of the frame in a
 * rectangle of tiles. False when it cannot be done without them (raster_surface_fill). */
bool utgard_wb_fill(const struct utgard_wb *wb, uint8_t *memory, enum raster_target target, uint64_t color,
                    const struct raster_rect *pixels);

/* The guest address of a plane's first byte, where the image's pages are one run of the guest's memory; false
 * where they are not. */
bool utgard_wb_physical(const struct utgard_wb *wb, const struct gpu_space *space, unsigned plane,
                        uint64_t *out);
#endif

/* Vertices that a program has already divided: window coordinates in pixels, depth, 1/w. As clipping needs
 * one, and as culling needs many. Clip coordinates are rebuilt: x and y are pixels from the frame's centre,
 * near and far are -w and w. */
#ifndef VITRAIL_TILER_WINDOW_H
#define VITRAIL_TILER_WINDOW_H

#include <stdalign.h>

#include "tiler/cull.h"
#include "tiler/marks.h"
#include "util/pool.h"

#define TILER_POSITION 16u /* bytes of a vertex's position: x, y, z, 1/w as floats */

struct tiler_window {
    float centre_x, centre_y; /* the frame's, pixels */
    float near, far;          /* depths; the same: nothing is clipped by depth */
    struct tiler_guard guard; /* scales of 1: pixels */
};

/* A vertex on its own. */
struct tiler_window_vertex {
    float x, y, z, inv_w;
    float clip[4];
    uint32_t code; /* planes that it is outside of, TILER_OUT_NAN */
};

/* A draw's vertices by number, as far as they were taken. */
struct tiler_window_vertices {
    alignas(64) struct tiler_vertex at[TILER_MARKS];
    alignas(16) float position[TILER_MARKS][4]; /* x, y, z, 1/w as they stood in memory */
};

/* The vertex whose position is at `at`, unaligned. */
void tiler_window_load(const struct tiler_window *window, const void *at, struct tiler_window_vertex *out);
/* Takes `count` vertices - index[0..count-1], or without `index` those from `first` on - of an array that
 * begins at `positions`, each read once; on the pool where that pays, NULL: none. */
void tiler_window_take(const struct tiler_window *window, const uint8_t *positions, const uint16_t *index,
                       uint32_t first, uint32_t count, struct tiler_window_vertices *out,
                       struct util_pool *pool);

#endif

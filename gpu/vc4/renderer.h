/* Control thread 1: executes a rendering list: tile configuration, loads, tile lists, stores. Internal to
 * gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_RENDERER_H
#define VITRAIL_GPU_VC4_RENDERER_H

#include "gpu/vc4/device_internal.h"

/* Runs the list from start to end: reads it whole into per-tile jobs, then draws the tiles on the pool.
 * Returns true when it ended normally with an end-of-frame store (frame done is then pending). */
bool vc4_renderer_run(struct vc4_device *device, uint32_t start, uint32_t end);

#endif

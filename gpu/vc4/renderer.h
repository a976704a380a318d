/* Control thread 1: executes a rendering list: tile configuration, loads, tile lists, stores. Internal to
 * gpu/vc4. */
#ifndef VITRAIL_GPU_VC4_RENDERER_H
#define VITRAIL_GPU_VC4_RENDERER_H

#include "gpu/vc4/device_internal.h"

/* Runs thread 1 from device->thread[1].ca to .ea and leaves .ca where it stopped. The list is read into jobs
 * of one or more tiles; jobs that are complete are drawn on the pool before this returns, a tile in the
 * making waits for the next call (the list may be extended, or wait for the binner). Stores that end a frame
 * count in *frames: frame done is then pending. */
enum vc4_list_end vc4_renderer_run(struct vc4_device *device, uint32_t *frames);

/* 0 and device->renderer, or -ENOMEM. */
int vc4_renderer_create(struct vc4_device *device);
void vc4_renderer_destroy(struct vc4_device *device);
/* Forgets the list in the making, as a thread reset does. */
void vc4_renderer_reset(struct vc4_device *device);

#endif

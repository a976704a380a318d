/* Control thread 0: executes a binning list - state, coordinate shading, clipping - and writes tile lists
 * into guest memory. Internal to gpu/vc4: device.c calls it when CT0EA is written. */
#ifndef VITRAIL_GPU_VC4_BINNER_H
#define VITRAIL_GPU_VC4_BINNER_H

#include "gpu/vc4/device_internal.h"

/* Runs thread 0 from device->thread[0].ca to .ea and leaves .ca where it stopped: sub-lists, semaphores, the
 * out-of-memory protocol (through device->bpca/bpcs/bpoa/bpos and the interrupt callback). Faults go to
 * gpu_host_fault. Flushes of tile lists count in *flushes: flush done is then pending. State stays until the
 * next run or reset, so that a list may be extended. */
enum vc4_list_end vc4_binner_run(struct vc4_device *device, uint32_t *flushes);

/* 0 and device->binner, or -ENOMEM. */
int vc4_binner_create(struct vc4_device *device);
void vc4_binner_destroy(struct vc4_device *device);
/* Forgets the list in the making and all state, as a thread reset does. */
void vc4_binner_reset(struct vc4_device *device);

/* Whether a binning list has its configuration, but its tile lists are not started (CTMODE, Guide table 49).
 */
bool vc4_binner_prefixing(const struct vc4_device *device);

#endif

/* Control thread 0: executes a binning list - state, coordinate shading, clipping - and writes tile lists
 * into guest memory. Internal to gpu/vc4: device.c calls it when CT0EA is written. */
#ifndef VITRAIL_GPU_VC4_BINNER_H
#define VITRAIL_GPU_VC4_BINNER_H

#include "gpu/vc4/device_internal.h"

/* Runs the list from CT0CA to CT0EA, with sub-lists, semaphores, the out-of-memory protocol (through
 * device->bpca/bpcs/bpoa/bpos and the IRQ callback). Faults go to vc4_fault_add. Returns true when the list
 * ended normally (flush done is then pending). */
bool vc4_binner_run(struct vc4_device *device, uint32_t start, uint32_t end);

#endif

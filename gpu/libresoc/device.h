/* The Libre-SOC's hybrid core as a GPU: a command processor of a few registers (regs.inc) that draws a frame whose record it is
 * given (records.inc), its stages as RV64GC programs with Simple-V. No such device was built: registers and records are ours
 * (README.md).
 *
 * Threading: a device is used by one thread at a time. A frame is drawn inside the write that starts it; the interrupt callback is
 * called from there, too, and may start the next, which is drawn before the outermost write returns. */
#ifndef VITRAIL_GPU_LIBRESOC_DEVICE_H
#define VITRAIL_GPU_LIBRESOC_DEVICE_H

#include "gpu/device.h"
#include "gpu/libresoc/regs.h"
#include "gpu/memory.h"
#include "gpu/options.h"

struct libresoc_device;

/* `memory` is borrowed, must be a file and outlive the device. 0, -EINVAL, -ENOMEM, -errno. */
int libresoc_device_create(struct gpu_memory *memory, const struct gpu_options *options,
                           struct libresoc_device **out);
void libresoc_device_destroy(struct libresoc_device *device); /* NULL is accepted */

/* The device as one of any family; its `self` is the device. Pending bits are those of INT_STAT. */
struct gpu_device libresoc_device_gpu(struct libresoc_device *device);

#endif

/* Mali-400 and Mali-450 behind the table that all families fill (gpu/device.h). */
#ifndef VITRAIL_GPU_UTGARD_GPU_H
#define VITRAIL_GPU_UTGARD_GPU_H

#include "gpu/device.h"
#include "gpu/utgard/device.h"

/* The device as one of any family, by the name of its options; its `self` is the device. The callback's
 * `pending` has a bit for each interrupt line (enum utgard_ip). */
struct gpu_device utgard_device_gpu(struct utgard_device *device);

#endif

/* Malis with a job manager behind the table that all families fill (gpu/device.h). */
#ifndef VITRAIL_GPU_MALI_GPU_H
#define VITRAIL_GPU_MALI_GPU_H

#include "gpu/device.h"
#include "gpu/mali/device.h"

/* The device so; it stays the caller's, or goes with gpu_device_destroy. */
struct gpu_device mali_device_gpu(struct mali_device *device);

#endif

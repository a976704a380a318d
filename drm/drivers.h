/* The table of drivers, for the parts that choose one. */
#ifndef VITRAIL_DRM_DRIVERS_H
#define VITRAIL_DRM_DRIVERS_H

#include "drm/core/driver.h"

/* Who drives a GPU, and the driver's row of it. NULL: nobody. */
const struct drm_driver *drm_driver_find(const char *gpu, const struct drm_driver_gpu **row);
/* Its number in the protocol (drm/drivers.inc). */
uint32_t drm_driver_number(const struct drm_driver *driver);

#endif

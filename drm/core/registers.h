/* The device's registers, as drivers use them: while recording, what is written goes to the capture too. By
 * whoever uses the device. */
#ifndef VITRAIL_DRM_CORE_REGISTERS_H
#define VITRAIL_DRM_CORE_REGISTERS_H

#include "drm/core/card.h"

/* `answer`: from inside an interrupt handler, in answer to the device. */
static inline void drm_register_write(struct drm *drm, uint32_t offset, uint32_t value, bool answer)
{
    if (drm->options.capture)
        capture_write_register(drm->options.capture, offset, value, answer);
    gpu_device_write(&drm->options.gpu, offset, value);
}

static inline uint32_t drm_register_read(const struct drm *drm, uint32_t offset)
{
    return gpu_device_read(&drm->options.gpu, offset);
}

#endif

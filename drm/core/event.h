/* Events that a file is sent: page flips, vblanks. */
#ifndef VITRAIL_DRM_CORE_EVENT_H
#define VITRAIL_DRM_CORE_EVENT_H

#include <stdint.h>

struct drm_file;

/* An event gets its place when it is asked for: 0, or -ENOMEM when 4 KiB of events wait unread (as the kernel
 * limits them). Who has reserved one sends it, or cancels it. */
int drm_event_reserve(struct drm_file *file, uint32_t size);
void drm_event_cancel(struct drm_file *file, uint32_t size);
void drm_event_send(struct drm_file *file, const void *event, uint32_t size);

#endif

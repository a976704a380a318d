/* What the card tells its owner (struct drm_listener). May be called with the card locked or not. */
#ifndef VITRAIL_DRM_CORE_LOG_H
#define VITRAIL_DRM_CORE_LOG_H

struct drm;

void drm_log(struct drm *drm, const char *format, ...) __attribute__((format(printf, 2, 3)));
void drm_report_faults(struct drm *drm); /* all that the device has; by whoever uses it */

#endif

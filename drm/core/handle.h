/* A file's handles of buffers. */
#ifndef VITRAIL_DRM_CORE_HANDLE_H
#define VITRAIL_DRM_CORE_HANDLE_H

#include <stdint.h>

struct drm_bo;
struct drm_file;

struct drm_bo *drm_handle_get(struct drm_file *file, uint32_t handle); /* borrowed; NULL when unknown */
/* A new reference to bo under a new number. 0, -ENOMEM, or what the driver's add_handle says. */
int drm_handle_add(struct drm_file *file, struct drm_bo *bo, uint32_t *handle);
/* The same with the caller's reference, which is given up also when it fails. */
int drm_handle_give(struct drm_file *file, struct drm_bo *bo, uint32_t *handle);
/* A new buffer of whole pages, held by its handle alone. 0, -EINVAL, -ENOMEM, and the driver's. */
int drm_handle_create(struct drm_file *file, uint64_t size, uint32_t kind, uint32_t *handle);
/* Drops a handle; -EINVAL when unknown. */
int drm_handle_close(struct drm_file *file, uint32_t handle);

#endif

/* A file's handles of buffers: numbers, each a reference. */
#include "drm/core/handle.h"

#include <errno.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/driver.h"

struct drm_bo *drm_handle_get(struct drm_file *file, uint32_t handle)
{
    return drm_ids_get(&file->handles, handle);
}

int drm_handle_add(struct drm_file *file, struct drm_bo *bo, uint32_t *handle)
{
    const struct drm_driver *driver = file->drm->driver;
    int r = drm_ids_add(&file->handles, bo, handle);
    if (!r && driver->add_handle && (r = driver->add_handle(file, bo)))
        drm_ids_remove(&file->handles, *handle);
    if (r)
        return r;
    bo->handles++;
    drm_bo_get(bo);
    return 0;
}

int drm_handle_give(struct drm_file *file, struct drm_bo *bo, uint32_t *handle)
{
    int r = drm_handle_add(file, bo, handle);
    drm_bo_put(bo);
    return r;
}

int drm_handle_create(struct drm_file *file, uint64_t size, uint32_t kind, uint32_t *handle)
{
    struct drm_bo *bo;
    int r = drm_bo_create(file->drm, size, GPU_PAGE, kind, &bo);
    return r ? r : drm_handle_give(file, bo, handle);
}

int drm_handle_close(struct drm_file *file, uint32_t handle)
{
    struct drm_bo *bo = drm_ids_remove(&file->handles, handle);
    if (!bo)
        return -EINVAL;
    if (file->drm->driver->remove_handle)
        file->drm->driver->remove_handle(file, bo);
    if (!--bo->handles && bo->name) { /* a name lives as long as some handle does */
        drm_ids_remove(&file->drm->names, bo->name);
        bo->name = 0;
    }
    drm_bo_put(bo);
    return 0;
}

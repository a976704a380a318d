/* What the steps of a submission use: its log, its buffers, room for what they write. */
#include "drm/vc4/internal.h"

#include <stdarg.h>
#include <stdio.h>

void drm_vc4_debug(const struct drm_vc4_exec *exec, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    drm_log(exec->job.drm, "vc4: submission refused: %s", text);
}

struct drm_bo *drm_vc4_use_bo(const struct drm_vc4_exec *exec, uint32_t index)
{
    if (index >= exec->job.buffer_count) {
        drm_vc4_debug(exec, "buffer index %u of %u", index, exec->job.buffer_count);
        return NULL;
    }
    struct drm_bo *bo = exec->job.buffers[index].bo;
    if (drm_vc4_shader_of(bo)) {
        drm_vc4_debug(exec, "buffer index %u holds a program", index);
        return NULL;
    }
    return bo;
}

int drm_vc4_reserve(const struct drm_vc4_exec *exec, struct drm_bo **bo, uint64_t size)
{
    if (*bo && (*bo)->size >= size)
        return 0;
    drm_bo_put(*bo);
    *bo = NULL;
    return drm_bo_create(exec->job.drm, size, GPU_PAGE, DRM_BO_KERNEL, bo);
}

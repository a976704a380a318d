/* vc4's ioctls for the client: pointers and waits (vc4_drm.h). */
#include <errno.h>

#include <vc4_drm.h>

#include "drm/client/client.h"

static const struct client_pointer pointers[] = {
    CLIENT_ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, bin_cl, bin_cl_size, 1, IN),
    CLIENT_ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, shader_rec, shader_rec_size, 1, IN),
    CLIENT_ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, uniforms, uniforms_size, 1, IN),
    CLIENT_ROW(DRM_IOCTL_VC4_SUBMIT_CL, drm_vc4_submit_cl, bo_handles, bo_handle_count, 4, IN),
    CLIENT_ROW(DRM_IOCTL_VC4_CREATE_SHADER_BO, drm_vc4_create_shader_bo, data, size, 1, IN),
    CLIENT_ROW(DRM_IOCTL_VC4_GET_HANG_STATE, drm_vc4_get_hang_state, bo, bo_count,
               sizeof(struct drm_vc4_get_hang_state_bo), BOTH),
    CLIENT_ROW(DRM_IOCTL_VC4_LABEL_BO, drm_vc4_label_bo, name, len, 1, IN),
    {DRM_IOCTL_VC4_PERFMON_GET_VALUES, offsetof(struct drm_vc4_perfmon_get_values, values_ptr),
     DRM_VC4_MAX_PERF_COUNTERS, 0, 8, CLIENT_OUT},
    {0},
};

static const struct client_wait waits[] = {
    {DRM_IOCTL_VC4_WAIT_SEQNO, offsetof(struct drm_vc4_wait_seqno, timeout_ns), .relative = true,
     .has_fence = true, .fence_at = offsetof(struct drm_vc4_wait_seqno, seqno)},
    {DRM_IOCTL_VC4_WAIT_BO, offsetof(struct drm_vc4_wait_bo, timeout_ns), .relative = true},
    {0},
};

const struct client_driver client_vc4_driver = {pointers, waits, -ETIME, -ETIME};

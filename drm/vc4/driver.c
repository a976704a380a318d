/* The vc4 driver's ioctls, all but SUBMIT_CL and what belongs to it. Rules and errno values: vc4_bo.c,
 * vc4_gem.c and vc4_drv.c of the kernel. */
#include "drm/vc4/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "raster/surface.h"

#define MAX_SHADER_BYTES (1u << 20)

static int get_param(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_get_param *get = argument;
    if (get->pad)
        return -EINVAL;
    switch (get->param) {
    case DRM_VC4_PARAM_V3D_IDENT0:
    case DRM_VC4_PARAM_V3D_IDENT1:
    case DRM_VC4_PARAM_V3D_IDENT2:
        get->value = drm_vc4_of(file->drm)->ident[get->param - DRM_VC4_PARAM_V3D_IDENT0];
        return 0;
    case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
    case DRM_VC4_PARAM_SUPPORTS_ETC1:
    case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
    case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
    case DRM_VC4_PARAM_SUPPORTS_MADVISE:
    case DRM_VC4_PARAM_SUPPORTS_PERFMON: get->value = 1; return 0;
    default: return -EINVAL;
    }
}

static int create_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_create_bo *create = argument;
    return drm_handle_create(file, create->size, DRM_BO_USER, &create->handle);
}

static int mmap_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_mmap_bo *map = argument;
    const struct drm_bo *bo = drm_handle_get(file, map->handle);
    if (!bo)
        return -EINVAL;
    map->offset = bo->offset;
    return 0;
}

static int create_shader_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_create_shader_bo *create = argument;
    if (!create->size || create->size % sizeof(uint64_t) || create->flags || create->pad)
        return -EINVAL;
    if (create->size > MAX_SHADER_BYTES)
        return -ENOMEM;
    void *code;
    struct drm_bo *bo = NULL;
    int r = drm_copy_array(user, &code, create->data, create->size, 1);
    if (r)
        return r;
    struct drm_vc4_shader *shader = NULL;
    r = drm_vc4_shader_create(file->drm, code, create->size / 8, &shader);
    if (!r)
        r = drm_bo_create(file->drm, create->size, GPU_PAGE, DRM_BO_SHADER, &bo);
    if (!r) {
        memcpy(drm_bo_bytes(bo), code, create->size);
        bo->own = shader;
        shader = NULL;
        r = drm_handle_give(file, bo, &create->handle);
    }
    drm_vc4_shader_destroy(shader);
    free(code);
    return r;
}

static int set_tiling(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_set_tiling *set = argument;
    if (set->flags)
        return -EINVAL;
    if (set->modifier != DRM_FORMAT_MOD_LINEAR && set->modifier != DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED)
        return -EINVAL;
    struct drm_bo *bo = drm_handle_get(file, set->handle);
    if (!bo)
        return -ENOENT;
    bo->modifier = set->modifier;
    return 0;
}

static int get_tiling(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_get_tiling *get = argument;
    if (get->flags || get->modifier)
        return -EINVAL;
    const struct drm_bo *bo = drm_handle_get(file, get->handle);
    if (!bo)
        return -ENOENT;
    get->modifier = bo->modifier;
    return 0;
}

/* Labels are for the kernel's statistics: checked, then forgotten. */
static int label_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_label_bo *label = argument;
    void *name;
    if (!label->len || label->len > GPU_PAGE)
        return -EINVAL;
    int r = drm_copy_array(user, &name, label->name, label->len, 1);
    if (r)
        return r;
    free(name);
    return drm_handle_get(file, label->handle) ? 0 : -ENOENT;
}

static int gem_madvise(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct drm_vc4_gem_madvise *advise = argument;
    if ((advise->madv != VC4_MADV_WILLNEED && advise->madv != VC4_MADV_DONTNEED) || advise->pad)
        return -EINVAL;
    struct drm_bo *bo = drm_handle_get(file, advise->handle);
    if (!bo)
        return -ENOENT;
    advise->retained = bo->need != DRM_BO_PURGED;
    if (advise->retained)
        bo->need = advise->madv == VC4_MADV_DONTNEED ? DRM_BO_UNNEEDED : DRM_BO_NEEDED;
    return 0;
}

/* Waits do not block: -ETIME is "not yet" (drm.h). */
static int wait_seqno(struct drm_file *file, void *argument, const struct drm_user *user)
{
    return drm_fence_ask(file->drm, ((struct drm_vc4_wait_seqno *)argument)->seqno);
}

static int wait_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct drm_vc4_wait_bo *wait = argument;
    const struct drm_bo *bo = drm_handle_get(file, wait->handle);
    if (wait->pad || !bo)
        return -EINVAL;
    return drm_fence_ask(file->drm, bo->seqno);
}

static void free_bo(struct drm_bo *bo)
{
    drm_vc4_shader_destroy(drm_vc4_shader_of(bo));
}

static const struct drm_ioctl_row ioctls[] = {
    {DRM_IOCTL_VC4_SUBMIT_CL, DRM_ALLOW_RENDER, drm_vc4_submit},
    {DRM_IOCTL_VC4_WAIT_SEQNO, DRM_ALLOW_RENDER, wait_seqno},
    {DRM_IOCTL_VC4_WAIT_BO, DRM_ALLOW_RENDER, wait_bo},
    {DRM_IOCTL_VC4_CREATE_BO, DRM_ALLOW_RENDER, create_bo},
    {DRM_IOCTL_VC4_MMAP_BO, DRM_ALLOW_RENDER, mmap_bo},
    {DRM_IOCTL_VC4_CREATE_SHADER_BO, DRM_ALLOW_RENDER, create_shader_bo},
    {DRM_IOCTL_VC4_GET_HANG_STATE, 0, drm_vc4_get_hang_state},
    {DRM_IOCTL_VC4_GET_PARAM, DRM_ALLOW_RENDER, get_param},
    {DRM_IOCTL_VC4_SET_TILING, DRM_ALLOW_RENDER, set_tiling},
    {DRM_IOCTL_VC4_GET_TILING, DRM_ALLOW_RENDER, get_tiling},
    {DRM_IOCTL_VC4_LABEL_BO, DRM_ALLOW_RENDER, label_bo},
    {DRM_IOCTL_VC4_GEM_MADVISE, DRM_ALLOW_RENDER, gem_madvise},
    {DRM_IOCTL_VC4_PERFMON_CREATE, DRM_ALLOW_RENDER, drm_vc4_perfmon_create},
    {DRM_IOCTL_VC4_PERFMON_DESTROY, DRM_ALLOW_RENDER, drm_vc4_perfmon_destroy},
    {DRM_IOCTL_VC4_PERFMON_GET_VALUES, DRM_ALLOW_RENDER, drm_vc4_perfmon_get_values},
    {0, 0, NULL},
};

static const struct drm_driver_gpu gpus[] = {
    {"vc4", 0, "v3d", "/soc/v3d@7ec00000", {"brcm,bcm2835-v3d", NULL}},
    {0},
};

/* Rows of T tiles are 128 bytes wide per tile and 32 pixels high, for 2 and 4 bytes a pixel. */
static const struct drm_driver_layout layouts[] = {
    {DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED, RASTER_VC4_T, 128, 32, GPU_PAGE},
    {DRM_FORMAT_MOD_LINEAR, RASTER_LINEAR, 1, 1, 1},
};

const struct drm_driver drm_vc4_driver = {
    .name = "vc4",
    .date = "20140616",
    .description = "Broadcom VC4 graphics",
    .platform = "vc4-drm",
    .gpus = gpus,
    .layouts = layouts,
    .layout_count = UTIL_ARRAY_SIZE(layouts),
    .ioctls = ioctls,
    .init = drm_vc4_init,
    .finish = drm_vc4_finish,
    .open_file = drm_vc4_perfmon_open,
    .close_file = drm_vc4_perfmon_close,
    .free_bo = free_bo,
    .run_job = drm_vc4_run_job,
    .end_job = drm_vc4_end_job,
};

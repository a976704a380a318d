/* The lima driver's ioctls, all but GEM_SUBMIT and those of contexts. Rules and errno values: lima_drv.c and
 * lima_gem.c of the kernel. */
#include "drm/lima/internal.h"

#include <errno.h>
#include <stdlib.h>

#include <drm_fourcc.h>

#include "raster/surface.h"

static int get_param(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_get_param *get = argument;
    const struct drm_lima *lima = drm_lima_of(file->drm);
    if (get->pad)
        return -EINVAL;
    switch (get->param) {
    case LIMA_PARAM_GPU_ID: get->value = file->drm->gpu->model; return 0;
    case LIMA_PARAM_NUM_PP: get->value = lima->pp_count; return 0;
    case LIMA_PARAM_GP_VERSION: get->value = lima->gp_version; return 0;
    case LIMA_PARAM_PP_VERSION: get->value = lima->pp_version; return 0;
    default: return -EINVAL;
    }
}

static int gem_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_gem_create *create = argument;
    if (create->pad || create->flags & ~LIMA_CREATE_HEAP || !create->size)
        return -EINVAL;
    uint32_t kind = create->flags & LIMA_CREATE_HEAP ? DRM_BO_HEAP : DRM_BO_USER;
    return drm_handle_create(file, create->size, kind, &create->handle);
}

static int gem_info(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_gem_info *info = argument;
    const struct drm_bo *bo = drm_handle_get(file, info->handle);
    if (!bo)
        return -ENOENT;
    info->address = (uint32_t)drm_vm_find(&drm_lima_file_of(file)->vm->vm, bo)->address;
    info->offset = bo->offset;
    return 0;
}

/* Who wants to read waits for those that write, who wants to write for all. Waits do not block: -ETIME is
 * "not yet" (drm.h); a program is told -EBUSY or -ETIMEDOUT in the end. */
static int gem_wait(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct lima_gem_wait *wait = argument;
    if (wait->op & ~(LIMA_WAIT_READ | LIMA_WAIT_WRITE))
        return -EINVAL;
    if (!wait->op)
        return 0;
    const struct drm_bo *bo = drm_handle_get(file, wait->handle);
    if (!bo)
        return -EINVAL;
    uint64_t fence = wait->op & LIMA_WAIT_WRITE ? bo->seqno : bo->write_seqno;
    return drm_fence_ask(file->drm, fence);
}

/* ---- files ---- */

static int open_file(struct drm_file *file)
{
    struct drm_lima_file *own = calloc(1, sizeof *own);
    if (!own)
        return -ENOMEM;
    own->contexts = (struct drm_ids){.drm = file->drm, .kind = DRM_OWN_OBJECTS};
    int r = drm_lima_vm_create(file->drm, &own->vm);
    if (r)
        free(own);
    else
        file->own = own;
    return r;
}

static void close_file(struct drm_file *file)
{
    struct drm_lima_file *own = drm_lima_file_of(file);
    drm_lima_context_close(file);
    drm_vm_put(&own->vm->vm);
    free(own);
}

static int add_handle(struct drm_file *file, struct drm_bo *bo)
{
    drm_lima_start_heap(bo);
    return drm_vm_map(&drm_lima_file_of(file)->vm->vm, bo, GPU_PAGE);
}

static void remove_handle(struct drm_file *file, struct drm_bo *bo)
{
    drm_vm_unmap(&drm_lima_file_of(file)->vm->vm, bo);
}

static const struct drm_ioctl_row ioctls[] = {
    {LIMA_IOCTL_GET_PARAM, DRM_ALLOW_RENDER, get_param},
    {LIMA_IOCTL_GEM_CREATE, DRM_ALLOW_RENDER, gem_create},
    {LIMA_IOCTL_GEM_INFO, DRM_ALLOW_RENDER, gem_info},
    {LIMA_IOCTL_GEM_SUBMIT, DRM_ALLOW_RENDER, drm_lima_submit},
    {LIMA_IOCTL_GEM_WAIT, DRM_ALLOW_RENDER, gem_wait},
    {LIMA_IOCTL_CTX_CREATE, DRM_ALLOW_RENDER, drm_lima_context_create},
    {LIMA_IOCTL_CTX_FREE, DRM_ALLOW_RENDER, drm_lima_context_free},
    {0, 0, NULL},
};

static const struct drm_driver_gpu gpus[] = {
    {"mali400", LIMA_GPU_MALI400, "gpu", "/soc/gpu@1c40000", {"allwinner,sun8i-h3-mali", "arm,mali-400"}},
    {"mali450", LIMA_GPU_MALI450, "gpu", "/soc/gpu@d00c0000", {"amlogic,meson-gxbb-mali", "arm,mali-450"}},
    {0},
};

/* Displays do not know the GPU's blocks. */
static const struct drm_driver_layout layouts[] = {{DRM_FORMAT_MOD_LINEAR, RASTER_LINEAR, 1, 1, 1}};

const struct drm_driver drm_lima_driver = {
    .name = "lima",
    .date = "20191231",
    .description = "lima DRM",
    .major = 1,
    .minor = 1,
    .platform = "lima",
    .gpus = gpus,
    .layouts = layouts,
    .layout_count = UTIL_ARRAY_SIZE(layouts),
    .ioctls = ioctls,
    .init = drm_lima_init,
    .finish = drm_lima_finish,
    .open_file = open_file,
    .close_file = close_file,
    .add_handle = add_handle,
    .remove_handle = remove_handle,
    .run_job = drm_lima_run_job,
    .end_job = drm_lima_end_job,
};

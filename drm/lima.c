/* The lima driver's ioctls, all but GEM_SUBMIT. Rules and errno values: lima_drv.c, lima_gem.c and lima_ctx.c
 * of the kernel. */
#include "drm/lima.h"

#include <errno.h>
#include <stdlib.h>

static int get_param(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_get_param *get = argument;
    const struct drm_lima *lima = drm_lima_of(file->drm);
    if (get->pad)
        return -EINVAL;
    switch (get->param) {
    case LIMA_PARAM_GPU_ID: get->value = lima->id; return 0;
    case LIMA_PARAM_NUM_PP: get->value = lima->pp_count; return 0;
    case LIMA_PARAM_GP_VERSION: get->value = lima->gp_version; return 0;
    case LIMA_PARAM_PP_VERSION: get->value = lima->pp_version; return 0;
    default: return -EINVAL;
    }
}

static int gem_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_gem_create *create = argument;
    struct drm_bo *bo;
    if (create->pad || create->flags & ~LIMA_CREATE_HEAP || !create->size)
        return -EINVAL;
    uint32_t kind = create->flags & LIMA_CREATE_HEAP ? DRM_BO_HEAP : DRM_BO_USER;
    int r = drm_bo_create(file->drm, create->size, GPU_PAGE, kind, &bo);
    if (r)
        return r;
    r = drm_handle_add(file, bo, &create->handle);
    drm_bo_put(bo); /* the handle is the only reference that stays */
    return r;
}

static int gem_info(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_gem_info *info = argument;
    const struct drm_bo *bo = drm_handle_get(file, info->handle);
    if (!bo)
        return -ENOENT;
    info->address = drm_lima_mapping_find(drm_lima_file_of(file)->vm, bo)->address;
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
    return drm_fence_done(file->drm, fence) ? 0 : -ETIME;
}

/* ---- contexts ---- */

void drm_lima_context_put(struct drm_lima_context *context)
{
    if (!--context->refs)
        free(context);
}

/* Numbers begin at 0. */
static int ctx_create(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct lima_context *create = argument;
    uint32_t id;
    if (create->pad)
        return -EINVAL;
    int r = drm_charge(file->drm, DRM_CONTEXTS, 1);
    if (r)
        return r;
    struct drm_lima_context *context = calloc(1, sizeof *context);
    r = context ? drm_ids_add(&drm_lima_file_of(file)->contexts, context, &id) : -ENOMEM;
    if (r) {
        free(context);
        drm_uncharge(file->drm, DRM_CONTEXTS, 1);
        return r;
    }
    context->refs = 1;
    create->id = id - 1;
    return 0;
}

static int remove_context(struct drm_file *file, uint32_t id)
{
    struct drm_lima_context *context = drm_ids_remove(&drm_lima_file_of(file)->contexts, id);
    if (!context)
        return -EINVAL;
    drm_uncharge(file->drm, DRM_CONTEXTS, 1);
    drm_lima_context_put(context);
    return 0;
}

static int ctx_free(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct lima_context *args = argument;
    return args->pad ? -EINVAL : remove_context(file, args->id + 1);
}

/* ---- files ---- */

static int open_file(struct drm_file *file)
{
    struct drm_lima_file *own = calloc(1, sizeof *own);
    if (!own)
        return -ENOMEM;
    own->contexts.drm = file->drm;
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
    for (uint32_t i = 1; i < own->contexts.count; i++)
        remove_context(file, i);
    drm_ids_finish(&own->contexts);
    drm_lima_vm_put(own->vm);
    free(own);
}

static int add_handle(struct drm_file *file, struct drm_bo *bo)
{
    return drm_lima_map(drm_lima_file_of(file)->vm, bo);
}

static void remove_handle(struct drm_file *file, struct drm_bo *bo)
{
    drm_lima_unmap(drm_lima_file_of(file)->vm, bo);
}

static const struct drm_ioctl_row ioctls[] = {
    {LIMA_IOCTL_GET_PARAM, DRM_ALLOW_RENDER, get_param},
    {LIMA_IOCTL_GEM_CREATE, DRM_ALLOW_RENDER, gem_create},
    {LIMA_IOCTL_GEM_INFO, DRM_ALLOW_RENDER, gem_info},
    {LIMA_IOCTL_GEM_SUBMIT, DRM_ALLOW_RENDER, drm_lima_submit},
    {LIMA_IOCTL_GEM_WAIT, DRM_ALLOW_RENDER, gem_wait},
    {LIMA_IOCTL_CTX_CREATE, DRM_ALLOW_RENDER, ctx_create},
    {LIMA_IOCTL_CTX_FREE, DRM_ALLOW_RENDER, ctx_free},
    {0, 0, NULL},
};

static const char *const gpus[] = {"mali400", "mali450", NULL};
static const uint64_t modifiers[] = {DRM_FORMAT_MOD_LINEAR}; /* displays do not know the GPU's blocks */

const struct drm_driver drm_lima_driver = {
    .id = DRM_DRIVER_LIMA,
    .name = "lima",
    .date = "20191231",
    .description = "lima DRM",
    .major = 1,
    .minor = 1,
    .gpus = gpus,
    .ioctls = ioctls,
    .modifiers = modifiers,
    .modifier_count = UTIL_ARRAY_SIZE(modifiers),
    .init = drm_lima_init,
    .finish = drm_lima_finish,
    .open_file = open_file,
    .close_file = close_file,
    .add_handle = add_handle,
    .remove_handle = remove_handle,
    .free_bo = drm_lima_free_bo,
};

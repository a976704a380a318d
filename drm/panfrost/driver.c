/* The panfrost driver's ioctls, all but SUBMIT and those of performance counters. Rules and errno values:
 * panfrost_drv.c and panfrost_gem.c of the kernel. */
#include "drm/panfrost/internal.h"

#include <errno.h>

#include <drm_fourcc.h>

#include "raster/surface.h"

static int get_param(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct panfrost_get_param *get = argument;
    if (get->pad || get->param >= PANFROST_PARAMS)
        return -EINVAL;
    get->value = drm_panfrost_of(file->drm)->param[get->param];
    return 0;
}

/* ---- buffers ---- */

static uint64_t address_of(const struct drm_file *file, const struct drm_bo *bo)
{
    return drm_vm_find(&drm_panfrost_vm_of(file)->vm, bo)->address;
}

/* A large buffer is made of blocks, as the kernel makes it where it finds such memory; a heap always is. */
static int create_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct panfrost_create_bo *create = argument;
    bool heap = create->flags & PANFROST_BO_HEAP, executable = !(create->flags & PANFROST_BO_NOEXEC);
    if (!create->size || create->pad || create->flags & ~(PANFROST_BO_NOEXEC | PANFROST_BO_HEAP))
        return -EINVAL;
    if (heap && executable)
        return -EINVAL;
    uint64_t size = heap ? util_align(create->size, PANFROST_BLOCK) : create->size;
    struct drm_bo *bo;
    int r = drm_bo_create(file->drm, size, size >= PANFROST_BLOCK ? PANFROST_BLOCK : GPU_PAGE,
                          heap ? DRM_BO_HEAP : DRM_BO_USER, &bo);
    if (r)
        return r;
    bo->executable = executable;
    r = drm_handle_give(file, bo, &create->handle);
    if (!r)
        create->address = address_of(file, bo);
    return r;
}

static int mmap_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct panfrost_mmap_bo *map = argument;
    if (map->flags)
        return -EINVAL;
    const struct drm_bo *bo = drm_handle_get(file, map->handle);
    if (!bo)
        return -ENOENT;
    if (bo->kind == DRM_BO_HEAP)
        return -EINVAL;
    map->offset = bo->offset;
    return 0;
}

static int get_bo_offset(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct panfrost_get_bo_offset *get = argument;
    const struct drm_bo *bo = drm_handle_get(file, get->handle);
    if (!bo)
        return -ENOENT;
    get->address = address_of(file, bo);
    return 0;
}

/* Readers and writers are waited for. Waits do not block: -ETIME is "not yet" (drm.h). */
static int wait_bo(struct drm_file *file, void *argument, const struct drm_user *user)
{
    const struct panfrost_wait_bo *wait = argument;
    if (wait->pad)
        return -EINVAL;
    const struct drm_bo *bo = drm_handle_get(file, wait->handle);
    return bo ? drm_fence_ask(file->drm, bo->seqno) : -ENOENT;
}

/* What several files have is needed as long as one of them may need it. */
static int madvise(struct drm_file *file, void *argument, const struct drm_user *user)
{
    struct panfrost_madvise *advise = argument;
    struct drm_bo *bo = drm_handle_get(file, advise->handle);
    if (!bo)
        return -ENOENT;
    bool unneeded = advise->need == PANFROST_DONT_NEED;
    if (unneeded && bo->mappings->next)
        return -EINVAL;
    advise->retained = bo->need != DRM_BO_PURGED;
    if (advise->retained)
        bo->need = unneeded ? DRM_BO_UNNEEDED : DRM_BO_NEEDED;
    return 0;
}

/* ---- files ---- */

static int open_file(struct drm_file *file)
{
    struct drm_panfrost_vm *vm;
    int r = drm_panfrost_vm_create(file->drm, &vm);
    if (!r)
        file->own = vm;
    return r;
}

static void close_file(struct drm_file *file)
{
    drm_panfrost_perfcnt_close(file);
    drm_vm_put(&drm_panfrost_vm_of(file)->vm);
}

static int add_handle(struct drm_file *file, struct drm_bo *bo)
{
    return drm_vm_map(&drm_panfrost_vm_of(file)->vm, bo, drm_panfrost_alignment(bo));
}

static void remove_handle(struct drm_file *file, struct drm_bo *bo)
{
    drm_vm_unmap(&drm_panfrost_vm_of(file)->vm, bo);
}

static const struct drm_ioctl_row ioctls[] = {
    {PANFROST_IOCTL_SUBMIT, DRM_ALLOW_RENDER, drm_panfrost_submit},
    {PANFROST_IOCTL_WAIT_BO, DRM_ALLOW_RENDER, wait_bo},
    {PANFROST_IOCTL_CREATE_BO, DRM_ALLOW_RENDER, create_bo},
    {PANFROST_IOCTL_MMAP_BO, DRM_ALLOW_RENDER, mmap_bo},
    {PANFROST_IOCTL_GET_PARAM, DRM_ALLOW_RENDER, get_param},
    {PANFROST_IOCTL_GET_BO_OFFSET, DRM_ALLOW_RENDER, get_bo_offset},
    {PANFROST_IOCTL_PERFCNT_ENABLE, DRM_ALLOW_RENDER, drm_panfrost_perfcnt_enable},
    {PANFROST_IOCTL_PERFCNT_DUMP, DRM_ALLOW_RENDER, drm_panfrost_perfcnt_dump},
    {PANFROST_IOCTL_MADVISE, DRM_ALLOW_RENDER, madvise},
    {0, 0, NULL},
};

static const struct drm_driver_gpu gpus[] = {
    {"t720", 0x720, "gpu", "/soc/gpu@1800000", {"allwinner,sun50i-h6-mali", "arm,mali-t720"}},
    {"t760", 0x750, "gpu", "/gpu@ffa30000", {"rockchip,rk3288-mali", "arm,mali-t760"}},
    {"t860", 0x860, "gpu", "/gpu@ff9a0000", {"rockchip,rk3399-mali", "arm,mali-t860"}},
    {"g72", 0x6221, "gpu", "/soc/gpu@13040000", {"mediatek,mt8183-mali", "arm,mali-bifrost"}},
    {"g31", 0x7093, "gpu", "/soc/gpu@1800000", {"allwinner,sun50i-h616-mali", "arm,mali-bifrost"}},
    {"g52", 0x7212, "gpu", "/soc/gpu@ffe40000", {"amlogic,meson-g12a-mali", "arm,mali-bifrost"}},
    {"g57", 0x9093, "gpu", "/soc/gpu@13000000", {"mediatek,mt8192-mali", "arm,mali-valhall-jm"}},
    {0},
};

/* Displays do not know the GPU's blocks. */
static const struct drm_driver_layout layouts[] = {{DRM_FORMAT_MOD_LINEAR, RASTER_LINEAR, 1, 1, 1}};

const struct drm_driver drm_panfrost_driver = {
    .name = "panfrost",
    .date = "20180908",
    .description = "panfrost DRM",
    .major = 1,
    .minor = 2,
    .platform = "panfrost",
    .gpus = gpus,
    .layouts = layouts,
    .layout_count = UTIL_ARRAY_SIZE(layouts),
    .ioctls = ioctls,
    .init = drm_panfrost_init,
    .finish = drm_panfrost_finish,
    .open_file = open_file,
    .close_file = close_file,
    .add_handle = add_handle,
    .remove_handle = remove_handle,
    .purge_bo = drm_vm_clear,
    .run_job = drm_panfrost_run_job,
    .end_job = drm_panfrost_end_job,
};

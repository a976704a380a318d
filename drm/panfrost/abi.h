/* The ioctls of the kernel's panfrost driver, version 1.2, as programs make them. Restated here because libdrm
 * brings no header for it. Layouts are binding: all members stand at their natural places. */
#ifndef VITRAIL_DRM_PANFROST_ABI_H
#define VITRAIL_DRM_PANFROST_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

#include <drm.h>

#define PANFROST_REQUIRE_FRAGMENT 1u /* a chain of a fragment job */
struct panfrost_submit {
    uint64_t chain;    /* address of the first job */
    uint64_t in_syncs; /* pointer: sync objects */
    uint32_t in_sync_count;
    uint32_t out_sync;   /* a sync object; 0: none */
    uint64_t bo_handles; /* pointer */
    uint32_t bo_handle_count;
    uint32_t requirements;
};

struct panfrost_wait_bo {
    uint32_t handle, pad;
    int64_t timeout; /* ns, absolute */
};

#define PANFROST_BO_NOEXEC 1u
#define PANFROST_BO_HEAP   2u /* memory comes as the GPU touches it, up to the size */
struct panfrost_create_bo {
    uint32_t size, flags;
    uint32_t handle; /* out */
    uint32_t pad;
    uint64_t address; /* out: the GPU's, in this file */
};

struct panfrost_mmap_bo {
    uint32_t handle, flags;
    uint64_t offset; /* out: for mmap */
};

enum panfrost_param {
    PANFROST_PARAM_GPU_PROD_ID,
    PANFROST_PARAM_GPU_REVISION,
    PANFROST_PARAM_SHADER_PRESENT,
    PANFROST_PARAM_TILER_PRESENT,
    PANFROST_PARAM_L2_PRESENT,
    PANFROST_PARAM_STACK_PRESENT,
    PANFROST_PARAM_AS_PRESENT,
    PANFROST_PARAM_JS_PRESENT,
    PANFROST_PARAM_L2_FEATURES,
    PANFROST_PARAM_CORE_FEATURES,
    PANFROST_PARAM_TILER_FEATURES,
    PANFROST_PARAM_MEM_FEATURES,
    PANFROST_PARAM_MMU_FEATURES,
    PANFROST_PARAM_THREAD_FEATURES,
    PANFROST_PARAM_MAX_THREADS,
    PANFROST_PARAM_THREAD_MAX_WORKGROUP_SZ,
    PANFROST_PARAM_THREAD_MAX_BARRIER_SZ,
    PANFROST_PARAM_COHERENCY_FEATURES,
    PANFROST_PARAM_TEXTURE_FEATURES,                                  /* 4 of them */
    PANFROST_PARAM_JS_FEATURES = PANFROST_PARAM_TEXTURE_FEATURES + 4, /* 16 of them */
    PANFROST_PARAM_NR_CORE_GROUPS = PANFROST_PARAM_JS_FEATURES + 16,
    PANFROST_PARAM_THREAD_TLS_ALLOC,
    PANFROST_PARAM_AFBC_FEATURES,
    PANFROST_PARAMS
};
struct panfrost_get_param {
    uint32_t param, pad;
    uint64_t value; /* out */
};

struct panfrost_get_bo_offset {
    uint32_t handle, pad;
    uint64_t address; /* out */
};

struct panfrost_perfcnt_enable {
    uint32_t enable, set;
};

/* Samples of every counter: at most so many bytes, how many of them depends on the GPU. */
#define PANFROST_PERFCNT_MOST 32768u
struct panfrost_perfcnt_dump {
    uint64_t buffer; /* pointer */
};

enum panfrost_need { PANFROST_WILL_NEED, PANFROST_DONT_NEED };
struct panfrost_madvise {
    uint32_t handle, need;
    uint32_t retained; /* out: it has its pages still */
};

#define PANFROST_IOCTL_SUBMIT         DRM_IOW(DRM_COMMAND_BASE + 0, struct panfrost_submit)
#define PANFROST_IOCTL_WAIT_BO        DRM_IOW(DRM_COMMAND_BASE + 1, struct panfrost_wait_bo)
#define PANFROST_IOCTL_CREATE_BO      DRM_IOWR(DRM_COMMAND_BASE + 2, struct panfrost_create_bo)
#define PANFROST_IOCTL_MMAP_BO        DRM_IOWR(DRM_COMMAND_BASE + 3, struct panfrost_mmap_bo)
#define PANFROST_IOCTL_GET_PARAM      DRM_IOWR(DRM_COMMAND_BASE + 4, struct panfrost_get_param)
#define PANFROST_IOCTL_GET_BO_OFFSET  DRM_IOWR(DRM_COMMAND_BASE + 5, struct panfrost_get_bo_offset)
#define PANFROST_IOCTL_PERFCNT_ENABLE DRM_IOW(DRM_COMMAND_BASE + 6, struct panfrost_perfcnt_enable)
#define PANFROST_IOCTL_PERFCNT_DUMP   DRM_IOW(DRM_COMMAND_BASE + 7, struct panfrost_perfcnt_dump)
#define PANFROST_IOCTL_MADVISE        DRM_IOWR(DRM_COMMAND_BASE + 8, struct panfrost_madvise)

#endif

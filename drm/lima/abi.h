/* The ioctls of the kernel's lima driver, version 1.1, as programs make them. Restated here because libdrm
 * brings no header for it. Layouts are binding: all members stand at their natural places. */
#ifndef VITRAIL_DRM_LIMA_ABI_H
#define VITRAIL_DRM_LIMA_ABI_H

#include <stdint.h>
#include <sys/ioctl.h>

#include <drm.h>

enum lima_param { LIMA_PARAM_GPU_ID, LIMA_PARAM_NUM_PP, LIMA_PARAM_GP_VERSION, LIMA_PARAM_PP_VERSION };
enum lima_gpu_id { LIMA_GPU_UNKNOWN, LIMA_GPU_MALI400, LIMA_GPU_MALI450 };

struct lima_get_param {
    uint32_t param, pad;
    uint64_t value; /* out */
};

#define LIMA_CREATE_HEAP 1u /* memory comes as the GP asks for it, up to the size */
struct lima_gem_create {
    uint32_t size, flags;
    uint32_t handle; /* out */
    uint32_t pad;
};

struct lima_gem_info {
    uint32_t handle;
    uint32_t address; /* out: the GPU's, in this file */
    uint64_t offset;  /* out: for mmap */
};

#define LIMA_BUFFER_READ  1u
#define LIMA_BUFFER_WRITE 2u
struct lima_submit_buffer {
    uint32_t handle, flags;
};

/* Frames: register values of one task. */
#define LIMA_GP_REGISTERS      6
#define LIMA_PP_REGISTERS      23
#define LIMA_WB_REGISTERS      12 /* of each of 3 write-back units */
#define LIMA_MALI400_FRAGMENTS 4  /* PPs there may be */
#define LIMA_MALI450_FRAGMENTS 8

struct lima_gp_frame { /* start and end: VS commands, PLBU commands, PLBU heap */
    uint32_t registers[LIMA_GP_REGISTERS];
};
struct lima_mali400_frame {
    uint32_t registers[LIMA_PP_REGISTERS], pp_count, wb[3 * LIMA_WB_REGISTERS];
    uint32_t list[LIMA_MALI400_FRAGMENTS], stack[LIMA_MALI400_FRAGMENTS]; /* of each PP */
};
struct lima_mali450_frame {
    uint32_t registers[LIMA_PP_REGISTERS], pp_count, wb[3 * LIMA_WB_REGISTERS];
    uint32_t use_dlbu, pad;
    union {
        uint32_t list[LIMA_MALI450_FRAGMENTS];
        uint32_t dlbu[4]; /* base, size, block sizes, start position */
    };
    uint32_t stack[LIMA_MALI450_FRAGMENTS];
};

enum lima_pipe { LIMA_PIPE_GP, LIMA_PIPE_PP, LIMA_PIPES };
#define LIMA_SUBMIT_EXPLICIT 1u /* buffers' own fences are not waited for */
struct lima_gem_submit {
    uint32_t context, pipe, buffer_count, frame_size;
    uint64_t buffers, frame;              /* pointers */
    uint32_t flags, out_sync, in_sync[2]; /* sync objects; 0: none */
};

#define LIMA_WAIT_READ  1u
#define LIMA_WAIT_WRITE 2u
struct lima_gem_wait {
    uint32_t handle, op;
    int64_t timeout; /* ns, absolute */
};

struct lima_context {
    uint32_t id, pad;
};

#define LIMA_IOCTL_GET_PARAM  DRM_IOWR(DRM_COMMAND_BASE + 0, struct lima_get_param)
#define LIMA_IOCTL_GEM_CREATE DRM_IOWR(DRM_COMMAND_BASE + 1, struct lima_gem_create)
#define LIMA_IOCTL_GEM_INFO   DRM_IOWR(DRM_COMMAND_BASE + 2, struct lima_gem_info)
#define LIMA_IOCTL_GEM_SUBMIT DRM_IOW(DRM_COMMAND_BASE + 3, struct lima_gem_submit)
#define LIMA_IOCTL_GEM_WAIT   DRM_IOW(DRM_COMMAND_BASE + 4, struct lima_gem_wait)
#define LIMA_IOCTL_CTX_CREATE DRM_IOR(DRM_COMMAND_BASE + 5, struct lima_context)
#define LIMA_IOCTL_CTX_FREE   DRM_IOW(DRM_COMMAND_BASE + 6, struct lima_context)

#endif

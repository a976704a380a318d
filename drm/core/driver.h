/* What a driver is: the manner of one of the kernel's drivers, as one table. Its folder (drm/DRIVER) has the
 * table, the ioctls, what they check, and jobs on the device's registers; `client.c` there says what of its
 * ioctls' arguments is pointers, and which ioctls wait (drm/client/client.h). Its row in drm/drivers.inc
 * makes server and client know it.
 *
 * Of the card, its files and its buffers a driver has a pointer `own` each, which no other part looks into.
 * Buffers, handles, fences, sync objects, the queue of jobs and recording are drm/core's. */
#ifndef VITRAIL_DRM_CORE_DRIVER_H
#define VITRAIL_DRM_CORE_DRIVER_H

#include "drm/core/ioctl.h"

struct drm_bo;
struct drm_job;

/* A GPU that the driver drives. */
struct drm_driver_gpu {
    const char *name; /* of the device (gpu/device.h); NULL ends a table */
    uint32_t model;   /* for the driver alone */
    /* What the device tree of a board that has it says: its node, the path to it, what it is compatible with,
     * the exact name first; NULL: no more. */
    const char *node, *path, *compatible[2];
};

#define DRM_DRIVER_LAYOUTS 2u /* at most, of a driver */
/* How framebuffers may be laid out. */
struct drm_driver_layout {
    uint64_t modifier; /* DRM_FORMAT_MOD_* */
    uint32_t layout;   /* enum raster_layout */
    /* Rows of `pitch_unit` bytes of the pitch are one of the layout's stride; pitches are multiples of it,
     * heights are rounded up to `rows`, offsets are multiples of `align`. */
    uint32_t pitch_unit, rows, align;
};

struct drm_driver {
    /* ---- what programs are told: DRM_IOCTL_VERSION, the uevent file ---- */
    const char *name, *date, *description;
    int major, minor;
    const char *platform; /* the kernel's name of its platform driver */
    const struct drm_driver_gpu *gpus;
    const struct drm_driver_layout *layouts; /* linear among them */
    uint32_t layout_count;

    /* ---- ioctls from DRM_COMMAND_BASE on; their order is what seeds of tests/fuzz count ---- */
    const struct drm_ioctl_row *ioctls;

    /* ---- hooks, called with the card locked; NULL where marked so ---- */
    int (*init)(struct drm *drm);              /* 0, -ENOMEM, -ENODEV (the device is not what it says) */
    void (*finish)(struct drm *drm);           /* also after init has failed; all files are closed */
    int (*open_file)(struct drm_file *file);   /* 0, -ENOMEM */
    void (*close_file)(struct drm_file *file); /* its handles are gone */
    int (*add_handle)(struct drm_file *file, struct drm_bo *bo);     /* NULL; 0, -ENOMEM, -ENOSPC */
    void (*remove_handle)(struct drm_file *file, struct drm_bo *bo); /* NULL */
    void (*purge_bo)(struct drm_bo *bo);                             /* NULL; it is about to lose its pages */
    void (*free_bo)(struct drm_bo *bo); /* NULL: buffers have no part of its own; of bo->own, not NULL */

    /* ---- jobs (drm/core/job.h) ---- */
    /* Runs it on the device, to its end, however that is; by one thread at a time. The card is not locked,
     * unless jobs run inside their submits: what is touched is the job's, the runner's, or has its own
     * lock. */
    void (*run_job)(struct drm_job *job);
    /* It was run, or was cancelled before: keeps what programs may ask about it, gives back what it held
     * (drm_job_release) and the job itself. The card is locked. */
    void (*end_job)(struct drm_job *job);
};

#endif

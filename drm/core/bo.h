/* Buffer objects: ranges of the memory file. */
#ifndef VITRAIL_DRM_CORE_BO_H
#define VITRAIL_DRM_CORE_BO_H

#include <stdbool.h>
#include <stdint.h>

struct drm;
struct drm_mapping;

/* DRM_BO_SHADER: checked code, which programs only read. DRM_BO_HEAP: only the GPU uses it, and its pages
 * come as it asks for them. */
enum drm_bo_kind { DRM_BO_KERNEL, DRM_BO_USER, DRM_BO_SHADER, DRM_BO_DUMB, DRM_BO_HEAP };
enum drm_bo_need { DRM_BO_NEEDED, DRM_BO_UNNEEDED, DRM_BO_PURGED };

struct drm_bo {
    struct drm *drm;
    uint32_t refs; /* handles, framebuffers, exported descriptors, jobs */
    uint32_t handles;
    uint32_t kind;   /* enum drm_bo_kind */
    uint64_t offset; /* in the memory file: the address, where the GPU has no MMU */
    uint64_t size;   /* whole pages */
    enum drm_bo_need need;
    uint32_t users;               /* jobs, framebuffers, exports: while not 0 it is not purged */
    uint64_t modifier;            /* DRM_FORMAT_MOD_*: how a framebuffer that does not say is laid out */
    uint32_t name;                /* GEM_FLINK's, or 0 */
    uint64_t seqno, write_seqno;  /* last job that referenced it, that wrote it */
    uint64_t backed;              /* bytes that have pages: all, or what a heap has grown to, first nothing;
                                  * drm_bo_backed reads it */
    struct drm_mapping *mappings; /* in spaces of GPU addresses (drm/core/vm.h) */
    bool executable;              /* guest programs may stand in it: what pages say where tables can */
    uint64_t submission;          /* the last one that named it (drm_job_take) */
    void *own;                    /* the driver's part, or NULL */
    struct drm_export *exported;  /* the dma-buf, or NULL */
    uint32_t counted;             /* handles of a file that is being abandoned */
    struct drm_bo *next, **link;  /* in drm.bos */
};

int drm_bo_init(struct drm *drm); /* 0, -EINVAL (too little memory), -ENOMEM */
void drm_bo_finish(struct drm *drm);
/* With one reference, the caller's; `align`: a power of two, at least a page. 0, -EINVAL (no size, or more
 * than there can be), -ENOMEM. */
int drm_bo_create(struct drm *drm, uint64_t size, uint64_t align, uint32_t kind, struct drm_bo **out);
void drm_bo_get(struct drm_bo *bo);
void drm_bo_put(struct drm_bo *bo);             /* NULL is accepted */
uint8_t *drm_bo_bytes(const struct drm_bo *bo); /* NULL when purged */
void drm_bo_record(const struct drm_bo *bo);    /* what has pages, into the capture */
/* Of a heap whoever runs jobs changes it meanwhile. */
uint64_t drm_bo_backed(const struct drm_bo *bo);
void drm_bo_set_backed(struct drm_bo *bo, uint64_t bytes);

/* Its dma-buf: a new descriptor, or -errno; and the buffer behind what a program passed, borrowed, or NULL.
 */
int drm_bo_export(struct drm_bo *bo);
struct drm_bo *drm_bo_of_fd(struct drm *drm, const int *fd);
/* Whether another process may look at the buffer through a dma-buf. The descriptors that stand for dma-bufs
 * cannot be polled for fences, nor do they have ioctls that wait: a job with such a buffer is done before its
 * submit returns. */
bool drm_bo_is_watched(struct drm_bo *bo);

#endif

/* The kernel's part: a DRM card with a VideoCore IV behind it, as a library. It knows nothing of sockets: a
 * test or a server opens files and runs ioctls on them, with the kernel's meaning and errno values.
 *
 * Threading: one thread at a time per card; callers hold a lock of their own around all calls. Jobs run to
 * their end inside SUBMIT_CL, so every seqno handed out is finished and no wait ever blocks. */
#ifndef VITRAIL_DRM_DRM_H
#define VITRAIL_DRM_DRM_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/capture.h"
#include "gpu/memory.h"
#include "gpu/vc4/device.h"

struct drm;
struct drm_file;

#define DRM_MINOR_CARD   0u
#define DRM_MINOR_RENDER 128u
#define DRM_ARG_MAX      512u /* bytes of the largest ioctl argument */

/* The memory that pointers inside ioctl arguments refer to: pointer P means base + P, for P < size.
 * {NULL, UINT64_MAX, NULL} makes them plain host pointers. */
struct drm_user {
    uint8_t *base;
    uint64_t size;
    uint64_t *written; /* when not NULL: raised to the end of what is written */
};

/* What the card tells its owner. All calls come from inside drm_ioctl and must not call back. */
struct drm_listener {
    void *data;
    void (*fault)(void *data, const struct gpu_fault *fault); /* the guest did something wrong */
    void (*message)(void *data, const char *text);            /* what a kernel would write to its log */
};

struct drm_options {
    struct vc4_device *gpu;         /* borrowed; its IRQ callback becomes the card's */
    struct capture_writer *capture; /* borrowed; NULL: nothing is recorded */
    const char *frames;             /* folder for presented frames as PNG files; NULL: none */
    uint32_t width, height;         /* preferred mode; 0: 1280x720 */
    struct drm_listener listener;
};

/* `memory` is borrowed and must outlive the card. 0, -ENOMEM, -EINVAL (mode out of range), -errno. */
int drm_create(struct gpu_memory *memory, const struct drm_options *options, struct drm **out);
/* Closes files that are still open. NULL is accepted. */
void drm_destroy(struct drm *drm);
uint64_t drm_frames_presented(const struct drm *drm);

/* Opens a node (DRM_MINOR_CARD or DRM_MINOR_RENDER). 0, -ENOENT (no such minor), -ENOMEM, -EMFILE. */
int drm_open(struct drm *drm, unsigned minor, struct drm_file **out);
void drm_close(struct drm_file *file); /* NULL is accepted */
/* The end of a pipe from which the file's events (page flips, vblanks) are read. Owned by the file. */
int drm_file_events(const struct drm_file *file);

/* Runs an ioctl. `argument` has _IOC_SIZE(request) bytes, read and written in place as the direction says.
 * Descriptors in arguments (PRIME, syncobj) are descriptors of this process: those handed out are new ones,
 * owned by the caller; those handed in stay the caller's. Returns what the kernel would: 0 or -errno. */
int drm_ioctl(struct drm_file *file, uint32_t request, void *argument, const struct drm_user *user);

/* What stands behind an exported descriptor (a dma-buf): where it lies in guest memory. 0, or -EINVAL when
 * the descriptor is none of this card's. */
int drm_lookup_dmabuf(struct drm *drm, int fd, uint64_t *offset, uint64_t *size);
/* Whether [offset, offset + size) may be mapped through this file: inside one buffer that it has a handle to,
 * not purged; shader code only for reading. 0, -EINVAL, -EACCES. */
int drm_check_mmap(struct drm_file *file, uint64_t offset, uint64_t size, bool writable);

#endif

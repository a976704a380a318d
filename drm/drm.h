/* The kernel's part: a DRM card with a GPU behind it, as a library, in the manner of the stock driver that
 * the GPU has in the kernel, chosen by the device's name (drm/drivers.inc). It knows nothing of sockets: a
 * test or a server opens files and runs ioctls on them, with the kernel's meaning and errno values.
 *
 * Threading: any thread may call, but for drm_create and drm_destroy; a file is closed when nobody uses it.
 *
 * Jobs run in the order they were submitted, to their end inside the ioctl that submits them, the driver's
 * submit (SUBMIT_CL of vc4, GEM_SUBMIT of lima, SUBMIT of panfrost). Or they are asynchronous (drm_options): a submit returns
 * once its job is checked and queued, and jobs run inside drm_work. Waits (the driver's, those of sync
 * objects) do not block: -ETIME says "not yet", and whoever speaks for the program asks again, after a turn
 * of the page of fences, until its timeout is over. What is committed to the display is shown, and its event
 * sent, when the jobs that draw it are done. Calls that the kernel lets block for that may block here, and so
 * may a submit while many jobs are waiting.
 *
 * Jobs do not outlive those who could see what they do: see drm_abandon. While recording they do, as the
 * capture has them. */
#ifndef VITRAIL_DRM_DRM_H
#define VITRAIL_DRM_DRM_H

#include <stdbool.h>
#include <stdint.h>

#include "drm/protocol.h"
#include "gpu/capture.h"
#include "gpu/memory.h"
#include "gpu/device.h"

struct drm;
struct drm_file;
struct util_frames;

#define DRM_USUAL_WIDTH  1280u
#define DRM_USUAL_HEIGHT 720u
#define DRM_RATE_MAX     1000u
#define DRM_ARG_MAX      512u /* bytes of the largest ioctl argument */

/* What comes with an ioctl beside its argument.
 *
 * Memory: a pointer P inside the argument means base + P, for P < size; {NULL, UINT64_MAX} makes them plain
 * host pointers.
 *
 * Descriptors: a number inside the argument counts in the program's own table, and here it is looked at only
 * to see whether there is to be one. The descriptor itself is `taken`, or goes to *given. */
struct drm_user {
    uint8_t *base;
    uint64_t size;
    uint64_t *written; /* when not NULL: raised to the end of what is written */
    const int *taken;  /* of this process, stays the caller's; NULL: the program passes none */
    int *given; /* takes a new one, the caller's, close-on-exec, of a call that returns 0; NULL: calls that
                   give one fail with -EINVAL */
};

/* What the card tells its owner, one thing at a time, from inside drm_ioctl or drm_work. It must not call
 * back. */
struct drm_listener {
    void *data;
    void (*fault)(void *data, const struct gpu_fault *fault); /* the guest did something wrong */
    void (*message)(void *data, const char *text);            /* what a kernel would write to its log */
};

/* Who is shown what is presented: `kept` is what gpu_picture_keep_with has made of it, the callee's to free; NULL: there
 * was no memory for it. Called with the card locked: it must not call back. */
struct drm_screen {
    void *data;
    void (*show)(void *data, void *kept); /* NULL: nobody is */
};

struct drm_options {
    struct gpu_device gpu;          /* borrowed, used by nobody else; its IRQ callback becomes the card's */
    struct capture_writer *capture; /* borrowed; NULL: nothing is recorded */
    bool asynchronous; /* jobs run in drm_work; not while recording: a job is recorded as it is submitted */
    struct util_frames
        *frames; /* takes what is presented, by its number from 1; borrowed. NULL: nobody does */
    struct drm_screen screen;
    uint32_t width, height; /* preferred mode; 0: DRM_USUAL_WIDTH x DRM_USUAL_HEIGHT */
    uint32_t rate; /* vblanks a second, at which what is committed is shown, up to DRM_RATE_MAX; 0: at once */
    bool unstable_ioctls; /* the parameter of panfrost: programs may have its performance counters */
    struct drm_listener listener;
};

/* `memory` is borrowed and must outlive the card. 0, -ENOMEM, -EINVAL (mode out of range), -ENODEV
 * (no driver for such a GPU, or it has not the parts it should), -errno. */
int drm_create(struct gpu_memory *memory, const struct drm_options *options, struct drm **out);
/* Runs what is queued, closes files that are still open. NULL is accepted. */
void drm_destroy(struct drm *drm);
uint64_t drm_frames_presented(struct drm *drm);

/* What programs have made of the card, counted since it was created. */
struct drm_use {
    uint64_t files;  /* nodes opened */
    uint64_t driver; /* ioctls of the GPU's own driver that did what was asked: its Mesa driver was at work */
    uint64_t jobs;   /* submitted, and taken */
    uint64_t busy;   /* ns that jobs were on the device, the one that is there among them */
};
struct drm_use drm_used(struct drm *drm);

/* The kernel driver in whose manner the card answers, by its number in drm/drivers.inc. */
uint32_t drm_driver_of(const struct drm *drm);

/* Opens a node (DRM_MINOR_CARD or DRM_MINOR_RENDER). 0, -ENOENT (no such minor), -ENOMEM, -EMFILE. */
int drm_open(struct drm *drm, unsigned minor, struct drm_file **out);
/* May wait for the jobs that draw what the file has committed to the display. NULL is accepted. */
void drm_close(struct drm_file *file);
/* Nobody uses the file any more: of its jobs, those that draw what is to be shown or into a buffer that
 * another file or process has are run to their end, the others are not run, and the one that runs is broken
 * off. Does not wait. Other threads may still be inside ioctls of the file, which this ends soon; then it is
 * closed. NULL is accepted. */
void drm_abandon(struct drm_file *file);
/* Nobody looks at the display either: no job is run to its end from now on. Does not wait. */
void drm_cancel(struct drm *drm);
/* The memory file, open for reading, of the page of fences (struct drm_fence_page in drm/protocol.h). Owned
 * by the card. */
int drm_fence_page_fd(const struct drm *drm);
/* The end of a pipe from which the file's events (page flips, vblanks) are read. Owned by the file; -1 once it was
 * handed out. The pipe holds DRM_EVENT_PIPE bytes. */
int drm_file_events(const struct drm_file *file);
/* The same, once: the caller's from now on, who gives it to a program as the node's descriptor. Whoever writes
 * events then ignores SIGPIPE: there may be nobody left to read them. */
int drm_file_hand_out(struct drm_file *file);
/* Whether nobody has the handed out end open any more, in whatever process, nor is it on its way to one. */
bool drm_file_gone(const struct drm_file *file);
/* The other end, owned by the file: poll(2) reports POLLERR there when it is gone. */
int drm_file_writer(const struct drm_file *file);

/* Runs an ioctl. `argument` has _IOC_SIZE(request) bytes, read and written in place. As in the kernel
 * (drm_ioctl.c), the number alone says which ioctl it is: programs built with older or newer headers pass
 * arguments of another size and sometimes another direction. What they did not pass is zero, what they do not
 * know is not returned, and the argument is read or written only where both the request and the driver's
 * table say so. Returns what the kernel would: 0 or -errno. */
int drm_ioctl(struct drm_file *file, uint32_t request, void *argument, const struct drm_user *user);

/* Runs the jobs that are queued, unless another thread does; returns whether it ran any. Whoever has called
 * drm_ioctl calls this with nothing more urgent to do: calls that wait for a job run it, others only look. */
bool drm_work(struct drm *drm);
bool drm_has_work(struct drm *drm); /* whether it would run any */
bool drm_is_busy(struct drm *drm);  /* whether a thread runs one */

/* What stands behind an exported descriptor (a dma-buf): where it lies in guest memory. 0, or -EINVAL when
 * the descriptor is none of this card's. */
int drm_lookup_dmabuf(struct drm *drm, int fd, uint64_t *offset, uint64_t *size);
/* Whether [offset, offset + size) may be mapped through this file: inside one buffer that it has a handle to,
 * not purged; shader code only for reading. 0, -EINVAL, -EACCES. */
int drm_check_mmap(struct drm_file *file, uint64_t offset, uint64_t size, bool writable);

#endif

/* What the files of drm/ share of a card. Not for users. */
#ifndef VITRAIL_DRM_INTERNAL_H
#define VITRAIL_DRM_INTERNAL_H

#include <pthread.h>
#include <stddef.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>

#include "drm/drm.h"
#include "util/bits.h"
#include "util/checked.h"

/* ---- ceilings (charge.c) ---- */
enum drm_kind {
    DRM_FILES,
    DRM_NUMBERS,
    DRM_HANDLES,
    DRM_BUFFERS,
    DRM_PROGRAM_BYTES,
    DRM_EXPORTS,
    DRM_SYNCS,
    DRM_SYNC_FILES,
    DRM_FRAMEBUFFERS,
    DRM_BLOBS,
    DRM_BLOB_BYTES,
    DRM_CONTEXTS,
    DRM_PERFMONS,
    DRM_JOB_BYTES,
    DRM_KINDS
};
uint64_t drm_ceiling(enum drm_kind kind);
/* Before something is made, and after it is gone; the card is locked. 0, or what programs are told past the
 * ceiling: -ENOMEM, -EMFILE. */
int drm_charge(struct drm *drm, enum drm_kind kind, uint64_t amount);
void drm_uncharge(struct drm *drm, enum drm_kind kind, uint64_t amount);

/* ---- numbers to pointers: handles, names, objects (ids.c) ---- */
struct drm_ids {
    struct drm *drm; /* whose ceiling bounds the table; NULL: something else does */
    void **slot;     /* slot[i] belongs to number i; slot[0] is never used */
    uint32_t count;  /* slots allocated */
    uint32_t lowest; /* no free number below this one */
};
int drm_ids_add(struct drm_ids *ids, void *value, uint32_t *id); /* the lowest free number; 0 or -ENOMEM */
void *drm_ids_get(const struct drm_ids *ids, uint32_t id);       /* NULL when unused */
void *drm_ids_remove(struct drm_ids *ids, uint32_t id);          /* what stood there, or NULL */
uint32_t drm_ids_find(const struct drm_ids *ids, const void *value); /* 0 when absent */
void drm_ids_finish(struct drm_ids *ids); /* frees the table; entries are the caller's affair */

/* ---- user memory (user.c): every pointer is fetched once, into private memory ---- */
int drm_copy_in(const struct drm_user *user, void *to, uint64_t from, uint64_t size); /* 0 or -EFAULT */
int drm_copy_out(const struct drm_user *user, uint64_t to, const void *from, uint64_t size);
/* A malloc'ed copy of count * size bytes in *out (NULL when that is 0). 0, -EFAULT, -ENOMEM, -EINVAL. */
int drm_copy_array(const struct drm_user *user, void **out, uint64_t from, uint64_t count, uint64_t size);

/* ---- buffer objects (bo.c) ---- */
/* DRM_BO_SHADER: checked code, which programs only read. DRM_BO_HEAP: only the GPU uses it. */
enum drm_bo_kind { DRM_BO_KERNEL, DRM_BO_USER, DRM_BO_SHADER, DRM_BO_DUMB, DRM_BO_HEAP };
enum drm_bo_need { DRM_BO_NEEDED, DRM_BO_UNNEEDED, DRM_BO_PURGED };

struct drm_bo {
    struct drm *drm;
    uint32_t refs; /* handles, framebuffers, exported descriptors, jobs */
    uint32_t handles;
    uint32_t kind;   /* enum drm_bo_kind */
    uint64_t offset; /* in the memory file: the GPU's address */
    uint64_t size;   /* whole pages */
    enum drm_bo_need need;
    uint32_t users;              /* jobs, framebuffers, exports: while not 0 it is not purged */
    uint64_t modifier;           /* DRM_FORMAT_MOD_*: how a framebuffer that does not say is laid out */
    uint32_t name;               /* GEM_FLINK's, or 0 */
    uint64_t seqno, write_seqno; /* last job that referenced it, that wrote it */
    void *own;                   /* the driver's part, or NULL */
    struct drm_export *exported; /* the dma-buf, or NULL */
    uint32_t counted;            /* handles of a file that is being abandoned */
    struct drm_bo *next, **link; /* in drm.bos */
};

/* ---- ranges of addresses (ranges.c) ---- */
struct drm_hole;
struct drm_ranges {
    struct drm_hole *first; /* what is free, sorted */
};
int drm_ranges_init(struct drm_ranges *ranges, uint64_t start, uint64_t size); /* all free. 0, -ENOMEM */
void drm_ranges_finish(struct drm_ranges *ranges);
/* The lowest that fits, at a multiple of `align` (a power of two). 0, -ENOMEM (also: none fits). */
int drm_ranges_take(struct drm_ranges *ranges, uint64_t size, uint64_t align, uint64_t *start);
/* Without memory the range is lost, never handed out twice. */
void drm_ranges_give(struct drm_ranges *ranges, uint64_t start, uint64_t size);

int drm_bo_create(struct drm *drm, uint64_t size, uint64_t align, uint32_t kind, struct drm_bo **out);
void drm_bo_get(struct drm_bo *bo);
void drm_bo_put(struct drm_bo *bo);             /* NULL is accepted */
uint8_t *drm_bo_bytes(const struct drm_bo *bo); /* NULL when purged */
void drm_bo_finish(struct drm *drm);
int drm_bo_init(struct drm *drm);

/* ---- exported descriptors (export.c): dma-bufs and syncobj files ---- */
struct drm_export {
    int watch; /* read-only description of the memory file that stands for the object */
    uint64_t device, inode;
    void *object; /* struct drm_bo or struct drm_sync, a reference of which is held */
    bool is_bo;
    struct drm_export *next;
};
/* A new descriptor of the object; or -errno. */
int drm_export_fd(struct drm *drm, void *object, bool is_bo, uint64_t size, struct drm_export **keep);
/* What a program passed, or NULL: any descriptor may come, and none is asked anything that its file system
 * could leave unanswered before it is known to be ours. */
struct drm_export *drm_export_find(struct drm *drm, const int *fd, bool is_bo);
/* Whether another process may look at the buffer through a dma-buf. The descriptors that stand for dma-bufs
 * cannot be polled for fences, nor do they have ioctls that wait: a job with such a buffer is done before its
 * submit returns. */
bool drm_bo_is_watched(struct drm_bo *bo);
/* Forgets exports that no process holds open any more. */
void drm_export_reap(struct drm *drm, bool all);

/* ---- jobs and fences (queue.c) ---- */
#define DRM_QUEUE_DEPTH 8u /* jobs that may be waiting or running; then submits wait */

/* Part of what a GPU's driver keeps of a job. */
struct drm_job {
    struct drm_job *next;
    uint64_t seqno;
    struct drm_file *file; /* whose it is; NULL once that is closed */
    uint64_t bytes;        /* charged for what it keeps of its submission */
    bool cancelled;        /* not to be run, or to be broken off; under the queue's stop_lock */
    /* Runs it on the device; the card is not locked, unless jobs run inside their submits. */
    void (*run)(struct drm_job *job);
    /* Gives back what the job held and the job itself, whether it was run or not; the card is locked. */
    void (*done)(struct drm_job *job);
    /* The buffers it was given, by number; NULL after the last. */
    struct drm_bo *(*buffer)(const struct drm_job *job, uint32_t n);
};

struct drm_fence_page;
struct drm_sync_file;

/* Jobs are run in order, so a fence is the number of a job, and signalled when `finished` has reached it; 0
 * always is. */
struct drm_queue {
    uint64_t emitted, finished;
    struct drm_job *first; /* waiting */
    uint32_t count;        /* waiting or running */
    bool asynchronous;
    struct drm_job *running;   /* somebody runs it; changes under stop_lock too */
    pthread_mutex_t stop_lock; /* of what cancels jobs; taken last, and never held while one runs */
    bool stopped;              /* all are cancelled; under stop_lock */
    pthread_cond_t changed;    /* a job is done */
    struct drm_fence_page *page;
    int page_fd; /* for reading */
    struct drm_sync_file *sync_files;
};

int drm_queue_init(struct drm *drm, bool asynchronous); /* 0, -errno */
void drm_queue_finish(struct drm *drm);
/* Until a job can be pushed without waiting. Unlocks the card meanwhile: look things up afterwards. */
void drm_queue_wait_room(struct drm *drm);
/* Takes the job over; returns its number. Unless the queue is asynchronous, it is done when this returns. */
uint64_t drm_queue_push(struct drm *drm, struct drm_job *job);
void drm_queue_close_file(struct drm *drm, const struct drm_file *file); /* its jobs are nobody's now */
/* Whether the one that runs is cancelled: what goes wrong with it is not told. */
bool drm_job_cancelled(const struct drm_job *job);

bool drm_fence_done(const struct drm *drm, uint64_t fence);
/* Until it is signalled; at once when no such job was submitted. Unlocks the card meanwhile. */
void drm_fence_wait(struct drm *drm, uint64_t fence);
/* A new descriptor that is readable once the fence is signalled; or -errno. */
int drm_fence_fd(struct drm *drm, uint64_t fence);
/* The fence behind what a program passed: 0, or -EINVAL when it is none. */
int drm_fence_of_fd(struct drm *drm, const int *fd, uint64_t *fence);

/* ---- sync objects (syncobj.c) ---- */
struct drm_sync {
    uint32_t refs;
    bool has_fence;
    uint64_t fence; /* a job's number */
    uint64_t point; /* last timeline point signalled */
    struct drm_export *exported;
};
struct drm_sync *drm_sync_get(struct drm_file *file, uint32_t handle);
void drm_sync_put(struct drm_sync *sync);
int drm_sync_close(struct drm_file *file, uint32_t handle); /* 0, -EINVAL (no such handle) */

/* ---- files and the card (device.c) ---- */
struct drm_file {
    struct drm *drm;
    unsigned minor;
    uint32_t magic; /* GET_MAGIC's, or 0 */
    bool authenticated, was_master;
    bool universal_planes, atomic; /* client capabilities */
    int event_read, event_write;
    uint32_t events_due;    /* bytes of events that were promised a place */
    struct drm_ids handles; /* struct drm_bo */
    struct drm_ids syncs;   /* struct drm_sync */
    void *own;              /* the driver's part, or NULL */
    bool abandoned;         /* drm_abandon; under the queue's stop_lock */
    struct drm_file *next;
};

struct drm_kms;
struct drm_ioctl_row;

/* The manner of one of the kernel's drivers. Hooks run with the card locked; those that may be NULL are
 * marked so. */
struct drm_driver {
    enum drm_driver_id id;
    const char *name, *date, *description; /* of DRM_IOCTL_VERSION */
    int major, minor;
    const char *const *gpus; /* names of the devices it drives; ends with NULL */
    const struct drm_ioctl_row *ioctls;
    const uint64_t *modifiers; /* of framebuffers, linear among them */
    uint32_t modifier_count;
    int (*init)(struct drm *drm);
    void (*finish)(struct drm *drm);                                 /* also after init has failed */
    int (*open_file)(struct drm_file *file);                         /* 0, -ENOMEM */
    void (*close_file)(struct drm_file *file);                       /* its handles are gone */
    int (*add_handle)(struct drm_file *file, struct drm_bo *bo);     /* NULL; 0, -ENOMEM, -ENOSPC */
    void (*remove_handle)(struct drm_file *file, struct drm_bo *bo); /* NULL */
    void (*free_bo)(struct drm_bo *bo);                              /* of bo->own */
};
extern const struct drm_driver drm_vc4_driver, drm_lima_driver;

struct drm {
    struct gpu_memory *memory;
    struct drm_options options;
    pthread_mutex_t lock;          /* of all below; held by every call from outside */
    pthread_mutex_t listener_lock; /* taken last: the listener hears one thing at a time */
    struct drm_queue queue;
    struct drm_file *files, *master;
    struct drm_bo *bos;
    struct drm_ranges ranges; /* of memory */
    struct drm_ids names;     /* GEM_FLINK */
    uint64_t charged[DRM_KINDS];
    struct drm_export *exports;
    struct drm_kms *kms;
    const struct drm_driver *driver;
    void *own; /* the driver's part */
    uint32_t next_magic;
    uint64_t opened, driver_calls; /* struct drm_use */
};

typedef int (*drm_ioctl_fn)(struct drm_file *file, void *argument, const struct drm_user *user);

/* DRM_FLUSH: only when what was committed before is shown. */
enum { DRM_ALLOW_RENDER = 1, DRM_NEED_AUTH = 2, DRM_NEED_MASTER = 4, DRM_FLUSH = 8 };

struct drm_ioctl_row {
    uint32_t request;
    uint32_t flags;
    drm_ioctl_fn fn;
};
/* Tables end with a row whose fn is NULL. */
extern const struct drm_ioctl_row drm_core_ioctls[], drm_sync_ioctls[], drm_kms_ioctls[], drm_fb_ioctls[],
    drm_atomic_ioctls[];

/* May be called with the card locked or not. */
void drm_log(struct drm *drm, const char *format, ...) __attribute__((format(printf, 2, 3)));
void drm_report(struct drm *drm, const struct gpu_fault *fault);
void drm_report_faults(struct drm *drm); /* all that the device has; by whoever uses it */
struct drm_bo *drm_handle_get(struct drm_file *file, uint32_t handle); /* borrowed; NULL when unknown */
/* A new reference to bo under a new number. 0 or -ENOMEM. */
int drm_handle_add(struct drm_file *file, struct drm_bo *bo, uint32_t *handle);
/* Drops a handle; -EINVAL when unknown. */
int drm_handle_close(struct drm_file *file, uint32_t handle);
/* An event gets its place when it is asked for: 0, or -ENOMEM when 4 KiB of events wait unread (as the kernel
 * limits them). Who has reserved one sends it. */
int drm_event_reserve(struct drm_file *file, uint32_t size);
void drm_event_send(struct drm_file *file, const void *event, uint32_t size);

/* ---- mode setting (kms.c, kms_atomic.c, scanout.c) ---- */
int drm_kms_init(struct drm *drm);
void drm_kms_finish(struct drm *drm);
void drm_kms_close_file(struct drm_file *file); /* removes its framebuffers and blobs */
void drm_kms_jobs_done(struct drm *drm);        /* shows what waited for them */
uint64_t drm_kms_awaits(const struct drm *drm); /* the last job that the next picture needs; 0: none */
/* Makes drm_bo's `counted` another number than its handles where framebuffers lie that are not the file's. */
void drm_kms_count_shown(struct drm *drm, const struct drm_file *file);
/* Until what was committed last is shown. Unlocks the card meanwhile. */
void drm_kms_flush(struct drm *drm);

#endif

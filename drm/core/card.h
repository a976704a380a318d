/* The card and its open files, as all parts of drm/ but the client see them. Not for users: theirs is
 * drm/drm.h. */
#ifndef VITRAIL_DRM_CORE_CARD_H
#define VITRAIL_DRM_CORE_CARD_H

#include <pthread.h>

#include "drm/core/fence.h"
#include "drm/core/ids.h"
#include "drm/core/queue.h"
#include "drm/core/ranges.h"
#include "drm/drm.h"
#include "util/bits.h"
#include "util/checked.h"

struct drm_driver;
struct drm_driver_gpu;

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

/* What the queue asks of the display. Called with the card locked. */
struct drm_display {
    void (*jobs_done)(struct drm *drm);        /* some are: shows what waited for them */
    uint64_t (*awaits)(const struct drm *drm); /* the last job that the next picture needs; 0: none */
    /* Makes drm_bo's `counted` another number than its handles where framebuffers lie that are not the
     * file's. */
    void (*count_shown)(struct drm *drm, const struct drm_file *file);
};

struct drm {
    struct gpu_memory *memory;
    struct drm_options options;
    pthread_mutex_t lock;          /* of all below; held by every call from outside */
    pthread_mutex_t listener_lock; /* taken last: the listener hears one thing at a time */
    struct drm_queue queue;
    struct drm_timeline timeline;
    struct drm_file *files, *master; /* ask drm_master for the latter */
    struct drm_bo *bos;
    struct drm_ranges ranges; /* of memory */
    struct drm_ids names;     /* GEM_FLINK */
    uint64_t charged[DRM_KINDS];
    struct drm_export *exports;
    struct drm_kms *kms;
    const struct drm_display *display; /* set when there is one: before any job */
    const struct drm_driver *driver;
    const struct drm_driver_gpu *gpu; /* the driver's row of it */
    void *own;                        /* the driver's part */
    uint32_t next_magic;
    uint64_t submissions;          /* looked at so far: struct drm_job's number of them */
    uint64_t opened, driver_calls; /* struct drm_use */
};

/* The card's master, or NULL. One whose descriptor nobody has any more is none: its process has gone, and only
 * nobody has closed the file yet. */
struct drm_file *drm_master(const struct drm *drm);

#endif

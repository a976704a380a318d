/* What the files of the vc4 driver share. Not for users.
 *
 * The path of a submission: submit.c looks up buffers and orders the steps; cl.c copies the binning list
 * record by record; records.c places shader records and uniforms; surface.c checks images; rcl.c writes the
 * rendering list; the queue then has job.c run both on the device through its registers. From then on the
 * submission is read by the thread that runs jobs alone. */
#ifndef VITRAIL_DRM_VC4_INTERNAL_H
#define VITRAIL_DRM_VC4_INTERNAL_H

#include <string.h>

#include <drm_fourcc.h>
#include <vc4_drm.h>

#include "drm/core/bo.h"
#include "drm/core/card.h"
#include "drm/core/driver.h"
#include "drm/core/handle.h"
#include "drm/core/job.h"
#include "drm/core/log.h"
#include "drm/core/syncobj.h"
#include "drm/core/user.h"
#include "gpu/vc4/device.h"

#define VC4_BIN_POOL  (16u << 20) /* tile state, tile lists and their overflow */
#define VC4_BIN_SLOT  (512u << 10)
#define VC4_BIN_SLOTS (VC4_BIN_POOL / VC4_BIN_SLOT)

/* What the validation of a shader found out (shader.c). Immutable. Offsets are bytes in the uniform
 * stream. */
#define VC4_NO_OFFSET UINT32_MAX
struct drm_vc4_sample {
    bool direct;        /* parameter 0 is the base of a buffer, 1 the largest offset the program can reach */
    uint32_t offset[4]; /* of the parameters, in the order of the writes; VC4_NO_OFFSET when not sent */
};
struct drm_vc4_shader {
    uint32_t uniform_bytes;
    uint32_t sample_count, address_count;
    struct drm_vc4_sample *samples; /* in program order: the order of the texture handles */
    uint32_t *addresses;            /* word indices of slots that take the stream's own address */
    bool threaded;
    struct drm *drm; /* charged with */
    uint64_t bytes;
};

/* A shader state record asked for by the binning list. */
struct drm_vc4_state {
    uint32_t bits; /* of the packet: attribute count, extended */
    uint32_t max_index;
};

/* Buffers of the kernel's own for one job's lists; kept from job to job, they grow. */
struct drm_vc4_room {
    struct drm_bo *lists, *rcl;
    bool taken;
};

/* A submission on its way, then a job. `list`, `records` and `uniforms` are private copies of what the
 * program passed; `out` collects what the device will read, to be copied into guest memory in one piece. */
struct drm_vc4_exec {
    struct drm_job job;
    struct drm_vc4_submit_cl *args; /* as long as it is being submitted */
    struct drm_vc4_room *room;
    uint8_t *list, *records, *uniforms;

    uint8_t *out;
    uint32_t out_size, out_address;   /* the kernel buffer that holds the binning list and what it needs */
    uint32_t records_at, uniforms_at; /* in out */
    uint32_t list_end;                /* in out */
    struct drm_vc4_state *states;
    uint32_t state_count;
    uint32_t bin_tiles_x, bin_tiles_y;
    uint32_t tile_lists; /* address of tile (0,0)'s list */
    uint32_t bin_slots;  /* slots of the pool this job owns */

    struct drm_bo *color_read, *color_write, *zs_read, *zs_write, *ms_color_write, *ms_zs_write;
    uint8_t *rcl;
    uint32_t rcl_size, rcl_address;

    struct drm_vc4_perfmon *perfmon; /* a reference; NULL: none */
    uint64_t counted[DRM_VC4_MAX_PERF_COUNTERS];
    struct drm_vc4_hang *hang; /* when it did not finish */
};

struct drm_vc4 {
    struct drm_bo *bin_pool;
    pthread_mutex_t slot_lock; /* of slots_used */
    uint32_t slots_used;       /* a bit each */
    struct drm_vc4_room room[DRM_QUEUE_DEPTH];
    uint32_t ident[3];
    struct drm_vc4_hang *hang; /* of the first job that failed and was not asked about */
    /* Of whoever runs jobs, without the lock: */
    bool asks;                    /* the device's requests for tile memory are enabled */
    uint32_t overflow_slot;       /* a bit: what the device may still be filling */
    uint32_t interrupts;          /* seen since the job was started */
    bool answering;               /* inside the interrupt handler */
    struct drm_vc4_exec *running; /* the job on the device, for the interrupt handler */
};

static inline struct drm_vc4 *drm_vc4_of(const struct drm *drm)
{
    return drm->own;
}

/* What was found out about a buffer's code; NULL when it holds none. */
static inline struct drm_vc4_shader *drm_vc4_shader_of(const struct drm_bo *bo)
{
    return bo->own;
}

/* ---- shader.c ---- */
/* Checks `count` instructions. 0 and *out, -EINVAL (the reason goes to the log), -ENOMEM. */
int drm_vc4_shader_create(struct drm *drm, const uint64_t *code, uint32_t count, struct drm_vc4_shader **out);
void drm_vc4_shader_destroy(struct drm_vc4_shader *shader); /* NULL is accepted */

/* ---- exec.c ---- */
void drm_vc4_debug(const struct drm_vc4_exec *exec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A buffer by its index in the submission; NULL (and a line in the log) when there is none or it holds
 * code. */
struct drm_bo *drm_vc4_use_bo(const struct drm_vc4_exec *exec, uint32_t index);
/* A buffer of the kernel's own with at least so many bytes, in the place of *bo. 0, -ENOMEM. */
int drm_vc4_reserve(const struct drm_vc4_exec *exec, struct drm_bo **bo, uint64_t size);

/* ---- slots.c: slots of the bin pool ---- */
int drm_vc4_reserve_slot(struct drm *drm); /* its number, or -ENOMEM; the card is locked */
int drm_vc4_take_slot(struct drm *drm);    /* of a pool that is there; needs no lock */
void drm_vc4_free_slots(struct drm_vc4 *vc4, uint32_t slots);

/* ---- cl.c, records.c, rcl.c: 0, -EINVAL, -ENOMEM ---- */
int drm_vc4_validate_list(struct drm_vc4_exec *exec);
int drm_vc4_validate_records(struct drm_vc4_exec *exec);
uint32_t drm_vc4_record_size(uint32_t bits); /* of a shader record with these packet bits */
int drm_vc4_build_rcl(struct drm_vc4_exec *exec);

/* ---- surface.c ---- */
/* Images. layout: 0 linear, 1 T, 2 LT. Whether width x height texels of cpp bytes at `offset` lie in bo. */
bool drm_vc4_surface_fits(const struct drm_vc4_exec *exec, const struct drm_bo *bo, uint64_t offset,
                          uint32_t layout, uint32_t width, uint32_t height, uint32_t cpp);
/* Checks one texture of a uniform stream and puts its address in place. `stream`: the uniforms as passed;
 * `out`: as the device will see them. */
bool drm_vc4_relocate_texture(struct drm_vc4_exec *exec, const struct drm_vc4_sample *sample, uint32_t index,
                              const uint8_t *stream, uint8_t *out);

/* ---- perfmon.c ---- */
int drm_vc4_perfmon_open(struct drm_file *file); /* struct drm_driver */
void drm_vc4_perfmon_close(struct drm_file *file);
int drm_vc4_perfmon_create(struct drm_file *file, void *argument, const struct drm_user *user);
int drm_vc4_perfmon_destroy(struct drm_file *file, void *argument, const struct drm_user *user);
int drm_vc4_perfmon_get_values(struct drm_file *file, void *argument, const struct drm_user *user);
/* A monitor by its number, NULL when there is none: borrowed, or a reference. */
struct drm_vc4_perfmon *drm_vc4_perfmon_find(struct drm_file *file, uint32_t id);
struct drm_vc4_perfmon *drm_vc4_perfmon_get(struct drm_file *file, uint32_t id);
/* Around each job that names the monitor; what was counted goes to exec->counted. */
void drm_vc4_perfmon_start(struct drm_vc4_exec *exec);
void drm_vc4_perfmon_stop(struct drm_vc4_exec *exec);
void drm_vc4_perfmon_add(struct drm_vc4_exec *exec);       /* what was counted, to the monitor */
void drm_vc4_perfmon_put(struct drm_vc4_perfmon *perfmon); /* NULL is accepted */

/* ---- job.c ---- */
int drm_vc4_init(struct drm *drm); /* struct drm_driver */
void drm_vc4_finish(struct drm *drm);
void drm_vc4_run_job(struct drm_job *job); /* a job that fails is still a job done */
/* Takes exec->hang over, for GET_HANG_STATE; the card is locked. */
void drm_vc4_keep_hang(struct drm_vc4_exec *exec);
int drm_vc4_get_hang_state(struct drm_file *file, void *argument, const struct drm_user *user);

/* ---- submit.c ---- */
int drm_vc4_submit(struct drm_file *file, void *argument, const struct drm_user *user);
void drm_vc4_end_job(struct drm_job *job); /* struct drm_driver */

#endif

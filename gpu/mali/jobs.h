/* A job of a chain at work: what the job manager gives to those that execute compute, vertex, tiler, fused and
 * fragment jobs, and what they say when they return. Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_JOBS_H
#define VITRAIL_GPU_MALI_JOBS_H

#include "gpu/mali/payload.h"

struct mali_device;

/* What a chain may still use, whatever its jobs are. */
struct mali_budget {
    uint64_t packets; /* descriptors, indices, what costs as much */
    uint64_t fuel;    /* instructions of programs, for 16 lanes each */
};

struct mali_job {
    struct mali_device *device;
    unsigned slot, as;
    enum mali_version version;
    uint64_t address; /* of its header */
    struct mali_job_header header;
    struct mali_budget *budget;    /* the chain's */
    const struct gpu_space *space; /* host pointers into it do not outlive a wait */
    uint32_t number;               /* in the chain, from 1 */
    bool resumed;                  /* it waited for a page, and may go on */
    uint64_t done;                 /* how far it has come, in what who executes it counts; 0 at first */
};

enum mali_end {
    MALI_END_DONE,
    MALI_END_FAULT, /* *stop has it */
    MALI_END_WAITS /* for the page that *stop names: called again, with `resumed`, when the host says that its
                     * tables have changed. What is left at that time is kept by who executes the job */
};

/* What threads.c keeps from job to job: begins as zero, and ends with mali_grid_finish. */
struct mali_grid_room {
    void *at;
    size_t bytes;
};
void mali_grid_finish(struct mali_grid_room *room);

/* One function a type of job; geometry jobs are executed as compute jobs are. The payload stays as it is, with
 * all that it leads to, until the job is done, also while it waits. */
enum mali_end mali_job_compute(struct mali_job *job, const struct mali_compute_job *payload,
                               struct mali_stop *stop);
enum mali_end mali_job_tiler(struct mali_job *job, const struct mali_tiler_job *payload,
                             struct mali_stop *stop);
/* A tiler job that shades its own vertices first: an indexed vertex job (v6, v7), a malloc vertex job (v9). */
enum mali_end mali_job_shaded(struct mali_job *job, const struct mali_vertex_job *payload,
                              struct mali_stop *stop);
enum mali_end mali_job_fragment(struct mali_job *job, const struct mali_fragment_job *payload,
                                struct mali_stop *stop);

#endif

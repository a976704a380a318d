/* A worker's part in what is observed (gpu/observe.h): a job that somebody looks at, and what is told of it
 * with the work done so far. Of any family; a worker embeds a struct gpu_watched, all zero to begin with. */
#ifndef VITRAIL_GPU_WATCHED_H
#define VITRAIL_GPU_WATCHED_H

#include "gpu/observe.h"
#include "raster/draw.h"

struct gpu_watched {
    const struct gpu_observer *observer;
    const struct raster_worker *raster; /* the worker's */
    void *job;                          /* the observer's; NULL: it is not looked at */
    uint64_t primitives, vertex_ns;
};

/* A job begins on the pool's worker `n`, of an observed device: sets w->job. The others below are called only
 * where it is set. */
void gpu_watched_begin(struct gpu_watched *w, const struct gpu_observer *observer,
                       const struct raster_worker *raster, unsigned n, uint32_t batch, uint32_t job);
void gpu_watched_end(struct gpu_watched *w);
/* Operation `number` begins, or is done. */
void gpu_watched_op(const struct gpu_watched *w, uint32_t number, enum gpu_observed_kind kind, bool done);
void gpu_watched_list(const struct gpu_watched *w, const struct gpu_observed_list *list);
/* A primitive begins: its coding's address and its number in the list. */
void gpu_watched_primitive(const struct gpu_watched *w, uint32_t code, uint64_t number);
/* It is set up and covered in the worker's tile; NULL: its fragments are not looked at. */
const struct gpu_watch *gpu_watched_covered(const struct gpu_watched *w,
                                            const struct gpu_observed_primitive *primitive);

#endif

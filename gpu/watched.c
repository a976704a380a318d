#include "gpu/watched.h"

static struct gpu_observed_work work_of(const struct gpu_watched *w)
{
    return (struct gpu_observed_work){.primitives = w->primitives,
                                      .blocks = w->raster->work.blocks,
                                      .instructions = w->raster->work.executed,
                                      .vertex_ns = w->vertex_ns};
}

void gpu_watched_begin(struct gpu_watched *w, const struct gpu_observer *observer,
                       const struct raster_worker *raster, unsigned n, uint32_t batch, uint32_t job)
{
    w->observer = observer;
    w->raster = raster;
    w->job = observer->job ? observer->job(observer->data, n, batch, job) : NULL;
}

void gpu_watched_end(struct gpu_watched *w)
{
    const struct gpu_observed_work work = work_of(w);
    if (w->observer->job_end)
        w->observer->job_end(w->job, &work);
    w->job = NULL;
}

void gpu_watched_op(const struct gpu_watched *w, uint32_t number, enum gpu_observed_kind kind, bool done)
{
    const struct gpu_observed_work work = work_of(w);
    if (w->observer->op)
        w->observer->op(w->job, number, kind, done, &w->raster->tile, &work);
}

void gpu_watched_list(const struct gpu_watched *w, const struct gpu_observed_list *list)
{
    if (w->observer->list)
        w->observer->list(w->job, list);
}

void gpu_watched_primitive(const struct gpu_watched *w, uint32_t code, uint64_t number)
{
    const struct gpu_observed_work work = work_of(w);
    if (w->observer->primitive)
        w->observer->primitive(w->job, code, number, &work);
}

const struct gpu_watch *gpu_watched_covered(const struct gpu_watched *w,
                                            const struct gpu_observed_primitive *primitive)
{
    return w->observer->covered ? w->observer->covered(w->job, primitive, &w->raster->tile) : NULL;
}

/* What an observer is told of compute, vertex and tiler jobs (gpu/observe.h). */
#include "gpu/mali/device_internal.h"

static const struct gpu_observer *observer_of(const struct mali_job *job)
{
    return job->device->options.observer;
}

static struct mali_shadings *shadings_of(const struct mali_job *job)
{
    return &job->device->slot[job->slot].chain.shadings;
}

/* ---- programs ---- */

/* A job that waits and goes on has begun before. */
void mali_observe_shading(const struct mali_job *job, const struct mali_world *world, uint64_t vertices,
                          bool done)
{
    const struct gpu_observer *o = observer_of(job);
    struct mali_shadings *s = shadings_of(job);
    const uint64_t executed = job->device->host.counters.instructions;
    if (!done && job->resumed && s->begun)
        return;
    s->begun = !done;
    if (!done) {
        s->before = executed;
        s->index[++s->count % MALI_SHADINGS_KEPT] = (uint16_t)job->header.index;
    }
    const struct gpu_observed_program program = mali_world_observed(world);
    const struct gpu_observed_shading shading = {.number = s->count,
                                                 .program = &program,
                                                 .vertices = vertices,
                                                 .instructions = done ? executed - s->before : 0};
    if (o->shade)
        o->shade(o->data, &shading, done);
}

/* ---- draws ---- */

/* The shading that a tiler job depends on, or another's own, of which varyings come behind positions; 0: none of those
 * that are kept. */
static void set_shadings(const struct mali_job *job, struct gpu_observed_bin *draw)
{
    const struct mali_shadings *s = shadings_of(job);
    const struct mali_job_header *h = &job->header;
    const bool own = h->type != MALI_JOB_TYPE_TILER;
    for (uint32_t n = s->count; n && s->count - n < MALI_SHADINGS_KEPT; n--) {
        const uint32_t index = s->index[n % MALI_SHADINGS_KEPT];
        if (!index || !(own ? index == h->index : index == h->dependency_1 || index == h->dependency_2))
            continue;
        const bool two = own && n > 1 && s->index[(n - 1) % MALI_SHADINGS_KEPT] == index;
        draw->shading = two ? n - 1 : n;
        draw->varying_shading = two ? n : 0;
        return;
    }
}

static struct gpu_observed_binning counts_of(const struct mali_job *job)
{
    const struct gpu_counters *c = &job->device->host.counters;
    return (struct gpu_observed_binning){.vertices = c->vertices,
                                         .primitives_in = c->primitives_in,
                                         .primitives_binned = c->primitives_binned,
                                         .instructions = c->instructions};
}

void mali_observe_draw(const struct mali_job *job, const struct mali_tiler_job *payload, const char *mode)
{
    const struct gpu_observer *o = observer_of(job);
    const struct gpu_observed_binning counts = counts_of(job);
    struct gpu_observed_bin draw = {.address = (uint32_t)job->address,
                                    .mode = mode,
                                    .indexed = payload->primitive.index_type != MALI_INDEX_TYPE_NONE,
                                    .length = payload->primitive.index_count,
                                    .state = (uint32_t)payload->draw.state};
    set_shadings(job, &draw);
    if (o->bin)
        o->bin(o->data, &draw, &counts);
}

void mali_observe_draw_end(const struct mali_job *job)
{
    const struct gpu_observer *o = observer_of(job);
    const struct gpu_observed_binning counts = counts_of(job);
    if (o->bin_end)
        o->bin_end(o->data, NULL, &counts);
}

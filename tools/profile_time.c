/* Timed plays: a clock read where the binner takes a draw and leaves it, where a tile goes on to another
 * draw, and around what moves tiles. */
#include <stdlib.h>
#include <time.h>

#include "tools/profile_internal.h"
#include "util/bits.h"

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void time_bin(void *data, const struct gpu_observed_bin *bin,
                     const struct gpu_observed_binning *before)
{
    ((struct collector *)data)->bin_began = now();
}

static void time_bin_end(void *data, const struct gpu_observed_program *coordinates,
                         const struct gpu_observed_binning *after)
{
    struct collector *c = data;
    uint64_t ns = now() - c->bin_began;
    if (c->timed_draw >= c->profile->draws.count)
        return;
    struct profile_draw *d = &c->profile->draws.at[c->timed_draw++];
    d->bin_ns = d->bin_ns ? UTIL_MIN(d->bin_ns, ns) : ns;
}

static void time_shade(void *data, const struct gpu_observed_shading *shading, bool done)
{
    struct collector *c = data;
    if (!done) {
        c->bin_began = now();
        return;
    }
    uint64_t ns = now() - c->bin_began;
    if (c->timed_shading >= c->profile->shadings.count)
        return;
    struct profile_shading *s = &c->profile->shadings.at[c->timed_shading++];
    s->ns = s->ns ? UTIL_MIN(s->ns, ns) : ns;
}

static void *time_job(void *data, unsigned worker, uint32_t batch, uint32_t number)
{
    return profile_hand(data, batch, number);
}

static uint64_t smaller(uint64_t known, uint64_t ns)
{
    return known && known < ns ? known : ns;
}

/* Ends the segment in hand; the next one begins with the clock's present value. */
static void stop(struct hand *h, const struct gpu_observed_work *work)
{
    uint64_t t = now();
    if (h->segment != PROFILE_NONE && h->segment < h->job->segments.count) {
        h->ns += t - h->began;
        h->vertex_ns += work->vertex_ns - h->last.vertex_ns;
    }
    h->began = t;
    h->last = *work;
}

static void keep(struct hand *h)
{
    if (h->segment == PROFILE_NONE || h->segment >= h->job->segments.count)
        return;
    struct profile_segment *s = &h->job->segments.at[h->segment];
    /* A vertex time of 0 is known too: the segment's own time says whether there was a play before. */
    s->vertex_ns = s->ns ? UTIL_MIN(s->vertex_ns, h->vertex_ns) : h->vertex_ns;
    s->ns = smaller(s->ns, UTIL_MAX(h->ns - UTIL_MIN(h->vertex_ns, h->ns), 1));
    h->ns = h->vertex_ns = 0;
}

static void time_primitive(void *data, uint32_t code, uint64_t number, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    uint32_t next = h->segment + 1; /* PROFILE_NONE + 1 is the first */
    if (next < h->job->segments.count && h->job->segments.at[next].first == h->primitives) {
        if (h->segment != PROFILE_NONE) {
            stop(h, work);
            keep(h);
        }
        h->segment = next;
    }
    h->primitives++;
}

static void time_op(void *data, uint32_t number, enum gpu_observed_kind kind, bool done,
                    const struct raster_tile *tile, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    if (!done) {
        h->began = now();
        h->last = *work;
    } else if (kind == GPU_OBSERVED_DRAW) {
        stop(h, work);
    } else {
        h->move_ns += now() - h->began;
    }
}

static void time_job_end(void *data, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    keep(h);
    h->job->move_ns = smaller(h->job->move_ns, h->move_ns);
    free(h);
}

struct gpu_observer profile_time_observer(struct collector *c)
{
    return (struct gpu_observer){.data = c,
                                 .shade = time_shade,
                                 .bin = time_bin,
                                 .bin_end = time_bin_end,
                                 .job = time_job,
                                 .job_end = time_job_end,
                                 .op = time_op,
                                 .primitive = time_primitive};
}

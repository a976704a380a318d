/* What the files of profile's collection share: profile_count.c counts, profile_time.c times, profile_run.c
 * plays. profile_show.c, profile_json.c, profile_heat.c show; profile.c is the command. */
#ifndef VITRAIL_TOOLS_PROFILE_INTERNAL_H
#define VITRAIL_TOOLS_PROFILE_INTERNAL_H

#include <stdatomic.h>

#include "tools/explain.h"
#include "tools/profile.h"
#include "util/list.h"

struct collector {
    struct profile *profile;
    const struct profile_request *request;
    struct replay *replay;
    struct gpu_observer observer;
    pthread_mutex_t lock;     /* of draws, programs and jobs while workers count */
    uint32_t picture, number; /* being played; draws of it */
    bool out_of_memory, presented, timing;
    _Atomic uint64_t interpreted; /* instructions, to be counted */
    struct codes codes;
    uint32_t job_shading;               /* the first shading of the job in hand */
    uint32_t timed_draw, timed_shading; /* timed plays: the next to be binned, shaded */
    uint64_t bin_began;
    struct gpu_observed_binning before;
    uint64_t done, size;
};

/* What a worker has in hand. */
struct hand {
    struct collector *collector;
    struct profile_job *job;
    uint64_t primitives;
    uint32_t program; /* of the list */
    bool branches;
    uint32_t segment; /* in hand, of the job's; timed plays */
    struct gpu_observed_work last;
    uint64_t began;
    uint64_t ns, vertex_ns, move_ns; /* of the segment in hand, so far */
    struct gpu_watch watch;
    uint64_t *count; /* of the program being counted */
    uint64_t sampler;
};

/* Whether the picture being played is one of those asked for. */
static inline bool profile_counts(const struct collector *c)
{
    return c->picture >= c->profile->first && c->picture <= c->profile->last;
}

/* What a worker has in hand for a job; NULL when the job does not count or memory is out. */
void *profile_hand(struct collector *collector, uint32_t batch, uint32_t number);

/* Observers of the two kinds of play. */
struct gpu_observer profile_count_observer(struct collector *collector);
struct gpu_observer profile_time_observer(struct collector *collector);

#endif

#include "tools/lookups.h"

#include <stdlib.h>
#include <string.h>

#include "raster/samples.h"
#include "util/list.h"

#define TRIES 16u /* blocks of a draw that are interpreted in vain */

/* What a worker has in hand. */
struct hand {
    struct lookups *lookups;
    uint32_t draw, batch;
    struct gpu_watch watch;
    struct gpu_lane lane;
};

/* ---- workers ---- */

static void on_looks(void *data, const struct gpu_lookup *lookup, const struct gpu_texels *texels)
{
    struct hand *h = data;
    struct lookups *l = h->lookups;
    if (lookup->raw)
        return;
    pthread_mutex_lock(&l->lock);
    struct lookups_draw *draw = &l->draws.at[h->draw];
    const struct lookup_place place = {draw->picture, draw->number, h->batch};
    draw->looked = true;
    pthread_mutex_unlock(&l->lock);
    l->looks(l->data, &place, lookup, texels);
}

/* Follows the first lane that is covered. */
static bool on_begin(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes)
{
    struct hand *h = data;
    pthread_mutex_lock(&h->lookups->lock);
    struct lookups_draw *draw = &h->lookups->draws.at[h->draw];
    const bool looks = block->counts && block->block->mask && !draw->looked && draw->tries < TRIES;
    draw->tries += looks;
    pthread_mutex_unlock(&h->lookups->lock);
    if (!looks)
        return false;
    h->lane =
        (struct gpu_lane){.number = (uint8_t)__builtin_ctz(block->block->mask), .looks = on_looks, .data = h};
    *lanes = (struct gpu_lanes){&h->lane, 1};
    return true;
}

static void on_end(void *data, uint64_t executed)
{
    struct hand *h = data;
    if (h->lane.out_of_memory) {
        pthread_mutex_lock(&h->lookups->lock);
        h->lookups->out_of_memory = true;
        pthread_mutex_unlock(&h->lookups->lock);
    }
    gpu_lane_finish(&h->lane);
}

static void *on_job(void *data, unsigned worker, uint32_t batch, uint32_t job)
{
    struct lookups *l = data;
    struct hand *h = l->wanted ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL; /* requests are missing, nothing else */
    h->lookups = l;
    h->draw = UINT32_MAX;
    h->batch = batch;
    h->watch = (struct gpu_watch){.data = h, .begin = on_begin, .end = on_end};
    return h;
}

static void on_job_end(void *job, const struct gpu_observed_work *work)
{
    free(job);
}

static void on_primitive(void *data, uint32_t code, uint64_t number, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    const struct code *known = code ? codes_get(&h->lookups->codes, code) : NULL;
    h->draw = known ? known->draw : UINT32_MAX;
}

static const struct gpu_watch *on_covered(void *data, const struct gpu_observed_primitive *primitive,
                                          const struct raster_tile *tile)
{
    struct hand *h = data;
    struct lookups *l = h->lookups;
    if (h->draw >= l->draws.count || !primitive->prim || !primitive->block_count)
        return NULL;
    pthread_mutex_lock(&l->lock);
    const struct lookups_draw *draw = &l->draws.at[h->draw];
    const bool looks = !draw->looked && draw->tries < TRIES;
    pthread_mutex_unlock(&l->lock);
    return looks ? &h->watch : NULL;
}

/* ---- the device's thread ---- */

static void on_bin(void *data, const struct gpu_observed_bin *bin, const struct gpu_observed_binning *counts)
{
    struct lookups *l = data;
    const struct lookups_draw draw = {.picture = l->picture, .number = ++l->number};
    l->out_of_memory |= !UTIL_LIST_ADD(l->draws, draw);
}

static void on_binned(void *data, uint32_t code, uint64_t primitive)
{
    struct lookups *l = data;
    if (l->draws.count && !codes_put(&l->codes, code, l->draws.count - 1, primitive))
        l->out_of_memory = true;
}

void lookups_begin(struct lookups *l, lookups_fn looks, void *data)
{
    *l = (struct lookups){.looks = looks, .data = data, .lock = PTHREAD_MUTEX_INITIALIZER};
    l->observer = (struct gpu_observer){.data = l,
                                        .bin = on_bin,
                                        .binned = on_binned,
                                        .job = on_job,
                                        .job_end = on_job_end,
                                        .primitive = on_primitive,
                                        .covered = on_covered,
                                        .fragments = true};
}

void lookups_picture(struct lookups *l, uint32_t picture, bool wanted)
{
    l->picture = picture;
    l->number = 0;
    l->wanted = wanted;
}

void lookups_finish(struct lookups *l)
{
    codes_finish(&l->codes);
    free(l->draws.at);
    pthread_mutex_destroy(&l->lock);
    *l = (struct lookups){0};
}

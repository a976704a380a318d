/* The second play: which draw is being binned, what the tile jobs on the pixels' ways do. What is called for
 * a job touches only that job's stages, so workers need no lock. */
#include <stdlib.h>
#include <string.h>

#include "tools/explain_internal.h"
#include "util/bits.h"

/* ---- binning: which draw a coding belongs to ---- */

static void on_binned(void *data, uint32_t code, uint64_t primitive)
{
    struct explain_player *p = data;
    if (!codes_put(&p->codes, code, p->result->draws.count - 1, primitive))
        p->out_of_memory = true;
}

static void on_bin(void *data, const struct gpu_observed_bin *bin, const struct gpu_observed_binning *counts)
{
    struct explain_player *p = data;
    const struct explain_draw draw = {.picture = p->picture, .number = ++p->draws_in_picture, .bin = *bin};
    if (p->rendered)
        p->culled.count = 0;
    p->rendered = false;
    if (!UTIL_LIST_ADD(p->result->draws, draw))
        p->out_of_memory = true;
}

static void on_culled(void *data, uint64_t primitive, const int32_t x[3], const int32_t y[3])
{
    struct explain_player *p = data;
    struct explain_culled it = {.draw = p->result->draws.count - 1, .primitive = primitive};
    memcpy(it.x, x, sizeof it.x);
    memcpy(it.y, y, sizeof it.y);
    if (!UTIL_LIST_ADD(p->culled, it))
        p->out_of_memory = true;
}

static void on_planned(void *data, const struct gpu_observed_op *op)
{
    ((struct explain_player *)data)->rendered = true;
}

/* ---- a job ---- */

static int compare_watches(const void *a, const void *b)
{
    const struct explain_stage *s = ((const struct explain_watch *)a)->stage;
    const struct explain_stage *t = ((const struct explain_watch *)b)->stage;
    if (s->batch != t->batch)
        return s->batch < t->batch ? -1 : 1;
    return s->job < t->job ? -1 : s->job > t->job;
}

static void on_job_end(void *data, const struct gpu_observed_work *work)
{
    struct explain_job *job = data;
    free(job->lane);
    free(job->event);
    free(job->stage);
    free(job);
}

static void *on_job(void *data, unsigned worker, uint32_t batch, uint32_t number)
{
    struct explain_player *p = data;
    struct explain_stage key = {.batch = batch, .job = number};
    const struct explain_watch wanted = {.stage = &key};
    struct explain_watch *first = p->watches.count ? bsearch(&wanted, p->watches.at, p->watches.count,
                                                             sizeof *p->watches.at, compare_watches)
                                                   : NULL;
    if (!first)
        return NULL;
    struct explain_watch *last = first, *end = p->watches.at + p->watches.count;
    while (first > p->watches.at && !compare_watches(first - 1, &wanted))
        first--;
    while (last < end && !compare_watches(last, &wanted))
        last++;
    size_t count = (size_t)(last - first);
    struct explain_job *job = calloc(1, sizeof *job);
    if (job) {
        job->lane = calloc(count, sizeof *job->lane);
        job->event = calloc(count, sizeof *job->event);
        job->stage = calloc(count, sizeof *job->stage);
    }
    if (!job || !job->lane || !job->event || !job->stage) {
        if (job)
            on_job_end(job, NULL);
        p->out_of_memory = true;
        return NULL;
    }
    job->player = p;
    job->watch = first;
    job->count = (uint32_t)count;
    job->program = UINT32_MAX;
    job->fragments =
        (struct gpu_watch){.data = job, .begin = explain_begin_fragments, .end = explain_end_fragments};
    return job;
}

static void read_samples(const struct raster_tile *tile, const struct explain_stage *stage,
                         struct gpu_color out[RASTER_TARGET_SAMPLES])
{
    for (uint32_t k = 0; k < tile->samples; k++)
        out[k] = gpu_tile_color(tile, stage->target, stage->local_x, stage->local_y, k);
}

static void make_pixel(const struct explain_watch *watch, const struct raster_tile *tile)
{
    const struct explain_stage *stage = watch->stage;
    const struct gpu_observed_op *store = &stage->store;
    uint8_t pixel[16] = {0};
    if (tile->targets)
        raster_targets_stored(tile->targets, tile, store->target, &store->surface, store->resolve.first,
                              store->resolve.count, stage->local_x, stage->local_y, pixel);
    else
        raster_surface_pixel(&store->surface, tile, store->resolve, stage->local_x, stage->local_y, pixel);
    gpu_picture_pixel(&watch->pixel->frame, pixel, watch->pixel->made);
}

/* ---- culled triangles ---- */

/* Triangles that the binner left out for their facing and that would have covered the pixel. */
static void add_culled(struct explain_job *job, const struct explain_watch *watch, uint32_t samples)
{
    const struct explain_player *p = job->player;
    for (uint32_t i = 0; i < p->culled.count; i++) {
        const struct explain_culled *c = &p->culled.at[i];
        struct explain_event event = {.draw = c->draw,
                                      .primitive = c->primitive,
                                      .vertices = 3,
                                      .kind = GPU_TRIANGLES,
                                      .program = UINT32_MAX,
                                      .blend = UINT32_MAX,
                                      .outcome = EXPLAIN_CULLED,
                                      .samples = (uint8_t)samples};
        const struct raster_setup setup = {0};
        struct raster_prim prim;
        for (unsigned k = 0; k < 3; k++)
            event.vertex[k] = (struct raster_vertex){.x = c->x[k], .y = c->y[k], .inv_w = 1.0f};
        if (!raster_setup_triangle(&prim, &setup, event.vertex))
            continue;
        event.coverage = explain_coverage(&prim, watch->stage, samples);
        if (event.coverage)
            explain_add_event(job, watch, &event);
    }
}

/* In the order of the draws; those of no binning list stay where they are. */
static void sort_events(struct explain_stage *stage)
{
    for (uint32_t i = 1; i < stage->events.count; i++) {
        struct explain_event event = stage->events.at[i];
        uint32_t k = i;
        for (; k > 0 && event.draw != UINT32_MAX; k--) {
            const struct explain_event *before = &stage->events.at[k - 1];
            if (before->draw == UINT32_MAX || before->draw < event.draw ||
                (before->draw == event.draw && before->primitive <= event.primitive))
                break;
            stage->events.at[k] = *before;
        }
        stage->events.at[k] = event;
    }
}

static void on_op(void *data, uint32_t number, enum gpu_observed_kind kind, bool done,
                  const struct raster_tile *tile, const struct gpu_observed_work *work)
{
    struct explain_job *job = data;
    job->op = number;
    job->samples = tile->samples;
    for (uint32_t i = 0; i < job->count; i++) {
        struct explain_watch *watch = &job->watch[i];
        struct explain_stage *stage = watch->stage;
        const struct explain_stage *last = &watch->pixel->stages.at[watch->pixel->stages.count - 1];
        if (number <= stage->first || number > stage->last || (number == stage->last && done))
            continue;
        if (!done && !stage->seen) {
            stage->seen = true;
            stage->samples = tile->samples;
            read_samples(tile, stage, stage->color_first);
            stage->clear_color.format = stage->color_first[0].format;
            if (tile->targets)
                stage->clear_color = stage->color_first[0];
            add_culled(job, watch, tile->samples);
        }
        read_samples(tile, stage, stage->color_last);
        if (number != stage->last)
            continue;
        sort_events(stage);
        if (stage == last && stage->stored && !stage->stopped)
            make_pixel(watch, tile);
    }
}

/* ---- life ---- */

bool explain_watch_begin(struct explain_player *p)
{
    for (uint32_t i = 0; i < p->result->pixel_count; i++) {
        struct explain_pixel *pixel = &p->result->pixels[i];
        for (uint32_t k = 0; k < pixel->stages.count; k++) {
            const struct explain_watch watch = {
                .stage = &pixel->stages.at[k], .pixel = pixel, .slot = UINT32_MAX};
            if (!UTIL_LIST_ADD(p->watches, watch))
                return false;
        }
    }
    if (p->watches.count)
        qsort(p->watches.at, p->watches.count, sizeof *p->watches.at, compare_watches);
    p->observer = (struct gpu_observer){.data = p,
                                        .bin = on_bin,
                                        .binned = on_binned,
                                        .culled = on_culled,
                                        .planned = on_planned,
                                        .job = on_job,
                                        .job_end = on_job_end,
                                        .op = on_op,
                                        .list = explain_on_list,
                                        .covered = explain_on_covered,
                                        .fragments = true};
    return true;
}

void explain_watch_finish(struct explain_player *p)
{
    free(p->watches.at);
    codes_finish(&p->codes);
    free(p->culled.at);
}

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

struct job {
    struct explain_player *player;
    struct explain_watch *watch; /* its part of the player's */
    uint32_t count, op;
    struct gpu_observed_list list;
    uint32_t program; /* the list's */
    struct gpu_watch fragments;
    struct gpu_lane *lane; /* followed in the block in hand, of these watches' events: */
    struct explain_event **event;
    const struct explain_stage **stage;
    uint32_t lanes;
    unsigned samples;
    const uint32_t *color, *zs; /* of the block in hand */
};

static int compare_watches(const void *a, const void *b)
{
    const struct explain_stage *s = ((const struct explain_watch *)a)->stage;
    const struct explain_stage *t = ((const struct explain_watch *)b)->stage;
    if (s->batch != t->batch)
        return s->batch < t->batch ? -1 : 1;
    return s->job < t->job ? -1 : s->job > t->job;
}

static bool begin_fragments(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes);
/* Which of the textures read were drawn before. */
static void find_origins(struct job *job, const struct explain_stage *stage, struct explain_event *e)
{
    for (uint32_t i = 0; i < e->lane.lookups.count; i++) {
        const struct gpu_lookup *l = &e->lane.lookups.at[i];
        uint32_t address = l->where.offset;
        struct explain_origin origin = {0};
        bool there =
            !l->raw && address &&
            (!job->list.guest_address || job->list.guest_address(job->list.space, l->where.offset, &address));
        if (there)
            explain_find_origin(&job->player->log, stage, address,
                                raster_format_bytes((enum raster_format)l->format), &origin);
        if (!UTIL_LIST_ADD(e->origins, origin))
            job->player->out_of_memory = true;
    }
}

static void end_fragments(void *data, uint64_t executed);

static void on_job_end(void *data, const struct gpu_observed_work *work)
{
    struct job *job = data;
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
    struct job *job = calloc(1, sizeof *job);
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
    job->fragments = (struct gpu_watch){.data = job, .begin = begin_fragments, .end = end_fragments};
    return job;
}

static bool is_on(const struct job *job, const struct explain_stage *stage)
{
    return job->op > stage->first && job->op < stage->last;
}

static unsigned lane_of(const struct explain_stage *stage)
{
    return raster_lane(stage->local_x, stage->local_y);
}

static void read_samples(const struct raster_tile *tile, const struct explain_stage *stage,
                         uint32_t out[RASTER_MAX_SAMPLES])
{
    for (uint32_t k = 0; k < tile->samples; k++)
        out[k] = tile->color[raster_pixel_index(tile, stage->local_x, stage->local_y, k)];
}

/* ---- what the last store makes of the samples ---- */

static void make_pixel(const struct explain_watch *watch, const struct raster_tile *tile)
{
    const struct explain_stage *stage = watch->stage;
    uint8_t pixel[8] = {0};
    stage->store.make(&stage->store, tile, stage->local_x, stage->local_y, pixel);
    gpu_picture_pixel(&watch->pixel->frame, pixel, watch->pixel->made);
}

/* ---- culled triangles ---- */

/* Covered samples of a pixel; `prim` is set up without culling. */
static uint8_t coverage_at(const struct raster_prim *prim, const struct explain_stage *stage,
                           uint32_t samples)
{
    uint8_t covered = 0;
    for (uint32_t k = 0; k < samples; k++) {
        int64_t x = (int64_t)stage->x * 16 + raster_sample_x(samples, k);
        int64_t y = (int64_t)stage->y * 16 + raster_sample_y(samples, k);
        bool inside = true;
        for (uint32_t i = 0; i < prim->edge_count; i++)
            inside &= prim->edge[i].a * x + prim->edge[i].b * y + prim->edge[i].c >= 0;
        covered |= (uint8_t)(inside << k);
    }
    return covered;
}

static struct explain_event *add_event(struct job *job, const struct explain_watch *watch,
                                       const struct explain_event *event)
{
    struct explain_stage *stage = watch->stage;
    if (!UTIL_LIST_ADD(stage->events, *event)) {
        job->player->out_of_memory = true;
        return NULL;
    }
    return &stage->events.at[stage->events.count - 1];
}

/* Triangles that the binner left out for their facing and that would have covered the pixel. */
static void add_culled(struct job *job, const struct explain_watch *watch, uint32_t samples)
{
    const struct explain_player *p = job->player;
    for (uint32_t i = 0; i < p->culled.count; i++) {
        const struct explain_culled *c = &p->culled.at[i];
        struct explain_event event = {.draw = c->draw,
                                      .primitive = c->primitive,
                                      .vertices = 3,
                                      .kind = GPU_TRIANGLES,
                                      .program = UINT32_MAX,
                                      .outcome = EXPLAIN_CULLED,
                                      .samples = (uint8_t)samples};
        const struct raster_setup setup = {0};
        struct raster_prim prim;
        for (unsigned k = 0; k < 3; k++)
            event.vertex[k] = (struct raster_vertex){.x = c->x[k], .y = c->y[k], .inv_w = 1.0f};
        if (!raster_setup_triangle(&prim, &setup, event.vertex))
            continue;
        event.coverage = coverage_at(&prim, watch->stage, samples);
        if (event.coverage)
            add_event(job, watch, &event);
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
    struct job *job = data;
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
            add_culled(job, watch, tile->samples);
        }
        read_samples(tile, stage, stage->color_last);
        if (number != stage->last)
            continue;
        sort_events(stage);
        if (stage == last && stage->stored)
            make_pixel(watch, tile);
    }
}

/* ---- primitives ---- */

/* The program's place among those met; its words are kept. */
static uint32_t find_program(struct explain_player *p, const struct gpu_observed_program *program)
{
    struct explain_result *r = p->result;
    for (uint32_t i = 0; i < r->programs.count; i++)
        if (r->programs.at[i].hash == program->hash && r->programs.at[i].address == program->address)
            return i;
    const struct explain_program it = {.hash = program->hash,
                                       .address = program->address,
                                       .insn_count = program->insn_count,
                                       .word_count = program->word_count,
                                       .set = program->set,
                                       .words = gpu_observed_words(program)};
    if (it.words && UTIL_LIST_ADD(r->programs, it))
        return r->programs.count - 1;
    free(it.words);
    p->out_of_memory = true;
    return UINT32_MAX;
}

static void on_list(void *data, const struct gpu_observed_list *list)
{
    struct job *job = data;
    job->list = *list;
    job->program = UINT32_MAX;
    if (!list->program)
        return;
    pthread_mutex_lock(&job->player->lock);
    job->program = find_program(job->player, list->program);
    pthread_mutex_unlock(&job->player->lock);
}

static void keep_varyings(const struct gpu_observed_primitive *primitive, struct explain_event *event)
{
    event->vary_first = primitive->prepended;
    event->vary_count = UTIL_MIN(primitive->setup->vary_count, (uint32_t)RASTER_MAX_VARYINGS);
    for (uint32_t k = 0; k < primitive->vertices; k++)
        for (uint32_t n = 0; n < event->vary_count; n++)
            event->vary[k][n] = primitive->vertex[k].vary
                                    ? primitive->vertex[k].vary[n * primitive->vertex[k].vary_stride]
                                    : 0;
}

static void describe(struct job *job, const struct gpu_observed_primitive *primitive,
                     struct explain_event *event)
{
    const struct explain_player *p = job->player;
    *event = (struct explain_event){
        .draw = UINT32_MAX,
        .primitive = primitive->number,
        .list = job->list.number,
        .list_address = job->list.address,
        .list_what = job->list.what,
        .code = primitive->code,
        .vertices = primitive->vertices,
        .kind = primitive->kind,
        .samples = job->list.samples,
        .compiled = job->list.compiled,
        .program = job->program,
    };
    for (uint32_t k = 0; k < primitive->vertices; k++) {
        event->index[k] = primitive->index[k];
        event->vertex[k] = primitive->vertex[k];
        event->vertex[k].vary = NULL;
    }
    keep_varyings(primitive, event);
    const struct code *code = codes_get(&p->codes, primitive->code);
    if (code) {
        event->draw = code->draw;
        event->primitive = code->primitive;
    }
}

/* The pixel's covered samples, a bit each; a triangle that was culled: those it would have covered. */
static uint8_t covered_samples(const struct job *job, const struct gpu_observed_primitive *primitive,
                               const struct explain_stage *stage, bool *culled)
{
    struct raster_setup setup = *primitive->setup;
    struct raster_prim prim;
    uint8_t covered = 0;
    *culled = !primitive->prim && primitive->kind == GPU_TRIANGLES;
    if (*culled) {
        setup.cull_forward = setup.cull_reverse = false;
        setup.vary_count = 0;
        return raster_setup_triangle(&prim, &setup, primitive->vertex)
                   ? coverage_at(&prim, stage, job->list.centre_only ? 1 : job->list.samples)
                   : 0;
    }
    for (uint32_t i = 0; i < primitive->block_count; i++) {
        const struct raster_block *b = &primitive->blocks[i];
        if (b->x != stage->local_x / 4 || b->y != stage->local_y / 4)
            continue;
        for (uint32_t k = 0; k < job->list.samples; k++)
            covered |= (uint8_t)((b->sample[k] >> lane_of(stage) & 1) << k);
    }
    return covered;
}

static const struct gpu_watch *on_covered(void *data, const struct gpu_observed_primitive *primitive,
                                          const struct raster_tile *tile)
{
    struct job *job = data;
    bool any = false;
    for (uint32_t i = 0; i < job->count; i++) {
        struct explain_watch *watch = &job->watch[i];
        struct explain_event event;
        bool culled;
        watch->slot = UINT32_MAX;
        uint8_t covered =
            is_on(job, watch->stage) ? covered_samples(job, primitive, watch->stage, &culled) : 0;
        if (!covered)
            continue;
        describe(job, primitive, &event);
        event.coverage = covered;
        event.outcome = culled ? EXPLAIN_CULLED : EXPLAIN_DISCARDED;
        event.reverse = primitive->prim && primitive->prim->reverse;
        if (!add_event(job, watch, &event) || culled)
            continue;
        watch->slot = watch->stage->events.count - 1;
        any = true;
    }
    return any ? &job->fragments : NULL;
}

/* ---- fragments ---- */

static void read_block(const struct job *job, unsigned lane, uint32_t *color, uint32_t *zs)
{
    for (unsigned k = 0; k < job->samples; k++) {
        color[k] = job->color[k * 16 + lane];
        zs[k] = job->zs[k * 16 + lane];
    }
}

static bool begin_fragments(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes)
{
    struct job *job = data;
    job->lanes = 0;
    job->color = block->color;
    job->zs = block->zs;
    for (uint32_t i = 0; i < job->count; i++) {
        const struct explain_watch *watch = &job->watch[i];
        const struct explain_stage *stage = watch->stage;
        if (watch->slot == UINT32_MAX || block->block->x != stage->local_x / 4 ||
            block->block->y != stage->local_y / 4)
            continue;
        struct explain_event *e = &stage->events.at[watch->slot];
        e->early = !block->counts;
        job->event[job->lanes] = e;
        job->stage[job->lanes] = stage;
        job->lane[job->lanes++] = (struct gpu_lane){.number = (uint8_t)lane_of(stage),
                                                    .keep = job->player->traces ? EXPLAIN_TRACE : 0};
        read_block(job, lane_of(stage), e->color_before, e->zs_before);
    }
    *lanes = (struct gpu_lanes){job->lane, job->lanes};
    return job->lanes != 0;
}

/* Whether some sample that was tested passed the stencil's half of the test. */
static bool stencil_passed(const struct explain_event *e, const struct gpu_test *test)
{
    struct raster_zs stencil = test->rule;
    stencil.depth_func = RASTER_ALWAYS;
    for (unsigned k = 0; k < RASTER_MAX_SAMPLES; k++) {
        uint32_t stored = test->before[k];
        if ((test->samples >> k & 1) && raster_zs_test(&stencil, e->reverse, test->depth, &stored))
            return true;
    }
    return false;
}

static enum explain_outcome outcome_of(const struct explain_event *e)
{
    const struct gpu_lane *lane = &e->lane;
    if (lane->fault)
        return EXPLAIN_FAULTED;
    if (lane->written)
        return EXPLAIN_WRITTEN;
    if (lane->masked)
        return EXPLAIN_MASKED;
    if (lane->discarded)
        return EXPLAIN_DISCARDED;
    if (lane->output.alpha_tested && !lane->output.alpha_passed)
        return EXPLAIN_ALPHA_FAILED;
    for (uint32_t i = 0; i < lane->tests.count; i++)
        if (!lane->tests.at[i].passed)
            return stencil_passed(e, &lane->tests.at[i]) ? EXPLAIN_DEPTH_FAILED : EXPLAIN_STENCIL_FAILED;
    return EXPLAIN_NO_COLOR;
}

static void end_fragments(void *data, uint64_t executed)
{
    struct job *job = data;
    for (uint32_t i = 0; i < job->lanes; i++) {
        struct explain_event *e = job->event[i];
        e->lane = job->lane[i];
        find_origins(job, job->stage[i], e);
        e->outcome = outcome_of(e);
        read_block(job, e->lane.number, e->color_after, e->zs_after);
        job->player->out_of_memory |= e->lane.out_of_memory;
    }
    job->lanes = 0;
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
                                        .list = on_list,
                                        .covered = on_covered,
                                        .fragments = true};
    return true;
}

void explain_watch_finish(struct explain_player *p)
{
    free(p->watches.at);
    codes_finish(&p->codes);
    free(p->culled.at);
}

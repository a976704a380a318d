/* The counting play: draws, tiles, programs. */
#include <stdlib.h>

#include "raster/samples.h"
#include "tools/profile_internal.h"
#include "util/bits.h"

#define SAMPLE_ALL  (4u << 20) /* instructions interpreted before primitives are left out */
#define SAMPLE_STEP (1u << 20) /* and after so many more, every other one again */

/* ---- programs, under the lock ---- */

static uint32_t find_program(struct collector *c, const struct gpu_observed_program *program,
                             enum profile_stage stage)
{
    struct profile *p = c->profile;
    for (uint32_t i = 0; i < p->programs.count; i++)
        if (p->programs.at[i].hash == program->hash && p->programs.at[i].stage == stage)
            return i;
    struct profile_program it = {.hash = program->hash,
                                 .address = program->address,
                                 .stage = stage,
                                 .branches = program->branches,
                                 .by_pc = !program->branches,
                                 .insn_count = program->insn_count,
                                 .word_count = program->word_count,
                                 .set = program->set,
                                 .words = gpu_observed_words(program),
                                 .count = calloc(program->word_count + 1u, sizeof *it.count)};
    if (it.words && it.count && UTIL_LIST_ADD(p->programs, it))
        return p->programs.count - 1;
    free(it.words);
    free(it.count);
    c->out_of_memory = true;
    return PROFILE_NONE;
}

/* Instructions that a program executed. */
static void add_executed(struct collector *c, uint32_t program, uint64_t instructions)
{
    if (program == PROFILE_NONE)
        return;
    c->profile->programs.at[program].executed += instructions;
}

/* ---- the counting play: the device's thread ---- */

/* Shading `number` of the job in hand, if there is one, is the draw's that comes next. */
static void take_shading(struct collector *c, uint32_t number, struct profile_draw *draw)
{
    const uint32_t n = c->job_shading + number - 1;
    if (!number || n >= c->profile->shadings.count)
        return;
    struct profile_shading *s = &c->profile->shadings.at[n];
    s->draw = c->profile->draws.count;
    draw->vertices += s->vertices;
    draw->vertex_instructions += s->instructions;
}

static void count_bin(void *data, const struct gpu_observed_bin *bin,
                      const struct gpu_observed_binning *before)
{
    struct collector *c = data;
    struct profile_draw draw = {.picture = c->picture, .number = ++c->number, .bin = *bin};
    take_shading(c, bin->shading, &draw);
    take_shading(c, bin->varying_shading, &draw);
    c->before = *before;
    if (!UTIL_LIST_ADD(c->profile->draws, draw))
        c->out_of_memory = true;
}

static void count_bin_end(void *data, const struct gpu_observed_program *coordinates,
                          const struct gpu_observed_binning *after)
{
    struct collector *c = data;
    if (c->out_of_memory)
        return;
    struct profile_draw *d = &c->profile->draws.at[c->profile->draws.count - 1];
    d->vertices += after->vertices - c->before.vertices;
    d->primitives = after->primitives_in - c->before.primitives_in;
    d->binned = after->primitives_binned - c->before.primitives_binned;
    d->coordinate_instructions = after->instructions - c->before.instructions;
    if (coordinates && profile_counts(c))
        add_executed(c, find_program(c, coordinates, PROFILE_COORDINATE), d->coordinate_instructions);
}

static void count_binned(void *data, uint32_t code, uint64_t primitive)
{
    struct collector *c = data;
    if (!codes_put(&c->codes, code, c->profile->draws.count - 1, primitive))
        c->out_of_memory = true;
}

/* Returns the program, or PROFILE_NONE where the picture does not count. */
static uint32_t add_vertices(struct collector *c, const struct gpu_observed_program *program,
                             uint64_t vertices, uint64_t instructions)
{
    if (!profile_counts(c))
        return PROFILE_NONE;
    uint32_t found = find_program(c, program, PROFILE_VERTEX);
    c->profile->vertices += vertices;
    c->profile->vertex_instructions += instructions;
    add_executed(c, found, instructions);
    return found;
}

static void count_vertices(void *data, const struct gpu_observed_program *program, uint64_t vertices,
                           uint64_t instructions)
{
    add_vertices(data, program, vertices, instructions);
}

static void count_shade(void *data, const struct gpu_observed_shading *shading, bool done)
{
    struct collector *c = data;
    if (!done)
        return;
    const struct profile_shading it = {
        .draw = PROFILE_NONE,
        .program = add_vertices(c, shading->program, shading->vertices, shading->instructions),
        .counts = profile_counts(c),
        .vertices = shading->vertices,
        .instructions = shading->instructions};
    if (shading->number == 1)
        c->job_shading = c->profile->shadings.count;
    if (!UTIL_LIST_ADD(c->profile->shadings, it))
        c->out_of_memory = true;
}

static void count_planned(void *data, const struct gpu_observed_op *op)
{
    struct collector *c = data;
    struct profile *p = c->profile;
    if (op->kind == GPU_OBSERVED_JOB) {
        const struct profile_job job = {.picture = c->picture, .batch = op->batch, .number = op->job};
        if (!UTIL_LIST_ADD(p->jobs, job))
            c->out_of_memory = true;
    }
    if (op->kind != GPU_OBSERVED_TILE || !p->jobs.count)
        return;
    struct profile_job *job = &p->jobs.at[p->jobs.count - 1];
    const uint32_t x = (uint32_t)op->x, y = (uint32_t)op->y;
    if (op->part) {
        job->size = UTIL_MAX(UTIL_MAX(job->size, x + op->size - job->x), y + op->size - job->y);
        return;
    }
    job->x = x;
    job->y = y;
    job->size = op->size;
    job->width = op->width;
    job->height = op->height;
}

/* ---- the counting play: workers ---- */

static bool begin_block(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes)
{
    return block->counts;
}

static void on_step(void *data, uint32_t pc)
{
    ((struct hand *)data)->count[pc]++;
}

static void end_block(void *data, uint64_t executed)
{
    struct hand *h = data;
    atomic_fetch_add_explicit(&h->collector->interpreted, executed, memory_order_relaxed);
}

/* Interpreting takes long: about a second's worth is done in full, then of ever fewer primitives. */
static bool is_sampled(struct hand *h)
{
    uint64_t done = atomic_load_explicit(&h->collector->interpreted, memory_order_relaxed);
    uint64_t shift = done < SAMPLE_ALL ? 0 : 1 + (done - SAMPLE_ALL) / SAMPLE_STEP;
    return h->sampler++ % (1ull << UTIL_MIN(shift, 20)) == 0;
}

static void *count_job(void *data, unsigned worker, uint32_t batch, uint32_t number)
{
    struct hand *h = profile_hand(data, batch, number);
    if (h)
        h->watch = (struct gpu_watch){.data = h, .begin = begin_block, .step = on_step, .end = end_block};
    return h;
}

/* The segment in hand gets what was done since the last call. */
static void close_segment(struct hand *h, const struct gpu_observed_work *work)
{
    if (h->job->segments.count) {
        struct profile_segment *s = &h->job->segments.at[h->job->segments.count - 1];
        s->primitives += work->primitives - h->last.primitives;
        s->blocks += work->blocks - h->last.blocks;
        s->instructions += work->instructions - h->last.instructions;
    }
    h->last = *work;
}

/* The list's counts go to its program. */
static void end_list(struct hand *h)
{
    struct collector *c = h->collector;
    if (!h->count)
        return;
    pthread_mutex_lock(&c->lock);
    struct profile_program *p = &c->profile->programs.at[h->program];
    for (uint32_t i = 0; i < p->word_count; i++)
        p->count[i] += h->count[i];
    p->by_pc = true;
    pthread_mutex_unlock(&c->lock);
    free(h->count);
    h->count = NULL;
}

static void count_list(void *data, const struct gpu_observed_list *list)
{
    struct hand *h = data;
    struct collector *c = h->collector;
    const struct gpu_observed_program *program = list->program;
    end_list(h);
    pthread_mutex_lock(&c->lock);
    h->program = program ? find_program(c, program, PROFILE_FRAGMENT) : PROFILE_NONE;
    h->branches = program && program->branches;
    if (h->branches && c->request->instructions && h->program != PROFILE_NONE) {
        h->count = calloc(program->word_count + 1u, sizeof *h->count);
        c->out_of_memory |= !h->count;
    }
    pthread_mutex_unlock(&c->lock);
}

static uint32_t draw_of(struct collector *c, uint32_t code)
{
    const struct code *known = codes_get(&c->codes, code);
    return known ? known->draw : PROFILE_NONE;
}

static void count_primitive(void *data, uint32_t code, uint64_t number, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    struct collector *c = h->collector;
    const struct profile_segment *last =
        h->job->segments.count ? &h->job->segments.at[h->job->segments.count - 1] : NULL;
    uint32_t draw = draw_of(c, code);
    if (!last)
        h->last = *work;
    if (!last || last->draw != draw || last->program != h->program) {
        const struct profile_segment segment = {.first = h->primitives, .draw = draw, .program = h->program};
        close_segment(h, work);
        if (!UTIL_LIST_ADD(h->job->segments, segment))
            c->out_of_memory = true;
    }
    h->primitives++;
}

static const struct gpu_watch *count_covered(void *data, const struct gpu_observed_primitive *primitive,
                                             const struct raster_tile *tile)
{
    struct hand *h = data;
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < primitive->block_count; i++)
        pixels +=
            (uint64_t)__builtin_popcount(raster_samples_block_at(primitive->blocks, tile->samples, i)->mask);
    if (h->job->segments.count)
        h->job->segments.at[h->job->segments.count - 1].pixels += pixels;
    return h->count && is_sampled(h) ? &h->watch : NULL;
}

static void count_op(void *data, uint32_t number, enum gpu_observed_kind kind, bool done,
                     const struct raster_tile *tile, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    h->job->samples = tile->samples;
    if (kind != GPU_OBSERVED_DRAW)
        return;
    if (done) {
        close_segment(h, work);
        end_list(h);
    } else {
        h->last = *work;
    }
}

static void count_job_end(void *data, const struct gpu_observed_work *work)
{
    struct hand *h = data;
    struct collector *c = h->collector;
    end_list(h);
    pthread_mutex_lock(&c->lock);
    for (uint32_t i = 0; i < h->job->segments.count; i++)
        add_executed(c, h->job->segments.at[i].program, h->job->segments.at[i].instructions);
    pthread_mutex_unlock(&c->lock);
    free(h);
}

struct gpu_observer profile_count_observer(struct collector *c)
{
    return (struct gpu_observer){.data = c,
                                 .shade = count_shade,
                                 .bin = count_bin,
                                 .bin_end = count_bin_end,
                                 .binned = count_binned,
                                 .planned = count_planned,
                                 .job = count_job,
                                 .job_end = count_job_end,
                                 .op = count_op,
                                 .list = count_list,
                                 .primitive = count_primitive,
                                 .covered = count_covered,
                                 .vertices = count_vertices,
                                 .fragments = c->request->instructions};
}

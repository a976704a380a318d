/* The counting play: draws, tiles, programs. */
#include <stdlib.h>

#include "gpu/vc4/shader_state.h"
#include "tools/profile_internal.h"
#include "util/bits.h"

#define SAMPLE_ALL  (4u << 20) /* instructions interpreted before primitives are left out */
#define SAMPLE_STEP (1u << 20) /* and after so many more, every other one again */

/* ---- programs, under the lock ---- */

static uint32_t find_program(struct collector *c, const struct vc4_qpu_program *program, uint32_t address,
                             enum profile_stage stage)
{
    struct profile *p = c->profile;
    for (uint32_t i = 0; i < p->programs.count; i++)
        if (p->programs.at[i].hash == program->hash && p->programs.at[i].stage == stage)
            return i;
    struct profile_program it = {.hash = program->hash,
                                 .address = address,
                                 .stage = stage,
                                 .branches = program->has_branches,
                                 .by_pc = !program->has_branches,
                                 .insn_count = program->insn_count,
                                 .words = calloc(program->insn_count, sizeof *it.words),
                                 .count = calloc(program->insn_count, sizeof *it.count)};
    if (it.words && it.count && EXPLAIN_ADD(p->programs, it)) {
        for (uint32_t i = 0; i < it.insn_count; i++)
            it.words[i] = program->insns[i].word;
        return p->programs.count - 1;
    }
    free(it.words);
    free(it.count);
    c->out_of_memory = true;
    return PROFILE_NONE;
}

/* Instructions that a program executed; each of a program without branches is executed in every run. */
static void add_executed(struct collector *c, uint32_t program, uint64_t instructions)
{
    if (program == PROFILE_NONE)
        return;
    struct profile_program *p = &c->profile->programs.at[program];
    p->executed += instructions;
    for (uint32_t i = 0; !p->branches && i < p->insn_count; i++)
        p->count[i] += instructions / p->insn_count;
}

/* ---- the counting play: the device's thread ---- */

static void count_bin(void *data, const struct vc4_observed_bin *bin,
                      const struct vc4_observed_binning *before)
{
    struct collector *c = data;
    const struct profile_draw draw = {.picture = c->picture, .number = ++c->number, .bin = *bin};
    c->before = *before;
    if (!EXPLAIN_ADD(c->profile->draws, draw))
        c->out_of_memory = true;
}

static void count_bin_end(void *data, const struct vc4_shader_state *state,
                          const struct vc4_observed_binning *after)
{
    struct collector *c = data;
    if (c->out_of_memory)
        return;
    struct profile_draw *d = &c->profile->draws.at[c->profile->draws.count - 1];
    d->vertices = after->vertices - c->before.vertices;
    d->primitives = after->primitives_in - c->before.primitives_in;
    d->binned = after->primitives_binned - c->before.primitives_binned;
    d->coordinate_instructions = after->instructions - c->before.instructions;
    if (state && profile_counts(c))
        add_executed(c, find_program(c, state->cs.program, state->cs.code, PROFILE_COORDINATE),
                     d->coordinate_instructions);
}

static void count_binned(void *data, uint32_t code, uint64_t primitive, uint32_t tile)
{
    struct collector *c = data;
    if (!codes_put(&c->codes, code, c->profile->draws.count - 1, primitive))
        c->out_of_memory = true;
}

static void count_vertices(void *data, const struct vc4_shader_state *state, uint64_t vertices,
                           uint64_t instructions)
{
    struct collector *c = data;
    if (!profile_counts(c))
        return;
    c->profile->vertices += vertices;
    c->profile->vertex_instructions += instructions;
    add_executed(c, find_program(c, state->vs.program, state->vs.code, PROFILE_VERTEX), instructions);
}

static void count_planned(void *data, const struct vc4_observed_op *op)
{
    struct collector *c = data;
    struct profile *p = c->profile;
    if (op->kind == VC4_OBSERVED_JOB) {
        const struct profile_job job = {.picture = c->picture, .batch = op->batch, .number = op->job};
        if (!EXPLAIN_ADD(p->jobs, job))
            c->out_of_memory = true;
    }
    if (op->kind != VC4_OBSERVED_TILE || !p->jobs.count)
        return;
    struct profile_job *job = &p->jobs.at[p->jobs.count - 1];
    job->x = (uint32_t)op->x;
    job->y = (uint32_t)op->y;
    job->size = op->size;
    job->samples = op->samples;
    job->width = op->width;
    job->height = op->height;
}

/* ---- the counting play: workers ---- */

static bool begin_block(void *data, const struct vc4_watched_block *block)
{
    return block->counts;
}

static void on_insn(void *data, uint32_t pc, const struct vc4_qpu_insn *insn,
                    const struct vc4_qpu_state *state)
{
    ((struct hand *)data)->count[pc]++;
}

static void end_block(void *data, const struct vc4_qpu_state *state, const struct vc4_qpu_report *report)
{
    struct hand *h = data;
    atomic_fetch_add_explicit(&h->collector->interpreted, report->executed, memory_order_relaxed);
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
        h->watch =
            (struct vc4_frag_watch){.data = h, .begin = begin_block, .trace = on_insn, .end = end_block};
    return h;
}

/* The segment in hand gets what was done since the last call. */
static void close_segment(struct hand *h, const struct vc4_observed_work *work)
{
    if (h->job->segments.count) {
        struct profile_segment *s = &h->job->segments.at[h->job->segments.count - 1];
        s->primitives += work->primitives - h->last.primitives;
        s->blocks += work->blocks - h->last.blocks;
        s->instructions += work->instructions - h->last.instructions;
    }
    h->last = *work;
}

static void count_list(void *data, const struct vc4_observed_list *list)
{
    struct hand *h = data;
    struct collector *c = h->collector;
    const struct vc4_qpu_program *program = list->state ? list->state->fs.program : NULL;
    pthread_mutex_lock(&c->lock);
    h->program = program ? find_program(c, program, list->state->fs.code, PROFILE_FRAGMENT) : PROFILE_NONE;
    h->branches = program && program->has_branches;
    h->count = NULL;
    if (h->branches && c->request->instructions && h->program != PROFILE_NONE) {
        h->count = calloc(program->insn_count, sizeof *h->count);
        c->out_of_memory |= !h->count;
    }
    pthread_mutex_unlock(&c->lock);
}

/* The list's counts go to its program. */
static void end_list(struct hand *h)
{
    struct collector *c = h->collector;
    if (!h->count)
        return;
    pthread_mutex_lock(&c->lock);
    struct profile_program *p = &c->profile->programs.at[h->program];
    for (uint32_t i = 0; i < p->insn_count; i++)
        p->count[i] += h->count[i];
    p->by_pc = true;
    pthread_mutex_unlock(&c->lock);
    free(h->count);
    h->count = NULL;
}

static uint32_t draw_of(struct collector *c, uint32_t code)
{
    const struct code *known = codes_get(&c->codes, code);
    return known ? known->draw : PROFILE_NONE;
}

static void count_primitive(void *data, uint32_t code, uint64_t number, const struct vc4_observed_work *work)
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
        if (!EXPLAIN_ADD(h->job->segments, segment))
            c->out_of_memory = true;
    }
    h->primitives++;
}

static const struct vc4_frag_watch *count_covered(void *data, const struct vc4_observed_primitive *primitive,
                                                  const struct raster_tile *tile)
{
    struct hand *h = data;
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < primitive->block_count; i++)
        pixels += (uint64_t)__builtin_popcount(primitive->blocks[i].mask);
    if (h->job->segments.count)
        h->job->segments.at[h->job->segments.count - 1].pixels += pixels;
    return h->count && is_sampled(h) ? &h->watch : NULL;
}

static void count_op(void *data, uint32_t number, enum vc4_observed_kind kind, bool done,
                     const struct raster_tile *tile, const struct vc4_observed_work *work)
{
    struct hand *h = data;
    if (kind != VC4_OBSERVED_DRAW)
        return;
    if (done) {
        close_segment(h, work);
        end_list(h);
    } else {
        h->last = *work;
    }
}

static void count_job_end(void *data, const struct vc4_observed_work *work)
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

struct vc4_observer profile_count_observer(struct collector *c)
{
    return (struct vc4_observer){.data = c,
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

/* What becomes events: the primitives that cover a watched pixel, and what their fragments did there. */
#include <stdlib.h>

#include "raster/samples.h"
#include "tools/explain_internal.h"
#include "util/bits.h"

/* Covered samples of a pixel; `prim` is set up without culling. */
uint16_t explain_coverage(const struct raster_prim *prim, const struct explain_stage *stage, uint32_t samples)
{
    uint16_t covered = 0;
    for (uint32_t k = 0; k < samples; k++) {
        int32_t sample_x, sample_y;
        raster_samples_position(samples, k, &sample_x, &sample_y);
        int64_t x = (int64_t)stage->x * 16 + sample_x, y = (int64_t)stage->y * 16 + sample_y;
        bool inside = true;
        for (uint32_t i = 0; i < prim->edge_count; i++)
            inside &= prim->edge[i].a * x + prim->edge[i].b * y + prim->edge[i].c >= 0;
        covered |= (uint16_t)(inside << k);
    }
    return covered;
}

struct explain_event *explain_add_event(struct explain_job *job, const struct explain_watch *watch,
                                        const struct explain_event *event)
{
    struct explain_stage *stage = watch->stage;
    if (!UTIL_LIST_ADD(stage->events, *event)) {
        job->player->out_of_memory = true;
        return NULL;
    }
    return &stage->events.at[stage->events.count - 1];
}

static bool is_on(const struct explain_job *job, const struct explain_stage *stage)
{
    return job->op > stage->first && job->op < stage->last;
}

static unsigned lane_of(const struct explain_stage *stage)
{
    return raster_lane(stage->local_x, stage->local_y);
}

/* ---- primitives ---- */

/* The program's place among those met; its words are kept. UINT32_MAX: none is given. */
static uint32_t find_program(struct explain_player *p, const struct gpu_observed_program *program)
{
    struct explain_result *r = p->result;
    if (!program)
        return UINT32_MAX;
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

void explain_on_list(void *data, const struct gpu_observed_list *list)
{
    struct explain_job *job = data;
    job->list = *list;
    pthread_mutex_lock(&job->player->lock);
    job->program = find_program(job->player, list->program);
    for (unsigned t = 0; t < RASTER_TARGETS_MAX; t++)
        job->blend[t] = find_program(job->player, list->blend ? list->blend[t] : NULL);
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

static void describe(struct explain_job *job, const struct explain_stage *stage,
                     const struct gpu_observed_primitive *primitive, struct explain_event *event)
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
        .blend = stage->target < RASTER_TARGETS_MAX ? job->blend[stage->target] : UINT32_MAX,
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
static uint16_t covered_samples(const struct explain_job *job, const struct gpu_observed_primitive *primitive,
                                const struct explain_stage *stage, bool *culled)
{
    struct raster_setup setup = *primitive->setup;
    struct raster_prim prim;
    uint16_t covered = 0;
    *culled = !primitive->prim && primitive->kind == GPU_TRIANGLES;
    if (*culled) {
        setup.cull_forward = setup.cull_reverse = false;
        setup.vary_count = 0;
        return raster_setup_triangle(&prim, &setup, primitive->vertex)
                   ? explain_coverage(&prim, stage, job->list.centre_only ? 1 : job->list.samples)
                   : 0;
    }
    for (uint32_t i = 0; i < primitive->block_count; i++) {
        const struct raster_block *b = raster_samples_block_at(primitive->blocks, job->list.samples, i);
        const uint16_t *sample = raster_samples_covered(b, job->list.samples);
        if (b->x != stage->local_x / 4 || b->y != stage->local_y / 4)
            continue;
        for (uint32_t k = 0; k < job->list.samples; k++)
            covered |= (uint16_t)((sample[k] >> lane_of(stage) & 1) << k);
    }
    return covered;
}

const struct gpu_watch *explain_on_covered(void *data, const struct gpu_observed_primitive *primitive,
                                           const struct raster_tile *tile)
{
    struct explain_job *job = data;
    bool any = false;
    for (uint32_t i = 0; i < job->count; i++) {
        struct explain_watch *watch = &job->watch[i];
        struct explain_event event;
        bool culled;
        watch->slot = UINT32_MAX;
        uint16_t covered =
            is_on(job, watch->stage) ? covered_samples(job, primitive, watch->stage, &culled) : 0;
        if (!covered)
            continue;
        describe(job, watch->stage, primitive, &event);
        event.coverage = covered;
        event.outcome = culled ? EXPLAIN_CULLED : EXPLAIN_DISCARDED;
        event.reverse = primitive->prim && primitive->prim->reverse;
        if (!explain_add_event(job, watch, &event) || culled)
            continue;
        watch->slot = watch->stage->events.count - 1;
        any = true;
    }
    return any ? &job->fragments : NULL;
}

/* ---- fragments ---- */

/* Which of the textures read were drawn before. */
static void find_origins(struct explain_job *job, const struct explain_stage *stage, struct explain_event *e)
{
    for (uint32_t i = 0; i < e->lane.lookups.count; i++) {
        const struct gpu_lookup *l = &e->lane.lookups.at[i];
        uint32_t address = l->where.offset;
        struct explain_origin origin = {0};
        bool there =
            !l->raw && address &&
            (!job->list.guest_address || job->list.guest_address(job->list.space, l->where.offset, &address));
        if (there)
            explain_find_origin(&job->player->log, stage, address, l->where.bytes, &origin);
        if (!UTIL_LIST_ADD(e->origins, origin))
            job->player->out_of_memory = true;
    }
}

static void read_pixel(const struct raster_tile *tile, const struct explain_stage *stage,
                       struct gpu_color *color, struct gpu_zs *zs)
{
    for (uint32_t k = 0; k < tile->samples; k++) {
        color[k] = gpu_tile_color(tile, stage->target, stage->local_x, stage->local_y, k);
        zs[k] = gpu_tile_zs(tile, stage->local_x, stage->local_y, k);
    }
}

bool explain_begin_fragments(void *data, const struct gpu_watched_block *block, struct gpu_lanes *lanes)
{
    struct explain_job *job = data;
    job->lanes = 0;
    job->tile = block->tile;
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
                                                    .target = stage->target,
                                                    .keep = job->player->traces ? EXPLAIN_TRACE : 0};
        read_pixel(block->tile, stage, e->color_before, e->zs_before);
    }
    *lanes = (struct gpu_lanes){job->lane, job->lanes};
    return job->lanes != 0;
}

/* Whether some sample that was tested passed the stencil's half of the test. */
static bool stencil_passed(const struct explain_event *e, const struct gpu_test *test)
{
    struct raster_zs stencil = test->rule;
    stencil.depth_func = RASTER_ALWAYS;
    for (unsigned k = 0; k < RASTER_TARGET_SAMPLES; k++) {
        uint32_t depth = 0; /* whatever it is */
        uint8_t stored = test->before[k].stencil;
        if ((test->samples >> k & 1) && raster_zs_test_32(&stencil, e->reverse, depth, &depth, &stored))
            return true;
    }
    return false;
}

/* Whether alpha to coverage took out what coverage and the tests before the program had left. */
static bool covered_by_alpha(const struct explain_event *e)
{
    uint16_t left = e->coverage;
    for (uint32_t i = 0; i < e->lane.tests.count; i++)
        if (e->lane.tests.at[i].when == GPU_TEST_BEFORE)
            left &= e->lane.tests.at[i].passed;
    return e->lane.output.alpha_to_coverage && left && !(left & e->lane.output.alpha_left);
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
    if (covered_by_alpha(e))
        return EXPLAIN_ALPHA_COVERED;
    for (uint32_t i = 0; i < lane->tests.count; i++)
        if (!lane->tests.at[i].passed)
            return stencil_passed(e, &lane->tests.at[i]) ? EXPLAIN_DEPTH_FAILED : EXPLAIN_STENCIL_FAILED;
    return EXPLAIN_NO_COLOR;
}

void explain_end_fragments(void *data, uint64_t executed)
{
    struct explain_job *job = data;
    for (uint32_t i = 0; i < job->lanes; i++) {
        struct explain_event *e = job->event[i];
        e->lane = job->lane[i];
        find_origins(job, job->stage[i], e);
        e->outcome = outcome_of(e);
        read_pixel(job->tile, job->stage[i], e->color_after, e->zs_after);
        job->player->out_of_memory |= e->lane.out_of_memory;
    }
    job->lanes = 0;
}

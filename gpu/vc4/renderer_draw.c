/* Draws prepared once a batch. Workers find them here by what they depend on; the first to ask prepares, the
 * others wait for it. Two tables: shader records with their shaded vertices, and on top of them fragment
 * programs for a depth configuration and a primitive kind. */
#include "gpu/vc4/renderer_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "util/memo.h"

/* What a record is found by. */
struct record_key {
    uint32_t shader, uniforms;
    uint8_t attributes, kind;
    bool extended, single_threaded;
};
/* In one part: it is looked for with every draw in every tile. */
struct draw_key {
    struct record_key record;
    struct vc4_frag_config config;
    uint8_t zero[3];
};
static_assert(sizeof(struct record_key) == 12 && sizeof(struct draw_key) == 24,
              "keys are bytes without padding");

struct record {
    struct vc4_shader_state state;
    struct gpu_vertex_cache vertices;
    const struct gpu_fault *fault; /* what kept it from being made, likewise below; NULL: no memory for it */
};

struct draw {
    struct vc4_draw draw;
    const struct gpu_fault *fault;
};

struct vc4_draws {
    struct vc4_device *device;
    struct util_maker maker;
    struct util_arena *arena; /* draws, records and shaded vertices */
    struct util_memo records, draws;
};

/* ---- life ---- */

int vc4_draws_create(struct vc4_device *device, struct vc4_draws **out)
{
    struct vc4_draws *draws = calloc(1, sizeof *draws);
    if (!draws || util_arena_create(&draws->arena)) {
        free(draws);
        return -ENOMEM;
    }
    draws->device = device;
    util_maker_init(&draws->maker);
    util_memo_init(&draws->records, &draws->maker, draws->arena);
    util_memo_init(&draws->draws, &draws->maker, draws->arena);
    draws->draws.recalls = true;
    *out = draws;
    return 0;
}

/* What a record's vertices took. */
static void count_vertices(struct vc4_device *device, const struct record *record)
{
    uint64_t executed = atomic_load(&record->vertices.executed),
             shaded = atomic_load(&record->vertices.shaded);
    device->host.counters.vertices += shaded;
    device->host.counters.instructions += executed;
    device->perf.event[VC4_EVENT_QPU_VERTEX] += executed * VC4_PERF_CYCLES;
    if (!shaded)
        return;
    vc4_perf_program(device, record->state.vs.program);
    vc4_perf_uniforms(&device->perf, shaded / 16 * record->state.vs.program->uniform_count);
}

static void forget_record(struct vc4_device *device, struct record *record, bool made)
{
    const struct gpu_observer *o = device->options.observer;
    count_vertices(device, record);
    if (o && o->vertices && made && record->state.kind == VC4_SHADER_GL) {
        const struct vc4_stage *vs = &record->state.vs;
        const struct gpu_observed_program program = vc4_observed_program(vs->program, vs->code);
        o->vertices(o->data, &program, atomic_load(&record->vertices.shaded),
                    atomic_load(&record->vertices.executed));
    }
    vc4_vertex_cache_finish(&record->vertices);
}

void vc4_draws_forget(struct vc4_draws *draws)
{
    bool made;
    for (struct record *r = NULL; (r = util_memo_next(&draws->records, r, &made));)
        forget_record(draws->device, r, made);
    for (struct draw *d = NULL; (d = util_memo_next(&draws->draws, d, &made));) {
        if (made)
            vc4_perf_program(draws->device, d->draw.state->fs.program);
        vc4_frag_release(d->draw.frag);
    }
    util_memo_clear(&draws->records);
    util_memo_clear(&draws->draws);
    util_arena_reset(draws->arena);
}

void vc4_draws_destroy(struct vc4_draws *draws)
{
    if (!draws)
        return;
    vc4_draws_forget(draws);
    util_arena_destroy(draws->arena);
    util_maker_destroy(&draws->maker);
    free(draws);
}

/* ---- making ---- */

static void tell(const struct gpu_fault *kept, uint32_t shader, struct gpu_fault *fault)
{
    if (kept)
        *fault = *kept;
    else
        gpu_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, shader, "no host memory for a draw");
}

static bool read_state(const struct vc4_device *device, const struct record_key *key,
                       struct vc4_shader_state *out, struct gpu_fault *fault)
{
    switch (key->kind) {
    case VC4_SHADER_NV: return vc4_nv_state_read(device->programs, device->memory, key->shader, out, fault);
    case VC4_SHADER_VG: return vc4_vg_state_read(device->programs, device->memory, key->shader, out, fault);
    case VC4_SHADER_VG_INLINE:
        return vc4_vg_state_inline(device->programs, device->memory, key->shader, key->uniforms,
                                   key->single_threaded, out, fault);
    default:
        return vc4_shader_state_read(device->programs, device->memory, key->shader, key->attributes,
                                     key->extended, out, fault);
    }
}

static bool make_record(struct vc4_draws *draws, const struct record_key *key, struct record *record,
                        struct gpu_fault *fault)
{
    struct vc4_device *device = draws->device;
    if (!read_state(device, key, &record->state, fault))
        return false;
    record->state.numeric = device->options.numeric;
    uint32_t rows = 3 + record->state.point_size + record->state.varying_count;
    if (record->state.varying_count > RASTER_MAX_VARYINGS - 2 || rows > VC4_VPM_ROWS)
        return gpu_fault_set(fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, key->shader,
                             "%u varyings, but at most %u exist", record->state.varying_count,
                             RASTER_MAX_VARYINGS - 2);
    if (key->kind != VC4_SHADER_GL)
        return true;
    return vc4_vertex_cache_init(&record->vertices, draws->arena, device->memory, device->options.engine,
                                 &record->state, rows, device->options.fuel, fault) == 0;
}

/* NULL with *fault. */
static struct record *get_record(struct vc4_draws *draws, const struct record_key *key,
                                 struct gpu_fault *fault)
{
    const struct util_memo_key bytes = {.head = key, .head_size = sizeof *key};
    enum util_make_status status;
    struct record *record = util_memo_get(&draws->records, &bytes, sizeof *record, &status);
    if (status == UTIL_MAKING) {
        bool made = make_record(draws, key, record, fault);
        if (!made)
            record->fault = gpu_fault_keep(fault, draws->arena);
        status = util_memo_end(&draws->records, record, made);
    }
    if (status == UTIL_MADE)
        return record;
    tell(record ? record->fault : NULL, key->shader, fault);
    return NULL;
}

static bool make_draw(struct vc4_draws *draws, const struct record_key *key,
                      const struct vc4_frag_config *config, struct vc4_draw *draw, struct gpu_fault *fault)
{
    struct vc4_device *device = draws->device;
    struct record *record = get_record(draws, key, fault);
    if (!record)
        return false;
    draw->state = &record->state;
    draw->varying_row = 3u + record->state.point_size;
    if (key->kind == VC4_SHADER_GL) {
        draw->vertices = &record->vertices;
        gpu_vertex_cache_cost_of(&record->vertices, &draw->vertex_cost, &draw->vertex_loops);
    }
    if (vc4_frag_prepare(device->memory, device->options.engine, draw->state, config, device->options.fuel,
                         draws->arena, &draw->frag, fault)) {
        draw->frag = NULL;
        return false;
    }
    draw->counted = device->perf.wanted & VC4_EVENTS_TLB;
    if (((device->options.observer && device->options.observer->fragments) || draw->counted) &&
        vc4_frag_prepare_watch(draw->frag, device->memory, draw->state, config, device->options.fuel, fault))
        return false;
    uint32_t varyings = vc4_frag_shader(draw->frag)->varyings;
    if (varyings <= RASTER_MAX_VARYINGS)
        return true;
    return gpu_fault_set(fault, GPU_FAULT_SHADER, "fragment program", draw->state->fs.code,
                         "reads %u varyings, but at most %u exist", varyings, RASTER_MAX_VARYINGS);
}

const struct vc4_draw *vc4_draws_get(struct vc4_draws *draws, const struct vc4_draw_state *state,
                                     uint32_t samples, uint8_t primitive, bool rgba16f, bool has_mask,
                                     struct gpu_fault *fault)
{
    const struct record_key key = {.shader = state->shader,
                                   .uniforms = state->uniforms,
                                   .attributes = state->attributes,
                                   .kind = state->shader_kind,
                                   .extended = state->extended,
                                   .single_threaded = state->single_threaded};
    const struct vc4_frag_config config = {.depth_func = state->depth_func,
                                           .z_updates = state->z_updates,
                                           .samples = (uint8_t)samples,
                                           .primitive = primitive,
                                           .coverage_leave = state->coverage_leave,
                                           .coverage_mask = state->coverage_mask,
                                           .has_mask = has_mask,
                                           .rgba16f = rgba16f,
                                           /* What counters count, counts for hidden pixels too. */
                                           .in_order =
                                               draws->device->options.in_order || draws->device->perf.wanted};
    const struct draw_key of = {key, config, {0}};
    const struct util_memo_key bytes = {.head = &of, .head_size = sizeof of};
    enum util_make_status status;
    struct draw *draw = util_memo_get(&draws->draws, &bytes, sizeof *draw, &status);
    if (status == UTIL_MAKING) {
        bool made = make_draw(draws, &key, &config, &draw->draw, fault);
        if (!made)
            draw->fault = gpu_fault_keep(fault, draws->arena);
        status = util_memo_end(&draws->draws, draw, made);
    }
    if (status == UTIL_MADE)
        return &draw->draw;
    tell(draw ? draw->fault : NULL, key.shader, fault);
    return NULL;
}

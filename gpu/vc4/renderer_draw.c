/* Draws prepared once a batch. Workers find them here by what they depend on; the first to ask prepares, the
 * others wait for it. Two tables: shader records with their shaded vertices, and on top of them fragment
 * programs for a depth configuration and a primitive kind. */
#include "gpu/vc4/renderer_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "util/arena.h"
#include "util/bits.h"
#include "util/make.h"

#define FIRST_SIZE 64u

/* What both kinds of entry begin with. */
struct entry {
    struct entry *next;
    uint32_t shader, uniforms;
    uint8_t attributes, kind;
    bool extended, single_threaded;
    struct vc4_frag_config config; /* of draws; zero in records */
    util_make_status status;
    struct gpu_fault fault;
};

struct record_entry {
    struct entry entry;
    struct vc4_shader_state state;
    struct vc4_vertex_cache vertices;
};

struct draw_entry {
    struct entry entry;
    struct vc4_draw draw;
};

/* Chained buckets, a power of two, as many as entries or more. */
struct table {
    struct entry **bucket;
    uint32_t size, count;
};

struct vc4_draws {
    struct vc4_device *device;
    struct util_maker maker;  /* with the lock over the tables */
    struct util_arena *arena; /* entries and shaded vertices */
    struct table records, draws;
};

/* ---- tables, under the lock ---- */

static uint32_t bucket_of(const struct table *t, const struct entry *e)
{
    uint32_t config = (uint32_t)e->config.depth_func << 3 | (uint32_t)e->config.z_updates << 2 |
                      (uint32_t)e->config.primitive;
    return ((e->shader ^ config) * 0x9e3779b1u >> 8) & (t->size - 1);
}

static bool same_key(const struct entry *a, const struct entry *b)
{
    const struct vc4_frag_config *c = &a->config, *d = &b->config;
    return a->shader == b->shader && a->attributes == b->attributes && a->extended == b->extended &&
           a->kind == b->kind && a->uniforms == b->uniforms && a->single_threaded == b->single_threaded &&
           c->depth_func == d->depth_func && c->z_updates == d->z_updates && c->samples == d->samples &&
           c->primitive == d->primitive && c->coverage_leave == d->coverage_leave &&
           c->coverage_mask == d->coverage_mask && c->has_mask == d->has_mask && c->wide == d->wide;
}

static bool table_create(struct table *t)
{
    *t = (struct table){.bucket = calloc(FIRST_SIZE, sizeof *t->bucket), .size = FIRST_SIZE};
    return t->bucket;
}

static void table_clear(struct table *t)
{
    if (t->count)
        memset(t->bucket, 0, t->size * sizeof *t->bucket);
    t->count = 0;
}

/* Twice the buckets; without memory for them the chains grow instead. */
static void table_grow(struct table *t)
{
    struct table grown = {.bucket = calloc(t->size * 2ull, sizeof *t->bucket), .size = t->size * 2};
    if (!grown.bucket)
        return;
    for (uint32_t i = 0; i < t->size; i++)
        for (struct entry *e = t->bucket[i], *next; e; e = next) {
            struct entry **bucket = &grown.bucket[bucket_of(&grown, e)];
            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    grown.count = t->count;
    free(t->bucket);
    *t = grown;
}

static struct entry *table_find(const struct table *t, const struct entry *key)
{
    struct entry *e = t->bucket[bucket_of(t, key)];
    while (e && !same_key(e, key))
        e = e->next;
    return e;
}

static void table_add(struct table *t, struct entry *e)
{
    if (t->count >= t->size)
        table_grow(t);
    struct entry **bucket = &t->bucket[bucket_of(t, e)];
    e->next = *bucket;
    *bucket = e;
    t->count++;
}

/* ---- life ---- */

int vc4_draws_create(struct vc4_device *device, struct vc4_draws **out)
{
    struct vc4_draws *draws = calloc(1, sizeof *draws);
    if (!draws)
        return -ENOMEM;
    draws->device = device;
    util_maker_init(&draws->maker);
    *out = draws;
    if (table_create(&draws->records) && table_create(&draws->draws) && util_arena_create(&draws->arena) == 0)
        return 0;
    vc4_draws_destroy(draws);
    *out = NULL;
    return -ENOMEM;
}

/* What a record's vertices took. */
static void count_vertices(struct vc4_device *device, const struct record_entry *record)
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

void vc4_draws_forget(struct vc4_draws *draws)
{
    const struct gpu_observer *o = draws->device->options.observer;
    for (uint32_t i = 0; i < draws->records.size; i++)
        for (struct entry *e = draws->records.bucket[i]; e; e = e->next) {
            struct record_entry *record = (struct record_entry *)e;
            count_vertices(draws->device, record);
            if (o && o->vertices && e->status == UTIL_MADE && e->kind == VC4_SHADER_GL) {
                const struct vc4_stage *vs = &record->state.vs;
                const struct gpu_observed_program program = vc4_observed_program(vs->program, vs->code);
                o->vertices(o->data, &program, atomic_load(&record->vertices.shaded),
                            atomic_load(&record->vertices.executed));
            }
            vc4_vertex_cache_finish(&record->vertices);
        }
    for (uint32_t i = 0; i < draws->draws.size; i++)
        for (struct entry *e = draws->draws.bucket[i]; e; e = e->next) {
            if (e->status == UTIL_MADE)
                vc4_perf_program(draws->device, ((struct draw_entry *)e)->draw.state->fs.program);
            vc4_frag_release(((struct draw_entry *)e)->draw.frag);
        }
    table_clear(&draws->records);
    table_clear(&draws->draws);
    util_arena_reset(draws->arena);
}

void vc4_draws_destroy(struct vc4_draws *draws)
{
    if (!draws)
        return;
    if (draws->arena)
        vc4_draws_forget(draws);
    util_arena_destroy(draws->arena);
    free(draws->records.bucket);
    free(draws->draws.bucket);
    util_maker_destroy(&draws->maker);
    free(draws);
}

/* ---- getting ---- */

/* The entry with that key, built by `build` for the first to ask. `size` is the whole entry's. NULL with
 * *fault. */
static struct entry *get(struct vc4_draws *draws, struct table *table, const struct entry *key, size_t size,
                         bool (*build)(struct vc4_draws *, struct entry *), struct gpu_fault *fault)
{
    pthread_mutex_lock(&draws->maker.lock);
    struct entry *e = table_find(table, key);
    bool mine = !e;
    if (mine && (e = util_arena_alloc(draws->arena, size))) {
        memset(e, 0, size);
        *e = *key;
        table_add(table, e);
    }
    pthread_mutex_unlock(&draws->maker.lock);
    if (!e) {
        gpu_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, key->shader, "no host memory for a draw");
        return NULL;
    }
    if (mine)
        util_make_end(&draws->maker, &e->status, build(draws, e));
    if (util_make_wait(&draws->maker, &e->status))
        return e;
    *fault = e->fault;
    return NULL;
}

static bool read_state(const struct vc4_device *device, struct entry *e, struct vc4_shader_state *out)
{
    switch (e->kind) {
    case VC4_SHADER_NV: return vc4_nv_state_read(device->programs, device->memory, e->shader, out, &e->fault);
    case VC4_SHADER_VG: return vc4_vg_state_read(device->programs, device->memory, e->shader, out, &e->fault);
    case VC4_SHADER_VG_INLINE:
        return vc4_vg_state_inline(device->programs, device->memory, e->shader, e->uniforms,
                                   e->single_threaded, out, &e->fault);
    default:
        return vc4_shader_state_read(device->programs, device->memory, e->shader, e->attributes, e->extended,
                                     out, &e->fault);
    }
}

static bool build_record(struct vc4_draws *draws, struct entry *e)
{
    struct vc4_device *device = draws->device;
    struct record_entry *record = (struct record_entry *)e;
    if (!read_state(device, e, &record->state))
        return false;
    record->state.numeric = device->options.numeric;
    uint32_t rows = 3 + record->state.point_size + record->state.varying_count;
    if (record->state.varying_count > RASTER_MAX_VARYINGS - 2 || rows > VC4_VPM_ROWS) {
        gpu_fault_set(&e->fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, e->shader,
                      "%u varyings, but at most %u exist", record->state.varying_count,
                      RASTER_MAX_VARYINGS - 2);
        return false;
    }
    if (e->kind != VC4_SHADER_GL)
        return true;
    return vc4_vertex_cache_init(&record->vertices, draws->arena, device->memory, device->options.engine,
                                 &record->state, rows, device->options.fuel, &e->fault) == 0;
}

static bool build_draw(struct vc4_draws *draws, struct entry *e)
{
    struct vc4_device *device = draws->device;
    struct vc4_draw *draw = &((struct draw_entry *)e)->draw;
    const struct entry key = {.shader = e->shader,
                              .uniforms = e->uniforms,
                              .attributes = e->attributes,
                              .kind = e->kind,
                              .extended = e->extended,
                              .single_threaded = e->single_threaded};
    struct record_entry *record =
        (struct record_entry *)get(draws, &draws->records, &key, sizeof *record, build_record, &e->fault);
    if (!record)
        return false;
    draw->state = &record->state;
    draw->varying_row = 3u + record->state.point_size;
    if (e->kind == VC4_SHADER_GL) {
        draw->vertices = &record->vertices;
        vc4_vertex_cache_cost_of(&record->vertices, &draw->vertex_cost, &draw->vertex_loops);
    }
    if (vc4_frag_prepare(device->memory, device->options.engine, draw->state, &e->config,
                         device->options.fuel, &draw->frag, &e->fault)) {
        draw->frag = NULL;
        return false;
    }
    draw->counted = device->perf.wanted & VC4_EVENTS_TLB;
    if (((device->options.observer && device->options.observer->fragments) || draw->counted) &&
        vc4_frag_prepare_watch(draw->frag, device->memory, draw->state, &e->config, device->options.fuel,
                               &e->fault))
        return false;
    uint32_t varyings = vc4_frag_shader(draw->frag)->varyings;
    if (varyings <= RASTER_MAX_VARYINGS)
        return true;
    gpu_fault_set(&e->fault, GPU_FAULT_SHADER, "fragment program", draw->state->fs.code,
                  "reads %u varyings, but at most %u exist", varyings, RASTER_MAX_VARYINGS);
    return false;
}

const struct vc4_draw *vc4_draws_get(struct vc4_draws *draws, const struct vc4_draw_state *state,
                                     uint32_t samples, uint8_t primitive, bool wide, bool has_mask,
                                     struct gpu_fault *fault)
{
    /* What counters count, counts for hidden pixels too. */
    bool in_order = draws->device->options.in_order || draws->device->perf.wanted;
    const struct entry key = {.shader = state->shader,
                              .uniforms = state->uniforms,
                              .attributes = state->attributes,
                              .kind = state->shader_kind,
                              .extended = state->extended,
                              .single_threaded = state->single_threaded,
                              .config = {.depth_func = state->depth_func,
                                         .z_updates = state->z_updates,
                                         .samples = (uint8_t)samples,
                                         .primitive = primitive,
                                         .coverage_leave = state->coverage_leave,
                                         .coverage_mask = state->coverage_mask,
                                         .has_mask = has_mask,
                                         .wide = wide,
                                         .in_order = in_order}};
    struct entry *e = get(draws, &draws->draws, &key, sizeof(struct draw_entry), build_draw, fault);
    return e ? &((struct draw_entry *)e)->draw : NULL;
}

/* Draws prepared once a batch. Workers find them here by what they depend on; the first to ask prepares, the
 * others wait for it. Two tables: shader records with their shaded vertices, and on top of them fragment
 * programs for a depth configuration and a primitive kind. */
#include "gpu/vc4/renderer_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "util/bits.h"

#define BUCKETS 256u

enum status { STATUS_BUILDING, STATUS_READY, STATUS_FAULTED };

struct record_entry {
    struct record_entry *next;
    uint32_t shader;
    uint8_t attributes;
    bool extended;
    enum status status;
    struct gpu_fault fault;
    struct vc4_shader_state state;
    struct vc4_vertex_cache *vertices;
};

struct draw_entry {
    struct draw_entry *next;
    uint32_t shader;
    uint8_t attributes;
    bool extended;
    struct vc4_frag_config config;
    enum status status;
    struct gpu_fault fault;
    struct vc4_draw draw;
};

struct vc4_draws {
    struct vc4_device *device;
    pthread_mutex_t lock;
    pthread_cond_t built;
    struct record_entry *records[BUCKETS];
    struct draw_entry *draws[BUCKETS];
};

int vc4_draws_create(struct vc4_device *device, struct vc4_draws **out)
{
    struct vc4_draws *draws = calloc(1, sizeof *draws);
    if (!draws)
        return -ENOMEM;
    draws->device = device;
    pthread_mutex_init(&draws->lock, NULL);
    pthread_cond_init(&draws->built, NULL);
    *out = draws;
    return 0;
}

void vc4_draws_destroy(struct vc4_draws *draws)
{
    if (!draws)
        return;
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (struct draw_entry *e = draws->draws[i], *next; e; e = next) {
            next = e->next;
            vc4_frag_release(e->draw.frag);
            free(e);
        }
        for (struct record_entry *e = draws->records[i], *next; e; e = next) {
            next = e->next;
            vc4_vertex_cache_destroy(e->vertices);
            free(e);
        }
    }
    pthread_cond_destroy(&draws->built);
    pthread_mutex_destroy(&draws->lock);
    free(draws);
}

uint64_t vc4_draws_vertices(struct vc4_draws *draws)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (const struct record_entry *e = draws->records[i]; e; e = e->next)
            n += e->vertices ? vc4_vertex_cache_shaded(e->vertices) : 0;
    }
    return n;
}

static uint32_t bucket(uint32_t shader)
{
    return (shader >> 4 ^ shader >> 12) % BUCKETS;
}

static void no_memory(struct gpu_fault *fault, uint32_t address)
{
    vc4_fault_set(fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address, "no host memory for a draw");
}

/* Publishes what was built without the lock, and wakes those who wait for it. */
static void publish(struct vc4_draws *draws, enum status *status, bool ok)
{
    pthread_mutex_lock(&draws->lock);
    *status = ok ? STATUS_READY : STATUS_FAULTED;
    pthread_cond_broadcast(&draws->built);
    pthread_mutex_unlock(&draws->lock);
}

/* ---- shader records ---- */

static bool build_record(struct vc4_draws *draws, struct record_entry *e)
{
    struct vc4_device *device = draws->device;
    if (!vc4_shader_state_read(device->programs, device->memory, e->shader, e->attributes, e->extended,
                               &e->state, &e->fault))
        return false;
    uint32_t rows = 3 + e->state.point_size + e->state.varying_count;
    if (e->state.varying_count > RASTER_MAX_VARYINGS - 2 || rows > VC4_VPM_ROWS) {
        vc4_fault_set(&e->fault, GPU_FAULT_PACKET, VC4_RENDERER_UNIT, e->shader,
                      "%u varyings, but at most %u exist", e->state.varying_count, RASTER_MAX_VARYINGS - 2);
        return false;
    }
    return vc4_vertex_cache_create(device->memory, device->options.engine, &e->state, rows,
                                   device->options.fuel, &e->vertices, &e->fault) == 0;
}

static const struct record_entry *get_record(struct vc4_draws *draws, const struct vc4_draw_state *state,
                                             struct gpu_fault *fault)
{
    struct record_entry **head = &draws->records[bucket(state->shader)], *e;
    pthread_mutex_lock(&draws->lock);
    for (e = *head; e; e = e->next) {
        if (e->shader == state->shader && e->attributes == state->attributes &&
            e->extended == state->extended)
            break;
    }
    if (e) {
        while (e->status == STATUS_BUILDING)
            pthread_cond_wait(&draws->built, &draws->lock);
        pthread_mutex_unlock(&draws->lock);
    } else {
        e = calloc(1, sizeof *e);
        if (!e) {
            pthread_mutex_unlock(&draws->lock);
            no_memory(fault, state->shader);
            return NULL;
        }
        e->shader = state->shader;
        e->attributes = state->attributes;
        e->extended = state->extended;
        e->next = *head;
        *head = e;
        pthread_mutex_unlock(&draws->lock);
        publish(draws, &e->status, build_record(draws, e));
    }
    if (e->status == STATUS_FAULTED) {
        *fault = e->fault;
        return NULL;
    }
    return e;
}

/* ---- draws ---- */

static bool build_draw(struct vc4_draws *draws, struct draw_entry *e, const struct vc4_draw_state *state)
{
    struct vc4_device *device = draws->device;
    const struct record_entry *record = get_record(draws, state, &e->fault);
    if (!record)
        return false;
    e->draw.state = record->state;
    e->draw.vertices = record->vertices;
    e->draw.varying_row = 3u + record->state.point_size;
    if (vc4_frag_prepare(device->memory, device->options.engine, &e->draw.state, &e->config,
                         device->options.fuel, &e->draw.frag, &e->fault)) {
        e->draw.frag = NULL;
        return false;
    }
    e->draw.frag_varyings = vc4_frag_varyings(e->draw.frag);
    if (e->draw.frag_varyings <= RASTER_MAX_VARYINGS)
        return true;
    vc4_fault_set(&e->fault, GPU_FAULT_SHADER, "fragment program", e->draw.state.fs.code,
                  "reads %u varyings, but at most %u exist", e->draw.frag_varyings, RASTER_MAX_VARYINGS);
    return false;
}

static bool same_config(const struct vc4_frag_config *a, const struct vc4_frag_config *b)
{
    return a->depth_func == b->depth_func && a->z_updates == b->z_updates && a->samples == b->samples &&
           a->primitive == b->primitive;
}

const struct vc4_draw *vc4_draws_get(struct vc4_draws *draws, const struct vc4_draw_state *state,
                                     uint32_t samples, uint8_t primitive, struct gpu_fault *fault)
{
    const struct vc4_frag_config config = {.depth_func = state->depth_func,
                                           .z_updates = state->z_updates,
                                           .samples = (uint8_t)samples,
                                           .primitive = primitive};
    struct draw_entry **head = &draws->draws[bucket(state->shader)], *e;
    pthread_mutex_lock(&draws->lock);
    for (e = *head; e; e = e->next) {
        if (e->shader == state->shader && e->attributes == state->attributes &&
            e->extended == state->extended && same_config(&e->config, &config))
            break;
    }
    if (e) {
        while (e->status == STATUS_BUILDING)
            pthread_cond_wait(&draws->built, &draws->lock);
        pthread_mutex_unlock(&draws->lock);
    } else {
        e = calloc(1, sizeof *e);
        if (!e) {
            pthread_mutex_unlock(&draws->lock);
            no_memory(fault, state->shader);
            return NULL;
        }
        e->shader = state->shader;
        e->attributes = state->attributes;
        e->extended = state->extended;
        e->config = config;
        e->next = *head;
        *head = e;
        pthread_mutex_unlock(&draws->lock);
        publish(draws, &e->status, build_draw(draws, e, state));
    }
    if (e->status == STATUS_FAULTED) {
        *fault = e->fault;
        return NULL;
    }
    return &e->draw;
}

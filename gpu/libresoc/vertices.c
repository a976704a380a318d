#include "gpu/libresoc/vertices.h"

#include <stdatomic.h>
#include <string.h>

#include <pthread.h>

#include "util/bits.h"
#include "util/checked.h"

#define UNIT "vertex fetch"

/* ---- attributes ---- */

/* Whether element 0 to `last` may be read. */
static bool is_readable(const struct libresoc_stage *stage, const struct libresoc_attribute_record *record,
                        uint32_t last, uint32_t bytes)
{
    uint64_t size;
    return util_mul(last, record->stride, &size) && util_add(size, bytes, &size) &&
           gpu_memory_at(stage->memory, record->address, size) &&
           !libresoc_is_written(stage->written, record->address, size);
}

static bool take_attribute(struct libresoc_vertices *v, uint32_t n, struct gpu_fault *fault)
{
    const struct libresoc_draw_record *draw = v->draw;
    const uint64_t address = draw->attributes + (uint64_t)n * LIBRESOC_ATTRIBUTE_WORDS * 4;
    struct libresoc_attribute *out = &v->attribute[n];
    struct libresoc_attribute_record record;
    if (!libresoc_attribute_read(v->stage->memory, address, &record, fault))
        return false;
    const enum raster_format format = libresoc_attribute_format(record.format);
    const uint32_t bytes = raster_format_bytes(format);
    const uint32_t last =
        record.divisor ? (draw->instance_count - 1) / record.divisor : draw->vertex_count - 1;
    if (!is_readable(v->stage, &record, last, bytes))
        return gpu_fault_set(fault, GPU_FAULT_MEMORY, UNIT, record.address,
                             "attribute %u: its elements 0 to %u are not all in memory", n, last);
    *out = (struct libresoc_attribute){
        .array = {.base = v->stage->memory->base + record.address,
                  .stride = record.stride,
                  .address = (uint32_t)record.address,
                  .bytes = bytes,
                  .words = util_div_up(bytes, 4),
                  .form = {.format = (uint16_t)format}},
        .components = record.components,
        .divisor = record.divisor,
    };
    out->array.load = gpu_array_load_of(&out->array, false);
    v->streams += record.components;
    return true;
}

bool libresoc_vertices_begin(struct libresoc_vertices *v, struct gpu_fault *fault)
{
    v->streams = 0;
    for (uint32_t n = 0; n < v->draw->attribute_count; n++)
        if (!take_attribute(v, n, fault))
            return false;
    return true;
}

/* Lanes from `count` on are the last vertex again. */
static void fetch(const struct libresoc_vertices *v, uint32_t first, uint32_t count, libresoc_stream *out)
{
    for (uint32_t n = 0; n < v->draw->attribute_count; n++) {
        const struct libresoc_attribute *a = &v->attribute[n];
        for (uint32_t lane = 0; lane < LIBRESOC_LANES; lane += 16) {
            uint32_t index[16], value[4][16];
            for (uint32_t i = 0; i < 16; i++)
                index[i] = a->divisor ? v->instance / a->divisor : first + UTIL_MIN(lane + i, count - 1);
            gpu_array_fetch(&a->array, index, value);
            for (uint32_t c = 0; c < a->components; c++)
                memcpy(&out[c][lane], value[c], sizeof value[c]);
        }
        out += a->components;
    }
}

/* ---- batches ---- */

struct batches {
    const struct libresoc_vertices *vertices;
    atomic_ullong executed, burnt;
    pthread_mutex_t lock; /* over what follows */
    uint32_t faulted;     /* the first batch that has a fault */
    struct gpu_fault fault;
};

static void store(const struct libresoc_vertices *v, uint32_t first, uint32_t count,
                  const libresoc_stream *streams)
{
    const struct libresoc_draw_record *d = v->draw;
    for (uint32_t lane = 0; lane < count; lane++) {
        float *at = v->positions[first + lane];
        float *vary = v->varyings + (size_t)(first + lane) * d->varying_count;
        const float inv_w = 1.0f / util_u2f(streams[3][lane]);
        at[0] = util_u2f(streams[0][lane]) * inv_w * d->scale_x + d->translate_x;
        at[1] = util_u2f(streams[1][lane]) * inv_w * d->scale_y + d->translate_y;
        at[2] = util_u2f(streams[2][lane]) * inv_w * d->scale_z + d->translate_z;
        at[3] = inv_w;
        for (uint32_t n = 0; n < d->varying_count; n++)
            vary[n] = util_u2f(streams[4 + n][lane]);
    }
}

static bool run(const struct libresoc_vertices *v, uint32_t batch, uint64_t *executed, uint64_t *burnt,
                struct gpu_fault *fault)
{
    const uint32_t first = batch * LIBRESOC_LANES;
    const uint32_t count = UTIL_MIN(v->draw->vertex_count - first, LIBRESOC_LANES);
    const uint32_t out_streams = 4 + v->draw->varying_count;
    struct libresoc_local local;
    struct libresoc_launch launch = {.local = &local,
                                     .in_bytes = v->streams * (uint32_t)sizeof(libresoc_stream),
                                     .out_bytes = out_streams * (uint32_t)sizeof(libresoc_stream),
                                     .number = batch,
                                     .lanes = count,
                                     .mask = UINT64_MAX >> (LIBRESOC_LANES - count),
                                     .place = first,
                                     .flags = v->instance,
                                     .fuel = v->fuel};
    fetch(v, first, count, local.in);
    memset(local.out, 0, launch.out_bytes);
    const bool done = libresoc_stage_run(v->stage, &launch, fault);
    *executed = launch.executed;
    *burnt = launch.burnt;
    if (done)
        store(v, first, count, local.out);
    return done;
}

static void work(void *data, uint32_t batch, unsigned worker)
{
    struct batches *batches = data;
    struct gpu_fault fault;
    uint64_t executed, burnt;
    if (gpu_host_cancelled(batches->vertices->host))
        return;
    if (!run(batches->vertices, batch, &executed, &burnt, &fault)) {
        pthread_mutex_lock(&batches->lock);
        if (batch < batches->faulted) {
            batches->faulted = batch;
            batches->fault = fault;
        }
        pthread_mutex_unlock(&batches->lock);
    }
    atomic_fetch_add_explicit(&batches->executed, executed, memory_order_relaxed);
    atomic_fetch_add_explicit(&batches->burnt, burnt, memory_order_relaxed);
}

bool libresoc_vertices_run(struct libresoc_vertices *v, struct gpu_fault *fault)
{
    struct batches batches = {.vertices = v, .lock = PTHREAD_MUTEX_INITIALIZER, .faulted = UINT32_MAX};
    util_pool_run(v->pool, util_div_up(v->draw->vertex_count, LIBRESOC_LANES), work, &batches);
    v->executed += atomic_load(&batches.executed);
    v->burnt += atomic_load(&batches.burnt);
    if (batches.faulted == UINT32_MAX)
        return true;
    *fault = batches.fault;
    return false;
}

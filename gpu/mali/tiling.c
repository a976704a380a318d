/* Tiler jobs: the primitives of a draw, whose positions a vertex job has left as x, y, z and 1/w in window
 * coordinates, go into the frame's tile lists (tiler/bins.h).
 *
 * Of instance i vertex v has number i * instance size + v. Lists stand in the tiler's heap, which grows by
 * page faults: a job that meets one stands still, and goes on at the same primitive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/tiling_internal.h"
#include "util/bits.h"

#define UNIT     TILING_UNIT
#define GUARD    16384.0f /* pixels from the frame's centre to where triangles are clipped */
#define INSET    2        /* the first of four samples; of more samples one lies further out */
#define RUN_SCAN 4096u    /* indices looked at at a time */

static enum mali_end unsupported(const struct mali_job *job, const char *what, struct mali_stop *stop)
{
    mali_stop_set(stop, MALI_JOB_CONFIG_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, job->address, "%s", what);
    return MALI_END_FAULT;
}

/* ---- what can be drawn on ---- */

static uint32_t samples_of(enum mali_version version, const struct mali_tiler_job *p)
{
    static const uint8_t patterns[] = {[MALI_SAMPLE_PATTERN_SINGLE_SAMPLED] = 1,
                                       [MALI_SAMPLE_PATTERN_ORDERED_4X_GRID] = 4,
                                       [MALI_SAMPLE_PATTERN_ROTATED_4X_GRID] = 4,
                                       [MALI_SAMPLE_PATTERN_D3D_8X_GRID] = 8,
                                       [MALI_SAMPLE_PATTERN_D3D_16X_GRID] = 16};
    const uint32_t pattern = p->context.tiler.sample_pattern;
    return version == MALI_V4                    ? p->frame.single.sample_count
           : version == MALI_V5                  ? p->frame.several.sample_count
           : pattern < UTIL_ARRAY_SIZE(patterns) ? patterns[pattern]
                                                 : 16;
}

static void set_window(struct mali_tiling *t, const struct mali_tiler_job *p, struct tiler_draw *out)
{
    const struct mali_viewport *v = &p->bindings.viewport;
    const uint32_t samples = samples_of(t->job->version, p);
    uint32_t right = UTIL_MIN(v->scissor_maximum_x + 1, t->width),
             bottom = UTIL_MIN(v->scissor_maximum_y + 1, t->height);
    bool near = p->bindings.state.fixed_function_near_discard && v->minimum_z > -INFINITY;
    bool far = p->bindings.state.fixed_function_far_discard && v->maximum_z < INFINITY;
    out->grid = (struct tiler_grid){.shift = 6,
                                    .x0 = (int32_t)UTIL_MIN(v->scissor_minimum_x, t->width),
                                    .y0 = (int32_t)UTIL_MIN(v->scissor_minimum_y, t->height),
                                    .x1 = (int32_t)right,
                                    .y1 = (int32_t)bottom,
                                    .inset = samples > 4 ? 0 : INSET};
    /* Depths that only one side bounds, or none, are clamped. */
    out->window = (struct tiler_window){.centre_x = (float)t->width * 0.5f,
                                        .centre_y = (float)t->height * 0.5f,
                                        .near = near && far ? v->minimum_z : 0,
                                        .far = near && far ? v->maximum_z : 0,
                                        .guard = {.scale_x = 1, .scale_y = 1, .limit = GUARD}};
    out->column = 1;
    out->row = t->columns;
    t->record.x0 = (uint16_t)out->grid.x0;
    t->record.y0 = (uint16_t)out->grid.y0;
    t->record.x1 = (uint16_t)right;
    t->record.y1 = (uint16_t)bottom;
    t->record.near = v->minimum_z;
    t->record.far = v->maximum_z;
}

static bool mode_of(uint32_t draw_mode, enum tiler_mode *out)
{
    static const uint8_t modes[] = {[MALI_DRAW_MODE_POINTS] = TILER_POINTS + 1,
                                    [MALI_DRAW_MODE_LINES] = TILER_LINES + 1,
                                    [MALI_DRAW_MODE_LINE_STRIP] = TILER_LINE_STRIP + 1,
                                    [MALI_DRAW_MODE_LINE_LOOP] = TILER_LINE_LOOP + 1,
                                    [MALI_DRAW_MODE_TRIANGLES] = TILER_TRIANGLES + 1,
                                    [MALI_DRAW_MODE_TRIANGLE_STRIP] = TILER_TRIANGLE_STRIP + 1,
                                    [MALI_DRAW_MODE_TRIANGLE_FAN] = TILER_TRIANGLE_FAN + 1,
                                    [MALI_DRAW_MODE_POLYGON] = TILER_POLYGON + 1,
                                    [MALI_DRAW_MODE_QUADS] = TILER_QUADS + 1,
                                    [MALI_DRAW_MODE_QUAD_STRIP] = TILER_QUAD_STRIP + 1};
    if (draw_mode >= UTIL_ARRAY_SIZE(modes) || !modes[draw_mode])
        return false;
    *out = (enum tiler_mode)(modes[draw_mode] - 1);
    return true;
}

/* ---- instances and runs ---- */

/* Where `first` elements of `bytes` on from an array's beginning are; false and a fault: not within what a
 * place in a list can say. */
static bool place_at(struct mali_tiling *t, uint64_t base, uint64_t first, uint32_t bytes, uint32_t *out)
{
    uint64_t at = base + first * bytes;
    if (base <= UINT32_MAX && at <= UINT32_MAX) { /* first has no more than 64 - 4 bits: begin_draw */
        *out = (uint32_t)at;
        return true;
    }
    return mali_at(t->job->space, base > UINT32_MAX ? base : at, bytes, GPU_RIGHT_READ, UNIT, "positions",
                   t->stop);
}

/* Of vertices that the job has shaded: all places are within the heap. */
static bool set_shaded_instance(struct mali_tiling *t)
{
    const struct mali_shading *s = &t->shading;
    t->record.first = t->instance * s->count;
    t->record.positions = s->at.positions + t->record.first * MALI_POSITION_BYTES;
    t->record.varyings = s->at.varyings;
    if (s->at.point_sizes)
        t->record.point_sizes = s->at.point_sizes + t->record.first * MALI_POINT_SIZE_BYTES;
    return true;
}

/* The instance at hand: where its vertices are. */
static bool set_instance(struct mali_tiling *t)
{
    if (t->in_heap)
        return set_shaded_instance(t);
    const struct mali_draw *d = &t->payload->draw;
    const struct mali_primitive *p = &t->payload->primitive;
    uint64_t first = t->instance * (t->instances > 1 ? d->instance_size : 0) + t->ahead;
    uint32_t size_bytes = t->record.half_sizes ? 2 : 4;
    if (first > UINT32_MAX)
        return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, UNIT, t->job->address,
                             "instance %u begins beyond all vertices", t->instance);
    t->record.first = (uint32_t)first;
    if (t->sizes && p->point_size_array_format != MALI_POINT_SIZE_ARRAY_FORMAT_NONE &&
        !place_at(t, t->payload->size.size_array, first, size_bytes, &t->record.point_sizes))
        return false;
    return place_at(t, d->position, first, TILER_POSITION, &t->record.positions);
}

/* Indices from number t->next on that no restart interrupts: `count` of them; t->next becomes what is behind
 * them and the restart. Each index is looked at once. False: *stop. */
static bool take_run(struct mali_tiling *t, uint32_t *count)
{
    uint32_t log2 = t->index_log2, all = t->count;
    uint32_t n = 0;
    t->run_at = t->next;
    for (bool ended = !t->restarts; !ended && t->next + n < all;) {
        uint32_t some = UTIL_MIN(all - t->next - n, RUN_SCAN), k = 0;
        const uint8_t *at =
            mali_at(t->job->space, t->payload->primitive.indices + ((uint64_t)(t->next + n) << log2),
                    (uint64_t)some << log2, GPU_RIGHT_READ, UNIT, "indices", t->stop);
        if (!at)
            return false;
        while (k < some && mali_tiling_index(at, log2, k) != t->restart)
            k++;
        ended = k < some;
        n += k;
        if (!mali_tiling_pay(t, k / 16 + 1))
            return false;
    }
    *count = t->restarts ? n : all - t->next;
    t->next += *count;
    t->next += t->next < all; /* the restart itself */
    return true;
}

/* The next run of the instance, or of the next instance. MALI_END_WAITS: it has begun. */
static enum mali_end next_run(struct mali_tiling *t)
{
    for (;;) {
        uint32_t count;
        bool begins = !t->next;
        if (begins && !set_instance(t))
            return MALI_END_FAULT;
        if (t->next < t->count) {
            if (!take_run(t, &count))
                return MALI_END_FAULT;
            count = tiler_mode_whole(t->draw.mode, count);
            if (begins) {
                t->draw.count = count;
                tiler_bins_draw_begin(&t->bins, &t->draw);
            } else if (count) {
                tiler_bins_run_begin(&t->bins, count);
            } else {
                continue;
            }
            return MALI_END_WAITS;
        }
        if (++t->instance >= t->instances)
            return MALI_END_DONE;
        t->next = 0;
        if (!mali_tiling_pay(t, 1))
            return MALI_END_FAULT;
    }
}

/* ---- draws ---- */

/* What triangles need to be culled; only what is used of it costs memory. */
static bool make_room(struct mali_tiling *t)
{
    struct tiler_bins_room **room = &t->bins.room;
    if (!*room && (*room = aligned_alloc(64, util_align(sizeof **room, 64))))
        memset(&(*room)->piece.marks, 0, sizeof(*room)->piece.marks);
    if (!*room)
        mali_stop_set(t->stop, MALI_OOM, GPU_FAULT_LIST, UNIT, t->job->address,
                      "no host memory for vertices");
    return *room != NULL;
}

uint32_t mali_tiling_instances(const struct mali_tiler_job *p)
{
    uint64_t size[3], groups[3];
    mali_invocation_sizes(&p->invocation, size, groups);
    return (uint32_t)UTIL_MIN(size[2] * groups[2], UINT32_MAX);
}

void mali_tiling_take_indices(struct mali_tiling *t)
{
    const struct mali_primitive *p = &t->payload->primitive;
    bool indexed = p->index_type != MALI_INDEX_TYPE_NONE;
    t->count = p->index_count;
    t->index_log2 = indexed ? p->index_type - MALI_INDEX_TYPE_UINT8 : 0;
    t->restarts = indexed && p->primitive_restart != MALI_PRIMITIVE_RESTART_NONE;
    t->restart = p->primitive_restart == MALI_PRIMITIVE_RESTART_EXPLICIT
                     ? p->primitive_restart_index
                     : UINT32_MAX >> (32 - (8u << t->index_log2));
}

static void set_indices(struct mali_tiling *t, const struct mali_primitive *p)
{
    bool indexed = p->index_type != MALI_INDEX_TYPE_NONE;
    int32_t offset = (int32_t)p->base_vertex_offset;
    mali_tiling_take_indices(t);
    t->draw.indexed = indexed;
    t->draw.index_log2 = t->index_log2;
    /* Of arrays that are there an offset down is the index of vertex 0; one up lies ahead of it. */
    t->draw.base = t->in_heap ? t->shading.least : indexed && offset < 0 ? 0u - p->base_vertex_offset : 0;
    t->ahead = !t->in_heap && indexed && offset > 0 ? p->base_vertex_offset : 0;
}

static enum mali_end begin_draw(struct mali_tiling *t)
{
    const struct mali_tiler_job *p = t->payload;
    const struct mali_draw *d = &p->draw;
    bool ccw = d->front_face_ccw;
    const struct gpu_observer *observer = t->job->device->options.observer;
    t->draw = (struct tiler_draw){.size = p->size.constant,
                                  .told = observer && (observer->binned || observer->culled),
                                  .first_provokes = p->primitive.first_provoking_vertex ||
                                                    p->context.tiler.first_provoking_vertex,
                                  /* Counterclockwise with y down the buffer: a negative area. */
                                  .keep_positive = !(ccw ? d->cull_back_face : d->cull_front_face),
                                  .keep_negative = !(ccw ? d->cull_front_face : d->cull_back_face),
                                  .record = &t->record,
                                  .record_bytes = sizeof t->record};
    if (!mode_of(p->primitive.draw_mode, &t->draw.mode))
        return unsupported(t->job, "primitives with adjacency, and parallelograms, are not done", t->stop);
    if (!p->bindings.has_viewport)
        return unsupported(t->job, "a draw without a viewport is not known", t->stop);
    t->instances = t->vertex ? t->shading.instances : mali_tiling_instances(p);
    t->instance = t->next = 0;
    t->sizes = t->draw.mode == TILER_POINTS;
    set_indices(t, &p->primitive);
    t->bins.named =
        (struct tiler_named){t->named, t->shading.least - t->draw.base, t->named ? t->shading.count : 0};
    t->record = (struct gpu_bin_state){
        .state = (uint32_t)t->job->address,
        .size = p->size.constant,
        .half_sizes = p->primitive.point_size_array_format == MALI_POINT_SIZE_ARRAY_FORMAT_FP16,
        .draw = t->job->number,
    };
    set_window(t, p, &t->draw);
    if (tiler_draw_culls(&t->draw) && !make_room(t))
        return MALI_END_FAULT;
    if (observer)
        mali_observe_draw(t->job, p, tiler_mode_name(t->draw.mode));
    t->job->device->host.counters.draws++;
    return next_run(t);
}

/* As far as the heap has room. */
static enum mali_end draw(struct mali_tiling *t)
{
    struct gpu_counters *counters = &t->job->device->host.counters;
    struct tiler_bins *b = &t->bins;
    for (;;) {
        enum tiler_end end = tiler_bins_draw(b);
        counters->primitives_in += b->primitives_in;
        counters->primitives_binned += b->primitives_binned;
        b->primitives_in = b->primitives_binned = 0;
        if (end == TILER_NO_ROOM)
            return t->stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
        if (end == TILER_BAD_INDEX)
            mali_stop_set(t->stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_PACKET, UNIT, t->job->address,
                          "index %u lies before %u, or too far behind it", b->bad_index, b->draw.base);
        if (end != TILER_DONE)
            return MALI_END_FAULT;
        enum mali_end next = next_run(t);
        if (next != MALI_END_WAITS)
            return next;
    }
}

/* ---- the job ---- */

static struct mali_tiling *tiling_of(struct mali_job *job)
{
    struct mali_tiling **t = &job->device->tiling[job->slot];
    if (!*t)
        *t = calloc(1, sizeof **t);
    return *t;
}

/* From where the job stands until it is done or cannot go on. */
static enum mali_end work(struct mali_tiling *t)
{
    enum mali_end end = t->listed ? MALI_END_DONE : mali_tiling_lists_begin(t);
    if (end == MALI_END_DONE && t->stage < TILING_DRAW)
        end = mali_tiling_shade(t);
    if (end != MALI_END_DONE)
        return end;
    if (t->stage == TILING_DRAWN)
        return mali_tiling_shade_drawn(t);
    if (!t->drawing) {
        if (t->vertex && !t->shading.count)
            return MALI_END_DONE;
        end = begin_draw(t);
        if (end != MALI_END_WAITS)
            return end;
        t->drawing = true;
    }
    end = draw(t);
    return end == MALI_END_DONE && t->named ? mali_tiling_shade_drawn(t) : end;
}

static enum mali_end run(struct mali_job *job, const struct mali_tiler_job *payload,
                         const struct mali_vertex_job *vertex, struct mali_stop *stop)
{
    struct mali_tiling *t = tiling_of(job);
    if (!t) {
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, UNIT, job->address, "no host memory for tile lists");
        return MALI_END_FAULT;
    }
    t->job = job;
    t->payload = payload;
    t->vertex = vertex;
    t->in_heap = vertex && job->version >= MALI_V9;
    t->stop = stop;
    t->bins.ports = &mali_tiling_ports;
    t->bins.ctx = t;
    t->bins.base = job->space->window.base;
    t->bins.pool = job->device->options.pool;
    t->bins.bin = t->bin;
    if (!job->resumed) {
        t->listed = t->drawing = false;
        t->stage = vertex ? TILING_FIND : TILING_DRAW;
    } else if (t->listed) {
        tiler_bins_resume(&t->bins, t->columns * t->rows);
    }
    enum mali_end end = work(t);
    if (end == MALI_END_DONE && job->device->options.observer)
        mali_observe_draw_end(job);
    if (end != MALI_END_WAITS)
        mali_tiling_forget(t);
    return end == MALI_END_WAITS || !t->listed ? end : mali_tiling_lists_end(t, end);
}

enum mali_end mali_job_tiler(struct mali_job *job, const struct mali_tiler_job *payload,
                             struct mali_stop *stop)
{
    return run(job, payload, NULL, stop);
}

enum mali_end mali_job_shaded(struct mali_job *job, const struct mali_vertex_job *payload,
                              struct mali_stop *stop)
{
    return run(job, &payload->tiler, payload, stop);
}

void mali_tiling_destroy(struct mali_tiling *tiling)
{
    if (tiling) {
        mali_tiling_forget(tiling);
        free(tiling->bins.room);
    }
    free(tiling);
}

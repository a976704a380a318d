/* Jobs that shade the vertices that they draw: which there are, of v9 room for them in the heap, and their two programs.
 * Each vertex of an instance that an index names gets its position once. Varyings come behind the draw, as on silicon: of
 * vertices that are in no list nobody reads them. */
#include <stdlib.h>
#include <string.h>

#include "gpu/mali/threads.h"
#include "gpu/mali/tiling_internal.h"
#include "gpu/mali/world_ir.h"

#define UNIT          TILING_UNIT
#define VERTICES_MOST (1u << 24) /* from the least index of a draw to the greatest: ours */
#define HEAP_ALIGN    64u
#define INDICES_SCAN  4096u /* looked at at a time */
#define VERTICES_FEW  (8 * ISA_LANES)

static enum mali_end stopped(const struct mali_tiling *t)
{
    return t->stop->page_fault ? MALI_END_WAITS : MALI_END_FAULT;
}

static enum mali_end no_memory(struct mali_tiling *t)
{
    mali_stop_set(t->stop, MALI_OOM, GPU_FAULT_LIST, UNIT, t->job->address, "no host memory for vertices");
    return MALI_END_FAULT;
}

void mali_tiling_forget(struct mali_tiling *t)
{
    free(t->shading.used);
    free(t->named);
    t->shading.used = NULL;
    t->named = NULL;
}

/* ---- which vertices there are ---- */

/* Of all indices but restarts, `count` of a run; `out` is the visitor's. */
typedef void (*indices_fn)(const struct mali_tiling *t, const uint8_t *at, uint32_t count, void *out);

/* False: *stop. */
static bool for_indices(struct mali_tiling *t, indices_fn visit, void *out)
{
    for (uint32_t n = 0, some; n < t->count; n += some) {
        some = UTIL_MIN(t->count - n, INDICES_SCAN);
        const uint8_t *at =
            mali_at(t->job->space, t->payload->primitive.indices + ((uint64_t)n << t->index_log2),
                    (uint64_t)some << t->index_log2, GPU_RIGHT_READ, UNIT, "indices", t->stop);
        if (!at || !mali_tiling_pay(t, some / 16 + 1))
            return false;
        visit(t, at, some, out);
    }
    return true;
}

struct range {
    uint32_t least, greatest;
};

/* `log2` and `restarts` are constants where it is called, so that loops without restarts become vectors. */
static inline __attribute__((always_inline)) struct range
range_of(const uint8_t *at, uint32_t count, uint32_t log2, bool restarts, uint32_t restart)
{
    struct range r = {UINT32_MAX, 0};
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t index = mali_tiling_index(at, log2, k);
        if (restarts && index == restart)
            continue;
        r.least = UTIL_MIN(r.least, index);
        r.greatest = UTIL_MAX(r.greatest, index);
    }
    return r;
}

static void widen(const struct mali_tiling *t, const uint8_t *at, uint32_t count, void *out)
{
    struct range *all = out;
    const struct range r = t->restarts          ? range_of(at, count, t->index_log2, true, t->restart)
                           : t->index_log2 == 2 ? range_of(at, count, 2, false, 0)
                           : t->index_log2      ? range_of(at, count, 1, false, 0)
                                                : range_of(at, count, 0, false, 0);
    all->least = UTIL_MIN(all->least, r.least);
    all->greatest = UTIL_MAX(all->greatest, r.greatest);
}

struct marks {
    uint8_t *used; /* of each vertex whether an index names it */
    uint32_t least, count, marked;
};

/* Indices may change while they are read: those that were not there before are nobody's. */
static inline __attribute__((always_inline)) void mark_all(const struct marks *m, const uint8_t *at,
                                                           uint32_t count, uint32_t log2, bool restarts,
                                                           uint32_t restart)
{
    uint8_t *used = m->used;
    const uint32_t least = m->least, most = m->count;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t index = mali_tiling_index(at, log2, k), n = index - least;
        if (n < most && (!restarts || index != restart))
            used[n] = 1;
    }
}

static void mark(const struct mali_tiling *t, const uint8_t *at, uint32_t count, void *out)
{
    const struct marks *m = out;
    if (t->restarts)
        mark_all(m, at, count, t->index_log2, true, t->restart);
    else if (t->index_log2 == 2)
        mark_all(m, at, count, 2, false, 0);
    else if (t->index_log2)
        mark_all(m, at, count, 1, false, 0);
    else
        mark_all(m, at, count, 0, false, 0);
}

static bool list_used(struct mali_shading *s, const struct marks *m)
{
    s->used_count = m->marked;
    if (m->marked == m->count)
        return true;
    s->used = malloc(UTIL_MAX(m->marked, 1u) * sizeof *s->used);
    for (uint32_t n = 0, k = 0; s->used && n < m->count; n++)
        if (m->used[n])
            s->used[k++] = n;
    return s->used;
}

static enum mali_end find_indexed(struct mali_tiling *t)
{
    struct mali_shading *s = &t->shading;
    struct range range = {UINT32_MAX, 0};
    if (!for_indices(t, widen, &range))
        return stopped(t);
    if (range.least > range.greatest)
        return MALI_END_DONE; /* restarts alone */
    if (range.greatest - range.least >= VERTICES_MOST) {
        mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, t->job->address,
                      "indices from %u to %u: more than 2^24 vertices of a draw are not done", range.least,
                      range.greatest);
        return MALI_END_FAULT;
    }
    struct marks m = {.least = range.least, .count = range.greatest - range.least + 1};
    m.used = calloc(m.count, sizeof *m.used);
    if (!m.used)
        return no_memory(t);
    const bool marked = for_indices(t, mark, &m);
    for (uint32_t n = 0; n < m.count; n++)
        m.marked += m.used[n];
    s->least = m.least;
    s->count = m.count;
    const bool listed = marked && list_used(s, &m);
    free(m.used);
    return listed ? MALI_END_DONE : marked ? no_memory(t) : stopped(t);
}

/* ---- where they stand ---- */

/* Room for all instances' arrays, whose pages come when they are stored to. */
static enum mali_end take_room(struct mali_tiling *t)
{
    struct mali_shading *s = &t->shading;
    const struct mali_primitive *p = &t->payload->primitive;
    const uint32_t stride = t->vertex->layout.vertex_attribute_stride;
    const bool sized = p->draw_mode == MALI_DRAW_MODE_POINTS &&
                       p->point_size_array_format == MALI_POINT_SIZE_ARRAY_FORMAT_FP16;
    const uint64_t vertices = (uint64_t)s->count * s->instances; /* below 2^56 */
    const uint64_t begin = util_align((uint64_t)t->heap_at, HEAP_ALIGN);
    const uint64_t sizes = begin + vertices * MALI_POSITION_BYTES;
    const uint64_t varyings = util_align(sizes + (sized ? vertices * MALI_POINT_SIZE_BYTES : 0), HEAP_ALIGN);
    if (vertices > UINT32_MAX || varyings + vertices * stride > (t->heap_end & ~(HEAP_ALIGN - 1))) {
        mali_stop_set(t->stop, MALI_OOM, GPU_FAULT_TILE_MEMORY, UNIT, t->heap_end,
                      "the heap has no room for %u vertices of %u instances", s->count, s->instances);
        return MALI_END_FAULT;
    }
    s->at = (struct mali_vertices){.positions = (uint32_t)begin,
                                   .point_sizes = sized ? (uint32_t)sizes : 0,
                                   .varyings = stride ? (uint32_t)varyings : 0,
                                   .stride = stride};
    t->heap_at = (uint32_t)util_align(varyings + vertices * stride, HEAP_ALIGN);
    return MALI_END_DONE;
}

/* Of v6 and v7 vertices have room in the draw's arrays. */
static enum mali_end place(struct mali_tiling *t)
{
    const struct mali_draw *d = &t->payload->draw;
    if (t->in_heap)
        return take_room(t);
    t->shading.positions = d->position;
    t->shading.instance_size = (uint32_t)d->instance_size;
    return MALI_END_DONE;
}

static enum mali_end find(struct mali_tiling *t)
{
    struct mali_shading *s = &t->shading;
    const struct mali_primitive *p = &t->payload->primitive;
    mali_tiling_forget(t);
    *s = (struct mali_shading){
        .offset = t->in_heap || p->index_type != MALI_INDEX_TYPE_NONE ? p->base_vertex_offset : 0,
        .instances = t->in_heap ? t->vertex->instances : mali_tiling_instances(t->payload)};
    mali_tiling_take_indices(t);
    if (t->in_heap && p->point_size_array_format == MALI_POINT_SIZE_ARRAY_FORMAT_FP32) {
        mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, UNIT, t->job->address,
                      "sizes of points as singles are not known");
        return MALI_END_FAULT;
    }
    if (!t->count || !s->instances)
        return MALI_END_DONE;
    if (p->index_type != MALI_INDEX_TYPE_NONE) {
        enum mali_end end = find_indexed(t);
        return end != MALI_END_DONE || !s->count ? end : place(t);
    }
    s->count = s->used_count = t->count;
    return place(t);
}

/* ---- programs ---- */

/* Of v6 and v7 both are of the vertices' state. */
static bool begin_world(struct mali_tiling *t, enum mali_thread_kind kind, struct mali_world *world)
{
    const bool positions = kind == MALI_THREADS_POSITION;
    const char *unit = positions ? "position program" : "varying program";
    const struct mali_vertex_job *v = t->vertex;
    struct util_arena *arena = t->job->device->programs.arena;
    mali_programs_begin(&t->job->device->programs, t->job->device->options.engine);
    if (t->in_heap)
        return mali_world_begin(world, t->job, &t->payload->draw, positions ? &v->vertex : &v->varying, arena,
                                unit, t->stop);
    return mali_world_begin_shader(world, t->job, &v->draw, &v->vertex,
                                   positions ? v->vertex.state.shader : v->vertex.state.secondary_shader,
                                   arena, unit, t->stop);
}

static bool set_grid(const struct mali_tiling *t, struct mali_grid *grid, const char *unit)
{
    const struct mali_shading *s = &t->shading;
    if (!mali_grid_set_vertices(grid, s->used_count, s->instances, unit, t->job->address, t->stop))
        return false;
    if (!t->in_heap && s->instances > 1)
        grid->own = s->instance_size >= s->count && (uint64_t)s->instances * s->instance_size <= UINT32_MAX;
    return true;
}

static enum mali_end shade(struct mali_tiling *t, enum mali_thread_kind kind)
{
    struct mali_job *job = t->job;
    struct mali_world world;
    struct mali_grid grid;
    if (!begin_world(t, kind, &world))
        return stopped(t);
    world.kind = kind;
    world.shading = &t->shading;
    if (!set_grid(t, &grid, world.unit))
        return MALI_END_FAULT;
    mali_speculation_open(job, &world, &grid);
    world.function =
        mali_thread_code(&world, job->device->options.engine, job->device->programs.arena, &world.code);
    const uint64_t vertices =
        kind == MALI_THREADS_POSITION ? (uint64_t)t->shading.used_count * t->shading.instances : 0;
    const bool observed = job->device->options.observer;
    if (observed)
        mali_observe_shading(job, &world, vertices, false);
    enum mali_end end = mali_grid_run(job, &world, &grid, &job->done, t->stop);
    mali_speculation_close(&world);
    if (observed && end == MALI_END_DONE)
        mali_observe_shading(job, &world, vertices, true);
    if (end == MALI_END_DONE) {
        job->device->host.counters.vertices += vertices;
        job->done = 0;
    }
    return end;
}

static enum mali_end shade_positions(struct mali_tiling *t)
{
    if (!t->vertex->vertex.state.shader) {
        mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_PACKET, UNIT, t->job->address,
                      "a draw without a program for positions");
        return MALI_END_FAULT;
    }
    return shade(t, MALI_THREADS_POSITION);
}

/* Of few vertices little is saved. Who looks on is told of all of a draw's vertices before its primitives. */
static bool come_late(const struct mali_tiling *t)
{
    return t->shading.used_count > VERTICES_FEW && !t->job->device->options.observer;
}

static enum mali_end shade_varyings(struct mali_tiling *t)
{
    const uint64_t program =
        t->in_heap ? t->vertex->varying.state.shader : t->vertex->vertex.state.secondary_shader;
    if (!t->payload->primitive.secondary_shader || !program)
        return MALI_END_DONE;
    if (!come_late(t))
        return shade(t, MALI_THREADS_VARYING);
    t->named = calloc(t->shading.count, sizeof *t->named);
    return t->named ? MALI_END_DONE : no_memory(t);
}

static bool names_any(const struct mali_tiling *t, uint32_t first, uint32_t count)
{
    const struct mali_shading *s = &t->shading;
    bool any = false;
    if (!s->used && count == ISA_LANES)
        return util_load64(t->named + first) | util_load64(t->named + first + 8);
    for (uint32_t n = first; n < first + count; n++)
        any |= t->named[mali_shading_place(s, n)];
    return any;
}

/* Of sixteen that are shaded together all are kept or none, so that vertices that follow each other still do. */
static bool keep_named(struct mali_tiling *t)
{
    struct mali_shading *s = &t->shading;
    uint32_t *kept = malloc(s->used_count * sizeof *kept), count = 0;
    for (uint32_t n = 0, some; kept && n < s->used_count; n += some) {
        some = UTIL_MIN(s->used_count - n, ISA_LANES);
        for (uint32_t k = 0, most = names_any(t, n, some) ? some : 0; k < most; k++)
            kept[count++] = mali_shading_place(s, n + k);
    }
    if (!kept)
        return false;
    free(count < s->used_count ? s->used : kept);
    s->used = count < s->used_count ? kept : s->used;
    s->used_count = count;
    return true;
}

enum mali_end mali_tiling_shade_drawn(struct mali_tiling *t)
{
    if (t->stage == TILING_DRAW && !keep_named(t))
        return no_memory(t);
    t->stage = TILING_DRAWN;
    return t->shading.used_count ? shade(t, MALI_THREADS_VARYING) : MALI_END_DONE;
}

enum mali_end mali_tiling_shade(struct mali_tiling *t)
{
    static enum mali_end (*const does[])(struct mali_tiling *) = {
        [TILING_FIND] = find, [TILING_POSITION] = shade_positions, [TILING_VARYING] = shade_varyings};
    while (t->stage != TILING_DRAW) {
        const bool nothing = t->stage != TILING_FIND && !t->shading.count;
        enum mali_end end = nothing ? MALI_END_DONE : does[t->stage](t);
        if (end != MALI_END_DONE)
            return end;
        t->stage++;
    }
    return MALI_END_DONE;
}

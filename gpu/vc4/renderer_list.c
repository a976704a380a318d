/* Primitive lists on a worker's tile: the draw that the state makes, and its primitives one by one. */
#include "gpu/vc4/renderer_prim.h"
#include "util/bits.h"

/* Records 32 and 33, "primitive mode" (OpenGL's numbers). */
enum { MODE_POINTS, MODE_LINES, MODE_LINE_LOOP, MODE_LINE_STRIP, MODE_TRIANGLES, MODE_STRIP, MODE_FAN };

static bool fault(const struct vc4_tile_run *run, enum gpu_fault_kind kind, uint32_t address,
                  const char *what)
{
    return gpu_fault_set(run->fault, kind, VC4_RENDERER_UNIT, address, "%s", what);
}

static bool same_vg(const struct vc4_draw_state *a, const struct vc4_draw_state *b)
{
    return a->shader_kind == b->shader_kind && a->uniforms == b->uniforms &&
           a->single_threaded == b->single_threaded && a->coverage_leave == b->coverage_leave &&
           a->coverage_mask == b->coverage_mask;
}

/* The draw for the present state, from the worker's memory of its last one when nothing changed. */
static const struct vc4_draw *find_draw(struct vc4_tile_run *run, uint8_t primitive)
{
    struct vc4_worker *w = run->worker;
    const struct vc4_draw_state *now = &run->state, *last = &w->draw_state;
    if (w->draw && now->shader == last->shader && now->attributes == last->attributes &&
        now->extended == last->extended && now->depth_func == last->depth_func &&
        now->z_updates == last->z_updates && w->draw_samples == w->raster.tile.samples &&
        w->draw_primitive == primitive && same_vg(now, last))
        return w->draw;
    w->draw = vc4_draws_get(run->draws, now, w->raster.tile.samples, primitive, run->rgba16f, run->has_mask,
                            run->fault);
    w->draw_state = *now;
    w->draw_samples = w->raster.tile.samples;
    w->draw_primitive = primitive;
    if (w->draw) /* a change costs the same whether or not another tile has prepared the draw */
        run->budget -= UTIL_MIN(run->budget, (uint64_t)vc4_shader_state_cost(w->draw->state));
    return w->draw;
}

/* What the present state can draw. `coordinates`: VG primitives. */
static bool check_state(struct vc4_tile_run *run, bool coordinates, uint32_t address)
{
    const struct vc4_draw_state *s = &run->state;
    bool four = run->worker->raster.tile.samples > 1;
    if (!s->has_shader)
        return fault(run, GPU_FAULT_PACKET, address, "primitives without a shader state");
    if (coordinates != (s->shader_kind >= VC4_SHADER_VG))
        return fault(run, GPU_FAULT_PACKET, address,
                     coordinates ? "VG primitives without a VG shader state" : "vertices in VG mode");
    if (four && s->coverage_pipe)
        return fault(run, GPU_FAULT_PACKET, address, "coverage pipe in a tile of four samples");
    if (four && s->oversample == 16)
        return fault(run, GPU_FAULT_UNSUPPORTED, address, "16x oversampling in a tile of four samples");
    return true;
}

static void describe_fragments(struct vc4_draw_call *call)
{
    const struct vc4_draw *draw = call->draw;
    struct raster_draw *r = &call->raster;
    r->shader = vc4_frag_shader(draw->frag);
    r->opaque = r->shader->opaque && !call->run->worker->watched.job && !draw->counted;
    r->whole = r->opaque && !call->counted && !r->any && !call->z_clipped;
}

static bool begin_draw(struct vc4_tile_run *run, uint8_t primitive, bool coordinates, uint32_t address,
                       struct vc4_draw_call *out)
{
    const struct vc4_draw_state *s = &run->state;
    const struct vc4_draw *draw = NULL;
    bool one = run->worker->raster.tile.samples == 1, unshaded = coordinates && s->coverage_pipe;
    run->draw++;
    if (!check_state(run, coordinates, address))
        return false;
    if (!unshaded && !(draw = find_draw(run, primitive)))
        return false;
    *out = (struct vc4_draw_call){
        .run = run,
        .draw = draw,
        .primitive = primitive,
        .coverage = s->coverage_pipe,
        .counted = run->device->perf.wanted & VC4_EVENTS_FEP,
        .z_clipped = !(s->z_min <= 0.0f && s->z_max >= 1.0f),
    };
    out->raster = (struct raster_draw){
        .worker = &run->worker->raster,
        .centre_only = !one && s->oversample == 1,
        .any = s->oversample == 16,
        .reference = run->device->options.reference,
        .setup = {.flat_mask = s->flat,
                  .vary_count = coordinates ? 0 : draw->state->varying_count,
                  .depth_offset = s->depth_offset ? RASTER_OFFSET_BOTH : 0,
                  .offset_factor = s->offset_factor,
                  .offset_units = s->offset_units,
                  .line_width = s->line_width,
                  .centres_only = s->oversample == 1 || (one && !s->coverage_pipe),
                  .sixteen = s->oversample == 16,
                  .cull_forward = !s->forward,
                  .cull_reverse = !s->reverse,
                  .clockwise_forward = s->clockwise},
        .clip = {.x0 = (int32_t)s->clip_left,
                 .y0 = (int32_t)s->clip_bottom,
                 .x1 = UTIL_MIN((int32_t)(s->clip_left + s->clip_width), run->frame.x1),
                 .y1 = UTIL_MIN((int32_t)(s->clip_bottom + s->clip_height), run->frame.y1)},
    };
    if (draw)
        describe_fragments(out);
    if (run->worker->watched.job)
        vc4_observe_list(run, draw, address, &out->raster.clip);
    return true;
}

static bool spend(struct vc4_tile_run *run, uint32_t address)
{
    if (vc4_tile_spent(run))
        return fault(run, GPU_FAULT_TIMEOUT, address, "the tile's lists exceed their budget");
    run->budget--;
    return true;
}

static bool run_compressed(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address,
                           uint32_t *after)
{
    struct vc4_list_reader reader;
    struct vc4_draw_call call;
    uint32_t index[3] = {0, 0, 0};
    bool clipped = record->id == VC4_CL_CLIPPED_PRIMITIVES;
    int got;
    if (!run->state.has_format)
        return fault(run, GPU_FAULT_PACKET, address, "compressed primitives without a primitive list format");
    bool coordinates = run->state.coordinates;
    if (clipped && coordinates)
        return fault(run, GPU_FAULT_PACKET, address, "a clipped primitive in a list of coordinates");
    if (!begin_draw(run, run->state.primitive, coordinates, address, &call))
        return false;
    uint64_t codes = UTIL_MIN(run->budget, run->walk.left);
    vc4_list_reader_init(&reader, run->device->memory, *after, vc4_list_format(&run->state), codes);
    bool watched = run->worker->watched.job, together = vc4_draws_together(&call);
    for (;;) {
        if (gpu_host_cancelled(&run->device->host))
            return fault(run, GPU_FAULT_TIMEOUT, address, "cancelled");
        if (together && !clipped) {
            if ((got = vc4_draw_triangles(&call, &reader)) <= 0)
                break;
            continue;
        }
        if (watched)
            call.code = vc4_list_place(&reader);
        if ((got = vc4_list_read(&reader, index, run->fault)) <= 0)
            break;
        if (coordinates ? !vc4_draw_coordinates(&call, index)
            : clipped   ? !vc4_draw_clipped(&call, record, index, address)
                        : !vc4_draw_indices(&call, index))
            return false;
        call.number += watched;
        clipped = false; /* "only applies to the first primitive in the following compressed list" */
    }
    run->budget -= codes - reader.budget;
    run->walk.left -= codes - reader.budget;
    *after = reader.at;
    return got == 0;
}

/* Where the indices of a record 32 or 33 come from. */
struct index_source {
    const uint8_t *bytes; /* NULL: consecutive from `first` */
    uint32_t first, max;
    bool wide;
};

static bool read_index(const struct vc4_tile_run *run, const struct index_source *from, uint64_t n,
                       uint32_t address, uint32_t *out)
{
    if (!from->bytes) {
        *out = from->first + (uint32_t)n;
        return true;
    }
    *out = from->wide ? util_load16(from->bytes + 2 * n) : from->bytes[n];
    if (*out <= from->max)
        return true;
    return gpu_fault_set(run->fault, GPU_FAULT_MEMORY, VC4_RENDERER_UNIT, address,
                         "index %u is greater than the record's maximum %u", *out, from->max);
}

/* The vertices of primitive n of a list: positions in the list. */
static void primitive_vertices(uint32_t mode, uint64_t n, uint64_t length, uint64_t at[3])
{
    switch (mode) {
    case MODE_POINTS: at[0] = n; break;
    case MODE_LINES: at[0] = 2 * n, at[1] = 2 * n + 1; break;
    case MODE_LINE_STRIP: at[0] = n, at[1] = n + 1; break;
    case MODE_LINE_LOOP: at[0] = n, at[1] = n + 1 == length ? 0 : n + 1; break;
    case MODE_TRIANGLES: at[0] = 3 * n, at[1] = 3 * n + 1, at[2] = 3 * n + 2; break;
    case MODE_STRIP: at[0] = n + (n & 1), at[1] = n + 1 - (n & 1), at[2] = n + 2; break;
    case MODE_FAN: at[0] = 0, at[1] = n + 1, at[2] = n + 2; break;
    }
}

static uint64_t primitive_count(uint32_t mode, uint64_t length)
{
    switch (mode) {
    case MODE_POINTS: return length;
    case MODE_LINES: return length / 2;
    case MODE_LINE_STRIP: return length ? length - 1 : 0;
    case MODE_LINE_LOOP: return length > 1 ? length : 0;
    case MODE_TRIANGLES: return length / 3;
    default: return length > 2 ? length - 2 : 0;
    }
}

/* An indexed or array list standing in a rendering list: drawn without binning. */
static bool run_gl_list(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address)
{
    bool indexed = record->id == VC4_CL_INDEXED_PRIMITIVES;
    uint32_t mode = (uint32_t)record->field[indexed ? VC4_INDEXED_MODE : VC4_ARRAY_MODE];
    uint64_t length = record->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH];
    struct index_source from = {.first = (uint32_t)record->field[VC4_ARRAY_FIRST]};
    struct vc4_draw_call call;
    if (mode > MODE_FAN)
        return fault(run, GPU_FAULT_PACKET, address, "reserved primitive mode");
    uint64_t count = primitive_count(mode, length);
    uint8_t primitive = mode == MODE_POINTS ? VC4_POINTS : mode < MODE_TRIANGLES ? VC4_LINES : VC4_TRIANGLES;
    if (indexed) {
        from.wide = record->field[VC4_INDEXED_TYPE] == 1;
        from.max = (uint32_t)record->field[VC4_INDEXED_MAX];
        if (record->field[VC4_INDEXED_TYPE] > 1)
            return fault(run, GPU_FAULT_PACKET, address, "reserved index type");
        from.bytes =
            gpu_memory_at(run->device->memory, record->field[VC4_INDEXED_ADDRESS], length << from.wide);
        if (length && !from.bytes)
            return fault(run, GPU_FAULT_MEMORY, address, "index list lies outside memory");
    }
    if (!begin_draw(run, primitive, false, address, &call))
        return false;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t at[3] = {0, 0, 0};
        uint32_t index[3] = {0, 0, 0};
        if (!spend(run, address))
            return false;
        call.number = n;
        primitive_vertices(mode, n, length, at);
        for (uint32_t i = 0; i < vc4_vertices_of(primitive); i++) {
            if (!read_index(run, &from, at[i], address, &index[i]))
                return false;
        }
        if (!vc4_draw_indices(&call, index))
            return false;
    }
    return true;
}

static bool run_vg_list(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address,
                        uint32_t *after)
{
    struct vc4_vg_list list;
    struct vc4_draw_call call;
    uint32_t xy[3];
    int got;
    if (!vc4_vg_list_begin(&list, run->device->memory, record, address, *after, &run->fan, run->budget,
                           run->fault) ||
        !begin_draw(run, VC4_TRIANGLES, true, address, &call))
        return false;
    while ((got = vc4_vg_list_next(&list, xy, run->fault)) > 0) {
        if (gpu_host_cancelled(&run->device->host))
            return fault(run, GPU_FAULT_TIMEOUT, address, "cancelled");
        if (!vc4_draw_coordinates(&call, xy))
            return false;
        call.number++;
    }
    run->budget = list.budget;
    if (record->id == VC4_CL_VG_INLINE)
        *after = (uint32_t)list.at;
    return got == 0;
}

static bool run_record(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address,
                       uint32_t *after)
{
    switch (record->id) {
    case VC4_CL_INDEXED_PRIMITIVES:
    case VC4_CL_ARRAY_PRIMITIVES: return run_gl_list(run, record, address);
    case VC4_CL_COMPRESSED_PRIMITIVES:
    case VC4_CL_CLIPPED_PRIMITIVES: return run_compressed(run, record, address, after);
    default: return run_vg_list(run, record, address, after);
    }
}

bool vc4_run_primitives(struct vc4_tile_run *run, const struct vc4_cl_record *record, uint32_t address,
                        uint32_t *after)
{
    struct vc4_worker *w = run->worker;
    uint64_t before = w->raster.work.blocks;
    bool ok = run_record(run, record, address, after);
    uint64_t blocks = w->raster.work.blocks - before;
    if (blocks)
        w->uniform_reads += blocks * w->draw->state->fs.program->uniform_count;
    return ok;
}

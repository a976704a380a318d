/* Primitive list records: what is checked and set up before their indices are taken. */
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "util/bits.h"

#define BXCF_CLIPDISA 2u /* Guide table 93 */

enum { INDEX_8BIT, INDEX_16BIT };

/* ---- the draw's shader and stage ---- */

static bool read_shader(struct vc4_binner *b)
{
    struct vc4_device *d = b->device;
    if (b->shader_read)
        return true;
    vc4_vertex_release(b->stage);
    b->stage = NULL;
    b->shader_read =
        b->shader_kind == VC4_SHADER_NV
            ? vc4_nv_state_read(NULL, d->memory, b->shader_address, &b->shader, &b->fault)
            : vc4_shader_state_read(d->programs, d->memory, b->shader_address, b->shader_attributes,
                                    b->shader_extended, &b->shader, &b->fault);
    if (d->regs[VC4_BXCF / 4] & BXCF_CLIPDISA)
        b->shader.clipping = false;
    b->shader.numeric = d->options.numeric;
    b->fault.draw = b->draws;
    return b->shader_read && vc4_binner_spend(b, vc4_shader_state_cost(&b->shader), b->draw_address);
}

bool vc4_binner_prepare_stage(struct vc4_binner *b, uint32_t max_index)
{
    struct vc4_device *d = b->device;
    if (b->shader_kind == VC4_SHADER_NV || (b->stage && b->stage_max_index >= max_index))
        return true;
    vc4_vertex_release(b->stage);
    b->stage = NULL;
    b->stage_max_index = max_index;
    vc4_binner_compile_ahead(b);
    int status = vc4_vertex_prepare(d->memory, d->options.engine, &b->shader, true, max_index,
                                    d->options.fuel, NULL, &b->stage, &b->fault);
    b->fault.draw = b->draws;
    if (!status)
        vc4_perf_program(d, b->shader.cs.program);
    return !status;
}

/* ---- the record ---- */

/* 12.4 signed coordinates: clip a pixel inside their range, for programs round in their own ways. */
#define GUARD 32752.0f

/* Triangles are clipped far outside of the viewport, where nobody sees it. Lines end at its sides, as "Clipper XY Scaling" is the
 * viewport's: a wide line whose middle is outside is not drawn by boards (dEQP-GLES2's clipping.line.wide_line_clip_viewport_*
 * fail on the Raspberry Pi 3). `half`: the viewport's half size, 1/16 pixel. */
static float clip_scale(float half, bool line)
{
    half = __builtin_fabsf(half);
    return line && half < GUARD ? GUARD : half;
}

/* What the primitives of this draw are tested against. */
static void set_up(struct vc4_binner *b, uint8_t primitive, bool coordinates)
{
    uint32_t shift = b->grid.shift;
    b->primitive = primitive;
    b->format = (uint8_t)(primitive | (coordinates ? VC4_LIST_COORDINATES : 0));
    b->max_code = coordinates ? VC4_LIST_MAX_XY : VC4_LIST_MAX_CODE;
    b->grid.inset = b->oversample == 2 ? 0 : b->ms || b->oversample ? 2 : 8; /* raster/coverage.h, prim.h */
    b->guard = (struct tiler_guard){
        .scale_x = clip_scale(b->half_width, primitive == VC4_LINES),
        .scale_y = clip_scale(b->half_height, primitive == VC4_LINES),
        .limit = GUARD,
    };
    b->grid.x0 = (int32_t)b->clip_left;
    b->grid.y0 = (int32_t)b->clip_bottom;
    b->grid.x1 = (int32_t)UTIL_MIN(b->clip_left + b->clip_width, b->tiles_x << shift);
    b->grid.y1 = (int32_t)UTIL_MIN(b->clip_bottom + b->clip_height, b->tiles_y << (shift - b->grid.flat));
    b->cull = (struct tiler_cull){
        .vertex = b->vertices ? b->vertices->at : NULL, /* coordinates need none */
        .keep_negative = b->clockwise ? b->forward : b->reverse,
        .keep_positive = b->clockwise ? b->reverse : b->forward,
        .x = b->viewport_x,
        .y = b->viewport_y,
        .grid = b->grid,
    };
}

/* Room for vertices and for a piece of a list, of which only what is used costs memory. */
static bool make_room(struct vc4_binner *b)
{
    if (!b->vertices)
        b->vertices = aligned_alloc(64, sizeof *b->vertices);
    if (!b->piece && (b->piece = aligned_alloc(64, sizeof *b->piece)))
        memset(&b->piece->list.marks, 0, sizeof b->piece->list.marks);
    return (b->vertices && b->piece) ||
           vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, b->draw_address, "no host memory for vertices");
}

static bool check_draw(struct vc4_binner *b, uint64_t mode)
{
    if (!b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                               "primitive list before start of tile binning");
    if (!b->has_shader)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "primitive list without a shader state");
    if (b->shader_kind >= VC4_SHADER_VG)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "vertices in VG mode");
    if (mode > TILER_TRIANGLE_FAN)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "reserved primitive mode %llu",
                               (unsigned long long)mode);
    return make_room(b);
}

static bool indexed_source(struct vc4_binner *b, const struct vc4_cl_record *r, struct vc4_bin_source *s)
{
    uint64_t type = r->field[VC4_INDEXED_TYPE], length = r->field[VC4_INDEXED_LENGTH];
    uint64_t at = r->field[VC4_INDEXED_ADDRESS];
    if (type > INDEX_16BIT)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "reserved index type %llu",
                               (unsigned long long)type);
    *s = (struct vc4_bin_source){
        .list = {.bytes = gpu_memory_at(b->device->memory, at, length << type),
                 .log2 = type == INDEX_16BIT,
                 .length = length},
        .max_index = (uint32_t)UTIL_MIN(r->field[VC4_INDEXED_MAX], (uint64_t)VC4_INDEX_COUNT - 1),
    };
    return s->list.bytes || vc4_binner_fail(b, GPU_FAULT_MEMORY, (uint32_t)at,
                                            "%llu indices lie outside memory", (unsigned long long)length);
}

static bool draw(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    bool indexed = r->id == VC4_CL_INDEXED_PRIMITIVES;
    uint64_t mode = r->field[indexed ? VC4_INDEXED_MODE : VC4_ARRAY_MODE];
    uint64_t length = r->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH];
    struct vc4_bin_source source = {0};
    b->draws++;
    b->draw_address = address;
    b->next_number = 0;
    if (!check_draw(b, mode))
        return false;
    if (!length)
        return true;
    if (indexed) {
        if (!indexed_source(b, r, &source))
            return false;
    } else {
        source.list.first = (uint32_t)r->field[VC4_ARRAY_FIRST];
        source.list.length = length;
        source.max_index = VC4_INDEX_COUNT - 1;
        /* Tile lists hold 16 bits: hardware would draw other vertices (Mesa's GFXH-515). */
        if (source.list.first + length > VC4_INDEX_COUNT)
            return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                                   "vertices %u to %llu: indices have 16 bits", source.list.first,
                                   (unsigned long long)(source.list.first + length - 1));
    }
    uint32_t vertices = tiler_mode_vertices((enum tiler_mode)mode);
    set_up(b, vertices == 3 ? VC4_TRIANGLES : vertices == 2 ? VC4_LINES : VC4_POINTS, false);
    return read_shader(b) && vc4_binner_draw_source(b, &source, (enum tiler_mode)mode);
}

static const char *mode_name(uint32_t mode)
{
    return mode <= TILER_TRIANGLE_FAN ? tiler_mode_name((enum tiler_mode)mode) : "reserved mode";
}

static struct gpu_observed_binning counts(const struct vc4_binner *b)
{
    const struct gpu_counters *c = &b->device->host.counters; /* what `b` has counted is not in them yet */
    return (struct gpu_observed_binning){
        .vertices = c->vertices + b->vertices_shaded,
        .primitives_in = c->primitives_in + b->primitives_in,
        .primitives_binned = c->primitives_binned + b->primitives_binned,
        .instructions = c->instructions + b->executed,
    };
}

static bool draw_vg(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address, uint32_t *next)
{
    struct vc4_vg_list list;
    uint32_t xy[3];
    int got;
    b->draws++;
    b->draw_address = address;
    b->next_number = 0;
    if (!b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "primitive list before start of tile binning");
    if (!b->has_shader || b->shader_kind < VC4_SHADER_VG)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, address, "VG primitives without a VG shader state");
    set_up(b, VC4_TRIANGLES, true);
    if (!vc4_vg_list_begin(&list, b->device->memory, r, address, *next, &b->fan, b->budget, &b->fault))
        return false;
    while ((got = vc4_vg_list_next(&list, xy, &b->fault)) > 0) {
        b->budget = list.budget;
        if (!vc4_binner_coordinates(b, xy))
            return false;
        list.budget = b->budget;
    }
    b->budget = list.budget;
    if (r->id == VC4_CL_VG_INLINE)
        *next = (uint32_t)list.at;
    b->fault.draw = b->draws;
    return got == 0;
}

bool vc4_binner_draw(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address, uint32_t *next)
{
    const struct gpu_observer *o = b->observer;
    bool indexed = r->id == VC4_CL_INDEXED_PRIMITIVES, array = r->id == VC4_CL_ARRAY_PRIMITIVES;
    bool vg = !indexed && !array;
    if (o && o->bin) {
        struct gpu_observed_binning before = counts(b);
        const struct gpu_observed_bin bin = {
            .address = address,
            .mode = mode_name(r->field[0]), /* of all four records */
            .indexed = indexed,
            .length = r->id == VC4_CL_VG_INLINE ? 0
                      : vg                      ? r->field[VC4_VG_LENGTH]
                                                : r->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH],
            .state = b->shader_address,
        };
        o->bin(o->data, &bin, &before);
    }
    if (!vg)
        b->fan.count = 0;
    bool ok = vg ? draw_vg(b, r, address, next) : draw(b, r, address);
    if (o && o->bin_end) {
        struct gpu_observed_binning after = counts(b);
        bool shaded = b->shader_read && b->shader.cs.program;
        struct gpu_observed_program program;
        if (shaded)
            program = vc4_observed_program(b->shader.cs.program, b->shader.cs.code);
        o->bin_end(o->data, shaded ? &program : NULL, &after);
    }
    return ok;
}

/* Primitive lists: indices fetched once, vertices shaded once, primitives assembled, piece by piece. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "tiler/assemble.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define PIECE      6144u /* indices taken at a time: whole triangles */
#define ASSEMBLY   1024u /* of those, assembled at a time */
#define INDEX_COST 16u   /* indices for one unit of the packet budget */

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

/* A stage whose attributes were checked for indices up to `max_index` at least. */
static bool prepare_stage(struct vc4_binner *b, uint32_t max_index)
{
    struct vc4_device *d = b->device;
    if (b->shader_kind == VC4_SHADER_NV || (b->stage && b->stage_max_index >= max_index))
        return true;
    vc4_vertex_release(b->stage);
    b->stage = NULL;
    b->stage_max_index = max_index;
    int status = vc4_vertex_prepare(d->memory, d->options.engine, &b->shader, true, max_index,
                                    d->options.fuel, &b->stage, &b->fault);
    b->fault.draw = b->draws;
    if (!status)
        vc4_perf_program(d, b->shader.cs.program);
    return !status;
}

/* ---- pieces of a primitive list ---- */

struct source {
    const uint8_t *bytes; /* in guest memory; NULL: `first`, first + 1, ... */
    bool is_16bit;
    uint32_t first, max_index;
};

/* Fetches indices once into private memory; false when one is too great. *greatest is the greatest. */
static bool fetch_indices(struct vc4_binner *b, const struct source *s, uint64_t at, uint32_t count,
                          uint32_t *out, uint32_t *greatest)
{
    uint32_t max = 0;
    if (!s->bytes)
        for (uint32_t i = 0; i < count; i++)
            out[i] = s->first + (uint32_t)at + i;
    else if (s->is_16bit)
        for (uint32_t i = 0; i < count; i++)
            out[i] = util_load16(s->bytes + (at + i) * 2);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = s->bytes[at + i];
    for (uint32_t i = 0; i < count; i++)
        max = UTIL_MAX(max, out[i]);
    *greatest = max;
    if (max <= s->max_index)
        return true;
    uint32_t i = 0;
    while (out[i] <= s->max_index)
        i++;
    return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                           "index %u (number %llu) is greater than the maximum, %u", out[i],
                           (unsigned long long)at + i, s->max_index);
}

/* Those of the indices that are not shaded yet, in order of appearance; marks them. */
static uint32_t take_new(struct vc4_bin_vertices *v, const uint32_t *index, uint32_t count, uint32_t *out)
{
    uint8_t draw = v->draw;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[n] = index[i];
        n += v->shaded[index[i]] != draw;
        v->shaded[index[i]] = draw;
    }
    return n;
}

static void forget_shaded(struct vc4_bin_vertices *v)
{
    if (++v->draw == 0) {
        memset(v->shaded, 0, sizeof v->shaded);
        v->draw = 1;
    }
}

static bool draw_piece(struct vc4_binner *b, struct tiler_assembler *assembler, const uint32_t *index,
                       uint32_t count)
{
    uint32_t primitive[ASSEMBLY][3];
    if (assembler->mode == TILER_TRIANGLES) /* pieces are whole triangles; what is left over is dropped */
        return vc4_binner_primitives(b, (const uint32_t(*)[3])index, count / 3);
    for (uint32_t i = 0; i < count; i += ASSEMBLY) {
        uint32_t n = tiler_assemble(assembler, index + i, UTIL_MIN(count - i, ASSEMBLY), primitive);
        if (!vc4_binner_primitives(b, (const uint32_t(*)[3])primitive, n))
            return false;
    }
    return true;
}

static bool draw_source(struct vc4_binner *b, const struct source *s, enum tiler_mode mode, uint64_t length)
{
    struct tiler_assembler assembler;
    uint32_t index[PIECE], fresh[PIECE + 1], last[1][3], greatest;
    static_assert(PIECE % 3 == 0, "draw_piece");
    tiler_assemble_begin(&assembler, mode);
    forget_shaded(b->vertices);
    for (uint64_t at = 0; at < length; at += PIECE) {
        uint32_t count = (uint32_t)UTIL_MIN(length - at, (uint64_t)PIECE), new_count = count;
        if (!vc4_binner_spend(b, count / INDEX_COST, b->draw_address))
            return false;
        if (!fetch_indices(b, s, at, count, index, &greatest) || !prepare_stage(b, greatest))
            return false;
        if (s->bytes)
            new_count = take_new(b->vertices, index, count, fresh);
        if (new_count && !vc4_binner_shade(b, s->bytes ? fresh : index, new_count))
            return false;
        if (!draw_piece(b, &assembler, index, count))
            return false;
    }
    uint32_t n = tiler_assemble_end(&assembler, last);
    return vc4_binner_primitives(b, (const uint32_t(*)[3])last, n);
}

/* ---- the record ---- */

/* What the primitives of this draw are tested against. */
static void set_up(struct vc4_binner *b, uint8_t primitive, bool coordinates)
{
    uint32_t shift = b->grid.shift;
    b->primitive = primitive;
    b->format = (uint8_t)(primitive | (coordinates ? VC4_LIST_COORDINATES : 0));
    b->max_code = coordinates ? VC4_LIST_MAX_XY : VC4_LIST_MAX_CODE;
    b->grid.inset = b->oversample == 2 ? 0 : b->ms || b->oversample ? 2 : 8; /* raster/coverage.h, prim.h */
    /* 12.4 signed coordinates: clip a pixel inside their range, for programs round in their own ways. */
    b->guard = (struct tiler_guard){
        .scale_x = __builtin_fabsf(b->half_width),
        .scale_y = __builtin_fabsf(b->half_height),
        .limit = 32752.0f,
    };
    b->grid.x0 = (int32_t)b->clip_left;
    b->grid.y0 = (int32_t)b->clip_bottom;
    b->grid.x1 = (int32_t)UTIL_MIN(b->clip_left + b->clip_width, b->tiles_x << shift);
    b->grid.y1 = (int32_t)UTIL_MIN(b->clip_bottom + b->clip_height, b->tiles_y << (shift - b->grid.flat));
}

/* NULL when memory is out. */
static struct vc4_bin_vertices *make_vertices(void)
{
    struct vc4_bin_vertices *v = aligned_alloc(64, sizeof *v);
    if (v) {
        memset(v->shaded, 0, sizeof v->shaded);
        v->draw = 0;
    }
    return v;
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
    if (mode >= TILER_MODE_COUNT)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "reserved primitive mode %llu",
                               (unsigned long long)mode);
    if (!b->vertices)
        b->vertices = make_vertices();
    return b->vertices ||
           vc4_binner_fail(b, GPU_FAULT_TILE_MEMORY, b->draw_address, "no host memory for vertices");
}

static bool indexed_source(struct vc4_binner *b, const struct vc4_cl_record *r, struct source *s)
{
    uint64_t type = r->field[VC4_INDEXED_TYPE], length = r->field[VC4_INDEXED_LENGTH];
    uint64_t at = r->field[VC4_INDEXED_ADDRESS];
    if (type > INDEX_16BIT)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "reserved index type %llu",
                               (unsigned long long)type);
    *s = (struct source){
        .bytes = gpu_memory_at(b->device->memory, at, length << type),
        .is_16bit = type == INDEX_16BIT,
        .max_index = (uint32_t)UTIL_MIN(r->field[VC4_INDEXED_MAX], (uint64_t)VC4_INDEX_COUNT - 1),
    };
    return s->bytes || vc4_binner_fail(b, GPU_FAULT_MEMORY, (uint32_t)at, "%llu indices lie outside memory",
                                       (unsigned long long)length);
}

static bool draw(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    bool indexed = r->id == VC4_CL_INDEXED_PRIMITIVES;
    uint64_t mode = r->field[indexed ? VC4_INDEXED_MODE : VC4_ARRAY_MODE];
    uint64_t length = r->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH];
    struct source source = {0};
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
        source.first = (uint32_t)r->field[VC4_ARRAY_FIRST];
        source.max_index = VC4_INDEX_COUNT - 1;
        /* Tile lists hold 16 bits: hardware would draw other vertices (Mesa's GFXH-515). */
        if (source.first + length > VC4_INDEX_COUNT)
            return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                                   "vertices %u to %llu: indices have 16 bits", source.first,
                                   (unsigned long long)(source.first + length - 1));
    }
    uint32_t vertices = tiler_mode_vertices((enum tiler_mode)mode);
    set_up(b, vertices == 3 ? VC4_TRIANGLES : vertices == 2 ? VC4_LINES : VC4_POINTS, false);
    return read_shader(b) && draw_source(b, &source, (enum tiler_mode)mode, length);
}

static struct vc4_observed_binning counts(const struct vc4_binner *b)
{
    const struct vc4_counters *c = &b->device->counters; /* what `b` has counted is not in them yet */
    return (struct vc4_observed_binning){
        .vertices = c->vertices + b->vertices_shaded,
        .primitives_in = c->primitives_in + b->primitives_in,
        .primitives_binned = c->primitives_binned + b->primitives_binned,
        .instructions = c->qpu_instructions + b->executed,
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
    const struct vc4_observer *o = b->observer;
    bool indexed = r->id == VC4_CL_INDEXED_PRIMITIVES, array = r->id == VC4_CL_ARRAY_PRIMITIVES;
    bool vg = !indexed && !array;
    if (o && o->bin) {
        struct vc4_observed_binning before = counts(b);
        const struct vc4_observed_bin bin = {
            .address = address,
            .record = r->id,
            .mode = (uint8_t)r->field[0], /* of all four records */
            .length = r->id == VC4_CL_VG_INLINE ? 0
                      : vg                      ? r->field[VC4_VG_LENGTH]
                                                : r->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH],
            .shader = b->shader_address,
        };
        o->bin(o->data, &bin, &before);
    }
    if (!vg)
        b->fan.count = 0;
    bool ok = vg ? draw_vg(b, r, address, next) : draw(b, r, address);
    if (o && o->bin_end) {
        struct vc4_observed_binning after = counts(b);
        bool shaded = b->shader_read && b->shader.cs.program;
        o->bin_end(o->data, shaded ? &b->shader : NULL, &after);
    }
    return ok;
}

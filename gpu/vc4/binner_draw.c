/* Primitive lists: indices fetched once, vertices shaded once, primitives assembled, piece by piece. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/binner_internal.h"
#include "tiler/assemble.h"
#include "util/bits.h"
#include "util/fpenv.h"

#define PIECE        8192u /* indices taken at a time */
#define ASSEMBLY     1024u /* of those, assembled at a time */
#define PARALLEL_MIN 4u    /* groups worth waking the workers for */
#define INDEX_COST   16u   /* indices for one unit of the packet budget */

/* Rows of a shaded coordinate (Guide figure 11). */
enum { ROW_XC, ROW_YC, ROW_ZC, ROW_WC, ROW_XY, ROW_Z, ROW_INV_W, ROW_POINT_SIZE };

enum { INDEX_8BIT, INDEX_16BIT };

/* ---- coordinate shading ---- */

struct shading {
    struct vc4_binner *binner;
    const uint32_t *index; /* vertices to shade, each once */
    uint32_t count;
    struct shading_result {
        uint32_t batch; /* lowest that faulted, UINT32_MAX for none */
        struct gpu_fault fault;
        uint64_t executed; /* QPU instructions */
    } *results;            /* one a worker */
};

/* `lanes` vertices of a batch to where primitives look for them. */
static void keep(struct vc4_binner *b, const uint32_t index[16], uint32_t lanes, const uint32_t (*row)[16])
{
    struct vc4_bin_vertices *v = b->vertices;
    int32_t x[16], y[16];
    uint32_t code[16];
    float clip[4][16];
    memcpy(clip, row[ROW_XC], sizeof clip);
    for (unsigned l = 0; l < 16; l++) {
        uint32_t xy = row[ROW_XY][l];
        x[l] = b->viewport_x + (int16_t)xy;
        y[l] = b->viewport_y + (int16_t)(xy >> 16);
        code[l] = tiler_outcode(&b->guard, clip[0][l], clip[1][l], clip[2][l], clip[3][l]);
    }
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t n = index[l];
        v->x[n] = x[l];
        v->y[n] = y[l];
        v->code[n] = b->shader.clipping ? (uint8_t)code[l] : 0;
        for (unsigned k = 0; k < 4; k++)
            v->clip[n][k] = clip[k][l];
        if (b->shader.point_size)
            v->size[n] = util_u2f(row[ROW_POINT_SIZE][l]);
    }
}

/* A group of batches. What follows the batch that faults is not shaded, here; groups are, whatever happens
 * in others: which fault is reported must not depend on who shades what. */
static void shade_group(void *data, uint32_t number, unsigned worker)
{
    struct shading *s = data;
    struct vc4_binner *b = s->binner;
    struct shading_result *result = &s->results[worker];
    alignas(64) uint32_t out[VC4_VERTEX_GROUP * VC4_VPM_ROWS][16];
    uint32_t index[VC4_VERTEX_GROUP][16], rows = vc4_vertex_rows(b->stage);
    uint32_t first = number * VC4_VERTEX_GROUP * 16,
             count = UTIL_MIN(s->count - first, VC4_VERTEX_GROUP * 16);
    uint32_t batches = util_div_up(count, 16);
    for (uint32_t l = 0; l < batches * 16; l++)
        index[l / 16][l % 16] = s->index[first + UTIL_MIN(l, count - 1)];
    struct vc4_vertex_group group = {.out = out};
    struct gpu_fault fault;
    if (vc4_vertex_shade_group(b->stage, (const uint32_t(*)[16])index, batches, &group, &fault)) {
        batches = group.faulted;
        if (number * VC4_VERTEX_GROUP + batches < result->batch) {
            result->batch = number * VC4_VERTEX_GROUP + batches;
            result->fault = fault;
        }
    }
    result->executed += group.executed;
    for (uint32_t i = 0; i < batches; i++)
        keep(b, index[i], UTIL_MIN(count - i * 16, 16u), (const uint32_t(*)[16])out + i * rows);
}

static bool shade(struct vc4_binner *b, const uint32_t *index, uint32_t count)
{
    struct shading_result results[UTIL_POOL_MAX + 1];
    struct shading s = {.binner = b, .index = index, .count = count, .results = results};
    uint32_t groups = util_div_up(count, 16 * VC4_VERTEX_GROUP);
    struct util_pool *pool = groups >= PARALLEL_MIN ? b->device->options.pool : NULL;
    unsigned workers = util_pool_workers(pool);
    for (unsigned i = 0; i < workers; i++) {
        results[i].batch = UINT32_MAX;
        results[i].executed = 0;
    }
    util_pool_run(pool, groups, shade_group, &s);
    b->vertices_shaded += count;

    const struct shading_result *first = &results[0];
    for (unsigned i = 0; i < workers; i++) {
        b->executed += results[i].executed;
        if (results[i].batch < first->batch)
            first = &results[i];
    }
    if (first->batch == UINT32_MAX)
        return true;
    b->fault = first->fault;
    b->fault.draw = b->draws;
    return false;
}

/* ---- the draw's shader and stage ---- */

static bool read_shader(struct vc4_binner *b)
{
    struct vc4_device *d = b->device;
    if (b->shader_read)
        return true;
    vc4_vertex_release(b->stage);
    b->stage = NULL;
    b->shader_read = vc4_shader_state_read(d->programs, d->memory, b->shader_address, b->shader_attributes,
                                           b->shader_extended, &b->shader, &b->fault);
    b->fault.draw = b->draws;
    return b->shader_read;
}

/* A stage whose attributes were checked for indices up to `max_index` at least. */
static bool prepare_stage(struct vc4_binner *b, uint32_t max_index)
{
    struct vc4_device *d = b->device;
    if (b->stage && b->stage_max_index >= max_index)
        return true;
    vc4_vertex_release(b->stage);
    b->stage = NULL;
    b->stage_max_index = max_index;
    int status = vc4_vertex_prepare(d->memory, d->options.engine, &b->shader, true, max_index,
                                    d->options.fuel, &b->stage, &b->fault);
    b->fault.draw = b->draws;
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
                           (unsigned long long)(at + i), s->max_index);
}

/* Those of the indices that are not shaded yet, in order of appearance; marks them. */
static uint32_t take_new(struct vc4_binner *b, const uint32_t *index, uint32_t count, uint32_t *out)
{
    uint64_t *shaded = b->vertices->shaded;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *word = &shaded[index[i] / 64], bit = 1ull << index[i] % 64;
        out[n] = index[i];
        n += !(*word & bit);
        *word |= bit;
    }
    return n;
}

static bool draw_piece(struct vc4_binner *b, struct tiler_assembler *assembler, const uint32_t *index,
                       uint32_t count)
{
    uint32_t primitive[ASSEMBLY][3];
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
    tiler_assemble_begin(&assembler, mode);
    memset(b->vertices->shaded, 0, sizeof b->vertices->shaded);
    for (uint64_t at = 0; at < length; at += PIECE) {
        uint32_t count = (uint32_t)UTIL_MIN(length - at, (uint64_t)PIECE);
        if (!vc4_binner_spend(b, count / INDEX_COST, b->draw_address))
            return false;
        if (!fetch_indices(b, s, at, count, index, &greatest) || !prepare_stage(b, greatest))
            return false;
        uint32_t new_count = take_new(b, index, count, fresh);
        if (new_count && !shade(b, fresh, new_count))
            return false;
        if (!draw_piece(b, &assembler, index, count))
            return false;
    }
    uint32_t n = tiler_assemble_end(&assembler, last);
    return vc4_binner_primitives(b, (const uint32_t(*)[3])last, n);
}

/* ---- the record ---- */

/* What the primitives of this draw are tested against. */
static void set_up(struct vc4_binner *b, enum tiler_mode mode)
{
    uint32_t vertices = tiler_mode_vertices(mode), shift = b->grid.shift;
    b->primitive = vertices == 3 ? VC4_TRIANGLES : vertices == 2 ? VC4_LINES : VC4_POINTS;
    /* 12.4 signed coordinates: clip a pixel inside their range, for programs round in their own ways. */
    b->guard = (struct tiler_guard){
        .scale_x = __builtin_fabsf(b->half_width),
        .scale_y = __builtin_fabsf(b->half_height),
        .limit = 32752.0f,
    };
    b->grid.x0 = (int32_t)b->clip_left;
    b->grid.y0 = (int32_t)b->clip_bottom;
    b->grid.x1 = (int32_t)UTIL_MIN(b->clip_left + b->clip_width, b->tiles_x << shift);
    b->grid.y1 = (int32_t)UTIL_MIN(b->clip_bottom + b->clip_height, b->tiles_y << shift);
}

static bool check_draw(struct vc4_binner *b, uint64_t mode)
{
    if (!b->started)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address,
                               "primitive list before start of tile binning");
    if (!b->has_shader)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "primitive list without a shader state");
    if (mode >= TILER_MODE_COUNT)
        return vc4_binner_fail(b, GPU_FAULT_PACKET, b->draw_address, "reserved primitive mode %llu",
                               (unsigned long long)mode);
    if (!b->vertices)
        b->vertices = malloc(sizeof *b->vertices);
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

bool vc4_binner_draw(struct vc4_binner *b, const struct vc4_cl_record *r, uint32_t address)
{
    bool indexed = r->id == VC4_CL_INDEXED_PRIMITIVES;
    uint64_t mode = r->field[indexed ? VC4_INDEXED_MODE : VC4_ARRAY_MODE];
    uint64_t length = r->field[indexed ? VC4_INDEXED_LENGTH : VC4_ARRAY_LENGTH];
    struct source source = {0};
    b->draws++;
    b->draw_address = address;
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
    set_up(b, (enum tiler_mode)mode);
    return read_shader(b) && draw_source(b, &source, (enum tiler_mode)mode, length);
}

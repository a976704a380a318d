/* What programs of Bifrost and Valhall meet: memory, storage by addresses, registers that threads begin with
 * (preloads.inc), special values (specials.inc). Messages are world_warp_message.c's. */
#include <string.h>

#include "gpu/mali/lookup.h"
#include "gpu/mali/shading.h"
#include "gpu/mali/world_internal.h"
#include "isa/bifrost/lower.h"
#include "isa/valhall/insn.h"
#include "util/bits.h"

/* ---- registers ---- */

static void give(struct mali_threads *t, enum mali_reg reg, const uint32_t value[ISA_LANES])
{
    memcpy(t->preload[reg - MALI_PRELOAD_FIRST], value, sizeof t->preload[0]);
}

static void give_lane(struct mali_threads *t, enum mali_reg reg, unsigned lane, uint32_t value)
{
    t->preload[reg - MALI_PRELOAD_FIRST][lane] = value;
}

static void preload_compute(struct mali_threads *t)
{
    for (unsigned l = 0; l < ISA_LANES; l++) {
        give_lane(t, MALI_REG_COMPUTE_LOCAL_XY, l, (t->local[0][l] & 0xffff) | t->local[1][l] << 16);
        give_lane(t, MALI_REG_COMPUTE_LOCAL_Z, l, t->local[2][l] & 0xffff);
    }
    for (unsigned n = 0; n < 3; n++) {
        give(t, MALI_REG_COMPUTE_GROUP_X + n, t->group[n]);
        give(t, MALI_REG_COMPUTE_GLOBAL_X + n, t->global[n]);
    }
}

/* Vertex jobs of v6 and v7 have vertices along y and instances along z. */
static void preload_vertex(struct mali_threads *t)
{
    give(t, MALI_REG_VERTEX_VERTEX, t->global[1]);
    give(t, MALI_REG_VERTEX_INSTANCE, t->global[2]);
}

/* Of lanes' vertices: places among those that have room. */
static void places_of(const struct mali_threads *t, uint32_t place[ISA_LANES])
{
    const struct mali_shading *s = t->world->shading;
    memcpy(place, t->global[0], sizeof t->global[0]);
    for (unsigned l = 0; s->used && l < ISA_LANES; l++)
        place[l] = mali_shading_place(s, t->global[0][l]);
}

/* Of v6 and v7. */
static void preload_indexed(struct mali_threads *t)
{
    const struct mali_shading s = *t->world->shading;
    uint32_t place[ISA_LANES], vertex[ISA_LANES], number[ISA_LANES], low[ISA_LANES], high[ISA_LANES];
    places_of(t, place);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        vertex[l] = mali_shading_vertex(&s, place[l]);
        number[l] = mali_shading_element(&s, vertex[l], t->global[2][l]);
        const uint64_t at = s.positions + (uint64_t)number[l] * MALI_POSITION_BYTES;
        low[l] = (uint32_t)at;
        high[l] = (uint32_t)(at >> 32);
    }
    memcpy(t->number, number, sizeof number);
    give(t, MALI_REG_VERTEX_VERTEX, vertex);
    give(t, MALI_REG_VERTEX_INSTANCE, t->global[2]);
    if (t->world->kind != MALI_THREADS_POSITION)
        return;
    give(t, MALI_REG_VERTEX_POSITION, low);
    give(t, MALI_REG_VERTEX_POSITION + 1, high);
}

static void preload_shading(struct mali_threads *t)
{
    const struct mali_shading s = *t->world->shading;
    uint32_t place[ISA_LANES], vertex[ISA_LANES], number[ISA_LANES], id[ISA_LANES];
    places_of(t, place);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        vertex[l] = mali_shading_vertex(&s, place[l]);
        number[l] = mali_shading_number(&s, place[l], t->global[2][l]);
        id[l] = mali_vertex_linear_id(number[l]);
    }
    memcpy(t->number, number, sizeof number);
    give(t, MALI_REG_VERTEX_V9_LINEAR, id);
    give(t, MALI_REG_VERTEX_V9_VERTEX, vertex);
    give(t, MALI_REG_VERTEX_V9_INSTANCE, t->global[2]);
}

void mali_threads_preload(struct mali_threads *t)
{
    switch (t->world->kind) {
    case MALI_THREADS_OTHER: break;
    case MALI_THREADS_COMPUTE: preload_compute(t); break;
    case MALI_THREADS_VERTEX: preload_vertex(t); break;
    case MALI_THREADS_POSITION:
    case MALI_THREADS_VARYING: (t->world->version >= MALI_V9 ? preload_shading : preload_indexed)(t); break;
    }
}

void mali_threads_registers(const struct mali_threads *t, uint32_t reg[WARP_REGISTERS][ISA_LANES])
{
    memset(reg, 0, sizeof(uint32_t[WARP_REGISTERS][ISA_LANES]));
    memcpy(reg[MALI_PRELOAD_FIRST], t->preload, sizeof t->preload);
}

/* ---- special values ---- */

enum mali_special mali_special_of(enum mali_version version, unsigned number)
{
    enum { NONE = UINT8_MAX };
    static const struct {
        uint8_t first, count, bifrost, valhall;
    } rows[] = {
#define SPECIAL(name, count, bifrost, valhall) {MALI_SPECIAL_##name, (count), (bifrost), (valhall)},
#include "gpu/mali/specials.inc"
    };
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(rows); n++) {
        const unsigned k = number - (version >= MALI_V9 ? rows[n].valhall : rows[n].bifrost);
        if (k < rows[n].count)
            return (enum mali_special)(rows[n].first + k);
    }
    return MALI_SPECIAL_OTHER;
}

static uint64_t value_of(const struct mali_world *w, enum mali_special which)
{
    const struct mali_environment *e = &w->bindings->environment;
    return which == MALI_SPECIAL_THREAD   ? MALI_THREAD_STORAGE
           : which == MALI_SPECIAL_GROUP  ? MALI_GROUP_STORAGE
           : which == MALI_SPECIAL_TABLES ? e->tables | e->table_count
                                          : 0;
}

/* Who runs fragments has those of theirs in front of this. */
static void special(void *ctx, unsigned which, uint32_t out[2][16])
{
    const struct mali_threads *t = ctx;
    const uint64_t value = value_of(t->world, mali_special_of(t->world->version, which));
    for (unsigned l = 0; l < ISA_LANES; l++) {
        out[0][l] = (uint32_t)value;
        out[1][l] = (uint32_t)(value >> 32);
    }
}

/* ---- whose memory an address means ---- */

struct access {
    struct mali_threads *threads;
    const struct isa_access *asked;
    const uint32_t (*value)[16], (*compare)[16];
    uint32_t (*out)[16];
};
typedef bool (*each_fn)(const struct access *a, const struct isa_access *part, uint16_t lanes,
                        struct isa_place *place);

static enum isa_space space_of(uint64_t address, uint64_t *within)
{
    *within = address & UINT32_MAX;
    if (address >> 32 == MALI_THREAD_STORAGE >> 32)
        return ISA_SPACE_THREAD;
    if (address >> 32 == MALI_GROUP_STORAGE >> 32)
        return ISA_SPACE_WORKGROUP;
    *within = address;
    return ISA_SPACE_GLOBAL;
}

/* The lanes of `lanes` whose address is of that space; *part asks for it. */
static uint16_t part_of(const struct isa_access *a, enum isa_space space, uint16_t lanes,
                        struct isa_access *part)
{
    uint16_t those = 0;
    *part = *a;
    part->space = space;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint64_t within;
        if (lanes >> l & 1 && space_of(a->address[l], &within) == space) {
            those |= (uint16_t)(1u << l);
            part->address[l] = within;
        }
    }
    return those;
}

/* Space by space, of which each has lanes of its own; the fault told is that of the lowest lane. */
static bool by_space(const struct access *a, each_fn each, uint16_t lanes, struct isa_place *place)
{
    static const enum isa_space spaces[] = {ISA_SPACE_GLOBAL, ISA_SPACE_WORKGROUP, ISA_SPACE_THREAD};
    struct isa_access part;
    struct isa_place where = {.lane = ISA_LANES};
    struct mali_stop stop = {0};
    if (a->asked->space != ISA_SPACE_GLOBAL)
        return each(a, a->asked, lanes, place);
    for (unsigned n = 0; n < UTIL_ARRAY_SIZE(spaces); n++) {
        uint16_t those = part_of(a->asked, spaces[n], lanes, &part);
        if (!those || each(a, &part, those, place) || place->lane >= where.lane)
            continue;
        where = *place;
        stop = a->threads->stop;
    }
    if (where.lane == ISA_LANES)
        return true;
    a->threads->stop = stop;
    *place = where;
    return false;
}

/* ---- memory ---- */

static bool load_part(const struct access *a, const struct isa_access *part, uint16_t lanes,
                      struct isa_place *place)
{
    return mali_port_load(a->threads, part, lanes, a->out, place);
}

static bool load(void *ctx, const struct isa_access *access, uint16_t lanes, uint32_t out[4][16],
                 struct isa_place *place)
{
    const struct access a = {.threads = ctx, .asked = access, .out = out};
    return by_space(&a, load_part, lanes, place);
}

static bool inside(uint64_t address, uint32_t bytes, uint64_t begin, uint32_t room)
{
    return address >= begin && address - begin <= room && bytes <= room - (address - begin);
}

/* What a stream's store goes to is the lane's own vertex or storage and nobody else's: so the same bytes come at any number of
 * threads (ours). */
static bool is_own(const struct mali_threads *t, const struct isa_access *a, unsigned lane)
{
    const struct mali_shading *s = t->world->shading;
    const uint64_t n = t->number[lane], at = a->address[lane];
    if (a->hint == MALI_STREAM_THREAD)
        return a->space == ISA_SPACE_THREAD;
    if (t->world->kind == MALI_THREADS_VARYING)
        return a->hint == MALI_STREAM_VARYING && s->at.varyings &&
               inside(at, a->bytes, s->at.varyings + n * s->at.stride, s->at.stride);
    return t->world->kind == MALI_THREADS_POSITION && a->hint == MALI_STREAM_POSITION &&
           (inside(at, a->bytes, s->at.positions + n * MALI_POSITION_BYTES, MALI_POSITION_BYTES) ||
            (s->at.point_sizes &&
             inside(at, a->bytes, s->at.point_sizes + n * MALI_POINT_SIZE_BYTES, MALI_POINT_SIZE_BYTES)));
}

static bool stores_own(struct mali_threads *t, const struct isa_access *a, uint16_t lanes,
                       struct isa_place *place)
{
    for (unsigned l = 0; l < ISA_LANES; l++) {
        struct mali_stop stop;
        if (!(lanes >> l & 1) || a->address[l] >= MALI_NOWHERE || is_own(t, a, l))
            continue;
        const char *what = a->hint == MALI_STREAM_THREAD
                               ? "a store that is forced, beyond the thread's storage"
                               : "a store to the stream of vertices, beyond the thread's own";
        mali_stop_set(&stop, MALI_ADDR_RANGE_FAULT, GPU_FAULT_MEMORY, t->world->unit, a->address[l], "%s",
                      what);
        return mali_world_refuse(t, l, &stop, place);
    }
    return true;
}

static bool store_part(const struct access *a, const struct isa_access *part, uint16_t lanes,
                       struct isa_place *place)
{
    if (part->hint != MALI_STREAM_NONE && !stores_own(a->threads, part, lanes, place))
        return false;
    return mali_port_store(a->threads, part, lanes, a->value, place);
}

static bool store(void *ctx, const struct isa_access *access, uint16_t lanes, const uint32_t value[4][16],
                  struct isa_place *place)
{
    const struct access a = {.threads = ctx, .asked = access, .value = value};
    return by_space(&a, store_part, lanes, place);
}

static bool atomic_part(const struct access *a, const struct isa_access *part, uint16_t lanes,
                        struct isa_place *place)
{
    return mali_port_atomic(a->threads, part, lanes, a->value, a->compare, a->out, place);
}

static bool atomic(void *ctx, const struct isa_access *access, uint16_t lanes, const uint32_t value[2][16],
                   const uint32_t compare[2][16], uint32_t out[2][16], struct isa_place *place)
{
    const struct access a = {.threads = ctx, .asked = access, .value = value, .compare = compare, .out = out};
    return by_space(&a, atomic_part, lanes, place);
}

/* ---- textures ---- */

/* A face's number stands in the three uppermost bits of s, which has the next one set wherever it counts (Mesa's
 * bifrost_compile.c, bi_emit_cube_coord): as mali_port_cube gives it for others. */
void mali_warp_cube(struct isa_texture_request *r)
{
    const uint32_t counts = 1u << WARP_FACE_AT;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t face = WARP_GET(r->coordinate[0][l], FACE), s = r->coordinate[0][l] & (counts - 1);
        r->coordinate[0][l] = s | counts | face << MALI_FACE_AT;
        r->coordinate[1][l] = (r->coordinate[1][l] & MALI_FACE_PLACE) | face >> MALI_FACE_LOW << MALI_FACE_AT;
    }
}

static bool texture(void *ctx, const struct isa_texture_request *request, uint16_t lanes, uint32_t out[4][16],
                    struct isa_place *place)
{
    struct isa_texture_request cube;
    if (request->dimensions)
        return mali_port_texture(ctx, request, lanes, out, place);
    cube = *request;
    mali_warp_cube(&cube);
    return mali_port_texture(ctx, &cube, lanes, out, place);
}

/* ---- all of them ---- */

static bool far(void *ctx, const struct warp_far *to, uint16_t lanes, uint32_t reg[WARP_REGISTERS][16],
                uint16_t *back, struct isa_place *place)
{
    struct mali_threads *t = ctx;
    struct mali_stop stop;
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    (void)reg;
    *back = 0;
    mali_stop_set(&stop, MALI_INSTR_INVALID_PC, GPU_FAULT_UNSUPPORTED, t->world->unit, to->target[lane],
                  "a branch to another program, which only fragments have");
    return mali_world_refuse(t, lane, &stop, place);
}

void mali_threads_begin_warp(struct mali_threads *t)
{
    t->warp = (struct warp_ports){.ctx = t,
                                  .load = load,
                                  .store = store,
                                  .atomic = atomic,
                                  .uniform = mali_port_uniform,
                                  .texture = texture,
                                  .special = special,
                                  .message = mali_port_message,
                                  .far = far};
}

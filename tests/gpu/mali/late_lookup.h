/* Lookups of v6 and later out of descriptors in a guest's memory, without a program: one texture, one sampler. Included
 * by tests/gpu/mali/test_*.c. */
#ifndef VITRAIL_TESTS_GPU_MALI_LATE_LOOKUP_H
#define VITRAIL_TESTS_GPU_MALI_LATE_LOOKUP_H

#include "gpu/mali/device_internal.h"
#include "gpu/mali/lookup.h"
#include "tests/gpu/mali/pack.h"

enum {
    LOOK_TEXTURE = 0x100000,
    LOOK_SAMPLER = 0x100040,
    LOOK_TABLES = 0x100080, /* v9: four tables; the texture is all of table 2, the sampler of 3 */
    LOOK_ENVIRONMENT = 0x100100,
    LOOK_STORAGE = 0x100200,
    LOOK_SURFACES = 0x101000,
    LOOK_DATA = 0x200000,
    LOOK_BYTES = 0x100000
};

struct look {
    struct guest guest;
    enum mali_version version;
    uint8_t *descriptors, *data;
    struct util_arena *arena;
    struct mali_bindings bindings;
    struct mali_draw draw;
    struct mali_world world;
    struct mali_view view;
    struct mali_sampler_of sampler;
    struct mali_stop refused;
};

static inline uint8_t *look_at(struct look *l, uint64_t address)
{
    return l->descriptors + (address - LOOK_TEXTURE);
}

static inline void look_texture(struct look *l, const char *name, uint64_t value)
{
    pack_set(look_at(l, LOOK_TEXTURE), &mali_desc_texture, l->version, name, value);
}

static inline void look_sampler(struct look *l, const char *name, uint64_t value)
{
    pack_set(look_at(l, LOOK_SAMPLER), &mali_desc_sampler, l->version, name, value);
}

static inline void look_plane(struct look *l, uint32_t n, const char *name, uint64_t value)
{
    pack_set(look_at(l, LOOK_SURFACES + n * 32), &mali_desc_plane, l->version, name, value);
}

/* Where surface n stands; of v9 a plane of all bytes that follow. */
static inline void look_surface(struct look *l, uint32_t n, uint64_t address, uint32_t row, uint32_t slice)
{
    uint8_t *at = look_at(l, LOOK_SURFACES + n * 16);
    if (l->version < MALI_V9) {
        pack_set(at, &mali_desc_surface_stride, l->version, "pointer", address);
        pack_set(at, &mali_desc_surface_stride, l->version, "row stride", row);
        pack_set(at, &mali_desc_surface_stride, l->version, "surface stride", slice);
        return;
    }
    look_plane(l, n, "type", MALI_DESCRIPTOR_TYPE_PLANE);
    look_plane(l, n, "plane type", MALI_PLANE_TYPE_GENERIC);
    look_plane(l, n, "size", LOOK_DATA + LOOK_BYTES - address);
    look_plane(l, n, "pointer", address);
    look_plane(l, n, "row stride", row);
    look_plane(l, n, "slice stride", slice);
}

/* How texels are ordered in memory; of v9 in every plane, with the kind of clump that has so many bytes. */
static inline void look_layout(struct look *l, bool tiled, uint32_t planes, uint32_t clump)
{
    if (l->version < MALI_V9) {
        look_texture(l, "texel ordering", tiled ? MALI_TEXTURE_LAYOUT_TILED : MALI_TEXTURE_LAYOUT_LINEAR);
        return;
    }
    look_texture(l, "texel interleave", tiled);
    for (uint32_t n = 0; n < planes; n++) {
        look_plane(l, n, "clump ordering",
                   tiled ? MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED : MALI_CLUMP_ORDERING_LINEAR);
        look_plane(l, n, "clump format", clump);
    }
}

/* A texture of 2D of one level, one layer and one sample, and a sampler that takes the nearest texel. */
static inline void look_begin(struct look *l, enum mali_kind kind, uint32_t width, uint32_t height,
                              uint32_t format)
{
    memset(l, 0, sizeof *l);
    guest_create(&l->guest, &(struct mali_options){.kind = kind});
    l->version = l->guest.device->version;
    l->descriptors = guest_map(&l->guest, LOOK_TEXTURE, 0x4000, RIGHT_BOTH);
    l->data = guest_map(&l->guest, LOOK_DATA, LOOK_BYTES, RIGHT_BOTH);
    guest_flush_as(&l->guest, 0);
    assert_int_equal(util_arena_create(&l->arena), 0);
    look_texture(l, "type", MALI_DESCRIPTOR_TYPE_TEXTURE);
    look_texture(l, "dimension", MALI_TEXTURE_DIMENSION_2D);
    look_texture(l, "width", width);
    look_texture(l, "height", height);
    look_texture(l, "depth", 1);
    look_texture(l, "sample count", 1);
    look_texture(l, "array size", 1);
    look_texture(l, "levels", 1);
    look_texture(l, "format", format);
    look_texture(l, "order", l->version >= MALI_V7 ? MALI_RGB_COMPONENT_ORDER_RGBA : MALI_ORDER_RGBA);
    look_texture(l, "swizzle", MALI_ORDER_RGBA);
    look_texture(l, "surfaces", LOOK_SURFACES);
    look_sampler(l, "type", MALI_DESCRIPTOR_TYPE_SAMPLER);
    look_sampler(l, "magnify nearest", 1);
    look_sampler(l, "minify nearest", 1);
    look_sampler(l, "mipmap mode", MALI_MIPMAP_MODE_NONE);
    look_sampler(l, "normalized coordinates", 1);
    look_sampler(l, "maximum LOD", 16 * 256);
    look_sampler(l, "wrap mode S", MALI_WRAP_MODE_CLAMP_TO_EDGE);
    look_sampler(l, "wrap mode T", MALI_WRAP_MODE_CLAMP_TO_EDGE);
    look_sampler(l, "wrap mode R", MALI_WRAP_MODE_CLAMP_TO_EDGE);
}

static inline void look_end(struct look *l)
{
    util_arena_destroy(l->arena);
    guest_destroy(&l->guest);
}

/* v9: the descriptors as entries of tables, read by way of an environment. */
static inline bool look_take_tables(struct look *l, const struct mali_reader *reader, struct mali_stop *stop)
{
    uint8_t *table = look_at(l, LOOK_TABLES), *environment = look_at(l, LOOK_ENVIRONMENT);
    pack_set(table + 2 * 16, &mali_desc_resource, l->version, "address", LOOK_TEXTURE);
    pack_set(table + 2 * 16, &mali_desc_resource, l->version, "size", 32);
    pack_set(table + 3 * 16, &mali_desc_resource, l->version, "address", LOOK_SAMPLER);
    pack_set(table + 3 * 16, &mali_desc_resource, l->version, "size", 32);
    pack_set(environment, &mali_desc_environment, l->version, "table count", 4);
    pack_set(environment, &mali_desc_environment, l->version, "tables", LOOK_TABLES);
    pack_set(environment, &mali_desc_environment, l->version, "thread storage", LOOK_STORAGE);
    return mali_environment_read(reader, LOOK_ENVIRONMENT, l->arena, &l->bindings, stop);
}

/* Reads the descriptors anew and looks up; false and *stop: why not. Handles of v9 name tables. */
static inline bool look_try(struct look *l, uint8_t op, uint8_t mode, uint8_t dimensions, bool has_lod,
                            const struct raster_lookup_lanes *in, uint32_t out[4][16], struct mali_stop *stop)
{
    const bool late = l->version >= MALI_V9;
    *stop = (struct mali_stop){0};
    l->world = (struct mali_world){.space = mali_as_space(l->guest.device, 0, stop),
                                   .version = l->version,
                                   .unit = "test",
                                   .draw = &l->draw,
                                   .bindings = &l->bindings,
                                   .shared = &l->guest.device->programs};
    const struct mali_reader reader = {l->world.space, l->version, "test", NULL};
    uint32_t room = MALI_SURFACES_MOST;
    util_arena_reset(l->arena);
    util_memo_init(&l->world.lookups, l->world.shared->maker, l->arena);
    l->bindings = (struct mali_bindings){0};
    l->view = (struct mali_view){.address = LOOK_TEXTURE};
    mali_programs_begin(l->world.shared, NULL);
    if (late ? !look_take_tables(l, &reader, stop)
             : !mali_view_read(&reader, l->arena, &l->view, &room, stop) ||
                   !mali_desc_read(&reader, &mali_desc_sampler, LOOK_SAMPLER, &l->sampler.sampler, stop))
        return false;
    if (!late) {
        l->bindings.state.texture_count = l->bindings.state.sampler_count = 1;
        l->bindings.texture = &l->view;
        l->bindings.sampler = &l->sampler;
    }
    const struct mali_lookup_key key = mali_lookup_key(late ? 2u << 24 : 0, late ? 3u << 24 : 0, op, mode,
                                                       dimensions, false, has_lod, false);
    const struct mali_lookup *lookup = mali_lookup_get(&l->world, &key, stop);
    if (lookup)
        raster_sampler_run(&lookup->key, &lookup->image, in, out);
    return lookup;
}

/* The texel of lane 0 at whole numbers. */
static inline void look_fetch(struct look *l, uint8_t dimensions, const uint32_t at[3], uint32_t layer,
                              uint32_t level, uint32_t sample, uint32_t out[4])
{
    struct raster_lookup_lanes in = {0};
    struct mali_stop stop;
    uint32_t all[4][16] = {{0}};
    for (unsigned c = 0; c < 3; c++)
        in.coordinate[c][0] = at[c];
    in.layer[0] = layer;
    in.lod[0] = level;
    in.sample[0] = sample;
    if (!look_try(l, ISA_TEXTURE_FETCH, ISA_TEXTURE_PLAIN, dimensions, true, &in, all, &stop))
        fail_msg("%s", stop.fault.text);
    for (unsigned c = 0; c < 4; c++)
        out[c] = all[c][0];
}

/* Red at (s, t) of 2D with a level of detail. */
static inline float look_sample(struct look *l, uint8_t mode, float s, float t, float reference, float lod)
{
    struct raster_lookup_lanes in = {0};
    struct mali_stop stop;
    uint32_t all[4][16] = {{0}};
    in.coordinate[0][0] = util_f2u(s);
    in.coordinate[1][0] = util_f2u(t);
    in.reference[0] = util_f2u(reference);
    in.lod[0] = util_f2u(lod);
    if (!look_try(l, ISA_TEXTURE_LOD, mode, 2, true, &in, all, &stop))
        fail_msg("%s", stop.fault.text);
    return util_u2f(all[0][0]);
}

static inline void look_refused(struct look *l, uint8_t op, uint8_t dimensions, const char *why)
{
    const struct raster_lookup_lanes in = {0};
    struct mali_stop stop;
    uint32_t all[4][16] = {{0}};
    if (look_try(l, op, ISA_TEXTURE_PLAIN, dimensions, true, &in, all, &stop))
        fail_msg("not refused: %s", why);
    if (!strstr(stop.fault.text, why))
        fail_msg("\"%s\" and not \"%s\"", stop.fault.text, why);
}

#endif

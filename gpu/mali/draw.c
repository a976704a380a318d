/* A draw with everything that its program can reach. */
#include "gpu/mali/draw.h"

#include <stddef.h>
#include <string.h>

#include "util/bits.h"

/* Who reads what a draw leads to. */
struct taker {
    const struct mali_reader *reader;
    struct mali_refusals refusals;
    struct mali_stop *stop;
};

void *mali_list_room(const struct mali_reader *reader, struct util_arena *arena, uint64_t address,
                     uint64_t count, size_t size, struct mali_stop *stop)
{
    static _Alignas(UTIL_ARENA_ALIGN) uint8_t nothing[UTIL_ARENA_ALIGN];
    void *list = count ? util_arena_alloc(arena, (size_t)count * size) : nothing;
    if (!list)
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, reader->unit, address,
                      "no host memory for descriptors");
    return list;
}

static void *take(struct taker *t, uint64_t address, uint64_t count, size_t size)
{
    return mali_list_room(t->reader, t->refusals.arena, address, count, size, t->stop);
}

/* `count` descriptors, one behind the other, into elements that begin with what refuses them and have the
 * descriptor's struct at `at`. */
static void *read_list(struct taker *t, const struct mali_desc *desc, uint64_t address, uint32_t count,
                       size_t size, size_t at)
{
    uint8_t *list = take(t, address, count, size);
    for (uint32_t n = 0; list && n < count; n++) {
        uint8_t *element = list + n * size;
        const struct mali_stop **refused = (const struct mali_stop **)element;
        *refused = NULL;
        if (mali_desc_read(t->reader, desc, address + (uint64_t)n * desc->bytes[t->reader->version],
                           element + at, t->stop))
            continue;
        memset(element + at, 0, desc->size);
        if (!mali_refuse(&t->refusals, t->stop, refused))
            return NULL;
    }
    return list;
}

/* ---- textures ---- */

struct mali_surfaces mali_surfaces_of(enum mali_version version, const struct mali_texture *t,
                                      uint64_t address)
{
    const bool one_sample = t->dimension == MALI_TEXTURE_DIMENSION_3D || version >= MALI_V9;
    struct mali_surfaces s = {.address = version >= MALI_V6 ? t->surfaces
                                                            : address + mali_desc_texture.bytes[version],
                              .faces = t->dimension == MALI_TEXTURE_DIMENSION_CUBE ? 6 : 1,
                              .samples = one_sample ? 1 : t->sample_count};
    s.desc = version >= MALI_V9                       ? &mali_desc_plane
             : version >= MALI_V6 || t->manual_stride ? &mali_desc_surface_stride
                                                      : &mali_desc_surface;
    s.count = (uint64_t)t->levels * s.faces * s.samples * t->array_size;
    return s;
}

static bool refuse_view(struct taker *t, const struct mali_view *view, const char *why)
{
    return mali_stop_set(t->stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, t->reader->unit,
                         view->address, "texture: %s", why);
}

/* Number n. A list of pointers is one of surfaces without strides. */
static bool read_surface(struct taker *t, const struct mali_desc *desc, struct mali_view *view, uint32_t n,
                         uint64_t at)
{
    struct mali_surface_stride *surface = &view->surface[n];
    *surface = (struct mali_surface_stride){0};
    if (!view->plane)
        return mali_desc_read(t->reader, desc, at, surface, t->stop);
    struct mali_plane *plane = &view->plane[n];
    if (!mali_desc_read(t->reader, desc, at, plane, t->stop))
        return false;
    *surface = (struct mali_surface_stride){plane->pointer, (int32_t)plane->row_stride, plane->slice_stride};
    return true;
}

static bool read_surfaces(struct taker *t, const struct mali_surfaces *s, struct mali_view *view)
{
    const bool planes = s->desc == &mali_desc_plane;
    uint64_t at = s->address;
    view->surface = take(t, view->address, s->count, sizeof *view->surface);
    if (planes && view->surface)
        view->plane = take(t, view->address, s->count, sizeof *view->plane);
    if (!view->surface || (planes && !view->plane))
        return false;
    for (; view->surface_count < s->count; view->surface_count++, at += s->desc->bytes[t->reader->version])
        if (!read_surface(t, s->desc, view, view->surface_count, at))
            return false;
    return true;
}

static bool read_view(struct taker *t, struct mali_view *view, uint32_t *room)
{
    const enum mali_version version = t->reader->version;
    struct mali_texture *texture = &view->texture;
    if (!mali_desc_read(t->reader, &mali_desc_texture, view->address, texture, t->stop))
        return false;
    if (version <= MALI_V5 && !texture->surface_pointer_is_64b)
        return refuse_view(t, view, "surfaces with pointers of 32 bits are not known");
    const struct mali_surfaces s = mali_surfaces_of(version, texture, view->address);
    view->levels_last = version >= MALI_V7;
    view->faces = s.faces;
    view->samples = s.samples;
    if (s.count > *room)
        return refuse_view(t, view, "too many surfaces in one draw");
    *room -= (uint32_t)s.count;
    return read_surfaces(t, &s, view);
}

bool mali_view_read(const struct mali_reader *reader, struct util_arena *arena, struct mali_view *view,
                    uint32_t *room, struct mali_stop *stop)
{
    struct taker taker = {.reader = reader, .refusals.arena = arena, .stop = stop};
    return read_view(&taker, view, room);
}

/* Where texture number n stands; 0: there is none. Since v6 they stand in a row, those that there are not with
 * zeros. */
static bool find_view(struct taker *t, uint64_t list, uint32_t n, uint64_t *address)
{
    const enum mali_version version = t->reader->version;
    struct mali_surface pointer = {0};
    uint32_t words[MALI_DESC_WORDS];
    *address = 0;
    if (version <= MALI_V5) {
        bool read = mali_desc_read(t->reader, &mali_desc_surface,
                                   list + (uint64_t)n * mali_desc_surface.bytes[version], &pointer, t->stop);
        *address = pointer.pointer;
        return read;
    }
    const uint64_t at = list + (uint64_t)n * mali_desc_texture.bytes[version];
    if (!mali_desc_fetch(t->reader, &mali_desc_texture, at, words, t->stop))
        return false;
    for (uint32_t w = 0; w < mali_desc_texture.bytes[version] / 4; w++)
        if (words[w])
            *address = at;
    return true;
}

static bool read_views(struct taker *t, uint64_t address, uint32_t count, struct mali_bindings *out)
{
    uint32_t room = MALI_SURFACES_MOST;
    out->texture = take(t, address, count, sizeof *out->texture);
    for (uint32_t n = 0; out->texture && n < count; n++) {
        struct mali_view *view = &out->texture[n];
        *view = (struct mali_view){0};
        bool read = find_view(t, address, n, &view->address);
        if (read && view->address)
            read = read_view(t, view, &room);
        if (!read && !mali_refuse(&t->refusals, t->stop, &view->refused))
            return false;
    }
    return out->texture;
}

/* ---- attributes ---- */

/* Whether an attribute's own offset counts is what "offset enable" says until v5. Since v6 it always does, as drivers mean it:
 * Mesa's pan_emit_vary gives varyings offsets and does not set the bit (ours). */
static void settle_offset(const struct taker *t, struct mali_attribute *a)
{
    if (t->reader->version <= MALI_V5 && !a->offset_enable)
        a->offset = 0;
}

/* Attributes and the buffers that they name. */
static bool read_attributes(struct taker *t, uint64_t attributes, uint32_t count, uint64_t buffers,
                            struct mali_attribute_of **out, struct mali_array **arrays, uint32_t *array_count)
{
    *array_count = 0;
    *out = read_list(t, &mali_desc_attribute, attributes, count, sizeof **out,
                     offsetof(struct mali_attribute_of, attribute));
    if (!*out)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        if ((*out)[n].refused)
            continue;
        settle_offset(t, &(*out)[n].attribute);
        *array_count = UTIL_MAX(*array_count, (*out)[n].attribute.buffer_index + 1);
    }
    *arrays = take(t, buffers, *array_count, sizeof **arrays);
    return *arrays && mali_arrays_read(t->reader, buffers, *array_count, &t->refusals, *arrays, t->stop);
}

/* ---- all of it ---- */

bool mali_blends_read(const struct mali_reader *reader, uint64_t state, uint32_t targets,
                      struct mali_bindings *out, struct mali_stop *stop)
{
    uint64_t at = state + mali_desc_state.bytes[reader->version];
    out->blend_count = reader->version == MALI_V4 ? 0 : UTIL_MIN(targets, MALI_TARGETS);
    for (uint32_t n = 0; n < out->blend_count; n++, at += mali_desc_blend.bytes[reader->version])
        if (!mali_desc_read(reader, &mali_desc_blend, at, &out->blend[n], stop))
            return false;
    return true;
}

static bool read_lists(struct taker *t, const struct mali_draw *draw, struct mali_bindings *out)
{
    const struct mali_state *s = &out->state;
    if (!read_attributes(t, draw->attributes, s->attribute_count, draw->attribute_buffers, &out->attribute,
                         &out->attribute_buffer, &out->attribute_buffer_count) ||
        !read_attributes(t, draw->varyings, s->varying_count, draw->varying_buffers, &out->varying,
                         &out->varying_buffer, &out->varying_buffer_count))
        return false;
    out->uniform_buffer =
        read_list(t, &mali_desc_uniform_buffer, draw->uniform_buffers, s->uniform_buffer_count,
                  sizeof *out->uniform_buffer, offsetof(struct mali_uniform_of, buffer));
    if (!out->uniform_buffer || !read_views(t, draw->textures, s->texture_count, out))
        return false;
    out->sampler = read_list(t, &mali_desc_sampler, draw->samplers, s->sampler_count, sizeof *out->sampler,
                             offsetof(struct mali_sampler_of, sampler));
    return out->sampler;
}

bool mali_bindings_read(const struct mali_reader *reader, const struct mali_draw *draw, uint32_t targets,
                        struct util_arena *arena, struct mali_bindings *out, struct mali_stop *stop)
{
    struct taker taker = {.reader = reader, .refusals.arena = arena, .stop = stop};
    if (!mali_desc_read(reader, &mali_desc_state, draw->state, &out->state, stop))
        return false;
    memset(&out->attribute, 0,
           offsetof(struct mali_bindings, program) - offsetof(struct mali_bindings, attribute));
    out->has_viewport = draw->viewport;
    if (draw->viewport && !mali_desc_read(reader, &mali_desc_viewport, draw->viewport, &out->viewport, stop))
        return false;
    /* In v4 and v5 a framebuffer begins with its local storage, too. */
    return !arena || (mali_blends_read(reader, draw->state, targets, out, stop) &&
                      mali_desc_read(reader, &mali_desc_storage,
                                     draw->thread_storage & ~(uint64_t)MALI_TAG_MASK, &out->storage, stop) &&
                      read_lists(&taker, draw, out));
}

static uint64_t size_between(uint32_t word, uint32_t low, uint32_t high)
{
    return low >= 32 || high <= low ? 1 : util_bits(word, low, UTIL_MIN(high, 32u) - low) + 1;
}

void mali_invocation_sizes(const struct mali_invocation *v, uint64_t size[3], uint64_t groups[3])
{
    const uint32_t at[7] = {0,
                            v->size_y_shift,
                            v->size_z_shift,
                            v->workgroups_x_shift,
                            v->workgroups_y_shift,
                            v->workgroups_z_shift,
                            32};
    for (unsigned n = 0; n < 3; n++) {
        size[n] = size_between(v->invocations, at[n], at[n + 1]);
        groups[n] = size_between(v->invocations, at[3 + n], at[4 + n]);
    }
}

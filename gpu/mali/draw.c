/* A draw with everything that its program can reach. */
#include "gpu/mali/draw.h"

#include <string.h>

#include "util/bits.h"

enum { POINTER_BYTES = 8 };

static void *take(const struct mali_reader *reader, struct util_arena *arena, uint64_t address,
                  uint64_t count, size_t size, struct mali_stop *stop)
{
    void *list = util_arena_alloc(arena, (size_t)UTIL_MAX(count, 1u) * size);
    if (!list)
        mali_stop_set(stop, MALI_OOM, GPU_FAULT_LIST, reader->unit, address,
                      "no host memory for descriptors");
    return list;
}

/* `count` descriptors, one behind the other, into an array of their structs. */
static void *read_list(const struct mali_reader *reader, const struct mali_desc *desc, uint64_t address,
                       uint32_t count, struct util_arena *arena, struct mali_stop *stop)
{
    uint8_t *list = take(reader, arena, address, count, desc->size, stop);
    for (uint32_t n = 0; list && n < count; n++)
        if (!mali_desc_read(reader, desc, address + (uint64_t)n * desc->bytes[reader->version],
                            list + (size_t)n * desc->size, stop))
            return NULL;
    return list;
}

/* ---- textures ---- */

/* Bytes that a surface takes behind its texture. */
static const struct mali_desc *surface_desc(const struct mali_texture *t)
{
    return t->manual_stride ? &mali_desc_surface_stride : &mali_desc_surface;
}

static bool read_view(const struct mali_reader *reader, struct mali_view *view, uint32_t *room,
                      struct util_arena *arena, struct mali_stop *stop)
{
    struct mali_texture *t = &view->texture;
    if (!mali_desc_read(reader, &mali_desc_texture, view->address, t, stop))
        return false;
    if (!t->surface_pointer_is_64b)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, reader->unit,
                             view->address, "texture: surfaces with pointers of 32 bits are not known");
    view->faces = t->dimension == MALI_TEXTURE_DIMENSION_CUBE ? 6 : 1;
    view->samples = t->dimension == MALI_TEXTURE_DIMENSION_3D ? 1 : t->sample_count;
    uint64_t count = (uint64_t)t->levels * view->faces * view->samples * t->array_size;
    if (count > *room)
        return mali_stop_set(stop, MALI_DATA_INVALID_FAULT, GPU_FAULT_UNSUPPORTED, reader->unit,
                             view->address, "texture: more than %u surfaces in one draw", MALI_SURFACES_MOST);
    *room -= (uint32_t)count;
    view->surface_count = (uint32_t)count;
    view->surface = take(reader, arena, view->address, count, sizeof *view->surface, stop);
    if (!view->surface)
        return false;
    const struct mali_desc *desc = surface_desc(t);
    uint64_t at = view->address + mali_desc_texture.bytes[reader->version];
    for (uint32_t n = 0; n < count; n++, at += desc->bytes[reader->version]) {
        view->surface[n] = (struct mali_surface_stride){0};
        if (!mali_desc_read(reader, desc, at, &view->surface[n], stop))
            return false;
    }
    return true;
}

static bool read_views(const struct mali_reader *reader, uint64_t address, uint32_t count,
                       struct util_arena *arena, struct mali_bindings *out, struct mali_stop *stop)
{
    uint32_t room = MALI_SURFACES_MOST;
    out->texture = take(reader, arena, address, count, sizeof *out->texture, stop);
    for (uint32_t n = 0; out->texture && n < count; n++) {
        struct mali_surface at; /* a list of pointers is one of surfaces without strides */
        out->texture[n] = (struct mali_view){0};
        if (!mali_desc_read(reader, &mali_desc_surface, address + (uint64_t)n * POINTER_BYTES, &at, stop))
            return false;
        out->texture[n].address = at.pointer;
        if (!read_view(reader, &out->texture[n], &room, arena, stop))
            return false;
    }
    return out->texture;
}

/* ---- attributes ---- */

/* Attributes and the buffers that they name. */
static bool read_attributes(const struct mali_reader *reader, uint64_t attributes, uint32_t count,
                            uint64_t buffers, struct util_arena *arena, struct mali_attribute **out,
                            struct mali_array **arrays, uint32_t *array_count, struct mali_stop *stop)
{
    *array_count = 0;
    *out = read_list(reader, &mali_desc_attribute, attributes, count, arena, stop);
    if (!*out)
        return false;
    for (uint32_t n = 0; n < count; n++)
        *array_count = UTIL_MAX(*array_count, (*out)[n].buffer_index + 1);
    *arrays = take(reader, arena, buffers, *array_count, sizeof **arrays, stop);
    return *arrays && mali_arrays_read(reader, buffers, *array_count, *arrays, stop);
}

/* ---- all of it ---- */

static bool read_blends(const struct mali_reader *reader, uint64_t state, uint32_t targets,
                        struct mali_bindings *out, struct mali_stop *stop)
{
    uint64_t at = state + mali_desc_state.bytes[reader->version];
    out->blend_count = reader->version == MALI_V4 ? 0 : UTIL_MIN(targets, MALI_TARGETS);
    for (uint32_t n = 0; n < out->blend_count; n++, at += mali_desc_blend.bytes[reader->version])
        if (!mali_desc_read(reader, &mali_desc_blend, at, &out->blend[n], stop))
            return false;
    return true;
}

bool mali_bindings_read(const struct mali_reader *reader, const struct mali_draw *draw, uint32_t targets,
                        struct util_arena *arena, struct mali_bindings *out, struct mali_stop *stop)
{
    struct mali_state *s = &out->state;
    memset(out, 0, sizeof *out);
    if (!mali_desc_read(reader, &mali_desc_state, draw->state, s, stop) ||
        !read_blends(reader, draw->state, targets, out, stop))
        return false;
    /* A framebuffer begins with its local storage, too. */
    if (!mali_desc_read(reader, &mali_desc_storage, draw->thread_storage & ~(uint64_t)MALI_TAG_MASK,
                        &out->storage, stop))
        return false;
    out->has_viewport = draw->viewport;
    if (draw->viewport && !mali_desc_read(reader, &mali_desc_viewport, draw->viewport, &out->viewport, stop))
        return false;
    if (!read_attributes(reader, draw->attributes, s->attribute_count, draw->attribute_buffers, arena,
                         &out->attribute, &out->attribute_buffer, &out->attribute_buffer_count, stop) ||
        !read_attributes(reader, draw->varyings, s->varying_count, draw->varying_buffers, arena,
                         &out->varying, &out->varying_buffer, &out->varying_buffer_count, stop))
        return false;
    out->uniform_buffer = read_list(reader, &mali_desc_uniform_buffer, draw->uniform_buffers,
                                    s->uniform_buffer_count, arena, stop);
    if (!out->uniform_buffer || !read_views(reader, draw->textures, s->texture_count, arena, out, stop))
        return false;
    out->sampler = read_list(reader, &mali_desc_sampler, draw->samplers, s->sampler_count, arena, stop);
    return out->sampler;
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

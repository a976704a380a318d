/* What a compute, vertex or tiler job's draw descriptor leads to, fetched once: renderer state, attributes,
 * varyings and their buffers, uniform buffers, textures with their surfaces, samplers, viewport, storage.
 * Internal to gpu/mali. */
#ifndef VITRAIL_GPU_MALI_DRAW_H
#define VITRAIL_GPU_MALI_DRAW_H

#include "gpu/mali/arrays.h"
#include "util/arena.h"

#define MALI_TARGETS       8u         /* render targets, each with its blending */
#define MALI_SURFACES_MOST (1u << 18) /* of all textures of a draw: ours */
#define MALI_TAG_MASK      63u        /* lower bits of addresses of framebuffers, which say what they are */

/* A texture with its surfaces, or, at address 0, none (drivers leave holes in their lists): layer by layer, in it level by level, face by face, sample by sample (Mesa's
 * pan_texture.c). */
struct mali_view {
    const struct mali_stop *refused; /* who uses it ends so; NULL: it may be used */
    uint64_t address;
    struct mali_texture texture;
    uint32_t faces, samples, surface_count;
    struct mali_surface_stride *surface; /* strides are 0 where the texture has none of its own */
};

static inline const struct mali_surface_stride *mali_view_surface(const struct mali_view *view,
                                                                  uint32_t layer, uint32_t level,
                                                                  uint32_t face, uint32_t sample)
{
    return &view->surface[((layer * view->texture.levels + level) * view->faces + face) * view->samples +
                          sample];
}

struct mali_attribute_of {
    const struct mali_stop *refused; /* likewise */
    struct mali_attribute attribute;
};
struct mali_sampler_of {
    const struct mali_stop *refused;
    struct mali_sampler sampler;
};
struct mali_uniform_of {
    const struct mali_stop *refused;
    struct mali_uniform_buffer buffer;
};

struct mali_bindings {
    struct mali_state state;
    struct mali_blend blend[MALI_TARGETS]; /* v5: one a target; v4 has its own in the state */
    uint32_t blend_count;
    struct mali_attribute_of *attribute, *varying;
    struct mali_array *attribute_buffer, *varying_buffer;
    uint32_t attribute_buffer_count, varying_buffer_count;
    struct mali_uniform_of *uniform_buffer;
    struct mali_view *texture;
    struct mali_sampler_of *sampler;
    bool has_viewport;
    struct mali_viewport viewport;
    struct mali_storage storage;
};

/* Lists are in the arena (NULL: they are not read), as long as the state says (or the count beside them). `targets`: how many blends
 * stand behind the state (v5), 0 for jobs that do not blend. False and *stop: the state, its blends,
 * the storage or the viewport cannot be read or mean nothing, budget, or no host memory; what is wrong with a
 * place of a list stands there. */
bool mali_bindings_read(const struct mali_reader *reader, const struct mali_draw *draw, uint32_t targets,
                        struct util_arena *arena, struct mali_bindings *out, struct mali_stop *stop);

/* Invocations: how many in a workgroup along x, y, z, and how many workgroups. */
void mali_invocation_sizes(const struct mali_invocation *invocation, uint64_t size[3], uint64_t groups[3]);

#endif

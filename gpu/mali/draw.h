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

/* A texture with its surfaces, or, at address 0, none (drivers leave holes in their lists): layer by layer, in it level
 * by level, face by face, sample by sample (Mesa's pan_texture.c). */
struct mali_view {
    const struct mali_stop *refused; /* who uses it ends so; NULL: it may be used */
    uint64_t address;
    struct mali_texture texture;
    uint32_t faces, samples, surface_count;
    bool levels_last; /* since v7: layer by layer, in it face by face, sample by sample, level by level */
    struct mali_surface_stride *surface; /* strides are 0 where the texture has none of its own */
    struct mali_plane *plane;            /* v9: what each surface was made of; all samples are in one */
};

static inline const struct mali_surface_stride *mali_view_surface(const struct mali_view *view,
                                                                  uint32_t layer, uint32_t level,
                                                                  uint32_t face, uint32_t sample)
{
    if (view->levels_last)
        return &view->surface[((layer * view->faces + face) * view->samples + sample) * view->texture.levels +
                              level];
    return &view->surface[((layer * view->texture.levels + level) * view->faces + face) * view->samples +
                          sample];
}

struct mali_attribute_of {
    const struct mali_stop *refused; /* likewise */
    struct mali_attribute attribute; /* its offset counts, whatever it says of that */
};
struct mali_sampler_of {
    const struct mali_stop *refused;
    struct mali_sampler sampler;
};
struct mali_uniform_of {
    const struct mali_stop *refused;
    struct mali_uniform_buffer buffer;
};

/* v9: what stands in a table of resources, by the type that it says it has. Programs name table and place. */
struct mali_resource_of {
    const struct mali_stop *refused;
    uint32_t type; /* MALI_DESCRIPTOR_TYPE_..; others than those below are nobody's */
    union {
        struct mali_view *view;
        struct mali_sampler sampler;
        struct mali_attribute_v9 attribute;
        struct mali_buffer_v9 buffer;
    };
};
struct mali_table {
    const struct mali_stop *refused; /* the table as a whole: it has no entries then */
    uint64_t address;
    struct mali_resource_of *entry;
    uint32_t count;
};
#define MALI_ENTRIES_MOST (1u << 16) /* of all tables of a program: ours */
struct mali_bindings;
/* NULL: there is none of that type, or it cannot be read: *refused says why, or is NULL. */
const struct mali_resource_of *mali_entry_find(const struct mali_bindings *bindings, uint32_t table,
                                               uint32_t number, uint32_t type,
                                               const struct mali_stop **refused);

struct mali_bindings {
    struct mali_state state; /* v9: what its other descriptors say of the same (environment.c) */
    struct mali_attribute_of *attribute, *varying;
    struct mali_array *attribute_buffer, *varying_buffer;
    uint32_t attribute_buffer_count, varying_buffer_count;
    struct mali_uniform_of *uniform_buffer;
    struct mali_view *texture;
    struct mali_sampler_of *sampler;
    bool has_viewport;
    struct mali_viewport viewport;
    struct mali_storage storage;
    /* v9, whose lists above are empty; of earlier versions all zero: */
    struct mali_environment environment;
    struct mali_table *table;
    uint32_t table_count; /* those behind it are empty */
    uint32_t blend_count;
    /* v9 alone. Of fragments: what no earlier draw says, as the mask of targets, where vertices stand, how depth is
     * clamped. */
    struct mali_program program;
    struct mali_draw_v9 own;
    struct mali_depth_stencil depth_stencil;
    /* Of blend_count, since v5: one a target; v4 has its own in the state. */
    struct mali_blend blend[MALI_TARGETS];
};

/* Lists are in the arena (NULL: neither they nor blends and storage are read: what only programs ask for), as long as the
 * state says (or the count beside them). `targets`:
 * how many blends stand behind the state (v5 to v7), 0 for jobs that do not blend. False and *stop: the state, its
 * blends, the storage or the viewport cannot be read or mean nothing, budget, or no host memory; what is wrong with a
 * place of a list stands there. */
bool mali_bindings_read(const struct mali_reader *reader, const struct mali_draw *draw, uint32_t targets,
                        struct util_arena *arena, struct mali_bindings *out, struct mali_stop *stop);

/* Those blends alone: who draws into a frame knows how many there are, and a tiler job of v6 and v7 does not. */
bool mali_blends_read(const struct mali_reader *reader, uint64_t state, uint32_t targets,
                      struct mali_bindings *out, struct mali_stop *stop);
/* The program that a blend descriptor names (v5 and later), beside a draw whose own is `shader`: since v6 the upper
 * half of the address is that one's. False: it blends without one. */
static inline bool mali_blend_shader(enum mali_version version, const struct mali_blend *blend,
                                     uint64_t shader, uint64_t *address)
{
    *address = version >= MALI_V6 ? (shader >> 32 << 32) | blend->shader_pc : blend->shader_pc;
    return version >= MALI_V6 ? blend->mode == MALI_BLEND_MODE_SHADER : blend->blend_shader;
}

/* Where a texture's surfaces stand, and how many there are. */
struct mali_surfaces {
    const struct mali_desc *desc; /* of each: of them, or, v9, of planes */
    uint64_t address, count;
    uint32_t faces, samples; /* of a level of a layer */
};
struct mali_surfaces mali_surfaces_of(enum mali_version version, const struct mali_texture *texture,
                                      uint64_t address);
/* A texture with its surfaces, at view->address. `room`: surfaces that may still be read. */
bool mali_view_read(const struct mali_reader *reader, struct util_arena *arena, struct mali_view *view,
                    uint32_t *room, struct mali_stop *stop);

/* Room in the arena for a list of what stands at `address`, never NULL for an empty one. NULL and *stop: no memory. */
void *mali_list_room(const struct mali_reader *reader, struct util_arena *arena, uint64_t address,
                     uint64_t count, size_t size, struct mali_stop *stop);

/* v9 (environment.c). An environment with its program, storage and tables; at address 0 of its shader it has no
 * program. Lists as above. */
bool mali_environment_read(const struct mali_reader *reader, uint64_t address, struct util_arena *arena,
                           struct mali_bindings *out, struct mali_stop *stop);
/* A draw at `address` with the environment behind it, as draws and states of the versions before have it: out of
 * draw, depth and stencil, and blends. */
bool mali_draw_v9_read(const struct mali_reader *reader, uint64_t address, struct util_arena *arena,
                       struct mali_draw *draw, struct mali_bindings *out, struct mali_stop *stop);

/* Invocations: how many in a workgroup along x, y, z, and how many workgroups. */
void mali_invocation_sizes(const struct mali_invocation *invocation, uint64_t size[3], uint64_t groups[3]);

#endif

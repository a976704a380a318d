/* What the files of the vertex stage share. Internal to gpu/utgard/vertex*.c. */
#ifndef VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H
#define VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H

#include "gpu/program.h"
#include "gpu/utgard/vertex.h"
#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"
#include "isa/utgard_gp/trans.h"

/* An attribute array, or a varying array; `base` is the host's address of element 0. */
struct utgard_array {
    uint8_t *base;
    uint64_t stride;
    uint32_t type, components, address, bytes;
};

/* What a draw's arrays hold, as utgard_array_code has it; 0: the program does not use it. */
struct utgard_vertex_layout {
    uint16_t attribute[UTGARD_GP_ATTRIBUTES], varying[UTGARD_GP_VARYINGS];
};

/* All that code depends on. */
struct utgard_vertex_variant {
    const struct utgard_gp_program *program;
    struct utgard_vertex_layout layout;
};

static inline uint16_t utgard_array_code(const struct utgard_array *array)
{
    return (uint16_t)(1u << 15 | array->type << 2 | (array->components - 1));
}
static inline struct utgard_array utgard_array_of(uint16_t code)
{
    return (struct utgard_array){.type = code >> 2 & 0x1ff, .components = (code & 3u) + 1};
}

struct utgard_vertex_stage {
    const struct utgard_gp_program *program;
    struct jit_function *function; /* a utgard_vertex_fn; NULL: interpret */
    uint32_t attribute_count, varying_count, fuel, at;
    struct utgard_array attribute[UTGARD_GP_ATTRIBUTES], varying[UTGARD_GP_VARYINGS];
    uint32_t (*uniforms)[4]; /* as far as the program may look */
};

/* What compiled code is given beside the stage. */
struct utgard_vertex_args {
    struct utgard_gp_temporaries *temporaries; /* filled, for programs that store such: one batch a call */
    uint32_t fault[16];                        /* of each lane: 0, or enum utgard_gp_fault | pc << 8 */
    uint32_t fuel;
    /* Quick code has arrays fetched and stored by these, through the two tables. */
    void (*fetch)(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  uint32_t (*in)[4][16]);
    void (*store)(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  const uint32_t (*out)[4][16]);
    uint32_t (*in)[4][16], (*out)[4][16];
};
/* Shades `batches` batches of 16 vertices from `first` on. Lanes beyond `last` are that one's vertex again.
 * Returns how many ended well; the next one has fault[]. */
typedef uint32_t (*utgard_vertex_fn)(struct utgard_vertex_args *args, const struct utgard_vertex_stage *stage,
                                     uint32_t first, uint32_t batches, uint32_t last);

/* vertex_fetch.c: `lanes` vertices from `first` on; the last one again in the lanes that are left. */
bool utgard_attribute_bytes(const struct utgard_array *array, uint32_t *bytes); /* false: unknown type */
void utgard_fetch(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  uint32_t (*in)[4][16]);
bool utgard_varying_bytes(const struct utgard_array *array, uint32_t *bytes); /* false: unknown type */
void utgard_store(const struct utgard_vertex_stage *stage, uint32_t first, uint32_t lanes,
                  const uint32_t (*out)[4][16]);

/* vertex_observe.c: draw `number` of the job, prepared, is shaded for who looks on; or is `done`. */
void utgard_observe_shading(const struct gpu_observer *observer, const struct utgard_vertex_stage *stage,
                            const struct gpu_space *space, uint32_t number, uint32_t vertices, bool done);

/* vertex_ir.c: emits such a function; `data` is a struct utgard_vertex_variant. */
int utgard_vertex_emit(struct jit_builder *b, void *data);

/* vertex_code.c: a program's code for arrays of that layout; NULL where it cannot be compiled. */
struct jit_function *utgard_vertex_code(struct gpu_program *program, struct jit_engine *engine,
                                        const struct utgard_vertex_layout *layout);

#endif

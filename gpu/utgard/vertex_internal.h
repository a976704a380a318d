/* What the files of the vertex stage share. Internal to gpu/utgard/vertex*.c. */
#ifndef VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H
#define VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H

#include <stdalign.h>

#include "gpu/utgard/vertex.h"
#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"
#include "isa/utgard_gp/trans.h"

/* What compiled code is given; it reads and writes through this alone. */
struct utgard_vertex_args {
    const uint32_t (*uniforms)[4]; /* UTGARD_GP_FILE of them */
    struct utgard_gp_temporaries *temporaries;
    const uint32_t (*in)[4][16]; /* attributes */
    uint32_t (*out)[4][16];      /* varyings */
    uint32_t fault[16];          /* of each lane: 0, or enum utgard_gp_fault | pc << 8 */
    uint32_t fuel;
};
typedef void (*utgard_vertex_fn)(struct utgard_vertex_args *args);

/* A program and its code. */
struct utgard_vertex_program {
    struct utgard_gp_program *program;
    struct jit_function *function; /* a utgard_vertex_fn; NULL: interpret */
    bool tried;                    /* to compile it */
};

/* An attribute array, or a varying array; `base` is the host's address of element 0. */
struct utgard_array {
    uint8_t *base;
    uint64_t stride;
    uint32_t type, components, address, bytes;
};

struct utgard_vertex_stage {
    const struct utgard_vertex_program *code;
    uint32_t attribute_count, varying_count, fuel, at;
    struct utgard_array attribute[UTGARD_GP_ATTRIBUTES], varying[UTGARD_GP_VARYINGS];
    alignas(64) uint32_t uniforms[UTGARD_GP_FILE][4];
};

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

/* vertex_code.c: the program of these words, compiled when there is an engine and it can be. 0, or -EFAULT
 * with *stop. */
int utgard_programs_get(struct utgard_programs *programs, struct jit_engine *engine, const uint64_t *words,
                        uint32_t count, uint32_t address, const struct utgard_vertex_program **out,
                        struct utgard_stop *stop);

#endif

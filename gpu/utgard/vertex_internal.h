/* What the files of the vertex stage share. Internal to gpu/utgard/vertex*.c. */
#ifndef VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H
#define VITRAIL_GPU_UTGARD_VERTEX_INTERNAL_H

#include "gpu/program.h"
#include "gpu/utgard/vertex.h"
#include "gpu/vertex_run.h"
#include "isa/utgard_gp/ports.h"
#include "isa/utgard_gp/program.h"
#include "isa/utgard_gp/trans.h"

_Static_assert(UTGARD_GP_ATTRIBUTES == GPU_ARRAYS && UTGARD_GP_VARYINGS == GPU_ARRAYS, "an array each");

/* All that code depends on. */
struct utgard_vertex_variant {
    const struct utgard_gp_program *program;
    struct gpu_vertex_layout layout;
};

struct utgard_vertex_stage {
    struct gpu_vertex_stage run;
    const struct utgard_gp_program *program;
    uint32_t at;
    uint32_t (*uniforms)[4]; /* as far as the program may look */
};

/* vertex.c: the array of a table's entry, without its host address; false: its type is not known. */
bool utgard_array(uint32_t address, struct utgard_layout layout, bool varying, struct gpu_array *out);

/* vertex_observe.c: draw `number` of the job, prepared, is shaded for who looks on; or is `done`. */
void utgard_observe_shading(const struct gpu_observer *observer, const struct utgard_vertex_stage *stage,
                            const struct gpu_space *space, uint32_t number, uint32_t vertices, bool done);

/* vertex_ir.c: emits a gpu_vertex_fn; `data` is a struct utgard_vertex_variant. */
int utgard_vertex_emit(struct jit_builder *b, void *data);

/* vertex_code.c: a program's code for arrays of that layout; NULL where it cannot be compiled. */
struct jit_function *utgard_vertex_code(struct gpu_program *program, struct jit_engine *engine,
                                        const struct gpu_vertex_layout *layout);

#endif

/* What the files of the vertex stage share. Internal to gpu/vc4/vertex*.c. */
#ifndef VITRAIL_GPU_VC4_VERTEX_INTERNAL_H
#define VITRAIL_GPU_VC4_VERTEX_INTERNAL_H

#include <stdalign.h>

#include "gpu/array.h"
#include "gpu/memory.h"
#include "gpu/vc4/vertex.h"
#include "gpu/vc4/vertex_vpm.h"
#include "gpu/vc4/program.h"
#include "raster/texture/texture.h"

/* What compiled code is given, once a call; it writes the last fields. */
struct vc4_vertex_args {
    const uint32_t *uniforms, *numbers;
    const struct raster_texture *textures; /* by sample number */
    const uint8_t *memory;
    uint32_t last_word; /* highest address of a whole aligned word of guest memory */
    uint32_t fuel;
    uint32_t uniforms_at;
    uint32_t in_bytes, out_bytes; /* of a batch */
    uint32_t faulted;             /* 1: a raw lookup left memory, in lane `lane` of instruction `pc` */
    uint32_t pc, lane, address;   /* of the first such */
    uint64_t executed;            /* grows by the instructions of batches that end */
};

/* Runs `count` batches; returns 0 or a fault as vc4_qpu_translate codes it, after which nothing that was
 * written has a meaning. */
typedef uint32_t (*vc4_vertex_fn)(struct vc4_vertex_args *args, const uint32_t (*in)[16], uint32_t (*out)[16],
                                  uint32_t count);

/* All that a stage's code depends on. */
struct vc4_vertex_variant {
    const struct vc4_qpu_program *program;
    const struct vc4_vpm_plan *plan;
    const struct raster_texture_key *keys; /* by sample number */
    enum isa_numeric numeric;
    bool coordinate; /* shaded many batches at a time, where vertices are by the unit of their cache */
};

struct vc4_vertex_stage {
    struct util_arena *arena; /* where it stands; NULL: on the heap */
    const struct gpu_memory *memory;
    const struct vc4_qpu_program *program;
    const char *unit; /* "vertex program" or "coordinate program" */
    uint32_t code, uniforms_at;
    /* Behind the stage, in its own piece of memory: program->uniform_count words; the same with NaNs as float
     * arithmetic takes them; textures by sample number, of which direct lookups and those with set-ups at
     * unknown places have a zero level_count. */
    uint32_t *uniforms, *numbers;
    struct raster_texture *textures;
    struct raster_texture_key *keys;
    uint32_t array_count;
    struct gpu_array array[VC4_MAX_ATTRIBUTES]; /* as far as the program reads them */
    uint64_t clear_rows;                        /* bit r: row r may be read and no array fills it */
    uint64_t clear_out; /* bit r: row r of a batch is not written whole by the code, and begins as zero */
    uint32_t in_rows;   /* of a batch's attributes */
    uint32_t rows, max_index, fuel;
    enum isa_numeric numeric;
    const struct vc4_vpm_plan *plan;
    struct vc4_vpm_plan *own_plan; /* the same, when the program does not keep it */
    struct jit_function *function; /* a vc4_vertex_fn; NULL: interpret */
};

/* vertex_interp.c: one batch through the interpreter; 0 or -EFAULT with *fault. *executed grows by the
 * instructions of a batch that ends. */
int vc4_vertex_interpret(const struct vc4_vertex_stage *stage, const uint32_t (*in)[16], uint32_t (*out)[16],
                         uint64_t *executed, struct gpu_fault *fault);
/* Puts a program's stop into words. */
void vc4_vertex_fault(const struct vc4_vertex_stage *stage, const struct vc4_qpu_report *report,
                      struct gpu_fault *fault);

/* vertex_key.c. The key of the variant's code, malloc'ed; NULL: no memory. */
uint8_t *vc4_vertex_key_write(const struct vc4_vertex_variant *variant, size_t *size);
/* A variant made of such a key: 0 and what gpu_program_recipe_finish ends, or negative errno. */
struct vc4_vertex_recipe {
    struct vc4_vertex_variant variant;
    struct vc4_vpm_plan plan;
    struct gpu_program_recipe of;
};
int vc4_vertex_key_read(const void *key, size_t size, struct vc4_vertex_recipe *out);

/* vertex_ir.c: compiles the stage or finds its code; 0 and stage->function, -ENOTSUP when it must be
 * interpreted, or another negative errno. Depends on the program, the numeric mode, the texture keys and the
 * engine alone.
 */
int vc4_vertex_compile(struct vc4_vertex_stage *stage, struct jit_engine *engine, struct util_error *error);
/* Begins with that (jit_engine_prepare). */
void vc4_vertex_compile_begin(const struct vc4_vertex_stage *stage, struct jit_engine *engine);

/* vertex_code.c; all that one cache of programs is for computes in one numeric mode. Code: the stage's
 * function, kept with the program, or found by vc4_vertex_compile. The plan: owned by the cache, or by the
 * caller when *own is set; NULL when memory is out. `cached` may be NULL for both. */
void vc4_vertex_code_find(struct gpu_program *cached, struct vc4_vertex_stage *stage,
                          struct jit_engine *engine);
const struct vc4_vpm_plan *vc4_vertex_plan(struct gpu_program *cached, const struct vc4_qpu_program *program,
                                           struct vc4_vpm_plan **own);

#endif

/* What the files of the fragment path share. Internal to gpu/utgard/frag*.c. */
#ifndef VITRAIL_GPU_UTGARD_FRAG_INTERNAL_H
#define VITRAIL_GPU_UTGARD_FRAG_INTERNAL_H

#include <stdalign.h>

#include "gpu/utgard/frag.h"
#include "gpu/utgard/texture.h"
#include "isa/utgard_pp/ports.h"
#include "raster/blend.h"
#include "raster/zs_blocks.h"

#define UTGARD_COMPONENTS 64 /* that a program can name; more than there are slots for */
#define UTGARD_NO_VARYING 0xff
#define UTGARD_LOOKUP_VARIANTS                                                                               \
    6 /* ways to ask for a texture: three kinds of level of detail, cubes and others */
#define UTGARD_DEPTH_MAX    16777215.0f
#define UTGARD_FRAG_VERSION 5u /* of the code that equal heads, texture keys and programs make */

/* What a block's fragments go through, in this order:
 *   1. coverage and the sample mask;
 *   2. with `early`, the depth and stencil tests; a block with no sample left is not run;
 *   3. the program, in all sixteen lanes: those outside stand for pixels beside the primitive's edge;
 *   4. discarded lanes drop out; the colour is rounded to 8 bits, for RGBA16F only to be tested; alpha test,
 *      alpha to coverage;
 *   5. without `early`, the depth and stencil tests, of the program's depth where it gives one;
 *   6. blending, into each sample that is left.
 * All that code depends on besides texture keys and the program; padding is zero. */
struct utgard_frag_head {
    struct raster_zs zs;
    struct raster_blend blend;
    uint8_t samples, sample_mask, early, alpha_func;
    uint8_t alpha_to_coverage, alpha_to_one;
    uint8_t depth_program, stencil_program, whole; /* rsw.h */
    uint8_t stencil_mask;                          /* with stencil_program: bits that are written */
    uint8_t depth_register, color_register;        /* of sample 0: code is compiled where all have the same */
    uint8_t second_register;                       /* of the colour that blend factors may name */
    uint8_t form;                    /* enum raster_ir_form; of deferred pixels early tests are done before */
    uint8_t points;                  /* varyings 0 and 1 are the point's coordinates */
    uint8_t numeric;                 /* enum isa_numeric */
    uint8_t version;                 /* UTGARD_FRAG_VERSION */
    uint8_t target;                  /* enum raster_target, of the tiles */
    uint8_t vary[UTGARD_COMPONENTS]; /* the primitive's varying of each component, or NO_VARYING */
    uint32_t uniform_count;          /* floats */
    uint32_t sample_count, word_count; /* of the program */
};

/* What code sees of a draw; immutable. */
struct utgard_frag_args {
    const float *uniforms;
    const struct raster_texture *textures; /* by the program's sample number */
    uint32_t blend_color, alpha_ref, fuel;
    float y_scale, y_offset;
};

/* A slot of a vertex, as varyings take it: the components that the program reads, one after the other. */
struct utgard_frag_slot {
    alignas(16) uint8_t order[16]; /* of the slot's four floats, byte by byte */
    uint32_t offset;               /* bytes from the vertex's first */
    uint8_t type;                  /* enum utgard_varying_type */
    uint8_t first, count;          /* varyings */
};

struct utgard_frag {
    struct raster_shader shader; /* its quads are kept with the program */
    struct utgard_frag_head head;
    struct utgard_frag_args args;
    struct gpu_program *from;
    const struct utgard_pp_program *program; /* of it, as `words` */
    const uint32_t *words;
    uint32_t address; /* of the program */
    /* By sample number, and behind them what registers choose from (utgard_frag_choice). */
    struct utgard_texture_key *keys;
    struct raster_texture *textures;
    float *uniforms;
    struct jit_engine *engine; /* NULL: the reference path */
    struct jit_function
        *one_block;      /* of programs whose temporaries are in memory (raster_shader_call.scratch:
                          * struct utgard_pp_temporaries, zeroed): called block by block */
    uint32_t vary_count; /* of vertices */
    uint8_t component[RASTER_MAX_VARYINGS]; /* of each */
    struct utgard_frag_slot slot[UTGARD_MAX_SLOTS];
    uint32_t slot_count; /* of them */
    struct utgard_state state;
};

/* Zeroed memory that lives as long as the draw, or NULL. */
void *utgard_frag_alloc(struct utgard_frag_shared *shared, size_t size);
/* frag_program.c: the program at the draw's address, read or known already. 0 or a negative errno, with
 * *fault but for -ENOMEM. */
int utgard_frag_take_program(struct utgard_frag *frag, const struct gpu_space *space,
                             struct utgard_frag_shared *shared, struct gpu_fault *fault);
/* The code that the draw wants, of frag->engine, kept with its program. False: the reference path serves. */
bool utgard_frag_take_code(struct utgard_frag *frag, bool in_order);

/* Where in `keys` and `textures` the texture stands that sample `n` takes where `offset` is added to its
 * number; UINT32_MAX where there is none that can be asked so. */
uint32_t utgard_frag_choice(const struct utgard_frag *frag, uint32_t n, int32_t offset);

/* frag_fetch.c: slots out of `component` and the state. */
void utgard_frag_plan_fetch(struct utgard_frag *frag);

/* frag_ref.c: the same, one lane after the other. 0, or a fault as utgard_pp_translate codes it. */
uint32_t utgard_frag_ref(const struct utgard_frag *frag, const struct raster_prim *prim,
                         struct raster_tile *tile, const struct raster_block *blocks, uint32_t count,
                         uint64_t *executed);

/* The same for who looks on (NULL: nobody); *executed grows by the instructions executed. */
uint32_t utgard_frag_ref_watched(const struct utgard_frag *frag, const struct gpu_watch *watch,
                                 const struct raster_prim *prim, struct raster_tile *tile,
                                 const struct raster_block *blocks, uint32_t count, uint64_t *executed);

/* frag_ir.c: compiles the draw's variant of that form or finds its code. 0, -ENOTSUP (left to the reference
 * path), or another negative errno. */
int utgard_frag_compile(const struct utgard_frag *frag, enum raster_ir_form form, struct jit_engine *engine,
                        struct jit_function **out, struct util_error *error);
/* frag_run.c: fills frag->shader, of a draw without code; then finds all the code that it wants, of
 * frag->engine, with `quads` where it may be shaded so. False: the reference path serves. */
void utgard_frag_begin_shader(struct utgard_frag *frag);
bool utgard_frag_find_code(struct utgard_frag *frag, bool in_order, struct raster_shader_quads *quads);

/* Whether code has the program's temporaries itself: a few, or none. */
#define UTGARD_OWN_TEMPORARIES 16u /* vec4s: what allocators of registers spill, not arrays */
static inline bool utgard_frag_own_temporaries(const struct utgard_pp_program *program)
{
    return !program->temporaries || program->temporary_to - program->temporary_from <= UTGARD_OWN_TEMPORARIES;
}

/* Alpha to coverage: sample n is covered where alpha (of 255) times 4 reaches this. */
static inline uint32_t utgard_coverage_limit(unsigned sample)
{
    return 255 * (sample + 1) - 127;
}

#endif

/* What the files of the compiled fragment path share. Internal to gpu/vc4/frag*.c. */
#ifndef VITRAIL_GPU_VC4_FRAG_INTERNAL_H
#define VITRAIL_GPU_VC4_FRAG_INTERNAL_H

#include "gpu/memory.h"
#include "gpu/vc4/frag.h"
#include "gpu/vc4/program.h"
#include "isa/vc4_qpu/ports.h"
#include "raster/zs_blocks.h"

#define VC4_FRAG_STENCIL_WORDS 4

/* How a program touches the tile, found once a draw from its instructions: what the compiled form builds on.
 * The accesses it cannot place leave the program to the interpreter. */
struct vc4_frag_plan {
    bool compiles;
    /* No lane can write anything but by passing the test of the payload's depth, so that a block in which
     * every lane fails it need not run. */
    bool early;
    /* What a block leaves does not depend on what was drawn there before but for the test of the payload's
     * depth, and running the program twice, or late, is not seen: every lane that passes gets its colour from
     * planes, uniforms and textures alone. Then the tests may all come first (raster/deferred.h). Whether
     * the program may end in a fault, so that it may not, its code tells. */
    bool opaque;
    /* Of opaque ones: a lane looks at none but its quad's, so that quads may be shaded in any company, and
     * that pays where blocks are mostly empty. */
    bool quads;
    bool tests, colors; /* of opaque ones: the depth is tested; a colour is written */
    /* Set-up words of the stencil test in program order: literals, or word numbers in the uniform stream. */
    uint32_t stencil_count;
    struct {
        bool literal;
        uint32_t value;
    } stencil[VC4_FRAG_STENCIL_WORDS];
};

/* `words`: of a sample's colour (raster_target_words). */
void vc4_frag_plan_make(const struct vc4_qpu_program *program, unsigned samples, unsigned words,
                        struct vc4_frag_plan *out);

/* Applies a TLB_STENCIL_SETUP word (Guide tables 27 and 28). */
void vc4_frag_stencil_word(struct raster_stencil face[2], uint32_t word);

/* The test that the plan's set-up words and the draw's state make; `uniforms` are the stream's words. */
void vc4_frag_plan_test(const struct vc4_frag_plan *plan, const uint32_t *uniforms,
                        const struct vc4_frag_config *config, struct raster_zs *out);

/* What compiled code sees of a draw; immutable. */
struct vc4_frag_args {
    const uint32_t *uniforms;              /* the program's uniform_count words */
    const uint32_t *numbers;               /* the same as float arithmetic takes them: one NaN */
    const struct raster_texture *textures; /* by sample number */
    const uint8_t *memory;
    uint32_t last_word; /* highest address of a whole aligned word of guest memory */
    uint32_t fuel;
    uint32_t uniforms_at; /* guest address of the stream */
};

/* A variant's code. */
struct vc4_frag_entry {
    struct jit_function *code; /* a raster_shader_fn */
    struct jit_function *test; /* of deferred blocks: a raster_zs_blocks_fn; NULL where all pass */
};

/* All that a variant's code depends on, besides the program's words. */
struct vc4_frag_variant {
    const struct vc4_qpu_program *program;
    const struct vc4_frag_plan *plan;
    const struct raster_texture_key *keys; /* by sample number */
    struct raster_zs zs;
    uint8_t samples, words;   /* of the tile; of a sample's colour */
    uint8_t coverage;         /* of programs that read it: 1 it is left as it is, 2 it comes as a mask */
    enum raster_ir_form form; /* but of RASTER_IR_PRIM the tests are done before, by raster/zs_blocks.h */
    enum isa_numeric numeric;
};

/* frag_code.c: what is kept with a program (`cached` NULL: nothing). The code of a variant: as
 * gpu_program_code; and the plan, made when it is not known. */
struct vc4_frag_entry *vc4_frag_code_get(struct gpu_program *cached, const struct vc4_frag_variant *variant,
                                         const struct jit_engine *engine, enum util_make_status *status);
void vc4_frag_plan_find(struct gpu_program *cached, const struct vc4_qpu_program *program, unsigned samples,
                        unsigned words, struct vc4_frag_plan *out);

/* frag_key.c. The key of the variant's code, malloc'ed; NULL: no memory. */
uint8_t *vc4_frag_key_write(const struct vc4_frag_variant *variant, size_t *size);
/* A variant made of such a key: 0 and what gpu_program_recipe_finish ends, or negative errno. */
struct vc4_frag_recipe {
    struct vc4_frag_variant variant;
    struct vc4_frag_plan plan;
    struct gpu_program_recipe of;
};
int vc4_frag_key_read(const void *key, size_t size, struct vc4_frag_recipe *out);

/* Compiles the variant or finds its code, a raster_shader_fn. 0, -ENOTSUP when it must be
 * interpreted, or another negative errno.
 */
int vc4_frag_compile(const struct vc4_frag_variant *variant, struct jit_engine *engine,
                     struct jit_function **out, struct util_error *error);
/* Begins with that (jit_engine_prepare). */
void vc4_frag_compile_begin(const struct vc4_frag_variant *variant, struct jit_engine *engine);

#endif

/* Compiled fragments: what a draw's code depends on, what it reads, and how it is found. Internal to
 * gpu/mali/frag*.c. */
#ifndef VITRAIL_GPU_MALI_FRAG_CODE_H
#define VITRAIL_GPU_MALI_FRAG_CODE_H

#include "gpu/mali/frag_internal.h"
#include "gpu/mali/world_ir.h"
#include "raster/block_ir.h"

/* What a varying descriptor comes to. */
enum mali_frag_varying_kind {
    FRAG_VARYING_NONE, /* nothing that code can give: the draw is interpreted if its program asks for it */
    FRAG_VARYING_SLOT,
    FRAG_VARYING_CONSTANT, /* its order chooses zeros and ones */
    FRAG_VARYING_COORD,
    FRAG_VARYING_POINT,
    FRAG_VARYING_POINT_UP,
    FRAG_VARYING_FACING
};
struct mali_frag_varying_form {
    uint16_t format, order; /* flat slots' format; others are four floats */
    uint8_t kind, flat, first, count;
};

/* A word of the uniforms that code has as a constant. */
#define MALI_FRAG_KNOWN 4u
struct mali_frag_known {
    uint32_t word, value;
};

/* All that code depends on besides the program and its lookups; a key, without padding of any contents. */
struct mali_frag_forms {
    struct mali_code_forms world;
    struct mali_frag_varying_form varying[MALI_CODE_ARRAYS];
    struct raster_targets tile;
    struct raster_zs zs;
    struct raster_blend blend[MALI_TARGETS];
    uint8_t form; /* enum raster_ir_form; of deferred pixels tests are done before */
    uint8_t has_program, early, depth_given, alpha_func, alpha_to_coverage, query, ahead;
    uint8_t written, alpha_to_one; /* bit n: target n */
    uint8_t calls;   /* it may call ports: raster_shader_call.scratch is a struct mali_threads */
    uint8_t shaders; /* bit n: target n has a blend shader */
    uint16_t sample_mask;
    /* Of programs of isa/warp: blend descriptors as they get them, places of a vertex's words (struct mali_frag). */
    uint8_t version, raw; /* raw: bit n: target n */
    uint32_t words[MALI_TARGETS][2], varying_table;
    uint8_t word[2][FRAG_WORDS_MOST];
    struct mali_frag_message messages[MALI_FRAG_MESSAGES];
    uint8_t point_up, runs_failed;
    uint8_t at_once,
        fixed_blends; /* tests and colours as the program comes to them; no BLEND asks for a blend shader */
    uint8_t per_sample, stencil_given, known_count, zero;
    struct mali_frag_known known[MALI_FRAG_KNOWN]; /* of known_count: uniforms that are in the code */
};

/* What code reads of a draw (raster_shader.args); immutable but for `passed`. */
struct mali_frag_args {
    struct mali_code code;
    float alpha_reference, constant[MALI_TARGETS];
    uint32_t fuel;
    uint64_t shader[MALI_TARGETS];           /* addresses of blend shaders */
    uint32_t special[MALI_SPECIAL_BLEND][2]; /* by enum mali_special */
    _Atomic uint64_t *passed;                /* the draw's count of samples */
};

struct mali_frag_variant {
    const struct mali_decoded *program; /* NULL: there is none */
    const struct mali_frag_forms *forms;
    const struct mali_code_lookup *lookups;
    const struct mali_decoded *shader[MALI_TARGETS]; /* blend shaders, as forms->shaders says */
};
/* frag_ir.c: emits the function, a raster_shader_fn. 0, -ENOTSUP: the program asks for what code cannot give,
 * or another negative errno. */
int mali_frag_emit(struct jit_builder *b, const struct mali_frag_variant *variant);

/* frag_warp_code.c: whether code can do what a program of isa/warp asks for, and the blend shaders that it may go to; the
 * forms that such a program has. */
bool mali_frag_has_warp_code(const struct mali_frag *frag);
void mali_frag_set_warp_forms(const struct mali_frag *frag, struct mali_frag_forms *forms);
/* Each lane writes its colour, once, to target 0, and all the samples that it has. */
bool mali_frag_writes_always(const struct warp_program *program);

/* frag_code.c: the draw's code, kept with its program, into frag->shader, or, where it calls ports, frag->called.
 * What has none is interpreted. */
void mali_frag_take_code(struct mali_frag *frag, struct jit_engine *engine, bool in_order);
/* frag_fault.c: a fault of code as an interpreter would tell it, with what raster_shader_call.address has, of threads that run
 * it and have found no other: false and *stop. The same as report of struct raster_shader_family. */
bool mali_frag_fault(const struct mali_frag *frag, struct mali_threads *threads, uint32_t code,
                     uint64_t address, struct mali_stop *stop);
void mali_frag_report(const struct raster_shader *shader, uint32_t code, uint64_t address, void *fault);
struct jit_function *mali_frag_quads(const struct raster_shader *shader);

#endif

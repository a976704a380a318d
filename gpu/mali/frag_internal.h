/* What the files of the fragment path share. Internal to gpu/mali/frag*.c. */
#ifndef VITRAIL_GPU_MALI_FRAG_INTERNAL_H
#define VITRAIL_GPU_MALI_FRAG_INTERNAL_H

#include "gpu/follow.h"
#include "gpu/mali/frag.h"
#include "gpu/mali/world.h"
#include "raster/output.h"

#define FRAG_UNIT          "fragment program"
#define FRAG_NO_SLOT       0xff
#define FRAG_VARYINGS_MOST 256u /* descriptors that are looked at; programs name more by registers alone */

/* A varying of vertices, as set-up takes it: of an interpolated one its format's channels, as floats; of a
 * flat one the words that stand in memory. */
struct mali_frag_slot {
    uint64_t address; /* of element 0 */
    uint32_t stride;
    uint16_t format;                  /* enum raster_format */
    const struct mali_array *divided; /* which element is a vertex's; NULL: each has its own */
    bool flat;
    uint8_t first, count; /* among the vertices' varyings */
    uint8_t bytes;        /* of a vertex's */
    uint8_t as;           /* enum mali_frag_unpacking */
};
/* Halves of vertices that stand near each other, which the processor makes singles of: where the first one's begin. */
struct mali_frag_halves {
    uint64_t address;
    uint32_t stride, bytes; /* of a vertex's that are read; 0: they do not, or it has no instruction for it */
};
/* How a vertex's bytes become numbers. */
enum mali_frag_unpacking {
    FRAG_UNPACK, /* by the format's row */
    FRAG_COPY,   /* as they are */
    FRAG_HALVES
};

/* What a block's fragments go through, in this order:
 *   1. coverage and the sample mask;
 *   2. with `early`, the depth and stencil tests; a block with no sample left is not run;
 *   3. the program, in the quads that have a lane left: the others of those are helpers;
 *   4. discarded lanes drop out; alpha test and alpha to coverage, by target 0's alpha;
 *   5. without `early`, the tests, of the program's depth and stencil where it gives them;
 *   6. each target that was written out: its blend shader, or blending. */
struct mali_frag {
    struct raster_shader shader; /* its address is the draw's */
    struct mali_frag_shared *shared;
    const struct raster_targets *tile;
    bool has_program;
    struct mali_world world;
    /* Varyings. */
    uint32_t slot_count, vary_count;
    uint32_t flat; /* the first so many are flat */
    uint8_t ahead; /* varyings before the vertices': a point's coordinates */
    struct mali_frag_halves halves;
    /* Tests. */
    struct raster_zs zs;
    bool early, alpha_to_coverage, per_sample, depth_given, stencil_given;
    uint8_t alpha_func; /* enum raster_func */
    float alpha_reference;
    uint16_t sample_mask;
    /* Targets. */
    struct mali_frag_target {
        bool written; /* it has blending, and some channel is written */
        bool alpha_to_one;
        struct raster_blend blend;
        float constant;
        struct mali_world *shader; /* the blend shader's, or NULL */
    } target[MALI_TARGETS];
    /* Code (frag_code.h), or what is interpreted: args, and the function of blocks in order where it calls ports. */
    struct mali_frag_args *args;
    struct jit_function *called;
    /* An occlusion query's: samples passed. */
    enum raster_query query;
    _Atomic uint64_t passed;
    struct mali_frag *next;
    /* Large, and not zeroed first: */
    union {
        union mali_payload payload;
        struct mali_tiler_job job;
    };
    uint8_t slot_of[FRAG_VARYINGS_MOST];             /* by descriptor */
    struct mali_frag_slot slot[RASTER_MAX_VARYINGS]; /* of slot_count */
};

/* frag_state.c: tests and blending out of the state. False and *stop: what is not done. */
bool mali_frag_set_tests(struct mali_frag *frag, struct mali_stop *stop);
bool mali_frag_set_targets(struct mali_frag *frag, struct mali_stop *stop);
/* frag_varying.c: which varyings the program reads, and where they stand. */
bool mali_frag_place_varyings(struct mali_frag *frag, struct mali_stop *stop);
/* How halves are read: `instruction`, the processor has one. */
void mali_frag_find_halves(struct mali_frag *frag, bool instruction);
/* Where vertices have them, for who reads them. */
void mali_frag_say_varyings(const struct mali_frag *frag, struct gpu_frame_draw *draw);

/* frag_ref.c: the family of frag->shader. */
extern const struct raster_shader_family mali_frag_family;

/* ---- the reference path: frag_ref.c runs blocks, frag_ports.c is what programs meet ---- */

/* A block at hand. */
struct mali_frag_batch {
    struct mali_threads threads; /* first: the ports' context */
    const struct mali_frag *frag;
    const struct raster_prim *prim;
    struct raster_tile *tile;
    uint32_t x, y;   /* pixel of lane 0 in the tile */
    int32_t px, py;  /* in the window */
    uint32_t sample; /* that is shaded, of draws that are shaded sample by sample; else 0 */
    float dx, dy;    /* from a pixel's centre to where varyings are taken */
    uint16_t live[RASTER_TARGET_SAMPLES];
    uint32_t depth[16];
    uint8_t stencil[16];
    /* What the program has written out. */
    uint16_t written[MALI_TARGETS]; /* lanes */
    bool given_depth, given_stencil;
    struct raster_output_colors color[MALI_TARGETS][16];
    unsigned blending; /* 0, or the target whose blend shader runs plus 1 */
    uint64_t executed;
    /* frag_watch.c: */
    const struct gpu_watch *watch; /* who may look at blocks; NULL: nobody */
    bool looking;                  /* at this one */
    uint64_t began;                /* `executed`, before it */
    struct gpu_following following;
    struct midgard_ports unwatched; /* what the ports that tell begin with */
};

/* The threads of a zeroed batch, with the ports of fragments. */
void mali_frag_ports_begin(struct mali_frag_batch *batch, struct mali_world *world);

/* Of a lane: 1/w and depth where the pixel has its centre; alpha for the alpha test, and what that says. */
float mali_frag_inv_w(const struct mali_frag_batch *batch, unsigned lane);
uint32_t mali_frag_depth(const struct mali_frag_batch *batch, unsigned lane);
float mali_frag_alpha(const struct mali_frag_batch *batch, unsigned lane);
bool mali_frag_passes_alpha(const struct mali_frag *frag, float alpha);

/* ---- frag_watch.c: blocks that somebody looks at; all but the first two where batch->looking ---- */

/* Ports that tell, in place of the batch's. */
void mali_frag_watch_ports(struct mali_frag_batch *batch);
/* A block begins, of whose samples these lanes are covered: asks batch->watch, and sets batch->looking. */
void mali_frag_look(struct mali_frag_batch *batch, const struct raster_block *block, const uint16_t *covered);
/* It is done, or (stop->fault) ended in a fault. */
void mali_frag_look_away(struct mali_frag_batch *batch, const struct mali_stop *stop);
/* Does `test`, before or after the program. */
void mali_frag_look_at_test(struct mali_frag_batch *batch, bool program,
                            void (*test)(struct mali_frag_batch *batch, bool program));
/* A midgard_trace_fn of the batch; and the end of what it was told of. */
void mali_frag_on_insn(void *batch, const struct midgard_insn *insn, uint16_t lanes,
                       const struct midgard_state *state);
void mali_frag_look_at_end(const struct mali_frag_batch *batch, const struct midgard_state *state);
/* Lanes that the program takes out. */
void mali_frag_look_at_discards(const struct mali_frag_batch *batch, uint16_t lanes);
/* The colours are there, the targets still to be written. */
void mali_frag_look_at_targets(const struct mali_frag_batch *batch);

#endif

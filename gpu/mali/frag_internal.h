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
#define FRAG_WORDS_MOST    256u /* likewise, of a vertex's bytes */

/* A message that v7 sends before the program begins (frag_preload.c); bytes alone. */
#define MALI_FRAG_MESSAGES 2u
struct mali_frag_message {
    uint8_t type; /* enum mali_message_type */
    uint8_t varying, texture, format, components, zero_level, by_sample, zero;
};

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

/* What a varying's descriptor comes to. */
struct mali_frag_descriptor {
    enum mali_array_kind kind;      /* of vertices (1D), or what the hardware makes itself */
    const struct mali_array *array; /* which element is a vertex's; NULL: each has its own */
    uint64_t address;               /* of vertices: element 0 */
    uint32_t stride;
    enum raster_format format;
    uint32_t order;
    bool constant; /* its order chooses zeros and ones */
};

/* How a program asks for varyings: by descriptors, and since v9 by words of what a vertex has. */
struct mali_frag_asked {
    bool smooth[FRAG_VARYINGS_MOST], flat[FRAG_VARYINGS_MOST], linear;
    bool word[2][FRAG_WORDS_MOST], any_word[2]; /* interpolated, flat; by registers: any */
    uint32_t table;                             /* of the descriptors, as handles have it */
    uint32_t words;                             /* how many of both, at most */
    uint32_t count; /* of descriptors that are asked for, and their numbers in order */
    uint8_t number[FRAG_VARYINGS_MOST];
};

/* What a block's fragments go through, in this order:
 *   1. coverage and the sample mask;
 *   2. with `early`, the depth and stencil tests; a block with no sample left is not run;
 *   3. the program, in the quads that have a lane left: the others of those are helpers;
 *   4. discarded lanes drop out; alpha test and alpha to coverage, by target 0's alpha;
 *   5. without `early`, the tests, of the program's depth and stencil where it gives them;
 *   6. each target that was written out: its blend shader, or blending.
 * A program of isa/warp does steps 4 to 6 itself (frag_blend_warp.c): ATEST takes samples out, then come the tests; BLEND
 * and ST_TILE write what is left, of lanes that have met no ATEST behind the tests, too. Lanes that did nothing of it
 * are tested when they have ended. */
struct mali_frag {
    struct raster_shader shader; /* its address is the draw's */
    struct mali_frag_shared *shared;
    const struct raster_targets *tile;
    bool has_program;
    /* Varyings. */
    uint32_t slot_count, vary_count;
    uint32_t flat; /* the first so many are flat */
    uint8_t ahead; /* varyings before the vertices': a point's coordinates */
    struct mali_frag_halves halves;
    /* Tests. */
    struct raster_zs zs;
    bool early, alpha_to_coverage, per_sample, depth_given, stencil_given;
    bool runs_failed;   /* `early`: the program runs for samples that have failed, too */
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
        uint32_t words[2];         /* since v6: its descriptor as programs get it */
        uint32_t rt;               /* the target that this names; 0 where it is off */
    } target[MALI_TARGETS];
    /* Code (frag_code.h), or what is interpreted: args, and the function of blocks in order where it calls ports. */
    struct mali_frag_args *args;
    struct jit_function *called;
    /* An occlusion query's: samples passed. */
    enum raster_query query;
    _Atomic uint64_t passed;
    struct mali_frag *next;
    uint32_t vertices; /* v9: their varyings, of number 0 */
    struct mali_frag_message messages[MALI_FRAG_MESSAGES];
    uint32_t varying_table;              /* of descriptors in slot_of, as handles have it */
    const struct mali_frag_asked *asked; /* NULL: it has no program */
    struct mali_frag_slot *slot;         /* of slot_count */
    /* NULL: the program asks for none. */
    uint8_t *slot_of;                    /* by descriptor, of FRAG_VARYINGS_MOST */
    uint8_t (*word_of)[FRAG_WORDS_MOST]; /* interpolated, flat: the varying; FRAG_NO_SLOT */
    /* Not zeroed first: */
    struct mali_world world;
    struct mali_drawn job;
};

/* Of descriptor `index`, as programs name it; FRAG_NO_SLOT: it has none. */
static inline uint8_t mali_frag_slot_of(const struct mali_frag *frag, uint32_t index)
{
    const uint32_t number = index ^ frag->varying_table;
    return frag->slot_of && number < FRAG_VARYINGS_MOST ? frag->slot_of[number] : FRAG_NO_SLOT;
}
/* Of a word of a vertex's, interpolated or flat: the varying that it is; or FRAG_NO_SLOT. */
static inline uint8_t mali_frag_word_of(const struct mali_frag *frag, bool flat, uint32_t word)
{
    return frag->word_of && word < FRAG_WORDS_MOST ? frag->word_of[flat][word] : FRAG_NO_SLOT;
}

/* frag_state.c: tests and blending out of the state. False and *stop: what is not done. */
bool mali_frag_set_tests(struct mali_frag *frag, struct mali_stop *stop);
bool mali_frag_set_targets(struct mali_frag *frag, struct mali_stop *stop);
/* frag_varying.c: which varyings the program reads, and where they stand. */
bool mali_frag_place_varyings(struct mali_frag *frag, struct mali_stop *stop);
/* Descriptor `index` of varyings; since v9 the upper eight bits are its table. False and *stop: it cannot be used. */
bool mali_frag_describe(const struct mali_frag *frag, uint32_t index, struct mali_frag_descriptor *out,
                        struct mali_stop *stop);
/* frag_varying_warp.c: the same of programs of isa/warp, of v9's descriptors, and of words: `flat` or not. */
void mali_frag_look_warp(const struct warp_program *program, struct mali_frag_asked *asked);
bool mali_frag_describe_v9(const struct mali_frag *frag, uint32_t handle, struct mali_frag_descriptor *out,
                           struct mali_stop *stop);
bool mali_frag_place_words(struct mali_frag *frag, const struct mali_frag_asked *asked, bool flat);
/* Whether it reads where a point's fragment is on the point. */
bool mali_frag_reads_point(const struct warp_program *program);
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
    /* Of programs of isa/warp: samples that they are told of; lanes that have been tested behind them; ATEST's alpha; the
     * threads that run, or that left for a blend shader. */
    uint16_t covered[RASTER_TARGET_SAMPLES];
    uint16_t tested;
    float alpha[16];
    union mali_sixteen *state;
    struct warp_ports all; /* what all programs of isa/warp have */
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
    union { /* what the ports that tell begin with */
        struct midgard_ports unwatched;
        struct warp_ports unwatched_warp;
    };
};

/* The threads of a zeroed batch, with the ports of fragments. */
void mali_frag_ports_begin(struct mali_frag_batch *batch, struct mali_world *world);
/* A port's fault of the lowest of these lanes: "what value". Returns false. */
bool mali_frag_refuse(struct mali_frag_batch *batch, uint16_t lanes, const char *what, uint32_t value,
                      struct isa_place *place);

/* Where a lane's values are taken, from its pixel's centre. */
struct mali_frag_spot {
    unsigned lane;
    float dx, dy;
};
/* The primitive's varying n; a descriptor's as a register gets it. False and *stop: none that is done. */
float mali_frag_interpolated(const struct mali_frag_batch *batch, const struct mali_frag_spot *spot,
                             unsigned n);
bool mali_frag_varying(const struct mali_frag_batch *batch, uint32_t index, const struct mali_frag_spot *spot,
                       enum isa_type type, bool any_type, uint32_t value[4], struct mali_stop *stop);
/* gl_FragCoord; the place on a point, `up` or down. */
void mali_frag_coord(const struct mali_frag_batch *batch, const struct mali_frag_spot *spot,
                     uint32_t word[4]);
void mali_frag_point(const struct mali_frag_batch *batch, const struct mali_frag_spot *spot, bool up,
                     uint32_t word[4]);
/* A sample that is there. */
uint32_t mali_frag_sample(const struct mali_frag_batch *batch, uint32_t sample);

/* frag_ports_warp.c: ports of programs of isa/warp, in place of those that all have; and what threads find in registers
 * when they begin. */
void mali_frag_warp_ports(struct mali_frag_batch *batch);
void mali_frag_warp_registers(const struct mali_frag_batch *batch, uint32_t reg[WARP_REGISTERS][ISA_LANES]);
/* Where a sample's number stands above samples. */
#define MALI_FRAG_SAMPLE_AT   16u
#define MALI_FRAG_SAMPLE_MASK 31u
/* Samples of a lane, as programs get them. */
uint32_t mali_frag_coverage(const uint16_t samples[RASTER_TARGET_SAMPLES], unsigned lane);
/* Special values that fragments alone have (specials.inc): of up to LAST_BLEND; whose target one is (MALI_TARGETS: it is no
 * blend descriptor); its words. */
static inline bool mali_frag_has_special(enum mali_special which)
{
    return which != MALI_SPECIAL_OTHER && which <= MALI_SPECIAL_LAST_BLEND;
}
static inline uint32_t mali_frag_special_target(enum mali_special which)
{
    const uint32_t t = (uint32_t)which - MALI_SPECIAL_BLEND;
    return t < MALI_TARGETS ? t : MALI_TARGETS;
}
void mali_frag_special_words(const struct mali_frag *frag, enum mali_special which, uint32_t word[2]);
/* A point's y counts up. */
bool mali_frag_point_up(const struct mali_frag *frag);
/* frag_blend_warp.c: what such programs do to the tile. A pixel's values, of raw targets by the conversion. */
struct mali_frag_pixel {
    enum raster_format format;
    uint32_t order;
    bool raw;
};
/* A descriptor as programs have it, and the conversion that is its second word; an instruction's registers; what a target
 * is with it, whose format in the tile is `tile`. False: nothing that is done. */
struct mali_internal_blend mali_frag_descriptor_of(enum mali_version version, const uint32_t words[2]);
struct mali_internal_conversion mali_frag_conversion_of(enum mali_version version, uint32_t word);
struct mali_register_format mali_frag_registers_of(enum mali_version version, const struct warp_asked *asked,
                                                   const struct mali_internal_conversion *conversion);
bool mali_frag_pixel_of(enum mali_version version, enum raster_format tile, bool raw,
                        const struct mali_internal_conversion *conversion, struct mali_frag_pixel *out);
/* Floats are of formats of floats and normalised ones, integers of those of integers. */
bool mali_frag_may_convert(const struct mali_frag_pixel *pixel, const struct mali_register_format *registers);
bool mali_frag_warp_message(struct mali_frag_batch *batch, const struct warp_message *message, uint16_t lanes,
                            uint32_t out[WARP_MESSAGE_WORDS][16], uint16_t *leave, struct isa_place *place);
bool mali_frag_warp_far(void *ctx, const struct warp_far *to, uint16_t lanes,
                        uint32_t reg[WARP_REGISTERS][16], uint16_t *back, struct isa_place *place);
/* frag_ref.c: tests those of the lanes that have not been, behind a program. */
void mali_frag_test_late(struct mali_frag_batch *batch, uint16_t lanes);
/* Interprets batch->threads' program. False: *report has why. */
bool mali_frag_run(struct mali_frag_batch *batch, union mali_sixteen *state, struct mali_report *report);

/* Of a lane: 1/w and depth where the pixel has its centre; alpha for the alpha test, and what that says. */
float mali_frag_inv_w(const struct mali_frag_batch *batch, unsigned lane);
uint32_t mali_frag_depth(const struct mali_frag_batch *batch, unsigned lane);
float mali_frag_alpha(const struct mali_frag_batch *batch, unsigned lane);
bool mali_frag_passes_alpha(const struct mali_frag *frag, float alpha);

/* ---- frag_watch.c: blocks that somebody looks at; all but the first three where batch->looking ---- */

/* Ports that tell, in place of the batch's. */
void mali_frag_watch_ports(struct mali_frag_batch *batch);
/* A block begins, of whose samples these lanes are covered: asks batch->watch, and sets batch->looking. */
void mali_frag_look(struct mali_frag_batch *batch, const struct raster_block *block, const uint16_t *covered);
/* It is done, or (stop->fault) ended in a fault. */
void mali_frag_look_away(struct mali_frag_batch *batch, const struct mali_stop *stop);
/* Does `test`, before or after the program. */
void mali_frag_look_at_test(struct mali_frag_batch *batch, bool program,
                            void (*test)(struct mali_frag_batch *batch, bool program));
/* Who is told of the instructions of the program that runs next; and the end of what he was told of. */
void mali_frag_watch_insns(struct mali_frag_batch *batch);
void mali_frag_look_at_end(const struct mali_frag_batch *batch, const union mali_sixteen *state);
/* Lanes that the program takes out. */
void mali_frag_look_at_discards(const struct mali_frag_batch *batch, uint16_t lanes);
/* The colours are there, the targets still to be written. */
void mali_frag_look_at_targets(const struct mali_frag_batch *batch);

#endif

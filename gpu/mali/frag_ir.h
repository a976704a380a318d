/* The function of a fragment variant under construction. Internal to gpu/mali/frag*_ir.c. */
#ifndef VITRAIL_GPU_MALI_FRAG_IR_H
#define VITRAIL_GPU_MALI_FRAG_IR_H

#include "gpu/mali/frag_code.h"
#include "raster/output_ir.h"

/* What a test is to store. */
struct mali_frag_held {
    LLVMValueRef value, at;
    uint32_t align;
};

/* How a program of either machine has ended, as struct midgard_ir_state and struct warp_ir_state have it. */
struct mali_frag_ir_end {
    LLVMValueRef live, executed;
    bool faults, faults_at_once;
};

/* Where varyings are taken, from pixels' centres, f32x16; NULL: there. */
struct mali_frag_ir_spot {
    LLVMValueRef dx, dy;
};

/* Slots of what programs that act at once have made of a block (frag_tile_ir.c), i32x16: samples that are live, and those that
 * the program has left; all ones in lanes that have been tested; depth and stencil to be tested. i64: instructions of blend
 * shaders. */
struct mali_frag_ir_now {
    LLVMValueRef live, covered, tested, depth, stencil, ran;
};

struct mali_frag_ir {
    struct mali_world_ir world; /* first: the world's ports take it */
    const struct mali_frag_variant *variant;
    const struct mali_frag_forms *forms;
    struct raster_block_ir at;
    struct warp_ir_ports of_world; /* what all programs of isa/warp have */
    LLVMValueRef args, call;
    bool refused; /* the program asks for what is not compiled */
    int status;   /* of blend shaders, as mali_frag_ir_blend returns it */
    /* Of the block at hand. */
    LLVMValueRef live[RASTER_TARGET_SAMPLES]; /* i1x16 */
    LLVMValueRef runs[RASTER_TARGET_SAMPLES]; /* that the program runs for: with forms->runs_failed more */
    LLVMValueRef w, depth, stencil_word;
    LLVMValueRef sample; /* i32x16: that is shaded, of draws that are shaded sample by sample; else NULL */
    struct mali_frag_ir_spot sampled, spot; /* of all fragments; of what is asked for at present */
    struct mali_frag_held held[2];          /* of a sample: depth or the word of both, stencil */
    unsigned held_count;
    bool holds;
    struct mali_frag_ir_end end;
    LLVMValueRef ran; /* i64, or NULL: instructions of blend shaders */
    /* Slots of what the program writes out. */
    LLVMValueRef written[MALI_TARGETS], color[MALI_TARGETS][4], second[MALI_TARGETS][4], given_depth;
    LLVMValueRef given_stencil;
    /* Of programs of isa/warp: samples that they are told of, i32x16; a slot with a bit for each that ATEST leaves, or NULL.
     * What is written of a target is samples, too, and of a lane once. */
    LLVMValueRef covered, left;
    struct mali_frag_ir_now now; /* of those that act at once */
    /* Of blocks side by side, whose values are known where the program has ended: what was written out last, and how
     * often anything was. */
    bool beside;
    unsigned writeouts[MALI_TARGETS];
    LLVMValueRef value[MALI_TARGETS][4];
};

/* Lanes that run; of these helpers, and those that a report of a fault names first; each i1x16 or NULL. */
struct mali_frag_ir_lanes {
    LLVMValueRef run, helpers, named;
};

/* frag_ir.c: `straight`, all may run. */
struct mali_frag_ir_lanes mali_frag_ir_lanes(const struct mali_frag_ir *e, struct jit_builder *b,
                                             bool straight);
/* Tests `lanes` of a sample: those that pass. `ref`: stencil's reference values, or NULL: the state's. */
LLVMValueRef mali_frag_ir_test(struct mali_frag_ir *e, struct jit_builder *b, unsigned sample,
                               LLVMValueRef lanes, LLVMValueRef depth, LLVMValueRef ref);
/* Where a sample is, from its pixel's centre; of numbers that no sample has, and of one, the centre. i32x16. */
struct mali_frag_ir_spot mali_frag_ir_sample_spot(const struct mali_frag_ir *e, struct jit_builder *b,
                                                  LLVMValueRef number);
/* frag_ports_ir.c: slots, and values in some lanes of one; a varying by its descriptor; the place on a point. */
LLVMValueRef mali_frag_ir_slot(struct jit_builder *b, LLVMValueRef *slot);
void mali_frag_ir_keep(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef value, LLVMValueRef lanes);
LLVMValueRef mali_frag_ir_varying(void *ctx, struct jit_builder *b, const struct isa_ir_attribute *a,
                                  LLVMValueRef mask, LLVMValueRef out[4], LLVMValueRef *address);
LLVMValueRef mali_frag_ir_interpolated(struct mali_frag_ir *e, struct jit_builder *b, unsigned n);
void mali_frag_ir_coord(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef word[4]);
void mali_frag_ir_point(struct mali_frag_ir *e, struct jit_builder *b, bool up, LLVMValueRef word[4]);
/* Words of a sample of a target, of which the instruction or each lane has the number; one that is not there is the first. */
void mali_frag_ir_sample_words(struct mali_frag_ir *e, struct jit_builder *b, uint32_t target,
                               struct isa_ir_number sample, LLVMValueRef word[4]);
/* frag_tile_ir.c: BLEND, ATEST, ZS_EMIT and the tile as frag_blend_warp.c has them, at once or kept. A block of programs that
 * act at once begins; it has ended, and e->live is what is left of it. */
LLVMValueRef mali_frag_ir_tile_message(struct mali_frag_ir *e, struct jit_builder *b,
                                       const struct warp_ir_message *message, LLVMValueRef mask,
                                       LLVMValueRef out[WARP_MESSAGE_WORDS], LLVMValueRef *leave,
                                       LLVMValueRef *address);
void mali_frag_ir_begin_now(struct mali_frag_ir *e, struct jit_builder *b);
void mali_frag_ir_end_now(struct mali_frag_ir *e, struct jit_builder *b);
/* frag_shader_ir.c: branches to blend shaders, of programs that act at once; port `far`. */
LLVMValueRef mali_frag_ir_far(void *ctx, struct jit_builder *b, const struct warp_ir_far *to,
                              LLVMValueRef mask, LLVMValueRef reg[WARP_REGISTERS], LLVMValueRef *back,
                              LLVMValueRef *address);
/* frag_warp_ir.c: emits a program of isa/warp: 0, or as warp_translate, or -ENOTSUP; of `count` blocks from e[0] on, as
 * warp_translate_sides; whether all lanes run the same of it, each instruction once; and what ATEST has left. */
int mali_frag_ir_run_warp(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef *fault);
int mali_frag_ir_run_warp_sides(struct mali_frag_ir *e, struct jit_builder *b, unsigned count,
                                LLVMBasicBlockRef leave);
bool mali_frag_ir_warp_is_straight(const struct mali_frag_ir *e);
void mali_frag_ir_warp_ports(struct mali_frag_ir *e, struct warp_ir_ports *ports);
void mali_frag_ir_warp_samples(struct mali_frag_ir *e, struct jit_builder *b);

static inline LLVMValueRef mali_frag_of_args(const struct mali_frag_ir *e, struct jit_builder *b,
                                             LLVMTypeRef type, size_t offset)
{
    return jit_load_at_entry(b, type, e->args, offset, 4);
}

/* frag_ports_ir.c: the ports of a program, with ctx `e`; the slots of what it writes out, before it runs. */
void mali_frag_ir_ports(struct mali_frag_ir *e, struct midgard_ir_ports *ports);
void mali_frag_begin_slots(struct mali_frag_ir *e, struct jit_builder *b);

/* frag_blend_ir.c: runs target t's blend shader in `lanes` (i1x16), with colours of its own, and stores what it
 * writes out. 0, or as midgard_translate, or -ENOTSUP. */
int mali_frag_ir_blend(struct mali_frag_ir *e, struct jit_builder *b, unsigned t,
                       const struct raster_output_ir *colors, LLVMValueRef lanes);

#endif

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

struct mali_frag_ir {
    struct mali_world_ir world; /* first: the world's ports take it */
    const struct mali_frag_variant *variant;
    const struct mali_frag_forms *forms;
    struct raster_block_ir at;
    LLVMValueRef args, call;
    bool refused; /* the program asks for what is not compiled */
    int status;   /* of blend shaders, as mali_frag_ir_blend returns it */
    /* Of the block at hand. */
    LLVMValueRef live[RASTER_TARGET_SAMPLES]; /* i1x16 */
    LLVMValueRef w, depth, stencil_word;
    struct mali_frag_held held[2]; /* of a sample: depth or the word of both, stencil */
    unsigned held_count;
    bool holds;
    struct midgard_ir_state end;
    LLVMValueRef ran; /* i64, or NULL: instructions of blend shaders */
    /* Slots of what the program writes out. */
    LLVMValueRef written[MALI_TARGETS], color[MALI_TARGETS][4], second[MALI_TARGETS][4], given_depth;
    /* Of blocks side by side, whose values are known where the program has ended: what was written out last, and how
     * often anything was. */
    bool beside;
    unsigned writeouts[MALI_TARGETS];
    LLVMValueRef value[MALI_TARGETS][4];
};

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

/* The emitter of a fragment variant, one for each block at hand: its state, shared by frag_ir.c, which makes
 * the function, and frag_ports.c, through which the program meets the pixel. Internal to gpu/vc4/frag*.c. */
#ifndef VITRAIL_GPU_VC4_FRAG_EMIT_H
#define VITRAIL_GPU_VC4_FRAG_EMIT_H

#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"
#include "raster/block_ir.h"

struct vc4_frag_emit {
    const struct vc4_frag_variant *variant;
    LLVMValueRef args, call; /* call: struct raster_shader_call */
    LLVMValueRef uniforms, numbers, textures, memory, last_word;
    /* the block at hand */
    struct raster_block_ir at;
    LLVMValueRef w, depth; /* the payload's, f32x16 and i32x16 */
    LLVMValueRef live[4];  /* slots of i1x16: lanes of each sample that may still be written */
    bool tested_early;
    LLVMValueRef early_pass[4], early_stored[4], early_word[4];
    unsigned loads, writes; /* samples taken so far by colour loads and TLB_COLOUR_MS writes */
    bool z_written;
    bool faults, stops; /* a port may end the function in a fault; some path of the program ends in one */
    bool hoists;        /* uniforms are loaded before the loop over blocks */
    bool failed;        /* translation met what the plan did not foresee */
};

/* A field of struct vc4_frag_args. */
static inline LLVMValueRef vc4_frag_field(struct vc4_frag_emit *e, struct jit_builder *b, LLVMTypeRef type,
                                          size_t offset, unsigned align)
{
    return jit_load(b, type, jit_offset_const(b, e->args, offset), align, true);
}

/* frag_block.c: takes up the block that has been placed: its payload, and the lanes that are live. */
void vc4_frag_block_begin(struct vc4_frag_emit *e, struct jit_builder *b);
/* Its payload alone. */
void vc4_frag_block_payload(struct vc4_frag_emit *e, struct jit_builder *b);
/* Tests the payload's depth before the program runs. Returns i1: some lane passes, or is to be changed by a
 * stencil operation; otherwise the block need not run. */
LLVMValueRef vc4_frag_test_early(struct vc4_frag_emit *e, struct jit_builder *b);

/* frag_ports.c: the ports of the block at hand. */
void vc4_frag_ports(struct vc4_frag_emit *emit, struct vc4_qpu_ir_ports *out);

#endif

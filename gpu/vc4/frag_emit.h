/* The emitter of a fragment variant: its state, shared by frag_ir.c, which makes the function, and
 * frag_ports.c, through which the program meets the pixel. Internal to gpu/vc4/frag*.c. */
#ifndef VITRAIL_GPU_VC4_FRAG_EMIT_H
#define VITRAIL_GPU_VC4_FRAG_EMIT_H

#include <stddef.h>

#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"

#define VC4_FRAG_SAMPLE_BYTES (16 * sizeof(uint32_t)) /* one sample of a block */

struct vc4_frag_emit {
    const struct vc4_frag_variant *variant;
    LLVMValueRef args, prims, tile, blocks, result; /* prims: the primitive, or the planes of many */
    LLVMValueRef uniforms, numbers, textures, memory, last_word;
    /* the block at hand */
    LLVMValueRef prim;      /* ptr: struct raster_prim; of visible pixels struct raster_planes */
    LLVMValueRef reverse;   /* i1 */
    LLVMValueRef px, py;    /* window pixels, i32x16 */
    LLVMValueRef fx, fy;    /* pixel centres from the reference point, f32x16 */
    LLVMValueRef depth;     /* the payload's, i32x16 */
    LLVMValueRef color, zs; /* ptr to the block's first sample */
    LLVMValueRef quad_planes[4], quad_color[4]; /* of quads, instead of `prim` and `color` */
    LLVMValueRef live[4];    /* slots of i1x16: lanes of each sample that may still be written */
    LLVMValueRef covered[4]; /* i1x16 */
    bool tested_early;
    LLVMValueRef early_pass[4], early_stored[4], early_word[4];
    unsigned loads, writes; /* samples taken so far by colour loads and TLB_COLOUR_MS writes */
    bool z_written, faults; /* faults: the program may end in one */
    bool hoists;            /* uniforms are loaded before the loop over blocks */
    bool failed;            /* translation met what the plan did not foresee */
};

/* A field of struct vc4_frag_args. */
static inline LLVMValueRef vc4_frag_field(struct vc4_frag_emit *e, struct jit_builder *b, LLVMTypeRef type,
                                          size_t offset, unsigned align)
{
    return jit_load(b, type, jit_offset_const(b, e->args, offset), align, true);
}

/* Planes of a primitive; that of varying n is VC4_FRAG_VARY + n. */
enum { VC4_FRAG_Z, VC4_FRAG_INV_W, VC4_FRAG_VARY };

/* frag_block.c. A coefficient of the primitive's at hand, in all lanes: 0 a, 1 b, 2 c. */
LLVMValueRef vc4_frag_coefficient(struct vc4_frag_emit *e, struct jit_builder *b, unsigned plane, unsigned k);
/* a * fx + b * fy of a plane (raster/prim.h): each product and the sum rounded. */
LLVMValueRef vc4_frag_plane(struct vc4_frag_emit *e, struct jit_builder *b, unsigned plane);

static inline LLVMValueRef vc4_frag_sample_at(struct jit_builder *b, LLVMValueRef base, unsigned sample)
{
    return jit_offset_const(b, base, sample * VC4_FRAG_SAMPLE_BYTES);
}

static inline LLVMValueRef vc4_frag_load_sample(struct jit_builder *b, LLVMValueRef base, unsigned sample)
{
    return jit_load(b, b->i32x16, vc4_frag_sample_at(b, base, sample), 64, false);
}

/* frag_block.c: takes up block `index` (i32) of the call: all of the emitter's fields under "the block at
 * hand", and W for the program. */
void vc4_frag_block_begin(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index,
                          LLVMValueRef *w);
/* The same, but for the lanes that are live. */
void vc4_frag_block_place(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index,
                          LLVMValueRef *w);
/* Tests the payload's depth before the program runs. Returns i1: some lane passes, or is to be changed by a
 * stencil operation; otherwise the block need not run. */
LLVMValueRef vc4_frag_test_early(struct vc4_frag_emit *e, struct jit_builder *b);

/* frag_quads.c: the same for four quads (struct raster_visible_quads); a number of each quad's primitive,
 * from 16 aligned bytes at `offset` of its struct raster_planes, in the quad's lanes; stores the colours of
 * lanes.
 */
void vc4_frag_quads_place(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index);
LLVMValueRef vc4_frag_quads_float(struct vc4_frag_emit *e, struct jit_builder *b, size_t offset);
void vc4_frag_quads_store(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef value,
                          LLVMValueRef lanes);

/* frag_ports.c: the ports of the block at hand. */
void vc4_frag_ports(struct vc4_frag_emit *emit, struct vc4_qpu_ir_ports *out);

#endif

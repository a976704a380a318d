/* The emitter of a fragment variant, one for each block at hand: frag_ir.c makes the function, frag_ports.c
 * what the program meets. Internal to gpu/utgard/frag*.c. */
#ifndef VITRAIL_GPU_UTGARD_FRAG_EMIT_H
#define VITRAIL_GPU_UTGARD_FRAG_EMIT_H

#include "gpu/utgard/frag_internal.h"
#include "isa/utgard_pp/trans.h"

enum { UTGARD_FRAG_GIVEN = 32 };

struct utgard_frag_emit {
    const struct utgard_frag_head *head;
    const struct utgard_pp_program *program;
    const struct utgard_texture_key *keys;       /* by sample number */
    LLVMValueRef args, call, uniforms, textures; /* call: struct raster_shader_call */
    bool hoists;                                 /* uniforms are loaded before the loop over blocks */
    /* the block at hand */
    struct raster_block_ir at;
    LLVMValueRef w, depth;                 /* f32x16, i32x16 */
    LLVMValueRef live[RASTER_MAX_SAMPLES]; /* i1x16: lanes of each sample that may still be written */
    bool holds;                    /* tests before the program change the tile at the block's end alone */
    LLVMValueRef tested;           /* i32x16: depth and stencil that are to be stored then, or NULL */
    struct utgard_pp_ir_state end; /* of the program, once it has run */
    bool failed;                   /* something is left to the reference path */
    struct {                       /* what the program was given as bytes of words: i32x16 */
        LLVMValueRef value, word;
        unsigned byte;
    } given[UTGARD_FRAG_GIVEN];
    unsigned given_count; /* of all; the last ones are known */
};

static inline LLVMValueRef utgard_frag_field(struct utgard_frag_emit *e, struct jit_builder *b,
                                             LLVMTypeRef type, size_t offset, unsigned align)
{
    return jit_load(b, type, jit_offset_const(b, e->args, offset), align, true);
}

/* The primitive's varying n, with perspective. */
LLVMValueRef utgard_frag_varying(struct utgard_frag_emit *e, struct jit_builder *b, unsigned n);
/* To 0..top, NaN 0. */
LLVMValueRef utgard_frag_clamp(struct jit_builder *b, LLVMValueRef x, float top);

/* frag_colors.c: numbers in words, as registers have them (i32x16): byte `c` of 255; `count` bits from bit
 * `low` on, 16 or 24, of the most that they can be. */
LLVMValueRef utgard_frag_byte(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                              unsigned c);
LLVMValueRef utgard_frag_part(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                              unsigned low, unsigned count);
/* A register at the program's end as a word of four bytes; UTGARD_NO_COLOR: 0. */
LLVMValueRef utgard_frag_color_word(struct utgard_frag_emit *e, struct jit_builder *b, uint8_t reg);
/* Component `c` of it as the number that it is. */
LLVMValueRef utgard_frag_color_number(struct utgard_frag_emit *e, struct jit_builder *b, uint8_t reg,
                                      unsigned c);
/* A half of the low 16 bits, zero for those less than the least normal one. */
LLVMValueRef utgard_frag_half(struct jit_builder *b, LLVMValueRef word);

/* frag_ports.c: the ports of the block at hand, but for the temporaries. */
void utgard_frag_ports(struct utgard_frag_emit *e, struct utgard_pp_ir_ports *out);

#endif

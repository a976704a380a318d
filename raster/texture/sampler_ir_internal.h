/* What the files of the general sampler's emitter share. Section numbers in comments are those of README.md, "The
 * general sampler". Values are vectors of 16 lanes (i32x16, f32x16, i1x16) unless called scalar. */
#ifndef VITRAIL_RASTER_SAMPLER_IR_INTERNAL_H
#define VITRAIL_RASTER_SAMPLER_IR_INTERNAL_H

#include "raster/texture/sampler_internal.h"
#include "raster/texture/sampler_ir.h"

enum raster_lookup_filter {
    RASTER_LOOKUP_NEAREST,
    RASTER_LOOKUP_LINEAR,
    RASTER_LOOKUP_EITHER /* by lanes */
};

/* The level of each lane, as far as the key needs it. */
struct raster_level_ir {
    LLVMValueRef number; /* NULL: 0 */
    LLVMValueRef turn;   /* of two levels that are mixed: scalar, 0 or 1; else NULL */
    LLVMValueRef offset, width, height, depth, row_stride, slice_stride, sample_stride, first_surface;
    LLVMValueRef last_utile, last_start; /* of windows: struct raster_window */
};

struct raster_sampler_ir {
    struct jit_builder *b;
    const struct raster_sampler_key *key;
    const struct raster_texel *texel;
    LLVMValueRef image; /* ptr */
    enum raster_lookup_filter filter;
    LLVMValueRef linear;                          /* with EITHER */
    LLVMValueRef s, t, r, face, layer, reference; /* as far as they are needed; s, t on the face */
    LLVMValueRef offset[3];                       /* held within limits, or NULL */
    bool need[4];                                 /* which components the result shows */
    struct raster_level_ir level;
};

/* A cube's lanes. */
struct raster_point_ir {
    LLVMValueRef face, s, t, p, q, major;
};

struct raster_axis_ir {
    LLVMValueRef x[2], weight; /* x[1] is x[0] and weight NULL where all is nearest */
    LLVMValueRef outside[2];   /* lanes that show the border, or NULL */
    LLVMValueRef byte;         /* of bytes: the weight in the low byte of each lane, `weight` NULL; or NULL */
};

/* ---- sampler_ir_cube.c ---- */

void raster_sampler_ir_point(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                             struct raster_point_ir *out);
/* A direction or its derivative, floats or integers, as a face sees it: across, down, towards; and back. */
void raster_sampler_ir_seen(struct jit_builder *b, LLVMValueRef face, const LLVMValueRef d[3],
                            LLVMValueRef out[3]);
void raster_sampler_ir_unseen(struct jit_builder *b, LLVMValueRef face, const LLVMValueRef seen[3],
                              LLVMValueRef out[3]);
/* Lanes of *x, *y that are beyond an edge of `face` move to the next; `where`: those lanes. Of lanes beyond two
 * edges x was brought inside. */
void raster_sampler_ir_cross(struct raster_sampler_ir *t, LLVMValueRef where, LLVMValueRef *face,
                             LLVMValueRef *x, LLVMValueRef *y);

/* ---- sampler_ir_coord.c ---- */

struct raster_choice_ir {
    LLVMValueRef level, level1, weight; /* level NULL: 0; the others where two levels are mixed */
    LLVMValueRef computed, used;
};
/* Chooses levels, and sets the filter. */
void raster_sampler_ir_levels(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                              const struct raster_point_ir *point, struct raster_choice_ir *out);
/* Axis k (0 to 2: s, t, r) of the level. */
void raster_sampler_ir_axis(struct raster_sampler_ir *t, unsigned k, LLVMValueRef coordinate,
                            struct raster_axis_ir *out);
/* x > least ? x : least, then < most. */
LLVMValueRef raster_sampler_ir_hold(struct jit_builder *b, LLVMValueRef x, LLVMValueRef least,
                                    LLVMValueRef most);

/* ---- sampler_ir_fetch.c ---- */

/* Loads what the key needs of the lanes' levels; `level` NULL: 0. */
void raster_sampler_ir_level(struct raster_sampler_ir *t, LLVMValueRef level);
/* Whether the lanes of a quad have one level, whatever they ask for. */
bool raster_sampler_ir_quads_share(const struct raster_sampler_ir *t);
/* Where a slice begins, or its sample: bytes. Either may be NULL. */
LLVMValueRef raster_sampler_ir_surface(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef sample);
/* The texels' words (as many as the format has), at these places, which lie inside. `sample` may be NULL. */
void raster_sampler_ir_words(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef sample,
                             LLVMValueRef x, LLVMValueRef y, LLVMValueRef word[4]);
/* Their components, of those that are needed; the others NULL. */
void raster_sampler_ir_unpack(struct raster_sampler_ir *t, const LLVMValueRef word[4], LLVMValueRef out[4]);
/* What a component is that the format has not; NULL: it has it. */
LLVMValueRef raster_sampler_ir_constant(struct raster_sampler_ir *t, unsigned n);

/* ---- short forms ---- */

static inline LLVMValueRef raster_sampler_ir_u(struct raster_sampler_ir *t, uint32_t v)
{
    return jit_splat_u32(t->b, v);
}
static inline LLVMValueRef raster_sampler_ir_f(struct raster_sampler_ir *t, float v)
{
    return jit_splat_f32(t->b, v);
}
/* A field of struct raster_image in all lanes. */
LLVMValueRef raster_sampler_ir_field(struct raster_sampler_ir *t, LLVMTypeRef type, size_t at);

#endif

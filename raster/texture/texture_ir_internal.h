/* What the files of the texture emitter share. Section numbers in comments are those of README.md's texture
 * arithmetic. Values are LLVMValueRef: vectors of 16 lanes unless called scalar; texels have 16 lanes a word,
 * word after word. */
#ifndef VITRAIL_RASTER_TEXTURE_IR_INTERNAL_H
#define VITRAIL_RASTER_TEXTURE_IR_INTERNAL_H

#include "raster/texture/texture_ir.h"
#include "raster/texture/texture_ir_lanes.h"

enum raster_texture_filter { TEXTURE_NEAREST, TEXTURE_LINEAR, TEXTURE_EITHER /* lane by lane */ };

struct raster_texture_ir {
    struct jit_builder *b;
    const struct raster_texture_key *key;
    LLVMValueRef texture; /* ptr to struct raster_texture */
    LLVMValueRef scratch; /* ptr to 64 bytes, or NULL */
    enum raster_texture_filter filter;
    LLVMValueRef linear; /* i1x16, with TEXTURE_EITHER */
    LLVMValueRef face;   /* i32x16, the cube face of each lane, or NULL */
    LLVMValueRef border; /* a texel, where an axis wraps with RASTER_BORDER, else NULL */
    unsigned words;      /* of a texel */
    bool halves;         /* README.md section 7; else bytes or a word that is not blended */
};

/* One level, the same for all lanes: scalars as in struct raster_level. */
struct raster_texture_ir_level {
    LLVMValueRef width, height, stride, offset, layout, face_stride;
    LLVMValueRef scale[2], last, windowed, last_utile, last_start, utile_factor;
};

/* Where one axis is sampled: its first tap in 1/256 texel, not yet brought into the image, and, once
 * raster_texture_ir_taps has made them, the coordinate of each tap inside the image and the lanes whose tap
 * is outside (NULL unless RASTER_BORDER). The low byte of `weight` is the second tap's weight. Nearest: tap 0
 * only, weight NULL. */
struct raster_texture_ir_axis {
    LLVMValueRef first, weight, tap[2], outside[2];
};

/* Coordinates (texture_ir_coord.c). */
LLVMValueRef raster_texture_ir_faces(struct raster_texture_ir *t, LLVMValueRef *s, LLVMValueRef *t_,
                                     LLVMValueRef r);
LLVMValueRef raster_texture_ir_lambda(struct raster_texture_ir *t, LLVMValueRef s, LLVMValueRef t_,
                                      LLVMValueRef r, LLVMValueRef bias);
void raster_texture_ir_axis(struct raster_texture_ir *t, uint8_t wrap, LLVMValueRef coordinate,
                            LLVMValueRef scale, struct raster_texture_ir_axis *out);
void raster_texture_ir_taps(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                            struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y);

/* Texels as 8888 words (texture_ir_fetch.c); out[2 * y + x], only out[0] for nearest. Makes the taps. Formats
 * whose last step commutes with filtering leave it to raster_texture_ir_finish. */
void raster_texture_ir_fetch(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                             struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                             LLVMValueRef out[4]);
LLVMValueRef raster_texture_ir_finish(struct raster_texture_ir *t, LLVMValueRef texel);
/* The texels' bits, one gather each, of taps that are made. */
void raster_texture_ir_gather(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                              const struct raster_texture_ir_axis *x, const struct raster_texture_ir_axis *y,
                              LLVMValueRef out[4]);
/* The same, the taps not made, out of utiles where few suffice (texture_ir_window.c). */
bool raster_texture_ir_window_applies(const struct raster_texture_ir *t);
void raster_texture_ir_window(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                              struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                              LLVMValueRef out[4]);
bool raster_texture_ir_supported(const struct raster_texture_key *key);
/* Texels of halves (texture_ir_halves.c). The texel at `address`, i32x16; blended by weights 0 to 255. */
LLVMValueRef raster_texture_ir_halves_at(struct raster_texture_ir *t, LLVMValueRef memory,
                                         LLVMValueRef address);
LLVMValueRef raster_texture_ir_halves_lerp(struct raster_texture_ir *t, LLVMValueRef x, LLVMValueRef y,
                                           LLVMValueRef weight);
/* Zeros instead of denormal ones; what is no number is the quiet one of its sign. */
LLVMValueRef raster_texture_ir_halves_flush(struct raster_texture_ir *t, LLVMValueRef texel);
/* What is the same for all words of a texel: 16 lanes repeated. */
LLVMValueRef raster_texture_ir_widen(struct raster_texture_ir *t, LLVMValueRef lanes);
/* A texel of its words. */
LLVMValueRef raster_texture_ir_join(struct raster_texture_ir *t, const LLVMValueRef *word);
static inline LLVMTypeRef raster_texture_ir_type(const struct raster_texture_ir *t)
{
    return LLVMVectorType(t->b->i32, 16 * t->words);
}
/* An ETC1 block's two words (as loaded) and the texel's coordinates to an 8888 word (texture_ir_etc1.c). */
LLVMValueRef raster_texture_ir_etc1(struct raster_texture_ir *t, LLVMValueRef hi, LLVMValueRef lo,
                                    LLVMValueRef x, LLVMValueRef y);

static inline LLVMValueRef raster_ir_float(struct jit_builder *b, LLVMValueRef texture, size_t at)
{
    return jit_load(b, b->f32, jit_offset_const(b, texture, at), 4, true);
}
static inline LLVMValueRef raster_ir_word(struct jit_builder *b, LLVMValueRef texture, size_t at)
{
    return jit_load(b, b->i32, jit_offset_const(b, texture, at), 4, true);
}

#endif

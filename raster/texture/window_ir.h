/* Lookups out of utiles - 4x4 texels that stand together - held in registers: a seam of both samplers' emitters. A
 * lookup brings its taps, which lie inside the image, and tells where utiles stand and how texels are fetched one by
 * one; that is done where the taps, decided at run time, do not fit into windows. Values are LLVMValueRef. Hosts of
 * JIT_AVX512 alone. */
#ifndef VITRAIL_RASTER_TEXTURE_WINDOW_IR_H
#define VITRAIL_RASTER_TEXTURE_WINDOW_IR_H

#include "raster/texture/texture_ir_lanes.h"

struct raster_window_ir {
    struct jit_builder *b;
    bool nearest;        /* one tap of each axis, else two */
    bool descending;     /* the second may stand before the first */
    bool interleaved;    /* the order of texels in a utile: RASTER_UTGARD_TILED's, else rows */
    bool copied;         /* nearest: pictures are likely copied, block for block */
    unsigned bytes;      /* of a texel: 3 or 4. Texels of 3 are words, whose upper byte means nothing */
    LLVMValueRef tap[2]; /* halves: the first tap of both axes, the second */
    /* Words, pairs, of each lane's level: struct raster_window. */
    LLVMValueRef last_utile, last_start;
    /* Scalar i1, NULL: yes. Whether lanes share level and slice: all lanes, and those of each quad. */
    LLVMValueRef shared, quads_share;
    LLVMValueRef scratch; /* ptr to 64 bytes, or NULL */
    LLVMValueRef
        turn; /* scalar i32, 0 or 1, NULL: 0: which of two levels code that is run for both looks at */
    /* Where utiles stand, which have the numbers `xy` (halves; of 16 lanes, or of the lower 8): bytes (words, as many
     * lanes) from *base. */
    LLVMValueRef (*place)(void *user, LLVMValueRef xy, LLVMValueRef *base);
    /* The texels at the taps one by one: out[2 * y + x], nearest: out[0]. */
    void (*far)(void *user, LLVMValueRef out[4]);
    void *user;
};

/* The texels at the taps as words, in the order of `far`. */
void raster_window_ir(const struct raster_window_ir *w, LLVMValueRef out[4]);

/* ---- parts, for windows of other shapes ---- */

/* The sixteen words of a utile at an address. */
LLVMValueRef raster_window_ir_utile(struct jit_builder *b, LLVMValueRef at, unsigned bytes);
void raster_window_ir_prefetch(struct jit_builder *b, LLVMValueRef at);
/* Words of two registers by bits 0 to 4 of the index. */
LLVMValueRef raster_window_ir_permute(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high,
                                      LLVMValueRef index);

/* ---- for places ---- */

/* Tiles of RASTER_UTGARD_TILED: the place among its 16 utiles of what has the numbers x, low, and y, high half of each
 * lane (words, of 16 lanes or 8); and of its 256 texels, of words x and y (NULL: 0). */
LLVMValueRef raster_window_ir_utile_in_tile(struct jit_builder *b, LLVMValueRef words);
LLVMValueRef raster_window_ir_texel_in_tile(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y);
/* The place among a tile's texels of x (words, of 16 lanes or 8) in row 0; that of y, words likewise: the
 * exclusive or of both is the place of (x, y). */
LLVMValueRef raster_window_ir_column(struct jit_builder *b, LLVMValueRef x);
LLVMValueRef raster_window_ir_row(struct jit_builder *b, LLVMValueRef y);
/* Bytes of `table` at the low four bits of each byte of v, whose top bits are 0. */
LLVMValueRef raster_window_ir_look_up(struct jit_builder *b, const uint8_t table[16], LLVMValueRef v);

#endif

/* Blending, logic operations and the colour mask of GPUs whose blender is fixed: a shaded colour meets the
 * tile's. The scalar twin (blend.c) and the IR emitter (blend_ir.c) of one definition.
 *
 * Colours are 8888 words as in the tile buffer, red in the low byte. A shaded colour is rounded to 8 bits
 * first; products are a * b / 255 rounded to nearest, each by itself; sums and differences saturate. (Ours:
 * no document says how wide the silicon's blender is. GL asks for no more, and llvmpipe does the same.)
 *
 * Colours of RGBA16F tiles are numbers of any size, which nothing clamps: products and their sum or
 * difference are singles, the result is rounded to the nearest half, and a NaN is 0x7e00. A factor of zero
 * makes zero of everything. Logic operations leave the source as it is, as in GL. */
#ifndef VITRAIL_RASTER_BLEND_H
#define VITRAIL_RASTER_BLEND_H

#include <stdbool.h>
#include <stdint.h>

enum raster_factor {
    RASTER_FACTOR_ZERO,
    RASTER_FACTOR_SRC,
    RASTER_FACTOR_DST,
    RASTER_FACTOR_CONST,
    RASTER_FACTOR_SRC1, /* a second colour of the program's */
    RASTER_FACTOR_SRC_ALPHA,
    RASTER_FACTOR_DST_ALPHA,
    RASTER_FACTOR_CONST_ALPHA,
    RASTER_FACTOR_SRC1_ALPHA,
    RASTER_FACTOR_ALPHA_SATURATE, /* min(source alpha, 1 - destination alpha); for alpha: one */
    RASTER_FACTOR_COUNT,
    RASTER_FACTOR_INVERT = 0x80 /* added: one minus that */
};
#define RASTER_FACTOR_ONE (RASTER_FACTOR_ZERO | RASTER_FACTOR_INVERT)

/* What is done with source times its factor (s) and destination times its own (d). */
enum raster_blend_func {
    RASTER_BLEND_ADD,
    RASTER_BLEND_SUB,  /* s - d */
    RASTER_BLEND_RSUB, /* d - s */
    RASTER_BLEND_MIN,  /* of s and the destination as it is (Mali; GL's factors do not count then) */
    RASTER_BLEND_MAX,
    RASTER_BLEND_FUNC_COUNT
};

/* Of GL, numbered as its enums from GL_CLEAR on. */
enum raster_logic_op {
    RASTER_LOGIC_CLEAR,
    RASTER_LOGIC_AND,
    RASTER_LOGIC_AND_REVERSE, /* s & ~d */
    RASTER_LOGIC_COPY,
    RASTER_LOGIC_AND_INVERTED, /* ~s & d */
    RASTER_LOGIC_NOOP,
    RASTER_LOGIC_XOR,
    RASTER_LOGIC_OR,
    RASTER_LOGIC_NOR,
    RASTER_LOGIC_EQUIV,
    RASTER_LOGIC_INVERT,
    RASTER_LOGIC_OR_REVERSE, /* s | ~d */
    RASTER_LOGIC_COPY_INVERTED,
    RASTER_LOGIC_OR_INVERTED, /* ~s | d */
    RASTER_LOGIC_NAND,
    RASTER_LOGIC_SET,
    RASTER_LOGIC_COUNT
};

struct raster_equation {
    uint8_t func;     /* enum raster_blend_func */
    uint8_t src, dst; /* enum raster_factor */
};

/* A key: what code depends on. */
struct raster_blend {
    struct raster_equation color, alpha;
    bool logic;         /* a logic operation instead of the equations */
    uint8_t logic_op;   /* enum raster_logic_op */
    uint8_t write_mask; /* bit n: channel n of the tile is written */
};

extern const struct raster_blend raster_blend_replace; /* the source as it is */

/* Whether the equations leave the source as it is; the mask and logic operations are not looked at. */
bool raster_blend_is_replace(const struct raster_blend *blend);
/* One component's logic operation, of bits. */
uint32_t raster_blend_logic(uint8_t op, uint32_t src, uint32_t dst);
/* Whether the result depends on what the tile held. */
bool raster_blend_reads(const struct raster_blend *blend);

/* The tile's new word. `constant`: the blend colour; `src1` counts for its factors only. */
uint32_t raster_blend_pixel(const struct raster_blend *blend, uint32_t constant, uint32_t src, uint32_t src1,
                            uint32_t dst);

/* The same of numbers: `dst` is what the tile has, `out` its new ones, a NaN as 0x7fc00000. The mask is the
 * caller's. */
struct raster_blend_colors {
    float constant[4], src[4], src1[4];
};
void raster_blend_float(const struct raster_blend *blend, const struct raster_blend_colors *colors,
                        const float dst[4], float out[4]);
/* And of an RGBA16F tile: `dst` becomes the tile's four new halves. */
void raster_blend_rgba16f(const struct raster_blend *blend, const struct raster_blend_colors *colors,
                          uint16_t dst[4]);

#endif

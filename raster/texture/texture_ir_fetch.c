/* From taps to 8888 words: addresses in the image layouts, gathers, formats (README.md section 6 and "Image
 * layouts"). */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "raster/texture/texel_ir.h"
#include "raster/texture/texture_ir_internal.h"
#include "util/bits.h"

/* log2 of the bytes of a texel (of an ETC1 block). */
static uint32_t texel_shift(uint16_t format)
{
    return util_log2(raster_format_bytes((enum raster_format)format));
}

bool raster_texture_ir_supported(const struct raster_texture_key *key)
{
    const struct raster_texel *texel = &raster_texels[key->format];

    if (key->volume || !raster_format_is_sampled((enum raster_format)key->format) || texel->bits < 8)
        return false;
    if (key->format == RASTER_R16_UINT) /* the scalar path filters none, whatever the key says */
        return !key->mag_linear && !key->min_linear && key->mip != RASTER_MIP_LINEAR;
    return raster_texel_is_8888(texel) || texel->coding == RASTER_CODING_ETC1 ||
           key->format == RASTER_R32_UINT || raster_format_is_halves((enum raster_format)key->format);
}

/* The offset of texel (x, y) is (x_part ^ y_flip) * unit + y_part: the layouts are separable but for the T format's
 * order of subtiles and its rows of tiles from right to left, which y_flip turns round: x ^ ~0 = -1 - x. */
struct address {
    LLVMValueRef x_part[2], y_part[2], y_flip[2]; /* [tap] */
};

struct shape { /* log2 of a utile's texels a row and rows, and of a texel's bytes */
    uint32_t columns, rows, bytes;
    uint32_t side; /* log2 of texels along Utgard's tile */
    uint32_t unit; /* what offsets in a row or tile count in, where a texel's bytes are no power of two */
};

static struct shape utile_shape(uint16_t format)
{
    uint32_t side = format == RASTER_ETC1_RGB8 ? 2 : 4,
             size = raster_format_bytes((enum raster_format)format);
    uint32_t bytes = texel_shift(format), row = bytes == 0 ? 3 : 4; /* log2 of the bytes a row */

    if (1u << bytes != size)
        return (struct shape){.side = side, .unit = size};
    return (struct shape){.columns = row - bytes, .rows = 6 - row, .bytes = bytes, .side = side, .unit = 1};
}

static LLVMValueRef units(struct jit_builder *b, struct shape u, LLVMValueRef v)
{
    return u.unit == 1 ? v : LLVMBuildMul(b->ir, v, jit_splat_u32(b, u.unit), "");
}

/* Bit n of the low four moves to bit 2n. */
static LLVMValueRef spread(struct jit_builder *b, LLVMValueRef v)
{
    v = raster_ir_and(b, raster_ir_or(b, v, raster_ir_shl(b, v, 2)), 0x33);
    return raster_ir_and(b, raster_ir_or(b, v, raster_ir_shl(b, v, 1)), 0x55);
}

/* Utgard's tiles, of 1 << side places each way: the flip is y's share of the place in the tile. */
static LLVMValueRef utgard_x_part(struct jit_builder *b, struct shape u, LLVMValueRef x)
{
    uint32_t side = u.side;
    LLVMValueRef low = spread(b, raster_ir_and(b, x, (1u << side) - 1));
    LLVMValueRef tile = raster_ir_shl(b, raster_ir_shr(b, x, side), 2 * side);

    return raster_ir_shl(b, raster_ir_or(b, tile, low), u.bytes);
}

static LLVMValueRef utgard_y_part(struct jit_builder *b, struct shape u, LLVMValueRef stride, LLVMValueRef y,
                                  LLVMValueRef *flip)
{
    uint32_t side = u.side;
    LLVMValueRef low = spread(b, raster_ir_and(b, y, (1u << side) - 1));

    *flip = raster_ir_shl(b, raster_ir_or(b, low, raster_ir_shl(b, low, 1)), u.bytes);
    y = LLVMBuildMul(b->ir, raster_ir_shr(b, y, side), stride, "");
    return units(b, u, raster_ir_shl(b, y, 2 * side + u.bytes));
}

static LLVMValueRef x_part(struct jit_builder *b, enum raster_layout layout, struct shape u, LLVMValueRef x)
{
    LLVMValueRef low, utile;

    if (layout == RASTER_LINEAR)
        return raster_ir_shl(b, x, u.bytes);
    if (layout == RASTER_UTGARD_TILED)
        return utgard_x_part(b, u, x);
    low = raster_ir_shl(b, raster_ir_and(b, x, (1u << u.columns) - 1), u.bytes);
    utile = raster_ir_shr(b, x, u.columns);
    if (layout == RASTER_VC4_LT)
        return raster_ir_or(b, low, raster_ir_shl(b, utile, 6));
    /* T: column in the subtile; 3 << 10 in the right half of the tile; the tile. Bit 2 of the utile column
     * lands on bits 10 and 11 by two shifts. */
    low = raster_ir_or(b, low, raster_ir_shl(b, raster_ir_and(b, utile, 3), 6));
    low = raster_ir_or(b, low, raster_ir_shl(b, raster_ir_and(b, utile, 4), 8));
    return raster_ir_or(b, low, raster_ir_shl(b, raster_ir_and(b, utile, ~3u), 9));
}

/* `stride` is the level's, splat. */
static LLVMValueRef y_part(struct jit_builder *b, enum raster_layout layout, struct shape u,
                           LLVMValueRef stride, LLVMValueRef y, LLVMValueRef *flip)
{
    LLVMValueRef low, utile, odd, row;

    *flip = jit_splat_u32(b, 0);
    if (layout == RASTER_LINEAR)
        return LLVMBuildMul(b->ir, y, stride, "");
    if (layout == RASTER_UTGARD_TILED)
        return utgard_y_part(b, u, stride, y, flip);
    low = raster_ir_shl(b, raster_ir_and(b, y, (1u << u.rows) - 1), 6 - u.rows);
    utile = raster_ir_shr(b, y, u.rows);
    if (layout == RASTER_VC4_LT) {
        row = LLVMBuildMul(b->ir, utile, raster_ir_shl(b, stride, 6), "");
        return LLVMBuildAdd(b->ir, row, low, "");
    }
    /* T: an odd row of tiles turns the order of its tiles and, by bit 11, of its subtiles; it starts from its
     * far end. */
    odd = raster_ir_bits(b, utile, 3, 1);
    *flip = LLVMBuildSub(b->ir, jit_splat_u32(b, 0), raster_ir_shl(b, odd, 11), "");
    *flip = LLVMBuildXor(b->ir, *flip, raster_ir_shl(b, raster_ir_and(b, utile, 4), 8), "");
    row = LLVMBuildAdd(b->ir, raster_ir_shr(b, utile, 3), odd, "");
    row = LLVMBuildMul(b->ir, row, raster_ir_shl(b, stride, 12), "");
    low = raster_ir_or(b, low, raster_ir_shl(b, raster_ir_and(b, utile, 3), 8));
    return LLVMBuildAdd(b->ir, row, low, "");
}

static void address_in(struct raster_texture_ir *t, enum raster_layout layout, LLVMValueRef stride,
                       unsigned taps, LLVMValueRef const *x, LLVMValueRef const *y, struct address *out)
{
    struct shape u = utile_shape(t->key->format);

    for (unsigned k = 0; k < taps; k++) {
        out->x_part[k] = x_part(t->b, layout, u, x[k]);
        out->y_part[k] = y_part(t->b, layout, u, stride, y[k], &out->y_flip[k]);
    }
}

/* Levels of different layouts: one branch for all lanes, since they share the level. */
static void address_any(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                        LLVMValueRef stride, unsigned taps, LLVMValueRef const *x, LLVMValueRef const *y,
                        struct address *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b->ir));
    LLVMBasicBlockRef merge = LLVMAppendBasicBlockInContext(b->context, function, "layout_end");
    LLVMBasicBlockRef from[RASTER_MIXED_LAYOUTS];
    struct address part[RASTER_MIXED_LAYOUTS];
    LLVMValueRef which;

    for (unsigned l = 0; l < RASTER_MIXED_LAYOUTS; l++) {
        LLVMBasicBlockRef here = LLVMAppendBasicBlockInContext(b->context, function, "layout");

        from[l] = here;
    }
    which = LLVMBuildSwitch(b->ir, level->layout, from[RASTER_VC4_T], 2);
    LLVMAddCase(which, jit_i32(b, RASTER_LINEAR), from[RASTER_LINEAR]);
    LLVMAddCase(which, jit_i32(b, RASTER_VC4_LT), from[RASTER_VC4_LT]);
    for (unsigned l = 0; l < RASTER_MIXED_LAYOUTS; l++) {
        LLVMPositionBuilderAtEnd(b->ir, from[l]);
        address_in(t, (enum raster_layout)l, stride, taps, x, y, &part[l]);
        LLVMBuildBr(b->ir, merge);
    }
    LLVMPositionBuilderAtEnd(b->ir, merge);
    for (unsigned k = 0; k < 3 * taps; k++) {
        LLVMValueRef phi = LLVMBuildPhi(b->ir, b->i32x16, ""), in[RASTER_MIXED_LAYOUTS];

        for (unsigned l = 0; l < RASTER_MIXED_LAYOUTS; l++)
            in[l] = k < taps       ? part[l].x_part[k]
                    : k < 2 * taps ? part[l].y_part[k - taps]
                                   : part[l].y_flip[k - 2 * taps];
        LLVMAddIncoming(phi, in, from, RASTER_MIXED_LAYOUTS);
        if (k < taps)
            out->x_part[k] = phi;
        else if (k < 2 * taps)
            out->y_part[k - taps] = phi;
        else
            out->y_flip[k - 2 * taps] = phi;
    }
}

/* Taps are clamped into the image, so every lane may be fetched. */
static LLVMValueRef gather(struct jit_builder *b, LLVMValueRef memory, LLVMValueRef address)
{
    return jit_gather_u32(b, memory, address, LLVMConstAllOnes(b->i1x16));
}

/* The 1- or 2-byte texel at `address` out of its aligned word. */
static LLVMValueRef gather_small(struct jit_builder *b, LLVMValueRef memory, LLVMValueRef address,
                                 uint32_t shift)
{
    LLVMValueRef word = gather(b, memory, raster_ir_and(b, address, ~3u));
    LLVMValueRef bits = raster_ir_shl(b, raster_ir_and(b, address, 3), 3);

    return raster_ir_and(b, LLVMBuildLShr(b->ir, word, bits, ""), shift ? 0xffff : 0xff);
}

/* Border colours are finished words, so with them every texel is finished before filtering. */
LLVMValueRef raster_texture_ir_finish(struct raster_texture_ir *t, LLVMValueRef texel)
{
    return t->border || t->halves ? texel
                                  : raster_texel_finish_ir(t->b, &raster_texels[t->key->format], texel);
}

/* The texel's bits at `address`, not unpacked; ETC1's are already an 8888 word. */
static LLVMValueRef gather_tap(struct raster_texture_ir *t, LLVMValueRef memory, LLVMValueRef address,
                               LLVMValueRef x, LLVMValueRef y)
{
    struct jit_builder *b = t->b;
    uint32_t shift = texel_shift(t->key->format);

    if (t->halves && shift > 1)
        return raster_texture_ir_halves_at(t, memory, address);
    if (t->key->format == RASTER_ETC1_RGB8) {
        LLVMValueRef second = LLVMBuildAdd(b->ir, address, jit_splat_u32(b, 4), "");

        return raster_texture_ir_etc1(t, gather(b, memory, address), gather(b, memory, second), x, y);
    }
    return shift == 2 ? gather(b, memory, address) : gather_small(b, memory, address, shift);
}

static void gather_taps(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                        unsigned taps, LLVMValueRef const *x, LLVMValueRef const *y, LLVMValueRef *out)
{
    struct jit_builder *b = t->b;
    uint32_t block = t->key->format == RASTER_ETC1_RGB8 ? 2 : 0; /* log2 of the pixels a block spans */
    LLVMValueRef memory, start, stride = jit_splat(b, level->stride), column[2], row[2];
    struct shape shape = utile_shape(t->key->format);
    struct address at;

    for (unsigned k = 0; k < taps; k++) {
        column[k] = raster_ir_shr(b, x[k], block);
        row[k] = raster_ir_shr(b, y[k], block);
    }
    if (t->key->layout != RASTER_LAYOUT_MIXED)
        address_in(t, (enum raster_layout)t->key->layout, stride, taps, column, row, &at);
    else
        address_any(t, level, stride, taps, column, row, &at);

    memory = jit_offset_const(b, t->texture, offsetof(struct raster_texture, memory));
    memory = jit_load(b, b->ptr, memory, 8, true);
    start = jit_splat(b, level->offset);
    if (t->face) /* in the function: bytes */
        start = LLVMBuildAdd(b->ir, start, t->face, "");
    for (unsigned v = 0; v < taps; v++) {
        LLVMValueRef base = LLVMBuildAdd(b->ir, at.y_part[v], start, "");

        for (unsigned u = 0; u < taps; u++) {
            LLVMValueRef offset = LLVMBuildXor(b->ir, at.x_part[u], at.y_flip[v], "");

            offset = LLVMBuildAdd(b->ir, units(b, shape, offset), base, "");
            out[2 * v + u] = gather_tap(t, memory, offset, x[u], y[v]);
        }
    }
}

/* The module's function that gathers the taps of this kind of texture; made on first use. Gathers are long
 * where hosts have none: a program with many samples would take LLVM seconds. */
static LLVMValueRef gather_function(struct raster_texture_ir *t, unsigned taps, LLVMTypeRef *type)
{
    struct jit_builder *b = t->b;
    const struct raster_texture_key *key = t->key;
    LLVMTypeRef texels = raster_texture_ir_type(t), four[4] = {texels, texels, texels, texels};
    LLVMTypeRef result = LLVMStructTypeInContext(b->context, four, taps * taps, false);
    LLVMTypeRef params[9] = {b->ptr,    b->i32,    b->i32,    b->i32,   b->i32x16,
                             b->i32x16, b->i32x16, b->i32x16, b->i32x16};
    LLVMValueRef outer = b->function, function, tap[4], texel[4], all;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    struct raster_texture_ir own = *t;
    struct raster_texture_ir_level level;
    char name[64];

    *type = LLVMFunctionType(result, params, 9, false);
    snprintf(name, sizeof name, "texels_%u_%u_%u_%u_%u", taps, key->format, key->layout, key->etc_flip,
             t->face != NULL);
    function = LLVMGetNamedFunction(b->module, name);
    if (function)
        return function;
    function = jit_begin_internal(b, name, result, params, 9);
    own.texture = jit_param(b, 0);
    level = (struct raster_texture_ir_level){
        .stride = jit_param(b, 1), .offset = jit_param(b, 2), .layout = jit_param(b, 3)};
    for (unsigned k = 0; k < 4; k++)
        tap[k] = jit_param(b, 4 + k);
    own.face = t->face ? jit_param(b, 8) : NULL;
    gather_taps(&own, &level, taps, tap, tap + 2, texel);
    all = LLVMGetPoison(result);
    for (unsigned k = 0; k < taps * taps; k++)
        all = LLVMBuildInsertValue(b->ir, all, texel[k], k, "");
    LLVMBuildRet(b->ir, all);
    b->function = outer;
    LLVMPositionBuilderAtEnd(b->ir, here);
    return function;
}

void raster_texture_ir_gather(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                              const struct raster_texture_ir_axis *x, const struct raster_texture_ir_axis *y,
                              LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef args[9], none = LLVMGetPoison(b->i32x16), all;
    unsigned taps = t->filter == TEXTURE_NEAREST ? 1 : 2;
    LLVMTypeRef type;
    LLVMValueRef function = gather_function(t, taps, &type);

    args[0] = t->texture;
    args[1] = level->stride;
    args[2] = level->offset;
    args[3] = level->layout;
    for (unsigned k = 0; k < 2; k++) {
        args[4 + k] = k < taps ? x->tap[k] : none;
        args[6 + k] = k < taps ? y->tap[k] : none;
    }
    args[8] = t->face ? LLVMBuildMul(b->ir, t->face, jit_splat(b, level->face_stride), "") : none;
    all = LLVMBuildCall2(b->ir, type, function, args, 9, "");
    for (unsigned k = 0; k < taps * taps; k++)
        out[k] = LLVMBuildExtractValue(b->ir, all, k, "");
}

static LLVMValueRef either(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return x && y ? LLVMBuildOr(b->ir, x, y, "") : x ? x : y;
}

void raster_texture_ir_fetch(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                             struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                             LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    const struct raster_texel *texel = &raster_texels[t->key->format];

    if (raster_texture_ir_window_applies(t)) {
        raster_texture_ir_window(t, level, x, y, out);
    } else {
        raster_texture_ir_taps(t, level, x, y);
        raster_texture_ir_gather(t, level, x, y, out);
    }
    for (unsigned k = 0; k < (t->filter == TEXTURE_NEAREST ? 1 : 4); k++) {
        LLVMValueRef outside = either(b, x->outside[k & 1], y->outside[k >> 1]);

        if (!t->halves)
            out[k] = raster_texel_bytes_ir(b, texel, out[k]);
        if (t->border && !t->halves)
            out[k] = raster_texel_finish_ir(b, texel, out[k]);
        if (outside)
            out[k] = LLVMBuildSelect(b->ir, raster_texture_ir_widen(t, outside), t->border, out[k], "");
        if (t->halves)
            out[k] = raster_texture_ir_halves_flush(t, out[k]);
    }
}

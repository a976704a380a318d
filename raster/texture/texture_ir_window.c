/* The windows of textures in utiles (window_ir.h): taps as halves, and where utiles stand. */
#include <stddef.h>

#include "raster/texture/texture_ir_internal.h"
#include "raster/texture/window_ir.h"

bool raster_texture_ir_window_applies(const struct raster_texture_ir *t)
{
    const struct raster_texture_key *key = t->key;

    return t->b->level >= JIT_AVX512 && !t->face && !t->border && key->layout != RASTER_LINEAR &&
           (key->format == RASTER_R8G8B8A8_UNORM || key->format == RASTER_R8G8B8X8_UNORM ||
            key->format == RASTER_R32_UINT);
}

/* ---- halves ---- */

static LLVMValueRef choose(struct jit_builder *b, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, predicate, x, y, ""), x, y, "");
}

static LLVMValueRef select_bits(struct jit_builder *b, uint32_t mask, LLVMValueRef ones, LLVMValueRef zeros)
{
    return raster_ir_or(b, raster_ir_and(b, ones, mask), raster_ir_and(b, zeros, ~mask));
}

/* ---- taps ---- */

static bool simple(const struct raster_texture_ir *t, uint8_t wrap)
{
    return (wrap != RASTER_REPEAT || t->key->pot) && !t->key->flip_y;
}

/* Section 4 for both axes; `last` is the last texel, as halves. */
static LLVMValueRef wrap(struct raster_texture_ir *t, LLVMValueRef tap, LLVMValueRef last, bool low,
                         bool high)
{
    struct jit_builder *b = t->b;
    bool repeat_s = t->key->wrap_s == RASTER_REPEAT, repeat_t = t->key->wrap_t == RASTER_REPEAT;
    LLVMValueRef bits = last;

    if (!(repeat_s && repeat_t)) {
        if (low)
            tap = choose(b, LLVMIntSGT, tap, raster_ir_both(b, repeat_s ? 0x8000 : 0, repeat_t ? 0x8000 : 0));
        bits = LLVMBuildOr(b->ir, last, raster_ir_both(b, repeat_s ? 0x7fff : 0, repeat_t ? 0x7fff : 0), "");
        if (high)
            tap = choose(b, LLVMIntSLT, tap, bits);
        bits = LLVMBuildOr(b->ir, last, raster_ir_both(b, repeat_s ? 0 : ~0u, repeat_t ? 0 : ~0u), "");
    }
    return repeat_s || repeat_t ? LLVMBuildAnd(b->ir, tap, bits, "") : tap;
}

/* The first and the second tap of both axes. */
static void make_taps(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                      LLVMValueRef last, struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                      LLVMValueRef out[2])
{
    struct jit_builder *b = t->b;
    bool nearest = t->filter == TEXTURE_NEAREST, either = t->filter == TEXTURE_EITHER;

    if (!simple(t, t->key->wrap_s) || !simple(t, t->key->wrap_t)) {
        raster_texture_ir_taps(t, level, x, y);
        for (unsigned k = 0; k < (nearest ? 1 : 2); k++)
            out[k] = raster_ir_as_halves(b, raster_ir_or(b, x->tap[k], raster_ir_shl(b, y->tap[k], 16)));
        return;
    }
    out[0] = select_bits(b, 0xffff, raster_ir_shr(b, x->first, 8), raster_ir_shl(b, y->first, 8));
    out[0] = raster_ir_as_halves(b, out[0]);
    out[1] = LLVMBuildAdd(b->ir, out[0], raster_ir_both(b, 1, 1), "");
    out[0] = wrap(t, out[0], last, !nearest, nearest || either);
    out[1] = wrap(t, out[1], last, false, true);
}

/* ---- addresses ---- */

/* The first factor times x plus the second times y. */
static LLVMValueRef lines(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    LLVMValueRef args[2] = {xy, raster_ir_as_halves(b, raster_ir_like(b, xy, jit_splat(b, factors)))};

    return jit_intrinsic(
        b, raster_ir_size(xy) == 512 ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd", NULL, 0,
        args, 2);
}

/* The number of a utile in a level of the T format ("Image layouts" of README.md): 64 a tile; an odd row of
 * tiles begins at the far end, x ^ ~0 = -1 - x, of the row below. */
static LLVMValueRef number_t(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    static const uint8_t columns[16] = {0, 1, 2, 3, 48, 49, 50, 51};
    static const uint8_t rows[16] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60};
    LLVMValueRef words = raster_ir_as_words(b, xy), odd, tile,
                 inside = raster_ir_and_bits(b, words, raster_ir_pair(7, 15));

    odd = raster_ir_left(b, words, 12); /* bit 3 of y on top, then in all of the word */
    odd = LLVMBuildAShr(b->ir, odd, raster_ir_like(b, odd, jit_splat_u32(b, 31)), "");
    tile =
        raster_ir_as_words(b, LLVMBuildLShr(b->ir, xy, raster_ir_like(b, xy, raster_ir_both(b, 3, 3)), ""));
    tile = LLVMBuildXor(b->ir, tile, raster_ir_and_bits(b, odd, 0xffff), "");
    tile = LLVMBuildSub(b->ir, tile, raster_ir_left(b, odd, 16), "");
    tile = lines(b, raster_ir_as_halves(b, tile), factors);
    inside = LLVMBuildXor(b->ir, raster_ir_and_bits(b, raster_window_ir_look_up(b, columns, inside), 0xff),
                          raster_ir_right(b, raster_window_ir_look_up(b, rows, inside), 16), "");
    return LLVMBuildAdd(b->ir, tile, inside, "");
}

/* Likewise of an Utgard level: sixteen a tile, interleaved as the texels in each. */
static LLVMValueRef number_utgard(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    LLVMValueRef inside = raster_window_ir_utile_in_tile(b, raster_ir_as_words(b, xy)), tile;

    tile = lines(b, LLVMBuildLShr(b->ir, xy, raster_ir_like(b, xy, raster_ir_both(b, 2, 2)), ""), factors);
    return LLVMBuildAdd(b->ir, tile, inside, "");
}

static LLVMValueRef utile_number(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                                 LLVMValueRef xy)
{
    struct jit_builder *b = t->b;

    if (t->key->layout == RASTER_UTGARD_TILED)
        return number_utgard(b, xy, level->utile_factor);
    if (t->key->layout == RASTER_VC4_T)
        return number_t(b, xy, level->utile_factor);
    if (t->key->layout == RASTER_VC4_LT)
        return lines(b, xy, level->utile_factor);
    LLVMValueRef number = lines(b, xy, level->utile_factor),
                 layout = raster_ir_like(b, number, jit_splat(b, level->layout));
    LLVMValueRef is_t = raster_ir_like(b, number, jit_splat_u32(b, RASTER_VC4_T));

    is_t = LLVMBuildICmp(b->ir, LLVMIntEQ, layout, is_t, "");
    return LLVMBuildSelect(b->ir, is_t, number_t(b, xy, level->utile_factor), number, "");
}

/* ---- the whole ---- */

struct lookup {
    struct raster_texture_ir *t;
    const struct raster_texture_ir_level *level;
    struct raster_texture_ir_axis *x, *y;
};

static LLVMValueRef place(void *user, LLVMValueRef xy, LLVMValueRef *base)
{
    const struct lookup *l = user;
    struct jit_builder *b = l->t->b;
    LLVMValueRef memory = jit_offset_const(b, l->t->texture, offsetof(struct raster_texture, memory));

    *base = jit_offset(b, jit_load(b, b->ptr, memory, 8, true), l->level->offset);
    return raster_ir_left(b, utile_number(l->t, l->level, xy), 6);
}

static void far(void *user, LLVMValueRef out[4])
{
    const struct lookup *l = user;

    if (!l->x->tap[0])
        raster_texture_ir_taps(l->t, l->level, l->x, l->y);
    raster_texture_ir_gather(l->t, l->level, l->x, l->y, out);
}

void raster_texture_ir_window(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                              struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                              LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    struct lookup lookup = {t, level, x, y};
    struct raster_window_ir w = {.b = b,
                                 .nearest = t->filter == TEXTURE_NEAREST,
                                 .descending = t->key->flip_y,
                                 .interleaved = t->key->layout == RASTER_UTGARD_TILED,
                                 .bytes = 4,
                                 .last_utile = jit_splat(b, level->last_utile),
                                 .last_start = jit_splat(b, level->last_start),
                                 .scratch = t->scratch,
                                 .place = place,
                                 .far = far,
                                 .user = &lookup};

    w.copied = w.nearest && t->key->unnormalized;
    w.shared = w.quads_share = LLVMBuildICmp(b->ir, LLVMIntNE, level->windowed, jit_i32(b, 0), "");
    make_taps(t, level, raster_ir_as_halves(b, jit_splat(b, level->last)), x, y, w.tap);
    raster_window_ir(&w, out);
}

/* Taps out of utiles held in registers. Textures that are magnified or one-to-one touch few texels a block:
 * where all its taps fall into two by two utiles (4x4 texels of 4 bytes), four loads and a few permutations
 * replace 64 gathered texels. Filtered textures that are a little smaller, as mipmapped ones are, have such a
 * window for each quad. Otherwise, decided at run time, the gathers do it. A window is as wide as such a
 * texture needs wherever it stands, so that the decision hardly ever changes from block to block. Hosts with
 * AVX-512 only: there a register is a utile.
 *
 * What can be is done to x and y at once, as the low and the high half of each lane. A block's window has few
 * utiles: their places are found in eight lanes, half a register, which some hosts take half the time for. */
#include <stddef.h>

#include "raster/texture/texture_ir_internal.h"
#include "raster/texture/texture_ir_lanes.h"

bool raster_texture_ir_window_applies(const struct raster_texture_ir *t)
{
    const struct raster_texture_key *key = t->key;

    return t->b->level == JIT_AVX512 && !t->face && !t->border && key->layout != RASTER_LINEAR &&
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

/* ---- windows ---- */

struct window {
    /* (x, y) of utile 2 * y + x: of each quad's window in its four lanes, or, eight lanes, of the block's in the
     * first four and, AHEAD of them, of the utiles that a block further on will likely begin with. */
    LLVMValueRef utile;
    LLVMValueRef tap[2]; /* relative to the window's start */
};

enum { AHEAD = 2 };

/* Lane l ^ flip of each pair of halves. */
static LLVMValueRef flipped(struct jit_builder *b, LLVMValueRef v, uint32_t flip)
{
    LLVMValueRef lanes[16], words = raster_ir_as_words(b, v);

    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = jit_i32(b, l ^ flip);
    return raster_ir_as_halves(b, LLVMBuildShuffleVector(b->ir, words, LLVMGetPoison(LLVMTypeOf(words)),
                                                         LLVMConstVector(lanes, raster_ir_size(v) / 32), ""));
}

/* The least value of each quad in its four lanes, or of the block in eight. */
static LLVMValueRef least(struct jit_builder *b, LLVMValueRef v, bool block)
{
    if (block)
        v = choose(b, LLVMIntULT, raster_ir_lower(b, v), raster_ir_upper(b, v));
    for (uint32_t flip = block ? 4 : 2; flip; flip >>= 1)
        v = choose(b, LLVMIntULT, v, flipped(b, v, flip));
    return v;
}

/* Eight lanes of the start of the block's window, and from a lane on that of the block below, if its texels are
 * as far from this one's as the block's are from each other. */
static LLVMValueRef and_below(struct jit_builder *b, LLVMValueRef start, LLVMValueRef tap, uint32_t from)
{
    LLVMValueRef half =
        raster_ir_as_words(b, LLVMBuildSub(b->ir, raster_ir_upper(b, tap), raster_ir_lower(b, tap), ""));
    uint32_t lanes[16];

    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = l >= from ? ~0u : 0;
    half =
        raster_ir_as_halves(b, LLVMBuildAnd(b->ir, half, raster_ir_lower(b, jit_vector_u32(b, lanes)), ""));
    return LLVMBuildAdd(b->ir, start, LLVMBuildAdd(b->ir, half, half, ""), "");
}

/* The first lane in sixteen. */
static LLVMValueRef first_lane(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef words = raster_ir_as_words(b, v);

    return raster_ir_as_halves(b, LLVMBuildShuffleVector(b->ir, words, LLVMGetPoison(LLVMTypeOf(words)),
                                                         LLVMConstNull(b->i32x16), ""));
}

static void place_windows(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                          LLVMValueRef const tap[2], bool block, struct window *out)
{
    struct jit_builder *b = t->b;
    bool nearest = t->filter == TEXTURE_NEAREST;
    LLVMValueRef first = tap[0], start, utile;
    uint32_t lanes[16];

    if (t->key->flip_y && !nearest)
        first = choose(b, LLVMIntULT, first, tap[1]);
    start = least(b, first, block);
    start = LLVMBuildAnd(b->ir, start, raster_ir_like(b, start, raster_ir_both(b, ~3u, ~3u)), "");
    /* Not in the last utile unless it is the only one: small images then fit whatever wraps. */
    start = choose(b, LLVMIntULT, start,
                   raster_ir_as_halves(b, raster_ir_like(b, start, jit_splat(b, level->last_window))));
    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = block && l > 3 ? raster_ir_pair(1, l & 1) : raster_ir_pair(l & 1, l >> 1 & 1);
    utile = block ? and_below(b, start, first, 4) : start;
    utile = LLVMBuildLShr(b->ir, utile, raster_ir_like(b, utile, raster_ir_both(b, 2, 2)), "");
    utile = LLVMBuildAdd(b->ir, utile,
                         raster_ir_as_halves(b, raster_ir_like(b, utile, jit_vector_u32(b, lanes))), "");
    out->utile = choose(b, LLVMIntULT, utile,
                        raster_ir_as_halves(b, raster_ir_like(b, utile, jit_splat(b, level->last_utile))));
    if (block)
        start = first_lane(b, start);
    for (unsigned k = 0; k < (nearest ? 1 : 2); k++)
        out->tap[k] = LLVMBuildSub(b->ir, tap[k], start, "");
}

/* The utile of the first lane's tap, and the one below it. */
static void place_copy(struct raster_texture_ir *t, LLVMValueRef tap, struct window *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef start = LLVMBuildAnd(b->ir, first_lane(b, tap), raster_ir_both(b, ~3u, ~3u), ""), utile;

    out->tap[0] = LLVMBuildSub(b->ir, tap, start, "");
    utile = and_below(b, raster_ir_lower(b, start), tap, 1);
    out->utile = LLVMBuildLShr(b->ir, utile, raster_ir_like(b, utile, raster_ir_both(b, 2, 2)), "");
}

/* Whether the level has windows and every tap lies in its own, of `side` texels: scalar. */
static LLVMValueRef fits(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                         const struct window *w, uint32_t side)
{
    struct jit_builder *b = t->b;
    LLVMValueRef taps = w->tap[0], near;
    LLVMValueRef windowed = LLVMBuildICmp(b->ir, LLVMIntNE, level->windowed, jit_i32(b, 0), "");

    if (t->filter != TEXTURE_NEAREST)
        taps = LLVMBuildOr(b->ir, taps, w->tap[1], "");
    near = raster_ir_and(b, raster_ir_as_words(b, taps), raster_ir_pair(~(side - 1), ~(side - 1)));
    near = jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntEQ, near, jit_splat_u32(b, 0), ""));
    return LLVMBuildAnd(b->ir, near, windowed, "");
}

/* ---- addresses ---- */

static LLVMValueRef and_bits(struct jit_builder *b, LLVMValueRef words, uint32_t mask)
{
    return LLVMBuildAnd(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, mask)), "");
}

static LLVMValueRef left(struct jit_builder *b, LLVMValueRef words, uint32_t bits)
{
    return LLVMBuildShl(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, bits)), "");
}

static LLVMValueRef right(struct jit_builder *b, LLVMValueRef words, uint32_t bits)
{
    return LLVMBuildLShr(b->ir, words, raster_ir_like(b, words, jit_splat_u32(b, bits)), "");
}

/* The first factor times x plus the second times y. */
static LLVMValueRef lines(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    LLVMValueRef args[2] = {xy, raster_ir_as_halves(b, raster_ir_like(b, xy, jit_splat(b, factors)))};

    return jit_intrinsic(
        b, raster_ir_size(xy) == 512 ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd", NULL, 0,
        args, 2);
}

/* Bytes of `table` at the low four bits of each byte of v. */
static LLVMValueRef look_up(struct jit_builder *b, const uint8_t table[16], LLVMValueRef v)
{
    LLVMValueRef lanes[64], args[2];

    for (unsigned i = 0; i < 64; i++)
        lanes[i] = LLVMConstInt(b->i8, table[i & 15], false);
    args[0] = LLVMConstVector(lanes, raster_ir_size(v) / 8);
    args[1] = raster_ir_as_bytes(b, v);
    return raster_ir_as_words(
        b,
        jit_intrinsic(b, raster_ir_size(v) == 512 ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b",
                      NULL, 0, args, 2));
}

/* Places in a square of four by four that is interleaved (README.md, "Image layouts"), of x and of y: the
 * exclusive or of the two. */
static const uint8_t utgard_columns[16] = {0, 1, 4, 5}, utgard_rows[16] = {0, 3, 12, 15};

/* The number of a utile in a level of the T format ("Image layouts" of README.md): 64 a tile; an odd row of
 * tiles begins at the far end, x ^ ~0 = -1 - x, of the row below. */
static LLVMValueRef number_t(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    static const uint8_t columns[16] = {0, 1, 2, 3, 48, 49, 50, 51};
    static const uint8_t rows[16] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60};
    LLVMValueRef words = raster_ir_as_words(b, xy), odd, tile,
                 inside = and_bits(b, words, raster_ir_pair(7, 15));

    odd = left(b, words, 12); /* bit 3 of y on top, then in all of the word */
    odd = LLVMBuildAShr(b->ir, odd, raster_ir_like(b, odd, jit_splat_u32(b, 31)), "");
    tile =
        raster_ir_as_words(b, LLVMBuildLShr(b->ir, xy, raster_ir_like(b, xy, raster_ir_both(b, 3, 3)), ""));
    tile = LLVMBuildXor(b->ir, tile, and_bits(b, odd, 0xffff), "");
    tile = LLVMBuildSub(b->ir, tile, left(b, odd, 16), "");
    tile = lines(b, raster_ir_as_halves(b, tile), factors);
    inside = LLVMBuildXor(b->ir, and_bits(b, look_up(b, columns, inside), 0xff),
                          right(b, look_up(b, rows, inside), 16), "");
    return LLVMBuildAdd(b->ir, tile, inside, "");
}

/* Likewise of an Utgard level: sixteen a tile, interleaved as the texels in each. */
static LLVMValueRef number_utgard(struct jit_builder *b, LLVMValueRef xy, LLVMValueRef factors)
{
    LLVMValueRef inside = and_bits(b, raster_ir_as_words(b, xy), raster_ir_pair(3, 3)), tile;

    tile = lines(b, LLVMBuildLShr(b->ir, xy, raster_ir_like(b, xy, raster_ir_both(b, 2, 2)), ""), factors);
    inside = LLVMBuildXor(b->ir, and_bits(b, look_up(b, utgard_columns, inside), 0xff),
                          right(b, look_up(b, utgard_rows, inside), 16), "");
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

/* The windows' utiles, `count` of them and `ahead` behind those. Their addresses go through memory: that is
 * quicker than taking lane after lane. What is ahead is only fetched: textures are too large, and their order
 * of utiles too strange, for the processor to foresee it. */
static void load_utiles(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                        LLVMValueRef xy, unsigned count, unsigned ahead, LLVMValueRef *out)
{
    struct jit_builder *b = t->b;
    LLVMValueRef memory = jit_offset_const(b, t->texture, offsetof(struct raster_texture, memory));
    LLVMValueRef slot = t->scratch ? t->scratch : jit_alloca(b, b->i32x16, "utiles"), at;

    memory = jit_offset(b, jit_load(b, b->ptr, memory, 8, true), level->offset);
    at = LLVMBuildStore(b->ir, left(b, utile_number(t, level, xy), 6), slot);
    LLVMSetAlignment(at, 64);
    LLVMSetVolatile(at, true);
    for (unsigned k = 0; k < count + ahead; k++) {
        at = jit_load(b, b->i32, jit_offset_const(b, slot, 4ull * k), 4, false);
        LLVMSetVolatile(at, true);
        at = jit_offset(b, memory, at);
        if (k < count) {
            out[k] = jit_load(b, b->i32x16, at, 4, false);
        } else {
            LLVMValueRef args[4] = {at, jit_i32(b, 0), jit_i32(b, 3), jit_i32(b, 1)}; /* read, keep, data */

            jit_intrinsic(b, "llvm.prefetch", &b->ptr, 1, args, 4);
        }
    }
}

/* ---- picking ---- */

/* Words of two registers by bits 0 to 4 of the index. */
static LLVMValueRef permute(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high, LLVMValueRef index)
{
    LLVMValueRef args[3] = {low, index, high};

    return jit_intrinsic(b, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
}

enum { LOWER = 64 }; /* the index's bit for the lower pair of utiles; bit 4 is that for the right one */

/* The words at `index` of a window's four utiles. */
static LLVMValueRef pick(struct jit_builder *b, LLVMValueRef const *utile, LLVMValueRef index)
{
    LLVMValueRef above = permute(b, utile[0], utile[1], index);
    LLVMValueRef below = permute(b, utile[2], utile[3], index);
    LLVMValueRef lower = raster_ir_and(b, index, LOWER);

    lower = LLVMBuildICmp(b->ir, LLVMIntNE, lower, jit_splat_u32(b, 0), "");
    return LLVMBuildSelect(b->ir, lower, below, above, "");
}

/* The bytes `from` of each word of v. */
static LLVMValueRef bytes(struct jit_builder *b, LLVMValueRef v, const uint32_t from[4])
{
    LLVMValueRef lanes[64];

    for (uint32_t i = 0; i < 64; i++)
        lanes[i] = jit_i32(b, (i & ~3u) + from[i & 3]);
    v = raster_ir_as_bytes(b, v);
    return raster_ir_as_words(
        b, LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(lanes, 64), ""));
}

/* The indices of the taps x0y0, x0y1, x1y0, x1y1, a byte each; nearest: of the one in the low byte. */
static LLVMValueRef indices(struct raster_texture_ir *t, const struct window *w)
{
    static const uint8_t parts[2][16] = {{/* of x */ 0, 1, 2, 3, 16, 17, 18, 19,
                                          /* of y */ 0, 4, 8, 12, LOWER, LOWER + 4, LOWER + 8, LOWER + 12},
                                         {/* of x */ 0, 1, 4, 5, 16, 17, 20, 21,
                                          /* of y */ 0, 3, 12, 15, LOWER, LOWER + 3, LOWER + 12, LOWER + 15}};
    static const uint32_t of_x[4] = {0, 0, 1, 1}, of_y[4] = {2, 3, 2, 3};
    struct jit_builder *b = t->b;
    LLVMValueRef v = raster_ir_as_words(b, w->tap[0]);

    if (t->filter != TEXTURE_NEAREST)
        v = raster_ir_or(b, v, raster_ir_shl(b, raster_ir_as_words(b, w->tap[1]), 8));
    v = look_up(b, parts[t->key->layout == RASTER_UTGARD_TILED],
                raster_ir_or(b, v, jit_splat_u32(b, 0x08080000)));
    if (t->filter == TEXTURE_NEAREST)
        return LLVMBuildXor(b->ir, v, raster_ir_shr(b, v, 16), "");
    return LLVMBuildXor(b->ir, bytes(b, v, of_x), bytes(b, v, of_y), "");
}

/* Fours of lanes of x and y (4..7: of y). */
static LLVMValueRef fours(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y, const uint32_t from[4])
{
    LLVMValueRef lanes[16];

    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = jit_i32(b, from[l >> 2] * 4 + (l & 3));
    return LLVMBuildShuffleVector(b->ir, x, y, LLVMConstVector(lanes, 16), "");
}

/* Each quad's sixteen taps out of its own window as one vector, its four lanes four times, then the fours
 * sorted by tap. */
static void pick_quads(struct jit_builder *b, LLVMValueRef const *utile, LLVMValueRef index,
                       LLVMValueRef out[4])
{
    static const uint32_t low[4] = {0, 1, 4, 5}, high[4] = {2, 3, 6, 7};
    static const uint32_t even[4] = {0, 2, 4, 6}, odd[4] = {1, 3, 5, 7};
    uint32_t shifts[16];
    LLVMValueRef quad[4], half[2][2];

    for (uint32_t l = 0; l < 16; l++)
        shifts[l] = (l >> 2) * 8;
    for (uint32_t q = 0; q < 4; q++) {
        const uint32_t own[4] = {q, q, q, q};

        quad[q] = LLVMBuildLShr(b->ir, fours(b, index, index, own), jit_vector_u32(b, shifts), "");
        quad[q] = pick(b, utile + (size_t)4 * q, quad[q]);
    }
    for (unsigned k = 0; k < 2; k++) {
        half[0][k] = fours(b, quad[2 * k], quad[2 * k + 1], low);
        half[1][k] = fours(b, quad[2 * k], quad[2 * k + 1], high);
    }
    for (unsigned x = 0; x < 2; x++) {
        out[x] = fours(b, half[x][0], half[x][1], even);
        out[2 + x] = fours(b, half[x][0], half[x][1], odd);
    }
}

/* ---- the whole ---- */

/* Each tap out of the block's window. */
static void pick_block(struct raster_texture_ir *t, LLVMValueRef const *utile, LLVMValueRef index,
                       LLVMValueRef out[4])
{
    for (unsigned k = 0; k < (t->filter == TEXTURE_NEAREST ? 1 : 4); k++)
        out[2 * (k & 1) + (k >> 1)] = pick(t->b, utile, raster_ir_shr(t->b, index, 8 * k));
}

/* The ways that lead to the texels. */
struct ways {
    LLVMBasicBlockRef from[4], merge;
    LLVMValueRef texel[4][4];
    unsigned count;
};

static void close_way(struct jit_builder *b, struct ways *w)
{
    w->from[w->count++] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, w->merge);
}

/* The way of one window for the block, or for each quad; the builder goes on where the taps do not fit. */
static void try_window(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                       LLVMValueRef const tap[2], bool block, struct ways *ways)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, b->function, "window");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, b->function, "wider");
    LLVMValueRef utile[16], *out = ways->texel[ways->count];
    struct window w = {0};

    place_windows(t, level, tap, block, &w);
    jit_likely(b, LLVMBuildCondBr(b->ir, fits(t, level, &w, 8), near, far));
    LLVMPositionBuilderAtEnd(b->ir, near);
    load_utiles(t, level, w.utile, block ? 4 : 16, block ? AHEAD : 0, utile);
    if (block)
        pick_block(t, utile, indices(t, &w), out);
    else
        pick_quads(b, utile, indices(t, &w), out);
    close_way(b, ways);
    LLVMPositionBuilderAtEnd(b->ir, far);
}

/* The way of pictures that are copied: utiles whole, each to a block. */
static void try_copy(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                     LLVMValueRef tap, struct ways *ways)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, b->function, "utile");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, b->function, "wider");
    LLVMValueRef utile;
    struct window w = {0};

    place_copy(t, tap, &w);
    jit_likely(b, LLVMBuildCondBr(b->ir, fits(t, level, &w, 4), near, far));
    LLVMPositionBuilderAtEnd(b->ir, near);
    load_utiles(t, level, w.utile, 1, 1, &utile);
    ways->texel[ways->count][0] = permute(b, utile, utile, indices(t, &w));
    close_way(b, ways);
    LLVMPositionBuilderAtEnd(b->ir, far);
}

/* The ways of one window for the block and, where it does not fit, for each quad. Textures that are turned have
 * windows that fit or not from block to block, which the processor cannot foresee: once one did not fit, the
 * call's other blocks do not try it. */
static void try_windows(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                        LLVMValueRef const tap[2], struct ways *ways)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef whole = LLVMAppendBasicBlockInContext(b->context, b->function, "whole");
    LLVMBasicBlockRef apart = LLVMAppendBasicBlockInContext(b->context, b->function, "apart");
    LLVMValueRef slot = jit_alloca_zero(b, b->i8, "missed"), yes = LLVMConstInt(b->i8, 1, false), missed;

    missed = jit_load(b, b->i8, slot, 1, false);
    LLVMSetVolatile(missed, true); /* in memory: the loop has no register to spare */
    missed = LLVMBuildICmp(b->ir, LLVMIntNE, missed, LLVMConstNull(b->i8), "");
    LLVMBuildCondBr(b->ir, missed, apart, whole);
    LLVMPositionBuilderAtEnd(b->ir, whole);
    try_window(t, level, tap, true, ways);
    LLVMSetVolatile(LLVMBuildStore(b->ir, yes, slot), true);
    LLVMBuildBr(b->ir, apart);
    LLVMPositionBuilderAtEnd(b->ir, apart);
    try_window(t, level, tap, false, ways);
}

void raster_texture_ir_window(struct raster_texture_ir *t, const struct raster_texture_ir_level *level,
                              struct raster_texture_ir_axis *x, struct raster_texture_ir_axis *y,
                              LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    struct ways ways = {.merge = LLVMAppendBasicBlockInContext(b->context, b->function, "texels")};
    bool nearest = t->filter == TEXTURE_NEAREST;
    LLVMValueRef tap[2] = {NULL};

    make_taps(t, level, raster_ir_as_halves(b, jit_splat(b, level->last)), x, y, tap);
    if (nearest && t->key->unnormalized)
        try_copy(t, level, tap[0], &ways);
    if (nearest)
        try_window(t, level, tap, true, &ways);
    else
        try_windows(t, level, tap, &ways);
    if (!x->tap[0])
        raster_texture_ir_taps(t, level, x, y);
    raster_texture_ir_gather(t, level, x, y, ways.texel[ways.count]);
    close_way(b, &ways);
    LLVMPositionBuilderAtEnd(b->ir, ways.merge);
    for (unsigned k = 0; k < (nearest ? 1 : 4); k++) {
        LLVMValueRef in[4];

        for (unsigned n = 0; n < ways.count; n++)
            in[n] = ways.texel[n][k];
        out[k] = LLVMBuildPhi(b->ir, b->i32x16, "");
        LLVMAddIncoming(out[k], in, ways.from, ways.count);
    }
}

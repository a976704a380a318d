/* Taps out of utiles held in registers. Textures that are magnified or one-to-one touch few texels a block:
 * where all its taps fall into two by two utiles of 4x4 texels, four loads and a few permutations
 * replace 64 gathered texels. Filtered textures that are a little smaller, as mipmapped ones are, have such a
 * window for each quad. Otherwise, decided at run time, the gathers do it. A window is as wide as such a
 * texture needs wherever it stands, so that the decision hardly ever changes from block to block. Hosts with
 * AVX-512 only: there a register is a utile.
 *
 * What can be is done to x and y at once, as the low and the high half of each lane. A block's window has few
 * utiles: their places are found in eight lanes, half a register, which some hosts take half the time for. */
#include "raster/texture/window_ir.h"

/* ---- halves ---- */

static LLVMValueRef choose(struct jit_builder *b, LLVMIntPredicate predicate, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, predicate, x, y, ""), x, y, "");
}

/* ---- windows ---- */

#define LATER 2 /* utiles */

struct window {
    /* (x, y) of utile 2 * y + x: of each quad's window in its four lanes, or, eight lanes, of the block's in the
     * first four and, LATER of them, of the utiles that a block further on will likely begin with. */
    LLVMValueRef utile;
    LLVMValueRef tap[2]; /* relative to the window's start */
};

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

static void place_windows(const struct raster_window_ir *w, bool block, struct window *out)
{
    struct jit_builder *b = w->b;
    LLVMValueRef first = w->tap[0], start, utile;
    uint32_t lanes[16];

    if (w->descending && !w->nearest)
        first = choose(b, LLVMIntULT, first, w->tap[1]);
    start = least(b, first, block);
    start = LLVMBuildAnd(b->ir, start, raster_ir_like(b, start, raster_ir_both(b, ~3u, ~3u)), "");
    /* Not in the last utile unless it is the only one: small images then fit whatever wraps. */
    start = choose(b, LLVMIntULT, start, raster_ir_as_halves(b, raster_ir_like(b, start, w->last_start)));
    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = block && l > 3 ? raster_ir_pair(1, l & 1) : raster_ir_pair(l & 1, l >> 1 & 1);
    utile = block ? and_below(b, start, first, 4) : start;
    utile = LLVMBuildLShr(b->ir, utile, raster_ir_like(b, utile, raster_ir_both(b, 2, 2)), "");
    utile = LLVMBuildAdd(b->ir, utile,
                         raster_ir_as_halves(b, raster_ir_like(b, utile, jit_vector_u32(b, lanes))), "");
    out->utile =
        choose(b, LLVMIntULT, utile, raster_ir_as_halves(b, raster_ir_like(b, utile, w->last_utile)));
    if (block)
        start = first_lane(b, start);
    for (unsigned k = 0; k < (w->nearest ? 1 : 2); k++)
        out->tap[k] = LLVMBuildSub(b->ir, w->tap[k], start, "");
}

/* The utile of the first lane's tap, and the one below it. */
static void place_copy(const struct raster_window_ir *w, struct window *out)
{
    struct jit_builder *b = w->b;
    LLVMValueRef tap = w->tap[0];
    LLVMValueRef start = LLVMBuildAnd(b->ir, first_lane(b, tap), raster_ir_both(b, ~3u, ~3u), ""), utile;

    out->tap[0] = LLVMBuildSub(b->ir, tap, start, "");
    utile = and_below(b, raster_ir_lower(b, start), tap, 1);
    out->utile = LLVMBuildLShr(b->ir, utile, raster_ir_like(b, utile, raster_ir_both(b, 2, 2)), "");
}

/* Whether the lanes share what they have to, and every tap lies in its own window, of `side` texels: scalar. */
static LLVMValueRef fits(const struct raster_window_ir *w, const struct window *at, bool block, uint32_t side)
{
    struct jit_builder *b = w->b;
    LLVMValueRef taps = at->tap[0], near, share = block ? w->shared : w->quads_share;

    if (!w->nearest)
        taps = LLVMBuildOr(b->ir, taps, at->tap[1], "");
    near = raster_ir_and(b, raster_ir_as_words(b, taps), raster_ir_pair(~(side - 1), ~(side - 1)));
    near = jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntEQ, near, jit_splat_u32(b, 0), ""));
    return share ? LLVMBuildAnd(b->ir, near, share, "") : near;
}

/* ---- utiles ---- */

LLVMValueRef raster_window_ir_look_up(struct jit_builder *b, const uint8_t table[16], LLVMValueRef v)
{
    static const char *const names[] = {"llvm.x86.ssse3.pshuf.b.128", "llvm.x86.avx2.pshuf.b",
                                        "llvm.x86.avx512.pshuf.b.512"};
    LLVMValueRef lanes[64], args[2];

    for (unsigned i = 0; i < 64; i++)
        lanes[i] = LLVMConstInt(b->i8, table[i & 15], false);
    args[0] = LLVMConstVector(lanes, raster_ir_size(v) / 8);
    args[1] = raster_ir_as_bytes(b, v);
    if (raster_ir_size(v) == 256)
        return raster_ir_as_words(b, jit_intrinsic(b, names[1], NULL, 0, args, 2));
    return raster_ir_as_words(b, jit_intrinsic_by_level(b, names, args, 2));
}

/* Places in a square that is interleaved (README.md, "Image layouts"), of x and of y, below 16: the exclusive or of the
 * two. */
static const uint8_t columns[16] = {0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85};
static const uint8_t rows[16] = {0, 3, 12, 15, 48, 51, 60, 63, 192, 195, 204, 207, 240, 243, 252, 255};

LLVMValueRef raster_window_ir_utile_in_tile(struct jit_builder *b, LLVMValueRef words)
{
    LLVMValueRef in = raster_ir_and_bits(b, words, raster_ir_pair(3, 3));
    LLVMValueRef x = raster_ir_and_bits(b, raster_window_ir_look_up(b, columns, in), 0xff);

    return LLVMBuildXor(b->ir, x, raster_ir_right(b, raster_window_ir_look_up(b, rows, in), 16), "");
}

LLVMValueRef raster_window_ir_column(struct jit_builder *b, LLVMValueRef x)
{
    return raster_window_ir_look_up(b, columns, raster_ir_and_bits(b, x, 15));
}

LLVMValueRef raster_window_ir_row(struct jit_builder *b, LLVMValueRef y)
{
    return raster_window_ir_look_up(b, rows, raster_ir_and_bits(b, y, 15));
}

LLVMValueRef raster_window_ir_texel_in_tile(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    x = raster_window_ir_column(b, x);
    return y ? LLVMBuildXor(b->ir, x, raster_window_ir_row(b, y), "") : x;
}

/* Texels of 3 bytes: of its 48 bytes alone, since memory may end there. */
LLVMValueRef raster_window_ir_utile(struct jit_builder *b, LLVMValueRef at, unsigned bytes)
{
    static const uint32_t words[16] = {0, 1, 2, 0, 3, 4, 5, 0, 6, 7, 8, 0, 9, 10, 11, 0};
    LLVMTypeRef types[2] = {b->i32x16, b->ptr};
    LLVMValueRef lanes[64], args[4], v;

    if (bytes == 4)
        return jit_load(b, b->i32x16, at, 1, false);
    for (unsigned n = 0; n < 16; n++)
        lanes[n] = LLVMConstInt(b->i1, n < 12, false);
    args[0] = at;
    args[1] = jit_i32(b, 1);
    args[2] = LLVMConstVector(lanes, 16);
    args[3] = LLVMConstNull(b->i32x16);
    v = jit_intrinsic(b, "llvm.masked.load", types, 2, args, 4);
    v = LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(b->i32x16), jit_vector_u32(b, words), "");
    v = raster_ir_as_bytes(b, v);
    for (uint32_t n = 0; n < 64; n++) /* within quarters; index 64 is a zero */
        lanes[n] = jit_i32(b, (n & 3) == 3 ? 64 : (n & ~15u) + 3 * (n >> 2 & 3) + (n & 3));
    return raster_ir_as_words(
        b, LLVMBuildShuffleVector(b->ir, v, LLVMConstNull(LLVMTypeOf(v)), LLVMConstVector(lanes, 64), ""));
}

void raster_window_ir_prefetch(struct jit_builder *b, LLVMValueRef at)
{
    LLVMValueRef args[4] = {at, jit_i32(b, 0), jit_i32(b, 3), jit_i32(b, 1)}; /* read, keep, data */

    jit_intrinsic(b, "llvm.prefetch", &b->ptr, 1, args, 4);
}

/* The windows' utiles, `count` of them and `ahead` behind those. Their addresses go through memory: that is
 * quicker than taking lane after lane. What is ahead is only fetched: textures are too large, and their order
 * of utiles too strange, for the processor to foresee it. */
static void load_utiles(const struct raster_window_ir *w, LLVMValueRef xy, unsigned count, unsigned ahead,
                        LLVMValueRef *out)
{
    struct jit_builder *b = w->b;
    LLVMValueRef slot = w->scratch ? w->scratch : jit_alloca(b, b->i32x16, "utiles"), base,
                 place = w->place(w->user, xy, &base), at;

    at = LLVMBuildStore(b->ir, place, slot);
    LLVMSetAlignment(at, 64);
    LLVMSetVolatile(at, true);
    for (unsigned k = 0; k < count + ahead; k++) {
        at = jit_load(b, b->i32, jit_offset_const(b, slot, 4ull * k), 4, false);
        LLVMSetVolatile(at, true);
        at = jit_offset(b, base, at);
        if (k < count)
            out[k] = raster_window_ir_utile(b, at, w->bytes);
        else
            raster_window_ir_prefetch(b, at);
    }
}

/* ---- picking ---- */

LLVMValueRef raster_window_ir_permute(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high,
                                      LLVMValueRef index)
{
    LLVMValueRef args[3] = {low, index, high};

    return jit_intrinsic(b, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
}

enum { LOWER = 64 }; /* the index's bit for the lower pair of utiles; bit 4 is that for the right one */

/* The words at `index` of a window's four utiles. */
static LLVMValueRef pick(struct jit_builder *b, LLVMValueRef const *utile, LLVMValueRef index)
{
    LLVMValueRef above = raster_window_ir_permute(b, utile[0], utile[1], index);
    LLVMValueRef below = raster_window_ir_permute(b, utile[2], utile[3], index);
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
static LLVMValueRef indices(const struct raster_window_ir *w, const struct window *at)
{
    static const uint8_t parts[2][16] = {{/* of x */ 0, 1, 2, 3, 16, 17, 18, 19,
                                          /* of y */ 0, 4, 8, 12, LOWER, LOWER + 4, LOWER + 8, LOWER + 12},
                                         {/* of x */ 0, 1, 4, 5, 16, 17, 20, 21,
                                          /* of y */ 0, 3, 12, 15, LOWER, LOWER + 3, LOWER + 12, LOWER + 15}};
    static const uint32_t of_x[4] = {0, 0, 1, 1}, of_y[4] = {2, 3, 2, 3};
    struct jit_builder *b = w->b;
    LLVMValueRef v = raster_ir_as_words(b, at->tap[0]);

    if (!w->nearest)
        v = raster_ir_or(b, v, raster_ir_shl(b, raster_ir_as_words(b, at->tap[1]), 8));
    v = raster_window_ir_look_up(b, parts[w->interleaved], raster_ir_or(b, v, jit_splat_u32(b, 0x08080000)));
    if (w->nearest)
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
static void pick_block(const struct raster_window_ir *w, LLVMValueRef const *utile, LLVMValueRef index,
                       LLVMValueRef out[4])
{
    for (unsigned k = 0; k < (w->nearest ? 1 : 4); k++)
        out[2 * (k & 1) + (k >> 1)] = pick(w->b, utile, raster_ir_shr(w->b, index, 8 * k));
}

/* The ways that lead to the texels. */
struct ways {
    LLVMBasicBlockRef from[4], merge;
    LLVMValueRef texel[4][4];
    unsigned count;
};

static void close_way(struct jit_builder *b, struct ways *ways)
{
    ways->from[ways->count++] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, ways->merge);
}

/* The way of one window for the block, or for each quad; the builder goes on where the taps do not fit. */
static void try_window(const struct raster_window_ir *w, bool block, struct ways *ways)
{
    struct jit_builder *b = w->b;
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, b->function, "window");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, b->function, "wider");
    LLVMValueRef utile[16], *out = ways->texel[ways->count];
    struct window at = {0};

    place_windows(w, block, &at);
    jit_likely(b, LLVMBuildCondBr(b->ir, fits(w, &at, block, 8), near, far));
    LLVMPositionBuilderAtEnd(b->ir, near);
    load_utiles(w, at.utile, block ? 4 : 16, block ? LATER : 0, utile);
    if (block)
        pick_block(w, utile, indices(w, &at), out);
    else
        pick_quads(b, utile, indices(w, &at), out);
    close_way(b, ways);
    LLVMPositionBuilderAtEnd(b->ir, far);
}

/* The way of pictures that are copied: utiles whole, each to a block. */
static void try_copy(const struct raster_window_ir *w, struct ways *ways)
{
    struct jit_builder *b = w->b;
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, b->function, "utile");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, b->function, "wider");
    LLVMValueRef utile;
    struct window at = {0};

    place_copy(w, &at);
    jit_likely(b, LLVMBuildCondBr(b->ir, fits(w, &at, true, 4), near, far));
    LLVMPositionBuilderAtEnd(b->ir, near);
    load_utiles(w, at.utile, 1, 1, &utile);
    ways->texel[ways->count][0] = raster_window_ir_permute(b, utile, utile, indices(w, &at));
    close_way(b, ways);
    LLVMPositionBuilderAtEnd(b->ir, far);
}

/* The ways of one window for the block and, where it does not fit, for each quad. Textures that are turned have
 * windows that fit or not from block to block, which the processor cannot foresee: once one did not fit, the
 * call's other blocks do not try it. Each of two levels counts for itself: of the smaller one windows often fit where
 * those of the larger one do not. */
static void try_windows(const struct raster_window_ir *w, struct ways *ways)
{
    struct jit_builder *b = w->b;
    LLVMBasicBlockRef whole = LLVMAppendBasicBlockInContext(b->context, b->function, "whole");
    LLVMBasicBlockRef apart = LLVMAppendBasicBlockInContext(b->context, b->function, "apart");
    LLVMValueRef slot = jit_alloca_zero(b, LLVMArrayType2(b->i8, 2), "missed"),
                 yes = LLVMConstInt(b->i8, 1, false), missed;

    slot = w->turn ? jit_offset(b, slot, w->turn) : slot;
    missed = jit_load(b, b->i8, slot, 1, false);
    LLVMSetVolatile(missed, true); /* in memory: the loop has no register to spare */
    missed = LLVMBuildICmp(b->ir, LLVMIntNE, missed, LLVMConstNull(b->i8), "");
    LLVMBuildCondBr(b->ir, missed, apart, whole);
    LLVMPositionBuilderAtEnd(b->ir, whole);
    try_window(w, true, ways);
    LLVMSetVolatile(LLVMBuildStore(b->ir, yes, slot), true);
    LLVMBuildBr(b->ir, apart);
    LLVMPositionBuilderAtEnd(b->ir, apart);
    try_window(w, false, ways);
}

void raster_window_ir(const struct raster_window_ir *w, LLVMValueRef out[4])
{
    struct jit_builder *b = w->b;
    struct ways ways = {.merge = LLVMAppendBasicBlockInContext(b->context, b->function, "texels")};

    if (w->copied)
        try_copy(w, &ways);
    if (w->nearest)
        try_window(w, true, &ways);
    else
        try_windows(w, &ways);
    w->far(w->user, ways.texel[ways.count]);
    close_way(b, &ways);
    LLVMPositionBuilderAtEnd(b->ir, ways.merge);
    for (unsigned k = 0; k < (w->nearest ? 1 : 4); k++) {
        LLVMValueRef in[4];

        for (unsigned n = 0; n < ways.count; n++)
            in[n] = ways.texel[n][k];
        out[k] = LLVMBuildPhi(b->ir, b->i32x16, "");
        LLVMAddIncoming(out[k], in, ways.from, ways.count);
    }
}

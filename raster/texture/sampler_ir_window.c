/* The windows of the general sampler (window_ir.h): of interleaved images, whose utiles of 4x4 texels stand together. */
#include "raster/texture/sampler_ir_window.h"

#include <stddef.h>

#include "raster/texture/window_ir.h"

/* Gathers by the instruction, where they are quick, take less time than utiles and their permutations. */
bool raster_sampler_ir_windowed(const struct raster_sampler_ir *t)
{
    const struct raster_sampler_key *key = t->key;
    bool sized = t->texel->bits == 32 || t->texel->bits == 24;

    if (t->b->level < JIT_AVX512 || t->b->gathers || key->layout != RASTER_UTGARD_TILED ||
        raster_sampler_axes(key) != 2 || !sized)
        return false;
    if (key->op == RASTER_FETCH)
        return !key->multisampled;
    return (key->op == RASTER_SAMPLE || key->op == RASTER_GATHER) &&
           (t->filter != RASTER_LOOKUP_NEAREST || (key->unnormalized && t->texel->bits == 32));
}

struct lookup {
    struct raster_sampler_ir *t;
    LLVMValueRef slice;
    const struct raster_axis_ir *axis;
};

static LLVMValueRef place(void *user, LLVMValueRef xy, LLVMValueRef *base)
{
    const struct lookup *l = user;
    struct raster_sampler_ir *t = l->t;
    struct jit_builder *b = t->b;
    LLVMValueRef words = raster_ir_as_words(b, xy), row = raster_ir_like(b, words, t->level.row_stride), at;
    uint32_t utile = 2 * t->texel->bits; /* bytes */

    *base =
        jit_load(b, b->ptr, jit_offset_const(b, t->image, offsetof(struct raster_image, memory)), 8, true);
    /* Of sixteen utiles a tile: the column's first, then within the tile. */
    at = raster_ir_left(b, raster_ir_right(b, raster_ir_and_bits(b, words, 0xffff), 2), 4);
    at = LLVMBuildAdd(b->ir, at, raster_window_ir_utile_in_tile(b, words), "");
    at = LLVMBuildMul(b->ir, at, raster_ir_like(b, words, jit_splat_u32(b, utile)), "");
    at = LLVMBuildAdd(b->ir, at, LLVMBuildMul(b->ir, raster_ir_right(b, words, 18), row, ""), "");
    return LLVMBuildAdd(b->ir, at, raster_ir_like(b, words, raster_sampler_ir_surface(t, l->slice, NULL)),
                        "");
}

static void far(void *user, LLVMValueRef out[4])
{
    const struct lookup *l = user;

    for (unsigned k = 0; k < (l->t->filter == RASTER_LOOKUP_NEAREST ? 1 : 4); k++) {
        LLVMValueRef word[4];

        raster_sampler_ir_words(l->t, l->slice, NULL, l->axis[0].x[k & 1], l->axis[1].x[k >> 1], word);
        out[k] = word[0];
    }
}

/* Whether lanes have the value of the first lane, or of each quad's first: scalar, with `before` where there is one. */
static LLVMValueRef alike(struct jit_builder *b, LLVMValueRef before, LLVMValueRef v, bool quads)
{
    uint32_t lanes[16];
    LLVMValueRef is;

    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = quads ? l & ~3u : 0;
    is = LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(LLVMTypeOf(v)), jit_vector_u32(b, lanes), "");
    is = jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntEQ, v, is, ""));
    return before ? LLVMBuildAnd(b->ir, before, is, "") : is;
}

static bool descends(const struct raster_sampler_key *key, unsigned k)
{
    return key->wrap[k] == RASTER_MIRROR || key->wrap[k] == RASTER_MIRROR_CLAMP ||
           key->wrap[k] == RASTER_MIRROR_BORDER || key->wrap[k] == RASTER_MIRROR_HALF_BORDER;
}

void raster_sampler_ir_window(struct raster_sampler_ir *t, LLVMValueRef slice,
                              const struct raster_axis_ir axis[2], LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    struct lookup lookup = {t, slice, axis};
    struct raster_window_ir w = {.b = b,
                                 .nearest = t->filter == RASTER_LOOKUP_NEAREST,
                                 .descending = descends(t->key, 0) || descends(t->key, 1),
                                 .interleaved = true,
                                 .bytes = t->texel->bits / 8u,
                                 .last_utile = t->level.last_utile,
                                 .last_start = t->level.last_start,
                                 .turn = t->level.turn,
                                 .place = place,
                                 .far = far,
                                 .user = &lookup};
    const LLVMValueRef own[2] = {t->level.number, slice};

    w.copied = w.nearest && t->key->unnormalized;
    for (unsigned n = 0; n < 2; n++)
        if (own[n]) {
            w.shared = alike(b, w.shared, own[n], false);
            if (!w.nearest && (n || !raster_sampler_ir_quads_share(t)))
                w.quads_share = alike(b, w.quads_share, own[n], true);
        }
    for (unsigned k = 0; k < (w.nearest ? 1 : 2); k++)
        w.tap[k] = raster_ir_as_halves(b, raster_ir_or(b, axis[0].x[k], raster_ir_shl(b, axis[1].x[k], 16)));
    raster_window_ir(&w, out);
}

/* ---- rows ---- */

#define ROW 5 /* utiles of sixteen texels in a row, wherever they begin */

/* What of a row of fetched texels comes of x alone, or of y: lookups beside each other share it. */
struct line {
    /* Eight lanes: where utiles are in a tile (of x also: in a row of tiles), in texels. */
    LLVMValueRef utile;
    /* Where the lanes' texels are in their utile, and of x the utile's number from bit 4 on. */
    LLVMValueRef index;
    LLVMValueRef fits; /* scalar */
};

/* Eight lanes of the first of sixteen. */
static LLVMValueRef first_of(struct jit_builder *b, LLVMValueRef v)
{
    return raster_ir_lower(b, jit_splat(b, LLVMBuildExtractElement(b->ir, v, jit_i32(b, 0), "")));
}

static LLVMValueRef less(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, x, y, ""), x, y, "");
}

/* The utiles from the first lane's on, to the last lane's, of which there are no more than ROW. */
static struct line across(struct jit_builder *b, LLVMValueRef x, LLVMValueRef *of)
{
    LLVMValueRef utile = raster_ir_shr(b, x, 2), first = first_of(b, utile), last, number;
    struct line out;

    *of = LLVMBuildSub(b->ir, utile, jit_splat(b, LLVMBuildExtractElement(b->ir, utile, jit_i32(b, 0), "")),
                       "");
    /* A texel before the first is further than any may be. */
    last = jit_splat(b, LLVMBuildExtractElement(b->ir, *of, jit_i32(b, JIT_LANES - 1), ""));
    last = less(b, last, jit_splat_u32(b, ROW - 1));
    out.fits = jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntULE, *of, last, ""));
    number = less(b, raster_ir_lower(b, last), raster_ir_lower(b, jit_lane_ids(b)));
    number = raster_ir_left(b, LLVMBuildAdd(b->ir, first, number, ""), 2);
    out.utile = raster_ir_left(b, raster_ir_and_bits(b, number, ~15u), 4);
    out.utile = LLVMBuildOr(b->ir, out.utile, raster_window_ir_column(b, number), "");
    out.index = raster_ir_and(b, raster_window_ir_column(b, x), 15);
    out.index = raster_ir_or(b, out.index, raster_ir_shl(b, *of, 4));
    return out;
}

/* Eight lanes of the first lane's y; from ROW on of the row of utiles below, whose last one is fetched ahead: the others
 * were when their turn was to be the last. */
static LLVMValueRef first_row(struct jit_builder *b, LLVMValueRef y)
{
    uint32_t lanes[16];

    for (uint32_t l = 0; l < 16; l++)
        lanes[l] = l < ROW ? 0 : 4;
    return LLVMBuildAdd(b->ir, first_of(b, y), raster_ir_lower(b, jit_vector_u32(b, lanes)), "");
}

/* One row of utiles. */
static struct line down(struct jit_builder *b, LLVMValueRef y)
{
    LLVMValueRef utile = raster_ir_shr(b, y, 2),
                 first = jit_splat(b, LLVMBuildExtractElement(b->ir, utile, jit_i32(b, 0), ""));

    return (struct line){.utile = raster_ir_and_bits(b, raster_window_ir_row(b, first_row(b, y)), 0xf0),
                         .index = raster_ir_and(b, raster_window_ir_row(b, y), 15),
                         .fits = jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntEQ, utile, first, ""))};
}

/* Where the utiles are: bytes. */
static LLVMValueRef row_places(struct raster_sampler_ir *t, const struct line *x, const struct line *y,
                               LLVMValueRef slice, LLVMValueRef tile_row)
{
    struct jit_builder *b = t->b;
    LLVMValueRef at, surface = raster_sampler_ir_surface(t, slice, NULL);
    bool words = t->texel->bits == 32;

    /* Bytes of four are made of each part alone, which then is shared. */
    at = words ? LLVMBuildXor(b->ir, raster_ir_left(b, x->utile, 2), raster_ir_left(b, y->utile, 2), "")
               : LLVMBuildXor(b->ir, x->utile, y->utile, "");
    if (!words)
        at = LLVMBuildMul(b->ir, at, raster_ir_lower(b, jit_splat_u32(b, t->texel->bits / 8u)), "");
    tile_row = LLVMBuildMul(b->ir, tile_row, first_of(b, t->level.row_stride), "");
    return LLVMBuildAdd(b->ir, at, LLVMBuildAdd(b->ir, tile_row, first_of(b, surface), ""), "");
}

/* The texels at (x, y) out of utiles in a row. */
static LLVMValueRef row_texels(struct raster_sampler_ir *t, LLVMValueRef places, LLVMValueRef of,
                               LLVMValueRef index)
{
    struct jit_builder *b = t->b;
    LLVMValueRef slot = jit_alloca(b, b->i32x16, "utiles"), utile[ROW], out, base;

    base = jit_load(b, b->ptr, jit_offset_const(b, t->image, offsetof(struct raster_image, memory)), 8, true);
    out = LLVMBuildStore(b->ir, places, slot);
    LLVMSetAlignment(out, 64);
    LLVMSetVolatile(out, true);
    for (unsigned k = 0; k <= ROW; k++) {
        LLVMValueRef at = jit_load(b, b->i32, jit_offset_const(b, slot, 4ull * k), 4, false);

        LLVMSetVolatile(at, true);
        at = jit_offset(b, base, at);
        if (k < ROW)
            utile[k] = raster_window_ir_utile(b, at, t->texel->bits / 8u);
        else
            raster_window_ir_prefetch(b, at);
    }
    out = raster_window_ir_permute(b, utile[4], utile[4], index);
    for (uint32_t k = 2; k-- > 0;) {
        LLVMValueRef in = LLVMBuildICmp(b->ir, LLVMIntULT, of, jit_splat_u32(b, 2 * k + 2), "");

        out = LLVMBuildSelect(b->ir, in, raster_window_ir_permute(b, utile[2 * k], utile[2 * k + 1], index),
                              out, "");
    }
    return out;
}

LLVMValueRef raster_sampler_ir_row(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef x,
                                   LLVMValueRef y)
{
    struct jit_builder *b = t->b;
    const LLVMValueRef own[2] = {t->level.number, slice};
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, b->function, "row");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, b->function, "apart");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(b->context, b->function, "texels");
    LLVMBasicBlockRef from[2];
    LLVMValueRef of, fits, word[4], value[2], places, out;
    const struct line columns = across(b, x, &of), rows = down(b, y);

    fits = LLVMBuildAnd(b->ir, columns.fits, rows.fits, "");
    for (unsigned n = 0; n < 2; n++)
        fits = own[n] ? alike(b, fits, own[n], false) : fits;
    places = row_places(t, &columns, &rows, slice, raster_ir_right(b, first_row(b, y), 4));
    jit_likely(b, LLVMBuildCondBr(b->ir, fits, near, far));
    LLVMPositionBuilderAtEnd(b->ir, near);
    value[0] = row_texels(t, places, of, LLVMBuildXor(b->ir, columns.index, rows.index, ""));
    from[0] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, far);
    raster_sampler_ir_words(t, slice, NULL, x, y, word);
    value[1] = word[0];
    from[1] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    out = LLVMBuildPhi(b->ir, b->i32x16, "");
    LLVMAddIncoming(out, value, from, 2);
    return out;
}

/* The windows of the general sampler (window_ir.h): of interleaved images, whose utiles of 4x4 texels stand together. */
#include "raster/texture/sampler_ir_window.h"

#include <stddef.h>

#include "raster/texture/window_ir.h"

bool raster_sampler_ir_windowed(const struct raster_sampler_ir *t)
{
    const struct raster_sampler_key *key = t->key;

    if (t->b->level != JIT_AVX512 || key->layout != RASTER_UTGARD_TILED || raster_sampler_axes(key) != 2 ||
        (t->texel->bits != 32 && t->texel->bits != 24))
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
                                 .rows = t->key->op == RASTER_FETCH,
                                 .bytes = t->texel->bits / 8u,
                                 .last_utile = t->level.last_utile,
                                 .last_start = t->level.last_start,
                                 .place = place,
                                 .far = far,
                                 .user = &lookup};
    const LLVMValueRef own[2] = {t->level.number, slice};

    w.copied = w.nearest && !w.rows && t->key->unnormalized;
    for (unsigned n = 0; n < 2; n++)
        if (own[n]) {
            w.shared = alike(b, w.shared, own[n], false);
            w.quads_share = w.nearest ? NULL : alike(b, w.quads_share, own[n], true);
        }
    for (unsigned k = 0; k < (w.nearest ? 1 : 2); k++)
        w.tap[k] = raster_ir_as_halves(b, raster_ir_or(b, axis[0].x[k], raster_ir_shl(b, axis[1].x[k], 16)));
    raster_window_ir(&w, out);
}

/* The general sampler as IR: its operations, written from README.md, "The general sampler", apart from
 * sampler.c. */
#include "raster/texture/sampler_ir.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "raster/texture/sampler_ir_filter.h"
#include "raster/texture/sampler_ir_internal.h"
#include "raster/texture/sampler_ir_window.h"

#define MANY         4u  /* lookups of a program from which on a key's code is a function */
#define MANY_FETCHES 16u /* of texels, whose code is short */
#define MANY_QUICK   2u

#define U(v) raster_sampler_ir_u(t, v)
#define F(v) raster_sampler_ir_f(t, v)

static LLVMValueRef or_zero(struct raster_sampler_ir *t, LLVMValueRef v)
{
    return v ? v : U(0);
}

/* A number, or 0, as an operand of float arithmetic. */
static LLVMValueRef coordinate(struct raster_sampler_ir *t, LLVMValueRef v)
{
    return jit_fence(t->b, v ? jit_as_f32(t->b, v) : F(0));
}

/* ---- results ---- */

static LLVMValueRef shown(struct raster_sampler_ir *t, LLVMValueRef const texel[4], unsigned from)
{
    if (from == RASTER_SWIZZLE_0)
        return U(0);
    if (from == RASTER_SWIZZLE_1)
        return U(raster_sampler_integer((enum raster_format)t->key->format) ? 1 : 0x3f800000);
    return jit_as_i32(t->b, texel[from]);
}

/* Components that the swizzle shows and that are not constant: those alone are fetched and filtered. */
static void find_needed(struct raster_sampler_ir *t)
{
    unsigned first = t->key->op == RASTER_GATHER ? t->key->component : 0;
    unsigned count = t->key->op == RASTER_GATHER ? 1 : 4;

    for (unsigned n = first; n < first + count; n++)
        if (t->key->swizzle[n] < 4)
            t->need[t->key->swizzle[n]] = true;
    for (unsigned n = 0; n < 4; n++)
        t->need[n] &= t->key->compare ? n == 0 : !raster_sampler_ir_constant(t, n);
}

/* Components that are not needed as the constants that they are, or as zeros. */
static void complete(struct raster_sampler_ir *t, LLVMValueRef texel[4])
{
    for (unsigned n = 0; n < 4; n++)
        if (t->key->compare && n)
            texel[n] = n == 3 ? F(1) : F(0);
        else if (!t->need[n])
            texel[n] = raster_sampler_ir_constant(t, n) ? raster_sampler_ir_constant(t, n) : U(0);
}

/* ---- SAMPLE, GATHER ---- */

static LLVMValueRef layer_of(struct raster_sampler_ir *t, const struct raster_lookup_ir *in)
{
    struct jit_builder *b = t->b;
    LLVMValueRef last, args[2];

    if (!t->key->array)
        return NULL;
    last = raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, layers));
    last = LLVMBuildSub(b->ir, last, U(1), "");
    if (!t->key->whole_layer)
        return jit_f32_nearest_i32(
            b, raster_sampler_ir_hold(b, coordinate(t, in->layer), F(0), jit_i32_to_f32(b, last)));
    args[0] = or_zero(t, in->layer);
    args[1] = U(0);
    args[0] = jit_intrinsic(b, "llvm.smax", &b->i32x16, 1, args, 2);
    args[1] = last;
    return jit_intrinsic(b, "llvm.smin", &b->i32x16, 1, args, 2);
}

static void prepare(struct raster_sampler_ir *t, const struct raster_lookup_ir *in,
                    struct raster_choice_ir *choice)
{
    struct jit_builder *b = t->b;
    struct raster_point_ir point;
    bool cube = t->key->dim == RASTER_DIM_CUBE;

    t->s = coordinate(t, in->coordinate[0]);
    t->t = coordinate(t, in->coordinate[1]);
    t->r = coordinate(t, t->key->faced ? NULL : in->coordinate[2]);
    if (cube)
        raster_sampler_ir_point(t, in, &point);
    struct raster_lookup_ir fenced = *in;
    fenced.lod = in->lod ? coordinate(t, in->lod) : NULL;
    for (unsigned n = 0; n < 6 && t->key->lod == RASTER_LOOKUP_GRADIENTS; n++)
        fenced.gradient[n / 3][n % 3] = coordinate(t, in->gradient[n / 3][n % 3]);
    raster_sampler_ir_levels(t, &fenced, cube ? &point : NULL, choice);
    if (cube) {
        t->s = point.s;
        t->t = point.t;
        t->face = point.face;
    }
    t->layer = layer_of(t, in);
    for (unsigned k = 0; k < 3 && t->key->offset; k++) {
        LLVMValueRef args[2] = {or_zero(t, in->offset[k]), U((uint32_t)-RASTER_LOOKUP_OFFSET)};

        args[0] = jit_intrinsic(b, "llvm.smax", &b->i32x16, 1, args, 2);
        args[1] = U(RASTER_LOOKUP_OFFSET);
        t->offset[k] = jit_intrinsic(b, "llvm.smin", &b->i32x16, 1, args, 2);
    }
    if (t->key->compare) {
        t->reference = coordinate(t, in->reference);
        if (raster_sampler_fixed_depth(t->key))
            t->reference = raster_sampler_ir_hold(b, t->reference, F(0), F(1));
    }
}

static void gather(struct raster_sampler_ir *t, const struct raster_choice_ir *choice, LLVMValueRef out[4])
{
    static const uint8_t order[4] = {2, 3, 1, 0}; /* which tap each word is of */
    LLVMValueRef tap[4][4];

    t->filter = RASTER_LOOKUP_LINEAR;
    raster_sampler_ir_level(t, choice->level);
    raster_sampler_ir_taps(t, tap, NULL);
    for (unsigned n = 0; n < 4; n++) {
        complete(t, tap[order[n]]);
        out[n] = shown(t, tap[order[n]], t->key->swizzle[t->key->component]);
    }
}

/* Where two levels are mixed in some lane, twice round; else once. */
static void sample_levels(struct raster_sampler_ir *t, const struct raster_choice_ir *choice,
                          LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef slot[4] = {NULL}, mixed, first, level, before[4] = {NULL};
    struct jit_loop loop;

    if (!choice->weight) {
        raster_sampler_ir_level(t, choice->level);
        raster_sampler_ir_sample(t, out);
        return;
    }
    for (unsigned n = 0; n < 4; n++)
        if (raster_sampler_ir_kept(t, n)) {
            slot[n] = jit_alloca(b, b->i32x16, "mix");
            jit_store(b, U(0), slot[n], 64);
        }
    mixed = LLVMBuildFCmp(b->ir, LLVMRealOGT, choice->weight, F(0), "");
    jit_loop_begin(b, &loop,
                   LLVMBuildSelect(b->ir, jit_mask_any(b, mixed), jit_i32(b, 2), jit_i32(b, 1), ""));
    first = LLVMBuildICmp(b->ir, LLVMIntEQ, loop.index, jit_i32(b, 0), "");
    level = LLVMBuildSelect(b->ir, first, choice->level, choice->level1, "");
    raster_sampler_ir_level(t, level);
    t->level.turn = loop.index;
    raster_sampler_ir_sample(t, out);
    for (unsigned n = 0; n < 4; n++)
        before[n] = slot[n] ? jit_load(b, b->i32x16, slot[n], 64, false) : NULL;
    raster_sampler_ir_mix(t, before, out, choice->weight, before);
    for (unsigned n = 0; n < 4; n++)
        if (slot[n]) {
            LLVMValueRef old = jit_load(b, b->i32x16, slot[n], 64, false);

            old = jit_select(b, mixed, jit_as_i32(b, before[n]), old);
            jit_store(b, LLVMBuildSelect(b->ir, first, jit_as_i32(b, out[n]), old, ""), slot[n], 64);
        }
    jit_loop_end(b, &loop);
    for (unsigned n = 0; n < 4; n++)
        out[n] = slot[n] ? jit_load(b, b->i32x16, slot[n], 64, false) : NULL;
}

/* One NaN for all. */
static LLVMValueRef canonical(struct raster_sampler_ir *t, LLVMValueRef v)
{
    v = jit_as_f32(t->b, v);
    return jit_select(t->b, LLVMBuildFCmp(t->b->ir, LLVMRealORD, v, v, ""), jit_as_i32(t->b, v),
                      U(0x7fc00000));
}

static void sample(struct raster_sampler_ir *t, const struct raster_choice_ir *choice, LLVMValueRef out[4])
{
    LLVMValueRef texel[4] = {NULL};

    sample_levels(t, choice, texel);
    raster_sampler_ir_finish(t, texel);
    complete(t, texel);
    for (unsigned n = 0; n < 4 && raster_sampler_filters(t->key) && !raster_sampler_bytes(t->key); n++)
        texel[n] = t->need[n] ? canonical(t, texel[n]) : texel[n];
    for (unsigned n = 0; n < 4; n++)
        out[n] = shown(t, texel, t->key->swizzle[n]);
}

/* ---- FETCH, queries ---- */

static LLVMValueRef below(struct raster_sampler_ir *t, LLVMValueRef valid, LLVMValueRef v, LLVMValueRef than)
{
    LLVMValueRef is = LLVMBuildICmp(t->b->ir, LLVMIntULT, v, than, "");

    return valid ? LLVMBuildAnd(t->b->ir, valid, is, "") : is;
}

/* A coordinate, or 0 where it is not below `side`: those lanes are not valid. Each coordinate for itself, so that fetches
 * beside each other share what is made of it. */
static LLVMValueRef inside(struct raster_sampler_ir *t, LLVMValueRef at, LLVMValueRef side,
                           LLVMValueRef *valid)
{
    LLVMValueRef is = below(t, NULL, at, side);

    *valid = LLVMBuildAnd(t->b->ir, *valid, is, "");
    return jit_select(t->b, is, at, U(0));
}

/* Loads the level that lanes name; of those that name none level 0. Returns which do. */
static LLVMValueRef named_level(struct raster_sampler_ir *t, LLVMValueRef level)
{
    LLVMValueRef count, valid;

    if (!level || t->key->dim == RASTER_DIM_BUFFER || t->key->multisampled) {
        raster_sampler_ir_level(t, NULL);
        return LLVMConstAllOnes(t->b->i1x16);
    }
    count = raster_sampler_ir_field(t, t->b->i32, offsetof(struct raster_image, level_count));
    valid = below(t, NULL, level, count);
    raster_sampler_ir_level(t, jit_select(t->b, valid, level, U(0)));
    return valid;
}

static void fetch(struct raster_sampler_ir *t, const struct raster_lookup_ir *in, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    bool cube = t->key->dim == RASTER_DIM_CUBE, volume = t->key->dim == RASTER_DIM_3D;
    unsigned count = volume || cube ? 3 : raster_sampler_axes(t->key);
    LLVMValueRef valid = named_level(t, in->lod), at[3] = {NULL}, slice = NULL, sample = NULL, word[4],
                 texel[4];
    const LLVMValueRef sides[3] = {t->level.width, t->level.height, cube ? U(6) : t->level.depth};

    for (unsigned k = 0; k < count; k++) {
        at[k] = or_zero(t, in->coordinate[k]);
        if (t->key->offset && in->offset[k])
            at[k] = LLVMBuildAdd(b->ir, at[k], in->offset[k], "");
        at[k] = inside(t, at[k], sides[k], &valid);
    }
    if (t->key->array)
        slice = inside(t, or_zero(t, in->layer),
                       raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, layers)), &valid);
    if (t->key->multisampled)
        sample = inside(t, or_zero(t, in->sample),
                        raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, samples)), &valid);
    if (cube)
        slice = slice ? LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, slice, U(6), ""), at[2], "") : at[2];
    else if (volume)
        slice = at[2];
    if (raster_sampler_ir_windowed(t))
        word[0] = raster_sampler_ir_row(t, slice, at[0], at[1]);
    else
        raster_sampler_ir_words(t, slice, sample, at[0], at[1], word);
    raster_sampler_ir_unpack(t, word, texel);
    complete(t, texel);
    for (unsigned n = 0; n < 4; n++)
        out[n] = jit_select(b, valid, shown(t, texel, t->key->swizzle[n]), U(0));
}

static void query_size(struct raster_sampler_ir *t, const struct raster_lookup_ir *in, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef valid = named_level(t, in->lod);
    const LLVMValueRef sides[3] = {t->level.width, t->level.height, t->level.depth};
    unsigned n = 0, count = t->key->dim == RASTER_DIM_3D ? 3 : raster_sampler_axes(t->key);

    out[0] = out[1] = out[2] = U(0);
    for (; n < count; n++)
        out[n] = jit_select(b, valid, sides[n], U(0));
    if (t->key->array)
        out[n] = jit_select(b, valid,
                            raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, layers)), U(0));
    out[3] = raster_sampler_ir_field(t, b->i32,
                                     t->key->multisampled ? offsetof(struct raster_image, samples)
                                                          : offsetof(struct raster_image, level_count));
}

static void emit(struct jit_builder *b, const struct raster_sampler_key *key, LLVMValueRef image,
                 const struct raster_lookup_ir *in, LLVMValueRef out[4])
{
    struct raster_sampler_ir ir = {.b = b, .key = key, .texel = &raster_texels[key->format], .image = image};
    struct raster_choice_ir choice;

    find_needed(&ir);
    if (key->op == RASTER_FETCH) {
        fetch(&ir, in, out);
        return;
    }
    if (key->op == RASTER_QUERY_SIZE) {
        query_size(&ir, in, out);
        return;
    }
    prepare(&ir, in, &choice);
    if (key->op == RASTER_GATHER) {
        gather(&ir, &choice, out);
    } else if (key->op == RASTER_SAMPLE) {
        sample(&ir, &choice, out);
    } else {
        out[0] = jit_as_i32(b, choice.used);
        out[1] = canonical(&ir, choice.computed);
        out[2] = out[3] = jit_splat_u32(b, 0);
    }
}

/* ---- one function for many lookups ---- */

#define INPUTS 16u /* of struct raster_lookup_ir */
_Static_assert(sizeof(struct raster_lookup_ir) == INPUTS * sizeof(LLVMValueRef), "an array of values");

/* The function of a key and of which inputs are given; they and the results stand in memory, 64 bytes each. */
static LLVMValueRef shared(struct jit_builder *b, const struct raster_sampler_key *key, LLVMTypeRef type,
                           LLVMValueRef const given[INPUTS])
{
    LLVMValueRef outer = b->function, function, in[INPUTS], out[4];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    LLVMTypeRef params[2] = {b->ptr, b->ptr};
    char name[4 * sizeof *key + INPUTS + 8] = "lookup";
    struct raster_lookup_ir lookup;

    for (size_t i = 0; i < sizeof *key; i++)
        snprintf(name + strlen(name), 4, "_%x", ((const uint8_t *)key)[i]);
    for (unsigned k = 0; k < INPUTS; k++)
        strcat(name, given[k] ? "g" : "n");
    function = LLVMGetNamedFunction(b->module, name);
    if (function)
        return function;
    function = jit_begin_internal(b, name, LLVMGetReturnType(type), params, 2);
    for (unsigned k = 0; k < INPUTS; k++)
        in[k] = given[k] ? jit_load(b, b->i32x16, jit_offset_const(b, jit_param(b, 1), k * 64ull), 64, false)
                         : NULL;
    memcpy(&lookup, in, sizeof lookup);
    emit(b, key, jit_param(b, 0), &lookup, out);
    for (unsigned n = 0; n < 4; n++)
        jit_store(b, out[n], jit_offset_const(b, jit_param(b, 1), n * 64ull), 64);
    LLVMBuildRetVoid(b->ir);
    b->function = outer;
    LLVMPositionBuilderAtEnd(b->ir, here);
    return function;
}

static void call(struct jit_builder *b, const struct raster_sampler_key *key, LLVMValueRef image,
                 const struct raster_lookup_ir *in, LLVMValueRef out[4])
{
    LLVMTypeRef params[2] = {b->ptr, b->ptr}, type = LLVMFunctionType(b->void_, params, 2, false);
    LLVMValueRef given[INPUTS], args[2] = {image, jit_alloca(b, LLVMArrayType2(b->i32x16, INPUTS), "lookup")};

    memcpy(given, in, sizeof given);
    for (unsigned k = 0; k < INPUTS; k++)
        if (given[k])
            jit_store(b, jit_as_i32(b, given[k]), jit_offset_const(b, args[1], k * 64ull), 64);
    LLVMBuildCall2(b->ir, type, shared(b, key, type, given), args, 2, "");
    for (unsigned n = 0; n < 4; n++)
        out[n] = jit_load(b, b->i32x16, jit_offset_const(b, args[1], n * 64ull), 64, false);
}

static LLVMValueRef unless_zero(LLVMValueRef v)
{
    return v && LLVMIsConstant(v) && LLVMIsNull(v) ? NULL : v;
}

/* What the key reads of the inputs, but known zeros: the others cost a store a lookup. */
static struct raster_lookup_ir read_by(const struct raster_sampler_key *key,
                                       const struct raster_lookup_ir *in)
{
    struct raster_lookup_ir out = {.lod = unless_zero(in->lod)};

    for (unsigned k = 0; k < 3; k++) {
        out.coordinate[k] = unless_zero(in->coordinate[k]);
        out.offset[k] = key->offset ? unless_zero(in->offset[k]) : NULL;
        for (unsigned n = 0; n < 2; n++)
            out.gradient[n][k] = unless_zero(in->gradient[n][k]);
    }
    if (key->dim != RASTER_DIM_3D && key->dim != RASTER_DIM_CUBE)
        out.coordinate[2] = NULL;
    out.layer = key->array ? unless_zero(in->layer) : NULL;
    out.reference = key->compare ? unless_zero(in->reference) : NULL;
    out.sample = key->multisampled ? unless_zero(in->sample) : NULL;
    return out;
}

void raster_sampler_ir(struct jit_builder *b, const struct raster_sampler_key *key, LLVMValueRef image,
                       const struct raster_lookup_ir *in, unsigned requests, LLVMValueRef out[4])
{
    const struct raster_lookup_ir read = read_by(key, in);
    unsigned many = b->quick ? MANY_QUICK : key->op == RASTER_FETCH ? MANY_FETCHES : MANY;

    if (requests >= many)
        call(b, key, image, &read, out);
    else
        emit(b, key, image, &read, out);
}

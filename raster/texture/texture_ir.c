/* The texture emitter's frame: which level, which filter, and the blend of taps (README.md sections 2 and 5).
 */
#include "raster/texture/texture_ir.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "raster/texture/bytes_ir.h"
#include "raster/texture/texture_ir_internal.h"

enum { MANY = 6, MANY_SHORT = 32, MANY_QUICK = 2 };

/* Lanes whose levels differ are sampled level after level: almost always there is one. */
struct level_loop {
    LLVMBasicBlockRef head, exit;
    LLVMValueRef levels, todo, result, mask; /* i32x16, i16, i32x16, i1x16 */
    LLVMValueRef level;                      /* scalar */
};

static struct raster_texture_ir_level load_level(struct raster_texture_ir *t, LLVMValueRef number)
{
    struct jit_builder *b = t->b;
    LLVMValueRef size = jit_i32(b, sizeof(struct raster_level));
    LLVMValueRef at = number ? jit_offset(b, t->texture, LLVMBuildMul(b->ir, number, size, "")) : t->texture;

    struct raster_texture_ir_level level;
    const struct {
        LLVMValueRef *value;
        size_t at;
    } words[] = {
        {&level.width, offsetof(struct raster_level, width)},
        {&level.height, offsetof(struct raster_level, height)},
        {&level.stride, offsetof(struct raster_level, stride)},
        {&level.offset, offsetof(struct raster_level, offset)},
        {&level.layout, offsetof(struct raster_level, layout)},
        {&level.face_stride, offsetof(struct raster_level, face_stride)},
        {&level.last, offsetof(struct raster_level, last)},
        {&level.windowed, offsetof(struct raster_level, windowed)},
        {&level.last_utile, offsetof(struct raster_level, window.last_utile)},
        {&level.last_start, offsetof(struct raster_level, window.last_start)},
        {&level.utile_factor, offsetof(struct raster_level, utile_factor)},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i].value = raster_ir_word(b, at, offsetof(struct raster_texture, level) + words[i].at);
    for (size_t k = 0; k < 2; k++)
        level.scale[k] = raster_ir_float(
            b, at, offsetof(struct raster_texture, level) + offsetof(struct raster_level, scale) + 4 * k);
    return level;
}

/* Texels blended by the low byte of each lane's weight. */
static LLVMValueRef blend(struct raster_texture_ir *t, LLVMValueRef x, LLVMValueRef y, LLVMValueRef weight)
{
    struct jit_builder *b = t->b;

    if (t->halves)
        return raster_texture_ir_halves_lerp(t, x, y, weight);
    return raster_bytes_ir_join(b, raster_bytes_ir_lerp(b, raster_bytes_ir_split(b, x),
                                                        raster_bytes_ir_split(b, y),
                                                        raster_bytes_ir_weight(b, weight)));
}

/* One level (a scalar, or NULL for level 0) sampled in all lanes; not finished. */
static LLVMValueRef sample_level(struct raster_texture_ir *t, LLVMValueRef number, LLVMValueRef s,
                                 LLVMValueRef t_)
{
    struct jit_builder *b = t->b;
    struct raster_texture_ir_level level = load_level(t, number);
    struct raster_texture_ir_axis x, y;
    struct raster_bytes_ir top, bottom;
    LLVMValueRef tap[4], wx, wy;

    raster_texture_ir_axis(t, t->key->wrap_s, s, level.scale[0], &x);
    raster_texture_ir_axis(t, t->key->wrap_t, t_, level.scale[1], &y);
    raster_texture_ir_fetch(t, &level, &x, &y, tap);
    if (t->filter == TEXTURE_NEAREST)
        return tap[0];
    if (t->halves)
        return blend(t, blend(t, tap[0], tap[1], x.weight), blend(t, tap[2], tap[3], x.weight), y.weight);
    wx = raster_bytes_ir_weight(b, x.weight);
    wy = raster_bytes_ir_weight(b, y.weight);
    top = raster_bytes_ir_lerp(b, raster_bytes_ir_split(b, tap[0]), raster_bytes_ir_split(b, tap[1]), wx);
    bottom = raster_bytes_ir_lerp(b, raster_bytes_ir_split(b, tap[2]), raster_bytes_ir_split(b, tap[3]), wx);
    return raster_bytes_ir_join(b, raster_bytes_ir_lerp(b, top, bottom, wy));
}

static void level_loop_begin(struct raster_texture_ir *t, struct level_loop *loop, LLVMValueRef levels)
{
    struct jit_builder *b = t->b;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b->ir));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b->ir);
    LLVMValueRef all = LLVMConstAllOnes(b->i16), none = LLVMConstNull(raster_texture_ir_type(t)), first;

    loop->levels = levels;
    loop->head = LLVMAppendBasicBlockInContext(b->context, function, "level");
    loop->exit = LLVMAppendBasicBlockInContext(b->context, function, "level_end");
    first = LLVMBuildExtractElement(b->ir, levels, jit_i32(b, 0), "");
    LLVMBuildBr(b->ir, loop->head);
    LLVMPositionBuilderAtEnd(b->ir, loop->head);
    loop->todo = LLVMBuildPhi(b->ir, b->i16, "todo");
    loop->result = LLVMBuildPhi(b->ir, raster_texture_ir_type(t), "texel");
    loop->level = LLVMBuildPhi(b->ir, b->i32, "number");
    LLVMAddIncoming(loop->todo, &all, &before, 1);
    LLVMAddIncoming(loop->result, &none, &before, 1);
    LLVMAddIncoming(loop->level, &first, &before, 1);
    loop->mask = LLVMBuildICmp(b->ir, LLVMIntEQ, levels, jit_splat(b, loop->level), "");
}

/* The level of the lowest lane in `lanes`, an i16 that is not zero: scalar. */
static LLVMValueRef level_of(struct jit_builder *b, LLVMValueRef levels, LLVMValueRef lanes)
{
    LLVMValueRef args[2] = {lanes, LLVMConstInt(b->i1, 1, false)};

    args[0] = jit_intrinsic(b, "llvm.cttz", &b->i16, 1, args, 2);
    return LLVMBuildExtractElement(b->ir, levels, args[0], "");
}

static LLVMValueRef level_loop_end(struct raster_texture_ir *t, struct level_loop *loop, LLVMValueRef sampled)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    LLVMBasicBlockRef again =
        LLVMAppendBasicBlockInContext(b->context, LLVMGetBasicBlockParent(here), "again");
    LLVMValueRef done = LLVMBuildNot(b->ir, jit_mask_to_bits(b, loop->mask), "");
    LLVMValueRef left = LLVMBuildAnd(b->ir, loop->todo, done, "");
    LLVMValueRef result, more, next;

    result = LLVMBuildSelect(b->ir, raster_texture_ir_widen(t, loop->mask), sampled, loop->result, "");
    more = LLVMBuildICmp(b->ir, LLVMIntNE, left, LLVMConstInt(b->i16, 0, false), "");
    LLVMBuildCondBr(b->ir, more, again, loop->exit);
    LLVMPositionBuilderAtEnd(b->ir, again);
    next = level_of(b, loop->levels, left);
    LLVMBuildBr(b->ir, loop->head);
    LLVMAddIncoming(loop->todo, &left, &again, 1);
    LLVMAddIncoming(loop->result, &result, &again, 1);
    LLVMAddIncoming(loop->level, &next, &again, 1);
    LLVMPositionBuilderAtEnd(b->ir, loop->exit);
    return result;
}

static LLVMValueRef sample_nearest_level(struct raster_texture_ir *t, LLVMValueRef lambda, LLVMValueRef s,
                                         LLVMValueRef t_)
{
    struct jit_builder *b = t->b;
    struct level_loop loop;

    lambda = LLVMBuildFAdd(b->ir, lambda, jit_splat_f32(b, 0.5f), "");
    level_loop_begin(t, &loop, jit_f32_to_i32(b, lambda));
    return level_loop_end(t, &loop, sample_level(t, loop.level, s, t_));
}

/* The second level is read only where some lane of the first gives it weight. */
static LLVMValueRef sample_two_levels(struct raster_texture_ir *t, LLVMValueRef lambda, LLVMValueRef s,
                                      LLVMValueRef t_)
{
    struct jit_builder *b = t->b;
    LLVMValueRef slot = jit_alloca(b, raster_texture_ir_type(t), "mix"), scaled, upper, last, next, near, far;
    struct level_loop loop;
    struct jit_if second;

    scaled = jit_f32_to_i32(b, LLVMBuildFMul(b->ir, lambda, jit_splat_f32(b, 256), ""));
    upper = LLVMBuildICmp(b->ir, LLVMIntNE, raster_ir_and(b, scaled, 255), jit_splat_u32(b, 0), "");
    level_loop_begin(t, &loop, raster_ir_shr(b, scaled, 8));
    near = sample_level(t, loop.level, s, t_);
    jit_store(b, near, slot, 64);
    jit_if_begin(b, &second, jit_mask_any(b, LLVMBuildAnd(b->ir, upper, loop.mask, "")));
    last = raster_ir_word(b, t->texture, offsetof(struct raster_texture, level_count));
    last = LLVMBuildSub(b->ir, last, jit_i32(b, 1), "");
    next = LLVMBuildAdd(b->ir, loop.level, jit_i32(b, 1), "");
    next = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, next, last, ""), next, last, "");
    far = sample_level(t, next, s, t_);
    jit_store(b, blend(t, near, far, scaled), slot, 64);
    jit_if_end(b, &second);
    return level_loop_end(t, &loop, jit_load(b, raster_texture_ir_type(t), slot, 64, false));
}

/* lambda > low ? lambda : low, then < high: what is no number becomes a bound. */
static LLVMValueRef hold(struct jit_builder *b, LLVMValueRef lambda, LLVMValueRef low, LLVMValueRef high)
{
    lambda = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, lambda, low, ""), lambda, low, "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, lambda, high, ""), lambda, high, "");
}

/* Which filter: the limits do not count. */
static LLVMValueRef minified(struct raster_texture_ir *t, LLVMValueRef lambda)
{
    LLVMValueRef above = jit_splat_f32(t->b, t->key->minify_above_half ? 0.5f : 0.0f);

    return LLVMBuildFCmp(t->b->ir, LLVMRealOGT, lambda, above, "");
}

/* Which level: what the limits and the number of levels leave of lambda. */
static LLVMValueRef limit_lambda(struct raster_texture_ir *t, LLVMValueRef lambda)
{
    struct jit_builder *b = t->b;
    LLVMValueRef low = LLVMConstReal(b->f32, 0),
                 high = raster_ir_float(b, t->texture, offsetof(struct raster_texture, max_level));

    if (t->key->minify_above_half)
        lambda = LLVMBuildSelect(b->ir, minified(t, lambda), lambda, jit_splat_f32(b, 0), "");
    if (t->key->lod_limits) { /* the same as held between them first, and once a texture */
        LLVMValueRef least =
            hold(b, raster_ir_float(b, t->texture, offsetof(struct raster_texture, lod_min)), low, high);

        high = hold(b, raster_ir_float(b, t->texture, offsetof(struct raster_texture, lod_max)), low, high);
        low = least;
    }
    return hold(b, lambda, jit_splat(b, low), jit_splat(b, high));
}

static LLVMValueRef border_color(struct raster_texture_ir *t, LLVMValueRef r)
{
    struct jit_builder *b = t->b;
    const struct raster_texture_key *key = t->key;

    if (!raster_wrap_is_bordered(key->wrap_s) && !raster_wrap_is_bordered(key->wrap_t))
        return NULL;
    LLVMValueRef word[RASTER_SAMPLED_WORDS] = {NULL};

    for (unsigned n = 0; n < t->words; n++)
        word[n] =
            jit_splat(b, raster_ir_word(b, t->texture, offsetof(struct raster_texture, border) + 4ull * n));
    if (r && !key->cube) {
        word[0] = jit_splat(b, LLVMBuildExtractElement(b->ir, jit_as_i32(b, r), jit_i32(b, 0), ""));
        word[1] = jit_splat_u32(b, 0);
    }
    word[t->words - 1] =
        raster_ir_and(b, word[t->words - 1], raster_last_word((enum raster_format)key->format));
    return raster_texture_ir_join(t, word);
}

/* A coordinate, or 0, as an operand of float arithmetic. */
static LLVMValueRef coordinate(struct jit_builder *b, LLVMValueRef v)
{
    return v ? jit_fence(b, v) : jit_splat_f32(b, 0);
}

static LLVMValueRef emit(struct jit_builder *b, const struct raster_texture_key *key, LLVMValueRef texture,
                         LLVMValueRef scratch, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                         LLVMValueRef bias)
{
    struct raster_texture_ir ir = {.b = b,
                                   .key = key,
                                   .texture = texture,
                                   .scratch = scratch,
                                   .words = raster_sampled_words((enum raster_format)key->format),
                                   .halves = raster_format_is_halves((enum raster_format)key->format)};
    LLVMValueRef lambda = NULL, texel;

    ir.border = border_color(&ir, r);
    s = coordinate(b, s);
    t = coordinate(b, t);
    r = coordinate(b, r);
    bias = coordinate(b, bias);
    ir.filter = key->mag_linear ? TEXTURE_LINEAR : TEXTURE_NEAREST;
    if (key->mip != RASTER_MIP_NONE || key->min_linear != key->mag_linear)
        lambda = raster_texture_ir_lambda(&ir, s, t, r, bias);
    if (lambda && key->lod_limits)
        lambda = LLVMBuildFAdd(
            b->ir, lambda,
            jit_splat(b, raster_ir_float(b, texture, offsetof(struct raster_texture, lod_bias))), "");
    if (key->min_linear != key->mag_linear) {
        ir.filter = TEXTURE_EITHER;
        ir.linear = minified(&ir, lambda);
        ir.linear = key->min_linear ? ir.linear : LLVMBuildNot(b->ir, ir.linear, "");
    }
    if (key->cube)
        ir.face = raster_texture_ir_faces(&ir, &s, &t, r);
    if (key->mip == RASTER_MIP_NONE)
        texel = sample_level(&ir, NULL, s, t);
    else if (key->mip == RASTER_MIP_NEAREST)
        texel = sample_nearest_level(&ir, limit_lambda(&ir, lambda), s, t);
    else
        texel = sample_two_levels(&ir, limit_lambda(&ir, lambda), s, t);
    return raster_texture_ir_finish(&ir, texel);
}

/* The function of a key and of which coordinates (t, r, bias) are given. */
static LLVMValueRef sampler(struct jit_builder *b, const struct raster_texture_key *key, LLVMTypeRef type,
                            LLVMValueRef const given[3])
{
    LLVMValueRef outer = b->function, function, c[3];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
    LLVMTypeRef params[6];
    char name[96] = "sample";

    for (size_t i = 0; i < sizeof *key; i++)
        snprintf(name + strlen(name), 4, "_%x", ((const uint8_t *)key)[i]);
    for (unsigned k = 0; k < 3; k++)
        strcat(name, given[k] ? "_c" : "_");
    function = LLVMGetNamedFunction(b->module, name);
    if (function)
        return function;
    LLVMGetParamTypes(type, params);
    jit_begin_internal(b, name, LLVMGetReturnType(type), params, 6);
    function = b->function;
    for (unsigned k = 0; k < 3; k++)
        c[k] = given[k] ? jit_param(b, 3 + k) : NULL;
    LLVMBuildRet(b->ir, emit(b, key, jit_param(b, 0), jit_param(b, 1), jit_param(b, 2), c[0], c[1], c[2]));
    b->function = outer;
    LLVMPositionBuilderAtEnd(b->ir, here);
    return function;
}

static LLVMValueRef call(struct jit_builder *b, const struct raster_texture_key *key, LLVMValueRef texture,
                         LLVMValueRef s, LLVMValueRef t, LLVMValueRef r, LLVMValueRef bias)
{
    LLVMTypeRef params[6] = {b->ptr, b->ptr, b->f32x16, b->f32x16, b->f32x16, b->f32x16};
    LLVMTypeRef words = LLVMVectorType(b->i32, 16 * raster_sampled_words((enum raster_format)key->format));
    LLVMTypeRef type = LLVMFunctionType(words, params, 6, false);
    LLVMValueRef args[6] = {texture, NULL, s, t, r, bias};

    args[1] = jit_alloca(b, b->i32x16, "scratch");
    for (unsigned k = 3; k < 6; k++)
        args[k] = args[k] ? args[k] : LLVMGetPoison(b->f32x16);
    return LLVMBuildCall2(b->ir, type, sampler(b, key, type, (LLVMValueRef[3]){t, r, bias}), args, 6, "");
}

/* Of how many requests on the code is shared: that of one level's nearest texel is short, and a call, which
 * saves all vectors, takes as long. */
static unsigned many(const struct jit_builder *b, const struct raster_texture_key *key)
{
    bool is_short = !key->mag_linear && !key->min_linear && key->mip == RASTER_MIP_NONE && !key->cube;

    return b->quick ? MANY_QUICK : is_short ? MANY_SHORT : MANY;
}

LLVMValueRef raster_texture_ir(struct jit_builder *b, const struct raster_texture_key *key,
                               LLVMValueRef texture, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                               LLVMValueRef bias, unsigned requests)
{
    if (!raster_texture_ir_supported(key))
        return NULL;
    if (requests >= many(b, key))
        return call(b, key, texture, s, t, r, bias);
    return emit(b, key, texture, NULL, s, t, r, bias);
}

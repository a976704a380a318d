/* Bilinear taps of a block out of four utiles held in registers. Magnified and one-to-one textures touch few
 * texels a block: where all taps of all lanes fall into two by two utiles of 4x4 texels of 4 bytes, four
 * loads and permutations replace four gathers. Otherwise, decided at run time, the gathers do it. Hosts with
 * AVX-512 only: there a register is a utile. */
#include <stddef.h>

#include "raster/texture_ir_internal.h"

bool texture_ir_window_applies(const struct texture_ir *t)
{
    uint8_t format = t->key->format;

    return t->b->level == JIT_AVX512 && t->filter == TEXTURE_LINEAR && !t->face &&
           t->key->layout != RASTER_LINEAR && (format == RASTER_RGBA8888 || format == RASTER_RGBX8888);
}

/* The least value of the block's corner lanes: of all lanes, where the coordinate is about linear. */
static LLVMValueRef corner_min(struct jit_builder *b, LLVMValueRef v)
{
    LLVMValueRef corners[4] = {jit_i32(b, 0), jit_i32(b, 5), jit_i32(b, 10), jit_i32(b, 15)};
    LLVMTypeRef type = LLVMVectorType(b->i32, 4);

    v = LLVMBuildShuffleVector(b->ir, v, LLVMGetPoison(b->i32x16), LLVMConstVector(corners, 4), "");
    return jit_intrinsic(b, "llvm.vector.reduce.umin", &type, 1, &v, 1);
}

static LLVMValueRef smaller(struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, x, y, ""), x, y, "");
}

/* One axis: the two utile columns (or rows) of the window, scalars, and the taps relative to its start. */
struct span {
    LLVMValueRef utile[2], tap[2];
};

static void make_span(struct jit_builder *b, const struct texture_ir_axis *axis, LLVMValueRef size,
                      struct span *out)
{
    LLVMValueRef one = jit_i32(b, 1), two = jit_i32(b, 2), last, start;

    last = LLVMBuildLShr(b->ir, LLVMBuildSub(b->ir, size, one, ""), two, "");
    /* Not the last utile unless it is the only one: small images then fit whatever wraps. */
    start = LLVMBuildLShr(b->ir, corner_min(b, axis->tap[0]), two, "");
    start = smaller(b, start, LLVMBuildSub(b->ir, last, smaller(b, last, one), ""));
    out->utile[0] = start;
    out->utile[1] = smaller(b, LLVMBuildAdd(b->ir, start, one, ""), last);
    start = jit_splat(b, LLVMBuildShl(b->ir, start, two, ""));
    for (unsigned k = 0; k < 2; k++)
        out->tap[k] = LLVMBuildSub(b->ir, axis->tap[k], start, "");
}

/* Whether every tap lies in the 8x8 texels of the window, and no utile reaches over the end of memory:
 * scalar. */
static LLVMValueRef fits(struct texture_ir *t, const struct texture_ir_level *level, const struct span *x,
                         const struct span *y)
{
    struct jit_builder *b = t->b;
    LLVMValueRef far =
        texture_ir_or(b, texture_ir_or(b, x->tap[0], x->tap[1]), texture_ir_or(b, y->tap[0], y->tap[1]));
    LLVMValueRef near = LLVMBuildICmp(b->ir, LLVMIntULT, far, jit_splat_u32(b, 8), "");
    LLVMValueRef end = texture_ir_word(b, t->texture, offsetof(struct raster_texture, memory_size)), aligned;

    aligned = LLVMBuildAnd(b->ir, LLVMBuildOr(b->ir, end, level->offset, ""), jit_i32(b, 63), "");
    aligned = LLVMBuildICmp(b->ir, LLVMIntEQ, aligned, jit_i32(b, 0), "");
    return LLVMBuildAnd(b->ir, jit_mask_all(b, near), aligned, "");
}

/* The byte offset of a utile in its level ("Image layouts" of README.md); scalars. */
static LLVMValueRef offset_lt(struct jit_builder *b, LLVMValueRef stride, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef utile = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, stride, ""), x, "");

    return LLVMBuildShl(b->ir, utile, jit_i32(b, 6), "");
}

static LLVMValueRef field(struct jit_builder *b, LLVMValueRef v, uint32_t mask, uint32_t shift)
{
    return LLVMBuildShl(b->ir, LLVMBuildAnd(b->ir, v, jit_i32(b, mask), ""), jit_i32(b, shift), "");
}

static LLVMValueRef offset_t(struct jit_builder *b, LLVMValueRef stride, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef column = LLVMBuildOr(b->ir, field(b, x, 3, 6), field(b, x, 4, 8), ""), row, odd, flip, start;

    column = LLVMBuildOr(b->ir, column, field(b, x, ~3u, 9), "");
    row = LLVMBuildLShr(b->ir, y, jit_i32(b, 3), "");
    odd = LLVMBuildAnd(b->ir, row, jit_i32(b, 1), "");
    flip = LLVMBuildSub(b->ir, jit_i32(b, 0), LLVMBuildShl(b->ir, odd, jit_i32(b, 11), ""), "");
    flip = LLVMBuildXor(b->ir, flip, field(b, y, 4, 8), "");
    start = LLVMBuildMul(b->ir, LLVMBuildAdd(b->ir, row, odd, ""),
                         LLVMBuildShl(b->ir, stride, jit_i32(b, 12), ""), "");
    start = LLVMBuildAdd(b->ir, start, field(b, y, 3, 8), "");
    return LLVMBuildAdd(b->ir, start, LLVMBuildXor(b->ir, column, flip, ""), "");
}

static LLVMValueRef load_utile(struct texture_ir *t, const struct texture_ir_level *level, LLVMValueRef x,
                               LLVMValueRef y)
{
    struct jit_builder *b = t->b;
    LLVMValueRef memory = jit_offset_const(b, t->texture, offsetof(struct raster_texture, memory)), at, is_t;

    memory = jit_load(b, b->ptr, memory, 8, true);
    if (t->key->layout == RASTER_VC4_T) {
        at = offset_t(b, level->stride, x, y);
    } else if (t->key->layout == RASTER_VC4_LT) {
        at = offset_lt(b, level->stride, x, y);
    } else {
        is_t = LLVMBuildICmp(b->ir, LLVMIntEQ, level->layout, jit_i32(b, RASTER_VC4_T), "");
        at = LLVMBuildSelect(b->ir, is_t, offset_t(b, level->stride, x, y), offset_lt(b, level->stride, x, y),
                             "");
    }
    return jit_load(b, b->i32x16, jit_offset(b, memory, LLVMBuildAdd(b->ir, at, level->offset, "")), 4,
                    false);
}

/* Words of two registers by bits 0 to 4 of the index. */
static LLVMValueRef permute(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high, LLVMValueRef index)
{
    LLVMValueRef args[3] = {low, index, high};

    return jit_intrinsic(b, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
}

/* The taps as out[2 * y + x]: the utile's row and column of texels, bit 4 for the right utile, a blend for
 * the lower.
 */
static void pick(struct texture_ir *t, const struct texture_ir_level *level, const struct span *x,
                 const struct span *y, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef utile[2][2], column[2], row[2], lower[2];

    for (unsigned k = 0; k < 2; k++) {
        for (unsigned l = 0; l < 2; l++)
            utile[k][l] = load_utile(t, level, x->utile[l], y->utile[k]);
        column[k] = texture_ir_and(b, texture_ir_shl(b, x->tap[k], 2), 16);
        column[k] = texture_ir_or(b, column[k], texture_ir_and(b, x->tap[k], 3));
        row[k] = texture_ir_and(b, texture_ir_shl(b, y->tap[k], 2), 12);
        lower[k] = texture_ir_and(b, y->tap[k], 4);
        lower[k] = LLVMBuildICmp(b->ir, LLVMIntNE, lower[k], jit_splat_u32(b, 0), "");
    }
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef index = texture_ir_or(b, column[k & 1], row[k >> 1]);
        LLVMValueRef above = permute(b, utile[0][0], utile[0][1], index);

        out[k] =
            LLVMBuildSelect(b->ir, lower[k >> 1], permute(b, utile[1][0], utile[1][1], index), above, "");
    }
}

void texture_ir_window(struct texture_ir *t, const struct texture_ir_level *level,
                       const struct texture_ir_axis *x, const struct texture_ir_axis *y, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(b->ir)), in[2][4];
    LLVMBasicBlockRef near = LLVMAppendBasicBlockInContext(b->context, function, "window");
    LLVMBasicBlockRef far = LLVMAppendBasicBlockInContext(b->context, function, "gather");
    LLVMBasicBlockRef merge = LLVMAppendBasicBlockInContext(b->context, function, "texels"), from[2];
    struct span across, down;

    make_span(b, x, level->width, &across);
    make_span(b, y, level->height, &down);
    LLVMBuildCondBr(b->ir, fits(t, level, &across, &down), near, far);
    LLVMPositionBuilderAtEnd(b->ir, near);
    pick(t, level, &across, &down, in[0]);
    from[0] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, merge);
    LLVMPositionBuilderAtEnd(b->ir, far);
    texture_ir_gather(t, level, x, y, in[1]);
    from[1] = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, merge);
    LLVMPositionBuilderAtEnd(b->ir, merge);
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef both[2] = {in[0][k], in[1][k]};

        out[k] = LLVMBuildPhi(b->ir, b->i32x16, "");
        LLVMAddIncoming(out[k], both, from, 2);
    }
}

/* Texels of the general sampler as IR: the lanes' levels, addresses, words, components (README.md, "The general
 * sampler", 5). */
#include <stddef.h>

#include "raster/texture/sampler_ir_internal.h"
#include "raster/texture/sampler_ir_window.h"
#include "raster/texture/texel_ir.h"
#include "raster/texture/window_ir.h"

#define U(v) raster_sampler_ir_u(t, v)

LLVMValueRef raster_sampler_ir_field(struct raster_sampler_ir *t, LLVMTypeRef type, size_t at)
{
    return jit_splat(t->b, jit_load(t->b, type, jit_offset_const(t->b, t->image, at), 4, true));
}

/* ---- levels ---- */

#define FIELDS 10

struct field {
    LLVMValueRef *value;
    size_t at;
};

/* What of a level the key needs. */
static unsigned fields_of(struct raster_sampler_ir *t, struct field out[FIELDS])
{
    const struct raster_sampler_key *key = t->key;
    bool volume = key->dim == RASTER_DIM_3D, sliced = volume || key->array || key->dim == RASTER_DIM_CUBE;
    bool windowed = raster_sampler_ir_windowed(t);
    const struct {
        bool needed;
        struct field field;
    } all[FIELDS] = {
        {true, {&t->level.width, offsetof(struct raster_image_level, width)}},
        {raster_sampler_axes(key) > 1, {&t->level.height, offsetof(struct raster_image_level, height)}},
        {volume, {&t->level.depth, offsetof(struct raster_image_level, depth)}},
        {raster_sampler_axes(key) > 1,
         {&t->level.row_stride, offsetof(struct raster_image_level, row_stride)}},
        {!key->listed, {&t->level.offset, offsetof(struct raster_image_level, offset)}},
        {!key->listed && sliced, {&t->level.slice_stride, offsetof(struct raster_image_level, slice_stride)}},
        {!key->listed && key->multisampled,
         {&t->level.sample_stride, offsetof(struct raster_image_level, sample_stride)}},
        {key->listed, {&t->level.first_surface, offsetof(struct raster_image_level, first_surface)}},
        {windowed, {&t->level.last_utile, offsetof(struct raster_image_level, window.last_utile)}},
        {windowed, {&t->level.last_start, offsetof(struct raster_image_level, window.last_start)}},
    };
    unsigned count = 0;

    t->level = (struct raster_level_ir){0};
    for (unsigned n = 0; n < FIELDS; n++)
        if (all[n].needed)
            out[count++] = all[n].field;
    return count;
}

bool raster_sampler_ir_quads_share(const struct raster_sampler_ir *t)
{
    return t->key->lod == RASTER_LOOKUP_IMPLICIT &&
           (t->key->op == RASTER_SAMPLE || t->key->op == RASTER_GATHER);
}

/* A word of each lane's level, at `at` plus what lanes have; where quads share a level four loads do. */
static LLVMValueRef field_of_lanes(struct raster_sampler_ir *t, size_t at, LLVMValueRef level)
{
    struct jit_builder *b = t->b;
    LLVMValueRef from = jit_offset_const(b, t->image, at), out = LLVMGetPoison(b->i32x16);
    uint32_t first[16];

    if (!raster_sampler_ir_quads_share(t))
        return jit_gather_u32(b, from, level, LLVMConstAllOnes(b->i1x16));
    for (uint32_t l = 0; l < 16; l++)
        first[l] = l & ~3u;
    for (uint32_t l = 0; l < 16; l += 4) {
        LLVMValueRef lane = jit_i32(b, l), place = LLVMBuildExtractElement(b->ir, level, lane, "");

        out = LLVMBuildInsertElement(b->ir, out, jit_load(b, b->i32, jit_offset(b, from, place), 4, true),
                                     lane, "");
    }
    return LLVMBuildShuffleVector(b->ir, out, LLVMGetPoison(b->i32x16), jit_vector_u32(b, first), "");
}

/* Most often all lanes have one level, whose fields are loaded once. */
void raster_sampler_ir_level(struct raster_sampler_ir *t, LLVMValueRef level)
{
    const size_t base = offsetof(struct raster_image, level);
    LLVMBasicBlockRef same, differ, end;
    LLVMValueRef first, value[2][FIELDS], at;
    struct jit_builder *b = t->b;
    struct field field[FIELDS];
    unsigned count = fields_of(t, field);

    t->level.number = level;
    if (!level) {
        for (unsigned n = 0; n < count; n++)
            *field[n].value = raster_sampler_ir_field(t, b->i32, base + field[n].at);
        return;
    }
    same = LLVMAppendBasicBlockInContext(b->context, b->function, "one_level");
    differ = LLVMAppendBasicBlockInContext(b->context, b->function, "levels");
    end = LLVMAppendBasicBlockInContext(b->context, b->function, "level");
    first = LLVMBuildExtractElement(b->ir, level, jit_i32(b, 0), "");
    jit_likely(b, LLVMBuildCondBr(
                      b->ir, jit_mask_all(b, LLVMBuildICmp(b->ir, LLVMIntEQ, level, jit_splat(b, first), "")),
                      same, differ));
    LLVMPositionBuilderAtEnd(b->ir, same);
    at = jit_offset(b, jit_offset_const(b, t->image, base),
                    LLVMBuildMul(b->ir, first, jit_i32(b, sizeof(struct raster_image_level)), ""));
    for (unsigned n = 0; n < count; n++)
        value[0][n] = jit_splat(b, jit_load(b, b->i32, jit_offset_const(b, at, field[n].at), 4, true));
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, differ);
    level = LLVMBuildMul(b->ir, level, U(sizeof(struct raster_image_level)), "");
    for (unsigned n = 0; n < count; n++)
        value[1][n] = field_of_lanes(t, base + field[n].at, level);
    LLVMBuildBr(b->ir, end);
    LLVMPositionBuilderAtEnd(b->ir, end);
    for (unsigned n = 0; n < count; n++) {
        *field[n].value = LLVMBuildPhi(b->ir, b->i32x16, "");
        LLVMAddIncoming(*field[n].value, (LLVMValueRef[2]){value[0][n], value[1][n]},
                        (LLVMBasicBlockRef[2]){same, differ}, 2);
    }
}

/* ---- addresses ---- */

static LLVMValueRef shl(struct raster_sampler_ir *t, LLVMValueRef v, uint32_t by)
{
    return LLVMBuildShl(t->b->ir, v, U(by), "");
}

static LLVMValueRef times(struct raster_sampler_ir *t, LLVMValueRef v, uint32_t by)
{
    return by == 1 ? v : LLVMBuildMul(t->b->ir, v, U(by), "");
}

LLVMValueRef raster_sampler_ir_surface(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef sample)
{
    struct jit_builder *b = t->b;
    const struct raster_level_ir *level = &t->level;
    LLVMValueRef at = level->offset, list;

    if (t->key->listed) {
        at = level->first_surface;
        if (slice) {
            if (t->key->multisampled)
                slice = LLVMBuildMul(
                    b->ir, slice, raster_sampler_ir_field(t, b->i32, offsetof(struct raster_image, samples)),
                    "");
            at = LLVMBuildAdd(b->ir, at, slice, "");
        }
        if (sample)
            at = LLVMBuildAdd(b->ir, at, sample, "");
        list = jit_load(b, b->ptr, jit_offset_const(b, t->image, offsetof(struct raster_image, surface)), 8,
                        true);
        return jit_gather_u32(b, list, shl(t, at, 2), LLVMConstAllOnes(b->i1x16));
    }
    if (slice)
        at = LLVMBuildAdd(b->ir, at, LLVMBuildMul(b->ir, slice, level->slice_stride, ""), "");
    if (sample)
        at = LLVMBuildAdd(b->ir, at, LLVMBuildMul(b->ir, sample, level->sample_stride, ""), "");
    return at;
}

static LLVMValueRef address(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef sample,
                            LLVMValueRef x, LLVMValueRef y)
{
    struct jit_builder *b = t->b;
    uint32_t bytes = t->texel->bits / 8u;
    LLVMValueRef line = raster_sampler_ir_surface(t, slice, sample), rows = y;

    if (t->key->layout == RASTER_UTGARD_TILED) {
        LLVMValueRef tile = shl(t, LLVMBuildAnd(b->ir, x, U(~15u), ""), 4);

        rows = y ? LLVMBuildLShr(b->ir, y, U(4), "") : NULL;
        x = LLVMBuildOr(b->ir, tile, raster_window_ir_texel_in_tile(b, x, y), "");
    }
    /* The line first: a filter's texels, and lookups beside each other, share it. */
    if (rows)
        line = LLVMBuildAdd(b->ir, line, LLVMBuildMul(b->ir, rows, t->level.row_stride, ""), "");
    return LLVMBuildAdd(b->ir, line, times(t, x, bytes), "");
}

/* ---- words ---- */

/* `bits` bits, 8 or 16, at base + at, above them zeros. */
static LLVMValueRef load_narrow(struct jit_builder *b, LLVMValueRef base, LLVMValueRef at, unsigned bits)
{
    LLVMTypeRef type = bits == 8 ? b->i8 : b->i16;
    LLVMValueRef out = LLVMGetPoison(LLVMVectorType(type, JIT_LANES));

    for (unsigned n = 0; n < JIT_LANES; n++) {
        LLVMValueRef lane = jit_i32(b, n);
        LLVMValueRef here = jit_offset(b, base, LLVMBuildExtractElement(b->ir, at, lane, ""));
        out = LLVMBuildInsertElement(b->ir, out, jit_load(b, type, here, 1, false), lane, "");
    }
    return LLVMBuildZExt(b->ir, out, b->i32x16, "");
}

/* Three bytes by one load of four: the byte before them too, or where they begin a word of memory that behind
 * them, so that nothing is read of a word that has none of them. Memory begins at a word. What is above them no
 * filter and no component takes. */
static LLVMValueRef load_three(struct jit_builder *b, LLVMValueRef base, LLVMValueRef at)
{
    LLVMValueRef low = LLVMBuildAnd(b->ir, at, jit_splat_u32(b, 3), "");
    LLVMValueRef before = LLVMBuildICmp(b->ir, LLVMIntNE, low, jit_splat_u32(b, 0), ""), word;

    at = LLVMBuildAdd(b->ir, at, LLVMBuildSExt(b->ir, before, b->i32x16, ""), "");
    word = jit_gather_u32(b, base, at, LLVMConstAllOnes(b->i1x16));
    return jit_select(b, before, LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 8), ""), word);
}

static void load_records(struct jit_builder *b, LLVMValueRef base, LLVMValueRef at, unsigned words,
                         LLVMValueRef *out)
{
    LLVMValueRef record[JIT_LANES];

    for (unsigned n = 0; n < JIT_LANES; n++)
        record[n] = jit_offset(b, base, LLVMBuildExtractElement(b->ir, at, jit_i32(b, n), ""));
    jit_load_records(b, record, words, out);
}

void raster_sampler_ir_words(struct raster_sampler_ir *t, LLVMValueRef slice, LLVMValueRef sample,
                             LLVMValueRef x, LLVMValueRef y, LLVMValueRef word[4])
{
    struct jit_builder *b = t->b;
    LLVMValueRef at = address(t, slice, sample, x, y), base;

    base = jit_load(b, b->ptr, jit_offset_const(b, t->image, offsetof(struct raster_image, memory)), 8, true);
    switch (t->texel->bits) {
    case 8: word[0] = load_narrow(b, base, at, 8); break;
    case 16: word[0] = load_narrow(b, base, at, 16); break;
    case 24: word[0] = load_three(b, base, at); break;
    case 32: word[0] = jit_gather_u32(b, base, at, LLVMConstAllOnes(b->i1x16)); break;
    case 48:
        word[0] = jit_gather_u32(b, base, at, LLVMConstAllOnes(b->i1x16));
        word[1] = load_narrow(b, jit_offset_const(b, base, 4), at, 16);
        break;
    default: load_records(b, base, at, t->texel->bits / 32u, word); break;
    }
}

LLVMValueRef raster_sampler_ir_constant(struct raster_sampler_ir *t, unsigned n)
{
    enum raster_format format = (enum raster_format)t->key->format;
    uint32_t one = raster_sampler_integer(format) ? 1 : 0x3f800000;

    if (t->texel->from[n] < 4)
        return n == 1 && raster_sampler_depth_alone(format) ? U(0) : NULL;
    return U(t->texel->from[n] == RASTER_FROM_ONE ? one : 0);
}

void raster_sampler_ir_unpack(struct raster_sampler_ir *t, const LLVMValueRef word[4], LLVMValueRef out[4])
{
    LLVMValueRef all[4];

    raster_texel_unpack_ir(t->b, t->texel, word, all); /* what is not used LLVM drops */
    for (unsigned n = 0; n < 4; n++)
        out[n] = t->need[n] ? all[n] : NULL;
}

#include "raster/output_ir.h"

#include "raster/blend_ir.h"
#include "raster/texture/texel_ir.h"
#include "raster/zs_ir.h"

/* ---- bytes ---- */

static LLVMValueRef byte_word(struct jit_builder *b, const LLVMValueRef color[4])
{
    LLVMValueRef channel[4];

    if (!color[0])
        return NULL;
    for (unsigned n = 0; n < 4; n++)
        channel[n] = jit_as_f32(b, color[n]);
    return raster_pack_ir(b, channel);
}

static LLVMValueRef blend_bytes(struct jit_builder *b, enum raster_format format,
                                const struct raster_blend *blend, const struct raster_output_ir *colors,
                                LLVMValueRef dst)
{
    LLVMValueRef constant = byte_word(b, colors->constant);

    constant = constant ? LLVMBuildExtractElement(b->ir, constant, jit_i32(b, 0), "") : jit_i32(b, 0);
    if (dst && format == RASTER_R8G8B8X8_UNORM)
        dst = LLVMBuildOr(b->ir, dst, jit_splat_u32(b, 0xff000000), "");
    return raster_blend_ir(b, blend, constant, byte_word(b, colors->src), byte_word(b, colors->src1), dst);
}

/* ---- numbers ---- */

static LLVMValueRef limited(struct jit_builder *b, enum raster_format format, LLVMValueRef x)
{
    float least;

    if (!x || !raster_output_limits(format, &least))
        return x;
    x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealORD, x, x, ""), x, jit_splat_f32(b, 0));
    x = jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, jit_splat_f32(b, least), ""), x,
                   jit_splat_f32(b, least));
    return jit_select(b, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, jit_splat_f32(b, 1), ""), x,
                      jit_splat_f32(b, 1));
}

static void blend_numbers(struct jit_builder *b, enum raster_format format, const struct raster_blend *blend,
                          const struct raster_output_ir *colors, const LLVMValueRef *word,
                          LLVMValueRef color[4])
{
    struct raster_blend_colors_ir c;
    LLVMValueRef dst[4] = {0};

    for (unsigned n = 0; n < 4; n++) {
        c.src[n] = limited(b, format, jit_as_f32(b, colors->src[n]));
        c.src1[n] = colors->src1[n] ? limited(b, format, jit_as_f32(b, colors->src1[n])) : NULL;
        c.constant[n] = limited(b, format, colors->constant[n]);
    }
    if (word[0])
        raster_texel_unpack_ir(b, &raster_texels[format], word, dst);
    for (unsigned n = 0; word[0] && n < 4; n++)
        dst[n] = jit_as_f32(b, dst[n]);
    raster_blend_float_ir(b, blend, &c, dst, color);
    for (unsigned n = 0; n < 4; n++)
        color[n] = jit_as_i32(b, color[n]);
}

void raster_output_ir_words(struct jit_builder *b, enum raster_format format,
                            const struct raster_blend *blend, const struct raster_output_ir *colors,
                            LLVMValueRef *word)
{
    const struct raster_blend does = raster_output_blend(format, blend);
    LLVMValueRef color[4] = {colors->src[0], colors->src[1], colors->src[2], colors->src[3]}, packed[4];
    uint32_t all[4], mask[4];

    if (raster_output_is_bytes(format)) {
        word[0] = blend_bytes(b, format, &does, colors, word[0]);
        return;
    }
    if (!does.logic && !raster_blend_is_replace(&does))
        blend_numbers(b, format, &does, colors, word, color);
    raster_texel_pack_ir(b, &raster_texels[format], color, packed);
    raster_output_written(format, 15, all);
    raster_output_written(format, does.write_mask, mask);
    for (unsigned n = 0; n < (raster_texels[format].bits + 31u) / 32; n++) {
        if (does.logic)
            packed[n] = raster_blend_logic_ir(b, does.logic_op, packed[n], word[n]);
        if (does.logic || mask[n] != all[n]) /* bits of no component are zero where nothing is read */
            packed[n] = LLVMBuildAnd(b->ir, packed[n], jit_splat_u32(b, mask[n]), "");
        if (word[n] && mask[n] != UINT32_MAX)
            packed[n] = LLVMBuildOr(b->ir, packed[n],
                                    LLVMBuildAnd(b->ir, word[n], jit_splat_u32(b, ~mask[n]), ""), "");
        word[n] = packed[n];
    }
}

/* ---- depth and stencil ---- */

LLVMValueRef raster_output_ir_depth(struct raster_block_ir *r, struct jit_builder *b,
                                    const struct raster_targets *targets)
{
    enum raster_depth_kind kind = (enum raster_depth_kind)targets->depth;

    if (raster_depth_is_32(kind))
        return raster_depth_encode_ir(b, kind, raster_block_ir_z(r, b));
    LLVMValueRef depth = raster_block_ir_depth(r, b);
    return kind == RASTER_DEPTH_UNORM16 ? raster_depth_16_ir(b, depth) : depth;
}

/* Of the sample's stencil bytes. */
static LLVMValueRef stencil_place(struct raster_block_ir *r, struct jit_builder *b, unsigned sample)
{
    LLVMValueRef bytes = LLVMBuildLShr(b->ir, r->at, jit_i32(b, 2), "");
    LLVMValueRef base = jit_offset_const(b, r->tile, offsetof(struct raster_tile, stencil) + sample * 16);

    return jit_offset(b, base, bytes);
}

LLVMValueRef raster_output_ir_test(struct raster_block_ir *r, struct jit_builder *b,
                                   const struct raster_targets *targets, unsigned sample,
                                   const struct raster_zs *zs, LLVMValueRef reverse, LLVMValueRef depth,
                                   LLVMValueRef lanes)
{
    LLVMValueRef stored = raster_block_ir_load(b, r->zs, sample), updated, pass;

    if (!raster_depth_is_32((enum raster_depth_kind)targets->depth)) {
        pass = raster_zs_ir(b, zs, reverse, NULL, lanes, depth, stored, &updated);
    } else {
        LLVMTypeRef bytes = LLVMVectorType(b->i8, JIT_LANES);
        LLVMValueRef at = stencil_place(r, b, sample), old, new;

        old = LLVMBuildZExt(b->ir, jit_load(b, bytes, at, 16, false), b->i32x16, "");
        pass = raster_zs_ir_32(b, zs, reverse, NULL, lanes, depth, stored, old, &updated, &new);
        if (zs->face[0].enable || zs->face[1].enable)
            jit_store(b, LLVMBuildTrunc(b->ir, new, bytes, ""), at, 16);
    }
    if (updated != stored)
        jit_store(b, updated, raster_block_ir_sample(b, r->zs, sample), 64);
    return pass;
}

/* ---- colours in the block ---- */

static unsigned first_word(const struct raster_targets *targets, unsigned t, unsigned sample)
{
    return targets->first[t] * targets->samples + sample * targets->words[t];
}

void raster_output_ir_get(struct raster_block_ir *r, struct jit_builder *b,
                          const struct raster_targets *targets, unsigned t, unsigned sample,
                          LLVMValueRef word[4])
{
    unsigned first = first_word(targets, t, sample);

    for (unsigned n = 0; n < targets->words[t]; n++)
        word[n] = raster_block_ir_load(b, r->color, first + n);
}

void raster_output_ir_put(struct raster_block_ir *r, struct jit_builder *b,
                          const struct raster_targets *targets, unsigned t, unsigned sample,
                          const LLVMValueRef word[4], LLVMValueRef lanes)
{
    unsigned first = first_word(targets, t, sample);

    for (unsigned n = 0; n < targets->words[t]; n++)
        raster_block_ir_store_color(r, b, first + n, word[n], lanes);
}

void raster_output_ir_load(struct raster_block_ir *r, struct jit_builder *b,
                           const struct raster_targets *targets, unsigned t, unsigned sample,
                           LLVMValueRef out[4])
{
    LLVMValueRef word[4];

    raster_output_ir_get(r, b, targets, t, sample, word);
    raster_texel_unpack_ir(b, &raster_texels[targets->format[t]], word, out);
}

void raster_output_ir_store(struct raster_block_ir *r, struct jit_builder *b,
                            const struct raster_targets *targets, unsigned t, unsigned sample,
                            const struct raster_blend *blend, const struct raster_output_ir *colors,
                            LLVMValueRef lanes)
{
    enum raster_format format = (enum raster_format)targets->format[t];
    LLVMValueRef word[4] = {0};

    if (raster_output_reads(format, blend))
        raster_output_ir_get(r, b, targets, t, sample, word);
    raster_output_ir_words(b, format, blend, colors, word);
    raster_output_ir_put(r, b, targets, t, sample, word, lanes);
}

/* What a compiled fragment program meets: varyings, uniforms, textures and the tile, as IR over one block. */
#include <math.h>

#include "gpu/utgard/frag_emit.h"
#include "raster/texture/texel_ir.h"
#include "raster/texture/texture_ir.h"

static LLVMValueRef port_varying(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                                 uint32_t count, LLVMValueRef mask, LLVMValueRef out[4])
{
    struct utgard_frag_emit *e = ctx;

    e->failed |= offset != NULL;
    for (uint32_t n = 0; n < count; n++) {
        uint8_t v = first + n < UTGARD_COMPONENTS ? e->head->vary[first + n] : UTGARD_NO_VARYING;

        out[n] = v == UTGARD_NO_VARYING ? jit_splat_u32(b, 0) : jit_as_i32(b, utgard_frag_varying(e, b, v));
    }
    return first + count > UTGARD_COMPONENTS ? mask : NULL;
}

static void port_fragcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    struct utgard_frag_emit *e = ctx;
    LLVMValueRef scale = utgard_frag_field(e, b, b->f32, offsetof(struct utgard_frag_args, y_scale), 4);
    LLVMValueRef offset = utgard_frag_field(e, b, b->f32, offsetof(struct utgard_frag_args, y_offset), 4), y;

    y = LLVMBuildFMul(b->ir, e->at.cy, jit_splat(b, scale), "");
    y = LLVMBuildFAdd(b->ir, y, jit_splat(b, offset), "");
    out[0] = jit_as_i32(b, e->at.cx);
    out[1] = jit_as_i32(b, y);
    out[2] = jit_as_i32(b, raster_block_ir_z(&e->at, b));
    out[3] = jit_as_i32(b, e->w);
}

static void port_pointcoord(void *ctx, struct jit_builder *b, LLVMValueRef out[2])
{
    struct utgard_frag_emit *e = ctx;

    for (unsigned c = 0; c < 2; c++)
        out[c] = e->head->points ? jit_as_i32(b, utgard_frag_varying(e, b, c)) : jit_splat_u32(b, 0);
}

static LLVMValueRef port_frontface(void *ctx, struct jit_builder *b)
{
    struct utgard_frag_emit *e = ctx;

    return raster_block_ir_by_face(&e->at, b, 0x3f800000, 0);
}

/* ---- textures ---- */

/* The program's four numbers of a sample. */
static void channels(struct utgard_frag_emit *e, struct jit_builder *b, const struct utgard_texture_key *key,
                     LLVMValueRef sample, LLVMValueRef out[4])
{
    LLVMValueRef channel[6] = {NULL}, word = raster_texture_ir_word(b, sample, 0),
                 words[4] = {word, raster_texture_ir_word(b, sample, 1)};

    for (unsigned c = 0; c < 4; c++)
        channel[c] = jit_splat_u32(b, 0);
    channel[UTGARD_CHANNEL_ZERO] = jit_splat_u32(b, 0);
    channel[UTGARD_CHANNEL_ONE] = jit_splat_u32(b, 0x3f800000);
    switch (key->texel) {
    case UTGARD_TEXEL_8888:
    case UTGARD_TEXEL_RELOAD:
        for (unsigned c = 0; c < 4; c++)
            channel[c] = utgard_frag_byte(e, b, word, c);
        break;
    case UTGARD_TEXEL_16: channel[0] = utgard_frag_part(e, b, word, 0, 16); break;
    case UTGARD_TEXEL_DEPTH: channel[0] = utgard_frag_part(e, b, word, 0, 24); break;
    case UTGARD_TEXEL_HALVES:
        raster_texel_unpack_ir(b, &raster_texels[key->raster.format], words, channel);
        break;
    default: e->failed = true;
    }
    for (unsigned c = 0; c < 4; c++)
        out[c] = channel[key->swizzle[c]];
}

static LLVMValueRef port_sample(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef offset,
                                const LLVMValueRef coordinates[4], LLVMValueRef lod, LLVMValueRef mask,
                                LLVMValueRef out[4])
{
    struct utgard_frag_emit *e = ctx;
    const struct utgard_texture_key *key = &e->keys[n];
    LLVMValueRef texture = jit_offset_const(b, e->textures, n * sizeof(struct raster_texture)), word;

    word = raster_texture_ir(b, &key->raster, texture, jit_as_f32(b, coordinates[0]),
                             jit_as_f32(b, coordinates[1]),
                             key->raster.cube ? jit_as_f32(b, coordinates[2]) : NULL,
                             lod ? jit_as_f32(b, lod) : NULL, e->program->sample_count);
    e->failed |= !word || offset;
    if (word)
        channels(e, b, key, word, out);
    for (unsigned c = 0; !word && c < 4; c++) /* formats that raster/texture leaves to the scalar path */
        out[c] = jit_splat_u32(b, 0);
    return NULL;
}

static float port_sample_limit(void *ctx, uint32_t n)
{
    const struct utgard_frag_emit *e = ctx;

    return e->keys[n].texel == UTGARD_TEXEL_HALVES ? INFINITY : 1.0f;
}

/* ---- uniforms ---- */

/* Few uniforms are loaded before the loop over blocks, so that what a program computes from them alone leaves
 * the loop too; many would only fill the stack there, and are memory operands of the instructions that take
 * them. Beyond the last is nothing: a fault, or 0 where a register leads there. */
static LLVMValueRef uniform_at(struct utgard_frag_emit *e, struct jit_builder *b, uint32_t n)
{
    if (e->hoists)
        return jit_load_at_entry(b, b->i32, e->uniforms, n * 4ull, 4);
    return jit_load(b, b->i32, jit_offset_const(b, e->uniforms, n * 4ull), 4, false);
}

static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, uint32_t first, LLVMValueRef offset,
                                 uint32_t count, LLVMValueRef mask, LLVMValueRef out[4])
{
    struct utgard_frag_emit *e = ctx;
    uint32_t size = e->head->uniform_count;
    LLVMValueRef at, inside;

    if (count > size || (!offset && first > size - count)) {
        for (uint32_t n = 0; n < count; n++)
            out[n] = jit_splat_u32(b, 0);
        return offset ? NULL : mask;
    }
    if (!offset) {
        for (uint32_t n = 0; n < count; n++)
            out[n] = uniform_at(e, b, first + n);
        return NULL;
    }
    at = LLVMBuildAdd(b->ir, offset, jit_splat_u32(b, first), "");
    inside = LLVMBuildICmp(b->ir, LLVMIntULE, at, jit_splat_u32(b, size - count), "");
    at = LLVMBuildSelect(b->ir, inside, at, jit_splat_u32(b, 0), "");
    at = LLVMBuildShl(b->ir, at, jit_splat_u32(b, 2), "");
    for (uint32_t n = 0; n < count; n++)
        out[n] = jit_gather_u32(b, jit_offset_const(b, e->uniforms, n * 4ull), at, inside);
    return NULL;
}

/* ---- the tile: of several samples the first's ---- */

static void port_color(void *ctx, struct jit_builder *b, LLVMValueRef out[4])
{
    struct utgard_frag_emit *e = ctx;

    bool halves = e->head->target == RASTER_TARGET_RGBA16F;
    LLVMValueRef word[2] = {raster_block_ir_load(b, e->at.color, 0),
                            halves ? raster_block_ir_load(b, e->at.color, 1) : NULL};

    for (unsigned c = 0; c < 4; c++)
        out[c] =
            halves ? utgard_frag_half(b, LLVMBuildLShr(b->ir, word[c / 2], jit_splat_u32(b, c % 2 * 16), ""))
                   : utgard_frag_byte(e, b, word[0], c);
}

static LLVMValueRef port_depth(void *ctx, struct jit_builder *b)
{
    struct utgard_frag_emit *e = ctx;

    return utgard_frag_part(e, b, jit_load(b, b->i32x16, e->at.zs, 64, false), 8, 24);
}

void utgard_frag_ports(struct utgard_frag_emit *e, struct utgard_pp_ir_ports *out)
{
    *out = (struct utgard_pp_ir_ports){.ctx = e,
                                       .varying = port_varying,
                                       .fragcoord = port_fragcoord,
                                       .pointcoord = port_pointcoord,
                                       .frontface = port_frontface,
                                       .sample = port_sample,
                                       .sample_limit = port_sample_limit,
                                       .uniform = port_uniform,
                                       .color = port_color,
                                       .depth = port_depth,
                                       .numeric = (enum isa_numeric)e->head->numeric};
}

/* Values of a descriptor's format to registers and back, as IR (world_attribute.c is the definition). */
#include "gpu/mali/world_ir.h"
#include "jit/math.h"
#include "raster/texture/texel_ir.h"

static bool is_float(enum isa_type type, bool any_type)
{
    return !any_type && (type == ISA_TYPE_F32 || type == ISA_TYPE_F16);
}

static bool has_sign(const struct raster_texel *texel)
{
    return raster_texel_kind(texel, texel->from[0] < 4 ? texel->from[0] : 0) == RASTER_KIND_SINT;
}

static LLVMValueRef to_float(struct jit_builder *b, const struct raster_texel *texel, LLVMValueRef v)
{
    v = has_sign(texel) ? LLVMBuildSIToFP(b->ir, v, b->f32x16, "") : LLVMBuildUIToFP(b->ir, v, b->f32x16, "");
    return jit_as_i32(b, v);
}

static LLVMValueRef to_integer(struct jit_builder *b, const struct raster_texel *texel, LLVMValueRef v)
{
    return jit_f32_to_limited_i32(b, jit_as_f32(b, v), has_sign(texel));
}

static LLVMValueRef pair(struct jit_builder *b, LLVMValueRef low, LLVMValueRef high)
{
    low = jit_single_to_half(b, jit_as_f32(b, low));
    high = jit_single_to_half(b, jit_as_f32(b, high));
    return LLVMBuildOr(b->ir, low, LLVMBuildShl(b->ir, high, jit_splat_u32(b, 16), ""), "");
}

static LLVMValueRef half_of(struct jit_builder *b, LLVMValueRef word, unsigned n)
{
    word = n ? LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 16), "")
             : LLVMBuildAnd(b->ir, word, jit_splat_u32(b, 0xffff), "");
    return jit_as_i32(b, jit_half_to_single(b, word));
}

static bool packs(const struct mali_register_format *f)
{
    return f->halves && f->type != ISA_TYPE_F16;
}

void mali_ir_registers_narrow(struct jit_builder *b, const struct mali_register_format *f,
                              LLVMValueRef value[4])
{
    for (unsigned n = 0; packs(f) && n < 2; n++) {
        LLVMValueRef high = LLVMBuildShl(b->ir, value[2 * n + 1], jit_splat_u32(b, 16), "");
        LLVMValueRef low = LLVMBuildAnd(b->ir, value[2 * n], jit_splat_u32(b, 0xffff), "");
        value[n] = LLVMBuildOr(b->ir, low, high, "");
    }
    if (packs(f))
        value[2] = value[3] = jit_splat_u32(b, 0);
}

void mali_ir_registers_widen(struct jit_builder *b, const struct mali_register_format *f,
                             LLVMValueRef value[4])
{
    LLVMValueRef by = jit_splat_u32(b, 16);
    for (unsigned c = 4; packs(f) && c-- > 0;) {
        LLVMValueRef v = value[c / 2];
        v = c & 1 ? v : LLVMBuildShl(b->ir, v, by, "");
        value[c] =
            f->type == ISA_TYPE_I32 ? LLVMBuildAShr(b->ir, v, by, "") : LLVMBuildLShr(b->ir, v, by, "");
    }
}

void mali_ir_to_register(struct jit_builder *b, enum raster_format format, enum isa_type type, bool any_type,
                         const LLVMValueRef v[4], LLVMValueRef out[4])
{
    const struct raster_texel *texel = &raster_texels[format];
    bool converts = is_float(type, any_type) && raster_sampler_integer(format);
    LLVMValueRef f[4];
    for (unsigned c = 0; c < 4; c++)
        out[c] = f[c] = converts ? to_float(b, texel, v[c]) : v[c];
    if (any_type || type != ISA_TYPE_F16)
        return;
    out[0] = pair(b, f[0], f[1]);
    out[1] = pair(b, f[2], f[3]);
    out[2] = out[3] = jit_splat_u32(b, 0);
}

void mali_ir_convert(struct jit_builder *b, const struct mali_code_form *form, enum isa_type type,
                     bool any_type, const LLVMValueRef word[4], LLVMValueRef out[4])
{
    const struct raster_texel *texel = &raster_texels[form->format];
    LLVMValueRef channels[4], v[4];
    raster_texel_unpack_ir(b, texel, word, channels);
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = mali_order(form->order, c);
        v[c] = from < 4 ? channels[from] : jit_splat_u32(b, from == 5 ? raster_texel_one(texel) : 0);
    }
    mali_ir_to_register(b, form->format, type, any_type, v, out);
}

void mali_ir_convert_back(struct jit_builder *b, const struct mali_code_form *form, enum isa_type type,
                          bool any_type, const LLVMValueRef in[4], LLVMValueRef word[4])
{
    const struct raster_texel *texel = &raster_texels[form->format];
    bool halves = type == ISA_TYPE_F16 && !any_type;
    bool converts = is_float(type, any_type) && raster_sampler_integer(form->format);
    LLVMValueRef channels[4] = {NULL};
    for (unsigned c = 4; c-- > 0;) {
        unsigned to = mali_order(form->order, c);
        if (to >= 4)
            continue;
        LLVMValueRef v = halves ? half_of(b, in[c / 2], c & 1) : in[c];
        channels[to] = converts ? to_integer(b, texel, v) : v;
    }
    for (unsigned c = 0; c < 4; c++)
        if (!channels[c])
            channels[c] = jit_splat_u32(b, 0);
    raster_texel_pack_ir(b, texel, channels, word);
}

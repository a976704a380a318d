/* The GP's programs within gpu/vertex_ir.h: ports to attributes, the file of uniforms, and varyings. */
#include <string.h>

#include "gpu/utgard/vertex_internal.h"
#include "gpu/vertex_ir.h"

static void ir_attribute(void *ctx, struct jit_builder *b, uint32_t index, LLVMValueRef out[4])
{
    const struct gpu_vertex_emit *e = ctx;
    (void)b;
    memcpy(out, e->attribute[index], sizeof e->attribute[index]);
}

static LLVMValueRef uniforms(const struct gpu_vertex_emit *e)
{
    size_t at = offsetof(struct utgard_vertex_stage, uniforms);
    return jit_load(e->b, e->b->ptr, jit_offset_const(e->b, e->stage, at), 8, true);
}

static LLVMValueRef ir_uniform(void *ctx, struct jit_builder *b, uint32_t index, uint32_t c)
{
    return jit_load(b, b->i32, jit_offset_const(b, uniforms(ctx), index * 16ull + c * 4), 4, true);
}

static LLVMValueRef ir_indexed(void *ctx, struct jit_builder *b, LLVMValueRef index, uint32_t c,
                               LLVMValueRef mask)
{
    LLVMValueRef offset = LLVMBuildShl(b->ir, index, jit_splat_u32(b, 4), "");
    return jit_gather_u32(b, jit_offset_const(b, uniforms(ctx), c * 4), offset, mask);
}

static void ir_varying(void *ctx, struct jit_builder *b, uint32_t index, uint32_t c, LLVMValueRef value,
                       LLVMValueRef mask)
{
    const struct gpu_vertex_emit *e = ctx;
    LLVMValueRef slot = e->varying[index][c];
    if (!slot)
        return; /* the table does not have it */
    if (mask)
        value = jit_select(b, mask, value, jit_load(b, b->i32x16, slot, 64, false));
    jit_store(b, value, slot, 64);
}

static int emit_program(void *ctx, struct gpu_vertex_emit *e, LLVMValueRef *fault)
{
    const struct utgard_vertex_variant *variant = ctx;
    struct jit_builder *b = e->b;
    struct utgard_gp_ir_ports ports = {.ctx = e,
                                       .attribute = ir_attribute,
                                       .uniform = ir_uniform,
                                       .indexed = ir_indexed,
                                       .varying = ir_varying,
                                       .temporaries = variant->program->stores_temporaries ? e->own : NULL};
    LLVMValueRef all = jit_mask_from_bits(b, LLVMConstInt(b->i16, 0xffff, false));
    return utgard_gp_translate(b, variant->program, &ports, all, e->fuel, fault, NULL);
}

int utgard_vertex_emit(struct jit_builder *b, void *data)
{
    struct utgard_vertex_variant *variant = data;
    return gpu_vertex_ir(b, &variant->layout, emit_program, variant);
}

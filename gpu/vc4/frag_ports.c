/* The ports of compiled fragment programs: uniforms, varyings, textures and the tile, as IR over one block.
 */
#include "gpu/vc4/frag_emit.h"
#include "raster/texture/texture_ir.h"
#include "raster/zs_ir.h"

/* Few uniforms are loaded before the loop over blocks, so that what a program computes from them alone leaves
 * the loop too; many would only fill the stack there, and are memory operands of the instructions that take
 * them. */
static LLVMValueRef uniform_at(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef words,
                               uint32_t word)
{
    if (word >= e->variant->program->uniform_count) {
        e->failed = true;
        return jit_i32(b, 0);
    }
    if (!e->hoists)
        return jit_load(b, b->i32, jit_offset_const(b, words, word * 4ull), 4, false);
    return jit_load_at_entry(b, b->i32, words, word * 4ull, 4);
}

static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    struct vc4_frag_emit *e = ctx;

    if (word == VC4_QPU_NO_OFFSET) /* a reset of the stream (frag_plan.c) */
        return vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4);
    return uniform_at(e, b, e->uniforms, word);
}

static LLVMValueRef port_number(void *ctx, struct jit_builder *b, uint32_t word)
{
    struct vc4_frag_emit *e = ctx;

    return uniform_at(e, b, e->numbers, word);
}

static void port_varying(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef *vary, LLVMValueRef *c)
{
    struct vc4_frag_emit *e = ctx;

    if (n >= RASTER_MAX_VARYINGS) {
        e->failed = true;
        *vary = *c = jit_splat_u32(b, 0);
        return;
    }
    *vary = jit_as_i32(b, raster_block_ir_plane(&e->at, b, RASTER_VALUE_VARY + n));
    *c = jit_as_i32(b, raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_VARY + n, 2));
}

static void port_coordinates(void *ctx, struct jit_builder *b, LLVMValueRef *x, LLVMValueRef *y)
{
    struct vc4_frag_emit *e = ctx;

    *x = e->at.px;
    *y = e->at.py;
}

static LLVMValueRef live_lanes(struct vc4_frag_emit *e, struct jit_builder *b, unsigned sample)
{
    return jit_load(b, b->i1x16, e->live[sample], 2, false);
}

/* The lanes of a write: those still live in the sample, and in the write's condition. */
static LLVMValueRef written_lanes(struct vc4_frag_emit *e, struct jit_builder *b, unsigned sample,
                                  LLVMValueRef mask)
{
    LLVMValueRef live = live_lanes(e, b, sample);

    return mask ? LLVMBuildAnd(b->ir, live, mask, "") : live;
}

static void port_flags(void *ctx, struct jit_builder *b, LLVMValueRef *ms_mask, LLVMValueRef *rev_flag)
{
    struct vc4_frag_emit *e = ctx;

    *ms_mask = jit_splat_u32(b, 0);
    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef bit =
            LLVMBuildSelect(b->ir, live_lanes(e, b, k), jit_splat_u32(b, 1u << k), jit_splat_u32(b, 0), "");

        *ms_mask = LLVMBuildOr(b->ir, *ms_mask, bit, "");
    }
    *rev_flag = jit_splat(b, LLVMBuildZExt(b->ir, raster_block_ir_reverse(&e->at, b), b->i32, ""));
}

static void port_set_ms_mask(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct vc4_frag_emit *e = ctx;

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef bit = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, 1u << k), "");
        LLVMValueRef keep = LLVMBuildICmp(b->ir, LLVMIntNE, bit, jit_splat_u32(b, 0), "");

        if (mask)
            keep = LLVMBuildOr(b->ir, keep, LLVMBuildNot(b->ir, mask, ""), "");
        jit_store(b, LLVMBuildAnd(b->ir, live_lanes(e, b, k), keep, ""), e->live[k], 2);
    }
}

/* A raw lookup; one that leaves memory ends the draw. */
static LLVMValueRef lookup(struct vc4_frag_emit *e, struct jit_builder *b,
                           const struct vc4_qpu_sample *sample, LLVMValueRef s)
{
    LLVMValueRef address = LLVMBuildAnd(b->ir, s, jit_splat_u32(b, ~3u), "");
    LLVMValueRef outside = LLVMBuildICmp(b->ir, LLVMIntUGT, address, jit_splat(b, e->last_word), "");
    LLVMBasicBlockRef stop = LLVMAppendBasicBlockInContext(b->context, b->function, "stop");
    LLVMBasicBlockRef go = LLVMAppendBasicBlockInContext(b->context, b->function, "go");
    LLVMValueRef lane, args[2], code;

    e->faults = true;
    LLVMBuildCondBr(b->ir, jit_mask_any(b, outside), stop, go);
    LLVMPositionBuilderAtEnd(b->ir, stop);
    args[0] = LLVMBuildZExt(b->ir, jit_mask_to_bits(b, outside), b->i32, "");
    args[1] = LLVMConstInt(b->i1, 1, false);
    lane = jit_intrinsic(b, "llvm.cttz", &b->i32, 1, args, 2);
    jit_store(b, LLVMBuildExtractElement(b->ir, s, lane, ""),
              jit_offset_const(b, e->call, offsetof(struct raster_shader_call, address)), 4);
    code = LLVMBuildShl(b->ir, lane, jit_i32(b, ISA_FAULT_LANE), "");
    code = LLVMBuildOr(b->ir, code, jit_i32(b, isa_fault_pack(VC4_QPU_FAULT_MEMORY, 0, sample->insn)), "");
    LLVMBuildRet(b->ir, code);
    LLVMPositionBuilderAtEnd(b->ir, go);
    return jit_gather_u32(b, e->memory, address, LLVMConstAllOnes(b->i1x16));
}

static LLVMValueRef port_tmu(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                             uint32_t sample_index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                             LLVMValueRef bias, LLVMValueRef *params)
{
    struct vc4_frag_emit *e = ctx;
    LLVMValueRef texture, texel;

    if (sample->direct)
        return lookup(e, b, sample, s);
    texture = jit_offset_const(b, e->textures, sample_index * sizeof(struct raster_texture));
    texel = raster_texture_ir(b, &e->variant->keys[sample_index], texture, jit_as_f32(b, s),
                              t ? jit_as_f32(b, t) : NULL, r ? jit_as_f32(b, r) : NULL,
                              bias ? jit_as_f32(b, bias) : NULL, e->variant->program->sample_count);
    e->failed |= !texel;
    return texel ? texel : jit_splat_u32(b, 0);
}

/* The set-up words are part of the variant: the plan has read them. */
static void port_stencil(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask) {}

/* The early test serves the first Z write, where nothing can have changed the tile since. */
static LLVMValueRef test_late(struct vc4_frag_emit *e, struct jit_builder *b, unsigned sample,
                              LLVMValueRef lanes, LLVMValueRef depth)
{
    LLVMValueRef stored, word, pass, address = raster_block_ir_sample(b, e->at.zs, sample);

    if (e->tested_early && !e->z_written) {
        stored = e->early_stored[sample];
        pass = LLVMBuildAnd(b->ir, e->early_pass[sample], lanes, "");
        word = LLVMBuildSelect(b->ir, lanes, e->early_word[sample], stored, "");
    } else {
        stored = raster_block_ir_load(b, e->at.zs, sample);
        pass = raster_zs_ir(b, &e->variant->zs, raster_block_ir_reverse(&e->at, b), NULL, lanes, depth,
                            stored, &word);
    }
    if (word != stored)
        jit_store(b, word, address, 64);
    return pass;
}

static void port_z(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct vc4_frag_emit *e = ctx;
    LLVMValueRef depth = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, 0xffffff), "");

    if (e->variant->form != RASTER_IR_PRIM) /* tested before; what is left passes */
        return;
    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef live = live_lanes(e, b, k), lanes = written_lanes(e, b, k, mask);
        LLVMValueRef pass = test_late(e, b, k, lanes, depth);

        if (mask) { /* lanes outside the condition were not tested */
            LLVMValueRef untested = LLVMBuildAnd(b->ir, live, LLVMBuildNot(b->ir, mask, ""), "");

            pass = LLVMBuildOr(b->ir, pass, untested, "");
        }
        jit_store(b, pass, e->live[k], 2);
    }
    e->z_written = true;
}

/* Word `n` of the pixel's: sample after sample, of RGBA16F two a sample. */
static void write_color(struct vc4_frag_emit *e, struct jit_builder *b, unsigned n, LLVMValueRef value,
                        LLVMValueRef mask)
{
    LLVMValueRef lanes = written_lanes(e, b, n / e->variant->words, mask);

    raster_block_ir_store_color(&e->at, b, n, value, lanes);
}

static void port_color_write(void *ctx, struct jit_builder *b, bool all, LLVMValueRef value,
                             LLVMValueRef mask)
{
    struct vc4_frag_emit *e = ctx;
    unsigned samples = e->variant->samples, words = e->variant->words;
    unsigned n = all && words == 1 ? 0 : e->writes++;

    if (!all) {
        write_color(e, b, n % (samples * words), value, mask);
        return;
    }
    for (unsigned k = 0; k < samples; k++)
        write_color(e, b, k * words + n % words, value, mask);
}

static LLVMValueRef port_color_load(void *ctx, struct jit_builder *b)
{
    struct vc4_frag_emit *e = ctx;

    return raster_block_ir_load(b, e->at.color, e->loads++ % (e->variant->samples * e->variant->words));
}

static LLVMValueRef shifted_or(struct jit_builder *b, LLVMValueRef v, unsigned by, uint32_t mask)
{
    LLVMValueRef other = LLVMBuildLShr(b->ir, v, jit_splat_u32(b, by), "");

    return LLVMBuildAnd(b->ir, LLVMBuildOr(b->ir, v, other, ""), jit_splat_u32(b, mask), "");
}

/* raster/coverage.h; tiles of one sample. Clears what the primitive covers unless it is to stay. */
static LLVMValueRef port_coverage_load(void *ctx, struct jit_builder *b)
{
    struct vc4_frag_emit *e = ctx;
    LLVMValueRef word = raster_block_ir_load(b, e->at.zs, 0), covered = shifted_or(b, word, 1, 0x55555555), n;
    LLVMTypeRef type = LLVMTypeOf(word);

    if (!(e->variant->coverage & 1)) {
        LLVMValueRef left = LLVMBuildSelect(b->ir, live_lanes(e, b, 0), LLVMConstNull(type), word, "");

        jit_store(b, left, raster_block_ir_sample(b, e->at.zs, 0), 64);
    }
    if (e->variant->coverage & 2) { /* every other bit, moved together */
        covered = shifted_or(b, covered, 1, 0x33333333);
        covered = shifted_or(b, covered, 2, 0x0f0f0f0f);
        covered = shifted_or(b, covered, 4, 0x00ff00ff);
        return shifted_or(b, covered, 8, 0x0000ffff);
    }
    n = jit_intrinsic(b, "llvm.ctpop", &type, 1, &covered, 1);
    n = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, n, jit_splat_u32(b, 255), ""), jit_splat_u32(b, 8), "");
    n = LLVMBuildLShr(b->ir, n, jit_splat_u32(b, 4), "");
    return LLVMBuildMul(b->ir, n, jit_splat_u32(b, 0x01010101u), "");
}

void vc4_frag_ports(struct vc4_frag_emit *emit, struct vc4_qpu_ir_ports *out)
{
    *out = (struct vc4_qpu_ir_ports){.ctx = emit,
                                     .uniform = port_uniform,
                                     .uniform_number = port_number,
                                     .varying = port_varying,
                                     .coordinates = port_coordinates,
                                     .flags = port_flags,
                                     .set_ms_mask = port_set_ms_mask,
                                     .tmu = port_tmu,
                                     .tlb_stencil = port_stencil,
                                     .tlb_z = port_z,
                                     .idle_zs = emit->variant->form != RASTER_IR_PRIM,
                                     .color_write = port_color_write,
                                     .color_load = port_color_load,
                                     .coverage_load = port_coverage_load};
}

/* Fragment variants: one function a program and state, running over the 4x4 blocks of a primitive. The guest
 * program is translated once, inside the loop over blocks, with ports that read planes, sample textures, test
 * and blend into the tile in place. What stays the same for all blocks is loaded as invariant scalars. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_internal.h"
#include "isa/vc4_qpu/trans.h"
#include "jit/builder.h"
#include "raster/texture_ir.h"
#include "raster/zs_ir.h"

#define BLOCK_BYTES (16 * sizeof(uint32_t)) /* one sample of a block */

struct emit {
    const struct vc4_frag_variant *variant;
    LLVMValueRef args, prim, tile, blocks, address_out;
    LLVMValueRef uniforms, textures, memory, last_word;
    LLVMValueRef reverse; /* i1 */
    /* the block at hand */
    LLVMValueRef px, py;     /* window pixels, i32x16 */
    LLVMValueRef fx, fy;     /* pixel centres from the reference point, f32x16 */
    LLVMValueRef depth;      /* the payload's, i32x16 */
    LLVMValueRef color, zs;  /* ptr to the block's first sample */
    LLVMValueRef live[4];    /* slots of i1x16: lanes of each sample that may still be written */
    LLVMValueRef covered[4]; /* i1x16 */
    bool tested_early;
    LLVMValueRef early_pass[4], early_stored[4], early_word[4];
    unsigned loads, writes; /* samples taken so far by colour loads and TLB_COLOUR_MS writes */
    bool z_written, faults; /* faults: the program may end in one */
    bool failed;            /* translation met what the plan did not foresee */
};

static LLVMValueRef field(struct emit *e, struct jit_builder *b, LLVMTypeRef type, size_t offset,
                          unsigned align)
{
    return jit_load(b, type, jit_offset_const(b, e->args, offset), align, true);
}

/* Tells LLVM that a pointer (a parameter, or a load of one) may be read anywhere within `bytes`, so that
 * invariant loads through it leave the loop even where the program reads them under a condition. */
static void readable_param(struct jit_builder *b, unsigned index, uint64_t bytes, uint64_t align)
{
    static const char *const names[2] = {"dereferenceable", "align"};
    uint64_t values[2] = {bytes, align};

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));

        LLVMAddAttributeAtIndex(b->function, index + 1, LLVMCreateEnumAttribute(b->context, kind, values[i]));
    }
}

static void readable_load(struct jit_builder *b, LLVMValueRef load, uint64_t bytes, uint64_t align)
{
    static const char *const names[2] = {"dereferenceable", "align"};
    uint64_t values[2] = {bytes, align};

    for (unsigned i = 0; i < 2; i++) {
        unsigned kind = LLVMGetMDKindIDInContext(b->context, names[i], (unsigned)strlen(names[i]));
        LLVMMetadataRef value = LLVMValueAsMetadata(jit_i64(b, values[i]));

        LLVMSetMetadata(load, kind,
                        LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, &value, 1)));
    }
}

static LLVMValueRef prim_float(struct emit *e, struct jit_builder *b, size_t offset)
{
    return jit_splat(b, jit_load(b, b->f32, jit_offset_const(b, e->prim, offset), 4, true));
}

/* a * fx + b * fy of a plane (raster/prim.h): each product and the sum rounded. */
static LLVMValueRef plane(struct emit *e, struct jit_builder *b, size_t a_offset, size_t b_offset)
{
    LLVMValueRef x = LLVMBuildFMul(b->ir, prim_float(e, b, a_offset), e->fx, "");
    LLVMValueRef y = LLVMBuildFMul(b->ir, prim_float(e, b, b_offset), e->fy, "");

    return LLVMBuildFAdd(b->ir, x, y, "");
}

static LLVMValueRef sample_at(struct jit_builder *b, LLVMValueRef base, unsigned sample)
{
    return jit_offset_const(b, base, sample * BLOCK_BYTES);
}

static LLVMValueRef load_sample(struct jit_builder *b, LLVMValueRef base, unsigned sample)
{
    return jit_load(b, b->i32x16, sample_at(b, base, sample), 64, false);
}

/* ---- the block ---- */

/* Position and payload: pixel coordinates, W and the 24-bit depth. */
static void block_planes(struct emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y,
                         LLVMValueRef *w)
{
    uint32_t lane_x[16], lane_y[16];
    LLVMValueRef half = jit_splat_f32(b, 0.5f), zero = jit_splat_f32(b, 0), one = jit_splat_f32(b, 1), z;

    for (uint32_t l = 0; l < 16; l++) {
        lane_x[l] = (l & 1) | (l >> 1 & 2);
        lane_y[l] = (l >> 1 & 1) | (l >> 2 & 2);
    }
    e->px = LLVMBuildAdd(b->ir, jit_splat(b, x), jit_vector_u32(b, lane_x), "");
    e->py = LLVMBuildAdd(b->ir, jit_splat(b, y), jit_vector_u32(b, lane_y), "");
    e->fx = LLVMBuildFAdd(b->ir, jit_i32_to_f32(b, e->px), half, "");
    e->fy = LLVMBuildFAdd(b->ir, jit_i32_to_f32(b, e->py), half, "");
    e->fx = LLVMBuildFSub(b->ir, e->fx, prim_float(e, b, offsetof(struct raster_prim, x0)), "fx");
    e->fy = LLVMBuildFSub(b->ir, e->fy, prim_float(e, b, offsetof(struct raster_prim, y0)), "fy");

    *w = plane(e, b, offsetof(struct raster_prim, inv_w_a), offsetof(struct raster_prim, inv_w_b));
    *w = LLVMBuildFAdd(b->ir, *w, prim_float(e, b, offsetof(struct raster_prim, inv_w_c)), "");
    *w = LLVMBuildFDiv(b->ir, one, *w, "w");

    z = plane(e, b, offsetof(struct raster_prim, z_a), offsetof(struct raster_prim, z_b));
    z = LLVMBuildFAdd(b->ir, z, prim_float(e, b, offsetof(struct raster_prim, z_c)), "");
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, z, zero, ""), z, zero, "");
    z = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, z, one, ""), z, one, "");
    z = LLVMBuildFMul(b->ir, z, jit_splat_f32(b, 16777215.0f), "");
    z = jit_f32_to_i32(b, LLVMBuildFAdd(b->ir, z, half, ""));
    /* 2^24 is the one value above: 16777215.5 rounds to it. */
    e->depth = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntSLT, z, jit_splat_u32(b, 0xffffff), ""), z,
                               jit_splat_u32(b, 0xffffff), "depth");
}

static LLVMValueRef block_byte(struct jit_builder *b, LLVMValueRef block, size_t offset)
{
    LLVMValueRef v = jit_load(b, b->i8, jit_offset_const(b, block, offset), 1, true);

    return LLVMBuildZExt(b->ir, v, b->i32, "");
}

static LLVMValueRef tile_word(struct emit *e, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, e->tile, offset), 4, true);
}

static void block_begin(struct emit *e, struct jit_builder *b, LLVMValueRef index, LLVMValueRef *w)
{
    unsigned samples = e->variant->samples;
    LLVMValueRef block, x, y, row, four = jit_i32(b, 2), at;

    at = LLVMBuildMul(b->ir, index, jit_i32(b, sizeof(struct raster_block)), "");
    block = jit_offset(b, e->blocks, at);
    x = block_byte(b, block, offsetof(struct raster_block, x));
    y = block_byte(b, block, offsetof(struct raster_block, y));
    row = LLVMBuildLShr(b->ir, tile_word(e, b, offsetof(struct raster_tile, width)), four, "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, (uint32_t)(samples * BLOCK_BYTES)), "");
    e->color = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, color)), at);
    e->zs = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, zs)), at);
    for (unsigned k = 0; k < samples; k++) {
        uint64_t mask_at = offsetof(struct raster_block, sample) + k * sizeof(uint16_t);

        at = jit_load(b, b->i16, jit_offset_const(b, block, mask_at), 2, true);
        e->covered[k] = jit_mask_from_bits(b, at);
        jit_store(b, e->covered[k], e->live[k], 2);
    }
    x = LLVMBuildShl(b->ir, x, four, "");
    y = LLVMBuildShl(b->ir, y, four, "");
    x = LLVMBuildAdd(b->ir, x, tile_word(e, b, offsetof(struct raster_tile, x)), "");
    y = LLVMBuildAdd(b->ir, y, tile_word(e, b, offsetof(struct raster_tile, y)), "");
    block_planes(e, b, x, y, w);
}

/* Tests the payload's depth before the program runs. Returns i1: some lane passes, or is to be changed by a
 * stencil operation; otherwise the block need not run. */
static LLVMValueRef test_early(struct emit *e, struct jit_builder *b)
{
    LLVMValueRef any = LLVMConstNull(b->i1x16);

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef changed;

        e->early_stored[k] = load_sample(b, e->zs, k);
        e->early_pass[k] = raster_zs_ir(b, &e->variant->zs, e->reverse, e->covered[k], e->depth,
                                        e->early_stored[k], &e->early_word[k]);
        any = LLVMBuildOr(b->ir, any, e->early_pass[k], "");
        if (e->variant->zs.face[0].enable || e->variant->zs.face[1].enable) {
            changed = LLVMBuildICmp(b->ir, LLVMIntNE, e->early_word[k], e->early_stored[k], "");
            any = LLVMBuildOr(b->ir, any, changed, "");
        }
    }
    e->tested_early = true;
    return jit_mask_any(b, any);
}

/* ---- ports ---- */

static LLVMValueRef port_uniform(void *ctx, struct jit_builder *b, LLVMValueRef address, uint32_t word)
{
    struct emit *e = ctx;
    LLVMBasicBlockRef here;
    LLVMValueRef value;

    if (word == VC4_QPU_NO_OFFSET) /* a reset of the stream (frag_plan.c) */
        return field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4);
    if (word >= e->variant->program->uniform_count) {
        e->failed = true;
        return jit_i32(b, 0);
    }
    /* Loaded before the loop, so that what a program computes from uniforms alone leaves the loop too. */
    here = LLVMGetInsertBlock(b->ir);
    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(b->function)));
    value = jit_load(b, b->i32, jit_offset_const(b, e->uniforms, word * 4ull), 4, true);
    LLVMPositionBuilderAtEnd(b->ir, here);
    return value;
}

static void port_varying(void *ctx, struct jit_builder *b, uint32_t n, LLVMValueRef *vary, LLVMValueRef *c)
{
    struct emit *e = ctx;
    size_t at = n * sizeof(float);

    if (n >= RASTER_MAX_VARYINGS) {
        e->failed = true;
        *vary = *c = jit_splat_u32(b, 0);
        return;
    }
    *vary = jit_as_i32(
        b, plane(e, b, offsetof(struct raster_prim, vary_a) + at, offsetof(struct raster_prim, vary_b) + at));
    *c = jit_as_i32(b, prim_float(e, b, offsetof(struct raster_prim, vary_c) + at));
}

static void port_coordinates(void *ctx, struct jit_builder *b, LLVMValueRef *x, LLVMValueRef *y)
{
    struct emit *e = ctx;

    *x = e->px;
    *y = e->py;
}

static LLVMValueRef live_lanes(struct emit *e, struct jit_builder *b, unsigned sample)
{
    return jit_load(b, b->i1x16, e->live[sample], 2, false);
}

/* The lanes of a write: those still live in the sample, and in the write's condition. */
static LLVMValueRef written_lanes(struct emit *e, struct jit_builder *b, unsigned sample, LLVMValueRef mask)
{
    LLVMValueRef live = live_lanes(e, b, sample);

    return mask ? LLVMBuildAnd(b->ir, live, mask, "") : live;
}

static void port_flags(void *ctx, struct jit_builder *b, LLVMValueRef *ms_mask, LLVMValueRef *rev_flag)
{
    struct emit *e = ctx;

    *ms_mask = jit_splat_u32(b, 0);
    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef bit =
            LLVMBuildSelect(b->ir, live_lanes(e, b, k), jit_splat_u32(b, 1u << k), jit_splat_u32(b, 0), "");

        *ms_mask = LLVMBuildOr(b->ir, *ms_mask, bit, "");
    }
    *rev_flag = jit_splat(b, LLVMBuildZExt(b->ir, e->reverse, b->i32, ""));
}

static void port_set_ms_mask(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct emit *e = ctx;

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef bit = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, 1u << k), "");
        LLVMValueRef keep = LLVMBuildICmp(b->ir, LLVMIntNE, bit, jit_splat_u32(b, 0), "");

        if (mask)
            keep = LLVMBuildOr(b->ir, keep, LLVMBuildNot(b->ir, mask, ""), "");
        jit_store(b, LLVMBuildAnd(b->ir, live_lanes(e, b, k), keep, ""), e->live[k], 2);
    }
}

/* A raw lookup; one that leaves memory ends the draw. */
static LLVMValueRef lookup(struct emit *e, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                           LLVMValueRef s)
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
    jit_store(b, LLVMBuildExtractElement(b->ir, s, lane, ""), e->address_out, 4);
    code = LLVMBuildShl(b->ir, lane, jit_i32(b, 28), "");
    code = LLVMBuildOr(b->ir, code, jit_i32(b, VC4_QPU_FAULT_MEMORY | sample->insn << 8), "");
    LLVMBuildRet(b->ir, code);
    LLVMPositionBuilderAtEnd(b->ir, go);
    return jit_gather_u32(b, e->memory, address, LLVMConstAllOnes(b->i1x16));
}

static LLVMValueRef port_tmu(void *ctx, struct jit_builder *b, const struct vc4_qpu_sample *sample,
                             uint32_t sample_index, LLVMValueRef s, LLVMValueRef t, LLVMValueRef r,
                             LLVMValueRef bias, LLVMValueRef *params)
{
    struct emit *e = ctx;
    LLVMValueRef texture, texel;

    if (sample->direct)
        return lookup(e, b, sample, s);
    texture = jit_offset_const(b, e->textures, sample_index * sizeof(struct raster_texture));
    texel = raster_texture_ir(b, &e->variant->keys[sample_index], texture, jit_as_f32(b, s),
                              t ? jit_as_f32(b, t) : NULL, r ? jit_as_f32(b, r) : NULL,
                              bias ? jit_as_f32(b, bias) : NULL);
    e->failed |= !texel;
    return texel ? texel : jit_splat_u32(b, 0);
}

/* The set-up words are part of the variant: the plan has read them. */
static void port_stencil(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask) {}

/* The early test serves the first Z write, where nothing can have changed the tile since. */
static LLVMValueRef test_late(struct emit *e, struct jit_builder *b, unsigned sample, LLVMValueRef lanes,
                              LLVMValueRef depth)
{
    LLVMValueRef stored, word, pass, address = sample_at(b, e->zs, sample);

    if (e->tested_early && !e->z_written) {
        stored = e->early_stored[sample];
        pass = LLVMBuildAnd(b->ir, e->early_pass[sample], lanes, "");
        word = LLVMBuildSelect(b->ir, lanes, e->early_word[sample], stored, "");
    } else {
        stored = load_sample(b, e->zs, sample);
        pass = raster_zs_ir(b, &e->variant->zs, e->reverse, lanes, depth, stored, &word);
    }
    if (word != stored)
        jit_store(b, word, address, 64);
    return pass;
}

static void port_z(void *ctx, struct jit_builder *b, LLVMValueRef value, LLVMValueRef mask)
{
    struct emit *e = ctx;
    LLVMValueRef depth = LLVMBuildAnd(b->ir, value, jit_splat_u32(b, 0xffffff), "");

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

static void write_color(struct emit *e, struct jit_builder *b, unsigned sample, LLVMValueRef value,
                        LLVMValueRef mask)
{
    LLVMValueRef old = load_sample(b, e->color, sample);

    value = LLVMBuildSelect(b->ir, written_lanes(e, b, sample, mask), value, old, "");
    jit_store(b, value, sample_at(b, e->color, sample), 64);
}

static void port_color_write(void *ctx, struct jit_builder *b, bool all, LLVMValueRef value,
                             LLVMValueRef mask)
{
    struct emit *e = ctx;
    unsigned samples = e->variant->samples;

    if (!all && samples > 1) {
        write_color(e, b, e->writes++ % samples, value, mask);
        return;
    }
    for (unsigned k = 0; k < samples; k++)
        write_color(e, b, k, value, mask);
}

static LLVMValueRef port_color_load(void *ctx, struct jit_builder *b)
{
    struct emit *e = ctx;

    return load_sample(b, e->color, e->loads++ % e->variant->samples);
}

/* ---- the function ---- */

static void begin(struct emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->ptr, b->i32, b->ptr};
    LLVMValueRef *params[] = {&e->args, &e->prim, &e->tile, &e->blocks, NULL, &e->address_out};
    LLVMValueRef reverse;

    jit_begin_function(b, b->i32, types, 6);
    for (unsigned i = 0; i < 6; i++)
        if (params[i]) {
            jit_param_noalias(b, i);
            *params[i] = jit_param(b, i);
        }
    readable_param(b, 0, sizeof(struct vc4_frag_args), 8);
    readable_param(b, 1, sizeof(struct raster_prim), 8);
    readable_param(b, 2, sizeof(struct raster_tile), 64);
    e->uniforms = field(e, b, b->ptr, offsetof(struct vc4_frag_args, uniforms), 8);
    e->textures = field(e, b, b->ptr, offsetof(struct vc4_frag_args, textures), 8);
    if (e->variant->program->sample_count)
        readable_load(b, e->textures, e->variant->program->sample_count * sizeof(struct raster_texture), 8);
    e->memory = field(e, b, b->ptr, offsetof(struct vc4_frag_args, memory), 8);
    e->last_word = field(e, b, b->i32, offsetof(struct vc4_frag_args, last_word), 4);
    reverse = jit_offset_const(b, e->prim, offsetof(struct raster_prim, reverse));
    reverse = jit_load(b, b->i32, reverse, 4, true);
    e->reverse = LLVMBuildICmp(b->ir, LLVMIntNE, reverse, jit_i32(b, 0), "");
    for (unsigned k = 0; k < e->variant->samples; k++)
        e->live[k] = jit_alloca(b, b->i1x16, "live");
}

static int translate(struct emit *e, struct jit_builder *b, LLVMValueRef w, LLVMValueRef *fault)
{
    const struct vc4_qpu_ir_ports ports = {.ctx = e,
                                           .uniform = port_uniform,
                                           .varying = port_varying,
                                           .coordinates = port_coordinates,
                                           .flags = port_flags,
                                           .set_ms_mask = port_set_ms_mask,
                                           .tmu = port_tmu,
                                           .tlb_stencil = port_stencil,
                                           .tlb_z = port_z,
                                           .color_write = port_color_write,
                                           .color_load = port_color_load};
    const struct vc4_qpu_ir_start start = {
        .uniforms = field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4),
        .fuel = field(e, b, b->i32, offsetof(struct vc4_frag_args, fuel), 4),
        .ra15 = jit_as_i32(b, w),
        .rb15 = e->depth};

    return vc4_qpu_translate(b, e->variant->program, &start, &ports, fault, NULL);
}

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && !LLVMConstIntGetZExtValue(v);
}

/* Whether the translator's fault value can be other than zero: a constant, or a slot and what is stored to
 * it.
 */
static bool can_fault(LLVMValueRef fault)
{
    if (!LLVMIsALoadInst(fault))
        return !is_zero(fault);
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMGetOperand(fault, 0)); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (user != fault && !(LLVMIsAStoreInst(user) && is_zero(LLVMGetOperand(user, 0))))
            return true;
    }
    return false;
}

static int emit_variant(struct jit_builder *b, void *data)
{
    struct emit e = {.variant = data};
    struct jit_loop loop;
    LLVMValueRef w, fault, skip = NULL;
    int status;

    begin(&e, b);
    jit_loop_begin(b, &loop, jit_param(b, 4));
    block_begin(&e, b, loop.index, &w);
    if (e.variant->plan->early) {
        LLVMBasicBlockRef here;

        skip = LLVMBuildNot(b->ir, test_early(&e, b), "");
        here = LLVMGetInsertBlock(b->ir);
        jit_loop_continue_if(b, &loop, skip);
        skip = LLVMGetBasicBlockTerminator(here);
    }
    status = translate(&e, b, w, &fault);
    if (status)
        return status;
    if (e.failed)
        return -ENOTSUP;
    if (can_fault(fault)) {
        struct jit_if stop;

        e.faults = true;
        jit_if_begin(b, &stop, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""));
        LLVMBuildRet(b->ir, fault);
        LLVMPositionBuilderAtEnd(b->ir, stop.merge);
    }
    if (skip && e.faults) /* such a program runs wherever the reference runs it */
        LLVMSetCondition(skip, LLVMConstNull(b->i1));
    jit_loop_end(b, &loop);
    LLVMBuildRet(b->ir, jit_i32(b, 0));
    return 0;
}

/* The key: a mark, the state, the texture keys, the stencil set-up (in zs), the program's words. Its parts
 * have no padding but what is zeroed here. */
int vc4_frag_compile(const struct vc4_frag_variant *variant, struct jit_engine *engine, vc4_frag_fn *out,
                     struct util_error *error)
{
    static const char mark[16] = "vc4 fragment 1";
    const struct vc4_qpu_program *program = variant->program;
    size_t keys = program->sample_count * sizeof *variant->keys, words = program->insn_count * 8ull;
    size_t size = sizeof mark + sizeof variant->zs + 1 + keys + words;
    uint8_t *key = calloc(1, size), *at = key;
    void *code = NULL;
    int status;

    if (!key)
        return -ENOMEM;
    memcpy(at, mark, sizeof mark);
    at += sizeof mark;
    memcpy(at, &variant->zs, sizeof variant->zs);
    at += sizeof variant->zs;
    *at++ = variant->samples;
    memcpy(at, variant->keys, keys);
    at += keys;
    for (uint32_t i = 0; i < program->insn_count; i++)
        memcpy(at + i * 8ull, &program->insns[i].word, 8);
    const struct jit_request request = {.key = key,
                                        .key_size = size,
                                        .name = "vc4_fragment_program",
                                        .emit = emit_variant,
                                        .data = (void *)variant};
    status = jit_engine_get(engine, &request, &code, error);
    free(key);
    if (!status)
        *out = (vc4_frag_fn)code;
    return status;
}

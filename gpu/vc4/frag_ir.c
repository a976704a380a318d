/* Fragment variants: one function a program and state, running over the 4x4 blocks of a primitive. The guest
 * program is translated once, inside the loop over blocks, with ports that read planes, sample textures, test
 * and blend into the tile in place. What stays the same for all blocks is loaded as invariant scalars. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_emit.h"
#include "raster/zs_ir.h"

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

/* ---- the block ---- */

/* Position and payload: pixel coordinates, W and the 24-bit depth. */
static void block_planes(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y,
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
    e->fx = LLVMBuildFSub(b->ir, e->fx, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, x0)), "fx");
    e->fy = LLVMBuildFSub(b->ir, e->fy, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, y0)), "fy");

    *w = vc4_frag_plane(e, b, offsetof(struct raster_prim, inv_w_a), offsetof(struct raster_prim, inv_w_b));
    *w = LLVMBuildFAdd(b->ir, *w, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, inv_w_c)), "");
    *w = LLVMBuildFDiv(b->ir, one, *w, "w");

    z = vc4_frag_plane(e, b, offsetof(struct raster_prim, z_a), offsetof(struct raster_prim, z_b));
    z = LLVMBuildFAdd(b->ir, z, vc4_frag_prim_float(e, b, offsetof(struct raster_prim, z_c)), "");
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

static LLVMValueRef tile_word(struct vc4_frag_emit *e, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, e->tile, offset), 4, true);
}

static void block_begin(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef index, LLVMValueRef *w)
{
    unsigned samples = e->variant->samples;
    LLVMValueRef block, x, y, row, four = jit_i32(b, 2), at;

    at = LLVMBuildMul(b->ir, index, jit_i32(b, sizeof(struct raster_block)), "");
    block = jit_offset(b, e->blocks, at);
    x = block_byte(b, block, offsetof(struct raster_block, x));
    y = block_byte(b, block, offsetof(struct raster_block, y));
    row = LLVMBuildLShr(b->ir, tile_word(e, b, offsetof(struct raster_tile, width)), four, "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, (uint32_t)(samples * VC4_FRAG_SAMPLE_BYTES)), "");
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
static LLVMValueRef test_early(struct vc4_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef any = LLVMConstNull(b->i1x16);

    for (unsigned k = 0; k < e->variant->samples; k++) {
        LLVMValueRef changed;

        e->early_stored[k] = vc4_frag_load_sample(b, e->zs, k);
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

/* ---- the function ---- */

static void begin(struct vc4_frag_emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->ptr, b->i32, b->ptr};
    LLVMValueRef *params[] = {&e->args, &e->prim, &e->tile, &e->blocks, NULL, &e->result};
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
    e->uniforms = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, uniforms), 8);
    e->textures = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, textures), 8);
    if (e->variant->program->sample_count)
        readable_load(b, e->textures, e->variant->program->sample_count * sizeof(struct raster_texture), 8);
    e->memory = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, memory), 8);
    e->last_word = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, last_word), 4);
    reverse = jit_offset_const(b, e->prim, offsetof(struct raster_prim, reverse));
    reverse = jit_load(b, b->i32, reverse, 4, true);
    e->reverse = LLVMBuildICmp(b->ir, LLVMIntNE, reverse, jit_i32(b, 0), "");
    for (unsigned k = 0; k < e->variant->samples; k++)
        e->live[k] = jit_alloca(b, b->i1x16, "live");
}

static LLVMValueRef fuel_at(struct vc4_frag_emit *e, struct jit_builder *b)
{
    return jit_offset_const(b, e->result, offsetof(struct vc4_frag_result, fuel));
}

/* What the loops of one block may repeat: the limit for a block, or what the call has left. */
static LLVMValueRef block_fuel(struct vc4_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef limit = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, fuel), 4), left, less;

    if (!e->variant->program->repeats)
        return limit;
    left = jit_load(b, b->i64, fuel_at(e, b), 8, false);
    less = LLVMBuildICmp(b->ir, LLVMIntULT, left, LLVMBuildZExt(b->ir, limit, b->i64, ""), "");
    return LLVMBuildSelect(b->ir, less, LLVMBuildTrunc(b->ir, left, b->i32, ""), limit, "fuel");
}

static void spend_fuel(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef executed)
{
    LLVMValueRef left = jit_load(b, b->i64, fuel_at(e, b), 8, false);
    LLVMValueRef enough = LLVMBuildICmp(b->ir, LLVMIntUGE, left, executed, "");

    left = LLVMBuildSelect(b->ir, enough, LLVMBuildSub(b->ir, left, executed, ""), jit_i64(b, 0), "");
    jit_store(b, left, fuel_at(e, b), 8);
}

static int translate(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef w, LLVMValueRef *fault,
                     LLVMValueRef *executed)
{
    struct vc4_qpu_ir_ports ports;
    const struct vc4_qpu_ir_start start = {
        .uniforms = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4),
        .fuel = block_fuel(e, b),
        .ra15 = jit_as_i32(b, w),
        .rb15 = e->depth};

    struct vc4_qpu_ir_run run = {.start = &start, .ports = &ports};
    int status;

    vc4_frag_ports(e, &ports);
    status = vc4_qpu_translate_runs(b, e->variant->program, &run, 1, NULL);
    *fault = run.fault;
    *executed = run.executed;
    return status;
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

/* Adds a block's instructions; `rejected` blocks do not count, NULL: there are none. */
static void count_block(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef executed,
                        LLVMValueRef rejected)
{
    LLVMValueRef before = jit_load(b, b->i64, slot, 8, false);

    if (rejected)
        executed = LLVMBuildSelect(b->ir, rejected, jit_i64(b, 0), executed, "");
    jit_store(b, LLVMBuildAdd(b->ir, before, executed, ""), slot, 8);
}

static int emit_variant(struct jit_builder *b, void *data)
{
    struct vc4_frag_emit e = {.variant = data};
    struct jit_loop loop;
    LLVMValueRef w, fault, counted, executed, rejected = NULL, skip = NULL;
    int status;

    begin(&e, b);
    counted = jit_alloca(b, b->i64, "executed");
    jit_store(b, jit_i64(b, 0), counted, 8);
    jit_loop_begin(b, &loop, jit_param(b, 4));
    block_begin(&e, b, loop.index, &w);
    if (e.variant->plan->early) {
        LLVMBasicBlockRef here;

        rejected = LLVMBuildNot(b->ir, test_early(&e, b), "");
        here = LLVMGetInsertBlock(b->ir);
        jit_loop_continue_if(b, &loop, rejected);
        skip = LLVMGetBasicBlockTerminator(here);
    }
    status = translate(&e, b, w, &fault, &executed);
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
    if (e.variant->program->repeats)
        spend_fuel(&e, b, executed);
    count_block(b, counted, executed, e.faults ? rejected : NULL);
    jit_loop_end(b, &loop);
    jit_store(b, jit_load(b, b->i64, counted, 8, false),
              jit_offset_const(b, e.result, offsetof(struct vc4_frag_result, executed)), 8);
    LLVMBuildRet(b->ir, jit_i32(b, 0));
    return 0;
}

/* The key: a mark, the state, the texture keys, the stencil set-up (in zs), the program's words. Its parts
 * have no padding but what is zeroed here. */
int vc4_frag_compile(const struct vc4_frag_variant *variant, struct jit_engine *engine, vc4_frag_fn *out,
                     struct util_error *error)
{
    static const char mark[16] = "vc4 fragment 3";
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

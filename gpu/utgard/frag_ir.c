/* Fragment variants: one function a program and state, running over the 4x4 blocks of a primitive, in the
 * order that frag_internal.h gives. The program is translated once, inside the loop over blocks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/utgard/frag_emit.h"
#include "raster/blend_ir.h"
#include "raster/centre_ir.h"
#include "raster/zs_ir.h"
#include "util/bits.h"

enum { ARGS, PRIM, TILE, BLOCKS, COUNT, TEMPORARIES, PARAMS };

/* ---- the block at hand ---- */

static LLVMValueRef prim_float(struct utgard_frag_emit *e, struct jit_builder *b, size_t offset)
{
    return jit_splat(b, jit_load(b, b->f32, jit_offset_const(b, e->prim, offset), 4, true));
}

LLVMValueRef utgard_frag_plane(struct utgard_frag_emit *e, struct jit_builder *b, size_t at_a, size_t at_b)
{
    LLVMValueRef x = LLVMBuildFMul(b->ir, prim_float(e, b, at_a), e->fx, "");
    LLVMValueRef y = LLVMBuildFMul(b->ir, prim_float(e, b, at_b), e->fy, "");

    return LLVMBuildFAdd(b->ir, x, y, "");
}

LLVMValueRef utgard_frag_varying(struct utgard_frag_emit *e, struct jit_builder *b, unsigned n)
{
    size_t at = n * sizeof(float);
    LLVMValueRef v = utgard_frag_plane(e, b, offsetof(struct raster_prim, vary_a) + at,
                                       offsetof(struct raster_prim, vary_b) + at);

    v = LLVMBuildFMul(b->ir, v, e->w, "");
    return LLVMBuildFAdd(b->ir, v, prim_float(e, b, offsetof(struct raster_prim, vary_c) + at), "");
}

static LLVMValueRef tile_word(struct utgard_frag_emit *e, struct jit_builder *b, size_t offset)
{
    return jit_load(b, b->i32, jit_offset_const(b, e->tile, offset), 4, true);
}

static LLVMValueRef block_byte(struct jit_builder *b, LLVMValueRef block, size_t offset)
{
    LLVMValueRef v = jit_load(b, b->i8, jit_offset_const(b, block, offset), 1, true);

    return LLVMBuildZExt(b->ir, v, b->i32, "");
}

LLVMValueRef utgard_frag_clamp(struct jit_builder *b, LLVMValueRef x, float top)
{
    LLVMValueRef zero = jit_splat_f32(b, 0), limit = jit_splat_f32(b, top);

    x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, zero, ""), x, zero, "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, limit, ""), x, limit, "");
}

/* Pixel centres, 1/w and depth at them. */
static void place_centres(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef left = tile_word(e, b, offsetof(struct raster_tile, x));
    LLVMValueRef top = tile_word(e, b, offsetof(struct raster_tile, y));

    e->cx = raster_centre_ir(b, false, left, x);
    e->cy = raster_centre_ir(b, true, top, y);
    e->fx = LLVMBuildFSub(b->ir, e->cx, prim_float(e, b, offsetof(struct raster_prim, x0)), "fx");
    e->fy = LLVMBuildFSub(b->ir, e->cy, prim_float(e, b, offsetof(struct raster_prim, y0)), "fy");
    e->inv_w =
        utgard_frag_plane(e, b, offsetof(struct raster_prim, inv_w_a), offsetof(struct raster_prim, inv_w_b));
    e->inv_w = LLVMBuildFAdd(b->ir, e->inv_w, prim_float(e, b, offsetof(struct raster_prim, inv_w_c)), "");
    e->w = LLVMBuildFDiv(b->ir, jit_splat_f32(b, 1), e->inv_w, "w");
    e->z = utgard_frag_plane(e, b, offsetof(struct raster_prim, z_a), offsetof(struct raster_prim, z_b));
    e->z = LLVMBuildFAdd(b->ir, e->z, prim_float(e, b, offsetof(struct raster_prim, z_c)), "");
    e->z = utgard_frag_clamp(b, e->z, 1.0f);
    e->depth = raster_depth_ir(b, e->z);
}

static void place_block(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef index)
{
    LLVMValueRef block, x, y, row, at;

    block = jit_offset(b, e->blocks, LLVMBuildMul(b->ir, index, jit_i32(b, sizeof(struct raster_block)), ""));
    x = block_byte(b, block, offsetof(struct raster_block, x));
    y = block_byte(b, block, offsetof(struct raster_block, y));
    row = LLVMBuildLShr(b->ir, tile_word(e, b, offsetof(struct raster_tile, width)), jit_i32(b, 2), "");
    at = LLVMBuildAdd(b->ir, LLVMBuildMul(b->ir, y, row, ""), x, "");
    at = LLVMBuildMul(b->ir, at, jit_i32(b, e->head->samples * UTGARD_SAMPLE_BYTES), "");
    e->color = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, color)), at);
    e->zs = jit_offset(b, jit_offset_const(b, e->tile, offsetof(struct raster_tile, zs)), at);
    for (unsigned k = 0; k < e->head->samples; k++) {
        at = jit_offset_const(b, block, offsetof(struct raster_block, sample) + k * sizeof(uint16_t));
        e->live[k] = e->head->sample_mask >> k & 1 ? jit_mask_from_bits(b, jit_load(b, b->i16, at, 2, true))
                                                   : LLVMConstNull(b->i1x16);
    }
    place_centres(e, b, x, y);
}

/* A register as four bytes. */
static LLVMValueRef color_word(struct utgard_frag_emit *e, struct jit_builder *b, uint8_t reg)
{
    LLVMValueRef channel[4];

    if (reg == UTGARD_NO_COLOR)
        return jit_splat_u32(b, 0);
    for (unsigned c = 0; c < 4; c++)
        channel[c] = jit_as_f32(b, e->end->reg[reg][c]);
    return raster_pack_ir(b, channel);
}

/* ---- tests ---- */

/* The stencil that the program gives, in the word's lanes that take part. */
static LLVMValueRef put_stencil(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                                LLVMValueRef lanes)
{
    uint32_t mask = e->head->stencil_mask;
    LLVMValueRef s = jit_as_f32(b, e->end->reg[e->head->depth_register][1]), put;

    if (e->head->whole)
        s = LLVMBuildLShr(b->ir, color_word(e, b, e->head->depth_register), jit_splat_u32(b, 24), "");
    else
        s = jit_f32_to_i32(b, utgard_frag_clamp(b, s, 255.0f));
    put = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, word, jit_splat_u32(b, ~mask), ""),
                      LLVMBuildAnd(b->ir, s, jit_splat_u32(b, mask), ""), "");
    return LLVMBuildSelect(b->ir, lanes, put, word, "");
}

/* Tests the samples that are live; those that fail no longer are. */
static void test(struct utgard_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef reverse =
        jit_load(b, b->i32, jit_offset_const(b, e->prim, offsetof(struct raster_prim, reverse)), 4, true);

    reverse = LLVMBuildICmp(b->ir, LLVMIntNE, reverse, jit_i32(b, 0), "");
    for (unsigned k = 0; k < e->head->samples; k++) {
        LLVMValueRef at = utgard_frag_sample(b, e->zs, k), lanes = e->live[k], word;
        LLVMValueRef stored = jit_load(b, b->i32x16, at, 64, false);

        e->live[k] = raster_zs_ir(b, &e->head->zs, reverse, lanes, e->depth, stored, &word);
        if (e->end && e->head->stencil_program)
            word = put_stencil(e, b, word, lanes);
        if (word != stored)
            jit_store(b, word, at, 64);
    }
}

static LLVMValueRef any_live(struct utgard_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef any = e->live[0];

    for (unsigned k = 1; k < e->head->samples; k++)
        any = LLVMBuildOr(b->ir, any, e->live[k], "");
    return jit_mask_any(b, any);
}

/* ---- after the program ---- */

/* Discarded lanes, the alpha test and alpha to coverage. */
static void drop_lanes(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word)
{
    static const LLVMIntPredicate predicates[8] = {
        [RASTER_LESS] = LLVMIntULT,    [RASTER_EQUAL] = LLVMIntEQ,    [RASTER_LEQUAL] = LLVMIntULE,
        [RASTER_GREATER] = LLVMIntUGT, [RASTER_NOTEQUAL] = LLVMIntNE, [RASTER_GEQUAL] = LLVMIntUGE};
    LLVMValueRef alpha = LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 24), ""), keep = e->end->live;
    uint8_t func = e->head->alpha_func;

    if (func == RASTER_NEVER) {
        keep = LLVMConstNull(b->i1x16);
    } else if (func != RASTER_ALWAYS) {
        LLVMValueRef ref = utgard_frag_field(e, b, b->i32, offsetof(struct utgard_frag_args, alpha_ref), 4);
        LLVMValueRef passes = LLVMBuildICmp(b->ir, predicates[func], alpha, jit_splat(b, ref), "");

        keep = LLVMBuildAnd(b->ir, keep, passes, "");
    }
    alpha = LLVMBuildShl(b->ir, alpha, jit_splat_u32(b, 2), "");
    for (unsigned k = 0; k < e->head->samples; k++) {
        e->live[k] = LLVMBuildAnd(b->ir, e->live[k], keep, "");
        if (e->head->alpha_to_coverage) {
            LLVMValueRef limit = jit_splat_u32(b, utgard_coverage_limit(k));

            e->live[k] =
                LLVMBuildAnd(b->ir, e->live[k], LLVMBuildICmp(b->ir, LLVMIntUGE, alpha, limit, ""), "");
        }
    }
}

static void take_depth(struct utgard_frag_emit *e, struct jit_builder *b)
{
    LLVMValueRef z;

    if (!e->head->depth_program)
        return;
    z = jit_as_f32(b, e->end->reg[e->head->depth_register][0]);
    e->depth = raster_depth_ir(b, z);
    if (e->head->whole)
        e->depth =
            LLVMBuildAnd(b->ir, color_word(e, b, e->head->depth_register), jit_splat_u32(b, 0xffffff), "");
}

/* Steps 4 to 6. */
static void finish(struct utgard_frag_emit *e, struct jit_builder *b)
{
    const struct raster_blend *blend = &e->head->blend;
    LLVMValueRef constant =
        utgard_frag_field(e, b, b->i32, offsetof(struct utgard_frag_args, blend_color), 4);
    LLVMValueRef word = color_word(e, b, e->head->color_register), second;

    second = color_word(e, b, e->head->second_register);
    drop_lanes(e, b, word);
    if (e->head->alpha_to_one)
        word = LLVMBuildOr(b->ir, word, jit_splat_u32(b, 0xff000000), "");
    take_depth(e, b);
    if (!e->head->early)
        test(e, b);
    for (unsigned k = 0; k < e->head->samples; k++) {
        LLVMValueRef at = utgard_frag_sample(b, e->color, k);
        LLVMValueRef old = jit_load(b, b->i32x16, at, 64, false);
        LLVMValueRef value = raster_blend_ir(b, blend, constant, word, second, old);

        jit_store(b, LLVMBuildSelect(b->ir, e->live[k], value, old, ""), at, 64);
    }
}

/* ---- the function ---- */

static void begin(struct utgard_frag_emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[PARAMS] = {b->ptr, b->ptr, b->ptr, b->ptr, b->i32, b->ptr};

    jit_begin_function(b, b->i32, types, PARAMS);
    for (unsigned n = 0; n < PARAMS; n++)
        if (n != COUNT)
            jit_param_noalias(b, n);
    e->args = jit_param(b, ARGS);
    e->prim = jit_param(b, PRIM);
    e->tile = jit_param(b, TILE);
    e->blocks = jit_param(b, BLOCKS);
    e->uniforms = utgard_frag_field(e, b, b->ptr, offsetof(struct utgard_frag_args, uniforms), 8);
    e->textures = utgard_frag_field(e, b, b->ptr, offsetof(struct utgard_frag_args, textures), 8);
}

static int emit_block(struct utgard_frag_emit *e, struct jit_builder *b, struct jit_loop *loop)
{
    struct utgard_pp_ir_ports ports;
    struct utgard_pp_ir_state end;
    LLVMValueRef fuel = utgard_frag_field(e, b, b->i32, offsetof(struct utgard_frag_args, fuel), 4), fault;
    struct jit_if stop;
    int status;

    e->end = NULL;
    place_block(e, b, loop->index);
    if (e->head->early)
        test(e, b);
    jit_loop_continue_if(b, loop, LLVMBuildNot(b->ir, any_live(e, b), ""));
    utgard_frag_ports(e, &ports);
    ports.temporaries = jit_param(b, TEMPORARIES);
    status = utgard_pp_translate(b, e->program, &ports, LLVMConstAllOnes(b->i1x16), fuel, &fault, &end);
    if (status || e->failed)
        return status ? status : -ENOTSUP;
    jit_if_begin(b, &stop, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""));
    LLVMBuildRet(b->ir, fault);
    LLVMPositionBuilderAtEnd(b->ir, stop.merge);
    e->end = &end;
    finish(e, b);
    e->end = NULL;
    return 0;
}

static int emit_variant(struct utgard_frag_emit *e, struct jit_builder *b)
{
    struct jit_loop loop;
    int status;

    begin(e, b);
    jit_loop_begin(b, &loop, jit_param(b, COUNT));
    status = emit_block(e, b, &loop);
    jit_loop_end(b, &loop);
    LLVMBuildRet(b->ir, jit_i32(b, 0));
    return status;
}

/* ---- keys: the head, the texture keys, the program's words ---- */

static size_t key_bytes(const struct utgard_frag_head *head)
{
    return sizeof *head + head->sample_count * sizeof(struct utgard_texture_key) + head->word_count * 4ull;
}

static uint8_t *write_key(const struct utgard_frag *frag, size_t *size)
{
    const struct utgard_frag_head *head = &frag->head;
    size_t keys = head->sample_count * sizeof(struct utgard_texture_key);
    uint8_t *key;

    *size = key_bytes(head);
    key = malloc(*size);
    if (!key)
        return NULL;
    memcpy(key, head, sizeof *head);
    if (keys)
        memcpy(key + sizeof *head, frag->keys, keys);
    memcpy(key + sizeof *head + keys, frag->words, head->word_count * 4ull);
    return key;
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct utgard_frag_emit e = {0};
    struct utgard_frag_head head;
    struct utgard_pp_program *program = NULL;
    struct utgard_texture_key *keys;
    uint32_t *words;
    int status = -EINVAL;

    if (size < sizeof head)
        return status;
    memcpy(&head, key, sizeof head);
    if (size != key_bytes(&head))
        return status;
    keys = malloc(size);
    words = malloc(size);
    if (keys && words) {
        size_t bytes = head.sample_count * sizeof *keys;

        memcpy(keys, (const uint8_t *)key + sizeof head, bytes);
        memcpy(words, (const uint8_t *)key + sizeof head + bytes, head.word_count * 4ull);
        status = utgard_pp_program_create(words, head.word_count, &program, NULL);
    }
    e.head = &head;
    e.program = program;
    e.keys = keys;
    if (!status)
        status = emit_variant(&e, b);
    utgard_pp_program_destroy(program);
    free(keys);
    free(words);
    return status;
}

static int emit(struct jit_builder *b, void *data)
{
    const struct utgard_frag *frag = data;
    struct utgard_frag_emit e = {.head = &frag->head, .program = frag->program, .keys = frag->keys};

    return emit_variant(&e, b);
}

int utgard_frag_compile(const struct utgard_frag *frag, struct jit_engine *engine, struct jit_function **out,
                        struct util_error *error)
{
    struct jit_request request = {.name = "utgard_fragment_program",
                                  .emit = emit,
                                  .data = (void *)frag,
                                  .emit_key = emit_key,
                                  .run_cost = frag->program->insn_count};
    uint8_t *key = write_key(frag, &request.key_size);
    int status;

    if (!key)
        return -ENOMEM;
    request.key = key;
    status = jit_engine_get_function(engine, &request, out, error);
    free(key);
    return status;
}

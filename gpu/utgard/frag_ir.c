/* Fragment variants: one function a program, state and form of blocks (raster/shader_ir.h), whose steps are
 * those of frag_internal.h. The program is translated once, inside the loop over blocks. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/program_key.h"
#include "gpu/utgard/frag_emit.h"
#include "raster/blend_ir.h"
#include "raster/depth_ir.h"
#include "raster/shader_ir.h"
#include "raster/zs_ir.h"
#include "util/bits.h"

enum { SIDE_MIN = 8, SIDE_MAX = 200, MANY_RESULTS = 6, FEW_SAMPLES = 4, HOISTED_UNIFORMS = 16 };
enum { EMITTERS = 1 + RASTER_SHADER_SIDES };

/* ---- the block at hand ---- */

LLVMValueRef utgard_frag_varying(struct utgard_frag_emit *e, struct jit_builder *b, unsigned n)
{
    LLVMValueRef v = raster_block_ir_plane(&e->at, b, RASTER_VALUE_VARY + n);

    v = LLVMBuildFMul(b->ir, v, e->w, "");
    return LLVMBuildFAdd(b->ir, v, raster_block_ir_coefficient(&e->at, b, RASTER_VALUE_VARY + n, 2), "");
}

LLVMValueRef utgard_frag_clamp(struct jit_builder *b, LLVMValueRef x, float top)
{
    LLVMValueRef zero = jit_splat_f32(b, 0), limit = jit_splat_f32(b, top);

    x = LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOGT, x, zero, ""), x, zero, "");
    return LLVMBuildSelect(b->ir, LLVMBuildFCmp(b->ir, LLVMRealOLT, x, limit, ""), x, limit, "");
}

static bool is_deferred(const struct utgard_frag_emit *e)
{
    return e->head->form != RASTER_IR_PRIM;
}

static void begin_block(struct utgard_frag_emit *e, struct jit_builder *b)
{
    for (unsigned k = 0; k < e->head->samples; k++)
        e->live[k] = e->head->sample_mask >> k & 1 ? e->at.covered[k] : LLVMConstNull(b->i1x16);
    e->w = raster_block_ir_w(&e->at, b);
    e->depth = is_deferred(e) ? NULL : raster_block_ir_depth(&e->at, b);
}

/* ---- tests ---- */

/* The stencil that the program gives, in the word's lanes that take part. */
static LLVMValueRef put_stencil(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef word,
                                LLVMValueRef lanes)
{
    uint32_t mask = e->head->stencil_mask;
    LLVMValueRef s = jit_as_f32(b, e->end.reg[e->head->depth_register][1]), put;

    if (e->head->whole)
        s = LLVMBuildLShr(b->ir, utgard_frag_color_word(e, b, e->head->depth_register), jit_splat_u32(b, 24),
                          "");
    else
        s = jit_f32_to_i32(b, utgard_frag_clamp(b, s, 255.0f));
    put = LLVMBuildOr(b->ir, LLVMBuildAnd(b->ir, word, jit_splat_u32(b, ~mask), ""),
                      LLVMBuildAnd(b->ir, s, jit_splat_u32(b, mask), ""), "");
    return LLVMBuildSelect(b->ir, lanes, put, word, "");
}

/* Tests the samples that are live; those that fail no longer are. */
static void test(struct utgard_frag_emit *e, struct jit_builder *b)
{
    for (unsigned k = 0; k < e->head->samples; k++) {
        LLVMValueRef at = raster_block_ir_sample(b, e->at.zs, k), lanes = e->live[k], word;
        LLVMValueRef stored = jit_load(b, b->i32x16, at, 64, false);

        e->live[k] = raster_zs_ir(b, &e->head->zs, raster_block_ir_reverse(&e->at, b), NULL, lanes, e->depth,
                                  stored, &word);
        if (e->head->stencil_program)
            word = put_stencil(e, b, word, lanes);
        if (word != stored && e->holds)
            e->tested = word;
        else if (word != stored)
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
    LLVMValueRef alpha = LLVMBuildLShr(b->ir, word, jit_splat_u32(b, 24), ""), keep = e->end.live;
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
    z = jit_as_f32(b, e->end.reg[e->head->depth_register][0]);
    e->depth = raster_depth_of_ir(b, z);
    if (e->head->whole)
        e->depth = LLVMBuildAnd(b->ir, utgard_frag_color_word(e, b, e->head->depth_register),
                                jit_splat_u32(b, 0xffffff), "");
}

/* Of RGBA16F, of one sample: the colour as it is meets the tile's. */
static void blend_rgba16f(struct utgard_frag_emit *e, struct jit_builder *b, LLVMValueRef constant)
{
    const struct raster_blend *blend = &e->head->blend;
    struct raster_blend_colors_ir colors;
    LLVMValueRef word[2] = {NULL, NULL};

    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef byte = LLVMBuildLShr(b->ir, constant, jit_i32(b, 8 * c), "");

        byte = jit_splat(b, LLVMBuildAnd(b->ir, byte, jit_i32(b, 255), ""));
        colors.constant[c] = LLVMBuildFDiv(b->ir, jit_i32_to_f32(b, byte), jit_splat_f32(b, 255.0f), "");
        colors.src[c] = utgard_frag_color_number(e, b, e->head->color_register, c);
        colors.src1[c] = utgard_frag_color_number(e, b, e->head->second_register, c);
    }
    if (e->head->alpha_to_one)
        colors.src[3] = jit_splat_f32(b, 1.0f);
    for (unsigned n = 0; n < 2 && raster_blend_reads(blend); n++)
        word[n] = raster_block_ir_load(b, e->at.color, n);
    raster_blend_rgba16f_ir(b, blend, &colors, word);
    for (unsigned n = 0; n < 2; n++)
        raster_block_ir_store_color(&e->at, b, n, word[n], e->live[0]);
}

/* Steps 4 to 6. */
static void finish(struct utgard_frag_emit *e, struct jit_builder *b)
{
    const struct raster_blend *blend = &e->head->blend;
    LLVMValueRef constant =
        utgard_frag_field(e, b, b->i32, offsetof(struct utgard_frag_args, blend_color), 4);
    LLVMValueRef word = utgard_frag_color_word(e, b, e->head->color_register), second;

    second = utgard_frag_color_word(e, b, e->head->second_register);
    drop_lanes(e, b, word);
    if (e->head->alpha_to_one)
        word = LLVMBuildOr(b->ir, word, jit_splat_u32(b, 0xff000000), "");
    take_depth(e, b);
    if (!e->head->early)
        test(e, b);
    if (e->head->target == RASTER_TARGET_RGBA16F)
        blend_rgba16f(e, b, constant);
    for (unsigned k = 0; e->head->target == RASTER_TARGET_8888 && k < e->head->samples; k++) {
        LLVMValueRef old = raster_blend_reads(blend) ? raster_block_ir_load(b, e->at.color, k) : NULL;
        LLVMValueRef value = raster_blend_ir(b, blend, constant, word, second, old);

        raster_block_ir_store_color(&e->at, b, k, value, e->live[k]);
    }
}

/* ---- the function ---- */

/* `ctx` is an emitter for each block at hand. */
static void begin(void *ctx, struct jit_builder *b, LLVMValueRef args, LLVMValueRef call)
{
    struct utgard_frag_emit *all = ctx, *e = &all[0];

    e->args = args;
    e->call = call;
    e->uniforms = utgard_frag_field(e, b, b->ptr, offsetof(struct utgard_frag_args, uniforms), 8);
    e->textures = utgard_frag_field(e, b, b->ptr, offsetof(struct utgard_frag_args, textures), 8);
    if (e->program->sample_count)
        jit_load_readable(b, e->textures, e->program->sample_count * sizeof(struct raster_texture), 8);
    for (unsigned k = 1; k < EMITTERS; k++) {
        all[k] = *e;
        if (!e->hoists)
            all[k].uniforms = jit_same_pointer(b, e->uniforms);
    }
}

/* Tests come before the program runs where they may; deferred pixels have passed. */
static LLVMValueRef take(void *ctx, struct jit_builder *b, unsigned block)
{
    struct utgard_frag_emit *all = ctx, *e = all + block;

    begin_block(e, b);
    e->holds = block > 0 && all[0].end.faults;
    if (is_deferred(e))
        return NULL;
    if (e->head->early)
        test(e, b);
    return any_live(e, b);
}

static LLVMValueRef end(void *ctx, struct jit_builder *b, unsigned block, LLVMValueRef executed)
{
    struct utgard_frag_emit *e = (struct utgard_frag_emit *)ctx + block;

    e->holds = false;
    if (e->tested)
        jit_store(b, e->tested, raster_block_ir_sample(b, e->at.zs, 0), 64);
    finish(e, b);
    return NULL;
}

/* Temporaries of the block at hand. Code's own begin with zeros for each block; where they are asked for at
 * known places alone, they become registers. */
static LLVMValueRef temporaries(struct utgard_frag_emit *e, struct jit_builder *b)
{
    const struct utgard_pp_program *program = e->program;
    uint32_t from = program->temporary_from, vectors = 4 * (program->temporary_to - from);
    size_t given = offsetof(struct raster_shader_call, scratch), vector = sizeof(uint32_t) * JIT_LANES;
    LLVMValueRef own;

    if (!program->temporaries)
        return NULL;
    if (!utgard_frag_own_temporaries(program))
        return jit_load(b, b->ptr, jit_offset_const(b, e->call, given), 8, true);
    own = jit_alloca(b, LLVMArrayType2(b->i32x16, vectors), "temporaries");
    for (uint32_t n = 0; n < vectors; n++)
        jit_store(b, LLVMConstNull(b->i32x16), jit_offset_const(b, own, n * vector), 4);
    return jit_offset(b, own, jit_i64(b, -(uint64_t)(4 * from * vector)));
}

/* Of blocks side by side: which of them faults first, and what those before it draw, is found one by one. */
static void leave_at_fault(struct jit_builder *b, LLVMValueRef fault, LLVMBasicBlockRef leave)
{
    LLVMBasicBlockRef well = LLVMAppendBasicBlockInContext(b->context, b->function, "well");

    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, fault, jit_i32(b, 0), ""), well, leave);
    LLVMPositionBuilderAtEnd(b->ir, well);
}

static int run(void *ctx, struct jit_builder *b, unsigned first, unsigned count,
               struct raster_shader_ir_run *out)
{
    struct utgard_frag_emit *e = (struct utgard_frag_emit *)ctx + first;
    struct utgard_pp_ir_ports ports[RASTER_SHADER_SIDES];
    struct utgard_pp_ir_state end[RASTER_SHADER_SIDES] = {{.faults = false}};
    LLVMValueRef fault = NULL, fuel;
    int status;

    for (unsigned k = 0; k < count; k++) {
        utgard_frag_ports(&e[k], &ports[k]);
        ports[k].temporaries = temporaries(&e[k], b);
    }
    fuel = utgard_frag_field(e, b, b->i32, offsetof(struct utgard_frag_args, fuel), 4);
    if (count > 1)
        status = utgard_pp_translate_sides(b, e->program, ports, fuel, &fault, end, count);
    else
        status = utgard_pp_translate(b, e->program, ports, LLVMConstAllOnes(b->i1x16), fuel, &fault, end);
    if (!status && e->failed)
        status = -ENOTSUP;
    for (unsigned k = 0; k < count; k++) {
        e[k].end = end[k];
        out->executed[k] = end[k].executed;
    }
    out->faults = end[0].faults;
    if (out->faults && out->leave && !status)
        leave_at_fault(b, fault, out->leave);
    out->fault = out->faults && !out->leave ? fault : NULL;
    return status;
}

/* Results of an instruction on average: those of a vector are worked on at once, and do not wait for each
 * other. */
static unsigned results_at_once(const struct utgard_pp_program *program)
{
    uint32_t results = 0;

    for (uint32_t n = 0; n < program->insn_count; n++) {
        const struct utgard_pp_insn *i = &program->insns[n];

        results += 4u * (utgard_pp_has(i, UTGARD_PP_VMUL) + utgard_pp_has(i, UTGARD_PP_VADD));
        results += (uint32_t)utgard_pp_has(i, UTGARD_PP_SMUL) + utgard_pp_has(i, UTGARD_PP_SADD) +
                   utgard_pp_has(i, UTGARD_PP_COMBINE);
    }
    return results / program->insn_count;
}

/* Whether two blocks take less than twice what one does: while texels of the one are waited for the other
 * goes on, as it does between a program's own instructions. The processor overlaps the blocks of a short
 * program without texels by itself. A sampler is much code: many would no more fit its caches, unless the
 * rest of the program, SIDE_MIN instructions for each, makes it worth their while. */
static bool is_quicker_in_twos(const struct utgard_pp_program *program)
{
    return (program->sample_count && program->sample_count <= FEW_SAMPLES) ||
           program->insn_count >= SIDE_MIN * (1 + program->sample_count);
}

/* Code of a long program would no more fit caches and registers. Blocks that fault are run anew, one by one,
 * so that nothing may have changed before: what has been tested is held back, unless the program reads it. A
 * loop waits for its own results; other branches leave nothing to do where both sides take them. */
static unsigned sides(void *ctx, bool faults)
{
    const struct utgard_frag_emit *e = ctx;
    const struct utgard_pp_program *program = e->program;

    if ((faults && program->reads_depth) || !utgard_frag_own_temporaries(program) ||
        program->insn_count > SIDE_MAX)
        return 1;
    if (!utgard_pp_is_straight(program))
        return program->repeats && program->sample_count <= FEW_SAMPLES ? UTGARD_PP_BRANCHING_SIDES : 1;
    if (!is_quicker_in_twos(program))
        return 1;
    return program->sample_count || results_at_once(program) > MANY_RESULTS ? 2 : UTGARD_PP_SIDES;
}

static int emit_variant(const struct utgard_frag_emit *first, struct jit_builder *b)
{
    struct utgard_frag_emit e[EMITTERS] = {*first};
    struct raster_shader_ir ir = {.form = (enum raster_ir_form)first->head->form,
                                  .samples = first->head->samples,
                                  .words = raster_target_words((enum raster_target)first->head->target),
                                  .args_bytes = sizeof(struct utgard_frag_args),
                                  .hoists = first->head->uniform_count <= HOISTED_UNIFORMS,
                                  .ctx = e,
                                  .begin = begin,
                                  .sides = sides,
                                  .take = take,
                                  .run = run,
                                  .end = end};

    static_assert(UTGARD_PP_SIDES <= RASTER_SHADER_SIDES, "");
    e[0].hoists = ir.hoists;
    for (unsigned k = 0; k < EMITTERS; k++)
        ir.at[k] = &e[k].at;
    return raster_shader_emit(b, &ir);
}

/* ---- keys (jit/key.h): the head, the texture keys, the program's words ---- */

static uint8_t *write_key(const struct utgard_frag *frag, const struct utgard_frag_head *head, size_t *size)
{
    return gpu_program_key_write(
        head, sizeof *head,
        (struct jit_key_part){frag->keys, sizeof *frag->keys, head->sample_count, sizeof *frag->keys},
        (struct jit_key_part){frag->words, 4, head->word_count, 4}, size);
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct jit_key_reader in = {key, size};
    struct gpu_program_recipe recipe;
    struct utgard_frag_head head;
    int status;

    if (!jit_key_read(&in, &head, sizeof head))
        return -EINVAL;
    status = gpu_program_key_read(&in, &utgard_pp_kind, head.word_count, &recipe);
    if (status)
        return status;
    struct utgard_frag_emit e = {.head = &head, .program = recipe.program, .keys = recipe.keys};
    status = emit_variant(&e, b);
    gpu_program_recipe_finish(&recipe);
    return status;
}

struct variant {
    const struct utgard_frag *frag;
    struct utgard_frag_head head; /* the frag's but for what does not matter in the form */
};

static int emit(struct jit_builder *b, void *data)
{
    const struct variant *variant = data;
    struct utgard_frag_emit e = {
        .head = &variant->head, .program = variant->frag->program, .keys = variant->frag->keys};

    return emit_variant(&e, b);
}

int utgard_frag_compile(const struct utgard_frag *frag, enum raster_ir_form form, struct jit_engine *engine,
                        struct jit_function **out, struct util_error *error)
{
    struct variant variant = {.frag = frag};
    struct jit_request request = {.name = "utgard_fragment_program",
                                  .emit = emit,
                                  .data = &variant,
                                  .emit_key = emit_key,
                                  .run_cost = frag->program->insn_count};
    uint8_t *key;
    int status;

    memcpy(&variant.head, &frag->head, sizeof variant.head);
    variant.head.form = (uint8_t)form;
    if (form != RASTER_IR_PRIM) /* then the tests are others' code */
        memset(&variant.head.zs, 0, sizeof variant.head.zs);
    key = write_key(frag, &variant.head, &request.key_size);
    if (!key)
        return -ENOMEM;
    request.key = key;
    status = jit_engine_get_function(engine, &request, out, error);
    free(key);
    return status;
}

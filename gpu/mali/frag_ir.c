/* Fragment variants: one function a program, state and form of blocks (raster/shader_ir.h), whose steps are
 * those of frag_internal.h. */
#include <errno.h>
#include <string.h>

#include "gpu/mali/frag_ir.h"
#include "raster/depth_ir.h"
#include "raster/samples_ir.h"
#include "raster/shader_ir.h"
#include "raster/zs_ir.h"
#include "util/bits.h"

enum { HOISTED_UNIFORMS = 16 /* words */ };

/* Programs that stand side by side have so many instructions, and no more texture requests; those that stand so more than two
 * at a time, or loop, have no more of either than these. An instruction of isa/warp is one operation, of Midgard up to a
 * vector's. Those that are shorter, and ask for no texture, the processor overlaps by itself. */
struct side_limits {
    uint32_t least, most, most_requests, few, few_requests, looping, looping_requests;
};
static const struct side_limits midgard_sides = {4, 200, UINT32_MAX, 60, 1, 60, 1};
static const struct side_limits warp_sides = {24, 500, 12, 500, 1, 120, 1};

static const struct side_limits *limits_of(const struct mali_decoded *p)
{
    return p->warp ? &warp_sides : &midgard_sides;
}

static bool is_deferred(const struct mali_frag_ir *e)
{
    return e->forms->form != RASTER_IR_PRIM;
}

static LLVMValueRef none(struct jit_builder *b)
{
    return LLVMConstNull(b->i1x16);
}

/* ---- tests ---- */

static LLVMValueRef stencil_at(const struct mali_frag_ir *e, struct jit_builder *b, unsigned s)
{
    LLVMValueRef words = jit_offset_const(b, e->at.tile, offsetof(struct raster_tile, zs));
    LLVMValueRef from = LLVMBuildPtrDiff2(b->ir, b->i32, raster_block_ir_sample(b, e->at.zs, s), words, "");
    return jit_offset(b, jit_offset_const(b, e->at.tile, offsetof(struct raster_tile, stencil)), from);
}

/* What a test stores: at once, or in `end` where blocks side by side may yet be run anew, one by one. */
static void store_tested(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef value, LLVMValueRef at,
                         uint32_t align)
{
    if (e->holds)
        e->held[e->held_count++] = (struct mali_frag_held){value, at, align};
    else
        jit_store(b, value, at, align);
}

LLVMValueRef mali_frag_ir_test(struct mali_frag_ir *e, struct jit_builder *b, unsigned s, LLVMValueRef lanes,
                               LLVMValueRef depth, LLVMValueRef ref)
{
    const struct raster_zs *zs = &e->forms->zs;
    LLVMValueRef reverse = raster_block_ir_reverse(&e->at, b), at = raster_block_ir_sample(b, e->at.zs, s);
    LLVMValueRef stored = jit_load(b, b->i32x16, at, 64, false), word, passed;
    if (!raster_depth_is_32((enum raster_depth_kind)e->forms->tile.depth)) {
        passed = raster_zs_ir(b, zs, reverse, ref, lanes, depth, stored, &word);
        if (word != stored)
            store_tested(e, b, word, at, 64);
        return passed;
    }
    LLVMValueRef bytes = stencil_at(e, b, s), stencil, updated;
    stencil = LLVMBuildZExt(b->ir, jit_load(b, b->i8x16, bytes, 16, false), b->i32x16, "");
    passed = raster_zs_ir_32(b, zs, reverse, ref, lanes, depth, stored, stencil, &word, &updated);
    if (word != stored)
        store_tested(e, b, word, at, 64);
    if (updated != stencil)
        store_tested(e, b, LLVMBuildTrunc(b->ir, updated, b->i8x16, ""), bytes, 16);
    return passed;
}

static void test(struct mali_frag_ir *e, struct jit_builder *b, LLVMValueRef ref)
{
    for (unsigned s = 0; s < e->forms->tile.samples; s++)
        e->live[s] = mali_frag_ir_test(e, b, s, e->live[s], e->depth, ref);
}

static LLVMValueRef any_of(const struct mali_frag_ir *e, struct jit_builder *b, const LLVMValueRef *samples)
{
    LLVMValueRef any = samples[0];
    for (unsigned s = 1; s < e->forms->tile.samples; s++)
        any = LLVMBuildOr(b->ir, any, samples[s], "");
    return any;
}

/* ---- a block ---- */

static void set_depth(struct mali_frag_ir *e, struct jit_builder *b)
{
    enum raster_depth_kind kind = (enum raster_depth_kind)e->forms->tile.depth;
    e->depth = raster_depth_is_32(kind) ? raster_depth_encode_ir(b, kind, raster_block_ir_z(&e->at, b))
                                        : raster_block_ir_depth(&e->at, b);
    if (kind == RASTER_DEPTH_UNORM16)
        e->depth = raster_depth_16_ir(b, e->depth);
}

static LLVMValueRef is_number(struct jit_builder *b, LLVMValueRef lanes, uint32_t number)
{
    return LLVMBuildICmp(b->ir, LLVMIntEQ, lanes, jit_splat_u32(b, number), "");
}

struct mali_frag_ir_spot mali_frag_ir_sample_spot(const struct mali_frag_ir *e, struct jit_builder *b,
                                                  LLVMValueRef number)
{
    const unsigned samples = e->forms->tile.samples;
    struct mali_frag_ir_spot spot = {NULL, NULL};
    for (unsigned s = 0; samples > 1 && s < samples; s++) {
        int32_t x, y;
        raster_samples_position(samples, s, &x, &y);
        LLVMValueRef dx = jit_splat_f32(b, (float)x / 16.0f - 0.5f),
                     dy = jit_splat_f32(b, (float)y / 16.0f - 0.5f), is = is_number(b, number, s);
        spot.dx = s ? jit_select(b, is, dx, spot.dx) : dx;
        spot.dy = s ? jit_select(b, is, dy, spot.dy) : dy;
    }
    return spot;
}

/* The block's samples, or of a draw that is shaded sample by sample the one whose turn it is. */
static void take_samples(struct mali_frag_ir *e, struct jit_builder *b)
{
    e->sample = e->at.pass ? jit_splat(b, e->at.pass) : NULL;
    e->sampled =
        e->sample ? mali_frag_ir_sample_spot(e, b, e->sample) : (struct mali_frag_ir_spot){NULL, NULL};
    for (unsigned s = 0; s < e->forms->tile.samples; s++) {
        e->live[s] = e->forms->sample_mask >> s & 1 ? e->at.covered[s] : none(b);
        if (e->forms->tile.samples > 1)
            e->live[s] = jit_mask_by_lanes(b, jit_mask_to_bits(b, e->live[s]));
        if (e->sample)
            e->live[s] = LLVMBuildAnd(b->ir, e->live[s], is_number(b, e->sample, s), "");
    }
}

static LLVMValueRef take(void *ctx, struct jit_builder *b, unsigned block)
{
    struct mali_frag_ir *e = (struct mali_frag_ir *)ctx + block;
    take_samples(e, b);
    memcpy(e->runs, e->live, sizeof e->runs);
    e->w = raster_block_ir_w(&e->at, b);
    if (is_deferred(e))
        return NULL;
    set_depth(e, b);
    e->holds = block && e->variant->program && !e->variant->program->straight;
    e->held_count = 0;
    if (e->forms->early)
        test(e, b, NULL);
    e->holds = false;
    if (!e->forms->runs_failed)
        memcpy(e->runs, e->live, sizeof e->runs);
    return jit_mask_any(b, any_of(e, b, e->runs));
}

/* All lanes of quads that have one. */
static LLVMValueRef quads_of(struct jit_builder *b, LLVMValueRef lanes)
{
    LLVMValueRef all = LLVMBuildSExt(b->ir, lanes, LLVMVectorType(b->i8, 16), "");
    all = LLVMBuildBitCast(b->ir, all, LLVMVectorType(b->i32, 4), "");
    all = LLVMBuildICmp(b->ir, LLVMIntNE, all, LLVMConstNull(LLVMVectorType(b->i32, 4)), "");
    all = LLVMBuildSExt(b->ir, all, LLVMVectorType(b->i32, 4), "");
    all = LLVMBuildBitCast(b->ir, all, b->i8x16, "");
    return LLVMBuildICmp(b->ir, LLVMIntNE, all, LLVMConstNull(b->i8x16), "");
}

/* Straight programs run in all lanes where what the others do is not seen: by nobody who looks at memory, or asks which
 * lanes execute, and by no port that is called, which may refuse what a lane asks for. */
struct mali_frag_ir_lanes mali_frag_ir_lanes(const struct mali_frag_ir *e, struct jit_builder *b,
                                             bool straight)
{
    const struct mali_decoded *p = e->variant->program;
    const bool unseen =
        !p->loads && !p->stores && !e->forms->at_once && !e->forms->calls && !(p->warp && p->warp->permutes);
    LLVMValueRef run = any_of(e, b, e->runs), quads = quads_of(b, run);
    if (straight && unseen)
        return (struct mali_frag_ir_lanes){LLVMConstAllOnes(b->i1x16), NULL, quads};
    return (struct mali_frag_ir_lanes){quads, LLVMBuildAnd(b->ir, quads, LLVMBuildNot(b->ir, run, ""), ""),
                                       NULL};
}

static struct mali_frag_ir_end end_of(const struct midgard_ir_state *end)
{
    return (struct mali_frag_ir_end){end->live, end->executed, end->faults, end->faults_at_once};
}

static void take_lanes(struct midgard_ir_input *input, struct mali_frag_ir_lanes lanes)
{
    input->lanes = lanes.run;
    input->helpers = lanes.helpers;
    input->named = lanes.named;
}

static int run_midgard_sides(struct mali_frag_ir *e, struct jit_builder *b, unsigned count,
                             const struct midgard_ir_input *like, LLVMBasicBlockRef leave)
{
    struct midgard_ir_input input[RASTER_SHADER_SIDES] = {{.uniform_count = 0}};
    struct midgard_ir_ports ports[RASTER_SHADER_SIDES] = {{.ctx = NULL}};
    struct midgard_ir_state end[RASTER_SHADER_SIDES];
    const bool straight = e->variant->program->straight;
    for (unsigned k = 0; k < count; k++) {
        mali_frag_ir_ports(&e[k], &ports[k]);
        input[k] = *like;
        take_lanes(&input[k], mali_frag_ir_lanes(&e[k], b, straight));
    }
    int status = midgard_translate_sides(b, e->variant->program->midgard, ports, input, count, leave, end);
    for (unsigned k = 0; k < count && !status; k++)
        e[k].end = end_of(&end[k]);
    return status;
}

static int run_midgard(struct mali_frag_ir *e, struct jit_builder *b, const struct midgard_ir_input *like,
                       LLVMValueRef *fault)
{
    struct midgard_ir_input input = *like;
    struct midgard_ir_ports ports;
    struct midgard_ir_state end;
    mali_frag_ir_ports(e, &ports);
    take_lanes(&input, mali_frag_ir_lanes(e, b, e->variant->program->straight));
    int status = midgard_translate(b, e->variant->program->midgard, &ports, &input, fault, &end);
    if (!status)
        e->end = end_of(&end);
    return status;
}

static bool is_straight(const struct mali_frag_ir *e)
{
    const struct mali_decoded *p = e->variant->program;
    return p->warp ? mali_frag_ir_warp_is_straight(e) : p->straight;
}

/* Where fuel is used up several are run one by one, by who is told so (out->leave). */
static int run(void *ctx, struct jit_builder *b, unsigned first, unsigned count,
               struct raster_shader_ir_run *out)
{
    struct mali_frag_ir *e = (struct mali_frag_ir *)ctx + first;
    const struct mali_decoded *p = e->variant->program;
    LLVMValueRef fault = NULL;
    int status;
    for (unsigned k = 0; k < count; k++)
        out->executed[k] = jit_i64(b, 0);
    out->fault = NULL;
    out->faults = false;
    if (!p)
        return 0;
    const struct midgard_ir_input input = {
        .uniform_count = e->forms->world.uniform_count / 4u,
        .address = mali_frag_of_args(e, b, b->i64, offsetof(struct mali_frag_args, code.address)),
        .fuel = mali_frag_of_args(e, b, b->i32, offsetof(struct mali_frag_args, fuel))};
    for (unsigned k = 0; k < count; k++) {
        mali_frag_begin_slots(&e[k], b);
        e[k].beside = count > 1 && is_straight(e);
    }
    if (count > 1)
        status = p->warp ? mali_frag_ir_run_warp_sides(e, b, count, out->leave)
                         : run_midgard_sides(e, b, count, &input, out->leave);
    else
        status = p->warp ? mali_frag_ir_run_warp(e, b, &fault) : run_midgard(e, b, &input, &fault);
    if (!status && (e->refused || (e->world.calls.used && !e->forms->calls)))
        status = -ENOTSUP;
    if (status)
        return status;
    for (unsigned k = 0; k < count; k++)
        out->executed[k] = e[k].end.executed;
    out->faults = count == 1 && e->end.faults;
    out->fault = out->faults ? fault : NULL;
    return 0;
}

/* ---- behind the program ---- */

static void drop_lanes(struct mali_frag_ir *e, struct jit_builder *b)
{
    static const LLVMRealPredicate predicates[8] = {
        [RASTER_LESS] = LLVMRealOLT,    [RASTER_EQUAL] = LLVMRealOEQ,    [RASTER_LEQUAL] = LLVMRealOLE,
        [RASTER_GREATER] = LLVMRealUGT, [RASTER_NOTEQUAL] = LLVMRealUNE, [RASTER_GEQUAL] = LLVMRealUGE};
    const struct mali_frag_forms *f = e->forms;
    LLVMValueRef keep_lanes = e->end.live, alpha = jit_splat_f32(b, 1);
    if (e->variant->program->warp) {
        mali_frag_ir_warp_samples(e, b);
        return;
    }
    if (e->written[0]) {
        LLVMValueRef given = jit_load(b, b->i32x16, e->color[0][3], 64, false);
        LLVMValueRef there = jit_load(b, b->i32x16, e->written[0], 64, false);
        there = LLVMBuildICmp(b->ir, LLVMIntNE, there, jit_splat_u32(b, 0), "");
        alpha = jit_select(b, there, jit_as_f32(b, given), alpha);
    }
    if (f->alpha_func == RASTER_NEVER) {
        keep_lanes = none(b);
    } else if (f->alpha_func != RASTER_ALWAYS) {
        LLVMValueRef reference =
            jit_splat(b, mali_frag_of_args(e, b, b->f32, offsetof(struct mali_frag_args, alpha_reference)));
        LLVMValueRef passes = LLVMBuildFCmp(b->ir, predicates[f->alpha_func], alpha, reference, "");
        keep_lanes = LLVMBuildAnd(b->ir, keep_lanes, passes, "");
    }
    for (unsigned s = 0; s < f->tile.samples; s++) {
        e->live[s] = LLVMBuildAnd(b->ir, e->live[s], keep_lanes, "");
        if (f->alpha_to_coverage)
            e->live[s] =
                LLVMBuildAnd(b->ir, e->live[s], raster_samples_alpha_ir(b, f->tile.samples, s, alpha), "");
    }
}

/* Adds the samples that are left to the draw's count, of any number of workers. */
static void count(const struct mali_frag_ir *e, struct jit_builder *b)
{
    LLVMValueRef passed = jit_i64(b, 0);
    if (e->forms->query == RASTER_QUERY_NONE || is_deferred(e))
        return;
    for (unsigned s = 0; s < e->forms->tile.samples; s++) {
        LLVMValueRef bits = jit_mask_to_bits(b, e->live[s]);
        bits = jit_intrinsic(b, "llvm.ctpop", &b->i16, 1, &bits, 1);
        passed = LLVMBuildAdd(b->ir, passed, LLVMBuildZExt(b->ir, bits, b->i64, ""), "");
    }
    LLVMValueRef to = mali_frag_of_args(e, b, b->ptr, offsetof(struct mali_frag_args, passed));
    LLVMBuildAtomicRMW(b->ir, LLVMAtomicRMWBinOpAdd, to, passed, LLVMAtomicOrderingMonotonic, false);
}

static int write_target(struct mali_frag_ir *e, struct jit_builder *b, unsigned t)
{
    const struct mali_frag_forms *f = e->forms;
    struct raster_output_ir colors;
    LLVMValueRef constant = jit_splat(
        b, mali_frag_of_args(e, b, b->f32, offsetof(struct mali_frag_args, constant) + t * sizeof(float)));
    if (!e->color[t][0])
        return 0; /* the program never does */
    const bool sole = e->beside && e->writeouts[t] == 1;
    LLVMValueRef samples = jit_load(b, b->i32x16, e->written[t], 64, false);
    LLVMValueRef there = LLVMBuildICmp(b->ir, LLVMIntNE, samples, jit_splat_u32(b, 0), "");
    for (unsigned c = 0; c < 4; c++) {
        colors.src[c] = sole ? e->value[t][c] : jit_load(b, b->i32x16, e->color[t][c], 64, false);
        colors.src1[c] = jit_load(b, b->i32x16, e->second[t][c], 64, false);
        colors.constant[c] = constant;
    }
    if (f->alpha_to_one >> t & ~(f->raw >> t) & 1) /* raw ones have no alpha: bits of their own */
        colors.src[3] = jit_as_i32(b, jit_splat_f32(b, 1));
    if (f->shaders >> t & 1)
        return mali_frag_ir_blend(e, b, t, &colors, LLVMBuildAnd(b->ir, any_of(e, b, e->live), there, ""));
    for (unsigned s = 0; s < f->tile.samples; s++) {
        LLVMValueRef here = LLVMBuildAnd(b->ir, samples, jit_splat_u32(b, 1u << s), "");
        if (e->variant->program->warp)
            there = LLVMBuildICmp(b->ir, LLVMIntNE, here, jit_splat_u32(b, 0), "");
        raster_output_ir_store(&e->at, b, &f->tile, t, s, &f->blend[t], &colors,
                               LLVMBuildAnd(b->ir, e->live[s], there, ""));
    }
    return 0;
}

static LLVMValueRef end(void *ctx, struct jit_builder *b, unsigned block, LLVMValueRef executed)
{
    struct mali_frag_ir *e = (struct mali_frag_ir *)ctx + block;
    (void)executed;
    for (unsigned n = 0; n < e->held_count; n++)
        jit_store(b, e->held[n].value, e->held[n].at, e->held[n].align);
    if (e->forms->at_once) {
        mali_frag_ir_end_now(e, b);
        count(e, b);
        return e->ran;
    }
    if (e->variant->program)
        drop_lanes(e, b);
    if (e->given_depth)
        e->depth = jit_load(b, b->i32x16, e->given_depth, 64, false);
    LLVMValueRef ref = e->given_stencil ? jit_load(b, b->i32x16, e->given_stencil, 64, false) : NULL;
    if (!e->forms->early && !is_deferred(e))
        test(e, b, ref);
    count(e, b);
    e->ran = NULL;
    for (unsigned t = 0; e->variant->program && t < e->forms->tile.count && !e->status; t++)
        if (e->forms->written >> t & 1)
            e->status = write_target(e, b, t);
    return e->ran;
}

/* ---- the function ---- */

enum { EMITTERS = 1 + RASTER_SHADER_SIDES };

static void begin(void *ctx, struct jit_builder *b, LLVMValueRef args, LLVMValueRef call)
{
    struct mali_frag_ir *all = ctx;
    LLVMValueRef threads =
        jit_load(b, b->ptr, jit_offset_const(b, call, offsetof(struct raster_shader_call, scratch)), 8, true);
    for (unsigned k = 0; k < EMITTERS; k++) {
        all[k].args = args;
        all[k].call = call;
        all[k].world.code = jit_offset_const(b, args, offsetof(struct mali_frag_args, code));
        all[k].world.threads = threads;
        all[k].world.calls.ports = jit_offset_const(b, threads, offsetof(struct mali_threads, ports));
    }
}

/* Iterations of a loop wait for what the ones before have made; other branches leave nothing to do where both sides
 * take them. Tests that store what rejected fragments left behind cannot be held back. */
static unsigned branching_sides(const struct mali_frag_ir *e, const struct mali_decoded *p)
{
    const struct raster_zs *zs = &e->forms->zs;
    bool holds = !e->forms->early || (!zs->face[0].enable && !zs->face[1].enable);
    return p->repeats && !p->reads_tile && holds && !e->end.faults_at_once &&
                   p->requests <= limits_of(p)->looping_requests && p->insn_count <= limits_of(p)->looping
               ? JIT_DIVERGE_SIDES
               : 1;
}

/* Programs that touch nothing but the tile, when they have ended. Of long ones, and with samplers, which are much code,
 * more than two would no more fit caches and registers. */
static unsigned sides(void *ctx, bool faults)
{
    const struct mali_frag_ir *e = ctx;
    const struct mali_decoded *p = e->variant->program;
    if (!p || p->loads || p->stores || p->barriers || e->forms->calls || e->forms->shaders ||
        e->forms->at_once)
        return 1;
    const struct side_limits *l = limits_of(p);
    if (!is_straight(e))
        return branching_sides(e, p);
    if (faults)
        return 1;
    if ((p->insn_count < l->least && !p->requests) || p->insn_count > l->most ||
        p->requests > l->most_requests)
        return 1;
    return p->requests > l->few_requests || p->insn_count > l->few ? 2 : RASTER_SHADER_SIDES;
}

int mali_frag_emit(struct jit_builder *b, const struct mali_frag_variant *variant)
{
    struct mali_frag_ir e[EMITTERS] = {{.variant = variant, .forms = variant->forms}};
    const struct mali_frag_forms *f = variant->forms;
    struct raster_shader_ir ir = {.form = (enum raster_ir_form)f->form,
                                  .samples = f->tile.samples,
                                  .words = f->tile.total,
                                  .passes = f->per_sample ? f->tile.samples : 1,
                                  .args_bytes = sizeof(struct mali_frag_args),
                                  .hoists = f->world.uniform_count <= HOISTED_UNIFORMS,
                                  .ctx = e,
                                  .begin = begin,
                                  .sides = sides,
                                  .take = take,
                                  .run = run,
                                  .end = end};
    e[0].world.forms = &f->world;
    e[0].world.lookups = variant->lookups;
    e[0].world.requests = f->world.lookup_count;
    e[0].world.warp = variant->program && variant->program->warp;
    for (unsigned k = 0; k < EMITTERS; k++) {
        e[k] = e[0];
        ir.at[k] = &e[k].at;
    }
    int status = raster_shader_emit(b, &ir);
    return status ? status : e[0].status;
}

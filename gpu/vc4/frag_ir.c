/* Fragment variants: one function a program and state, running over the 4x4 blocks of a primitive
 * (raster/shader_ir.h). The guest program is translated once, inside the loop over blocks, with ports that
 * read planes, sample textures, test and blend into the tile in place. What stays the same for all blocks is
 * loaded as invariant scalars. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_emit.h"
#include "raster/shader_ir.h"
#include "util/bits.h"

enum {
    SIDE_MIN = 48,
    SIDE_MAX = 400,
    SIDES_INSNS = 1200,
    HOISTED_UNIFORMS = 12,
    EMITTERS = 1 + RASTER_SHADER_SIDES
};

/* `ctx` is an emitter for each block at hand. */
static void begin(void *ctx, struct jit_builder *b, LLVMValueRef args, LLVMValueRef call)
{
    struct vc4_frag_emit *all = ctx, *e = &all[0];

    e->args = args;
    e->call = call;
    e->uniforms = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, uniforms), 8);
    e->numbers = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, numbers), 8);
    e->textures = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, textures), 8);
    if (e->variant->program->sample_count)
        jit_load_readable(b, e->textures, e->variant->program->sample_count * sizeof(struct raster_texture),
                          8);
    e->memory = vc4_frag_field(e, b, b->ptr, offsetof(struct vc4_frag_args, memory), 8);
    e->last_word = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, last_word), 4);
    for (unsigned k = 0; k < e->variant->samples; k++)
        e->live[k] = jit_alloca(b, b->i1x16, "live");
    for (unsigned i = 1; i < EMITTERS; i++) {
        all[i] = *e;
        all[i].live[0] = jit_alloca(b, b->i1x16, "live");
        if (e->hoists)
            continue;
        all[i].uniforms = jit_same_pointer(b, e->uniforms);
        all[i].numbers = jit_same_pointer(b, e->numbers);
    }
}

static LLVMValueRef fuel_at(struct vc4_frag_emit *e, struct jit_builder *b)
{
    return jit_offset_const(b, e->call, offsetof(struct raster_shader_call, fuel));
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

/* What the program starts with in the block at hand. */
static struct vc4_qpu_ir_start start_of(struct vc4_frag_emit *e, struct jit_builder *b)
{
    return (struct vc4_qpu_ir_start){
        .uniforms = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4),
        .fuel = block_fuel(e, b),
        .ra15 = jit_as_i32(b, e->w),
        .rb15 = e->depth,
        .numeric = e->variant->numeric};
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

/* ---- blocks ---- */

/* Tests come before the program runs where they may; deferred pixels have passed. */
static LLVMValueRef take(void *ctx, struct jit_builder *b, unsigned block)
{
    struct vc4_frag_emit *e = (struct vc4_frag_emit *)ctx + block;

    vc4_frag_block_begin(e, b);
    return e->variant->plan->early && e->variant->form == RASTER_IR_PRIM ? vc4_frag_test_early(e, b) : NULL;
}

static LLVMValueRef end(void *ctx, struct jit_builder *b, unsigned block, LLVMValueRef executed)
{
    struct vc4_frag_emit *e = ctx;

    if (e->variant->program->repeats)
        spend_fuel(e, b, executed);
    return NULL;
}

/* Runs that do not depend on one another. */
static int run_sides(struct vc4_frag_emit *e, struct jit_builder *b, unsigned count,
                     struct raster_shader_ir_run *out)
{
    struct vc4_qpu_ir_ports ports[RASTER_SHADER_SIDES];
    struct vc4_qpu_ir_start start[RASTER_SHADER_SIDES];
    struct vc4_qpu_ir_run run[RASTER_SHADER_SIDES];
    int status;

    for (unsigned i = 0; i < count; i++) {
        start[i] = start_of(&e[i], b);
        vc4_frag_ports(&e[i], &ports[i]);
        run[i] = (struct vc4_qpu_ir_run){.start = &start[i], .ports = &ports[i], .side_exit = out->leave};
    }
    status = vc4_qpu_translate_runs(b, e->variant->program, run, count, NULL);
    if (!status && e->failed)
        status = -ENOTSUP;
    if (status)
        return status;
    for (unsigned i = 0; i < count; i++)
        out->executed[i] = run[i].executed;
    e->stops = run[0].stops;
    out->fault = can_fault(run[0].fault) ? run[0].fault : NULL;
    out->faults = out->fault || e->faults;
    return 0;
}

/* ---- programs that loop, two blocks at a time ---- */

struct looping {
    struct vc4_frag_emit *e; /* of the two, then of the one that goes on alone */
    LLVMValueRef at;         /* slot: number of the block that goes on alone */
};

static void adopt(void *ctx, struct jit_builder *b, unsigned run)
{
    struct looping *l = ctx;

    jit_store(b, l->e[run].at.index, l->at, 4);
    jit_store(b, jit_load(b, b->i1x16, l->e[run].live[0], 2, false), l->e[2].live[0], 2);
}

static void resume(void *ctx, struct jit_builder *b)
{
    struct looping *l = ctx;

    raster_block_ir_place(&l->e[2].at, b, jit_load(b, b->i32, l->at, 4, false));
    vc4_frag_block_payload(&l->e[2], b);
}

/* Of programs that loop: leaves unless what the call has left of fuel suffices for two blocks, whatever the
 * first takes of it. */
static void check_fuel(void *ctx, struct jit_builder *b, LLVMBasicBlockRef leave)
{
    struct vc4_frag_emit *e = ctx;
    LLVMBasicBlockRef enough;
    LLVMValueRef limit, two;

    if (vc4_qpu_is_straight(e->variant->program))
        return;
    enough = LLVMAppendBasicBlockInContext(b->context, b->function, "enough");
    limit = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, fuel), 4);
    two = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, limit, b->i64, ""), jit_i64(b, 1), "");
    two = LLVMBuildAdd(b->ir, two, jit_i64(b, e->variant->program->insn_count), "");
    two = LLVMBuildICmp(b->ir, LLVMIntUGE, jit_load(b, b->i64, fuel_at(e, b), 8, false), two, "");
    LLVMBuildCondBr(b->ir, two, enough, leave);
    LLVMPositionBuilderAtEnd(b->ir, enough);
}

static int run_pair(struct vc4_frag_emit e[3], struct jit_builder *b, struct raster_shader_ir_run *out)
{
    struct looping l = {.e = e, .at = jit_alloca(b, b->i32, "at")};
    struct vc4_qpu_ir_ports ports[3];
    struct vc4_qpu_ir_start start[2];
    struct vc4_qpu_ir_pair pair = {.alone = &ports[2], .ctx = &l, .adopt = adopt, .resume = resume};
    int status;

    for (unsigned i = 0; i < 2; i++) {
        start[i] = start_of(&e[i], b);
        pair.run[i] = (struct vc4_qpu_ir_run){.start = &start[i], .ports = &ports[i]};
    }
    for (unsigned i = 0; i < 3; i++)
        vc4_frag_ports(&e[i], &ports[i]);
    status = vc4_qpu_translate_pair(b, e->variant->program, &pair, NULL);
    if (status)
        return status;
    for (unsigned i = 0; i < 2; i++)
        out->executed[i] = pair.run[i].executed;
    out->fault = can_fault(pair.fault) ? pair.fault : NULL;
    out->faults = out->fault;
    return 0;
}

static int run(void *ctx, struct jit_builder *b, unsigned first, unsigned count,
               struct raster_shader_ir_run *out)
{
    struct vc4_frag_emit *e = (struct vc4_frag_emit *)ctx + first;

    if (count > 1 && !vc4_qpu_is_straight(e->variant->program))
        return run_pair(e, b, out);
    return run_sides(e, b, count, out);
}

/* Code of a long program would no more fit caches and registers, while the processor overlaps the blocks of a
 * short one by itself, unless it samples: a sampler is a long chain, and most of the code where there are any.
 * A fault of the one block would leave the other's writes behind. */
static unsigned sides(void *ctx, bool faults)
{
    const struct vc4_frag_emit *e = ctx;
    const struct vc4_qpu_program *program = e->variant->program;

    if (program->reads_coverage || program->insn_count > SIDE_MAX || e->stops)
        return 1;
    if (!vc4_qpu_is_straight(program)) /* who goes on alone must not count the words of a colour anew */
        return e->variant->words == 1 && vc4_qpu_may_pair(program) ? 2 : 1;
    if (faults)
        return 1;
    if (program->sample_count)
        return 2;
    return program->insn_count < SIDE_MIN ? 1
                                          : UTIL_MIN(SIDES_INSNS / program->insn_count, RASTER_SHADER_SIDES);
}

/* ---- the function ---- */

static int emit_variant(struct jit_builder *b, void *data)
{
    const struct vc4_frag_variant *variant = data;
    struct vc4_frag_emit e[EMITTERS] = {
        {.variant = variant, .hoists = variant->program->uniform_count <= HOISTED_UNIFORMS}};
    struct raster_shader_ir ir = {.form = variant->form,
                                  .samples = variant->samples,
                                  .words = variant->words,
                                  .args_bytes = sizeof(struct vc4_frag_args),
                                  .hoists = e[0].hoists,
                                  .runs_rejected = true, /* as the reference does */
                                  .ctx = e,
                                  .begin = begin,
                                  .sides = sides,
                                  .group = check_fuel,
                                  .take = take,
                                  .run = run,
                                  .end = end};

    for (unsigned i = 0; i < EMITTERS; i++)
        ir.at[i] = &e[i].at;
    return raster_shader_emit(b, &ir);
}

static int emit_key(struct jit_builder *b, const void *key, size_t size)
{
    struct vc4_frag_recipe recipe;
    int status = vc4_frag_key_read(key, size, &recipe);

    if (status)
        return status;
    status = emit_variant(b, &recipe.variant);
    gpu_program_recipe_finish(&recipe.of);
    return status;
}

/* The request for the variant's code; its key, NULL without memory, is the caller's to free. */
static struct jit_request request_of(const struct vc4_frag_variant *variant)
{
    struct jit_request request = {.name = "vc4_fragment_program",
                                  .emit = emit_variant,
                                  .data = (void *)variant,
                                  .emit_key = emit_key,
                                  .run_cost = variant->program->insn_count};

    request.key = vc4_frag_key_write(variant, &request.key_size);
    return request;
}

int vc4_frag_compile(const struct vc4_frag_variant *variant, struct jit_engine *engine,
                     struct jit_function **out, struct util_error *error)
{
    const struct jit_request request = request_of(variant);
    int status = request.key ? jit_engine_get_function(engine, &request, out, error) : -ENOMEM;

    free((void *)request.key);
    return status;
}

void vc4_frag_compile_begin(const struct vc4_frag_variant *variant, struct jit_engine *engine)
{
    const struct jit_request request = request_of(variant);

    if (request.key)
        jit_engine_prepare(engine, &request);
    free((void *)request.key);
}

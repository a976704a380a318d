/* Fragment variants: one function a program and state, running over the 4x4 blocks of a primitive. The guest
 * program is translated once, inside the loop over blocks, with ports that read planes, sample textures, test
 * and blend into the tile in place. What stays the same for all blocks is loaded as invariant scalars. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/vc4/frag_emit.h"
#include "util/bits.h"

enum { SIDE_MIN = 48, SIDE_MAX = 400, SIDES = 4, SIDES_INSNS = 1200, HOISTED_UNIFORMS = 12 };
enum { ARGS, PRIM, TILE, BLOCKS, COUNT, RESULT, PARAMS };

static void begin(struct vc4_frag_emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[] = {b->ptr, b->ptr, b->ptr, b->ptr, b->i32, b->ptr};
    LLVMValueRef *params[] = {&e->args, &e->at.prims, &e->at.tile, &e->at.blocks, NULL, &e->result};

    jit_begin_function(b, b->i32, types, PARAMS);
    for (unsigned i = 0; i < PARAMS; i++)
        if (params[i]) {
            if (i != TILE ||
                e->hoists) /* else the tile may be the uniforms, for all LLVM knows: their loads stay */
                jit_param_noalias(b, i);
            *params[i] = jit_param(b, i);
        }
    jit_param_readable(b, ARGS, sizeof(struct vc4_frag_args), 8);
    if (!e->variant->visible)
        jit_param_readable(b, PRIM, sizeof(struct raster_prim), 8);
    jit_param_readable(b, TILE, sizeof(struct raster_tile), 64);
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

/* What the program starts with in the block at hand. */
static struct vc4_qpu_ir_start start_of(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef w)
{
    return (struct vc4_qpu_ir_start){
        .uniforms = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, uniforms_at), 4),
        .fuel = block_fuel(e, b),
        .ra15 = jit_as_i32(b, w),
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

/* Adds a block's instructions; `rejected` blocks do not count, NULL: there are none. */
static void count_block(struct jit_builder *b, LLVMValueRef slot, LLVMValueRef executed,
                        LLVMValueRef rejected)
{
    LLVMValueRef before = jit_load(b, b->i64, slot, 8, false);

    if (rejected)
        executed = LLVMBuildSelect(b->ir, rejected, jit_i64(b, 0), executed, "");
    jit_store(b, LLVMBuildAdd(b->ir, before, executed, ""), slot, 8);
}

/* Whether blocks are tested before the program runs; visible pixels have passed. */
static bool tests_early(const struct vc4_frag_emit *e)
{
    return e->variant->plan->early && !e->variant->visible;
}

/* Returns from the function where the run has faulted; nothing where it cannot. */
static void stop_at_fault(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef fault)
{
    struct jit_if stop;

    if (!can_fault(fault))
        return;
    e->faults = true;
    jit_if_begin(b, &stop, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""));
    LLVMBuildRet(b->ir, fault);
    LLVMPositionBuilderAtEnd(b->ir, stop.merge);
}

/* Blocks from number `done` on, one after the other. *fault: what the translator says of a block. */
static int emit_alone(struct vc4_frag_emit *e, struct jit_builder *b, LLVMValueRef done, LLVMValueRef counted,
                      bool *stops, LLVMValueRef *fault)
{
    struct vc4_qpu_ir_ports ports;
    struct vc4_qpu_ir_start start;
    struct vc4_qpu_ir_run run = {.start = &start, .ports = &ports};
    LLVMValueRef w, rejected = NULL, skip = NULL;
    struct jit_loop loop;
    int status;

    jit_loop_begin(b, &loop, LLVMBuildSub(b->ir, jit_param(b, COUNT), done, ""));
    vc4_frag_block_begin(e, b, LLVMBuildAdd(b->ir, loop.index, done, ""), &w);
    if (tests_early(e)) {
        LLVMBasicBlockRef here;

        rejected = LLVMBuildNot(b->ir, vc4_frag_test_early(e, b), "");
        here = LLVMGetInsertBlock(b->ir);
        jit_loop_continue_if(b, &loop, rejected);
        skip = LLVMGetBasicBlockTerminator(here);
    }
    start = start_of(e, b, w);
    vc4_frag_ports(e, &ports);
    status = vc4_qpu_translate_runs(b, e->variant->program, &run, 1, NULL);
    if (status)
        return status;
    if (e->failed)
        return -ENOTSUP;
    *stops = run.stops;
    *fault = run.fault;
    stop_at_fault(e, b, run.fault);
    if (skip && e->faults) /* such a program runs wherever the reference runs it */
        LLVMSetCondition(skip, LLVMConstNull(b->i1));
    if (e->variant->program->repeats)
        spend_fuel(e, b, run.executed);
    count_block(b, counted, run.executed, e->faults ? rejected : NULL);
    jit_loop_end(b, &loop);
    return 0;
}

/* Blocks of a straight program, `side` at a time. Leaves for `leave`, with *left the number of blocks done,
 * when some are to be run alone: early tests have changed nothing yet. */
static int emit_sides(struct vc4_frag_emit e[SIDES], struct jit_builder *b, unsigned side,
                      LLVMValueRef groups, LLVMValueRef counted, LLVMBasicBlockRef leave, LLVMValueRef *left)
{
    struct vc4_qpu_ir_ports ports[SIDES];
    struct vc4_qpu_ir_start start[SIDES];
    struct vc4_qpu_ir_run run[SIDES];
    LLVMValueRef w[SIDES], rejected[SIDES] = {NULL}, all;
    struct jit_loop loop;
    int status;

    jit_loop_begin(b, &loop, groups);
    *left = LLVMBuildMul(b->ir, loop.index, jit_i32(b, side), "");
    for (unsigned i = 0; i < side; i++) {
        vc4_frag_block_begin(&e[i], b, LLVMBuildAdd(b->ir, *left, jit_i32(b, i), ""), &w[i]);
        if (tests_early(&e[i]))
            rejected[i] = LLVMBuildNot(b->ir, vc4_frag_test_early(&e[i], b), "");
    }
    all = rejected[0];
    for (unsigned i = 1; all && i < side; i++)
        all = LLVMBuildAnd(b->ir, all, rejected[i], "");
    if (all)
        jit_loop_continue_if(b, &loop, all);
    for (unsigned i = 0; i < side; i++) {
        start[i] = start_of(&e[i], b, w[i]);
        vc4_frag_ports(&e[i], &ports[i]);
        run[i] = (struct vc4_qpu_ir_run){.start = &start[i], .ports = &ports[i], .side_exit = leave};
    }
    status = vc4_qpu_translate_runs(b, e[0].variant->program, run, side, NULL);
    for (unsigned i = 0; i < side && !status; i++)
        count_block(b, counted, run[i].executed, rejected[i]);
    jit_loop_end(b, &loop);
    return status;
}

/* ---- programs that loop, two blocks at a time ---- */

struct looping {
    struct vc4_frag_emit *e; /* of the two, then of the one that goes on alone */
    LLVMValueRef first;      /* number of the first block */
    LLVMValueRef at;         /* slot: number of the block that goes on alone */
};

static void adopt(void *ctx, struct jit_builder *b, unsigned run)
{
    struct looping *l = ctx;

    jit_store(b, LLVMBuildAdd(b->ir, l->first, jit_i32(b, run), ""), l->at, 4);
    jit_store(b, jit_load(b, b->i1x16, l->e[run].live[0], 2, false), l->e[2].live[0], 2);
}

static void resume(void *ctx, struct jit_builder *b)
{
    struct looping *l = ctx;
    LLVMValueRef w;

    vc4_frag_block_place(&l->e[2], b, jit_load(b, b->i32, l->at, 4, false), &w);
}

/* Goes to `leave` unless what the call has left suffices for two blocks, whatever the first takes of it. */
static void check_fuel(struct vc4_frag_emit *e, struct jit_builder *b, LLVMBasicBlockRef leave)
{
    LLVMBasicBlockRef enough = LLVMAppendBasicBlockInContext(b->context, b->function, "enough");
    LLVMValueRef limit = vc4_frag_field(e, b, b->i32, offsetof(struct vc4_frag_args, fuel), 4), two;

    two = LLVMBuildShl(b->ir, LLVMBuildZExt(b->ir, limit, b->i64, ""), jit_i64(b, 1), "");
    two = LLVMBuildAdd(b->ir, two, jit_i64(b, e->variant->program->insn_count), "");
    two = LLVMBuildICmp(b->ir, LLVMIntUGE, jit_load(b, b->i64, fuel_at(e, b), 8, false), two, "");
    LLVMBuildCondBr(b->ir, two, enough, leave);
    LLVMPositionBuilderAtEnd(b->ir, enough);
}

/* Leaves for `leave`, with *left the number of blocks done, when fuel runs short. */
static int emit_loopers(struct vc4_frag_emit e[3], struct jit_builder *b, LLVMValueRef pairs,
                        LLVMValueRef counted, LLVMBasicBlockRef leave, LLVMValueRef *left)
{
    struct looping l = {.e = e, .at = jit_alloca(b, b->i32, "at")};
    struct vc4_qpu_ir_ports ports[3];
    struct vc4_qpu_ir_start start[2];
    struct vc4_qpu_ir_pair pair = {.alone = &ports[2], .ctx = &l, .adopt = adopt, .resume = resume};
    LLVMValueRef w, rejected[2] = {NULL, NULL};
    struct jit_loop loop;
    int status;

    jit_loop_begin(b, &loop, pairs);
    l.first = *left = LLVMBuildShl(b->ir, loop.index, jit_i32(b, 1), "");
    check_fuel(&e[0], b, leave);
    for (unsigned i = 0; i < 2; i++) {
        vc4_frag_block_begin(&e[i], b, LLVMBuildAdd(b->ir, l.first, jit_i32(b, i), ""), &w);
        if (tests_early(&e[i]))
            rejected[i] = LLVMBuildNot(b->ir, vc4_frag_test_early(&e[i], b), "");
        start[i] = start_of(&e[i], b, w);
        pair.run[i] = (struct vc4_qpu_ir_run){.start = &start[i], .ports = &ports[i]};
    }
    for (unsigned i = 0; i < 3; i++)
        vc4_frag_ports(&e[i], &ports[i]);
    status = vc4_qpu_translate_pair(b, e[0].variant->program, &pair, NULL);
    if (status)
        return status;
    stop_at_fault(&e[0], b, pair.fault);
    for (unsigned i = 0; i < 2; i++) {
        spend_fuel(&e[0], b, pair.run[i].executed);
        count_block(b, counted, pair.run[i].executed, rejected[i]);
    }
    jit_loop_end(b, &loop);
    return 0;
}

/* How many blocks are done at a time. The processor overlaps the blocks of a short program by itself; code of
 * a long one would no more fit its caches and registers, and samplers are most of the code where there are
 * any. A fault of the one block would leave the other's writes behind. */
static unsigned side_by_side(const struct vc4_frag_emit *e, const struct jit_builder *b, bool stops)
{
    const struct vc4_qpu_program *program = e->variant->program;

    if (b->quick || b->level != JIT_AVX512 || e->variant->samples > 1 || program->reads_coverage ||
        program->insn_count > SIDE_MAX || stops)
        return 1;
    if (!vc4_qpu_is_straight(program))
        return vc4_qpu_may_pair(program) ? 2 : 1;
    if (program->insn_count < SIDE_MIN || e->faults)
        return 1;
    return program->sample_count ? 2 : UTIL_MIN(SIDES_INSNS / program->insn_count, SIDES);
}

/* The loop over groups of blocks, at the builder's position; goes on in `rest`, where `done` gets the number
 * of blocks that were done. */
static int emit_groups(struct vc4_frag_emit e[SIDES], struct jit_builder *b, unsigned side,
                       LLVMValueRef counted, LLVMBasicBlockRef rest, LLVMValueRef done)
{
    LLVMValueRef groups = LLVMBuildUDiv(b->ir, jit_param(b, COUNT), jit_i32(b, side), ""), left = NULL, all;
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(b->context, b->function, "leave"), here;
    int status;

    if (vc4_qpu_is_straight(e[0].variant->program))
        status = emit_sides(e, b, side, groups, counted, leave, &left);
    else
        status = emit_loopers(e, b, groups, counted, leave, &left);
    all = LLVMBuildMul(b->ir, groups, jit_i32(b, side), "");
    here = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, rest);
    LLVMAddIncoming(done, &all, &here, 1);
    LLVMPositionBuilderAtEnd(b->ir, leave);
    if (!status && LLVMGetFirstUse(LLVMBasicBlockAsValue(leave))) {
        LLVMBuildBr(b->ir, rest);
        LLVMAddIncoming(done, &left, &leave, 1);
    } else {
        LLVMBuildUnreachable(b->ir);
    }
    return status;
}

static int emit_variant(struct jit_builder *b, void *data)
{
    struct vc4_frag_emit e[1 + SIDES] = {{.variant = data}};
    LLVMBasicBlockRef groups, rest;
    LLVMValueRef counted, done, fault = NULL, none = jit_i32(b, 0);
    bool stops = false;
    unsigned side;
    int status;

    e[0].at.samples = e[0].variant->samples;
    e[0].at.form = e[0].variant->quads     ? RASTER_IR_QUADS
                   : e[0].variant->visible ? RASTER_IR_VISIBLE
                                           : RASTER_IR_PRIM;
    e[0].hoists = e[0].variant->program->uniform_count <= HOISTED_UNIFORMS;
    begin(&e[0], b);
    counted = jit_alloca(b, b->i64, "executed");
    jit_store(b, jit_i64(b, 0), counted, 8);
    for (unsigned i = 1; i < 1 + SIDES; i++) {
        e[i] = e[0];
        e[i].live[0] = jit_alloca(b, b->i1x16, "live");
    }
    for (unsigned i = 1; !e[0].hoists && i < 1 + SIDES; i++) {
        e[i].uniforms = jit_same_pointer(b, e[0].uniforms);
        e[i].numbers = jit_same_pointer(b, e[0].numbers);
    }
    groups = LLVMAppendBasicBlockInContext(b->context, b->function, "groups");
    rest = LLVMAppendBasicBlockInContext(b->context, b->function, "rest");
    LLVMBuildBr(b->ir, groups);

    LLVMPositionBuilderAtEnd(b->ir, rest);
    done = LLVMBuildPhi(b->ir, b->i32, "done");
    status = emit_alone(&e[0], b, done, counted, &stops, &fault);
    jit_store(b, jit_load(b, b->i64, counted, 8, false),
              jit_offset_const(b, e[0].result, offsetof(struct vc4_frag_result, executed)), 8);
    LLVMBuildRet(b->ir, jit_i32(b, !status && e[0].variant->visible && can_fault(fault)));

    LLVMPositionBuilderAtEnd(b->ir, groups);
    side = status ? 1 : side_by_side(&e[0], b, stops);
    if (side > 1)
        return emit_groups(&e[1], b, side, counted, rest, done);
    LLVMBuildBr(b->ir, rest);
    LLVMAddIncoming(done, &none, &groups, 1);
    return status;
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

#include "raster/shader_ir.h"

enum { ARGS, PRIMS, TILE, BLOCKS, COUNT, CALL, PARAMS };

struct emit {
    const struct raster_shader_ir *ir;
    LLVMValueRef counted; /* slot: guest instructions so far */
    bool faults;          /* a block's run may end in one */
};

static void begin(struct emit *e, struct jit_builder *b)
{
    const LLVMTypeRef types[PARAMS] = {b->ptr, b->ptr, b->ptr, b->ptr, b->i32, b->ptr};
    const struct raster_shader_ir *ir = e->ir;
    jit_begin_function(b, b->i32, types, PARAMS);
    for (unsigned i = 0; i < PARAMS; i++)
        if (i != COUNT && (i != TILE || ir->hoists))
            jit_param_noalias(b, i);
    jit_param_readable(b, ARGS, ir->args_bytes, 8);
    if (ir->form == RASTER_IR_PRIM)
        jit_param_readable(b, PRIMS, sizeof(struct raster_prim), 8);
    jit_param_readable(b, TILE, sizeof(struct raster_tile), 64);
    for (unsigned i = 0; i < 1 + RASTER_SHADER_SIDES; i++)
        *ir->at[i] = (struct raster_block_ir){.form = ir->form,
                                              .samples = ir->samples,
                                              .words = ir->words,
                                              .prims = jit_param(b, PRIMS),
                                              .tile = jit_param(b, TILE),
                                              .blocks = jit_param(b, BLOCKS)};
    ir->begin(ir->ctx, b, jit_param(b, ARGS), jit_param(b, CALL));
    e->counted = jit_alloca(b, b->i64, "executed");
    jit_store(b, jit_i64(b, 0), e->counted, 8);
}

/* Adds a block's instructions; `runs` NULL: they count in any case. */
static void count_block(struct emit *e, struct jit_builder *b, LLVMValueRef executed, LLVMValueRef runs)
{
    LLVMValueRef before = jit_load(b, b->i64, e->counted, 8, false);
    if (runs)
        executed = LLVMBuildSelect(b->ir, runs, executed, jit_i64(b, 0), "");
    jit_store(b, LLVMBuildAdd(b->ir, before, executed, ""), e->counted, 8);
}

static void end_block(struct emit *e, struct jit_builder *b, unsigned block, LLVMValueRef executed)
{
    LLVMValueRef more = e->ir->end(e->ir->ctx, b, block, executed);
    if (more)
        count_block(e, b, more, NULL);
}

/* Returns from the function where a run has faulted. */
static void stop_at_fault(struct jit_builder *b, LLVMValueRef fault)
{
    struct jit_if stop;
    if (!fault)
        return;
    jit_if_begin(b, &stop, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""));
    LLVMBuildRet(b->ir, fault);
    LLVMPositionBuilderAtEnd(b->ir, stop.merge);
}

/* Blocks from number `done` on, one after the other. */
static int emit_alone(struct emit *e, struct jit_builder *b, LLVMValueRef done)
{
    const struct raster_shader_ir *ir = e->ir;
    struct raster_shader_ir_run run = {.leave = NULL};
    LLVMValueRef runs, skip = NULL;
    struct jit_loop loop;
    LLVMValueRef left = LLVMBuildSub(b->ir, jit_param(b, COUNT), done, ""), passes = jit_i32(b, ir->passes);
    jit_loop_begin(b, &loop, ir->passes > 1 ? LLVMBuildMul(b->ir, left, passes, "") : left);
    LLVMValueRef block = ir->passes > 1 ? LLVMBuildUDiv(b->ir, loop.index, passes, "") : loop.index;
    ir->at[0]->pass = ir->passes > 1 ? LLVMBuildURem(b->ir, loop.index, passes, "") : NULL;
    raster_block_ir_place(ir->at[0], b, LLVMBuildAdd(b->ir, block, done, ""));
    runs = ir->take(ir->ctx, b, 0);
    if (runs) {
        LLVMValueRef none = LLVMBuildNot(b->ir, runs, "");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(b->ir);
        jit_loop_continue_if(b, &loop, none);
        skip = LLVMGetBasicBlockTerminator(here);
    }
    int status = ir->run(ir->ctx, b, 0, 1, &run);
    if (status)
        return status;
    e->faults = run.faults;
    stop_at_fault(b, run.fault);
    if (skip && e->faults && ir->runs_rejected)
        LLVMSetCondition(skip, LLVMConstNull(b->i1));
    count_block(e, b, run.executed[0], e->faults && ir->runs_rejected ? runs : NULL);
    end_block(e, b, 0, run.executed[0]);
    jit_loop_end(b, &loop);
    return 0;
}

/* Groups of `side` blocks. Leaves for `leave`, with *left the number of blocks done, when the rest are to be
 * run alone. */
static int emit_sides(struct emit *e, struct jit_builder *b, unsigned side, LLVMValueRef groups,
                      LLVMBasicBlockRef leave, LLVMValueRef *left)
{
    const struct raster_shader_ir *ir = e->ir;
    struct raster_shader_ir_run run = {.leave = leave};
    LLVMValueRef runs[RASTER_SHADER_SIDES], any = NULL;
    struct jit_loop loop;
    jit_loop_begin(b, &loop, groups);
    *left = LLVMBuildMul(b->ir, loop.index, jit_i32(b, side), "");
    if (ir->group)
        ir->group(ir->ctx, b, leave);
    for (unsigned i = 0; i < side; i++) {
        raster_block_ir_place(ir->at[1 + i], b, LLVMBuildAdd(b->ir, *left, jit_i32(b, i), ""));
        runs[i] = ir->take(ir->ctx, b, 1 + i);
        any = any ? LLVMBuildOr(b->ir, any, runs[i], "") : runs[i];
    }
    if (any && !(e->faults && ir->runs_rejected))
        jit_loop_continue_if(b, &loop, LLVMBuildNot(b->ir, any, ""));
    int status = ir->run(ir->ctx, b, 1, side, &run);
    if (status)
        return status;
    stop_at_fault(b, run.fault);
    for (unsigned i = 0; i < side; i++) {
        count_block(e, b, run.executed[i], runs[i]);
        end_block(e, b, 1 + i, run.executed[i]);
    }
    jit_loop_end(b, &loop);
    return 0;
}

/* The loop over groups of blocks, at the builder's position; goes on in `rest`, where `done` gets the number
 * of blocks that were done. A small primitive's are not worth what is read of it before the loop, which has too few
 * registers for it. */
static int emit_groups(struct emit *e, struct jit_builder *b, unsigned side, LLVMBasicBlockRef rest,
                       LLVMValueRef done)
{
    LLVMValueRef count = jit_param(b, COUNT), groups = LLVMBuildUDiv(b->ir, count, jit_i32(b, side), "");
    LLVMValueRef left = NULL, all;
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(b->context, b->function, "leave"), here;
    if (e->ir->form == RASTER_IR_PRIM) {
        LLVMValueRef few = LLVMBuildICmp(b->ir, LLVMIntULT, count, jit_i32(b, 2 * side), "");
        groups = LLVMBuildSelect(b->ir, few, jit_i32(b, 0), groups, "");
    }
    int status = emit_sides(e, b, side, groups, leave, &left);
    if (status)
        return status;
    all = LLVMBuildMul(b->ir, groups, jit_i32(b, side), "");
    here = LLVMGetInsertBlock(b->ir);
    LLVMBuildBr(b->ir, rest);
    LLVMAddIncoming(done, &all, &here, 1);
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(leave))) {
        LLVMDeleteBasicBlock(leave);
        return 0;
    }
    LLVMPositionBuilderAtEnd(b->ir, leave);
    LLVMBuildBr(b->ir, rest);
    LLVMAddIncoming(done, &left, &leave, 1);
    return 0;
}

static unsigned side_by_side(const struct emit *e, const struct jit_builder *b)
{
    if (b->quick || b->level < JIT_AVX512 || e->ir->samples > 1 || e->ir->passes > 1)
        return 1;
    return e->ir->sides(e->ir->ctx, e->faults);
}

int raster_shader_emit(struct jit_builder *b, const struct raster_shader_ir *ir)
{
    struct emit e = {.ir = ir};
    LLVMBasicBlockRef groups, rest;
    LLVMValueRef done, none = jit_i32(b, 0);
    begin(&e, b);
    groups = LLVMAppendBasicBlockInContext(b->context, b->function, "groups");
    rest = LLVMAppendBasicBlockInContext(b->context, b->function, "rest");
    LLVMBuildBr(b->ir, groups);

    /* What one block's run is like tells whether several may stand side by side. */
    LLVMPositionBuilderAtEnd(b->ir, rest);
    done = LLVMBuildPhi(b->ir, b->i32, "done");
    int status = emit_alone(&e, b, done);
    if (status)
        return status;
    jit_store(b, jit_load(b, b->i64, e.counted, 8, false),
              jit_offset_const(b, jit_param(b, CALL), offsetof(struct raster_shader_call, executed)), 8);
    LLVMBuildRet(b->ir, jit_i32(b, ir->form != RASTER_IR_PRIM && e.faults));

    LLVMPositionBuilderAtEnd(b->ir, groups);
    unsigned side = side_by_side(&e, b);
    if (side > 1)
        return emit_groups(&e, b, side, rest, done);
    LLVMBuildBr(b->ir, rest);
    LLVMAddIncoming(done, &none, &groups, 1);
    return 0;
}

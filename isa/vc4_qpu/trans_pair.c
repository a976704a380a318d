/* Two runs of a program that loops, side by side. While their branches agree, both stand in the joint blocks;
 * then each goes on in one copy of the program's own blocks, whose slots take its state: the first, and after
 * it the second, which waits. Up to the parting both have executed the same instructions, so that fuel,
 * counts and the place in the uniform stream are one's as the other's. */
#include <errno.h>
#include <stdlib.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"

/* Where a run goes on alone: at a block, or at the branch that ends a block and is taken. */
#define AT_BRANCH 0x80000000u
#define NOWHERE   UINT32_MAX

struct pairing {
    struct jit_builder *b;
    const struct vc4_qpu_program *program;
    struct vc4_qpu_ir_pair *pair;
    struct vc4_qpu_trans *run[2], *alone;
    LLVMBasicBlockRef *joint, part, dispatch, end;
    LLVMValueRef entry, waiting; /* slots, i32: where the run alone starts; where the second waits */
    LLVMValueRef executed[2], fault;
};

static LLVMBasicBlockRef new_block(struct pairing *p, const char *name)
{
    return LLVMAppendBasicBlockInContext(p->b->context, p->b->function, name);
}

/* ---- alone ---- */

static void copy_slot(struct jit_builder *b, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef to,
                      unsigned align)
{
    jit_store(b, jit_load(b, type, from, align, false), to, align);
}

/* The run's state becomes that of the blocks that run alone. */
static void hand_over(struct pairing *p, unsigned which)
{
    struct jit_builder *b = p->b;
    const struct vc4_qpu_trans *from = p->run[which], *both = p->run[0], *to = p->alone;

    for (unsigned i = 0; i < TRANS_REGS; i++)
        copy_slot(b, b->i32x16, from->slots[i], to->slots[i], 64);
    for (unsigned i = 0; i < TRANS_REGS; i++)
        for (unsigned k = 0; k < to->choices[i].count; k++)
            if (k != to->choices[i].rest)
                copy_slot(b, b->i1x16, from->choices[i].slot[k], to->choices[i].slot[k], 2);
    for (unsigned i = 0; i < 3; i++)
        copy_slot(b, b->i1x16, from->flag_slots[i], to->flag_slots[i], 2);
    copy_slot(b, b->i32, from->uniforms_slot, to->uniforms_slot, 4);
    copy_slot(b, b->i32, both->fuel_slot, to->fuel_slot, 4);
    copy_slot(b, b->i64, both->executed_slot, to->executed_slot, 8);
    p->pair->adopt(p->pair->ctx, b, which);
}

/* A run alone has ended: the one that waits takes its place. */
static void end_alone(struct pairing *p)
{
    struct jit_builder *b = p->b;
    LLVMBasicBlockRef well = new_block(p, "well"), next = new_block(p, "next");
    LLVMValueRef fault, waiting, executed;

    LLVMPositionBuilderAtEnd(b->ir, p->alone->exit);
    fault = jit_load(b, b->i32, p->alone->fault_slot, 4, false);
    jit_store(b, fault, p->fault, 4);
    executed = jit_load(b, b->i64, p->alone->executed_slot, 8, false);
    jit_store(b, executed, p->executed[1], 8); /* the second's comes after the first's */
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""), p->end, well);
    LLVMPositionBuilderAtEnd(b->ir, well);
    waiting = jit_load(b, b->i32, p->waiting, 4, false);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, waiting, jit_i32(b, NOWHERE), ""), p->end, next);
    LLVMPositionBuilderAtEnd(b->ir, next);
    jit_store(b, executed, p->executed[0], 8);
    jit_store(b, waiting, p->entry, 4);
    jit_store(b, jit_i32(b, NOWHERE), p->waiting, 4);
    hand_over(p, 1);
    LLVMBuildBr(b->ir, p->dispatch);
}

static void fill_alone(struct pairing *p)
{
    struct jit_builder *b = p->b;
    struct vc4_qpu_trans *t = p->alone;

    LLVMPositionBuilderAtEnd(b->ir, p->part);
    hand_over(p, 0);
    LLVMBuildBr(b->ir, p->dispatch);

    LLVMPositionBuilderAtEnd(b->ir, p->dispatch);
    p->pair->resume(p->pair->ctx, b);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b->ir), wrong = new_block(p, "wrong");
    vc4_qpu_trans_each_block(t);
    if (t->failed)
        return;
    LLVMPositionBuilderAtEnd(b->ir, wrong);
    LLVMBuildUnreachable(b->ir);
    LLVMPositionBuilderAtEnd(b->ir, from);
    LLVMValueRef entry = jit_load(b, b->i32, p->entry, 4, false);
    LLVMValueRef go = LLVMBuildSwitch(b->ir, entry, wrong, 2 * p->program->block_count);
    for (uint32_t i = 0; i < p->program->block_count; i++) {
        LLVMAddCase(go, jit_i32(b, i), t->blocks[i]);
        if (t->taken_at[i])
            LLVMAddCase(go, jit_i32(b, i | AT_BRANCH), t->taken_at[i]);
    }
    end_alone(p);
}

/* ---- together ---- */

/* Both take the branch, if both have the fuel for it: otherwise the first alone is to find that out. */
static void take_together(struct pairing *p, uint32_t number)
{
    struct jit_builder *b = p->b;
    const struct vc4_qpu_block *block = &p->program->blocks[number];
    uint32_t target = block->successor[1];

    if (p->program->blocks[target].first <= block->branch) {
        uint32_t cost = block->branch + 4 - p->program->blocks[target].first;
        LLVMBasicBlockRef go = new_block(p, "back"), empty = new_block(p, "fuel");
        LLVMValueRef fuel = jit_load(b, b->i32, p->run[0]->fuel_slot, 4, false);

        LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, fuel, jit_i32(b, cost), ""), empty, go);
        LLVMPositionBuilderAtEnd(b->ir, empty);
        jit_store(b, jit_i32(b, number | AT_BRANCH), p->entry, 4);
        jit_store(b, jit_i32(b, number | AT_BRANCH), p->waiting, 4);
        LLVMBuildBr(b->ir, p->part);
        LLVMPositionBuilderAtEnd(b->ir, go);
        jit_store(b, LLVMBuildSub(b->ir, fuel, jit_i32(b, cost), ""), p->run[0]->fuel_slot, 4);
    }
    LLVMBuildBr(b->ir, p->joint[target]);
}

static void part_ways(struct pairing *p, uint32_t number)
{
    struct jit_builder *b = p->b;
    LLVMValueRef taken = jit_i32(b, number | AT_BRANCH);
    LLVMValueRef not = jit_i32(b, p->program->blocks[number].successor[0]);
    const LLVMValueRef slots[2] = {p->entry, p->waiting};

    for (unsigned i = 0; i < 2; i++)
        jit_store(b, LLVMBuildSelect(b->ir, p->run[i]->taken, taken, not, ""), slots[i], 4);
    LLVMBuildBr(b->ir, p->part);
}

static void end_together(struct pairing *p, uint32_t number)
{
    struct jit_builder *b = p->b;
    const struct vc4_qpu_block *block = &p->program->blocks[number];

    for (unsigned i = 0; i < 2; i++)
        vc4_qpu_trans_leave_block(p->run[i], block);
    vc4_qpu_trans_count_block(p->run[0], block);
    if (block->branch == VC4_QPU_NO_OFFSET && block->successor[0] == VC4_QPU_NO_OFFSET) {
        LLVMValueRef each = jit_load(b, b->i64, p->run[0]->executed_slot, 8, false);

        for (unsigned i = 0; i < 2; i++)
            jit_store(b, each, p->executed[i], 8);
        LLVMBuildBr(b->ir, p->end);
    } else if (block->branch == VC4_QPU_NO_OFFSET) {
        LLVMBuildBr(b->ir, p->joint[block->successor[0]]);
    } else if (p->run[0]->taken) {
        LLVMBasicBlockRef yes = new_block(p, "both"), no = new_block(p, "not_both"),
                          part = new_block(p, "part");
        LLVMValueRef a = p->run[0]->taken, c = p->run[1]->taken;

        LLVMBuildCondBr(b->ir, LLVMBuildAnd(b->ir, a, c, ""), yes, no);
        LLVMPositionBuilderAtEnd(b->ir, no);
        LLVMBuildCondBr(b->ir, LLVMBuildOr(b->ir, a, c, ""), part, p->joint[block->successor[0]]);
        LLVMPositionBuilderAtEnd(b->ir, part);
        part_ways(p, number);
        LLVMPositionBuilderAtEnd(b->ir, yes);
        take_together(p, number);
    } else {
        take_together(p, number);
    }
}

static void fill_together(struct pairing *p)
{
    for (uint32_t n = 0; n < p->program->block_count; n++) {
        const struct vc4_qpu_block *block = &p->program->blocks[n];

        LLVMPositionBuilderAtEnd(p->b->ir, p->joint[n]);
        for (unsigned i = 0; i < 2; i++)
            vc4_qpu_trans_begin_block(p->run[i], n);
        for (uint32_t pc = block->first; pc < block->first + block->count; pc++)
            for (unsigned i = 0; i < 2; i++)
                vc4_qpu_trans_step(p->run[i], block, pc);
        if (p->run[0]->failed || p->run[1]->failed || p->run[0]->stopped)
            return;
        end_together(p, n);
    }
}

static int translate(struct pairing *p)
{
    struct jit_builder *b = p->b;

    for (unsigned i = 0; i < 2; i++)
        vc4_qpu_trans_prepare_blocks(p->run[i]); /* for their analysis; the joint blocks stand in for them */
    vc4_qpu_trans_prepare_blocks(p->alone);
    p->part = new_block(p, "alone");
    p->dispatch = new_block(p, "dispatch");
    p->end = new_block(p, "end");
    for (uint32_t i = 0; i < p->program->block_count; i++)
        p->joint[i] = new_block(p, "joint");
    p->entry = jit_alloca(b, b->i32, "entry");
    p->waiting = jit_alloca(b, b->i32, "waiting");
    p->executed[0] = jit_alloca(b, b->i64, "executed");
    p->executed[1] = jit_alloca(b, b->i64, "executed");
    p->fault = jit_alloca(b, b->i32, "fault");
    jit_store(b, jit_i32(b, 0), p->fault, 4);
    LLVMBuildBr(b->ir, p->joint[0]);
    if (!p->alone->failed)
        fill_alone(p);
    if (!p->alone->failed)
        fill_together(p);
    LLVMPositionBuilderAtEnd(b->ir, p->end);
    p->pair->fault = jit_load(b, b->i32, p->fault, 4, false);
    for (unsigned i = 0; i < 2; i++) {
        p->pair->run[i].fault = p->pair->fault;
        p->pair->run[i].executed = jit_load(b, b->i64, p->executed[i], 8, false);
    }
    return p->alone->failed ? p->alone->failed : p->run[0]->failed ? p->run[0]->failed : p->run[1]->failed;
}

/* The runs' own blocks have no code: nothing leads to them. */
static void drop_blocks(struct vc4_qpu_trans *t)
{
    for (uint32_t i = 0; t && t->blocks && i < t->program->block_count; i++)
        if (t->blocks[i])
            LLVMDeleteBasicBlock(t->blocks[i]);
    if (t && t->exit)
        LLVMDeleteBasicBlock(t->exit);
}

int vc4_qpu_translate_pair(struct jit_builder *b, const struct vc4_qpu_program *program,
                           struct vc4_qpu_ir_pair *pair, struct util_error *error)
{
    struct vc4_qpu_ir_run alone = {.start = pair->run[0].start, .ports = pair->alone};
    struct pairing p = {.b = b, .program = program, .pair = pair};
    int status = -ENOMEM;

    p.joint = calloc(program->block_count, sizeof *p.joint);
    for (unsigned i = 0; i < 2; i++)
        p.run[i] = vc4_qpu_trans_open(b, program, &pair->run[i], error);
    p.alone = vc4_qpu_trans_open(b, program, &alone, error);
    if (p.joint && p.run[0] && p.run[1] && p.alone)
        status = p.alone->failed ? p.alone->failed : translate(&p);
    for (unsigned i = 0; i < 2; i++) {
        drop_blocks(p.run[i]);
        vc4_qpu_trans_close(p.run[i]);
    }
    vc4_qpu_trans_close(p.alone);
    free(p.joint);
    return status;
}

/* ---- which programs ---- */

static bool touches_tile(const struct vc4_qpu_insn *insn)
{
    const unsigned to[2] = {insn->waddr_add, insn->waddr_mul};

    for (unsigned i = 0; i < 2; i++)
        if (to[i] >= VC4_QPU_W_TLB_STENCIL && to[i] <= VC4_QPU_W_TLB_ALPHA_MASK)
            return true;
    return insn->kind == VC4_QPU_SEMAPHORE;
}

/* The last instruction of the last backward branch: what stands behind it runs once. Blocks are in the order
 * of their instructions, so that only backward branches lead back. */
bool vc4_qpu_may_pair(const struct vc4_qpu_program *program)
{
    uint32_t last = 0;

    if (!program->repeats || program->computed_branches || program->dynamic_uniforms)
        return false;
    for (uint32_t i = 0; i < program->block_count; i++) {
        const struct vc4_qpu_block *block = &program->blocks[i];

        if (block->branch == VC4_QPU_NO_OFFSET)
            continue;
        if (block->successor[1] == VC4_QPU_NO_OFFSET)
            return false;
        if (program->blocks[block->successor[1]].first <= block->branch && block->first + block->count > last)
            last = block->first + block->count;
    }
    for (uint32_t i = 0; i < program->sample_count; i++)
        if (program->samples[i].direct)
            return false;
    for (uint32_t i = 0; i < last; i++)
        if (touches_tile(&program->insns[i]))
            return false;
    return true;
}

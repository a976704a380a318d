/* A program as IR that may stop and go on: between two calls of the code its state is in a struct
 * vc4_qpu_machine, as the interpreter's is. Blocks are cut where a program may stop; a switch at the
 * beginning leads to where it goes on. */
#include <errno.h>
#include <stdlib.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"
#include "isa/vc4_qpu/machine.h"

#define FIELD(t, member)                                                                                     \
    jit_offset_const((t)->b, (t)->machine->pointer, offsetof(struct vc4_qpu_machine, member))

struct vc4_qpu_trans_machine {
    LLVMValueRef pointer;
    LLVMValueRef dispatch; /* the switch over the pc of blocks */
    LLVMValueRef resume;   /* the switch over the pc of instructions at which the program stopped */
    LLVMBasicBlockRef dispatch_block;
    LLVMValueRef stop_slot, pc_slot, taken_slot, target_slot;
    uint32_t counted; /* instructions before this one of the block are in the count */
    bool used[TRANS_REGS];
};

static LLVMValueRef offset_of(struct vc4_qpu_trans *t, unsigned reg)
{
    size_t at = reg < TRANS_B   ? offsetof(struct vc4_qpu_machine, state.a) + (reg - TRANS_A) * 64ull
                : reg < TRANS_R ? offsetof(struct vc4_qpu_machine, state.b) + (reg - TRANS_B) * 64ull
                                : offsetof(struct vc4_qpu_machine, state.r) + (reg - TRANS_R) * 64ull;
    return jit_offset_const(t->b, t->machine->pointer, at);
}

LLVMValueRef vc4_qpu_trans_link_base(struct vc4_qpu_trans *t)
{
    return jit_load(t->b, t->b->i32, FIELD(t, code), 4, false);
}

/* ---- which registers the program has ---- */

static void note_used(struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_program *p = t->program;
    bool *used = t->machine->used;

    for (unsigned i = TRANS_R; i < TRANS_REGS; i++)
        used[i] = true;
    for (uint32_t pc = 0; pc < p->insn_count; pc++) {
        const struct vc4_qpu_insn *insn = &p->insns[pc];
        for (unsigned i = 0; i < 32; i++) {
            used[TRANS_A + i] |= vc4_qpu_reads_a(insn, i);
            used[TRANS_B + i] |= vc4_qpu_reads_b(insn, i);
        }
        for (unsigned mul = 0; mul < 2; mul++) {
            struct vc4_qpu_write w = vc4_qpu_write_of(insn, mul);
            if (w.happens && w.waddr < 32)
                used[(w.file_b ? TRANS_B : TRANS_A) + w.waddr] = true;
        }
    }
}

/* ---- the function's beginning and end ---- */

static LLVMValueRef slot(struct vc4_qpu_trans *t, LLVMTypeRef type, LLVMValueRef first, unsigned align)
{
    LLVMValueRef s = jit_alloca(t->b, type, "slot");
    jit_store(t->b, first, s, align);
    return s;
}

static void load_slots(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMValueRef flags[3] = {FIELD(t, state.n), FIELD(t, state.z), FIELD(t, state.c)};
    struct vc4_qpu_trans_machine *m = t->machine;

    for (unsigned i = 0; i < TRANS_REGS; i++)
        if (m->used[i])
            t->slots[i] = slot(t, b->i32x16, jit_load(b, b->i32x16, offset_of(t, i), 64, false), 64);
    for (unsigned i = 0; i < 3; i++)
        t->flag_slots[i] =
            slot(t, b->i1x16, jit_mask_from_bits(b, jit_load(b, b->i16, flags[i], 2, false)), 2);
    t->uniforms_slot = slot(t, b->i32, jit_load(b, b->i32, FIELD(t, uniforms), 4, false), 4);
    t->fuel_slot = slot(t, b->i32, jit_load(b, b->i32, FIELD(t, slice), 4, false), 4);
    t->executed_slot = slot(t, b->i64, jit_load(b, b->i64, FIELD(t, executed), 8, false), 8);
    m->pc_slot = slot(t, b->i32, jit_load(b, b->i32, FIELD(t, pc), 4, false), 4);
    m->target_slot = slot(t, b->i32, jit_load(b, b->i32, FIELD(t, target), 4, false), 4);
    m->stop_slot = slot(t, b->i32, jit_i32(b, VC4_QPU_STOP_INTERPRET), 4);
    LLVMValueRef in = jit_load(b, b->i32, FIELD(t, branch_in), 4, false);
    m->taken_slot = slot(t, b->i1, LLVMBuildICmp(b->ir, LLVMIntNE, in, jit_i32(b, VC4_QPU_IDLE), ""), 1);
    jit_store(b, jit_i32(b, VC4_QPU_IDLE), FIELD(t, branch_in), 4);
    jit_store(b, jit_i32(b, VC4_QPU_IDLE), FIELD(t, branch_pc), 4);
    jit_store(b, jit_i32(b, VC4_QPU_IDLE), FIELD(t, end_in), 4);
}

static void store_slots(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;
    LLVMValueRef flags[3] = {FIELD(t, state.n), FIELD(t, state.z), FIELD(t, state.c)};
    struct vc4_qpu_trans_machine *m = t->machine;

    for (unsigned i = 0; i < TRANS_REGS; i++)
        if (m->used[i])
            jit_store(b, jit_load(b, b->i32x16, t->slots[i], 64, false), offset_of(t, i), 64);
    for (unsigned i = 0; i < 3; i++)
        jit_store(b, jit_mask_to_bits(b, jit_load(b, b->i1x16, t->flag_slots[i], 2, false)), flags[i], 2);
    jit_store(b, jit_load(b, b->i32, t->uniforms_slot, 4, false), FIELD(t, uniforms), 4);
    jit_store(b, jit_load(b, b->i32, t->fuel_slot, 4, false), FIELD(t, slice), 4);
    jit_store(b, jit_load(b, b->i64, t->executed_slot, 8, false), FIELD(t, executed), 8);
    jit_store(b, jit_load(b, b->i32, m->pc_slot, 4, false), FIELD(t, pc), 4);
    LLVMBuildRet(b->ir, jit_load(b, b->i32, m->stop_slot, 4, false));
}

/* ---- stopping ---- */

static void count(struct vc4_qpu_trans *t, uint32_t pc)
{
    struct vc4_qpu_trans_machine *m = t->machine;
    LLVMValueRef before = jit_load(t->b, t->b->i64, t->executed_slot, 8, false);

    jit_store(t->b, LLVMBuildAdd(t->b->ir, before, jit_i64(t->b, pc - m->counted), ""), t->executed_slot, 8);
    m->counted = pc;
}

static bool in_branch_slots(const struct vc4_qpu_block *block, uint32_t pc)
{
    return block->branch != VC4_QPU_NO_OFFSET && pc > block->branch;
}

/* What the interpreter would have counted down in the delay slot at hand. */
static void store_countdown(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    uint32_t last = block->first + block->count - 3;

    if (in_branch_slots(block, t->pc)) {
        LLVMValueRef taken = jit_load(b, b->i1, t->machine->taken_slot, 1, false);
        LLVMValueRef in = LLVMBuildSelect(b->ir, taken, jit_i32(b, block->branch + 4 - t->pc),
                                          jit_i32(b, VC4_QPU_IDLE), "");
        jit_store(b, in, FIELD(t, branch_in), 4);
        jit_store(b, jit_i32(b, block->branch), FIELD(t, branch_pc), 4);
        jit_store(b, jit_load(b, b->i32, t->machine->target_slot, 4, false), FIELD(t, target), 4);
    } else if (block->branch == VC4_QPU_NO_OFFSET && block->successor[0] == VC4_QPU_NO_OFFSET &&
               t->pc > last) {
        jit_store(b, jit_i32(b, last + 3 - t->pc), FIELD(t, end_in), 4);
    }
}

/* Ends the block at hand by a stop before the instruction at hand. All state is in the slots. */
static void leave(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block, enum vc4_qpu_stop stop)
{
    if (block)
        store_countdown(t, block);
    jit_store(t->b, jit_i32(t->b, t->pc), t->machine->pc_slot, 4);
    jit_store(t->b, jit_i32(t->b, stop), t->machine->stop_slot, 4);
    LLVMBuildBr(t->b->ir, t->exit);
}

static bool request_open(const struct vc4_qpu_trans *t)
{
    for (unsigned unit = 0; unit < 2; unit++)
        for (unsigned i = 0; i < 4; i++)
            if (t->tmu[unit].reg[i] || t->tmu[unit].params[i])
                return true;
    return false;
}

/* The state goes to the slots, and the instruction at hand begins a block of its own. */
static void cut(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;

    if (request_open(t))
        vc4_qpu_trans_fail(t, -ENOTSUP, "a stop while a texture request is being set up");
    vc4_qpu_trans_store_state(t);
    if (in_branch_slots(block, t->pc))
        jit_store(b, t->taken ? t->taken : LLVMConstInt(b->i1, 1, false), t->machine->taken_slot, 1);
    count(t, t->pc);
}

static void resume_here(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block, LLVMBasicBlockRef at)
{
    struct jit_builder *b = t->b;

    LLVMPositionBuilderAtEnd(b->ir, at);
    vc4_qpu_trans_forget_values(t);
    if (in_branch_slots(block, t->pc) && t->taken)
        t->taken = jit_load(b, b->i1, t->machine->taken_slot, 1, false);
}

void vc4_qpu_trans_machine_insn(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    bool sync = vc4_qpu_sync_of(t->insn), dma = vc4_qpu_starts_dma(t->insn);

    if (t->pc == block->first)
        t->machine->counted = block->first;
    if (t->ports->at)
        t->ports->at(t->ports->ctx, t->pc);
    if (!sync && !dma)
        return;
    LLVMBasicBlockRef stop = vc4_qpu_trans_new_block(t, "stop"), go = vc4_qpu_trans_new_block(t, "resume");
    cut(t, block);
    if (sync)
        LLVMBuildBr(b->ir, stop);
    else
        LLVMBuildCondBr(b->ir, t->ports->dma_waits(t->ports->ctx, b), stop, go);
    LLVMPositionBuilderAtEnd(b->ir, stop);
    leave(t, block, VC4_QPU_STOP_GATE);
    LLVMAddCase(t->machine->resume, jit_i32(b, t->pc), go);
    resume_here(t, block, go);
}

static const struct vc4_qpu_block *block_of(const struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_program *p = t->program;
    uint32_t i = 0;

    while (i + 1 < p->block_count && p->blocks[i + 1].first <= t->pc)
        i++;
    return &p->blocks[i];
}

void vc4_qpu_trans_machine_interpret(struct vc4_qpu_trans *t)
{
    cut(t, block_of(t));
    leave(t, block_of(t), VC4_QPU_STOP_INTERPRET);
}

/* ---- branches ---- */

/* The silicon takes element 15 (vc4asm's addendum). */
static LLVMValueRef branch_register(struct vc4_qpu_trans *t)
{
    struct vc4_qpu_value *v = vc4_qpu_trans_reg(t, TRANS_A + t->insn->branch_raddr);
    return LLVMBuildExtractElement(t->b->ir, vc4_qpu_trans_i(t, v), jit_i32(t->b, JIT_LANES - 1), "");
}

/* Where the branch at hand goes, an instruction's index; the interpreter gets those that go nowhere. */
void vc4_qpu_trans_machine_branch(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    const struct vc4_qpu_insn *insn = t->insn;

    if (!insn->branch_reg && insn->branch_rel && block->successor[1] != VC4_QPU_NO_OFFSET) {
        jit_store(b, jit_i32(b, t->program->blocks[block->successor[1]].first), t->machine->target_slot, 4);
        return;
    }
    LLVMValueRef taken = t->taken, target = jit_i32(b, insn->imm);
    if (insn->branch_rel)
        target = LLVMBuildAdd(b->ir, target, jit_i32(b, (t->pc + 4) * 8), "");
    else
        target = LLVMBuildSub(b->ir, target, vc4_qpu_trans_link_base(t), "");
    if (insn->branch_reg)
        target = LLVMBuildAdd(b->ir, target, branch_register(t), "");
    LLVMValueRef odd =
        LLVMBuildICmp(b->ir, LLVMIntNE, LLVMBuildAnd(b->ir, target, jit_i32(b, 7), ""), jit_i32(b, 0), "");
    LLVMValueRef index = LLVMBuildLShr(b->ir, target, jit_i32(b, 3), "");
    LLVMValueRef outside = LLVMBuildICmp(b->ir, LLVMIntUGE, index, jit_i32(b, t->program->insn_count), "");
    LLVMValueRef bad = LLVMBuildOr(b->ir, odd, outside, "");
    if (taken)
        bad = LLVMBuildAnd(b->ir, bad, taken, "");
    LLVMBasicBlockRef stop = vc4_qpu_trans_new_block(t, "nowhere"), go = vc4_qpu_trans_new_block(t, "branch");
    cut(t, block);
    LLVMBuildCondBr(b->ir, bad, stop, go);
    LLVMPositionBuilderAtEnd(b->ir, stop);
    leave(t, block, VC4_QPU_STOP_INTERPRET);
    LLVMPositionBuilderAtEnd(b->ir, go);
    jit_store(b, index, t->machine->target_slot, 4);
    vc4_qpu_trans_forget_values(t);
    t->taken = taken;
}

/* Pays for a jump back; `to` is an i32. */
static void pay(struct vc4_qpu_trans *t, uint32_t branch, LLVMValueRef to)
{
    struct jit_builder *b = t->b;
    LLVMValueRef back = LLVMBuildICmp(b->ir, LLVMIntULE, to, jit_i32(b, branch), "");
    LLVMValueRef cost = LLVMBuildSub(b->ir, jit_i32(b, branch + 4), to, "");
    LLVMValueRef slice = jit_load(b, b->i32, t->fuel_slot, 4, false);

    cost = LLVMBuildSelect(b->ir, back, cost, jit_i32(b, 0), "");
    LLVMValueRef empty = LLVMBuildICmp(b->ir, LLVMIntULT, slice, cost, "");
    LLVMBasicBlockRef yield = vc4_qpu_trans_new_block(t, "yield"), go = vc4_qpu_trans_new_block(t, "jump");
    LLVMBuildCondBr(b->ir, empty, yield, go);
    LLVMPositionBuilderAtEnd(b->ir, yield);
    jit_store(b, jit_i32(b, 0), t->fuel_slot, 4);
    jit_store(b, jit_i32(b, VC4_QPU_STOP_YIELD), t->machine->stop_slot, 4);
    LLVMBuildBr(b->ir, t->exit);
    LLVMPositionBuilderAtEnd(b->ir, go);
    jit_store(b, LLVMBuildSub(b->ir, slice, cost, ""), t->fuel_slot, 4);
}

static void jump(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    const struct vc4_qpu_insn *insn = &t->program->insns[block->branch];
    bool known = !insn->branch_reg && insn->branch_rel;
    LLVMValueRef to = known ? jit_i32(b, t->program->blocks[block->successor[1]].first)
                            : jit_load(b, b->i32, t->machine->target_slot, 4, false);

    jit_store(b, to, t->machine->pc_slot, 4);
    pay(t, block->branch, to);
    LLVMBuildBr(b->ir, known ? t->blocks[block->successor[1]] : t->machine->dispatch_block);
}

void vc4_qpu_trans_machine_end_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    bool ends = block->branch == VC4_QPU_NO_OFFSET && block->successor[0] == VC4_QPU_NO_OFFSET;

    if (request_open(t))
        vc4_qpu_trans_fail(t, -ENOTSUP, "a texture request is being set up where control joins or parts");
    vc4_qpu_trans_store_state(t);
    count(t, block->first + block->count);
    if (ends) {
        jit_store(b, jit_i32(b, VC4_QPU_STOP_END), t->machine->stop_slot, 4);
        LLVMBuildBr(b->ir, t->exit);
        return;
    }
    if (block->branch == VC4_QPU_NO_OFFSET) {
        LLVMBuildBr(b->ir, t->blocks[block->successor[0]]);
        return;
    }
    bool nowhere = block->successor[1] == VC4_QPU_NO_OFFSET && t->program->insns[block->branch].branch_rel &&
                   !t->program->insns[block->branch].branch_reg;
    LLVMBasicBlockRef yes = vc4_qpu_trans_new_block(t, "taken");
    if (t->taken)
        LLVMBuildCondBr(b->ir, t->taken, yes, t->blocks[block->successor[0]]);
    else
        LLVMBuildBr(b->ir, yes);
    LLVMPositionBuilderAtEnd(b->ir, yes);
    if (nowhere) /* the interpreter took it */
        LLVMBuildUnreachable(b->ir);
    else
        jump(t, block);
}

/* ---- the whole ---- */

/* Instructions that stand in two blocks could not be told apart by their pc. */
static bool overlaps(const struct vc4_qpu_program *p)
{
    for (uint32_t i = 0; i + 1 < p->block_count; i++)
        if (p->blocks[i].first + p->blocks[i].count > p->blocks[i + 1].first)
            return true;
    return false;
}

static void translate(struct vc4_qpu_trans *t, LLVMValueRef granted)
{
    struct jit_builder *b = t->b;
    struct vc4_qpu_trans_machine *m = t->machine;
    const struct vc4_qpu_program *p = t->program;

    note_used(t);
    vc4_qpu_trans_prepare_blocks(t);
    if (t->failed)
        return;
    load_slots(t);
    m->dispatch_block = vc4_qpu_trans_new_block(t, "dispatch");
    LLVMBasicBlockRef resume = vc4_qpu_trans_new_block(t, "resume");
    LLVMBuildCondBr(b->ir, granted, resume, m->dispatch_block);
    LLVMPositionBuilderAtEnd(b->ir, resume);
    m->resume = LLVMBuildSwitch(b->ir, jit_load(b, b->i32, m->pc_slot, 4, false), t->exit, p->block_count);
    LLVMPositionBuilderAtEnd(b->ir, m->dispatch_block);
    jit_store(b, jit_i32(b, VC4_QPU_STOP_INTERPRET), m->stop_slot, 4);
    m->dispatch = LLVMBuildSwitch(b->ir, jit_load(b, b->i32, m->pc_slot, 4, false), t->exit, p->block_count);
    for (uint32_t i = 0; i < p->block_count; i++)
        LLVMAddCase(m->dispatch, jit_i32(b, p->blocks[i].first), t->blocks[i]);
    vc4_qpu_trans_each_block(t);
    LLVMPositionBuilderAtEnd(b->ir, t->exit);
    store_slots(t);
}

int vc4_qpu_translate_machine(struct jit_builder *b, const struct vc4_qpu_program *program,
                              LLVMValueRef machine, LLVMValueRef granted, enum isa_numeric numeric,
                              const struct vc4_qpu_ir_ports *ports, struct util_error *error)
{
    struct vc4_qpu_trans_machine m = {.pointer = machine};
    struct vc4_qpu_ir_start start = {.numeric = numeric};
    struct vc4_qpu_trans *t = calloc(1, sizeof *t);

    if (!t)
        return util_fail(error, -ENOMEM, "out of memory");
    *t = (struct vc4_qpu_trans){
        .b = b, .program = program, .start = &start, .ports = ports, .error = error, .machine = &m};
    t->exact = numeric == ISA_EXACT;
    t->zero = vc4_qpu_trans_imm(t, 0);
    start.qpu_number = jit_load(b, b->i32, FIELD(t, qpu_number), 4, false);
    if (overlaps(program))
        vc4_qpu_trans_fail(t, -ENOTSUP, "a branch leads into the delay slots of another");
    if (program->insn_count > TRANS_MAX_INSNS)
        vc4_qpu_trans_fail(t, -ENOTSUP, "too long to translate");
    if (!t->failed)
        translate(t, granted);
    int result = t->failed;
    vc4_qpu_trans_free_values(t);
    free(t->blocks);
    free(t->taken_at);
    free(t->varyings_at);
    free(t);
    return result;
}

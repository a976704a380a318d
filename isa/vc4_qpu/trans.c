/* A program as IR: state between blocks, branches, the end. */
#include "isa/vc4_qpu/trans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/vc4_qpu/program_internal.h"
#include "isa/vc4_qpu/trans_internal.h"

LLVMBasicBlockRef vc4_qpu_trans_new_block(struct vc4_qpu_trans *t, const char *name)
{
    return LLVMAppendBasicBlockInContext(t->b->context, t->b->function, name);
}

static LLVMValueRef fault_value(struct vc4_qpu_trans *t, enum vc4_qpu_fault fault, unsigned lane)
{
    return jit_i32(t->b, isa_fault_pack(fault, lane, t->pc));
}

/* Registers, flags and the uniform address go to their slots, for the next block or the caller. */
void vc4_qpu_trans_store_state(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;

    if (t->straight)
        return;
    for (unsigned i = 0; i < TRANS_REGS; i++)
        if (t->dirty[i])
            jit_store(b, vc4_qpu_trans_i(t, t->regs[i]), t->slots[i], 64);
    vc4_qpu_trans_store_choices(t);
    if (t->flags_dirty) {
        LLVMValueRef flags[3] = {vc4_qpu_trans_flag_n(t), vc4_qpu_trans_flag_z(t), vc4_qpu_trans_flag_c(t)};
        for (unsigned i = 0; i < 3; i++)
            jit_store(b, flags[i], t->flag_slots[i], 2);
    }
    if (t->uniforms) {
        LLVMValueRef at = LLVMBuildAdd(b->ir, t->uniforms, jit_i32(b, t->uniform_bytes), "");
        jit_store(b, at, t->uniforms_slot, 4);
    }
}

void vc4_qpu_trans_fault(struct vc4_qpu_trans *t, enum vc4_qpu_fault fault, unsigned lane)
{
    LLVMValueRef value = fault_value(t, fault, lane);

    if (t->stopped)
        return;
    t->stopped = t->stops = true;
    if (t->machine) {
        vc4_qpu_trans_machine_interpret(t);
        return;
    }
    if (t->straight) {
        t->fault = value;
        return;
    }
    vc4_qpu_trans_store_state(t);
    jit_store(t->b, value, t->fault_slot, 4);
    LLVMBuildBr(t->b->ir, t->exit);
}

/* Slots for what lives between blocks, and their first values. */
static void make_slots(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;

    for (unsigned i = 0; i < TRANS_REGS; i++) {
        t->slots[i] = jit_alloca(b, b->i32x16, "reg");
        jit_store(b, vc4_qpu_trans_i(t, t->regs[i] ? t->regs[i] : t->zero), t->slots[i], 64);
    }
    for (unsigned i = 0; i < 3; i++) {
        t->flag_slots[i] = jit_alloca(b, b->i1x16, "flag");
        jit_store(b, LLVMConstNull(b->i1x16), t->flag_slots[i], 2);
    }
    t->uniforms_slot = jit_alloca(b, b->i32, "uniforms");
    jit_store(b, t->start->uniforms, t->uniforms_slot, 4);
    t->fuel_slot = jit_alloca(b, b->i32, "fuel");
    jit_store(b, t->start->fuel, t->fuel_slot, 4);
    t->fault_slot = jit_alloca(b, b->i32, "fault");
    jit_store(b, jit_i32(b, 0), t->fault_slot, 4);
    t->executed_slot = jit_alloca(b, b->i64, "executed");
    jit_store(b, jit_i64(b, 0), t->executed_slot, 8);
}

/* A block that ends has run whole; one that faults does not count. */
void vc4_qpu_trans_count_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    LLVMValueRef before = jit_load(t->b, t->b->i64, t->executed_slot, 8, false);
    LLVMValueRef after = LLVMBuildAdd(t->b->ir, before, jit_i64(t->b, block->count), "");

    jit_store(t->b, after, t->executed_slot, 8);
}

static void begin_program(struct vc4_qpu_trans *t)
{
    t->zero = vc4_qpu_trans_imm(t, 0);
    if (t->start->ra15) {
        t->regs[TRANS_A + 15] = vc4_qpu_trans_int(t, jit_as_i32(t->b, t->start->ra15));
        t->regs[TRANS_A + 15]->clean |= t->ports->clean_varyings && !t->exact;
    }
    if (t->start->rb15)
        t->regs[TRANS_B + 15] = vc4_qpu_trans_int(t, jit_as_i32(t->b, t->start->rb15));
    t->flags.n = t->flags.z = t->flags.c = LLVMConstNull(t->b->i1x16);
    t->uniforms = t->start->uniforms;
    t->fault = jit_i32(t->b, 0);
    if (t->straight)
        return;
    t->facts = vc4_qpu_trans_facts_find(t);
    if (!t->facts)
        return;
    make_slots(t);
    vc4_qpu_trans_make_choices(t);
}

void vc4_qpu_trans_forget_values(struct vc4_qpu_trans *t)
{
    LLVMValueRef *flags[3] = {&t->flags.n, &t->flags.z, &t->flags.c};

    memset(t->regs, 0, sizeof t->regs);
    memset(t->dirty, 0, sizeof t->dirty);
    memset(t->tmu, 0, sizeof t->tmu);
    t->zero = vc4_qpu_trans_imm(t, 0); /* nodes carry what was made of them in their block */
    t->flags = (struct vc4_qpu_trans_flags){0};
    for (unsigned i = 0; i < 3; i++)
        *flags[i] = jit_load(t->b, t->b->i1x16, t->flag_slots[i], 2, false);
    t->flags_dirty = false;
    t->uniforms = NULL;
    t->uniform_bytes = 0;
}

void vc4_qpu_trans_begin_block(struct vc4_qpu_trans *t, uint32_t number)
{
    t->stopped = false;
    t->taken = NULL;
    t->number = number;
    if (t->straight)
        return;
    vc4_qpu_trans_forget_values(t);
    t->varyings = t->varyings_at[number];
}

static bool link_register(unsigned waddr)
{
    return waddr < 32 || (waddr >= VC4_QPU_W_ACC0 && waddr <= VC4_QPU_W_ACC3) || waddr == VC4_QPU_W_NOP;
}

/* The link address is written when the branch is taken; `taken` is i1, NULL for always. */
static void write_link(struct vc4_qpu_trans *t, LLVMValueRef taken)
{
    const struct vc4_qpu_insn *insn = t->insn;
    LLVMValueRef mask = taken ? jit_splat(t->b, taken) : NULL;

    if (!link_register(insn->waddr_add) || !link_register(insn->waddr_mul)) {
        vc4_qpu_trans_fail(t, -ENOTSUP, "a link address to a port");
        return;
    }
    struct vc4_qpu_value *link = vc4_qpu_trans_imm(t, (t->pc + 4) * 8);
    if (t->machine)
        link = vc4_qpu_trans_scalar(
            t, LLVMBuildAdd(t->b->ir, vc4_qpu_trans_link_base(t), jit_i32(t->b, (t->pc + 4) * 8), ""), false);
    vc4_qpu_trans_write(t, insn->ws, insn->waddr_add, link, mask);
    vc4_qpu_trans_write(t, !insn->ws, insn->waddr_mul, link, mask);
}

/* Leads the builder's block to where a taken branch goes. */
void vc4_qpu_trans_take_branch(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    struct jit_builder *b = t->b;
    uint32_t target = block->successor[1], cost;

    t->pc = block->branch;
    if (t->program->blocks[target].first > block->branch) {
        LLVMBuildBr(b->ir, t->blocks[target]);
        return;
    }
    cost = block->branch + 4 - t->program->blocks[target].first;
    LLVMBasicBlockRef go = vc4_qpu_trans_new_block(t, "back"), empty = vc4_qpu_trans_new_block(t, "fuel");
    LLVMValueRef fuel = jit_load(b, b->i32, t->fuel_slot, 4, false);
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, fuel, jit_i32(b, cost), ""), empty, go);
    LLVMPositionBuilderAtEnd(b->ir, empty);
    jit_store(b, fault_value(t, VC4_QPU_FAULT_FUEL, 0), t->fault_slot, 4);
    LLVMBuildBr(b->ir, t->exit);
    LLVMPositionBuilderAtEnd(b->ir, go);
    jit_store(b, LLVMBuildSub(b->ir, fuel, jit_i32(b, cost), ""), t->fuel_slot, 4);
    LLVMBuildBr(b->ir, t->blocks[target]);
}

void vc4_qpu_trans_leave_block(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    bool ends = block->branch == VC4_QPU_NO_OFFSET && block->successor[0] == VC4_QPU_NO_OFFSET;

    if (!ends && (t->tmu[0].result_count || t->tmu[1].result_count))
        vc4_qpu_trans_fail(t, -ENOTSUP, "texture results wait where control joins or parts");
    vc4_qpu_trans_store_state(t);
}

static void end_block(struct vc4_qpu_trans *t, uint32_t number)
{
    const struct vc4_qpu_block *block = &t->program->blocks[number];

    if (t->straight || t->stopped)
        return;
    if (t->machine) {
        vc4_qpu_trans_machine_end_block(t, block);
        return;
    }
    vc4_qpu_trans_leave_block(t, block);
    vc4_qpu_trans_count_block(t, block);
    if (block->branch == VC4_QPU_NO_OFFSET || block->successor[1] == VC4_QPU_NO_OFFSET) {
        bool ends = block->successor[0] == VC4_QPU_NO_OFFSET;

        LLVMBuildBr(t->b->ir, ends ? t->exit : t->blocks[block->successor[0]]);
        return;
    }
    t->taken_at[number] = vc4_qpu_trans_new_block(t, "taken");
    if (t->taken)
        LLVMBuildCondBr(t->b->ir, t->taken, t->taken_at[number], t->blocks[block->successor[0]]);
    else
        LLVMBuildBr(t->b->ir, t->taken_at[number]);
    LLVMPositionBuilderAtEnd(t->b->ir, t->taken_at[number]);
    vc4_qpu_trans_take_branch(t, block);
}

/* A taken branch out of the program faults where it stands: its delay slots do not run. */
static void branch_nowhere(struct vc4_qpu_trans *t)
{
    struct jit_builder *b = t->b;

    if (!t->taken) {
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_PC, 0);
        return;
    }
    LLVMBasicBlockRef nowhere = vc4_qpu_trans_new_block(t, "nowhere"), on = vc4_qpu_trans_new_block(t, "on");
    vc4_qpu_trans_store_state(t); /* before the ways part: what it makes of values holds on both */
    LLVMBuildCondBr(b->ir, t->taken, nowhere, on);
    LLVMPositionBuilderAtEnd(b->ir, nowhere);
    jit_store(b, fault_value(t, VC4_QPU_FAULT_PC, 0), t->fault_slot, 4);
    LLVMBuildBr(b->ir, t->exit);
    LLVMPositionBuilderAtEnd(b->ir, on);
}

static void branch(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block)
{
    t->taken = vc4_qpu_trans_branch_cond(t, t->insn->branch_cond);
    if (!t->machine && block->successor[1] == VC4_QPU_NO_OFFSET) {
        branch_nowhere(t);
        return;
    }
    if (t->machine)
        vc4_qpu_trans_machine_branch(t, block);
    write_link(t, t->taken);
}

/* A branch here is in the delay slots of another, or of the program's end. */
static bool in_delay_slots(const struct vc4_qpu_program *p, const struct vc4_qpu_block *block, uint32_t pc)
{
    if (block->branch != VC4_QPU_NO_OFFSET)
        return pc > block->branch;
    return true;
}

void vc4_qpu_trans_step(struct vc4_qpu_trans *t, const struct vc4_qpu_block *block, uint32_t pc)
{
    if (t->stopped || t->failed)
        return;
    t->pc = pc;
    t->insn = &t->program->insns[pc];
    if (t->machine)
        vc4_qpu_trans_machine_insn(t, block);
    if (t->failed)
        return;
    if (t->insn->kind != VC4_QPU_BRANCH) {
        vc4_qpu_trans_insn(t);
    } else if (in_delay_slots(t->program, block, pc) ||
               (t->insn->branch_cond > VC4_QPU_BR_ANY_CC && t->insn->branch_cond != VC4_QPU_BR_ALWAYS)) {
        vc4_qpu_trans_fault(t, VC4_QPU_FAULT_RESERVED, 0);
    } else {
        branch(t, block);
    }
}

static void translate_block(struct vc4_qpu_trans *t, uint32_t number)
{
    const struct vc4_qpu_block *block = &t->program->blocks[number];

    if (!t->straight)
        LLVMPositionBuilderAtEnd(t->b->ir, t->blocks[number]);
    vc4_qpu_trans_begin_block(t, number);
    for (uint32_t pc = block->first; pc < block->first + block->count; pc++)
        vc4_qpu_trans_step(t, block, pc);
    if (!t->failed)
        end_block(t, number);
}

/* Varyings come in order: how many were read must not depend on the path. */
static void count_varyings(struct vc4_qpu_trans *t, uint32_t *stack)
{
    const struct vc4_qpu_program *p = t->program;
    uint32_t depth = 1;

    memset(t->varyings_at, 0xff, p->block_count * sizeof *t->varyings_at);
    t->varyings_at[0] = stack[0] = 0;
    while (depth) {
        uint32_t number = stack[--depth];
        const struct vc4_qpu_block *block = &p->blocks[number];
        uint32_t after = t->varyings_at[number];
        for (uint32_t pc = block->first; pc < block->first + block->count; pc++)
            after += vc4_qpu_reads(&p->insns[pc], VC4_QPU_R_VARYING);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t to = block->successor[k];
            if (to == VC4_QPU_NO_OFFSET)
                continue;
            if (t->varyings_at[to] == VC4_QPU_NO_OFFSET) {
                t->varyings_at[to] = after;
                stack[depth++] = to;
            } else if (t->varyings_at[to] != after) {
                vc4_qpu_trans_fail(t, -ENOTSUP, "paths read different numbers of varyings");
            }
        }
    }
}

/* Makes the blocks and what is known of them before translation. */
void vc4_qpu_trans_prepare_blocks(struct vc4_qpu_trans *t)
{
    const struct vc4_qpu_program *p = t->program;
    uint32_t *stack = calloc(p->block_count, sizeof *stack);

    t->blocks = calloc(p->block_count, sizeof *t->blocks);
    t->taken_at = calloc(p->block_count, sizeof *t->taken_at);
    t->varyings_at = calloc(p->block_count, sizeof *t->varyings_at);
    if (stack && t->blocks && t->taken_at && t->varyings_at)
        count_varyings(t, stack);
    else
        vc4_qpu_trans_fail(t, -ENOMEM, "out of memory");
    free(stack);
    if (t->failed)
        return;
    for (uint32_t i = 0; i < p->block_count; i++)
        t->blocks[i] = vc4_qpu_trans_new_block(t, "block");
    t->exit = vc4_qpu_trans_new_block(t, "end");
}

void vc4_qpu_trans_each_block(struct vc4_qpu_trans *t)
{
    for (uint32_t i = 0; i < t->program->block_count && !t->failed; i++)
        translate_block(t, i);
}

static void translate_blocks(struct vc4_qpu_trans *t)
{
    vc4_qpu_trans_prepare_blocks(t);
    if (t->failed)
        return;
    LLVMBuildBr(t->b->ir, t->blocks[0]);
    vc4_qpu_trans_each_block(t);
    LLVMPositionBuilderAtEnd(t->b->ir, t->exit);
    t->fault = jit_load(t->b, t->b->i32, t->fault_slot, 4, false);
    t->executed = jit_load(t->b, t->b->i64, t->executed_slot, 8, false);
}

static LLVMValueRef final_reg(struct vc4_qpu_trans *t, unsigned reg)
{
    if (t->straight)
        return vc4_qpu_trans_i(t, vc4_qpu_trans_reg(t, reg));
    return jit_load(t->b, t->b->i32x16, t->slots[reg], 64, false);
}

static void final_state(struct vc4_qpu_trans *t, struct vc4_qpu_ir_state *state)
{
    LLVMValueRef *flags[3] = {&state->n, &state->z, &state->c};

    for (unsigned i = 0; i < 32; i++) {
        state->a[i] = final_reg(t, TRANS_A + i);
        state->b[i] = final_reg(t, TRANS_B + i);
    }
    for (unsigned i = 0; i < 6; i++)
        state->r[i] = final_reg(t, TRANS_R + i);
    if (t->straight) {
        state->n = vc4_qpu_trans_flag_n(t);
        state->z = vc4_qpu_trans_flag_z(t);
        state->c = vc4_qpu_trans_flag_c(t);
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        *flags[i] = jit_load(t->b, t->b->i1x16, t->flag_slots[i], 2, false);
}

bool vc4_qpu_is_straight(const struct vc4_qpu_program *program)
{
    return program->block_count == 1 && program->blocks[0].branch == VC4_QPU_NO_OFFSET;
}

struct vc4_qpu_trans *vc4_qpu_trans_open(struct jit_builder *b, const struct vc4_qpu_program *program,
                                         const struct vc4_qpu_ir_run *run, struct util_error *error)
{
    struct vc4_qpu_trans *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    *t = (struct vc4_qpu_trans){
        .b = b, .program = program, .start = run->start, .ports = run->ports, .error = error};
    t->straight = vc4_qpu_is_straight(program);
    t->side_exit = t->straight ? run->side_exit : NULL;
    t->exact = t->start->numeric == ISA_EXACT;
    if (t->side_exit && !t->exact)
        vc4_qpu_trans_loose_plan(t);
    t->masks = b->level >= JIT_AVX512;
    t->executed = jit_i64(b, program->insn_count);
    if (program->computed_branches)
        vc4_qpu_trans_fail(t, -ENOTSUP, "computed branches are not translated");
    if (program->insn_count > TRANS_MAX_INSNS)
        vc4_qpu_trans_fail(t, -ENOTSUP, "too long to translate");
    if (!t->failed)
        begin_program(t);
    return t;
}

void vc4_qpu_trans_close(struct vc4_qpu_trans *t)
{
    if (!t)
        return;
    vc4_qpu_trans_free_values(t);
    free(t->blocks);
    free(t->taken_at);
    free(t->varyings_at);
    free(t->facts);
    free(t->exactly);
    free(t);
}

static void translate(struct vc4_qpu_trans *t)
{
    if (t->failed)
        return;
    if (t->straight)
        translate_block(t, 0);
    else
        translate_blocks(t);
}

int vc4_qpu_translate_state(struct jit_builder *b, const struct vc4_qpu_program *program,
                            const struct vc4_qpu_ir_start *start, const struct vc4_qpu_ir_ports *ports,
                            LLVMValueRef *fault, struct vc4_qpu_ir_state *state, struct util_error *error)
{
    const struct vc4_qpu_ir_run run = {.start = start, .ports = ports};
    struct vc4_qpu_trans *t = vc4_qpu_trans_open(b, program, &run, error);

    if (!t)
        return util_fail(error, -ENOMEM, "out of memory");
    translate(t);
    if (!t->failed && state)
        final_state(t, state);
    int result = t->failed;
    *fault = t->fault;
    vc4_qpu_trans_close(t);
    return result;
}

/* The runs of a straight program side by side. Returns as vc4_qpu_translate_runs does. */
static int translate_straight(struct vc4_qpu_trans *const *ts, unsigned count)
{
    const struct vc4_qpu_block *block = &ts[0]->program->blocks[0];
    LLVMValueRef fit = NULL;
    int result = 0;

    for (unsigned i = 0; i < count; i++) {
        ts[i]->fit = &fit;
        vc4_qpu_trans_begin_block(ts[i], 0);
    }
    for (uint32_t pc = block->first; pc < block->first + block->count; pc++) {
        vc4_qpu_trans_side_exit(ts, count, &ts[0]->program->insns[pc]);
        for (unsigned i = 0; i < count; i++)
            vc4_qpu_trans_step(ts[i], block, pc);
    }
    vc4_qpu_trans_side_exit(ts, count, NULL);
    for (unsigned i = 0; i < count && !result; i++)
        result = ts[i]->failed;
    return result;
}

int vc4_qpu_translate_runs(struct jit_builder *b, const struct vc4_qpu_program *program,
                           struct vc4_qpu_ir_run *runs, unsigned count, struct util_error *error)
{
    struct vc4_qpu_trans **ts = calloc(count, sizeof *ts);
    bool straight = vc4_qpu_is_straight(program);
    int result = ts ? 0 : util_fail(error, -ENOMEM, "out of memory");

    for (unsigned i = 0; i < count && !result; i++) {
        ts[i] = vc4_qpu_trans_open(b, program, &runs[i], error);
        if (!ts[i])
            result = util_fail(error, -ENOMEM, "out of memory");
        else if (!straight)
            translate(ts[i]);
        result = result ? result : ts[i]->failed;
    }
    if (!result && straight)
        result = translate_straight(ts, count);
    for (unsigned i = 0; ts && i < count; i++) {
        if (ts[i]) {
            runs[i].fault = ts[i]->fault;
            runs[i].executed = ts[i]->executed;
            runs[i].stops = ts[i]->stops;
        }
        vc4_qpu_trans_close(ts[i]);
    }
    free(ts);
    return result;
}

int vc4_qpu_translate(struct jit_builder *b, const struct vc4_qpu_program *program,
                      const struct vc4_qpu_ir_start *start, const struct vc4_qpu_ir_ports *ports,
                      LLVMValueRef *fault, struct util_error *error)
{
    return vc4_qpu_translate_state(b, program, start, ports, fault, NULL, error);
}

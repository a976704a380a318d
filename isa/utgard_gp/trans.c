/* Blocks. What an instruction leaves for later ones stands in slots between blocks; inside a block it is
 * plain values, computed for all lanes, of which the block's own go back into the slots. */
#include "isa/utgard_gp/trans.h"

#include <errno.h>
#include <string.h>

#include "isa/utgard_gp/trans_internal.h"

/* A machine whose every value is a slot, or NULL where the value is the same wherever the program is. */
struct slots {
    struct utgard_gp_trans_machine at;
};

typedef void (*value_fn)(struct utgard_gp_trans *t, LLVMValueRef *value, LLVMValueRef *slot);

/* Calls `fn` for each value of the machine that may differ from block to block. */
static void each_value(struct utgard_gp_trans *t, struct slots *slots, value_fn fn)
{
    struct utgard_gp_trans_machine *m = &t->now, *s = &slots->at;
    for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned k = 0; t->written[n][c] && k < TRANS_REGISTER_DELAY; k++)
                fn(t, &m->reg[n][c].at[k], &s->reg[n][c].at[k]);
    for (unsigned n = 0; (t->program->indexed || t->program->stores_temporaries) && n < 4; n++)
        for (unsigned k = 0; k < (n ? TRANS_MEMORY_DELAY : 1); k++)
            fn(t, &m->addr[n].at[k], &s->addr[n].at[k]);
    LLVMValueRef *value = (LLVMValueRef *)&m->last, *slot = (LLVMValueRef *)&s->last;
    for (size_t k = 0; k < sizeof m->last / sizeof *value; k++)
        fn(t, &value[k], &slot[k]);
    value = (LLVMValueRef *)&m->before, slot = (LLVMValueRef *)&s->before;
    for (size_t k = 0; k < sizeof m->before / sizeof *value; k++)
        fn(t, &value[k], &slot[k]);
    for (unsigned k = 0; t->program->stores_temporaries && k < TRANS_MEMORY_DELAY; k++) {
        fn(t, &m->late[k].place, &s->late[k].place);
        fn(t, &m->late[k].mask, &s->late[k].mask);
        for (unsigned c = 0; c < 4; c++)
            fn(t, &m->late[k].value[c], &s->late[k].value[c]);
    }
}

static void make_slot(struct utgard_gp_trans *t, LLVMValueRef *value, LLVMValueRef *slot)
{
    (void)value;
    *slot = jit_alloca(t->b, t->b->i32x16, "state");
    LLVMBuildStore(t->b->ir, jit_splat_u32(t->b, 0), *slot);
}

static void load_slot(struct utgard_gp_trans *t, LLVMValueRef *value, LLVMValueRef *slot)
{
    *value = LLVMBuildLoad2(t->b->ir, t->b->i32x16, *slot, "");
}

static void store_slot(struct utgard_gp_trans *t, LLVMValueRef *value, LLVMValueRef *slot)
{
    jit_diverge_set(t->b, *slot, *value ? *value : jit_splat_u32(t->b, 0), t->mask);
}

static void begin_machine(struct utgard_gp_trans *t)
{
    LLVMValueRef zero = jit_splat_u32(t->b, 0);
    memset(&t->now, 0, sizeof t->now);
    for (unsigned n = 0; n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            for (unsigned k = 0; k < TRANS_MEMORY_DELAY; k++)
                t->now.reg[n][c].at[k] = zero;
    for (unsigned n = 0; n < 4; n++)
        for (unsigned k = 0; k < TRANS_MEMORY_DELAY; k++)
            t->now.addr[n].at[k] = zero;
    LLVMValueRef *value = (LLVMValueRef *)&t->now.last;
    for (size_t k = 0; k < sizeof t->now.last / sizeof *value; k++)
        value[k] = zero;
    t->now.before = t->now.last;
}

/* Masks between blocks are words, and components a store leaves alone are told by bits of one of them: the
 * mask of late store k has lane masks of its components, 0 where there is none. */
static void masks_to_words(struct utgard_gp_trans *t)
{
    for (unsigned k = 0; k < TRANS_MEMORY_DELAY; k++) {
        struct utgard_gp_trans_late *late = &t->now.late[k];
        uint32_t components = 0;
        for (unsigned c = 0; late->place && c < 4; c++)
            components |= late->value[c] ? 1u << c : 0;
        if (late->place && LLVMTypeOf(late->mask) == t->b->i1x16)
            late->mask =
                jit_select(t->b, late->mask, jit_splat_u32(t->b, components), jit_splat_u32(t->b, 0));
    }
}

/* Late stores of the blocks before: each component by itself, since paths differ in what they store. */
static void arrive_from_before(struct utgard_gp_trans *t, struct utgard_gp_trans_late *late)
{
    struct jit_builder *b = t->b;
    struct utgard_gp_trans_late saved = t->now.late[0];
    for (unsigned c = 0; c < 4; c++) {
        LLVMValueRef bit = LLVMBuildAnd(b->ir, late->mask, jit_splat_u32(b, 1u << c), "");
        struct utgard_gp_trans_late one = {.place = late->place};
        one.mask = LLVMBuildICmp(b->ir, LLVMIntNE, bit, jit_splat_u32(b, 0), "");
        one.mask = LLVMBuildAnd(b->ir, one.mask, t->mask, "");
        one.value[c] = late->value[c];
        t->now.late[0] = one;
        struct utgard_gp_trans_late rest[TRANS_MEMORY_DELAY];
        memcpy(rest, t->now.late, sizeof rest);
        utgard_gp_trans_arrive(t);
        memcpy(t->now.late, rest, sizeof rest);
    }
    t->now.late[0] = saved;
}

static void emit_block(struct utgard_gp_trans *t, struct slots *slots, const struct utgard_gp_block *block,
                       LLVMValueRef *condition)
{
    struct utgard_gp_trans_late before[TRANS_MEMORY_DELAY] = {{0}};
    bool late = t->program->stores_temporaries && !t->whole;
    if (!t->whole)
        each_value(t, slots, load_slot);
    if (late) {
        memcpy(before, t->now.late, sizeof before);
        memset(t->now.late, 0, sizeof t->now.late);
    }
    for (uint32_t n = 0; n < block->count; n++) {
        if (late && n < TRANS_MEMORY_DELAY)
            arrive_from_before(t, &before[n]);
        *condition = utgard_gp_trans_insn(t, block->first + n);
    }
    if (late) { /* what a short block did not wait for goes on */
        masks_to_words(t);
        for (uint32_t n = block->count; n < TRANS_MEMORY_DELAY; n++)
            t->now.late[n - block->count] = before[n];
    }
    if (!t->whole)
        each_value(t, slots, store_slot);
}

/* Lanes that take a branch backward pay for it, or stop. */
static LLVMValueRef pay(struct utgard_gp_trans *t, LLVMValueRef fuel, LLVMValueRef taken, uint32_t pc,
                        uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, fuel, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef enough = LLVMBuildICmp(b->ir, LLVMIntUGE, left, price, "");
    utgard_gp_trans_fault(t, LLVMBuildAnd(b->ir, taken, LLVMBuildNot(b->ir, enough, ""), ""),
                          UTGARD_GP_FAULT_FUEL, pc);
    taken = LLVMBuildAnd(b->ir, taken, enough, "");
    jit_diverge_set(b, fuel, LLVMBuildSub(b->ir, left, price, ""), LLVMBuildAnd(b->ir, taken, t->mask, ""));
    return taken;
}

static void leave_block(struct utgard_gp_trans *t, struct jit_diverge *d, uint32_t k, LLVMValueRef condition,
                        LLVMValueRef fuel)
{
    struct jit_builder *b = t->b;
    const struct utgard_gp_block *block = &t->program->blocks[k];
    uint32_t last = block->first + block->count - 1;
    LLVMValueRef taken = NULL;
    if (block->target != UTGARD_GP_NO_BLOCK) {
        uint32_t target = utgard_gp_target(&t->program->insns[last]);
        taken = LLVMBuildFCmp(b->ir, LLVMRealUNE, jit_as_f32(b, condition), jit_splat_f32(b, 0.0f), "");
        if (target <= last)
            taken = pay(t, fuel, taken, last, last + 1 - target);
    }
    if (t->faults) {
        LLVMValueRef fault = LLVMBuildLoad2(b->ir, b->i32x16, t->fault, "");
        jit_diverge_branch(d, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_splat_u32(b, 0), ""),
                           t->program->block_count);
    }
    if (taken)
        jit_diverge_branch(d, taken, block->target);
    jit_diverge_close(d, k + 1);
}

static int emit_blocks(struct utgard_gp_trans *t, struct slots *slots, LLVMValueRef lanes, LLVMValueRef fuel)
{
    struct jit_diverge d;
    each_value(t, slots, make_slot);
    int status = jit_diverge_begin(&d, t->b, t->program->block_count, lanes, true);
    if (status)
        return status;
    for (uint32_t k = 0; k < t->program->block_count; k++) {
        LLVMValueRef condition = NULL;
        t->mask = jit_diverge_block(&d, k);
        t->faults = false;
        begin_machine(t);
        emit_block(t, slots, &t->program->blocks[k], &condition);
        leave_block(t, &d, k, condition, fuel);
    }
    jit_diverge_end(&d);
    each_value(t, slots, load_slot);
    return 0;
}

static void find_written(struct utgard_gp_trans *t)
{
    for (uint32_t pc = 0; pc < t->program->insn_count; pc++) {
        const struct utgard_gp_insn *i = &t->program->insns[pc];
        for (unsigned c = 0; c < 4; c++)
            if (i->store_src[c / 2][c % 2] != UTGARD_GP_STORE_NONE)
                t->written[i->store_addr[c / 2]][c] = true;
    }
}

int utgard_gp_translate(struct jit_builder *b, const struct utgard_gp_program *program,
                        const struct utgard_gp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                        LLVMValueRef *fault, struct utgard_gp_ir_state *state)
{
    struct utgard_gp_trans t = {.b = b, .program = program, .ports = ports, .mask = lanes};
    struct slots slots = {0};
    LLVMValueRef condition, left = jit_alloca(b, b->i32x16, "fuel");
    int status = 0;

    t.whole = program->block_count == 1 && program->blocks[0].target == UTGARD_GP_NO_BLOCK;
    t.fault = jit_alloca(b, b->i32x16, "fault");
    LLVMBuildStore(b->ir, jit_splat_u32(b, 0), t.fault);
    LLVMBuildStore(b->ir, jit_splat(b, fuel), left);
    find_written(&t);
    begin_machine(&t);
    if (t.whole)
        emit_block(&t, &slots, &program->blocks[0], &condition);
    else
        status = emit_blocks(&t, &slots, lanes, left);
    *fault = LLVMBuildLoad2(b->ir, b->i32x16, t.fault, "");
    for (unsigned n = 0; state && n < UTGARD_GP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            state->reg[n][c] = t.now.reg[n][c].at[TRANS_REGISTER_DELAY - 1];
    return status;
}

/* Blocks. Registers stand in slots between blocks; inside a block they are plain values, computed for all
 * lanes, of which the block's own go back into the slots. */
#include "isa/utgard_pp/trans.h"

#include <math.h>
#include <string.h>

#include "isa/utgard_pp/trans_internal.h"

/* Slots, NULL for what the program never writes. */
struct slots {
    LLVMValueRef reg[UTGARD_PP_REGISTERS][4];
    LLVMValueRef live, fuel, executed;
};

/* Sets of sixteen lanes side by side, which share the fault. */
struct sides {
    struct utgard_pp_trans t[UTGARD_PP_SIDES];
    struct slots slots[UTGARD_PP_SIDES];
    unsigned count;
    LLVMValueRef fuel; /* slot of i32: of several, what is left for all; of one set each lane has its own */
    bool faults;       /* something may have been stored to it */
};

static void note_write(bool written[16][4], uint8_t reg, uint8_t mask)
{
    for (unsigned c = 0; c < 4; c++)
        written[reg][c] |= mask >> c & 1;
}

static void find_written(const struct utgard_pp_program *p, bool written[16][4])
{
    for (uint32_t n = 0; n < p->insn_count; n++) {
        const struct utgard_pp_insn *i = &p->insns[n];
        bool vector =
            i->combine.kind == UTGARD_PP_COMBINE_SCALE || i->combine.kind == UTGARD_PP_COMBINE_VECTOR;
        if (utgard_pp_has(i, UTGARD_PP_VARYING))
            note_write(written, i->varying.dest, i->varying.mask);
        if (utgard_pp_has(i, UTGARD_PP_VMUL))
            note_write(written, i->vmul.dest, i->vmul.mask);
        if (utgard_pp_has(i, UTGARD_PP_VADD))
            note_write(written, i->vadd.dest, i->vadd.mask);
        if (utgard_pp_has(i, UTGARD_PP_SMUL) && i->smul.writes)
            note_write(written, i->smul.dest >> 2, (uint8_t)(1u << (i->smul.dest & 3)));
        if (utgard_pp_has(i, UTGARD_PP_SADD) && i->sadd.writes)
            note_write(written, i->sadd.dest >> 2, (uint8_t)(1u << (i->sadd.dest & 3)));
        if (utgard_pp_has(i, UTGARD_PP_COMBINE) && vector)
            note_write(written, i->combine.vector_dest, i->combine.mask);
        else if (utgard_pp_has(i, UTGARD_PP_COMBINE))
            note_write(written, i->combine.dest >> 2, (uint8_t)(1u << (i->combine.dest & 3)));
        if (utgard_pp_has(i, UTGARD_PP_STORE) && i->store.frame_buffer)
            note_write(written, i->store.fb_dest, i->store.fb_source ? 15 : 1);
    }
}

static void make_slots(struct utgard_pp_trans *t, struct slots *s, LLVMValueRef lanes, LLVMValueRef fuel)
{
    struct jit_builder *b = t->b;
    bool written[16][4] = {{false}};
    find_written(t->program, written);
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++) {
            if (!written[n][c])
                continue;
            s->reg[n][c] = jit_alloca(b, b->i32x16, "register");
            LLVMBuildStore(b->ir, jit_splat_u32(b, 0), s->reg[n][c]);
        }
    s->live = jit_alloca(b, b->i1x16, "live");
    s->fuel = jit_alloca(b, b->i32x16, "fuel");
    s->executed = jit_alloca(b, b->i64, "executed");
    LLVMBuildStore(b->ir, lanes, s->live);
    LLVMBuildStore(b->ir, jit_splat(b, fuel), s->fuel);
    LLVMBuildStore(b->ir, jit_i64(b, 0), s->executed);
}

static void load_registers(struct utgard_pp_trans *t, const struct slots *s)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++) {
            t->reg[n][c] =
                s->reg[n][c] ? LLVMBuildLoad2(b->ir, b->i32x16, s->reg[n][c], "") : jit_splat_u32(b, 0);
            t->limit[n][c] = s->reg[n][c] ? INFINITY : 0;
        }
}

static void store_registers(struct utgard_pp_trans *t, const struct slots *s)
{
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (s->reg[n][c])
                jit_diverge_set(t->b, s->reg[n][c], t->reg[n][c], t->mask);
}

/* Instruction by instruction, so that one side may wait for its results while the others go on. */
static void emit_insns(struct sides *s, const struct utgard_pp_block *block)
{
    for (uint32_t n = 0; n < block->count; n++)
        for (unsigned k = 0; k < s->count; k++) {
            struct utgard_pp_trans *t = &s->t[k];
            t->number = block->first + n;
            t->insn = &t->program->insns[t->number];
            utgard_pp_trans_stages(t);
            s->faults |= t->faults;
        }
}

/* ---- leaving a block ---- */

static LLVMValueRef condition(struct utgard_pp_trans *t, const struct utgard_pp_insn *i)
{
    struct jit_builder *b = t->b;
    static const LLVMRealPredicate predicate[8] = {
        [UTGARD_PP_IF_GT] = LLVMRealOGT,
        [UTGARD_PP_IF_EQ] = LLVMRealOEQ,
        [UTGARD_PP_IF_GT | UTGARD_PP_IF_EQ] = LLVMRealOGE,
        [UTGARD_PP_IF_LT] = LLVMRealOLT,
        [UTGARD_PP_IF_LT | UTGARD_PP_IF_GT] = LLVMRealONE,
        [UTGARD_PP_IF_LT | UTGARD_PP_IF_EQ] = LLVMRealOLE,
    };
    if (i->branch.condition == UTGARD_PP_IF_ALWAYS)
        return LLVMConstAllOnes(b->i1x16);
    LLVMValueRef x = jit_as_f32(b, utgard_pp_trans_scalar(t, i->branch.a)),
                 y = jit_as_f32(b, utgard_pp_trans_scalar(t, i->branch.b));
    return LLVMBuildFCmp(b->ir, predicate[i->branch.condition], x, y, "");
}

/* Lanes that branch backward pay for it; when one cannot, the program stops. */
static void pay(struct utgard_pp_trans *t, const struct slots *s, LLVMValueRef taken, uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, s->fuel, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef enough = LLVMBuildICmp(b->ir, LLVMIntUGE, left, price, "");
    utgard_pp_trans_fault(t, LLVMBuildAnd(b->ir, taken, LLVMBuildNot(b->ir, enough, ""), ""),
                          UTGARD_PP_FAULT_FUEL);
    jit_diverge_set(b, s->fuel, LLVMBuildSub(b->ir, left, price, ""),
                    LLVMBuildAnd(b->ir, taken, t->mask, ""));
}

/* The same for sets side by side, as if each lane had paid all that any has, and the block's price whether it
 * branches or not: less left than there is, which sets that run alone then find out. */
static void pay_together(struct sides *s, uint32_t cost)
{
    struct utgard_pp_trans *t = &s->t[0];
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32, s->fuel, ""), price = jit_i32(b, cost);
    LLVMValueRef had = LLVMBuildLoad2(b->ir, b->i32, t->fault, ""), fault;
    fault = LLVMBuildSelect(b->ir, LLVMBuildICmp(b->ir, LLVMIntULT, left, price, ""),
                            jit_i32(b, isa_fault_pack(UTGARD_PP_FAULT_FUEL, 0, t->insn->at)), had, "");
    LLVMBuildStore(b->ir, fault, t->fault);
    LLVMBuildStore(b->ir, LLVMBuildSub(b->ir, left, price, ""), s->fuel);
    s->faults = true;
}

static void leave_block(struct sides *s, struct jit_diverge *d, uint32_t k)
{
    const struct utgard_pp_program *program = s->t[0].program;
    const struct utgard_pp_block *block = &program->blocks[k];
    uint32_t last = block->first + block->count - 1;
    LLVMValueRef taken[UTGARD_PP_BRANCHING_SIDES] = {NULL};
    bool branches = block->target != UTGARD_PP_NO_BLOCK;
    uint32_t target = branches ? program->blocks[block->target].first : UINT32_MAX;
    if (target <= last && s->count > 1)
        pay_together(s, last + 1 - target);
    for (unsigned i = 0; i < s->count; i++) {
        struct utgard_pp_trans *t = &s->t[i];
        if (branches)
            taken[i] = condition(t, t->insn);
        if (target <= last && s->count == 1)
            pay(t, &s->slots[i], taken[i], last + 1 - target);
        if (utgard_pp_has(t->insn, UTGARD_PP_BRANCH) && t->insn->branch.discard)
            jit_diverge_set(t->b, s->slots[i].live, LLVMConstNull(t->b->i1x16), t->mask);
        s->faults |= t->faults;
    }
    if (branches)
        jit_diverge_branch(d, jit_diverge_join(d->b, taken, s->count), block->target);
    jit_diverge_close(d, block->ends ? program->block_count : k + 1);
}

/* A fault ends the program for all lanes, those too that wait elsewhere: each block asks first. */
static void stop_at_fault(struct utgard_pp_trans *t, struct jit_diverge *d)
{
    struct jit_builder *b = t->b;
    LLVMValueRef fault = LLVMBuildLoad2(b->ir, b->i32, t->fault, "");
    LLVMBasicBlockRef go = LLVMAppendBasicBlockInContext(b->context, b->function, "go");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntNE, fault, jit_i32(b, 0), ""), jit_diverge_exit(d),
                    go);
    LLVMPositionBuilderAtEnd(b->ir, go);
}

/* What only leads elsewhere runs in any case: which lanes go there is a matter of masks. */
static bool only_leads_on(const struct utgard_pp_program *program, uint32_t k)
{
    const struct utgard_pp_block *block = &program->blocks[k];
    const struct utgard_pp_insn *i = &program->insns[block->first];
    return block->count == 1 && i->fields == 1u << UTGARD_PP_BRANCH && !i->stop &&
           i->branch.condition == UTGARD_PP_IF_ALWAYS && block->target != UTGARD_PP_NO_BLOCK &&
           block->target > k;
}

/* A side that has no lane in the block at hand does not execute it; `some`: it has one. */
static void count_block(struct utgard_pp_trans *t, const struct slots *s, bool some, uint32_t insns)
{
    struct jit_builder *b = t->b;
    LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, s->executed, ""), count = jit_i64(b, insns);
    if (!some)
        count = LLVMBuildSelect(b->ir, jit_mask_any(b, t->mask), count, jit_i64(b, 0), "");
    LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, count, ""), s->executed);
}

static int emit_blocks(struct sides *s, struct jit_builder *b, LLVMValueRef lanes)
{
    const struct utgard_pp_program *program = s->t[0].program;
    LLVMValueRef all[UTGARD_PP_BRANCHING_SIDES] = {lanes, lanes}, mask;
    struct jit_diverge d;
    int status = jit_diverge_begin(&d, b, program->block_count, jit_diverge_join(b, all, s->count), true);
    if (status)
        return status;
    for (uint32_t k = 0; k < program->block_count; k++) {
        bool always = only_leads_on(program, k);
        mask = always ? jit_diverge_block_always(&d, k) : jit_diverge_block(&d, k);
        if (!always && (s->faults || program->repeats))
            stop_at_fault(&s->t[0], &d);
        for (unsigned i = 0; i < s->count; i++) {
            s->t[i].mask = jit_diverge_part(b, mask, s->count, i);
            load_registers(&s->t[i], &s->slots[i]);
        }
        emit_insns(s, &program->blocks[k]);
        for (unsigned i = 0; i < s->count; i++) {
            store_registers(&s->t[i], &s->slots[i]);
            count_block(&s->t[i], &s->slots[i], s->count == 1 && !always, program->blocks[k].count);
        }
        leave_block(s, &d, k);
    }
    jit_diverge_end(&d);
    for (unsigned i = 0; i < s->count; i++)
        load_registers(&s->t[i], &s->slots[i]);
    return 0;
}

static void end_branching(struct utgard_pp_trans *t, const struct slots *s, struct utgard_pp_ir_state *state)
{
    memcpy(state->reg, t->reg, sizeof state->reg);
    state->live = LLVMBuildLoad2(t->b->ir, t->b->i1x16, s->live, "");
    state->executed = LLVMBuildLoad2(t->b->ir, t->b->i64, s->executed, "");
}

static void end_straight(struct utgard_pp_trans *t, LLVMValueRef lanes, struct utgard_pp_ir_state *state)
{
    bool discards = utgard_pp_has(t->insn, UTGARD_PP_BRANCH) && t->insn->branch.discard;

    memcpy(state->reg, t->reg, sizeof state->reg);
    state->live = discards ? LLVMConstNull(t->b->i1x16) : lanes;
    state->executed = LLVMBuildSelect(t->b->ir, jit_mask_any(t->b, lanes),
                                      jit_i64(t->b, t->program->insn_count), jit_i64(t->b, 0), "");
}

static int translate(struct jit_builder *b, const struct utgard_pp_program *program,
                     const struct utgard_pp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                     LLVMValueRef *fault, struct utgard_pp_ir_state *states, unsigned count)
{
    LLVMValueRef shared = jit_alloca(b, b->i32, "fault");
    struct sides s = {.count = count};
    int status = 0;

    LLVMBuildStore(b->ir, jit_i32(b, 0), shared);
    s.fuel = jit_alloca(b, b->i32, "fuel");
    LLVMBuildStore(b->ir, fuel, s.fuel);
    for (unsigned k = 0; k < count; k++) {
        s.t[k] = (struct utgard_pp_trans){
            .b = b, .program = program, .ports = &ports[k], .mask = lanes, .fault = shared};
        make_slots(&s.t[k], &s.slots[k], lanes, fuel);
        load_registers(&s.t[k], &s.slots[k]);
    }
    if (utgard_pp_is_straight(program))
        emit_insns(&s, &program->blocks[0]);
    else
        status = emit_blocks(&s, b, lanes);
    for (unsigned k = 0; k < count && !status; k++) {
        if (utgard_pp_is_straight(program))
            end_straight(&s.t[k], lanes, &states[k]);
        else
            end_branching(&s.t[k], &s.slots[k], &states[k]);
        states[k].faults = s.faults;
    }
    *fault = LLVMBuildLoad2(b->ir, b->i32, shared, "");
    return status;
}

int utgard_pp_translate(struct jit_builder *b, const struct utgard_pp_program *program,
                        const struct utgard_pp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                        LLVMValueRef *fault, struct utgard_pp_ir_state *state)
{
    return translate(b, program, ports, lanes, fuel, fault, state, 1);
}

int utgard_pp_translate_sides(struct jit_builder *b, const struct utgard_pp_program *program,
                              const struct utgard_pp_ir_ports *ports, LLVMValueRef fuel, LLVMValueRef *fault,
                              struct utgard_pp_ir_state *states, unsigned count)
{
    return translate(b, program, ports, LLVMConstAllOnes(b->i1x16), fuel, fault, states, count);
}

/* Blocks. Registers stand in slots between blocks; inside a block they are plain values, computed for all
 * lanes, of which the block's own go back into the slots. */
#include "isa/utgard_pp/trans.h"

#include <string.h>

#include "isa/utgard_pp/trans_internal.h"

/* Slots, NULL for what the program never writes. */
struct slots {
    LLVMValueRef reg[UTGARD_PP_REGISTERS][4];
    LLVMValueRef live, fuel, executed;
    bool faults;
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
    t->fault = jit_alloca(b, b->i32, "fault");
    LLVMBuildStore(b->ir, lanes, s->live);
    LLVMBuildStore(b->ir, jit_splat(b, fuel), s->fuel);
    LLVMBuildStore(b->ir, jit_i32(b, 0), t->fault);
}

static void load_registers(struct utgard_pp_trans *t, const struct slots *s)
{
    struct jit_builder *b = t->b;
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            t->reg[n][c] =
                s->reg[n][c] ? LLVMBuildLoad2(b->ir, b->i32x16, s->reg[n][c], "") : jit_splat_u32(b, 0);
}

static void store_registers(struct utgard_pp_trans *t, const struct slots *s)
{
    for (unsigned n = 0; n < UTGARD_PP_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            if (s->reg[n][c])
                jit_diverge_set(t->b, s->reg[n][c], t->reg[n][c], t->mask);
}

static void emit_insns(struct utgard_pp_trans *t, unsigned sides, const struct utgard_pp_block *block)
{
    for (uint32_t n = 0; n < block->count; n++)
        for (unsigned k = 0; k < sides; k++) {
            t[k].number = block->first + n;
            t[k].insn = &t[k].program->insns[t[k].number];
            utgard_pp_trans_stages(&t[k]);
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

static void leave_block(struct utgard_pp_trans *t, const struct slots *s, struct jit_diverge *d, uint32_t k)
{
    const struct utgard_pp_block *block = &t->program->blocks[k];
    struct jit_builder *b = t->b;
    uint32_t end = t->program->block_count, last = block->first + block->count - 1;
    LLVMValueRef taken = NULL;
    if (block->target != UTGARD_PP_NO_BLOCK) {
        uint32_t target = t->program->blocks[block->target].first;
        taken = condition(t, t->insn);
        if (target <= last)
            pay(t, s, taken, last + 1 - target);
    }
    if (utgard_pp_has(t->insn, UTGARD_PP_BRANCH) && t->insn->branch.discard)
        jit_diverge_set(b, s->live, LLVMConstNull(b->i1x16), t->mask);
    if (taken)
        jit_diverge_branch(d, taken, block->target);
    jit_diverge_close(d, block->ends ? end : k + 1);
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

static void count_block(struct utgard_pp_trans *t, const struct slots *s, uint32_t insns)
{
    struct jit_builder *b = t->b;
    LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, s->executed, "");
    LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, jit_i64(b, insns), ""), s->executed);
}

static int emit_blocks(struct utgard_pp_trans *t, struct slots *s, LLVMValueRef lanes)
{
    struct jit_diverge d;
    int status = jit_diverge_begin(&d, t->b, t->program->block_count, lanes);
    if (status)
        return status;
    for (uint32_t k = 0; k < t->program->block_count; k++) {
        t->mask = jit_diverge_block(&d, k);
        if (s->faults || t->program->repeats)
            stop_at_fault(t, &d);
        t->faults = false;
        load_registers(t, s);
        emit_insns(t, 1, &t->program->blocks[k]);
        store_registers(t, s);
        count_block(t, s, t->program->blocks[k].count);
        leave_block(t, s, &d, k);
        s->faults |= t->faults;
    }
    jit_diverge_end(&d);
    load_registers(t, s);
    return 0;
}

static void end_straight(struct utgard_pp_trans *t, LLVMValueRef lanes, struct utgard_pp_ir_state *state)
{
    bool discards = utgard_pp_has(t->insn, UTGARD_PP_BRANCH) && t->insn->branch.discard;

    memcpy(state->reg, t->reg, sizeof state->reg);
    state->live = discards ? LLVMConstNull(t->b->i1x16) : lanes;
    state->executed = LLVMBuildSelect(t->b->ir, jit_mask_any(t->b, lanes),
                                      jit_i64(t->b, t->program->insn_count), jit_i64(t->b, 0), "");
    state->faults = t->faults;
}

int utgard_pp_translate(struct jit_builder *b, const struct utgard_pp_program *program,
                        const struct utgard_pp_ir_ports *ports, LLVMValueRef lanes, LLVMValueRef fuel,
                        LLVMValueRef *fault, struct utgard_pp_ir_state *state)
{
    struct utgard_pp_trans t = {.b = b, .program = program, .ports = ports, .mask = lanes};
    struct slots slots = {0};
    int status = 0;

    make_slots(&t, &slots, lanes, fuel);
    load_registers(&t, &slots);
    if (utgard_pp_is_straight(program)) {
        emit_insns(&t, 1, &program->blocks[0]);
        slots.faults = t.faults;
        end_straight(&t, lanes, state);
    } else {
        slots.executed = jit_alloca(b, b->i64, "executed");
        LLVMBuildStore(b->ir, jit_i64(b, 0), slots.executed);
        status = emit_blocks(&t, &slots, lanes);
        state->executed = LLVMBuildLoad2(b->ir, b->i64, slots.executed, "");
        state->live = LLVMBuildLoad2(b->ir, b->i1x16, slots.live, "");
        memcpy(state->reg, t.reg, sizeof state->reg);
    }
    state->faults = slots.faults;
    *fault = LLVMBuildLoad2(b->ir, b->i32, t.fault, "");
    return status;
}

void utgard_pp_translate_sides(struct jit_builder *b, const struct utgard_pp_program *program,
                               const struct utgard_pp_ir_ports *ports, struct utgard_pp_ir_state *states,
                               unsigned count)
{
    LLVMValueRef all = LLVMConstAllOnes(b->i1x16), zero = jit_splat_u32(b, 0);
    LLVMValueRef fault = jit_alloca(b, b->i32, "fault");
    struct utgard_pp_trans t[UTGARD_PP_SIDES];

    for (unsigned k = 0; k < count; k++) {
        t[k] = (struct utgard_pp_trans){
            .b = b, .program = program, .ports = &ports[k], .mask = all, .fault = fault};
        for (unsigned n = 0; n < UTGARD_PP_REGISTERS * 4; n++)
            t[k].reg[n / 4][n % 4] = zero;
    }
    emit_insns(t, count, &program->blocks[0]);
    for (unsigned k = 0; k < count; k++)
        end_straight(&t[k], all, &states[k]);
}

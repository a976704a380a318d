/* Blocks. Registers stand in slots between blocks; inside a block they are plain values, computed for all
 * lanes, of which the block's own go back into the slots. A fault leaves the program at once. */
#include "isa/midgard/trans.h"

#include <errno.h>
#include <string.h>

#include "isa/midgard/flow.h"
#include "isa/midgard/trans_internal.h"

/* ---- what an instruction asks of all ---- */

LLVMValueRef midgard_trans_lanes(struct midgard_trans *t, LLVMValueRef value)
{
    return LLVMTypeOf(value) == t->b->i32 ? jit_splat(t->b, value) : value;
}

static LLVMBasicBlockRef append(struct midgard_trans *t, const char *name)
{
    return LLVMAppendBasicBlockInContext(t->b->context, t->b->function, name);
}

/* Of lanes as i16, not 0, the first. */
static void leave_by_fault(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef lanes,
                           LLVMValueRef address)
{
    const struct isa_trans_end end = {t->fault, t->fault_address, t->input->named};
    isa_trans_store_fault(t->b, &end, fault, t->insn->at, lanes, address);
    if (t->diverge->count)
        LLVMBuildBr(t->b->ir, jit_diverge_exit(t->diverge));
    else
        LLVMBuildUnreachable(t->b->ir); /* sides, which are thrown away then */
}

void midgard_trans_fault(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef bad,
                         LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef on;
    t->faults = true;
    t->faults_at_once |= fault != MIDGARD_FAULT_FUEL;
    if (!bad) {
        on = append(t, "on");
        leave_by_fault(t, fault, jit_mask_to_bits(b, t->mask), address);
        t->ended = true;
    } else {
        LLVMValueRef lanes = isa_trans_where_any(b, LLVMBuildAnd(b->ir, bad, t->mask, ""), &on);
        leave_by_fault(t, fault, lanes, address);
    }
    LLVMPositionBuilderAtEnd(b->ir, on);
}

void midgard_trans_check(struct midgard_trans *t, LLVMValueRef missing, LLVMValueRef lanes,
                         LLVMValueRef address)
{
    if (missing)
        midgard_trans_fault(t, MIDGARD_FAULT_ADDRESS, LLVMBuildAnd(t->b->ir, missing, lanes, ""), address);
}

LLVMValueRef midgard_trans_visible(struct midgard_trans *t, LLVMValueRef lanes)
{
    return t->helpers ? LLVMBuildAnd(t->b->ir, lanes, LLVMBuildNot(t->b->ir, t->helpers, ""), "") : lanes;
}

void midgard_trans_write(struct midgard_trans *t, unsigned reg, uint8_t mask, const LLVMValueRef value[4])
{
    for (unsigned c = 0; c < 4; c++)
        if (mask >> c & 1)
            midgard_trans_set(t, reg, c, midgard_trans_lanes(t, value[c]));
}

void midgard_trans_counter(struct midgard_trans *t, LLVMValueRef out[4])
{
    struct jit_builder *b = t->b;
    uint64_t behind = (t->insn->at + (uint64_t)midgard_quads_of(t->insn->tag)) * 16;
    LLVMValueRef address = LLVMBuildAdd(b->ir, t->input->address, jit_i64(b, behind), ""), storage[4];
    midgard_trans_argument(t, MIDGARD_A_STORAGE, storage);
    out[0] = jit_splat(b, LLVMBuildTrunc(b->ir, address, b->i32, ""));
    address = LLVMBuildLShr(b->ir, address, jit_i64(b, 32), "");
    out[1] = jit_splat(b, LLVMBuildTrunc(b->ir, address, b->i32, ""));
    out[2] = storage[0];
    out[3] = storage[1];
}

/* ---- blocks ---- */

static bool faults(const struct midgard_trans_sides *s)
{
    bool any = false;
    for (unsigned k = 0; k < s->count; k++)
        any |= s->t[k].faults;
    return any;
}

static void emit_insn(struct midgard_trans *t)
{
    const struct midgard_insn *i = t->insn;
    t->work += midgard_kind_of(i->tag) == MIDGARD_ALU ? 1 : 16;
    switch (midgard_kind_of(i->tag)) {
    case MIDGARD_ALU:
        if (i->tag >= MIDGARD_TAG_ALU_WRITEOUT && t->program->traits.no_writeout_tags)
            midgard_trans_fault(t, MIDGARD_FAULT_RESERVED, NULL, NULL);
        else
            midgard_trans_bundle(t);
        break;
    case MIDGARD_LOAD_STORE:
        for (unsigned n = 0; n < 2 && !t->ended; n++)
            midgard_trans_load_store(t, &i->memory[n]);
        break;
    default:
        if (i->texture.op != MIDGARD_TEX_BARRIER)
            midgard_trans_texture(t);
    }
}

static bool is_barrier(const struct midgard_insn *i)
{
    return midgard_kind_of(i->tag) == MIDGARD_TEXTURE && i->texture.op == MIDGARD_TEX_BARRIER;
}

/* What of the lanes that do not branch becomes behind the block's last instruction. */
static void leave(struct midgard_trans_sides *s, const struct midgard_block *block, uint32_t k)
{
    const struct midgard_trans *t = &s->t[0];
    const struct midgard_program *p = t->program;
    const struct midgard_insn *i = &p->insns[block->first + block->count - 1];
    LLVMValueRef helpers[MIDGARD_SIDES];
    for (unsigned n = 0; n < s->count; n++)
        helpers[n] = s->t[n].helpers;
    if (midgard_kind_of(i->tag) == MIDGARD_TEXTURE && i->texture.exec == MIDGARD_EXEC_KILL && t->helpers)
        jit_diverge_branch(&s->diverge, jit_diverge_join(t->b, helpers, s->count), t->block_count);
    if (!block->ends && is_barrier(i)) {
        LLVMValueRef left = jit_diverge_left(&s->diverge);
        jit_diverge_set(t->b, s->slots[0].running, LLVMConstAllOnes(t->b->i1x16), left);
        jit_diverge_set(t->b, s->slots[0].at, jit_splat_u32(t->b, p->blocks[k + 1].first), left);
        jit_diverge_close(&s->diverge, t->block_count);
        return;
    }
    jit_diverge_close(&s->diverge, block->ends ? t->block_count : k + 1);
}

/* Whether all that a block does is to go on elsewhere, further on: then it runs in any case, as which lanes go there
 * is a matter of masks, and the processor has nothing to foretell. */
static bool only_leads_on(const struct midgard_trans *t, uint32_t k)
{
    const struct midgard_block *block = &t->blocks[k];
    const struct midgard_insn *i = &t->program->insns[block->first];
    if (block->count != 1 || midgard_kind_of(i->tag) != MIDGARD_ALU || i->tag >= MIDGARD_TAG_ALU_WRITEOUT)
        return false;
    for (unsigned u = 0; u < MIDGARD_ALU_UNITS; u++)
        if (midgard_has(i, (enum midgard_unit)u))
            return false;
    bool leads = false;
    for (unsigned n = 0; n < 2; n++) {
        const struct midgard_jump *j = &i->jump[n];
        if (!midgard_has(i, (enum midgard_unit)(MIDGARD_BRANCH + n)))
            continue;
        bool always = n ? j->condition == 0xffff : j->op == MIDGARD_JUMP || j->condition == MIDGARD_IF_ALWAYS;
        leads = (j->op == MIDGARD_JUMP || j->op == MIDGARD_BRANCH_IF) && j->call <= MIDGARD_CALL_NONE &&
                always && block->target[n] > k && block->target[n] < t->block_count;
        if (!leads)
            return false;
    }
    return leads;
}

/* Lanes that run block k. Of the first, to which no branch goes back, they are those that begin, which may be
 * known to be all. */
static void open_block(struct midgard_trans_sides *s, uint32_t k)
{
    const struct midgard_trans *t = &s->t[0];
    LLVMValueRef mask =
        only_leads_on(t, k) ? jit_diverge_block_always(&s->diverge, k) : jit_diverge_block(&s->diverge, k);
    bool again = k || t->input->state;
    for (uint32_t n = 0; n < t->block_count && !again; n++)
        again = t->blocks[n].target[0] == 0 || t->blocks[n].target[1] == 0;
    for (unsigned n = 0; n < s->count; n++)
        s->t[n].mask = again ? jit_diverge_part(t->b, mask, s->count, n) : s->t[n].input->lanes;
}

/* Of several sides one may have no lane in the block at hand, and does not execute it. */
static void count_block(struct midgard_trans_sides *s, const struct midgard_block *block, bool some)
{
    for (unsigned n = 0; n < s->count; n++) {
        struct jit_builder *b = s->t[n].b;
        LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, s->slots[n].executed, "");
        LLVMValueRef count = jit_i64(b, block->count);
        if (!some)
            count = LLVMBuildSelect(b->ir, jit_mask_any(b, s->t[n].mask), count, jit_i64(b, 0), "");
        LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, count, ""), s->slots[n].executed);
    }
}

/* Instruction by instruction, so that one side may wait for its results while the others go on. */
static void emit_insns(struct midgard_trans_sides *s, const struct midgard_block *block, bool stores)
{
    const struct midgard_trans *t = &s->t[0];
    for (uint32_t n = 0; n < block->count && !t->ended && t->work < MIDGARD_TRANS_WORK; n++) {
        for (unsigned k = 0; k < s->count; k++) {
            s->t[k].number = block->first + n;
            s->t[k].insn = &t->program->insns[block->first + n];
            emit_insn(&s->t[k]);
            if (!stores || n + 1 < block->count)
                continue;
            if (!block->flows)
                midgard_trans_end_halves(&s->t[k]);
            midgard_trans_store_registers(&s->t[k], &s->slots[k]);
        }
        if (!t->ended && midgard_kind_of(t->insn->tag) == MIDGARD_ALU)
            midgard_trans_branches(s, block);
    }
}

static void emit_block(struct midgard_trans_sides *s, uint32_t k)
{
    const struct midgard_block *block = &s->t[0].blocks[k];
    open_block(s, k);
    for (unsigned n = 0; n < s->count; n++) {
        s->t[n].ended = false;
        s->t[n].work += 16; /* for its registers */
        s->t[n].begins_within = !k || !s->t[n].blocks[k - 1].flows;
        midgard_trans_load_registers(&s->t[n], &s->slots[n]);
    }
    emit_insns(s, block, true);
    count_block(s, block, s->count == 1 && !only_leads_on(&s->t[0], k));
    leave(s, block, k);
}

/* Lanes begin, or go on behind the barriers that they wait at. */
static int begin(struct midgard_trans_sides *s, const LLVMValueRef *lanes)
{
    const struct midgard_trans *t = &s->t[0];
    struct jit_builder *b = t->b;
    const struct midgard_program *p = t->program;
    int status = jit_diverge_begin(&s->diverge, b, t->block_count, jit_diverge_join(b, lanes, s->count),
                                   !p->loads && !p->stores);
    if (status || !t->input->state)
        return status;
    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b->ir)));
    LLVMValueRef at = LLVMBuildLoad2(b->ir, b->i32x16, s->slots[0].at, "");
    for (uint32_t k = 0; k < p->block_count; k++) {
        if (k && !is_barrier(&p->insns[p->blocks[k].first - 1]))
            continue;
        LLVMValueRef here = LLVMBuildICmp(b->ir, LLVMIntEQ, at, jit_splat_u32(b, p->blocks[k].first), "");
        jit_diverge_wait(&s->diverge, LLVMBuildAnd(b->ir, lanes[0], here, ""), k);
    }
    return 0;
}

static int emit_blocks(struct midgard_trans_sides *s, const LLVMValueRef *lanes)
{
    int status = begin(s, lanes);
    if (status)
        return status;
    for (uint32_t k = 0; k < s->t[0].block_count; k++) {
        emit_block(s, k);
        if (s->t[0].work >= MIDGARD_TRANS_WORK || (s->count > 1 && faults(s))) {
            jit_diverge_abandon(&s->diverge);
            return s->count > 1 ? -ENOTSUP : -E2BIG;
        }
    }
    jit_diverge_end(&s->diverge);
    return 0;
}

/* ---- the end ---- */

static void end_registers(struct midgard_trans *t, const struct midgard_trans_slots *s,
                          struct midgard_ir_state *state)
{
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            state->reg[n][c] = s->reg[n][c] || s->begun[n][c] ? t->reg[n][c] : NULL;
}

static void finish(struct midgard_trans *t, const struct midgard_trans_slots *s,
                   struct midgard_ir_state *state)
{
    struct jit_builder *b = t->b;
    midgard_trans_load_registers(t, s);
    *state = (struct midgard_ir_state){.faults = t->faults, .faults_at_once = t->faults_at_once};
    end_registers(t, s, state);
    state->live = LLVMBuildLoad2(b->ir, b->i1x16, s->live, "");
    state->executed = LLVMBuildLoad2(b->ir, b->i64, s->executed, "");
    state->fault_address = LLVMBuildLoad2(b->ir, b->i64, t->fault_address, "");
}

/* Where the same lanes run all of it, registers stay values from end to end. */
static struct midgard_block whole(const struct midgard_program *program)
{
    return (struct midgard_block){
        0, program->insn_count, {MIDGARD_NO_BLOCK, MIDGARD_NO_BLOCK}, .ends = true, .flows = true};
}

static void start(struct midgard_trans_sides *s, struct jit_builder *b, const struct midgard_program *program,
                  const struct midgard_block *one)
{
    for (unsigned k = 0; k < s->count; k++) {
        struct midgard_trans *t = &s->t[k];
        t->b = b;
        t->program = program;
        t->blocks = one ? one : program->blocks;
        t->block_count = one ? 1 : program->block_count;
        t->helpers = t->input->helpers;
        t->rounds = t->ports->numeric == ISA_EXACT;
        t->diverge = &s->diverge;
    }
}

int midgard_translate(struct jit_builder *b, const struct midgard_program *program,
                      const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                      LLVMValueRef *fault, struct midgard_ir_state *state)
{
    const struct midgard_block one = whole(program);
    struct midgard_trans_sides s = {.count = 1, .t = {{.ports = ports, .input = input}}};
    struct midgard_trans *t = &s.t[0];
    LLVMValueRef lanes = input->lanes;
    if (program->barriers && !input->state)
        return -EINVAL;
    start(&s, b, program, program->straight && !input->helpers && !input->state ? &one : NULL);
    if (input->state) {
        lanes =
            jit_load(b, b->i16, midgard_trans_in_state(t, offsetof(struct midgard_state, running)), 2, false);
        lanes = jit_mask_from_bits(b, lanes);
        t->helpers =
            jit_load(b, b->i16, midgard_trans_in_state(t, offsetof(struct midgard_state, helpers)), 2, false);
        t->helpers = jit_mask_from_bits(b, t->helpers);
    }
    midgard_trans_make_slots(t, &s.slots[0], lanes);
    int status = emit_blocks(&s, &lanes);
    if (status)
        return status;
    finish(t, &s.slots[0], state);
    *fault = LLVMBuildLoad2(b->ir, b->i32, t->fault, "");
    if (input->state)
        midgard_trans_store_state(t, &s.slots[0]);
    return 0;
}

/* ---- side by side ---- */

static void end_straight(struct midgard_trans *t, const struct midgard_trans_slots *s,
                         struct midgard_ir_state *state)
{
    *state = (struct midgard_ir_state){.live = t->input->lanes,
                                       .executed = jit_i64(t->b, t->program->insn_count),
                                       .fault_address = jit_i64(t->b, 0)};
    end_registers(t, s, state);
}

static int emit_straight(struct midgard_trans_sides *s, const struct midgard_block *block)
{
    for (unsigned k = 0; k < s->count; k++) {
        s->t[k].mask = s->t[k].input->lanes;
        midgard_trans_load_registers(&s->t[k], &s->slots[k]);
    }
    emit_insns(s, block, false);
    return faults(s) || s->t[0].work >= MIDGARD_TRANS_WORK ? -ENOTSUP : 0;
}

int midgard_translate_sides(struct jit_builder *b, const struct midgard_program *program,
                            const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                            unsigned count, LLVMBasicBlockRef left, struct midgard_ir_state *states)
{
    const struct midgard_block one = whole(program);
    struct midgard_trans_sides s = {.count = count, .leave = left};
    LLVMValueRef lanes[MIDGARD_SIDES];
    if (program->barriers || count > (program->straight ? MIDGARD_SIDES : MIDGARD_BRANCHING_SIDES))
        return -EINVAL;
    for (unsigned k = 0; k < count; k++) {
        if (input[k].state || (program->straight && input[k].helpers))
            return -EINVAL;
        s.t[k].ports = &ports[k];
        s.t[k].input = &input[k];
        lanes[k] = input[k].lanes;
    }
    start(&s, b, program, program->straight ? &one : NULL);
    for (unsigned k = 0; k < count; k++)
        midgard_trans_make_slots(&s.t[k], &s.slots[k], lanes[k]);
    s.fuel = jit_alloca(b, b->i32, "fuel");
    LLVMBuildStore(b->ir, input[0].fuel, s.fuel);
    int status = program->straight ? emit_straight(&s, &one) : emit_blocks(&s, lanes);
    for (unsigned k = 0; k < count && !status; k++) {
        if (program->straight)
            end_straight(&s.t[k], &s.slots[k], &states[k]);
        else
            finish(&s.t[k], &s.slots[k], &states[k]);
    }
    return status;
}

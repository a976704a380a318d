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
static void store_fault(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef lanes,
                        LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    LLVMValueRef args[2] = {lanes, LLVMConstInt(b->i1, 1, false)}, word;
    LLVMValueRef first = jit_intrinsic(b, "llvm.cttz", &b->i16, 1, args, 2);
    first = LLVMBuildZExt(b->ir, first, b->i32, "");
    word = LLVMBuildShl(b->ir, first, jit_i32(b, ISA_FAULT_LANE), "");
    word = LLVMBuildOr(b->ir, word, jit_i32(b, isa_fault_pack(fault, 0, t->insn->at)), "");
    LLVMBuildStore(b->ir, word, t->fault);
    if (address)
        LLVMBuildStore(b->ir, LLVMBuildExtractElement(b->ir, address, first, ""), t->fault_address);
    if (t->diverge.count)
        LLVMBuildBr(b->ir, jit_diverge_exit(&t->diverge));
    else
        LLVMBuildUnreachable(b->ir); /* sides, which are thrown away then */
}

void midgard_trans_fault(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef bad,
                         LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef on = append(t, "on");
    t->faults = true;
    if (!bad) {
        store_fault(t, fault, jit_mask_to_bits(b, t->mask), address);
        t->ended = true;
    } else {
        LLVMBasicBlockRef here = append(t, "fault");
        LLVMValueRef lanes = jit_mask_to_bits(b, LLVMBuildAnd(b->ir, bad, t->mask, ""));
        LLVMValueRef none = LLVMBuildICmp(b->ir, LLVMIntEQ, lanes, LLVMConstNull(b->i16), "");
        jit_likely(b, LLVMBuildCondBr(b->ir, none, on, here));
        LLVMPositionBuilderAtEnd(b->ir, here);
        store_fault(t, fault, lanes, address);
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

/* ---- branches ---- */

/* Condition n of the four in r31. */
static LLVMValueRef condition(struct midgard_trans *t, unsigned n)
{
    LLVMValueRef half =
        midgard_trans_band(t, t->reg[MIDGARD_R_SELECT][n < 2 ? 3 : 0], n & 1 ? 0xffff0000u : 0x0000ffffu);
    return LLVMBuildICmp(t->b->ir, LLVMIntNE, half, jit_splat_u32(t->b, 0), "");
}

/* Rule 8: the four conditions of r31 choose a bit of the table. Of conditions below n: the one above halves its 1 << n
 * bits, and is asked for where they differ. */
static LLVMValueRef by_table(struct midgard_trans *t, uint32_t table, unsigned n)
{
    struct jit_builder *b = t->b;
    const uint32_t bits = UINT32_MAX >> (32 - (1u << n));
    if (!(table & bits) || (table & bits) == bits)
        return table & bits ? LLVMConstAllOnes(b->i1x16) : LLVMConstNull(b->i1x16);
    const uint32_t low = table & (bits >> (1u << (n - 1))), high = (table & bits) >> (1u << (n - 1));
    LLVMValueRef unset = by_table(t, low, n - 1);
    if (low == high)
        return unset;
    LLVMValueRef set = by_table(t, high, n - 1), chosen = condition(t, n - 1);
    set = LLVMBuildAnd(b->ir, set, chosen, "");
    return LLVMBuildOr(b->ir, set, LLVMBuildAnd(b->ir, unset, LLVMBuildNot(b->ir, chosen, ""), ""), "");
}

static LLVMValueRef holds(struct midgard_trans *t, unsigned k)
{
    struct jit_builder *b = t->b;
    const struct midgard_jump *j = &t->insn->jump[k];
    LLVMValueRef all = LLVMConstAllOnes(b->i1x16), none = LLVMConstNull(b->i1x16);
    if (k)
        return by_table(t, j->condition, 4);
    if (j->op == MIDGARD_JUMP || j->condition == MIDGARD_IF_ALWAYS)
        return all;
    if (j->condition == MIDGARD_IF_NEVER)
        return none;
    return LLVMBuildICmp(b->ir, j->condition == MIDGARD_IF_TRUE ? LLVMIntNE : LLVMIntEQ,
                         t->reg[MIDGARD_R_SELECT][3], jit_splat_u32(b, 0), "");
}

/* Lanes that branch backward pay for it; when one cannot, the program stops. */
static void pay(struct midgard_trans *t, const struct midgard_trans_slots *s, LLVMValueRef taken,
                uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, s->fuel, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef less = LLVMBuildICmp(b->ir, LLVMIntULT, left, price, "");
    midgard_trans_fault(t, MIDGARD_FAULT_FUEL, LLVMBuildAnd(b->ir, taken, less, ""), NULL);
    jit_diverge_set(b, s->fuel, LLVMBuildSub(b->ir, left, price, ""), taken);
}

static const struct midgard_write *write_of(const struct midgard_trans *t, unsigned k)
{
    const struct midgard_program *p = t->program;
    const struct midgard_jump *first = &t->insn->jump[0];
    uint32_t n = 0;
    while (n < p->write_count && p->writes[n].insn != t->number)
        n++;
    bool two = k && midgard_has(t->insn, MIDGARD_BRANCH) && first->op == MIDGARD_WRITEOUT && first->condition;
    return &p->writes[n + two];
}

static void writeout(struct midgard_trans *t, unsigned k, LLVMValueRef lanes)
{
    LLVMValueRef address = NULL;
    struct midgard_ir_writeout what = {.write = write_of(t, k)};
    memcpy(what.color, t->reg[0], sizeof what.color);
    memcpy(what.second, t->reg[2], sizeof what.second);
    what.depth = t->reg[1][0];
    what.stencil = t->reg[1][1];
    what.select = what.write->has_select ? t->reg[1][2] : jit_splat_u32(t->b, 0);
    lanes = midgard_trans_visible(t, lanes);
    LLVMValueRef missing = t->ports->writeout(t->ports->ctx, t->b, &what, lanes, &address);
    midgard_trans_check(t, missing, lanes, address);
}

/* A fault of whoever is left to branch, told of the lowest lane that executes. */
static void refuse(struct midgard_trans *t, enum midgard_fault fault, LLVMValueRef left)
{
    struct jit_builder *b = t->b;
    if (left == t->mask)
        midgard_trans_fault(t, fault, NULL, NULL);
    else
        midgard_trans_fault(t, fault, jit_splat(b, jit_mask_any(b, left)), NULL);
}

/* Branch k, at the end of a block or within it; `left`: the lanes that have not branched. Returns those that
 * still have not. */
static LLVMValueRef branch(struct midgard_trans *t, const struct midgard_trans_slots *s, unsigned k,
                           uint32_t target, LLVMValueRef left)
{
    struct jit_builder *b = t->b;
    const struct midgard_jump *j = &t->insn->jump[k];
    uint32_t first = target < t->program->block_count ? t->program->blocks[target].first : UINT32_MAX;
    if (j->call > MIDGARD_CALL_NONE) {
        refuse(t, MIDGARD_FAULT_UNSUPPORTED, left);
        return left;
    }
    LLVMValueRef all = holds(t, k), taken;
    switch (j->op) {
    case MIDGARD_JUMP:
    case MIDGARD_BRANCH_IF:
        if (target == MIDGARD_NO_BLOCK)
            return left;
        taken = jit_diverge_branch(&t->diverge, all, target);
        if (first <= t->number)
            pay(t, s, taken, t->number + 1 - first);
        return jit_diverge_left(&t->diverge);
    case MIDGARD_DISCARD:
        taken = jit_diverge_branch(&t->diverge, all, t->block_count);
        jit_diverge_set(b, s->live, LLVMConstNull(b->i1x16), taken);
        return jit_diverge_left(&t->diverge);
    case MIDGARD_TILE_PENDING: return left;
    case MIDGARD_WRITEOUT:
        if (k ? j->condition : j->condition != MIDGARD_IF_NEVER)
            writeout(t, k, LLVMBuildAnd(b->ir, left, all, ""));
        return left;
    default: refuse(t, MIDGARD_FAULT_RESERVED, left); return left;
    }
}

static void branches(struct midgard_trans *t, const struct midgard_trans_slots *s,
                     const struct midgard_block *block)
{
    bool last = t->number == block->first + block->count - 1;
    LLVMValueRef left = t->mask;
    for (unsigned k = 0; k < 2 && !t->ended; k++)
        if (midgard_has(t->insn, (enum midgard_unit)(MIDGARD_BRANCH + k)))
            left = branch(t, s, k, last ? block->target[k] : MIDGARD_NO_BLOCK, left);
}

/* ---- blocks ---- */

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
static void leave(struct midgard_trans *t, const struct midgard_trans_slots *s,
                  const struct midgard_block *block, uint32_t k)
{
    struct jit_builder *b = t->b;
    const struct midgard_program *p = t->program;
    const struct midgard_insn *i = &p->insns[block->first + block->count - 1];
    if (midgard_kind_of(i->tag) == MIDGARD_TEXTURE && i->texture.exec == MIDGARD_EXEC_KILL && t->helpers)
        jit_diverge_branch(&t->diverge, t->helpers, t->block_count);
    if (!block->ends && is_barrier(i)) {
        LLVMValueRef left = jit_diverge_left(&t->diverge);
        jit_diverge_set(b, s->running, LLVMConstAllOnes(b->i1x16), left);
        jit_diverge_set(b, s->at, jit_splat_u32(b, p->blocks[k + 1].first), left);
        jit_diverge_close(&t->diverge, t->block_count);
        return;
    }
    jit_diverge_close(&t->diverge, block->ends ? t->block_count : k + 1);
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
static LLVMValueRef open_block(struct midgard_trans *t, uint32_t k)
{
    LLVMValueRef mask =
        only_leads_on(t, k) ? jit_diverge_block_always(&t->diverge, k) : jit_diverge_block(&t->diverge, k);
    bool again = k || t->input->state;
    for (uint32_t n = 0; n < t->block_count && !again; n++)
        again = t->blocks[n].target[0] == 0 || t->blocks[n].target[1] == 0;
    return again ? mask : t->input->lanes;
}

static void emit_block(struct midgard_trans *t, const struct midgard_trans_slots *s, uint32_t k)
{
    struct jit_builder *b = t->b;
    const struct midgard_block *block = &t->blocks[k];
    t->mask = open_block(t, k);
    t->ended = false;
    t->work += 16; /* for its registers */
    midgard_trans_load_registers(t, s);
    for (uint32_t n = 0; n < block->count && !t->ended && t->work < MIDGARD_TRANS_WORK; n++) {
        t->number = block->first + n;
        t->insn = &t->program->insns[t->number];
        emit_insn(t);
        if (n + 1 == block->count)
            midgard_trans_store_registers(t, s);
        if (!t->ended && midgard_kind_of(t->insn->tag) == MIDGARD_ALU)
            branches(t, s, block);
    }
    LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, s->executed, ""), count = jit_i64(b, block->count);
    if (only_leads_on(t, k))
        count = LLVMBuildSelect(b->ir, jit_mask_any(b, t->mask), count, jit_i64(b, 0), "");
    LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, count, ""), s->executed);
    leave(t, s, block, k);
}

/* Lanes begin, or go on behind the barriers that they wait at. */
static int begin(struct midgard_trans *t, const struct midgard_trans_slots *s, LLVMValueRef lanes)
{
    struct jit_builder *b = t->b;
    const struct midgard_program *p = t->program;
    int status = jit_diverge_begin(&t->diverge, b, t->block_count, lanes, !p->loads && !p->stores);
    if (status || !t->input->state)
        return status;
    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b->ir)));
    LLVMValueRef at = LLVMBuildLoad2(b->ir, b->i32x16, s->at, "");
    for (uint32_t k = 0; k < p->block_count; k++) {
        if (k && !is_barrier(&p->insns[p->blocks[k].first - 1]))
            continue;
        LLVMValueRef here = LLVMBuildICmp(b->ir, LLVMIntEQ, at, jit_splat_u32(b, p->blocks[k].first), "");
        jit_diverge_wait(&t->diverge, LLVMBuildAnd(b->ir, lanes, here, ""), k);
    }
    return 0;
}

/* ---- the end ---- */

static void finish(struct midgard_trans *t, const struct midgard_trans_slots *s, LLVMValueRef *fault,
                   struct midgard_ir_state *state)
{
    struct jit_builder *b = t->b;
    midgard_trans_load_registers(t, s);
    *state = (struct midgard_ir_state){.faults = t->faults};
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            state->reg[n][c] = s->reg[n][c] || s->begun[n][c] ? t->reg[n][c] : NULL;
    state->live = LLVMBuildLoad2(b->ir, b->i1x16, s->live, "");
    state->executed = LLVMBuildLoad2(b->ir, b->i64, s->executed, "");
    state->fault_address = LLVMBuildLoad2(b->ir, b->i64, t->fault_address, "");
    *fault = LLVMBuildLoad2(b->ir, b->i32, t->fault, "");
    if (t->input->state)
        midgard_trans_store_state(t, s);
}

int midgard_translate(struct jit_builder *b, const struct midgard_program *program,
                      const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                      LLVMValueRef *fault, struct midgard_ir_state *state)
{
    struct midgard_trans t = {.b = b, .program = program, .ports = ports, .input = input};
    struct midgard_trans_slots s = {0};
    /* Where the same lanes run all of it, registers stay values from end to end. */
    const struct midgard_block whole = {
        0, program->insn_count, {MIDGARD_NO_BLOCK, MIDGARD_NO_BLOCK}, .ends = true};
    LLVMValueRef lanes = input->lanes;
    bool one = program->straight && !input->helpers && !input->state;
    t.blocks = one ? &whole : program->blocks;
    t.block_count = one ? 1 : program->block_count;
    t.helpers = input->helpers;
    if (program->barriers && !input->state)
        return -EINVAL;
    if (input->state) {
        lanes = jit_load(b, b->i16, midgard_trans_in_state(&t, offsetof(struct midgard_state, running)), 2,
                         false);
        lanes = jit_mask_from_bits(b, lanes);
        t.helpers = jit_load(b, b->i16, midgard_trans_in_state(&t, offsetof(struct midgard_state, helpers)),
                             2, false);
        t.helpers = jit_mask_from_bits(b, t.helpers);
    }
    midgard_trans_make_slots(&t, &s, lanes);
    int status = begin(&t, &s, lanes);
    if (status)
        return status;
    for (uint32_t k = 0; k < t.block_count; k++) {
        emit_block(&t, &s, k);
        if (t.work >= MIDGARD_TRANS_WORK) {
            jit_diverge_abandon(&t.diverge);
            return -E2BIG;
        }
    }
    jit_diverge_end(&t.diverge);
    finish(&t, &s, fault, state);
    return 0;
}

/* ---- side by side ---- */

static void start_side(struct midgard_trans *t, struct midgard_trans_slots *s,
                       const struct midgard_block *whole)
{
    t->blocks = whole;
    t->block_count = 1;
    t->mask = t->input->lanes;
    midgard_trans_make_slots(t, s, t->input->lanes);
    midgard_trans_load_registers(t, s);
}

static void end_side(struct midgard_trans *t, const struct midgard_trans_slots *s,
                     struct midgard_ir_state *state)
{
    *state = (struct midgard_ir_state){.live = t->input->lanes,
                                       .executed = jit_i64(t->b, t->program->insn_count),
                                       .fault_address = jit_i64(t->b, 0),
                                       .faults = t->faults};
    for (unsigned n = 0; n < MIDGARD_REGISTERS; n++)
        for (unsigned c = 0; c < 4; c++)
            state->reg[n][c] = s->reg[n][c] || s->begun[n][c] ? t->reg[n][c] : NULL;
}

int midgard_translate_sides(struct jit_builder *b, const struct midgard_program *program,
                            const struct midgard_ir_ports *ports, const struct midgard_ir_input *input,
                            unsigned count, struct midgard_ir_state *states)
{
    const struct midgard_block whole = {
        0, program->insn_count, {MIDGARD_NO_BLOCK, MIDGARD_NO_BLOCK}, .ends = true};
    struct midgard_trans t[MIDGARD_SIDES];
    struct midgard_trans_slots s[MIDGARD_SIDES] = {0};
    bool faults = false;
    if (!program->straight || input->helpers || input->state || count > MIDGARD_SIDES)
        return -EINVAL;
    for (unsigned k = 0; k < count; k++) {
        t[k] = (struct midgard_trans){.b = b, .program = program, .ports = &ports[k], .input = input};
        start_side(&t[k], &s[k], &whole);
    }
    for (uint32_t n = 0; n < program->insn_count && !faults; n++)
        for (unsigned k = 0; k < count && !faults; k++) {
            t[k].number = n;
            t[k].insn = &program->insns[n];
            emit_insn(&t[k]);
            if (!t[k].faults && midgard_kind_of(t[k].insn->tag) == MIDGARD_ALU)
                branches(&t[k], &s[k], &whole);
            faults = t[k].faults || t[k].work >= MIDGARD_TRANS_WORK;
        }
    for (unsigned k = 0; k < count && !faults; k++)
        end_side(&t[k], &s[k], &states[k]);
    return faults ? -ENOTSUP : 0;
}

/* Blocks and flow, of one set of lanes or of several side by side, whose masks stand side by side, too. Registers stand
 * in slots between blocks; inside a block they are plain values, computed for all lanes, of which the block's own go back
 * into the slots. A fault leaves the program at once. */
#include "isa/warp/trans_internal.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* More than this is refused: a module of it is far beyond what jit/engine.h takes. */
#define WORK_MOST 20000u

/* ---- what an instruction asks of all ---- */

static void leave_by_fault(struct warp_trans *t, enum warp_fault fault, LLVMValueRef lanes,
                           LLVMValueRef address)
{
    const struct isa_trans_end end = {t->fault_slot, t->address_slot, t->input->named};
    isa_trans_store_fault(t->b, &end, fault, t->insn->at, lanes, address);
    if (t->diverge->count)
        LLVMBuildBr(t->b->ir, jit_diverge_exit(t->diverge));
    else
        LLVMBuildUnreachable(t->b->ir); /* sides, which are thrown away then */
}

void warp_trans_fault(struct warp_trans *t, enum warp_fault fault, LLVMValueRef bad, LLVMValueRef address)
{
    struct jit_builder *b = t->b;
    LLVMBasicBlockRef on;
    t->faults = true;
    t->faults_at_once |= fault != WARP_FAULT_FUEL;
    if (!bad) {
        on = LLVMAppendBasicBlockInContext(b->context, b->function, "on");
        leave_by_fault(t, fault, jit_mask_to_bits(b, t->mask), address);
        t->ended = true;
    } else {
        LLVMValueRef lanes = isa_trans_where_any(b, LLVMBuildAnd(b->ir, bad, t->mask, ""), &on);
        leave_by_fault(t, fault, lanes, address);
    }
    LLVMPositionBuilderAtEnd(b->ir, on);
}

void warp_trans_check(struct warp_trans *t, LLVMValueRef missing, LLVMValueRef lanes, LLVMValueRef address)
{
    if (missing)
        warp_trans_fault(t, WARP_FAULT_ADDRESS, LLVMBuildAnd(t->b->ir, missing, lanes, ""), address);
}

LLVMValueRef warp_trans_visible(struct warp_trans *t)
{
    return t->helpers ? LLVMBuildAnd(t->b->ir, t->mask, LLVMBuildNot(t->b->ir, t->helpers, ""), "") : t->mask;
}

/* ---- instructions ---- */

static void kill(struct warp_trans *t, LLVMValueRef holds)
{
    struct jit_builder *b = t->b;
    LLVMValueRef taken = LLVMBuildAnd(b->ir, holds, t->mask, "");
    jit_diverge_set(b, t->helpers_slot, LLVMConstAllOnes(b->i1x16), taken);
    jit_diverge_set(b, t->live_slot, LLVMConstNull(b->i1x16), taken);
    t->helpers = LLVMBuildOr(b->ir, t->helpers, taken, "");
}

static void emit_insn(struct warp_trans *t)
{
    const uint8_t kind = t->insn->kind;
    t->work += kind >= WARP_PERMUTE ? 16 : 1;
    switch (kind) {
    case WARP_COMPUTE: warp_trans_arithmetic(t); break;
    case WARP_UNSUPPORTED: warp_trans_fault(t, WARP_FAULT_UNSUPPORTED, NULL, NULL); break;
    case WARP_PERMUTE: warp_trans_permute(t); break;
    case WARP_BALLOT: warp_trans_ballot(t); break;
    case WARP_LOAD:
    case WARP_STORE:
    case WARP_ATOMIC:
    case WARP_BUFFER: warp_trans_memory(t); break;
    case WARP_TEXTURE: warp_trans_texture(t); break;
    case WARP_MESSAGE: warp_trans_message(t); break;
    case WARP_BRANCH: t->leave = warp_trans_holds(t); break;
    case WARP_KILL: kill(t, warp_trans_holds(t)); break;
    case WARP_FAR:
        t->leave = LLVMBuildAnd(t->b->ir, warp_trans_holds(t), t->mask, "");
        t->back = warp_trans_far(t, t->leave);
        break;
    default: break;
    }
}

/* ---- lanes that part ---- */

static LLVMValueRef leaving(const struct warp_trans_sides *s)
{
    LLVMValueRef masks[WARP_SIDES];
    for (unsigned k = 0; k < s->count; k++)
        masks[k] = s->t[k].leave;
    return jit_diverge_join(s->t[0].b, masks, s->count);
}

static LLVMValueRef helping(const struct warp_trans_sides *s)
{
    LLVMValueRef masks[WARP_SIDES];
    for (unsigned k = 0; k < s->count; k++)
        masks[k] = s->t[k].helpers;
    return jit_diverge_join(s->t[0].b, masks, s->count);
}

/* Lanes that branch backward pay for it; when one cannot, the program stops. */
static void pay(struct warp_trans *t, LLVMValueRef taken, uint32_t cost)
{
    struct jit_builder *b = t->b;
    LLVMValueRef left = LLVMBuildLoad2(b->ir, b->i32x16, t->fuel_slot, ""), price = jit_splat_u32(b, cost);
    LLVMValueRef less = LLVMBuildICmp(b->ir, LLVMIntULT, left, price, "");
    warp_trans_fault(t, WARP_FAULT_FUEL, LLVMBuildAnd(b->ir, taken, less, ""), NULL);
    jit_diverge_set(b, t->fuel_slot, LLVMBuildSub(b->ir, left, price, ""), taken);
}

static void branch(struct warp_trans_sides *s, const struct warp_block *block)
{
    struct warp_trans *t = &s->t[0];
    const uint32_t first = t->blocks[block->target].first, cost = t->number + 1 - first;
    LLVMValueRef taken = jit_diverge_branch(&s->diverge, leaving(s), block->target);
    if (first <= t->number && s->count > 1)
        isa_trans_pay_together(t->b, s->fuel, cost, s->leave);
    else if (first <= t->number)
        pay(t, jit_diverge_part(t->b, taken, s->count, 0), cost);
    jit_diverge_went(&s->diverge);
}

/* What the last instruction makes of lanes, before the others go on. */
static void part(struct warp_trans_sides *s, const struct warp_block *block, const struct warp_insn *i)
{
    struct warp_trans *t = &s->t[0];
    LLVMBuilderRef ir = t->b->ir;
    if (warp_blends(i) && i->flow == WARP_END)
        jit_diverge_branch(&s->diverge, leaving(s), t->block_count);
    else if (block->target != WARP_NO_BLOCK)
        branch(s, block);
    else if (i->kind == WARP_FAR) /* of one set alone */
        jit_diverge_branch(&s->diverge, LLVMBuildAnd(ir, t->leave, LLVMBuildNot(ir, t->back, ""), ""),
                           t->block_count);
    if (warp_ends_helpers(i) && t->helpers)
        jit_diverge_branch(&s->diverge, helping(s), t->block_count);
}

/* What becomes of the lanes behind block k's last instruction. */
static void leave(struct warp_trans_sides *s, const struct warp_block *block, uint32_t k)
{
    struct warp_trans *t = &s->t[0];
    const struct warp_insn *i = t->insn;
    const bool ends = (i->flow == WARP_END && !warp_blends(i)) || k + 1 == t->block_count;
    if (t->ended) {
        jit_diverge_close(&s->diverge, t->block_count);
        return;
    }
    if (warp_blends(i) && t->input->fixed_blends) {
        jit_diverge_close(&s->diverge, i->flow == WARP_END ? t->block_count : block->target);
        return;
    }
    part(s, block, i);
    if (i->kind == WARP_BARRIER && !ends) {
        LLVMValueRef left = jit_diverge_left(&s->diverge);
        jit_diverge_set(t->b, t->running_slot, LLVMConstAllOnes(t->b->i1x16), left);
        jit_diverge_set(t->b, t->at_slot, jit_splat_u32(t->b, t->number + 1), left);
        jit_diverge_close(&s->diverge, t->block_count);
        return;
    }
    jit_diverge_close(&s->diverge, ends ? t->block_count : k + 1);
}

/* ---- blocks ---- */

/* Instruction by instruction, so that one side may wait for its results while the others go on; also behind a BLEND,
 * where a block is all that is run (`whole`). */
static void emit_insns(struct warp_trans_sides *s, const struct warp_block *block)
{
    struct warp_trans *t = &s->t[0];
    uint32_t at = block->first;
    for (uint32_t n = 0; n < block->count && !t->ended && t->work < WORK_MOST; n++) {
        for (unsigned k = 0; k < s->count; k++) {
            s->t[k].number = at;
            s->t[k].insn = &t->program->insns[at];
            emit_insn(&s->t[k]);
        }
        at = warp_fixed_next(t->insn, at);
    }
}

#define FEW 2u

/* Whether block k does little but to send its lanes on, as compilers' jumps around the next block do: that costs less than
 * to ask whether there are any, which the processor cannot foretell. For branches backward those who are there pay. */
static bool only_leads_on(const struct warp_trans *t, uint32_t k)
{
    const struct warp_block *block = &t->blocks[k];
    const struct warp_insn *insns = &t->program->insns[block->first];
    bool leads = k && block->count <= FEW && insns[block->count - 1].kind == WARP_BRANCH && block->target > k;
    for (uint32_t n = 0; leads && n + 1 < block->count; n++)
        leads = insns[n].kind == WARP_COMPUTE;
    return leads;
}

/* Of several sides one may have no lane in the block at hand, and does not execute it; likewise where nobody has asked for
 * it (`always`). */
static void count_block(struct warp_trans_sides *s, const struct warp_block *block, bool always)
{
    for (unsigned k = 0; k < s->count; k++) {
        struct jit_builder *b = s->t[k].b;
        LLVMValueRef before = LLVMBuildLoad2(b->ir, b->i64, s->t[k].executed_slot, "");
        LLVMValueRef count = jit_i64(b, block->count);
        if (s->count > 1 || always)
            count = LLVMBuildSelect(b->ir, jit_mask_any(b, s->t[k].mask), count, jit_i64(b, 0), "");
        LLVMBuildStore(b->ir, LLVMBuildAdd(b->ir, before, count, ""), s->t[k].executed_slot);
    }
}

static void emit_block(struct warp_trans_sides *s, uint32_t number)
{
    const struct warp_trans *first = &s->t[0];
    const struct warp_block *block = &first->blocks[number];
    const bool always = only_leads_on(first, number);
    LLVMValueRef mask =
        always ? jit_diverge_block_always(&s->diverge, number) : jit_diverge_block(&s->diverge, number);
    if (first->input->fixed_blends && !block->fixed) { /* nobody comes here */
        jit_diverge_close(&s->diverge, first->block_count);
        return;
    }
    for (unsigned k = 0; k < s->count; k++) {
        struct warp_trans *t = &s->t[k];
        t->mask = t->block_count == 1 && !t->input->state ? t->input->lanes
                                                          : jit_diverge_part(t->b, mask, s->count, k);
        t->ended = false;
        t->work += 16; /* for its registers */
        warp_trans_load_registers(t);
    }
    emit_insns(s, block);
    if (first->work >= WORK_MOST)
        return; /* thrown away */
    for (unsigned k = 0; k < s->count; k++)
        warp_trans_store_registers(&s->t[k]);
    count_block(s, block, always);
    leave(s, block, number);
}

/* Lanes begin, or go on behind the barriers that they wait at. */
static int begin(struct warp_trans_sides *s, const LLVMValueRef *lanes)
{
    struct warp_trans *t = &s->t[0];
    struct jit_builder *b = t->b;
    const struct warp_program *p = t->program;
    LLVMValueRef all = jit_diverge_join(b, lanes, s->count);
    if (t->together)
        return jit_diverge_begin_together(&s->diverge, b, t->block_count, all);
    int status = jit_diverge_begin(&s->diverge, b, t->block_count, all, !p->loads && !p->stores);
    if (status || !t->input->state)
        return status;
    LLVMPositionBuilderBefore(b->ir, LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b->ir)));
    LLVMValueRef at = LLVMBuildLoad2(b->ir, b->i32x16, t->at_slot, "");
    for (uint32_t k = 0; k < p->block_count; k++) {
        if (k && p->insns[p->blocks[k].first - 1].kind != WARP_BARRIER)
            continue;
        LLVMValueRef here = LLVMBuildICmp(b->ir, LLVMIntEQ, at, jit_splat_u32(b, p->blocks[k].first), "");
        jit_diverge_wait(&s->diverge, LLVMBuildAnd(b->ir, lanes[0], here, ""), k);
    }
    return 0;
}

static bool faults(const struct warp_trans_sides *s)
{
    bool any = false;
    for (unsigned k = 0; k < s->count; k++)
        any |= s->t[k].faults;
    return any;
}

static int emit_blocks(struct warp_trans_sides *s, const LLVMValueRef *lanes)
{
    int status = begin(s, lanes);
    for (uint32_t k = 0; !status && k < s->t[0].block_count; k++) {
        emit_block(s, k);
        if (s->t[0].work >= WORK_MOST || (s->count > 1 && faults(s))) {
            jit_diverge_abandon(&s->diverge);
            return s->count > 1 ? -ENOTSUP : -E2BIG;
        }
    }
    if (!status)
        jit_diverge_end(&s->diverge);
    return status;
}

/* ---- the program ---- */

static void end_registers(struct warp_trans *t, struct warp_ir_state *s)
{
    for (unsigned n = 0; n < WARP_REGISTERS; n++)
        s->reg[n] = t->used >> n & 1 ? t->reg[n] : NULL;
}

static void finish(struct warp_trans *t, struct warp_ir_state *s)
{
    struct jit_builder *b = t->b;
    warp_trans_load_registers(t);
    *s = (struct warp_ir_state){.faults = t->faults, .faults_at_once = t->faults_at_once};
    end_registers(t, s);
    s->live = LLVMBuildLoad2(b->ir, b->i1x16, t->live_slot, "");
    s->returned = LLVMBuildLoad2(b->ir, b->i1x16, t->returned_slot, "");
    s->executed = LLVMBuildLoad2(b->ir, b->i64, t->executed_slot, "");
    s->fault_address = LLVMBuildLoad2(b->ir, b->i64, t->address_slot, "");
}

/* Where the same lanes run all of it, registers stay values from end to end. */
static struct warp_block whole(const struct warp_program *p, const struct warp_ir_input *input)
{
    const bool fixed = input->fixed_blends && p->fixed_count;
    return (struct warp_block){
        .count = fixed ? p->fixed_count : p->insn_count, .target = WARP_NO_BLOCK, .fixed = true};
}

static void start(struct warp_trans_sides *s, struct jit_builder *b, const struct warp_program *program,
                  const struct warp_block *one)
{
    const struct warp_ir_input *input = s->t[0].input;
    const bool far = input->fixed_blends ? program->fixed_far : program->far;
    for (unsigned k = 0; k < s->count; k++) {
        struct warp_trans *t = &s->t[k];
        t->b = b;
        t->program = program;
        t->diverge = &s->diverge;
        t->blocks = one ? one : program->blocks;
        t->block_count = one ? 1 : program->block_count;
        t->together = !input->state && warp_is_together(program, input->fixed_blends, input->helpers);
        t->used = far ? UINT64_MAX : program->read | program->written;
        t->written = far ? UINT64_MAX : program->written;
    }
}

int warp_translate(struct jit_builder *b, const struct warp_program *program,
                   const struct warp_ir_ports *ports, const struct warp_ir_input *input, LLVMValueRef *fault,
                   struct warp_ir_state *state)
{
    const struct warp_block one = whole(program, input);
    struct warp_trans_sides s = {.count = 1, .t = {{.ports = ports, .input = input}}};
    struct warp_trans *t = &s.t[0];
    LLVMValueRef lanes = input->lanes;
    const bool straight = !input->state && warp_is_straight(program, input->fixed_blends, input->helpers);
    if (program->barriers && !input->state)
        return -EINVAL;
    start(&s, b, program, straight ? &one : NULL);
    if (input->state)
        lanes = warp_trans_state_mask(t, offsetof(struct warp_state, running));
    warp_trans_make_slots(t, lanes);
    int status = emit_blocks(&s, &lanes);
    if (status)
        return status;
    finish(t, state);
    *fault = LLVMBuildLoad2(b->ir, b->i32, t->fault_slot, "");
    if (input->state)
        warp_trans_store_state(t, state);
    return 0;
}

/* ---- side by side ---- */

static int emit_straight(struct warp_trans_sides *s, const struct warp_block *block)
{
    for (unsigned k = 0; k < s->count; k++) {
        s->t[k].mask = s->t[k].input->lanes;
        warp_trans_load_registers(&s->t[k]);
    }
    emit_insns(s, block);
    return faults(s) || s->t[0].work >= WORK_MOST ? -ENOTSUP : 0;
}

static void end_straight(struct warp_trans *t, const struct warp_block *block, struct warp_ir_state *state)
{
    LLVMValueRef live = LLVMBuildLoad2(t->b->ir, t->b->i1x16, t->live_slot, "");
    *state = (struct warp_ir_state){.live = live,
                                    .returned = LLVMConstNull(t->b->i1x16),
                                    .executed = jit_i64(t->b, block->count),
                                    .fault_address = jit_i64(t->b, 0)};
    end_registers(t, state);
}

/* Whether all are of one kind, of which so many go side by side. */
static bool may_stand(const struct warp_program *p, const struct warp_ir_input *input, unsigned count,
                      bool straight)
{
    bool may = !p->barriers && count && count <= (straight ? WARP_SIDES : WARP_BRANCHING_SIDES);
    for (unsigned k = 0; may && k < count; k++)
        may = !input[k].state && !input[k].helpers == !input[0].helpers &&
              input[k].fixed_blends == input[0].fixed_blends;
    return may && !(input[0].fixed_blends ? p->fixed_far : p->far);
}

int warp_translate_sides(struct jit_builder *b, const struct warp_program *program,
                         const struct warp_ir_ports *ports, const struct warp_ir_input *input, unsigned count,
                         LLVMBasicBlockRef left, struct warp_ir_state *states)
{
    const bool straight = count && warp_is_straight(program, input[0].fixed_blends, input[0].helpers);
    struct warp_trans_sides s = {.count = count, .leave = left};
    LLVMValueRef lanes[WARP_SIDES];
    if (!may_stand(program, input, count, straight))
        return -EINVAL;
    const struct warp_block one = whole(program, input);
    for (unsigned k = 0; k < count; k++) {
        s.t[k].ports = &ports[k];
        s.t[k].input = &input[k];
        lanes[k] = input[k].lanes;
    }
    start(&s, b, program, straight ? &one : NULL);
    for (unsigned k = 0; k < count; k++)
        warp_trans_make_slots(&s.t[k], lanes[k]);
    s.fuel = jit_alloca(b, b->i32, "fuel");
    LLVMBuildStore(b->ir, input[0].fuel, s.fuel);
    const int status = straight ? emit_straight(&s, &one) : emit_blocks(&s, lanes);
    for (unsigned k = 0; k < count && !status; k++) {
        if (straight)
            end_straight(&s.t[k], &one, &states[k]);
        else
            finish(&s.t[k], &states[k]);
    }
    return status;
}
